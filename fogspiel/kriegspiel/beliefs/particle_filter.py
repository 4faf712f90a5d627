"""A pool of full boards, each a position that explains every message so far.

A board is a row as in `chess.position`. The pool follows the game: boards that contradict the referee's answer to an
own attempt are dropped; for a move of the other side every board makes one of its legal moves that give exactly the
message that was heard, drawn by a simple policy: men take back, and pawns take, if they can.
"""

import numpy as np

from ...core.kernel import inlined, kernel
from ...core.rng import below, unit
from ...games.chess.bits import bit
from ...games.chess.limits import LIMITS, restrict
from ...games.chess.men import PAWN
from ...games.chess.messages import TAKEN
from ...games.chess.move_code import end_of, start_of
from ...games.chess.moves import MOST_MOVES, is_legal, legal_moves
from ...games.chess.position import MEN, MOVER, POSITION, make
from ...games.kriegspiel.announcements import fits_capture, fits_position

EAGER = 12.0  # how much likelier than another move a capture by a pawn or a recapture is
MOST_DRAWS = 2  # how often, on average, a board that is wanted is asked for before the pool stays smaller


@inlined
def copy_board(board, out):
    """Copy the cells of a position."""
    for cell in range(POSITION):
        out[cell] = board[cell]


@kernel
def keep_refusing(pool, count, move, limits):
    """Drop the boards on which an own attempt that was refused is legal. How many stay."""
    kept = 0
    for i in range(count):
        restrict(pool[i], limits)
        if not is_legal(pool[i], limits, move):
            copy_board(pool[i], pool[kept])
            kept += 1
    return kept


@kernel
def keep_accepting(pool, count, move, message, switches, limits):
    """Make an own move that was accepted where it is legal with this message, and drop the other boards."""
    kept = 0
    for i in range(count):
        board = pool[i]
        restrict(board, limits)
        if is_legal(board, limits, move) and fits_capture(board, move, message, switches):
            make(board, move)
            if fits_position(board, message, limits, switches):
                copy_board(board, pool[kept])
                kept += 1
    return kept


@kernel
def list_replies(board, lost, message, switches, limits, moves, weights):
    """List the legal moves whose capture fits the message, with their weights by the policy. Their number."""
    restrict(board, limits)
    count, found = legal_moves(board, limits, moves), 0
    pawns = board[PAWN] & board[MEN + board[MOVER]]
    for i in range(count):
        move = moves[i]
        if fits_capture(board, move, message, switches):
            moves[found] = move
            eager = message[TAKEN] and (end_of(move) == lost or pawns & bit(start_of(move)))
            weights[found] = EAGER if eager else 1.0
            found += 1
    return found


@kernel
def reply(board, lost, message, switches, stream, limits, moves, weights, out):
    """Make on `out` a drawn move of `board` that gives this message. Whether there is one."""
    left = list_replies(board, lost, message, switches, limits, moves, weights)
    total = 0.0
    for i in range(left):
        total += weights[i]
    while left:
        mark, chosen = unit(stream) * total, 0
        while chosen < left - 1 and mark >= weights[chosen]:
            mark -= weights[chosen]
            chosen += 1
        copy_board(board, out)
        make(out, moves[chosen])
        if fits_position(out, message, limits, switches):
            return True
        total -= weights[chosen]
        left -= 1
        moves[chosen], weights[chosen] = moves[left], weights[left]
    return False


@kernel
def evolve(pool, count, lost, message, switches, wanted, stream, out):
    """Let the boards of the pool make a move with this message, more than once if more boards are wanted.

    `lost` is the square where the other side has just lost a man, or -1. How many boards there are now in `out`.
    """
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MOST_MOVES, np.int64)
    weights = np.empty(MOST_MOVES, np.float64)
    found = 0
    for draw in range(0 if count == 0 else max(count, MOST_DRAWS * wanted)):
        if found == wanted:
            break
        if reply(pool[draw % count], lost, message, switches, stream, limits, moves, weights, out[found]):
            found += 1
    return found


@kernel
def draw_boards(pool, count, stream, out):
    """Fill `out` with boards of the pool drawn with replacement."""
    for i in range(len(out)):
        copy_board(pool[below(stream, count)], out[i])
