"""The information states that sampling has met: a hash table with regrets and the sums of strategies.

An information state is what its owner knows: its own information states and actions so far, and its view now (perfect
recall by construction). It is known by a 128-bit key. The key of the owner's past is a chain: the key of its last
information state and the action there. View and chain are hashed by sums of products with random odd numbers modulo
2^64, in two independent halves.
"""

import numpy as np

from ...core.kernel import inlined, kernel
from ...core.rng import GOLDEN, mixed
from ..tree import place_of

# Counters: information states and their actions in the table, iterations, positions visited, information states for
# which there was no room, and what is wrong with the rules, if anything is.
ROWS, ENTRIES, ITERATIONS, NODES, UNKNOWN, FAULT = range(6)
NOT_ONE_LIST, TOO_DEEP, NO_ACTIONS, BAD_WEIGHTS = range(1, 5)  # what may be wrong
# A row of the table: the two halves of the key, the first entry of its actions, and how many there are.
KEY, KEY_2, FIRST, COUNT = range(4)
NO_ROW = -1


@inlined
def key_of(seen, past, salt):
    """One half of the key of an information state, after the same half of the chain of its owner's past."""
    total = past
    for i in range(len(seen)):
        total += seen[i] * salt[i]
    return np.int64(mixed(np.uint64(total)))


@inlined
def chain_after(key, slot):
    """One half of the chain after an action of an information state."""
    return np.int64(mixed(np.uint64(key) + np.uint64(slot + 1) * GOLDEN))


@kernel
def find_row(counters, table, rows, key, key_2, count):
    """The row of an information state with that many actions, NO_ROW if it is not in the table."""
    row = table[place_of(rows, table, key, key, key_2)]
    if row >= 0 and rows[row, COUNT] != count:
        counters[FAULT] = NOT_ONE_LIST
        return NO_ROW
    return row


@kernel
def add_row(counters, table, rows, room, key, key_2, count):
    """The row of an information state with that many actions, new if need be; NO_ROW if there is no room for it."""
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
    """Write the shares in proportion to the positive weights of a row; equal ones where there are none."""
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
    """The place of a share, drawn by a point in [0, 1)."""
    for i in range(count - 1):
        point -= shares[i]
        if point < 0.0:
            return i
    return count - 1
