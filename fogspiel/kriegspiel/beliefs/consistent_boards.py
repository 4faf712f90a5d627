"""Boards consistent with the last observation alone: own men, the opponent's remaining men, and the last message.

Men implied by the message are placed first: one where a man was captured, one in each direction of check, one on a
capture square of a pawn for each try, one in the path of a refused move. The others go anywhere else where they give no
check, or to their squares on a model board. A board that still does not fit is set up again.
"""

import numpy as np

from ...core.compile.kernel import in_place, inlined, kernel, ones, trailing_zeros
from ...core.rng import random_below, random_unit
from ...games.chess import bitboards, position
from ...games.chess.bitboards import ALL, BISHOP, KINDS, KING, KNIGHT, NO_SQUARE, NONE, PAWN, QUEEN, ROOK, bit, kind_on
from ...games.chess.moves import LIMITS, attackers, can_move, destinations, restrict, threatened_by_pawns
from ...games.chess.position import MEN, MOVER, PASSANT, RIGHTS, copy_board, occupied
from ..game import attempts, rules
from ..game.attempts import CHECKS, KIND_HIDDEN, MESSAGE, SOME, SQUARE, TAKEN, TRIES, UNKNOWN, known_tries
from .reply_policy import copy_row

_FIELDS = [
    ("men", np.int64, KINDS),  # own men by kind
    ("colour", np.int64),
    ("rights", np.int64),  # the own castling rights
    ("ply", np.int64),
    ("message", np.int64, MESSAGE),  # about the opponent's move
    ("switches", np.int64),  # the rules
    ("tries", np.int64),  # number of tries by the message, or UNKNOWN or SOME
    ("pawns", np.int64),  # the opponent's remaining pawns and pieces; if kinds are not announced, 0 and all men
    ("pieces", np.int64),
    ("refused", np.int64, 64),  # attempts refused this turn, as in a view
]
OBSERVATION = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
MAX_TRIALS = 40  # trials before a board that fits less well is accepted
# Every kind but pawns and the king, and every kind but the king, as sets of bits.
PIECES = 1 << KNIGHT | 1 << BISHOP | 1 << ROOK | 1 << QUEEN
MEN_BUT_KING = PIECES | 1 << PAWN
AT_FIRST = np.array([8, 2, 2, 2, 1, 1], np.int64)  # initial men of a side by kind
PAWN_SQUARES = np.int64(0x00FFFFFFFFFFFF00)
# Parts of the observation that a board may fail to explain, most severe first; the last exceeds all together.
WRONG_CHECKS, WRONG_TRIES, WRONG_REFUSAL, WRONG_END, WORST = 8, 4, 2, 1, 16


def observation_of(seen: np.ndarray) -> np.record:
    """Return the last observation of a view; captured pieces beyond the initial ones were promoted pawns."""
    found: np.record = np.zeros(1, OBSERVATION)[0]
    found.men = seen[rules.OWN_MEN]
    found.colour, found.rights, found.ply = seen[[rules.SEEN_PLAYER, rules.SEEN_RIGHTS, rules.SEEN_PLY]]
    found.message = seen[rules.OTHER_MESSAGE]
    pawns, pieces = seen[rules.SEEN_TAKEN + 2 : rules.SEEN_TAKEN + 4].tolist()
    found.pawns, found.pieces = max(8 - pawns - max(pieces - 7, 0), 0), max(7 - pieces, 0)
    found.refused = seen[rules.REFUSALS]
    switches = int(seen[rules.SEEN_SWITCHES])
    found.switches, found.tries = switches, known_tries(found.message, switches)
    if switches & KIND_HIDDEN:
        found.pawns, found.pieces = 0, max(15 - pieces, 0)
    return found


@kernel
def random_square(squares, stream):
    if squares == NONE:
        return NO_SQUARE
    for _ in range(random_below(stream, ones(squares))):
        squares &= squares - 1
    return trailing_zeros(squares)


@inlined
def put(board, left, kind, square):
    board[kind] |= bit(square)
    board[MEN + 1 - board[MOVER]] |= bit(square)
    left[kind] -= 1


@kernel
def random_kind(left, stream, kinds):
    """Return a remaining kind of man among these kinds (a bit set), each man equally likely; KINDS if there is none."""
    total = 0
    for kind in range(KINDS):
        if kinds >> kind & 1:
            total += left[kind]
    if total == 0:
        return KINDS
    place = random_below(stream, total)
    for kind in range(KINDS):
        if kinds >> kind & 1:
            place -= left[kind]
            if place < 0:
                return kind
    return KINDS


@kernel
def put_any_of(board, left, kinds, square, stream):
    kind = random_kind(left, stream, kinds)
    if kind != KINDS:
        put(board, left, kind, square)


