"""Stones in columns, for four in a row and its version by permutations."""

from collections.abc import Callable

from ...core.game import DRAW, LOSS, WIN
from ...core.picture import Board, Cell
from .columns import SIGNS

ENDS = {LOSS: "O wins.", DRAW: "A draw.", WIN: "X wins."}


def winning_cells(stones: int, rows: int) -> int:
    """The bits of all stones that lie in four in a row, a column or a diagonal."""
    found = 0
    for step in (1, rows, rows + 1, rows + 2):
        line = stones & stones >> step & stones >> 2 * step & stones >> 3 * step
        found |= line | line << step | line << 2 * step | line << 3 * step
    return found


def stones_on(rows: int, columns: int, stones: tuple[int, int], own: int, is_open: Callable[[int], bool]) -> Board:
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

    return Board(
        tuple(tuple(cell_at(row, column) for column in range(columns)) for row in reversed(range(rows))),
        column_names=tuple(str(column + 1) for column in range(columns)),
    )
