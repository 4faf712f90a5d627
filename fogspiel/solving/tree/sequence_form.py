"""The sequence form of a two-player zero-sum game: two treeplexes and a sparse payoff matrix, all in flat arrays.

A sequence is one player's actions so far: number 0 is empty, and infoset i has the sequences first[i] .. first[i] +
count[i] - 1, one for each action, which continue sequence parent[i]. Parents come before children, so one forward loop
turns behaviour into a realisation plan and one reverse loop is a best response (Koller, Megiddo and von Stengel 1994;
von Stengel 1996). Bossle (2018) calls the two halves knowledge trees.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ...core.compile.kernel import kernel

MAX_NUMERATOR = 2**62  # the largest sum of payoffs in arrays of 64-bit integers


class DecisionProblem(Protocol):
    """The decisions of one player: a tree (`Treeplex`), or a DAG in which several sequences lead to one infoset.

    Sequence s leads to the infosets follow[start[s]] .. follow[start[s + 1] - 1], which come after its own infoset.
    """

    @property
    def parent(self) -> np.ndarray:
        """The one sequence that leads to each infoset of a tree; empty for a DAG."""
        ...

    @property
    def first(self) -> np.ndarray: ...
    @property
    def count(self) -> np.ndarray: ...
    @property
    def start(self) -> np.ndarray: ...
    @property
    def follow(self) -> np.ndarray: ...
    @property
    def infosets(self) -> int: ...
    @property
    def sequences(self) -> int: ...
    @property
    def infoset_of(self) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class Treeplex:
    """The decisions of one player; int64 arrays, one entry for each infoset."""

    parent: np.ndarray
    first: np.ndarray
    count: np.ndarray

    @property
    def infosets(self) -> int:
        return len(self.parent)

    @property
    def sequences(self) -> int:
        return 1 + int(self.count.sum())

    @cached_property
    def infoset_of(self) -> np.ndarray:
        """The infoset in which each sequence ends; -1 for the empty one."""
        owner: np.ndarray = np.r_[-1, np.repeat(np.arange(self.infosets), self.count)]
        return owner

    @cached_property
    def start(self) -> np.ndarray:
        """The first entry in `follow` of the infosets that follow each sequence."""
        begin: np.ndarray = np.r_[0, np.cumsum(np.bincount(self.parent, minlength=self.sequences))]
        return begin

    @cached_property
    def follow(self) -> np.ndarray:
        """The infosets that follow each sequence, the last first, in the order of a reverse loop over all infosets."""
        return self.infosets - 1 - np.argsort(self.parent[::-1], kind="stable")


@dataclass(frozen=True, eq=False)
class Sparse:
    """A sparse matrix by rows: the entries of row r are start[r] .. start[r + 1] - 1."""

    start: np.ndarray
    column: np.ndarray
    value: np.ndarray

    def times(self, y: np.ndarray) -> np.ndarray:
        out = np.empty(len(self.start) - 1)
        multiply(self.start, self.column, self.value, y, out)
        return out


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A game: x and y are realisation plans, x' A y / denominator is the first player's payoff.

    The entries of A are integers: payoffs times the probability of chance times the denominator, sorted by row
    and column, without repetition. Where their sum may exceed MAX_NUMERATOR the array holds Python integers.
    """

    treeplexes: tuple[Treeplex, Treeplex]
    rows: np.ndarray
    columns: np.ndarray
    payoffs: np.ndarray
    denominator: int

    @property
    def wide(self) -> bool:
        """True if the payoffs are Python integers, since sums do not fit into 64 bits."""
        return self.payoffs.dtype == object

    @cached_property
    def floats(self) -> np.ndarray:
        """The entries of A / denominator."""
        return (self.payoffs / self.denominator).astype(float)

    @cached_property
    def matrix(self) -> Sparse:
        """A / denominator by rows, in floats."""
        return sparse(self.rows, self.columns, self.floats, self.treeplexes[0].sequences)

    @cached_property
    def transposed(self) -> Sparse:
        """A / denominator by columns, in floats."""
        return sparse(self.columns, self.rows, self.floats, self.treeplexes[1].sequences)

    @property
    def sizes(self) -> dict[str, int | list[int]]:
        return {
            "infosets": [treeplex.infosets for treeplex in self.treeplexes],
            "sequences": [treeplex.sequences for treeplex in self.treeplexes],
            "nonzeros": len(self.payoffs),
        }

    def swapped(self) -> "SequenceForm":
        order, (first, second) = np.lexsort((self.rows, self.columns)), self.treeplexes
        rows, columns, payoffs = self.columns[order], self.rows[order], -self.payoffs[order]
        return SequenceForm((second, first), rows, columns, payoffs, self.denominator)


def sparse(rows: np.ndarray, columns: np.ndarray, values: np.ndarray, height: int) -> Sparse:
    order = np.lexsort((columns, rows))
    start = np.r_[0, np.cumsum(np.bincount(rows, minlength=height))]
    return Sparse(start, columns[order].astype(np.int64), values[order])


def links(treeplex: DecisionProblem) -> tuple[np.ndarray, np.ndarray]:
    """Return every pair of a sequence and an infoset that follows it."""
    return np.repeat(np.arange(treeplex.sequences), np.diff(treeplex.start)), treeplex.follow


