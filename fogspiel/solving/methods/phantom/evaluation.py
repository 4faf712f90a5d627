"""A policy of a phantom game by the weights of its merged histories.

The policy is queried at every information state that it can come to, level by level: after no try, after one, and so
on. It may depend on the order of its tries; the weight of a merged history is the sum of the realisation weights of all
its orders, exactly.
"""

from collections.abc import Callable
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from ....core.behaviour_policy import InformationStates
from ....core.compile.kernel import inlined, kernel, ones
from ....games.boards.board import Board
from ....games.phantom import rules
from .merged_histories import (
    MAX_GROUPS,
    NOWHERE,
    Held,
    Sets,
    Side,
    grow_side,
    hidden_stones,
    meet,
    node_of,
    respond,
    sequence_of,
    sets_of,
    try_value,
    unknown,
)

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


# Exact exploitability of phantom policies on merged histories, for trees too large to traverse.
#
# The passes:
#
#     grow       number the groups, nodes and sequences of a player
#     weigh      query the policy wherever it can come to, and sum realisation weights by sequence
#     meet       traverse the orders of stones with the groups of both players that fit the stones: given the stones,
#                the failures of the two are independent, so the value of a sequence is the sum of the opponent's
#                weights times the payoff, over all ends of games
#     respond    backwards through the nodes: the best-response value, and its tries
#
# Neither symmetry nor dominance is assumed of a policy.


@kernel
def give_away(sets, side, weights, worth, value, out):
    """Write a policy's loss at each node: its weight there times its shortfall from the best try."""
    for node in range(len(side.group)):
        out[node] = 0.0
        if side.reached[node]:
            free = unknown(sets, side, side.group[node]) & ~np.int64(side.tried[node])
            for cell in range(sets.cells):
                if free >> cell & 1:
                    weight = weights[sequence_of(side, node, free, cell)]
                    if weight:
                        less = value[node] - try_value(sets, side, worth, value, node, free, cell)
                        out[node] += np.float64(weight) * np.float64(less)


class BestReply(NamedTuple):
    value: np.ndarray  # its value from each node on, weighted by the opponent's play
    choice: np.ndarray  # the cell it tries at each node, or NOWHERE at unreachable ones


class Try(NamedTuple):
    """A cell that may be tried at a node: the policy's weight on it, and its shortfall from the best one."""

    cell: int
    weight: float | Fraction
    loss: float | Fraction


class Evaluation(NamedTuple):
    """Two policies of a phantom game: their merged weights, the values of sequences to either player, best responses.

    Payoffs are +1 for a win, 0 for a draw and -1 for a loss of the player in question. Values are integers in units of
    1 / unit of the opponent's weights, or floats.
    """

    sets: Sets
    sides: tuple[Side, Side]
    weights: tuple[PolicyWeights, PolicyWeights]
    worths: tuple[np.ndarray, np.ndarray]
    replies: tuple[BestReply, BestReply]

    @property
    def exact(self) -> bool:
        return self.weights[0].unit > 0

    @property
    def value(self) -> float | Fraction:
        """Expected payoff of the first player."""
        numbers, worth = self.weights[0].numbers, self.worths[0]
        if not self.exact:
            return float(numbers @ worth)
        used = np.flatnonzero(numbers)
        total = sum(map(int.__mul__, numbers[used].tolist(), worth[used].tolist()))
        return Fraction(total, self.weights[0].unit * self.weights[1].unit)

    def best(self, player: int) -> float | Fraction:
        return self._number(self.replies[player].value.item(0), self.weights[1 - player].unit)

    def losses(self, player: int) -> np.ndarray:
        """Return the loss of the player's policy at each node, in floats; the sum is the best response's gain."""
        out = np.empty(len(self.sides[player].group))
        give_away(self.sets, self.sides[player], self.weights[player].numbers, *self._rest(player), out)
        return out / (self.weights[0].unit * self.weights[1].unit) if self.exact else out

    def tries(self, player: int, node: int) -> list[Try]:
        side, value = self.sides[player], self.replies[player].value
        free = int(unknown(self.sets, side, side.group[node])) & ~int(side.tried[node])
        found = []
        for cell in (cell for cell in range(self.sets.cells) if free >> cell & 1):
            weight = self.weights[player].numbers.item(sequence_of(side, node, free, cell))
            less = value[node] - try_value(self.sets, side, *self._rest(player), node, free, cell)
            loss = self._number(less, self.weights[1 - player].unit)
            found.append(Try(cell, self._number(weight, self.weights[player].unit), loss))
        return found

    def _rest(self, player: int) -> tuple[np.ndarray, np.ndarray]:
        return self.worths[player], self.replies[player].value

    def _number(self, number: float, unit: int) -> float | Fraction:
        return Fraction(int(number), unit) if self.exact else float(number)


def evaluate_policies(board: Board, asks: tuple[Ask, Ask], watch: Watch = lambda states: None) -> Evaluation:
    """Evaluate two policies, in integers where their probabilities allow it; `watch` counts the queries."""
    sets = sets_of(board)
    sides = grow_side(sets, 0), grow_side(sets, 1)
    nothing = np.zeros(len(sides[0].stones), np.int64), np.zeros(len(sides[1].stones), np.int64)
    _worths(sets, sides, nothing)  # marks the nodes that can be reached
    first = weigh(board, sets, sides[0], asks[0], watch)
    second = weigh(board, sets, sides[1], asks[1], lambda states: watch(first.states + states))
    weights = (first, second) if first.unit and second.unit else (first.in_floats(), second.in_floats())
    worths = _worths(sets, sides, (weights[0].numbers, weights[1].numbers))
    replies = []
    for side, worth in zip(sides, worths, strict=True):
        reply = BestReply(np.empty(len(side.group), worth.dtype), np.empty(len(side.group), np.int8))
        respond(sets, side, worth, *reply)
        replies.append(reply)
    return Evaluation(sets, sides, weights, worths, (replies[0], replies[1]))


def _worths(
    sets: Sets, sides: tuple[Side, Side], weights: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    turns, kind = 2 + sets.cells // 2, weights[0].dtype
    held = Held(np.zeros((2, turns, MAX_GROUPS), np.int32), np.zeros((2, turns), np.int64), np.zeros((2, turns), kind))
    worths = np.zeros(len(weights[0]), kind), np.zeros(len(weights[1]), kind)
    meet(sets, *sides, *weights, held, *worths)
    return worths
