"""Candidates: how many players are scored, thinned out and bred, whoever they play against.

Nothing is assumed of the parameters: wide draws find what is nearly pure (softmax), exchanged and redrawn entries move
between the plateaus of orders, small Gaussian steps serve where the score is smooth.
"""

import numpy as np

from .arena import Arena, join_halves

WIDTHS = (1.0, 4.0, 16.0)
LEAST_SCALE = 1e-3
NUMBERS = 1 << 20  # parameters in one event, which must fit into memory
DOUBT = 4.0  # pairs at 1/2 that are added to every score, so that luck in a few pairs does not lead


class Pool:
    """Candidates with their points in both seats; where halves serve one seat each, they are ranked apart."""

    def __init__(self, thetas: np.ndarray, halves: bool, doubt: float = DOUBT, seats: int = 2) -> None:
        self.thetas, self.halves, self.doubt = thetas, halves, doubt
        self.points, self.pairs = np.zeros((len(thetas), seats)), np.zeros((len(thetas), seats))

    @property
    def scores(self) -> np.ndarray:
        """Cautious mean scores in each seat (or in one column, where the seats are not told apart)."""
        return (self.points + self.doubt / 2) / (self.pairs + self.doubt)

    def play(self, arena: Arena, others: np.ndarray) -> None:
        """Let every candidate play a pair of games against every one of the others."""
        top, part = arena.game.top, max(NUMBERS // self.thetas.size, 1)
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
        if not self.halves:
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
