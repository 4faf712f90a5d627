"""Distinct boards with weights, and Bayes' rule for all moves that the other side may have made.

When the other side has moved, every board makes each legal move that gives exactly the message that was heard. A
child weighs what its board did times the chance of the move by the opponent's policy, and children that are the same
board are one. So the weight of a board contains the chances of all messages so far. Of more children than there is
room for, heavy ones stay and light ones are drawn, such that no expected weight changes (Fearnhead & Clifford 2003,
optimal resampling): no board is there twice.
"""

from typing import NamedTuple

import numpy as np

from ...core.kernel import in_place, kernel
from ...core.rng import unit
from ...games.chess.limits import CHECKERS, LIMITS, restrict
from ...games.chess.messages import CHECKS
from ...games.chess.moves import MOST_MOVES, can_move, is_legal, legal_moves
from ...games.chess.position import PASSANT, POSITION, key_of, make
from ...games.kriegspiel.announcements import fits_capture, fits_position
from .particle_filter import copy_board
from .reply_policy import weigh_replies

# Room for children per board of a full pool: more than there are moves on average, though a single board has more.
MOST_CHILDREN = 48
FREE = -1
HALVINGS = 40  # steps of bisection to the weight below which children are drawn


class Children(NamedTuple):
    """Boards after a move of the other side: parent, move, weight, key; and a table that finds a child by its key."""

    parent: np.ndarray
    move: np.ndarray
    weight: np.ndarray
    key: np.ndarray
    table: np.ndarray  # open addressing: the number of a child, or FREE. Its length is a power of two.


def empty_children(boards: int) -> Children:
    """Room for the children of so many boards."""
    room = MOST_CHILDREN * boards
    parent, move, table = (
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(1 << (2 * room).bit_length(), np.int32),
    )
    return Children(parent, move, np.empty(room), np.empty(room, np.int64), table)


@in_place
def add_child(children, found, parent, move, weight, key):
    """Add a board, or its weight if it is there already. How many boards there are."""
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
    """List the distinct boards that boards may have become, with their weights. How many there are.

    `lost` is the square where the other side has just lost a man, or NO_SQUARE.
    """
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MOST_MOVES, np.int64)
    chances, after, found = np.empty(MOST_MOVES), np.empty(POSITION, np.int64), 0
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
    """The weight w for which the sum of min(weight / w, 1) is `wanted`: children that weigh less are drawn."""
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
    """Make the moves of selected children in `out`: of all, or of `wanted` or one more. How many; weights sum to 1."""
    drawn_below = 0.0 if found <= wanted else drawing_weight(children.weight, found, wanted)
    mark, count, total = unit(stream) * drawn_below, 0, 0.0
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
    """Drop the boards on which an own attempt that was refused is legal. How many stay."""
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
    """Make an own move that was accepted where it is legal with this message, and drop the other boards."""
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
