"""Bounds by an opponent who sees the whole state, for games whose states can be enumerated where histories cannot.

Against a strategy that depends on the view alone, such an opponent needs no memory: its best response is backward
induction on states, however many histories lead to each of them. The bound is one for any opponent (related to Lemma 2
of Teytaud and Teytaud 2011, with all of the opponent's decisions in T and without private moves).

The strategy is learned by regret matching+ against the opponent's best responses (CFR-BR, Johanson, Bard, Burch and
Bowling 2012): the opponent is exact, the owner has a row per view. The states are a graph: edges lead to the states
after each action, and histories that meet are one node.
"""

import io
from collections.abc import Generator
from time import process_time
from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import CELLS, NUMBER, REALS, TABLE, inlined, kernel, kernel_of, record_of
from ...core.game import CHANCE, OVER, RULE_SIGNATURES, Game, new_cells
from ...core.rng import GOLDEN, mixed
from ...core.simulate import compile_rules
from ..proofs.checkers.table_bounds import INFORMED, key_at, salts_of
from ..sources import GameSource
from ..tree import TooLarge
from . import Size, Solution, SolveOptions, SolverProgress, SolverState, Work
from .tables import Proof, prove_side, round_weights, side_of, table_certificate

FIRST_ROOM = 1 << 12
SLICE = 1 << 18  # states between two chances to interrupt
BYTES_EACH = 120  # of a state beside its cells, and of some three edges each
DEFAULT_SECONDS = 60.0  # default CPU time if no iterations are given
FIRST_LOOK = 8  # iterations before the first evaluation; the interval then doubles
STALLED = 1e-5  # of the range of payoffs: a doubling of the iterations that gains less on either side is the last
MORE, DONE = range(2)
FOUND, EXPANDED, EDGES = range(3)  # counters


class StateGraph(NamedTuple):
    """States in the order in which they were found, with their edges; `who` moves, `key` is that of its view."""

    counters: np.ndarray
    table: np.ndarray
    states: np.ndarray
    who: np.ndarray  # at an end OVER
    key: np.ndarray  # at an end the index of the payoff
    first: np.ndarray
    ahead: np.ndarray
    share: np.ndarray  # probabilities of chance


GRAPH = record_of(StateGraph, CELLS, CELLS, TABLE, CELLS, CELLS, CELLS, CELLS, REALS)


@inlined
def hash_of(state):
    found = np.uint64(0)
    for cell in state:
        found = mixed(found ^ np.uint64(cell)) + GOLDEN
    return np.int64(mixed(found))


@inlined
def slot_for(table, states, state):
    """Return the place of a state in the hash table, or the free place where it belongs."""
    mask = len(table) - 1
    at = hash_of(state) & mask
    while table[at] >= 0:
        same = True
        for i in range(len(state)):
            if states[table[at], i] != state[i]:
                same = False
                break
        if same:
            return at
        at = (at + 1) & mask
    return at


@kernel_of(NUMBER, *RULE_SIGNATURES.values(), NUMBER, CELLS, CELLS, CELLS, GRAPH, NUMBER)
def expand(start, mover, legal, apply, view, score, weights, weighted, salts, seen, choices, graph, most):
    """Expand up to `most` states in their order; return DONE when there are no more, else MORE."""
    counters, table, states, who, key, first, ahead, share = graph
    if counters[FOUND] == 0:
        start(states[0])
        table[slot_for(table, states, states[0])] = 0
        counters[FOUND] = 1
    odds = np.empty(len(choices), np.int64)
    while most > 0 and counters[EXPANDED] < counters[FOUND]:
        most -= 1
        node, edge = counters[EXPANDED], counters[EDGES]
        if counters[FOUND] + len(choices) > len(states) or edge + len(choices) > len(ahead):
            return MORE
        counters[EXPANDED] += 1
        who[node], first[node], first[node + 1] = mover(states[node]), edge, edge
        if who[node] == OVER:
            key[node] = score(states[node])
            continue
        count = legal(states[node], choices)
        odds[:count] = 1
        if who[node] == CHANCE:
            if weighted:
                weights(states[node], odds)
        else:
            view(states[node], who[node], seen)
            key[node] = key_at(seen, salts[-1 - who[node]], salts)
        total = odds[:count].sum()
        for i in range(count):
            if odds[i] == 0:
                continue
            new = counters[FOUND]
            states[new] = states[node]
            apply(states[new], choices[i])
            at = slot_for(table, states, states[new])
            if table[at] < 0:
                table[at] = new
                counters[FOUND] += 1
            ahead[counters[EDGES]] = table[at]
            share[counters[EDGES]] = odds[i] / total
            counters[EDGES] += 1
        first[node + 1] = counters[EDGES]
    return DONE if counters[EXPANDED] == counters[FOUND] else MORE


