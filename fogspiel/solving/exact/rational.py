"""Exact values: from a vertex in floating point to strategies in fractions and bounds that are proved.

Two ways lead to fractions: solving the equations of the final basis of the simplex method exactly, by elimination
modulo a prime, p-adic lifting (Dixon 1982) and rational reconstruction (Wang 1981); and, where there is no basis or it
is too hard, rounding the behaviour at every infoset to small denominators. Neither is trusted: `lower` and `upper`
always come from best responses in whole numbers to the strategies that are returned.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from ..methods.lp import LpPoint, basis_statuses, plans_of, program_of
from ..tree.sequence_form import SequenceForm, Treeplex, behaviour_of, exact_best_total, exact_plan_of, infosets_of
from .basis import vertex

DENOMINATORS = (1_000, 100_000)  # the largest denominators of a behaviour probability that rounding tries
FINE = 2**60  # the common denominator of a plan where no exact optimum is found
MOST_BITS = 2**15  # plans whose common denominator has more bits than this are not examined


@dataclass(frozen=True, eq=False)
class ExactBounds:
    """Strategies in fractions (behaviour, one for each sequence) and what they secure: lower <= value <= upper."""

    lower: Fraction  # what the first player's strategy gets against its best response
    upper: Fraction  # what the best response gets against the second player's strategy
    behaviours: tuple[list[Fraction], list[Fraction]]

    @property
    def proved(self) -> bool:
        """True if the value is known exactly, so that both strategies are optimal."""
        return self.lower == self.upper

    @property
    def value(self) -> Fraction:
        """The value of the game if it is proved, else the middle of the bounds."""
        return (self.lower + self.upper) / 2


class RealisationPlan(NamedTuple):
    """A realisation plan in whole numbers: weight / denominator for each sequence."""

    weights: list[int]
    denominator: int


def exact_bounds(form: SequenceForm, planner: int, point: LpPoint) -> ExactBounds:
    """The exact value by way of an optimum of `program_of(form, planner)`, or else rigorous bounds near it."""
    return _best(form, _candidates(form, planner, point))


def exact_from(form: SequenceForm, x: list[Fraction], y: list[Fraction]) -> ExactBounds:
    """Return the bounds secured by two plans in fractions, such as a program's `vertex`; repair small faults."""
    for treeplex, plan in zip(form.treeplexes, (x, y), strict=True):
        if len(plan) != treeplex.sequences:
            raise ValueError(
                f"a plan has {len(plan)} weights but must have {treeplex.sequences}, one for each sequence"
            )
    return _best(form, iter([[repair(form.treeplexes[0], x), repair(form.treeplexes[1], y)]]))


def _best(form: SequenceForm, candidates: Iterator[list[RealisationPlan | None]]) -> ExactBounds:
    """The best plan of each player among pairs of candidates, which are asked for until both are optimal."""
    best: dict[int, tuple[Fraction, RealisationPlan]] = {}
    for pair in candidates:
        for player, plan in enumerate(pair):
            if plan is not None:
                secured = guarantee(form, player, plan)
                if player not in best or secured > best[player][0]:
                    best[player] = secured, plan
        if len(best) == 2 and best[0][0] + best[1][0] == 0:
            break
    if len(best) < 2:
        raise ValueError(f"the common denominator of a plan must not be longer than {MOST_BITS} bits")
    (lower, x), (minus_upper, y) = best[0], best[1]
    first, second = form.treeplexes
    return ExactBounds(
        lower, -minus_upper, (behaviour_fractions(first, x.weights), behaviour_fractions(second, y.weights))
    )


def guarantee(form: SequenceForm, player: int, plan: RealisationPlan) -> Fraction:
    """Return a plan's guaranteed value for its player against any opponent, in exact arithmetic."""
    check_plan(form.treeplexes[player], plan)
    weights = np.array(plan.weights, object)
    mine, theirs, sign = (form.rows, form.columns, -1) if player == 0 else (form.columns, form.rows, 1)
    worth = np.zeros(form.treeplexes[1 - player].sequences, object)
    np.add.at(worth, theirs, sign * form.payoffs.astype(object) * weights[mine])
    return -Fraction(exact_best_total(form.treeplexes[1 - player], worth.tolist()), plan.denominator * form.denominator)


