"""Predictive regret matching on the two decision DAGs of a phantom game, and the bounds that strategies prove.

PCFR+ (Farina, Kroer and Sandholm 2021) with alternating updates and quadratic averaging. The infosets of a turn are
reached on many ways, but what is said about treeplexes in `exact.cfr` goes through word by word: the value of an
infoset counts for every sequence that leads there. On these games the last iterate converges fast, and to strategies
with small supports; products with the payoff matrix therefore skip the weights that are zero.
"""

from typing import NamedTuple

import numpy as np

from ..core.kernel import kernel
from .bilinear_form import Decisions, Form
from .histories import NOWHERE

HEADER, SIZES, PARTS = 5, 2, 4
"""A saved state starts with two sizes, the iterations and the bounds; each player then has four vectors."""


class Half(NamedTuple):
    """One player's DAG, his opponent's lines of the payoff matrix, and what changes with every iteration."""

    first: np.ndarray
    actions: np.ndarray
    start: np.ndarray
    follow: np.ndarray
    lines: np.ndarray
    other: np.ndarray
    entry: np.ndarray
    regret: np.ndarray
    average: np.ndarray
    behaviour: np.ndarray
    best: np.ndarray
    """The behaviour that has secured most so far."""
    plan: np.ndarray
    worth: np.ndarray
    hope: np.ndarray
    value: np.ndarray
    hoped: np.ndarray


@kernel
def gather(lines, other, entry, plan, out):
    """Write the product of the payoff matrix with a plan, line by line of the plan."""
    for s in range(len(out)):
        out[s] = 0
    for line in range(len(plan)):
        weight = plan[line]
        if weight != 0:
            for k in range(lines[line], lines[line + 1]):
                out[other[k]] += entry[k] * weight


@kernel
def fold_best(first, count, start, follow, worth, value, sign):
    """The best total against `worth`, which the first sequence holds in the end; the sign -1 looks for the least."""
    for i in range(len(first) - 1, -2, -1):
        low, high = (first[i], first[i] + count[i]) if i >= 0 else (0, 1)
        for s in range(low, high):
            for k in range(start[s], start[s + 1]):
                worth[s] += value[follow[k]]
        if i >= 0:
            best = worth[low]
            for s in range(low + 1, high):
                if sign * worth[s] > sign * best:
                    best = worth[s]
            value[i] = best


@kernel
def spread_reach(first, count, start, follow, behaviour, plan, reach):
    """Turn the probability of each action at its infoset into a plan, the weight of each sequence."""
    for i in range(len(first)):
        reach[i] = 0
    plan[0] = 1
    for k in range(start[0], start[1]):
        reach[follow[k]] += 1
    for i in range(len(first)):
        for s in range(first[i], first[i] + count[i]):
            plan[s] = reach[i] * behaviour[s]
            for k in range(start[s], start[s + 1]):
                reach[follow[k]] += plan[s]


@kernel
def update(half, opposing, sign, weight):
    """One player's turn: regrets from the last infoset to the first, then the new plan from the first to the last."""
    worth, hope, regret, behaviour = half.worth, half.hope, half.regret, half.behaviour
    gather(half.lines, half.other, half.entry, opposing, worth)
    for i in range(len(half.first) - 1, -1, -1):
        low = half.first[i]
        high = low + half.actions[i]
        mean, hoped = 0.0, 0.0
        for s in range(low, high):
            hope[s] = worth[s]
            for k in range(half.start[s], half.start[s + 1]):
                worth[s] += half.value[half.follow[k]]
                hope[s] += half.hoped[half.follow[k]]
            mean += behaviour[s] * worth[s]
            hoped += behaviour[s] * hope[s]
        half.value[i] = mean
        total = 0.0
        for s in range(low, high):
            regret[s] = max(regret[s] + sign * (worth[s] - mean), 0.0)
            behaviour[s] = max(regret[s] + sign * (hope[s] - hoped), 0.0)
            total += behaviour[s]
        hoped = 0.0
        for s in range(low, high):
            behaviour[s] = behaviour[s] / total if total > 0.0 else 1.0 / half.actions[i]
            hoped += behaviour[s] * hope[s]
        half.hoped[i] = hoped
    spread_reach(half.first, half.actions, half.start, half.follow, behaviour, half.plan, half.value)
    for s in range(len(half.plan)):
        half.average[s] += weight * half.plan[s]


@kernel
def iterate(one, two, done, iterations):
    """Go on for some iterations after the first `done`."""
    for t in range(done + 1, done + iterations + 1):
        update(one, two.plan, 1.0, float(t) ** 2)
        update(two, one.plan, -1.0, float(t) ** 2)


class Bounds(NamedTuple):
    """What two behaviour strategies prove about Black's value, up to rounding."""

    lower: float
    upper: float
    black: np.ndarray
    white: np.ndarray

    @property
    def gap(self) -> float:
        return self.upper - self.lower


def plan_of(side: Decisions, behaviour: np.ndarray) -> np.ndarray:
    """The plan of a behaviour strategy: the weight of each sequence."""
    plan = np.zeros(side.sequences)
    spread_reach(side.first, side.count, side.start, side.follow, behaviour, plan, np.empty(side.infosets))
    return plan


def guaranteed_value(form: Form, player: int, plan: np.ndarray) -> float:
    """What Black gets if one player keeps to his plan and the other one answers as well as he can."""
    mine, theirs = (form.rows, form.sides[1]) if player == 0 else (form.columns, form.sides[0])
    worth = np.empty(theirs.sequences)
    gather(mine.start, mine.column, mine.value, plan, worth)
    value = np.empty(theirs.infosets)
    fold_best(theirs.first, theirs.count, theirs.start, theirs.follow, worth, value, 1 if player else -1)
    return 0.5 + float(worth[0]) / form.unit


