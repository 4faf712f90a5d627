"""Spread of the opponent's men in a metaposition by its move: to other squares, or to a capture."""

import numpy as np

from ...core.kernel import kernel, leading_zeros, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import A_FILE, NO_SQUARE, NONE, bit
from ...games.chess.men import BISHOP, KINDS, KING, KNIGHT, PAWN, QUEEN, ROOK, reach, union
from . import fills
from .fills import BOTTOM, around, leaps
from .metaposition import THEIR_FOURTH_RANK, add_pawns, clear, drop_pawn, enemies, per_file, sure_attacks

KING_AT_HOME, KING_SIDE_CASTLED, QUEEN_SIDE_CASTLED = np.int64(1 << 60), np.int64(1 << 62), np.int64(1 << 58)
KING_SIDE_ROOK, QUEEN_SIDE_ROOK = np.int64(-(1 << 63)), np.int64(1 << 56)
# For castling: the squares between king and rook must be empty, those of the king's path not attacked.
KING_SIDE_GAP, QUEEN_SIDE_GAP, QUEEN_SIDE_PATH = np.int64(3 << 61), np.int64(7 << 57), np.int64(3 << 58)


@kernel
def _fill_files(men, empty, highest, lowest):
    """Spread rooks along files: not past a certain pawn, from beyond all the squares it may be on."""
    above, below = fills.north(highest, ~highest) & ~highest, fills.south(lowest, ~lowest) & ~lowest
    found = fills.south(men & ~above, empty) | fills.south(men & above, empty & ~lowest)
    return found | fills.north(men & ~below, empty) | fills.north(men & below, empty & ~highest)


@kernel
def _castle(meta, empty, control):
    """Return the other king's castling destinations, over squares that may be empty and that it may cross."""
    found = NONE
    if meta.theirs[KING] & KING_AT_HOME == 0:
        meta.their_castles = 0
    if meta.theirs[ROOK] & KING_SIDE_ROOK == 0:
        meta.their_castles &= 2
    if meta.theirs[ROOK] & QUEEN_SIDE_ROOK == 0:
        meta.their_castles &= 1
    if meta.their_castles & 1 and KING_SIDE_GAP & (control | ~empty) == 0:
        found |= KING_SIDE_CASTLED
    if meta.their_castles & 2 and QUEEN_SIDE_GAP & ~empty == 0 and QUEEN_SIDE_PATH & control == 0:
        found |= QUEEN_SIDE_CASTLED
    return found


@kernel
def spread(meta):
    """The other side has made a move that took nothing: every man may be where it was or where it can go."""
    empty, control = meta.empty, sure_attacks(meta)
    castled = _castle(meta, empty, control)
    pawns, knights, bishops = meta.theirs[PAWN], meta.theirs[KNIGHT], meta.theirs[BISHOP]
    rooks, queens, kings = meta.theirs[ROOK], meta.theirs[QUEEN], meta.theirs[KING]
    highest, lowest = NONE, NONE
    for file in range(8):
        there = pawns & (A_FILE << file)
        if there and per_file(meta.fewest, file):
            highest |= np.int64(1) << (63 - leading_zeros(there))
            lowest |= there & -there
    steps = (pawns >> 8) & empty
    leavers = pawns & (empty << 8) | knights & leaps(empty)
    leavers |= (rooks | queens | kings) & fills.beside(empty) | (bishops | queens | kings) & fills.cornering(empty)
    queening = steps & BOTTOM
    meta.theirs[PAWN] = pawns | steps & ~BOTTOM | (steps >> 8) & empty & THEIR_FOURTH_RANK
    meta.theirs[KNIGHT] = knights | leaps(knights) & empty | queening
    meta.theirs[BISHOP] = fills.diagonally(bishops, empty) | queening
    meta.theirs[ROOK] = fills.sideways(rooks, empty) | _fill_files(rooks, empty, highest, lowest) | queening
    sideways = fills.sideways(queens, empty) | fills.diagonally(queens, empty)
    meta.theirs[QUEEN] = sideways | _fill_files(queens, empty, highest, lowest) | queening
    meta.theirs[KING] = kings | around(kings) & empty & ~control | castled
    meta.empty = empty | leavers
    if enemies(meta) == 0:  # a bare king has to move
        meta.theirs[KING] = around(kings) & empty & ~control
    if queening:
        meta.promoted = 1
    while queening:
        meta.fewest = drop_pawn(meta.fewest, trailing_zeros(queening) & 7)
        queening &= queening - 1


@kernel
def _note_pawn_capture(meta, sources, square, only):
    """A pawn from one of these squares may have taken on a square (and did if `only` pawns could): file bounds."""
    if sources == 0:
        return
    file, added = square & 7, 0 if BOTTOM & bit(square) else 1
    meta.most = add_pawns(meta.most, file, added)
    left = sources
    while left:
        meta.fewest = drop_pawn(meta.fewest, trailing_zeros(left) & 7)
        left &= left - 1
    if only:
        meta.fewest = add_pawns(meta.fewest, file, added)
        if sources & (sources - 1) == 0:
            meta.most = drop_pawn(meta.most, trailing_zeros(sources) & 7)


@kernel
def lose(meta, square):
    """The other side took an own man on a square: only men that can reach it have moved."""
    here, blocked, guarded = bit(square), ~meta.empty, sure_attacks(meta) & bit(square)
    pieces, came = NONE, 0  # where the taker may have stood, and the kinds that it may be, as bits
    for kind in range(KNIGHT, KINDS):
        takers = meta.theirs[kind] & reach(kind, square, blocked)
        if takers and not (kind == KING and guarded):
            pieces |= takers
            came |= 1 << kind
    pawns = meta.theirs[PAWN] if meta.their_tries else NONE
    passing = NONE
    if meta.passed != NO_SQUARE and meta.passed + 8 == square:
        passing = pawns & bits.KING[square] & (np.int64(0xFF) << (square & 56))
    pawns &= bits.PAWN[0, square]
    sources = pieces | pawns | passing
    for kind in range(KINDS):
        meta.men[kind] &= ~here
    meta.own = union(meta.men)
    if sources & (sources - 1) == 0:
        clear(meta, sources)
    meta.empty |= sources
    promotes, anything = here & BOTTOM != 0 and pawns != 0, sources == 0
    if (pawns and not promotes) or anything:
        meta.theirs[PAWN] |= here & ~BOTTOM
    for kind in range(KNIGHT, KING):
        if came >> kind & 1 or promotes or anything:
            meta.theirs[kind] |= here
    if came >> KING & 1:
        meta.theirs[KING] |= here
    if promotes:
        meta.promoted = 1
    if passing:
        meta.empty |= here
        meta.theirs[PAWN] |= bit(meta.passed)
    _note_pawn_capture(meta, pawns | passing, square, pieces == 0 and not anything)
    meta.quiet = 0
