"""Linear programming by HiGHS, in slices that can be interrupted and resumed, and the equilibrium it gives.

The dual simplex method is used: it ends at a vertex, and with presolve it took no more time than the primal one on
Leduc, liar's dice and goofspiel, and about as much as the interior-point method or less. HiGHS first reduces a program
(presolve), which is a function of the program alone; every slice of iterations then starts from the program and a
basis, and nothing else. So a solve that was stopped takes the same path as one that was not, and its state is the
basis.
"""

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..stats.highs import BASIC, Columns, Option, Rows, add_rows, check, model_of, run, set_basis, solver_of, statuses
from .sequence_form import SequenceForm, behaviour_of, guaranteed_value
from .sequence_lp import Program, plans_of, program_of

TOLERANCE = 1e-9
PRECISE: dict[str, Option] = {
    "simplex_strategy": 1,
    "primal_feasibility_tolerance": TOLERANCE,
    "dual_feasibility_tolerance": TOLERANCE,
}  # the dual simplex method, with tolerances at which the supports of strategies can be told from rounding errors
NO_LIMIT = 2**31 - 1
REDUCED, FULL = 0, 1  # which program a basis belongs to: the one that presolve left, or the one that was asked
DIVIDER = b"\xff"


@dataclass(frozen=True, eq=False)
class LpPoint:
    """An optimum of a program: `value` is what the first player gets."""

    value: float
    primal: np.ndarray
    dual: np.ndarray  # one for each row: how much the least cost grows with the row's bound
    iterations: int
    basis: bytes | None  # none for an interior point, which is no vertex


def basis_statuses(program: Program, basis: bytes) -> tuple[np.ndarray, np.ndarray]:
    """The HiGHS status of each column and of each row at an optimum."""
    stage, _, status = _unpack(basis)
    columns, _, rows = status.partition(DIVIDER)
    if stage != FULL or (len(columns), len(rows)) != (program.width, program.height):
        raise ValueError("this basis does not belong to an optimum of this program; advance the simplex to its end")
    return np.frombuffer(columns, np.uint8), np.frombuffer(rows, np.uint8)


class Simplex:
    """A program on its way to the optimum; `basis` is all there is to know about how far it is."""

    def __init__(self, program: Program, basis: bytes | None = None) -> None:
        self.program = program
        self._keeper = solver_of(_model(program), **PRECISE)
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
        """The state, from which another `Simplex` of the same program goes on."""
        head = bytes([self._stage]) + self.iterations.to_bytes(8, "little")
        return zlib.compress(head + self._status, 9)

    @property
    def point(self) -> LpPoint:
        """The optimum, once `advance` has said that it is reached."""
        if self._point is None:
            raise ValueError("the optimum is not reached yet; call advance until it returns True")
        return self._point

    def advance(self, iterations: int = NO_LIMIT) -> bool:
        """Go on for at most so many iterations; whether the optimum is reached.

        Every call factorises the basis anew, so that a thousand iterations or more are a good slice.
        """
        before = self.iterations
        if self._stage == REDUCED:
            solver = self._slice(self._reduced, iterations)
            if solver is None:
                return False
            check(self._keeper.postsolve(solver.getSolution(), solver.getBasis()), "postsolve failed")
            self._stage, self._status = FULL, _pack(self._keeper)
        # The point is computed from the basis of the whole program, also right after postsolve
        solver = self._slice(self._keeper.getLp(), max(iterations - (self.iterations - before), 0))
        if solver is None:
            return False
        self._point = _point(self.program, solver, self.iterations, self.basis)
        return True

    def optimum(self) -> LpPoint:
        """Go on to the end."""
        while not self.advance():
            pass
        return self.point

    def add_rows(self, rows: Rows) -> None:
        """Add rows before the first step or at an optimum, staying warm.

        A basis from now on belongs to the program with these rows.
        """
        if self._stage == REDUCED and self._status:
            raise ValueError("rows can be added before the first step or at an optimum; advance to the optimum first")
        self._stage, self._reduced, self._point = FULL, None, None
        if self._status:
            self._status += bytes([BASIC]) * len(rows.lower)
        add_rows(self._keeper, rows)

    def _presolve(self) -> None:
        """Reduce the program; one that does not shrink is solved as it is, one that vanishes is solved already."""
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

    def _slice(self, model: Any, iterations: int) -> Any:
        """The solver after one slice if it found the optimum, else None."""
        solver = solver_of(model, presolve="off", simplex_iteration_limit=min(iterations, NO_LIMIT), **PRECISE)
        if self._status:
            set_basis(solver, *self._status.split(DIVIDER))
        found = run(solver)
        self.iterations += max(solver.getInfo().simplex_iteration_count, 0)
        self._status = _pack(solver)
        return solver if found else None


