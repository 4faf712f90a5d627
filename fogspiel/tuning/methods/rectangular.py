"""Rectangular seed learning (Liu, Teytaud and Cazenave 2016): many players against few opponents, all at once."""

from collections.abc import Iterator
from math import isqrt

import numpy as np

from ..arena import Arena, BudgetSpent
from ..population import Pool
from ..steps import Step

LEAST_OPPONENTS, MOST_OPPONENTS = 4, 64
FIRST_PAIRS = 4096  # where the budget is not in games
FINALISTS = 10
FINAL = 4  # one in four pairs is for the finalists


def rectangular(arena: Arena) -> Iterator[Step]:
    """K players meet the same few opponents; the ten best meet fresh opponents, and those games alone decide."""
    last = arena.budget.games
    pairs = FIRST_PAIRS if last is None else (last - arena.games) // 2
    champion = np.zeros((0, len(arena.start)))
    while True:
        first, final = pairs - pairs // FINAL, pairs // FINAL
        opponents = min(max(isqrt(first) // 2, LEAST_OPPONENTS), MOST_OPPONENTS)
        players = arena.gaussians(max(first // opponents, 1))
        pool = Pool(players, arena.strategy.halves)
        pool.play(arena, arena.gaussians(opponents))
        pool.shrink(FINALISTS - len(champion))
        yield Step(pool.thetas[0], not len(champion), population=len(players))
        pool.grow(champion)
        pool.forget()
        pool.play(arena, arena.gaussians(max(final // len(pool.thetas), 1)))
        pool.shrink(1)
        champion, pairs = pool.thetas, 2 * pairs
        yield Step(champion[0], True, population=len(players))
        if last is not None:  # what is left could only replace a good player by a lucky one
            raise BudgetSpent


METHODS = {"rectangular": rectangular}
