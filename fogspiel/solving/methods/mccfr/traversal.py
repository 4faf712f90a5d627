"""External sampling and outcome sampling (Lanctot, Waugh, Zinkevich and Bowling 2009) on the rules of a game.

In each iteration both players update in turn. External sampling traverses all actions of the updating player and
samples those of chance and of the opponent. Outcome sampling samples a single game, in which the updating player
explores with a certain probability, and divides by the probability of its own draws. An information state adds its
strategy to its average when the opponent updates: then it is visited with the reach probability of its owner and
chance. Iteration t has the weight t in regrets and averages (linear Monte Carlo CFR, Brown and Sandholm 2019): on
liar's dice that was better than equal weights and than regrets cut off at zero, on Leduc poker better or nearly as
good.
"""

from typing import NamedTuple

import numpy as np

from ....core.compile.kernel import CELLS, NUMBER, REALS, SEED, TABLE, inlined, kernel, kernel_of, record_of
from ....core.compile.kernel import ROWS as REAL_ROWS
from ....core.game import CHANCE, OVER, RULE_SIGNATURES, draw_by_weight
from ....core.rng import GOLDEN, mixed, random_below, random_unit, split
from ...tree import NOT_ONE_LIST, TOO_DEEP, place_of

# The visited information states: a hash table with regrets and the sums of strategies.
#
# An information state is its owner's knowledge: its own information states and actions so far, and its present view
# (perfect recall by construction). It is identified by a 128-bit key. The key of the owner's past is a chain: the key
# of its last information state and the action there. View and chain are hashed by sums of products with random odd
# numbers modulo 2^64, in two independent halves.

# Counters: information states and their actions in the table, iterations, positions visited, information states that
# did not fit, and the fault of the rules, if any.
ROWS, ENTRIES, ITERATIONS, NODES, UNKNOWN, FAULT = range(6)
# A row of the table: the two halves of the key, the first entry of its actions, and their number.
KEY, KEY_2, FIRST, COUNT = range(4)
NO_ROW = -1


class Known(NamedTuple):
    """The visited information states: counters, a hash table of rows, and two numbers for each action."""

    counters: np.ndarray
    table: np.ndarray
    rows: np.ndarray
    regret: np.ndarray
    average: np.ndarray  # the sums of the strategies


class Hashing(NamedTuple):
    """Lookup arrays of a position: a view, weights of chance, and the random odd numbers of both halves."""

    seen: np.ndarray
    odds: np.ndarray
    salts: np.ndarray


KNOWN = record_of(Known, CELLS, CELLS, TABLE, REALS, REALS)
HASHING = record_of(Hashing, CELLS, CELLS, TABLE)


@inlined
def key_of(seen, past, salt):
    """Return one half of an information state's key, given the same half of its owner's chain."""
    total = past
    for i in range(len(seen)):
        total += seen[i] * salt[i]
    return np.int64(mixed(np.uint64(total)))


@inlined
def chain_after(key, slot):
    return np.int64(mixed(np.uint64(key) + np.uint64(slot + 1) * GOLDEN))


@kernel
def find_row(counters, table, rows, key, key_2, count):
    """Return the row of an information state with that many actions, NO_ROW if it is not in the table."""
    row = table[place_of(rows, table, key, key, key_2)]
    if row >= 0 and rows[row, COUNT] != count:
        counters[FAULT] = NOT_ONE_LIST
        return NO_ROW
    return row


@kernel
def add_row(counters, table, rows, room, key, key_2, count):
    """Return the row of an information state with that many actions, new if need be; NO_ROW if the table is full."""
    at = place_of(rows, table, key, key, key_2)
    row = table[at]
    if row >= 0:
        if rows[row, COUNT] != count:
            counters[FAULT] = NOT_ONE_LIST
            return NO_ROW
        return row
    row, first = counters[ROWS], counters[ENTRIES]
    if row == len(rows) or first + count > room:
        counters[UNKNOWN] += 1
        return NO_ROW
    table[at] = row
    rows[row, KEY], rows[row, KEY_2], rows[row, FIRST], rows[row, COUNT] = key, key_2, first, count
    counters[ROWS] += 1
    counters[ENTRIES] += count
    return row


@kernel
def match(weights, rows, row, count, shares):
    """Write probabilities in proportion to the positive weights of a row; uniform where there are none."""
    total = 0.0
    if row >= 0:
        first = rows[row, FIRST]
        for i in range(count):
            shares[i] = max(weights[first + i], 0.0)
            total += shares[i]
    for i in range(count):
        shares[i] = shares[i] / total if total > 0.0 else 1.0 / count


@kernel
def draw_share(shares, count, point):
    """Return the index that a point in [0, 1) draws from a distribution."""
    for i in range(count - 1):
        point -= shares[i]
        if point < 0.0:
            return i
    return count - 1


