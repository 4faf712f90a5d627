"""Checks and pins: what limits the moves of a side."""

from ...core.kernel import kernel, trailing_zeros
from . import bits
from .bits import ALL, BETWEEN, NONE, diagonal, straight
from .men import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from .position import MEN, MOVER, king_of

CHECKERS, ALLOWED, PINNED = 0, 1, 2
LIMITS = 3
"""The cells that `restrict` fills: who gives check, where that can be answered, and which men are pinned."""


@kernel
def attackers(pos, square, colour, occ):
    """The men of a colour that attack a square, with these squares taken as occupied."""
    queens, kings = pos[QUEEN], pos[KING]
    found = bits.PAWN[1 - colour, square] & pos[PAWN]
    found |= bits.KNIGHT[square] & pos[KNIGHT]
    found |= bits.KING[square] & kings
    found |= straight(square, occ) & (pos[ROOK] | queens)
    found |= diagonal(square, occ) & (pos[BISHOP] | queens)
    return found & pos[MEN + colour]


@kernel
def restrict(pos, limits):
    """Work out what limits the mover: checks and pins."""
    mover = pos[MOVER]
    king, own, other = king_of(pos, mover), pos[MEN + mover], pos[MEN + 1 - mover]
    occ = own | other
    checkers = attackers(pos, king, 1 - mover, occ)
    limits[CHECKERS] = checkers
    if checkers == 0:
        limits[ALLOWED] = ALL
    elif checkers & (checkers - 1):
        limits[ALLOWED] = NONE
    else:
        limits[ALLOWED] = BETWEEN[king, trailing_zeros(checkers)] | checkers
    snipers = other & (
        (straight(king, other) & (pos[ROOK] | pos[QUEEN])) | (diagonal(king, other) & (pos[BISHOP] | pos[QUEEN]))
    )
    pinned = NONE
    while snipers:
        shield = BETWEEN[king, trailing_zeros(snipers)] & own
        if shield and shield & (shield - 1) == 0:
            pinned |= shield
        snipers &= snipers - 1
    limits[PINNED] = pinned
