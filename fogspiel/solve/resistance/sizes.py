"""Sizes of the game: mission lists up to relabelling, the full sequence form, and the tree of labelled players.

Counts are memoised on multisets of groups, as only the sizes of the groups matter, and the spies in them.
"""

from collections.abc import Iterator
from functools import cache
from math import comb
from typing import NamedTuple

from ...games.resistance.setups import Setup
from .orbits import shares

Score = tuple[int, int]
Filled = tuple[tuple[int, int], ...]  # the size of each group and the spies in it, sorted


class FullSizes(NamedTuple):
    """The sequence form of all rounds and all decisions, histories up to relabelling."""

    resistance_infosets: int
    resistance_sequences: int
    spy_infosets: int
    spy_sequences: int
    # Mission lists with a type of the spies each; some share an entry of the payoff matrix from 7 players on.
    leaves: int


class LabelledRound(NamedTuple):
    """The knowledge trees (Bossle 2018, figure 4.1) in one round when players are told apart."""

    resistance_choices: int
    resistance_missions: int
    spy_waits: int  # nodes in which the spies wait for a mission
    spy_missions: int  # nodes in which they have seen one
    spy_choices: int  # of these, the ones in which they can sabotage
    spy_moves: int  # nodes behind a sabotage, or behind letting the mission pass


def mission_orbits(setup: Setup) -> list[int]:
    """The number of mission lists of 1, 2, .. rounds up to relabelling."""

    @cache
    def lists(groups: tuple[int, ...], number: int, rounds: int) -> int:
        if number == rounds:
            return 1
        return sum(
            lists(tuple(sorted(_halves(groups, sent))), number + 1, rounds)
            for sent in shares(groups, setup.sizes[number])
        )

    return [lists((setup.players,), 0, rounds) for rounds in range(1, setup.rounds + 1)]


def open_histories(setup: Setup) -> list[int]:
    """The number of ways in which the first 0, 1, .. rounds can end without a winner."""
    found, scores = [], {(0, 0): 1}
    for _ in range(setup.rounds):
        found.append(sum(scores.values()))
        scores = _next_scores(setup, scores, 1, 1)
    return found


def _next_scores(setup: Setup, ways: dict[Score, int], won: int, lost: int) -> dict[Score, int]:
    """In how many ways a game without a winner comes to each score, if a mission is won and lost in so many ways."""
    following: dict[Score, int] = {}
    for score, way in ways.items():
        for after, count in (((score[0] + 1, score[1]), won), ((score[0], score[1] + 1), lost)):
            if max(after) < setup.points:
                following[after] = following.get(after, 0) + way * count
    return following


def full_sizes(setup: Setup) -> FullSizes:
    """The sizes of `full.full_form`, counted without making it."""
    orbits, ways = mission_orbits(setup), open_histories(setup)
    sequences = 1 + sum(number * way for number, way in zip(orbits, ways, strict=True))
    *spies, leaves = _spy_counts(setup)
    infosets = sum(resistance for resistance, _ in reduced_rounds(setup))
    return FullSizes(infosets, sequences, sum(spies), 1 + 2 * sum(spies), leaves)


def reduced_rounds(setup: Setup) -> list[tuple[int, int]]:
    """The infosets of the resistance and of the spies in each round, up to relabelling (figure 5.1)."""
    before = zip([1, *mission_orbits(setup)], open_histories(setup), strict=False)
    return list(zip((number * way for number, way in before), _spy_counts(setup), strict=False))


def _spy_counts(setup: Setup) -> list[int]:
    """Infosets of the spies in each round, and last the leaves."""

    @cache
    def below(groups: Filled, score: Score) -> tuple[int, ...]:
        found = [0] * (setup.rounds + 1)
        for after, sent in _refined(groups, setup.sizes[sum(score)]):
            able = sent >= setup.needed[sum(score)]
            found[sum(score)] += able
            for following in ((score[0] + 1, score[1]), (score[0], score[1] + 1))[: 1 + able]:
                if max(following) == setup.points:
                    found[-1] += 1
                else:
                    found = [here + more for here, more in zip(found, below(after, following), strict=True)]
        return tuple(found)

    return list(below(((setup.players, setup.spies),), (0, 0)))


def labelled_sizes(setup: Setup) -> list[LabelledRound]:
    """The knowledge trees without symmetry reduction, round by round.

    Bossle counts 8.5e11 knowledge nodes for 8 players without saying which; all the nodes listed here are 8.46e11.
    """
    sets, found = comb(setup.players, setup.spies), []
    ways, public = {(0, 0): sets}, 1
    for number, histories in enumerate(open_histories(setup)):
        size, needed = setup.sizes[number], setup.needed[number]
        crews = comb(setup.players, size)
        able = sum(
            comb(setup.spies, spies) * comb(setup.players - setup.spies, size - spies)
            for spies in range(needed, min(size, setup.spies) + 1)
        )
        waits = sum(ways.values())
        choices = public * histories
        found.append(
            LabelledRound(choices, choices * crews, waits, waits * crews, waits * able, waits * (crews + able))
        )
        ways, public = _next_scores(setup, ways, crews, able), public * crews
    return found


def _halves(groups: tuple[int, ...], sent: tuple[int, ...]) -> Iterator[int]:
    """The sizes of the groups after a mission."""
    for group, number in zip(groups, sent, strict=True):
        yield from (half for half in (number, group - number) if half)


def _refined(groups: Filled, size: int) -> list[tuple[Filled, int]]:
    """The groups with their spies after each mission of that size, with the number of spies sent."""
    found: list[tuple[Filled, int, int]] = [((), 0, 0)]
    for group, spies in groups:
        found = [
            ((*done, (sent, guilty), (group - sent, spies - guilty)), players + sent, sent_spies + guilty)
            for done, players, sent_spies in found
            for sent in range(min(group, size - players) + 1)
            for guilty in range(max(0, spies - group + sent), min(spies, sent) + 1)
        ]
    return [
        (tuple(sorted(group for group in done if group[0])), guilty)
        for done, players, guilty in found
        if players == size
    ]
