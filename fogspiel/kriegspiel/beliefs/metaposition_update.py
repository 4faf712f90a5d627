"""Update of a metaposition by the referee's messages.

    own attempt refused   hear_refusal   the path is blocked, if the man cannot be pinned; a bare king is on it or near
    own move accepted     hear_own       squares that it left and crossed are empty, a captured man is gone; then their
                                         messages:
                                         checks      their king stands where exactly these checks reach it
                                         no check    it is on no square that we surely attack
                                         no tries    no pawn of theirs stands next to our men, unless it may be pinned
    their move            hear_other     `spread` moves every man where it can go, or `lose` brings a possible capturer;
                                         their king leaves the squares that we attack; then our messages:
                                         checks      if only one square can give a check, a man stands there;
                                                     no man stands where another check would come from
                                         no tries    no man stands where our pawns capture, unless they may be pinned
                                         tries       if there are just this many possible captures, all are real

`repair` then corrects what has become impossible.
"""

import numpy as np

from ...core.compile.kernel import kernel, leading_zeros, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import BISHOP, BOTTOM, KINDS, KING, KNIGHT, NONE, PAWN, QUEEN, ROOK, along, bit, reach
from ...games.chess.position import end_of, start_of
from ..game import attempts
from ..game.attempts import BY_FILE, BY_KNIGHT, BY_RANK, CHECKS, MAN_TAKEN, NOTHING_TAKEN, PAWN_TAKEN, SQUARE, TRIES
from . import metaposition
from .metaposition import add_pawns, clear, drop_pawn, enemies, move, occupy, possible_men, repair, sure_attacks

# Update of a metaposition by announced checks: the possible checking men, and squares of their king.

DIRECTIONS = 5


@kernel
def possibly_pinned(meta):
    """Return the own men that may be pinned: a possible slider attacks them on the line from their king."""
    king, blocked, found = trailing_zeros(meta.men[KING]), ~meta.empty, NONE
    for line in range(4):
        sliders = meta.theirs[QUEEN] | (meta.theirs[ROOK] if line <= bitboards.FILE else meta.theirs[BISHOP])
        shields = along(line, king, blocked) & meta.own
        while shields:
            shield = trailing_zeros(shields)
            away = bitboards.ABOVE[line, shield] if shield > king else bitboards.BELOW[line, shield]
            if along(line, shield, blocked) & away & sliders:
                found |= bit(shield)
            shields &= shields - 1
    return found


@kernel
def _explains(meta, king, moved, opened, barred, checks):
    """True if the opponent's king, on this square, may be in exactly these checks after an own move.

    A check is new: it comes from one of the men that `moved`, on no line of `barred`, or over an `opened` square.
    """
    blocked, maybe, here = ~meta.empty, meta.own | possible_men(meta), bit(king)
    may, must = 0, 0
    for kind in range(KING):
        men = meta.men[kind]
        while men:
            square = trailing_zeros(men)
            direction = BY_KNIGHT if kind == KNIGHT else attempts.direction_of_check(king, bit(square))
            new = (moved & bit(square) and barred & here == 0) or bitboards.BETWEEN[square, king] & opened
            if new and bitboards.attacks_of(kind, square, 0, blocked) & here:
                may |= direction
            if bitboards.attacks_of(kind, square, 0, maybe) & here:
                must |= direction
            men &= men - 1
    return checks & ~may == 0 and must & ~checks == 0


