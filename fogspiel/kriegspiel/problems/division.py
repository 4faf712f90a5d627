"""Partition of the possible boards by all that White hears from one attempt to the next.

A board is a position (`chess.position`) in which White is to move, its clocks at 0. What White hears is a number, the
code: how the attempt ended (two bits), the message about White's move and the message about Black's reply.
"""

import numpy as np

from ...core.kernel import kernel
from ...games.chess.limits import CHECKERS, LIMITS, restrict
from ...games.chess.messages import (
    CHECKS,
    MESSAGE,
    SQUARE,
    TAKEN,
    TRIES,
    announced_capture,
    directions,
    pawn_tries,
)
from ...games.chess.move_code import end_of
from ...games.chess.moves import MOST_MOVES, can_move, is_legal, legal_moves
from ...games.chess.position import CLOCK, PLY, POSITION, make, victim_square

REFUSED, MATED, STALEMATED, REPLIED = 0, 1, 2, 3
# How many ways an attempt can end, and more than there are codes of a message: 3 * 128 * 32 * 64.
ENDS, MESSAGES = 4, 1 << 20


@kernel
def _copy(board, out):
    for cell in range(POSITION):
        out[cell] = board[cell]


@kernel
def _make_aloud(board, move, limits, said):
    """Make a legal move, work out what limits the other side, and fill in what is said. The code of the message."""
    announced_capture(board, victim_square(board, move), end_of(move), False, said)
    make(board, move)
    board[CLOCK], board[PLY] = 0, 0
    restrict(board, limits)
    said[CHECKS], said[TRIES] = directions(board, limits), pawn_tries(board, limits, False)
    return ((said[TAKEN] * 128 + said[SQUARE] + 1) * 32 + said[CHECKS]) * 64 + said[TRIES]


@kernel
def divide(boards, attempt, out, codes):
    """Try a move on every board; list what may stand there at White's next attempt, with what White has heard.

    A board on which the game has ended is listed as it then stands. The number of boards listed.
    """
    after, limits, said = np.empty(POSITION, np.int64), np.empty(LIMITS, np.int64), np.empty(MESSAGE, np.int64)
    replies, count = np.empty(MOST_MOVES, np.int64), 0
    for row in range(len(boards)):
        _copy(boards[row], after)
        restrict(after, limits)
        if not is_legal(after, limits, attempt):
            _copy(after, out[count])
            codes[count] = REFUSED
            count += 1
            continue
        heard = ENDS * _make_aloud(after, attempt, limits, said)
        if not can_move(after, limits):
            _copy(after, out[count])
            codes[count] = heard + (MATED if limits[CHECKERS] else STALEMATED)
            count += 1
            continue
        for i in range(legal_moves(after, limits, replies)):
            _copy(after, out[count])
            reply = _make_aloud(out[count], replies[i], limits, said)
            codes[count] = heard + REPLIED + ENDS * MESSAGES * reply
            count += 1
    return count


@kernel
def list_mating(board, moves, mates):
    """List the legal moves of a board, and which of them mate. The number of moves."""
    after, limits = np.empty(POSITION, np.int64), np.empty(LIMITS, np.int64)
    restrict(board, limits)
    count = legal_moves(board, limits, moves)
    for i in range(count):
        _copy(board, after)
        make(after, moves[i])
        restrict(after, limits)
        mates[i] = limits[CHECKERS] != 0 and not can_move(after, limits)
    return count