def solve_lp(program: Program, method: str = "simplex") -> LpPoint:
    """The optimum of a program: a vertex by "simplex", a point inside the optimal face by "ipm"."""
    if method == "simplex":
        return Simplex(program).optimum()
    if method != "ipm":
        raise ValueError(f"there is no method {method!r}: it is 'simplex' or 'ipm'")
    solver = solver_of(_model(program), **PRECISE | {"solver": "ipm", "run_crossover": "off"})
    run(solver)
    return _point(program, solver, max(solver.getInfo().ipm_iteration_count, 0), None)


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A behaviour strategy of each player, and what they secure."""

    value: float  # the program's optimum; it is between `lower` and `upper` but for rounding
    behaviours: tuple[np.ndarray, np.ndarray]
    lower: float  # what the first strategy gets against its best response
    upper: float  # what the best response gets against the second strategy
    planner: int
    point: LpPoint

    @property
    def gap(self) -> float:
        return self.upper - self.lower


def planner_of(form: SequenceForm, planner: int | str = "auto") -> int:
    """The planner that is asked for, or else the one whose program has fewer rows.

    The simplex method's work grows with them; ties go to the second player.
    """
    if planner not in (0, 1, "auto"):
        raise ValueError(f"planner {planner!r} is not a player: 0 is the first player, 1 the second, or say 'auto'")
    if planner != "auto":
        return int(planner)
    first, second = form.treeplexes
    return int(second.infosets + first.sequences <= first.infosets + second.sequences)


def equilibrium(form: SequenceForm, planner: int | str = "auto", method: str = "simplex") -> Equilibrium:
    """Optimal strategies by linear programming, with bounds from best responses to them (not from the program).

    The planner "auto" is the player whose program has fewer rows (`planner_of`).
    """
    chosen = planner_of(form, planner)
    point = solve_lp(program_of(form, chosen), method)
    x, y = plans_of(form, chosen, point.primal, point.dual)
    lower, upper = guaranteed_value(form, x, y)
    first, second = form.treeplexes
    return Equilibrium(point.value, (behaviour_of(first, x), behaviour_of(second, y)), lower, upper, chosen, point)


def _model(program: Program) -> Any:
    """The program as HiGHS takes it."""
    return model_of(Columns(program.cost, program.column_lower, program.column_upper), program.constraints)


def _point(program: Program, solver: Any, iterations: int, basis: bytes | None) -> LpPoint:
    solution = solver.getSolution()
    value = solver.getInfo().objective_function_value * float(program.unit) + 0.0  # no minus zero
    return LpPoint(value, np.array(solution.col_value), np.array(solution.row_dual), iterations, basis)


def _pack(solver: Any) -> bytes:
    """The status of the columns, then of the rows, a byte each."""
    columns, rows = statuses(solver)
    return columns.tobytes() + DIVIDER + rows.tobytes()


def _unpack(basis: bytes) -> tuple[int, int, bytes]:
    """The stage, the iterations so far, and the status of columns and rows, from the bytes of a basis."""
    try:
        plain = zlib.decompress(basis)
    except zlib.error as error:
        raise ValueError("these bytes are no basis; give the `basis` of a Simplex") from error
    return plain[0], int.from_bytes(plain[1:9], "little"), plain[9:]
