"""Filters of full boards consistent with every message so far: a sample pool, and distinct weighted boards.

A board is a row as in `chess.position`. Both filters drop the boards that contradict the referee's answer to an own
attempt. For a move of the opponent, every board of the pool makes one of its legal moves that give exactly the
announced message, drawn by a simple policy that prefers recaptures and captures by pawns. Distinct boards apply Bayes'
rule to all of its moves (`list_children`).
"""

from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import in_place, inlined, kernel
from ...core.rng import random_below, random_unit
from ...games.chess import position
from ...games.chess.bitboards import BLACK, KINDS, KING, NO_SQUARE, PAWN, UPSIDE_DOWN, bit, kind_on
from ...games.chess.moves import CHECKERS, LIMITS, MAX_MOVES, attackers, can_move, is_legal, legal_moves, restrict
from ...games.chess.position import MEN, MOVER, PASSANT, PLY, copy_board, end_of, key_of, make, occupied, start_of
from ..game.attempts import CHECKS, TAKEN, fits_capture, fits_position

EAGER = 12.0  # weight of a capture by a pawn or a recapture, relative to other moves
MAX_DRAWS = 2  # mean number of draws per requested board before the pool stays smaller


@kernel
def list_replies(board, lost, message, switches, limits, moves, weights):
    """List the legal moves whose capture fits the message, with their weights by the policy; return their number."""
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
    """Make on `out` a drawn move of `board` that gives this message; return True if there is one."""
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
    """Advance the boards of the pool by a move with this message, several times each if more boards are wanted.

    `lost` is the square where the opponent has just lost a man, or -1. Return the number of boards in `out`.
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
    for i in range(len(out)):
        copy_board(pool[random_below(stream, count)], out[i])


# Log-linear policy of an opponent that does not see our men, over its legal moves.
#
# The probability of a move is proportional to the product of two weights. The first is for the class of the move
# (quiet, recapture where a man was just lost, capture elsewhere, castling or promotion), by the kind of man, by whether
# the side is in check and by whether the man will be protected. The second is for the change of square, worth[end] /
# worth[start], by the kind of man and the phase of the game. An illegal attempt costs an opponent nothing, so the
# choice is among legal moves only. The weights are fitted to games of engines (`benchmarks/kriegspiel_training.py`).
#
# Layout of a policy: rows of 64 weights, squares as seen by the side to move
#     0 .. 17   squares: row 6 * phase + kind
#     18, 19    classes, while not in check and in check: cell 6 * class + kind, 24 further if protected

FIRST_PLIES = (0, 20, 60)  # first plies of the phases
CLASS_ROW = len(FIRST_PLIES) * KINDS
ROWS = CLASS_ROW + 2
QUIET, TAKES_BACK, TAKES, SPECIAL = 0, 1, 2, 3
CLASSES = 4


@inlined
def phase_of(ply):
    if ply < FIRST_PLIES[1]:
        return 0
    return 1 if ply < FIRST_PLIES[2] else 2


@inlined
def class_of(board, move, kind, lost):
    """Return the class of a legal move by kind of man; `lost` is its side's last lost square, or NO_SQUARE."""
    start, end = start_of(move), end_of(move)
    if position.promotion_of(move) or (kind == KING and abs(end - start) == 2):
        return SPECIAL
    if board[MEN + 1 - board[MOVER]] & bit(end):
        return TAKES_BACK if end == lost else TAKES
    return TAKES if kind == PAWN and end == board[PASSANT] and (end - start) % 8 else QUIET


@in_place
def class_cell(board, move, kind, lost):
    left = bit(start_of(move))
    guards = attackers(board, end_of(move), board[MOVER], occupied(board) & ~left) & ~left
    return KINDS * (class_of(board, move, kind, lost) + (CLASSES if guards else 0)) + kind


@in_place
def weigh_replies(board, moves, count, lost, checked, policy, weights):
    """Fill in the weights of legal moves, which are grouped by man; return their sum."""
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


# Distinct boards with weights.
#
# After the opponent's move, every board makes each legal move that gives exactly the announced message. The weight of a
# child is that of its board times the probability of the move by the opponent's policy; identical children are merged.
# So the weight of a board contains the likelihoods of all messages so far. If there are more children than capacity,
# heavy ones stay and light ones are drawn such that no expected weight changes (Fearnhead & Clifford 2003, optimal
# resampling): no board occurs twice.

# Capacity for children per board of a full pool: above the mean number of moves, though a single board may have more.
MAX_CHILDREN = 48
FREE = -1
HALVINGS = 40  # bisection steps for the weight below which children are drawn


