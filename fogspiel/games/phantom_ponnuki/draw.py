"""Phantom ponnuki on large boards: the own stones, and the enemy stones that are known."""

import numpy as np

from ...core.game import LOSS, WIN, Game
from ...core.picture import Board, Cell, Facts, Parts, Words
from ..phantom.draw import ENDS, TRUE_ENDS, stone
from ..phantom.words import MARKS
from ..shared.boards import LETTERS
from ..shared.winning_lines import captured_cells
from . import rules
from .words import cell_name, parts_of_view, state_lines, stone_marks, turn_lines, turns_begun


def board_of(size: int, cells: list[Cell]) -> Board:
    """The board with these cells, the first row lowest."""
    order = range(size - 1, -1, -1)
    return Board(
        rows=tuple(tuple(cells[row * size : (row + 1) * size]) for row in order),
        row_names=tuple(str(row + 1) for row in order),
        column_names=tuple(LETTERS[:size]),
    )


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The own stones, the enemy stones and the refusals that the player knows, and the turns so far."""
    size, player, finished, result = (
        int(seen[at]) for at in (rules.ROWS, rules.SEEN_PLAYER, rules.SEEN_TURN, rules.SEEN_RESULT)
    )
    put, failed, known = parts_of_view(seen)
    mine, turns = result < 0 and finished % 2 == player, turns_begun(finished, result, player)

    def picture(cell: int) -> Cell:
        name, action = cell_name(cell, size), cell if result < 0 else None
        if put[cell]:
            return Cell(MARKS[player], "own", None, f"{name}, your stone")
        if known[cell]:
            return Cell(MARKS[1 - player], "other", None, f"{name}, a stone of the other")
        if mine and failed[cell] >> finished // 2 & 1:
            return Cell("×", "refused", None, f"{name}, refused in this turn")
        if failed[cell]:
            return Cell("?", "unknown", action, f"{name}, was refused earlier")
        return Cell("", "", action, f"{name}, nothing known")

    status = ENDS.get(result, "Your turn." if mine else "The other's turn.")
    board = board_of(size, [picture(cell) for cell in range(size * size)])
    facts = Facts(tuple(turn_lines(size, put, failed, turns)), "Your turns")
    return Words((f"You are {MARKS[player]}. {status}",)), board, facts


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """All stones, and what each player has tried and knows."""
    size, finished, result = (int(state[at]) for at in (rules.ROWS, rules.TURN, rules.RESULT))
    marks, loser = stone_marks(state), int(result == WIN)
    stones = [[cell for cell, mark in enumerate(marks) if mark == own] for own in MARKS]
    captured = captured_cells(size, size, stones[loser], stones[1 - loser])

    def picture(cell: int, mark: str) -> Cell:
        name = cell_name(cell, size)
        if mark == ".":
            return Cell("", "", None, f"{name}, empty")
        return stone(MARKS.index(mark), name, False, cell in captured)

    board = board_of(size, [picture(cell, mark) for cell, mark in enumerate(marks)])
    status = {LOSS: TRUE_ENDS[LOSS], WIN: TRUE_ENDS[WIN]}.get(result, f"{MARKS[finished % 2]} to move.")
    return Words((status,)), board, Facts(tuple(state_lines(state)))
