"""Exact solutions from the floats of the linear program, verified on both sides in integers.

The solver's last basis determines the tight rows and the zero weights; solved in fractions it gives both strategies
exactly. (Rounding the floats to nearby fractions works for few players only: with ten the weights have denominators of
seven digits.) Then both bounds are computed from the strategies alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import floor, lcm
from time import process_time
from typing import Any

import numpy as np

from ..core.compile.kernel import kernel
from ..core.untrusted_input import JsonRecord
from ..solving.methods import Record
from ..solving.methods.double_oracle import oracle_rounds
from ..solving.proofs import solution_certificate
from .checkers.resistance import FORMAT, ResistanceCertificate
from .game import VERSION, Setup, name_of
from .linear_program import Optimum, SpyProgram
from .orbits import all_plans, ones, plan_text
from .variants import ForcedOpening, Infoset, Place, Plan, Tail, opening, row

# The best plans of the resistance at the tails: every list of missions before the last one, with its best last one.
#
# Against spies who come to a tail with weight w(S), a plan wins the sum of w(S) over the spy sets it is clean against.
# The missions before the last are listed up to relabelling. The spy sets they are clean against are won already, and
# the last mission wins those that lie in its complement X as well. For all X of the right size that is a subset sum; as
# spy sets and complements are small, their pairs are listed once. A list of missions that cannot exceed the bar even if
# it won against all spy sets is skipped. Where all missions must be clean, each list is evaluated on the spy sets that
# it is clean against.

SKIPPED = -1


@kernel
def best_last_missions(weights, first, won, inside, bars, worth, chosen):
    """Store each mission list's best last mission and their win, or SKIPPED if that cannot exceed the bar.

    Lists first[t] .. first[t + 1] - 1 are those of tail t; won[list, spies] is true if they are clean already.
    """
    for tail in range(len(first) - 1):
        weight, bar = weights[tail], bars[tail]
        nothing = bar - bar  # a zero of the same type: floats while solving, integers in the proof
        alive = weight.copy()
        for way in range(first[tail], first[tail + 1]):
            start = nothing
            left = nothing
            for spies in range(len(weight)):
                if won[way, spies]:
                    start += weight[spies]
                    alive[spies] = 0
                else:
                    left += weight[spies]
                    alive[spies] = weight[spies]
            chosen[way] = SKIPPED
            worth[way] = start
            if start + left > bar:
                best = nothing - 1
                for rest in range(len(inside)):
                    total = nothing
                    for k in range(inside.shape[1]):
                        total += alive[inside[rest, k]]
                    if total > best:
                        best = total
                        chosen[way] = rest
                worth[way] = start + best


@dataclass(frozen=True, eq=False)
class Oracle:
    """Data about the tails of an opening that do not depend on the spies' weights."""

    game: ForcedOpening
    first: np.ndarray
    ways: list[Plan]  # the missions before the last one, for all tails in sequence
    # The first list of each part of the tails: a whole tail, or one list of a tail in which all missions must be clean.
    parts: np.ndarray
    owner: np.ndarray  # the tail of each part
    alive: np.ndarray  # true if each spy set can still be won against in each part
    won: np.ndarray
    last: list[int]  # the possible last missions
    inside: np.ndarray  # the numbers of the spy sets that each last mission is clean against


def oracle(game: ForcedOpening) -> Oracle:
    setup, sets = game.setup, game.sets
    first, ways, parts, owner, alive = [0], list[Plan](), [0], list[int](), list[np.ndarray]()
    everything = np.ones(len(sets), np.bool_)
    listed = cache(lambda groups, sizes: list(all_plans(groups, sizes)))
    for tail in game.tails:
        own = [()] if setup.nested and not tail.ahead else listed(tail.groups, setup.sizes[sum(tail.score) : -1])
        clean = [everything] if tail.ahead else [np.all(clean_before(setup, sets, way), axis=0) for way in own]
        alive += clean
        owner += [len(first) - 1] * len(clean)
        ways += own
        parts += [len(ways)] if tail.ahead else range(first[-1] + 1, len(ways) + 1)
        first.append(len(ways))
    won = np.zeros((len(ways), len(sets)), np.bool_)
    for number, tail in enumerate(game.tails):
        for way in range(first[number], first[number + 1]) if tail.ahead else ():
            won[way] = np.any(clean_before(setup, sets, ways[way]), axis=0)
    crews = combinations(range(setup.players), setup.sizes[-1])
    last = [sum(1 << player for player in crew) for crew in crews]
    clean_last = [np.flatnonzero(ones(sets & mission) < setup.needed[-1]) for mission in last]
    inside = np.array(clean_last, np.int64).reshape(len(last), -1)
    return Oracle(game, np.array(first), ways, np.array(parts), np.array(owner), np.array(alive), won, last, inside)


