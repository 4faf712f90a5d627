"""The linear program of a sequence form: one player plans, the opponent's best response prices the plan.

With the second player as planner, its realisation plan y and one value u for each infoset of the responder solve

    minimise u_root  subject to  F y = e,  y >= 0,  and for each sequence s of the responder, in infoset I,
    u_I - (sum of u_J over its infosets J whose parent is s) - (A y)_s >= 0

(Koller, Megiddo and von Stengel 1994; Bossle 2018, section 5.2). Rows are F first, then one row for each sequence of
the responder; columns are the planner's sequences first, then the root's value and that of each infoset. The first
player's LP is the same with the seats exchanged, so it is a minimisation too.

The values u are in units of 1 / denominator, so that every coefficient is an integer.
"""

import zlib
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...stats.linear_programs import (
    Columns,
    Option,
    Rows,
    check,
    model_of,
    run,
    set_basis,
    solver_of,
    statuses,
    write_program,
)
from ..tree.sequence_form import (
    DecisionProblem,
    SequenceForm,
    Sparse,
    behaviour_of,
    guaranteed_value,
    links,
    plan_of,
    sparse,
)

LARGEST = 2**10  # payoffs above this are scaled down for the floating-point solver


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """A linear program: minimise cost.z subject to row_lower <= M z <= row_upper, column_lower <= z <= column_upper.

    The program is held twice: `matrix` has the solver's floats, `whole` the integers (int64, one for each entry of
    `matrix`) for exact arithmetic. They may differ by the unit in which some columns are measured: costs are the same
    in both, and so are the bounds, which are integers or infinite.
    """

    cost: np.ndarray
    matrix: Sparse
    whole: np.ndarray
    row_lower: np.ndarray
    row_upper: np.ndarray
    column_lower: np.ndarray
    column_upper: np.ndarray
    unit: Fraction  # the first player's value is the least cost.z (of the floats) times this

    @property
    def model(self) -> Any:
        """The program in floats for HiGHS."""
        rows = Rows(self.matrix.start, self.matrix.column, self.matrix.value, self.row_lower, self.row_upper)
        return model_of(Columns(self.cost, self.column_lower, self.column_upper), rows)

    @property
    def sizes(self) -> dict[str, int | list[int]]:
        return {"rows": self.height, "columns": self.width, "nonzeros": len(self.whole)}

    @property
    def height(self) -> int:
        return len(self.row_lower)

    @property
    def width(self) -> int:
        return len(self.cost)


def program_of(form: SequenceForm, primal_player: int) -> LinearProgram:
    """Return the LP in which `primal_player` (0 or 1) chooses a plan; its row duals are a plan of the responder."""
    if primal_player not in (0, 1):
        raise ValueError(f"primal_player {primal_player!r} is not a player: 0 is the first player, 1 the second")
    seen = form if primal_player else form.swapped()
    theirs, mine = seen.treeplexes
    unit = Fraction(1 if primal_player else -1, form.denominator)
    return planning_program(mine, theirs, np.arange(mine.sequences), seen.rows, seen.columns, seen.payoffs, unit)


