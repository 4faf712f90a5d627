"""Matrix games: equilibria by linear programming, verified by best responses.

The row player's mixture x maximises v subject to x A >= v; the column player's is the dual (von Neumann 1928, Dantzig
1951). The solver's mixtures are cleaned of rounding errors; their accuracy is then measured only by best responses.
"""

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from .highs import Columns, Rows, rows_of_table, solve

TOLERANCE = 1e-6  # largest gap of an equilibrium, in units of the payoff range
# Rounding allowance of that gap, in units of the largest payoff, per row and column: a lower limit of precision.
ROUNDING = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """Mixtures of the rows and of the columns, and the row player's value."""

    rows: np.ndarray
    columns: np.ndarray
    value: float
    lower: float  # value of the row mixture against its best response
    upper: float  # value of the best response to the column mixture

    @property
    def gap(self) -> float:
        return self.upper - self.lower


def equilibrium(matrix: np.ndarray, least: float = 0.0) -> Equilibrium:
    """Return optimal mixtures for the row player's payoffs; weights below `least` are pruned."""
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
    """Return the equilibrium of a symmetric game (A + A' is constant), with one mixture for both players."""
    payoffs = np.array(matrix, np.float64)
    if payoffs.ndim != 2 or payoffs.shape[0] != payoffs.shape[1] or np.ptp(payoffs + payoffs.T) > 1e-9:
        raise ValueError("in a symmetric game the payoffs of two players against each other have a constant sum")
    found, value = equilibrium(payoffs, least), float(payoffs[0, 0])
    return replace(found, columns=found.rows, value=value, upper=2 * value - found.lower)


def matrix_program(payoffs: np.ndarray, sum_row: int) -> tuple[Columns, Rows]:
    """Return the row player's LP: minimise -v subject to sum x = 1, x >= 0 and x A - v >= 0 for each column of A.

    Its last column is v; its duals are the column player's mixture. The caller chooses the index of `sum x = 1`,
    because the simplex path, and so stored results and bases, depends on the order of the rows.
    """
    height, width = payoffs.shape
    table = np.insert(np.vstack([payoffs, np.full(width, -1, payoffs.dtype)]).T, sum_row, [1] * height + [0], axis=0)
    lower, upper = np.zeros(width + 1), np.full(width + 1, inf)
    lower[sum_row] = upper[sum_row] = 1
    columns = Columns(np.append(np.zeros(height), -1.0), np.append(np.zeros(height), -inf), np.full(height + 1, inf))
    return columns, rows_of_table(table, lower, upper)


def prune(weights: np.ndarray, least: float) -> np.ndarray:
    """Zero the weights below `least`, except the heaviest, and renormalise."""
    kept = np.where(weights >= min(least, float(weights.max())), weights, 0.0)
    return np.asarray(kept / kept.sum())


def couple(first: np.ndarray, second: np.ndarray) -> list[tuple[int, int, float]]:
    """Return a sparse coupling of two distributions, as (i, j, weight), by the north-west corner rule."""
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
    lower, upper = float((rows @ payoffs).min()), float((payoffs @ columns).max())
    return Equilibrium(rows, columns, float(rows @ payoffs @ columns), lower, upper)


def _clean(weights: np.ndarray) -> np.ndarray:
    """Remove a solver's rounding errors from weights."""
    kept = np.where(weights > 1e-12, weights, 0.0)
    return np.asarray(kept / kept.sum())


def _solve(payoffs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Solve the column player's LP; return the column weights, and its duals, the row weights."""
    primal, dual = solve(*matrix_program(-payoffs.T, len(payoffs)))
    return primal[:-1], dual[:-1]
