"""Players met so far and what they scored against each other: the table that Nash mixtures are made of."""

from collections.abc import Iterator
from dataclasses import replace
from math import isqrt
from typing import NamedTuple

import numpy as np

from ..core.rng import random_unit, shuffle
from ..stats.matrix_game import Equilibrium, equilibrium, prune, symmetric_equilibrium
from .arena import Arena, join_halves
from .steps import Step, freeze_mixture, hashed_parameters

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
        self.arena, self.per_seat = arena, arena.strategy.per_seat
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
        scores = (
            self.arena.play_pairs(self.thetas[rows], self.thetas[columns], pairs).sum(axis=1)
            / self.arena.game.max_score
        )
        np.add.at(self.points, (rows, columns), scores[:, 0])
        np.add.at(self.points, (columns, rows), pairs - scores[:, 1])
        np.add.at(self.pairs, (rows, columns), pairs)
        np.add.at(self.pairs, (columns, rows), pairs)

    @property
    def means(self) -> np.ndarray:
        """The mean scores in the first seat; 1/2 where nothing was played."""
        return np.where(self.pairs > 0, self.points / np.maximum(self.pairs, 1), 0.5)

    def nash(self, least: float = 0.0) -> Nash:
        """Return an equilibrium of the table, weights below `least` pruned."""
        means = self.means
        if self.per_seat:
            found = equilibrium(means, least) if len(self) <= LARGE else self._solve_by_parts(means, least)
            return Nash(np.array([found.rows, found.columns]), found.value)
        return Nash(symmetric_equilibrium((means + 1 - means.T) / 2, least).rows, 0.5)

    def _solve_by_parts(self, means: np.ndarray, least: float) -> Equilibrium:
        """Return the equilibrium of a large table: that of a part, to which joins who leads it; few are played in the
        end.
        """
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
        """Return the mixture as the answer of a step; members that came after it was computed do not play."""
        thetas = self.thetas[: nash.weights.shape[-1]]
        heaviest = np.array(freeze_mixture(thetas, nash.weights)["theta"])
        return Step(heaviest, changed, None, len(thetas), thetas, nash.weights, nash.value)


def leaders(leads: np.ndarray) -> np.ndarray:
    """Return the players who lead most clearly, at most CHOSEN of them."""
    best = (-leads).argsort(kind="stable")[:CHOSEN]
    return np.asarray(best[leads[best] > SLACK])


def shares_of(weights: np.ndarray) -> np.ndarray:
    """Return the probability of each member, in one seat or the other."""
    return weights if weights.ndim == 1 else weights.mean(axis=0)


def draw_members(arena: Arena, weights: np.ndarray, count: int) -> np.ndarray:
    """Return members drawn by weight, evenly spread (systematic sampling) and in random order."""
    places = (np.arange(count) + random_unit(arena.stream)) / count
    members = np.minimum(np.searchsorted(np.cumsum(weights), places, "right"), np.flatnonzero(weights)[-1])
    order = np.empty(count, np.int64)
    shuffle(arena.stream, order)
    return np.asarray(members[order])


def draw_opponents(archive: Archive, weights: np.ndarray, count: int) -> np.ndarray:
    """Return that many vectors drawn from a mixture of members, or of their halves."""
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


# Candidates: how many players are scored, thinned out and bred, whoever they play against.
#
# Nothing is assumed of the parameters: wide draws find what is nearly pure (softmax), exchanged and redrawn entries
# move between the plateaus of orders, small Gaussian steps serve where the score is smooth.

WIDTHS = (1.0, 4.0, 16.0)
MIN_SCALE = 1e-3
NUMBERS = 1 << 20  # parameters in one event, which must fit into memory
DOUBT = 4.0  # pairs at 1/2 that are added to every score, so that luck in a few pairs does not lead