def planning_program(
    mine: DecisionProblem,
    theirs: DecisionProblem,
    support: np.ndarray,
    answers: np.ndarray,
    places: np.ndarray,
    gains: np.ndarray,
    unit: Fraction,
) -> LinearProgram:
    """Return the LP of a player restricted to the sequences of a support, against all answers of the opponent.

    The support is in order and starts with the empty sequence; gains[k] is the payoff of the responder's sequence
    answers[k] against the planner's sequence support[places[k]], in units of 1 / |unit|. Infosets that the support
    neither enters nor leaves have no row.
    """
    column_of = np.full(mine.sequences, -1)
    column_of[support] = np.arange(len(support))
    chosen_at = mine.infoset_of[support[1:]]
    leaving, entered = links(mine)
    leaving, entered = leaving[column_of[leaving] >= 0], entered[column_of[leaving] >= 0]
    kept = np.union1d(chosen_at, entered)
    row_of = np.full(mine.infosets, -1)
    row_of[kept] = 1 + np.arange(len(kept))
    responses, values = 1 + len(kept), len(support)
    width, height = values + 1 + theirs.infosets, responses + theirs.sequences
    able = np.r_[True, theirs.infoset_of[1:] >= 0]
    answering, answered = links(theirs)
    blocks = [
        ([0], [0], [1]),
        (row_of[chosen_at], np.arange(1, len(support)), np.ones(len(chosen_at), np.int64)),
        (row_of[entered], column_of[leaving], np.full(len(entered), -1)),
        (responses + np.flatnonzero(able), values + 1 + theirs.infoset_of[able], np.ones(able.sum(), np.int64)),
        (responses + answering, values + 1 + answered, np.full(len(answered), -1)),
        (responses + answers, places, -gains),
    ]
    rows, columns, whole = (np.concatenate(part) for part in zip(*blocks, strict=True))
    scale = 1
    while np.abs(gains).max(initial=0) > LARGEST * scale:
        scale *= 2
    floats = whole.astype(float)
    floats[len(floats) - len(gains) :] /= scale
    order = sparse(rows, columns, np.arange(len(rows)), height)
    row_lower, row_upper = np.zeros(height), np.zeros(height)
    row_lower[0] = row_upper[0] = 1
    row_upper[responses:] = inf
    row_lower[responses:][~able] = -inf
    column_lower, column_upper = np.zeros(width), np.full(width, inf)
    column_lower[values:] = -inf
    cost = np.zeros(width)
    cost[values] = 1
    matrix, bounds = Sparse(order.start, order.column, floats[order.value]), (column_lower, column_upper)
    return LinearProgram(cost, matrix, whole[order.value], row_lower, row_upper, *bounds, scale * unit)


FILE_COMMENT = {".mps": "*", ".lp": "\\"}  # start of a comment line, by the format of a file


def program_text(form: SequenceForm, primal_player: int, ending: str, title: str) -> str:
    """Return a player's LP on a sequence form as a file for GLPK, HiGHS and other solvers, ending with .mps or .lp.

    Column x17 is the plan of the planner at its sequence 17, v the value, v3 that of the responder's infoset 3; row e3
    holds the planner's infoset 3, row r17 the responder's sequence 17. The program is to be minimised in both formats,
    since GLPK does not read the sense from .mps files.
    """
    program, (mine, theirs) = program_of(form, primal_player), form.treeplexes[:: 1 if primal_player == 0 else -1]
    model = replace(program, cost=program.cost * abs(float(program.unit))).model
    model.model_name_ = "sequence_form"
    model.col_names_ = [f"x{k}" for k in range(mine.sequences)] + ["v"] + [f"v{k}" for k in range(theirs.infosets)]
    model.row_names_ = [
        "start",
        *(f"e{k}" for k in range(program.height - 1 - theirs.sequences)),
        *(f"r{k}" for k in range(theirs.sequences)),
    ]
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"program{ending}"
        write_program(model, str(file))
        body = file.read_text(encoding="utf-8")
    sign = "the value of the first player" if primal_player else "minus the value of the first player"
    told = (
        f"{title}: player {primal_player + 1}'s linear program on the sequence form, to be minimised",
        f"{program.height} rows, {program.width} columns, {len(program.whole)} nonzeros; the optimum is {sign}",
    )
    return "".join(f"{FILE_COMMENT[ending]} {line}\n" for line in told) + body


