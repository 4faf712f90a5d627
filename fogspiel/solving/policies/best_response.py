"""Exploitability of a strategy pair, computed on the game tree without solver code.

A strategy is an array with one entry per sequence of its player, in tree order: the probability of the action, given
its infoset. Entry 0, the empty sequence, is ignored.
"""

from collections import defaultdict, namedtuple
from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from numbers import Rational
from operator import mul
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from ...core.compile.kernel import kernel
from ..tree import LEAF, Tree

Number = TypeVar("Number", float, Fraction)
Column = np.ndarray | list[Number]  # a number for each sequence: floats are in an array

ROW_TOLERANCE = 1e-9
MASS_TOLERANCE = 1e-6
SOUND = -1


class StrategyBounds(NamedTuple, Generic[Number]):
    """Value and best-response bounds of a strategy pair; payoffs are the first player's."""

    value: Number  # the expected payoff when both are played
    lower: Number  # guarantee of the first player's strategy: the payoff against the best response to it
    upper: Number  # guarantee of the second player's strategy: the payoff of the best response to it

    @property
    def gap(self) -> Number:
        """Sum of both players' best-response gains (NashConv)."""
        return self.upper - self.lower

    @property
    def exploitability(self) -> Number:
        """Half of the gap: the mean over the two players, zero in equilibrium only."""
        return self.gap / 2


class Responses(NamedTuple, Generic[Number]):
    """Two strategies, and the best responses to them, by sequences."""

    value: Number  # the expected payoff of the first player when both are played
    # The realisation probability of each of a player's sequences.
    reach: tuple[Column[Number], Column[Number]]
    # The counterfactual value of each of a player's sequences under a best response; of the empty one, the total.
    #
    # These are the player's own payoffs, weighted by the probabilities of chance and of the opponent's actions.
    gains: tuple[Column[Number], Column[Number]]


# Arrays of a tree for kernels: probabilities of chance and payoffs as floats, the number of actions of each infoset.
Arrays = namedtuple("Arrays", "parent slot label chance_index chance_prob payoffs owner before first actions")


@kernel
def faulty_row(tree, player, behaviour, tolerance):
    """Return an infoset of the player whose probabilities are negative or do not sum to 1, or SOUND."""
    owner, first, count = tree.owner, tree.first, tree.actions
    for i in range(len(owner)):
        if owner[i] == player:
            total = 0.0
            for s in range(first[i], first[i] + count[i]):
                if not behaviour[s] >= 0.0:
                    return i
                total += behaviour[s]
            if not abs(total - 1.0) <= tolerance:
                return i
    return SOUND


@kernel
def reach_sequences(tree, player, behaviour, reach):
    """Write the realisation probability of each of the player's sequences."""
    owner, before, first, count = tree.owner, tree.before, tree.first, tree.actions
    reach[0] = 1.0
    for i in range(len(owner)):
        if owner[i] == player:
            for s in range(first[i], first[i] + count[i]):
                reach[s] = reach[before[i]] * behaviour[s]


@kernel
def weigh_leaves(tree, reach_0, reach_1, last, gain_0, gain_1, sums):
    """Add each leaf's counterfactual payoff to both players' last sequences.

    `gain_0` holds the first player's payoffs against `reach_1`; `gain_1` holds the second player's against `reach_0`.
    `sums` receives the expected payoff and the total probability. Return the first node that does not match its
    infoset, or `SOUND`.
    """
    parent, slot, label, owner = tree.parent, tree.slot, tree.label, tree.owner
    for node in range(len(parent)):
        last[node, 0] = 0
        last[node, 1] = 0
        above = parent[node]
        if above >= 0:
            last[node, 0] = last[above, 0]
            last[node, 1] = last[above, 1]
            infoset = label[above]
            if infoset >= 0:
                if not 0 <= slot[node] < tree.actions[infoset]:
                    return node
                last[node, owner[infoset]] = tree.first[infoset] + slot[node]
        here = label[node]
        if here >= 0 and last[node, owner[here]] != tree.before[here]:
            return node
        if here <= LEAF:
            chance = tree.chance_prob[tree.chance_index[node]]
            payoff = chance * tree.payoffs[LEAF - here]
            s, r = last[node, 0], last[node, 1]
            gain_0[s] += reach_1[r] * payoff
            gain_1[r] -= reach_0[s] * payoff
            sums[0] += reach_0[s] * reach_1[r] * payoff
            sums[1] += reach_0[s] * reach_1[r] * chance
    return SOUND


