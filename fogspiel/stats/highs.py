"""Interface to the LP solver HiGHS, imported on first use: silent, single-threaded, deterministic.

    minimise cost.z  subject to  row_lower <= M z <= row_upper  and  column_lower <= z <= column_upper

Only this module uses highspy, whose objects have no types.
"""

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
    basis.valid, basis.alien = True, False
    check(solver.setBasis(basis), "the basis was refused")