@kernel
def draw_men(seen, model, left, stream):
    """Draw the remaining men, those of the model as far as they go, else of the initial position; `left` counts them.

    The number of pawns is known, unless captured kinds are not announced.
    """
    hidden, theirs, men = seen.switches & KIND_HIDDEN != 0, model[MEN + 1 - seen.colour], 0
    first, kinds = (PAWN, MEN_BUT_KING) if hidden else (KNIGHT, PIECES)
    left[KING], left[PAWN] = 1, seen.pawns
    for kind in range(first, KING):
        left[kind] = ones(model[kind] & theirs)
        men += left[kind]
    if men == 0 and not (hidden and theirs):
        for kind in range(first, KING):
            left[kind] = AT_FIRST[kind]
            men += left[kind]
    while men > seen.pieces:
        left[random_kind(left, stream, kinds)] -= 1
        men -= 1
    while men < seen.pieces:
        left[first + random_below(stream, KING - first)] += 1
        men += 1


@kernel
def put_checker(board, left, direction, barred, stream):
    """Place a man that gives check from a direction; return the squares that must stay empty, or ALL if none can."""
    colour = board[MOVER]
    king, occ = position.king_of(board, colour), occupied(board)
    if direction == attempts.BY_KNIGHT:
        kind, squares = KNIGHT, bitboards.KNIGHT_ATTACKS[king]
        if left[KNIGHT] == 0:
            return ALL
    else:
        sliders = 1 << ROOK if direction in (attempts.BY_RANK, attempts.BY_FILE) else 1 << BISHOP | 1 << PAWN
        squares = bitboards.along(attempts.line_of_check(direction, king), king, occ)
        kind = random_kind(left, stream, 1 << QUEEN | sliders)
        if kind == KINDS:
            return ALL
        if kind == PAWN:
            squares &= bitboards.PAWN_ATTACKS[colour, king] & PAWN_SQUARES
    square = random_square(squares & ~occ & ~barred, stream)
    if square == NO_SQUARE:
        return ALL
    put(board, left, kind, square)
    return bitboards.BETWEEN[king, square]


@kernel
def checking_squares(board, kind):
    return bitboards.attacks_of(kind, position.king_of(board, board[MOVER]), board[MOVER], occupied(board))


@kernel
def put_silently(board, left, squares, stream):
    """Place a man other than the king on one of these squares where it gives no check, if there is one."""
    square = random_square(squares & ~occupied(board), stream)
    if square == NO_SQUARE:
        return
    kinds = 0
    for kind in range(KING):
        if not checking_squares(board, kind) & bit(square) and (kind != PAWN or PAWN_SQUARES & bit(square)):
            kinds |= 1 << kind
    put_any_of(board, left, kinds, square, stream)


@kernel
def block_refused(board, left, refused, barred, stream):
    """Place men in the path of refused attempts; refusals of king and knight moves are left to chance."""
    for square in range(64):
        ends = refused[square]
        while ends:
            end = trailing_zeros(ends)
            path = bitboards.BETWEEN[square, end]
            if board[PAWN] & bit(square) and (square - end) % 8 == 0:
                path |= bit(end)
            if not board[KING] & bit(square) and not path & occupied(board):
                put_silently(board, left, path & ~barred, stream)
            ends &= ends - 1


@kernel
def put_others(board, left, model, barred, stream):
    """Place the remaining men as in the model, else on any squares not barred; the king is last and out of reach."""
    theirs = model[MEN + 1 - board[MOVER]]
    for kind in range(KING):
        while left[kind] > 0:
            free = ~(occupied(board) | barred | checking_squares(board, kind))
            if kind == PAWN:
                free &= PAWN_SQUARES
            square = random_square(free & model[kind] & theirs, stream)
            if square == NO_SQUARE:
                square = random_square(free, stream)
            if square == NO_SQUARE:
                break
            put(board, left, kind, square)
    if left[KING] == 0:
        return True
    free = ~(occupied(board) | barred)
    while free:
        home = free & model[KING] & theirs
        square = random_square(home if home else free, stream)
        if attackers(board, square, board[MOVER], occupied(board)) == 0:
            put(board, left, KING, square)
            return True
        free &= ~bit(square)
    return False


@kernel
def set_up(seen, model, board, left, stream):
    """Set up the own men and drawn men of the opponent; return True if the opponent's king found a square."""
    colour = seen.colour
    board[:] = 0
    for kind in range(KINDS):
        board[kind] = seen.men[kind]
        board[MEN + colour] |= seen.men[kind]
    board[MOVER], board[RIGHTS] = colour, seen.rights
    board[PASSANT], board[position.PLY] = NO_SQUARE, seen.ply
    draw_men(seen, model, left, stream)
    barred = NONE
    if seen.message[TAKEN]:  # the man that has just captured, assuming that it was not en passant
        square, kinds = seen.message[SQUARE], (1 << KINDS) - 1
        if bit(square) & PAWN_SQUARES == 0:
            kinds ^= 1 << PAWN
        if attackers(board, square, colour, occupied(board)):
            kinds ^= 1 << KING
        put_any_of(board, left, kinds, square, stream)
    for place in range(5):
        if seen.message[CHECKS] >> place & 1:
            between = put_checker(board, left, np.int64(1) << place, barred, stream)
            if between != ALL:
                barred |= between
    targets = threatened_by_pawns(board, colour) & ~board[MEN + colour]
    for _ in range((1 if seen.tries == SOME else seen.tries) - ones(targets & board[MEN + 1 - colour])):
        put_silently(board, left, targets & ~barred, stream)
    if seen.tries != UNKNOWN and seen.tries != SOME:
        barred |= targets
    block_refused(board, left, seen.refused, barred, stream)
    return put_others(board, left, model, barred, stream)


