"""Four in a row, seen or by permutations: stones in columns."""

from collections.abc import Callable

import numpy as np

from ...core.drawing import Picture
from ...core.game import DRAW, LOSS, WIN
from ...core.picture import Board, Cell, Facts, Parts, Words
from ..four import rules as four
from ..permutation_four import rules as permutation_four
from .columns import SIGNS, stones_in

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


def view_of_four(seen: np.ndarray) -> Parts:
    """A board that both see."""
    rows, columns, first, result, turns = (int(cell) for cell in seen[: four.SEEN_OWN])
    own, other = stones_in(seen, four.SEEN_OWN)
    stones = (own, other) if first else (other, own)
    mine = result < 0 and (turns % 2 == 0) == bool(first)
    status = ENDS.get(result, "Your turn." if mine else "The other's turn.")

    def is_open(column: int) -> bool:
        return result < 0 and not (own | other) >> (column * (rows + 1) + rows - 1) & 1

    board = stones_on(rows, columns, stones, 0 if first else 1, is_open)
    return Words((f"You have {'X' if first else 'O'}. {status}",)), board


def truth_of_four(state: np.ndarray) -> Parts:
    """The same board for the umpire."""
    rows, columns, result, turns = (int(cell) for cell in state[: four.STONES])
    board = stones_on(rows, columns, stones_in(state, four.STONES), 0, lambda column: False)
    return Words((ENDS.get(result, f"{'XO'[turns % 2]} to move."),)), board


ROWS, COLUMNS = permutation_four.ROWS, permutation_four.COLUMNS


def draw_order(order: int) -> list[int]:
    """The columns of an order, 1 to 7, as far as it is written."""
    return [int(digit) for digit in f"{order:o}"] if order else []


def view_of_permutations(seen: np.ndarray) -> Parts:
    """The order that is being written, and the orders before it; the board once the game is over."""
    result = int(seen[permutation_four.SEEN_RESULT])
    second = int(seen[permutation_four.SEEN_SEAT])
    orders = [draw_order(int(cell)) for cell in seen[permutation_four.SEEN_ORDER : permutation_four.SEEN_STONES]]
    done = [order for order in orders if len(order) == COLUMNS]
    rows = tuple((f"turn {turn}", " ".join(map(str, order))) for turn, order in enumerate(done, 1))
    before = (Facts(rows, "Your orders"),) if rows else ()
    seat = f"You move {'second' if second else 'first'} and have {'O' if second else 'X'}."
    if result >= 0:
        stones = stones_in(seen, permutation_four.SEEN_STONES)
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


def truth_of_permutations(state: np.ndarray) -> Parts:
    """The board, and the order that is being written."""
    result, turns = int(state[permutation_four.RESULT]), int(state[permutation_four.TURNS])
    stones = stones_in(state, permutation_four.STONES)
    board = stones_on(ROWS, COLUMNS, stones, 0, lambda column: False)
    rows = []
    for turn, cell in enumerate(state[permutation_four.ORDER :].tolist()):
        if cell:
            rows.append((f"{'XO'[turn % 2]}, turn {turn // 2 + 1}", " ".join(map(str, draw_order(cell)))))
    return Words((ENDS.get(result, f"{'XO'[turns % 2]} writes."),)), board, Facts(tuple(rows), "Orders")


PICTURES = {game.name: Picture(view_of_four, truth_of_four) for game in four.GAMES} | {
    game.name: Picture(view_of_permutations, truth_of_permutations) for game in permutation_four.GAMES
}
