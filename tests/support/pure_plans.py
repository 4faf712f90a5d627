"""Plans of the resistance without dice: one mission for each situation, up to who of a group goes.

Against the best spies such a plan wins a whole number of spy sets, so it can be optimal only if the value is one. It
is looked for by integer programming among the plans that the lazy solver came across: maximal spies' payoffs v, as in
the program of the other side, and weights of missions and plans that are 0 or 1.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from fogspiel.resistance.game import Setup
from fogspiel.resistance.linear_program import Table, players
from fogspiel.resistance.orbits import plan_text
from fogspiel.resistance.variants import ForcedOpening, Infoset, Place, Plan, opening, row

SLACK = 1e-6


def pure_strategy(setup: Setup, plans: Sequence[tuple[int, Plan]], value: Fraction) -> dict[str, dict[str, str]] | None:
    """A strategy made of these plans that secures the value and draws only lots, or None if there is none.

    The plans are pairs of a tail's number and missions, as the steps of `lazy` record them.
    """
    game = opening(setup)
    moves: list[tuple[Place, Plan]] = [
        (place, (mission,)) for place in game.infosets for mission, _, _ in place.options
    ]
    moves += [(game.tails[tail], plan) for tail, plan in plans]
    rows, low, high = _rows(game, moves, float((value + 1) / 2 * game.total) - SLACK)
    weights = _solution(len(moves), len(game.spy_parent), rows, low, high)
    if weights is None:
        return None
    return {
        place.history: {plan_text(place.groups, plan): "1"}
        for (place, plan), one in zip(moves, weights, strict=True)
        if one > 0.5
    }


def _rows(game: ForcedOpening, moves: list[tuple[Place, Plan]], least: float) -> tuple[list, list, list]:
    """The rows of the program over the weights of the moves and the values v of the spies' infosets."""
    above: dict[int, int] = {}
    own: dict[int, list[int]] = {}
    worth: list[dict[int, float]] = [{} for _ in range(1 + 2 * len(game.spy_parent))]
    for number, (place, plan) in enumerate(moves):
        own.setdefault(place.number, []).append(number)
        if isinstance(place, Infoset):
            above.update(
                (after.number, number) for mission, *both in place.options if (mission,) == plan for after in both
            )
        else:
            for sequence, count in zip(*row(game, place, plan), strict=True):
                worth[sequence][number] = float(count)
    for spies, parent in enumerate(game.spy_parent):
        worth[parent][len(moves) + spies] = 1.0
    # A place is decided for as often as it is reached; the spies' values are at most those of both choices.
    rows: list[dict[int, float]] = [worth[0]]
    low, high = [least], [np.inf]
    for place_number, numbers in own.items():
        rows.append(dict.fromkeys(numbers, 1.0) | ({above[place_number]: -1.0} if place_number in above else {}))
        low.append(0.0 if place_number in above else 1.0)
        high.append(low[-1])
    for spies in range(len(game.spy_parent)):
        for choice in (1 + 2 * spies, 2 + 2 * spies):
            rows.append(worth[choice] | {len(moves) + spies: -1.0})
            low.append(0.0)
            high.append(np.inf)
    return rows, low, high


def _solution(moves: int, values: int, rows: list, low: list, high: list) -> Any:
    """Weights of the moves that are 0 or 1 and meet all rows, or None."""
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    width, infinite = moves + values, highspy.kHighsInf
    least = np.r_[np.zeros(moves), np.full(values, -infinite)]
    most = np.r_[np.ones(moves), np.full(values, infinite)]
    nothing = np.zeros(width, np.int32), np.zeros(0, np.int32), np.zeros(0)
    solver.addCols(width, np.zeros(width), least, most, 0, *nothing)
    whole = np.array([highspy.HighsVarType.kInteger] * moves)
    solver.changeColsIntegrality(moves, np.arange(moves, dtype=np.int32), whole)
    starts = np.cumsum([0, *map(len, rows)])[:-1].astype(np.int32)
    columns = np.concatenate([list(entries) for entries in rows]).astype(np.int32)
    numbers = np.concatenate([list(entries.values()) for entries in rows])
    bounds = np.array(low), np.where(np.isinf(high), infinite, high)
    solver.addRows(len(rows), *bounds, len(columns), starts, columns, numbers)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return solver.getSolution().col_value[:moves]


def certain_share(setup: Setup, table: Table) -> Fraction:
    """The share of the spy sets that the table beats even if the spies know it and no lots are drawn."""
    sets = [sum(1 << spy for spy in spies) for spies in combinations(range(setup.players), setup.spies)]

    def clean(mission: int, number: int) -> set[int]:
        return {spies for spies in sets if (spies & mission).bit_count() < setup.needed[number]}

    def beaten(outcomes: str) -> set[int]:
        plan = list(map(players, table[outcomes].split()))
        ahead, behind = outcomes.count("+"), outcomes.count("-")
        if max(ahead, behind) == setup.points - 1:
            return set().union(*map(clean, plan, range(setup.rounds - len(plan), setup.rounds)))
        return beaten(outcomes + "+") & (beaten(outcomes + "-") | clean(plan[0], ahead + behind))

    return Fraction(len(beaten("")), len(sets))
