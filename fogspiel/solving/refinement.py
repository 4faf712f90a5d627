"""Refinement: of the strategies that secure the value, or nearly so, the one that scores most against a given opponent.

With z a player's plan, y an opponent's, c.z the cost of z against the stated opponent and u(z) its cost against a best
response, all in the player's own losses, a linear program on the unreduced sequence form minimises c.z over the optimal
plans, or over those with u(z) <= u* + safety. Optimal plans are a face: by complementary slackness with any optimal y*,
a plan is optimal if it avoids the sequences that y* makes worse, and if y* is a best response to it. So all data are
integers, the final basis is solved in fractions, and its duals are a proof (`Refined.proof`):

    a plan y and a weight w with  min over all z' of (c.z' + w * cost of z' against y)  =  c.z + w * u(z).

Hence no plan that secures as much as z costs less than z against the stated opponent. If that opponent may take every
action, then z is a best response to a completely mixed strategy, so it is undominated, and two such plans are a perfect
equilibrium of the normal form (van Damme 1991, theorem 3.2.2). After a mistake of its own the player chooses a best
response to the opponent's strategy, ties broken by that mixed strategy. Ties of plans are broken by arbitrary but fixed
costs, and the exact duals show that these leave one point, whatever found it.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from ..stats.linear_programs import BASIC
from .exact import Statuses, exact_worth, vertex
from .methods import SolverProgress
from .methods.lp import TOLERANCE, LinearProgram, Simplex, basis_statuses, program_of, solve_lp
from .tree.sequence_form import (
    SequenceForm,
    Treeplex,
    behaviour_of,
    exact_plan_of,
    fold,
    infosets_of,
    plan_of,
    proportional,
)

UNITS = 10**9  # the common denominator of probabilities that are rounded
MAX_DOUBLINGS = 24  # of the weight of a proof, before the floats' vertex is taken for wrong
COSTS, STEP = 65537, 75  # arbitrary costs that break ties: the powers of a primitive root modulo a prime

Fractions = list[Fraction]
Behaviours = tuple[Sequence[Fraction], Sequence[Fraction]]


class NotRefined(ValueError):
    """A game whose refined strategies are not found in fractions."""


class Refined(NamedTuple):
    """A player's refined strategy, and the proof that none scores more among those that secure as much."""

    behaviour: Fractions  # also after mistakes of its own
    secured: Fraction  # the first player's payoff against a best response
    score: Fraction  # the first player's payoff against the stated opponent
    weight: Fraction
    proof: Fractions  # the opponent's behaviour
    slack: Fraction = Fraction(0)  # how much more than the score a strategy that secures as much may score at most


class Seat:
    """One player's side of an unreduced sequence form: losses in units of 1 / denominator."""

    def __init__(self, form: SequenceForm, player: int) -> None:
        self.program, self.mine, self.theirs = program_of(form, player), *form.treeplexes[:: 1 - 2 * player]
        self.form, self.player = form, player
        self.unit = Fraction(1 if player else -1, form.denominator)  # the first player's payoff of a unit of loss
        self.root = self.mine.sequences  # the column of the opponent's value
        self.responses = slice(1 + self.mine.infosets, None)  # the rows of the opponent's sequences

    def costs(self, plan: Fractions) -> Fractions:
        """Return the cost of each own sequence against a plan of the opponent."""
        return [-worth for worth in self._worth(1 - self.player, plan)]

    def conceded(self, plan: Fractions) -> Fraction:
        """Return the cost of a plan against a best response."""
        total: Fraction = fold(self.theirs, self._worth(self.player, plan), max)[0]
        return total

    def _worth(self, planner: int, plan: Fractions) -> Fractions:
        """Return the payoffs of the sequences of the player who does not plan."""
        weights, scale = _integers(plan)
        return [Fraction(worth, scale) for worth in exact_worth(self.form, planner, weights)]


