"""Best responses to a mixture by search: random players, mutants and crosses of members, halved until one is left."""

from collections.abc import Iterator

import numpy as np

from .archive import Archive, draw_members, draw_opponents, shares_of
from .arena import Arena
from .candidates import Pool, breed, draw_wide

GENERATIONS, FINALS = 4, 4
KEPT = 4  # of a pool one in four goes on to the next generation
LEAST_PAIRS = 8
NARROWER = 0.5


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
