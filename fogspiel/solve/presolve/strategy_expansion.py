"""Tails as plans: a last piece of one player's decisions becomes one choice among plans, where that is smaller.

A plan says what to do at every infoset of the tail that it does not itself prevent, and its payoff row is the sum of
the rows of its sequences. Mixing plans is as good as mixing actions (Kuhn 1953), so the value stays. It pays where the
opponent decides nothing more: then many plans have equal rows, or dominated ones, and go.
"""

import numpy as np

from ...core.kernel import kernel
from ..sequence_form import SequenceForm, Sparse, Treeplex, merge, sparse
from .row_dominance import row_starts, undominated_rows

MOST_PLANS = 4096
MOST_GROWTH = 16
"""A tail is not written out if it has more plans than that, or if its plans take so many times the room of the tail."""


@kernel
def size_up(parent, first, count, start, most, plans, payoffs, parts, room):
    """Write how many plans a tail has, how many payoffs and sequences they have, and the room that the tail takes.

    A tail is an infoset with other infosets below it, all of which are last ones; `plans` is 0 for others. Room is
    counted in infosets, sequences and payoffs.
    """
    n = len(start) - 1
    ways, kids, depth = np.ones(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    spread, plain = np.empty(n, np.int64), np.empty(n, np.int64)
    for s in range(n):
        spread[s] = start[s + 1] - start[s]
        plain[s] = spread[s] + 1
    for i in range(len(parent) - 1, -1, -1):
        total, deepest = 0, 0
        payoffs[i], parts[i], room[i] = 0, 0, 1
        for s in range(first[i], first[i] + count[i]):
            total = min(total + ways[s], most + 1)
            payoffs[i] += spread[s]
            parts[i] += ways[s] * (1 + kids[s])
            room[i] += plain[s]
            deepest = max(deepest, depth[s])
        plans[i] = total if deepest == 1 and total <= most else 0
        up = parent[i]
        spread[up] = spread[up] * count[i] + ways[up] * payoffs[i]
        ways[up] = min(ways[up] * count[i], most + 1)
        kids[up] += 1
        depth[up] = max(depth[up], deepest + 1)
        plain[up] += room[i]


@kernel
def write_plans(tails, first, count, below, child, start, column, value, place, plan, entry, worth, at, member):
    """Write out the plans of the tails: plan[k] .. plan[k + 1] - 1 are the payoffs of plan k, at[k] .. its sequences.

    The infosets below sequence s are child[below[s]] .. child[below[s + 1] - 1]; `place` is -1 everywhere. A plan is
    one sequence of a tail, and one of each infoset below it: they are counted through like the digits of a number.
    """
    k = 0
    for i in tails:
        for s in range(first[i], first[i] + count[i]):
            ways = 1
            for c in range(below[s], below[s + 1]):
                ways *= count[child[c]]
            for way in range(ways):
                end = plan[k]
                rest = way
                at[k + 1] = at[k]
                for c in range(below[s] - 1, below[s + 1]):
                    part = s
                    if c >= below[s]:
                        part = first[child[c]] + rest % count[child[c]]
                        rest //= count[child[c]]
                    member[at[k + 1]] = part
                    at[k + 1] += 1
                    for e in range(start[part], start[part + 1]):
                        if place[column[e]] < 0:
                            place[column[e]] = end
                            entry[end] = column[e]
                            worth[end] = 0
                            end += 1
                        worth[place[column[e]]] += value[e]
                last = plan[k]
                for e in range(plan[k], end):
                    place[entry[e]] = -1
                    if worth[e] != 0:
                        entry[last] = entry[e]
                        worth[last] = worth[e]
                        last += 1
                plan[k + 1] = last
                k += 1


def expand_tails(form: SequenceForm) -> tuple[SequenceForm, Sparse]:
    """The form with the first player's tails collapsed where that is smaller, and his share."""
    plex, start, wide = form.plexes[0], row_starts(form), form.plexes[1].sequences
    plans, payoffs, parts, room = (np.empty(plex.infosets, np.int64) for _ in range(4))
    size_up(plex.parent, plex.first, plex.count, start, MOST_PLANS, plans, payoffs, parts, room)
    tails = np.flatnonzero((plans > 0) & (plans + payoffs <= MOST_GROWTH * room))
    child = np.argsort(plex.parent, kind="stable")
    below = np.searchsorted(plex.parent[child], np.arange(plex.sequences + 1))
    many = int(plans[tails].sum())
    plan, at = np.zeros(many + 1, np.int64), np.zeros(many + 1, np.int64)
    entry, worth = np.empty(payoffs[tails].sum(), np.int64), np.empty(payoffs[tails].sum(), np.int64)
    member = np.empty(parts[tails].sum(), np.int64)
    write_plans(
        tails, plex.first, plex.count, below, child, start, form.columns, form.payoffs,
        np.full(wide, -1), plan, entry, worth, at, member,
    )  # fmt: skip
    tail = np.repeat(tails, plans[tails])
    kept = undominated_rows(tail, np.arange(many), Sparse(plan, entry, worth), wide)
    left = np.bincount(tail[kept], minlength=plex.infosets)
    shorter = (left > 0) & (1 + left + np.bincount(tail[kept], np.diff(plan)[kept], plex.infosets) < room)
    kept &= shorter[tail]
    # The infosets of the collapsed tails go, and the sequences of their first ones are now the plans
    gone = (plex.infoset_of[plex.parent] >= 0) & shorter[plex.infoset_of[plex.parent]]
    count = np.where(gone, 0, np.where(shorter, left, plex.count))
    first = 1 + np.cumsum(count) - count
    stays = ~(gone | shorter)[plex.infoset_of[1:]]
    target = np.full(plex.sequences, -1)
    target[0] = 0
    target[1:][stays] = (first - plex.first)[plex.infoset_of[1:][stays]] + np.flatnonzero(stays) + 1
    number = np.zeros(many, np.int64)
    number[kept] = first[tail[kept]] + np.arange(kept.sum()) - (np.cumsum(left * shorter) - left * shorter)[tail[kept]]
    old = target[form.rows] >= 0
    new = np.repeat(kept, np.diff(plan))
    smaller = merge(
        (Treeplex(target[plex.parent[~gone]], first[~gone], count[~gone]), form.plexes[1]),
        np.concatenate((target[form.rows[old]], np.repeat(number, np.diff(plan))[new])),
        np.concatenate((form.columns[old], entry[: plan[-1]][new])),
        np.concatenate((form.payoffs[old], worth[: plan[-1]][new])),
        form.denominator,
    )
    through = np.repeat(kept, np.diff(at))
    whole = np.flatnonzero(target >= 0)
    sequence = np.concatenate((whole, member[through]))
    plan_of_it = np.concatenate((target[whole], np.repeat(number, np.diff(at))[through]))
    return smaller, sparse(sequence, plan_of_it, np.ones(len(sequence)), plex.sequences)