def _integers(numbers: Sequence[Fraction]) -> tuple[list[int], int]:
    scale = lcm(*{number.denominator for number in numbers})
    return [number.numerator * (scale // number.denominator) for number in numbers], scale


def _product(costs: Fractions, plan: Fractions) -> Fraction:
    return sum((cost * share for cost, share in zip(costs, plan, strict=True) if share and cost), Fraction(0))


# A face is given by costs and a flow of the opponent (a plan times a weight): the plans that are best against both
# together, and to which the flow is a best response. Costs 0 and an optimal plan give all optimal plans.

Face = tuple[Fractions, Fractions]


def _total(seat: Seat, face: Face) -> Fractions:
    return [one + two for one, two in zip(face[0], seat.costs(face[1]), strict=True)]


def _folded(seat: Seat, face: Face) -> Fractions:
    return fold(seat.mine, _total(seat, face), min)


def _restricted(seat: Seat, program: LinearProgram, face: Face) -> LinearProgram:
    """Return a program with the sequences and best responses of a face alone."""
    column_upper, row_upper, folded = program.column_upper.copy(), program.row_upper.copy(), _folded(seat, face)
    for _, first, count in infosets_of(seat.mine):
        listed = folded[first : first + count]
        column_upper[first : first + count][[cost > min(listed) for cost in listed]] = 0
    row_upper[seat.responses][[share > 0 for share in face[1]]] = 0
    return replace(program, column_upper=column_upper, row_upper=row_upper)


def _optimum(
    seat: Seat,
    program: LinearProgram,
    costs: Sequence[int],
    cap: Fraction | None = None,
    pinned: bool = False,
    only: bool = False,
) -> tuple[Fractions, Fractions]:
    """Return an optimal plan and the duals of the opponent's sequences; `cap` limits the opponent's value, or is it.

    Costs are those of all columns, or of the plan alone. With `only` there must be no other optimum.
    """
    exact = np.array([*costs, *[0] * (program.width - len(costs))], object)
    scale = float(abs(program.unit / seat.unit))  # of the opponent's values in the program in floats
    floats = exact.astype(float) * np.where(np.arange(program.width) < seat.root, 1.0, scale)
    small = replace(program, cost=floats / max(1.0, float(np.abs(floats).max())))
    if cap is not None:
        small = _capped(small, seat.root, float(cap) / scale, pinned)
    simplex = Simplex(small)
    simplex.optimum()
    unit, whole = 1, replace(program, cost=exact)
    if cap is not None:
        whole, unit = _capped(whole, seat.root, cap.numerator, pinned), cap.denominator
        lower, upper = (_with(row, 0, unit) for row in (program.row_lower, program.row_upper))
        whole = replace(whole, row_lower=lower, row_upper=upper)
    statuses = basis_statuses(small, simplex.basis)
    found = vertex(whole, statuses, np.arange(seat.root), np.arange(program.height))
    if found is None:
        raise NotRefined("the equations of the refined strategies are too hard to be solved in fractions")
    plan, duals = found
    if only:
        _demand_only(whole, statuses, duals)
    return [share / unit for share in plan], duals[seat.responses]


def _demand_only(program: LinearProgram, statuses: Statuses, duals: Fractions) -> None:
    """Raise NotRefined unless a basis is the only optimum: every variable and row at a bound costs more if it moves."""
    weights, scale = _integers(duals)
    row = np.repeat(np.arange(program.height), np.diff(program.matrix.start))
    reduced = program.cost * scale
    np.subtract.at(reduced, program.matrix.column, program.whole.astype(object) * np.array(weights, object)[row])
    (columns, rows), even = statuses, np.array(weights, object) == 0
    movable = (program.column_lower < program.column_upper) & (columns != BASIC) & (reduced == 0)
    if movable.any() or ((program.row_lower < program.row_upper) & (rows != BASIC) & even).any():
        raise NotRefined("arbitrary costs leave more than one refined strategy")


def _capped(program: LinearProgram, column: int, cap: float, pinned: bool) -> LinearProgram:
    lower = _with(program.column_lower, column, cap) if pinned else program.column_lower
    return replace(program, column_lower=lower, column_upper=_with(program.column_upper, column, cap))


def _with(numbers: np.ndarray, place: int, number: float) -> np.ndarray:
    """Return a copy with one number changed, which may be an integer of any length."""
    changed = numbers.astype(object if isinstance(number, int) else float)
    changed[place] = number
    return changed


def _proved(seat: Seat, plan: Fractions, costs: Fractions, flow: Fractions, before: Face | None) -> Face:
    """Return the face of a plan that costs least among those of a face, or of all; raise NotRefined if it does not.

    The weight of the face before exceeds the least possible one, so that the new face is part of it.
    """
    zero = Fraction(0)
    given = before or ([zero] * len(costs), [zero] * len(flow))

    def weighted(weight: Fraction) -> Face:
        sums = [
            [one + weight * two for one, two in zip(*pair, strict=True)]
            for pair in ((costs, given[0]), (flow, given[1]))
        ]
        return sums[0], sums[1]

    conceded = seat.conceded(plan)
    weight = max([zero, *(-one / two for one, two in zip(flow, given[1], strict=True) if two)])
    for _ in range(MAX_DOUBLINGS if before else 1):
        face = weighted(weight)
        total = _product(face[0], plan) + face[1][0] * conceded
        if min(face[1]) >= 0 and _folded(seat, face)[0] == total:
            return weighted(weight + 1)
        weight = 2 * weight + 1
    raise NotRefined("the refined strategies are optimal in floating point only")


class _Answer(NamedTuple):
    """A refined plan: what it costs is least for the first face, and ties are broken by the others."""

    plan: Fractions
    stated: Fractions  # the cost of each sequence against the stated opponent
    faces: list[Face]


def _refine_seat(seat: Seat, optimal: Fractions, stated: Fractions, safety: Fraction) -> Iterator[_Answer]:
    """Yield the plan and its faces after each program: the stated opponent, the uniform one, then arbitrary costs."""
    uniform = exact_plan_of(seat.theirs, uniform_behaviour(seat.theirs))
    nothing = [Fraction(0)] * seat.root
    cap = _folded(seat, (nothing, optimal))[0] + safety / abs(seat.unit) if safety else None
    faces: list[Face] = [] if safety else [(nothing, optimal)]
    program = seat.program if safety else _restricted(seat, seat.program, faces[0])
    pinned = False  # true once all plans of the face reach the limit of the opponent's value
    costs_of = [seat.costs(opponent) for opponent in ([stated, uniform] if stated != uniform else [stated])]
    for costs in costs_of:
        whole, scale = _integers(costs)
        plan, duals = _optimum(seat, program, whole, cap, pinned)
        faces.append(_proved(seat, plan, costs, [dual / scale for dual in duals], faces[-1] if faces else None))
        program, pinned = _restricted(seat, program, faces[-1]), pinned or faces[-1][1][0] > 0
        yield _Answer(plan, costs_of[0], faces)
    plan, _ = _optimum(seat, program, [pow(STEP, number, COSTS) for number in range(program.width)], cap, pinned, True)
    yield _Answer(plan, costs_of[0], faces)


def refine(
    form: SequenceForm, optimal: Behaviours, stated: Behaviours, safety: Fraction = Fraction(0)
) -> Generator[SolverProgress, None, tuple[Refined, Refined]]:
    """Refine both strategies of an exact solution against the stated opponents, who play the other seats.

    `optimal` secures the value; with `safety` the refined strategies may secure that much less. Yield remarks.
    """
    seats = Seat(form, 0), Seat(form, 1)
    plans = [exact_plan_of(treeplex, row) for treeplex, row in zip(form.treeplexes, optimal, strict=True)]
    against = [exact_plan_of(treeplex, row) for treeplex, row in zip(form.treeplexes, stated, strict=True)]
    answers = []
    for player, seat in enumerate(seats):
        programs = [*_refine_seat(seat, plans[1 - player], against[1 - player], safety)]
        yield SolverProgress(f"strategy of player {player + 1} refined")
        answers.append(programs[-1])
    found = []
    for player, (seat, (plan, costs, faces)) in enumerate(zip(seats, answers, strict=True)):
        proved = faces[0 if safety else 1 :]
        levels = [_total(seat, face) for face in proved]
        if not safety:
            levels.insert(0, seat.costs(answers[1 - player].plan))
        behaviour, (weight, *_) = _behaviour(seat.mine, plan, levels), proved[0][1]
        secured, score = seat.unit * seat.conceded(plan), seat.unit * _product(costs, plan)
        proof = behaviour_of_plan(seat.theirs, proved[0][1] if weight else plans[1 - player])
        found.append(Refined(behaviour, secured, score, weight, proof))
    return found[0], found[1]


def refine_in_floats(
    form: SequenceForm, secure: Behaviours, stated: Behaviours, safety: Fraction = Fraction(0)
) -> tuple[Refined, Refined]:
    """Refine two strategies in floating point against the stated opponents, and prove how good the result is.

    Probabilities are rounded to units of 1 / UNITS. The refined strategies secure as much as the given ones, or
    `safety` less, up to rounding; what they secure and score is exact, and so is their slack.
    """
    found = []
    for player in (0, 1):
        seat = Seat(form, player)
        own, against = exact_plan_of(seat.mine, secure[player]), exact_plan_of(seat.theirs, stated[1 - player])
        costs = seat.costs(against)
        floats = np.zeros(seat.program.width)
        floats[: seat.root] = np.array(costs, float)
        largest = max(1.0, float(np.abs(floats).max()))
        scale = float(abs(seat.program.unit / seat.unit))
        cap = float(seat.conceded(own) + safety / abs(seat.unit)) / scale
        point = solve_lp(_capped(replace(seat.program, cost=floats / largest), seat.root, cap + TOLERANCE, False))
        flow = np.maximum(point.dual[seat.responses], 0.0) * largest
        weight, proof = Fraction(float(flow[0])), _in_units(seat.theirs, behaviour_of(seat.theirs, flow))
        face = costs, [weight * share for share in exact_plan_of(seat.theirs, proof)]
        plan = plan_of(seat.mine, behaviour_of(seat.mine, point.primal[: seat.root]))
        best = best_sequences(seat.mine, [_total(seat, face)])
        reached = np.r_[True, np.repeat(plan[seat.mine.parent] > 0, seat.mine.count)]
        chosen = proportional(seat.mine, np.where(reached, plan, best))
        behaviour = _in_units(seat.mine, chosen)
        exact = exact_plan_of(seat.mine, behaviour)
        conceded, cost = seat.conceded(exact), _product(costs, exact)
        slack = (cost + weight * conceded - _folded(seat, face)[0]) * abs(seat.unit)
        found.append(Refined(behaviour, seat.unit * conceded, seat.unit * cost, weight, proof, slack))
    return found[0], found[1]


def _in_units(treeplex: Treeplex, behaviour: np.ndarray) -> Fractions:
    return [Fraction(int(share), UNITS) for share in whole_shares(treeplex, behaviour)]


def whole_shares(treeplex: Treeplex, behaviour: np.ndarray) -> np.ndarray:
    """Return the probabilities of a player in units, rounded down; the likeliest action gets the rest."""
    shares: np.ndarray = np.floor(behaviour * UNITS).astype(np.int64)
    for _, first, count in infosets_of(treeplex):
        row = shares[first : first + count]
        row[int(row.argmax())] += UNITS - int(row.sum())
    return shares


def _behaviour(treeplex: Treeplex, plan: Fractions, levels: Sequence[Fractions]) -> Fractions:
    """Return the behaviour of a plan; where it never comes, the first best response by these costs, in their order."""
    behaviour, best = [Fraction(1)] * treeplex.sequences, best_sequences(treeplex, levels)
    for parent, first, count in infosets_of(treeplex):
        for s in range(first, first + count):
            first_best = s == best.index(True, first)
            behaviour[s] = plan[s] / plan[parent] if plan[parent] else Fraction(int(first_best))
    return behaviour


def best_sequences(treeplex: Treeplex, levels: Sequence[Fractions]) -> list[bool]:
    """True for each sequence that is best at its infoset by costs, and among equal ones by those of later levels."""
    best, folded = [True] * treeplex.sequences, [list(costs) for costs in levels]
    for parent, first, count in reversed([*infosets_of(treeplex)]):
        own = [[costs[s] for costs in folded] for s in range(first, first + count)]
        least = min(own)
        best[first : first + count] = [total == least for total in own]
        for costs, added in zip(folded, least, strict=True):
            costs[parent] += added
    return best


def behaviour_of_plan(treeplex: Treeplex, plan: Sequence[Fraction]) -> Fractions:
    """Return the behaviour of a plan or a flow, uniform where it never comes."""
    behaviour = uniform_behaviour(treeplex)
    for parent, first, count in infosets_of(treeplex):
        if plan[parent]:
            behaviour[first : first + count] = [share / plan[parent] for share in plan[first : first + count]]
    return behaviour


def uniform_behaviour(treeplex: Treeplex) -> Fractions:
    return [Fraction(1), *(Fraction(1, count) for _, _, count in infosets_of(treeplex) for _ in range(count))]
