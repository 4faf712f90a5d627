"""The kinds and colours of men, who stands where (six sets of squares, one for each kind), and where a man reaches."""

import numpy as np

from ...core.kernel import in_place, inlined
from . import bits
from .bits import NONE, bit, diagonal, straight

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = 0, 1, 2, 3, 4, 5
KINDS = 6
NO_MAN = 6  # what stands on an empty square
WHITE, BLACK = 0, 1
FORWARD = np.array([8, -8], np.int64)  # how much greater the number of the square before a pawn is, by colour
_LINES = bits.ABOVE | bits.BELOW
_STRAIGHT, _DIAGONAL = _LINES[bits.RANK] | _LINES[bits.FILE], _LINES[bits.RISING] | _LINES[bits.FALLING]
# The squares that a man attacks on an empty board, by kind and square; none for a pawn.
ALONE = np.array([0 * bits.KING, bits.KNIGHT, _DIAGONAL, _STRAIGHT, _DIAGONAL | _STRAIGHT, bits.KING], np.int64)


@inlined
def union(men):
    """All squares of six sets of men."""
    found = NONE
    for kind in range(KINDS):
        found |= men[kind]
    return found


@in_place
def kind_on(pos, square):
    """The kind of the man on a square, or NO_MAN."""
    there, found = bit(square), 0
    for kind in range(1, KINDS):  # no jumps, which could not be foreseen
        found += kind * (pos[kind] & there != 0)
    return found if found or pos[PAWN] & there else NO_MAN


@inlined
def reach(kind, square, occ):
    """The squares that a man other than a pawn attacks."""
    if kind == KNIGHT:
        return bits.KNIGHT[square]
    if kind == KING:
        return bits.KING[square]
    found = NONE
    if kind != BISHOP:
        found |= straight(square, occ)
    if kind != ROOK:
        found |= diagonal(square, occ)
    return found


@in_place
def attacks_of(kind, square, colour, occ):
    """The squares that a man attacks."""
    return bits.PAWN[colour, square] if kind == PAWN else reach(kind, square, occ)
