"""Legal moves from pins and checks, without making a move to test it.

`restrict` computes the checkers, the squares that answer a check, and the pinned men once per position; `destinations`
then returns the legal squares of one man as a set.
"""

from ...core.compile.kernel import in_place, inlined, trailing_zeros
from . import bitboards
from .bitboards import (
    A_FILE,
    ALL,
    ALONE,
    BETWEEN,
    BISHOP,
    FORWARD,
    H_FILE,
    KINDS,
    KING,
    KNIGHT,
    LAST_RANKS,
    NO_SQUARE,
    NONE,
    PAWN,
    QUEEN,
    ROOK,
    SECOND_RANKS,
    THROUGH,
    WHITE,
    bit,
    kind_on,
    reach,
)
from .position import (
    KING_HOME,
    KING_SIDE,
    MEN,
    MOVER,
    PASSANT,
    QUEEN_SIDE,
    RIGHTS,
    ROOK_HOME,
    end_of,
    king_of,
    move_of,
    occupied,
    start_of,
)

# Checks and pins, which limit the moves of a side.

CHECKERS, ALLOWED, PINNED = 0, 1, 2
LIMITS = 3  # the cells filled by `restrict`: checkers, squares that answer the check, pinned men


@inlined
def _leapers(pos, square, colour):
    found = bitboards.PAWN_ATTACKS[1 - colour, square] & pos[PAWN]
    found |= bitboards.KNIGHT_ATTACKS[square] & pos[KNIGHT]
    return (found | bitboards.KING_ATTACKS[square] & pos[KING]) & pos[MEN + colour]


@inlined
def _sliders(pos, square, colour):
    """Return the men of a colour that would attack a square along a line if no other man were on the board."""
    found = ALONE[ROOK, square] & (pos[ROOK] | pos[QUEEN]) | ALONE[BISHOP, square] & (pos[BISHOP] | pos[QUEEN])
    return found & pos[MEN + colour]


@in_place
def attackers(pos, square, colour, occ):
    """Return the men of a colour that attack a square, with these squares treated as occupied."""
    found, sliders = _leapers(pos, square, colour), _sliders(pos, square, colour)
    while sliders:
        slider = trailing_zeros(sliders)
        if BETWEEN[square, slider] & occ == 0:
            found |= bit(slider)
        sliders &= sliders - 1
    return found


@in_place
def is_attacked(pos, square, colour, occ):
    if _leapers(pos, square, colour):
        return True
    sliders = _sliders(pos, square, colour)
    while sliders:
        if BETWEEN[square, trailing_zeros(sliders)] & occ == 0:
            return True
        sliders &= sliders - 1
    return False


@in_place
def restrict(pos, limits):
    """Compute the checks and pins of the side to move."""
    mover = pos[MOVER]
    king, own, occ = king_of(pos, mover), pos[MEN + mover], pos[MEN] | pos[MEN + 1]
    checkers, sliders, pinned = _leapers(pos, king, 1 - mover), _sliders(pos, king, 1 - mover), NONE
    while sliders:
        slider = trailing_zeros(sliders)
        shield = BETWEEN[king, slider] & occ
        if shield == 0:
            checkers |= bit(slider)
        elif shield & (shield - 1) == 0:
            pinned |= shield & own
        sliders &= sliders - 1
    limits[CHECKERS], limits[PINNED] = checkers, pinned
    if checkers == 0:
        limits[ALLOWED] = ALL
    elif checkers & (checkers - 1):
        limits[ALLOWED] = NONE
    else:
        limits[ALLOWED] = BETWEEN[king, trailing_zeros(checkers)] | checkers


MAX_MOVES = 256  # no position has more than 218 legal moves
# More than nine queens, two rooks, two bishops, two knights and a king can attempt on an empty board
MAX_ATTEMPTS = 384
PROMOTIONS = 4


@in_place
def pushes(square, colour, blocked):
    step = FORWARD[colour]
    one = bit(square + step) & ~blocked
    if one and SECOND_RANKS[colour] & bit(square):
        return one | (bit(square + 2 * step) & ~blocked)
    return one


