"""Linear programs by the solver HiGHS, imported on first use, and matrix games by linear programming.

    minimise cost.z  subject to  row_lower <= M z <= row_upper  and  column_lower <= z <= column_upper

HiGHS is silent, single-threaded and deterministic. Only this module uses highspy, whose objects have no types.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

Option = bool | int | float | str
# The simplex method, which ends at a vertex; the caller may add options.
OPTIONS: dict[str, Option] = {"output_flag": False, "threads": 1, "parallel": "off", "solver": "simplex"}
# Statuses of a basic variable and of one at its upper bound; 0 is at the lower bound, 3 a free variable at zero.
BASIC, AT_UPPER = 1, 2


class LpFailure(RuntimeError):
    """A program without an optimum, or one on which the solver gave up."""


class Columns(NamedTuple):
    cost: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


class Rows(NamedTuple):
    """Constraints of a program in CSR form: row r has the entries start[r] .. start[r + 1] - 1."""

    start: np.ndarray
    column: np.ndarray
    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def rows_of_table(table: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> Rows:
    filled = table != 0
    return Rows(np.append(0, np.cumsum(filled.sum(axis=1))), np.nonzero(filled)[1], table[filled], lower, upper)


def model_of(columns: Columns, rows: Rows) -> Any:
    import highspy

    width, height = len(columns.cost), len(rows.lower)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = width, height
    model.col_cost_, model.col_lower_, model.col_upper_ = columns
    model.row_lower_, model.row_upper_ = rows.lower, rows.upper
    matrix = model.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = width, height
    matrix.start_, matrix.index_, matrix.value_ = rows.start, rows.column, rows.value
    return model


def solver_of(model: Any, **options: Option) -> Any:
    """Return a solver loaded with a program; options are those of HiGHS."""
    import highspy

    solver = highspy.Highs()
    for name, value in (OPTIONS | options).items():
        solver.setOptionValue(name, value)
    check(solver.passModel(model), "the program was refused")
    return solver


def write_program(model: Any, path: str) -> None:
    """Write a program as a file of the format of its ending, .mps or .lp."""
    check(solver_of(model).writeModel(path), f"{path} cannot be written")


def add_rows(solver: Any, rows: Rows) -> None:
    """Add rows to a solver's program; it continues from its last basis."""
    starts, places = np.asarray(rows.start[:-1], np.int32), np.asarray(rows.column, np.int32)
    entries = len(places), starts, places, np.asarray(rows.value, np.float64)
    check(solver.addRows(len(rows.lower), rows.lower, rows.upper, *entries), "the rows were refused")


def run(solver: Any) -> bool:
    """Run a solver; return True at the optimum, False at the iteration limit."""
    import highspy

    check(solver.run(), "the solver failed")
    status, kinds = solver.getModelStatus(), highspy.HighsModelStatus
    if status not in (kinds.kOptimal, kinds.kIterationLimit):
        raise LpFailure(f"the program has no optimum: {solver.modelStatusToString(status).lower()}")
    return bool(status == kinds.kOptimal)


def check(status: Any, complaint: str) -> None:
    import highspy

    if status == highspy.HighsStatus.kError:
        raise LpFailure(f"HiGHS: {complaint}")


def solve(columns: Columns, rows: Rows, **options: Option) -> tuple[np.ndarray, np.ndarray]:
    """Return the optimum: the value of each column and the dual of each row."""
    solver = solver_of(model_of(columns, rows), **options)
    if not run(solver):
        raise LpFailure("the program was not solved within its limit of iterations")
    solution = solver.getSolution()
    return np.array(solution.col_value), np.array(solution.row_dual)


def statuses(solver: Any) -> tuple[np.ndarray, np.ndarray]:
    basis = solver.getBasis()
    return np.array([*map(int, basis.col_status)], np.uint8), np.array([*map(int, basis.row_status)], np.uint8)


def set_basis(solver: Any, columns: bytes, rows: bytes) -> None:
    """Set a solver's initial basis from the status of each column and row."""
    import highspy

    kinds = [highspy.HighsBasisStatus(k) for k in range(5)]
    basis = highspy.HighsBasis()
    basis.col_status, basis.row_status = [kinds[k] for k in columns], [kinds[k] for k in rows]
    basis.alien = False
    check(solver.setBasis(basis), "the basis was refused")


# Matrix games: equilibria, verified by best responses.
#
# The row player's mixture x maximises v subject to x A >= v; the column player's is the dual (von Neumann 1928, Dantzig
# 1951). The solver's mixtures are cleaned of rounding errors; their accuracy is then measured only by best responses.

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
    # The column player's LP gives the column weights, its duals the row weights
    columns, rows = (_clean(weights[:-1]) for weights in solve(*matrix_program(-scaled.T, len(scaled))))
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
