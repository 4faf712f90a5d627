"""From the floats of the linear program to an exact solution, verified on both sides in whole numbers.

The solver's last basis says which rows hold with equality and which weights are zero; solved in fractions it gives
both strategies exactly. (Rounding the floats to nearby fractions works for few players only: with ten the weights
have denominators of seven digits.) Then both bounds are computed from the strategies alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm
from typing import Any

import numpy as np

from ...games.resistance.setups import VERSION, name_of
from ..checkers.primitives import digest_of
from ..checkers.resistance_certificate import FORMAT, ResistanceCertificate
from .linear_program import Optimum, SpyProgram
from .opening import Infoset, Opening, Place, Plan, Tail, row
from .oracle import SKIPPED, Oracle, answers, at_tails
from .orbits import plan_text

NOISE = 1e-9  # the program's values are good up to this
MOST = 2**62  # sums of whole weights below this fit into 64 bits

Spies = list[Fraction]  # the weight of each sequence of the spies
Mixture = dict[Plan, Fraction]
# At each infoset that it reaches, by number: the probability of each mission (a plan of one) or plan.
Resistance = dict[int, Mixture]


def payoff(game: Opening, won: Any) -> Any:
    """The payoff of the resistance if it wins against so many spy sets."""
    return 2 * won / game.total - 1


# Strategies


def resistance_of(program: SpyProgram, multipliers: list[Fraction]) -> Resistance | None:
    """The resistance's strategy in a vertex, where it can come; None if some weight is negative."""
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


def guaranteed_value(game: Opening, resistance: Resistance) -> Fraction:
    """Count the spy sets the resistance wins against, for any play of the spies."""
    won = [Fraction(0)] * (1 + 2 * len(game.spy_parent))
    reached: list[tuple[Place, Fraction]] = [(game.infosets[0], Fraction(1))]
    for place, weight in reached:
        mixture = resistance[place.number]
        if isinstance(place, Tail):
            for plan, share in mixture.items():
                for sequence, count in zip(*row(game, place, plan), strict=True):
                    won[sequence] += weight * share * int(count)
        else:
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
    kind = np.int64 if max(map(sum, whole)) < MOST else object
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
    """A strategy for each team, and the spy sets that the resistance wins against at least and at most."""

    resistance: Resistance
    spies: Spies
    lower: Fraction
    upper: Fraction


def exact_pair(judge: Oracle, program: SpyProgram, answer: Optimum) -> Pair | None:
    """The strategies of the vertex that the solver found, or None if they are not optimal in the whole game."""
    game = judge.game
    corner = program.vertex()
    if corner is None:
        return None
    spies, resistance = corner[0][: program.sequences], resistance_of(program, corner[1])
    if min(spies) < 0 or resistance is None:  # feasible or optimal only up to the solver's tolerance
        return None
    close = answer.values[program.tails].tolist()
    pair = Pair(resistance, spies, guaranteed_value(game, resistance), conceded_value(judge, spies, close))
    return pair if pair.lower == pair.upper else None


# Words for the checker


def certificate(game: Opening, pair: Pair) -> ResistanceCertificate:
    """The solution as JSON can store it; the checker explains the keys."""
    every: list[Place] = [*game.infosets, *game.tails]
    places = {place.number: place for place in every}
    spies: dict[str, dict[str, str]] = {}
    for i, ((way, kind), parent) in enumerate(zip(game.spy_name, game.spy_parent, strict=True)):
        sabotage = pair.spies[2 + 2 * i] / pair.spies[parent] if pair.spies[parent] else Fraction(1)
        spies.setdefault(way, {})[kind] = str(sabotage)
    lower, upper = payoff(game, pair.lower), payoff(game, pair.upper)
    body: ResistanceCertificate = {
        "format": FORMAT,
        "game": name_of(game.setup),
        "rules": VERSION,
        "value": str(lower),
        "lower": str(lower),
        "upper": str(upper),
        "resistance": {
            places[number].history: {
                plan_text(places[number].groups, plan): str(share) for plan, share in sorted(mixture.items())
            }
            for number, mixture in sorted(pair.resistance.items())
        },
        "spies": spies,
        "digest": "",
    }
    body["digest"] = digest_of(body)
    return body