def check_plan(treeplex: Treeplex, plan: RealisationPlan) -> None:
    """Raise a ValueError unless the weights are a realisation plan, exactly."""
    weights, denominator = plan
    if len(weights) != treeplex.sequences or denominator <= 0 or weights[0] != denominator or min(weights) < 0:
        raise ValueError("a plan has one weight >= 0 for each sequence, and the first is the denominator")
    for parent, first, count in infosets_of(treeplex):
        if sum(weights[first : first + count]) != weights[parent]:
            raise ValueError(f"the weights {first} .. {first + count - 1} of a plan must add up to weight {parent}")


def behaviour_fractions(treeplex: Treeplex, weights: list[int]) -> list[Fraction]:
    """Behaviour in proportion to weights, uniform where they are all 0, negative ones counted as 0; entry 0 is 1."""
    behaviour = [Fraction(1)] * treeplex.sequences
    for _, first, count in infosets_of(treeplex):
        row = [max(weight, 0) for weight in weights[first : first + count]]
        total = sum(row)
        behaviour[first : first + count] = [Fraction(w, total) if total else Fraction(1, count) for w in row]
    return behaviour


def plan_of_behaviour(treeplex: Treeplex, behaviour: list[Fraction]) -> RealisationPlan | None:
    """The plan of a behaviour strategy, or None if its common denominator is too long."""
    return _over_one_denominator(exact_plan_of(treeplex, behaviour))


def repair(treeplex: Treeplex, reach: list[Fraction]) -> RealisationPlan | None:
    """The plan with these weights, made one by dropping negative weights if need be; None if it is too long."""
    plan = _over_one_denominator(reach)
    if plan is None:
        return None
    try:
        check_plan(treeplex, plan)
    except ValueError:
        return plan_of_behaviour(treeplex, behaviour_fractions(treeplex, plan.weights))
    return plan


def _over_one_denominator(reach: list[Fraction]) -> RealisationPlan | None:
    """Weights with a common denominator, not checked yet, or None if it is too long."""
    denominator = 1
    for weight in reach:
        denominator = lcm(denominator, weight.denominator)
        if denominator.bit_length() > MOST_BITS:
            return None
    return RealisationPlan([weight.numerator * (denominator // weight.denominator) for weight in reach], denominator)


def _candidates(form: SequenceForm, planner: int, point: LpPoint) -> Iterator[list[RealisationPlan | None]]:
    """Pairs of plans, the likeliest to be optimal first; those of the last pair are never None."""
    if point.basis is not None:
        mine, theirs = form.treeplexes[planner], form.treeplexes[1 - planner]
        responses = 1 + mine.infosets + np.arange(theirs.sequences)
        program = program_of(form, planner)
        found = vertex(program, basis_statuses(program, point.basis), np.arange(mine.sequences), responses)
        if found is not None:
            pair = [repair(mine, found[0]), repair(theirs, found[1])]
            yield pair[::-1] if planner else pair
    plans = plans_of(form, planner, point.primal, point.dual)
    behaviours = [
        (treeplex, behaviour_of(treeplex, plan)) for treeplex, plan in zip(form.treeplexes, plans, strict=True)
    ]
    for largest in DENOMINATORS:
        yield [
            plan_of_behaviour(treeplex, round_strategy(treeplex, behaviour, largest))
            for treeplex, behaviour in behaviours
        ]
    yield [_fine(treeplex, behaviour) for treeplex, behaviour in behaviours]


def round_strategy(treeplex: Treeplex, behaviour: np.ndarray, largest: int) -> list[Fraction]:
    """Behaviour with denominators up to `largest` at each infoset, and the likeliest action takes the rest."""
    exact = [Fraction(p).limit_denominator(largest) for p in behaviour.tolist()]
    for _, first, count in infosets_of(treeplex):
        left = Fraction(1)
        for s in range(first, first + count):
            exact[s] = min(exact[s], left)
            left -= exact[s]
        exact[max(range(first, first + count), key=lambda s: exact[s])] += left
    return exact


def _fine(treeplex: Treeplex, behaviour: np.ndarray) -> RealisationPlan:
    """The plan whose weights are whole multiples of 1 / FINE, near to a behaviour strategy."""
    weights = [FINE] * treeplex.sequences
    probable = behaviour.tolist()
    for parent, first, count in infosets_of(treeplex):
        left, odds = weights[parent], 1.0
        for s in range(first, first + count - 1):
            share = Fraction(min(probable[s] / odds, 1.0)) if odds > 0 else Fraction(0)
            weights[s] = left * share.numerator // share.denominator
            left, odds = left - weights[s], odds - probable[s]
        weights[first + count - 1] = left
    return RealisationPlan(weights, FINE)
