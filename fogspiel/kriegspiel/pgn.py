"""Kriegspiel games as PGN: ordinary chess games to any viewer, with the umpire's messages in comments.

A comment starts with the form that was proposed at Maryland, `(K:attempts:information)`: the attempts refused before
the move, with commas, then the information for the opponent (T and the square of a capture; CR, CF, CD, CK check on
rank, file, diagonal, by a knight). The question whether any pawn can capture stands among the attempts, as `any`. The
referee's full message follows as text. A game filtered for one player has `??` for the opponent's moves, as was
proposed at Berkeley, and neither the opponent's illegal attempts nor short notation.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core import untrusted_input
from ..core.game import new_cells
from ..core.untrusted_input import JsonRecord
from ..games.chess.bitboards import KING, NO_MAN, PAWN, kind_on
from ..games.chess.fen import DIRECTIONS, LETTERS, SIDES, START, parse_square, square_name
from ..games.chess.game import (
    RESULTS,
    ROSTER,
    UNFINISHED,
    Movetext,
    fill_movetext,
    games_in,
    meant,
    moves_in,
    short_name,
    tag_lines,
)
from ..games.chess.moves import MAX_ATTEMPTS
from ..games.chess.position import MEN, POSITION, end_of, promotion_of, start_of
from .game import ICC, QUESTION, RULE_SETS, rules
from .game.attempts import attempts, lose_own, move_own
from .game.rules import HOME, OWN_RIGHTS
from .referee import WILD_16, HouseRules, Message, Referee

HIDDEN = "??"  # placeholder of a hidden move


def long_name(men: np.ndarray, move: int) -> str:
    """Return a move with both its squares, from the own men in the first cells of `men`."""
    kind, start, end = int(kind_on(men, start_of(move))), start_of(move), end_of(move)
    if kind == KING and abs(end - start) == 2:
        return "O-O" if end > start else "O-O-O"
    man = "" if kind == PAWN else LETTERS[kind].upper()
    promotion = promotion_of(move)
    return man + square_name(start) + square_name(end) + (f"={LETTERS[promotion].upper()}" if promotion else "")


def own_attempts(men: np.ndarray, colour: int, rights: int) -> list[int]:
    own, out = int(np.bitwise_or.reduce(men[: KING + 1])), new_cells(MAX_ATTEMPTS)
    return list(out[: attempts(men, own, colour, rights, 1, new_cells(64), out)].tolist())


CHECK_CODES = {"rank": "CR", "file": "CF", "long diagonal": "CD", "short diagonal": "CD", "knight": "CK"}
SWITCH_TAGS = {
    "promotion_tries": "PromotionTries",
    "passant_square": "PassantSquare",
    "fifty": "FiftyMoves",
    "repetition": "Repetition",
    "material": "Material",
}
VIEWERS = ("umpire", "white", "black")
REFUSED_LAST = "refused after the last move: "


@dataclass(frozen=True)
class PgnTurn:
    """One move with the attempts refused before it and its announcement."""

    colour: int
    refused: tuple[str, ...]  # in long notation, as everything private to the side that moves
    short: str
    long: str
    message: Message


def turns_of(record: Sequence[int], umpire: Referee) -> tuple[list[PgnTurn], list[str]]:
    """Replay a record on the umpire's board; return its turns, and the attempts refused after the last move."""
    turns, refused = [], list[str]()
    for action in record:
        pos, colour = umpire.state[:POSITION].copy(), umpire.mover
        long = QUESTION if action == rules.ANY else long_name(pos, action)
        answer = umpire.attempt(action)
        if answer.message is None:
            refused.append(long)
            continue
        turns.append(PgnTurn(colour, tuple(refused), short_name(pos, action), long, answer.message))
        refused = []
    return turns, refused


def code_of(message: Message) -> str:
    codes = [f"T{message.square}"] if message.taken else []
    return ",".join(codes + [CHECK_CODES[direction] for direction in message.checks])


def comment_of(refused: Sequence[str], message: Message, ending: str | None = None) -> str | None:
    """Return the comment after a move, or None if it is empty."""
    code, words = code_of(message), message.text.split(", ")[1:]
    parts = [f"(K:{','.join(refused)}:{code})"] if refused or code else []
    if ending:
        words.append(ending)
    if words:
        parts.append(", ".join(words))
    return "{" + " ".join(parts) + "}" if parts else None


