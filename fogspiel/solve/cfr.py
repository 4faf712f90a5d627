"""Regret minimisation on the sequence form: CFR+, discounted CFR and predictive CFR+.

Every infoset has a regret for each of its actions and plays in proportion to the positive ones (counterfactual regret
minimisation, Zinkevich et al. 2007). The players update in turn, each against the latest plan of the other. Iteration t
keeps the share t^alpha / (t^alpha + 1) of a positive regret and t^beta / (t^beta + 1) of a negative one, and has the
weight t^gamma in the average (discounted CFR, Brown and Sandholm 2019). CFR+ (Tammelin 2014) is (inf, -inf, 1), since
to keep nothing of a negative regret is to cut it off at zero. PCFR+ (Farina, Kroer and Sandholm 2021) plays as if the
regrets of the next iteration were there already, guessing that the opponent stays where he is; further down the tree
the guess takes the player's own new behaviour for granted.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from ..core.kernel import inlined, kernel
from .sequence_form import SequenceForm, Sparse, Treeplex, best_total, clean, multiply, plan_of


class Method(NamedTuple):
    """How regrets are kept and iterates averaged."""

    alpha: float
    beta: float
    gamma: float
    predictive: bool


METHODS = {
    "cfr+": Method(inf, -inf, 1.0, False),
    "dcfr": Method(1.5, 0.0, 2.0, False),
    "pcfr+": Method(inf, -inf, 2.0, True),
}


class Half(NamedTuple):
    """One player's arrays: his treeplex, his rows of the payoff matrix, and what changes with every iteration."""

    parent: np.ndarray
    first: np.ndarray
    actions: np.ndarray
    start: np.ndarray
    column: np.ndarray
    value: np.ndarray
    regret: np.ndarray
    average: np.ndarray
    behaviour: np.ndarray
    plan: np.ndarray
    worth: np.ndarray
    hope: np.ndarray


@inlined
def keep_iterate(t, power):
    """The share t^power / (t^power + 1) of a regret that is kept; all or nothing for an infinite power."""
    if np.isinf(power):
        return 1.0 if power > 0 else 0.0
    return t**power / (t**power + 1.0)


@kernel
def update(half, opposing, sign, keep_gain, keep_loss, weight, predictive):
    """One player's turn: regrets from the last infoset to the first, then the new plan from the first to the last."""
    parent, first, count = half.parent, half.first, half.actions
    worth, hope, regret, behaviour = half.worth, half.hope, half.regret, half.behaviour
    multiply(half.start, half.column, half.value, opposing, worth)
    if predictive:
        for s in range(len(worth)):
            hope[s] = worth[s]
    for i in range(len(parent) - 1, -1, -1):
        low = first[i]
        high = low + count[i]
        mean = 0.0
        hoped = 0.0
        for s in range(low, high):
            mean += behaviour[s] * worth[s]
            if predictive:
                hoped += behaviour[s] * hope[s]
        worth[parent[i]] += mean
        total = 0.0
        for s in range(low, high):
            past = regret[s]
            now = past * (keep_gain if past > 0.0 else keep_loss) + sign * (worth[s] - mean)
            regret[s] = now
            now = max(now, 0.0)
            if predictive:
                now = max(now + sign * (hope[s] - hoped), 0.0)
            behaviour[s] = now
            total += now
        hoped = 0.0
        for s in range(low, high):
            behaviour[s] = behaviour[s] / total if total > 0.0 else 1.0 / count[i]
            if predictive:
                hoped += behaviour[s] * hope[s]
        if predictive:
            hope[parent[i]] += hoped
    plan, average = half.plan, half.average
    plan[0] = 1.0
    for i in range(len(parent)):
        reach = plan[parent[i]]
        for s in range(first[i], first[i] + count[i]):
            plan[s] = reach * behaviour[s]
            average[s] += weight * plan[s]


@kernel
def iterate(one, two, done, iterations, alpha, beta, gamma, predictive):
    """Go on for some iterations after the first `done`."""
    for t in range(done + 1, done + iterations + 1):
        keep_gain = keep_iterate(t - 1.0, alpha)
        keep_loss = keep_iterate(t - 1.0, beta)
        weight = float(t) ** gamma
        update(one, two.plan, 1.0, keep_gain, keep_loss, weight, predictive)
        update(two, one.plan, -1.0, keep_gain, keep_loss, weight, predictive)


class Bounds(NamedTuple):
    """What two behaviour strategies prove about the value of the game."""

    lower: float
    """What the first player's strategy secures for him, whatever the second player does."""
    upper: float
    """What the second player's strategy concedes at most."""
    first: np.ndarray
    second: np.ndarray

    @property
    def gap(self) -> float:
        """How far apart the bounds are: the sum of what both players could still gain, not the mean."""
        return self.upper - self.lower


HEADER = 4