@kernel
def hear_check_to_them(meta, action, kind, took, opened, checks):
    """Keep the squares of the opponent's king that explain the checks of an own move."""
    start, end = start_of(action), end_of(action)
    moved, barred = bit(end), NONE
    if kind == KING and abs(end - start) == 2:
        moved = bit((start + end) // 2)
    elif BISHOP <= kind <= QUEEN:  # a man attacked along its path before; ahead of it only up to what it captured
        barred = bitboards.THROUGH[start, end]
        if took:
            barred &= (bit(end) << 1) - 1 if end > start else -bit(end)
    left, found = meta.theirs[KING], NONE
    while left:
        king = trailing_zeros(left)
        if _explains(meta, king, moved, opened, barred, checks):
            found |= bit(king)
        left &= left - 1
    meta.theirs[KING] = found


@kernel
def _seen_from_king(meta, direction, occ):
    """Return the squares from which a check in this direction comes, given the blockers."""
    king = trailing_zeros(meta.men[KING])
    if direction == BY_KNIGHT:
        return bitboards.KNIGHT_ATTACKS[king]
    return along(attempts.line_of_check(direction, king), king, occ)


@kernel
def checkers(meta, direction):
    seen = _seen_from_king(meta, direction, ~meta.empty)
    if direction == BY_KNIGHT:
        return seen & meta.theirs[KNIGHT]
    if direction in (BY_RANK, BY_FILE):
        return seen & (meta.theirs[ROOK] | meta.theirs[QUEEN])
    pawns = bitboards.PAWN_ATTACKS[0, trailing_zeros(meta.men[KING])] & meta.theirs[PAWN]
    return seen & (meta.theirs[BISHOP] | meta.theirs[QUEEN] | pawns)


@kernel
def hear_check_to_us(meta, checks):
    king, occ = trailing_zeros(meta.men[KING]), meta.own | possible_men(meta)
    meta.theirs[KING] &= ~bitboards.KING_ATTACKS[king]
    for number in range(DIRECTIONS):
        direction = 1 << number
        if checks & direction:
            found = checkers(meta, direction)
            if found and found & (found - 1) == 0:
                occupy(meta, found)
            continue
        clean = ~_seen_from_king(meta, direction, occ)
        if direction == BY_KNIGHT:
            meta.theirs[KNIGHT] &= clean
            continue
        meta.theirs[QUEEN] &= clean
        if direction in (BY_RANK, BY_FILE):
            meta.theirs[ROOK] &= clean
        else:
            meta.theirs[BISHOP] &= clean
            meta.theirs[PAWN] &= clean | ~bitboards.PAWN_ATTACKS[0, king]


# Spread of the opponent's men in a metaposition by its move: to other squares, or to a capture.

KING_AT_HOME, KING_SIDE_CASTLED, QUEEN_SIDE_CASTLED = np.int64(1 << 60), np.int64(1 << 62), np.int64(1 << 58)
KING_SIDE_ROOK, QUEEN_SIDE_ROOK = np.int64(-(1 << 63)), np.int64(1 << 56)
# For castling: the squares between king and rook must be empty, those of the king's path not attacked.
KING_SIDE_GAP, QUEEN_SIDE_GAP, QUEEN_SIDE_PATH = np.int64(3 << 61), np.int64(7 << 57), np.int64(3 << 58)


@kernel
def _fill_files(men, empty, highest, lowest):
    """Spread rooks along files: not past a certain pawn, from beyond all its possible squares."""
    above, below = bitboards.north(highest, ~highest) & ~highest, bitboards.south(lowest, ~lowest) & ~lowest
    found = bitboards.south(men & ~above, empty) | bitboards.south(men & above, empty & ~lowest)
    return found | bitboards.north(men & ~below, empty) | bitboards.north(men & below, empty & ~highest)


@kernel
def _castle(meta, empty, control):
    """Return the castling destinations of the opponent's king, over squares that may be empty and that it may cross."""
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
    """Spread every man of the opponent after a quiet move: it stays or goes where it can."""
    empty, control = meta.empty, sure_attacks(meta)
    castled = _castle(meta, empty, control)
    pawns, knights, bishops = meta.theirs[PAWN], meta.theirs[KNIGHT], meta.theirs[BISHOP]
    rooks, queens, kings = meta.theirs[ROOK], meta.theirs[QUEEN], meta.theirs[KING]
    highest, lowest = NONE, NONE
    for file in range(8):
        there = pawns & (bitboards.A_FILE << file)
        if there and metaposition.per_file(meta.fewest, file):
            highest |= np.int64(1) << (63 - leading_zeros(there))
            lowest |= there & -there
    steps = (pawns >> 8) & empty
    leavers = pawns & (empty << 8) | knights & bitboards.leaps(empty)
    leavers |= (rooks | queens | kings) & bitboards.beside(empty)
    leavers |= (bishops | queens | kings) & bitboards.cornering(empty)
    queening = steps & BOTTOM
    meta.theirs[PAWN] = pawns | steps & ~BOTTOM | (steps >> 8) & empty & metaposition.THEIR_FOURTH_RANK
    meta.theirs[KNIGHT] = knights | bitboards.leaps(knights) & empty | queening
    meta.theirs[BISHOP] = bitboards.diagonally(bishops, empty) | queening
    meta.theirs[ROOK] = bitboards.sideways(rooks, empty) | _fill_files(rooks, empty, highest, lowest) | queening
    sideways = bitboards.sideways(queens, empty) | bitboards.diagonally(queens, empty)
    meta.theirs[QUEEN] = sideways | _fill_files(queens, empty, highest, lowest) | queening
    meta.theirs[KING] = kings | bitboards.around(kings) & empty & ~control | castled
    meta.empty = empty | leavers
    if enemies(meta) == 0:  # a bare king has to move
        meta.theirs[KING] = bitboards.around(kings) & empty & ~control
    if queening:
        meta.promoted = 1
    while queening:
        meta.fewest = drop_pawn(meta.fewest, trailing_zeros(queening) & 7)
        queening &= queening - 1


@kernel
def _note_pawn_capture(meta, sources, square, only):
    """Update the file bounds by a pawn that may have captured on a square (and did if `only` pawns could)."""
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
    """Update by a capture of an own man on a square: only men that can reach it have moved."""
    here, blocked, guarded = bit(square), ~meta.empty, sure_attacks(meta) & bit(square)
    pieces, came = NONE, 0  # possible origins of the capturer, and its possible kinds as bits
    for kind in range(KNIGHT, KINDS):
        takers = meta.theirs[kind] & reach(kind, square, blocked)
        if takers and not (kind == KING and guarded):
            pieces |= takers
            came |= 1 << kind
    pawns = meta.theirs[PAWN] if meta.their_tries else NONE
    passing = NONE
    if meta.passed != bitboards.NO_SQUARE and meta.passed + 8 == square:
        passing = pawns & bitboards.KING_ATTACKS[square] & (np.int64(0xFF) << (square & 56))
    pawns &= bitboards.PAWN_ATTACKS[0, square]
    sources = pieces | pawns | passing
    for kind in range(KINDS):
        meta.men[kind] &= ~here
    meta.own = bitboards.union(meta.men)
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


@kernel
def hear_own(meta, action, message):
    start, end, taken = start_of(action), end_of(action), message[attempts.TAKEN]
    kind = move(meta, action)
    opened = bit(start)
    if taken != NOTHING_TAKEN:
        if taken == MAN_TAKEN:
            metaposition.take_some_man(meta, message[SQUARE])
        else:
            metaposition.take(meta, message[SQUARE], taken == PAWN_TAKEN)
        # perhaps en passant
        if kind == PAWN and taken in (PAWN_TAKEN, MAN_TAKEN) and metaposition.OWN_FIFTH_RANK & bit(end - 8):
            meta.empty |= bit(end - 8) & ~meta.own
            if message[SQUARE] != end:
                clear(meta, bit(message[SQUARE]))
            opened |= bit(end - 8)
    if message[CHECKS]:
        hear_check_to_them(meta, action, kind, taken != NOTHING_TAKEN, opened, message[CHECKS])
    else:
        meta.theirs[KING] &= ~sure_attacks(meta)
        if message[TRIES] == 0:
            seen = NONE  # no pawn can capture, except where own sliders may pin it
            for slider in range(BISHOP, KING):
                left = meta.men[slider]
                while left:
                    seen |= reach(slider, trailing_zeros(left), ~meta.empty)
                    left &= left - 1
            meta.theirs[PAWN] &= ~metaposition.threatened_by_pawns_up(meta.own & ~meta.men[KING]) | seen
    meta.their_tries = message[TRIES]
    repair(meta)


@kernel
def hear_refusal(meta, action):
    """Update by a refused own attempt; return a set of squares that surely contains a man, if there are several."""
    start, end = start_of(action), end_of(action)
    kind = bitboards.kind_on(meta.men, start)
    path = bitboards.BETWEEN[start, end]
    pushes = kind == PAWN and (end - start) % 8 == 0
    if pushes:
        path |= bit(end)
    if enemies(meta) == 0:
        near = bitboards.KING_ATTACKS[end] if kind == KING else path
        if near & meta.theirs[KING]:
            meta.theirs[KING] &= near
        repair(meta)
        return NONE
    if kind in (KING, KNIGHT) or possibly_pinned(meta) & bit(start):
        return NONE
    if kind == PAWN and not pushes:
        clear(meta, bit(end))
        repair(meta)
        return NONE
    path &= possible_men(meta)
    if path & (path - 1):
        return path
    occupy(meta, path)
    return NONE


@kernel
def hear_tries(meta, tries, refused):
    """Update by the number of own pawn captures; `refused` (a set for every square) are none. There is no check."""
    pinned, left, count, targets = possibly_pinned(meta), meta.men[PAWN], 0, NONE
    may = possible_men(meta) & ~meta.theirs[KING]
    if tries == 0:
        clear(meta, metaposition.threatened_by_pawns_up(meta.men[PAWN] & ~pinned) & ~meta.own)
        return
    while left:
        square = trailing_zeros(left)
        ends = bitboards.PAWN_ATTACKS[0, square] & may & ~refused[square]
        count += ones(ends)
        targets |= ends
        left &= left - 1
    # a capture en passant or a promotion is possible
    special = meta.men[PAWN] & (metaposition.OWN_FIFTH_RANK | metaposition.OWN_SEVENTH_RANK)
    if count == tries and not special:
        occupy(meta, targets)


@kernel
def hear_other(meta, lost, message, zeros):
    """Update by the opponent's move, which captured on `lost` (or NO_SQUARE); `zeros` has a zero for every square."""
    if lost == bitboards.NO_SQUARE:
        spread(meta)
    else:
        lose(meta, lost)
    meta.theirs[KING] &= ~sure_attacks(meta)
    hear_check_to_us(meta, message[CHECKS])
    meta.tries = message[TRIES]
    if message[CHECKS] == 0:
        hear_tries(meta, message[TRIES], zeros)
    repair(meta)
    metaposition.grow_older(meta)
