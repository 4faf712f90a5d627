"""What the referee's words say about a metaposition: answers to own attempts, and news of the other side's moves."""

import numpy as np

from ...core.kernel import inlined, kernel, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import (
    ABOVE,
    BELOW,
    BETWEEN,
    FALLING,
    FILE,
    RANK,
    RISING,
    THROUGH,
    along,
    bit,
    diagonal,
    straight,
)
from ...games.chess.messages import (
    BY_FILE,
    BY_KNIGHT,
    BY_LONG_DIAGONAL,
    BY_RANK,
    BY_SHORT_DIAGONAL,
    CHECKS,
    NOTHING_TAKEN,
    PAWN_TAKEN,
    SQUARE,
    TAKEN,
    rising_is_long,
)
from ...games.chess.messages import TRIES as SAID_TRIES
from ...games.chess.moves import reach
from ...games.chess.position import BISHOP, KINDS, KING, KNIGHT, NO_SQUARE, PAWN, QUEEN, ROOK, end_of, kind_on, start_of
from .fills import BOTTOM
from .metaposition import (
    AGE_OF_A_MAN,
    EMPTY,
    FEWEST,
    MOST,
    OWN_FIFTH_RANK,
    OWN_SEVENTH_RANK,
    PASSED,
    PROMOTED,
    QUIET,
    THEIRS,
    THREATS,
    TRIES,
    WHOLE,
    commanded,
    enemies,
    grow_older,
    move,
    own_men,
    per_file,
    possible_men,
    repair,
    set_age,
    spread,
    take,
    threatened_by_pawns_up,
)


@kernel
def clear(meta, squares):
    """Nothing stands on these squares."""
    for kind in range(KINDS):
        meta[THEIRS + kind] &= ~squares
    meta[EMPTY] |= squares & ~meta[WHOLE]
    set_age(meta, squares, 0)


@kernel
def occupy(meta, squares):
    """One of their men stands on each of these squares."""
    squares &= possible_men(meta)
    meta[EMPTY] &= ~squares
    set_age(meta, squares, AGE_OF_A_MAN)


@kernel
def possibly_pinned(meta):
    """The own men behind which the king may be exposed: a possible slider may look at them from the far side."""
    king, blocked, found = trailing_zeros(meta[KING]), ~meta[EMPTY], np.int64(0)
    for line in range(4):
        sliders = meta[THEIRS + QUEEN] | (meta[THEIRS + ROOK] if line <= FILE else meta[THEIRS + BISHOP])
        shields = along(line, king, blocked) & meta[WHOLE]
        while shields:
            shield = trailing_zeros(shields)
            away = ABOVE[line, shield] if shield > king else BELOW[line, shield]
            if along(line, shield, blocked) & away & sliders:
                found |= bit(shield)
            shields &= shields - 1
    return found


@inlined
def _direction(king, attacker):
    """The direction from which a man other than a knight checks a king."""
    there = bit(attacker)
    if (ABOVE[RANK, king] | BELOW[RANK, king]) & there:
        return BY_RANK
    if (ABOVE[FILE, king] | BELOW[FILE, king]) & there:
        return BY_FILE
    if ((ABOVE[RISING, king] | BELOW[RISING, king]) & there != 0) == rising_is_long(king):
        return BY_LONG_DIAGONAL
    return BY_SHORT_DIAGONAL


@kernel
def _attacks(kind, square, occ):
    """The squares that an own man attacks."""
    return bits.PAWN[0, square] if kind == PAWN else reach(kind, square, occ)


@kernel
def _explained(meta, king, moved, opened, barred, checks):
    """Whether the other king, on this square, may hear exactly these checks after an own move.

    A check is new: it comes from one of the men that `moved`, on no line of `barred`, or over an `opened` square.
    """
    blocked, maybe = ~meta[EMPTY], meta[WHOLE] | possible_men(meta)
    may, must = 0, 0
    for kind in range(KING):
        men = meta[kind]
        while men:
            square = trailing_zeros(men)
            direct = moved & bit(square) != 0 and barred & bit(king) == 0
            if _attacks(kind, square, blocked) & bit(king) and (direct or BETWEEN[square, king] & opened):
                direction = BY_KNIGHT if kind == KNIGHT else _direction(king, square)
                may |= direction
            if _attacks(kind, square, maybe) & bit(king):
                must |= BY_KNIGHT if kind == KNIGHT else _direction(king, square)
            men &= men - 1
    return checks & ~may == 0 and must & ~checks == 0