def clean_before(setup: Setup, sets: np.ndarray, way: Plan) -> np.ndarray:
    """True where a mission before the last one is clean of a spy set: [mission, spy set]."""
    needed = setup.needed[setup.rounds - 1 - len(way) : -1]
    return np.array([ones(sets & m) < least for m, least in zip(way, needed, strict=True)]).reshape(len(way), len(sets))


def answers(judge: Oracle, weights: np.ndarray, bars: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each mission list's win with its best last mission, and that mission (SKIPPED if below the bar)."""
    worth = np.zeros(len(judge.ways), weights.dtype)
    chosen = np.zeros(len(judge.ways), np.int64)
    weights, bars = weights[judge.owner] * judge.alive, bars[judge.owner]
    if weights.dtype != object:
        best_last_missions(weights, judge.parts, judge.won, judge.inside, bars, worth, chosen)
        return worth, chosen
    for part, bar in enumerate(bars):  # the same for integers beyond 64 bits, which no kernel can add
        for way in range(judge.parts[part], judge.parts[part + 1]):
            alive = np.where(judge.won[way], 0, weights[part])
            start = weights[part].sum() - alive.sum()
            worth[way], chosen[way] = start, SKIPPED
            if start + alive.sum() > bar:
                totals = alive[judge.inside].sum(axis=1)
                chosen[way] = totals.argmax()
                worth[way] = start + totals[chosen[way]]
    return worth, chosen


def at_tails(game: ForcedOpening, plan: np.ndarray) -> np.ndarray:
    """Return the weight of each spy set at each tail, given the weights of the spies' sequences."""
    padded = np.append(plan, plan[:1] - plan[:1])
    return np.array([padded[tail.sequence] for tail in game.tails])


NOISE = 1e-9  # accuracy of the program's values
MAX = 2**62  # sums of integer weights below this fit into 64 bits

Spies = list[Fraction]  # the weight of each sequence of the spies
Mixture = dict[Plan, Fraction]
# At each infoset that it reaches, by number: the probability of each mission (a plan of one) or plan.
Resistance = dict[int, Mixture]


def payoff(game: ForcedOpening, won: Any) -> Any:
    return 2 * won / game.total - 1


# Strategies


def resistance_of(program: SpyProgram, multipliers: list[Fraction]) -> Resistance | None:
    """Return the resistance's reachable strategy in a vertex; None if some weight is negative."""
    game, found = program.game, dict[int, Mixture]()
    rows = iter(range(program.decisions, len(program.rows)))
    offered: dict[int, dict[Plan, int]] = {}
    for place in game.infosets:
        offered[place.number] = {(mission,): next(rows) for mission, _, _ in place.options}
    for tail, plan in program.plans:
        offered.setdefault(game.tails[tail].number, {})[plan] = next(rows)
    reached: list[Place] = [game.infosets[0]]
    for here in reached:
        weights = {plan: multipliers[row] for plan, row in offered[here.number].items()}
        if min(weights.values()) < 0:
            return None
        total = sum(weights.values())
        mixture = {plan: weight / total for plan, weight in weights.items() if weight}
        found[here.number] = mixture
        if isinstance(here, Infoset):
            reached += [after for mission, *both in here.options if (mission,) in mixture for after in both]
    return found


# Exact bounds


def guaranteed_value(game: ForcedOpening, resistance: Resistance) -> Fraction:
    """Count the spy sets the resistance wins against, for any play of the spies."""
    won = [Fraction(0)] * (1 + 2 * len(game.spy_parent))
    reached: list[tuple[Place, Fraction]] = [(game.infosets[0], Fraction(1))]
    for place, weight in reached:
        mixture = resistance[place.number]
        if isinstance(place, Tail):
            for plan, share in mixture.items():
                for sequence, count in zip(*row(game, place, plan), strict=True):
                    won[sequence] += weight * share * int(count)
        elif isinstance(place, Infoset):
            for mission, after, failed in place.options:
                if (mission,) in mixture:
                    reached += [(after, weight * mixture[mission,]), (failed, weight * mixture[mission,])]
    for i in range(len(game.spy_parent) - 1, -1, -1):
        won[game.spy_parent[i]] += min(won[1 + 2 * i], won[2 + 2 * i])
    return won[0]


def conceded_value(judge: Oracle, spies: Spies, values: Iterable[float]) -> Fraction:
    """Count the spy sets the best resistance wins against these spies; close values from the program save time."""
    game = judge.game
    rows = at_tails(game, np.array(spies, dtype=object))
    scales = [lcm(*(weight.denominator for weight in row)) for row in rows]
    whole = [[int(weight * scale) for weight in row] for row, scale in zip(rows, scales, strict=True)]
    bars = [max(floor(value * scale * (1 - NOISE)) - 1, -1) for value, scale in zip(values, scales, strict=True)]
    kind = np.int64 if max(map(sum, whole)) < MAX else object
    worth, chosen = answers(judge, np.array(whole, kind), np.array(bars, kind))
    best = dict.fromkeys((place.number for place in game.infosets), Fraction(0))
    for number, tail in enumerate(game.tails):
        ways = range(judge.first[number], judge.first[number + 1])
        most = max([bars[number], *(int(worth[way]) for way in ways if chosen[way] != SKIPPED)])
        best[tail.number] = Fraction(most, scales[number])
    for place in reversed(game.infosets):
        best[place.number] = max(best[won.number] + best[lost.number] for _, won, lost in place.options)
    return best[0]


@dataclass(frozen=True, eq=False)
class Pair:
    """A strategy for each team, and the least and the greatest number of spy sets the resistance wins against."""

    resistance: Resistance
    spies: Spies
    lower: Fraction
    upper: Fraction


def exact_pair(judge: Oracle, program: SpyProgram, answer: Optimum) -> Pair | None:
    """Return the strategies of the solver's vertex, or None if they are not optimal in the whole game."""
    corner = program.vertex()
    if corner is None:
        return None
    spies, resistance = corner[0][: program.sequences], resistance_of(program, corner[1])
    if min(spies) < 0 or resistance is None:  # feasible or optimal only up to the solver's tolerance
        return None
    close = answer.values[program.tails].tolist()
    lower, upper = guaranteed_value(judge.game, resistance), conceded_value(judge, spies, close)
    return Pair(resistance, spies, lower, upper) if lower == upper else None


# Certificate format


def make_certificate(game: ForcedOpening, pair: Pair) -> ResistanceCertificate:
    """Return the solution as JSON; the checker documents the keys."""
    every: list[Place] = [*game.infosets, *game.tails]
    places = {place.number: place for place in every}
    spies: dict[str, dict[str, str]] = {}
    for i, ((way, kind), parent) in enumerate(zip(game.spy_name, game.spy_parent, strict=True)):
        sabotage = pair.spies[2 + 2 * i] / pair.spies[parent] if pair.spies[parent] else Fraction(1)
        spies.setdefault(way, {})[kind] = str(sabotage)
    lower, upper = payoff(game, pair.lower), payoff(game, pair.upper)
    resistance = {
        places[number].history: {
            plan_text(places[number].groups, plan): str(share) for plan, share in sorted(mixture.items())
        }
        for number, mixture in sorted(pair.resistance.items())
    }
    head = FORMAT, name_of(game.setup), VERSION, lower, lower, upper
    found: ResistanceCertificate = solution_certificate(*head, resistance=resistance, spies=spies)
    return found


# The linear program of the spies with plans of the resistance generated on demand.
#
#     minimise q(root) over the spies' realisation plan y and a value q(I) for each infoset I of the resistance:
#         q(I) >= q(J) + q(K)       for each mission at I, after which success leads to J and sabotage to K
#         q(T) >= sum of y over the spy sets a plan wins against        for each plan generated so far at tail T
#
# (Koller, Megiddo and von Stengel 1994, with lazy rows.) Each step solves the program, which is a lower bound as plans
# are missing, and queries the oracle for the best plans against y, which give an upper bound and the plans to add. Only
# the resistance grows, so the restricted game is valid at every step and the lower bound cannot fall. The resistance's
# strategy is read from the multipliers of the rows. When the bounds meet, the last basis is made exact.

WORTHWHILE = 1e-7  # a plan is added if it wins this many spy sets more than the program's value
CLOSED = 1e-6  # when the bounds are this many spy sets apart, the exact solution may be in sight
MAX_PLANS = 10  # most plans that a step adds at one tail

Found = list[tuple[int, Plan]]  # plans, each with the number of its tail


@dataclass(frozen=True)
class SolverStep(JsonRecord):
    """Result of one step of the solver; bounds are payoffs of the resistance."""

    KEYS = ("number", "rows", "lower", "upper", "seconds", "plans", "certificate")

    number: int
    rows: int  # plans in the program that gave these bounds
    lower: float
    upper: float  # the best upper bound so far
    seconds: float  # CPU seconds since the solver was started or resumed
    # The plans added for the next step: the number of the tail, then the missions as masks of players.
    plans: list[list[int]]
    certificate: ResistanceCertificate | None = None  # the exact solution, in the last step


def steps(setup: Setup, stored: Sequence[Record] = ()) -> Iterator[SolverStep]:
    """Solve a set-up step by step, resuming from the stored steps.

    Only new steps are yielded. The stored plans are added and solved again in the same order, so that the solver
    follows the same trajectory to the same solution.
    """
    if stored and stored[-1]["certificate"] is not None:
        return
    started = process_time()
    game = opening(setup)
    judge, program = oracle(game), SpyProgram(game)
    _, found = best_plans(judge, even_spies(game), np.full(len(game.tails), -1.0), most=1)
    program.add(found)
    for record in stored:
        program.solve()
        program.add([(tail, tuple(plan)) for tail, *plan in record["plans"]])

    def respond() -> tuple[float, float, tuple[float, int, Found, ResistanceCertificate | None]]:
        answer = program.solve()
        values, found = best_plans(judge, answer.spies, answer.values[program.tails])
        best = fold(game, answer.values, values)
        close = best - answer.values[0] <= CLOSED
        exact = exact_pair(judge, program, answer) if close else None
        lower, upper = payoff(game, answer.values[0]), payoff(game, best)
        if not (exact or found):
            raise RuntimeError(f"nothing is left to add at {lower}, but the exact bounds do not meet")
        proof = make_certificate(game, exact) if exact else None
        return lower, upper, (lower, len(program.plans), [] if exact else found, proof)

    def add(found: tuple[float, int, Found, ResistanceCertificate | None]) -> bool:
        if found[-1] is None:
            program.add(found[2])
        return found[-1] is None

    bounds = (stored[-1]["lower"], stored[-1]["upper"]) if stored else (-1.0, 1.0)
    for number, lower, upper, (now, rows, found, proof) in oracle_rounds(respond, add, len(stored), *bounds):
        assert lower <= now + CLOSED, "the lower bound has fallen"
        yield SolverStep(
            number, rows, lower, upper, process_time() - started, [[tail, *plan] for tail, plan in found], proof
        )


def solve(setup: Setup) -> ResistanceCertificate:
    """Return the certificate of a set-up: its exact value and an optimal strategy for each team."""
    *_, last = steps(setup)
    assert last.certificate is not None
    return last.certificate


def even_spies(game: ForcedOpening) -> np.ndarray:
    """Return the realisation plan of spies who toss a coin at every decision."""
    plan = np.ones(1 + 2 * len(game.spy_parent))
    for i, parent in enumerate(game.spy_parent):
        plan[1 + 2 * i] = plan[2 + 2 * i] = plan[parent] / 2
    return plan


def best_plans(judge: Oracle, spies: np.ndarray, bars: np.ndarray, most: int = MAX_PLANS) -> tuple[np.ndarray, Found]:
    """Return the resistance's win at each tail, at least the bar, and a few better plans per tail."""
    game, values, found = judge.game, bars.copy(), []
    worth, chosen = answers(judge, at_tails(game, spies), bars)
    for tail in range(len(game.tails)):
        ways = np.arange(judge.first[tail], judge.first[tail + 1])
        better = ways[(chosen[ways] != SKIPPED) & (worth[ways] > bars[tail] + WORTHWHILE)]
        rows = set()
        for way in better[np.argsort(-worth[better], kind="stable")]:
            plan = (*judge.ways[way], judge.last[chosen[way]])
            key = tuple(part.tobytes() for part in row(game, game.tails[tail], plan))
            if key not in rows:
                rows.add(key)
                found.append((tail, plan))
                values[tail] = max(values[tail], worth[way])
            if len(rows) == most:
                break
    return values, found


def fold(game: ForcedOpening, values: np.ndarray, at_the_tails: np.ndarray) -> float:
    """Return the best missions' win from the start on, given the best plans' wins at the tails."""
    values = values.copy()
    values[[tail.number for tail in game.tails]] = at_the_tails
    for infoset in reversed(game.infosets):
        values[infoset.number] = max(values[won.number] + values[lost.number] for _, won, lost in infoset.options)
    return float(values[0])
