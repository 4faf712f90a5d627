"""True if an engine accepts a draw: if by its own belief it is worse.

Only `fog` has a value of the position itself: the mean material on the boards that explain what it has heard, by what
men are worth in Kriegspiel. Every other engine declines, and so does `fog` against a lone king.
"""

import numpy as np

from ..core.agents import Player
from ..games.chess.men import KING
from ..games.chess.position import MEN
from .engines.fog import Fog
from .evaluation.threat_value import ALL_SQUARES
from .learned import load_learned
from .training.value_fit import phase_of_men

BOARDS = 200  # boards that are weighed, the heaviest ones


def accepts_draw(player: Player) -> bool:
    """True if a player that has just chosen its move would rather have a draw."""
    advantage = material_advantage(player)
    return advantage is not None and advantage < 0


def material_advantage(player: Player) -> float | None:
    """Return the material advantage by its belief, in hundredths of a pawn; None if unknown."""
    engine = getattr(player, "engine", player)  # within its budget of time
    if not isinstance(engine, Fog) or engine.ending or not engine.belief.count:
        return None
    boards, weights = engine.belief.boards, engine.belief.weights
    heaviest = weights.argsort()[-BOARDS:]
    worths = load_learned().worths[phase_of_men(_count(boards[0, MEN] | boards[0, MEN + 1]))]
    own, other = MEN + engine.side, MEN + 1 - engine.side
    total = 0.0
    for board, weight in zip(boards[heaviest], weights[heaviest], strict=True):
        more = (_count(board[kind] & board[own]) - _count(board[kind] & board[other]) for kind in range(KING))
        total += float(weight) * sum(float(worth) * men for worth, men in zip(worths, more, strict=False))
    return total / float(weights[heaviest].sum())


def _count(men: np.int64) -> int:
    """Count the men in a set of squares."""
    return (int(men) & ALL_SQUARES).bit_count()
