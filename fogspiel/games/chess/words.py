"""Directions of check and boards in words."""

from collections.abc import Sequence

from .fen import LETTERS

DIRECTIONS = ("rank", "file", "long diagonal", "short diagonal", "knight")


def directions_in(checks: int) -> list[str]:
    """The names of a set of directions."""
    return [name for i, name in enumerate(DIRECTIONS) if checks >> i & 1]


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
