"""The linear program of a sequence form: one player plans, the other one's best response prices the plan.

With the second player as planner, his realisation plan y and one value u for each infoset of the responder solve

    minimise u_root  subject to  F y = e,  y >= 0,  and for each sequence s of the responder, in infoset I,
    u_I - (sum of u_J over his infosets J whose parent is s) - (A y)_s >= 0

(Koller, Megiddo and von Stengel 1994; Bossle 2018, section 5.2). Rows are F first, then one row for each sequence of
the responder; columns are the planner's sequences first, then the root's value and that of each infoset. The first
player plans by the same program with the seats exchanged, so it is a minimisation too.

The values u are in units of 1 / denominator, so that every coefficient is a whole number.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from .sequence_form import SequenceForm, Sparse, behaviour_of, plan_of, sparse

LARGEST = 2**10
"""Payoffs above this are scaled down for the floating-point solver."""


@dataclass(frozen=True, eq=False)
class Program:
    """A linear program: minimise cost.z subject to row_lower <= M z <= row_upper, column_lower <= z <= column_upper.

    The same program twice: `matrix` has the floats that a solver takes, `whole` the whole numbers (int64, one for each
    entry of `matrix`) of the program for exact arithmetic. They may differ by the unit in which some columns are
    measured: costs are the same in both, and so are the bounds, which are whole numbers or infinite.
    """

    cost: np.ndarray
    matrix: Sparse
    whole: np.ndarray
    row_lower: np.ndarray
    row_upper: np.ndarray
    column_lower: np.ndarray
    column_upper: np.ndarray
    unit: Fraction
    """What the first player gets is the least cost.z (of the floats) times this."""

    @property
    def height(self) -> int:
        return len(self.row_lower)

    @property
    def width(self) -> int:
        return len(self.cost)


def program_of(form: SequenceForm, planner: int) -> Program:
    """The program in which `planner` (0 or 1) chooses his plan; its row duals are a plan of the responder."""
    if planner not in (0, 1):
        raise ValueError(f"planner {planner!r} is not a player: 0 is the first player, 1 the second")
    seen = form if planner else form.swapped()
    theirs, mine = seen.plexes
    values = mine.sequences
    responses = 1 + mine.infosets
    width, height = values + 1 + theirs.infosets, responses + theirs.sequences
    blocks = [
        ([0], [0], [1]),
        (1 + mine.infoset_of[1:], np.arange(1, mine.sequences), np.ones(mine.sequences - 1, np.int64)),
        (1 + np.arange(mine.infosets), mine.parent, np.full(mine.infosets, -1)),
        (responses + np.arange(theirs.sequences), values + 1 + theirs.infoset_of, np.ones(theirs.sequences, np.int64)),
        (responses + theirs.parent, values + 1 + np.arange(theirs.infosets), np.full(theirs.infosets, -1)),
        (responses + seen.rows, seen.columns, -seen.payoffs),
    ]
    rows, columns, whole = (np.concatenate(part) for part in zip(*blocks, strict=True))
    scale = 1
    while np.abs(seen.payoffs).max(initial=0) > LARGEST * scale:
        scale *= 2
    floats = whole.astype(float)
    floats[len(floats) - len(seen.payoffs) :] /= scale
    places = sparse(rows, columns, np.arange(len(rows)), height)
    row_lower, row_upper = np.zeros(height), np.zeros(height)
    row_lower[0] = row_upper[0] = 1
    row_upper[responses:] = inf
    column_lower, column_upper = np.zeros(width), np.full(width, inf)
    column_lower[values:] = -inf
    cost = np.zeros(width)
    cost[values] = 1
    return Program(
        cost,
        Sparse(places.start, places.column, floats[places.value]),
        whole[places.value],
        row_lower,
        row_upper,
        column_lower,
        column_upper,
        Fraction(scale if planner else -scale, form.denominator),
    )


def plans_of(form: SequenceForm, planner: int, primal: np.ndarray, dual: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both players' plans from a solution of `program_of`, cleaned of rounding errors.

    The planner's plan is the first part of the primal. The responder's is the dual of his rows: in HiGHS the dual of a
    row is how much the least cost grows with the row's bound, so it is not negative for these rows, bounded below; the
    columns of the values, which are free, say that the duals of an infoset add up to the dual of its parent.
    """
    mine, theirs = form.plexes[planner], form.plexes[1 - planner]
    plan = plan_of(mine, behaviour_of(mine, primal[: mine.sequences]))
    response = plan_of(theirs, behaviour_of(theirs, dual[1 + mine.infosets :]))
    return (response, plan) if planner else (plan, response)
