"""Reading Kriegspiel games: our own PGN, the comments proposed at Maryland, and games filtered as at Berkeley.

An unfiltered game is replayed by the referee, who gives its messages: what the comments say of them is not needed. A
filtered one is followed on the board of the player who knows it: the other's moves are `??`, and the messages are read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..games.chess.attempts import lose_own, move_own
from ..games.chess.fen import SIDES, parse_square
from ..games.chess.men import NO_MAN
from ..games.chess.movetext import UNFINISHED, Movetext, games_in
from ..games.chess.position import MEN, POSITION
from ..games.chess.san import meant, moves_in
from ..games.chess.words import DIRECTIONS
from ..games.kriegspiel import rules
from ..games.kriegspiel.rule_sets import ICC, RULE_SETS
from ..games.kriegspiel.rules import HOME, OWN_RIGHTS
from ..games.kriegspiel.words import QUESTION
from .long_names import HIDDEN, own_attempts
from .pgn import REFUSED_LAST, SWITCH_TAGS
from .referee import WILD_16, Message, Referee, Switches

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
class Reading:
    """A game that was read."""

    tags: dict[str, str]
    viewer: str  # who knows what it tells: `umpire`, `white` or `black`
    # For each half-move what was tried, the move that was made at the end; nothing where it is not told.
    attempts: tuple[tuple[int, ...], ...]
    # What the referee said of each half-move; a filtered game of others may not tell what kind of man was taken.
    messages: tuple[Message, ...]
    refused_last: tuple[int, ...]
    result: str
    switches: Switches
    fen: str | None
    dropped: tuple[str, ...]  # refused attempts that cannot be placed: not a move, never possible there, or legal

    @property
    def record(self) -> list[int]:
        """All attempts in their order, as `written` and the umpire take them; an unfiltered game's is complete."""
        return [action for turn in self.attempts for action in turn] + list(self.refused_last)


def read_pgn(text: str) -> list[Reading]:
    """All games of a PGN file; a ValueError says which one is not a game of Kriegspiel, and where."""
    return [reading_of(game, number) for number, game in enumerate(games_in(text), 1)]


def reading_of(game: Movetext, number: int = 1) -> Reading:
    """One game, replayed."""
    hidden = {place % 2 for place, (move, _) in enumerate(game.half_moves) if move == HIDDEN}
    if len(hidden) == 2:
        raise ValueError(f"game {number} hides moves of both sides: nobody knows such a game")
    if hidden and "FEN" in game.tags:
        raise ValueError(f"game {number} is filtered, but its FEN tells where all men stand: leave one of them out")
    return _filter_messages(game, number, 1 - hidden.pop()) if hidden else _replay(game, number)


def switches_in(tags: dict[str, str]) -> Switches:
    """The rule switches that the tags tell; a draw that they do not claim as a rule does not end the game."""
    house = tags.get("Rules", ICC)
    usual = Switches.usual(house) if house.lower() in TITLES else WILD_16
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


def _replay(game: Movetext, number: int) -> Reading:
    """An unfiltered game, replayed by the umpire."""
    fen, switches = game.tags.get("FEN"), switches_in(game.tags)
    umpire, dropped = Referee(fen, switches), list[str]()
    begun = umpire.plies
    attempts, messages = list[tuple[int, ...]](), list[Message]()

    def refuse(texts: list[str]) -> list[int]:
        """Try what was refused; what would be accepted, or cannot be tried, is dropped."""
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
    return Reading(game.tags, "umpire", tuple(attempts), tuple(messages), after, result, switches, fen, tuple(dropped))


def parse_message(said: str, colour: int) -> Message:
    """The message that a comment tells, from its words or else from the letters of the Maryland form."""
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
    """The number that a comment tells, or 0."""
    found = pattern.search(said)
    return int(found.group(1)) if found else 0


def _filter_messages(game: Movetext, number: int, side: int) -> Reading:
    """A game as one player knows it, followed on the board of the own men."""
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
            _lose(men, side, parse_square(message.square))
    after, result = tuple(own(last)), game.result or game.tags.get("Result", UNFINISHED)
    viewer, switches = SIDES[side].lower(), switches_in(game.tags)
    return Reading(game.tags, viewer, tuple(attempts), tuple(messages), after, result, switches, None, tuple(dropped))


def _lose(men: np.ndarray, side: int, square: int) -> None:
    """Take off the man that was lost; one taken en passant may have been announced one square behind."""
    if int(lose_own(men, square)) == NO_MAN:
        lose_own(men, square + (8 if side == 0 else -8))
