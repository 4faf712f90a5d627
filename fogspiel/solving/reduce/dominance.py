"""Fewer sequences for the first player: folds forced choices, merges equal payoff rows, drops dominated ones.

All three are weak dominance, so the value stays, and an equilibrium of the smaller form is one of the whole form.

An example. Infoset 0 has the sequences 1, 2 and 3, and infoset 1, behind sequence 1, has 4 and 5.

    sequence    0   1   2   3   4   5       against the opponent's sequences a and b
    payoff a            1   2   4   3
    payoff b            1   2

Everything below infoset 1 has payoffs against sequence a only, so there is nothing to decide: 4 is better against every
plan of the opponent, and merges with its parent, 1. Of the last sequences of infoset 0, which lead to no infoset, 2 is
dominated by 3. So `target`, the new number of each sequence, is 0 1 - 2 1 -, and infoset 0 has the sequences 1 and 2.
"""

import numpy as np

from ...core.compile.kernel import kernel
from ...core.rng import mixed
from ..tree import LEAF, Tree, in_units
from ..tree.sequence_form import SequenceForm, Sparse, Treeplex, merge

MAX_RIVALS = 4096  # in larger infosets only equal sequences are searched, not dominated ones


@kernel
def decide_forced(parent, first, count, start, column, value, meets, worth, chosen):
    """Write the action of each infoset at which there is nothing to decide, else -1.

    Such an infoset has one action, or everything below it has payoffs against a single sequence of the opponent: then
    the best action is the best for every plan of the opponent. `meets` is the opponent's sequence, -1 for none, -2 for
    many.
    """
    for s in range(len(meets)):
        meets[s] = -1
        worth[s] = 0
        for k in range(start[s], start[s + 1]):
            meets[s] = column[k] if k == start[s] else -2
            worth[s] += value[k]
    for i in range(len(parent) - 1, -1, -1):
        best = first[i]
        met = -1
        for s in range(first[i], first[i] + count[i]):
            if worth[s] > worth[best]:
                best = s
            if meets[s] != -1:
                met = meets[s] if met in (-1, meets[s]) else -2
        chosen[i] = best - first[i] if met != -2 or count[i] == 1 else -1
        up = parent[i]
        worth[up] += worth[best]
        if met != -1:
            meets[up] = met if meets[up] in (-1, met) else -2


@kernel
def digest_rows(items, start, column, value, digest, total, gains, losses):
    """Write for each of these rows a digest that does not depend on the order of its entries, and their sum.

    `gains` and `losses` have a bit for some of 64 kinds of columns: those with positive and with negative entries.
    """
    one, low = np.uint64(1), np.uint64(63)
    for k in range(len(items)):
        digest[k], total[k], gains[k], losses[k] = 0, 0, 0, 0
        for e in range(start[items[k]], start[items[k] + 1]):
            place = mixed(np.uint64(column[e]) + one)
            digest[k] += mixed(place ^ np.uint64(value[e]))
            total[k] += value[e]
            if value[e] > 0:
                gains[k] |= one << (place & low)
            else:
                losses[k] |= one << (place & low)


@kernel
def strike_dominated(begin, items, start, column, value, digest, total, gains, losses, cell, most, kept):
    """Unmark in each group of rows (begin[g] .. begin[g + 1] - 1) those equal to an earlier one, or dominated.

    First equal rows, found by a hash table of digests; then, if at most `most` rows are left, each of these is compared
    with all others as their rival. A dominated row is nowhere greater than its rival: its sum is smaller, it gains only
    where the rival gains, and it loses wherever the rival loses; the bits of columns rule out most pairs at once.
    `cell` is a row of zeros, into which the rival is written densely.
    """
    longest = 1
    for g in range(len(begin) - 1):
        longest = max(longest, begin[g + 1] - begin[g])
    table, rivals = np.empty(4 * longest, np.int64), np.empty(longest, np.int64)
    for g in range(len(begin) - 1):
        size = 2
        while size < 2 * (begin[g + 1] - begin[g]):
            size *= 2
        for at in range(size):
            table[at] = -1
        left = 0
        for a in range(begin[g], begin[g + 1]):
            at = np.int64(digest[a] & np.uint64(size - 1))
            while table[at] >= 0 and digest[table[at]] != digest[a]:
                at = (at + 1) & (size - 1)
            b = table[at]
            if b >= 0:  # the same digest: the same row, if every entry is the same
                equal = start[items[a] + 1] - start[items[a]] == start[items[b] + 1] - start[items[b]]
                for e in range(start[items[b]], start[items[b] + 1]):
                    cell[column[e]] = value[e]
                for e in range(start[items[a]], start[items[a] + 1]):
                    equal = equal and cell[column[e]] == value[e]
                for e in range(start[items[b]], start[items[b] + 1]):
                    cell[column[e]] = 0
                kept[a] = not equal
            else:
                table[at] = a
            if kept[a]:
                rivals[left] = a
                left += 1
        for r in range(left if left <= most else 0):
            b = rivals[r]
            if not kept[b]:
                continue
            low, high, losing = start[items[b]], start[items[b] + 1], 0
            for e in range(low, high):
                cell[column[e]] = value[e]
                losing += value[e] < 0
            for q in range(left):
                a = rivals[q]
                if total[a] >= total[b] or gains[a] & ~gains[b] or losses[b] & ~losses[a] or not kept[a]:
                    continue
                dominated, covered = True, 0
                for e in range(start[items[a]], start[items[a] + 1]):
                    if value[e] > cell[column[e]]:
                        dominated = False
                        break
                    covered += cell[column[e]] < 0
                kept[a] = not (dominated and covered == losing)
            for e in range(low, high):
                cell[column[e]] = 0


