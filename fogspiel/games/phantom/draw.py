"""Phantom tic-tac-toe, phantom ponnuki and dark hex: the own stones, and the enemy stones that are known."""

from collections.abc import Callable, Mapping

import numpy as np

from ...core.game import DRAW, LOSS, WIN, Game
from ...core.picture import Board, Cell, Facts, Parts, Words
from ..shared.boards import BOARDS, LETTERS
from ..shared.boards import Board as Size
from ..shared.winning_lines import captured_cells, hex_path, lines_of_three
from . import rules
from .hidden import cells_of
from .words import MARKS, begun, outcomes

ENDS = {LOSS: "You have lost.", DRAW: "A draw.", WIN: "You have won."}
TRUE_ENDS = {LOSS: "O has won.", DRAW: "A draw.", WIN: "X has won."}


def size_of(game: Game) -> Size:
    """The board of a game."""
    name = game.name.removeprefix("phantom-").removeprefix("dark-")
    return BOARDS[name.removesuffix("-abrupt").removesuffix("-numturns")]


def board_of(size: Size, cells: Mapping[int, Cell], blank: Callable[[int], Cell]) -> Board:
    """The board with these cells; the first row is the lowest one, but on top on a board of hexagons."""
    is_hex = size.name.startswith("hex")
    order = range(size.rows) if is_hex else range(size.rows - 1, -1, -1)
    starts = [row * size.columns for row in order]
    return Board(
        rows=tuple(
            tuple(cells[cell] if cell in cells else blank(cell) for cell in range(start, start + size.columns))
            for start in starts
        ),
        shape="hexagons" if is_hex else "squares",
        row_names=tuple(str(row + 1) for row in order),
        column_names=tuple(LETTERS[: size.columns]),
    )


def goal_on(size: Size, player: int) -> str:
    """Describe the edges that a player of hex must join."""
    if not size.name.startswith("hex"):
        return ""
    ends = f"row 1 to row {size.rows}" if player == 0 else f"column A to column {LETTERS[size.columns - 1]}"
    return f" and join {ends}"


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The own stones, the enemy stones and the refusals that the player knows, and the turns so far."""
    size = size_of(game)
    player, finished, result = (int(seen[cell]) for cell in (rules.SEEN_PLAYER, rules.SEEN_TURN, rules.SEEN_RESULT))
    turns, room = begun(finished - (result >= 0), player), int(seen[rules.TURNS])
    record = seen[rules.SEEN_RECORD : rules.SEEN_RECORD + 2 * room]
    mine = result < 0 and finished % 2 == player
    known, failed = int(seen[rules.SEEN_KNOWN]), int(np.bitwise_or.reduce(record[1::2]))
    now = int(record[2 * (turns - 1) + 1]) if mine else 0
    own = [int(cell) for cell in record[::2] if cell >= 0]
    name = size.cell_name

    def open_cell(cell: int, text: str, look: str, words: str) -> Cell:
        return Cell(text, look, cell if result < 0 else None, f"{name(cell)}, {words}")

    other = MARKS[1 - player]
    cells = {cell: open_cell(cell, "?", "unknown", "was refused earlier") for cell in cells_of(failed)}
    cells |= {cell: Cell("×", "refused", None, f"{name(cell)}, refused in this turn") for cell in cells_of(now)}
    cells |= {cell: Cell(other, "other", None, f"{name(cell)}, a stone of the other") for cell in cells_of(known)}
    cells |= {cell: Cell(MARKS[player], "own", None, f"{name(cell)}, your stone") for cell in own}
    board = board_of(size, cells, lambda cell: open_cell(cell, "", "", "nothing known"))
    rows = outcomes(size, record, turns)
    if seen[rules.COUNTED]:
        tries = seen[rules.SEEN_RECORD + 2 * room :]
        rows.append((f"tries of {other}", " ".join(str(n) for n in tries if n) or "none"))
    status = ENDS.get(result, "Your turn." if mine else "The other's turn.")
    words = f"You are {MARKS[player]}{goal_on(size, player)}. {status}"
    return Words((words,)), board, Facts(tuple(rows), "Your turns")


def winning_cells(size: Size, player: int, stones: int) -> list[int]:
    """The cells of a player's lines of tic-tac-toe, or of its path from edge to edge of hex; none in ponnuki."""
    if size.name == "ttt":
        return cells_of(lines_of_three(stones))
    return cells_of(hex_path(size.rows, size.columns, player, stones)) if size.name.startswith("hex") else []


def captured_in(size: Size, stones: list[int], result: int) -> set[int]:
    """The cells of the stones that were captured: those of the loser without liberties, which ended ponnuki."""
    if not size.name.startswith("ponnuki"):
        return set()
    loser = int(result == WIN)
    return captured_cells(size.rows, size.columns, cells_of(stones[loser]), cells_of(stones[1 - loser]))


def stone(player: int, name: str, winning: bool, captured: bool) -> Cell:
    """A stone as the umpire sees it."""
    look = ("own", "other")[player] + (" winning" if winning else "") + (" captured" if captured else "")
    return Cell(MARKS[player], look, None, f"{name}, {MARKS[player]}" + (", captured" if captured else ""))


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """All stones, and what each player has tried and knows."""
    size, finished, result = size_of(game), int(state[rules.TURN]), int(state[rules.RESULT])
    stones = [int(state[rules.STONES + player]) for player in range(2)]
    captured = captured_in(size, stones, result)
    cells = {
        cell: stone(player, size.cell_name(cell), cell in winning_cells(size, player, own), cell in captured)
        for player, own in enumerate(stones)
        for cell in cells_of(own)
    }
    rows = []
    for player, mark in enumerate(MARKS):
        record = state[rules.RECORD + 2 * int(state[rules.TURNS]) * player :]
        for turn, tried in outcomes(size, record, begun(finished - (result >= 0), player)):
            rows.append((f"{mark}, {turn}", tried))
        known = " ".join(map(size.cell_name, cells_of(int(state[rules.KNOWN + player]))))
        rows.append((f"{mark} knows", known or "nothing"))
    board = board_of(size, cells, lambda cell: Cell("", "", None, f"{size.cell_name(cell)}, empty"))
    return Words((TRUE_ENDS.get(result, f"{MARKS[finished % 2]} to move."),)), board, Facts(tuple(rows))
