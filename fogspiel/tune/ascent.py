"""Climbing by measured slopes: momentum, strides that adapt to how well the slopes agree, and the average of the way.

The slopes are antithetic (Salimans et al. 2017): a random direction e is scored by x + sigma e against x - sigma e.
"""

import math

import numpy as np

DIRECTIONS = 64  # of a slope
MOMENTUM = 0.8
LEARNING = 0.1  # of the gain, from one cosine
LEAST_GAIN, MOST_GAIN = 1e-3, 1e3


class Ascent:
    """A point on its way up."""

    def __init__(self, start: np.ndarray, least_gain: float = LEAST_GAIN) -> None:
        self.least_gain, self.most_gain, self.gain = least_gain, MOST_GAIN, 1.0
        self._begin(start)

    def _begin(self, start: np.ndarray) -> None:
        self.x, self.average, self.drift, self.steps = start, start, np.zeros(len(start)), 0

    def restart(self, start: np.ndarray) -> None:
        """Begin anew from another point, with strides half as long."""
        self._begin(start)
        self.gain /= 2

    def follow(self, slope: np.ndarray, sigma: float) -> None:
        """Move by a slope that was measured at distance sigma."""
        # Kesten (1958): longer strides while the slopes agree with the way come, shorter ones when they turn.
        longer, most = math.exp(LEARNING * cosine(slope, self.drift)), min(self.most_gain, MOST_GAIN)
        self.gain = within(self.gain * longer, self.least_gain, most)
        self.drift = MOMENTUM * self.drift + (1 - MOMENTUM) * slope
        self.x = self.x + self.gain * sigma * self.drift
        self.steps += 1
        self.average = self.average + (self.x - self.average) * 2 / (self.steps + 2)  # weights 1, 2, 3, .. (Polyak's)


def add_up(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The sum of the rows times their weights, in order: the last bits of a matrix product depend on the processor."""
    return np.asarray((weights[:, None] * rows).sum(axis=0))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    """The cosine of the angle between two vectors, 0 if one of them is null."""
    lengths = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / lengths if lengths > 0 else 0.0


def within(value: float, low: float, high: float) -> float:
    """The value, or the limit it exceeds."""
    return min(max(value, low), high)


def scale_of(theta: np.ndarray, seeds: np.ndarray) -> float:
    """Return the scale of a vector's ordered parameters: 1, as Gaussian ones, or more."""
    return max(1.0, math.sqrt(float((theta[~seeds] ** 2).sum()) / max(len(theta) - seeds.sum(), 1)))
