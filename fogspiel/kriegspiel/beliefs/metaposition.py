"""Metapositions: the possible men on every square, for one side, in one short record (paper, section 4.3).

The board is turned so that the own men go up: for Black, square s is stored as s ^ 56. Every square that is not the own
side's holds at least one possibility. The sets are never too small, except where the referee's messages are ambiguous;
`repair` corrects what has become impossible.
"""

import numpy as np

from ...core.compile.kernel import inlined, kernel, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import ALL, BETWEEN, BISHOP, KINDS, KING, KNIGHT, NO_SQUARE, PAWN, TOP, WHITE, bit, union
from ...games.chess.moves import taken_left, taken_right
from ...games.chess.position import end_of, start_of
from ..game.attempts import move_own

DIGITS = 5
_FIELDS = [
    ("men", np.int64, KINDS),  # own men by kind, as sets of squares
    ("own", np.int64),  # their union
    ("theirs", np.int64, KINDS),  # by kind: possible squares of such a man
    ("empty", np.int64),  # the squares that may be empty (own squares are not)
    ("ages", np.int64, DIGITS),  # binary digits of the age of each square: moves since it was last known, at most 31
    ("fewest", np.int64),  # the fewest and the most enemy pawns of each file, a byte per file
    ("most", np.int64),
    ("their_pawns", np.int64),  # the opponent's remaining pawns and pieces (without the king)
    ("their_pieces", np.int64),
    ("their_castles", np.int64),  # the opponent's possible castling rights: 1 king side, 2 queen side
    ("their_tries", np.int64),  # tries of the opponent's pawns, as last announced
    ("promoted", np.int64),  # true if one of the opponent's pawns may have promoted
    ("rights", np.int64),  # own castling rights: 1 king side, 2 queen side
    ("tries", np.int64),  # tries of the own pawns, as last announced
    ("passed", np.int64),  # square just passed over by an own pawn's double step, or -1
    ("quiet", np.int64),  # own moves since the last capture or own pawn move
]
META = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
# Ages of the initial squares of men, and of squares that surely hold one (set by hand).
AGE_AT_HOME, AGE_OF_A_MAN = 10, 30
ONE_EACH = np.int64(0x0101010101010101)  # a pawn in every file
MAX_OF_A_FILE = 6  # more pawns than this cannot stand in one file
THEIR_SECOND_RANK = OWN_SEVENTH_RANK = np.int64(0xFF << 48)
THEIR_FOURTH_RANK = OWN_FIFTH_RANK = np.int64(0xFF << 32)
HOMES = (0xFF00, 0x42, 0x24, 0x81, 0x08, 0x10)  # initial squares of the own men of each kind


@inlined
def possible_men(meta):
    return union(meta.theirs)


@inlined
def enemies(meta):
    """Count the opponent's men besides its king."""
    return meta.their_pawns + meta.their_pieces


@inlined
def per_file(word, file):
    return (word >> (8 * file)) & 0xFF


@inlined
def add_pawns(word, file, number):
    return word + (np.int64(number) << (8 * file))


@inlined
def drop_pawn(word, file):
    return word - (np.int64(1) << (8 * file)) if per_file(word, file) else word


@inlined
def age_sum(meta, squares):
    total = ones(meta.ages[0] & squares) + 2 * ones(meta.ages[1] & squares) + 4 * ones(meta.ages[2] & squares)
    return total + 8 * ones(meta.ages[3] & squares) + 16 * ones(meta.ages[4] & squares)


@inlined
def set_age(meta, squares, age):
    for digit in range(DIGITS):
        meta.ages[digit] &= ~squares
        if age >> digit & 1:
            meta.ages[digit] |= squares


@kernel
def begin_at_home(meta):
    for kind in range(KINDS):
        meta.men[kind] = HOMES[kind]
        meta.theirs[kind] = (HOMES[kind] >> 8) << 48 if kind == PAWN else np.int64(HOMES[kind]) << 56
    meta.own, meta.empty = 0xFFFF, 0x0000FFFFFFFF0000
    set_age(meta, ALL, 0)
    set_age(meta, TOP | THEIR_SECOND_RANK, AGE_AT_HOME)
    meta.fewest, meta.most = ONE_EACH, ONE_EACH
    meta.their_pawns, meta.their_pieces, meta.their_castles, meta.rights = 8, 7, 3, 3
    forget_events(meta)


@kernel
def forget_events(meta):
    meta.tries, meta.their_tries, meta.promoted, meta.passed, meta.quiet = 0, 0, 0, NO_SQUARE, 0


@kernel
def begin_anywhere(meta, pawns, pieces):
    """Start from own men that are set up, knowing only how many men the opponent may have."""
    meta.own = union(meta.men)
    free = ~meta.own
    for kind in range(KINDS):
        meta.theirs[kind] = free
    meta.theirs[PAWN] &= ~(TOP | bitboards.BOTTOM)
    meta.empty = free
    set_age(meta, free, AGE_OF_A_MAN)
    meta.fewest, meta.most = 0, min(pawns, MAX_OF_A_FILE) * ONE_EACH
    meta.their_pawns, meta.their_pieces, meta.their_castles = pawns, pieces, 3
    forget_events(meta)
    forget_the_taken(meta)
    meta.theirs[KING] &= ~sure_attacks(meta)
    repair(meta)


