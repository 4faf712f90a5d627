"""Endings solved at the table: the tree below some weighted states as flat arrays, and CFR+ on it (kernels).

Tammelin's CFR+ (2014) with alternating updates and linear averages. Nodes are numbered parents first, so that one loop
forwards computes reach probabilities and one backwards counterfactual values. Where the opponent is known, its actions
are chance and the result is a best response.
"""

from typing import NamedTuple

import numpy as np

from ..belief.particles import (
    AVERAGE,
    COUNT,
    FIRST,
    LEARNED,
    MODEL,
    NO_ROW,
    NODES,
    REGRET,
    ROOM,
    TIMES,
    USED,
    VALUE,
    VISITS,
    fill_shares,
    find_row,
    key_of,
    note_action,
)
from ..core.compile.kernel import CELLS, NUMBER, REAL, REALS, ROWS, TABLE, in_place, kernel_of, record_of
from ..core.game import CHANCE, CHOOSE, OVER, RULE_SIGNATURES, Rules

DONE, ASKS, FULL = range(3)
PARENT, ROW, SLOT = range(3)  # of a node; ROW is that of an information state, or one of the next two
DRAWS_ROW, LEAF_ROW = -1, -2
OWNER = VISITS  # of an information state: the cell of its row that counts visits in sampling
NODES_USED, LEVEL, ROOT, SWEEPS = range(4)  # counters of the building and of the sweeps
NODE_AT, COUNT_AT, NEXT = range(3)  # of a level of the building: its node, its actions, the next one
UNSEEN = -1  # in COUNT_AT: the state was not looked at yet
SUM = TIMES  # of an action: its counterfactual value in a sweep; VALUE has its current probability


class Branches(NamedTuple):
    """The nodes of a tree, with probabilities below chance, payoffs of leaves, and values in a sweep."""

    links: np.ndarray
    odds: np.ndarray
    payoffs: np.ndarray
    values: np.ndarray
    reach: np.ndarray  # of both players with chance shared: the updating player's, that of all others
    counters: np.ndarray


class Levels(NamedTuple):
    """The path of the building, a row for each level."""

    states: np.ndarray
    pasts: np.ndarray
    choices: np.ndarray
    frames: np.ndarray
    shares: np.ndarray


BRANCHES = record_of(Branches, TABLE, REALS, REALS, REALS, ROWS, CELLS)
LEVELS = record_of(Levels, TABLE, TABLE, TABLE, TABLE, ROWS)


@in_place
def add_node(branches, levels, level, parent, slot, odds):
    node = branches.counters[NODES_USED]
    branches.counters[NODES_USED] += 1
    branches.links[node, PARENT], branches.links[node, ROW], branches.links[node, SLOT] = parent, DRAWS_ROW, slot
    branches.odds[node] = odds
    levels.frames[level, NODE_AT], levels.frames[level, COUNT_AT] = node, UNSEEN


@kernel_of(
    NUMBER, *RULE_SIGNATURES.values(), CHOOSE, MODEL, NODES, NODES, ROOM, BRANCHES, LEVELS,
    TABLE, TABLE, CELLS, REALS, REAL,
)  # fmt: skip
def build(
    start, mover, legal, apply, view, score, weights, choose, model, known, tree, room, branches, levels,
    states, pasts, members, masses, scale,
):  # fmt: skip
    """Write the tree below the states, depth first; DONE, FULL, or ASKS where a known policy must be asked first.

    The path is kept in `levels`, so that the building goes on after an answer. Node 0 draws one of the states.
    """
    rules = Rules(start, mover, legal, apply, view, score, weights)
    counters, links = branches.counters, branches.links
    while True:
        level = counters[LEVEL]
        if level < 0:
            root = counters[ROOT]
            if root == len(states):
                return DONE
            if counters[NODES_USED] == len(links):
                return FULL
            for cell in range(states.shape[1]):
                levels.states[0, cell] = states[root, cell]
            for cell in range(pasts.shape[1]):
                levels.pasts[0, cell] = pasts[root, cell]
            add_node(branches, levels, 0, 0, 0, masses[root])
            counters[ROOT] += 1
            counters[LEVEL] = 0
            continue
        frame, state = levels.frames[level], levels.states[level]
        node, member = frame[NODE_AT], members[counters[ROOT] - 1]
        # A new node: the end, a draw, or an information state.
        who = mover(state)
        if frame[COUNT_AT] == UNSEEN:
            if who == OVER:
                links[node, ROW] = LEAF_ROW
                branches.payoffs[node] = score(state) * scale
                counters[LEVEL] -= 1
                continue
            count = legal(state, room.actions)
            if who == CHANCE or (model.kind != LEARNED and who == model.seat):
                stream = room.stream
                if not fill_shares(
                    rules, choose, model, known, state, who, count, member, levels.pasts[level], room, stream
                ):
                    return ASKS
                for i in range(count):
                    levels.shares[level, i] = room.shares[i]
            else:
                view(state, who, room.seen)
                row = find_row(tree, key_of(room.seen, who), count, True)
                if row == NO_ROW:
                    return FULL
                tree.rows[row, OWNER] = who
                links[node, ROW] = row
            for i in range(count):
                levels.choices[level, i] = room.actions[i]
            frame[COUNT_AT], frame[NEXT] = count, 0
        # Its next action.
        if frame[NEXT] == frame[COUNT_AT]:
            counters[LEVEL] -= 1
            continue
        slot, odds = frame[NEXT], 1.0
        if links[node, ROW] == DRAWS_ROW:
            odds = levels.shares[level, slot]
        if odds > 0.0:
            if counters[NODES_USED] == len(links) or level + 1 == len(levels.frames):
                return FULL
            for cell in range(len(state)):
                levels.states[level + 1, cell] = state[cell]
            for cell in range(levels.pasts.shape[1]):
                levels.pasts[level + 1, cell] = levels.pasts[level, cell]
            apply(levels.states[level + 1], levels.choices[level, slot])
            note_action(model, who, levels.pasts[level + 1], levels.choices[level, slot])
            add_node(branches, levels, level + 1, node, slot, odds)
            counters[LEVEL] += 1
        frame[NEXT] += 1