def undominated_rows(group: np.ndarray, items: np.ndarray, rows: Sparse, width: int) -> np.ndarray:
    """Return the rows of `items` that remain when neighbours of the same group are compared."""
    digest, gains, losses = (np.empty(len(items), np.uint64) for _ in range(3))
    total, kept = np.empty(len(items), np.int64), np.ones(len(items), np.bool_)
    digest_rows(items, rows.start, rows.column, rows.value, digest, total, gains, losses)
    begin = np.concatenate((np.flatnonzero(np.diff(group, prepend=-1)), [len(group)]))
    strike_dominated(
        begin, items, rows.start, rows.column, rows.value, digest, total, gains, losses,
        np.zeros(width, np.int64), MAX_RIVALS, kept,
    )  # fmt: skip
    return kept


@kernel
def renumber(parent, first, count, chosen, kept, target):
    """Write the new number of each sequence, -1 where it is gone: folded infosets are their parent's sequence."""
    number = 1
    target[0] = 0
    for i in range(len(parent)):
        up = target[parent[i]]
        for s in range(first[i], first[i] + count[i]):
            target[s] = -1
            if up >= 0 and chosen[i] == s - first[i]:
                target[s] = up
            elif up >= 0 and chosen[i] < 0 and kept[s]:
                target[s] = number
                number += 1


def drop_dominated_rows(form: SequenceForm) -> tuple[SequenceForm, Sparse | None]:
    """Fold the infosets at which there is nothing to decide; merge equal last sequences, drop dominated ones.

    The share of the first player is None where nothing changes.
    """
    treeplex, start = form.treeplexes[0], row_starts(form)
    meets, worth = np.empty(treeplex.sequences, np.int64), np.empty(treeplex.sequences, np.int64)
    chosen, target = np.empty(treeplex.infosets, np.int64), np.empty(treeplex.sequences, np.int64)
    decide_forced(
        treeplex.parent, treeplex.first, treeplex.count, start, form.columns, form.payoffs, meets, worth, chosen
    )
    last = np.ones(treeplex.sequences, np.bool_)
    last[treeplex.parent] = False
    last[0] = False
    items = np.flatnonzero(last)
    kept = np.ones(treeplex.sequences, np.bool_)
    rows = Sparse(start, form.columns, form.payoffs)
    kept[items] = undominated_rows(treeplex.infoset_of[items], items, rows, form.treeplexes[1].sequences)
    renumber(treeplex.parent, treeplex.first, treeplex.count, chosen, kept, target)
    if (target == np.arange(len(target))).all():
        return form, None
    live = (chosen < 0) & (target[treeplex.parent] >= 0)
    count = np.bincount(treeplex.infoset_of[1:][target[1:] >= 0], minlength=treeplex.infosets)[live]
    smaller = Treeplex(target[treeplex.parent[live]], 1 + np.cumsum(count) - count, count)
    met = target[form.rows] >= 0
    smaller_form = merge(
        (smaller, form.treeplexes[1]), target[form.rows[met]], form.columns[met], form.payoffs[met], form.denominator
    )
    return smaller_form, share_of(target)


