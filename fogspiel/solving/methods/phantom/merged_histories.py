"""The merged histories of a phantom game, their values against each other, and best responses among them.

In a classical phantom game the order of the failed tries of a turn changes nothing for anybody else, so the payoff
depends on merged histories only: turn by turn the set of failed tries, and the stone. Terms:

    group      a player's merged history at the start of one of its turns
    node       a group and the set of cells that have failed in the turn so far
    sequence   a node and the cell where the stone stays; it is the group of the next turn, if there is one

For example, the second player of phantom tic-tac-toe starts with group 0. Its node 0 (nothing has failed) has the
sequences 1 to 9; nodes 1 to 9, in which one cell has failed, have eight each. The first player has just node 0 there,
for nothing can fail.

A policy is queried at every information state that it can come to, level by level: after no try, after one, and so
on. It may depend on the order of its tries; the weight of a merged history is the sum of the realisation weights of all
its orders, exactly.
"""

from collections.abc import Callable
from math import factorial, lcm
from typing import NamedTuple

import numpy as np

from ....core.behaviour_policy import InformationStates
from ....core.compile.kernel import inlined, kernel, ones
from ....games.boards.board import Board
from ....games.phantom import rules
from .private_histories import subset_ranks, winning_cells

NOWHERE = -1
FIRST_ROOM, GROWTH = 1 << 16, 8  # initial space for sequences, and its factor until all fit
MAX_GROUPS = 256  # groups that can fit the same stones: at most 120 on nine cells
MAX_UNIT = 1 << 60  # integer weights have units of at least 1 / MAX_UNIT
BATCH = 1 << 16  # information states per query


class Sets(NamedTuple):
    cells: int
    # rank[within, set] numbers the subsets of a set, smaller ones first: 0, {0}, {2}, {0, 2} within {0, 2}.
    rank: np.ndarray
    wins: np.ndarray  # wins[player, own] are the cells that win for a player with these stones


class Side(NamedTuple):
    """The merged histories of a player. Sequence 0 is the empty one; later turns have higher numbers."""

    player: int
    stones: np.ndarray  # all own stones of a sequence
    known: np.ndarray  # all cells that have failed up to a sequence
    # The node at the start of the turn after a sequence, or NOWHERE; its other nodes follow by rank.
    first_node: np.ndarray
    group: np.ndarray  # the sequence before the turn of a node
    tried: np.ndarray  # the failed tries in the turn of a node so far
    first_sequence: np.ndarray  # the first sequence of a node; the others follow, by cell
    reached: np.ndarray  # true if any play of the opponent lets a node be reached


def sets_of(board: Board) -> Sets:
    """Return the tables of a board, on which the winner's own stones alone determine the win."""
    return Sets(board.cells, subset_ranks(board.cells), winning_cells(board))


@inlined
def unknown(sets, side, group):
    """Return the cells that a player may try at the start of a turn."""
    return ((1 << sets.cells) - 1) & ~np.int64(side.stones[group] | side.known[group])


@inlined
def node_of(sets, side, group, tried):
    return side.first_node[group] + sets.rank[unknown(sets, side, group), tried]


@inlined
def sequence_of(side, node, free, cell):
    """Return the sequence of a node with its stone on a cell; `free` are the cells that may be tried there."""
    return side.first_sequence[node] + ones(free & ((1 << cell) - 1))


@inlined
def hidden_stones(side, group):
    """Count the opponent's stones that a player has not found before the turn."""
    return ones(np.int64(side.stones[group])) + side.player - ones(np.int64(side.known[group]))


@kernel
def grow(sets, side, sizes):
    """Number a player's nodes and sequences; return False if the arrays are full, to continue with larger ones.

    `sizes` holds the numbers of nodes and sequences so far, and the next group.
    """
    player, stones, known, first_node, group_of, tried, first_sequence, _ = side
    cells = sets.cells
    nodes, sequences, group = sizes
    while group < sequences:
        left = cells - 2 * ones(np.int64(stones[group])) - player  # empty cells at this turn
        if first_node[group] != NOWHERE:
            free = unknown(sets, side, group)
            most = 1 << ones(free)
            if nodes + most > len(group_of) or sequences + most * cells > len(stones):
                sizes[0], sizes[1], sizes[2] = nodes, sequences, group
                return False
            first_node[group] = nodes
            for failures in range(hidden_stones(side, group) + 1):
                failed = 0
                while True:
                    if ones(failed) == failures:
                        group_of[nodes], tried[nodes], first_sequence[nodes] = group, failed, sequences
                        nodes += 1
                        for cell in range(cells):
                            bit = 1 << cell
                            if free & ~failed & bit:
                                stones[sequences] = stones[group] | bit
                                known[sequences] = known[group] | failed
                                over = left < 3 or sets.wins[player, stones[group]] & bit
                                first_node[sequences] = NOWHERE if over else 0
                                sequences += 1
                    failed = (failed - free) & free  # the next larger subset, and after the last one the empty one
                    if failed == 0:
                        break
        group += 1
    sizes[0], sizes[1], sizes[2] = nodes, sequences, group
    return True


