"""A policy of a phantom game by the weights of its merged histories.

The policy is queried at every information state that it can come to, level by level: after no try, after one, and so
on. It may depend on the order of its tries; the weight of a merged history is the sum of the realisation weights of all
its orders, exactly.
"""

from collections.abc import Callable
from math import lcm
from typing import NamedTuple

import numpy as np

from ....core.behaviour_policy import InformationStates
from ....core.compile.kernel import inlined, kernel, ones
from ....games.boards.board import Board
from ....games.phantom import rules
from .merged_histories import NOWHERE, Sets, Side, hidden_stones, node_of, sequence_of, unknown

MAX_UNIT = 1 << 60  # integer weights have units of at least 1 / MAX_UNIT
BATCH = 1 << 16  # information states per query


class Level(NamedTuple):
    """All information states of a player after a given number of tries."""

    node: np.ndarray
    weight: np.ndarray
    history: np.ndarray
    record: np.ndarray  # of each turn the stone and the failed tries, as the view has them


@kernel
def count_next(sets, side, level, shares):
    """Count the information states after those of a level with positive weight."""
    total = 0
    for i in range(len(level.node)):
        group = side.group[level.node[i]]
        free = unknown(sets, side, group) & ~np.int64(side.tried[level.node[i]])
        for cell in range(sets.cells):
            if free >> cell & 1 and shares[i, cell] > 0:
                after, failure = next_nodes(sets, side, level.node[i], free, cell)
                total += (after != NOWHERE) + (failure != NOWHERE)
    return total


@inlined
def next_nodes(sets, side, node, free, cell):
    """Return the nodes after the stone stays on a cell and after the try fails; each may be NOWHERE."""
    group, failed = side.group[node], np.int64(side.tried[node]) | 1 << cell
    after = side.first_node[sequence_of(side, node, free, cell)]
    failure = NOWHERE
    if ones(failed) <= hidden_stones(side, group):
        failure = node_of(sets, side, group, failed)
    if after != NOWHERE and not side.reached[after]:
        after = NOWHERE
    if failure != NOWHERE and not side.reached[failure]:
        failure = NOWHERE
    return after, failure


@kernel
def expand(sets, side, level, tries, shares, weights, following):
    """Add the tries of a level to the weights of their sequences, and write the level that follows."""
    new = 0
    for i in range(len(level.node)):
        node = level.node[i]
        group = side.group[node]
        turn = ones(np.int64(side.stones[group]))
        free = unknown(sets, side, group) & ~np.int64(side.tried[node])
        for cell in range(sets.cells):
            if not free >> cell & 1 or not shares[i, cell] > 0:
                continue
            weight = level.weight[i] * shares[i, cell]
            weights[sequence_of(side, node, free, cell)] += weight
            after, failure = next_nodes(sets, side, node, free, cell)
            for stays in range(2):
                there = after if stays else failure
                if there == NOWHERE:
                    continue
                following.node[new], following.weight[new] = there, weight
                following.history[new] = level.history[i]
                following.history[new, tries] = cell
                following.record[new] = level.record[i]
                if stays:
                    following.record[new, 2 * turn] = cell
                else:
                    following.record[new, 2 * turn + 1] |= 1 << cell
                new += 1


