"""A pool of full boards, each a position that explains every message so far.

A board is a row as in `chess.position`. The pool follows the game: boards that contradict the referee's answer to an
own attempt are dropped; for a move of the other side every board makes one of its legal moves that give exactly the
message that was heard, drawn by a simple policy: men take back, and pawns take, if they can.
"""

import numpy as np

from ...core.compile.kernel import in_place, inlined, kernel
from ...core.rng import random_below, random_unit
from ...games.chess.bitboards import BLACK, KINDS, KING, NO_SQUARE, PAWN, bit, kind_on
from ...games.chess.moves import LIMITS, MAX_MOVES, attackers, is_legal, legal_moves, restrict
from ...games.chess.position import MEN, MOVER, PASSANT, PLY, POSITION, end_of, make, occupied, promotion_of, start_of
from ..game.attempts import TAKEN
from ..game.rule_sets import fits_capture, fits_position

EAGER = 12.0  # how much likelier than another move a capture by a pawn or a recapture is
MAX_DRAWS = 2  # how often, on average, a board that is wanted is asked for before the pool stays smaller


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
        mark, chosen = random_unit(stream) * total, 0
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
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64)
    weights = np.empty(MAX_MOVES, np.float64)
    found = 0
    for draw in range(0 if count == 0 else max(count, MAX_DRAWS * wanted)):
        if found == wanted:
            break
        if reply(pool[draw % count], lost, message, switches, stream, limits, moves, weights, out[found]):
            found += 1
    return found


@kernel
def draw_boards(pool, count, stream, out):
    """Fill `out` with boards of the pool drawn with replacement."""
    for i in range(len(out)):
        copy_board(pool[random_below(stream, count)], out[i])


# Log-linear policy of an opponent that does not see our men, over its legal moves.
#
# The chance of a move is proportional to the product of two weights: one for what the move is (quiet, taking back where
# a man was just lost, taking elsewhere, castling or promoting), by the kind of man, by whether the side is in check and
# by whether the man will be protected; and one for the change of place, worth[end] / worth[start], by the kind of man
# and the phase of the game. A refused attempt costs an opponent nothing, so the choice is among legal moves only. The
# weights are fitted to games of engines (`benchmarks/kriegspiel_training.py`).
#
# Data sheet of a policy: rows of 64 weights, squares as the mover sees them
#      0 .. 17   places: row 6 * phase + kind
#     18, 19     classes, while not in check and in check: cell 6 * class + kind, 24 further if protected

FIRST_PLIES = (0, 20, 60)  # the plies at which the phases begin
CLASS_ROW = len(FIRST_PLIES) * KINDS
ROWS = CLASS_ROW + 2
QUIET, TAKES_BACK, TAKES, SPECIAL = 0, 1, 2, 3
CLASSES = 4
UPSIDE_DOWN = 56  # what the number of a square is combined with (exclusive or) when Black looks at it


@inlined
def phase_of(ply):
    """The phase of the game in which a ply is played."""
    if ply < FIRST_PLIES[1]:
        return 0
    return 1 if ply < FIRST_PLIES[2] else 2


@inlined
def class_of(board, move, kind, lost):
    """Return the class of a legal move by kind of man; `lost` is its side's last lost square, or NO_SQUARE."""
    start, end = start_of(move), end_of(move)
    if promotion_of(move) or (kind == KING and abs(end - start) == 2):
        return SPECIAL
    if board[MEN + 1 - board[MOVER]] & bit(end):
        return TAKES_BACK if end == lost else TAKES
    return TAKES if kind == PAWN and end == board[PASSANT] and (end - start) % 8 else QUIET


@in_place
def class_cell(board, move, kind, lost):
    """The cell with the weight for what a legal move is."""
    left = bit(start_of(move))
    guards = attackers(board, end_of(move), board[MOVER], occupied(board) & ~left) & ~left
    return KINDS * (class_of(board, move, kind, lost) + (CLASSES if guards else 0)) + kind


@in_place
def weigh_replies(board, moves, count, lost, checked, policy, weights):
    """Fill in the weights of legal moves, those of a man standing together. Their sum."""
    turned = UPSIDE_DOWN if board[MOVER] == BLACK else 0
    first_place, classes = KINDS * phase_of(board[PLY]), policy[CLASS_ROW + (1 if checked else 0)]
    total, last, kind = 0.0, NO_SQUARE, PAWN
    for i in range(count):
        start, end = start_of(moves[i]), end_of(moves[i])
        if start != last:
            last, kind = start, kind_on(board, start)
        places = policy[first_place + kind]
        weights[i] = classes[class_cell(board, moves[i], kind, lost)] * places[end ^ turned] / places[start ^ turned]
        total += weights[i]
    return total
