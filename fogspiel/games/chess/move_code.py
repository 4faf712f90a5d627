"""A move as a number: from + 64 * to + 4096 * promotion.

The promotion is 0 or a kind of man from knight to queen; castling is a move of the king by two squares.
"""

import numpy as np

from ...core.kernel import inlined

KING_SIDE, QUEEN_SIDE = 0, 1
ROOK_HOME = np.array([[7, 0], [63, 56]], np.int64)
KING_HOME = np.array([4, 60], np.int64)  # where kings and rooks stand who may castle, by colour and side


@inlined
def move_of(start, end, promotion):
    """A move as a number."""
    return start + 64 * end + 4096 * promotion


@inlined
def start_of(move):
    """The square that a move leaves."""
    return move & 63


@inlined
def end_of(move):
    """The square that a move goes to."""
    return (move >> 6) & 63


@inlined
def promotion_of(move):
    """The kind that a pawn becomes, or 0."""
    return move >> 12


@inlined
def castling_rook(colour, start, end):
    """The square of the rook with which a king that goes from one square to another castles."""
    return ROOK_HOME[colour, KING_SIDE if end > start else QUEEN_SIDE]
