"""Elo and normalised Elo of a match with their intervals, from counts alone.

Games come in pairs with the colours swapped, and a pair is the unit of randomness. `pairs[v]` counts the pairs in
which the first player scored v of four half points (0 two losses .. 4 two wins): the pentanomial counts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import median
from typing import NamedTuple, TypedDict

import numpy as np

from .race import interval

NORMAL = 1.959963984540054  # standard deviations that contain 95 % of a normal distribution
# Normalised Elo of a score that is one standard deviation of a game above 1/2 (fishtest); without draws it is Elo.
NORMALISED = 800 / math.log(10)
HALF_POINTS = 4  # maximum score of a pair
INTERVALS_NOTE = (
    "The interval of the score is valid at any time, that of Elo comes from the spread of the pairs of games (or is "
    "the wider one too, where a race may have stopped the match or all pairs ended alike)."
)  # shown below tables with both intervals


def elo_of(score: float) -> float:
    """Return the Elo difference with this expected score."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the expected score of an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def spread_of(pairs: Sequence[int]) -> float:
    """Estimate the standard deviation of a game from game pairs: that of a pair's mean, times the root of two."""
    counts = np.asarray(pairs, np.int64)
    count, values = int(counts.sum()), np.arange(len(counts)) / (len(counts) - 1)
    if not count:
        return 0.0
    average = float(counts @ values) / count
    return math.sqrt(2 * float(counts @ (values - average) ** 2) / count)


def normalised_elo(pairs: Sequence[int], score: float) -> float:
    """Return the normalised Elo of a score, given the spread of these pairs; NaN if all have the same score.

    It determines the games needed to detect a difference, whatever the rate of draws: a significance of z standard
    errors needs (z * 800 / ln 10 / normalised Elo)^2 games.
    """
    spread = spread_of(pairs)
    return (score - 0.5) / spread * NORMALISED if spread else math.nan


class StrengthJson(TypedDict):
    """Figures of a report; infinite and unknown ones are None."""

    games: int
    wins: int
    draws: int
    losses: int
    pairs: list[int]
    score: float
    interval: list[float]  # anytime-valid, of the score
    elo: float | None
    elo_interval: list[float | None]
    elo_interval_of: str  # the interval of the score it is derived from: `anytime` or `pentanomial`
    normalised_elo: float | None
    normalised_elo_interval: list[float | None]
    wins_per_loss: float | None


@dataclass(frozen=True)
class Strength:
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Mean score of a game, 1/2 before the first."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def anytime_interval(self) -> tuple[float, float]:
        """Anytime-valid 95 % interval of the score."""
        return interval(np.array(self.pairs, np.int64))

    @property
    def pentanomial_interval(self) -> tuple[float, float]:
        """95 % interval of the score for a number of pairs fixed in advance."""
        return pentanomial_interval(self.pairs)

    @property
    def elo(self) -> float:
        """Elo difference, infinite if one side has won everything."""
        return elo_of(self.score)

    def elo_interval(self, stopped: bool = False) -> tuple[float, float]:
        """Return the 95 % interval of the Elo difference; a match that a race may have stopped needs the wider one."""
        low, high = self.anytime_interval if stopped else self.pentanomial_interval
        return elo_of(low), elo_of(high)

    @property
    def normalised_elo(self) -> float:
        """Normalised Elo difference, NaN if all pairs have the same score."""
        return normalised_elo(self.pairs, self.score)

    def normalised_elo_interval(self, stopped: bool = False) -> tuple[float, float]:
        """Return the limits of the score in normalised Elo, with the observed spread of the games."""
        low, high = self.anytime_interval if stopped else self.pentanomial_interval
        return normalised_elo(self.pairs, low), normalised_elo(self.pairs, high)

    @property
    def ratio(self) -> float:
        return self.wins / self.losses if self.losses else math.inf if self.wins else math.nan

    def to_json(self, stopped: bool = False) -> StrengthJson:
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "pairs": list(self.pairs),
            "score": self.score,
            "interval": list(self.anytime_interval),
            "elo": _finite(self.elo),
            "elo_interval": [_finite(limit) for limit in self.elo_interval(stopped)],
            "elo_interval_of": "anytime" if stopped or max(self.pairs) == sum(self.pairs) else "pentanomial",
            "normalised_elo": _finite(self.normalised_elo),
            "normalised_elo_interval": [_finite(limit) for limit in self.normalised_elo_interval(stopped)],
            "wins_per_loss": _finite(self.ratio),
        }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def strength_of(pairs: Sequence[Sequence[int]]) -> Strength:
    """Count game pairs, each given by the first player's two results (0 loss, 1 draw, 2 win)."""
    singles, sums = [0, 0, 0], [0] * (HALF_POINTS + 1)
    for pair in pairs:
        sums[sum(pair)] += 1
        for result in pair:
            singles[result] += 1
    return Strength(singles[2], singles[1], singles[0], tuple(sums))


def pentanomial_interval(pairs: Sequence[int]) -> tuple[float, float]:
    """Return the normal 95 % interval of the score, from the variance of the pairs.

    If all pairs have the same score, the variance is unknown and the distribution-free interval is returned.
    """
    counts = np.asarray(pairs, np.int64)
    count = int(counts.sum())
    values = np.arange(len(counts)) / (len(counts) - 1)
    mean = float(counts @ values) / count if count else 0.5
    variance = float(counts @ (values - mean) ** 2) / (count - 1) if count > 1 else 0.0
    if variance == 0:
        return interval(counts)
    half = NORMAL * math.sqrt(variance / count)
    return max(mean - half, 0.0), min(mean + half, 1.0)


# Median over training seeds, with a distribution-free interval.

RISK = 0.05


class Spread(NamedTuple):
    """Median of some results, an interval for the median of their distribution, and its confidence level."""

    median: float
    low: float
    high: float
    confidence: float

    def to_json(self) -> dict[str, float]:
        return {"median": self.median, "low": self.low, "high": self.high, "confidence": self.confidence}


def median_interval(results: Sequence[float]) -> Spread:
    """Return the median and the narrowest interval between order statistics that covers the true one with 95 %.

    The k-th smallest and k-th largest of n results miss the median with probability 2 P(Binomial(n, 1/2) < k). With
    fewer than six results even the smallest and the largest miss it too often; `confidence` gives the actual coverage.
    """
    ranked, count = sorted(results), len(results)
    rank, missed = 1, 2.0 ** (1 - count)
    while (wider := missed + 2 * comb(count, rank) / 2**count) <= RISK:
        rank, missed = rank + 1, wider
    return Spread(median(ranked), ranked[rank - 1], ranked[-rank], 1 - missed)