class Pool:
    """Candidates with their points in both seats; where halves serve one seat each, they are ranked apart."""

    def __init__(self, thetas: np.ndarray, per_seat: bool, doubt: float = DOUBT, seats: int = 2) -> None:
        self.thetas, self.per_seat, self.doubt = thetas, per_seat, doubt
        self.points, self.pairs = np.zeros((len(thetas), seats)), np.zeros((len(thetas), seats))

    @property
    def scores(self) -> np.ndarray:
        """Cautious mean scores in each seat (or in one column, where the seats are not told apart)."""
        return (self.points + self.doubt / 2) / (self.pairs + self.doubt)

    def play(self, arena: Arena, others: np.ndarray) -> None:
        """Let every candidate play a pair of games against every one of the others."""
        top, part = arena.game.max_score, max(NUMBERS // self.thetas.size, 1)
        for start in range(0, len(others), part):
            whom = others[start : start + part]
            scores = arena.play_pairs(np.repeat(self.thetas, len(whom), axis=0), np.tile(whom, (len(self.thetas), 1)))
            self.credit(scores.reshape(len(self.thetas), len(whom), 2).sum(axis=1) / top, len(whom))

    def credit(self, points: np.ndarray, pairs: int) -> None:
        """Add the points that every candidate has scored in so many pairs of games."""
        self.points += points
        self.pairs += pairs

    def forget(self) -> None:
        """Begin the scores anew."""
        self.points[:], self.pairs[:] = 0, 0

    def shrink(self, count: int) -> None:
        """Keep the best ones."""
        scores = self.scores
        if not self.per_seat:
            best = (-scores.sum(axis=1)).argsort(kind="stable")[:count]
            self.thetas, self.points, self.pairs = self.thetas[best], self.points[best], self.pairs[best]
            return
        first, second = (-scores).argsort(axis=0, kind="stable")[:count].T
        self.thetas = join_halves(self.thetas, first, second)
        self.points, self.pairs = (
            np.stack([part[first, 0], part[second, 1]], axis=1) for part in (self.points, self.pairs)
        )

    def grow(self, thetas: np.ndarray) -> None:
        """Take in new candidates."""
        self.thetas = np.vstack([self.thetas, thetas])
        more = (0, len(thetas)), (0, 0)
        self.points, self.pairs = np.pad(self.points, more), np.pad(self.pairs, more)


def draw_wide(arena: Arena, count: int) -> np.ndarray:
    """Gaussian players: narrow ones, wide ones, very wide ones."""
    return np.asarray(arena.gaussians(count) * np.resize(WIDTHS, count)[:, None])


def breed(arena: Arena, parents: np.ndarray, count: int, width: float, halves: bool = False) -> np.ndarray:
    """New players made of known ones, in turn by a Gaussian step, redrawn entries, exchanged entries, a cross."""
    if halves:
        half = parents.shape[1] // 2
        return np.hstack([breed(arena, part, count, width) for part in (parents[:, :half], parents[:, half:])])
    size = parents.shape[1]
    children = np.resize(parents, (count, size))
    noise = arena.gaussians(count)[:, :size]
    for number, (child, e) in enumerate(zip(children, noise, strict=True)):
        scale = max(float(np.sqrt((child**2).mean())), MIN_SCALE)
        if number % 4 == 0:
            child += scale * width * 0.5 ** arena.pick(6) * e
        elif number % 4 == 1:
            for _ in range(1 + arena.pick(2)):
                place = arena.pick(size)
                child[place] = scale * e[place] * (1 + arena.pick(3))
        elif number % 4 == 2:
            for _ in range(1 + arena.pick(3)):
                one, other = arena.pick(size), arena.pick(size)
                child[one], child[other] = child[other], child[one]
        else:
            other_parent = parents[arena.pick(len(parents))]
            child[e < 0] = other_parent[e < 0]
    return children


# Responses where scores are certain: a population whose scores against every member are kept, so no game is lost.
#
# One pair of games decides between two players for good. So the table is exact, the best response of the whole
# population to any mixture is one product of matrices, and only newcomers, on one side or the other, have to play.

MIN_SIZE, MAX_SIZE = 32, 1024
RENEWED = 8  # one in eight is replaced by a child or, one in eight of these, by a stranger
CHILDREN = 8  # for the place of one, who does best against a part of the mixture
PART, MIN_PART = 8, 4  # one in eight of its members, but not fewer than four
JOINING = 8  # responses that join together, for the linear program costs as much as for one
AHEAD = 8  # the r-th of all is a parent with a weight of 1 / (r + 8)
FIRST_LEAD, MORE, LESS = 0.05, 1.05, 0.95


class Population:
    """Candidates with their scores in both seats against the members of an archive; NaN where they have not met."""

    def __init__(self, archive: Archive, size: int) -> None:
        self.arena, self.archive = archive.arena, archive
        self.thetas = draw_wide(self.arena, size)
        self.table = np.full((size, 0, 2), np.nan)

    def play(self, weights: np.ndarray) -> np.ndarray:
        """Return the scores of all candidates in both seats against a mixture of members, after playing what is
        missing.
        """
        missing = weights.shape[-1] - self.table.shape[1]
        self.table = np.pad(self.table, ((0, 0), (0, missing), (0, 0)), constant_values=np.nan)
        against = weights[::-1] if weights.ndim == 2 else np.array([weights, weights])  # the other seat's law
        members = np.flatnonzero(against.sum(axis=0))
        rows, columns = np.nonzero(np.isnan(self.table[:, members]).any(axis=2))
        top, many = self.arena.game.max_score, max(NUMBERS // self.thetas.shape[1], 1)
        for start in range(0, len(rows), many):
            part, whom = rows[start : start + many], members[columns[start : start + many]]
            self.table[part, whom] = self.arena.play_pairs(self.thetas[part], self.archive.thetas[whom])[:, 0] / top
        return np.stack([self.table[:, members, seat] @ against[seat, members] for seat in (0, 1)], axis=1)

    def sort(self, scores: np.ndarray, weights: np.ndarray) -> None:
        """Best candidates first, clones last; where halves serve one seat each, the best ones go together."""
        members = np.flatnonzero(weights.reshape(-1, weights.shape[-1]).sum(axis=0))
        met = self.table[:, members]
        if self.archive.per_seat:
            first, second = (rank(met[:, :, seat], scores[:, seat]) for seat in (0, 1))
            self.thetas = join_halves(self.thetas, first, second)
            self.table = np.stack([self.table[first, :, 0], self.table[second, :, 1]], axis=2)
        else:
            order = rank(met.reshape(len(met), -1), scores.sum(axis=1))
            self.thetas, self.table = self.thetas[order], self.table[order]

    def renew(self, weights: np.ndarray) -> None:
        """Replace the last ones by children of the others, the better ones more often, and a few strangers."""
        count = len(self.thetas) // RENEWED
        kept, strangers = len(self.thetas) - count, count // 8
        law = 1.0 / np.arange(AHEAD, AHEAD + kept)
        parents = np.repeat(self.thetas[draw_members(self.arena, law / law.sum(), count - strangers)], CHILDREN, axis=0)
        bred = renew_doubles(self.arena, breed(self.arena, parents, len(parents), 1.0, self.archive.per_seat), parents)
        children = Pool(bred, self.archive.per_seat)
        part = max(int((weights > 0).sum()) // (weights.ndim * PART), MIN_PART)
        children.play(self.arena, draw_opponents(self.archive, weights, part))
        children.shrink(count - strangers)
        self.thetas[kept : kept + strangers] = draw_wide(self.arena, strangers)
        self.thetas[kept + strangers :] = children.thetas
        self.table[kept:] = np.nan


def renew_doubles(arena: Arena, children: np.ndarray, parents: np.ndarray) -> np.ndarray:
    """Children with the seeds that they have from a parent drawn anew: seeds have no neighbours to be found by them."""
    seeds = hashed_parameters(arena)
    if not seeds.any():
        return children
    return np.where(seeds & np.isin(children, parents), arena.gaussians(len(children)), children)


def breed_mixture(archive: Archive, least: float) -> Iterator[Step]:
    """Breed until the best candidate leads the mixture by what can be expected, at least by `least`; add the best."""
    population, wanted = Population(archive, size_for(archive.arena)), FIRST_LEAD
    nash = archive.nash()
    yield archive.step(nash, True)
    while True:
        scores = population.play(nash.weights)
        population.sort(scores, nash.weights)
        best = scores.max(axis=0).sum() if archive.per_seat else scores.sum(axis=1).max()
        joins = bool(best / 2 - 0.5 > max(wanted, least))
        wanted = wanted * MORE if joins else max(wanted * LESS, least)
        if joins:
            archive.enrol(population.thetas[:JOINING], 1)
            nash = archive.nash()
        population.renew(nash.weights)
        yield archive.step(nash, joins)


def rank(table: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the order by score in which of equals, who score the same against all members, all but one come last."""
    order = (-scores).argsort(kind="stable")
    _, first = np.unique(table[order], axis=0, return_index=True)
    clone = np.ones(len(order), bool)
    clone[first] = False
    return order[clone.argsort(kind="stable")]


def size_for(arena: Arena) -> int:
    """Return the number of candidates the budget can feed."""
    return min(max(isqrt(arena.budget.games or 10**7) // 4, MIN_SIZE), MAX_SIZE)
