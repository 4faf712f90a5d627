"""Metapositions: what may stand on every square, for one side, in one short array (paper, section 4.3).

The board is turned so that the own men go up: for Black, square s is kept as s ^ 56. Data sheet (int64 cells)
      0 OWN men by kind, as sets of squares
      6 THEIRS by kind: the squares on which a man of that kind may stand
     12 EMPTY: the squares that may be empty (own squares are not)
     13 AGES: the five binary digits of how many moves ago each square was last known, 31 at most
     18 FEWEST and 19 MOST enemy pawns of each file, a byte per file
     20 PAWNS and 21 PIECES left to the other side (the king not counted)
     22 own castling RIGHTS: 1 king side, 2 queen side
     23 TRIES of the own pawns, and 24 THREATS: tries of their pawns, as last announced
     25 PROMOTED: whether one of their pawns may have promoted
     26 PASSED: the square an own pawn has just passed over in a double step, or -1
     27 QUIET: own moves since the last capture or own pawn move
     28 WHOLE: all own men
     29 CASTLES: the castlings that the other side may still have: 1 king side, 2 queen side

Every square that is not the own side's holds at least one possibility. The sets are never too small but where the
referee's words are ambiguous; `repair` mends what has become impossible.
"""

import numpy as np

from ...core.kernel import inlined, kernel, leading_zeros, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.attempts import move_own
from ...games.chess.bits import BETWEEN, bit
from ...games.chess.moves import reach
from ...games.chess.position import A_FILE, BISHOP, KINDS, KING, KNIGHT, NO_SQUARE, PAWN, QUEEN, ROOK, end_of, start_of
from .fills import (
    BOTTOM,
    TOP,
    around,
    beside,
    cornering,
    fill_diagonally,
    fill_north,
    fill_sideways,
    fill_south,
    leaps,
)

OWN, THEIRS, EMPTY, AGES, FEWEST, MOST, PAWNS, PIECES, RIGHTS = 0, 6, 12, 13, 18, 19, 20, 21, 22
TRIES, THREATS, PROMOTED, PASSED, QUIET, WHOLE, CASTLES = 23, 24, 25, 26, 27, 28, 29
META = 30
DIGITS = 5
AGE_AT_HOME, AGE_OF_A_MAN = 10, 30
ONE_EACH = np.int64(0x0101010101010101)
THEIR_SECOND_RANK = OWN_SEVENTH_RANK = np.int64(0xFF << 48)
THEIR_FOURTH_RANK = OWN_FIFTH_RANK = np.int64(0xFF << 32)
KING_AT_HOME = np.int64(1 << 60)
KING_SIDE_GAP, QUEEN_SIDE_GAP, QUEEN_SIDE_PATH = np.int64(3 << 61), np.int64(7 << 57), np.int64(3 << 58)
HOMES = (0xFF00, 0x42, 0x24, 0x81, 0x08, 0x10)


@inlined
def possible_men(meta):
    """The squares on which the other side may have a man."""
    pieces = meta[THEIRS + KNIGHT] | meta[THEIRS + BISHOP] | meta[THEIRS + ROOK] | meta[THEIRS + QUEEN]
    return pieces | meta[THEIRS + PAWN] | meta[THEIRS + KING]


@inlined
def own_men(meta):
    """The squares of the own men, worked out anew."""
    return meta[PAWN] | meta[KNIGHT] | meta[BISHOP] | meta[ROOK] | meta[QUEEN] | meta[KING]


@inlined
def enemies(meta):
    """How many men the other side has besides its king."""
    return meta[PAWNS] + meta[PIECES]


@inlined
def file_of(square):
    """The file of a square, as a set."""
    return A_FILE << (square & 7)


@inlined
def per_file(word, file):
    """A file's byte in FEWEST or MOST."""
    return (word >> (8 * file)) & 0xFF


@inlined
def age_sum(meta, squares):
    """The sum of the ages of a set of squares."""
    total = ones(meta[AGES] & squares) + 2 * ones(meta[AGES + 1] & squares) + 4 * ones(meta[AGES + 2] & squares)
    return total + 8 * ones(meta[AGES + 3] & squares) + 16 * ones(meta[AGES + 4] & squares)


@inlined
def set_age(meta, squares, age):
    """Give the squares of a set this age."""
    for digit in range(DIGITS):
        meta[AGES + digit] &= ~squares
        if age >> digit & 1:
            meta[AGES + digit] |= squares