class Children(NamedTuple):
    """Boards after the opponent's move: parent, move, weight, key; and a hash table from keys to children."""

    parent: np.ndarray
    move: np.ndarray
    weight: np.ndarray
    key: np.ndarray
    table: np.ndarray  # open addressing: the number of a child, or FREE. Its length is a power of two.


def empty_children(boards: int) -> Children:
    room = MAX_CHILDREN * boards
    parent, move = np.empty((2, room), np.int32)
    table = np.empty(1 << (2 * room).bit_length(), np.int32)
    return Children(parent, move, np.empty(room), np.empty(room, np.int64), table)


@in_place
def add_child(children, found, parent, move, weight, key):
    """Add a board, or its weight to the board with the same key; return the number of boards."""
    table, last = children.table, len(children.table) - 1
    place = (key ^ (key >> 32)) & last
    while table[place] != FREE and children.key[table[place]] != key:
        place = (place + 1) & last
    if table[place] != FREE:
        children.weight[table[place]] += weight
        return found
    if found == len(children.parent):
        return found
    table[place] = found
    children.parent[found], children.move[found] = parent, move
    children.weight[found], children.key[found] = weight, key
    return found + 1


@kernel
def list_children(boards, weights, lost, message, switches, policy, children):
    """List the distinct boards that may follow, weighted; `lost` as in `evolve`, or NO_SQUARE. Return their number."""
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64)
    chances, after, found = np.empty(MAX_MOVES), np.empty(position.POSITION, np.int64), 0
    children.table[:] = FREE
    for b in range(len(boards)):
        board = boards[b]
        restrict(board, limits)
        count = legal_moves(board, limits, moves)
        total = weigh_replies(board, moves, count, lost, limits[CHECKERS] != 0, policy, chances)
        for i in range(count):
            if fits_capture(board, moves[i], message, switches):
                copy_board(board, after)
                make(after, moves[i])
                # a mate would have ended the game
                if fits_position(after, message, limits, switches) and (
                    message[CHECKS] == 0 or can_move(after, limits)
                ):
                    key = key_of(after, after[PASSANT])
                    found = add_child(children, found, b, moves[i], weights[b] * chances[i] / total, key)
    return found


@in_place
def drawing_weight(weights, count, wanted):
    """Return the weight w for which the sum of min(weight / w, 1) is `wanted`; lighter children are drawn."""
    low, high = 0.0, 0.0
    for i in range(count):
        high += weights[i]
    high /= wanted
    for _ in range(HALVINGS):
        middle, total = (low + high) / 2, 0.0
        for i in range(count):
            total += min(weights[i] / middle, 1.0)
        if total > wanted:
            low = middle
        else:
            high = middle
    return high


@in_place
def select_children(boards, children, found, wanted, stream, out, out_weights):
    """Make the moves of selected children in `out`: of all, or of `wanted` or one more; return their number.

    The weights in `out_weights` sum to 1.
    """
    drawn_below = 0.0 if found <= wanted else drawing_weight(children.weight, found, wanted)
    mark, count, total = random_unit(stream) * drawn_below, 0, 0.0
    for i in range(found):
        weight = children.weight[i]
        if weight < drawn_below:
            mark -= weight
            if mark >= 0.0:
                continue
            mark += drawn_below
            weight = drawn_below
        if count == len(out):
            break
        copy_board(boards[children.parent[i]], out[count])
        make(out[count], children.move[i])
        out_weights[count] = weight
        total += weight
        count += 1
    for i in range(count):
        out_weights[i] /= total
    return count


@kernel
def keep_where_refused(boards, weights, count, move):
    """Drop the boards on which an own attempt that was refused is legal; return the number left."""
    limits, kept = np.empty(LIMITS, np.int64), 0
    for i in range(count):
        restrict(boards[i], limits)
        if not is_legal(boards[i], limits, move):
            copy_board(boards[i], boards[kept])
            weights[kept] = weights[i]
            kept += 1
    return kept


@kernel
def keep_where_accepted(boards, weights, count, move, message, switches):
    """Make an accepted own move where it is legal with this message, and drop the other boards."""
    limits, kept = np.empty(LIMITS, np.int64), 0
    for i in range(count):
        board = boards[i]
        restrict(board, limits)
        if is_legal(board, limits, move) and fits_capture(board, move, message, switches):
            make(board, move)
            if fits_position(board, message, limits, switches):
                copy_board(board, boards[kept])
                weights[kept] = weights[i]
                kept += 1
    return kept
