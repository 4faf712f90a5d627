"""Players met so far and what they scored against each other: the table that Nash mixtures are made of."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..core.rng import random_unit, shuffle
from ..stats.matrix_game import Equilibrium, equilibrium, prune, symmetric_equilibrium
from .arena import Arena, join_halves
from .steps import Step, freeze_mixture

TRIED, TRIALS, ROUNDS = 16, 2, 8
LARGE = 256  # tables of more members are solved by parts
CHOSEN = 64  # players of each seat that a part takes in at once
SLACK = 1e-7  # by which a player outside the part may lead


class Nash(NamedTuple):
    """An equilibrium of a table: the weight of each member, or a row of them for each seat, and the first's value."""

    weights: np.ndarray
    value: float


class Archive:
    """Vectors, each of which has a score in the first seat against each in the second, as far as it was measured.

    Where the halves of a vector serve one seat each, they are mixed apart: any first half can go with any second half.
    """

    def __init__(self, arena: Arena) -> None:
        self.arena, self.halves = arena, arena.strategy.halves
        self.thetas = np.zeros((0, len(arena.strategy.parameters)))
        # Of a row in the first seat against a column, as shares: 0 the lowest payoff, 1 the highest.
        self.points = np.zeros((0, 0))
        self.pairs = np.zeros((0, 0), np.int64)
        self._part: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.thetas)

    def add(self, thetas: np.ndarray) -> None:
        """Take in players that have not played yet."""
        more = len(thetas)
        self.thetas = np.vstack([self.thetas, thetas])
        self.points = np.pad(self.points, (0, more))
        self.pairs = np.pad(self.pairs, (0, more))

    def enrol(self, newcomers: np.ndarray, pairs: int) -> None:
        """Add players that meet all members, and themselves (their halves may differ), in so many pairs each."""
        known = len(self)
        self.add(newcomers)
        rows, columns = np.tril_indices(len(self))
        self.play(rows[rows >= known], columns[rows >= known], pairs)

    def play(self, rows: np.ndarray, columns: np.ndarray, pairs: int = 1) -> None:
        """Let members meet, each of the rows its column, in so many pairs of games."""
        scores = self.arena.play_pairs(self.thetas[rows], self.thetas[columns], pairs).sum(axis=1) / self.arena.game.top
        np.add.at(self.points, (rows, columns), scores[:, 0])
        np.add.at(self.points, (columns, rows), pairs - scores[:, 1])
        np.add.at(self.pairs, (rows, columns), pairs)
        np.add.at(self.pairs, (columns, rows), pairs)

    @property
    def means(self) -> np.ndarray:
        """The mean scores in the first seat; 1/2 where nothing was played."""
        return np.where(self.pairs > 0, self.points / np.maximum(self.pairs, 1), 0.5)

    def nash(self, least: float = 0.0) -> Nash:
        """An equilibrium of the table, weights below `least` pruned."""
        means = self.means
        if self.halves:
            found = equilibrium(means, least) if len(self) <= LARGE else self._solve_by_parts(means, least)
            return Nash(np.array([found.rows, found.columns]), found.value)
        return Nash(symmetric_equilibrium((means + 1 - means.T) / 2, least).rows, 0.5)

    def _solve_by_parts(self, means: np.ndarray, least: float) -> Equilibrium:
        """The equilibrium of a large table: that of a part, to which joins who leads it; few are played in the end."""
        everyone = np.arange(len(means))
        rows, columns = (everyone[:LARGE], everyone[:LARGE]) if self._part is None else self._part
        while True:
            found = equilibrium(means[np.ix_(rows, columns)])
            x, y = np.zeros(len(means)), np.zeros(len(means))
            x[rows], y[columns] = found.rows, found.columns
            for_rows, for_columns = means @ y - found.value, found.value - x @ means
            more, others = (leaders(lead) for lead in (for_rows, for_columns))
            if not len(more) and not len(others):
                self._part = np.flatnonzero(x), np.flatnonzero(y)
                x, y = (prune(law, least) if least > 0 else law for law in (x, y))
                return replace(found, rows=x, columns=y)
            rows, columns = np.union1d(rows, more), np.union1d(columns, others)

    def step(self, nash: Nash, changed: bool) -> Step:
        """The mixture as the answer of a step; members that came after it was computed do not play."""
        thetas = self.thetas[: nash.weights.shape[-1]]
        heaviest = np.array(freeze_mixture(thetas, nash.weights)["theta"])
        return Step(heaviest, changed, None, len(thetas), thetas, nash.weights, nash.value)


def leaders(leads: np.ndarray) -> np.ndarray:
    """The players who lead most clearly, at most CHOSEN of them."""
    best = (-leads).argsort(kind="stable")[:CHOSEN]
    return np.asarray(best[leads[best] > SLACK])


def shares_of(weights: np.ndarray) -> np.ndarray:
    """Return the probability of each member, in one seat or the other."""
    return weights if weights.ndim == 1 else weights.mean(axis=0)


def draw_members(arena: Arena, weights: np.ndarray, count: int) -> np.ndarray:
    """Members drawn by weight, evenly spread (systematic sampling) and in random order."""
    places = (np.arange(count) + random_unit(arena.stream)) / count
    members = np.minimum(np.searchsorted(np.cumsum(weights), places, "right"), np.flatnonzero(weights)[-1])
    order = np.empty(count, np.int64)
    shuffle(arena.stream, order)
    return np.asarray(members[order])


def draw_opponents(archive: Archive, weights: np.ndarray, count: int) -> np.ndarray:
    """That many vectors drawn from a mixture of members, or of their halves."""
    if weights.ndim == 1:
        return np.asarray(archive.thetas[draw_members(archive.arena, weights, count)])
    return join_halves(archive.thetas, *(draw_members(archive.arena, law, count) for law in weights))


def is_certain(arena: Arena) -> bool:
    """True if fixed players always score the same against each other, as far as some trials can tell."""
    for _ in range(ROUNDS):  # in most games luck shows in the first; at Cheat many players win whatever they are dealt
        scores = arena.play_pairs(arena.gaussians(TRIED), arena.gaussians(TRIED), TRIALS)
        if (scores != scores[:, :1]).any():
            return False
    return True