class Regrets:
    """A run of a method on a game, which can be stopped after any batch, saved, restored and continued.

    Neither the sizes of the batches nor an interruption change a bit of the result.
    """

    def __init__(self, form: SequenceForm, method: str = "pcfr+"):
        if method not in METHODS:
            raise ValueError(f"there is no method {method!r}; the methods are {', '.join(METHODS)}")
        self.form = form
        self.method = method
        self.iterations = 0
        self._memory = np.zeros(3 * sum(plex.sequences for plex in form.plexes))
        split = 3 * form.plexes[0].sequences
        self._one = _half(form.plexes[0], form.matrix, self._memory[:split])
        self._two = _half(form.plexes[1], form.transposed, self._memory[split:])

    def advance(self, iterations: int) -> None:
        """Go on for some iterations."""
        if iterations < 0:
            raise ValueError(f"the number of iterations must not be negative, but it is {iterations}")
        iterate(self._one, self._two, self.iterations, iterations, *METHODS[self.method])
        self.iterations += iterations

    @property
    def last(self) -> tuple[np.ndarray, np.ndarray]:
        """The latest behaviour of both players, a probability for each sequence; entry 0 is 1."""
        return self._one.behaviour.copy(), self._two.behaviour.copy()

    @property
    def average(self) -> tuple[np.ndarray, np.ndarray]:
        """The behaviour of the average plans of both players."""
        return _average(self._one), _average(self._two)

    def gap(self) -> Bounds:
        """The bounds proved so far, up to rounding; each side has the better of its average and latest strategy."""
        (one, two), form = self.form.plexes, self.form
        firsts = [(-best_total(two, -form.transposed.times(plan_of(one, x))), x) for x in self._choices(0)]
        seconds = [(best_total(one, form.matrix.times(plan_of(two, y))), y) for y in self._choices(1)]
        lower, first = max(firsts, key=_bound)
        upper, second = min(seconds, key=_bound)
        return Bounds(lower, upper, first, second)

    def _choices(self, player: int) -> tuple[np.ndarray, np.ndarray]:
        return self.average[player], self.last[player]

    @property
    def state(self) -> bytes:
        """All that the run needs to go on: method, sizes, iterations; then regrets, averages and behaviours."""
        return np.concatenate((self._header, self._memory)).astype("<f8").tobytes()

    def restore(self, state: bytes) -> None:
        """Continue from a saved state of the same method on the same game."""
        if len(state) != 8 * (HEADER + len(self._memory)):
            raise ValueError(
                f"a saved state of this game has {8 * (HEADER + len(self._memory))} bytes, not {len(state)}"
            )
        cells = np.frombuffer(state, "<f8")
        if not np.array_equal(cells[: HEADER - 1], self._header[: HEADER - 1]):
            raise ValueError(f"the saved state is of another game or method; it must be of {self.method} on this game")
        if not self._is_sound(cells):
            raise ValueError("the saved state is damaged; its numbers must be finite and its strategies probabilities")
        self.iterations = int(cells[HEADER - 1])
        self._memory[:] = cells[HEADER:]
        for plex, half in zip(self.form.plexes, (self._one, self._two), strict=True):
            half.plan[:] = plan_of(plex, half.behaviour)

    def _is_sound(self, cells: np.ndarray) -> bool:
        """Whether a state could have been saved: the iterations are a number, all averages and behaviours plans."""
        done, split = cells[HEADER - 1], HEADER + 3 * self.form.plexes[0].sequences
        if not np.isfinite(cells).all() or done < 0 or done != int(done):
            return False
        for plex, memory in zip(self.form.plexes, (cells[HEADER:split], cells[split:]), strict=True):
            _, average, behaviour = memory.reshape(3, plex.sequences)
            totals = np.bincount(plex.infoset_of[1:], behaviour[1:], plex.infosets)
            if min(average.min(), behaviour.min()) < 0 or np.any(np.abs(totals - 1) > 1e-9):
                return False
        return True

    @property
    def _header(self) -> np.ndarray:
        sizes = [plex.sequences for plex in self.form.plexes]
        return np.array([list(METHODS).index(self.method), *sizes, self.iterations], float)


def _half(plex: Treeplex, matrix: Sparse, memory: np.ndarray) -> Half:
    """A player's arrays before the first iteration, without regrets and uniform; `memory` is his part of the state."""
    regret, average, behaviour = memory.reshape(3, plex.sequences)
    behaviour[0] = 1.0
    behaviour[1:] = np.repeat(1.0 / plex.count, plex.count)
    rows = matrix.start, matrix.column, matrix.value
    worth, hope = np.zeros(plex.sequences), np.zeros(plex.sequences)
    plan = plan_of(plex, behaviour)
    return Half(plex.parent, plex.first, plex.count, *rows, regret, average, behaviour, plan, worth, hope)


def _average(half: Half) -> np.ndarray:
    behaviour = np.ones(len(half.average))
    clean(half.parent, half.first, half.actions, half.average, behaviour)
    return behaviour


def _bound(choice: tuple[float, np.ndarray]) -> float:
    return choice[0]
