"""Best responses to a mixture by search: random players, mutants and crosses of members, halved until one is left.

Nothing is assumed of the parameters: wide draws find what is nearly pure (softmax), exchanged and redrawn entries move
between the plateaus of orders, small Gaussian steps serve where the score is smooth, and slopes where there are many
parameters.
"""

from collections.abc import Iterator

import numpy as np

from .archive import Archive, draw_member, opponents, shares_of
from .arena import Arena

GENERATIONS, FINALS = 4, 4
KEPT = 4  # of a pool one in four goes on to the next generation
LEAST_PAIRS = 8
WIDTHS = (1.0, 4.0, 16.0)
LEAST_SCALE = 1e-3
NUMBERS = 1 << 20  # parameters in one event, which must fit into memory
NARROWER = 0.5
DOUBT = 4.0  # pairs at 1/2 that are added to every score, so that luck in a few pairs does not lead


class Pool:
    """Candidates with their points in both seats; where halves serve one seat each, they are ranked apart."""

    def __init__(self, thetas: np.ndarray, halves: bool) -> None:
        self.thetas, self.halves = thetas, halves
        self.points = np.zeros((len(thetas), 2))
        self.pairs = np.zeros((len(thetas), 2))

    @property
    def scores(self) -> np.ndarray:
        """Cautious mean scores in both seats."""
        return (self.points + DOUBT / 2) / (self.pairs + DOUBT)

    def meet(self, arena: Arena, others: np.ndarray) -> None:
        """Let every candidate meet every one of the others once."""
        top, part = len(arena.game.payoffs) - 1, max(NUMBERS // self.thetas.size, 1)
        for start in range(0, len(others), part):
            whom = others[start : start + part]
            met = arena.meetings(np.repeat(self.thetas, len(whom), axis=0), np.tile(whom, (len(self.thetas), 1)))
            self.points += met.reshape(len(self.thetas), len(whom), 2).sum(axis=1) / top
            self.pairs += len(whom)

    def forget(self) -> None:
        """Begin the scores anew."""
        self.points[:], self.pairs[:] = 0, 0

    def shrink(self, count: int) -> None:
        """Keep the best ones."""
        scores = self.scores
        if not self.halves:
            best = (-scores.sum(axis=1)).argsort(kind="stable")[:count]
            self.thetas, self.points, self.pairs = self.thetas[best], self.points[best], self.pairs[best]
            return
        half = self.thetas.shape[1] // 2
        first, second = (-scores).argsort(axis=0, kind="stable")[:count].T
        self.thetas = np.hstack([self.thetas[first, :half], self.thetas[second, half:]])
        self.points, self.pairs = (
            np.stack([part[first, 0], part[second, 1]], axis=1) for part in (self.points, self.pairs)
        )

    def grow(self, thetas: np.ndarray) -> None:
        """Take in new candidates."""
        self.thetas = np.vstack([self.thetas, thetas])
        none = np.zeros((len(thetas), 2))
        self.points, self.pairs = np.vstack([self.points, none]), np.vstack([self.pairs, none])


def response(arena: Arena, archive: Archive, weights: np.ndarray, pairs: int) -> Iterator[Pool]:
    """Search for what does well against a mixture of members, with about so many pairs; the last pool has one row."""
    a_round = pairs // (GENERATIONS + FINALS)
    many = max(LEAST_PAIRS, int((a_round / 4) ** 0.5))  # a pool of four times as many candidates as opponents
    size = max(4 * KEPT, a_round // many)
    law = (shares_of(weights) + 1 / len(archive)) / 2
    parents = archive.thetas[draw_member(arena, law, size)]
    pool = Pool(
        np.vstack([fresh(arena, size // 4), breed_response(arena, parents, size - size // 4, 1.0, archive.halves)]),
        archive.halves,
    )
    for generation in range(GENERATIONS):
        if generation:
            pool.grow(breed_response(arena, pool.thetas, size - len(pool.thetas), NARROWER**generation, archive.halves))
        pool.meet(arena, opponents(archive, weights, many))
        pool.shrink(size // KEPT)
        yield pool
    while len(pool.thetas) > 1:
        pool.meet(arena, opponents(archive, weights, max(LEAST_PAIRS, a_round // len(pool.thetas))))
        pool.shrink(len(pool.thetas) // 2)
        yield pool


def fresh(arena: Arena, count: int) -> np.ndarray:
    """Gaussian players: narrow ones, wide ones, very wide ones."""
    return arena.gaussians(count) * np.resize(WIDTHS, count)[:, None]


def breed_response(arena: Arena, parents: np.ndarray, count: int, width: float, halves: bool = False) -> np.ndarray:
    """New players made of known ones, in turn by a Gaussian step, redrawn entries, exchanged entries, a cross."""
    if halves:
        half = parents.shape[1] // 2
        return np.hstack([breed_response(arena, part, count, width) for part in (parents[:, :half], parents[:, half:])])
    size = parents.shape[1]
    children = np.resize(parents, (count, size))
    noise = arena.gaussians(count)[:, :size]
    for number, (child, e) in enumerate(zip(children, noise, strict=True)):
        scale = max(float(np.sqrt((child**2).mean())), LEAST_SCALE)
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
