"""The method of seeds of Cauwet & Teytaud 2018, section II-E: random players, all pairs, keep the best average."""

from collections.abc import Iterator

import numpy as np

from ..arena import Arena
from ..step import Step


def seeds(arena: Arena) -> Iterator[Step]:
    """Round robin of random players, anytime: each step adds one player, who meets all the others in both seats."""
    assert arena.game.strategy is not None
    top = len(arena.game.payoffs) - 1
    players: list[np.ndarray] = []
    totals = np.zeros((0, 2), np.int64)  # every player's points in the first and in the second seat
    best = None
    while True:
        newcomer = arena.gaussian()
        scores = arena.duels(newcomer, players)
        totals += top - scores[:, ::-1]
        totals = np.vstack([totals, scores.sum(axis=0)])
        players.append(newcomer)
        if arena.game.strategy.halves:
            half = len(newcomer) // 2
            pick = tuple(totals.argmax(axis=0).tolist())
            theta = np.concatenate([players[pick[0]][:half], players[pick[1]][half:]])
        else:
            pick = (int(totals.sum(axis=1).argmax()),)
            theta = players[pick[0]]
        yield Step(theta, pick != best, population=len(players))
        best = pick


METHODS = {"seeds": seeds}
