"""Checks and pins: what limits the moves of a side."""

from ...core.kernel import in_place, inlined, trailing_zeros
from . import bits
from .bits import ALL, BETWEEN, NONE, bit
from .men import ALONE, BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from .position import MEN, MOVER, king_of

CHECKERS, ALLOWED, PINNED = 0, 1, 2
LIMITS = 3  # the cells that `restrict` fills: who gives check, where that can be answered, and which men are pinned


@inlined
def _leapers(pos, square, colour):
    """The men of a colour that attack a square from nearby: pawns, knights and the king."""
    found = bits.PAWN[1 - colour, square] & pos[PAWN]
    found |= bits.KNIGHT[square] & pos[KNIGHT]
    return (found | bits.KING[square] & pos[KING]) & pos[MEN + colour]


@inlined
def _sliders(pos, square, colour):
    """The men of a colour that would attack a square along a line if nobody else were there."""
    found = ALONE[ROOK, square] & (pos[ROOK] | pos[QUEEN]) | ALONE[BISHOP, square] & (pos[BISHOP] | pos[QUEEN])
    return found & pos[MEN + colour]


@in_place
def attackers(pos, square, colour, occ):
    """The men of a colour that attack a square, with these squares taken as occupied."""
    found, sliders = _leapers(pos, square, colour), _sliders(pos, square, colour)
    while sliders:
        slider = trailing_zeros(sliders)
        if BETWEEN[square, slider] & occ == 0:
            found |= bit(slider)
        sliders &= sliders - 1
    return found


@in_place
def is_attacked(pos, square, colour, occ):
    """True if a man of a colour attacks a square, with these squares taken as occupied."""
    if _leapers(pos, square, colour):
        return True
    sliders = _sliders(pos, square, colour)
    while sliders:
        if BETWEEN[square, trailing_zeros(sliders)] & occ == 0:
            return True
        sliders &= sliders - 1
    return False


@in_place
def restrict(pos, limits):
    """Work out what limits the mover: checks and pins."""
    mover = pos[MOVER]
    king, own, occ = king_of(pos, mover), pos[MEN + mover], pos[MEN] | pos[MEN + 1]
    checkers, sliders, pinned = _leapers(pos, king, 1 - mover), _sliders(pos, king, 1 - mover), NONE
    while sliders:
        slider = trailing_zeros(sliders)
        shield = BETWEEN[king, slider] & occ
        if shield == 0:
            checkers |= bit(slider)
        elif shield & (shield - 1) == 0:
            pinned |= shield & own
        sliders &= sliders - 1
    limits[CHECKERS], limits[PINNED] = checkers, pinned
    if checkers == 0:
        limits[ALLOWED] = ALL
    elif checkers & (checkers - 1):
        limits[ALLOWED] = NONE
    else:
        limits[ALLOWED] = BETWEEN[king, trailing_zeros(checkers)] | checkers
