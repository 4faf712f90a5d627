"""The whole tree of a game, built from its kernels: every history once, in flat arrays, parents before children.

An infoset is its owner's knowledge: the sequence of its own moves so far together with its current view. So every tree
has perfect recall by construction; that one infoset offers one list of actions is checked during the traversal. Views
are compared by 128-bit digests.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import gcd, lcm
from typing import NamedTuple

import numpy as np

from ...core import TooLarge as TooLarge
from ...core.compile.kernel import CELLS, NUMBER, TABLE, TABLE32, kernel, kernel_of, record_of
from ...core.game import CHANCE, OVER, RULE_SIGNATURES, WRONG_WEIGHTS, Game, total_weight
from ...core.rng import mixed
from ...core.session import Session
from ...core.simulate import compile_rules
from ..methods import DEFAULT_MEMORY
from .sequence_form import MAX_NUMERATOR, SequenceForm, Treeplex, merge

CHANCE_NODE = -1
LEAF = -2  # a leaf with payoff number k is labelled LEAF - k
MAX_UNIT = 4096  # bits of a common denominator: a sum of 20,000 such numbers takes a millisecond


@dataclass(frozen=True, eq=False)
class Tree:
    """A game as a tree. Nodes are in preorder; node 0 is the root."""

    title: str
    parent: np.ndarray  # the parent of each node; -1 for the root
    slot: np.ndarray  # index of the parent's action that leads to a node
    label: np.ndarray  # the infoset of a decision, CHANCE_NODE, or LEAF minus the number of the payoff
    chance_index: np.ndarray  # index in `chance_prob` of the probability of chance's moves on the path to a node
    chance_prob: tuple[Fraction, ...]  # the different probabilities
    payoffs: tuple[Fraction, ...]  # the first player's at a leaf
    # The player of each infoset. Infosets are numbered by first visit, so parents come before children.
    owner: np.ndarray
    before: np.ndarray  # the owner's last sequence before the infoset
    # The owner's first sequence in the infoset; sequences of a player are numbered from 1, 0 is the empty one.
    first: np.ndarray
    count: np.ndarray  # how many actions the infoset has

    @property
    def nodes(self) -> int:
        return len(self.parent)

    def treeplex(self, player: int) -> Treeplex:
        """Return the treeplex of a player; its infosets are `numbers(player)`."""
        mine = self.numbers(player)
        return Treeplex(self.before[mine], self.first[mine], self.count[mine])

    def numbers(self, player: int) -> np.ndarray:
        return np.flatnonzero(self.owner == player)

    @cached_property
    def sequences(self) -> np.ndarray:
        """The last sequence of each player at each node, one row per node."""
        out = np.zeros((self.nodes, 2), np.int64)
        follow(self.parent, self.slot, self.label, self.owner, self.first, out)
        return out

    @cached_property
    def leaves(self) -> np.ndarray:
        return np.flatnonzero(self.label <= LEAF)

    @cached_property
    def samples(self) -> np.ndarray:
        """The first node of each infoset."""
        found = np.full(len(self.owner), -1, np.int64)
        decisions = np.flatnonzero(self.label >= 0)[::-1]
        found[self.label[decisions]] = decisions
        return found


def session_at(game: Game, tree: Tree, node: int) -> Session:
    """Return the game at a node of its tree, by replaying the history that leads to it."""
    slots, session = [], Session(game)
    while tree.parent[node] >= 0:
        slots.append(int(tree.slot[node]))
        node = int(tree.parent[node])
    for slot in reversed(slots):
        session.apply(session.actions[slot])
    return session


@kernel
def follow(parent, slot, label, owner, first, out):
    for node in range(1, len(parent)):
        above = parent[node]
        out[node, 0] = out[above, 0]
        out[node, 1] = out[above, 1]
        if label[above] >= 0:
            out[node, owner[label[above]]] = first[label[above]] + slot[node]


def sequence_form(tree: Tree) -> SequenceForm:
    """Return the sequence form of a tree, with integers for payoffs times probabilities."""
    chances, chance = in_units(tree, "probabilities of chance", tree.chance_prob)
    payoffs, pay = in_units(tree, "payoffs", tree.payoffs)
    largest = max(map(abs, chances)) * max(map(abs, payoffs)) * max(len(tree.leaves), 1)
    leaves, kind = tree.leaves, np.int64 if largest <= MAX_NUMERATOR else object
    weights = np.array(chances, kind)[tree.chance_index[leaves]] * np.array(payoffs, kind)[LEAF - tree.label[leaves]]
    ends = tree.sequences[leaves]
    return merge((tree.treeplex(0), tree.treeplex(1)), ends[:, 0], ends[:, 1], weights, chance * pay)


def in_units(tree: Tree, what: str, numbers: tuple[Fraction, ...]) -> tuple[list[int], int]:
    """Return numerators over a common denominator; raise ValueError if it is too long for sums in integers."""
    unit = 1
    for number in numbers:
        unit = lcm(unit, number.denominator)
        if unit.bit_length() > MAX_UNIT:
            told = f"the common denominator of the {what} is longer than {MAX_UNIT:,} bits"
            raise ValueError(f"{tree.title}: {told}: round them to simpler fractions")
    return [number.numerator * (unit // number.denominator) for number in numbers], unit


def histories_of(tree: Tree, actions_at: Callable[[int], Sequence[int]]) -> list[list[int]]:
    """Return the owner's own actions before each infoset."""
    found: list[list[int]] = []
    after: tuple[dict[int, list[int]], dict[int, list[int]]] = ({0: []}, {0: []})
    for infoset, (owner, before, first) in enumerate(
        zip(tree.owner.tolist(), tree.before.tolist(), tree.first.tolist(), strict=True)
    ):
        found.append(after[owner][before])
        after[owner].update({first + slot: [*found[-1], action] for slot, action in enumerate(actions_at(infoset))})
    return found


