"""Distinct boards with weights, and Bayes' rule for all moves that the other side may have made.

When the other side has moved, every board makes each legal move that gives exactly the message that was heard. A
child weighs what its board did times the chance of the move by the opponent's policy, and children that are the same
board are one. So the weight of a board contains the chances of all messages so far. Of more children than there is
room for, heavy ones stay and light ones are drawn, such that no expected weight changes (Fearnhead & Clifford 2003,
optimal resampling): no board is there twice.
"""

from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import in_place, inlined, kernel
from ...core.rng import random_unit
from ...games.chess.bitboards import A_FILE, H_FILE, SQUARES, STEPS
from ...games.chess.moves import CHECKERS, LIMITS, MAX_MOVES, can_move, is_legal, legal_moves, restrict
from ...games.chess.position import PASSANT, POSITION, key_of, make
from ..game.attempts import CHECKS
from ..game.rule_sets import fits_capture, fits_position
from .particle_filter import copy_board, weigh_replies

# Room for children per board of a full pool: more than there are moves on average, though a single board has more.
MAX_CHILDREN = 48
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
    room = MAX_CHILDREN * boards
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
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64)
    chances, after, found = np.empty(MAX_MOVES), np.empty(POSITION, np.int64), 0
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


# Moves of whole sets of men of one kind at once, as sets of squares.
#
# Sliding men flood the squares that are open to them, by doubling steps (1, 2, 4 squares); a mask stops each direction
# at the edge of the board and also the sign bit, which `>>` drags along.

TOP, BOTTOM = np.int64(-(1 << 56)), np.int64(0xFF)
EAST, WEST = ~A_FILE, ~H_FILE
NORTH, SOUTH = ~BOTTOM, ~TOP
TWO_EAST, TWO_WEST = np.int64(~0x0303030303030303), np.int64(0x3F3F3F3F3F3F3F3F)
TWO_NORTH, TWO_SOUTH = np.int64(~0xFFFF), np.int64(0x0000FFFFFFFFFFFF)


@inlined
def fill_up(men, open_squares, step):
    """The squares that `men` reach over open squares in a direction that raises the number of the square."""
    men |= open_squares & (men << step)
    open_squares &= open_squares << step
    men |= open_squares & (men << 2 * step)
    open_squares &= open_squares << 2 * step
    return men | open_squares & (men << 4 * step)


@inlined
def fill_down(men, open_squares, step):
    """The squares that `men` reach over open squares in a direction that lowers the number of the square."""
    men |= open_squares & (men >> step)
    open_squares &= open_squares >> step
    men |= open_squares & (men >> 2 * step)
    open_squares &= open_squares >> 2 * step
    return men | open_squares & (men >> 4 * step)


@in_place
def sideways(men, open_squares):
    """Squares that rooks reach along ranks, with their own."""
    return fill_up(men, open_squares & EAST, 1) | fill_down(men, open_squares & WEST, 1)


@in_place
def north(men, open_squares):
    """Squares that rooks reach up the files, with their own."""
    return fill_up(men, open_squares & NORTH, 8)


@in_place
def south(men, open_squares):
    """Squares that rooks reach down the files, with their own."""
    return fill_down(men, open_squares & SOUTH, 8)


@in_place
def diagonally(men, open_squares):
    """Squares that bishops reach, with their own."""
    rising = fill_up(men, open_squares & NORTH & EAST, 9) | fill_down(men, open_squares & SOUTH & WEST, 9)
    return rising | fill_up(men, open_squares & NORTH & WEST, 7) | fill_down(men, open_squares & SOUTH & EAST, 7)


@in_place
def beside(men):
    """The squares next to a set along ranks and files."""
    return (men << 1) & EAST | (men >> 1) & WEST | (men << 8) & NORTH | (men >> 8) & SOUTH


@in_place
def cornering(men):
    """The squares next to a set along diagonals."""
    east, west = (men << 1) & EAST, (men >> 1) & WEST
    return (east | west) << 8 & NORTH | (east | west) >> 8 & SOUTH


@in_place
def around(men):
    """The squares that kings on a set reach."""
    return beside(men) | cornering(men)


@in_place
def leaps(men):
    """The squares that knights on a set reach."""
    near = (men << 1) & EAST | (men >> 1) & WEST
    far = (men << 2) & TWO_EAST | (men >> 2) & TWO_WEST
    return (near << 16) & TWO_NORTH | (near >> 16) & TWO_SOUTH | (far << 8) & NORTH | (far >> 8) & SOUTH


# The lines of the board, square by square: along them chances are carried one step at a time.


def _step(square: int, up: int, right: int) -> int:
    """The square that is so many ranks and files away, or -1 beyond the edge."""
    rank, file = square // 8 + up, square % 8 + right
    return 8 * rank + file if 0 <= rank < 8 and 0 <= file < 8 else -1


NEXT = np.array(
    [[_step(square, sign * up, sign * right) for square in SQUARES] for sign in (1, -1) for up, right in STEPS]
)  # the next square in each direction, or -1: the four lines upwards, in the order of `bits.STEPS`, then downwards


def _line(direction: int, square: int) -> list[int]:
    """A square and all that follow it in a direction."""
    found = [square]
    while NEXT[direction, found[-1]] >= 0:
        found.append(int(NEXT[direction, found[-1]]))
    return found


_ALL = [
    _line(direction, square)
    for direction in range(len(STEPS))
    for square in SQUARES
    if NEXT[direction + len(STEPS), square] < 0 <= NEXT[direction, square]
]
LENGTHS = np.array([len(line) for line in _ALL])
# Every rank, file and diagonal of two squares or more: its squares from the lower end, and how many they are.
LINES = np.array([line + [0] * (8 - len(line)) for line in _ALL])
