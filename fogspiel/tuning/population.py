"""Archive of players with the table of their mutual scores, from which Nash mixtures are computed; and ascents."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..core.rng import random_unit, shuffle
from ..stats.linear_programs import Equilibrium, equilibrium, prune, symmetric_equilibrium
from .arena import Arena, Step, freeze_mixture, hashed_parameters, join_halves

TRIED, TRIALS, ROUNDS = 16, 2, 8
LARGE = 256  # tables of more members are solved by parts
CHOSEN = 64  # players of each seat that a part takes in at once
SLACK = 1e-7  # tolerated lead of a player outside the part


class Nash(NamedTuple):
    """An equilibrium of a table: the weight of each member, or a row of them for each seat, and the first's value."""

    weights: np.ndarray
    value: float


class Archive:
    """Vectors with a table of measured scores of each in the first seat against each in the second.

    Where the halves of a vector serve one seat each, they are mixed separately: any first half can go with any second
    half.
    """

    def __init__(self, arena: Arena) -> None:
        self.arena, self.per_seat = arena, arena.strategy.per_seat
        self.thetas = np.zeros((0, len(arena.strategy.parameters)))
        # Scores of a row in the first seat against a column: 0 the lowest payoff, 1 the highest.
        self.points = np.zeros((0, 0))
        self.pairs = np.zeros((0, 0), np.int64)
        self._part: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.thetas)

    def add(self, thetas: np.ndarray) -> None:
        more = len(thetas)
        self.thetas = np.vstack([self.thetas, thetas])
        self.points = np.pad(self.points, (0, more))
        self.pairs = np.pad(self.pairs, (0, more))

    def enrol(self, newcomers: np.ndarray, pairs: int) -> None:
        """Add players that play all members, and themselves (their halves may differ), in `pairs` game pairs each."""
        known = len(self)
        self.add(newcomers)
        rows, columns = np.tril_indices(len(self))
        self.play(rows[rows >= known], columns[rows >= known], pairs)

    def play(self, rows: np.ndarray, columns: np.ndarray, pairs: int = 1) -> None:
        scores = self.arena.play_pairs(self.thetas[rows], self.thetas[columns], pairs).sum(axis=1)
        scores = scores / self.arena.game.max_score
        np.add.at(self.points, (rows, columns), scores[:, 0])
        np.add.at(self.points, (columns, rows), pairs - scores[:, 1])
        np.add.at(self.pairs, (rows, columns), pairs)
        np.add.at(self.pairs, (columns, rows), pairs)

    @property
    def means(self) -> np.ndarray:
        """The mean scores in the first seat; 1/2 for unplayed cells."""
        return np.where(self.pairs > 0, self.points / np.maximum(self.pairs, 1), 0.5)

    def nash(self, least: float = 0.0) -> Nash:
        means = self.means
        if self.per_seat:
            found = equilibrium(means, least) if len(self) <= LARGE else self._solve_by_parts(means, least)
            return Nash(np.array([found.rows, found.columns]), found.value)
        return Nash(symmetric_equilibrium((means + 1 - means.T) / 2, least).rows, 0.5)

    def _solve_by_parts(self, means: np.ndarray, least: float) -> Equilibrium:
        """Solve a large table by a growing part, which the players that lead it join; few have weight in the end."""
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
        """Return the mixture as the result of a step; members added since it was computed have no weight."""
        thetas = self.thetas[: nash.weights.shape[-1]]
        heaviest = np.array(freeze_mixture(thetas, nash.weights)["theta"])
        return Step(heaviest, changed, None, len(thetas), thetas, nash.weights, nash.value)


def leaders(leads: np.ndarray) -> np.ndarray:
    best = (-leads).argsort(kind="stable")[:CHOSEN]
    return np.asarray(best[leads[best] > SLACK])


def shares_of(weights: np.ndarray) -> np.ndarray:
    return weights if weights.ndim == 1 else weights.mean(axis=0)


def draw_members(arena: Arena, weights: np.ndarray, count: int) -> np.ndarray:
    """Return members drawn by weight, evenly spread (systematic sampling) and in random order."""
    places = (np.arange(count) + random_unit(arena.stream)) / count
    members = np.minimum(np.searchsorted(np.cumsum(weights), places, "right"), np.flatnonzero(weights)[-1])
    order = np.empty(count, np.int64)
    shuffle(arena.stream, order)
    return np.asarray(members[order])


