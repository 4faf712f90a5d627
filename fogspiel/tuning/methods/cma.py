"""CMA-ES on the package `cma` (Hansen's pycma): every point of a generation meets the mean, on the same deals.

Opponents that move along with the population: Co-CMA-ES of Jaskowski & Szubert (2016), reduced to its mean.
"""

from collections.abc import Iterator

import numpy as np

from ...core.rng import fill_normal
from ..arena import Arena
from ..steps import MOST_SIGMA, Step, hashed_parameters

FULL = 60  # most parameters with a full covariance matrix
FIRST_PAIRS, GENERATIONS_A_PAIR = 8, 4
CHECKPOINT = 16  # generations


def cma(arena: Arena) -> Iterator[Step]:
    """Ask, meet, tell; answers the mean, never the best point of a generation, which is the luckiest."""
    try:
        from cma import CMAEvolutionStrategy
    except ImportError:
        raise ValueError("the method cma needs the package cma: pip install 'fogspiel[cma]'") from None
    x, moved = arena.start, ~hashed_parameters(arena)
    count = max(int(moved.sum()), 2)  # the package wants two numbers; where there is just one, the other is idle

    def gaussian(*shape: int) -> np.ndarray:
        numbers = np.empty(shape)
        fill_normal(arena.stream, numbers.reshape(-1))
        return numbers

    def player(numbers: np.ndarray) -> np.ndarray:
        theta = x.copy()
        theta[moved] = numbers[: int(moved.sum())]
        return theta

    first = np.zeros(count)
    first[: int(moved.sum())] = x[moved]
    options = {"randn": gaussian, "CMA_diagonal": count > FULL, "maxstd": MOST_SIGMA, "verbose": -9, "verb_log": 0}
    search = CMAEvolutionStrategy(first, 1.0, options)
    generation = 0
    while True:
        generation += 1
        points = search.ask()
        pairs = FIRST_PAIRS + generation // GENERATIONS_A_PAIR
        mean = player(search.mean)
        scores = arena.play_pairs(
            np.array([player(point) for point in points]), np.tile(mean, (len(points), 1)), pairs, same_deals=True
        )
        search.tell(points, (-scores.sum(axis=(1, 2))).astype(float).tolist())
        yield Step(player(search.mean), generation % CHECKPOINT == 0, float(search.sigma))


METHODS = {"cma": cma}