def merge(
    treeplexes: tuple[Treeplex, Treeplex], rows: np.ndarray, columns: np.ndarray, weights: np.ndarray, denominator: int
) -> SequenceForm:
    """Return the sequence form with equal pairs of sequences summed and zeros dropped."""
    key = rows.astype(np.int64) * treeplexes[1].sequences + columns
    order = np.argsort(key, kind="stable")
    key = key[order]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if len(key) else np.zeros(0, np.int64)
    total = np.add.reduceat(weights[order], starts) if len(key) else weights
    kept = total != 0
    cell = key[starts][kept] if len(key) else key
    wide = treeplexes[1].sequences
    return SequenceForm(
        treeplexes, cell // wide, cell % wide, total[kept].astype(np.result_type(total, np.int64)), denominator
    )


@kernel
def multiply(start, column, value, y, out):
    for row in range(len(out)):
        total = 0.0
        for k in range(start[row], start[row + 1]):
            total += value[k] * y[column[k]]
        out[row] = total


@kernel
def multiply_transposed(start, column, value, y, out):
    """Write the product of the transposed matrix with a vector, whose zeros cost nothing."""
    for k in range(len(out)):
        out[k] = 0
    for row in range(len(y)):
        weight = y[row]
        if weight != 0:
            for k in range(start[row], start[row + 1]):
                out[column[k]] += value[k] * weight


@kernel
def fold_best(first, count, start, follow, worth, value):
    """Back up the best value of each infoset to its sequence in reverse order; worth[0] becomes the best total."""
    for i in range(len(first) - 1, -1, -1):
        for s in range(first[i], first[i] + count[i]):
            for k in range(start[s], start[s + 1]):
                worth[s] += value[follow[k]]
        value[i] = worth[first[i]]
        for s in range(first[i] + 1, first[i] + count[i]):
            value[i] = max(value[i], worth[s])
    for k in range(start[0], start[1]):
        worth[0] += value[follow[k]]


@kernel
def spread(first, count, start, follow, behaviour, plan, reach):
    """Turn the probability of each action at its infoset into a realisation plan."""
    for i in range(len(first)):
        reach[i] = 0.0
    plan[0] = 1.0
    for k in range(start[0], start[1]):
        reach[follow[k]] = 1.0
    for i in range(len(first)):
        for s in range(first[i], first[i] + count[i]):
            plan[s] = reach[i] * behaviour[s]
            for k in range(start[s], start[s + 1]):
                reach[follow[k]] += plan[s]


def best_total(treeplex: DecisionProblem, worth: np.ndarray) -> float:
    """Return the largest <worth, z> over the realisation plans z of a player."""
    folded = worth.copy()
    fold_best(treeplex.first, treeplex.count, treeplex.start, treeplex.follow, folded, np.empty(treeplex.infosets))
    return float(folded[0])


def plan_of(treeplex: DecisionProblem, behaviour: np.ndarray) -> np.ndarray:
    """Return the realisation plan of a behaviour strategy (a probability for each sequence, given its infoset)."""
    plan, reach = np.zeros(treeplex.sequences), np.empty(treeplex.infosets)
    spread(treeplex.first, treeplex.count, treeplex.start, treeplex.follow, behaviour, plan, reach)
    return plan


def proportional(treeplex: DecisionProblem, weights: np.ndarray) -> np.ndarray:
    """Return behaviour in proportion to weights, uniform where all are 0; entry 0 is 1, unused sequences 0."""
    owner = treeplex.infoset_of[1:]
    total = np.bincount(owner + 1, weights[1:], 1 + treeplex.infosets)[owner + 1]
    shares = np.where(total > 0, weights[1:] / np.where(total > 0, total, 1), 1 / treeplex.count[owner])
    behaviour: np.ndarray = np.r_[1.0, np.where(owner < 0, 0.0, shares)]
    return behaviour


NOISE = 1e-9  # weights of a plan up to this are rounding errors of the solver, and count as zero


def behaviour_of(treeplex: Treeplex, plan: np.ndarray) -> np.ndarray:
    """Return the behaviour strategy of a realisation plan, cleaned of rounding errors; entry 0 is 1."""
    return proportional(treeplex, np.where(plan > NOISE, plan, 0.0))


def worth_of(form: SequenceForm, player: int, opposing: np.ndarray) -> np.ndarray:
    """Return the value of each sequence to the player against a plan of the opponent."""
    return -form.transposed.times(opposing) if player else form.matrix.times(opposing)


def guaranteed_value(form: SequenceForm, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return plan x's guarantee for the first player, and plan y's concession."""
    first, second = form.treeplexes
    return -best_total(second, worth_of(form, 1, x)), best_total(first, worth_of(form, 0, y))


# The same in exact arithmetic


def infosets_of(treeplex: Treeplex) -> Iterator[tuple[int, int, int]]:
    """Yield the parent of each infoset, its first sequence, and its number of sequences."""
    return zip(treeplex.parent.tolist(), treeplex.first.tolist(), treeplex.count.tolist(), strict=True)


def exact_plan_of(treeplex: Treeplex, behaviour: Sequence[Fraction]) -> list[Fraction]:
    plan = [Fraction(1)] * treeplex.sequences
    for parent, first, count in infosets_of(treeplex):
        for s in range(first, first + count):
            plan[s] = plan[parent] * behaviour[s]
    return plan


def fold(treeplex: Treeplex, costs: Sequence[Any], best: Callable[[Sequence[Any]], Any]) -> list[Any]:
    """Return the cost of each sequence with the best that follows; of the empty one, the total."""
    folded = list(costs)
    for parent, first, count in reversed([*infosets_of(treeplex)]):
        folded[parent] += best(folded[first : first + count])
    return folded
