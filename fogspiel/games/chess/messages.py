"""Referee's message after a move, the same for both players (rule sets: `kriegspiel.announcements`).

0    what was taken: 0 nothing, 1 a pawn, 2 a piece, 3 a man of which no more is said, 4 a pawn, en passant
1    the square of the taken man, or -1
2    the directions from which the mover's king is in check, as a set of the five below
3    how many legal captures the mover's pawns have; under other rules than those of the Internet Chess Club whether
     there are any, or the squares of the pawns that have some, or always 0
"""

from ...core.kernel import in_place, inlined, ones, trailing_zeros
from . import bits
from .bits import ABOVE, BELOW, FALLING, FILE, LAST_RANKS, NO_SQUARE, NONE, RANK, RISING, THROUGH, bit
from .limits import ALLOWED, CHECKERS, PINNED
from .men import KNIGHT, PAWN
from .moves import passant_is_legal, taken_left, taken_right
from .position import MEN, MOVER, PASSANT, king_of

TAKEN, SQUARE, CHECKS, TRIES = 0, 1, 2, 3
MESSAGE = 4  # the cells of a message
NOTHING_TAKEN, PAWN_TAKEN, PIECE_TAKEN, MAN_TAKEN, PASSANT_TAKEN = 0, 1, 2, 3, 4
CHECK_DIRECTIONS = BY_RANK, BY_FILE, BY_LONG_DIAGONAL, BY_SHORT_DIAGONAL, BY_KNIGHT = 1, 2, 4, 8, 16


@in_place
def rising_is_long(square):
    """True if of the two diagonals through a square the one parallel to a1-h8 has more squares."""
    return (square % 8 < 4) == (square < 32)


@in_place
def line_of_check(direction, king):
    """The line of the board that the referee means by a direction other than the knight's."""
    if direction == BY_RANK:
        return RANK
    if direction == BY_FILE:
        return FILE
    return RISING if (direction == BY_LONG_DIAGONAL) == rising_is_long(king) else FALLING


@inlined
def direction_of_check(king, checker):
    """The direction from which a man other than a knight, alone in the set `checker`, gives check."""
    if (ABOVE[RANK, king] | BELOW[RANK, king]) & checker:
        return BY_RANK
    if (ABOVE[FILE, king] | BELOW[FILE, king]) & checker:
        return BY_FILE
    if ((ABOVE[RISING, king] | BELOW[RISING, king]) & checker != 0) == rising_is_long(king):
        return BY_LONG_DIAGONAL
    return BY_SHORT_DIAGONAL


@in_place
def directions(pos, limits):
    """The directions of check, as the king sees them; a pawn's is a diagonal."""
    king, left, found = king_of(pos, pos[MOVER]), limits[CHECKERS], 0
    while left:
        checker = left & -left
        found |= BY_KNIGHT if pos[KNIGHT] & checker else direction_of_check(king, checker)
        left &= left - 1
    return found


@in_place
def pawn_tries(pos, limits, per_piece):
    """The number of legal captures by pawns; one that promotes counts once, or four times if counted per piece."""
    mover = pos[MOVER]
    pawns, victims = pos[PAWN] & pos[MEN + mover], pos[MEN + 1 - mover] & limits[ALLOWED]
    free, pinned, last = pawns & ~limits[PINNED], pawns & limits[PINNED], LAST_RANKS[mover]
    left, right = taken_left(free, mover) & victims, taken_right(free, mover) & victims
    count = ones(left) + ones(right)
    promoting = ones(left & last) + ones(right & last)
    while pinned:
        ends = bits.PAWN[mover, trailing_zeros(pinned)] & victims & THROUGH[king_of(pos, mover), trailing_zeros(pinned)]
        count += ones(ends)
        promoting += ones(ends & last)
        pinned &= pinned - 1
    if pos[PASSANT] != NO_SQUARE:
        takers = bits.PAWN[1 - mover, pos[PASSANT]] & pawns
        while takers:
            if passant_is_legal(pos, trailing_zeros(takers)):
                count += 1
            takers &= takers - 1
    return count + 3 * promoting if per_piece else count


@in_place
def capturing_pawns(pos, limits):
    """The squares of the mover's pawns that have a legal capture."""
    mover = pos[MOVER]
    pawns, victims = pos[PAWN] & pos[MEN + mover], pos[MEN + 1 - mover] & limits[ALLOWED]
    left, found = pawns, NONE
    while left:
        square = trailing_zeros(left)
        ends = bits.PAWN[mover, square] & victims
        if limits[PINNED] & bit(square):
            ends &= THROUGH[king_of(pos, mover), square]
        if ends:
            found |= bit(square)
        left &= left - 1
    if pos[PASSANT] != NO_SQUARE:
        takers = bits.PAWN[1 - mover, pos[PASSANT]] & pawns
        while takers:
            if passant_is_legal(pos, trailing_zeros(takers)):
                found |= takers & -takers
            takers &= takers - 1
    return found


@in_place
def announced_capture(pos, victim, end, at_arrival, out):
    """Write what is said of the man on `victim`, who is about to be taken by a move to `end`, or that there is none."""
    out[TAKEN], out[SQUARE] = NOTHING_TAKEN, NO_SQUARE
    if victim != NO_SQUARE:
        out[TAKEN] = PAWN_TAKEN if pos[PAWN] & bit(victim) else PIECE_TAKEN
        out[SQUARE] = end if at_arrival else victim
