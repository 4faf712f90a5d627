"""The spies' linear programme for HiGHS: rows are added as plans are found, and solved again from the last basis."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..exact_basis import vertex
from ..sequence_form import sparse
from ..sequence_lp import Program
from .opening import Opening, Plan, row


class Solved(NamedTuple):
    """A solution of the programme."""

    spies: np.ndarray
    """The realisation plan of the spies."""
    values: np.ndarray
    """The value of each infoset of the resistance, in spy sets."""


class Programme:
    """min q(0) over (y, q), where y is the spies' realisation plan and q the values of the resistance's infosets."""

    def __init__(self, game: Opening) -> None:
        import highspy

        self.game = game
        self.sequences = 1 + 2 * len(game.spy_parent)
        self.tails = np.array([tail.number for tail in game.tails])
        self.plans: list[tuple[int, Plan]] = []
        self.rows: list[tuple[list[int], list[int]]] = []
        """The columns and the coefficients of each row."""
        self._added: set[tuple[int, bytes, bytes]] = set()
        self._infinite = highspy.kHighsInf
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._highs = highspy.Highs()
        self._highs.setOptionValue("output_flag", False)
        for option, value in (("presolve", "off"), ("solver", "simplex"), ("parallel", "off")):
            self._highs.setOptionValue(option, value)
        self._lay_out()

    def _lay_out(self) -> None:
        """Write the columns, then the rows of the realisation plan and those of the missions."""
        columns = self.sequences + len(self.game.infosets) + len(self.game.tails)
        self._cost, self._low, self._high = np.zeros(columns), np.zeros(columns), np.full(columns, np.inf)
        self._cost[self.sequences] = 1
        self._low[0] = self._high[0] = 1
        self._low[self.sequences :] = -np.inf
        nothing = np.zeros(columns, np.int32), np.zeros(0, np.int32), np.zeros(0)
        self._highs.addCols(columns, self._cost, self._low, self._high, 0, *nothing)
        self._add([([1 + 2 * i, 2 + 2 * i, parent], [1, 1, -1]) for i, parent in enumerate(self.game.spy_parent)], 0.0)
        missions = []
        for infoset in self.game.infosets:
            for _, won, lost in infoset.options:
                numbers = (infoset.number, won.number, lost.number)
                missions.append(([self.sequences + number for number in numbers], [1, -1, -1]))
        self.decisions = len(self.rows)
        """The first row of a mission; those of the plans follow after the missions."""
        self._add(missions, self._infinite)

    def _add(self, rows: list[tuple[list[int], list[int]]], high: float) -> None:
        """Add rows between 0 and `high`."""
        lengths = [len(columns) for columns, _ in rows]
        starts = np.cumsum([0, *lengths])[:-1].astype(np.int32)
        columns = np.concatenate([columns for columns, _ in rows]).astype(np.int32)
        values = np.concatenate([values for _, values in rows]).astype(np.float64)
        bounds = np.zeros(len(rows)), np.full(len(rows), high)
        self._highs.addRows(len(rows), *bounds, len(columns), starts, columns, values)
        self.rows += rows

    def add(self, plans: Sequence[tuple[int, Plan]]) -> None:
        """Add a row for each plan, given with the number of its tail."""
        rows = []
        for number, plan in plans:
            tail = self.game.tails[number]
            sequences, counts = row(self.game, tail, plan)
            key = number, sequences.tobytes(), counts.tobytes()
            assert key not in self._added, "a plan was added twice"
            self._added.add(key)
            rows.append(([*sequences.tolist(), self.sequences + tail.number], [*(-counts).tolist(), 1]))
        self.plans += plans
        self._add(rows, self._infinite)

    def solve(self) -> Solved:
        """The solution for the plans added so far."""
        self._highs.run()
        if self._highs.getModelStatus() != self._optimal:
            raise RuntimeError(f"HiGHS did not solve the programme: {self._highs.getModelStatus()}")
        columns = np.array(self._highs.getSolution().col_value)
        return Solved(columns[: self.sequences], columns[self.sequences :])

    def vertex(self) -> tuple[list[Fraction], list[Fraction]] | None:
        """The last solution in fractions: all columns, and the multipliers of all rows."""
        lines = np.repeat(np.arange(len(self.rows)), [len(columns) for columns, _ in self.rows])
        columns = np.concatenate([columns for columns, _ in self.rows])
        values = np.concatenate([values for _, values in self.rows])
        matrix = sparse(lines, columns, values, len(self.rows))
        high = np.full(len(self.rows), np.inf)
        high[: self.decisions] = 0
        bounds = np.zeros(len(self.rows)), high, self._low, self._high
        program = Program(self._cost, matrix, matrix.value, *bounds, unit=Fraction(1))
        basis = self._highs.getBasis()
        statuses = np.array([int(s) for s in basis.col_status]), np.array([int(s) for s in basis.row_status])
        return vertex(program, statuses, np.arange(program.width), np.arange(program.height))
