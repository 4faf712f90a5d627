"""From the last iterate of a phantom game to strategies in fractions whose guarantees are proved in whole numbers.

A player's last plan has a small support. The best plan with that support is a small linear program against all the
answers of the other player; its vertex has small denominators and is found exactly by `solve.exact_basis`. Nothing of
this is trusted: conservation of flow and the best response in the whole form are checked in whole numbers.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from ..core.kernel import kernel
from ..solve.exact_basis import vertex
from ..solve.lp import Simplex, basis_statuses
from ..solve.sequence_form import fold_best, links, multiply_transposed
from ..solve.sequence_lp import Program, planning_program
from .bilinear_form import DecisionDag, Form

NOISE = 1e-9  # weights up to this do not count as support
MOST = 2**62  # sums in whole numbers stay below this, so that they fit into 64 bits
DOWN = 1.0 - 1e-15  # rounds a product of floats down, so that the shares of an infoset never exceed the whole
LARGEST = 600_000  # programs with more rows and columns than this are not tried
FINE = 2**48  # the denominator of a plan whose weights are rounded


@dataclass(frozen=True, eq=False)
class Plan:
    """The weight of each sequence in whole numbers over one denominator."""

    weights: np.ndarray
    denominator: int


def restrict_to_support(form: Form, player: int, support: np.ndarray) -> Program:
    """The program in which a player plans with some sequences only, against all answers; columns: plan, then values.

    It is a minimisation for both: White's loss, or minus Black's gain, in units of 1 / unit.
    """
    matrix, sign = (form.columns, 1) if player else (form.rows, -1)
    entries = np.concatenate([np.arange(matrix.start[s], matrix.start[s + 1]) for s in support])
    places = np.repeat(np.arange(len(support)), np.diff(matrix.start)[support])
    gains = sign * matrix.value[entries].astype(np.int64)
    mine, theirs = form.sides[player], form.sides[1 - player]
    return planning_program(mine, theirs, support, matrix.column[entries], places, gains, Fraction(sign, form.unit))


def best_plan(form: Form, player: int, plan: np.ndarray) -> Plan | None:
    """The best plan with the support of another one, in whole numbers, or None if they would be too hard or large."""
    support = np.flatnonzero(plan > NOISE)
    theirs = form.sides[1 - player]
    if len(support) + theirs.sequences + theirs.infosets > LARGEST:
        return None
    program = restrict_to_support(form, player, support)
    simplex = Simplex(program)
    simplex.optimum()
    statuses = basis_statuses(program, simplex.basis)
    corner = vertex(program, statuses, np.arange(len(support)), np.zeros(0, np.int64))
    if corner is None or min(corner[0]) < 0:  # feasible only up to the solver's tolerance
        return None
    denominator = lcm(*(weight.denominator for weight in corner[0]))
    if denominator * form.unit >= MOST:
        return None
    weights = np.zeros(form.sides[player].sequences, np.int64)
    weights[support] = [int(weight * denominator) for weight in corner[0]]
    return Plan(weights, denominator)


def whole_plan(side: DecisionDag, behaviour: np.ndarray) -> Plan:
    """The plan near to a behaviour strategy whose weights are whole multiples of 1 / FINE."""
    weights = np.zeros(side.sequences, np.int64)
    divide(side.first, side.count, side.start, side.follow, behaviour, np.zeros(side.infosets, np.int64), FINE, weights)
    return Plan(weights, FINE)


@kernel
def divide(first, count, start, follow, behaviour, reach, whole, weights):
    """Divide what enters each infoset in whole numbers; the likeliest action takes the rest."""
    weights[0] = whole
    for k in range(start[0], start[1]):
        reach[follow[k]] = whole
    for i in range(len(first)):
        likeliest, rest = first[i], reach[i]
        for s in range(first[i], first[i] + count[i]):
            weights[s] = np.int64(reach[i] * behaviour[s] * DOWN)
            rest -= weights[s]
            if behaviour[s] > behaviour[likeliest]:
                likeliest = s
        weights[likeliest] += rest
        for s in range(first[i], first[i] + count[i]):
            for k in range(start[s], start[s + 1]):
                reach[follow[k]] += weights[s]


def check_flow(side: DecisionDag, plan: Plan) -> None:
    """Raise a ValueError unless the weights are a plan, exactly."""
    weights, denominator = plan.weights, plan.denominator
    if weights[0] != denominator or weights.min() < 0:
        raise ValueError("a plan has no negative weights, and the first is the denominator")
    leaving, entered = links(side)
    flow = np.zeros(side.infosets, np.int64)
    np.add.at(flow, entered, weights[leaving])
    owner = side.infoset_of
    np.subtract.at(flow, owner[1:], weights[1:])
    if flow.any():
        raise ValueError(f"{np.count_nonzero(flow)} infosets of a plan are not left as often as they are entered")


def guarantee(form: Form, player: int, plan: Plan) -> Fraction:
    """Return Black's least (or greatest) payoff under a plan, by an exact best response."""
    check_flow(form.sides[player], plan)
    # Every sum below is of payoffs times weights of disjoint histories, so that it is at most unit times denominator
    if plan.denominator * form.unit >= MOST:
        raise ValueError(f"the denominator of a plan must be less than {MOST // form.unit}")
    matrix, theirs, sign = (form.columns, form.sides[0], 1) if player else (form.rows, form.sides[1], -1)
    worth, value = np.empty(theirs.sequences, np.int64), np.empty(theirs.infosets, np.int64)
    multiply_transposed(matrix.start, matrix.column, matrix.value, plan.weights, worth)
    worth *= sign
    fold_best(theirs.first, theirs.count, theirs.start, theirs.follow, worth, value)
    return Fraction(1, 2) + Fraction(sign * int(worth[0]), form.unit * plan.denominator)