def chance_moves(tree: Tree) -> dict[int, list[Fraction]]:
    """Return the probabilities of the moves at each chance node; uniform where the node itself has probability 0."""
    parent, chance_index, label = tree.parent.tolist(), tree.chance_index.tolist(), tree.label.tolist()
    chances: dict[int, list[int]] = {}
    for node in range(1, tree.nodes):
        if label[parent[node]] == CHANCE_NODE:
            chances.setdefault(parent[node], []).append(chance_index[node])

    @cache  # fractions are slow, and few of them are different
    def ratio(part: int, whole: int) -> Fraction:
        return tree.chance_prob[part] / tree.chance_prob[whole]

    out = {}
    for node, below in chances.items():
        above = chance_index[node]
        known = tree.chance_prob[above] > 0
        out[node] = [ratio(k, above) if known else Fraction(1, len(below)) for k in below]
    return out


# Building: a depth-first traversal that stops when a buffer is full, so that the driver can grow it or raise

DONE, GOING_ON, TOO_FINE, NOT_ONE_LIST, NO_ACTIONS, TOO_DEEP, BAD_WEIGHTS = range(7)
DEPTH, NODES, INFOSETS, CHANCES, SEQUENCES = 0, 1, 2, 3, 4  # counters of the traversal; one SEQUENCES for each player
# A frame of the stack: its node, its number of actions, the next one, its chance index, both last sequences.
AT, LIST, NEXT, CHANCE_AT, LAST = 0, 1, 2, 3, 4
# A row of the table of infosets: a digest of the owner's knowledge in two halves, the fields of `Tree` in their order,
# and a digest of the actions.
KEY, KEY_2, OWNER, BEFORE, FIRST, COUNT, ACTIONS = range(7)
NUMERATOR, DENOMINATOR = range(2)  # a row of the table of probabilities of chance, in lowest terms
PARENT, SLOT, LABEL, CHANCE_INDEX = range(4)  # a row of the table of nodes, in the order of the fields of `Tree`