@kernel
def attacks_past(meta, occ):
    """Return the squares that the own men attack, given the occupied squares."""
    found = threatened_by_pawns_up(meta.men[PAWN]) | bitboards.leaps(meta.men[KNIGHT])
    found |= bitboards.KING_ATTACKS[trailing_zeros(meta.men[KING])]
    for kind in range(BISHOP, KING):
        men = meta.men[kind]
        while men:
            found |= bitboards.reach(kind, trailing_zeros(men), occ)
            men &= men - 1
    return found


@kernel
def sure_attacks(meta):
    """Return the squares that the own men surely attack, whatever stands on the possible squares."""
    if enemies(meta) == 0:  # a bare king cannot shield itself
        return attacks_past(meta, meta.own)
    return attacks_past(meta, meta.own | possible_men(meta))


@inlined
def threatened_by_pawns_up(pawns):
    return taken_left(pawns, WHITE) | taken_right(pawns, WHITE)


@kernel
def repair(meta):
    """Repair contradictions: squares without a possibility become empty, and the king must be somewhere."""
    free = ~meta.own
    if meta.theirs[KING] == 0:
        refuge = free & ~sure_attacks(meta)
        meta.theirs[KING] = refuge if refuge else free
    meta.empty |= free & ~possible_men(meta)
    king = meta.theirs[KING]
    if king & (king - 1) == 0:  # a single possible square for the king holds nothing else
        for kind in range(KING):
            meta.theirs[kind] &= ~king
        meta.empty &= ~king


@kernel
def forget_the_taken(meta):
    """Clear the kinds of which no man is left."""
    if meta.their_pawns <= 0:
        meta.theirs[PAWN] = 0
        meta.fewest, meta.most = 0, 0
    if meta.their_pieces <= 0 and (meta.promoted == 0 or meta.their_pawns <= 0):
        for kind in range(KNIGHT, KING):
            meta.theirs[kind] = 0


@kernel
def take(meta, square, is_pawn):
    gone = ~bit(square)
    for kind in range(KINDS):
        meta.theirs[kind] &= gone
    if is_pawn:
        file = square & 7
        meta.their_pawns -= 1
        meta.fewest, meta.most = drop_pawn(meta.fewest, file), drop_pawn(meta.most, file)
        if per_file(meta.most, file) == 0:
            meta.theirs[PAWN] &= ~(bitboards.A_FILE << file)
    elif meta.their_pieces > 0:
        meta.their_pieces -= 1
    else:  # it must have been a promoted pawn
        meta.their_pawns -= 1
    meta.quiet = 0
    forget_the_taken(meta)


@kernel
def take_some_man(meta, square):
    """Remove an opponent's man captured on a square, when it was not announced whether it was a pawn.

    It counts as its only possible kind, else as the more numerous one; its file may have lost a pawn, or not.
    """
    pawn, piece, file = meta.theirs[PAWN] & bit(square) != 0, False, square & 7
    for kind in range(KNIGHT, KING):
        piece = piece or meta.theirs[kind] & bit(square) != 0
    counts_as_pawn = meta.their_pieces == 0 or (pawn and (not piece or meta.their_pawns > meta.their_pieces))
    for kind in range(KINDS):
        meta.theirs[kind] &= ~bit(square)
    if counts_as_pawn and meta.their_pawns > 0:
        meta.their_pawns -= 1
    else:
        meta.their_pieces -= 1
    if pawn:
        meta.fewest = drop_pawn(meta.fewest, file)
    meta.quiet = 0
    if meta.their_pawns + meta.their_pieces <= 0:  # otherwise one of the two counts may be wrong
        forget_the_taken(meta)


@kernel
def move(meta, action):
    """Make an accepted own move: the square it leaves and those it crosses are empty. Return the kind that moved."""
    start, end = start_of(action), end_of(action)
    path = BETWEEN[start, end] | bit(start)
    kind = move_own(meta.men, 0, action)
    meta.passed = NO_SQUARE
    meta.quiet += 1
    if kind == KING:
        if abs(end - start) == 2:  # castling crosses all squares up to the rook's
            rook = 7 if end > start else 0
            path |= BETWEEN[start, rook] | bit(rook)
        meta.rights = 0
    elif kind == PAWN:
        meta.quiet = 0
        if end - start == 16:
            meta.passed = start + 8
    elif start == 7:
        meta.rights &= 2
    elif start == 0:
        meta.rights &= 1
    meta.own = union(meta.men)
    known = meta.own | path
    for other in range(KINDS):
        meta.theirs[other] &= ~known
    meta.empty = (meta.empty | path) & ~meta.own
    set_age(meta, known, 0)
    return kind


@kernel
def grow_older(meta):
    may = possible_men(meta)
    carry = may & ~(meta.ages[0] & meta.ages[1] & meta.ages[2] & meta.ages[3] & meta.ages[4])
    for place in range(DIGITS):
        digit = meta.ages[place]
        meta.ages[place] = (digit ^ carry) & may
        carry &= digit
    set_age(meta, ~(meta.empty | meta.own), AGE_OF_A_MAN)


@kernel
def clear(meta, squares):
    for kind in range(KINDS):
        meta.theirs[kind] &= ~squares
    meta.empty |= squares & ~meta.own
    set_age(meta, squares, 0)


@kernel
def occupy(meta, squares):
    """Mark each of these squares as occupied by the opponent."""
    squares &= possible_men(meta)
    meta.empty &= ~squares
    set_age(meta, squares, AGE_OF_A_MAN)