@in_place
def castlings(king, colour, rights, occ):
    """Return the king's castling destinations by rights and empty squares, attacks disregarded."""
    found = NONE
    if king == KING_HOME[colour]:
        for side in (KING_SIDE, QUEEN_SIDE):
            if rights >> (2 * colour + side) & 1 and not BETWEEN[king, ROOK_HOME[colour, side]] & occ:
                found |= bit(king + 2 if side == KING_SIDE else king - 2)
    return found


@in_place
def _king_is_safe(pos, king, square):
    return not is_attacked(pos, square, 1 - pos[MOVER], occupied(pos) & ~bit(king))


@in_place
def _king_may_go(pos, king, end, limits):
    """True if the king may go to a square: not attacked, and castling neither out of nor through nor into check."""
    if bitboards.KING_ATTACKS[king] & bit(end):
        return pos[MEN + pos[MOVER]] & bit(end) == 0 and _king_is_safe(pos, king, end)
    if limits[CHECKERS] or castlings(king, pos[MOVER], pos[RIGHTS], occupied(pos)) & bit(end) == 0:
        return False
    return _king_is_safe(pos, king, (king + end) // 2) and _king_is_safe(pos, king, end)


@in_place
def _king_destinations(pos, king, limits):
    mover = pos[MOVER]
    occ = occupied(pos) & ~bit(king)
    found, targets = NONE, bitboards.KING_ATTACKS[king] & ~pos[MEN + mover]
    while targets:
        square = trailing_zeros(targets)
        if not is_attacked(pos, square, 1 - mover, occ):
            found |= bit(square)
        targets &= targets - 1
    if limits[CHECKERS] == 0 and pos[RIGHTS]:
        targets = castlings(king, mover, pos[RIGHTS], occupied(pos))
        while targets:
            square = trailing_zeros(targets)
            if found & bit((king + square) // 2) and not is_attacked(pos, square, 1 - mover, occ):
                found |= bit(square)
            targets &= targets - 1
    return found


@in_place
def passant_is_legal(pos, square):
    mover, end = pos[MOVER], pos[PASSANT]
    victim = bit(end - FORWARD[mover])
    occ = (occupied(pos) & ~bit(square) & ~victim) | bit(end)
    return attackers(pos, king_of(pos, mover), 1 - mover, occ) & ~victim == 0


@in_place
def pawn_captures(pos, square, limits):
    """Return the squares on which a pawn of the side to move may legally capture, en passant included."""
    mover = pos[MOVER]
    reached = bitboards.PAWN_ATTACKS[mover, square]
    found = reached & pos[MEN + 1 - mover] & limits[ALLOWED]
    if limits[PINNED] & bit(square):
        found &= THROUGH[king_of(pos, mover), square]
    if pos[PASSANT] != NO_SQUARE and reached & bit(pos[PASSANT]) and passant_is_legal(pos, square):
        found |= bit(pos[PASSANT])
    return found


@inlined
def taken_left(pawns, colour):
    return (pawns & ~A_FILE) << 7 if colour == WHITE else (pawns & ~A_FILE) >> 9


@inlined
def taken_right(pawns, colour):
    return (pawns & ~H_FILE) << 9 if colour == WHITE else (pawns & ~H_FILE) >> 7


@in_place
def threatened_by_pawns(pos, colour):
    pawns = pos[PAWN] & pos[MEN + colour]
    return taken_left(pawns, colour) | taken_right(pawns, colour)


@in_place
def destinations(pos, kind, square, limits):
    """Return the squares to which a man of the side to move may legally go."""
    mover = pos[MOVER]
    if kind == KING:
        return _king_destinations(pos, square, limits)
    occ = occupied(pos)
    found = pushes(square, mover, occ) if kind == PAWN else reach(kind, square, occ) & ~pos[MEN + mover]
    found &= limits[ALLOWED]
    if limits[PINNED] & bit(square):
        found &= THROUGH[king_of(pos, mover), square]
    return found | pawn_captures(pos, square, limits) if kind == PAWN else found


@in_place
def list_moves(start, ends, promotes, out, count):
    """Write the moves of a man to these squares, all four promotions included; return the new length of the list."""
    while ends:
        end = trailing_zeros(ends)
        if promotes and LAST_RANKS[0] & bit(end) | LAST_RANKS[1] & bit(end):
            for promotion in range(QUEEN, PAWN, -1):
                out[count] = move_of(start, end, promotion)
                count += 1
        else:
            out[count] = move_of(start, end, 0)
            count += 1
        ends &= ends - 1
    return count


@in_place
def list_queening_moves(start, ends, is_pawn, out, count):
    """Write the moves of a man to these squares, promoting to queens only; return the new length of the list."""
    while ends:
        end = trailing_zeros(ends)
        promotes = is_pawn and (LAST_RANKS[0] | LAST_RANKS[1]) & bit(end)
        out[count] = move_of(start, end, QUEEN if promotes else 0)
        count += 1
        ends &= ends - 1
    return count


@in_place
def legal_moves(pos, limits, out):
    """List the legal moves of a position whose limits are known."""
    count, own = 0, pos[MEN + pos[MOVER]]
    for kind in range(KINDS):
        men = pos[kind] & own
        while men:
            square = trailing_zeros(men)
            count = list_moves(square, destinations(pos, kind, square, limits), kind == PAWN, out, count)
            men &= men - 1
    return count


@in_place
def _king_can_step(pos, king):
    """True if the king can step to a neighbouring square (if it may castle, it can)."""
    targets = bitboards.KING_ATTACKS[king] & ~pos[MEN + pos[MOVER]]
    while targets:
        if _king_is_safe(pos, king, trailing_zeros(targets)):
            return True
        targets &= targets - 1
    return False


@in_place
def _piece_can_step(pos, free, own):
    for kind in range(KNIGHT, KING):
        near = bitboards.KNIGHT_ATTACKS if kind == KNIGHT else bitboards.KING_ATTACKS
        men = pos[kind] & free
        while men:
            square = trailing_zeros(men)
            if ALONE[kind, square] & near[square] & ~own:
                return True
            men &= men - 1
    return False


@in_place
def can_move(pos, limits):
    """True if a legal move exists; the cheapest tests come first."""
    mover = pos[MOVER]
    own, occ = pos[MEN + mover], occupied(pos)
    if limits[CHECKERS] == 0:
        free = own & ~limits[PINNED]
        pawns = pos[PAWN] & free
        if (pawns << 8 if mover == WHITE else (pawns >> 8)) & ~occ or _piece_can_step(pos, free, own):
            return True
    if _king_can_step(pos, king_of(pos, mover)):
        return True
    for kind in range(KING):
        men = pos[kind] & own
        while men:
            if destinations(pos, kind, trailing_zeros(men), limits):
                return True
            men &= men - 1
    return False


@in_place
def is_legal(pos, limits, move):
    """True if a move of a man of the side to move is legal."""
    start, end = start_of(move), end_of(move)
    kind = kind_on(pos, start)
    if kind == KING:
        return _king_may_go(pos, start, end, limits)
    mover, there, occ = pos[MOVER], bit(end), occupied(pos)
    if kind == PAWN:
        if bitboards.PAWN_ATTACKS[mover, start] & there:
            return pawn_captures(pos, start, limits) & there != 0
        reached = pushes(start, mover, occ)
    else:
        reached = ALONE[kind, start] & ~pos[MEN + mover] if BETWEEN[start, end] & occ == 0 else NONE
    if limits[PINNED] & bit(start):
        reached &= THROUGH[king_of(pos, mover), start]
    return reached & limits[ALLOWED] & there != 0


@in_place
def possible_passant(pos, limits):
    """Return the square of a possible capture en passant, or NO_SQUARE."""
    if pos[PASSANT] != NO_SQUARE:
        pawns = bitboards.PAWN_ATTACKS[1 - pos[MOVER], pos[PASSANT]] & pos[PAWN] & pos[MEN + pos[MOVER]]
        while pawns:
            if pawn_captures(pos, trailing_zeros(pawns), limits) & bit(pos[PASSANT]):
                return pos[PASSANT]
            pawns &= pawns - 1
    return NO_SQUARE