class Stack(NamedTuple):
    """The path from the root to the node that is visited next, a row for each depth."""

    states: np.ndarray
    choices: np.ndarray  # the actions that a state lists
    # The weights of chance's outcomes and, last, their sum; no rows where all outcomes are equally likely.
    odds: np.ndarray
    frames: np.ndarray
    # At the last node: the owner, its last sequence and its view, which together determine an infoset.
    known: np.ndarray


class Findings(NamedTuple):
    """Results of the traversal so far: tables with spare rows, each with a hash table of its row numbers."""

    counters: np.ndarray
    nodes: np.ndarray
    infosets: np.ndarray
    infoset_table: np.ndarray
    chances: np.ndarray
    chance_table: np.ndarray


STACK = record_of(Stack, TABLE, TABLE, TABLE, TABLE, CELLS)
FINDINGS = record_of(Findings, CELLS, TABLE32, TABLE, CELLS, TABLE, CELLS)


@kernel
def digest(cells, salt):
    h = mixed(np.uint64(salt))
    for cell in cells:
        h = mixed(h ^ np.uint64(cell)) + np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed(h))


@kernel
def place_of(rows, table, start, key, key_2):
    """Return the hash-table row with both keys, or its free row; only the lowest bits of `start` count."""
    mask = len(table) - 1
    at = start & mask
    while table[at] >= 0 and (rows[table[at], 0] != key or rows[table[at], 1] != key_2):
        at = (at + 1) & mask
    return at


@kernel
def scatter(numerator, denominator):
    return np.int64(mixed(np.uint64(numerator) ^ mixed(np.uint64(denominator))))


@kernel
def rehash(rows, count, table, scattered):
    """Fill an empty hash table with the first rows, whose first keys are digests or must be `scattered`."""
    for row in range(count):
        key, key_2 = rows[row, 0], rows[row, 1]
        table[place_of(rows, table, scatter(key, key_2) if scattered else key, key, key_2)] = row


@kernel
def chance_after(chances, table, counters, before, weight, total):
    """Return the number of the probability `before` times `weight` / `total`; -1 if it is too fine for 64 bits."""
    numerator, denominator = chances[before, NUMERATOR], chances[before, DENOMINATOR]
    one, other = gcd(numerator, total), gcd(weight, denominator)
    if denominator // other > MAX_NUMERATOR // (total // one):
        return -1
    numerator, denominator = numerator // one * (weight // other), denominator // other * (total // one)
    at = place_of(chances, table, scatter(numerator, denominator), numerator, denominator)
    if table[at] < 0:
        number = counters[CHANCES]
        table[at] = number
        chances[number, NUMERATOR], chances[number, DENOMINATOR] = numerator, denominator
        counters[CHANCES] += 1
    return table[at]


