"""Filters of full boards consistent with every message so far: a sample pool, and distinct weighted boards.

A board is a row as in `chess.position`. Both filters drop the boards that contradict the referee's answer to an own
attempt. For a move of the opponent, every board of the pool makes one of its legal moves that give exactly the
announced message, drawn by a simple policy that prefers recaptures and captures by pawns. Distinct boards apply Bayes'
rule to all of its moves (`list_children`).
"""

from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import in_place, kernel
from ...core.rng import random_below, random_unit
from ...games.chess.bitboards import PAWN, bit
from ...games.chess.moves import LIMITS, MAX_MOVES, can_move, is_legal, legal_moves, restrict
from ...games.chess.position import MEN, MOVER, PASSANT, copy_board, end_of, key_of, make, start_of
from ..game.attempts import CHECKS, TAKEN, fits_capture, fits_position, known_tries
from .reply_policy import FACTORS, MEMORY, SCENE, copy_row, remember, weigh_replies

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


# Distinct boards with weights. A row is a position and the last moves of the opponent (`reply_policy`).
#
# After the opponent's move, the weight of a child is that of its board times the probability of the move by the
# opponent's policy. So the weight of a board contains the likelihoods of all messages so far. If there are more
# children than capacity, heavy ones stay and light ones are drawn such that no expected weight changes (Fearnhead &
# Clifford 2003, optimal resampling). They are drawn before they are made: only those that are drawn are compared with
# the announced checks and tries, and more of them are drawn if few fit. Identical children are merged.

# Capacity for children per board of a full pool: above the mean number of moves, though a single board may have more.
MAX_CHILDREN = 48
FREE = -1
HALVINGS = 40  # bisection steps for the weight below which children are drawn
# Shares of the wanted boards between which a draw is good, how many draws there are, and their greatest growth.
ENOUGH, TOO_MANY, DRAWS, GROWTH = 0.9, 1.2, 5, 16.0


class Children(NamedTuple):
    """Moves of the opponent: parent, move, weight; and a hash table of the boards after those that were selected."""

    parent: np.ndarray
    move: np.ndarray
    weight: np.ndarray
    key: np.ndarray  # of selected boards
    table: np.ndarray  # open addressing: the number of a selected board, or FREE. Its length is a power of two.


def empty_children(boards: int) -> Children:
    room = MAX_CHILDREN * boards
    parent, move = np.empty((2, room), np.int32)
    table = np.empty(1 << (2 * boards).bit_length(), np.int32)
    return Children(parent, move, np.empty(room), np.empty(boards, np.int64), table)


@kernel
def list_children(boards, weights, heard, message, switches, policy, children):
    """List the weighted moves that fit the announced capture; `heard` as in `reply_policy`. Return their number."""
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64)
    scene, cells, tries = np.empty(SCENE, np.int64), np.empty(FACTORS, np.int64), known_tries(heard, switches)
    chances, found = np.empty(MAX_MOVES), 0
    for b in range(len(boards)):
        board = boards[b]
        restrict(board, limits)
        count = legal_moves(board, limits, moves)
        weigh_replies(board, board[MEMORY], moves, count, heard, tries, limits, policy, scene, cells, chances)
        for i in range(min(count, len(children.parent) - found)):
            if fits_capture(board, moves[i], message, switches):
                children.parent[found], children.move[found] = b, moves[i]
                children.weight[found] = weights[b] * chances[i]
                found += 1
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
def number_of(children, key, count):
    """Return the number of the selected board with this key: `count`, if it is new."""
    table, last = children.table, len(children.table) - 1
    place = (key ^ (key >> 32)) & last
    while table[place] != FREE and children.key[table[place]] != key:
        place = (place + 1) & last
    if table[place] == FREE:
        table[place], children.key[count] = count, key
    return table[place]


@kernel
def draw_children(boards, children, found, wanted, message, switches, stream, out, out_weights):
    """Make `wanted` drawn moves, or all, and keep those that fit the message; return the number of boards in `out`."""
    limits = np.empty(LIMITS, np.int64)
    drawn_below = 0.0 if found <= wanted else drawing_weight(children.weight, found, wanted)
    mark, count = random_unit(stream) * drawn_below, 0
    children.table[:] = FREE
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
        row = out[count]
        copy_row(boards[children.parent[i]], row)
        make(row, children.move[i])
        # a mate would have ended the game
        if fits_position(row, message, limits, switches) and (message[CHECKS] == 0 or can_move(row, limits)):
            number = number_of(children, key_of(row, row[PASSANT]), count)
            if number < count:
                out_weights[number] += weight
                continue
            row[MEMORY] = remember(row[MEMORY], children.move[i])
            out_weights[count] = weight
            count += 1
    return count


@kernel
def select_children(boards, children, found, wanted, message, switches, stream, out, out_weights):
    """Fill `out` with boards after the opponent's move, about as many as wanted; return their number.

    `out` has room for some more, because it is not known before how many of the drawn moves fit.

    The weights in `out_weights` sum to 1.
    """
    asked, count = float(wanted), 0
    for _ in range(DRAWS):
        count = draw_children(boards, children, found, asked, message, switches, stream, out, out_weights)
        if ENOUGH * wanted <= count <= TOO_MANY * wanted or (asked >= found and count <= wanted):
            break
        asked *= min(wanted / max(count, 1), GROWTH)
    total = 0.0
    for i in range(count):
        total += out_weights[i]
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
            copy_row(boards[i], boards[kept])
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
                copy_row(board, boards[kept])
                weights[kept] = weights[i]
                kept += 1
    return kept
