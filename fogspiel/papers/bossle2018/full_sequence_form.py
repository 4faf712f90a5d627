"""Bossle's own formulation (2018, chapter 5): all rounds and all decisions as a sequence form, up to relabelling.

The resistance is the first player. Forced moves are kept as decisions; only a mission with too few spies on it is
none. It serves as the yardstick for `resistance.certificate`, which gets along with a fraction of it.
"""

import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...resistance.game import SETUPS, Setup
from ...resistance.orbits import Groups, everyone, missions, ones, shares, split, spy_sets, types
from ...resistance.variants import NEVER
from ...runs.store import Json
from ...solving.methods.lp import equilibrium
from ...solving.methods.normal_form import Matrix, is_equilibrium, lemke_howson
from ...solving.tree.sequence_form import SequenceForm, Treeplex, merge


class _Growth:
    def __init__(self, setup: Setup) -> None:
        self.setup, self.sets = setup, spy_sets(setup)
        self.parents: list[int] = []
        self.firsts: list[int] = []
        self.counts: list[int] = []
        self.sequences = 1
        self.spy_parents: list[np.ndarray] = []
        self.spy_sequences = 1
        self.leaves: list[tuple[int, np.ndarray, int]] = []
        self.kinds = cache(lambda groups: np.unique(types(self.sets, groups), return_inverse=True)[1])

    def add(self, parent: int, groups: Groups, score: tuple[int, int], spies: np.ndarray) -> None:
        """Add a decision of the resistance and its descendants; `spies` has the last sequence of each spy set."""
        size, needed = self.setup.sizes[sum(score)], self.setup.needed[sum(score)]
        options = missions(groups, size)
        first = self.sequences
        self.sequences += len(options)
        self.parents.append(parent)
        self.firsts.append(first)
        self.counts.append(len(options))
        for sequence, mission in enumerate(options, first):
            after = split(groups, mission)
            able = np.flatnonzero((ones(self.sets & mission) >= needed) & (spies != NEVER))
            _, samples, kinds = np.unique(self.kinds(after)[able], return_index=True, return_inverse=True)
            passed, failed = spies.copy(), np.full_like(spies, NEVER)
            passed[able] = self.spy_sequences + 2 * kinds
            failed[able] = passed[able] + 1
            self.spy_parents.append(spies[able[samples]])
            self.spy_sequences += 2 * len(samples)
            for won, following, last in ((1, (score[0] + 1, score[1]), passed), (-1, (score[0], score[1] + 1), failed)):
                if max(following) < self.setup.points:
                    self.add(sequence, after, following, last)
                else:
                    self.leaves.append((sequence, last[last != NEVER], won))


def full_form(setup: Setup) -> SequenceForm:
    """Return the sequence form of a set-up; 7 players take about 10 s and 0.3 GB, 8 about ten times that."""
    growth = _Growth(setup)
    growth.add(0, everyone(setup), (0, 0), np.zeros(len(growth.sets), np.int64))
    resistance = Treeplex(*(np.array(part, np.int64) for part in (growth.parents, growth.firsts, growth.counts)))
    above = np.concatenate(growth.spy_parents)
    numbers = np.arange(len(above))
    spies = Treeplex(above, 1 + 2 * numbers, np.full(len(above), 2))
    lengths = [len(last) for _, last, _ in growth.leaves]
    rows = np.repeat([sequence for sequence, _, _ in growth.leaves], lengths)
    columns = np.concatenate([last for _, last, _ in growth.leaves])
    payoffs = np.repeat([won for _, _, won in growth.leaves], lengths)
    return merge((resistance, spies), rows, columns, payoffs, len(growth.sets))


# Sizes of the game: mission lists up to relabelling, the full sequence form, and the tree of labelled players.
#
# Counts are memoised on multisets of groups, as only the sizes of the groups matter, and the spies in them.

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
    """The knowledge trees (Bossle 2018, figure 4.1) in one round with labelled players."""

    resistance_choices: int
    resistance_missions: int
    spy_waits: int  # nodes in which the spies wait for a mission
    spy_missions: int  # nodes in which they have seen one
    spy_choices: int  # of these, the ones in which they can sabotage
    spy_moves: int  # nodes behind a sabotage, or behind letting the mission pass


