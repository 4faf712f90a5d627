"""Update of a metaposition by the referee's messages.

    own attempt refused   hear_refusal   the way is blocked, if the man cannot be pinned; a bare king is on it or near
    own move accepted     hear_own       squares that it left and crossed are empty, a taken man is gone; then what they
                                         hear:
                                           checks      their king stands where it would hear exactly these
                                           no check    it is on no square that we surely attack
                                           no tries    no pawn of theirs stands beside our men, unless it may be pinned
    their move            hear_other     `spread` lets every man go where it can, or `lose` brings one that could take;
                                         their king leaves the squares that we attack; then what our side hears:
                                           checks      if only one square can give a check, a man stands there;
                                                       no man stands where another check would come from
                                           no tries    no man stands where our pawns take, unless they may be pinned
                                           tries       if there are just so many possible captures, all are real

`repair` then mends what has become impossible.
"""

from ...core.kernel import kernel, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import BETWEEN, NO_SQUARE, NONE, bit
from ...games.chess.men import BISHOP, KING, KNIGHT, PAWN, kind_on, reach
from ...games.chess.messages import CHECKS, MAN_TAKEN, NOTHING_TAKEN, PAWN_TAKEN, SQUARE, TAKEN, TRIES
from ...games.chess.move_code import end_of, start_of
from .metaposition import (
    OWN_FIFTH_RANK,
    OWN_SEVENTH_RANK,
    clear,
    enemies,
    grow_older,
    move,
    occupy,
    possible_men,
    repair,
    sure_attacks,
    take,
    take_some_man,
    threatened_by_pawns_up,
)
from .metaposition_checks import hear_check_to_them, hear_check_to_us, possibly_pinned
from .metaposition_motion import lose, spread


@kernel
def _rule_out_threats(meta):
    """The other side's pawns can take nothing: none stands where it could, but perhaps where own sliders pin it."""
    men, blocked, seen = meta.own & ~meta.men[KING], ~meta.empty, NONE
    for kind in range(BISHOP, KING):
        left = meta.men[kind]
        while left:
            seen |= reach(kind, trailing_zeros(left), blocked)
            left &= left - 1
    meta.theirs[PAWN] &= ~threatened_by_pawns_up(men) | seen


@kernel
def hear_own(meta, action, message):
    """The own move was made, and the referee said this of it."""
    start, end, taken = start_of(action), end_of(action), message[TAKEN]
    kind = move(meta, action)
    opened = bit(start)
    if taken != NOTHING_TAKEN:
        if taken == MAN_TAKEN:
            take_some_man(meta, message[SQUARE])
        else:
            take(meta, message[SQUARE], taken == PAWN_TAKEN)
        if kind == PAWN and taken in (PAWN_TAKEN, MAN_TAKEN) and OWN_FIFTH_RANK & bit(end - 8):  # perhaps in passing
            meta.empty |= bit(end - 8) & ~meta.own
            if message[SQUARE] != end:
                clear(meta, bit(message[SQUARE]))
            opened |= bit(end - 8)
    if message[CHECKS]:
        hear_check_to_them(meta, action, kind, taken != NOTHING_TAKEN, opened, message[CHECKS])
    else:
        meta.theirs[KING] &= ~sure_attacks(meta)
        if message[TRIES] == 0:
            _rule_out_threats(meta)
    meta.their_tries = message[TRIES]
    repair(meta)


@kernel
def hear_refusal(meta, action):
    """An own attempt was refused. A set of squares, one of which surely holds a man, if there are several."""
    start, end = start_of(action), end_of(action)
    kind = kind_on(meta.men, start)
    path = BETWEEN[start, end]
    pushes = kind == PAWN and (end - start) % 8 == 0
    if pushes:
        path |= bit(end)
    if enemies(meta) == 0:
        near = bits.KING[end] if kind == KING else path
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
    """The own pawns have so many captures, of which those `refused` (a set for every square) are none; no check."""
    pinned, left, count, targets = possibly_pinned(meta), meta.men[PAWN], 0, NONE
    may = possible_men(meta) & ~meta.theirs[KING]
    if tries == 0:
        clear(meta, threatened_by_pawns_up(meta.men[PAWN] & ~pinned) & ~meta.own)
        return
    while left:
        square = trailing_zeros(left)
        ends = bits.PAWN[0, square] & may & ~refused[square]
        count += ones(ends)
        targets |= ends
        left &= left - 1
    special = meta.men[PAWN] & (OWN_FIFTH_RANK | OWN_SEVENTH_RANK)  # a capture in passing or a promotion is possible
    if count == tries and not special:
        occupy(meta, targets)


@kernel
def hear_other(meta, lost, message, zeros):
    """The other side moved, and took the own man on `lost` (or NO_SQUARE); `zeros` has one for every square."""
    if lost == NO_SQUARE:
        spread(meta)
    else:
        lose(meta, lost)
    meta.theirs[KING] &= ~sure_attacks(meta)
    hear_check_to_us(meta, message[CHECKS])
    meta.tries = message[TRIES]
    if message[CHECKS] == 0:
        hear_tries(meta, message[TRIES], zeros)
    repair(meta)
    grow_older(meta)
