"""Four in a row by permutations: the order that is being written, and those before it."""

import numpy as np

from ...core.game import Game
from ...core.picture import Board, Cell, Facts, Parts, Words
from ..shared.columns import stones_in
from ..shared.draw_columns import ENDS, stones_on
from . import rules
from .rules import COLUMNS, ROWS


def columns_of(order: int) -> list[int]:
    """The columns of an order, 1 to 7, as far as it is written."""
    return [int(digit) for digit in f"{order:o}"] if order else []


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The order that is being written, and the orders before it; the board once the game is over."""
    result = int(seen[rules.SEEN_RESULT])
    second = int(seen[rules.SEEN_SEAT])
    orders = [columns_of(int(cell)) for cell in seen[rules.SEEN_ORDER : rules.SEEN_STONES]]
    done = [order for order in orders if len(order) == COLUMNS]
    rows = tuple((f"turn {turn}", " ".join(map(str, order))) for turn, order in enumerate(done, 1))
    before = (Facts(rows, "Your orders"),) if rows else ()
    seat = f"You move {'second' if second else 'first'} and have {'O' if second else 'X'}."
    if result >= 0:
        stones = stones_in(seen, rules.SEEN_STONES)
        board = stones_on(ROWS, COLUMNS, stones, second, lambda column: False)
        return Words((f"{seat} {ENDS[result]}",)), board, *before
    now = next((order for order in orders if len(order) < COLUMNS), [])
    cells = tuple(
        Cell(str(now.index(column) + 1), "own", None, f"column {column}, place {now.index(column) + 1} of the order")
        if column in now
        else Cell("", "", column - 1, f"column {column}, not in the order yet")
        for column in range(1, COLUMNS + 1)
    )
    names = tuple(str(column) for column in range(1, COLUMNS + 1))
    board = Board((cells,), f"The order of the columns in turn {min(len(done) + 1, len(orders))}", column_names=names)
    return Words((f"{seat} You see nothing of the board before the end.",)), board, *before


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The board, and the order that is being written."""
    result, turns = int(state[rules.RESULT]), int(state[rules.TURNS])
    stones = stones_in(state, rules.STONES)
    board = stones_on(ROWS, COLUMNS, stones, 0, lambda column: False)
    rows = []
    for turn, cell in enumerate(state[rules.ORDER :].tolist()):
        if cell:
            rows.append((f"{'XO'[turn % 2]}, turn {turn // 2 + 1}", " ".join(map(str, columns_of(cell)))))
    return Words((ENDS.get(result, f"{'XO'[turns % 2]} writes."),)), board, Facts(tuple(rows), "Orders")
