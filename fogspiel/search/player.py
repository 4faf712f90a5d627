"""Player that searches: at any game, from its rules and its own views alone.

Each decision follows the same order. The belief follows the views since the last one. If the whole game fits into the
effort, it is solved from its start, once; if what is left fits, it is solved from the belief; else it is searched by
sampling. Where nothing is hidden, a graph of states takes the place of trees. Nodes of earlier decisions stay, and what
they say of the opponent is the belief's model of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import thread_time
from typing import NamedTuple

import numpy as np

from ..belief import Belief, Known, Opponent, clear, new_nodes, new_room
from ..belief.particles import AVERAGE, FILLED, FIRST, LEARNED, NO_ROW, USED, VISITS, Nodes, find_row, key_of
from ..core.agents import ParametricPolicy, draw_index
from ..core.compile.kernel import compiled
from ..core.game import CHOOSE, UNIFORM, Game, Rules, nothing_hidden
from ..core.rng import bits, child, random_below, random_unit, stream_of
from ..core.session import Session
from ..core.simulate import compile_rules
from ..process.heartbeat import beat, say
from . import graph as state_graph
from . import sampling, subtree

# Positions that count as one second where the clock is the limit: they size arrays and trees, never the search itself.
NODES_PER_SECOND = 2_000_000
STRETCH = 2_000  # positions between two looks at the clock
TREE_SHARE = 0.5  # nodes of a solved tree, as a share of the effort
SWEPT = 32  # nodes that a sweep of a solved tree visits in the time of one position of the rules
LEAST_SWEEPS, MOST_SWEEPS = 32, 2000  # of a solved tree: when it is new at least, in a game at most
TREE_DRAWS = 512  # draws that estimate a compiled opponent's probabilities in a tree: within 2 % each
MOST_ROWS, MOST_ENTRIES = 1 << 18, 1 << 21
DEEPEST = 512  # information states of one iteration, and levels of a solved tree
FIRST_SHARE = 0.5  # share of the first decision's effort that begins at the start of the game
START_SHARE = 0.3  # share of later iterations that do
ENOUGH = 16.0  # iterations from the start that must reach the present views on average, to be worth it
SURE = 4  # efforts of a decision that a preparation must have spent on a view
LEARNING_PARTS = 50  # of a preparation, between two looks at the clock
MOST_TREES, MOST_NODES = 4, 1 << 20  # solved games that are kept, and nodes of each
DIVES, TOO_MANY = 100, 1e12  # random games that estimate the size of a tree, and the paths at which one is cut off
PURE = 0.05  # probability below which a sampled average plays no action: it is noise


@dataclass(frozen=True)
class Effort:
    """Limits of one decision, and the constants of the search."""

    nodes: int | None = None  # positions of the rules
    seconds: float | None = None  # CPU seconds, where there is no number of positions
    particles: int = 1000
    blunders: float = 0.0  # probability of a move at random, for weak levels
    constant: float = 0.35  # exploration; the best of 0.35, 0.7 and 1.4 at phantom ponnuki 5x5, by 40 games each
    trees: bool = True  # solve what fits at the table

    @property
    def size(self) -> int:
        """The positions that size the arrays."""
        return self.nodes if self.nodes is not None else int((self.seconds or 0.0) * NODES_PER_SECOND)


class Solved(NamedTuple):
    """A solved tree with its information states."""

    nodes: Nodes
    branches: subtree.Branches
    marks: np.ndarray

    def copy(self) -> "Solved":
        """Copy what a sweep writes, without the room that the tree has left."""
        (counters, places, rows, numbers), branches = self.nodes, self.branches
        rows, size = rows[: counters[USED]].copy(), branches.counters[subtree.NODES_USED]
        nodes = Nodes(counters.copy(), places, rows, numbers[: counters[FILLED]].copy())
        copied = branches._replace(counters=branches.counters.copy())
        for name in ("links", "odds", "payoffs", "values", "reach"):
            copied = copied._replace(**{name: getattr(branches, name)[:size].copy()})
        return Solved(nodes, copied, self.marks[: len(rows)].copy())


# Whole games by rules and effort; None where the tree does not fit.
_trees: dict[tuple[Rules, Effort], Solved | None] = {}


def tree_size(game: Game) -> float:
    """Estimate the nodes of a game's tree by random games (Knuth 1975)."""
    total, stream = 0.0, stream_of(DIVES)
    for _ in range(DIVES):
        session, paths = Session(game), 1.0
        while not session.over and paths < TOO_MANY:
            paths *= len(session.actions)
            total += paths / DIVES
            session.apply(session.actions[random_below(stream, len(session.actions))])
    return total


class Learned(NamedTuple):
    """The nodes of a search from the start of the game against a known opponent, and positions per iteration."""

    nodes: Nodes
    length: float


