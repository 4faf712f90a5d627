"""Phantom tic-tac-toe, phantom ponnuki and dark hex: the own stones, and the enemy stones that are known."""

from collections.abc import Callable, Mapping

import numpy as np

from ...core.drawing import Picture
from ...core.game import DRAW, LOSS, WIN
from ...core.picture import Board, Cell, Facts, Parts, Words
from ..shared.boards import BOARDS, LETTERS
from ..shared.boards import Board as Size
from . import rules
from .words import GAMES, MARKS, begun, cells_of, outcome_text

ENDS = {LOSS: "You have lost.", DRAW: "A draw.", WIN: "You have won."}
TRUE_ENDS = {LOSS: "O has won.", DRAW: "A draw.", WIN: "X has won."}


def board_of(size: Size, cells: Mapping[int, Cell], blank: Callable[[int], Cell], title: str = "") -> Board:
    """The board with these cells; the first row is the lowest one, but on top on a board of hexagons."""
    is_hex = size.name.startswith("hex")
    order = range(size.rows) if is_hex else range(size.rows - 1, -1, -1)
    return Board(
        rows=tuple(
            tuple(
                cells[cell] if cell in cells else blank(cell)
                for cell in range(row * size.columns, (row + 1) * size.columns)
            )
            for row in order
        ),
        title=title,
        shape="hexagons" if is_hex else "squares",
        row_names=tuple(str(row + 1) for row in order),
        column_names=tuple(LETTERS[: size.columns]),
    )


def view_on(size: Size) -> Callable[[np.ndarray], Parts]:
    """How views of this board are drawn."""

    def view(seen: np.ndarray) -> Parts:
        player, finished, result = (int(seen[cell]) for cell in (rules.SEEN_PLAYER, rules.SEEN_TURN, rules.SEEN_RESULT))
        turns, room = begun(finished - (result >= 0), player), int(seen[rules.TURNS])
        record = seen[rules.SEEN_RECORD : rules.SEEN_RECORD + 2 * room]
        mine = result < 0 and finished % 2 == player
        known, failed = int(seen[rules.SEEN_KNOWN]), int(np.bitwise_or.reduce(record[1::2]))
        now = int(record[2 * (turns - 1) + 1]) if mine else 0
        name = size.cell_name

        def open_cell(cell: int, text: str, look: str, words: str) -> Cell:
            return Cell(text, look, cell if result < 0 else None, f"{name(cell)}, {words}")

        cells = {cell: open_cell(cell, "?", "unknown", "was refused earlier") for cell in cells_of(failed)}
        cells |= {cell: Cell("×", "refused", None, f"{name(cell)}, refused in this turn") for cell in cells_of(now)}
        cells |= {
            cell: Cell(MARKS[1 - player], "other", None, f"{name(cell)}, a stone of the other")
            for cell in cells_of(known)
        }
        cells |= {
            int(cell): Cell(MARKS[player], "own", None, f"{name(int(cell))}, your stone")
            for cell in record[::2]
            if cell >= 0
        }
        status = ENDS.get(result, "Your turn." if mine else "The other's turn.")
        board = board_of(size, cells, lambda cell: open_cell(cell, "", "", "nothing known"))
        rows = [_row(line) for line in outcome_text(size, record, turns)]
        if seen[rules.COUNTED]:
            tries = seen[rules.SEEN_RECORD + 2 * room :]
            rows.append((f"tries of {MARKS[1 - player]}", " ".join(str(n) for n in tries if n) or "none"))
        return (
            Words((f"You are {MARKS[player]}{goal_on(size, player)}. {status}",)),
            board,
            Facts(tuple(rows), "Your turns"),
        )

    return view


def goal_on(size: Size, player: int) -> str:
    """What a player of hex must join."""
    if not size.name.startswith("hex"):
        return ""
    ends = f"row 1 to row {size.rows}" if player == 0 else f"column A to column {LETTERS[size.columns - 1]}"
    return f" and join {ends}"


def _row(line: str) -> tuple[str, str]:
    """A line of the record as a fact."""
    turn, _, tried = line.partition(": ")
    return turn, tried


def truth_on(size: Size) -> Callable[[np.ndarray], Parts]:
    """How states of this board are drawn."""

    def truth(state: np.ndarray) -> Parts:
        finished, result = int(state[rules.TURN]), int(state[rules.RESULT])
        cells = {
            cell: Cell(MARKS[player], ("own", "other")[player], None, f"{size.cell_name(cell)}, {MARKS[player]}")
            for player in range(2)
            for cell in cells_of(int(state[rules.STONES + player]))
        }
        rows = []
        for player, mark in enumerate(MARKS):
            record = state[rules.RECORD + 2 * int(state[rules.TURNS]) * player :]
            for line in outcome_text(size, record, begun(finished - (result >= 0), player)):
                turn, tried = _row(line)
                rows.append((f"{mark}, {turn}", tried))
            known = " ".join(map(size.cell_name, cells_of(int(state[rules.KNOWN + player]))))
            rows.append((f"{mark} knows", known or "nothing"))
        board = board_of(size, cells, lambda cell: Cell("", "", None, f"{size.cell_name(cell)}, empty"))
        return Words((TRUE_ENDS.get(result, f"{MARKS[finished % 2]} to move."),)), board, Facts(tuple(rows))

    return truth


def _size_of(name: str) -> Size:
    """The board of a game."""
    if name.startswith("phantom-ttt"):
        return BOARDS["ttt"]
    return BOARDS[name.replace("phantom-", "").replace("dark-", "")]


PICTURES = {game.name: Picture(view_on(_size_of(game.name)), truth_on(_size_of(game.name))) for game in GAMES}
