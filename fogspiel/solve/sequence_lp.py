"""The linear program of a sequence form: one player plans, the other one's best response prices the plan.

With the second player as planner, its realisation plan y and one value u for each infoset of the responder solve

    minimise u_root  subject to  F y = e,  y >= 0,  and for each sequence s of the responder, in infoset I,
    u_I - (sum of u_J over its infosets J whose parent is s) - (A y)_s >= 0

(Koller, Megiddo and von Stengel 1994; Bossle 2018, section 5.2). Rows are F first, then one row for each sequence of
the responder; columns are the planner's sequences first, then the root's value and that of each infoset. The first
player plans by the same program with the seats exchanged, so it is a minimisation too.

The values u are in units of 1 / denominator, so that every coefficient is a whole number.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from ..stats.highs import Rows
from .sequence_form import DecisionProblem, SequenceForm, Sparse, behaviour_of, links, plan_of, sparse

LARGEST = 2**10  # payoffs above this are scaled down for the floating-point solver


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
    unit: Fraction  # what the first player gets is the least cost.z (of the floats) times this

    @property
    def constraints(self) -> Rows:
        """The rows as the floating-point solver takes them."""
        return Rows(self.matrix.start, self.matrix.column, self.matrix.value, self.row_lower, self.row_upper)

    @property
    def sizes(self) -> dict[str, int | list[int]]:
        """Sizes for display."""
        return {"rows": self.height, "columns": self.width, "nonzeros": len(self.whole)}

    @property
    def height(self) -> int:
        return len(self.row_lower)

    @property
    def width(self) -> int:
        return len(self.cost)


def program_of(form: SequenceForm, planner: int) -> Program:
    """The program in which `planner` (0 or 1) chooses a plan; its row duals are a plan of the responder."""
    if planner not in (0, 1):
        raise ValueError(f"planner {planner!r} is not a player: 0 is the first player, 1 the second")
    seen = form if planner else form.swapped()
    theirs, mine = seen.treeplexes
    unit = Fraction(1 if planner else -1, form.denominator)
    return planning_program(mine, theirs, np.arange(mine.sequences), seen.rows, seen.columns, seen.payoffs, unit)


def planning_program(
    mine: DecisionProblem,
    theirs: DecisionProblem,
    support: np.ndarray,
    answers: np.ndarray,
    places: np.ndarray,
    gains: np.ndarray,
    unit: Fraction,
) -> Program:
    """The program in which a player plans with the sequences of a support only, against all answers of the other one.

    The support is in order and starts with the empty sequence; gains[k] is what the responder's sequence answers[k]
    gets against the planner's sequence support[places[k]], in units of 1 / |unit|. Infosets that the support neither
    enters nor leaves have no row.
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
        (responses + answers, places, -gains.astype(np.int64)),
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
    matrix = Sparse(order.start, order.column, floats[order.value])
    return Program(
        cost, matrix, whole[order.value], row_lower, row_upper, column_lower, column_upper, scale * unit
    )  # fmt: skip


def plans_of(form: SequenceForm, planner: int, primal: np.ndarray, dual: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both players' plans from a solution of `program_of`, cleaned of rounding errors.

    The planner's plan is the first part of the primal. The responder's is the dual of its rows: in HiGHS the dual of a
    row is how much the least cost grows with the row's bound, so it is not negative for these rows, bounded below; the
    columns of the values, which are free, say that the duals of an infoset add up to the dual of its parent.
    """
    mine, theirs = form.treeplexes[planner], form.treeplexes[1 - planner]
    plan = plan_of(mine, behaviour_of(mine, primal[: mine.sequences]))
    response = plan_of(theirs, behaviour_of(theirs, dual[1 + mine.infosets :]))
    return (response, plan) if planner else (plan, response)
