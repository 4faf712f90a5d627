"""The values of attempts against a lone king: by the table of the ending where there is one, else by looking ahead.

The weights of the rook, the pawn, and the minor men were found by CMA-ES (16 candidates, 150 to 600 random positions
per generation, the same for all) against the best defence that sees everything; those of the queen are set by hand.
"""

import numpy as np

from ...games.chess.men import BISHOP, KNIGHT, PAWN, QUEEN, ROOK
from . import lone_king_endgame
from .endgame_table import endgame_table, kinds_of
from .lone_king_endgame import empty_stack
from .table_values import Weights, value_by_table

FARTHEST, FAR, WIDTH = 2, 8, 6
"""So many own moves are looked ahead, for so many of the best moves, so many moves at the next."""
BEHIND = 1e9
"""What keeps the other moves, which are looked into less far, behind them."""
FIFTY, LAST_MOVES = 50, 10
"""Own moves without capture or pawn move that end the game, and how long before patience begins to end."""
TOO_OFTEN, STALE, LOOP = 2, 0.3, 1000.0
"""How often the own men may stand alike since the last capture or pawn move; what once costs, and once too often."""
WEIGHTS: dict[tuple[int, ...], Weights] = {
    (QUEEN,): Weights(
        80, 450, 2, 300, 0.3, 5, 0.8, 0.15, 1, 0.6, 0.3,
        0.3, 0.1, 0.1, 2, 20, 0, 0.1, 0.1, 0.1, 0.1,
    ),
    (ROOK,): Weights(
        235.493, 447.382, 3.693, 504.426, 0.256, 0.169, 0.275, -0.024, 0.271, 1.433, 0.709,
        0.093, 0.068, 0.354, 1.223, 48.759, -0.171, 0.632, -0.067, -0.038, 0.047,
    ),
    (PAWN,): Weights(
        9.473, 5579.79, 3.95, 364.712, 0.664, 23.225, 0.653, -0.389, 3.083, 2.836, -0.321,
        -0.243, -0.002, 0.537, 4.339, -38.072, 0.075, 0.591, 0.12, -0.315, 0.313,
    ),
    (BISHOP, BISHOP): Weights(
        157.469, 885.019, 0.877, 527.949, 0, 2.128, 0.841, 0.119, 0.739, 1.772, 0.758,
        0.843, -0.024, 0.153, -2.257, 42.453, 0.024, 0.135, -0.02, 0.076, 0.008,
    ),
    (BISHOP, KNIGHT): Weights(
        91.217, 336.037, 0.433, 511.467, 0.942, 3.812, 1.507, -0.014, 0.368, 1.37, 0.707,
        0.039, 0.118, 0.123, 1.74, 16.498, 0.059, 0.085, 0.132, 0.343, 0.201,
    ),
}  # fmt: skip
"""By the kinds of the own men beside the king."""


def value_attempts(men: np.ndarray, kings: int, moves: np.ndarray, times: np.ndarray, left: int) -> np.ndarray:
    """The values of the moves; after each the men stand for so many times as before, and so many moves are left."""
    if kinds_of(men) in WEIGHTS:
        return _by_table(men, kings, moves, times)
    patience = min(1.0, max(0.0, left / LAST_MOVES))
    stack, values, farther = empty_stack(FARTHEST), np.empty(len(moves)), np.empty(min(FAR, len(moves)))
    costs = STALE * times + LOOP * (times >= TOO_OFTEN)
    lone_king_endgame.value_moves(men, kings, moves, FARTHEST - 1, WIDTH, patience, stack, values)
    best = np.argsort(costs - values, kind="stable")[:FAR]
    lone_king_endgame.value_moves(men, kings, moves[best], FARTHEST, WIDTH, patience, stack, farther)
    values -= BEHIND
    values[best] = farther
    return np.asarray(values - costs)


def _by_table(men: np.ndarray, kings: int, moves: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The values of the moves by the table of the ending."""
    kinds, values = kinds_of(men), np.empty(len(moves))
    value_by_table(men, kings, moves, times, endgame_table(*kinds).to_mate, WEIGHTS[kinds], values)
    return np.asarray(values - LOOP * (times >= TOO_OFTEN))
