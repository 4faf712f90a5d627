"""Interval dominance: drop an action if another one is never worse, whatever happens later.

Action a of an infoset goes if some action b has, in every history of the infoset, its worst leaf at least as good for
the owner as the best leaf of a. That is weak dominance, so the value stays, and an equilibrium of the smaller game is
one of the whole game. The relation is transitive, so what beats a dropped action is kept or beaten by a kept one; and
it stays true when other actions go, so all of them can go at once.
"""

from dataclasses import replace

import numpy as np

from ...core.kernel import kernel
from ..tree import LEAF, Tree

MOST_COMPARED = 1024  # infosets with more actions than that are left alone: their pairs would need too much memory
# A sequence without a new number: its infoset is never reached any more, or its action was dropped while they did.
GONE, DROPPED = -1, -2


@kernel
def measure(parent, label, rank, low, high, size):
    """Write the worst and best leaf below each node and the size of its subtree, from the last node to the first."""
    for node in range(len(parent) - 1, -1, -1):
        if label[node] <= LEAF:
            low[node] = rank[LEAF - label[node]]
            high[node] = low[node]
        size[node] += 1
        above = parent[node]
        if above >= 0:
            low[above] = min(low[above], low[node])
            high[above] = max(high[above], high[node])
            size[above] += size[node]


@kernel
def compare(label, owner, count, low, high, size, offset, beats, pairs):
    """Strike out of `beats` the pairs (b, a) of actions such that in some history a may turn out better than b."""
    longest = 1
    for i in range(len(count)):
        longest = max(longest, count[i])
    worst, best = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for node in range(len(label)):
        i = label[node]
        if i < 0 or pairs[i] == 0:
            continue
        n = count[i]
        child = node + 1
        for slot in range(n):
            worst[slot] = low[child] if owner[i] == 0 else -high[child]
            best[slot] = high[child] if owner[i] == 0 else -low[child]
            child += size[child]
        for b in range(n):
            for a in range(n):
                k = offset[i] + b * n + a
                if beats[k] and worst[b] < best[a]:
                    beats[k] = False
                    pairs[i] -= 1


@kernel
def choose_kept(count, offset, pairs, beats, action, kept):
    """Unmark the actions that another one beats; of two that beat each other the later one."""
    for i in range(len(count)):
        n = count[i]
        if pairs[i] == 0:
            continue
        for a in range(n):
            for b in range(n):
                if beats[offset[i] + b * n + a] and (b < a or (b > a and not beats[offset[i] + a * n + b])):
                    kept[action[i] + a] = False


@kernel
def number_kept(parent, slot, label, action, kept, fresh):
    """Number the nodes that only kept actions lead to, and return how many there are; the others get -1."""
    number = 0
    for node in range(len(parent)):
        above = parent[node]
        alive = above < 0 or (fresh[above] >= 0 and (label[above] < 0 or kept[action[label[above]] + slot[node]]))
        fresh[node] = number if alive else -1
        number += alive
    return number


def undominated_actions(tree: Tree) -> tuple[Tree, tuple[np.ndarray, np.ndarray]]:
    """The tree without dominated actions, and the new number of each old sequence of both players, GONE or DROPPED.

    A player who gets to an infoset that is gone, as the opponent has made a dropped move, must still leave out the
    actions that had been dropped by then: what was dropped later may hang on it.
    """
    first, second = (np.arange(tree.treeplex(player).sequences, dtype=np.int32) for player in (0, 1))
    while True:
        kept = _undominated_actions(tree)
        if kept.all():
            return tree, (first, second)
        tree, targets = _prune(tree, kept)
        for old, new in zip((first, second), targets, strict=True):
            old[old >= 0] = new[old[old >= 0]]


def _undominated_actions(tree: Tree) -> np.ndarray:
    """Return the actions that remain after one pass, infoset by infoset."""
    ranks = {payoff: rank for rank, payoff in enumerate(sorted(set(tree.payoffs)))}
    width = np.int16 if len(ranks) < 2**15 else np.int32
    low, high = np.full(tree.nodes, len(ranks), width), np.full(tree.nodes, -1, width)
    size = np.zeros(tree.nodes, np.int32)
    measure(tree.parent, tree.label, np.array([ranks[p] for p in tree.payoffs], np.int64), low, high, size)
    pairs = np.where((tree.count > 1) & (tree.count <= MOST_COMPARED), tree.count**2, 0)
    offset = np.concatenate(([0], np.cumsum(pairs)))
    beats = np.ones(offset[-1], np.bool_)
    compare(tree.label, tree.owner, tree.count, low, high, size, offset, beats, pairs)
    action = np.concatenate(([0], np.cumsum(tree.count)))
    kept = np.ones(action[-1], np.bool_)
    choose_kept(tree.count, offset, pairs, beats, action, kept)
    return kept


def _prune(tree: Tree, kept: np.ndarray) -> tuple[Tree, tuple[np.ndarray, np.ndarray]]:
    """The tree with the kept actions only, and what `undominated_actions` says of the old sequences."""
    action = np.concatenate(([0], np.cumsum(tree.count)))
    fresh = np.empty(tree.nodes, np.int32)
    number_kept(tree.parent, tree.slot, tree.label, action, kept, fresh)
    nodes = np.flatnonzero(fresh >= 0)
    met = np.zeros(len(tree.owner), np.bool_)
    met[tree.label[nodes[tree.label[nodes] >= 0]]] = True
    dropped = ~kept
    kept = kept & np.repeat(met, tree.count)
    through = np.zeros(len(kept) + 1, np.int32)
    np.cumsum(kept, out=through[1:])
    left = np.diff(through[action]).astype(np.int64)
    above = tree.parent[nodes]
    decided = np.where(above >= 0, tree.label[above], -1)
    slot = tree.slot[nodes]
    mine = decided >= 0
    chosen = action[decided[mine]]
    slot[mine] = through[chosen + slot[mine]] - through[chosen]
    names = np.cumsum(met) - 1
    label = tree.label[nodes]
    label[label >= 0] = names[label[label >= 0]]
    before, first = tree.before[met], tree.first[met]
    targets = []
    for player in (0, 1):
        own = np.repeat(tree.owner == player, tree.count)
        target = np.full(1 + np.count_nonzero(own), GONE, np.int32)
        target[0] = 0
        target[1:][dropped[own]] = DROPPED
        target[1:][kept[own]] = np.arange(1, 1 + np.count_nonzero(kept[own]))
        targets.append(target)
        me = tree.owner[met] == player
        before[me] = targets[player][before[me]]
        first[me] = 1 + np.cumsum(left[met][me]) - left[met][me]
    thin = replace(
        tree,
        parent=np.where(above >= 0, fresh[above], -1).astype(tree.parent.dtype),
        slot=slot,
        label=label.astype(tree.label.dtype),
        chance_index=tree.chance_index[nodes],
        owner=tree.owner[met],
        before=before,
        first=first,
        count=left[met],
    )
    return thin, (targets[0], targets[1])