class Regrets:
    """A run of PCFR+ on a game, which can be stopped after any batch, saved, restored and continued.

    Neither the sizes of the batches nor an interruption change a bit of the result.
    """

    lower, upper = 0.0, 1.0
    """What the best strategies so far secure, up to rounding; everything secures the worst payoff."""

    def __init__(self, form: Form):
        self.form = form
        self.iterations = 0
        self._memory = np.zeros(PARTS * sum(side.sequences for side in form.sides))
        split = PARTS * form.sides[0].sequences
        self._one = _half(form, 0, self._memory[:split])
        self._two = _half(form, 1, self._memory[split:])

    def advance(self, iterations: int) -> None:
        """Go on for some iterations."""
        if iterations < 0:
            raise ValueError(f"the number of iterations must not be negative, but it is {iterations}")
        iterate(self._one, self._two, self.iterations, iterations)
        self.iterations += iterations

    @property
    def last(self) -> tuple[np.ndarray, np.ndarray]:
        """The latest behaviour of both players, a probability for each sequence; entry 0 is 1."""
        return self._one.behaviour.copy(), self._two.behaviour.copy()

    def bounds(self) -> Bounds:
        """The bounds proved so far, up to rounding, by average and latest strategies at this and earlier looks."""
        for player, half in enumerate((self._one, self._two)):
            side = self.form.sides[player]
            average = average_strategy(side, half.average)
            for behaviour, plan in ((half.behaviour, half.plan), (average, plan_of(side, average))):
                found = guaranteed_value(self.form, player, plan)
                if found < self.upper if player else found > self.lower:
                    half.best[:] = behaviour
                    self.lower, self.upper = (self.lower, found) if player else (found, self.upper)
        return Bounds(self.lower, self.upper, self._one.best.copy(), self._two.best.copy())

    @property
    def state(self) -> bytes:
        """All that the run needs to go on: the header; then regrets, averages, behaviours and the best of them."""
        return np.concatenate((self._header, self._memory)).astype("<f8").tobytes()

    def restore(self, state: bytes) -> None:
        """Continue from a saved state of the same game."""
        if len(state) != 8 * (HEADER + len(self._memory)):
            raise ValueError(
                f"a saved state of this game has {8 * (HEADER + len(self._memory))} bytes, not {len(state)}"
            )
        cells = np.frombuffer(state, "<f8")
        if not np.array_equal(cells[:SIZES], self._header[:SIZES]):
            raise ValueError("the saved state is of another game; its sizes must be those of this one")
        if not self._is_sound(cells):
            raise ValueError("the saved state is damaged; its numbers must be finite and its strategies probabilities")
        self.iterations = int(cells[SIZES])
        self.lower, self.upper = cells[SIZES + 1 : HEADER].tolist()
        self._memory[:] = cells[HEADER:]
        for side, half in zip(self.form.sides, (self._one, self._two), strict=True):
            half.plan[:] = plan_of(side, half.behaviour)

    def _is_sound(self, cells: np.ndarray) -> bool:
        """Whether a state could have been saved: iterations are a number, averages and behaviours not negative."""
        done, split = cells[SIZES], HEADER + PARTS * self.form.sides[0].sequences
        if not np.isfinite(cells).all() or done < 0 or done != int(done):
            return False
        for side, memory in zip(self.form.sides, (cells[HEADER:split], cells[split:]), strict=True):
            _, *parts = memory.reshape(PARTS, side.sequences)
            if min(part.min() for part in parts) < 0:
                return False
            for behaviour in parts[1:]:
                totals = np.bincount(side.infoset_of[1:] + 1, behaviour[1:], 1 + side.infosets)[1:]
                if np.any(np.abs(totals - 1) > 1e-9):
                    return False
        return True

    @property
    def _header(self) -> np.ndarray:
        sizes = [side.sequences for side in self.form.sides]
        return np.array([*sizes, self.iterations, self.lower, self.upper], float)


def average_strategy(side: Decisions, weights: np.ndarray) -> np.ndarray:
    """Behaviour in proportion to weights, uniform where they are all 0; entry 0 is 1."""
    owner = side.infoset_of[1:]
    total = np.bincount(owner + 1, weights[1:], 1 + side.infosets)[owner + 1]
    shares = np.where(total > 0, weights[1:] / np.where(total > 0, total, 1), 1 / side.count[owner])
    return np.r_[1.0, np.where(owner == NOWHERE, 0.0, shares)]


def _half(form: Form, player: int, memory: np.ndarray) -> Half:
    """A player's arrays before the first iteration, without regrets and uniform; `memory` is his part of the state."""
    side, matrix = form.sides[player], (form.columns, form.rows)[player]
    regret, average, behaviour, best = memory.reshape(PARTS, side.sequences)
    behaviour[0] = 1.0
    owner = side.infoset_of[1:]
    behaviour[1:] = np.where(owner == NOWHERE, 0.0, 1.0 / side.count[owner])
    best[:] = behaviour
    worth, hope = np.zeros((2, side.sequences))
    value, hoped = np.zeros((2, side.infosets))
    graph = side.first, side.count, side.start, side.follow
    return Half(
        *graph, matrix.start, matrix.column, matrix.value,
        regret, average, behaviour, best, plan_of(side, behaviour), worth, hope, value, hoped,
    )  # fmt: skip