def draw_opponents(archive: Archive, weights: np.ndarray, count: int) -> np.ndarray:
    if weights.ndim == 1:
        return np.asarray(archive.thetas[draw_members(archive.arena, weights, count)])
    return join_halves(archive.thetas, *(draw_members(archive.arena, law, count) for law in weights))


def is_certain(arena: Arena) -> bool:
    """True if fixed players always score the same against each other, in all of some trials."""
    for _ in range(ROUNDS):  # in most games chance shows in the first round; in Cheat many players win any deal
        scores = arena.play_pairs(arena.gaussians(TRIED), arena.gaussians(TRIED), TRIALS)
        if (scores != scores[:, :1]).any():
            return False
    return True


# Candidates: scoring, selection and breeding of many players, against any opponents.
#
# Nothing is assumed of the parameters: wide draws find what is nearly pure (softmax), exchanged and redrawn entries
# move between the plateaus of orders, small Gaussian steps serve where the score is smooth.

WIDTHS = (1.0, 4.0, 16.0)
MIN_SCALE = 1e-3
NUMBERS = 1 << 20  # parameters in one event, which must fit into memory
DOUBT = 4.0  # game pairs at 1/2 added to every score: regularises short records


class Pool:
    """Candidates with their points in both seats; where halves serve one seat each, they are ranked separately."""

    def __init__(self, thetas: np.ndarray, per_seat: bool, doubt: float = DOUBT, seats: int = 2) -> None:
        self.thetas, self.per_seat, self.doubt = thetas, per_seat, doubt
        self.points, self.pairs = np.zeros((len(thetas), seats)), np.zeros((len(thetas), seats))

    @property
    def scores(self) -> np.ndarray:
        """Regularised mean scores in each seat (or in one column, where the seats are not distinguished)."""
        return (self.points + self.doubt / 2) / (self.pairs + self.doubt)

    def play(self, arena: Arena, others: np.ndarray) -> None:
        top, part = arena.game.max_score, max(NUMBERS // self.thetas.size, 1)
        for start in range(0, len(others), part):
            whom = others[start : start + part]
            scores = arena.play_pairs(np.repeat(self.thetas, len(whom), axis=0), np.tile(whom, (len(self.thetas), 1)))
            self.credit(scores.reshape(len(self.thetas), len(whom), 2).sum(axis=1) / top, len(whom))

    def credit(self, points: np.ndarray, pairs: int) -> None:
        self.points += points
        self.pairs += pairs

    def forget(self) -> None:
        self.points[:], self.pairs[:] = 0, 0

    def shrink(self, count: int) -> None:
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
        self.thetas = np.vstack([self.thetas, thetas])
        more = (0, len(thetas)), (0, 0)
        self.points, self.pairs = np.pad(self.points, more), np.pad(self.pairs, more)


def draw_wide(arena: Arena, count: int) -> np.ndarray:
    return np.asarray(arena.gaussians(count) * np.resize(WIDTHS, count)[:, None])


def breed(arena: Arena, parents: np.ndarray, count: int, width: float, halves: bool = False) -> np.ndarray:
    """Return new players bred in turn by a Gaussian step, redrawn entries, exchanged entries, a cross."""
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


# Responses where scores are deterministic: a population whose scores against every member are stored.
#
# One pair of games decides between two players for good. So the table is exact, the best response of the whole
# population to any mixture is one product of matrices, and only newcomers, on either side, have to play.

MIN_SIZE, MAX_SIZE = 32, 1024
RENEWED = 8  # one in eight is replaced by a child or, one in eight of these, by a stranger
CHILDREN = 8  # per place, for the best one against a part of the mixture
PART, MIN_PART = 8, 4  # one in eight of its members, but not fewer than four
JOINING = 8  # responses that join together: the linear program costs the same for one
AHEAD = 8  # the r-th of all is a parent with a weight of 1 / (r + 8)
FIRST_LEAD, MORE, LESS = 0.05, 1.05, 0.95


class Population:
    """Candidates with their scores in both seats against the members of an archive; NaN for unplayed pairs."""

    def __init__(self, archive: Archive, size: int) -> None:
        self.arena, self.archive = archive.arena, archive
        self.thetas = draw_wide(self.arena, size)
        self.table = np.full((size, 0, 2), np.nan)

    def play(self, weights: np.ndarray) -> np.ndarray:
        """Return all candidates' scores in both seats against a mixture of members, after playing missing games."""
        missing = weights.shape[-1] - self.table.shape[1]
        self.table = np.pad(self.table, ((0, 0), (0, missing), (0, 0)), constant_values=np.nan)
        against = weights[::-1] if weights.ndim == 2 else np.array([weights, weights])  # the opponent's weights
        members = np.flatnonzero(against.sum(axis=0))
        rows, columns = np.nonzero(np.isnan(self.table[:, members]).any(axis=2))
        top, many = self.arena.game.max_score, max(NUMBERS // self.thetas.shape[1], 1)
        for start in range(0, len(rows), many):
            part, whom = rows[start : start + many], members[columns[start : start + many]]
            self.table[part, whom] = self.arena.play_pairs(self.thetas[part], self.archive.thetas[whom])[:, 0] / top
        return np.stack([self.table[:, members, seat] @ against[seat, members] for seat in (0, 1)], axis=1)

    def sort(self, scores: np.ndarray, weights: np.ndarray) -> None:
        """Sort the best candidates first, clones last; where halves serve one seat each, the best ones are combined."""
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
        """Replace the last ones by children of the others, the better ones more often, and a few random players."""
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
    """Redraw the seeds that children have from a parent: seeds have no neighbours, so copies bring nothing new."""
    seeds = hashed_parameters(arena)
    if not seeds.any():
        return children
    return np.where(seeds & np.isin(children, parents), arena.gaussians(len(children)), children)


def breed_mixture(archive: Archive, least: float, games: int | None) -> Iterator[Step]:
    """Breed until the best candidate leads the mixture by the expected lead, at least `least`; add the best."""
    size = min(max(math.isqrt(games or 10**7) // 4, MIN_SIZE), MAX_SIZE)
    population, wanted = Population(archive, size), FIRST_LEAD
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
    """Return the order by score; of candidates with the same scores against all members, all but one come last."""
    order = (-scores).argsort(kind="stable")
    _, first = np.unique(table[order], axis=0, return_index=True)
    clone = np.ones(len(order), bool)
    clone[first] = False
    return order[clone.argsort(kind="stable")]


# Ascent by measured slopes: momentum, strides that adapt to the agreement of slopes, and the trajectory's average.
#
# The slopes are antithetic (Salimans et al. 2017): a random direction e is scored by x + sigma e against x - sigma e.

DIRECTIONS = 64  # of a slope
MOMENTUM = 0.8
LEARNING = 0.1  # rate of the gain, per cosine
MIN_GAIN, MAX_GAIN = 1e-3, 1e3


class Ascent:
    """A point of an ascent, with momentum, gain and average."""

    def __init__(self, start: np.ndarray, least_gain: float = MIN_GAIN) -> None:
        self.least_gain, self.most_gain, self.gain = least_gain, MAX_GAIN, 1.0
        self._begin(start)

    def _begin(self, start: np.ndarray) -> None:
        self.x, self.average, self.drift, self.steps = start, start, np.zeros(len(start)), 0

    def restart(self, start: np.ndarray) -> None:
        self._begin(start)
        self.gain /= 2

    def follow(self, slope: np.ndarray, sigma: float | np.ndarray) -> None:
        # Kesten (1958): longer strides while the slopes agree with the momentum, shorter ones when they turn.
        longer = math.exp(LEARNING * cosine(slope, self.drift))
        self.gain = min(max(self.gain * longer, self.least_gain), self.most_gain, MAX_GAIN)
        self.drift = MOMENTUM * self.drift + (1 - MOMENTUM) * slope
        self.x = self.x + self.gain * sigma * self.drift
        self.steps += 1
        self.average = self.average + (self.x - self.average) * 2 / (self.steps + 2)  # weights 1, 2, 3, .. (Polyak's)

    def climb(self, arena: Arena, sigma: float, e: np.ndarray, whom: np.ndarray, blocks: int = 1) -> None:
        """Follow the slope of the score against `whom`, an opponent for each direction in `e`."""
        both = np.vstack([self.x + sigma * e, self.x - sigma * e])
        plus, minus = arena.play_pairs(both, np.tile(whom, (2, 1)), blocks=blocks).sum(axis=(1, 2)).reshape(2, -1)
        self.follow(add_up(plus - minus, e) / (2 * arena.game.max_score * len(e)), sigma)


def add_up(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Sum weighted rows in order: the last bits of a matrix product depend on the processor."""
    return np.asarray((weights[:, None] * rows).sum(axis=0))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    lengths = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / lengths if lengths > 0 else 0.0


def scale_of(theta: np.ndarray, seeds: np.ndarray) -> float:
    """Return the scale of a vector's ordered parameters: 1, as Gaussian ones, or more."""
    return max(1.0, math.sqrt(float((theta[~seeds] ** 2).sum()) / max(len(theta) - seeds.sum(), 1)))
