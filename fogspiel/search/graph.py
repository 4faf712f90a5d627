"""Games without hidden information solved at the table: the states below one as a graph, and their values (kernels).

States that different actions lead to are one node, unlike in a tree, so that dice and small numbers fit. The graph
grows over the decisions of a game; once all states that can follow the present one are in it, value iteration (Shapley
1953) finds their values.
"""

from typing import NamedTuple

import numpy as np

from ..belief.particles import NO_ROW, ROOM, key_of
from ..core.compile.kernel import CELLS, NUMBER, REAL, REALS, TABLE, in_place, kernel_of, record_of
from ..core.game import CHANCE, OVER, RULE_SIGNATURES

CLOSED, GROWS, FULL = range(3)
STATES, LINKS, HEAD, TAIL, TIME, WORK = range(6)  # counters: states, links, the walk's place, end and number, positions
WHO, FIRST, COUNT, SEEN = range(4)  # of a state; COUNT is UNSEEN until it is expanded, SEEN its last walk
UNSEEN = -1
MIDDLE = 0.5  # value of a state that no end follows
STILL = 1e-9  # change of values at which value iteration ends


class Graph(NamedTuple):
    """States with a hash table of them, their successors with the odds of chance, and the walk from a state."""

    counters: np.ndarray
    places: np.ndarray
    states: np.ndarray
    rows: np.ndarray
    values: np.ndarray
    links: np.ndarray
    odds: np.ndarray
    walk: np.ndarray


GRAPH = record_of(Graph, CELLS, CELLS, TABLE, TABLE, REALS, CELLS, REALS, CELLS)


def new_graph(states: int, cells: int, links: int) -> Graph:
    """Return an empty graph; the number of states is a power of two."""
    numbers = np.zeros(6, np.int64), np.full(2 * states, NO_ROW, np.int64), np.zeros((states, cells), np.int64)
    rows, values = np.zeros((states, 4), np.int64), np.full(states, MIDDLE)
    return Graph(*numbers, rows, values, np.zeros(links, np.int64), np.zeros(links), np.zeros(states, np.int64))


@in_place
def place_of(graph, state):
    """Return the number of a state, a new one if it is not in the graph yet; NO_ROW if the graph is full."""
    mask = len(graph.places) - 1
    at = key_of(state, 0) & mask
    while graph.places[at] >= 0:
        number, same = graph.places[at], True
        for cell in range(len(state)):
            same = same and graph.states[number, cell] == state[cell]
        if same:
            return number
        at = (at + 1) & mask
    number = graph.counters[STATES]
    if number == len(graph.states):
        return NO_ROW
    graph.places[at] = number
    graph.counters[STATES] += 1
    for cell in range(len(state)):
        graph.states[number, cell] = state[cell]
    graph.rows[number, COUNT], graph.rows[number, SEEN] = UNSEEN, 0
    graph.values[number] = MIDDLE
    return number


@in_place
def visit(graph, number):
    """Append a state to the walk, once."""
    if graph.rows[number, SEEN] != graph.counters[TIME]:
        graph.rows[number, SEEN] = graph.counters[TIME]
        graph.walk[graph.counters[TAIL]] = number
        graph.counters[TAIL] += 1


@kernel_of(NUMBER, *RULE_SIGNATURES.values(), GRAPH, ROOM, CELLS, NUMBER, REAL, NUMBER)
def grow(start, mover, legal, apply, view, score, weights, graph, room, state, weighted, scale, most):
    """Walk the states that can follow one, breadth first, until WORK has reached `most`; CLOSED, GROWS or FULL.

    An empty `state` continues the last walk. Known states are walked by their links, at no position of the rules.
    """
    counters, rows = graph.counters, graph.rows
    if len(state) > 0:
        counters[TIME] += 1
        counters[HEAD], counters[TAIL] = 0, 0
        number = place_of(graph, state)
        if number == NO_ROW:
            return FULL
        visit(graph, number)
    while counters[HEAD] < counters[TAIL]:
        number = graph.walk[counters[HEAD]]
        if rows[number, COUNT] == UNSEEN:
            if counters[WORK] >= most:
                return GROWS
            who, count = mover(graph.states[number]), 0
            if who == OVER:
                graph.values[number] = score(graph.states[number]) * scale
            else:
                count = legal(graph.states[number], room.actions)
            first = counters[LINKS]
            if first + count > len(graph.links):
                return FULL
            total = np.float64(count)
            if who == CHANCE and weighted:
                weights(graph.states[number], room.odds)
                total = 0.0
                for i in range(count):
                    total += room.odds[i]
            for i in range(count):
                for cell in range(len(room.trial)):
                    room.trial[cell] = graph.states[number, cell]
                apply(room.trial, room.actions[i])
                child = place_of(graph, room.trial)
                if child == NO_ROW:
                    return FULL
                graph.links[first + i] = child
                graph.odds[first + i] = (room.odds[i] if who == CHANCE and weighted else 1.0) / total
            counters[LINKS] += count
            rows[number, WHO], rows[number, FIRST], rows[number, COUNT] = who, first, count
            counters[WORK] += count + 1
        for at in range(rows[number, FIRST], rows[number, FIRST] + rows[number, COUNT]):
            visit(graph, graph.links[at])
        counters[HEAD] += 1
    return CLOSED


@kernel_of(REAL, GRAPH)
def improve(graph):
    """Compute the values of all states of the walk from their successors, the last ones first; return the change."""
    change = 0.0
    for place in range(graph.counters[TAIL] - 1, -1, -1):
        number = graph.walk[place]
        who, first, count = graph.rows[number, WHO], graph.rows[number, FIRST], graph.rows[number, COUNT]
        if count == 0:
            continue
        value = 0.0 if who == CHANCE or who == 0 else 1.0
        for at in range(first, first + count):
            below = graph.values[graph.links[at]]
            if who == CHANCE:
                value += graph.odds[at] * below
            elif who == 0:
                value = max(value, below)
            else:
                value = min(value, below)
        change = max(change, abs(value - graph.values[number]))
        graph.values[number] = value
    return change


def clear(graph: Graph) -> None:
    """Forget all states, but not the work and the number of walks."""
    graph.counters[[STATES, LINKS]] = 0
    graph.places[:] = NO_ROW


def best_actions(graph: Graph) -> np.ndarray:
    """Return the optimal strategy at the walk's first state: its best actions, with equal probabilities."""
    who, first, count, _ = graph.rows[graph.walk[0]]
    below = graph.values[graph.links[first : first + count]]
    best = below >= below.max() - STILL if who == 0 else below <= below.min() + STILL
    return np.asarray(best / best.sum())
