"""Boards with gravity: stones fall to the bottom of a column; sets of stones are the bits of one integer.

Column c has the bits c * (rows + 1) .. c * (rows + 1) + rows - 1 from the bottom up; the bit above stays empty, so
no line continues from the top of one column to the bottom of the next. Boards have at most 62 bits.
"""

from collections.abc import Callable

import numpy as np

from ...core.compile.kernel import inlined
from ...core.game import DRAW, LOSS, WIN
from ...core.picture import BoardPicture, Cell

SIGNS = (".", "X", "O")


@inlined
def bottom(rows, column):
    return 1 << (column * (rows + 1))


@inlined
def is_full(rows, taken, column):
    return (taken >> (column * (rows + 1) + rows - 1)) & 1 == 1


@inlined
def drop_row(rows, taken, column):
    """Return the bit of the next stone in a column, given all stones on the board."""
    low = bottom(rows, column)
    return (taken + low) & (((1 << rows) - 1) * low)


@inlined
def open_columns(rows, columns, taken):
    """Return the set of columns that are not full, one bit each."""
    found = 0
    for column in range(columns):
        if not is_full(rows, taken, column):
            found |= 1 << column
    return found


@inlined
def four_aligned(rows, stones):
    """True if four of the stones are aligned in a column, a row or a diagonal."""
    pairs = stones & (stones >> 1)
    if pairs & (pairs >> 2):
        return True
    pairs = stones & (stones >> (rows + 1))
    if pairs & (pairs >> (2 * (rows + 1))):
        return True
    pairs = stones & (stones >> rows)
    if pairs & (pairs >> (2 * rows)):
        return True
    pairs = stones & (stones >> (rows + 2))
    return pairs & (pairs >> (2 * (rows + 2))) != 0


@inlined
def outcome_of(rows, player, stones, full):
    """Return the first player's score after a stone of `player`, which may fill the board; -1 if the game continues."""
    if four_aligned(rows, stones):
        return WIN if player == 0 else LOSS
    return DRAW if full else -1


def columns_text(rows: int, columns: int, first: int, second: int) -> str:
    """Return the board from the top down with column numbers: X moved first."""
    lines = []
    for row in reversed(range(rows)):
        bits = [column * (rows + 1) + row for column in range(columns)]
        lines.append("".join(SIGNS[(first >> bit & 1) + 2 * (second >> bit & 1)] for bit in bits))
    return "\n".join([*lines, "".join(str(column + 1) for column in range(columns))])


def stones_in(cells: np.ndarray, at: int) -> tuple[int, int]:
    return int(cells[at]), int(cells[at + 1])


# Drawings of stones in columns, for four in a row and its permutation version

ENDS = {LOSS: "O wins.", DRAW: "A draw.", WIN: "X wins."}


def winning_cells(stones: int, rows: int) -> int:
    """Return the bits of all stones in a line of four."""
    found = 0
    for step in (1, rows, rows + 1, rows + 2):
        line = stones & stones >> step & stones >> 2 * step & stones >> 3 * step
        found |= line | line << step | line << 2 * step | line << 3 * step
    return found


def stones_on(
    rows: int, columns: int, stones: tuple[int, int], own: int, is_open: Callable[[int], bool]
) -> BoardPicture:
    """Draw the board from the top down; `own` has the player's colour, and an open column can be clicked anywhere."""
    winning = winning_cells(stones[0], rows) | winning_cells(stones[1], rows)

    def cell_at(row: int, column: int) -> Cell:
        bit = column * (rows + 1) + row
        there = (stones[0] >> bit & 1) + 2 * (stones[1] >> bit & 1)
        look = "" if there == 0 else "own stone" if there - 1 == own else "other stone"
        look += " winning" if winning >> bit & 1 else ""
        words = "empty" if there == 0 else SIGNS[there]
        action = column if is_open(column) else None
        return Cell(SIGNS[there] if there else "", look, action, f"column {column + 1}, row {row + 1}, {words}")

    return BoardPicture(
        tuple(tuple(cell_at(row, column) for column in range(columns)) for row in reversed(range(rows))),
        column_names=tuple(str(column + 1) for column in range(columns)),
    )