@kernel_of(NUMBER, *RULE_SIGNATURES.values(), NUMBER, STACK, FINDINGS, NUMBER)
def grow(start, mover, legal, apply, view, score, weights, weighted, stack, findings, most):
    """Visit up to `most` nodes more: return DONE when the tree is complete, GOING_ON when not, or the fault.

    There must be space for `most` nodes; when `infosets` or `chances` are full, the traversal stops early. For each
    node:

    1. write its row: parent, slot, chance index;
    2. label it: a leaf by its payoff, a node of chance, or the infoset of its owner, which is new if need be;
    3. step to the next node in preorder: up while no action is left, then down by the next action. Outcomes of chance
       with weight 0 do not happen: the rules need not be defined after them.
    """
    states, choices, odds, frames, known = stack
    counters, nodes, infosets, table, chances, chance_table = findings
    if counters[NODES] == 0:
        start(states[0])
    for _ in range(most):
        if counters[CHANCES] == len(chances) or counters[INFOSETS] == len(infosets):
            return GOING_ON
        depth = counters[DEPTH]
        state, frame = states[depth], frames[depth]
        # 1. Its row. The frame above has just advanced to the action that leads here.
        node = counters[NODES]
        counters[NODES] += 1
        above = frames[depth - 1]
        nodes[node, PARENT] = above[AT] if depth > 0 else -1
        nodes[node, SLOT] = above[NEXT] - 1 if depth > 0 else 0
        nodes[node, CHANCE_INDEX] = frame[CHANCE_AT]
        frame[AT] = node
        frame[NEXT] = 0
        frame[LIST] = 0
        # 2. Its label. What a move changes in the frame below is written here or, where it depends on the action, in 3.
        who = mover(state)
        if who == OVER:
            nodes[node, LABEL] = LEAF - score(state)
        else:
            listed = legal(state, choices[depth])
            if listed <= 0:
                return NO_ACTIONS
            if depth + 2 > len(frames):
                return TOO_DEEP
            frame[LIST] = listed
            below = frames[depth + 1]
            below[CHANCE_AT], below[LAST], below[LAST + 1] = frame[CHANCE_AT], frame[LAST], frame[LAST + 1]
            if who == CHANCE:
                nodes[node, LABEL] = CHANCE_NODE
                if weighted:  # then each outcome has a separate probability, found in 3
                    weights(state, odds[depth, :-1])
                    odds[depth, -1] = total_weight(odds[depth, :listed])
                    if odds[depth, -1] == 0:
                        return BAD_WEIGHTS
                else:
                    below[CHANCE_AT] = chance_after(chances, chance_table, counters, frame[CHANCE_AT], 1, listed)
                    if below[CHANCE_AT] < 0:
                        return TOO_FINE
            else:
                # The owner's knowledge, as a key of 128 bits; one infoset must offer one list of actions.
                known[0] = who
                known[1] = frame[LAST + who]
                view(state, who, known[2:])
                key, key_2 = digest(known, 1), digest(known, 2)
                offered = digest(choices[depth, :listed], 3)
                at = place_of(infosets, table, key, key, key_2)
                infoset = table[at]
                if infoset < 0:
                    infoset = counters[INFOSETS]
                    counters[INFOSETS] += 1
                    table[at] = infoset
                    infosets[infoset, KEY], infosets[infoset, KEY_2] = key, key_2
                    infosets[infoset, OWNER] = who
                    infosets[infoset, BEFORE] = frame[LAST + who]
                    infosets[infoset, FIRST] = counters[SEQUENCES + who]
                    infosets[infoset, COUNT] = listed
                    infosets[infoset, ACTIONS] = offered
                    counters[SEQUENCES + who] += listed
                elif infosets[infoset, COUNT] != listed or infosets[infoset, ACTIONS] != offered:
                    return NOT_ONE_LIST
                nodes[node, LABEL] = infoset
        # 3. On to the next node in preorder: the next action of the deepest frame that has one left.
        while True:
            while depth >= 0 and frames[depth, NEXT] == frames[depth, LIST]:
                depth -= 1
            if depth < 0:
                return DONE
            frame = frames[depth]
            slot = frame[NEXT]
            frame[NEXT] += 1
            if not weighted or nodes[frame[AT], LABEL] != CHANCE_NODE or odds[depth, slot] > 0:
                break
        for cell in range(states.shape[1]):
            states[depth + 1, cell] = states[depth, cell]
        apply(states[depth + 1], choices[depth, slot])
        label = nodes[frame[AT], LABEL]
        if label >= 0:
            frames[depth + 1, LAST + infosets[label, OWNER]] = infosets[label, FIRST] + slot
        elif weighted:
            weight, total = odds[depth, slot], odds[depth, -1]
            number = chance_after(chances, chance_table, counters, frame[CHANCE_AT], weight, total)
            if number < 0:
                return TOO_FINE
            frames[depth + 1, CHANCE_AT] = number
        counters[DEPTH] = depth + 1
    return GOING_ON


# Nodes between two checks of the buffers: few at first, so that small games are quick.
FIRST_BATCH, MAX_BATCH = 1 << 10, 1 << 16
FEW = 16  # space for new probabilities of chance between two checks, of which most games have few
MAX_DEPTH = 4096