class Shares(NamedTuple):
    """Probabilities at some information states, one row per state and one column per cell."""

    numbers: np.ndarray  # integers of 1 / unit, or floats
    unit: int = 0  # 0 for floats

    def times(self, unit: int) -> np.ndarray:
        """Return integers in units of 1 / unit, a multiple of the own one; floats for 0."""
        if unit == 0:
            return self.numbers / self.unit if self.unit else self.numbers
        return self.numbers if unit == self.unit else self.numbers * (unit // self.unit)


Ask = Callable[["Questions"], Shares]
Watch = Callable[[int], None]  # receives the number of information states queried so far


class PolicyWeights(NamedTuple):
    """A policy by the realisation weight of its merged sequences: integers of 1 / unit, or floats."""

    numbers: np.ndarray
    unit: int  # 0 for floats
    states: int  # number of information states queried

    def in_floats(self) -> "PolicyWeights":
        return PolicyWeights(self.numbers / self.unit, 0, self.states) if self.unit else self


def weigh(board: Board, sets: Sets, side: Side, ask: Ask, watch: Watch) -> PolicyWeights:
    """Query a policy at all information states that it can come to.

    Weights are integers as long as the probabilities have a common denominator that fits 64 bits. A sequence of k
    tries is counted in units of the k-th level until all levels are done.
    """
    weights, units, states = np.zeros(len(side.stones), np.int64), [1], 0
    weights[0] = 1
    level, tries_of = _first_level(board), np.bitwise_count(side.stones) + np.bitwise_count(side.known)
    for tries in range(board.cells):
        if not len(level.node):
            break
        parts = [Level(*(row[i : i + BATCH] for row in level)) for i in range(0, len(level.node), BATCH)]
        batches = []
        for part in parts:
            batches.append(ask(Questions(board, side, part)))
            states += len(part.node)
            watch(states)
        unit = units[-1] and lcm(*(batch.unit for batch in batches))
        if units[-1] and not 0 < unit * units[-1] <= MAX_UNIT:  # from here on in floats
            scale = np.array([1 / unit for unit in units] + [0.0] * board.cells)
            weights, parts = (
                weights * scale[tries_of],
                [part._replace(weight=part.weight / units[-1]) for part in parts],
            )
            unit, units = 0, [0]
        following = []
        for part, batch in zip(parts, batches, strict=True):
            shares = batch.times(unit)
            following.append(room_for(count_next(sets, side, part, shares), part))
            expand(sets, side, part, tries, shares, weights, following[-1])
        units.append(units[-1] * unit)
        level = Level(*(np.concatenate(rows) for rows in zip(*following, strict=True)))
    if units[-1]:
        weights *= np.array([units[-1] // unit for unit in units])[tries_of]
    return PolicyWeights(weights, units[-1], states)


def _first_level(board: Board) -> Level:
    record = np.zeros((1, (board.cells + 1) // 2 * 2), np.int16)
    record[:, ::2] = -1
    return Level(np.zeros(1, np.int32), np.ones(1, np.int64), np.full((1, board.cells), -1, np.int8), record)


class Questions(NamedTuple):
    """Information states at which a policy is queried, with lazily computed fields."""

    board: Board
    side: Side
    level: Level

    @property
    def taken(self) -> tuple[np.ndarray, np.ndarray]:
        group = self.side.group[self.level.node]
        known = self.side.known[group] | self.side.tried[self.level.node]
        return self.side.stones[group].astype(np.int64), known.astype(np.int64)

    @property
    def legal(self) -> np.ndarray:
        stones, known = self.taken
        return np.asarray((stones | known)[:, None] >> np.arange(self.board.cells) & 1 == 0)

    @property
    def states(self) -> InformationStates:
        board, record, (stones, known) = self.board, self.level.record, self.taken
        turns = record.shape[1] // 2
        views = np.empty((len(stones), rules.SEEN_RECORD + 2 * turns), np.int64)
        views[:, : rules.SEEN_PLAYER] = board.rows, board.columns, turns, 0
        views[:, rules.SEEN_PLAYER] = self.side.player
        views[:, rules.SEEN_TURN] = 2 * np.bitwise_count(stones) + self.side.player
        views[:, rules.SEEN_RESULT] = -1
        views[:, rules.SEEN_KNOWN] = known
        views[:, rules.SEEN_RECORD :] = record
        return InformationStates(self.side.player, views, self.legal, self.level.history)


def room_for(count: int, level: Level) -> Level:
    return Level(*(np.empty((count, *row.shape[1:]), row.dtype) for row in level))


def uniform(questions: Questions) -> Shares:
    """Try any legal cell with equal probability; after equally many tries there are equally many."""
    legal = questions.legal
    return Shares(legal.astype(np.int64), int(legal[0].sum()))
