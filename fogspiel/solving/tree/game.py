"""A tree that was read from a file or from OpenSpiel as a game with kernels, so that it can be matched and played.

Data sheet of a state: the node, the player to move, the infoset or -1, the index of the payoff or -1. Of a view: the
player, the infoset if the player is to move or else -1, the index of the payoff at the end or else -1. An action is the
index of its name among the different names of players' actions in the whole tree, so that equal names are equal
actions; where two actions of an infoset have one name, the later ones are distinguished by a number. An outcome of
chance is its index in the list, from 0.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import gcd, lcm
from typing import Any, NamedTuple

import numpy as np

from ...core.compile.kernel import kernel
from ...core.game import CHANCE, MAX_WEIGHT, OVER, Game, Resample, Rules, Sizes
from ...core.rng import random_below
from ..proofs.checkers.tree import Row
from . import CHANCE_NODE, LEAF, Tree, chance_moves, histories_of
from .builder import LabelledTree, distinct

MAX_NODES = 200_000  # Numba caches an array of a kernel only if it has at most a million bytes
MAX_STEPS = 1000  # from the lowest payoff to the highest
NODE, MOVER, INFOSET, RESULT, STATE = 0, 1, 2, 3, 4
SEEN_PLAYER, SEEN_INFOSET, SEEN_RESULT, VIEW = 0, 1, 2, 3
NOTHING = -1


def game_of_tree(described: LabelledTree, name: str, version: int | str = 1) -> Game:
    """Return the game that is played on the tree, or raise ValueError with the reason why it cannot be."""
    tree = described.tree
    if tree.nodes > MAX_NODES:
        raise ValueError(f"{name} has {tree.nodes:,} nodes: a tree of more than {MAX_NODES:,} can only be solved")
    payoffs, actions = even_payoffs(tree.payoffs, described.total, name), _actions_of(described)
    arrays, words = _arrays_of(tree, actions, payoffs, name), _Words(described, actions, payoffs)
    return Game(
        name=name,
        title=tree.title,
        version=version,
        rules=_rules_of(arrays),
        sizes=Sizes(STATE, VIEW, int(np.diff(arrays.first).max())),
        show=words.show,
        reveal=words.reveal,
        label=words.label,
        payoffs=payoffs,
        resample=_resampler(tree, arrays),
    )


def even_payoffs(payoffs: Sequence[Fraction], total: Fraction, name: str) -> tuple[Fraction, ...]:
    """Return the payoffs on an even grid, extended so that the second player's, `total` minus one, are on it."""
    low = min(*payoffs, *(total - pay for pay in payoffs))
    high = total - low
    apart = [pay - low for pay in payoffs] + [high - low]
    scale = lcm(*(gap.denominator for gap in apart))
    step = Fraction(gcd(*(int(gap * scale) for gap in apart)), scale)
    if step == 0:  # there is one payoff, and both players get it
        return low - 1, low, low + 1
    steps = int((high - low) / step)
    if steps > MAX_STEPS:
        told = f"the payoffs of {name} are up to {steps:,} even steps of {step} apart"
        raise ValueError(f"{told}: with more than {MAX_STEPS:,} it can only be solved")
    return tuple(low + k * step for k in range(steps + 1))


def translate_rows(
    described: LabelledTree, strategies: Sequence[Sequence[Mapping[str, Any]]], lock: Mapping[str, Any] | None = None
) -> tuple[list[list[Row]], dict[str, Any] | None]:
    """Translate a tree certificate's strategies and locks to its game; there a view is an infoset, an action a slot."""
    tree, offers = described.tree, _actions_of(described).offers
    history = histories_of(tree, offers.__getitem__)

    def translate(row: Mapping[str, Any]) -> Any:
        infoset, *more = row["view"]
        view = [int(tree.owner[infoset]), infoset, NOTHING]
        if more:  # the owner of a lock also knows its own actions, and perhaps that the lock holds
            view += [*history[infoset], *more[len(history[infoset]) :]]
        return {**row, "view": view, "actions": [offers[infoset][slot] for slot in row["actions"]]}

    found = [[translate(row) for row in rows] for rows in strategies]
    for rows, given in zip(found, strategies, strict=True):
        for row in rows:
            if row["after"]:
                number, slot = row["after"]
                row["after"] = [number, offers[given[number]["view"][0]][slot]]
    if lock is None:
        return found, None
    sides = [[{**translate(row), "history": history[row["view"][0]]} for row in rows] for rows in lock["rows"]]
    return found, {**lock, "rows": sides}


class _Actions(NamedTuple):
    names: tuple[str, ...]
    offers: tuple[tuple[int, ...], ...]


def _actions_of(described: LabelledTree) -> _Actions:
    numbers: dict[str, int] = {}
    offers = []
    for listed in described.labels.actions:
        texts = distinct([text or str(slot + 1) for slot, text in enumerate(listed)], [0] * len(listed))
        offers.append(tuple(numbers.setdefault(text, len(numbers)) for text in texts))
    return _Actions(tuple(numbers), tuple(offers))


class _Arrays(NamedTuple):
    """The tree as arrays for kernels. The children of node n are at indices first[n] to first[n + 1] - 1."""

    label: np.ndarray  # of each node as in `Tree`, but payoffs are numbered on the even grid
    owner: np.ndarray
    first: np.ndarray
    children: np.ndarray
    actions: np.ndarray  # what leads to each child
    # Of each child of a chance node; empty where its outcomes are always equally likely.
    weights: np.ndarray


