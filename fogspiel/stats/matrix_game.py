"""Matrix games: the equilibrium of a table of scores by linear programming, checked by best responses.

The column player's mixture y minimises v subject to A y <= v; the row player's is the dual (von Neumann 1928, Dantzig
1951). What is answered is cleaned of rounding errors, and then only the best responses to it say how good it is.
"""

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from .highs import Columns, rows_of_table, solve

TOLERANCE = 1e-6  # the largest gap of an equilibrium, in units of the largest difference of two payoffs
# What rounding may add to that gap, in units of the largest payoff, for each row and column: it is never finer.
ROUNDING = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A mixture of the rows and one of the columns, and what the row player gets."""

    rows: np.ndarray
    columns: np.ndarray
    value: float
    lower: float  # what the mixture of the rows gets against its best response
    upper: float  # what the best response gets against the mixture of the columns

    @property
    def gap(self) -> float:
        return self.upper - self.lower


def equilibrium(matrix: np.ndarray, least: float = 0.0) -> Equilibrium:
    """Optimal mixtures for a table of the row player's payoffs; weights below `least` are pruned."""
    payoffs = np.array(matrix, np.float64)
    if payoffs.ndim != 2 or not payoffs.size or not np.isfinite(payoffs).all():
        raise ValueError("a matrix game is a table of finite payoffs with at least one row and one column")
    span = float(payoffs.max() - payoffs.min())
    scaled = (payoffs - payoffs.min()) / (span or 1.0)
    columns, rows = map(_clean, _solve(scaled))
    found = _with_bounds(payoffs, rows, columns)
    if found.gap > TOLERANCE * span + ROUNDING * sum(payoffs.shape) * float(np.abs(payoffs).max()):
        raise RuntimeError(f"the solver left a gap of {found.gap:g} in a matrix game of {len(payoffs)} rows")
    if least > 0:
        return _with_bounds(payoffs, prune(rows, least), prune(columns, least))
    return found


def symmetric_equilibrium(matrix: np.ndarray, least: float = 0.0) -> Equilibrium:
    """The equilibrium of a game in which both have the same rights (A + A' is constant), with one mixture for both."""
    payoffs = np.array(matrix, np.float64)
    if payoffs.ndim != 2 or payoffs.shape[0] != payoffs.shape[1] or np.ptp(payoffs + payoffs.T) > 1e-9:
        raise ValueError("in a symmetric game the payoffs of two players against each other have a constant sum")
    found, value = equilibrium(payoffs, least), float(payoffs[0, 0])
    return replace(found, columns=found.rows, value=value, upper=2 * value - found.lower)


def prune(weights: np.ndarray, least: float) -> np.ndarray:
    """The weights without those below `least`, of which the heaviest always stays, summing to 1 again."""
    kept = np.where(weights >= min(least, float(weights.max())), weights, 0.0)
    return np.asarray(kept / kept.sum())


def couple(first: np.ndarray, second: np.ndarray) -> list[tuple[int, int, float]]:
    """Pairs (i, j) with weights whose i follow one law and whose j the other, few of them (the north-west corner)."""
    pairs, i, j = [], 0, 0
    left, right = float(first[0]), float(second[0])
    while i < len(first) and j < len(second):
        weight = min(left, right)
        if weight > 0:
            pairs.append((i, j, weight))
        left, right = left - weight, right - weight
        if left <= right:
            i += 1
            left = float(first[i]) if i < len(first) else 0.0
        else:
            j += 1
            right = float(second[j]) if j < len(second) else 0.0
    return pairs


def _with_bounds(payoffs: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> Equilibrium:
    """Two mixtures with what they secure."""
    lower, upper = float((rows @ payoffs).min()), float((payoffs @ columns).max())
    return Equilibrium(rows, columns, float(rows @ payoffs @ columns), lower, upper)


def _clean(weights: np.ndarray) -> np.ndarray:
    """Weights from a solver without its rounding errors."""
    kept = np.where(weights > 1e-12, weights, 0.0)
    return np.asarray(kept / kept.sum())


def _solve(payoffs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The weights of the columns and of the rows at the optimum of: minimise v, A y - v <= 0, sum y = 1, y >= 0."""
    height, width = payoffs.shape
    columns = Columns(np.append(np.zeros(width), 1.0), np.append(np.zeros(width), -inf), np.full(width + 1, inf))
    table = np.vstack([np.hstack([payoffs, np.full((height, 1), -1.0)]), np.append(np.ones(width), 0.0)])
    rows = rows_of_table(table, np.append(np.full(height, -inf), 1.0), np.append(np.zeros(height), 1.0))
    primal, dual = solve(columns, rows)
    return primal[:-1], -dual[:-1]
