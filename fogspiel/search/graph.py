"""Games without hidden information solved at the table: the states below one as a graph, and their values (kernels).

States that different actions lead to are one node, unlike in a tree, so that dice and small numbers fit. A game that
fits is solved as a whole, once per process. Elsewhere the graph grows over the decisions of a game; once all states
that can follow the present one are in it, value iteration (Shapley 1953) finds their values.
"""

from typing import NamedTuple

import numpy as np

from ..belief import new_room
from ..belief.particles import NO_ROW, ROOM, key_of
from ..core.compile.kernel import CELLS, NUMBER, REAL, REALS, TABLE, in_place, kernel_of, record_of
from ..core.game import CHANCE, OVER, RULE_SIGNATURES, Game, Rules
from ..core.session import Session
from ..core.simulate import compile_rules
from ..process.heartbeat import beat

CLOSED, GROWS, FULL = range(3)
STATES, LINKS, HEAD, TAIL, TIME, WORK = range(6)  # counters: states, links, the walk's place, end and number, positions
WHO, FIRST, COUNT, SEEN = range(4)  # of a state; COUNT is UNSEEN until it is expanded, SEEN its last walk
UNSEEN = -1
MIDDLE = 0.5  # value of a state that no end follows
STILL = 1e-9  # change of values at which value iteration ends
# Of a game: the positions of as many decisions may be spent on solving the whole game, at most so many (2 s, mostly).
DECISIONS, MOST_POSITIONS = 100, 10_000_000
MOST_STATES, MOST_CELLS = 1 << 21, 1 << 24  # of a graph: 128 MiB of states
LINKED = 4  # links per state
PATIENCE = 200_000  # positions after which the graph must grow more slowly than it is walked
MOST_SOLVED = 4  # games whose solutions are kept


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


def new_graph(game: Game, wanted: int) -> Graph:
    """Return an empty graph for about as many states."""
    cells = game.sizes.state
    wanted = min(wanted, MOST_STATES, MOST_CELLS // cells)
    states = 1 << max(wanted.bit_length() - 1, 10)
    numbers = np.zeros(6, np.int64), np.full(2 * states, NO_ROW, np.int64), np.zeros((states, cells), np.int64)
    rows, values, links = np.zeros((states, 4), np.int64), np.full(states, MIDDLE), LINKED * states
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


# Whole games.


class Solution(NamedTuple):
    """An optimal strategy: sorted keys of the states in which a player moves, and the first best action of each."""

    keys: np.ndarray
    slots: np.ndarray
    value: float  # of the first player, from 0 to 1

    def slot(self, state: np.ndarray) -> int | None:
        key = key_of(state, 0)
        at = int(np.searchsorted(self.keys, key))
        return int(self.slots[at]) if at < len(self.keys) and self.keys[at] == key else None


@kernel_of(NUMBER, GRAPH, CELLS, CELLS)
def list_best(graph, keys, slots):
    """Write the key and the first best action of each state in which a player moves; return their number."""
    found = 0
    for number in range(graph.counters[STATES]):
        who, first, count = graph.rows[number, WHO], graph.rows[number, FIRST], graph.rows[number, COUNT]
        if count > 0 and who != CHANCE:
            slot, sign = 0, 1.0 if who == 0 else -1.0
            for i in range(1, count):
                if sign * (graph.values[graph.links[first + i]] - graph.values[graph.links[first + slot]]) > STILL:
                    slot = i
            keys[found], slots[found] = key_of(graph.states[number], 0), slot
            found += 1
    return found


def preparation(size: int) -> int:
    """Return the positions that may be spent on a whole game once, outside the limits of a decision."""
    return min(DECISIONS * size, MOST_POSITIONS)


_solved: dict[tuple[Rules, int], Solution | None] = {}


def whole_game(game: Game, size: int) -> Solution | None:
    """Return the solution of a game without hidden information; None if its graph does not fit.

    It fits if it is complete after the positions of a preparation. The walk ends early where, after
    `PATIENCE` positions, more states wait than were walked: such graphs grow exponentially.
    """
    key = game.rules, size
    if key not in _solved:
        while len(_solved) >= MOST_SOLVED:
            _solved.pop(next(iter(_solved)), None)
        _solved[key] = _solve(game, preparation(size))
    return _solved[key]


def _solve(game: Game, most: int) -> Solution | None:
    rules, room = compile_rules(game), new_room(game, 0, 0)
    graph, root = new_graph(game, most), Session(game).state
    counters, weighted, scale = graph.counters, int(game.rules.weights is not None), 1.0 / max(game.max_score, 1)
    found = GROWS
    while found == GROWS:
        done = int(counters[WORK])
        waiting = counters[TAIL] - counters[HEAD]
        if done >= most or (done >= PATIENCE and waiting > counters[HEAD]):
            return None
        found = grow(*rules, graph, room, root, weighted, scale, min(done + PATIENCE, most))
        root = root[:0]
        beat()
    if found == FULL:
        return None
    while improve(graph) > STILL:
        beat()
    keys, slots = np.zeros((2, int(counters[STATES])), np.int64)
    count = list_best(graph, keys, slots)
    keys, order = np.unique(keys[:count], return_index=True)
    # Two states with one key are too improbable to resolve: such a game is searched as if it did not fit.
    return Solution(keys, slots[order].astype(np.int32), float(graph.values[0])) if len(keys) == count else None
