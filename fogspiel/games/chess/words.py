"""The referee's messages in words."""

from collections.abc import Sequence

from .fen import LETTERS, SIDES, square_name
from .messages import CHECKS, PAWN_TAKEN, SQUARE, TAKEN, TRIES

DIRECTIONS = ("rank", "file", "long diagonal", "short diagonal", "knight")


def directions_in(checks: int) -> list[str]:
    """The names of a set of directions."""
    return [name for i, name in enumerate(DIRECTIONS) if checks >> i & 1]


def message_text(message: Sequence[int], colour: int) -> str:
    """What the referee says of a move of this colour: `White moved, pawn taken on e5, check on the file, 2 tries`."""
    words = [f"{SIDES[colour]} moved"]
    if message[TAKEN]:
        what = "pawn" if message[TAKEN] == PAWN_TAKEN else "piece"
        words.append(f"{what} taken on {square_name(int(message[SQUARE]))}")
    words += [
        "check by a knight" if name == "knight" else f"check on the {name}" for name in directions_in(message[CHECKS])
    ]
    if message[TRIES]:
        words.append(f"{message[TRIES]} pawn {'try' if message[TRIES] == 1 else 'tries'}")
    return ", ".join(words)


def board_text(men: Sequence[int], whites: int) -> str:
    """A board, the eighth rank on top: White's men are capitals; squares that are empty or unknown are dots."""
    lines = []
    for rank in range(7, -1, -1):
        row = []
        for square in range(8 * rank, 8 * rank + 8):
            kinds = [letter for kind, letter in enumerate(LETTERS) if int(men[kind]) >> square & 1]
            letter = kinds[0] if kinds else "."
            row.append(letter.upper() if int(whites) >> square & 1 else letter)
        lines.append(f"{rank + 1}  {' '.join(row)}")
    return "\n".join([*lines, "   a b c d e f g h"])
