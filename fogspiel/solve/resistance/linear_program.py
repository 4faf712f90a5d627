"""The spies' linear program: rows are added as plans are found, and solved again from the last basis."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np

from ...stats.highs import Columns, LpFailure, Rows, add_rows, model_of, run, solver_of, statuses
from ..exact_basis import vertex
from ..sequence_form import sparse
from ..sequence_lp import Program
from .opening import Opening, Plan, row

Row = tuple[list[int], list[int]]  # the columns and the coefficients of a row


class Optimum(NamedTuple):
    """A solution of the program."""

    spies: np.ndarray  # the realisation plan of the spies
    values: np.ndarray  # the value of each infoset of the resistance, in spy sets


class SpyProgram:
    """min q(0) over (y, q), where y is the spies' realisation plan and q the values of the resistance's infosets.

    Rows are those of the realisation plan (equal to 0), then those of the missions and of the plans (0 or more).
    """

    def __init__(self, game: Opening) -> None:
        self.game = game
        self.sequences = 1 + 2 * len(game.spy_parent)
        self.tails = np.array([tail.number for tail in game.tails])
        self.plans: list[tuple[int, Plan]] = []
        self.rows: list[Row] = [
            ([1 + 2 * i, 2 + 2 * i, parent], [1, 1, -1]) for i, parent in enumerate(game.spy_parent)
        ]
        self.decisions = len(self.rows)  # the first row of a mission; those of the plans follow after the missions
        for infoset in game.infosets:
            for _, won, lost in infoset.options:
                values = [self.sequences + place.number for place in (infoset, won, lost)]
                self.rows.append((values, [1, -1, -1]))
        width = self.sequences + len(game.infosets) + len(game.tails)
        cost, lower, upper = np.zeros(width), np.zeros(width), np.full(width, inf)
        cost[self.sequences] = 1
        lower[0] = upper[0] = 1
        lower[self.sequences :] = -inf
        self._columns = Columns(cost, lower, upper)
        self._added: set[tuple[int, bytes, bytes]] = set()
        self._solver = solver_of(model_of(self._columns, self._constraints(0)), presolve="off")

    def _constraints(self, first: int) -> Rows:
        """The rows from number `first` on."""
        rows = self.rows[first:]
        start = np.cumsum([0, *(len(columns) for columns, _ in rows)])
        columns = np.concatenate([columns for columns, _ in rows])
        values = np.concatenate([values for _, values in rows]).astype(np.float64)
        upper = np.where(np.arange(first, len(self.rows)) < self.decisions, 0.0, inf)
        return Rows(start, columns, values, np.zeros(len(rows)), upper)

    def add(self, plans: Sequence[tuple[int, Plan]]) -> None:
        """Add a row for each plan, given with the number of its tail."""
        first = len(self.rows)
        for number, plan in plans:
            tail = self.game.tails[number]
            sequences, counts = row(self.game, tail, plan)
            key = number, sequences.tobytes(), counts.tobytes()
            assert key not in self._added, "a plan was added twice"
            self._added.add(key)
            self.rows.append(([*sequences.tolist(), self.sequences + tail.number], [*(-counts).tolist(), 1]))
        self.plans += plans
        add_rows(self._solver, self._constraints(first))

    def solve(self) -> Optimum:
        """The solution for the plans added so far."""
        if not run(self._solver):
            raise LpFailure("the program of the spies was not solved within the iterations that HiGHS allows")
        columns = np.array(self._solver.getSolution().col_value)
        return Optimum(columns[: self.sequences], columns[self.sequences :])

    def vertex(self) -> tuple[list[Fraction], list[Fraction]] | None:
        """The last solution in fractions: all columns, and the multipliers of all rows."""
        rows, (cost, lower, upper) = self._constraints(0), self._columns
        numbers = np.repeat(np.arange(len(self.rows)), np.diff(rows.start))
        matrix = sparse(numbers, rows.column, rows.value, len(self.rows))
        whole = matrix.value.astype(np.int64)
        program = Program(cost, matrix, whole, rows.lower, rows.upper, lower, upper, unit=Fraction(1))
        return vertex(program, statuses(self._solver), np.arange(program.width), np.arange(program.height))