@kernel
def respond(tree, player, gain):
    """Back up the best action value of each infoset in reverse order; `gain[0]` is the total."""
    owner, before, first, count = tree.owner, tree.before, tree.first, tree.actions
    for i in range(len(owner) - 1, -1, -1):
        if owner[i] == player:
            best = gain[first[i]]
            for s in range(first[i] + 1, first[i] + count[i]):
                best = max(best, gain[s])
            gain[before[i]] += best


def _reach(tree: Tree, arrays: Arrays, player: int, behaviour: np.ndarray) -> np.ndarray:
    row = np.ascontiguousarray(behaviour, np.float64)
    _check_length(tree, player, row.shape)
    fault = faulty_row(arrays, player, row, ROW_TOLERANCE)
    if fault != SOUND:
        raise _not_a_law(tree, player, fault)
    reach = np.empty(len(row))
    reach_sequences(arrays, player, row, reach)
    return reach


def _check_length(tree: Tree, player: int, shape: tuple[int, ...]) -> None:
    width = 1 + int(tree.count[tree.owner == player].sum())
    if shape != (width,):
        told = f"{tree.title}: a strategy of player {player + 1} has {width} numbers, one for each sequence"
        raise ValueError(f"{told}, but {shape[0] if len(shape) == 1 else 'a table'} was given")


def _not_a_law(tree: Tree, player: int, infoset: int) -> ValueError:
    who = f"{tree.title}: the probabilities of player {player + 1} at infoset {infoset}"
    return ValueError(f"{who} must not be negative and must add up to 1")


def _not_a_tree(tree: Tree, node: int) -> ValueError:
    rule = "all nodes of an infoset must have the same actions and the same past moves of its owner"
    return ValueError(f"{tree.title}: node {node} does not fit its infoset; {rule}")


def _not_one(tree: Tree, mass: float) -> ValueError:
    return ValueError(f"{tree.title}: the probabilities of the leaves add up to {mass}, but they must add up to 1")


def responses(tree: Tree, first: np.ndarray, second: np.ndarray) -> Responses[float]:
    chances, payoffs = np.array(tree.chance_prob, float), np.array(tree.payoffs, float)
    nodes, infosets = (tree.parent, tree.slot, tree.label), (tree.owner, tree.before, tree.first, tree.count)
    arrays = Arrays(*nodes, tree.chance_index, chances, payoffs, *infosets)
    reach = _reach(tree, arrays, 0, first), _reach(tree, arrays, 1, second)
    gains, sums = (np.zeros(len(reach[0])), np.zeros(len(reach[1]))), np.zeros(2)
    fault = weigh_leaves(arrays, *reach, np.empty((tree.nodes, 2), np.int64), *gains, sums)
    if fault != SOUND:
        raise _not_a_tree(tree, fault)
    value, mass = sums.tolist()
    if abs(mass - 1) > MASS_TOLERANCE:
        raise _not_one(tree, mass)
    for player in (0, 1):
        respond(arrays, player, gains[player])
    return Responses(value, reach, gains)


def exploitability(tree: Tree, first: np.ndarray, second: np.ndarray) -> StrategyBounds[float]:
    """Return the value and both best-response bounds of a strategy pair, in floats."""
    value, _, gains = responses(tree, first, second)
    return StrategyBounds(value, -float(gains[1][0]), float(gains[0][0]))


# The same in exact arithmetic, in plain Python


def _exact_reach(tree: Tree, player: int, behaviour: Sequence[Fraction]) -> list[Fraction]:
    _check_length(tree, player, (len(behaviour),))
    reach = [Fraction(1)] * len(behaviour)
    for i in np.flatnonzero(tree.owner == player).tolist():
        low = int(tree.first[i])
        row = behaviour[low : low + int(tree.count[i])]
        if not all(isinstance(p, Rational) and p >= 0 for p in row) or sum(row) != 1:
            raise _not_a_law(tree, player, i)
        for s, p in enumerate(row, low):
            reach[s] = reach[int(tree.before[i])] * p
    return reach


