"""Tic-tac-toe by permutations: the place of each cell in an order, and the board when the orders have played."""

import numpy as np

from ...core.game import DRAW, LOSS, WIN, Game
from ...core.picture import Board, Cell, Facts, Parts, Words
from ..shared.winning_lines import lines_of_three
from . import rules
from .rules import CELLS, SIGNS, board_text, name_of, order_text

SIDE = 3
ENDS = {LOSS: "O has won.", DRAW: "A draw.", WIN: "X has won."}


def board_of(cells: list[Cell], title: str) -> Board:
    """Nine cells, row 1 on top."""
    rows = tuple(tuple(cells[row : row + SIDE]) for row in range(0, CELLS, SIDE))
    return Board(rows, title, row_names=("1", "2", "3"), column_names=("A", "B", "C"))


def order_on(order: np.ndarray, look: str, title: str, can_write: bool) -> Board:
    """The place of each cell in an order."""
    places = {int(cell): place for place, cell in enumerate(order.tolist(), 1) if cell >= 0}
    cells = [
        Cell(str(places[cell]), look, None, f"{name_of(cell)}, place {places[cell]} of the order")
        if cell in places
        else Cell("", "", cell if can_write else None, f"{name_of(cell)}, not in the order yet")
        for cell in range(CELLS)
    ]
    return board_of(cells, title)


def outcome_on(first: np.ndarray, second: np.ndarray, own: int) -> Board:
    """The final board of two orders."""
    signs = board_text(first, second).replace("\n", "")
    looks = {SIGNS[own]: "own", SIGNS[1 - own]: "other", ".": ""}
    winning = 0
    for mark in SIGNS.values():
        winning |= lines_of_three(sum(1 << cell for cell, sign in enumerate(signs) if sign == mark))
    cells = [
        Cell(
            sign.strip("."),
            looks[sign] + (" winning" if winning >> cell & 1 else ""),
            None,
            f"{name_of(cell)}, {'empty' if sign == '.' else sign}",
        )
        for cell, sign in enumerate(signs)
    ]
    return board_of(cells, "How the orders played")


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The own order; the other's and the board once the game is over."""
    own, other, seat = seen[rules.SEEN_OWN : rules.SEEN_OTHER], seen[rules.SEEN_OTHER :], int(seen[rules.SEEN_SEAT])
    result = int(seen[rules.SEEN_RESULT])
    words = f"You move {'second' if seat else 'first'} and have {SIGNS[seat]}."
    complete = bool((own >= 0).all())
    mine = order_on(own, "own", "Your order", result < 0)
    if result < 0:
        todo = "Your order is complete." if complete else "Choose the cell that comes next in your order."
        return Words((f"{words} {todo}",)), mine
    first, second = (other, own) if seat else (own, other)
    orders = Facts((("your order", order_text(own)), ("the other's order", order_text(other))))
    theirs = order_on(other, "other", "The other's order", False)
    return Words((f"{words} {ENDS[result]}",)), outcome_on(first, second, seat), mine, theirs, orders


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """Both orders, and the board once they have played."""
    orders = [state[rules.ORDER + CELLS * player :][:CELLS] for player in range(2)]
    parts = tuple(
        order_on(order, ("own", "other")[player], f"The order of {SIGNS[player]}", False)
        for player, order in enumerate(orders)
    )
    if state[rules.RESULT] < 0:
        return parts
    return Words((ENDS[int(state[rules.RESULT])],)), outcome_on(orders[0], orders[1], 0), *parts
