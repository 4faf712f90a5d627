"""The best of many random players by sequential halving (Karnin, Koren and Somekh 2013), against each other's panel.

A round gives every remaining player the same number of games, then the better half stays: the method of seeds with its
games where they matter. The panel is redrawn from all players in every round, and the last two play separate games.
"""

from collections.abc import Iterator
from math import ceil, log2

import numpy as np

from ..arena import Arena, BudgetSpent
from ..population import Pool
from ..steps import Step

PAIRS_A_PLAYER = 32  # that the budget should allow
MIN_PLAYERS, MAX_PLAYERS = 4, 4096
FIRST_PAIRS = 4096  # where the budget is not in games


def halving(arena: Arena, limit: int | None = None) -> Iterator[Step]:
    """One tournament for the whole budget (or up to a number of games); without one, each twice as long as the last."""
    last = arena.budget.games if limit is None else limit
    pairs = FIRST_PAIRS if last is None else (last - arena.games) // 2
    champion: np.ndarray | None = None
    while True:
        for pool in tournament(arena, pairs, champion):
            champion = pool.thetas[:1]
            yield Step(champion[0], len(pool.thetas) == 1, population=len(pool.thetas))
        if limit is not None:
            return
        if last is not None:  # the remaining games could only replace a good player by a lucky one
            raise BudgetSpent
        pairs *= 2


def players_for(pairs: int) -> int:
    """Return the number of random players that this many game pairs can distinguish: a power of two."""
    return int(2 ** int(log2(min(max(pairs // PAIRS_A_PLAYER, MIN_PLAYERS), MAX_PLAYERS))))


def tournament(arena: Arena, pairs: int, champions: np.ndarray | None) -> Iterator[Pool]:
    """Halve random players (and earlier winners) until one is left; yield the remaining ones after every round."""
    players = arena.gaussians(players_for(pairs))
    if champions is not None:
        players[: len(champions)] = champions
    pool, a_round = Pool(players, arena.strategy.per_seat), pairs // ceil(log2(len(players)))
    while len(pool.thetas) > 1:
        if len(pool.thetas) == 2:
            pool.forget()  # the scores that selected the last two are biased upwards
        panel = [arena.pick(len(players)) for _ in range(max(a_round // len(pool.thetas), 1))]
        pool.play(arena, players[panel])
        pool.shrink(len(pool.thetas) // 2)
        yield pool


METHODS = {"halving": halving}
