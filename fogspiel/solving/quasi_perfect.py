"""Quasi-perfect strategies: every decision is best if the opponent errs, the more rarely the more errors it takes.

In the perturbed game of e > 0 each player takes every sequence of k actions with a probability of e^k or more. Limits
of its equilibria for e -> 0 are quasi-perfect (Miltersen and Sorensen 2010): at every infoset the player makes no error
from there on, and plays a best response to the opponent's errors. With plans x >= l(e), y >= m(e) and t the slack of
the opponent's sequences, the program of `lp.program_of` becomes

    minimise  u_root - m(e).t  subject to the same rows and x >= l(e)

The matrix has no e, so one basis is optimal for all small e, and plans are polynomials in e. Their order is that of the
first coefficients that differ. The parametric self-dual simplex method (Dantzig 1963) runs in that ordered field, from
a pair of pure strategies, in floats; then the basis is solved in fractions, and the equilibrium is checked in them.
"""

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..core.compile.kernel import kernel
from ..stats.linear_programs import BASIC
from .exact import vertices
from .methods.lp import LinearProgram, program_of
from .refinement import Behaviours, Fractions, NotRefined, Seat, best_sequences
from .tree.sequence_form import SequenceForm, Treeplex, infosets_of

MAX_ROWS = 4_000  # of a program, whose inverse is dense: 128 MB
TINY = 1e-9  # numbers of this size are rounding errors
REFRESH = 256  # pivots between two inversions of the basis
PLANNER = 1  # the player whose program is solved; its duals are the other one's plan

Polynomials = list[Fractions]  # by power of e, the coefficients of all sequences


class QuasiPerfect(NamedTuple):
    """Strategies at all infosets, and the completely mixed plans in powers of e that tend to them."""

    behaviours: Behaviours
    plans: tuple[Polynomials, Polynomials]


def quasi_perfect(form: SequenceForm) -> QuasiPerfect:
    """Return a quasi-perfect equilibrium; raise NotRefined if it is not found in fractions."""
    program = program_of(form, PLANNER)
    if program.height > MAX_ROWS:
        raise NotRefined(f"its program has {program.height:,} rows, quasi-perfect strategies take at most {MAX_ROWS:,}")
    theirs, mine = form.treeplexes
    lengths = lengths_of(mine), lengths_of(theirs)
    basic = _Simplex(program, mine, theirs, *lengths).optimum()
    statuses = (
        np.where(basic[: program.width], BASIC, 0),
        np.r_[np.zeros(1 + mine.infosets, int), basic[program.width :]],
    )
    powers = [_power(program, mine, k, *lengths) for k in range(1 + max(map(max, lengths)))]
    rows = 1 + mine.infosets + np.arange(theirs.sequences)
    solved = vertices(powers, statuses, np.arange(mine.sequences), rows)
    if solved is None:
        raise NotRefined("the equations of the quasi-perfect strategies are too hard to be solved in fractions")
    second = [primal for primal, _ in solved]
    first = [
        [share + (0 < k == n) for share, n in zip(dual, lengths[1], strict=True)] for k, (_, dual) in enumerate(solved)
    ]
    behaviours = limit(theirs, first), limit(mine, second)
    for player, (plan, behaviour) in enumerate(zip((second, first), behaviours, strict=True)):
        seat = Seat(form, player)
        best = best_sequences(seat.mine, [seat.costs(coefficients) for coefficients in plan])
        if any(share and not good for share, good in zip(behaviour, best, strict=True)):
            raise NotRefined("the strategies are quasi-perfect in floating point only")
    return QuasiPerfect(behaviours, (first, second))


def lengths_of(treeplex: Treeplex) -> np.ndarray:
    """Return the number of actions of each sequence."""
    lengths = np.zeros(treeplex.sequences, np.int64)
    for parent, first, count in infosets_of(treeplex):
        lengths[first : first + count] = lengths[parent] + 1
    return lengths