def header(tags: Mapping[str, str], switches: HouseRules, fen: str | None, result: str, viewer: str) -> list[str]:
    rest = {key: value for key, value in tags.items() if key not in ROSTER and key != "Result"}
    kept, house = switches.to_json(), RULE_SETS[switches.rules].title
    chosen = {
        tag: value if isinstance(value, str) else "draw" if value else "off"
        for tag, value in ((tag, kept[name]) for name, tag in SWITCH_TAGS.items())
    }
    whole = ROSTER | {key: tags[key] for key in ROSTER if key in tags} | {"Result": result, "Game": "Kriegspiel"}
    whole |= {"Rules": house} | chosen | rest
    if fen is not None and fen != START:
        whole |= {"SetUp": "1", "FEN": fen}
    if viewer != "umpire":
        whole["Filtered"] = viewer
    return tag_lines(whole)


def write_pgn(
    record: Sequence[int],
    tags: Mapping[str, str] | None = None,
    viewer: str = "umpire",
    fen: str | None = None,
    switches: HouseRules | None = None,
    result: str | None = None,
) -> str:
    """Return a game as PGN, for the umpire or one player; a result is given if the board does not determine it."""
    if viewer not in VIEWERS:
        raise ValueError(f"a game is written for {', '.join(VIEWERS[:-1])} or {VIEWERS[-1]}, not for {viewer!r}")
    if viewer != "umpire" and fen is not None and fen != START:
        raise ValueError("a game that does not begin with all men at home cannot be filtered: its FEN would tell all")
    umpire = Referee(fen, switches or HouseRules())
    ply = umpire.plies
    turns, left = turns_of(record, umpire)
    ended = result or (RESULTS[umpire.payoff_index] if umpire.over else UNFINISHED)
    words: list[str] = []
    after_comment = True
    for place, turn in enumerate(turns, ply):
        if turn.colour == 0 or after_comment:
            words.append(f"{place // 2 + 1}{'.' if turn.colour == 0 else '...'}")
        known = viewer in ("umpire", SIDES[turn.colour].lower())
        words.append(turn.short if viewer == "umpire" else turn.long if known else HIDDEN)
        last = umpire.over and place == umpire.plies - 1
        comment = comment_of(turn.refused if known else (), turn.message, umpire.ending if last else None)
        after_comment = comment is not None
        if comment:
            words.append(comment)
    if left and viewer in ("umpire", SIDES[umpire.turn].lower()):
        words.append("{" + REFUSED_LAST + ",".join(left) + "}")
    lines = header(tags or {}, umpire.switches, fen, ended, viewer)
    return "\n".join(lines) + "\n\n" + fill_movetext([*words, ended]) + "\n"


# The text of a PGN file.

MAX_BYTES = 1 << 28  # 256 MiB: about 200,000 games
BEGINNING = re.compile(r"^\[\s*Event\s", re.MULTILINE)


def read_text(file: Path) -> str:
    return untrusted_input.read_text(file, "the PGN file", MAX_BYTES, "split it")


class Unreadable(NamedTuple):
    line: int
    fault: str


def games_apart(text: str) -> Iterator[tuple[int, Movetext | Unreadable]]:
    """Yield the games by number, split at each tag `Event`, so that an unreadable one does not hide the next."""
    cuts = [0, *(found.start() for found in BEGINNING.finditer(text)), len(text)]
    number, line = 0, 1
    for start, end in pairwise(cuts):
        piece = text[start:end]
        if piece.strip():
            try:
                for game in games_in(piece, line):
                    number += 1
                    yield number, game
            except ValueError as error:
                number += 1
                yield number, Unreadable(line, f"game {number}: {error}")
        line += piece.count("\n")
    if number == 0:
        raise ValueError("there is no game in this file: it must be PGN")


# Reader of Kriegspiel games: our own PGN, the comments proposed at Maryland, and games filtered as at Berkeley.
#
# The referee replays an unfiltered game and produces its messages, so those in the comments are ignored. A filtered
# game is followed on the board of its player: the opponent's moves are `??`, and the messages are read.

