"""Stones in columns, for four in a row and its version by permutations."""

from collections.abc import Callable

from ...core.game import DRAW, LOSS, WIN
from ...core.picture import Board, Cell
from .columns import SIGNS

ENDS = {LOSS: "O wins.", DRAW: "A draw.", WIN: "X wins."}


def stones_on(rows: int, columns: int, stones: tuple[int, int], own: int, is_open: Callable[[int], bool]) -> Board:
    """The board from the top down; `own` has the own colour, and an open column can be clicked anywhere."""

    def cell_at(row: int, column: int) -> Cell:
        bit = column * (rows + 1) + row
        there = (stones[0] >> bit & 1) + 2 * (stones[1] >> bit & 1)
        look = "" if there == 0 else "own" if there - 1 == own else "other"
        words = "empty" if there == 0 else SIGNS[there]
        action = column if is_open(column) else None
        return Cell(SIGNS[there] if there else "", look, action, f"column {column + 1}, row {row + 1}, {words}")

    return Board(
        tuple(tuple(cell_at(row, column) for column in range(columns)) for row in reversed(range(rows))),
        column_names=tuple(str(column + 1) for column in range(columns)),
    )
