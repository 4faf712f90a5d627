"""Tuning methods that were the best in no game: a plug-in (`--plugins benchmarks/plugins`).

elitist      the iterative algorithm with a race that must prove a score above 1/2
cma          CMA-ES on the package `cma` (Hansen's pycma) against its own mean: Co-CMA-ES of Jaskowski & Szubert (2016)
rectangular  many random players against few opponents, all at once (Liu, Teytaud and Cazenave 2016)
bandit       random players are the arms of upper confidence bounds (Auer, Cesa-Bianchi and Fischer 2002); the arm that
             was pulled most is the result, since the best mean may be luck (Bubeck, Munos and Stoltz 2011)
seed-nash    the Nash portfolio of random players (St-Pierre et al. 2016): all against all, one linear program
"""

from collections.abc import Iterator
from dataclasses import replace
from math import isqrt, log, sqrt

import numpy as np

from fogspiel.core.rng import fill_normal
from fogspiel.tuning.arena import MAX_SIGMA, Arena, BudgetSpent, Step, hashed_parameters, join_halves
from fogspiel.tuning.methods.evolution import iterative, players_for
from fogspiel.tuning.population import Archive, Pool, is_certain

FULL = 60  # most parameters with a full covariance matrix
CMA_PAIRS, GENERATIONS_A_PAIR = 8, 4
CHECKPOINT = 16  # generations
MIN_OPPONENTS, MAX_OPPONENTS = 4, 64
RECTANGULAR_PAIRS = 4096  # where the budget is not in games
FINALISTS = 10
FINAL = 4  # one in four pairs is for the finalists
ARMS = 64  # where the budget is not in games
PULLED = 32  # arms pulled at a time, each some times
PULLS = 4
CURIOSITY = 0.5  # of the bound sqrt(2 ln t / n), whose scale is that of a coin
PLAYERS, MAX_PLAYERS = 8, 400
PAIRS_A_CELL = 16  # affordable game pairs per cell, where scores vary
PARTS = 8  # events, in each of which every cell of the table has a turn
MIN_WEIGHT = 1e-3


def elitist(arena: Arena) -> Iterator[Step]:
    """(1+1)-ES in which a candidate must prove a score above 1/2: near-losers, accepted one by one, add up."""
    return iterative(arena, replace(arena.race_rule, name="count-mixture-asymmetric"))


def cma(arena: Arena) -> Iterator[Step]:
    """Ask, meet, tell; answers the mean, never the best point of a generation, which is the luckiest."""
    try:
        from cma import CMAEvolutionStrategy
    except ImportError:
        raise ValueError("the method cma needs the package cma: pip install cma") from None
    x, moved = arena.start, ~hashed_parameters(arena)
    count = max(int(moved.sum()), 2)  # the package requires two numbers; with just one parameter, the second is idle

    def gaussian(*shape: int) -> np.ndarray:
        numbers = np.empty(shape)
        fill_normal(arena.stream, numbers.reshape(-1))
        return numbers

    def player(numbers: np.ndarray) -> np.ndarray:
        theta = x.copy()
        theta[moved] = numbers[: int(moved.sum())]
        return theta

    first = np.zeros(count)
    first[: int(moved.sum())] = x[moved]
    options = {"randn": gaussian, "CMA_diagonal": count > FULL, "maxstd": MAX_SIGMA, "verbose": -9, "verb_log": 0}
    search = CMAEvolutionStrategy(first, 1.0, options)
    generation = 0
    while True:
        generation += 1
        points = search.ask()
        pairs = CMA_PAIRS + generation // GENERATIONS_A_PAIR
        mean = player(search.mean)
        scores = arena.play_pairs(
            np.array([player(point) for point in points]), np.tile(mean, (len(points), 1)), pairs, same_deals=True
        )
        search.tell(points, (-scores.sum(axis=(1, 2))).astype(float).tolist())
        yield Step(player(search.mean), generation % CHECKPOINT == 0, float(search.sigma))


