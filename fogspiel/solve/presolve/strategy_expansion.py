"""Tails as plans: a last piece of one player's decisions becomes one choice among plans, where that is smaller.

A plan says what to do at every infoset of the tail that it does not itself prevent, and its payoff row is the sum of
the rows of its sequences. Mixing plans is as good as mixing actions (Kuhn 1953), so the value stays. It pays where the
opponent decides nothing more: then many plans have equal rows, or dominated ones, and go.

An example. At infoset 0 the player chooses sequence 1 or 2; after 1 it may come to infoset 1 or to infoset 2.

    infoset  parent  sequences        plan  its sequences
       0        0       1 2             0      1 3 5
       1        1       3 4             1      1 4 5
       2        1       5 6             2      1 3 6
                                        3      1 4 6
                                        4      2

The tail is infoset 0 with the two below it. If plans 1 and 2 are dominated, infosets 1 and 2 go, and infoset 0 has the
plans 0, 3 and 4 as its new sequences 1, 2 and 3. The old sequence 1 is then played as often as the new sequences 1 and
2 together, 3 and 5 as often as 1, 4 and 6 as often as 2, and 2 as often as 3: this is the share that lifting needs.
"""

from typing import NamedTuple

import numpy as np

from ...core.kernel import kernel
from ..sequence_form import SequenceForm, Sparse, Treeplex, merge, sparse
from .row_dominance import row_starts, undominated_rows

MOST_PLANS = 4096
# A tail is not written out if it has more plans than that, or if its plans take so many times the room of the tail.
MOST_GROWTH = 16


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
    one sequence of a tail, and one of each infoset below it: they are counted through like the digits of a number. In
    the example sequence 1 has four ways, and way 2 = 0 + 1 * 2 takes the first action of infoset 1, the second of 2.
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


class Plans(NamedTuple):
    """The plans of some tails, one tail after the other."""

    tail: np.ndarray  # the infoset at which each plan begins
    payoffs: Sparse  # the payoff row of each plan
    begin: np.ndarray  # the sequences of plan k are member[begin[k]] .. member[begin[k + 1] - 1].
    member: np.ndarray


def plans_of_tails(form: SequenceForm, room: np.ndarray) -> Plans:
    """The plans of all tails that are worth writing out; `room` becomes what each tail takes as it is."""
    treeplex, start = form.treeplexes[0], row_starts(form)
    plans, payoffs, parts = (np.empty(treeplex.infosets, np.int64) for _ in range(3))
    size_up(treeplex.parent, treeplex.first, treeplex.count, start, MOST_PLANS, plans, payoffs, parts, room)
    tails = np.flatnonzero((plans > 0) & (plans + payoffs <= MOST_GROWTH * room))
    child = np.argsort(treeplex.parent, kind="stable")
    below = np.searchsorted(treeplex.parent[child], np.arange(treeplex.sequences + 1))
    many, longest = int(plans[tails].sum()), int(payoffs[tails].sum())
    row, begin = np.zeros(many + 1, np.int64), np.zeros(many + 1, np.int64)
    entry, worth = np.empty(longest, np.int64), np.empty(longest, np.int64)
    member = np.empty(parts[tails].sum(), np.int64)
    write_plans(
        tails, treeplex.first, treeplex.count, below, child, start, form.columns, form.payoffs,
        np.full(form.treeplexes[1].sequences, -1), row, entry, worth, begin, member,
    )  # fmt: skip
    return Plans(np.repeat(tails, plans[tails]), Sparse(row, entry[: row[-1]], worth[: row[-1]]), begin, member)


def expand_tails(form: SequenceForm) -> tuple[SequenceForm, Sparse]:
    """The form with the first player's tails written out where that is smaller, and the player's share."""
    treeplex = form.treeplexes[0]
    room = np.empty(treeplex.infosets, np.int64)
    tail, payoffs, begin, member = plans_of_tails(form, room)
    lengths = np.diff(payoffs.start)
    kept = undominated_rows(tail, np.arange(len(tail)), payoffs, form.treeplexes[1].sequences)
    left = np.bincount(tail[kept], minlength=treeplex.infosets)
    expanded = (left > 0) & (1 + left + np.bincount(tail[kept], lengths[kept], treeplex.infosets) < room)
    kept &= expanded[tail]
    # The infosets below an expanded one go, and its sequences are now the plans that are left
    above = treeplex.infoset_of[treeplex.parent]
    gone = (above >= 0) & expanded[above]
    count = np.where(gone, 0, np.where(expanded, left, treeplex.count))
    first = 1 + np.cumsum(count) - count
    # The new number of each old sequence that stays, and of each plan that is left: the first of its infoset's numbers
    # plus how many of the same infoset come before it
    stays = ~(gone | expanded)[treeplex.infoset_of[1:]]
    target = np.full(treeplex.sequences, -1)
    target[0] = 0
    target[1:][stays] = (first - treeplex.first)[treeplex.infoset_of[1:][stays]] + np.flatnonzero(stays) + 1
    chosen = tail[kept]
    before = np.cumsum(left * expanded) - left * expanded
    number = np.zeros(len(tail), np.int64)
    number[kept] = first[chosen] + np.arange(len(chosen)) - before[chosen]
    old, new = target[form.rows] >= 0, np.repeat(kept, lengths)
    smaller = merge(
        (Treeplex(target[treeplex.parent[~gone]], first[~gone], count[~gone]), form.treeplexes[1]),
        np.concatenate((target[form.rows[old]], np.repeat(number, lengths)[new])),
        np.concatenate((form.columns[old], payoffs.column[new])),
        np.concatenate((form.payoffs[old], payoffs.value[new])),
        form.denominator,
    )
    unchanged, through = np.flatnonzero(target >= 0), np.repeat(kept, np.diff(begin))
    sequence = np.concatenate((unchanged, member[through]))
    part = np.concatenate((target[unchanged], np.repeat(number, np.diff(begin))[through]))
    return smaller, sparse(sequence, part, np.ones(len(sequence)), treeplex.sequences)
