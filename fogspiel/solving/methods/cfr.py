"""Regret minimisation on the sequence form, of trees and of DAGs: CFR+, discounted CFR and predictive CFR+.

Every infoset has a regret for each of its actions and plays in proportion to the positive ones (counterfactual regret
minimisation, Zinkevich et al. 2007). The players update in turn, each against the opponent's latest plan. Iteration t
multiplies positive regrets by t^alpha / (t^alpha + 1) and negative ones by t^beta / (t^beta + 1), and has the weight
t^gamma in the average (discounted CFR, Brown and Sandholm 2019). CFR+ (Tammelin 2014) is (inf, -inf, 1), since
multiplying negative regrets by 0 cuts them off at zero. PCFR+ (Farina, Kroer and Sandholm 2021) plays by the predicted
regrets of the next iteration, assuming that the opponent's plan stays the same; further down the tree the prediction
assumes the player's own new behaviour.
"""

from collections import namedtuple
from math import inf
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import inlined, kernel
from ..tree.sequence_form import (
    DecisionProblem,
    SequenceForm,
    Sparse,
    guaranteed_value,
    multiply_transposed,
    plan_of,
    proportional,
    spread,
)

Pair = tuple[np.ndarray, np.ndarray]
PROBABLE = 1e-9  # tolerance for the sums of saved probabilities


class CfrVariant(NamedTuple):
    alpha: float
    beta: float
    gamma: float
    predictive: bool


METHODS = {
    "cfr+": CfrVariant(inf, -inf, 1.0, False),
    "dcfr": CfrVariant(1.5, 0.0, 2.0, False),
    "pcfr+": CfrVariant(inf, -inf, 2.0, True),
}


PlayerState = namedtuple(
    "PlayerState",
    "parent first actions start follow line other payoff regret average behaviour plan worth hope value hoped",
)  # arrays: one player's decisions, the payoffs by the opponent's sequences, and the state of the iterations


@inlined
def keep_iterate(t, power):
    """Return the factor t^power / (t^power + 1) of a regret; 1 or 0 for an infinite power."""
    if np.isinf(power):
        return 1.0 if power > 0 else 0.0
    return t**power / (t**power + 1.0)


@kernel
def update(player, opposing, sign, keep_gain, keep_loss, weight, predictive):
    """Update one player: regrets from the last infoset to the first, then the new plan from the first to the last.

    `worth` is each sequence's value against the opponent's latest plan under the player's latest behaviour, `hope` the
    same under the new behaviour. In a tree an infoset adds both to its parent, which is faster; in a DAG `value` and
    `hoped` store them for all sequences that lead there.
    """
    parent, first, count, start, follow = player.parent, player.first, player.actions, player.start, player.follow
    worth, hope, regret, behaviour = player.worth, player.hope, player.regret, player.behaviour
    value, hoped = player.value, player.hoped
    is_tree = len(parent) > 0
    multiply_transposed(player.line, player.other, player.payoff, opposing, worth)
    if predictive:
        for s in range(len(worth)):
            hope[s] = worth[s]
    for i in range(len(first) - 1, -1, -1):
        low = first[i]
        high = low + count[i]
        if not is_tree:
            for s in range(low, high):
                for k in range(start[s], start[s + 1]):
                    worth[s] += value[follow[k]]
                    hope[s] += hoped[follow[k]]
        mean = 0.0
        expected = 0.0
        for s in range(low, high):
            mean += behaviour[s] * worth[s]
            if predictive:
                expected += behaviour[s] * hope[s]
        total = 0.0
        for s in range(low, high):
            past = regret[s]
            now = past * (keep_gain if past > 0.0 else keep_loss) + sign * (worth[s] - mean)
            regret[s] = now
            now = max(now, 0.0)
            if predictive:
                now = max(now + sign * (hope[s] - expected), 0.0)
            behaviour[s] = now
            total += now
        expected = 0.0
        for s in range(low, high):
            behaviour[s] = behaviour[s] / total if total > 0.0 else 1.0 / count[i]
            if predictive:
                expected += behaviour[s] * hope[s]
        if is_tree:
            worth[parent[i]] += mean
            if predictive:
                hope[parent[i]] += expected
        else:
            value[i] = mean
            hoped[i] = expected
    plan, average = player.plan, player.average
    if is_tree:
        for i in range(len(parent)):
            reach = plan[parent[i]]
            for s in range(first[i], first[i] + count[i]):
                plan[s] = reach * behaviour[s]
    else:
        spread(first, count, start, follow, behaviour, plan, value)
    for s in range(1, len(plan)):
        average[s] += weight * plan[s]


@kernel
def iterate(one, two, done, iterations, alpha, beta, gamma, predictive):
    for t in range(done + 1, done + iterations + 1):
        keep_gain = keep_iterate(t - 1.0, alpha)
        keep_loss = keep_iterate(t - 1.0, beta)
        weight = float(t) ** gamma
        update(one, two.plan, 1.0, keep_gain, keep_loss, weight, predictive)
        update(two, one.plan, -1.0, keep_gain, keep_loss, weight, predictive)


class ValueBounds(NamedTuple):
    """Bounds on the game's value by two behaviour strategies."""

    lower: float  # guarantee of the first player's strategy against any opponent
    upper: float  # the first player's maximum against the second player's strategy
    first: np.ndarray
    second: np.ndarray

    @property
    def gap(self) -> float:
        """Distance of the bounds: the sum of both players' possible gains, not the mean."""
        return self.upper - self.lower


