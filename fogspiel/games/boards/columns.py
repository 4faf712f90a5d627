"""Boards whose stones fall to the bottom of a column: sets of stones as the bits of one integer.

Column c has the bits c * (rows + 1) .. c * (rows + 1) + rows - 1 from the bottom up; the bit above stays empty, so that
a line cannot run on from the top of one column to the bottom of the next. Boards have at most 62 bits.
"""

from collections.abc import Callable

import numpy as np

from ...core.compile.kernel import inlined
from ...core.game import DRAW, LOSS, WIN
from ...core.picture import BoardPicture, Cell

SIGNS = (".", "X", "O")


@inlined
def bottom(rows, column):
    """The lowest bit of a column."""
    return 1 << (column * (rows + 1))


@inlined
def is_full(rows, taken, column):
    """True if the highest place of a column is taken."""
    return (taken >> (column * (rows + 1) + rows - 1)) & 1 == 1


@inlined
def drop_row(rows, taken, column):
    """The bit where the next stone in a column comes to rest; with all stones taken together."""
    low = bottom(rows, column)
    return (taken + low) & (((1 << rows) - 1) * low)


@inlined
def open_columns(rows, columns, taken):
    """The set of the columns that are not full, one bit each."""
    found = 0
    for column in range(columns):
        if not is_full(rows, taken, column):
            found |= 1 << column
    return found


@inlined
def four_aligned(rows, stones):
    """True if four of the stones are in a column, a row or a diagonal."""
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
    """The first player's score after a stone of that player, which may fill the board; -1 if the game goes on."""
    if four_aligned(rows, stones):
        return WIN if player == 0 else LOSS
    return DRAW if full else -1


def columns_text(rows: int, columns: int, first: int, second: int) -> str:
    """The board from the top down with the numbers of the columns: X moved first."""
    lines = []
    for row in reversed(range(rows)):
        bits = [column * (rows + 1) + row for column in range(columns)]
        lines.append("".join(SIGNS[(first >> bit & 1) + 2 * (second >> bit & 1)] for bit in bits))
    return "\n".join([*lines, "".join(str(column + 1) for column in range(columns))])


def stones_in(cells: np.ndarray, at: int) -> tuple[int, int]:
    """Two sets of stones that stand side by side, as plain integers."""
    return int(cells[at]), int(cells[at + 1])


# Stones in columns, for four in a row and its version by permutations.

ENDS = {LOSS: "O wins.", DRAW: "A draw.", WIN: "X wins."}


def winning_cells(stones: int, rows: int) -> int:
    """The bits of all stones that lie in four in a row, a column or a diagonal."""
    found = 0
    for step in (1, rows, rows + 1, rows + 2):
        line = stones & stones >> step & stones >> 2 * step & stones >> 3 * step
        found |= line | line << step | line << 2 * step | line << 3 * step
    return found


def stones_on(
    rows: int, columns: int, stones: tuple[int, int], own: int, is_open: Callable[[int], bool]
) -> BoardPicture:
    """The board from the top down; `own` has the own colour, and an open column can be clicked anywhere."""
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