def limit(treeplex: Treeplex, plan: Polynomials) -> Fractions:
    """Return the behaviour to which a completely mixed plan tends; raise NotRefined if it is not completely mixed."""
    behaviour = [Fraction(1)] * treeplex.sequences
    for _, first, count in infosets_of(treeplex):
        rows = [coefficients[first : first + count] for coefficients in plan]
        if not all(next(filter(None, shares), 0) > 0 for shares in zip(*rows, strict=True)):
            raise NotRefined("the trembles of the quasi-perfect strategies are not positive")
        leading = next(row for row in rows if any(row))
        behaviour[first : first + count] = [share / sum(leading) for share in leading]
    return behaviour


def _power(program: LinearProgram, mine: Treeplex, k: int, own: np.ndarray, other: np.ndarray) -> LinearProgram:
    """Return the program with the coefficients of e^k as its costs and bounds, in integers."""
    if k == 0:
        return program
    responses = np.repeat(np.r_[np.zeros(1 + mine.infosets, bool), other == k], np.diff(program.matrix.start))
    cost = np.zeros(program.width, np.int64)
    np.subtract.at(cost, program.matrix.column[responses], program.whole[responses])
    lower = program.column_lower.copy()
    lower[: mine.sequences] = own == k
    return replace(
        program, cost=cost, column_lower=lower, row_lower=np.zeros(program.height), row_upper=np.zeros(program.height)
    )


@kernel
def eliminate(matrix, pivot, column):
    """Divide a row by its entry of the column, and subtract its multiples by those of the others from the others."""
    own = matrix[pivot] / column[pivot]
    filled = np.flatnonzero(own)
    for row in range(len(matrix)):
        if row != pivot and column[row] != 0:
            for place in filled:
                matrix[row, place] -= column[row] * own[place]
    matrix[pivot] = own