MARYLAND = re.compile(r"\(K:([^:)]*):([^)]*)\)")
TAKEN = re.compile(r"\b(pawn|piece|man) taken (en passant )?on ([a-h][1-8])")
TAKEN_CODE = re.compile(r"T([a-h][1-8])")
CHECKS = re.compile(r"check (?:on the (rank|file|long diagonal|short diagonal)|by a (knight))")
TITLES = {found.title.lower() for found in RULE_SETS.values()}
CHECK_NAMES = {"CR": "rank", "CF": "file", "CD": "diagonal", "CK": "knight"}
TRIES = re.compile(r"(\d+) pawn tr(?:y|ies)")
SOME_TRIES, PROMOTED = "a pawn can take", "a pawn promoted"
TRY_SQUARES = re.compile(r"pawn tries from ((?:[a-h][1-8] ?)+)")
REFUSED_BEFORE, REFUSED_AFTER = re.compile(r"\bafter (\d+) refusals?\b"), re.compile(r"\bthen (\d+) refusals?\b")
ASKED = re.compile(r"asked whether pawns can take: (yes|no)")


@dataclass(frozen=True)
class PgnGame:
    """A parsed and replayed game."""

    tags: dict[str, str]
    viewer: str  # point of view: `umpire`, `white` or `black`
    # Attempts of each half-move, the accepted one last; empty where they are hidden.
    attempts: tuple[tuple[int, ...], ...]
    # Announcement of each half-move; a filtered game of others may omit the kind of the captured man.
    messages: tuple[Message, ...]
    refused_last: tuple[int, ...]
    result: str
    switches: HouseRules
    fen: str | None
    dropped: tuple[str, ...]  # refused attempts that cannot be placed: malformed, never possible there, or legal

    @property
    def record(self) -> list[int]:
        """All attempts in order, as `written` and the umpire use them; complete for an unfiltered game."""
        return [action for turn in self.attempts for action in turn] + list(self.refused_last)


def read_pgn(text: str) -> list[PgnGame]:
    return [reading_of(game, number) for number, game in enumerate(games_in(text), 1)]


def reading_of(game: Movetext, number: int = 1) -> PgnGame:
    hidden = {place % 2 for place, (move, _) in enumerate(game.half_moves) if move == HIDDEN}
    if len(hidden) == 2:
        raise ValueError(f"game {number} hides moves of both sides: nobody knows such a game")
    if hidden and "FEN" in game.tags:
        raise ValueError(f"game {number} is filtered, but its FEN tells where all men stand: leave one of them out")
    return _filter_messages(game, number, 1 - hidden.pop()) if hidden else _replay(game, number)


def switches_in(tags: dict[str, str]) -> HouseRules:
    """Return the rule switches of the tags; draws that are not listed as a rule do not end the game."""
    house = tags.get("Rules", ICC)
    usual = HouseRules.usual(house) if house.lower() in TITLES else WILD_16
    told: dict[str, Any] = {}
    for name, tag in SWITCH_TAGS.items():
        said, kept = tags.get(tag), usual.to_json()[name]
        told[name] = (said or kept) if isinstance(kept, str) else said == "draw"
    return replace(usual, **told)


def _refused_in(said: str) -> tuple[list[str], list[str]]:
    """Return a comment's refused attempts before a move, and after the last one."""
    found = MARYLAND.search(said)
    before = [text for text in found.group(1).split(",") if text.strip()] if found else []
    _, marker, after = said.partition(REFUSED_LAST)
    return before, [text for text in after.split(",") if text.strip()] if marker else []


def _only(found: Sequence[int], number: int, place: int, text: str, line: int) -> int:
    if len(found) == 1:
        return found[0]
    where = f"game {number}, move {place // 2 + 1} of {SIDES[place % 2]} (line {line})"
    raise ValueError(f"{where}: {text!r} {'may mean several moves' if found else 'is not a legal move there'}")


