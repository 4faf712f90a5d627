"""Fewer sequences for the first player: choices that are no choices, equal payoff rows, dominated ones.

All three are weak dominance, so the value stays, and an equilibrium of the smaller form is one of the whole form.

An example. Infoset 0 has the sequences 1, 2 and 3, and infoset 1, behind sequence 1, has 4 and 5.

    sequence    0   1   2   3   4   5       against the opponent's sequences a and b
    payoff a            1   2   4   3
    payoff b            1   2

Everything below infoset 1 meets sequence a only, so there is nothing to decide: 4 is better, whatever the opponent
does, and becomes one with its parent, 1. Of the last sequences of infoset 0, which lead to no infoset, 2 is dominated
by 3. So `target`, the new number of each sequence, is 0 1 - 2 1 -, and infoset 0 has the sequences 1 and 2.
"""

import numpy as np

from ...core.kernel import kernel
from ...core.rng import mixed
from ..sequence_form import SequenceForm, Sparse, Treeplex, merge

MOST_RIVALS = 4096  # among more sequences of one infoset than that only equal ones are looked for, not dominated ones


@kernel
def decide_forced(parent, first, count, start, column, value, meets, worth, chosen):
    """Write the action of each infoset at which there is nothing to decide, else -1.

    Such an infoset has one action, or everything below it meets one and the same sequence of the opponent: then the
    best action is the best for every plan of the opponent. A sequence meets no other sequence (-1), one, or many (-2).
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

    First equal rows, found by a hash table of digests; then, if no more than `most` rows are left, each of these is
    the rival of all others. A dominated row is nowhere greater than its rival: its sum is smaller, it gains only where
    the rival gains, and it loses wherever the rival loses; by bits of columns most pairs are told apart at once.
    `cell` is a row of zeros, into which the rival is written out.
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
        np.zeros(width, np.int64), MOST_RIVALS, kept,
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


def drop_dominated_rows(form: SequenceForm) -> tuple[SequenceForm, Sparse]:
    """Fold the infosets at which there is nothing to decide; merge equal last sequences, drop dominated ones."""
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
    live = (chosen < 0) & (target[treeplex.parent] >= 0)
    count = np.bincount(treeplex.infoset_of[1:][target[1:] >= 0], minlength=treeplex.infosets)[live]
    smaller = Treeplex(target[treeplex.parent[live]], 1 + np.cumsum(count) - count, count)
    met = target[form.rows] >= 0
    smaller_form = merge(
        (smaller, form.treeplexes[1]), target[form.rows[met]], form.columns[met], form.payoffs[met], form.denominator
    )
    return smaller_form, share_of(target)


def row_starts(form: SequenceForm) -> np.ndarray:
    """Return the first entry of each of the first player's sequences."""
    return np.searchsorted(form.rows, np.arange(form.treeplexes[0].sequences + 1))


def share_of(target: np.ndarray) -> Sparse:
    """The share in which each old sequence is one new sequence, or none (-1)."""
    start = np.zeros(len(target) + 1, np.int64)
    np.cumsum(target >= 0, out=start[1:])
    column = target[target >= 0].astype(np.int64)
    return Sparse(start, column, np.ones(len(column)))