class Search:
    """One seat's search in one game: nodes, belief, and solved trees."""

    def __init__(
        self,
        game: Game,
        side: int,
        effort: Effort,
        known: Known | None,
        roll: ParametricPolicy | None,
        seed: int,
        learned: Learned | None = None,
    ):
        self.game, self.side, self.effort, self.seed, self.learned = game, side, effort, seed, learned
        rows = 1 << max(min(effort.size, MOST_ROWS).bit_length(), 10)
        self.tree = new_nodes(rows, min(rows * min(game.sizes.actions, 16), MOST_ENTRIES))
        self.opponent = Opponent(game, side, known, None if known else self.tree)
        self.belief = Belief(game, side, self.opponent, effort.particles, int(child(seed, 1)))
        self.solved: Solved | None = None
        self.open = effort.trees and game.resample is nothing_hidden and known is None
        self._most = int(TREE_SHARE * effort.size)  # nodes of a tree that is solved in a decision
        self.graph: state_graph.Graph | None = None
        self.whole: state_graph.Solution | None = None
        self.decisions, self._spent, self._began = 0, 0, 0.0
        sizes, width = game.sizes, self.opponent.past_cells
        self._rules, self._scale = compile_rules(game), 1.0 / max(game.max_score, 1)
        self._room = new_room(game, width, int(child(seed, 2)))
        plan = roll.plan if roll else np.zeros(1)
        self._roll, self._rolls = compiled((roll.strategy if roll else UNIFORM).choose, CHOOSE), int(roll is not None)
        shapes = ((DEEPEST, 3), (sizes.state,), (width,), (2,))
        steps, state, past, work = (np.zeros(shape, np.int64) for shape in shapes)
        self._line = sampling.Line(steps, state, past, work, plan)

    def strategy(self, seen: np.ndarray, count: int) -> np.ndarray | None:
        """Search at the present view; return the probability of each action, None if the belief is lost."""
        self.decisions += 1
        if self.decisions == 1 and self.effort.trees and self.opponent.known is None:
            self._prepare()
        self._spent, self._began = 0, thread_time()
        key = int(key_of(seen, self.side))
        if self.learned is not None and self._knows(self.learned, key, count):
            return _purified(self._average(self.learned.nodes, key, count), True)
        if self.decisions == 1:
            self._begin()
        self.belief.settle(seen)
        if self.solved is not None and find_row(self.solved.nodes, key, count, False) != NO_ROW:
            self._sweep(self.solved)
            return self._average(self.solved.nodes, key, count)
        if self.belief.lost:
            return None
        masses = self.belief.masses
        left = masses > 0
        roots = tuple(a[left] for a in (self.belief.states, self.belief.pasts, self.belief.members, masses))
        if self.open and len(roots[0]) == 1:
            if self.whole and (slot := self.whole.slot(roots[0][0])) is not None:
                return np.asarray(np.eye(count)[slot])
            if (best := self._best_actions(roots[0][0])) is not None:
                return best
        elif self.effort.trees and (found := self._tree(roots, self._most)) is not None:
            self.solved = found
            self._sweep(found, 1.0, LEAST_SWEEPS)
            return self._average(found.nodes, key, count)
        self._sample(roots, 1.0)
        found_shares = self._average(self.tree, key, count)
        # Nothing is gained by mixing where nothing is hidden, or against a known opponent.
        return _purified(found_shares, self.opponent.known is not None or self.game.resample is nothing_hidden)

    def _knows(self, learned: Learned, key: int, count: int) -> bool:
        """True if preparation has spent several times as much on a view as a decision would."""
        row = find_row(learned.nodes, key, count, False)
        enough = SURE * self.effort.size
        return row != NO_ROW and float(learned.nodes.rows[row, VISITS]) * learned.length >= enough

    def learn(self, watch: Callable[[float], None] = lambda share: None) -> Learned:
        """Spend the whole effort on the start of the game, with the opponent known."""
        self._spent, self._began, self.decisions = 0, thread_time(), 1
        for part in range(1, LEARNING_PARTS + 1):
            self._sample(self._start(), part / LEARNING_PARTS)
            watch(part / LEARNING_PARTS)
        work = self._line.work
        return Learned(self.tree, int(work[sampling.VISITED]) / max(int(work[sampling.ITERATIONS]), 1))

    def _start(self) -> tuple[np.ndarray, ...]:
        members = np.arange(len(self.opponent.members))
        start = np.repeat(Session(self.game).state[None], len(members), axis=0)
        pasts = np.zeros((len(members), self.opponent.past_cells), np.int64)
        return start, pasts, members, np.array(self.opponent.members, np.float64)

    def _prepare(self) -> None:
        """Take the solution of the whole game if it fits; it is found outside the limits of a decision."""
        if self.open:
            self.whole = state_graph.whole_game(self.game, self.effort.size)
        elif (found := self._whole_tree()) is not None:
            self.solved, self.opponent.nodes = found, found.nodes

    def _begin(self) -> None:
        """Solve the game against a known opponent if it fits; else search from its start, for an idea of the other."""
        if self.opponent.known is not None:
            if self.effort.trees and (found := self._tree(self._start(), self._most)) is not None:
                self.solved = found
                self._sweep(found, FIRST_SHARE, LEAST_SWEEPS)
        elif self.solved is None and not self.open:
            self._sample(self._start(), FIRST_SHARE)

    # Limits.

    def _over(self, share: float) -> bool:
        if self.effort.nodes is not None:
            return self._spent >= share * self.effort.nodes
        return thread_time() - self._began >= share * (self.effort.seconds or 0.0)

    def _stretch(self, share: float) -> int:
        """Return the positions until the next look at the clock, or those that are left."""
        nodes = self.effort.nodes
        return STRETCH if nodes is None else min(STRETCH, max(1, int(share * nodes) - self._spent))

    # Solved trees.

    def _whole_tree(self) -> Solved | None:
        """Solve the whole game, once per process and effort, and copy its tree; None if it does not fit."""
        key = self.game.rules, self.effort
        if key not in _trees:
            while len(_trees) >= MOST_TREES:
                _trees.pop(next(iter(_trees)), None)
            positions = state_graph.preparation(self.effort.size)
            most, found = min(int(TREE_SHARE * positions), MOST_NODES), None
            if tree_size(self.game) < 2 * most and (found := self._tree(self._start(), most)) is not None:
                size = int(found.branches.counters[subtree.NODES_USED])
                sweeps = min(max(SWEPT * (positions - size) // (4 * size), LEAST_SWEEPS), MOST_SWEEPS)
                for done in range(0, sweeps, LEAST_SWEEPS):
                    subtree.sweep(found.branches, found.nodes, min(LEAST_SWEEPS, sweeps - done), -1, found.marks)
                    beat()
            _trees[key] = found and found.copy()
        kept = _trees[key]
        return kept and kept.copy()

    def _tree(self, roots: tuple[np.ndarray, ...], most: int) -> Solved | None:
        """Build the tree below weighted states; None if it has too many nodes."""
        if len(roots[0]) * 2 > most:
            return None
        sizes, width = self.game.sizes, self.opponent.past_cells
        counters = np.array([1, -1, 0, 0], np.int64)
        links, (odds, payoffs, values) = np.zeros((most, 3), np.int64), np.zeros((3, most))
        links[0, subtree.ROW] = subtree.DRAWS_ROW
        branches = subtree.Branches(links, odds, payoffs, values, np.zeros((most, 2)), counters)
        widths = sizes.state, width, sizes.actions, 3
        states, pasts, choices, frames = (np.zeros((DEEPEST, cells), np.int64) for cells in widths)
        levels = subtree.Levels(states, pasts, choices, frames, np.zeros((DEEPEST, sizes.actions)))
        nodes = new_nodes(1 << max(most.bit_length(), 4), most + sizes.actions)
        model = self.opponent.model._replace(tremble=0.0, draws=TREE_DRAWS)
        found = subtree.ASKS
        while found == subtree.ASKS:
            found = subtree.build(
                *self._rules, self.opponent.choose, model, self.opponent.nodes, nodes, self._room, branches, levels,
                *roots, self._scale,
            )  # fmt: skip
            if found == subtree.ASKS:
                self.opponent.answer(self._room)
        self._spent += int(counters[subtree.NODES_USED])
        return Solved(nodes, branches, np.zeros(len(nodes.rows), np.int64)) if found == subtree.DONE else None

    def _sweep(self, solved: Solved, share: float = 1.0, least: int = 0) -> None:
        only = -1 if self.opponent.model.kind == LEARNED else self.side
        size = int(solved.branches.counters[subtree.NODES_USED])
        sweeps = max(1, STRETCH * SWEPT // size)
        done = 0
        counters = solved.branches.counters
        while counters[subtree.SWEEPS] < MOST_SWEEPS and (done < least or not self._over(share)):
            subtree.sweep(solved.branches, solved.nodes, sweeps, only, solved.marks)
            done += sweeps
            self._spent += max(1, sweeps * size // SWEPT)

    # Graphs of states.

    def _best_actions(self, state: np.ndarray) -> np.ndarray | None:
        """Return the optimal strategy where nothing is hidden; None if the states that can follow are too many."""
        if self.graph is None:
            self.graph = state_graph.new_graph(self.game, state_graph.DECISIONS * self.effort.size)
        graph, weighted = self.graph, int(self.game.rules.weights is not None)
        found, root, cleared = state_graph.GROWS, state, False
        while found != state_graph.CLOSED:
            if self._over(TREE_SHARE):
                return None
            before = int(graph.counters[state_graph.WORK])
            found = state_graph.grow(
                *self._rules, graph, self._room, root, weighted, self._scale, before + self._stretch(TREE_SHARE)
            )
            self._spent += int(graph.counters[state_graph.WORK]) - before
            root = state[:0]
            if found == state_graph.FULL:
                if cleared:
                    return None
                state_graph.clear(graph)  # of states that cannot be reached any more
                root, cleared = state, True
        sweeps, change = 0, 1.0
        while change > state_graph.STILL and (sweeps < LEAST_SWEEPS or not self._over(1.0)):
            change, sweeps = state_graph.improve(graph), sweeps + 1
            self._spent += int(graph.counters[state_graph.TAIL]) // SWEPT
        return state_graph.best_actions(graph)

    # Sampling.

    def _sample(self, roots: tuple[np.ndarray, ...], share: float) -> None:
        tree = self.tree
        if self.decisions > 1 and (
            tree.counters[USED] > 0.75 * len(tree.rows) or tree.counters[FILLED] > 0.75 * len(tree.numbers)
        ):
            clear(tree)
        effort, known = self.effort, self.opponent.model.kind != LEARNED
        starts, weight = 0.0, 1.0
        evidence = float(np.exp(min(self.belief.log_evidence, 0.0)))
        if not known and share == 1.0 and evidence * START_SHARE * effort.size / 8 > ENOUGH:
            starts, target = START_SHARE, 1 - START_SHARE
            weight = START_SHARE / (target / evidence + START_SHARE)
        seed = np.uint64(child(self.seed, 3))
        task = sampling.Task(seed, 1 << 62, 0, starts, weight, effort.constant, self._scale, self._rolls)
        cumulated = np.cumsum(roots[3])
        work = self._line.work
        while not self._over(share):
            before = int(work[sampling.VISITED])
            left = self._stretch(share)
            while sampling.sample_games(
                *self._rules, self.opponent.choose, self._roll, self.opponent.model, tree, self.opponent.nodes,
                task._replace(most=before + left), self._room, self._line, *roots[:3], cumulated,
            ):  # fmt: skip
                self.opponent.answer(self._room)
            self._spent += int(work[sampling.VISITED]) - before

    def _average(self, nodes: Nodes, key: int, count: int) -> np.ndarray:
        row = find_row(nodes, key, count, False)
        weights = np.zeros(count)
        if row != NO_ROW:
            first = int(nodes.rows[row, FIRST])
            weights = nodes.numbers[first : first + count, AVERAGE].copy()
        total = weights.sum()
        return np.asarray(weights / total if total > 0 else np.full(count, 1.0 / count))


def _purified(shares: np.ndarray, best: bool) -> np.ndarray:
    """Return the best action alone, or the strategy without actions whose probability is noise."""
    kept = shares == shares.max() if best else shares >= min(PURE, shares.max())
    if best:
        kept &= np.arange(len(shares)) == np.argmax(kept)
    pure = np.where(kept, shares, 0.0)
    return np.asarray(pure / pure.sum())


class SearchPlayer:
    """One seat of one game, played by search."""

    def __init__(
        self,
        game: Game,
        effort: Effort,
        known: Known | None,
        roll: ParametricPolicy | None,
        stream: np.ndarray,
        learned: Sequence[Learned | None] = (None, None),
    ):
        self.game, self.effort, self.known, self.roll, self.learned = game, effort, known, roll, learned
        self.stream = stream
        self.lost = 0  # decisions without a belief
        if effort.nodes is None:
            self.follow = self._follow

    def begin(self, side: int) -> None:
        self.side = side
        seed, learned = int(bits(self.stream)), self.learned[side]
        self.search = Search(self.game, side, self.effort, self.known, self.roll, seed, learned)

    def observe(self, seen: np.ndarray) -> None:
        self.search.belief.hear(seen)

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        self.search.belief.hear(seen)
        action = int(self._choice(seen, actions))
        self.search.belief.act(action)
        return action

    def _choice(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        if len(actions) == 1:
            return actions[0]
        if self.effort.blunders and random_unit(self.stream) < self.effort.blunders:
            return actions[random_below(self.stream, len(actions))]
        shares = self.search.strategy(seen, len(actions))
        if shares is None:
            if not self.lost:
                say(f"search lost its belief at {self.game.name}: it moves at random until it finds a fitting state")
            self.lost += 1
            return actions[random_below(self.stream, len(actions))]
        return actions[draw_index(shares.tolist(), self.stream)]

    def _follow(self, seen: np.ndarray, action: int) -> None:
        """Note an action of a resumed game without a search, which would be another one where the clock limits it."""
        self.search.belief.hear(seen)
        self.search.belief.act(action)
