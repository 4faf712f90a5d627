"""Four in a row in words: the weights of the columns in playouts, and how it opens."""

import numpy as np

from ...core.agents import Policy
from ...core.explanation import Explanation, Table, bars
from ...core.game import Game
from ...core.session import replay
from ..shared.sampling import choices, estimate_score
from .exact import Solver
from .rules import label, words

ASKED = 2000  # how often the player is asked for an opening
QUICKLY_SOLVED = 24  # places of a board that is solved on the way
ENDINGS = ("lost", "drawn", "won")


def explain(game: Game, player: Policy, seed: int) -> Explanation:
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
