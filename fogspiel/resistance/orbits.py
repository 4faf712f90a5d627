"""Histories of The Resistance up to relabelling the players (Bossle 2018, section 5.3).

The missions so far split the players into groups that went on exactly the same missions. Players of one group are
interchangeable, so a mission is the number of members from each group, and a spy set the number of spies in each group,
its type. Here a history is played by representatives: players are bits, groups, missions and spy sets are masks, and a
mission takes the lowest players of each group.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import NamedTuple

import numpy as np

from .game import MAX_PLAYERS, Setup

Groups = tuple[int, ...]  # masks of the groups, in the order of `split`


def everyone(setup: Setup) -> Groups:
    return ((1 << setup.players) - 1,)


def split(groups: Groups, mission: int) -> Groups:
    """Return the groups after a mission: of each group first those who went, then those who did not."""
    halves = (half for group in groups for half in (group & mission, group & ~mission))
    return tuple(half for half in halves if half)


def counts(groups: Groups, players: int) -> tuple[int, ...]:
    return tuple((group & players).bit_count() for group in groups)


def taken(groups: Groups, numbers: tuple[int, ...]) -> int:
    """Return the lowest players of each group, this many of each."""
    mask = 0
    for group, number in zip(groups, numbers, strict=True):
        for _ in range(number):
            lowest = group & -group
            mask |= lowest
            group ^= lowest
    return mask


def shares(caps: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the splits of `size` between groups of limited size, more from the first groups first."""
    if not caps:
        yield from [()] if size == 0 else []
        return
    for number in range(min(caps[0], size), max(0, size - sum(caps[1:])) - 1, -1):
        for rest in shares(caps[1:], size - number):
            yield (number, *rest)


def missions(groups: Groups, size: int) -> list[int]:
    """Return one mission of each kind: a representative of every orbit."""
    return [taken(groups, numbers) for numbers in shares(tuple(g.bit_count() for g in groups), size)]


def spy_sets(setup: Setup) -> np.ndarray:
    chosen = combinations(range(setup.players), setup.spies)
    return np.array([sum(1 << player for player in spies) for spies in chosen], np.int64)


BITS = np.array([mask.bit_count() for mask in range(1 << MAX_PLAYERS)], np.int64)


def ones(masks: np.ndarray) -> np.ndarray:
    count: np.ndarray = BITS[masks]
    return count


def types(sets: np.ndarray, groups: Groups) -> np.ndarray:
    """Number each spy set by its type: the spies in each group, as digits."""
    number = np.zeros_like(sets)
    for group in groups:
        number = number * 16 + ones(sets & group)
    return number


def numbered(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


def plan_text(groups: Groups, plan: tuple[int, ...]) -> str:
    """Format a list of missions: the members from each group, the groups splitting from mission to mission."""
    words = []
    for mission in plan:
        words.append(numbered(counts(groups, mission)))
        groups = split(groups, mission)
    return " ".join(words)


def all_plans(groups: Groups, sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not sizes:
        yield ()
        return
    for mission in missions(groups, sizes[0]):
        for rest in all_plans(split(groups, mission), sizes[1:]):
            yield (mission, *rest)


# A rule of one sentence for each team of The Resistance, without dice, and its value (Christiano 2018).
#
# The spies let all but as many missions pass as they need points, and sabotage these whenever possible. All the rest
# succeed, so the resistance wins exactly if one of these missions is clean. Until then it sees nothing but sabotage, so
# it may as well fix its missions before the game, and wins against the most spy sets that such teams can cover.
#
# The resistance fixes as many teams as the spies need points, and draws each mission from a team of which no mission
# was sabotaged. Spies on a mission were on its team, so each sabotage rules out a team that is not clean: if one is
# clean, fewer missions are sabotaged than the spies need. A mission that takes two sabotages has space for one player
# more. The rule is valid if there always is a team that is large enough.

Team = tuple[int, int]  # the size of a team, and the number of spies from which on it is not clean


class Coverage(NamedTuple):
    """Teams, and the number of spy sets for which one of them is clean."""

    won: int
    teams: tuple[int, ...]  # masks of players


@cache
def best_coverage(players: int, spies: int, kinds: tuple[Team, ...]) -> Coverage:
    """Return the teams of these kinds, over all their overlaps, that cover the most spy sets."""
    best = Coverage(-1, ())

    def choose(groups: Groups, alive: list[int], found: Coverage) -> None:
        nonlocal best
        if len(found.teams) == len(kinds):
            best = max(best, found, key=lambda coverage: coverage.won)
        elif found.won + len(alive) > best.won:
            size, needed = kinds[len(found.teams)]
            for team in missions(groups, size):
                left = [spies for spies in alive if (spies & team).bit_count() >= needed]
                won = found.won + len(alive) - len(left)
                choose(split(groups, team), left, Coverage(won, (*found.teams, team)))

    sets = [sum(1 << spy for spy in chosen) for chosen in combinations(range(players), spies)]
    choose(((1 << players) - 1,), sets, Coverage(0, ()))
    return best


class SpyRule(NamedTuple):
    """Rule that lets the missions of some rounds pass and sabotages the others whenever possible."""

    passed: tuple[int, ...]  # rounds, from 1
    wins: Fraction  # the most that any resistance wins against it


def spy_rule(setup: Setup) -> SpyRule:
    """Return the best rule of its kind; ties go to passing earlier missions."""

    def rule(passed: tuple[int, ...]) -> SpyRule:
        rounds = enumerate(zip(setup.sizes, setup.needed, strict=True), 1)
        kinds = tuple(sorted(mission for number, mission in rounds if number not in passed))
        won = best_coverage(setup.players, setup.spies, kinds).won
        return SpyRule(passed, Fraction(won, comb(setup.players, setup.spies)))

    choices = combinations(range(1, setup.rounds + 1), setup.points - 1)
    return min(map(rule, choices), key=lambda rule: rule.wins)


class TeamRule(NamedTuple):
    """Rule that sends the first unsabotaged team that is large enough, or a part of it."""

    teams: tuple[int, ...]  # masks of players, small teams first
    wins: Fraction  # its guaranteed win against any spies


def team_rule(setup: Setup) -> TeamRule:
    """Return the best rule of its kind; teams that are all as large as the largest mission are always valid."""
    useful = sorted({max(room - needed + 1, 1) for room, needed in zip(setup.sizes, setup.needed, strict=True)})
    sound = (sizes for sizes in combinations_with_replacement(useful, setup.points) if always_fits(setup, sizes))
    found = (best_coverage(setup.players, setup.spies, tuple((size, 1) for size in sizes)) for sizes in sound)
    best = max(found, key=lambda coverage: coverage.won)
    return TeamRule(best.teams, Fraction(best.won, comb(setup.players, setup.spies)))


def always_fits(setup: Setup, sizes: tuple[int, ...], won: int = 0) -> bool:
    """True if one of the remaining teams is large enough for the mission, now and after it."""
    if won == setup.points:
        return True
    number = won + setup.points - len(sizes)
    team = fitting_team(setup, number, sizes)
    if team is None:
        return False
    left = sizes[:team] + sizes[team + 1 :]
    return always_fits(setup, sizes, won + 1) and (not left or always_fits(setup, left, won))


def fitting_team(setup: Setup, number: int, sizes: tuple[int, ...]) -> int | None:
    room = setup.sizes[number] - setup.needed[number] + 1
    return next((team for team, size in enumerate(sizes) if size >= room), None)