def grow_side(sets: Sets, player: int) -> Side:
    """Return the merged histories of a player; `reached` is not set yet."""
    by_sequence, by_node = (np.int16, np.int16, np.int32), (np.int32, np.int16, np.int32, np.bool_)
    tables = [np.zeros(FIRST_ROOM, kind) for kind in by_sequence] + [
        np.zeros(FIRST_ROOM // 2, kind) for kind in by_node
    ]
    sizes = np.array([0, 1, 0])
    while not grow(sets, Side(player, *tables), sizes):
        for number, table in enumerate(tables):
            tables[number] = np.zeros(GROWTH * len(table), table.dtype)  # takes memory only when it is written
            tables[number][: len(table)] = table
    nodes, sequences, _ = sizes.tolist()
    kept = [sequences] * len(by_sequence) + [nodes] * len(by_node)
    return Side(player, *(table[:size] for table, size in zip(tables, kept, strict=True)))


# The orders of stones


class Held(NamedTuple):
    """For each player and number of its stones: the sequences that fit, their number, and their total weight."""

    sequences: np.ndarray
    size: np.ndarray
    total: np.ndarray


@inlined
def place(sets, side, weights, held, player, number, hidden, cell):
    """Let a player, for the `number`-th time, put a stone on a cell: write the sequences that fit the stones."""
    count = 0
    total = weights[0] - weights[0]
    for k in range(held.size[player, number]):
        group = held.sequences[player, number, k]
        free = unknown(sets, side, group)
        unmet = hidden & free
        failed = unmet
        while True:
            node = node_of(sets, side, group, failed)
            side.reached[node] = True
            sequence = sequence_of(side, node, free & ~failed, cell)
            held.sequences[player, number + 1, count] = sequence
            count += 1
            total += weights[sequence]
            if failed == 0:
                break
            failed = (failed - 1) & unmet
    held.size[player, number + 1] = count
    held.total[player, number + 1] = total


@inlined
def add_end(worth, held, player, number, sign, weight):
    for k in range(held.size[player, number]):
        worth[held.sequences[player, number, k]] += sign * weight


@kernel
def meet(sets, side_0, side_1, weights_0, weights_1, held, worth_0, worth_1):
    """Play all orders of stones: a sequence's value is the opponent's weight of wins less losses; mark `reached`."""
    cells = sets.cells
    stones, cell_at = np.zeros(2, np.int64), np.zeros(cells + 1, np.int64)
    for player in range(2):
        held.sequences[player, 0, 0], held.size[player, 0] = 0, 1
    held.total[0, 0], held.total[1, 0] = weights_0[0], weights_1[0]
    depth = 0  # stones on the board; cell_at[depth] is the next cell to be tried by their order
    while depth >= 0:
        player, number, cell = depth & 1, depth >> 1, cell_at[depth]
        if cell == cells:  # all done here: remove the last stone
            depth -= 1
            if depth >= 0:
                stones[depth & 1] ^= 1 << cell_at[depth]
                cell_at[depth] += 1
            continue
        bit = 1 << cell
        if (stones[0] | stones[1]) & bit:
            cell_at[depth] += 1
            continue
        if player == 0:
            place(sets, side_0, weights_0, held, 0, number, stones[1], cell)
        else:
            place(sets, side_1, weights_1, held, 1, number, stones[0], cell)
        if sets.wins[player, stones[player]] & bit:
            sign = 1 if player == 0 else -1
            blacks, whites = number + 1, number + player
            add_end(worth_0, held, 0, blacks, sign, held.total[1, whites])
            add_end(worth_1, held, 1, whites, -sign, held.total[0, blacks])
            cell_at[depth] += 1
        elif depth + 1 == cells:  # a draw
            cell_at[depth] += 1
        else:
            stones[player] |= bit
            depth += 1
            cell_at[depth] = 0


@kernel
def respond(sets, side, worth, value, choice):
    """Return a player's best-response value and cell at each node; the last nodes come first."""
    for node in range(len(side.group) - 1, -1, -1):
        if not side.reached[node]:
            value[node], choice[node] = 0, NOWHERE
            continue
        free = unknown(sets, side, side.group[node]) & ~np.int64(side.tried[node])
        best_cell = NOWHERE
        best = worth[0] - worth[0]
        for cell in range(sets.cells):
            if free >> cell & 1:
                this = try_value(sets, side, worth, value, node, free, cell)
                if best_cell == NOWHERE or this > best:
                    best, best_cell = this, cell
        value[node], choice[node] = best, best_cell


@inlined
def try_value(sets, side, worth, value, node, free, cell):
    """Return the value of trying a cell at a node: the stone stays, or the try fails."""
    sequence = sequence_of(side, node, free, cell)
    this = worth[sequence]
    if side.first_node[sequence] != NOWHERE:
        this += value[side.first_node[sequence]]
    group, failed = side.group[node], np.int64(side.tried[node]) | 1 << cell
    if ones(failed) <= hidden_stones(side, group):
        this += value[node_of(sets, side, group, failed)]
    return this


# The weights of a policy


class Level(NamedTuple):
    """All information states of a player after a given number of tries."""

    node: np.ndarray
    weight: np.ndarray
    history: np.ndarray
    record: np.ndarray  # of each turn the stone and the failed tries, as the view has them


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
    """Add the tries of a level to the weights of their sequences; write the level that follows and return its size."""
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
    return new


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
    orders: np.ndarray | None = None  # the information states of each node, where these are not queried

    def in_floats(self) -> "PolicyWeights":
        return self._replace(numbers=self.numbers / self.unit, unit=0) if self.unit else self

    def counted(self, side: Side) -> "PolicyWeights":
        """Return the weights with the number of information states, once the reached nodes are marked."""
        return self if self.orders is None else self._replace(states=int(self.orders.sum(where=side.reached)))


def weigh(board: Board, sets: Sets, side: Side, ask: Ask, watch: Watch, before: int = 0) -> PolicyWeights:
    """Query a policy at all information states that it can come to.

    Weights are integers as long as the probabilities have a common denominator that fits 64 bits. A sequence of k
    tries is counted in units of the k-th level until all levels are done.
    """
    weights, units, states = np.zeros(len(side.stones), np.int64), [1], 0
    weights[0] = 1
    record = np.zeros((1, (board.cells + 1) // 2 * 2), np.int16)
    record[:, ::2] = -1
    level = Level(np.zeros(1, np.int32), np.ones(1, np.int64), np.full((1, board.cells), -1, np.int8), record)
    tries_of = np.bitwise_count(side.stones) + np.bitwise_count(side.known)
    for tries in range(board.cells):
        if not len(level.node):
            break
        parts = [Level(*(row[i : i + BATCH] for row in level)) for i in range(0, len(level.node), BATCH)]
        batches = []
        for part in parts:
            batches.append(ask(Questions(board, side, part)))
            states += len(part.node)
            watch(before + states)
        unit = units[-1] and lcm(*(batch.unit for batch in batches))
        if units[-1] and not 0 < unit * units[-1] <= MAX_UNIT:  # from here on in floats
            scale = np.array([1 / unit for unit in units] + [0.0] * board.cells)
            weights = weights * scale[tries_of]
            parts = [part._replace(weight=part.weight / units[-1]) for part in parts]
            unit, units = 0, [0]
        following = []
        for part, batch in zip(parts, batches, strict=True):
            shares = batch.times(unit)
            room = 2 * np.count_nonzero(shares)  # the stone stays, or the try fails
            after = Level(*(np.empty((room, *row.shape[1:]), row.dtype) for row in part))
            new = expand(sets, side, part, tries, shares, weights, after)
            following.append(Level(*(row[:new] for row in after)))
        units.append(units[-1] * unit)
        level = Level(*(np.concatenate(rows) for rows in zip(*following, strict=True)))
    if units[-1]:
        weights *= np.array([units[-1] // unit for unit in units])[tries_of]
    return PolicyWeights(weights, units[-1], states)


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


# Uniform play does not depend on the order of tries, so it is weighed by nodes, without a query.


def uniform(questions: Questions) -> Shares:
    """Try any legal cell with equal probability; after equally many tries there are equally many."""
    legal = questions.legal
    return Shares(legal.astype(np.int64), int(legal[0].sum()))


@kernel
def spread_evenly(sets, side, scale, orders, weights):
    """Write the number of orders of tries that lead to each node, earlier nodes first, and the weight of each sequence.

    `scale` is the weight of an order by the cells that are left to be tried.
    """
    orders[0] = 1
    weights[0] = sets.cells * scale[sets.cells]
    for node in range(len(side.group)):
        group = side.group[node]
        free = unknown(sets, side, group) & ~np.int64(side.tried[node])
        weight = orders[node] * scale[ones(free)]
        for cell in range(sets.cells):
            if free >> cell & 1:
                sequence = sequence_of(side, node, free, cell)
                weights[sequence] = weight
                if side.first_node[sequence] != NOWHERE:
                    orders[side.first_node[sequence]] = orders[node]
                failed = np.int64(side.tried[node]) | 1 << cell
                if ones(failed) <= hidden_stones(side, group):
                    orders[node_of(sets, side, group, failed)] += orders[node]


def weigh_uniform(sets: Sets, side: Side) -> PolicyWeights:
    """Return the weights of uniform play in units of 1 / cells!."""
    orders, weights = np.zeros(len(side.group), np.int64), np.zeros(len(side.stones), np.int64)
    scale = np.array([factorial(max(left - 1, 0)) for left in range(sets.cells + 1)])
    spread_evenly(sets, side, scale, orders, weights)
    return PolicyWeights(weights, factorial(sets.cells), 0, orders)
