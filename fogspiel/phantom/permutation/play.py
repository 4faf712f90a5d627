"""Playing a permutation certificate: an order is drawn before the game, turned at random, and written down."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from ...core.agents import PlayerAgent
from ...core.rng import unit
from ...solve.checkers.permutation_certificate import TTT, PermutationCertificate, mixture

# The orders of one side, and for each the probability of it or one before it.
Orders = tuple[list[tuple[int, ...]], list[float]]


class Follower:
    """Follows the strategies of a certificate, in either seat."""

    def __init__(self, sides: tuple[Orders, Orders], stream: np.ndarray) -> None:
        self.sides, self.stream = sides, stream

    def begin(self, side: int) -> None:
        orders, cumulated = self.sides[side]
        place = int(np.searchsorted(cumulated, unit(self.stream) * cumulated[-1], "right"))
        self.order = orders[min(place, len(orders) - 1)]

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        return self.order[TTT.cells - len(actions)]


def follower(name: str, document: PermutationCertificate) -> PlayerAgent:
    """An agent that plays by a certificate."""
    first, second = orders_of(document["first"], "first"), orders_of(document["second"], "second")
    return PlayerAgent(name, lambda stream: Follower((first, second), stream))


def orders_of(entries: Any, side: str) -> Orders:
    """The strategy of one side with all images of its permutations, ready to be drawn from."""
    images = mixture(TTT, entries, side)
    return list(images), list(accumulate(map(float, images.values())))
