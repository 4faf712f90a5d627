"""The values of attempts against a lone king: by the table of the ending where there is one, else by looking ahead.

The weights of the rook, the pawn, and the minor men were found by CMA-ES (16 or 18 candidates, 150 to 1,500 random
positions per generation, the same for all) against the best defence that sees everything; those of the queen are set
by hand. `benchmarks/kriegspiel_endings_tuning.py` tunes on.
"""

import numpy as np

from ...games.chess.men import BISHOP, KNIGHT, PAWN, QUEEN, ROOK
from . import lone_king_endgame
from .endgame_table import endgame_table, kinds_of
from .lone_king_endgame import empty_stack
from .table_values import Weights, value_by_table

# So many own moves are looked ahead, for so many of the best moves, so many moves at the next.
FARTHEST, FAR, WIDTH = 2, 8, 6
BEHIND = 1e9  # what keeps the other moves, which are looked into less far, behind them
# Own moves without capture or pawn move that end the game, and how long before patience begins to end.
FIFTY, LAST_MOVES = 50, 10
# How often the own men may stand alike since the last capture or pawn move; what once costs, and once too often.
TOO_OFTEN, STALE, LOOP = 2, 0.3, 1000.0
WEIGHTS: dict[tuple[int, ...], Weights] = {
    (QUEEN,): Weights(
        80, 450, 2, 300, 0.3, 5, 0.8, 0.15, 1, 0.6, 0.3,
        0.3, 0.1, 0.1, 2, 20, 0, 0.1, 0.1, 0.1, 0.1,
    ),
    (ROOK,): Weights(
        237.593, 582.323, 3.27, 489.955, 0.283, 0.276, 0.31, -0.02, 0.342, 1.065, 0.588,
        0.126, -0.078, 0.315, 1.364, 39.625, 0.032, 0.742, 0.054, 0.079, 0.048, 0.218, 0.051,
    ),
    (PAWN,): Weights(
        -1.985, 265.43, 2.473, 194.45, 0.179, 26.49, 0.521, -0.58, 5.743, 2.522, -0.359,
        0.075, 0.085, 0.588, 3.064, 1.632, -0.643, 0.346, -0.115, -0.236, 0.634, 0.09, 0.415, 0.247,
        1.423, 1.124, 0.421,
    ),
    (BISHOP, BISHOP): Weights(
        119.758, 1349.137, 2.083, 489.676, 0.039, 2.082, 0.989, 0.074, 0.716, 0.774, 1.7,
        0.072, 0.034, -0.073, -0.828, 39.731, 0.096, -0.372, -0.174, -0.133, 0.157, 0.871, -0.027,
    ),
    (BISHOP, KNIGHT): Weights(
        138.835, 358.816, 0.941, 586.949, 0, 4.056, 1.374, 0.015, 0.961, 3.841, 0.693,
        0.06, 0.526, 0.149, 2.431, 17.176, 0.254, 0.208, 0.35, 0.523, 0.186, -0.071, 0.253,
    ),
}  # fmt: skip
"""By the kinds of the own men beside the king."""


NO_TABLE = np.empty((0, 64), np.uint8)  # what stands for a table where there is none


def table_of_ending(men: np.ndarray) -> np.ndarray:
    """Return the distance-to-mate table of the ending; empty if its attempts are valued without."""
    kinds = kinds_of(men)
    return endgame_table(*kinds).to_mate if kinds in WEIGHTS else NO_TABLE


def value_attempts(
    men: np.ndarray, kings: int, belief: np.ndarray, moves: np.ndarray, times: np.ndarray, left: int
) -> np.ndarray:
    """The values of the moves; after each the men stand for so many times as before, and so many moves are left."""
    if kinds_of(men) in WEIGHTS:
        values = np.empty(len(moves))
        value_by_table(men, kings, belief, moves, times, table_of_ending(men), WEIGHTS[kinds_of(men)], values)
        return np.asarray(values - LOOP * (times >= TOO_OFTEN))
    patience = min(1.0, max(0.0, left / LAST_MOVES))
    stack, values, farther = empty_stack(FARTHEST), np.empty(len(moves)), np.empty(min(FAR, len(moves)))
    costs = STALE * times + LOOP * (times >= TOO_OFTEN)
    lone_king_endgame.value_moves(men, kings, moves, FARTHEST - 1, WIDTH, patience, stack, values)
    best = np.argsort(costs - values, kind="stable")[:FAR]
    lone_king_endgame.value_moves(men, kings, moves[best], FARTHEST, WIDTH, patience, stack, farther)
    values -= BEHIND
    values[best] = farther
    return np.asarray(values - costs)
