"""A chess position as thirteen integers.

0..5    the pawns, knights, bishops, rooks, queens and kings of both colours, as sets of squares
6, 7    the men of White and of Black
8       side to move: 0 White, 1 Black
9       castling rights: 1 White's king side, 2 White's queen side, 4 and 8 Black's
10      the square that a pawn has just passed over in a double step, or -1
11      plies since the last capture or pawn move
12      plies since the start
"""

import numpy as np

from ...core.compile.kernel import in_place, inlined, ones, trailing_zeros
from .bitboards import BISHOP, FORWARD, KINDS, KING, KNIGHT, LIGHT_SQUARES, NO_SQUARE, PAWN, QUEEN, ROOK, bit, kind_on

# A move as an integer: from + 64 * to + 4096 * promotion.
#
# The promotion is 0 or a kind of man from knight to queen; castling is a move of the king by two squares.

KING_SIDE, QUEEN_SIDE = 0, 1
ROOK_HOME = np.array([[7, 0], [63, 56]], np.int64)
KING_HOME = np.array([4, 60], np.int64)  # home squares of kings and castling rooks, by colour and side


@inlined
def move_of(start, end, promotion):
    return start + 64 * end + 4096 * promotion


@inlined
def start_of(move):
    return move & 63


@inlined
def end_of(move):
    return (move >> 6) & 63


@inlined
def promotion_of(move):
    return move >> 12


@inlined
def castling_rook(colour, start, end):
    return ROOK_HOME[colour, KING_SIDE if end > start else QUEEN_SIDE]


MEN = 6  # cell 6 + colour is the set of that colour's men
MOVER, RIGHTS, PASSANT, CLOCK, PLY = 8, 9, 10, 11, 12
POSITION = 13  # the number of cells
_POWERS = np.array([pow(6364136223846793005, power, 2**64) for power in range(1, 19)], np.uint64)
# Factors of the keys, two for every cell: odd numbers without a pattern (powers of Knuth's factor for MMIX).
FACTORS = _POWERS.view(np.int64).reshape(2, 9)


@inlined
def copy_board(pos, out):
    for cell in range(POSITION):
        out[cell] = pos[cell]


@inlined
def occupied(pos):
    return pos[MEN] | pos[MEN + 1]


@inlined
def king_of(pos, colour):
    return trailing_zeros(pos[KING] & pos[MEN + colour])


@in_place
def victim_square(pos, move):
    """Return the square of the man that a legal move captures, or NO_SQUARE."""
    end = end_of(move)
    if pos[MEN + 1 - pos[MOVER]] & bit(end):
        return end
    if end == pos[PASSANT] and pos[PAWN] & bit(start_of(move)):
        return end - FORWARD[pos[MOVER]]
    return NO_SQUARE


@in_place
def _lost_rights(square):
    """Return the castling rights that end when something leaves or enters a square."""
    if square == 4:
        return 3
    if square == 60:
        return 12
    if square == 7:
        return 1
    if square == 0:
        return 2
    if square == 63:
        return 4
    if square == 56:
        return 8
    return 0


@in_place
def make(pos, move):
    mover, start, end, promotion = pos[MOVER], start_of(move), end_of(move), promotion_of(move)
    kind, victim = kind_on(pos, start), victim_square(pos, move)
    pos[CLOCK] += 1
    if victim != NO_SQUARE:
        gone = ~bit(victim)
        for taken in range(KINDS - 1):
            pos[taken] &= gone
        pos[MEN + 1 - mover] &= gone
        pos[CLOCK] = 0
    path = bit(start) | bit(end)
    pos[kind] ^= path
    pos[MEN + mover] ^= path
    passed = NO_SQUARE
    if kind == PAWN:
        pos[CLOCK] = 0
        if promotion:
            pos[PAWN] ^= bit(end)
            pos[promotion] |= bit(end)
        elif abs(end - start) == 16:
            passed = (start + end) // 2
    elif kind == KING and abs(end - start) == 2:
        rook = bit(castling_rook(mover, start, end)) | bit((start + end) // 2)
        pos[ROOK] ^= rook
        pos[MEN + mover] ^= rook
    pos[RIGHTS] &= ~(_lost_rights(start) | _lost_rights(end))
    pos[PASSANT] = passed
    pos[MOVER] = 1 - mover
    pos[PLY] += 1


@in_place
def cannot_mate(pos):
    """True if neither side has mating material: bare kings, one minor piece, or bishops of one square colour only."""
    if pos[PAWN] | pos[ROOK] | pos[QUEEN]:
        return False
    if pos[KNIGHT]:
        return ones(occupied(pos)) <= 3
    bishops = pos[BISHOP]
    return (bishops & LIGHT_SQUARES) == 0 or (bishops & ~LIGHT_SQUARES) == 0


@inlined
def _mix(cell, word):
    """Return the part of a cell in a key, independent of other parts; own factors tell exchanged high bits apart."""
    product = word * FACTORS[0, cell]
    return (product ^ (product >> 32)) * FACTORS[1, cell]


@in_place
def key_of(pos, passant):
    """Return a 64-bit repetition key: men, side to move, rights, and whether en passant is possible at `passant`."""
    total = _mix(MOVER, pos[MOVER] + 2 * pos[RIGHTS] + 32 * (passant + 1))
    for cell in range(MOVER):
        total += _mix(cell, pos[cell])
    return total
