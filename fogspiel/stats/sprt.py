"""The GSPRT of engine testing, on counts of game pairs.

The generalised sequential probability ratio test of fishtest, OpenBench and fastchess (Van den Bergh, "The generalised
maximum likelihood ratio for the expectation value of a distribution", and "Normalized Elo"): the log-likelihood ratio
of elo1 to elo0, with the distribution of pairs replaced by its most likely one under each hypothesis. It stops when the
ratio leaves Wald's bounds. A normalised difference is the mean of a game above 1/2 in standard deviations of a game,
times 800 / ln 10. Its error rates are Wald's in the limit of many games; `stats/race.py` has tests whose errors are
bounded for any number of games.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core import BadInput
from ..core.compile.kernel import kernel
from .evaluate import NORMALISED, score_of

MAX_STEPS = 100
CLOSE = 1e-14  # tolerance of a distribution's mean, in units of the multiplier's equation
REGULAR = 1e-3  # substitute for a count of zero, so that every distribution has a likelihood (as fishtest does)
ROUNDS, SETTLED = 50, 1e-11  # of the most likely distribution with a normalised mean; it converges by itself


@dataclass(frozen=True)
class Gsprt:
    """The hypotheses in normalised Elo (or Elo), and the error rates: alpha to pass at elo0, beta to fail at elo1."""

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    normalised: bool = False

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise BadInput(f"elo0 is {self.elo0:g} and elo1 is {self.elo1:g}, but elo1 must be the larger one.")
        if not (0 < self.alpha < 1 / 2 and 0 < self.beta < 1 / 2):
            raise BadInput(f"alpha and beta are {self.alpha:g} and {self.beta:g}, but both lie between 0 and 1/2.")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the log-likelihood ratio: below the first elo0 is accepted, above the second elo1."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio of elo1 to elo0 at these counts of game pairs."""
        if not self.normalised:
            return float(log_ratio(np.asarray(counts, np.float64), score_of(self.elo0), score_of(self.elo1)))
        regular = np.maximum(np.asarray(counts, np.float64), REGULAR)
        laws = [
            likeliest_law(regular / regular.sum(), math.sqrt(2) * elo / NORMALISED) for elo in (self.elo0, self.elo1)
        ]
        return float(regular @ np.log(laws[1] / laws[0]))

    def decision(self, counts: Sequence[int]) -> int:
        """Return +1 if elo1 is accepted, -1 if elo0 is, 0 to continue."""
        low, high = self.bounds
        found = self.ratio(counts)
        return 1 if found >= high else -1 if found <= low else 0


def likeliest_law(seen: np.ndarray, deviations: float) -> np.ndarray:
    """Return the most likely distribution whose mean lies this many of its standard deviations above 1/2.

    At the solution the constraint is linear in the probabilities: mean of v - 1/2 - t s (1 + ((m - v) / s)^2) / 2 = 0
    with its own mean m and standard deviation s, which are those of the round before.
    """
    values = np.arange(len(seen)) / (len(seen) - 1)
    law = np.full(len(seen), 1 / len(seen))
    for _ in range(ROUNDS):
        mean = float(law @ values)
        spread = math.sqrt(float(law @ (values - mean) ** 2))
        steps = values - 0.5 - deviations * spread * (1 + ((mean - values) / spread) ** 2) / 2
        before, law = law, seen / (1 + root_of(seen, steps) * steps)
        if np.abs(law - before).max() < SETTLED:
            break
    return np.asarray(law)


def root_of(seen: np.ndarray, steps: np.ndarray) -> float:
    """Return the x between the poles for which the sum of seen steps / (1 + x steps) vanishes; the sum falls with x."""
    low, high = -1 / float(steps.max()), -1 / float(steps.min())
    for _ in range(MAX_STEPS):
        x = (low + high) / 2
        low, high = (x, high) if float(seen @ (steps / (1 + x * steps))) > 0 else (low, x)
    return (low + high) / 2


@kernel
def multiplier(counts, total, score):
    """Return the Lagrange multiplier x for which counts / (total (1 + x (value - score))) has the mean `score`.

    The maximum-likelihood distribution with that mean is of this form. The sum that has to vanish falls as x rises,
    between the two values of x at which a probability would become infinite: Newton's steps, halved where they leave
    the rest of that range.
    """
    top = len(counts) - 1
    low, high, x = -1.0 / (1.0 - score), 1.0 / score, 0.0
    for _ in range(MAX_STEPS):
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
    """Return the log ratio of the maximum likelihoods with mean score_1 and with mean score_0."""
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
