"""The matrix game of the plans found so far: its equilibrium in floats, warm from the last one, and then in fractions.

    minimise -v  subject to  sum of x = 1,  x >= 0,  and for each plan j of White's  (sum of points[i, j] x[i]) - v >= 0

The duals of White's rows are White's mixture.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from ...solve.exact_basis import Statuses, vertex
from ...solve.sequence_form import Sparse
from ...solve.sequence_lp import Program
from ...stats.highs import BASIC, Columns, model_of, run, set_basis, solver_of, statuses

TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """The value in half points times symmetries, a mixture for each player, and the basis they come from."""

    value: float
    mixtures: tuple[np.ndarray, np.ndarray]
    basis: Statuses


def program_of(points: np.ndarray) -> Program:
    """The program of a matrix of points, a row for each plan of Black's."""
    blacks, whites = points.shape
    table = np.zeros((1 + whites, blacks + 1), np.int64)
    table[0, :blacks] = 1
    table[1:, :blacks] = points.T
    table[1:, blacks] = -1
    filled = table != 0
    start = np.append(0, np.cumsum(filled.sum(axis=1)))
    whole = table[filled]
    row_lower, row_upper = np.zeros(1 + whites), np.full(1 + whites, inf)
    row_lower[0] = row_upper[0] = 1
    column_lower, column_upper, cost = np.zeros(blacks + 1), np.full(blacks + 1, inf), np.zeros(blacks + 1)
    column_lower[blacks], cost[blacks] = -inf, -1
    matrix = Sparse(start, np.nonzero(filled)[1], whole.astype(float))
    return Program(cost, matrix, whole, row_lower, row_upper, column_lower, column_upper, Fraction(-1))


def solve(program: Program, last: Statuses | None = None) -> Equilibrium:
    """The equilibrium, from the last basis on: plans that it does not know yet are out of it."""
    model = model_of(Columns(program.cost, program.column_lower, program.column_upper), program.constraints)
    solver = solver_of(
        model, presolve="off", primal_feasibility_tolerance=TOLERANCE, dual_feasibility_tolerance=TOLERANCE
    )
    if last is not None:
        columns, rows = np.zeros(program.width, np.uint8), np.full(program.height, BASIC, np.uint8)
        known = len(last[0]) - 1
        columns[:known], columns[-1] = last[0][:known], last[0][known]
        rows[: len(last[1])] = last[1]
        set_basis(solver, columns.tobytes(), rows.tobytes())
    run(solver)
    found = solver.getSolution()
    x, y = np.array(found.col_value)[:-1], np.array(found.row_dual)[1:]
    return Equilibrium(
        -float(solver.getInfo().objective_function_value), (normalise(x), normalise(y)), statuses(solver)
    )


def normalise(weights: np.ndarray) -> np.ndarray:
    """Weights that are not negative and add up to 1."""
    positive = np.maximum(weights, 0.0)
    return np.asarray(positive / positive.sum())


def exact_mixtures(program: Program, basis: Statuses) -> tuple[list[Fraction], list[Fraction]] | None:
    """The mixtures of a basis in fractions, or None if it is not one of an equilibrium."""
    found = vertex(program, basis, np.arange(program.width - 1), np.arange(1, program.height))
    if found is None or any(min(weights) < 0 or sum(weights) != 1 for weights in found):
        return None
    return found
