"""Four in a row: stones in columns that both see."""

import numpy as np

from ...core.game import Game
from ...core.picture import Parts, Words
from ..shared.columns import stones_in
from ..shared.draw_columns import ENDS, stones_on
from . import rules


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """A board that both see."""
    rows, columns, first, result, turns = (int(cell) for cell in seen[: rules.SEEN_OWN])
    own, other = stones_in(seen, rules.SEEN_OWN)
    stones = (own, other) if first else (other, own)
    mine = result < 0 and (turns % 2 == 0) == bool(first)
    status = ENDS.get(result, "Your turn." if mine else "The other's turn.")

    def is_open(column: int) -> bool:
        return result < 0 and not (own | other) >> (column * (rows + 1) + rows - 1) & 1

    board = stones_on(rows, columns, stones, 0 if first else 1, is_open)
    return Words((f"You have {'X' if first else 'O'}. {status}",)), board


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The same board for the umpire."""
    rows, columns, result, turns = (int(cell) for cell in state[: rules.STONES])
    board = stones_on(rows, columns, stones_in(state, rules.STONES), 0, lambda column: False)
    return Words((ENDS.get(result, f"{'XO'[turns % 2]} to move."),)), board
