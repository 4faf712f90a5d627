"""One budget for several methods: what each of them found founds the archive of `psro`, which answers a mixture.

Where scores are certain and the seats are mixed apart, one vector loses every game to somebody, so a way to a good one
leads nowhere: all games are for the mixture.
"""

from collections.abc import Iterator

import numpy as np

from ..arena import Arena
from ..meta_game import is_certain
from ..steps import Step
from .duel import duel
from .evolution import iterative
from .halving import halving
from .psro import psro

SHARES = ((duel, 0.2), (iterative, 0.1), (halving, 0.1))  # of the budget; the rest is for the mixture
DEFAULT_GAMES = 200_000  # of which the shares are, where the budget is not in games
FOUNDERS = 6  # at most, from each method


def portfolio(arena: Arena) -> Iterator[Step]:
    """Each method for its share; from its points on the way, the latest and some earlier ones meet all the others."""
    if arena.strategy.halves and is_certain(arena):
        yield from psro(arena)
    founders = [arena.start]
    for method, share in SHARES:
        limit = arena.games + int(share * (arena.budget.games or DEFAULT_GAMES))
        found: list[np.ndarray] = []
        for step in halving(arena, limit) if method is halving else method(arena):
            if step.accepted or not found:
                found.append(step.theta)
            yield Step(step.theta, step.accepted, step.sigma, step.population)
            if arena.games >= limit:
                found.append(step.theta)
                break
        founders += thin(found)
    yield from psro(arena, np.unique(np.array(founders), axis=0))


def thin(found: list[np.ndarray]) -> list[np.ndarray]:
    """The last point and some before it, ever further apart."""
    return [found[-(2**k)] for k in range(FOUNDERS) if 2**k <= len(found)]


METHODS = {"portfolio": portfolio}
