"""Methods from optimisers with ask and tell: each point plays game pairs, and the optimiser is told its score."""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from .arena import Arena, Step
from .methods import Method
from .methods.auto import opponents

PAIRS = 16  # game pairs of a point: its score is told with a standard error of about 0.09
CHECKPOINT = 32  # points between two results that the last races may return to


class AskTell(Protocol):
    """An optimiser of vectors that start at 0 with a step of about 1."""

    def ask(self) -> np.ndarray:
        """Return the next point."""

    def tell(self, point: np.ndarray, score: float) -> None:
        """Take the score of a point, from 0 to 1; more is better."""

    def recommend(self) -> np.ndarray:
        """Return the result so far."""


def method_of(
    make: Callable[[int, int | None, int], AskTell], pairs: int = PAIRS, checkpoint: int = CHECKPOINT
) -> Method:
    """Return the method of an optimiser, made from the number of parameters, of points (None: no limit), and a seed.

    Points are relative to the initial parameters, and play against the baseline of the run. The seed is the run's, so
    that a resumed run asks for the same points if the optimiser draws its random numbers from the seed alone.
    """

    def method(arena: Arena) -> Iterator[Step]:
        start, games, top = arena.start, arena.budget.games, 2 * arena.game.max_score
        optimiser = make(
            len(start), None if games is None else max((games - arena.games) // (2 * pairs), 1), arena.seed
        )
        asked = 0
        while True:
            point = np.asarray(optimiser.ask(), float)
            rivals = opponents(arena, pairs)
            scores = arena.play_pairs(np.repeat(arena.clip(start + point)[None], pairs, axis=0), rivals)
            optimiser.tell(point, float(scores.sum(axis=(1, 2)).mean()) / top)
            asked += 1
            yield Step(arena.clip(start + np.asarray(optimiser.recommend(), float)), asked % checkpoint == 0)

    method.__doc__ = make.__doc__
    return method