def mission_orbits(setup: Setup) -> list[int]:
    """Return the number of mission lists of 1, 2, .. rounds up to relabelling."""

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
    """Return the number of ways in which the first 0, 1, .. rounds can end without a winner."""
    found, scores = [], {(0, 0): 1}
    for _ in range(setup.rounds):
        found.append(sum(scores.values()))
        scores = _next_scores(setup, scores, 1, 1)
    return found


def _next_scores(setup: Setup, ways: dict[Score, int], won: int, lost: int) -> dict[Score, int]:
    """Count the ways to each score without a winner, if a mission is won and lost in `won` and `lost` ways."""
    following: dict[Score, int] = {}
    for score, way in ways.items():
        for after, count in (((score[0] + 1, score[1]), won), ((score[0], score[1] + 1), lost)):
            if max(after) < setup.points:
                following[after] = following.get(after, 0) + way * count
    return following


def full_sizes(setup: Setup) -> FullSizes:
    """Return the sizes of `full_form`, counted without making it."""
    orbits, ways = mission_orbits(setup), open_histories(setup)
    sequences = 1 + sum(number * way for number, way in zip(orbits, ways, strict=True))
    *spies, leaves = _spy_counts(setup)
    infosets = sum(resistance for resistance, _ in reduced_rounds(setup))
    return FullSizes(infosets, sequences, sum(spies), 1 + 2 * sum(spies), leaves)


def reduced_rounds(setup: Setup) -> list[tuple[int, int]]:
    """Return the infosets of the resistance and of the spies in each round, up to relabelling (figure 5.1)."""
    before = zip([1, *mission_orbits(setup)], open_histories(setup), strict=False)
    return list(zip((number * way for number, way in before), _spy_counts(setup), strict=False))


def _spy_counts(setup: Setup) -> list[int]:
    """Return the infosets of the spies in each round, and last the leaves."""

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
    """Return the knowledge trees without symmetry reduction, round by round.

    Bossle counts 8.5e11 knowledge nodes for 8 players without a definition; all the nodes listed here are 8.46e11.
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
    for group, number in zip(groups, sent, strict=True):
        yield from (half for half in (number, group - number) if half)


def _refined(groups: Filled, size: int) -> list[tuple[Filled, int]]:
    """Return the groups with their spies after each mission of that size, with the number of spies sent."""
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


# Bossle's own linear programs, each solved in a separate process, and the small normal forms of the thesis.

TEAMS = ("resistance", "spies")
STATUS = Path("/proc/self/status")


def measured(players: int, team: str, method: str) -> Json:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as worker:
        return worker.submit(solve_program, players, team, method).result()


def solve_program(players: int, team: str, method: str) -> Json:
    """Solve the paper's program; return its costs, including building it."""
    began = time.process_time()
    form = full_form(SETUPS[players])
    found = equilibrium(form, TEAMS.index(team), method)
    spent = round(time.process_time() - began, 2)
    facts = {"value": found.value, "gap": found.gap, "iterations": found.point.iterations}
    return facts | {"cpu_seconds": spent, "megabytes": peak_megabytes()}


def peak_megabytes() -> int | None:
    """Return the peak memory of this process so far, imports included, where the system reports it."""
    if not STATUS.exists():
        return None
    peak = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
    return round(int(peak.split()[1]) / 1024)


NORMAL_FORMS: dict[str, tuple[Matrix, Matrix]] = {
    "rock-paper-scissors (table 2.1)": ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]),
    "the modified one (table 2.2), payoffs doubled": (
        [[0, -1, 2], [1, 0, -2], [-2, 2, 0]],
        [[0, 1, -2], [-1, 0, 2], [2, -2, 0]],
    ),
    "prisoner's dilemma (table 3.1), not zero-sum": ([[1, -1], [2, 0]], [[1, 2], [-1, 0]]),
}  # payoffs of both players, the first one's strategies as rows: rock, paper, scissors; cooperate, defect


def normal_forms() -> Iterator[Json]:
    """Solve the normal forms of the thesis by the algorithm of its section 3.5."""
    for name, (first, second) in NORMAL_FORMS.items():
        found = lemke_howson(first, second)
        yield {
            "game": name,
            "size": f"{len(first)} x {len(first[0])}",
            "first": " ".join(map(str, found.rows)),
            "second": " ".join(map(str, found.columns)),
            "pivots": found.pivots,
            "equilibrium": is_equilibrium(first, second, found),
        }
