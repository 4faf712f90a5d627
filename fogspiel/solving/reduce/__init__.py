"""Presolve: make a game smaller before it is solved, without changing its value.

On the tree, an action goes if another one is never worse, whatever happens later (`dominance`). On the sequence form,
forced moves and choices that do not depend on the opponent are folded into the sequence before them, equal payoff rows
are merged, dominated ones dropped (`dominance`), and the tail of a game becomes a list of plans where that is smaller.

Every step is weak dominance or a relabelling, so an equilibrium of the reduced game is one of the whole game. In every
step the plan of an old sequence is the sum of the plans of some new ones, so lifting is one sparse matrix of zeros and
ones for each player.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ...core.compile.kernel import kernel
from ..tree import Tree, sequence_form
from ..tree.sequence_form import (
    SequenceForm,
    Sparse,
    Treeplex,
    exact_plan_of,
    infosets_of,
    merge,
    plan_of,
    proportional,
    sparse,
)
from .dominance import DROPPED, drop_dominated_rows, row_starts, share_of, undominated_actions, undominated_rows

# Tails as plans: a last piece of one player's decisions becomes one choice among plans, where that is smaller.
#
# A plan assigns an action to every infoset of the tail that it does not itself prevent. Its payoff row is the sum of
# the rows of its sequences. Mixing plans is as good as mixing actions (Kuhn 1953), so the value stays. It pays where
# the opponent decides nothing more: then many plans have equal rows, or dominated ones, and go.
#
# An example. At infoset 0 the player chooses sequence 1 or 2; after 1 it may come to infoset 1 or to infoset 2.
#
#     infoset  parent  sequences        plan  its sequences
#        0        0       1 2             0      1 3 5
#        1        1       3 4             1      1 4 5
#        2        1       5 6             2      1 3 6
#                                         3      1 4 6
#                                         4      2
#
# The tail is infoset 0 with the two below it. If plans 1 and 2 are dominated, infosets 1 and 2 go, and infoset 0 has
# the plans 0, 3 and 4 as its new sequences 1, 2 and 3. The old sequence 1 is then played as often as the new sequences
# 1 and 2 together, 3 and 5 as often as 1, 4 and 6 as often as 2, and 2 as often as 3: this is the share that lifting
# needs.

MAX_PLANS = 4096
# Limits of a tail's expansion: the number of its plans, and their size as a multiple of the tail's.
MAX_GROWTH = 16


@kernel
def size_up(parent, first, count, start, most, plans, payoffs, parts, room):
    """Write the number of plans of each tail, of their payoffs and sequences, and the size of the tail.

    A tail is an infoset with other infosets below it, all of which are last ones; `plans` is 0 for others. `room`, the
    size, is counted in infosets, sequences and payoffs.
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
    """Write the plans of the tails: plan[k] .. plan[k + 1] - 1 are the payoffs of plan k, at[k] .. its sequences.

    The infosets below sequence s are child[below[s]] .. child[below[s + 1] - 1]; `place` is -1 everywhere. A plan is
    one sequence of a tail, and one of each infoset below it, enumerated like the digits of a number. In the example
    sequence 1 has four combinations, and number 2 = 0 + 1 * 2 has the first action of infoset 1, the second of 2.
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


def plans_of_tails(form: SequenceForm, room: np.ndarray) -> tuple[np.ndarray, Sparse, np.ndarray, np.ndarray]:
    """Return the plans of all tails within the limits: tail, payoffs, begin, member.

    Plan k starts at the infoset tail[k], has the k-th row of payoffs, and the sequences member[begin[k]] ..
    member[begin[k + 1] - 1]. `room` becomes the present size of each tail.
    """
    treeplex, start = form.treeplexes[0], row_starts(form)
    plans, payoffs, parts = (np.empty(treeplex.infosets, np.int64) for _ in range(3))
    size_up(treeplex.parent, treeplex.first, treeplex.count, start, MAX_PLANS, plans, payoffs, parts, room)
    tails = np.flatnonzero((plans > 0) & (plans + payoffs <= MAX_GROWTH * room))
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
    return (np.repeat(tails, plans[tails]), Sparse(row, entry[: row[-1]], worth[: row[-1]]), begin, member)


def expand_tails(form: SequenceForm) -> tuple[SequenceForm, Sparse | None]:
    """Return the form with the first player's tails expanded where that is smaller, and the player's share.

    The share is None where none is smaller.
    """
    treeplex = form.treeplexes[0]
    room = np.empty(treeplex.infosets, np.int64)
    tail, payoffs, begin, member = plans_of_tails(form, room)
    lengths = np.diff(payoffs.start)
    kept = undominated_rows(tail, np.arange(len(tail)), payoffs, form.treeplexes[1].sequences)
    left = np.bincount(tail[kept], minlength=treeplex.infosets)
    expanded = (left > 0) & (1 + left + np.bincount(tail[kept], lengths[kept], treeplex.infosets) < room)
    if not expanded.any():
        return form, None
    kept &= expanded[tail]
    # The infosets below an expanded one go, and its sequences are now the remaining plans
    above = treeplex.infoset_of[treeplex.parent]
    gone = (above >= 0) & expanded[above]
    count = np.where(gone, 0, np.where(expanded, left, treeplex.count))
    first = 1 + np.cumsum(count) - count
    # The new number of each remaining old sequence and plan: the first of its infoset's numbers plus how many of the
    # same infoset come before it
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


# The probability of each sequence of a player at its infoset: an array of floats or a list of fractions.
Behaviour = np.ndarray | Sequence[Fraction]
Pair = tuple[np.ndarray, np.ndarray]
Lift = Callable[[Behaviour, Behaviour], tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class ReducedGame:
    """A smaller game with the same value; `lift` maps the behaviour of both to the original game."""

    form: SequenceForm
    lift: Lift


def presolve_tree(tree: Tree) -> ReducedGame:
    """Return the sequence form of a tree, reduced on the tree and on the form until nothing changes."""
    pruned, targets = undominated_actions(tree)
    allowed = targets[0] != DROPPED, targets[1] != DROPPED
    return _reduce((tree.treeplex(0), tree.treeplex(1)), sequence_form(pruned), targets, allowed)


def presolve_form(form: SequenceForm) -> ReducedGame:
    same = np.arange(form.treeplexes[0].sequences), np.arange(form.treeplexes[1].sequences)
    return _reduce(form.treeplexes, form, same, (same[0] >= 0, same[1] >= 0))


def _reduce(treeplexes: tuple[Treeplex, Treeplex], form: SequenceForm, targets: Pair, allowed: Pair) -> ReducedGame:
    """Return the reduced form of a game with these treeplexes; `targets` are their sequences' current numbers."""
    shares = [share_of(targets[player]) for player in (0, 1)]
    player, quiet = 0, 2 if form.wide else 0  # players in a row without a change; the steps are kernels
    while quiet < 2:
        quiet += 1
        for step in (drop_dominated_rows, expand_tails):
            form, share = step(form)
            if share is not None:
                shares[player], quiet = _chain(shares[player], share), 0
        form, player = form.swapped(), 1 - player
    form = form.swapped() if player else form
    one, two = map(_Origin, treeplexes, form.treeplexes, shares, allowed)
    return ReducedGame(form, lambda first, second: (one.lifted(first), two.lifted(second)))


