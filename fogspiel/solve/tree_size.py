"""Estimate of a game's tree size, before it is built.

A walk from the root that takes one of k branches at random each time has met a node that stands for k others of its
depth, so the sum of the products of k along the walk is, on average, the number of all histories (Knuth 1975,
Estimating the efficiency of backtrack programs). Walks vary as histories do: the mean of some is a rough number.
"""

import random

from ..core.game import Game
from ..core.kernel import interpreted
from ..core.session import Session

WALKS = 200
MOST_MOVES = 400  # of a walk; a tree with longer ones is far too large to be built
SEED = 1


def estimate_histories(game: Game, most: float) -> float | None:
    """About how many histories there are; None if they are more than `most`."""
    draws, total = random.Random(SEED), 0.0
    with interpreted():  # so few walks are done before the kernels would be compiled
        for _ in range(WALKS):
            size = _walk_size(Session(game), draws, WALKS * most - total)
            if size is None:
                return None
            total += size
    return total / WALKS


def _walk_size(session: Session, draws: random.Random, most: float) -> float | None:
    """Return one walk's estimate of the number of histories; None if that is more than `most`."""
    total = product = 1.0
    for _ in range(MOST_MOVES):
        if not (actions := session.actions):
            return total
        product *= len(actions)
        total += product
        if total > most:
            return None
        session.apply(draws.choice(actions))
    return None