def plans_of(
    form: SequenceForm, primal_player: int, primal: np.ndarray, dual: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return both players' plans from a solution of `program_of`, cleaned of rounding errors.

    The planner's plan is the first part of the primal. The responder's is the dual of its rows: in HiGHS the dual of a
    row is how much the least cost grows with the row's bound, so it is not negative for these rows, bounded below; by
    the free columns of the values, the duals of an infoset sum to the dual of its parent.
    """
    mine, theirs = form.treeplexes[primal_player], form.treeplexes[1 - primal_player]
    plan = plan_of(mine, behaviour_of(mine, primal[: mine.sequences]))
    response = plan_of(theirs, behaviour_of(theirs, dual[1 + mine.infosets :]))
    return (response, plan) if primal_player else (plan, response)


# Linear programming by HiGHS, in slices that can be interrupted and resumed, and the resulting equilibrium.
#
# The dual simplex method is used: it ends at a vertex, and with presolve it took no more time than the primal one on
# Leduc, liar's dice and goofspiel, and about as much as the interior-point method or less. HiGHS first reduces a
# program (presolve), which is a function of the program alone; every slice of iterations then starts from the program
# and a basis, and nothing else. So an interrupted solve takes the same path as an uninterrupted one, and its state is
# the basis.

TOLERANCE = 1e-9
PRECISE: dict[str, Option] = {
    "simplex_strategy": 1,
    "primal_feasibility_tolerance": TOLERANCE,
    "dual_feasibility_tolerance": TOLERANCE,
}  # the dual simplex method, with tolerances that separate the supports of strategies from rounding errors
NO_LIMIT = 2**31 - 1
REDUCED, FULL = 0, 1  # the program of a basis: the one after presolve, or the original one
DIVIDER = b"\xff"


@dataclass(frozen=True, eq=False)
class LpPoint:
    """An optimum of a program; `value` is the first player's."""

    value: float
    primal: np.ndarray
    dual: np.ndarray  # one for each row: how much the least cost grows with the row's bound
    iterations: int
    basis: bytes | None  # none for an interior point, which is no vertex


def basis_statuses(program: LinearProgram, basis: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the HiGHS status of each column and of each row at an optimum."""
    stage, _, status = _unpack(basis)
    columns, _, rows = status.partition(DIVIDER)
    if stage != FULL or (len(columns), len(rows)) != (program.width, program.height):
        raise ValueError("this basis does not belong to an optimum of this program; advance the simplex to its end")
    return np.frombuffer(columns, np.uint8), np.frombuffer(rows, np.uint8)


class Simplex:
    """An interruptible simplex solve of a program; `basis` is its whole state."""

    def __init__(self, program: LinearProgram, basis: bytes | None = None) -> None:
        self.program = program
        self._keeper = solver_of(program.model, **PRECISE)
        self._reduced: Any = None
        self._point: LpPoint | None = None
        self._stage, self.iterations, self._status = (REDUCED, 0, b"") if basis is None else _unpack(basis)
        if self._stage == REDUCED:
            self._presolve()
        model: Any = self._reduced if self._stage == REDUCED else self._keeper.getLp()
        shape = tuple(map(len, self._status.split(DIVIDER)))
        if self._status and shape != (model.num_col_, model.num_row_):
            raise ValueError("this basis belongs to another program; give the program that it was made for")

    @property
    def basis(self) -> bytes:
        """The state, from which another `Simplex` of the same program resumes."""
        head = bytes([self._stage]) + self.iterations.to_bytes(8, "little")
        return zlib.compress(head + self._status, 9)

    @property
    def point(self) -> LpPoint:
        """The optimum, once `advance` has returned True."""
        if self._point is None:
            raise ValueError("the optimum is not reached yet; call advance until it returns True")
        return self._point

    def advance(self, iterations: int = NO_LIMIT) -> bool:
        """Run at most this many iterations; return True if the optimum is reached.

        Every call factorises the basis again, so slices should have a thousand iterations or more.
        """
        before = self.iterations
        if self._stage == REDUCED:
            solver = solver_of(self._reduced, **PRECISE)
            if not self._slice(solver, iterations):
                return False
            check(self._keeper.postsolve(solver.getSolution(), solver.getBasis()), "postsolve failed")
            self._stage, self._status = FULL, _pack(self._keeper)
        # The point is computed from the basis of the whole program, also right after postsolve
        if not self._slice(self._keeper, max(iterations - (self.iterations - before), 0)):
            return False
        self._point = _point(self.program, self._keeper, self.iterations, self.basis)
        return True

    def optimum(self) -> LpPoint:
        while not self.advance():
            pass
        return self.point

    def _presolve(self) -> None:
        """Reduce the program; an irreducible one is solved unchanged, an empty one is solved already."""
        import highspy

        check(self._keeper.presolve(), "presolve failed")
        found, kinds = self._keeper.getModelPresolveStatus(), highspy.HighsPresolveStatus
        if found == kinds.kReduced:
            self._reduced = self._keeper.getPresolvedLp()
            return
        self._stage = FULL
        if found != kinds.kNotReduced:
            run(self._keeper)
            self._status = _pack(self._keeper)

    def _slice(self, solver: Any, iterations: int) -> bool:
        """Continue from the basis alone; return True if the optimum is found."""
        solver.clearSolver()
        solver.setOptionValue("presolve", "off")
        solver.setOptionValue("simplex_iteration_limit", min(iterations, NO_LIMIT))
        if self._status:
            set_basis(solver, *self._status.split(DIVIDER))
        found = run(solver)
        self.iterations += max(solver.getInfo().simplex_iteration_count, 0)
        if not found or self._stage == FULL:  # the basis of a reduced program is needed to go on alone
            self._status = _pack(solver)
        return found


def solve_lp(program: LinearProgram, method: str = "simplex") -> LpPoint:
    """Solve a program: a vertex by "simplex", a point inside the optimal face by "ipm"."""
    if method == "simplex":
        return Simplex(program).optimum()
    if method != "ipm":
        raise ValueError(f"there is no method {method!r}: it is 'simplex' or 'ipm'")
    solver = solver_of(program.model, **PRECISE | {"solver": "ipm", "run_crossover": "off"})
    run(solver)
    return _point(program, solver, max(solver.getInfo().ipm_iteration_count, 0), None)


@dataclass(frozen=True, eq=False)
class BehaviourEquilibrium:
    value: float  # the program's optimum, between `lower` and `upper` up to rounding
    behaviours: tuple[np.ndarray, np.ndarray]
    lower: float  # value of the first strategy against its best response
    upper: float  # value of the best response to the second strategy
    primal_player: int
    point: LpPoint

    @property
    def gap(self) -> float:
        return self.upper - self.lower


def primal_player_of(form: SequenceForm, primal_player: int | str = "auto") -> int:
    """Return the requested planner, or else the one with fewer LP rows, for a faster simplex; ties: the second."""
    if primal_player in (0, 1):
        return int(primal_player)
    if primal_player != "auto":
        valid = "0 is the first player, 1 the second, or say 'auto'"
        raise ValueError(f"primal_player {primal_player!r} is not a player: {valid}")
    first, second = form.treeplexes
    return int(second.infosets + first.sequences <= first.infosets + second.sequences)


def equilibrium(form: SequenceForm, primal_player: int | str = "auto", method: str = "simplex") -> BehaviourEquilibrium:
    """Find optimal strategies by LP, with bounds from best responses to them; "auto" means `primal_player_of`."""
    chosen = primal_player_of(form, primal_player)
    point = solve_lp(program_of(form, chosen), method)
    plans = plans_of(form, chosen, point.primal, point.dual)
    lower, upper = guaranteed_value(form, *plans)
    first, second = map(behaviour_of, form.treeplexes, plans)
    return BehaviourEquilibrium(point.value, (first, second), lower, upper, chosen, point)


def _point(program: LinearProgram, solver: Any, iterations: int, basis: bytes | None) -> LpPoint:
    solution = solver.getSolution()
    value = solver.getInfo().objective_function_value * float(program.unit) + 0.0  # no minus zero
    return LpPoint(value, np.array(solution.col_value), np.array(solution.row_dual), iterations, basis)


def _pack(solver: Any) -> bytes:
    """Return the status of the columns, then of the rows, one byte each."""
    columns, rows = statuses(solver)
    return columns.tobytes() + DIVIDER + rows.tobytes()


def _unpack(basis: bytes) -> tuple[int, int, bytes]:
    """Return the stage, the iterations so far, and the status of columns and rows, from the bytes of a basis."""
    try:
        plain = zlib.decompress(basis)
    except zlib.error as error:
        raise ValueError("these bytes are no basis; give the `basis` of a Simplex") from error
    return plain[0], int.from_bytes(plain[1:9], "little"), plain[9:]