EXPLORATION = 0.6  # exploration probability of outcome sampling (Lanctot et al. 2009)
# A frame of the traversal, an information state of the updating player: actions, the next one, its row.
COUNT_AT, NEXT, ROW_AT = range(3)
CHAINS = 4  # cells of both players' chains, two each; after them the two halves of the key of an information state
# Information states that must fit before an iteration starts, and their actions on average.
RESERVE = 1 << 12
ACTIONS_EACH = 8


class Task(NamedTuple):
    """Limits of a traversal: the seed, the last iteration, positions, a full table; and weights of chance."""

    seed: np.uint64
    until: int
    most: int
    closed: int
    weighted: int


class Path(NamedTuple):
    """The path to a position: a row for each information state of the updating player."""

    states: np.ndarray
    choices: np.ndarray
    frames: np.ndarray
    chains: np.ndarray  # both players' chains, then the key of the information state
    shares: np.ndarray  # the strategy of the updating player
    worths: np.ndarray  # values of its actions
    other_shares: np.ndarray  # one row: the strategy of the opponent, or the sampling distribution


TASK = record_of(Task, SEED, NUMBER, NUMBER, NUMBER, NUMBER)
PATH = record_of(Path, TABLE, TABLE, TABLE, TABLE, REAL_ROWS, REAL_ROWS, REALS)


@inlined
def draw_chance(weights, weighted, state, choices, count, odds, stream):
    if weighted:
        weights(state, odds)
        return choices[draw_by_weight(odds[:count], stream)]
    return choices[random_below(stream, count)]


@inlined
def is_full(counters, rows, regret, closed):
    few = len(rows) - counters[ROWS] < RESERVE or len(regret) - counters[ENTRIES] < RESERVE * ACTIONS_EACH
    return few and closed == 0


