"""Four in a row: stones in columns that both see."""

import numpy as np

from ...core.agents import ParametricPolicy
from ...core.explain import Explanation, Table, bars
from ...core.game import Game, new_cells
from ...core.picture import Messages, Parts
from ...core.session import replay
from ..boards.columns import ENDS, stones_in, stones_on
from ..sampling import choices, estimate_score
from . import rules
from .exact import Solver
from .rules import label, words


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
    return Messages((f"You have {'X' if first else 'O'}. {status}",)), board


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The same board for the umpire."""
    rows, columns, result, turns = (int(cell) for cell in state[: rules.STONES])
    board = stones_on(rows, columns, stones_in(state, rules.STONES), 0, lambda column: False)
    return Messages((ENDS.get(result, f"{'XO'[turns % 2]} to move."),)), board


# Four in a row in words: the weights of the columns in playouts, and how it opens.

ASKED = 2000  # how often the player is asked for an opening
QUICKLY_SOLVED = 24  # places of a board that is solved on the way
ENDINGS = ("lost", "drawn", "won")


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Describe the expectation for both sides, and the opening move."""
    theta, start = player.thetas[0], next(replay(game, []))
    often = choices(game, player, start.state, seed, ASKED).most_common()
    solver = Solver(game)
    solved = solver.values() if solver.rows * solver.columns <= QUICKLY_SOLVED else {}
    rows = []
    for column, count in often:
        worth = (ENDINGS[int(2 * solved[column])],) if solved else ()
        rows.append((label(column), estimate_score(count, ASKED), *worth))
    names = ("move", "share with 95 % interval", *(("with best play",) if solved else ()))
    table = Table(f"The opening move of {player.name}, asked {ASKED} times", names, tuple(rows))
    columns = [f"column {column + 1}" for column in range(solver.columns)]
    pictures = []
    for side, weights in zip(("its own", "the other's"), np.split(theta, 2), strict=True):
        chances = np.exp(weights - weights.max())
        title = f"How often {side} stones go to each column in a playout, as long as all are open"
        pictures.append(bars(title, (chances / chances.sum()).tolist(), columns))
    favourite = f"It opens most often with {label(often[0][0])}: {estimate_score(often[0][1], ASKED)} of {ASKED} times."
    return Explanation((f"{player.name} {words(theta)}.", favourite), (table,), tuple(pictures))


# Rules of four in a row for a first-time player.

LINES = (
    "In turn drop a stone into a column: it falls to the lowest free cell.",
    "Four own stones in a column, a row or a diagonal win.",
    "A full board is a draw.",
    "Nothing is hidden and there is no luck.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    state = new_cells(game.sizes.state)
    game.rules.start(state)
    return f"The board has {state[rules.ROWS]} rows and {state[rules.COLUMNS]} columns. The first player has X.", *LINES
