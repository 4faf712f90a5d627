"""Update of a metaposition by announced checks: the possible checking men, and squares of their king."""

from ...core.kernel import kernel, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import ABOVE, BELOW, BETWEEN, FILE, NONE, THROUGH, along, bit
from ...games.chess.men import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, attacks_of
from ...games.chess.messages import BY_FILE, BY_KNIGHT, BY_RANK, direction_of_check, line_of_check
from ...games.chess.move_code import end_of, start_of
from .metaposition import occupy, possible_men

DIRECTIONS = 5


@kernel
def possibly_pinned(meta):
    """The own men behind which the king may be exposed: a possible slider may look at them from the far side."""
    king, blocked, found = trailing_zeros(meta.men[KING]), ~meta.empty, NONE
    for line in range(4):
        sliders = meta.theirs[QUEEN] | (meta.theirs[ROOK] if line <= FILE else meta.theirs[BISHOP])
        shields = along(line, king, blocked) & meta.own
        while shields:
            shield = trailing_zeros(shields)
            away = ABOVE[line, shield] if shield > king else BELOW[line, shield]
            if along(line, shield, blocked) & away & sliders:
                found |= bit(shield)
            shields &= shields - 1
    return found


@kernel
def _explains(meta, king, moved, opened, barred, checks):
    """True if the other king, on this square, may hear exactly these checks after an own move.

    A check is new: it comes from one of the men that `moved`, on no line of `barred`, or over an `opened` square.
    """
    blocked, maybe, here = ~meta.empty, meta.own | possible_men(meta), bit(king)
    may, must = 0, 0
    for kind in range(KING):
        men = meta.men[kind]
        while men:
            square = trailing_zeros(men)
            direction = BY_KNIGHT if kind == KNIGHT else direction_of_check(king, bit(square))
            direct = moved & bit(square) != 0 and barred & here == 0
            if attacks_of(kind, square, 0, blocked) & here and (direct or BETWEEN[square, king] & opened):
                may |= direction
            if attacks_of(kind, square, 0, maybe) & here:
                must |= direction
            men &= men - 1
    return checks & ~may == 0 and must & ~checks == 0


@kernel
def _beyond(start, end):
    """The squares of a line that lie beyond its second square, seen from the first."""
    for line in range(4):
        if ABOVE[line, start] & bit(end):
            return ABOVE[line, end]
        if BELOW[line, start] & bit(end):
            return BELOW[line, end]
    return NONE


@kernel
def hear_check_to_them(meta, action, kind, took, opened, checks):
    """An own move gave these checks: keep the squares on which the other king would hear them."""
    start, end = start_of(action), end_of(action)
    moved, barred = bit(end), NONE
    if kind == KING and abs(end - start) == 2:
        moved = bit((start + end) // 2)
    elif BISHOP <= kind <= QUEEN:  # along its path a man has looked before; ahead of it only up to what it took
        path = THROUGH[start, end]
        barred = path & ~_beyond(start, end) if took else path
    left, found = meta.theirs[KING], NONE
    while left:
        king = trailing_zeros(left)
        if _explains(meta, king, moved, opened, barred, checks):
            found |= bit(king)
        left &= left - 1
    meta.theirs[KING] = found


@kernel
def _seen_from_king(meta, direction, occ):
    """The squares from which a check in this direction comes, with these blockers."""
    king = trailing_zeros(meta.men[KING])
    return bits.KNIGHT[king] if direction == BY_KNIGHT else along(line_of_check(direction, king), king, occ)


@kernel
def checkers(meta, direction):
    """The squares on which a man that gives check in this direction may stand."""
    seen = _seen_from_king(meta, direction, ~meta.empty)
    if direction == BY_KNIGHT:
        return seen & meta.theirs[KNIGHT]
    if direction in (BY_RANK, BY_FILE):
        return seen & (meta.theirs[ROOK] | meta.theirs[QUEEN])
    pawns = bits.PAWN[0, trailing_zeros(meta.men[KING])] & meta.theirs[PAWN]
    return seen & (meta.theirs[BISHOP] | meta.theirs[QUEEN] | pawns)


@kernel
def hear_check_to_us(meta, checks):
    """The own king hears these checks and no other."""
    king, occ = trailing_zeros(meta.men[KING]), meta.own | possible_men(meta)
    meta.theirs[KING] &= ~bits.KING[king]
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
            meta.theirs[PAWN] &= clean | ~bits.PAWN[0, king]
