"""The Nash portfolio of random players (St-Pierre et al. 2016): all against all, one linear program, a mixed answer."""

from collections.abc import Iterator
from math import isqrt

import numpy as np

from ..arena import Arena
from ..meta_game import Archive, is_certain
from ..steps import Step

FIRST_PLAYERS, MOST_PLAYERS = 8, 400
PAIRS_A_CELL = 16  # for which the budget should suffice, where scores vary
PARTS = 8  # events in which all cells of the table have a turn
LEAST_WEIGHT = 1e-3


def seed_nash(arena: Arena) -> Iterator[Step]:
    """A table of as many random players as the budget can measure (or of more and more), all cells in turn."""
    archive, certain = Archive(arena), is_certain(arena)
    turns = 1 if certain else PAIRS_A_CELL
    players = FIRST_PLAYERS
    if arena.budget.games is not None:  # K players have K^2 / 2 pairs, or K^2 games a turn
        players = max(min(isqrt(max(arena.budget.games - arena.games, 1) // turns), MOST_PLAYERS), 2)
    while True:
        archive.add(arena.gaussians(min(players, MOST_PLAYERS) - len(archive)))
        rows, columns = np.tril_indices(len(archive))
        for _ in range(turns):
            for part in np.array_split(np.arange(len(rows)), min(PARTS, len(rows))):
                archive.play(rows[part], columns[part])
            yield archive.step(archive.nash(LEAST_WEIGHT), True)
        if arena.budget.games is None:
            players *= 2


METHODS = {"seed-nash": seed_nash}