def _arrays_of(tree: Tree, actions: _Actions, payoffs: tuple[Fraction, ...], name: str) -> _Arrays:
    label = tree.label.copy()
    index = {pay: number for number, pay in enumerate(payoffs)}
    grid = np.array([index[pay] for pay in tree.payoffs])
    label[tree.leaves] = LEAF - grid[LEAF - tree.label[tree.leaves]]
    children = 1 + np.argsort(tree.parent[1:], kind="stable")
    above, slots = tree.parent[children], tree.slot[children]
    first = np.searchsorted(above, np.arange(tree.nodes + 1))
    offers = np.array([tree.label[above], slots]).T.tolist()
    chosen = [actions.offers[infoset][slot] if infoset >= 0 else slot for infoset, slot in offers]
    weights, equal = np.ones(tree.nodes - 1, np.int64), True
    for node, chances in chance_moves(tree).items():
        scale = lcm(*(chance.denominator for chance in chances))
        if scale > MAX_WEIGHT:
            told = f"a move of chance in {name} has probabilities of the denominator {scale:,}"
            raise ValueError(f"{told}: with more than {MAX_WEIGHT:,} it can only be solved")
        equal = equal and len(set(chances)) == 1
        weights[first[node] : first[node + 1]] = [int(chance * scale) for chance in chances]
    weights = weights[:0] if equal else weights
    arrays = (label, tree.owner, first, children, np.array(chosen), weights)
    return _Arrays(*(array.astype(np.int32) for array in arrays))


# The kernels. Those that need the tree close over its arrays, which Numba compiles in and caches.


@kernel
def mover(state):
    return state[MOVER]


@kernel
def view(state, player, out):
    out[SEEN_PLAYER] = player
    out[SEEN_INFOSET] = state[INFOSET] if state[MOVER] == player else NOTHING
    out[SEEN_RESULT] = state[RESULT]


@kernel
def score(state):
    return state[RESULT]


@kernel
def enter(state, node, label, owner):
    here = label[node]
    state[NODE] = node
    state[INFOSET] = here if here >= 0 else NOTHING
    state[RESULT] = LEAF - here if here <= LEAF else NOTHING
    state[MOVER] = owner[here] if here >= 0 else CHANCE if here == CHANCE_NODE else OVER


def _rules_of(arrays: _Arrays) -> Rules:
    label, owner, first, children, actions, outcome_weights = arrays

    @kernel
    def start(state):
        enter(state, 0, label, owner)

    @kernel
    def legal(state, out):
        begin = first[state[NODE]]
        count = first[state[NODE] + 1] - begin
        for place in range(count):
            out[place] = actions[begin + place]
        return count

    @kernel
    def apply(state, action):
        for place in range(first[state[NODE]], first[state[NODE] + 1]):
            if actions[place] == action:
                enter(state, children[place], label, owner)
                break

    @kernel
    def weights(state, out):
        begin = first[state[NODE]]
        for place in range(begin, first[state[NODE] + 1]):
            out[place - begin] = outcome_weights[place]

    return Rules(start, mover, legal, apply, view, score, weights if len(outcome_weights) else None)


class _Words:
    def __init__(self, described: LabelledTree, actions: _Actions, payoffs: tuple[Fraction, ...]):
        self.tree, self.players, self.labels, self.total = described
        self.actions, self.payoffs = actions, payoffs

    def label(self, action: int) -> str:
        return self.actions.names[action]

    def show(self, seen: np.ndarray) -> str:
        player, infoset, result = seen.tolist()
        if result != NOTHING:
            return self._end(result)
        if infoset == NOTHING:
            return f"{self.players[player]} waits"
        return self.labels.infosets[infoset] or f"infoset {infoset + 1}"

    def reveal(self, state: np.ndarray) -> str:
        """Return the full history, and the result."""
        node, result = int(state[NODE]), int(state[RESULT])
        names = [self._end(result)] if result != NOTHING else []
        while (above := int(self.tree.parent[node])) >= 0:
            infoset, slot = int(self.tree.label[above]), int(self.tree.slot[node])
            if infoset >= 0:
                names.append(self.label(self.actions.offers[infoset][slot]))
            else:
                names.append(self.labels.chance[above][slot] if above in self.labels.chance else str(slot + 1))
            node = above
        return ", ".join(reversed(names)) or "the beginning"

    def _end(self, result: int) -> str:
        first, second = self.payoffs[result], self.total - self.payoffs[result]
        return f"the end: {self.players[0]} gets {first}, {self.players[1]} gets {second}"


def _resampler(tree: Tree, arrays: _Arrays) -> Resample:
    """Make a sampler of the nodes with the same player to move and the same knowledge and actions of the player."""

    @cache
    def alike(player: int) -> tuple[np.ndarray, list[np.ndarray]]:
        label = np.minimum(arrays.label, 0)
        decisions = np.flatnonzero(tree.label >= 0)
        infosets = tree.label[decisions]
        label[decisions] = np.where(tree.owner[infosets] == player, 2 + infosets, 1)
        known = np.stack([label, tree.sequences[:, player]], axis=1)
        _, group = np.unique(known, axis=0, return_inverse=True)
        group = group.reshape(-1)
        order = np.argsort(group, kind="stable")
        return group, np.split(order, np.flatnonzero(np.diff(group[order])) + 1)

    def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
        group, nodes = alike(player)
        choice = nodes[group[state[NODE]]]
        other = state.copy()
        enter(other, int(choice[random_below(stream, len(choice))]), arrays.label, arrays.owner)
        return other

    return resample