def _replay(game: Movetext, number: int) -> PgnGame:
    fen, switches = game.tags.get("FEN"), switches_in(game.tags)
    umpire, dropped = Referee(fen, switches), list[str]()
    begun = umpire.plies
    attempts, messages = list[tuple[int, ...]](), list[Message]()

    def refuse(texts: list[str]) -> list[int]:
        """Attempt the refused moves; drop those that would be accepted or cannot be tried."""
        made, pos = [], umpire.state[:POSITION]
        legal = moves_in(pos)
        for text in texts:
            offered = umpire.actions
            moves = [action for action in offered if action != rules.ANY]
            tried = offered[len(moves) :] if text == QUESTION else meant(text, pos, moves)
            found = [action for action in tried if action not in legal]
            if found:
                umpire.attempt(found[0])
                made.append(found[0])
            else:
                dropped.append(text)
        return made

    last: list[str] = []
    for place, (text, said) in enumerate(game.half_moves, begun):
        if umpire.over:
            line = game.lines[place - begun]
            raise ValueError(f"game {number} goes on with {text!r} (line {line}) after its end by {umpire.ending}")
        before, last = _refused_in(said)
        tried = refuse(before)
        pos = umpire.state[:POSITION]
        action = _only(meant(text, pos, moves_in(pos)), number, place, text, game.lines[place - begun])
        answer = umpire.attempt(action)
        assert answer.message is not None
        attempts.append((*tried, action))
        messages.append(answer.message)
    after = tuple(refuse(last)) if not umpire.over else ()
    result = game.result or game.tags.get("Result", UNFINISHED)
    return PgnGame(game.tags, "umpire", tuple(attempts), tuple(messages), after, result, switches, fen, tuple(dropped))


def parse_message(said: str, colour: int) -> Message:
    """Parse the message of a comment, from its text or else from the letters of the Maryland form."""
    codes = (MARYLAND.search(said) or [""] * 3)[2].split(",")
    in_words, in_code = TAKEN.search(said), TAKEN_CODE.search(",".join(codes))
    taken, passant, square = in_words.groups() if in_words else (None, None, None)
    if in_code and not in_words:
        taken, square = "man", in_code.group(1)
    checks = tuple(line or knight for line, knight in CHECKS.findall(said))
    checks = checks or tuple(CHECK_NAMES[code] for code in codes if code in CHECK_NAMES)
    ordered = tuple(name for name in (*DIRECTIONS, "diagonal") if name in checks)
    tries, squares = _number(TRIES, said), TRY_SQUARES.search(said)
    words = ", ".join([f"{SIDES[colour]} moved", *filter(None, [MARYLAND.sub("", said).strip()])])
    asked = ASKED.search(said)
    return Message(
        colour,
        taken,
        square,
        ordered,
        tries or int(SOME_TRIES in said or squares is not None),
        words,
        squares=tuple(squares.group(1).split()) if squares else (),
        promoted=PROMOTED in said,
        en_passant=passant is not None,
        refused=(_number(REFUSED_BEFORE, said), _number(REFUSED_AFTER, said)),
        asked=asked.group(1) if asked else None,
    )


def _number(pattern: re.Pattern[str], said: str) -> int:
    found = pattern.search(said)
    return int(found.group(1)) if found else 0


def _filter_messages(game: Movetext, number: int, side: int) -> PgnGame:
    men, dropped = HOME.copy(), list[str]()
    for kind in range(MEN):
        men[kind] &= HOME[MEN + side]
    attempts, messages = list[tuple[int, ...]](), list[Message]()

    def own(texts: Sequence[str]) -> list[int]:
        possible, found = own_attempts(men, side, int(OWN_RIGHTS[side])), []
        for text in texts:
            placed = [rules.ANY] if text == QUESTION else meant(text, men, possible)
            found += placed[:1]
            if not placed:
                dropped.append(text)
        return found

    last: list[str] = []
    for place, (text, said) in enumerate(game.half_moves):
        message = parse_message(said, place % 2)
        messages.append(message)
        before, last = _refused_in(said)
        if place % 2 == side:
            tried = own(before)
            possible = own_attempts(men, side, int(OWN_RIGHTS[side]))
            action = _only(meant(text, men, possible), number, place, text, game.lines[place])
            move_own(men, side, action)
            attempts.append((*tried, action))
            continue
        attempts.append(())
        if message.square is not None:
            lose_announced(men, side, parse_square(message.square))
    after, result = tuple(own(last)), game.result or game.tags.get("Result", UNFINISHED)
    viewer, switches = SIDES[side].lower(), switches_in(game.tags)
    return PgnGame(game.tags, viewer, tuple(attempts), tuple(messages), after, result, switches, None, tuple(dropped))