def row_starts(form: SequenceForm) -> np.ndarray:
    return np.searchsorted(form.rows, np.arange(form.treeplexes[0].sequences + 1))


def share_of(target: np.ndarray) -> Sparse:
    """Return the matrix that maps each old sequence to its new one, or to none (-1)."""
    column = target[target >= 0].astype(np.int64)
    return Sparse(np.r_[0, np.cumsum(target >= 0, dtype=np.int64)], column, np.ones(len(column)))


# Interval dominance: drop an action if another one is never worse, whatever happens later.
#
# Action a of an infoset goes if some action b has, in every history of the infoset, its worst leaf at least as good for
# the owner as the best leaf of a. That is weak dominance, so the value stays, and an equilibrium of the smaller game is
# one of the whole game. The relation is transitive, so what beats a dropped action is retained or beaten by a retained
# one; and it stays true when other actions go, so all of them can go at once.

MAX_COMPARED = 1024  # infosets with more actions are left alone: their pairs would need too much memory
# A sequence without a new number: its infoset is no longer reachable, or its action was dropped before that.
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
    """Clear in `beats` the pairs (b, a) of actions such that in some history a may turn out better than b."""
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
    """Unmark the dominated actions; of two that dominate each other the later one."""
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
    """Number the nodes that only retained actions lead to, and return their number; the others get -1."""
    number = 0
    for node in range(len(parent)):
        above = parent[node]
        alive = above < 0 or (fresh[above] >= 0 and (label[above] < 0 or kept[action[label[above]] + slot[node]]))
        fresh[node] = number if alive else -1
        number += alive
    return number


def undominated_actions(tree: Tree) -> tuple[Tree, tuple[np.ndarray, np.ndarray]]:
    """Return the tree without dominated actions, and each old sequence's new number for both players, GONE or DROPPED.

    A player at an infoset that is gone, as the opponent has made a dropped move, must still avoid the actions that had
    been dropped by then: later drops may depend on it.
    """
    first, second = (np.arange(tree.treeplex(player).sequences, dtype=np.int32) for player in (0, 1))
    while not (kept := _undominated_actions(tree)).all():
        tree, targets = _prune(tree, kept)
        for old, new in zip((first, second), targets, strict=True):
            old[old >= 0] = new[old[old >= 0]]
    return tree, (first, second)


def _undominated_actions(tree: Tree) -> np.ndarray:
    whole, _ = in_units(tree, "payoffs", tree.payoffs)
    ranks = {payoff: rank for rank, payoff in enumerate(sorted(set(whole)))}
    width = np.int16 if len(ranks) < 2**15 else np.int32
    low, high = np.full(tree.nodes, len(ranks), width), np.full(tree.nodes, -1, width)
    size = np.zeros(tree.nodes, np.int32)
    measure(tree.parent, tree.label, np.array([ranks[p] for p in whole], np.int64), low, high, size)
    pairs = np.where((tree.count > 1) & (tree.count <= MAX_COMPARED), tree.count**2, 0)
    offset = np.concatenate(([0], np.cumsum(pairs)))
    beats = np.ones(offset[-1], np.bool_)
    compare(tree.label, tree.owner, tree.count, low, high, size, offset, beats, pairs)
    action = np.concatenate(([0], np.cumsum(tree.count)))
    kept = np.ones(action[-1], np.bool_)
    choose_kept(tree.count, offset, pairs, beats, action, kept)
    return kept


def _prune(tree: Tree, kept: np.ndarray) -> tuple[Tree, tuple[np.ndarray, np.ndarray]]:
    action = np.concatenate(([0], np.cumsum(tree.count)))
    fresh = np.empty(tree.nodes, np.int32)
    number_kept(tree.parent, tree.slot, tree.label, action, kept, fresh)
    nodes = np.flatnonzero(fresh >= 0)
    met = np.zeros(len(tree.owner), np.bool_)
    met[tree.label[nodes[tree.label[nodes] >= 0]]] = True
    dropped = ~kept
    kept = kept & np.repeat(met, tree.count)
    through = np.r_[0, np.cumsum(kept)].astype(np.int32)
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
    parent, label = np.where(above >= 0, fresh[above], -1).astype(tree.parent.dtype), label.astype(tree.label.dtype)
    chances = tree.chance_index[nodes], tree.chance_prob
    infosets = tree.owner[met], before, first, left[met]
    thin = Tree(tree.title, parent, slot, label, *chances, tree.payoffs, *infosets)
    return thin, (targets[0], targets[1])
