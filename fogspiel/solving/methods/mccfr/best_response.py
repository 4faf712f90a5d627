"""Best response to an average strategy, by a depth-first traversal of the rules without a stored tree.

The traversal follows the responder's information states. For each one on the current path it holds the histories that
lead there with positive probability of chance and the opponent (the planner), with these probabilities. So it takes as
much memory as the information states of one game have histories, and visits each history of the tree once at most.

An information state that chance and the planner reach with a total probability of at most `cut` is not followed: the
responder is credited with the highest payoff there. So it is for histories beyond the limit of positions or of the
buffers. The result is therefore never too low, and exact where nothing was skipped.
"""

from typing import NamedTuple

import numpy as np

from ....core.compile.kernel import CELLS, NUMBER, REAL, REALS, TABLE, in_place, kernel, kernel_of, record_of
from ....core.compile.kernel import ROWS as REAL_ROWS
from ....core.game import CHANCE, OVER, RULE_SIGNATURES, Rules, total_weight
from ...tree import BAD_WEIGHTS, NO_ACTIONS, TOO_DEEP
from .traversal import FAULT, FIRST, HASHING, KNOWN, chain_after, find_row, key_of

GOING_ON, DONE, NO_ROOM = range(3)
# Counters of the traversal: its level, positions visited, histories not followed, pending histories; the limit of
# positions, and whether the buffers have their maximum size.
LEVEL, VISITED, SKIPPED, PENDING, LIMIT, LAST_ROOM = range(6)
# A level: its histories, the current group of indistinguishable ones (from AT to END), the current action and the
# number of actions. ACTION is -1 before a group is expanded.
LOW, HIGH, AT, END, ACTION, LISTED = range(6)
# Of a level: the value found so far, the best action of the group, the probability of the group.
WORTH, BEST, MASS = range(3)
PAST = 2  # cells of the planner's chain; after them the digest of the responder's view


@kernel
def sort_histories(past, order, low, high):
    """Sort the histories of a level so that indistinguishable ones for the responder are adjacent."""
    same = True
    for k in range(low, high):
        order[k] = k
        same = same and past[k, PAST] == past[low, PAST]
    if not same:
        found = np.argsort(past[low:high, PAST].copy())
        for k in range(high - low):
            order[low + k] = low + found[k]


class Histories(NamedTuple):
    """Histories with their probabilities: states, and the planner's chain; of those held also the responder's view."""

    states: np.ndarray
    past: np.ndarray
    mass: np.ndarray


class Descent(NamedTuple):
    """The levels of the traversal with their results: see the counters above."""

    walk: np.ndarray
    levels: np.ndarray
    sums: np.ndarray
    order: np.ndarray  # the histories of each level, indistinguishable ones for the responder adjacent
    choices: np.ndarray  # the actions at each level; the last row is for the planner's


class Task(NamedTuple):
    primal_player: int
    most: int
    cut: float
    weighted: int


HISTORIES = record_of(Histories, TABLE, TABLE, REALS)
DESCENT = record_of(Descent, CELLS, TABLE, REAL_ROWS, CELLS, TABLE)
TASK = record_of(Task, NUMBER, NUMBER, REAL, NUMBER)


@in_place
def expand(rules, task, payoffs, known, hashing, descent, held, pending, low):
    """Follow the pending histories to terminal states, whose value is the result, or to where the responder moves.

    The latter are put at `low` and after; walk[PENDING] becomes their number, -1 if there is no space. The pending
    histories are a stack; for the one on its top:

    1. pop it: add the payoff of a terminal state, credit the responder with the maximum where it cannot be followed;
    2. copy it to the free slot `high`, where it stays if the responder moves;
    3. else push its successors, for each outcome or action of the planner with positive probability.
    """
    _, mover, legal, apply, view, score, weights = rules
    (primal_player, _, _, weighted), (counters, table, rows, _, average) = task, known
    walk, choices, (seen, odds, salts) = descent.walk, descent.choices[-1], hashing
    (states, past, mass), (waiting, waiting_past, waiting_mass) = held, pending
    worth, high, top, best = 0.0, low, walk[PENDING], payoffs.max()
    while top > 0:
        # 1. The history on top.
        top -= 1
        walk[VISITED] += 1
        weight = waiting_mass[top]
        who = mover(waiting[top])
        if who == OVER:
            worth += weight * payoffs[score(waiting[top])]
            continue
        if walk[VISITED] > walk[LIMIT] or (high == len(states) and walk[LAST_ROOM] == 1):
            worth += weight * best
            walk[SKIPPED] += 1
            continue
        if high == len(states):
            walk[PENDING] = -1
            return 0.0
        # 2. The slot at `high` is free: a history of the responder stays there, any other one is the template.
        state = states[high]
        for i in range(len(state)):
            state[i] = waiting[top, i]
        for i in range(PAST):
            past[high, i] = waiting_past[top, i]
        mass[high] = weight
        if who == 1 - primal_player:
            view(state, who, seen)
            past[high, PAST] = key_of(seen, 0, salts[0])
            high += 1
            continue
        count = legal(state, choices)
        if count <= 0:
            counters[FAULT] = NO_ACTIONS
            return 0.0
        if top + count > len(waiting):
            if walk[LAST_ROOM] == 1:
                worth += weight * best
                walk[SKIPPED] += 1
                continue
            walk[PENDING] = -1
            return 0.0
        # 3. Probabilities are fractions of `total`: weights of chance, or the planner's sums of strategies; else
        # uniform.
        key, key_2, row, total = 0, 0, 0, 0.0
        if who == CHANCE:
            if weighted:
                weights(state, odds)
                total = float(total_weight(odds[:count]))
                if total == 0.0:
                    counters[FAULT] = BAD_WEIGHTS
                    return 0.0
        else:
            view(state, who, seen)
            key = key_of(seen, past[high, 0], salts[0])
            key_2 = key_of(seen, past[high, 1], salts[1])
            row = find_row(counters, table, rows, key, key_2, count)
            if row >= 0:
                for i in range(count):
                    total += average[rows[row, FIRST] + i]
        for slot in range(count):
            share = 1.0 / count
            if who == CHANCE:
                if weighted:
                    share = odds[slot] / total
            elif total > 0.0:
                share = average[rows[row, FIRST] + slot] / total
            if share > 0.0:
                for i in range(len(state)):
                    waiting[top, i] = state[i]
                apply(waiting[top], choices[slot])
                waiting_mass[top] = weight * share
                waiting_past[top, 0] = past[high, 0] if who == CHANCE else chain_after(key, slot)
                waiting_past[top, 1] = past[high, 1] if who == CHANCE else chain_after(key_2, slot)
                top += 1
    walk[PENDING] = high - low
    return worth


