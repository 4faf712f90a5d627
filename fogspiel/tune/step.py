"""Steps of a method, and shared parts: mutation, step-size rule, parameters with neighbours."""

from dataclasses import dataclass

import numpy as np

from ..core.agents import Frozen
from ..stats.matrix_game import couple
from .arena import Arena, join_halves

WIDER, NARROWER = 2.0, 0.84
# Ours: the paper's step size has no bounds, and on a flat landscape it would overflow after some thousand steps.
LEAST_SIGMA, MOST_SIGMA = 1e-9, 1e6


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
    why: str | None = None  # why the answer is this vector or this mixture, in a sentence

    @property
    def answer(self) -> Frozen:
        """The vector, or the mixture with its heaviest member."""
        if self.thetas is None or self.weights is None:
            return {"theta": self.theta.tolist()}
        return freeze_mixture(self.thetas, self.weights)


def freeze_mixture(thetas: np.ndarray, weights: np.ndarray) -> Frozen:
    """The mixture that these weights of members (or of their halves, a row for each seat) stand for."""
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
    return min(max(sigma * (WIDER if success else NARROWER), LEAST_SIGMA), MOST_SIGMA)


def hashed_parameters(arena: Arena) -> np.ndarray:
    """Return the parameters that are pseudo-random seeds: they have no direction."""
    return np.array([name in arena.strategy.hashed for name in arena.strategy.parameters])
