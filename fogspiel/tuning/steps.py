"""Steps of a method, and shared parts: mutation, step-size rule, parameters with neighbours."""

import math
from dataclasses import dataclass

import numpy as np

from ..core import former_names
from ..core.agents import PolicyJson
from ..stats.matrix_game import couple
from .arena import Arena, join_halves

WIDER, NARROWER = 2.0, 0.84
# Ours: the paper's step size has no bounds, and on a flat landscape it would overflow after some thousand steps.
MIN_SIGMA, MAX_SIGMA = 1e-9, 1e6


@former_names(answer="recommendation", why="reason")
@dataclass(frozen=True)
class Step:
    """One step of a method: the vector it would answer now, and how it got there."""

    theta: np.ndarray
    # True if `theta` is worth a place in the record: a point that was accepted, or a checkpoint on the way.
    accepted: bool
    sigma: float | None = None
    population: int = 1
    # Where the answer is a mixture: all its members so far, of whom more may come, but none goes.
    thetas: np.ndarray | None = None
    # Of each member; or a row for each seat, where the halves of the vectors are mixed apart.
    weights: np.ndarray | None = None
    # What the first player gets at the equilibrium of the measured table: 0 the lowest payoff, 1 the highest.
    value: float | None = None
    reason: str | None = None  # why the answer is this vector or this mixture, in a sentence

    @property
    def recommendation(self) -> PolicyJson:
        """The vector, or the mixture with its heaviest member."""
        if self.thetas is None or self.weights is None:
            return {"theta": self.theta.tolist()}
        return freeze_mixture(self.thetas, self.weights)


def freeze_mixture(thetas: np.ndarray, weights: np.ndarray) -> PolicyJson:
    """Return the mixture that these weights of members (or of their halves, a row for each seat) stand for."""
    if weights.ndim == 1:
        rows, shares = thetas[weights > 0], weights[weights > 0]
    else:
        first, second, weighed = zip(*couple(weights[0], weights[1]), strict=True)
        rows, shares = join_halves(thetas, np.array(first), np.array(second)), np.array(weighed)
    theta = rows[int(shares.argmax())].tolist()
    if len(rows) == 1:
        return {"theta": theta}
    return {"theta": theta, "thetas": rows.tolist(), "weights": (shares / shares.sum()).tolist()}


def mutant(arena: Arena, x: np.ndarray, sigma: float) -> np.ndarray:
    """x with every component moved by an independent Gaussian number of standard deviation sigma."""
    return x + sigma * arena.gaussian()


def next_sigma(sigma: float, success: bool) -> float:
    """Twice as wide after a success, 0.84 times after a failure."""
    return min(max(sigma * (WIDER if success else NARROWER), MIN_SIGMA), MAX_SIGMA)


def hashed_parameters(arena: Arena) -> np.ndarray:
    """Return the parameters that are pseudo-random seeds: they have no direction."""
    return np.array([name in arena.strategy.unordered for name in arena.strategy.parameters])


# Climbing by measured slopes: momentum, strides that adapt to how well the slopes agree, and the average of the way.
#
# The slopes are antithetic (Salimans et al. 2017): a random direction e is scored by x + sigma e against x - sigma e.

DIRECTIONS = 64  # of a slope
MOMENTUM = 0.8
LEARNING = 0.1  # of the gain, from one cosine
MIN_GAIN, MAX_GAIN = 1e-3, 1e3


class Ascent:
    """A point on its way up."""

    def __init__(self, start: np.ndarray, least_gain: float = MIN_GAIN) -> None:
        self.least_gain, self.most_gain, self.gain = least_gain, MAX_GAIN, 1.0
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
        longer, most = math.exp(LEARNING * cosine(slope, self.drift)), min(self.most_gain, MAX_GAIN)
        self.gain = within(self.gain * longer, self.least_gain, most)
        self.drift = MOMENTUM * self.drift + (1 - MOMENTUM) * slope
        self.x = self.x + self.gain * sigma * self.drift
        self.steps += 1
        self.average = self.average + (self.x - self.average) * 2 / (self.steps + 2)  # weights 1, 2, 3, .. (Polyak's)


def add_up(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the sum of the rows times their weights, in order: the last bits of a matrix product depend on the
    processor.
    """
    return np.asarray((weights[:, None] * rows).sum(axis=0))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    """Return the cosine of the angle between two vectors, 0 if one of them is null."""
    lengths = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / lengths if lengths > 0 else 0.0


def within(value: float, low: float, high: float) -> float:
    """Return the value, or the limit it exceeds."""
    return min(max(value, low), high)


def scale_of(theta: np.ndarray, seeds: np.ndarray) -> float:
    """Return the scale of a vector's ordered parameters: 1, as Gaussian ones, or more."""
    return max(1.0, math.sqrt(float((theta[~seeds] ** 2).sum()) / max(len(theta) - seeds.sum(), 1)))