def _chain(outer: Sparse, inner: Sparse) -> Sparse:
    """Return the product of two matrices of zeros and ones."""
    counts = np.diff(inner.start)[outer.column]
    total = np.concatenate(([0], np.cumsum(counts)))
    places = np.repeat(inner.start[outer.column] - total[:-1], counts) + np.arange(total[-1])
    return Sparse(total[outer.start], inner.column[places], np.ones(len(places)))


# Lifting


@dataclass(frozen=True, eq=False)
class _Origin:
    """Origin of a player's sequences: the plan of an old one is the sum of those of its share."""

    old: Treeplex
    new: Treeplex
    share: Sparse
    allowed: np.ndarray  # old sequences that may be played in infosets without a share

    def lifted(self, behaviour: Behaviour) -> Any:
        """Return the behaviour in the old game: floats from floats, fractions from fractions."""
        return self._floats(behaviour) if isinstance(behaviour, np.ndarray) else self._fractions(behaviour)

    @cached_property
    def fallback(self) -> np.ndarray:
        """The uniform play in infosets that the player's own plan does not reach."""
        owner = self.old.infoset_of[1:]
        shared = np.diff(self.share.start)[1:] > 0
        some = np.bincount(owner, shared, self.old.infosets) > 0
        return np.concatenate(([True], np.where(some[owner], shared, self.allowed[1:])))

    def _floats(self, behaviour: np.ndarray) -> np.ndarray:
        old, plan = self.old, self.share.times(plan_of(self.new, behaviour))
        arrives = np.bincount(old.infoset_of[1:], plan[1:], old.infosets) > 0
        plan[1:] = np.where(arrives[old.infoset_of[1:]], plan[1:], self.fallback[1:])
        return proportional(old, plan)

    def _fractions(self, behaviour: Sequence[Fraction]) -> list[Fraction]:
        plan, zero = exact_plan_of(self.new, behaviour), Fraction(0)
        column, fallback = self.share.column.tolist(), self.fallback.tolist()
        out = [sum((plan[c] for c in column[a:b]), zero) for a, b in pairwise(self.share.start.tolist())]
        for _, first, count in infosets_of(self.old):
            own = slice(first, first + count)
            weights = out[own] if any(out[own]) else list(map(Fraction, fallback[own]))
            total = sum(weights, zero)
            out[own] = [weight / total for weight in weights]
        return out
