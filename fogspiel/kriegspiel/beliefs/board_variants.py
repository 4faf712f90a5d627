"""Boards like those of a belief, on which a man of the other side or two are elsewhere, or of another kind.

All boards may share a mistake of many moves ago, which a filter cannot mend: it only follows moves that are possible
on its boards. A variant differs in what such mistakes are about: where a man stands that was not heard of for long,
or which piece was taken when "a piece" was taken. It explains the observation of its own turn; the messages since
then decide whether it was a good guess.
"""

import numpy as np

from ...core.kernel import in_place, kernel, ones
from ...core.rng import below, unit
from ...games.chess import bits
from ...games.chess.bits import NO_SQUARE, bit
from ...games.chess.limits import LIMITS, attackers
from ...games.chess.men import KING, KNIGHT, PAWN, kind_on
from ...games.chess.move_code import ROOK_HOME
from ...games.chess.position import MEN, MOVER, PASSANT, RIGHTS, king_of, occupied
from .consistent_boards import AT_FIRST, PAWN_SQUARES, faults, random_square
from .particle_filter import copy_board

TRIALS = 6  # how often a variant is tried per variant that is wanted
# How often two men differ instead of one, and how often a piece is of another kind instead of elsewhere.
SECOND_CHANGE, OTHER_KIND = 0.5, 0.3


@in_place
def end_rights(board, square, kind):
    """End the rights to castle with a man of the side that is not to move; who has them is taken to have the rook."""
    colour = 1 - board[MOVER]
    for side in range(2):
        if kind == KING or square == ROOK_HOME[colour, side]:
            board[RIGHTS] &= ~(1 << (2 * colour + side))


@in_place
def change_kind(board, square, kind, stream):
    """Make a piece of the side that is not to move another one. Whether that side could have it."""
    other = KNIGHT + below(stream, KING - KNIGHT)
    if other == kind or ones(board[other] & board[MEN + 1 - board[MOVER]]) >= AT_FIRST[other]:
        return False
    board[kind] ^= bit(square)
    board[other] ^= bit(square)
    end_rights(board, square, kind)
    return True


@in_place
def change_place(board, square, kind, stream):
    """Put a man of the side that is not to move elsewhere: a king or a pawn nearby. Whether there is a place."""
    free = ~occupied(board)
    if kind == KING:
        free &= bits.KING[square] | bits.KNIGHT[square]
    elif kind == PAWN:
        free &= PAWN_SQUARES & (bits.KING[square] | bit((square + 16) & 63) | bit((square - 16) & 63))
    end = random_square(free, stream)
    if end == NO_SQUARE:
        return False
    board[kind] ^= bit(square) | bit(end)
    board[MEN + 1 - board[MOVER]] ^= bit(square) | bit(end)
    board[PASSANT] = NO_SQUARE
    end_rights(board, square, kind)
    return True


@in_place
def change_man(board, stream):
    """Change a man of the side that is not to move. Whether that was possible."""
    square = random_square(board[MEN + 1 - board[MOVER]], stream)
    kind = kind_on(board, square)
    if KNIGHT <= kind < KING and unit(stream) < OTHER_KIND:
        return change_kind(board, square, kind, stream)
    return change_place(board, square, kind, stream)


@kernel
def vary_boards(seen, models, wanted, stream, out):
    """Fill `out` with variants of models that explain what was seen at their turn. How many there are."""
    limits, count = np.empty(LIMITS, np.int64), 0
    for _ in range(TRIALS * wanted if len(models) else 0):
        if count == wanted:
            break
        board = out[count]
        copy_board(models[below(stream, len(models))], board)
        if not change_man(board, stream):
            continue
        if unit(stream) < SECOND_CHANGE and not change_man(board, stream):
            continue
        mover = board[MOVER]
        if (
            attackers(board, king_of(board, 1 - mover), mover, occupied(board)) == 0
            and faults(seen, board, limits) == 0
        ):
            count += 1
    return count