@in_place
def set_strategies(tree):
    """Write the strategies of regret matching, and empty the sums of a sweep."""
    rows, numbers = tree.rows, tree.numbers
    for row in range(tree.counters[USED]):
        first, count, total = rows[row, FIRST], rows[row, COUNT], 0.0
        for i in range(first, first + count):
            total += numbers[i, REGRET]
            numbers[i, SUM] = 0.0
        for i in range(first, first + count):
            numbers[i, VALUE] = numbers[i, REGRET] / total if total > 0.0 else 1.0 / count


@kernel_of(NUMBER, BRANCHES, NODES, NUMBER, NUMBER, CELLS)
def sweep(branches, tree, sweeps, only, marks):
    """Run CFR+ sweeps, each for both players or for `only` one of them (-1: both); return their number so far.

    For each updating player: strategies, reach probabilities forwards with its average, values backwards, regrets.
    `marks` holds the last sweep in which an information state added to its average, so that it adds once.
    """
    links, odds, payoffs, values, reach, counters = branches
    rows, numbers = tree.rows, tree.numbers
    nodes = counters[NODES_USED]
    for _ in range(sweeps):
        counters[SWEEPS] += 1
        weight = np.float64(counters[SWEEPS])
        for player in range(2):
            if only >= 0 and player != only:
                continue
            set_strategies(tree)
            reach[0, 0], reach[0, 1] = 1.0, 1.0
            values[0] = 0.0
            for node in range(1, nodes):
                parent = links[node, PARENT]
                own, others = reach[parent, 0], reach[parent, 1]
                above, row = links[parent, ROW], links[node, ROW]
                if above < 0:
                    others *= odds[node]
                elif rows[above, OWNER] == player:
                    own *= numbers[rows[above, FIRST] + links[node, SLOT], VALUE]
                else:
                    others *= numbers[rows[above, FIRST] + links[node, SLOT], VALUE]
                reach[node, 0], reach[node, 1] = own, others
                values[node] = payoffs[node] if row == LEAF_ROW else 0.0
                if row >= 0 and rows[row, OWNER] == player and marks[row] != counters[SWEEPS]:
                    marks[row] = counters[SWEEPS]
                    for i in range(rows[row, FIRST], rows[row, FIRST] + rows[row, COUNT]):
                        numbers[i, AVERAGE] += weight * own * numbers[i, VALUE]
            sign = 1.0 - 2.0 * player
            for node in range(nodes - 1, 0, -1):
                parent = links[node, PARENT]
                above = links[parent, ROW]
                if above < 0:
                    values[parent] += odds[node] * values[node]
                    continue
                at = rows[above, FIRST] + links[node, SLOT]
                values[parent] += numbers[at, VALUE] * values[node]
                if rows[above, OWNER] == player:
                    numbers[at, SUM] += sign * reach[parent, 1] * values[node]
            for row in range(tree.counters[USED]):
                if rows[row, OWNER] == player:
                    first, count, mean = rows[row, FIRST], rows[row, COUNT], 0.0
                    for i in range(first, first + count):
                        mean += numbers[i, VALUE] * numbers[i, SUM]
                    for i in range(first, first + count):
                        numbers[i, REGRET] = max(numbers[i, REGRET] + numbers[i, SUM] - mean, 0.0)
    return counters[SWEEPS]
