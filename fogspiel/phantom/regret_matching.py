"""PCFR+ on the two decision DAGs of a phantom game, and the bounds that its strategies prove.

`solve.cfr` does the work, with alternating updates and quadratic averaging. On these games the last iterate converges
fast, and to strategies with small supports. Here are the bounds: the best behaviour that was found so far is kept as a
fourth row of each player's memory, after regret, average plan and latest behaviour.
"""

import numpy as np

from ..solve.cfr import Bounds, RegretMinimiser
from ..solve.sequence_form import best_total, multiply_transposed, plan_of
from .bilinear_form import Form

BEST = 3  # the row of the behaviour that guarantees most


def guaranteed_value(form: Form, player: int, plan: np.ndarray) -> float:
    """Return Black's value if one player keeps to a plan and the other plays a best response."""
    matrix, theirs, sign = (form.columns, form.sides[0], 1) if player else (form.rows, form.sides[1], -1)
    worth = np.empty(theirs.sequences)
    multiply_transposed(matrix.start, matrix.column, matrix.value, plan, worth)
    return 0.5 + sign * best_total(theirs, sign * worth) / form.unit


class Regrets(RegretMinimiser):
    """A run of PCFR+ on a phantom game."""

    parts = 4

    def __init__(self, form: Form):
        super().__init__(form.sides, (form.rows, form.columns), "pcfr+")
        self.form = form
        self.lower, self.upper = 0.0, 1.0

    def bounds(self) -> Bounds:
        """The bounds proved so far, up to rounding, by latest and average strategies at this and earlier looks."""
        best = [rows[BEST] for rows in self._rows(self._memory)]
        for player, behaviours in enumerate(zip(self.last, self.average, strict=True)):
            for behaviour in behaviours:
                found = guaranteed_value(self.form, player, plan_of(self.treeplexes[player], behaviour))
                if found < self.upper if player else found > self.lower:
                    best[player][:] = behaviour
                    self.lower, self.upper = (self.lower, found) if player else (found, self.upper)
        return Bounds(self.lower, self.upper, best[0].copy(), best[1].copy())

    @property
    def _remembered(self) -> list[float]:
        return [self.lower, self.upper]

    def _recall(self, remembered: list[float]) -> None:
        self.lower, self.upper = remembered