WRONG = {
    TOO_FINE: "its chance moves multiply to more than 2^62 cases, far too many for a tree; solve a smaller variant",
    NOT_ONE_LIST: "two histories look the same to the player to move but offer different actions: actions must follow "
    "from the view",
    NO_ACTIONS: "a position that is not over has no actions",
    BAD_WEIGHTS: WRONG_WEIGHTS,
    TOO_DEEP: f"a history is longer than {MAX_DEPTH} moves",
}


def _room(array: np.ndarray, rows: int, fill: int = 0) -> np.ndarray:
    if rows <= len(array):
        return array
    larger = np.full((max(rows, len(array) * 3 // 2), *array.shape[1:]), fill, array.dtype)
    larger[: len(array)] = array
    return larger


def _hash_table(rows: np.ndarray, count: int, table: np.ndarray, scattered: bool = False) -> np.ndarray:
    """Return the hash table of the first rows, with slots for twice the capacity of `rows`."""
    if 2 * len(rows) <= len(table):
        return table
    larger = np.full(1 << (4 * len(rows)).bit_length(), -1, np.int64)
    rehash(rows, count, larger, scattered)
    return larger


def build_tree(game: Game, memory: float = DEFAULT_MEMORY, watch: Callable[[int], None] = lambda nodes: None) -> Tree:
    """Build the tree of a game; `watch` receives the number of nodes so far, and `memory` is a limit in GiB."""
    rules, sizes, weighted = compile_rules(game), game.sizes, game.rules.weights is not None
    depth = min(MAX_DEPTH, max(16, int(memory * 2**27 / (sizes.state + sizes.actions * (1 + weighted) + 6))))
    odds = depth if weighted else 0, sizes.actions + 1
    shapes = (depth, sizes.state), (depth, sizes.actions), odds, (depth, 6), (2 + sizes.view,)
    stack = Stack(*(np.zeros(shape, np.int64) for shape in shapes))
    counters = np.array([0, 0, 0, 1, 1, 1], np.int64)
    chances, chance_table = np.ones((1, 2), np.int64), np.full(2, -1, np.int64)
    nodes, infosets = np.zeros((0, 4), np.int32), np.zeros((0, 7), np.int64)
    table = np.full(2, -1, np.int64)
    outcome, batch = GOING_ON, FIRST_BATCH
    while outcome == GOING_ON:
        reached = int(counters[NODES])
        nodes = _room(nodes, reached + batch)
        infosets = _room(infosets, int(counters[INFOSETS]) + min(batch, max(FIRST_BATCH, int(counters[INFOSETS]))))
        table = _hash_table(infosets, int(counters[INFOSETS]), table)
        chances = _room(chances, int(counters[CHANCES]) + FEW)
        chance_table = _hash_table(chances, int(counters[CHANCES]), chance_table, scattered=True)
        # Growing holds two copies for a moment, and later data of the tree takes about as much again.
        taken = 3 * nodes.nbytes + 2 * infosets.nbytes + table.nbytes + stack.states.nbytes + stack.choices.nbytes
        taken += stack.odds.nbytes + (2 * chances.nbytes + chance_table.nbytes if weighted else 0)
        if taken > memory * 2**30:
            raise TooLarge(
                f"{game.name} has more than {reached:,} histories and {int(counters[INFOSETS]):,} infosets, which is "
                f"all that fits into {memory:g} GiB: raise --memory, or solve a smaller variant"
            )
        findings = Findings(counters, nodes, infosets, table, chances, chance_table)
        outcome = grow(*rules, int(weighted), stack, findings, batch)
        watch(int(counters[NODES]))
        batch = min(2 * batch, MAX_BATCH)
    if outcome != DONE:
        raise ValueError(f"{game.name} cannot be solved: {WRONG[outcome]}")
    chance_prob = tuple(Fraction(*row) for row in chances[: counters[CHANCES]].tolist())
    parent, slot, label, chance_index = nodes[: counters[NODES]].T.copy()
    owner, before, first, count = infosets[: counters[INFOSETS], OWNER:ACTIONS].T.copy()
    return Tree(game.name, parent, slot, label, chance_index, chance_prob, game.payoffs, owner, before, first, count)