class RegretMinimiser:
    """A run of a method on two decision problems, which can be stopped after any batch, saved, restored and continued.

    The result is bit-identical whatever the sizes of the batches and the interruptions. A saved state is a header (the
    identity of the run, the iterations, and the subclass's additional state), then for each player the rows of `parts`.
    """

    # Rows of a player's memory: regret, average plan, latest behaviour, and the behaviours of a subclass.
    parts = 3

    def __init__(
        self, treeplexes: tuple[DecisionProblem, DecisionProblem], by_sequence: tuple[Sparse, Sparse], method: str
    ):
        """Start with uniform behaviour; `by_sequence` is the payoff matrix by rows and by columns."""
        if method not in METHODS:
            raise ValueError(f"there is no method {method!r}; the methods are {', '.join(METHODS)}")
        self.treeplexes, self.method = treeplexes, method
        self.iterations = 0
        self._memory = np.zeros(self.parts * sum(treeplex.sequences for treeplex in treeplexes))
        by_rows, by_columns = by_sequence
        one, two = self._rows(self._memory)
        self._players = _player_state(treeplexes[0], by_columns, one), _player_state(treeplexes[1], by_rows, two)

    def advance(self, iterations: int) -> None:
        if iterations < 0:
            raise ValueError(f"the number of iterations must not be negative, but it is {iterations}")
        iterate(*self._players, self.iterations, iterations, *METHODS[self.method])
        self.iterations += iterations

    @property
    def last(self) -> Pair:
        """The latest behaviour of both players, a probability for each sequence; entry 0 is 1."""
        one, two = self._players
        return one.behaviour.copy(), two.behaviour.copy()

    @property
    def average(self) -> Pair:
        one, two = self._players
        return proportional(self.treeplexes[0], one.average), proportional(self.treeplexes[1], two.average)

    @property
    def state(self) -> bytes:
        return np.concatenate((self._header, self._memory)).astype("<f8").tobytes()

    def restore(self, state: bytes) -> None:
        header, identity = len(self._header), len(self._identity)
        size = 8 * (header + len(self._memory))
        if len(state) != size:
            raise ValueError(f"a saved state of this game has {size} bytes, not {len(state)}")
        cells = np.frombuffer(state, "<f8")
        if not np.array_equal(cells[:identity], self._identity):
            raise ValueError(self._mismatch)
        if not self._is_sound(float(cells[identity]), cells, self._rows(cells[header:])):
            raise ValueError("the saved state is damaged; its numbers must be finite and its strategies probabilities")
        self.iterations = int(cells[identity])
        self._recall(cells[identity + 1 : header].tolist())
        self._memory[:] = cells[header:]
        for treeplex, player in zip(self.treeplexes, self._players, strict=True):
            player.plan[:] = plan_of(treeplex, player.behaviour)

    def _rows(self, memory: np.ndarray) -> Pair:
        split = self.parts * self.treeplexes[0].sequences
        return memory[:split].reshape(self.parts, -1), memory[split:].reshape(self.parts, -1)

    def _is_sound(self, done: float, cells: np.ndarray, rows: Pair) -> bool:
        """True if a state could have been saved: a count of iterations, nonnegative averages, valid probabilities."""
        if not np.isfinite(cells).all() or done < 0 or done != int(done):
            return False
        for treeplex, (_, *kept) in zip(self.treeplexes, rows, strict=True):
            if min(row.min() for row in kept) < 0:
                return False
            for behaviour in kept[1:]:
                totals = np.bincount(treeplex.infoset_of[1:] + 1, behaviour[1:], 1 + treeplex.infosets)[1:]
                if np.any(np.abs(totals - 1) > PROBABLE):
                    return False
        return True

    @property
    def _header(self) -> np.ndarray:
        return np.array([*self._identity, self.iterations, *self._remembered], float)

    @property
    def _identity(self) -> list[float]:
        """The numbers that distinguish saved states of different runs."""
        return [treeplex.sequences for treeplex in self.treeplexes]

    _mismatch = "the saved state is of another game; its sizes must be those of this one"

    @property
    def _remembered(self) -> list[float]:
        return []

    def _recall(self, remembered: list[float]) -> None:
        """Restore the additional state of a subclass."""


class TreeRegrets(RegretMinimiser):
    def __init__(self, form: SequenceForm, method: str = "pcfr+"):
        super().__init__(form.treeplexes, (form.matrix, form.transposed), method)
        self.form = form
        self._mismatch = f"the saved state is of another game or method; it must be of {method} on this game"

    def gap(self) -> ValueBounds:
        """Return the bounds so far, up to rounding; each side uses the better of its average and latest strategy."""
        pairs = self.average, self.last
        found = [guaranteed_value(self.form, *map(plan_of, self.treeplexes, pair)) for pair in pairs]
        lower, first = max(((lower, x) for (lower, _), (x, _) in zip(found, pairs, strict=True)), key=itemgetter(0))
        upper, second = min(((upper, y) for (_, upper), (_, y) in zip(found, pairs, strict=True)), key=itemgetter(0))
        return ValueBounds(lower, upper, first, second)

    @property
    def _identity(self) -> list[float]:
        return [list(METHODS).index(self.method), *super()._identity]


def _player_state(treeplex: DecisionProblem, payoffs: Sparse, rows: np.ndarray) -> PlayerState:
    """Return a player's arrays before the first iteration: no regrets, uniform; `rows` are its part of the memory."""
    regret, average, behaviour = rows[:3]
    rows[2:] = proportional(treeplex, np.zeros(treeplex.sequences))
    graph = treeplex.parent, treeplex.first, treeplex.count, treeplex.start, treeplex.follow
    matrix = payoffs.start, payoffs.column, payoffs.value
    worth, hope = np.zeros((2, treeplex.sequences))
    value, hoped = np.zeros((2, treeplex.infosets))
    plan = plan_of(treeplex, behaviour)
    return PlayerState(*graph, *matrix, regret, average, behaviour, plan, worth, hope, value, hoped)