@kernel_of(
    NUMBER, *RULE_SIGNATURES.values(), TASK, REALS, KNOWN, HASHING, DESCENT, HISTORIES, HISTORIES
)  # fmt: skip
def respond(start, mover, legal, apply, view, score, weights, task, payoffs, known, hashing, descent, held, pending):
    """Visit about `most` positions: return DONE when sums[0, WORTH] is the result, GOING_ON, or NO_ROOM in the buffers.

    `payoffs` are the responder's. A level holds the histories at which the responder moves next, and iterates over
    their groups of indistinguishable ones. A step of the loop does the first of these that applies, 3 also what
    follows:

    1. histories are pending (the first one, or those after an action): expand them to a new level;
    2. the level has no group left: its value is that of the action that led to it, back to the level above;
    3. a new group: skip it if it is too unlikely, else list its actions;
    4. the group has no action left, or its best one has the maximum value: add it to the value of the level;
    5. let all histories of the group make the next action: they are pending.
    """
    rules = Rules(start, mover, legal, apply, view, score, weights)
    counters, (walk, levels, sums, order, choices) = known.counters, descent
    (states, past, mass), (waiting, waiting_past, waiting_mass) = held, pending
    primal_player, most, cut, _ = task
    stop = walk[VISITED] + most
    top = payoffs.max()
    if walk[LEVEL] < 0:
        start(waiting[0])
        waiting_mass[0] = 1.0
        waiting_past[0, 0] = hashing.salts[0, -1 - primal_player]
        waiting_past[0, 1] = hashing.salts[1, -1 - primal_player]
        walk[PENDING] = 1
    while counters[FAULT] == 0:
        level = walk[LEVEL]
        if walk[PENDING] > 0:
            # 1. Down.
            low = levels[level, HIGH] if level >= 0 else 0
            worth = expand(rules, task, payoffs, known, hashing, descent, held, pending, low)
            if walk[PENDING] < 0:
                return NO_ROOM
            level += 1
            if level + 1 == len(levels):
                counters[FAULT] = TOO_DEEP
                return DONE
            high = low + walk[PENDING]
            walk[PENDING], walk[LEVEL] = 0, level
            levels[level, LOW], levels[level, HIGH], levels[level, AT], levels[level, ACTION] = low, high, low, -1
            sums[level, WORTH] = worth
            sort_histories(past, order, low, high)
            continue
        here = levels[level]
        # 2. Up.
        if here[AT] == here[HIGH]:
            if level == 0:
                return DONE
            value = sums[level, WORTH]
            walk[LEVEL] = level - 1
            sums[level - 1, BEST] = max(sums[level - 1, BEST], value)
            levels[level - 1, ACTION] += 1
            continue
        # 3. A new group.
        if here[ACTION] < 0:
            look, total, end = past[order[here[AT]], PAST], 0.0, here[AT]
            while end < here[HIGH] and past[order[end], PAST] == look:
                total += mass[order[end]]
                end += 1
            if total <= cut:
                sums[level, WORTH] += total * top
                walk[SKIPPED] += 1
                here[AT] = end
                continue
            here[END], here[ACTION], sums[level, MASS], sums[level, BEST] = end, 0, total, -np.inf
            here[LISTED] = legal(states[order[here[AT]]], choices[level])
            if here[LISTED] <= 0:
                counters[FAULT] = NO_ACTIONS
                return DONE
        # 4. The end of a group.
        if here[ACTION] == here[LISTED] or sums[level, BEST] >= sums[level, MASS] * top:
            sums[level, WORTH] += sums[level, BEST]
            here[AT], here[ACTION] = here[END], -1
            continue
        # 5. The next action. Before it the traversal can stop, since everything is in the buffers.
        if walk[VISITED] >= stop:
            return GOING_ON
        if here[END] - here[AT] > len(waiting):
            return NO_ROOM
        for k in range(here[AT], here[END]):
            source, to = order[k], k - here[AT]
            for i in range(states.shape[1]):
                waiting[to, i] = states[source, i]
            apply(waiting[to], choices[level, here[ACTION]])
            waiting_mass[to] = mass[source]
            for i in range(PAST):
                waiting_past[to, i] = past[source, i]
        walk[PENDING] = here[END] - here[AT]
    return DONE
