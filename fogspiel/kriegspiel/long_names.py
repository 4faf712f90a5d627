"""Moves as a player of Kriegspiel may write them: long (`Ng1f3`), from the own men alone.

The short form (`Nf3`) tells what is pinned; a player who may not know that gets the long form, which names both
squares.
"""

import numpy as np

from ..core.game import new_cells
from ..games.chess.bitboards import KING, PAWN, kind_on
from ..games.chess.fen import LETTERS, square_name
from ..games.chess.moves import MAX_ATTEMPTS
from ..games.chess.position import end_of, promotion_of, start_of
from .game.attempts import attempts

HIDDEN = "??"  # what stands for a move that is not told


def long_name(men: np.ndarray, move: int) -> str:
    """A move with both its squares, from the own men in the first cells of `men`."""
    kind, start, end = int(kind_on(men, start_of(move))), start_of(move), end_of(move)
    if kind == KING and abs(end - start) == 2:
        return "O-O" if end > start else "O-O-O"
    man = "" if kind == PAWN else LETTERS[kind].upper()
    promotion = promotion_of(move)
    return man + square_name(start) + square_name(end) + (f"={LETTERS[promotion].upper()}" if promotion else "")


def own_attempts(men: np.ndarray, colour: int, rights: int) -> list[int]:
    """List every attempt of a side with these men, captures by pawns included."""
    own = 0
    for kind in range(KING + 1):
        own |= int(men[kind])
    out = new_cells(MAX_ATTEMPTS)
    return list(out[: attempts(men, own, colour, rights, 1, new_cells(64), out)].tolist())
