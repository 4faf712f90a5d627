"""Best responses to a mixture: random players, mutants and crosses of members, halved until one is left, or a climb."""

import math
from collections.abc import Iterator

import numpy as np

from .archive import Archive, draw_members, draw_opponents, shares_of
from .arena import Arena
from .ascent import DIRECTIONS, Ascent, add_up
from .candidates import LEAST_SCALE, Pool, breed, draw_wide
from .step import hashed_parameters

GENERATIONS, FINALS = 4, 4
KEPT = 4  # of a pool one in four goes on to the next generation
LEAST_PAIRS = 8
NARROWER = 0.5
ELITE, OFFSPRING, OPPONENTS = 8, 24, 16
REACH = 0.3  # of the directions in which slopes are measured, in units of the parameters


def search_response(arena: Arena, archive: Archive, weights: np.ndarray, pairs: int) -> Iterator[Pool]:
    """Search for what does well against a mixture of members, with about so many pairs; the last pool has one row."""
    a_round = pairs // (GENERATIONS + FINALS)
    many = max(LEAST_PAIRS, int((a_round / 4) ** 0.5))  # a pool of four times as many candidates as opponents
    size = max(4 * KEPT, a_round // many)
    law = (shares_of(weights) + 1 / len(archive)) / 2
    parents = archive.thetas[draw_members(arena, law, size)]
    pool = Pool(
        np.vstack([draw_wide(arena, size // 4), breed(arena, parents, size - size // 4, 1.0, archive.halves)]),
        archive.halves,
    )
    for generation in range(GENERATIONS):
        if generation:
            pool.grow(breed(arena, pool.thetas, size - len(pool.thetas), NARROWER**generation, archive.halves))
        pool.play(arena, draw_opponents(archive, weights, many))
        pool.shrink(size // KEPT)
        yield pool
    while len(pool.thetas) > 1:
        pool.play(arena, draw_opponents(archive, weights, max(LEAST_PAIRS, a_round // len(pool.thetas))))
        pool.shrink(len(pool.thetas) // 2)
        yield pool


class Evolution:
    """An elite that is bred against a mixture, and plays on from turn to turn as long as nobody joins the archive."""

    def __init__(self, archive: Archive, weights: np.ndarray) -> None:
        heaviest = (-shares_of(weights)).argsort(kind="stable")[:ELITE]
        self.archive, self.weights = archive, weights
        self.pool = Pool(archive.thetas[heaviest], archive.halves)

    def go_on(self, pairs: int) -> Iterator[np.ndarray]:
        """Breed for about so many pairs of games; yields the best after each generation."""
        arena, pool = self.archive.arena, self.pool
        for _ in range(max(pairs // ((ELITE + OFFSPRING) * OPPONENTS), 1)):
            pool.grow(breed(arena, pool.thetas, ELITE + OFFSPRING - len(pool.thetas), 1.0, self.archive.halves))
            pool.play(arena, draw_opponents(self.archive, self.weights, OPPONENTS))
            pool.shrink(ELITE)
            yield pool.thetas[0]


class Climb:
    """A way up the slopes of the score against a mixture, which goes on from turn to turn as an evolution does."""

    def __init__(self, archive: Archive, weights: np.ndarray) -> None:
        start = archive.thetas[int(shares_of(weights).argmax())]
        self.archive, self.weights, self.way = archive, weights, Ascent(start)
        self.seeds = hashed_parameters(archive.arena)
        self.sigma = REACH * max(math.sqrt(float((start[~self.seeds] ** 2).mean())), LEAST_SCALE)

    def go_on(self, pairs: int) -> Iterator[np.ndarray]:
        """Climb for about so many pairs of games; yields the average of the way after each step."""
        arena = self.archive.arena
        for _ in range(max(pairs // (2 * DIRECTIONS), 1)):
            e = np.where(self.seeds, 0.0, arena.gaussians(DIRECTIONS))
            both = np.vstack([self.way.x + self.sigma * e, self.way.x - self.sigma * e])
            whom = np.tile(draw_opponents(self.archive, self.weights, DIRECTIONS), (2, 1))
            plus, minus = arena.play_pairs(both, whom).sum(axis=(1, 2)).reshape(2, -1)
            self.way.follow(add_up(plus - minus, e) / (2 * arena.game.top * DIRECTIONS), self.sigma)
            yield self.way.average


def begin_ways(archive: Archive, weights: np.ndarray) -> list[Evolution | Climb]:
    """The ways of looking that go on from turn to turn; slopes only where parameters have neighbours."""
    ways: list[Evolution | Climb] = [Evolution(archive, weights)]
    return ways if hashed_parameters(archive.arena).all() else [*ways, Climb(archive, weights)]
