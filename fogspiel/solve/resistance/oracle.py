"""The best plans of the resistance at the tails: every list of missions before the last one, with its best last one.

Against spies who come to a tail with weight w(S), a plan wins the sum of w(S) over the spy sets it is clean against.
The missions before the last are listed up to relabelling; the spy sets they are clean against are won already, and
the last mission wins those that lie in its complement X as well. For all X of the right size that is a subset sum; as
spy sets and complements are small, their pairs are listed once. A list of missions that cannot beat the bar even if
it won against all spy sets is skipped. Where all missions must be clean, each list is asked about the spy sets that it
is clean against.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from ...core.kernel import kernel
from ...games.resistance.setups import Setup
from .opening import Opening, Plan
from .orbits import all_plans, ones

SKIPPED = -1


@kernel
def best_last_missions(weights, first, won, inside, bars, worth, chosen):
    """For each list of missions the best last mission and what both win, or SKIPPED if that cannot exceed the bar.

    Lists first[t] .. first[t + 1] - 1 are those of tail t; won[list, spies] tells whether they are clean already.
    """
    for tail in range(len(first) - 1):
        weight, bar = weights[tail], bars[tail]
        nothing = bar - bar  # a zero of the same kind of number: reals while solving, whole numbers in the proof
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
    """Everything about the tails of an opening that does not depend on the spies' weights."""

    game: Opening
    first: np.ndarray
    ways: list[Plan]  # the missions before the last one, for all tails one after the other
    # The first ways of parts of the tails: a whole one, or one way of a tail in which all missions must be clean.
    parts: np.ndarray
    owner: np.ndarray  # the tail of each part
    alive: np.ndarray  # true if each spy set can still be won against in each part
    won: np.ndarray
    last: list[int]  # the last missions there are
    inside: np.ndarray  # the numbers of the spy sets that each last mission is clean against


def oracle(game: Opening) -> Oracle:
    """The oracle of an opening."""
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
    """True if each of the missions before the last one is clean of each spy set."""
    needed = setup.needed[setup.rounds - 1 - len(way) : -1]
    return np.array([ones(sets & m) < least for m, least in zip(way, needed, strict=True)]).reshape(len(way), len(sets))


def answers(judge: Oracle, weights: np.ndarray, bars: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each mission list's win with its best last mission, and that mission (SKIPPED if below the bar)."""
    worth = np.zeros(len(judge.ways), weights.dtype)
    chosen = np.zeros(len(judge.ways), np.int64)
    run = large_best_last_missions if weights.dtype == object else best_last_missions
    run(weights[judge.owner] * judge.alive, judge.parts, judge.won, judge.inside, bars[judge.owner], worth, chosen)
    return worth, chosen


def large_best_last_missions(
    weights: np.ndarray,
    first: np.ndarray,
    won: np.ndarray,
    inside: np.ndarray,
    bars: np.ndarray,
    worth: np.ndarray,
    chosen: np.ndarray,
) -> None:
    """`best_last_missions` for whole numbers beyond 64 bits, which no kernel can add."""
    for tail, bar in enumerate(bars):
        for way in range(first[tail], first[tail + 1]):
            alive = np.where(won[way], 0, weights[tail])
            start = weights[tail].sum() - alive.sum()
            worth[way], chosen[way] = start, SKIPPED
            if start + alive.sum() > bar:
                totals = alive[inside].sum(axis=1)
                chosen[way] = totals.argmax()
                worth[way] = start + totals[chosen[way]]


def at_tails(game: Opening, plan: np.ndarray) -> np.ndarray:
    """The weight of each spy set at each tail, given the weights of the spies' sequences."""
    padded = np.append(plan, plan[:1] - plan[:1])
    return np.array([padded[tail.sequence] for tail in game.tails])