class _Simplex:
    """The parametric self-dual simplex method: minimise c(e).v subject to A v = b(e), v >= 0 but for free variables.

    Variables are the plan above its bounds, the opponent's values (free, and always basic), and the slack of each of
    the opponent's sequences. Numbers are polynomials in e, by rows. The last column is the coefficient of a parameter
    p: right sides and costs have p times drawn positive numbers added, so that the first basis is optimal for large
    p, and p falls to 0. Where it cannot fall further, the basis changes: `x` are the basic variables, `d` the costs.
    """

    def __init__(
        self, program: LinearProgram, mine: Treeplex, theirs: Treeplex, own: np.ndarray, other: np.ndarray
    ) -> None:
        width, height, plans = program.width, program.height, 1 + mine.infosets
        slack = np.arange(theirs.sequences)
        row = np.r_[np.repeat(np.arange(height), np.diff(program.matrix.start)), plans + slack]
        column = np.r_[program.matrix.column, width + slack]
        value = np.r_[program.matrix.value, np.full(len(slack), -1.0)]
        order = np.argsort(column, kind="stable")
        self._row, self._column, self._value = row[order], column[order], value[order]
        self._count = width + len(slack)
        self._start = np.searchsorted(self._column, np.arange(self._count + 1))
        self.free = np.zeros(self._count, bool)
        self.free[mine.sequences : width] = True
        self.basic = self.free.copy()
        self.basic[np.r_[0, mine.first]] = True
        self.basic[width + np.setdiff1d(slack, np.r_[0, theirs.first])] = True
        self._basis = np.flatnonzero(self.basic)
        degree, drawn = max(own.max(), other.max()), np.random.default_rng(0)
        self._right, self._cost = np.zeros((height, degree + 2)), np.zeros((self._count, degree + 2))
        for k in range(1, degree + 1):
            self._right[:, k] = -self._times(np.r_[own == k, np.zeros(self._count - len(own))])
            self._cost[width:, k] = np.where(other == k, -1, 0)
        self._right[0, 0] = self._cost[mine.sequences, 0] = 1
        self._right[:, -1] = self._times(np.where(self.basic & ~self.free, drawn.uniform(1, 2, self._count), 0))
        self._cost[:, -1] = np.where(self.basic, 0, drawn.uniform(1, 2, self._count))
        self._refresh()

    def _times(self, variables: np.ndarray) -> np.ndarray:
        return np.bincount(self._row, self._value * variables[self._column], len(self._right))

    def _refresh(self) -> None:
        """Compute the numbers of the basis anew."""
        size = len(self._basis)
        place = np.full(self._count, -1)
        place[self._basis] = np.arange(size)
        inside = place[self._column] >= 0
        matrix = np.zeros((size, size))
        matrix[self._row[inside], place[self._column[inside]]] = self._value[inside]
        self._inverse = np.linalg.inv(matrix)
        self.x = self._inverse @ self._right
        duals = self._cost[self._basis].T @ self._inverse
        prices = [np.bincount(self._column, self._value * row[self._row], self._count) for row in duals]
        self.d = self._cost - np.array(prices).T
        self.d[self._basis] = 0

    def optimum(self) -> np.ndarray:
        """Return the basic variables of an optimal basis."""
        pivots = 0
        while (found := self._least()) is not None:
            least, leaving, entering = found
            if entering is None:
                row = self._line(leaving)
                able = np.flatnonzero((row < -TINY) & ~self.basic)
                ratios = self._at(self.d[able], least) / -row[able, None]
                entering = self._first(able, ratios)
                column = self._direction(entering)
            else:
                column = self._direction(entering)
                able = np.flatnonzero((column > TINY) & ~self.free[self._basis])
                leaving = self._first(able, self._at(self.x[able], least) / column[able, None])
                row = self._line(leaving)
            pivots += 1
            self._exchange(leaving, entering, column, row, pivots % REFRESH == 0)
        return self.basic

    def _least(self) -> tuple[np.ndarray, int, int | None] | None:
        """Return the least p of the basis, and the basic or else the other variable that limits it; None below 0."""
        leaving = np.flatnonzero((self.x[:, -1] > TINY) & ~self.free[self._basis])
        entering = np.flatnonzero((self.d[:, -1] > TINY) & ~self.basic)
        numbers = np.r_[self.x[leaving], self.d[entering]]
        limits = numbers[:, :-1] / numbers[:, -1:]
        place = self._first(np.arange(len(limits)), limits)
        significant = limits[place][np.abs(limits[place]) > TINY]
        if not len(significant) or significant[0] > 0:
            return None
        if place < len(leaving):
            return -limits[place], int(leaving[place]), None
        return -limits[place], -1, int(entering[place - len(leaving)])

    @staticmethod
    def _at(numbers: np.ndarray, parameter: np.ndarray) -> np.ndarray:
        return numbers[:, :-1] + np.outer(numbers[:, -1], parameter)

    @staticmethod
    def _first(places: np.ndarray, polynomials: np.ndarray) -> int:
        """Return the place of the least polynomial."""
        for power in range(polynomials.shape[1]):
            numbers = polynomials[:, power]
            least = numbers <= numbers.min(initial=np.inf) + TINY
            places, polynomials = places[least], polynomials[least]
        if not len(places):
            raise NotRefined("the perturbed program has no optimum in floating point")
        return int(places[0])

    def _line(self, leaving: int) -> np.ndarray:
        """Return the row of a basic variable in the tableau."""
        return np.bincount(self._column, self._value * self._inverse[leaving, self._row], self._count)

    def _direction(self, entering: int) -> np.ndarray:
        """Return the column of a variable in the tableau."""
        own = slice(self._start[entering], self._start[entering + 1])
        column: np.ndarray = self._inverse[:, self._row[own]] @ self._value[own]
        return column

    def _exchange(self, leaving: int, entering: int, column: np.ndarray, row: np.ndarray, anew: bool) -> None:
        """Let a variable enter the basis at the place of another one."""
        self.basic[[self._basis[leaving], entering]] = False, True
        self._basis[leaving] = entering
        if anew:
            self._refresh()
            return
        pivot = column[leaving]
        eliminate(self._inverse, leaving, column)
        step = self.x[leaving] / pivot
        self.x -= np.outer(column, step)
        self.x[leaving] = step
        self.d -= np.outer(row / pivot, self.d[entering])
        self.d[self._basis] = 0