def lose_announced(men: np.ndarray, side: int, square: int) -> None:
    """Remove the lost man; one captured en passant may have been announced one square behind."""
    if int(lose_own(men, square)) == NO_MAN:
        lose_own(men, square + (8 if side == 0 else -8))


# Check of a PGN file's games by our referee: legal moves, equal messages, confirmed refusals.

DIAGONALS = ("long diagonal", "short diagonal")


@dataclass(frozen=True)
class CheckedGame(JsonRecord):
    """A game of a file, and its fault in one sentence, or None."""

    KEYS = ("number", "line", "white", "black", "viewer", "moves", "refused", "fault")

    number: int
    line: int
    white: str
    black: str
    viewer: str | None  # point of view: `umpire`, `white` or `black`; None if unreadable
    moves: int
    refused: int
    fault: str | None


def check_pgn(text: str) -> Iterator[CheckedGame]:
    for number, game in games_apart(text):
        if isinstance(game, Unreadable):
            yield CheckedGame(number, game.line, "?", "?", None, 0, 0, game.fault)
        else:
            yield check_pgn_game(game, number)


def check_pgn_game(game: Movetext, number: int) -> CheckedGame:
    white, black = (game.tags.get(side, "?") for side in SIDES)
    try:
        reading = reading_of(game, number)
    except ValueError as error:
        line = "" if "line " in str(error) else f" (line {game.line})"
        return CheckedGame(number, game.line, white, black, None, len(game.half_moves), 0, f"{error}{line}")
    refused = sum(max(len(tried) - 1, 0) for tried in reading.attempts) + len(reading.refused_last)
    fault = fault_in(game, reading, number)
    return CheckedGame(number, game.line, white, black, reading.viewer, len(reading.messages), refused, fault)


def fault_in(game: Movetext, reading: PgnGame, number: int) -> str | None:
    """Return the first fault of a game whose moves are legal."""
    if reading.dropped:
        text = reading.dropped[0]
        return (
            f"game {number} (line {game.line}): {text!r} is said to have been refused, but would be accepted there or "
            "cannot be tried"
        )
    if reading.viewer != "umpire":  # there are only messages to check
        return None
    ours = "Rules" in game.tags
    first = Referee(reading.fen).plies
    for place, ((text, said), message) in enumerate(zip(game.half_moves, reading.messages, strict=True)):
        wrong = difference(said, message, ours)
        if wrong:
            move = f"move {(first + place) // 2 + 1} of {SIDES[message.colour]}, {text!r} (line {game.lines[place]})"
            return f"game {number}, {move}: {wrong}"
    umpire = Referee(reading.fen, reading.switches)
    for action in reading.record:
        umpire.attempt(action)
    if umpire.over and reading.result not in (RESULTS[umpire.payoff_index], UNFINISHED):
        right = f"{RESULTS[umpire.payoff_index]} by {umpire.ending}"
        return f"game {number} (line {game.line}): its result is {reading.result}, and on the board it ends {right}"
    return None


def difference(said: str, message: Message, whole: bool) -> str | None:
    """Describe the difference of a comment from the referee's message; omissions count only in complete comments."""
    told = parse_message(said, message.colour)
    elsewhere = (told.square or whole) and told.square != message.square
    if elsewhere or ((told.taken in ("pawn", "piece") or whole) and told.taken != message.taken):
        return f"the comment says {_capture(told)}, the referee {_capture(message)}"
    heard = message.checks
    if "diagonal" in told.checks:  # the Maryland form does not distinguish diagonals
        heard = tuple(dict.fromkeys("diagonal" if name in DIAGONALS else name for name in heard))
    if (told.checks or whole) and set(told.checks) != set(heard):
        return f"the comment says {_checks(told.checks)}, the referee {_checks(heard)}"
    if (told.tries or whole) and told.tries != message.tries:
        return f"the comment says {told.tries} pawn tries, the referee {message.tries}"
    return None


def _capture(message: Message) -> str:
    return f"{message.taken} taken on {message.square}" if message.taken else "that nothing was taken"


def _checks(names: tuple[str, ...]) -> str:
    return f"check ({', '.join(names)})" if names else "that there is no check"