def _resized(array: np.ndarray, rows: int, fill: int = 0) -> np.ndarray:
    larger = np.full((rows, *array.shape[1:]), fill, array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def refill(states, count, table):
    for node in range(count):
        table[slot_for(table, states, states[node])] = node


def enumerate_states(game: Game, memory: float) -> Generator[int, None, StateGraph]:
    """Return the graph of all states, yielding their number so far; raise TooLarge beyond the memory limit in GiB."""
    rules, weighted, width = compile_rules(game), int(game.rules.weights is not None), game.sizes.actions
    most = int(memory * 2**30 / (8 * game.sizes.state + BYTES_EACH))
    room, edges = FIRST_ROOM + width, 4 * FIRST_ROOM + width
    graph = StateGraph(
        new_cells(3), np.full(4 * FIRST_ROOM, -1, np.int64), np.zeros((room, game.sizes.state), np.int64),
        new_cells(room), new_cells(room), new_cells(room + 1), new_cells(edges), np.zeros(edges),
    )  # fmt: skip
    seen, choices, salts = new_cells(game.sizes.view), new_cells(width), salts_of(game)
    while expand(*rules, weighted, salts, seen, choices, graph, SLICE) == MORE:
        counters, table, states, who, key, first, ahead, share = graph
        found = int(counters[FOUND])
        yield found
        if found > most:
            raise TooLarge(f"{game.name} has more than {most:,} states: raise --memory")
        if found + width > len(states):
            room = 2 * room + width
            states, who, key = (_resized(part, room) for part in (states, who, key))
            first, table = _resized(first, room + 1), np.full(1 << (2 * room).bit_length(), -1, np.int64)
            refill(states, found, table)
        if counters[EDGES] + width > len(ahead):
            ahead, share = (_resized(part, 2 * len(part) + width) for part in (ahead, share))
        graph = StateGraph(counters, table, states, who, key, first, ahead, share)
    count, edges = int(graph.counters[FOUND]), int(graph.counters[EDGES])
    short = graph.who[:count], graph.key[:count], graph.first[: count + 1], graph.ahead[:edges], graph.share[:edges]
    return StateGraph(graph.counters, graph.table, graph.states[:count], *(part.copy() for part in short))


@kernel
def in_order(first, ahead, waits, order):
    """Write the states so that each comes before those after its actions; return how many there are in such an order.

    `waits` counts the edges into each state. A state on a cycle is never written.
    """
    high = 1
    order[0] = 0
    for place in range(len(order)):
        if place == high:
            break
        node = order[place]
        for edge in range(first[node], first[node + 1]):
            waits[ahead[edge]] -= 1
            if waits[ahead[edge]] == 0:
                order[high] = ahead[edge]
                high += 1
    return high


# Learning


@kernel
def match_regrets(weights, start, shares):
    """Write each row's probabilities in proportion to its positive weights; uniform where there are none."""
    for row in range(len(start) - 1):
        total = 0.0
        for i in range(start[row], start[row + 1]):
            total += max(weights[i], 0.0)
        for i in range(start[row], start[row + 1]):
            shares[i] = max(weights[i], 0.0) / total if total > 0.0 else 1.0 / (start[row + 1] - start[row])


@kernel
def respond(order, who, first, ahead, share, owner, row, start, shares, values, chosen):
    """Write every state's value to the owner, who plays by its table; `chosen` is the opponent's best edge."""
    for place in range(len(order) - 1, -1, -1):
        node = order[place]
        if first[node] == first[node + 1]:
            continue
        value = 0.0
        for edge in range(first[node], first[node + 1]):
            here = values[ahead[edge]]
            if who[node] == CHANCE:
                value += share[edge] * here
            elif who[node] == owner:
                value += shares[start[row[node]] + edge - first[node]] * here
            elif edge == first[node] or here < value:
                value, chosen[node] = here, edge
        values[node] = value


@kernel
def learn(order, who, first, ahead, share, owner, row, start, shares, values, chosen, weight, regret, average, reach):
    """Update the regrets of the owner's rows, and their averages; `reach` has a column for the others, one for it."""
    reach[:] = 0.0
    reach[0] = 1.0
    for place in range(len(order)):
        node = order[place]
        others, own = reach[node, 0], reach[node, 1]
        for edge in range(first[node], first[node + 1]):
            after, more, mine = ahead[edge], others, own
            if who[node] == CHANCE:
                more *= share[edge]
            elif who[node] == owner:
                at = start[row[node]] + edge - first[node]
                mine *= shares[at]
                regret[at] += others * (values[after] - values[node])
                average[at] += weight * own * shares[at]
            elif edge != chosen[node]:
                continue
            reach[after, 0] += more
            reach[after, 1] = max(reach[after, 1], mine)
    for i in range(len(regret)):
        regret[i] = max(regret[i], 0.0)


class Learner:
    """One player's table, and the best one so far against an opponent who sees the state."""

    def __init__(self, game: Game, graph: StateGraph, order: np.ndarray, owner: int) -> None:
        self.graph, self.order, self.owner, self.game = graph, order, owner, game
        own, sign = graph.who == owner, 1 - 2 * owner
        payoffs = sign * np.array([float(payoff) for payoff in game.payoffs])
        self.values = np.where(graph.who == OVER, payoffs[np.where(graph.who == OVER, graph.key, 0)], 0.0)
        self.keys, sample, place = np.unique(graph.key[own], return_index=True, return_inverse=True)
        self.row = np.full(len(own), -1)
        self.row[own] = place.reshape(-1)
        self.count = np.diff(graph.first)[np.flatnonzero(own)[sample]]
        self.start = np.append(0, np.cumsum(self.count))
        self.regret, self.average = np.zeros((2, int(self.start[-1])))
        self.best, self.bound = np.zeros_like(self.regret), -np.inf
        self._chosen, self._reach = np.zeros(len(own), np.int64), np.zeros((len(own), 2))

    def value(self, weights: np.ndarray) -> float:
        """Return what the owner gets for sure by a table; write the values of all states."""
        self.shares = np.zeros_like(self.regret)
        match_regrets(weights, self.start, self.shares)
        given = self.order, self.graph.who, self.graph.first, self.graph.ahead, self.graph.share, self.owner
        respond(*given, self.row, self.start, self.shares, self.values, self._chosen)
        return float(self.values[0])

    def advance(self, iteration: int) -> None:
        self.value(self.regret)
        given = self.order, self.graph.who, self.graph.first, self.graph.ahead, self.graph.share, self.owner
        learn(
            *given, self.row, self.start, self.shares, self.values, self._chosen, float(iteration), self.regret,
            self.average, self._reach,
        )  # fmt: skip

    def look(self) -> float:
        """Keep the better of the average, the present and the former best table; return the gain."""
        before = self.bound
        for weights in (self.average, self.regret):
            whole = weights.copy()
            round_weights(self.start[:-1], self.count, whole)
            found = self.value(whole)
            if found > self.bound:
                self.bound, self.best = found, whole
        return self.bound - before

    def proof(self) -> Proof | None:
        """Return what the best table proves."""
        side = side_of(self.keys, self.count, self.best.astype(np.int64), INFORMED)
        return prove_side(self.game, self.owner, side)


def solve(problem: GameSource, options: SolveOptions, saved: SolverState) -> Work:
    """Learn both players' tables until the budget is spent or a doubling of the iterations gains nothing."""
    game, began = problem.as_game(options.memory), process_time()
    steps = enumerate_states(game, options.memory / 2)
    while True:
        try:
            yield SolverProgress(f"{next(steps):,} states")
        except StopIteration as end:
            graph: StateGraph = end.value
            break
    order = np.zeros(len(graph.who), np.int64)
    if in_order(graph.first, graph.ahead, np.bincount(graph.ahead, minlength=len(order)), order) < len(order):
        raise ValueError(f"{game.name} comes back to an earlier state, so that its states have no values one by one")
    learners = [Learner(game, graph, order, owner) for owner in (0, 1)]
    iteration, look, spent, stalled = 0, FIRST_LOOK, 0.0, False
    if saved.state is not None:
        iteration, look, spent, stalled = _restore(learners, saved.state)
    last = options.iterations or 2**62
    limit = options.seconds or (float("inf") if options.iterations else DEFAULT_SECONDS)
    least = STALLED * float(game.payoffs[-1] - game.payoffs[0])
    while not stalled and iteration < last and process_time() - began + spent < limit:
        iteration += 1
        for learner in learners:
            learner.advance(iteration)
        if iteration in (look, last):
            gained = [learner.look() for learner in learners]
            stalled, look = max(gained) < least, 2 * look
            state = _state(learners, (iteration, look, process_time() - began + spent, stalled))
            lower, upper = learners[0].bound, -learners[1].bound
            told = f"informed opponent, {iteration} iterations, {len(order):,} states"
            yield SolverProgress(told, lower, upper, state=state)
    for learner in learners:
        learner.look()
    words = f"tables against an opponent who sees the state ({iteration} iterations)"
    sizes: dict[str, Size] = {"states": len(order), "views": [len(learner.keys) for learner in learners]}
    yield SolverProgress("checking", learners[0].bound, -learners[1].bound)
    proof = table_certificate(game, [learner.proof() for learner in learners])
    if proof is None:
        return Solution.bounded(words, sizes, learners[0].bound, -learners[1].bound)
    return Solution.proved(words, sizes, proof)


def _state(learners: list[Learner], head: tuple[float, ...]) -> bytes:
    parts = {f"{name}{one.owner}": getattr(one, name) for one in learners for name in ("regret", "average", "best")}
    out = io.BytesIO()
    np.savez_compressed(out, head=np.array(head), bounds=np.array([one.bound for one in learners]), **parts)
    return out.getvalue()


def _restore(learners: list[Learner], state: bytes) -> tuple[int, int, float, bool]:
    with np.load(io.BytesIO(state), allow_pickle=False) as kept:
        iteration, look, spent, stalled = kept["head"].tolist()
        for one, bound in zip(learners, kept["bounds"].tolist(), strict=True):
            one.bound = bound
            for name in ("regret", "average", "best"):
                if kept[f"{name}{one.owner}"].shape != one.regret.shape:
                    raise ValueError("the saved state is one of another game: leave it out")
                setattr(one, name, kept[f"{name}{one.owner}"])
    return int(iteration), int(look), float(spent), bool(stalled)
