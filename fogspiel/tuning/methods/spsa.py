"""SPSA (Spall 1992) as fishtest plays it: one pair of games a direction, gains that fall by a fixed schedule."""

from collections.abc import Iterator

import numpy as np

from ..arena import Arena
from ..steps import Step, add_up, hashed_parameters

ALPHA, GAMMA = 0.602, 0.101
STABILITY = 0.1  # A as a share of all iterations
C_END, R_END = 0.3, 0.002  # fishtest's: a twentieth of the range (here of six standard deviations), and its usual R
DEFAULT_ITERATIONS = 100_000  # where the budget is not in games
BATCH, BATCHES_A_STEP, STEPS_A_CHECKPOINT = 16, 16, 16


def spsa(arena: Arena) -> Iterator[Step]:
    """Plus against minus along random signs: a_k = a / (A + k)^0.602, c_k = c / k^0.101, set by their last values."""
    x, seeds, top = arena.start, hashed_parameters(arena), arena.game.top
    last = arena.budget.games // 2 if arena.budget.games else DEFAULT_ITERATIONS
    a = R_END * C_END**2 * ((STABILITY + 1) * last) ** ALPHA
    c = C_END * last**GAMMA
    k = step = 0
    while True:
        step += 1
        for _ in range(BATCHES_A_STEP):  # results come in batches, as from fishtest's workers
            ks = np.arange(k + 1, k + BATCH + 1)
            a_k, c_k = a / (STABILITY * last + ks) ** ALPHA, c / ks**GAMMA
            signs = np.where(seeds, 0.0, np.where(arena.gaussians(BATCH) < 0, -1.0, 1.0))
            moves = c_k[:, None] * signs
            leads = arena.play_pairs(x + moves, x - moves).sum(axis=(1, 2)) * (2 / top) - 2  # wins minus losses
            x = x + add_up(a_k / c_k * leads, signs)
            k += BATCH
        yield Step(x, step % STEPS_A_CHECKPOINT == 0, float(c_k[-1]))


METHODS = {"spsa": spsa}
