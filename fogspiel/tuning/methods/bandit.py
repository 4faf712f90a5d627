"""Seed learning by a bandit: random players are arms, a pull is a pair of games against one of the others.

Upper confidence bounds (Auer, Cesa-Bianchi and Fischer 2002) say who plays next; who has played most is the answer, and
not who has the best mean, which may be luck (Bubeck, Munos and Stoltz 2011).
"""

from collections.abc import Iterator
from math import log, sqrt

import numpy as np

from ..arena import Arena, join_halves
from ..steps import Step
from .halving import players_for

FIRST_PLAYERS = 64  # where the budget is not in games
PULLED = 32  # arms pulled at a time, each some times
PULLS = 4
CURIOSITY = 0.5  # of the bound sqrt(2 ln t / n), whose scale is that of a coin


def bandit(arena: Arena) -> Iterator[Step]:
    """UCB over random players, for each seat by itself where the halves of a vector serve one seat each."""
    halves, top = arena.strategy.halves, arena.game.top
    players = arena.gaussians(players_for(arena.budget.games // 2) if arena.budget.games else FIRST_PLAYERS)
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
    """Points and pulls of every arm: for each seat, or for both together."""
    if halves:
        return [(points[:, seat], pulls[:, seat]) for seat in (0, 1)]
    return [(points.sum(axis=1), pulls.sum(axis=1))]


def rank_arms(points: np.ndarray, pulls: np.ndarray) -> np.ndarray:
    """The arms to pull next: those of the highest upper confidence bounds."""
    total = float(pulls.sum())
    bounds = np.full(len(points), np.inf)
    known = pulls > 0
    bounds[known] = points[known] / pulls[known] + CURIOSITY * np.sqrt(2 * log(total) / pulls[known]) if total else 0.0
    return (-bounds).argsort(kind="stable")[: min(PULLED, max(1, int(sqrt(len(points)))))]


METHODS = {"bandit": bandit}