@kernel
def begin_at_home(meta):
    """All men stand at home."""
    for cell in range(META):
        meta[cell] = 0
    for kind in range(KINDS):
        meta[OWN + kind] = HOMES[kind]
        meta[THEIRS + kind] = (HOMES[kind] >> 8) << 48 if kind == PAWN else np.int64(HOMES[kind]) << 56
    meta[WHOLE], meta[EMPTY] = 0xFFFF, 0x0000FFFFFFFF0000
    set_age(meta, TOP | THEIR_SECOND_RANK, AGE_AT_HOME)
    meta[FEWEST], meta[MOST] = ONE_EACH, ONE_EACH
    meta[PAWNS], meta[PIECES], meta[RIGHTS], meta[PASSED], meta[CASTLES] = 8, 7, 3, NO_SQUARE, 3


@kernel
def begin_anywhere(meta, pawns, pieces):
    """The own men are set up already; nothing is known of the other side but how many men it may have."""
    meta[WHOLE] = own_men(meta)
    free = ~meta[WHOLE]
    for kind in range(KINDS):
        meta[THEIRS + kind] = free
    meta[THEIRS + PAWN] &= ~(TOP | BOTTOM)
    meta[EMPTY] = free
    set_age(meta, free, AGE_OF_A_MAN)
    meta[FEWEST], meta[MOST] = 0, min(pawns, 6) * ONE_EACH
    meta[PAWNS], meta[PIECES], meta[PASSED], meta[CASTLES] = pawns, pieces, NO_SQUARE, 3
    meta[TRIES], meta[THREATS], meta[PROMOTED], meta[QUIET] = 0, 0, 0, 0
    forget_the_taken(meta)
    meta[THEIRS + KING] &= ~commanded(meta)
    repair(meta)


@kernel
def attacked_past(meta, occ):
    """The squares that the own men attack if these are occupied."""
    found = threatened_by_pawns_up(meta[PAWN]) | leaps(meta[KNIGHT]) | bits.KING[trailing_zeros(meta[KING])]
    for kind in range(BISHOP, KING):
        men = meta[kind]
        while men:
            found |= reach(kind, trailing_zeros(men), occ)
            men &= men - 1
    return found


@kernel
def commanded(meta):
    """The squares that the own men surely attack, whatever stands where something may stand."""
    if enemies(meta) == 0:  # a bare king cannot shield itself
        return attacked_past(meta, meta[WHOLE])
    return attacked_past(meta, meta[WHOLE] | possible_men(meta))


@inlined
def threatened_by_pawns_up(pawns):
    """The squares on which pawns that go up could take."""
    return (pawns & ~A_FILE) << 7 | (pawns & ~(A_FILE << 7)) << 9


@kernel
def repair(meta):
    """Mend what cannot be: squares without a possibility are empty, and the king must be somewhere."""
    free = ~meta[WHOLE]
    if meta[THEIRS + KING] == 0:
        refuge = free & ~commanded(meta)
        meta[THEIRS + KING] = refuge if refuge else free
    meta[EMPTY] |= free & ~possible_men(meta)
    king = meta[THEIRS + KING]
    if king & (king - 1) == 0:  # there is only one square for the king, and nothing else on it
        for kind in range(KING):
            meta[THEIRS + kind] &= ~king
        meta[EMPTY] &= ~king


@kernel
def forget_the_taken(meta):
    """Clear the kinds of which no man is left."""
    if meta[PAWNS] <= 0:
        meta[THEIRS + PAWN] = 0
        meta[FEWEST], meta[MOST] = 0, 0
    if meta[PIECES] <= 0 and (meta[PROMOTED] == 0 or meta[PAWNS] <= 0):
        for kind in range(KNIGHT, KING):
            meta[THEIRS + kind] = 0


@kernel
def take(meta, square, is_pawn):
    """One of their men was taken on a square."""
    gone = ~bit(square)
    for kind in range(KINDS):
        meta[THEIRS + kind] &= gone
    if is_pawn:
        file = square & 7
        meta[PAWNS] -= 1
        if per_file(meta[FEWEST], file):
            meta[FEWEST] -= np.int64(1) << (8 * file)
        if per_file(meta[MOST], file):
            meta[MOST] -= np.int64(1) << (8 * file)
        if per_file(meta[MOST], file) == 0:
            meta[THEIRS + PAWN] &= ~file_of(square)
    elif meta[PIECES] > 0:
        meta[PIECES] -= 1
    else:  # it must have been a pawn that promoted
        meta[PAWNS] -= 1
    meta[QUIET] = 0
    forget_the_taken(meta)


