"""Programs with limits on their parameters and a known best setting: weak signals, half of the games drawn.

Strength in Elo falls with the distance from an optimum inside of the box, 42 to 66 Elo above the start; parameters are
real, whole, logarithmic and categorical. The methods were developed on the tasks of `tuned`: separable parabolas and
kinks. They are reported on those of `reported`, made by another law that they were not tuned on: parameters interact,
slopes are flatter far away, and each side of an optimum has a curvature of its own. In those of six parameters, two
pairs are discs (see `landscapes.py`), on which nearby settings beat each other in circles.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fogspiel.core.rng import UNIT, split
from fogspiel.tuning.programs.parameters import Parameters

GAINS = {2: 42.0, 6: 40.0, 12: 54.0, 60: 66.0}  # Elo of the optimum above the start
DRAWN = 0.5
ELO = math.log(10) / 400
CYCLIC = 6  # parameters of the cyclic task
TURN = 250.0  # Elo of the disc between opposite corners of the box
KINDS = {2: (1, 1, 0, 0), 6: (6, 0, 0, 0), 12: (6, 3, 2, 1), 60: (40, 12, 6, 2)}  # real, whole, log, of four choices
CHOICE_SHARE = 0.15  # of the gain, for each parameter with choices


def space_of(size: int, start: np.ndarray) -> Parameters:
    """Return parameters whose initial values are at these shares of their ranges."""
    reals, wholes, logs, _ = KINDS[size]
    tables: dict[str, dict] = {}
    for number, share in enumerate(start):
        if number < reals:
            tables[f"p{number}"] = {"start": 10 * float(share), "low": 0, "high": 10}
        elif number < reals + wholes:
            tables[f"p{number}"] = {"start": round(200 * share), "low": 0, "high": 200, "whole": True}
        elif number < reals + wholes + logs:
            tables[f"p{number}"] = {"start": 1000.0 ** float(share), "low": 1, "high": 1000, "scale": "log"}
        else:
            tables[f"p{number}"] = {"start": "a", "choices": ["a", "b", "c", "d"]}
    return Parameters.of(tables)


@dataclass
class Task:
    """A contest of vectors: wins, draws and losses by the difference of their strengths in Elo."""

    name: str
    strategy: Parameters
    optimum: np.ndarray  # as shares of the ranges
    weights: np.ndarray
    bent: bool
    cyclic: bool
    axes: np.ndarray
    bonus: np.ndarray  # Elo of each choice, a row for each parameter that has some
    scale: float = 1.0

    payoffs = (Fraction(0), Fraction(1, 2), Fraction(1))
    max_score, mixes, least = 2, False, 1

    @property
    def box(self) -> np.ndarray:
        return self.strategy.box

    def start(self) -> np.ndarray:
        return self.strategy.start

    def clip(self, theta: np.ndarray) -> np.ndarray:
        return self.strategy.clip(theta)

    def shares(self, thetas: np.ndarray) -> np.ndarray:
        low, high = self.strategy.box[:, : len(self.optimum)]
        shares = np.clip((thetas[:, : len(self.optimum)] - low) / (high - low), 0, 1)
        whole = [member.whole for member in self.strategy.members[: len(self.optimum)]]
        return np.where(whole, np.round(200 * shares) / 200, shares)

    def elo(self, thetas: np.ndarray) -> np.ndarray:
        """Return strengths in Elo; 0 at the optimum."""
        away = self.shares(thetas) - self.optimum
        if self.bent:  # twice as steep on one side, axes turned in pairs, and flat far away
            away = np.where(away * self.axes[0] > 0, 1.4 * away, 0.8 * away)
            turned = away + 0.5 * np.roll(away, 1, axis=1)
            found = -120 * (1 - np.exp(-self.scale * (self.weights * turned**2).sum(axis=1) / 120))
        else:
            powers = np.where(np.arange(away.shape[1]) % 2, 1.6, 2.0)  # every other one a kink, lopsided
            away = np.where(powers < 2, np.where(away > 0, 1.25, 0.75), 1) * away
            found = -self.scale * (self.weights * np.abs(away) ** powers).sum(axis=1)
        for row, bonus in enumerate(self.bonus):
            member = self.strategy.members[len(self.optimum) + row]
            numbers = thetas[:, len(self.optimum) + row]
            found = found + np.array([bonus["abcd".index(str(member.value(number)))] for number in numbers])
        return np.asarray(found)

    def lead(self, firsts: np.ndarray, seconds: np.ndarray) -> np.ndarray:
        lead = self.elo(firsts) - self.elo(seconds)
        if self.cyclic:
            a, b = (self.shares(thetas)[:, :4] - self.optimum[:4] for thetas in (firsts, seconds))
            lead += TURN * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] + a[:, 2] * b[:, 3] - a[:, 3] * b[:, 2])
        return lead

    @property
    def best(self) -> np.ndarray:
        low, high = self.strategy.box
        theta = np.append(self.optimum, np.zeros(len(self.bonus)))
        theta = np.where(np.arange(len(theta)) < len(self.optimum), low + theta * (high - low), 0)
        for row, bonus in enumerate(self.bonus):
            place = len(self.optimum) + row
            theta[place] = self.strategy.members[place].representatives[int(bonus.argmax())]
        return theta

    def gain(self, theta: np.ndarray) -> float:
        """Return the true gain over the start in Elo; in a cyclic task the score against the unbeatable point."""
        if self.cyclic:
            return float(1 / (1 + np.exp(-ELO * self.lead(theta[None], self.best[None])[0])))
        return float((self.elo(theta[None]) - self.elo(self.start()[None]))[0])

    @property
    def most(self) -> float:
        """The gain of the optimum over the start in Elo."""
        return float((self.elo(self.best[None]) - self.elo(self.start()[None]))[0])

    def match(self, firsts: np.ndarray, seconds: np.ndarray) -> "Games":
        assert np.isfinite(firsts).all() and np.isfinite(seconds).all()
        rows = max(len(firsts), len(seconds))
        leads = self.lead(np.resize(firsts, (rows, firsts.shape[1])), np.resize(seconds, (rows, firsts.shape[1])))
        return Games(1 / (1 + np.exp(-ELO * leads)))

    def match_answer(self, answer: dict, opponent: np.ndarray) -> "Games":
        return self.match(np.array([answer["theta"]]), opponent[None])


@dataclass
class Games:
    """Independent games of rows in turn, with these expected scores."""

    expected: np.ndarray

    def scores(self, key: int, first: int, count: int, seats: str = "swapped", threads: int = 1) -> np.ndarray:
        columns = 2 if seats == "swapped" else 1
        numbers = np.arange(first, first + count, dtype=np.uint64)
        with np.errstate(over="ignore"):
            bits = [split.py_func(np.uint64(key), 2 * numbers + np.uint64(column)) for column in range(columns)]
        uniform = (np.stack(bits, axis=1) >> np.uint64(11)) * UNIT
        expected = self.expected[(numbers % np.uint64(len(self.expected))).astype(int)][:, None]
        drawn = np.minimum(DRAWN, 2 * np.minimum(expected, 1 - expected))
        return np.where(uniform < expected - drawn / 2, 2, np.where(uniform < expected + drawn / 2, 1, 0))


def make_task(size: int, seed: int, bent: bool, cyclic: bool = False) -> Task:
    rng = np.random.default_rng([size, seed, int(bent)])
    numbers, choices = size - KINDS[size][3], KINDS[size][3]
    optimum, start = rng.uniform(0.25, 0.75, numbers), rng.uniform(0.1, 0.9, numbers)
    while (np.abs(optimum - start) < 0.15).any():
        start = np.where(np.abs(optimum - start) < 0.15, rng.uniform(0.1, 0.9, numbers), start)
    weights = np.exp(rng.normal(0, 0.7, numbers))
    bonus = np.zeros((choices, 4))
    for row in bonus:
        row[:] = -rng.uniform(0.5, 2, 4) * CHOICE_SHARE * GAINS[size] / max(choices, 1)
        row[0], row[rng.integers(1, 4)] = -CHOICE_SHARE * GAINS[size] / max(choices, 1), 0
    axes = rng.choice([-1.0, 1.0], (1, numbers))
    space = space_of(size, np.append(start, np.zeros(choices)))
    task = Task(f"bounded-{size}", space, optimum, weights, bent, cyclic, axes, bonus)
    low, high = 1e-3, 1e6
    for _ in range(100):  # the scale at which the optimum is worth the gain of this size
        task.scale = math.sqrt(low * high)
        low, high = (task.scale, high) if task.most < GAINS[size] else (low, task.scale)
    return task


def tuned(size: int, seed: int) -> Task:
    """Return a task on which methods may be developed."""
    return make_task(size, seed, False, size == CYCLIC)


def reported(size: int, seed: int) -> Task:
    """Return a task on which nothing was developed."""
    return make_task(size, 1000 + seed, True, size == CYCLIC)