def _exact_leaves(tree: Tree) -> dict[tuple[int, int, int, int], int]:
    """Count the leaves for each pair of last sequences, probability of chance and payoff."""
    nodes = zip(*(row.tolist() for row in (tree.parent, tree.slot, tree.label, tree.chance_index)), strict=True)
    infosets = [*zip(*(row.tolist() for row in (tree.owner, tree.before, tree.first, tree.count)), strict=True)]
    last: list[tuple[int, int, int]] = []  # of each node the last sequences and the label
    leaves: dict[tuple[int, int, int, int], int] = defaultdict(int)
    for node, (above, slot, here, chance_index) in enumerate(nodes):
        mine, theirs, infoset = last[above] if above >= 0 else (0, 0, LEAF)
        if infoset >= 0:
            owner, _, first, count = infosets[infoset]
            if not 0 <= slot < count:
                raise _not_a_tree(tree, node)
            mine, theirs = (first + slot, theirs) if owner == 0 else (mine, first + slot)
        last.append((mine, theirs, here))
        if here >= 0 and (mine, theirs)[infosets[here][0]] != infosets[here][1]:
            raise _not_a_tree(tree, node)
        if here <= LEAF:
            leaves[mine, theirs, chance_index, LEAF - here] += 1
    return leaves


def _exact_units(tree: Tree, first: Sequence[Fraction], second: Sequence[Fraction]) -> tuple[Responses[Fraction], int]:
    """Return the best responses to both of a pair of strategies, with value and gains in units, and the unit."""
    reach_0, reach_1 = _exact_reach(tree, 0, first), _exact_reach(tree, 1, second)
    # Sums of integers are much faster than sums of fractions, so the leaves are counted in units of 1 / unit
    unit = lcm(*(p.denominator for p in tree.chance_prob)) * lcm(*(p.denominator for p in tree.payoffs))
    chances = [int(p * unit) for p in tree.chance_prob]
    worth = [[int(p * q * unit) for q in tree.payoffs] for p in tree.chance_prob]
    pays: dict[tuple[int, int], int] = defaultdict(int)
    falls: dict[tuple[int, int], int] = defaultdict(int)
    for (s, r, chance_index, payoff), leaves in _exact_leaves(tree).items():
        pays[s, r] += leaves * worth[chance_index][payoff]
        falls[s, r] += leaves * chances[chance_index]
    gains = [Fraction(0)] * len(reach_0), [Fraction(0)] * len(reach_1)
    masses = [Fraction(0)] * len(reach_0)
    for (s, r), pay in pays.items():
        if reach_1[r]:
            gains[0][s] += reach_1[r] * pay
            masses[s] += reach_1[r] * falls[s, r]
        if reach_0[s]:
            gains[1][r] -= reach_0[s] * pay
    value, mass = (sum(map(mul, reach_0, column), Fraction(0)) for column in (gains[0], masses))
    if mass != unit:
        raise _not_one(tree, float(mass / unit))
    for infoset, player in reversed([*enumerate(tree.owner.tolist())]):
        gain, low = gains[player], int(tree.first[infoset])
        gain[int(tree.before[infoset])] += max(gain[low : low + int(tree.count[infoset])])
    return Responses(value, (reach_0, reach_1), gains), unit


def exact_responses(tree: Tree, first: Sequence[Fraction], second: Sequence[Fraction]) -> Responses[Fraction]:
    (value, reach, gains), unit = _exact_units(tree, first, second)
    mine, theirs = ([gain / unit for gain in side] for side in gains)
    return Responses(value / unit, reach, (mine, theirs))


def exact_exploitability(tree: Tree, first: Sequence[Fraction], second: Sequence[Fraction]) -> StrategyBounds[Fraction]:
    (value, _, gains), unit = _exact_units(tree, first, second)
    return StrategyBounds(value / unit, -gains[1][0] / unit, gains[0][0] / unit)
