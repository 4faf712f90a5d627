"""Tic-tac-toe by permutations: the rank of each cell in an order, and the final board."""

from fractions import Fraction

import numpy as np

from ...core.agents import ParametricPolicy, find_policy
from ...core.explain import Explanation, Table, TextChart, percent
from ...core.game import DRAW, LOSS, UNIFORM, WIN, Game
from ...core.picture import BoardPicture, Cell, Facts, Messages, Parts
from ..boards.board import lines_of_three
from . import rules
from .exact import exact_score, exploitability_of, law_against_random, laws, replies
from .rules import CELLS, EQUILIBRIUM, SIGNS, board_text, name_of, order_text

SIDE = 3
ENDS = {LOSS: "O has won.", DRAW: "A draw.", WIN: "X has won."}


def board_of(cells: list[Cell], title: str) -> BoardPicture:
    rows = tuple(tuple(cells[row : row + SIDE]) for row in range(0, CELLS, SIDE))
    return BoardPicture(rows, title, row_names=("1", "2", "3"), column_names=("A", "B", "C"))


def order_on(order: np.ndarray, look: str, title: str, can_write: bool) -> BoardPicture:
    places = {int(cell): place for place, cell in enumerate(order.tolist(), 1) if cell >= 0}
    cells = [
        Cell(str(places[cell]), look, None, f"{name_of(cell)}, place {places[cell]} of the order")
        if cell in places
        else Cell("", "", cell if can_write else None, f"{name_of(cell)}, not in the order yet")
        for cell in range(CELLS)
    ]
    return board_of(cells, title)


def outcome_on(first: np.ndarray, second: np.ndarray, own: int) -> BoardPicture:
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
    own, other, seat = seen[rules.SEEN_OWN : rules.SEEN_OTHER], seen[rules.SEEN_OTHER :], int(seen[rules.SEEN_SEAT])
    result = int(seen[rules.SEEN_RESULT])
    words = f"You move {'second' if seat else 'first'} and have {SIGNS[seat]}."
    complete = bool((own >= 0).all())
    mine = order_on(own, "own", "Your order", result < 0)
    if result < 0:
        todo = "Your order is complete." if complete else "Choose the cell that comes next in your order."
        return Messages((f"{words} {todo}",)), mine
    first, second = (other, own) if seat else (own, other)
    orders = Facts((("your order", order_text(own)), ("the other's order", order_text(other))))
    theirs = order_on(other, "other", "The other's order", False)
    return Messages((f"{words} {ENDS[result]}",)), outcome_on(first, second, seat), mine, theirs, orders


def draw_state(game: Game, state: np.ndarray) -> Parts:
    orders = [state[rules.ORDER + CELLS * player :][:CELLS] for player in range(2)]
    parts = tuple(
        order_on(order, ("own", "other")[player], f"The order of {SIGNS[player]}", False)
        for player, order in enumerate(orders)
    )
    if state[rules.RESULT] < 0:
        return parts
    return Messages((ENDS[int(state[rules.RESULT])],)), outcome_on(orders[0], orders[1], 0), *parts


# Explanation: the orders as numbered boards, exact scores, and the best responses.

SEATS = ("moving first", "moving second")
GRID_SIDE = 3


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Return both orders (the heaviest of a mixture), their scores against random ones, and their best responses."""
    orders = laws(player)
    assert orders is not None
    best, pictures = replies(player), []
    for law, seat in zip(orders, SEATS, strict=True):
        order = max(law, key=lambda cells: law[cells])
        often = "" if len(law) == 1 else f", the likeliest of {len(law)} orders ({percent(float(law[order]))})"
        pictures.append(_board(f"{player.name} {seat}{often}", order))
    for reply, seat, against in zip(best, SEATS, SEATS[::-1], strict=True):
        title = f"best reply {seat}, scores {float(reply.score):.4f} against {player.name} {against}"
        pictures.append(_board(title, reply.cells))
    rows = [
        (seat, *_score_cells(law_against_random(law, number)))
        for number, (law, seat) in enumerate(zip(orders, SEATS, strict=True))
    ]
    rows.append(("both", *_score_cells(exact_score(game, player, find_policy(game, UNIFORM.name)))))
    title = f"What {player.name} scores against random orders, exactly"
    sentences = (_sentence(player), *explain_mixture(player))
    return Explanation(sentences, (Table(title, ("seat", "score", "as a fraction"), tuple(rows)),), tuple(pictures))


def explain_mixture(player: ParametricPolicy) -> tuple[str, ...]:
    """Describe the best opponent's gain over 1/2 against the whole mixture."""
    cost = exploitability_of(player)
    exactly = str(cost) if len(str(cost)) < 24 else f"{float(cost):.6f}"
    draws = player.strategy is EQUILIBRIUM or len(player.thetas) > 1
    known = f"Who knows {player.name}" + (", but not what it draws," if draws else "")
    return (f"{known} scores at most {0.5 + float(cost):.6f}: exploitability {exactly}.",)


def _sentence(player: ParametricPolicy) -> str:
    if player.strategy is EQUILIBRIUM:
        return f"{player.name} draws its order by a mixture that nobody beats; the boards show the likeliest orders."
    assert player.strategy.describe is not None
    return f"{player.name} {player.strategy.describe(player.thetas[0])}."


def _score_cells(exact: Fraction) -> tuple[str, str]:
    return f"{float(exact):.6f}", str(exact) if len(str(exact)) < 24 else "long, rounded here"


def _board(title: str, order: tuple[int, ...]) -> TextChart:
    places = [order.index(cell) + 1 for cell in range(CELLS)]
    rows = [places[start : start + GRID_SIDE] for start in range(0, CELLS, GRID_SIDE)]
    lines = tuple(" ".join(map(str, row)) for row in rows)
    return TextChart(title, lines, ("1", "2", "3"), ("A", "B", "C"), tuple(tuple(map(float, row)) for row in rows))


# Rules of tic-tac-toe by permutations for a first-time player.

HOW_TO_PLAY = (
    "Tic-tac-toe in which nobody sees the other's stones and nobody changes the own plan.",
    "Before the game each player writes down an order of all nine cells.",
    "Then the orders play: on each turn a player's stone goes to the next free cell of its order.",
    "Cells that are taken are passed over for good, and the player learns nothing.",
    "Three in a row, a column or a diagonal win; a full board is a draw.",
    "Write your order cell by cell; the board is shown when both orders have played.",
)
