"""The generalised sequential probability ratio test of engine testing, on counts of pairs of games.

The logarithm of the likelihood ratio between "the difference is elo1" and "it is elo0", where what is unknown beside
the mean score, the law of the pairs, is replaced by its most likely value under each hypothesis (fishtest; Van den
Bergh, "The generalised maximum likelihood ratio for the expectation value of a distribution"). The test stops when the
ratio leaves Wald's bounds. Its error rates are those of Wald's test in the limit of many games, and only nearly so for
few: unlike our races it promises nothing for a fixed number of games.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.compile.kernel import kernel
from .elo import score_of

MOST_STEPS = 100
CLOSE = 1e-14  # how far the mean of a law may be from the score it should have, in units of the multiplier's equation
REGULAR = 1e-3  # what a count of zero is taken for, so that every law has a likelihood (as fishtest does)


@dataclass(frozen=True)
class Gsprt:
    """The hypotheses in Elo, and the error rates: alpha to pass at elo0, beta to fail at elo1."""

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 is {self.elo0:g} and elo1 is {self.elo1:g}, but elo1 must be the larger one.")
        if not (0 < self.alpha < 1 / 2 and 0 < self.beta < 1 / 2):
            raise ValueError(f"alpha and beta are {self.alpha:g} and {self.beta:g}, but both lie between 0 and 1/2.")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the logarithm of the likelihood ratio: below the first elo0 is accepted, above elo1."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, counts: Sequence[int]) -> float:
        """The logarithm of the generalised likelihood ratio of these counts."""
        return float(log_ratio(np.asarray(counts, np.float64), score_of(self.elo0), score_of(self.elo1)))

    def decision(self, counts: Sequence[int]) -> int:
        """What the test says of these counts: +1 elo1 is accepted, -1 elo0 is, 0 go on."""
        low, high = self.bounds
        found = self.ratio(counts)
        return 1 if found >= high else -1 if found <= low else 0


@kernel
def multiplier(counts, total, score):
    """The Lagrange multiplier x for which the law counts / (total (1 + x (value - score))) has the mean `score`.

    The law of the greatest likelihood with that mean is of this form. The sum that has to vanish falls as x rises,
    between the two values of x at which a probability would become infinite: Newton's steps, halved where they leave
    what is left of that range.
    """
    top = len(counts) - 1
    low, high, x = -1.0 / (1.0 - score), 1.0 / score, 0.0
    for _ in range(MOST_STEPS):
        lead, slope = 0.0, 0.0
        for v in range(top + 1):
            step = v / top - score
            part = step / (1.0 + x * step)
            lead += counts[v] * part
            slope -= counts[v] * part * part
        if lead > 0.0:
            low = x
        else:
            high = x
        if abs(lead) <= CLOSE * total:
            break
        x -= lead / slope
        if not low < x < high:
            x = (low + high) / 2.0
    return x


@kernel
def log_ratio(counts, score_0, score_1):
    """The logarithm of the likelihood of the best law with mean score_1 over that of the best with mean score_0."""
    top = len(counts) - 1
    regular = np.empty(top + 1)
    total = 0.0
    for v in range(top + 1):
        regular[v] = max(counts[v], REGULAR)
        total += regular[v]
    x_0, x_1 = multiplier(regular, total, score_0), multiplier(regular, total, score_1)
    found = 0.0
    for v in range(top + 1):
        value = v / top
        found += regular[v] * math.log((1.0 + x_0 * (value - score_0)) / (1.0 + x_1 * (value - score_1)))
    return found
