"""Histories of The Resistance up to relabelling the players (Bossle 2018, section 5.3).

The missions so far split the players into groups that went on exactly the same missions. Players of one group are
interchangeable, so a mission is the number of members from each group, and a spy set the number of spies in each group,
its type. Here a history is played by representatives: players are bits, groups, missions and spy sets are masks, and a
mission takes the lowest players of each group.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from .game.setups import MAX_PLAYERS, Setup

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
        if size == 0:
            yield ()
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
    """Yield one list of missions of each kind."""
    if not sizes:
        yield ()
        return
    for mission in missions(groups, sizes[0]):
        for rest in all_plans(split(groups, mission), sizes[1:]):
            yield (mission, *rest)