@kernel
def _confine_king(meta, action, kind, took, opened, checks):
    """An own move gave these checks: keep the squares on which the king would hear them."""
    start, end = start_of(action), end_of(action)
    moved, barred = bit(end), np.int64(0)
    if kind == KING and abs(end - start) == 2:
        moved = bit((start + end) // 2)
    elif BISHOP <= kind <= QUEEN:  # along its path a man has looked before; ahead of it only up to what it took
        path = THROUGH[start, end]
        barred = path & ~_beyond(start, end) if took else path
    left, found = meta[THEIRS + KING], np.int64(0)
    while left:
        king = trailing_zeros(left)
        if _explained(meta, king, moved, opened, barred, checks):
            found |= bit(king)
        left &= left - 1
    meta[THEIRS + KING] = found


@kernel
def _beyond(start, end):
    """The squares of a line that lie beyond its second square, seen from the first."""
    for line in range(4):
        if ABOVE[line, start] & bit(end):
            return ABOVE[line, end]
        if BELOW[line, start] & bit(end):
            return BELOW[line, end]
    return np.int64(0)


@kernel
def hear_own(meta, action, message):
    """The own move was made, and the referee said this of it."""
    start, end, taken = start_of(action), end_of(action), message[TAKEN]
    kind = move(meta, action)
    opened = bit(start)
    if taken != NOTHING_TAKEN:
        take(meta, message[SQUARE], taken == PAWN_TAKEN)
        if kind == PAWN and taken == PAWN_TAKEN and OWN_FIFTH_RANK & bit(end - 8):  # perhaps in passing
            meta[EMPTY] |= bit(end - 8) & ~meta[WHOLE]
            if message[SQUARE] != end:
                clear(meta, bit(message[SQUARE]))
            opened |= bit(end - 8)
    if message[CHECKS]:
        _confine_king(meta, action, kind, taken != NOTHING_TAKEN, opened, message[CHECKS])
    else:
        meta[THEIRS + KING] &= ~commanded(meta)
        if message[SAID_TRIES] == 0:
            _rule_out_threats(meta)
    meta[THREATS] = message[SAID_TRIES]
    repair(meta)


@kernel
def _rule_out_threats(meta):
    """The other side's pawns can take nothing: none stands where it could, but perhaps where own sliders pin it."""
    men, blocked, seen = meta[WHOLE] & ~meta[KING], ~meta[EMPTY], np.int64(0)
    for kind in range(BISHOP, KING):
        left = meta[kind]
        while left:
            seen |= reach(kind, trailing_zeros(left), blocked)
            left &= left - 1
    meta[THEIRS + PAWN] &= ~threatened_by_pawns_up(men) | seen


@kernel
def hear_refusal(meta, action):
    """An own attempt was refused. A set of squares, one of which surely holds a man, if there are several."""
    start, end = start_of(action), end_of(action)
    kind = kind_on(meta, start)
    path = BETWEEN[start, end]
    pushes = kind == PAWN and (end - start) % 8 == 0
    if pushes:
        path |= bit(end)
    if enemies(meta) == 0:
        near = bits.KING[end] if kind == KING else path
        if near & meta[THEIRS + KING]:
            meta[THEIRS + KING] &= near
        repair(meta)
        return np.int64(0)
    if kind in (KING, KNIGHT) or possibly_pinned(meta) & bit(start):
        return np.int64(0)
    if kind == PAWN and not pushes:
        clear(meta, bit(end))
        repair(meta)
        return np.int64(0)
    path &= possible_men(meta)
    if path & (path - 1):
        return path
    occupy(meta, path)
    return np.int64(0)


@kernel
def _seen_from_king(meta, direction, occ):
    """The squares from which a check in this direction comes, and the sliders that give it, with these blockers."""
    king = trailing_zeros(meta[KING])
    if direction == BY_KNIGHT:
        return bits.KNIGHT[king]
    if direction == BY_RANK:
        return along(RANK, king, occ)
    if direction == BY_FILE:
        return along(FILE, king, occ)
    rising = (direction == BY_LONG_DIAGONAL) == rising_is_long(king)
    return along(RISING, king, occ) if rising else along(FALLING, king, occ)


@kernel
def checkers(meta, direction):
    """The squares on which a man that gives check in this direction may stand."""
    seen = _seen_from_king(meta, direction, ~meta[EMPTY])
    if direction == BY_KNIGHT:
        return seen & meta[THEIRS + KNIGHT]
    if direction in (BY_RANK, BY_FILE):
        return seen & (meta[THEIRS + ROOK] | meta[THEIRS + QUEEN])
    pawns = bits.PAWN[0, trailing_zeros(meta[KING])] & meta[THEIRS + PAWN]
    return seen & (meta[THEIRS + BISHOP] | meta[THEIRS + QUEEN] | pawns)


@kernel
def hear_checks(meta, checks):
    """The own king hears these checks and no other."""
    king, occ = trailing_zeros(meta[KING]), meta[WHOLE] | possible_men(meta)
    meta[THEIRS + KING] &= ~bits.KING[king]
    for number in range(5):
        direction = 1 << number
        if checks & direction:
            found = checkers(meta, direction)
            if found and found & (found - 1) == 0:
                occupy(meta, found)
            continue
        clean = ~_seen_from_king(meta, direction, occ)
        if direction == BY_KNIGHT:
            meta[THEIRS + KNIGHT] &= clean
            continue
        meta[THEIRS + QUEEN] &= clean
        if direction in (BY_RANK, BY_FILE):
            meta[THEIRS + ROOK] &= clean
        else:
            meta[THEIRS + BISHOP] &= clean
            meta[THEIRS + PAWN] &= clean | ~bits.PAWN[0, king]


@kernel
def hear_tries(meta, tries, refused):
    """The own pawns have so many captures, of which those `refused` (a set for every square) are none; no check."""
    pinned, left, count, targets = possibly_pinned(meta), meta[PAWN], 0, np.int64(0)
    may = possible_men(meta) & ~meta[THEIRS + KING]
    if tries == 0:
        clear(meta, threatened_by_pawns_up(meta[PAWN] & ~pinned) & ~meta[WHOLE])
        return
    while left:
        square = trailing_zeros(left)
        ends = bits.PAWN[0, square] & may & ~refused[square]
        count += ones(ends)
        targets |= ends
        left &= left - 1
    if count == tries and meta[PAWN] & (OWN_FIFTH_RANK | OWN_SEVENTH_RANK) == 0:  # no capture in passing, no promotion
        occupy(meta, targets)


@kernel
def _note_pawn_capture(meta, sources, square, only):
    """A pawn from one of these squares may have taken on a square (and did if `only` pawns could): file bounds."""
    added = 0 if BOTTOM & bit(square) else 1
    if sources == 0:
        return
    meta[MOST] += np.int64(added) << (8 * (square & 7))
    left = sources
    while left:
        file = trailing_zeros(left) & 7
        if per_file(meta[FEWEST], file):
            meta[FEWEST] -= np.int64(1) << (8 * file)
        left &= left - 1
    if only:
        meta[FEWEST] += np.int64(added) << (8 * (square & 7))
        if sources & (sources - 1) == 0 and per_file(meta[MOST], trailing_zeros(sources) & 7):
            meta[MOST] -= np.int64(1) << (8 * (trailing_zeros(sources) & 7))


@kernel
def lose(meta, square):
    """The other side took an own man on a square: only men that can reach it have moved."""
    here, blocked = bit(square), ~meta[EMPTY]
    guarded = commanded(meta) & here
    across, aslant = straight(square, blocked), diagonal(square, blocked)
    pawns = meta[THEIRS + PAWN] if meta[THREATS] else np.int64(0)
    passing = np.int64(0)
    if meta[PASSED] != NO_SQUARE and meta[PASSED] + 8 == square:
        passing = pawns & bits.KING[square] & (np.int64(0xFF) << (square & 56))
    pawns &= bits.PAWN[0, square]
    knights = meta[THEIRS + KNIGHT] & bits.KNIGHT[square]
    bishops, rooks = meta[THEIRS + BISHOP] & aslant, meta[THEIRS + ROOK] & across
    queens = meta[THEIRS + QUEEN] & (across | aslant)
    kings = np.int64(0) if guarded else meta[THEIRS + KING] & bits.KING[square]
    pieces = knights | bishops | rooks | queens | kings
    sources = pieces | pawns | passing
    for kind in range(KINDS):
        meta[kind] &= ~here
    meta[WHOLE] = own_men(meta)
    if sources & (sources - 1) == 0:
        clear(meta, sources)
    meta[EMPTY] |= sources
    promotes = here & BOTTOM != 0 and pawns != 0
    anything = sources == 0
    if (pawns and not promotes) or anything:
        meta[THEIRS + PAWN] |= here & ~BOTTOM
    if knights or promotes or anything:
        meta[THEIRS + KNIGHT] |= here
    if bishops or promotes or anything:
        meta[THEIRS + BISHOP] |= here
    if rooks or promotes or anything:
        meta[THEIRS + ROOK] |= here
    if queens or promotes or anything:
        meta[THEIRS + QUEEN] |= here
    if kings:
        meta[THEIRS + KING] |= here
    if promotes:
        meta[PROMOTED] = 1
    if passing:
        meta[EMPTY] |= here
        meta[THEIRS + PAWN] |= bit(meta[PASSED])
    _note_pawn_capture(meta, pawns | passing, square, pieces == 0 and not anything)
    meta[QUIET] = 0


@kernel
def hear_other(meta, lost, message, nobody):
    """The other side moved, and took the own man on `lost` (or NO_SQUARE); `nobody` is an array of 64 zeros."""
    if lost == NO_SQUARE:
        spread(meta)
    else:
        lose(meta, lost)
    meta[THEIRS + KING] &= ~commanded(meta)
    hear_checks(meta, message[CHECKS])
    meta[TRIES] = message[SAID_TRIES]
    if message[CHECKS] == 0:
        hear_tries(meta, message[SAID_TRIES], nobody)
    repair(meta)
    grow_older(meta)