@kernel
def faults(seen, board, limits):
    """Return the set of faults of a board: the parts of the last observation that it does not explain."""
    found = 0
    restrict(board, limits)
    if attempts.directions(board, limits) != seen.message[CHECKS]:
        found |= WRONG_CHECKS
    if attempts.announced_tries(board, limits, seen.switches) != seen.message[TRIES]:
        found |= WRONG_TRIES
    for square in range(64):
        ends = seen.refused[square]
        if ends and ends & destinations(board, kind_on(board, square), square, limits):
            found |= WRONG_REFUSAL
            break
    if not can_move(board, limits):
        found |= WRONG_END
    return found


@kernel
def observe_last(seen, models, wanted, stream, out):
    """Fill `out` with boards that explain the last observation, or nearly so if that is hard; return their number.

    The opponent's men stand as in one of the models as far as possible, or anywhere if there is no model.
    """
    limits, left = np.empty(LIMITS, np.int64), np.empty(KINDS, np.int64)
    board, model = np.empty(position.POSITION, np.int64), np.zeros(position.POSITION, np.int64)
    colour, count = seen.colour, 0
    for _ in range(wanted):
        least = WORST
        for _ in range(MAX_TRIALS):
            if len(models):
                copy_board(models[random_below(stream, len(models))], model)
            if not set_up(seen, model, board, left, stream):
                continue
            if attackers(board, position.king_of(board, 1 - colour), colour, occupied(board)):
                continue
            wrong = faults(seen, board, limits)
            if wrong < least:
                least = wrong
                copy_board(board, out[count])
            if wrong == 0:
                break
        if least < WORST:
            count += 1
    return count


# Variants of the boards of a belief: one or two men of the opponent are elsewhere, or of another kind.
#
# All boards may share an error of many moves ago, which a filter cannot correct: it only follows moves that are
# possible on its boards. A variant differs in the likely subjects of such errors: the square of a man not announced for
# a long time, or the kind of a piece captured as "a piece". It explains the observation of its own turn; the messages
# since then decide whether it was a good guess.

TRIALS = 6  # trials per requested variant
# Probability that two men differ instead of one, and that a piece changes its kind instead of its square.
SECOND_CHANGE, OTHER_KIND = 0.5, 0.3


@in_place
def change_man(board, stream):
    """Change the kind or the square of one man of the opponent, kings and pawns to one nearby; False if that fails."""
    colour = 1 - board[MOVER]
    square = random_square(board[MEN + colour], stream)
    kind = kind_on(board, square)
    if KNIGHT <= kind < KING and random_unit(stream) < OTHER_KIND:
        other = KNIGHT + random_below(stream, KING - KNIGHT)
        if other == kind or ones(board[other] & board[MEN + colour]) >= AT_FIRST[other]:
            return False
        board[kind] ^= bit(square)
        board[other] ^= bit(square)
    else:
        free = ~occupied(board)
        if kind == KING:
            free &= bitboards.KING_ATTACKS[square] | bitboards.KNIGHT_ATTACKS[square]
        elif kind == PAWN:
            free &= PAWN_SQUARES & (bitboards.KING_ATTACKS[square] | bit((square + 16) & 63) | bit((square - 16) & 63))
        end = random_square(free, stream)
        if end == NO_SQUARE:
            return False
        board[kind] ^= bit(square) | bit(end)
        board[MEN + colour] ^= bit(square) | bit(end)
        board[PASSANT] = NO_SQUARE
    for side in range(2):  # castling rights that use the man end; a side with the right is assumed to have the rook
        if kind == KING or square == position.ROOK_HOME[colour, side]:
            board[RIGHTS] &= ~(1 << (2 * colour + side))
    return True


@kernel
def vary_boards(seen, models, wanted, stream, out):
    """Fill `out` with variants of models that explain the observation of their turn; return their number."""
    limits, count = np.empty(LIMITS, np.int64), 0
    for _ in range(TRIALS * wanted if len(models) else 0):
        if count == wanted:
            break
        board = out[count]
        copy_row(models[random_below(stream, len(models))], board)
        if not change_man(board, stream):
            continue
        if random_unit(stream) < SECOND_CHANGE and not change_man(board, stream):
            continue
        mover = board[MOVER]
        if (
            attackers(board, position.king_of(board, 1 - mover), mover, occupied(board)) == 0
            and faults(seen, board, limits) == 0
        ):
            count += 1
    return count
