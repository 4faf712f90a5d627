"""The method of seeds of Cauwet & Teytaud 2018, section II-E: random players, all pairs, keep the best average."""

from collections.abc import Iterator

import numpy as np

from ..arena import Arena, join_halves
from ..steps import Step


def seeds(arena: Arena) -> Iterator[Step]:
    """Round robin of random players, anytime: each step adds one player, who meets all the others in both seats."""
    players = np.zeros((0, len(arena.strategy.parameters)))
    totals = np.zeros((0, 2), np.int64)  # every player's points in the first and in the second seat
    best: list[int] = []
    while True:
        newcomer = arena.gaussian()
        scores = arena.play_newcomer(newcomer, players)
        totals += arena.game.top - scores[:, ::-1]
        totals = np.vstack([totals, scores.sum(axis=0)])
        players = np.vstack([players, newcomer])
        if arena.strategy.halves:
            found = totals.argmax(axis=0).tolist()
        else:
            found = [int(totals.sum(axis=1).argmax())]
        yield Step(join_halves(players, found[:1], found[-1:])[0], found != best, population=len(players))
        best = found


METHODS = {"seeds": seeds}
