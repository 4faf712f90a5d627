"""Median over training seeds, with a distribution-free interval."""

from collections.abc import Sequence
from math import comb
from statistics import median
from typing import NamedTuple

RISK = 0.05


class Spread(NamedTuple):
    """The median of some results, an interval for the median of the law they come from, and how sure it is."""

    median: float
    low: float
    high: float
    confidence: float


def median_interval(results: Sequence[float]) -> Spread:
    """The median and the narrowest interval between order statistics that covers the true one with 95 %.

    The k-th smallest and k-th largest of n results miss the median with probability 2 P(Binomial(n, 1/2) < k); with
    fewer than six results even the smallest and the largest do so too often, and the confidence says how often not.
    """
    ranked, count = sorted(results), len(results)
    rank, missed = 1, 2.0 ** (1 - count)
    while (wider := missed + 2 * comb(count, rank) / 2**count) <= RISK:
        rank, missed = rank + 1, wider
    return Spread(median(ranked), ranked[rank - 1], ranked[-rank], 1 - missed)