@kernel_of(NUMBER, *RULE_SIGNATURES.values(), TASK, REALS, KNOWN, PATH, HASHING)
def sample_external(start, mover, legal, apply, view, score, weights, task, payoffs, known, path, hashing):
    """Run to iteration `until` or for about `most` positions; return 1 if the table must grow first, else 0.

    An iteration is a traversal for each player, who updates regrets. The traversal is depth first, with a frame for
    each information state of that player on the path:

    1. down: sample chance and the opponent, whose averages grow, until the game ends (then there is a value)
       or the updating player must move (then there is a new frame, and all its actions are to be tried);
    2. up: hand the value to the frame above. A frame with actions left tries the next one, back to 1; one without
       updates its regrets, and the mean of its actions is the value for the frame above it.
    """
    seed, until, most, closed, weighted = task
    counters, table, rows, regret, average = known
    states, choices, frames, chains, shares, worths, other_shares = path
    seen, odds, salts = hashing
    stop = counters[NODES] + most
    stream = np.empty(1, np.uint64)
    while counters[ITERATIONS] < until and counters[NODES] < stop and counters[FAULT] == 0:
        if is_full(counters, rows, regret, closed):
            return 1
        weight = counters[ITERATIONS] + 1.0
        for updater in range(2):
            sign = 1.0 - 2.0 * updater
            stream[0] = split(split(seed, counters[ITERATIONS]), updater)
            start(states[0])
            for i in range(CHAINS):
                chains[0, i] = salts[i % 2, -1 - i // 2]
            depth = 0
            while depth >= 0:
                # 1. Down to the end of the game or to an information state of the updating player.
                state, chain = states[depth], chains[depth]
                value = 0.0
                while True:
                    counters[NODES] += 1
                    who = mover(state)
                    if who == OVER:
                        value = sign * payoffs[score(state)]
                        break
                    count = legal(state, choices[depth])
                    if who == CHANCE:
                        apply(state, draw_chance(weights, weighted, state, choices[depth], count, odds, stream))
                        continue
                    view(state, who, seen)
                    key = key_of(seen, chain[2 * who], salts[0])
                    key_2 = key_of(seen, chain[2 * who + 1], salts[1])
                    row = add_row(counters, table, rows, len(regret), key, key_2, count)
                    if who == updater:
                        # All actions of this information state are tried: a frame stores the progress.
                        if depth + 1 == len(frames):
                            counters[FAULT] = TOO_DEEP
                            return 0
                        match(regret, rows, row, count, shares[depth])
                        frames[depth, COUNT_AT], frames[depth, NEXT], frames[depth, ROW_AT] = count, 0, row
                        chain[CHAINS], chain[CHAINS + 1] = key, key_2
                        depth += 1
                        break
                    # The opponent is visited with the reach probability of its own play and chance: its average grows.
                    match(regret, rows, row, count, other_shares)
                    if row != NO_ROW:
                        for i in range(count):
                            average[rows[row, FIRST] + i] += weight * other_shares[i]
                    slot = draw_share(other_shares, count, random_unit(stream))
                    apply(state, choices[depth, slot])
                    chain[2 * who] = chain_after(key, slot)
                    chain[2 * who + 1] = chain_after(key_2, slot)
                # 2. Up to the nearest information state that has an action left, and down by it.
                depth -= 1
                while depth >= 0:
                    frame = frames[depth]
                    if frame[NEXT] > 0:
                        worths[depth, frame[NEXT] - 1] = value
                    if frame[NEXT] < frame[COUNT_AT]:
                        slot = frame[NEXT]
                        frame[NEXT] += 1
                        for i in range(states.shape[1]):
                            states[depth + 1, i] = states[depth, i]
                        for i in range(CHAINS):
                            chains[depth + 1, i] = chains[depth, i]
                        apply(states[depth + 1], choices[depth, slot])
                        for i in range(2):
                            chains[depth + 1, 2 * updater + i] = chain_after(chains[depth, CHAINS + i], slot)
                        depth += 1
                        break
                    value = 0.0
                    for i in range(frame[COUNT_AT]):
                        value += shares[depth, i] * worths[depth, i]
                    if frame[ROW_AT] != NO_ROW:
                        first = rows[frame[ROW_AT], FIRST]
                        for i in range(frame[COUNT_AT]):
                            regret[first + i] += weight * (worths[depth, i] - value)
                    depth -= 1
        counters[ITERATIONS] += 1
    return 0


@kernel_of(NUMBER, *RULE_SIGNATURES.values(), TASK, REALS, KNOWN, PATH, HASHING)
def sample_outcomes(start, mover, legal, apply, view, score, weights, task, payoffs, known, path, hashing):
    """Run to iteration `until` or for about `most` positions by outcome sampling; return as `sample_external`.

    An iteration is one game for each player, who updates regrets:

    1. play it to its end; a frame stores the action that this player has drawn, in NEXT, and `drawn` is the probability
       of all its draws so far;
    2. back through its information states: each value is divided by its sampling probability, so that the estimate is
       unbiased.
    """
    seed, until, most, closed, weighted = task
    counters, table, rows, regret, average = known
    states, choices, frames, chains, shares, _, other_shares = path
    seen, odds, salts = hashing
    stop = counters[NODES] + most
    stream = np.empty(1, np.uint64)
    state, chain = states[0], chains[0]
    while counters[ITERATIONS] < until and counters[NODES] < stop and counters[FAULT] == 0:
        if is_full(counters, rows, regret, closed):
            return 1
        weight = counters[ITERATIONS] + 1.0
        for updater in range(2):
            stream[0] = split(split(seed, counters[ITERATIONS]), updater)
            start(state)
            for i in range(CHAINS):
                chain[i] = salts[i % 2, -1 - i // 2]
            # 1. One game.
            depth, drawn = 0, 1.0
            while True:
                counters[NODES] += 1
                who = mover(state)
                if who == OVER:
                    break
                count = legal(state, choices[0])
                if who == CHANCE:
                    apply(state, draw_chance(weights, weighted, state, choices[0], count, odds, stream))
                    continue
                view(state, who, seen)
                key = key_of(seen, chain[2 * who], salts[0])
                key_2 = key_of(seen, chain[2 * who + 1], salts[1])
                row = add_row(counters, table, rows, len(regret), key, key_2, count)
                if who == updater:
                    if depth == len(frames):
                        counters[FAULT] = TOO_DEEP
                        return 0
                    match(regret, rows, row, count, shares[depth])
                    for i in range(count):  # explore, or some regrets would never be sampled
                        share = shares[depth, i]
                        other_shares[i] = share + EXPLORATION * (1.0 / count - share)
                    slot = draw_share(other_shares, count, random_unit(stream))
                    drawn *= other_shares[slot]
                    frames[depth, COUNT_AT], frames[depth, NEXT], frames[depth, ROW_AT] = count, slot, row
                    depth += 1
                else:
                    match(regret, rows, row, count, other_shares)
                    if row != NO_ROW:
                        for i in range(count):
                            average[rows[row, FIRST] + i] += weight * other_shares[i] / drawn
                    slot = draw_share(other_shares, count, random_unit(stream))
                apply(state, choices[0, slot])
                chain[2 * who] = chain_after(key, slot)
                chain[2 * who + 1] = chain_after(key_2, slot)
            # 2. The value of the drawn action of each information state; that of the others is 0 in this sample.
            value = (1.0 - 2.0 * updater) * payoffs[score(state)] / drawn
            while depth > 0:
                depth -= 1
                frame = frames[depth]
                mean = value * shares[depth, frame[NEXT]]
                if frame[ROW_AT] != NO_ROW:
                    first = rows[frame[ROW_AT], FIRST]
                    for i in range(frame[COUNT_AT]):
                        regret[first + i] += weight * ((value if i == frame[NEXT] else 0.0) - mean)
                value = mean
        counters[ITERATIONS] += 1
    return 0
