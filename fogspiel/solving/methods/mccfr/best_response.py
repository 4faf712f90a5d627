"""Best response to an average strategy, by a depth-first traversal of the rules without a stored tree.

The walk follows the responder's information states. It holds, for each one on the way down, the histories that lead
there, as far as chance and the other player (the planner) play them at all, with their probabilities. So it takes as
much memory as the information states of one game have histories, and visits each history of the tree once at most.

An information state that chance and the planner reach with a total probability of `cut` at most is not followed: the
responder is credited with the highest payoff there, as it is for histories that come after the limit of positions or
find no room. So the result is never too low, and where nothing was skipped it is exact.
"""

import numpy as np

from ....core.compile.kernel import CELLS, NUMBER, REALS, TABLE, inlined, kernel, kernel_of
from ....core.compile.kernel import ROWS as REAL_ROWS
from ....core.game import CHANCE, OVER, RULE_SIGNATURES, total_weight
from .traversal import BAD_WEIGHTS, FAULT, FIRST, NO_ACTIONS, TOO_DEEP, chain_after, find_row, key_of

GOING_ON, DONE, NO_ROOM = range(3)
# Counters of the walk: the level it is at, positions visited, what was not followed, pending histories; the most
# positions to visit, and whether the buffers are as large as they can be.
LEVEL, VISITED, SKIPPED, PENDING, LIMIT, LAST_ROOM = range(6)
# A level: its histories, the group of them that look the same now (from AT to END), which of its actions is tried
# and how many there are. ACTION is -1 before a group is looked at.
LOW, HIGH, AT, END, ACTION, LISTED = range(6)
# Of a level: what was found so far, the best action of the group, the probability of the group.
WORTH, BEST, MASS = range(3)
PAST = 2  # cells of the planner's chain; after them the digest of the responder's view


@kernel
def sort_histories(past, order, low, high):
    """List the histories of a level so that those that look the same to the responder follow each other."""
    same = True
    for k in range(low, high):
        order[k] = k
        same = same and past[k, PAST] == past[low, PAST]
    if not same:
        found = np.argsort(past[low:high, PAST].copy())
        for k in range(high - low):
            order[low + k] = low + found[k]


@inlined
def expand(
    mover, legal, apply, view, score, weights, weighted, planner, payoffs,
    counters, table, rows, average, walk, states, past, mass, pending, pending_past, pending_mass,
    choices, odds, seen, salts, low,
):  # fmt: skip
    """Follow the pending histories to their ends, whose worth is the answer, or to where the responder moves.

    The latter are put at `low` and after; walk[PENDING] becomes their number, -1 if there is no room.
    """
    worth, high, top, best = 0.0, low, walk[PENDING], payoffs.max()
    while top > 0:
        top -= 1
        walk[VISITED] += 1
        weight = pending_mass[top]
        who = mover(pending[top])
        if who == OVER:
            worth += weight * payoffs[score(pending[top])]
            continue
        if walk[VISITED] > walk[LIMIT] or (high == len(states) and walk[LAST_ROOM] == 1):
            worth += weight * best
            walk[SKIPPED] += 1
            continue
        if high == len(states):
            walk[PENDING] = -1
            return 0.0
        # The place at `high` is free: a history of the responder stays there, of any other one it is the pattern.
        state = states[high]
        for i in range(len(state)):
            state[i] = pending[top, i]
        for i in range(PAST):
            past[high, i] = pending_past[top, i]
        mass[high] = weight
        if who == 1 - planner:
            view(state, who, seen)
            past[high, PAST] = key_of(seen, 0, salts[0])
            high += 1
            continue
        count = legal(state, choices)
        if count <= 0:
            counters[FAULT] = NO_ACTIONS
            return 0.0
        if top + count > len(pending):
            if walk[LAST_ROOM] == 1:
                worth += weight * best
                walk[SKIPPED] += 1
                continue
            walk[PENDING] = -1
            return 0.0
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
                    pending[top, i] = state[i]
                apply(pending[top], choices[slot])
                pending_mass[top] = weight * share
                pending_past[top, 0] = past[high, 0] if who == CHANCE else chain_after(key, slot)
                pending_past[top, 1] = past[high, 1] if who == CHANCE else chain_after(key_2, slot)
                top += 1
    walk[PENDING] = high - low
    return worth


@kernel_of(
    NUMBER,
    *RULE_SIGNATURES.values(), NUMBER,
    NUMBER, NUMBER, REALS, REALS,
    CELLS, CELLS, TABLE, REALS,
    CELLS, TABLE, REAL_ROWS, TABLE, TABLE, REALS, CELLS, TABLE, TABLE, REALS, TABLE, CELLS, CELLS, TABLE,
)  # fmt: skip
def respond(
    start, mover, legal, apply, view, score, weights, weighted,
    planner, most, payoffs, cut,
    counters, table, rows, average,
    walk, levels, sums, states, past, mass, order, pending, pending_past, pending_mass, choices, odds, seen, salts,
):  # fmt: skip
    """Go on for about `most` positions: DONE when sums[0, WORTH] is the result, GOING_ON, or NO_ROOM in the buffers.

    `payoffs` are the responder's.
    """
    stop = walk[VISITED] + most
    top = payoffs.max()
    if walk[LEVEL] < 0:
        start(pending[0])
        pending_mass[0] = 1.0
        pending_past[0, 0] = salts[0, -1 - planner]
        pending_past[0, 1] = salts[1, -1 - planner]
        walk[PENDING] = 1
    while counters[FAULT] == 0:
        level = walk[LEVEL]
        if walk[PENDING] > 0:
            # Histories after an action, or the first: down to a level of their own.
            low = levels[level, HIGH] if level >= 0 else 0
            worth = expand(
                mover, legal, apply, view, score, weights, weighted, planner, payoffs,
                counters, table, rows, average, walk, states, past, mass, pending, pending_past, pending_mass,
                choices[-1], odds, seen, salts, low,
            )  # fmt: skip
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
        if here[AT] == here[HIGH]:
            if level == 0:
                return DONE
            value = sums[level, WORTH]
            walk[LEVEL] = level - 1
            sums[level - 1, BEST] = max(sums[level - 1, BEST], value)
            levels[level - 1, ACTION] += 1
            continue
        if here[ACTION] < 0:
            look, total, end = past[order[here[AT]], PAST], 0.0, here[AT]
            while end < here[HIGH] and past[order[end], PAST] == look:
                total += mass[order[end]]
                end += 1
            if total <= cut[0]:
                sums[level, WORTH] += total * top
                walk[SKIPPED] += 1
                here[AT] = end
                continue
            here[END], here[ACTION], sums[level, MASS], sums[level, BEST] = end, 0, total, -np.inf
            here[LISTED] = legal(states[order[here[AT]]], choices[level])
            if here[LISTED] <= 0:
                counters[FAULT] = NO_ACTIONS
                return DONE
        if here[ACTION] == here[LISTED] or sums[level, BEST] >= sums[level, MASS] * top:
            sums[level, WORTH] += sums[level, BEST]
            here[AT], here[ACTION] = here[END], -1
            continue
        if walk[VISITED] >= stop:
            return GOING_ON
        if here[END] - here[AT] > len(pending):
            return NO_ROOM
        for k in range(here[AT], here[END]):
            source, to = order[k], k - here[AT]
            for i in range(states.shape[1]):
                pending[to, i] = states[source, i]
            apply(pending[to], choices[level, here[ACTION]])
            pending_mass[to] = mass[source]
            for i in range(PAST):
                pending_past[to, i] = past[source, i]
        walk[PENDING] = here[END] - here[AT]
    return DONE
