"""Bossle's own formulation (2018, chapter 5): all rounds and all decisions as a sequence form, up to relabelling.

The resistance is the first player. Forced moves are kept as decisions; only a mission with too few spies on it is
none. It serves as the yardstick for `lazy`, which gets along with a fraction of it.
"""

from functools import cache

import numpy as np

from ...games.resistance.setups import Setup
from ..sequence_form import SequenceForm, Treeplex, merge
from .opening import NEVER
from .orbits import Groups, everyone, missions, ones, split, spy_sets, types


class _Growth:
    """The treeplexes and payoffs while they are being made."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.sets = setup, spy_sets(setup)
        self.parents: list[int] = []
        self.firsts: list[int] = []
        self.counts: list[int] = []
        self.sequences = 1
        self.spy_parents: list[np.ndarray] = []
        self.spy_sequences = 1
        self.leaves: list[tuple[int, np.ndarray, int]] = []
        self.kinds = cache(self._kinds)

    def _kinds(self, groups: Groups) -> np.ndarray:
        """The types of all spy sets, numbered from 0."""
        return np.unique(types(self.sets, groups), return_inverse=True)[1]

    def add(self, parent: int, groups: Groups, score: tuple[int, int], spies: np.ndarray) -> None:
        """Add a decision of the resistance and all that follows; `spies` has the last sequence of each spy set."""
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
    """The sequence form of a set-up; for 7 players it takes about 10 seconds and 0.3 GB, for 8 about ten times that."""
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
