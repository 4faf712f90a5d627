"""Bossle's own formulation (2018, chapter 5): all rounds and all decisions as a sequence form, up to relabelling.

The resistance is the first player. Forced moves are kept as decisions; only a mission with too few spies on it is
none. It serves as the yardstick for `resistance.certificate`, which gets along with a fraction of it.
"""

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...resistance.game import SETUPS, Setup, find_setup
from ...resistance.orbits import Groups, everyone, missions, ones, shares, split, spy_sets, types
from ...resistance.variants import NEVER
from ...runs.store import Json
from ...solving.methods.cfr import TreeRegrets
from ...solving.methods.double_oracle import double_oracle
from ...solving.methods.lp import LinearProgram, Simplex, equilibrium, plans_of, program_of
from ...solving.methods.normal_form import Matrix, is_equilibrium, lemke_howson
from ...solving.reduce import presolve_tree
from ...solving.reduce.colour_refinement import colours_of, refine
from ...solving.sources import find_source
from ...solving.tree import sequence_form
from ...solving.tree.sequence_form import SequenceForm, Treeplex, guaranteed_value, merge


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
    resistance_ends: int  # ends of the game after this round, as the resistance sees them
    spy_ends: int  # the same for the spies: those moves after which no wait follows

    @property
    def apart(self) -> int:
        """Nodes if seeing a mission, deciding on it, having moved and the next wait are four, and ends are moves."""
        return sum(self[:6])

    @property
    def states(self) -> int:
        """Nodes by definition 5, one for each knowledge state: choice, sent, end; wait, mission seen, end."""
        choices, missions, waits, seen, _, _, *ends = self
        return choices + missions + waits + seen + sum(ends)


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

    Bossle counts 8.5e11 for 8 players. Only readings in which seeing a mission and deciding on it are two nodes give
    that: `apart` is 8.46e11. His definition 5 has one node for each knowledge state: `states` is 6.46e11. The
    resistance is taken to meet every list of missions and outcomes, which is so where some spies fit each of them.
    """
    sets, found = comb(setup.players, setup.spies), []
    ways, public = {(0, 0): sets}, {(0, 0): 1}
    for number in range(setup.rounds):
        size, needed = setup.sizes[number], setup.needed[number]
        crews = comb(setup.players, size)
        able = sum(
            comb(setup.spies, spies) * comb(setup.players - setup.spies, size - spies)
            for spies in range(needed, min(size, setup.spies) + 1)
        )
        waits, choices = sum(ways.values()), sum(public.values())
        ways, public = _next_scores(setup, ways, crews, able), _next_scores(setup, public, crews, crews)
        moves, outcomes = waits * (crews + able), 2 * choices * crews
        ends = outcomes - sum(public.values()), moves - sum(ways.values())
        found.append(LabelledRound(choices, choices * crews, waits, waits * crews, waits * able, moves, *ends))
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
TREE_GB = 8.0  # memory limit of the tree of labelled players


def measured(solve: Callable[..., Json], *words: int | str) -> Json:
    """Run a solver in a separate process, whose memory it reports."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as worker:
        return worker.submit(solve, *words).result()


def solve_program(players: int, team: str, method: str) -> Json:
    """Solve the paper's program; return its costs, including building it."""
    began = time.process_time()
    form = full_form(SETUPS[players])
    found = equilibrium(form, TEAMS.index(team), method)
    spent = round(time.process_time() - began, 2)
    facts = {"value": found.value, "gap": found.gap, "iterations": found.point.iterations}
    return facts | {"cpu_seconds": spent, "megabytes": peak_megabytes()}


# A first-order method needs no program, only the two trees and the payoffs: PCFR+ until both bounds meet.
GAP, MOST_ITERATIONS = 1e-9, 1024


def solve_by_regrets(players: int, most: int = MOST_ITERATIONS) -> Json:
    """Solve the paper's form for both teams at once; both bounds are best responses in the whole form."""
    began = time.process_time()
    regrets = TreeRegrets(full_form(SETUPS[players]), "pcfr+")
    regrets.advance(1)
    while (found := regrets.gap()).gap > GAP and regrets.iterations < most:
        regrets.advance(regrets.iterations)
    spent = round(time.process_time() - began, 2)
    facts = {"players": players, "lower": found.lower, "upper": found.upper, "gap": max(found.gap, 0.0)}
    return facts | {"iterations": regrets.iterations, "cpu_seconds": spent, "megabytes": peak_megabytes()}


MOST_ROUNDS = 1000  # of the double oracle


def solve_by_growth(players: int) -> Json:
    """Solve the paper's form by the double oracle, the thesis's own idea (chapter 7), within a number of rounds."""
    began = time.process_time()
    form = full_form(SETUPS[players])
    last = next(last for last in double_oracle(form, GAP) if last.final or last.number == MOST_ROUNDS)
    spent = round(time.process_time() - began, 2)
    facts: Json = {"players": players, "lower": last.lower, "upper": last.upper}
    facts |= {"gap": max(last.upper - last.lower, 0.0)}
    facts |= {"rounds": last.number, "generated": list(last.generated), "sequences": form.sizes["sequences"]}
    return facts | {"cpu_seconds": spent, "megabytes": peak_megabytes()}


# Symmetry found by colour refinement, without knowledge of the game, beside the relabellings derived by hand.


def orbits_by_hand(players: int) -> Json:
    """Return the paper's program, and the orbits that colour refinement finds in it on top of the paper's own."""
    program = program_of(full_form(SETUPS[players]), 0)
    return {"players": players, "start": "relabellings by hand"} | _refined_sizes(program)


def orbits_by_machine(name: str, presolved: bool) -> Json:
    """Return the program of labelled players, as the rules give it or after presolve, and the orbits found in it."""
    tree = find_source(name).tree(TREE_GB)
    form = presolve_tree(tree).form if presolved else sequence_form(tree)
    program, start = program_of(form, 0), "labelled players" + ", dominated actions removed" * presolved
    found = {"players": find_setup(name).players, "start": start} | _refined_sizes(program)
    if presolved:  # strategies that are constant on the orbits, and their best responses among all labelled ones
        quotient = refine(program)
        point = Simplex(quotient.program).optimum()
        plans = plans_of(form, 0, *quotient.lift(point.primal, point.dual))
        found |= dict(zip(("lower", "upper"), guaranteed_value(form, *plans), strict=True))
    return found


def _refined_sizes(program: LinearProgram) -> Json:
    orbits = [int(colours.max()) + 1 for colours in colours_of(program)]
    return {"program": [program.height, program.width], "orbits": orbits, "megabytes": peak_megabytes()}


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
