"""Kriegspiel games as PGN: ordinary chess games to any viewer, the umpire's words in the comments.

A comment begins with the form that was proposed at Maryland, `(K:attempts:information)`: what was refused before the
move, with commas, then what the other side was told (T and the square of a capture; CR, CF, CD, CK check on rank, file,
diagonal, by a knight). The question whether any pawn can take stands among the attempts, as `any`. The referee's full
message follows in words. A game filtered for one player has `??` for the other's moves, as was proposed at Berkeley,
and neither the other's refused attempts nor short notation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..games.chess.fen import SIDES, START
from ..games.chess.movetext import RESULTS, ROSTER, UNFINISHED, fill_movetext, tag_lines
from ..games.chess.position import POSITION
from ..games.chess.san import short_name
from ..games.kriegspiel import rules
from ..games.kriegspiel.rule_sets import RULE_SETS
from ..games.kriegspiel.words import QUESTION
from .long_names import HIDDEN, long_name
from .referee import Message, Referee, Switches

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
class Turn:
    """One move with what was refused before it and what was said of it."""

    colour: int
    refused: tuple[str, ...]  # long, as all that only the mover may know
    short: str
    long: str
    message: Message


def turns_of(record: Sequence[int], umpire: Referee) -> tuple[list[Turn], list[str]]:
    """A recorded game turn by turn, played on the umpire's board, and what was refused after its last move."""
    turns, refused = [], list[str]()
    for action in record:
        pos, colour = umpire.state[:POSITION].copy(), umpire.mover
        long = QUESTION if action == rules.ANY else long_name(pos, action)
        answer = umpire.attempt(action)
        if answer.message is None:
            refused.append(long)
            continue
        turns.append(Turn(colour, tuple(refused), short_name(pos, action), long, answer.message))
        refused = []
    return turns, refused


def code_of(message: Message) -> str:
    """Return the announcement to the other side, in the letters of the Maryland form."""
    codes = [f"T{message.square}"] if message.taken else []
    return ",".join(codes + [CHECK_CODES[direction] for direction in message.checks])


def comment_of(refused: Sequence[str], message: Message, ending: str | None = None) -> str | None:
    """The comment after a move, or None if there is nothing to say."""
    code, words = code_of(message), message.text.split(", ")[1:]
    parts = [f"(K:{','.join(refused)}:{code})"] if refused or code else []
    if ending:
        words.append(ending)
    if words:
        parts.append(", ".join(words))
    return "{" + " ".join(parts) + "}" if parts else None


def header(tags: Mapping[str, str], switches: Switches, fen: str | None, result: str, viewer: str) -> list[str]:
    """The tags of a game, those that every PGN has first."""
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
    switches: Switches | None = None,
    result: str | None = None,
) -> str:
    """A game as PGN, for the umpire or as one player knows it; a result is given where the board does not tell it."""
    if viewer not in VIEWERS:
        raise ValueError(f"a game is written for {', '.join(VIEWERS[:-1])} or {VIEWERS[-1]}, not for {viewer!r}")
    if viewer != "umpire" and fen is not None and fen != START:
        raise ValueError("a game that does not begin with all men at home cannot be filtered: its FEN would tell all")
    umpire = Referee(fen, switches or Switches())
    ply = umpire.plies
    turns, left = turns_of(record, umpire)
    ended = result or (RESULTS[umpire.score] if umpire.over else UNFINISHED)
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
