"""Presolve: make a game smaller before it is solved, without changing its value.

On the tree, an action goes if another one is never worse, whatever happens later (`interval_dominance`). On the
sequence form, forced moves and choices that do not depend on the opponent are folded into the sequence before them,
equal payoff rows are merged, dominated ones dropped (`row_dominance`), and the tail of a game becomes a list of plans
where that is smaller (`strategy_expansion`).

Every step is weak dominance or a change of words, so an equilibrium of the reduced game is one of the whole game. In
every step the plan of an old sequence is the sum of the plans of some new ones, so lifting is one sparse matrix of
zeros and ones for each player.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..sequence_form import SequenceForm, Sparse, Treeplex, exact_plan_of, infosets_of, plan_of, proportional
from ..tree import Tree, sequence_form
from .interval_dominance import DROPPED, undominated_actions
from .row_dominance import drop_dominated_rows, share_of
from .strategy_expansion import expand_tails

# The probability of each sequence of a player at its infoset: an array of floats or a list of fractions.
Behaviour = np.ndarray | Sequence[Fraction]
Pair = tuple[np.ndarray, np.ndarray]
Lift = Callable[[Behaviour, Behaviour], tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class Reduced:
    """A smaller game with the same value; `lift` takes the behaviour of both to that in the original game."""

    form: SequenceForm
    lift: Lift


def presolve_tree(tree: Tree) -> Reduced:
    """The sequence form of a tree, reduced on the tree and on the form until nothing changes."""
    pruned, targets = undominated_actions(tree)
    allowed = targets[0] != DROPPED, targets[1] != DROPPED
    return _reduce((tree.treeplex(0), tree.treeplex(1)), sequence_form(pruned), targets, allowed)


def presolve_form(form: SequenceForm) -> Reduced:
    """A sequence form, reduced until nothing changes."""
    same = np.arange(form.treeplexes[0].sequences), np.arange(form.treeplexes[1].sequences)
    return _reduce(form.treeplexes, form, same, (same[0] >= 0, same[1] >= 0))


def _reduce(treeplexes: tuple[Treeplex, Treeplex], form: SequenceForm, targets: Pair, allowed: Pair) -> Reduced:
    """The reduced form of a game whose treeplexes were these; `targets` are the numbers of their sequences by now."""
    form, shares = reduce_form(form)
    one, two = (
        _Origin(treeplexes[p], form.treeplexes[p], _chain(share_of(targets[p]), shares[p]), allowed[p]) for p in (0, 1)
    )
    return Reduced(form, lambda first, second: (one.lifted(first), two.lifted(second)))


# The steps on the sequence form


def reduce_form(form: SequenceForm) -> tuple[SequenceForm, list[Sparse]]:
    """The form after all steps of both players, until nothing changes, and both players' shares.

    Every step is the first player's, so the second takes its steps with the seats exchanged.
    """
    shares = [share_of(np.arange(treeplex.sequences)) for treeplex in form.treeplexes]
    before = None
    while before != form.sizes:
        before = form.sizes
        for player in (0, 1):
            for step in (drop_dominated_rows, expand_tails):
                form, share = step(form)
                shares[player] = _chain(shares[player], share)
            form = form.swapped()
    return form, shares


def _chain(outer: Sparse, inner: Sparse) -> Sparse:
    """The product of two matrices of zeros and ones."""
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
    allowed: np.ndarray  # which old sequences may be played in infosets without a share

    def lifted(self, behaviour: Behaviour) -> Any:
        """The behaviour in the old game: floats from floats, fractions from fractions."""
        return self._floats(behaviour) if isinstance(behaviour, np.ndarray) else self._fractions(behaviour)

    @cached_property
    def fallback(self) -> np.ndarray:
        """Return the uniform play in infosets at which the player does not arrive by its own plan."""
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
