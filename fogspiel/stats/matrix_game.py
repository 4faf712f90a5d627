"""Matrix games: the equilibrium of a table of scores by linear programming, checked by best responses.

The row player's mixture x maximises v subject to x A >= v; the column player's is the dual (von Neumann 1928, Dantzig
1951). What is answered is cleaned of rounding errors, and then only the best responses to it say how good it is.
"""

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from .highs import Columns, Rows, rows_of_table, solve

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


def matrix_program(payoffs: np.ndarray, sum_row: int) -> tuple[Columns, Rows]:
    """The row player's program: minimise -v subject to sum x = 1, x >= 0 and x A - v >= 0 for each column of A.

    Its last column is v; its duals are the column player's mixture. The number of the row `sum x = 1` is the caller's,
    because the path of the simplex method, and so stored results and bases, depends on the order of the rows.
    """
    height, width = payoffs.shape
    table = np.insert(np.vstack([payoffs, np.full(width, -1, payoffs.dtype)]).T, sum_row, [1] * height + [0], axis=0)
    lower, upper = np.zeros(width + 1), np.full(width + 1, inf)
    lower[sum_row] = upper[sum_row] = 1
    columns = Columns(np.append(np.zeros(height), -1.0), np.append(np.zeros(height), -inf), np.full(height + 1, inf))
    return columns, rows_of_table(table, lower, upper)


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
    """The weights of the columns, by the program of the column player, and of the rows, which are its duals."""
    primal, dual = solve(*matrix_program(-payoffs.T, len(payoffs)))
    return primal[:-1], dual[:-1]
