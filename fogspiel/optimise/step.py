"""What a method yields, and the mutation and step-size rule that the paper's evolutionary methods share."""

from dataclasses import dataclass

import numpy as np

from ..arena import Arena

WIDER, NARROWER = 2.0, 0.84
LEAST_SIGMA, MOST_SIGMA = 1e-9, 1e6
"""Ours: the paper's step size has no bounds, and on a flat landscape it would overflow after some thousand steps."""


@dataclass(frozen=True)
class Step:
    """One step of a method: the vector it would answer now, and how it got there."""

    theta: np.ndarray
    accepted: bool
    sigma: float | None = None
    population: int = 1


def mutant(arena: Arena, x: np.ndarray, sigma: float) -> np.ndarray:
    """x with every component moved by an independent Gaussian number of standard deviation sigma."""
    return x + sigma * arena.gaussian()


def next_sigma(sigma: float, success: bool) -> float:
    """Twice as wide after a success, 0.84 times after a failure."""
    return min(max(sigma * (WIDER if success else NARROWER), LEAST_SIGMA), MOST_SIGMA)