def rectangular(arena: Arena) -> Iterator[Step]:
    """K players meet the same few opponents; the ten best meet fresh opponents, and those games alone decide."""
    last = arena.budget.games
    pairs = RECTANGULAR_PAIRS if last is None else (last - arena.games) // 2
    champion = np.zeros((0, len(arena.start)))
    while True:
        first, final = pairs - pairs // FINAL, pairs // FINAL
        opponents = min(max(isqrt(first) // 2, MIN_OPPONENTS), MAX_OPPONENTS)
        players = arena.gaussians(max(first // opponents, 1))
        pool = Pool(players, arena.strategy.per_seat)
        pool.play(arena, arena.gaussians(opponents))
        pool.shrink(FINALISTS - len(champion))
        yield Step(pool.thetas[0], not len(champion), population=len(players))
        pool.grow(champion)
        pool.forget()
        pool.play(arena, arena.gaussians(max(final // len(pool.thetas), 1)))
        pool.shrink(1)
        champion, pairs = pool.thetas, 2 * pairs
        yield Step(champion[0], True, population=len(players))
        if last is not None:  # what is left could only replace a good player by a lucky one
            raise BudgetSpent


def bandit(arena: Arena) -> Iterator[Step]:
    """UCB over random players, for each seat by itself where the halves of a vector serve one seat each."""
    halves, top = arena.strategy.per_seat, arena.game.max_score
    players = arena.gaussians(players_for(arena.budget.games // 2) if arena.budget.games else ARMS)
    arms = len(players)
    points, pulls = np.zeros((arms, 2)), np.zeros((arms, 2))
    best: list[int] = []
    while True:
        chosen = [rank_arms(*law) for law in laws(points, pulls, halves)]
        first, second = chosen if halves else chosen * 2
        rivals = np.array([players[arena.pick(arms)] for _ in first])
        scores = arena.play_pairs(join_halves(players, first, second), rivals, PULLS)
        for seat, rows in enumerate((first, second)):
            points[rows, seat] += scores[:, :, seat].sum(axis=1) / top
            pulls[rows, seat] += PULLS
        found = [int(law[1].argmax()) for law in laws(points, pulls, halves)]
        yield Step(join_halves(players, found[:1], found[-1:])[0], found != best, population=arms)
        best = found


def laws(points: np.ndarray, pulls: np.ndarray, halves: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return points and pulls of every arm: for each seat, or for both together."""
    if halves:
        return [(points[:, seat], pulls[:, seat]) for seat in (0, 1)]
    return [(points.sum(axis=1), pulls.sum(axis=1))]


def rank_arms(points: np.ndarray, pulls: np.ndarray) -> np.ndarray:
    """Return the arms to pull next: those of the highest upper confidence bounds."""
    total = float(pulls.sum())
    bounds = np.full(len(points), np.inf)
    known = pulls > 0
    bounds[known] = points[known] / pulls[known] + CURIOSITY * np.sqrt(2 * log(total) / pulls[known]) if total else 0.0
    return (-bounds).argsort(kind="stable")[: min(PULLED, max(1, int(sqrt(len(points)))))]


def seed_nash(arena: Arena) -> Iterator[Step]:
    """A table of as many random players as the budget can measure (or of more and more), all cells in turn."""
    archive, certain = Archive(arena), is_certain(arena)
    turns = 1 if certain else PAIRS_A_CELL
    players = PLAYERS
    if arena.budget.games is not None:  # K players have K^2 / 2 pairs, or K^2 games a turn
        players = max(min(isqrt(max(arena.budget.games - arena.games, 1) // turns), MAX_PLAYERS), 2)
    while True:
        archive.add(arena.gaussians(min(players, MAX_PLAYERS) - len(archive)))
        rows, columns = np.tril_indices(len(archive))
        for _ in range(turns):
            for part in np.array_split(np.arange(len(rows)), min(PARTS, len(rows))):
                archive.play(rows[part], columns[part])
            yield archive.step(archive.nash(MIN_WEIGHT), True)
        if arena.budget.games is None:
            players *= 2


METHODS = {"elitist": elitist, "cma": cma, "rectangular": rectangular, "bandit": bandit, "seed-nash": seed_nash}