@kernel
def move(meta, action):
    """Make an accepted own move: the square it leaves and those it crosses are empty. The kind that moved."""
    start, end = start_of(action), end_of(action)
    path = BETWEEN[start, end] | bit(start)
    kind = move_own(meta, 0, action)
    meta[PASSED] = NO_SQUARE
    meta[QUIET] += 1
    if kind == KING:
        if abs(end - start) == 2:
            path |= BETWEEN[start, 7 if end > start else 0] | bit(7 if end > start else 0)
        meta[RIGHTS] = 0
    elif kind == PAWN:
        meta[QUIET] = 0
        if end - start == 16:
            meta[PASSED] = start + 8
    elif start == 7:
        meta[RIGHTS] &= 2
    elif start == 0:
        meta[RIGHTS] &= 1
    meta[WHOLE] = own_men(meta)
    known = meta[WHOLE] | path
    for cell in range(THEIRS, THEIRS + KINDS):
        meta[cell] &= ~known
    meta[EMPTY] = (meta[EMPTY] | path) & ~meta[WHOLE]
    for cell in range(AGES, AGES + DIGITS):
        meta[cell] &= ~known
    return kind


@kernel
def grow_older(meta):
    """A move was made: what may hold a man is known a move less well."""
    may = possible_men(meta)
    carry = may & ~(meta[AGES] & meta[AGES + 1] & meta[AGES + 2] & meta[AGES + 3] & meta[AGES + 4])
    for cell in range(AGES, AGES + DIGITS):
        digit = meta[cell]
        meta[cell] = (digit ^ carry) & may
        carry &= digit
    set_age(meta, ~(meta[EMPTY] | meta[WHOLE]), AGE_OF_A_MAN)


@kernel
def _flooded_files(men, empty, highest, lowest):
    """Where rooks may go along files: not past a certain pawn, from beyond all the squares it may be on."""
    above, below = fill_north(highest, ~highest) & ~highest, fill_south(lowest, ~lowest) & ~lowest
    found = fill_south(men & ~above, empty) | fill_south(men & above, empty & ~lowest)
    return found | fill_north(men & ~below, empty) | fill_north(men & below, empty & ~highest)


@kernel
def _castled(meta, empty, control):
    """Where the other king may go by castling, over squares that may be empty and that it may cross."""
    found, kings, rooks = np.int64(0), meta[THEIRS + KING], meta[THEIRS + ROOK]
    if kings & KING_AT_HOME == 0:
        meta[CASTLES] = 0
    if rooks & (np.int64(1) << 63) == 0:
        meta[CASTLES] &= 2
    if rooks & (np.int64(1) << 56) == 0:
        meta[CASTLES] &= 1
    if meta[CASTLES] & 1 and KING_SIDE_GAP & (control | ~empty) == 0:
        found |= np.int64(1) << 62
    if meta[CASTLES] & 2 and QUEEN_SIDE_GAP & ~empty == 0 and QUEEN_SIDE_PATH & control == 0:
        found |= np.int64(1) << 58
    return found


@kernel
def spread(meta):
    """The other side has made a move that took nothing: every man may be where it was or where it can go."""
    empty, control = meta[EMPTY], commanded(meta)
    homes = _castled(meta, empty, control)
    pawns, knights, bishops = meta[THEIRS + PAWN], meta[THEIRS + KNIGHT], meta[THEIRS + BISHOP]
    rooks, queens, kings = meta[THEIRS + ROOK], meta[THEIRS + QUEEN], meta[THEIRS + KING]
    highest, lowest = np.int64(0), np.int64(0)
    for file in range(8):
        there = pawns & (A_FILE << file)
        if there and per_file(meta[FEWEST], file):
            highest |= np.int64(1) << (63 - leading_zeros(there))
            lowest |= there & -there
    steps = (pawns >> 8) & empty
    leavers = pawns & (empty << 8) | knights & leaps(empty)
    leavers |= (rooks | queens | kings) & beside(empty) | (bishops | queens | kings) & cornering(empty)
    queening = steps & BOTTOM
    meta[THEIRS + PAWN] = pawns | steps & ~BOTTOM | (steps >> 8) & empty & THEIR_FOURTH_RANK
    meta[THEIRS + KNIGHT] = knights | leaps(knights) & empty | queening
    meta[THEIRS + BISHOP] = fill_diagonally(bishops, empty) | queening
    meta[THEIRS + ROOK] = fill_sideways(rooks, empty) | _flooded_files(rooks, empty, highest, lowest) | queening
    sideways = fill_sideways(queens, empty) | fill_diagonally(queens, empty)
    meta[THEIRS + QUEEN] = sideways | _flooded_files(queens, empty, highest, lowest) | queening
    meta[THEIRS + KING] = kings | around(kings) & empty & ~control | homes
    meta[EMPTY] = empty | leavers
    if enemies(meta) == 0:  # a bare king has to move
        meta[THEIRS + KING] = around(kings) & empty & ~control
    if queening:
        meta[PROMOTED] = 1
    while queening:
        file = trailing_zeros(queening) & 7
        if per_file(meta[FEWEST], file):
            meta[FEWEST] -= np.int64(1) << (8 * file)
        queening &= queening - 1
