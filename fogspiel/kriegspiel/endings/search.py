"""Search for mates of a lone king whose squares are known as a set: KQK, KRK, KRRK, KPK and any other endgame.

Against a lone king a metaposition is exact: the own men, and the set of possible squares of the king. An own move
divides this set by the referee's answer (refused, silent, check in one of five directions, mate, stalemate), and the
king's reply spreads each part by one step. The value of a move is the mean and the worst over the parts:

    value(move, ahead) = weigh(value of each part), where the value of a part is
        the confinement of the king there                                       if evaluated statically (ahead 0)
        the best value(next move, ahead - 1) of the most promising next moves   otherwise

`value_move` is this recursion with a stack: a row of `Stack` for each own move of lookahead. The weights are set by
hand so that the endgames are won against a random king.
"""

from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import inlined, kernel, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import BISHOP, KINDS, KING, KNIGHT, PAWN, QUEEN, ROOK, along, around, bit, reach, union
from ...games.chess.moves import MAX_MOVES, list_queening_moves, pushes
from ...games.chess.position import end_of, move_of, start_of
from ..beliefs.metaposition import threatened_by_pawns_up
from ..game.attempts import move_own
from ..search.metaposition_value import CENTRALITY

REFUSED, MATED, STALEMATED, SILENT = 0, 1, 2, 3
# The answers to a move: refused, mate, stalemate, silence, check by rank, file, long and short diagonal, knight.
PARTS = 9
DIRECTIONS = PARTS - SILENT - 1
# Squares whose longer diagonal is parallel to a1-h8: two opposite quarters of the board.
RISING_LONG = np.int64(-0x0F0F0F0FF0F0F0F1)
LEFT_OF = np.array([sum(0x0101010101010101 << f for f in range(file)) for file in range(8)], np.int64)
# Neighbouring files of a file.
RIGHT_OF = ~np.array([sum(0x0101010101010101 << f for f in range(file + 1)) for file in range(7)] + [-1], np.int64)

# Value of mate, bonus for each own move that it comes sooner, and cost of losing the win.
MATE, SOONER, LOST = 1000.0, 10.0, 2000.0
WORST = 0.9  # weight of the worst part against the mean, while there is patience
# Share of a loss that counts for any risk at all, and for a man who is not the last to win with.
ANY_RISK, MINOR_LOSS = 0.1, 0.1
# Costs of a square that the king could ever reach, of a possible square, of its greatest distance from the own king and
# of every quarter around the only rook or queen; and the value of this man next to the own king.
IN_CAGE, POSSIBLE, FARTHEST, QUARTER, TOGETHER = 0.7, 0.25, 0.5, 0.25, 25.0
PAWN_STEP = 6.0  # a pawn's value per rank; the value of men by kind
MEN_VALUE = np.array([30.0, 15.0, 15.0, 200.0, 220.0, 0.0])
ENOUGH_MEN = 500.0  # greatest sum of these values
WORSE_THAN_ANY, LOOKED_INTO = -1e9, -1e10


class Stack(NamedTuple):
    """Stack of moves under evaluation: row n is a move after which n more own moves are searched.

    A row has the own men before and after the move, the squares that they attack by direction of check, the parts of
    the king's squares with their shares and values, and the number of squares from which the king may capture (lost).
    For the current part it has the next own moves with their static values (promise), their number, and how many of
    them are still to be searched.
    """

    men: np.ndarray
    after: np.ndarray
    lines: np.ndarray
    parts: np.ndarray
    shares: np.ndarray
    values: np.ndarray
    lost: np.ndarray
    part: np.ndarray
    moves: np.ndarray
    promise: np.ndarray
    listed: np.ndarray
    left: np.ndarray


def empty_stack(ahead: int) -> Stack:
    rows = ahead + 1
    men, after = np.zeros((2, rows, KINDS), np.int64)
    lines = np.zeros((rows, DIRECTIONS), np.int64)
    parts, shares = np.zeros((2, rows, PARTS), np.int64)
    moves = np.zeros((rows, MAX_MOVES), np.int64)
    lost, part, listed, left = np.zeros((4, rows), np.int64)
    values, promise = np.zeros((rows, PARTS)), np.zeros((rows, MAX_MOVES))
    return Stack(men, after, lines, parts, shares, values, lost, part, moves, promise, listed, left)


@kernel
def sight(men, own, out):
    """Fill in the squares that the own men attack: all together, and by direction of check as announced to the king."""
    ranks, files, rising, falling = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for kind in range(BISHOP, KING):
        left = men[kind]
        while left:
            square = trailing_zeros(left)
            if kind != BISHOP:
                ranks |= along(bitboards.RANK, square, own)
                files |= along(bitboards.FILE, square, own)
            if kind != ROOK:
                rising |= along(bitboards.RISING, square, own)
                falling |= along(bitboards.FALLING, square, own)
            left &= left - 1
    pawns = men[PAWN]
    rising |= threatened_by_pawns_up(pawns) & (pawns << 9)
    falling |= threatened_by_pawns_up(pawns) & (pawns << 7)
    out[0], out[1] = ranks, files
    out[2] = rising & RISING_LONG | falling & ~RISING_LONG
    out[3] = rising & ~RISING_LONG | falling & RISING_LONG
    out[4] = bitboards.leaps(men[KNIGHT])
    return ranks | files | rising | falling | out[4] | bitboards.KING_ATTACKS[trailing_zeros(men[KING])]


@kernel
def hear(men, kings, action, after, lines, here):
    """Make a move in `after`, and divide the king's squares by the answers; return the squares not attacked then."""
    start, end = start_of(action), end_of(action)
    for kind in range(KINDS):
        after[kind] = men[kind]
    kind = move_own(after, 0, action)
    barred = bitboards.KING_ATTACKS[end] if kind == KING else bitboards.BETWEEN[start, end]
    if kind == PAWN:
        barred |= bit(end)
    attacked = sight(after, union(after), lines)
    free = ~attacked
    mobile = around(free)
    legal = kings & ~barred & ~bit(end)
    here[REFUSED], here[MATED], here[STALEMATED] = kings & barred, legal & attacked & ~mobile, legal & free & ~mobile
    here[SILENT] = legal & free & mobile
    legal &= attacked & mobile
    for part in range(SILENT + 1, PARTS):
        here[part] = legal & lines[part - SILENT - 1]
        legal &= ~here[part]
    return free


@kernel
def divide(men, kings, action, after, lines, parts, shares):
    """Make a move in `after`, divide the king's squares by the answers, and spread them by the king's reply.

    The parts are its squares at the own side's next attempt, the shares the numbers of squares of each answer before
    the reply. Return the number of squares from which the king may capture an own man.
    """
    free, lost = hear(men, kings, action, after, lines, parts), 0
    own = union(after)
    for part in range(PARTS):
        shares[part] = ones(parts[part])
        if part >= SILENT:
            replies = around(parts[part]) & free
            if replies & own:
                lost += ones(around(replies & own) & parts[part])
            parts[part] = replies & ~own
    return lost


@inlined
def distance(a, b):
    return max(abs((a & 7) - (b & 7)), abs((a >> 3) - (b >> 3)))


@kernel
def _quarters(kings, square):
    up, left, right = ~np.int64(0) << (square & 56), LEFT_OF[square & 7], RIGHT_OF[square & 7]
    found = 0
    for half in (up << 8 if square < 56 else np.int64(0), ~up):
        for side in (left, right):
            if kings & half & side:
                found += 1
    return found


@kernel
def _confinement(men, kings, lines):
    """Score a set of possible squares of the king for the own side, which is to move."""
    king, majors, pawns = trailing_zeros(men[KING]), men[ROOK] | men[QUEEN], men[PAWN]
    worth, farthest = 0.0, 0
    free = ~(sight(men, union(men), lines) | union(men))
    left, before = kings, np.int64(0)
    while left != before:  # the squares that the king could ever reach
        before = left
        left |= around(left) & free
    while left:
        worth -= IN_CAGE * CENTRALITY[trailing_zeros(left)]
        left &= left - 1
    left = kings
    while left:
        square = trailing_zeros(left)
        worth -= POSSIBLE * CENTRALITY[square]
        farthest = max(farthest, distance(square, king))
        left &= left - 1
    worth -= FARTHEST * farthest
    material = 0.0
    for kind in range(KING):
        material += MEN_VALUE[kind] * ones(men[kind])
    worth += min(material, ENOUGH_MEN)
    if majors and majors & (majors - 1) == 0:
        worth -= QUARTER * _quarters(kings, trailing_zeros(majors)) * ones(kings)
        if bitboards.KING_ATTACKS[king] & majors:
            worth += TOGETHER
    while pawns:
        square = trailing_zeros(pawns)
        worth += PAWN_STEP * (square >> 3) - distance(king, square)
        pawns &= pawns - 1
    return worth


@kernel
def list_own_moves(men, out):
    """List the own moves; pawns become queens, or rooks, which seldom stalemate."""
    own, count = union(men), 0
    for kind in range(KINDS):
        left = men[kind]
        while left:
            start = trailing_zeros(left)
            ends = pushes(start, 0, own) if kind == PAWN else reach(kind, start, own) & ~own
            count = list_queening_moves(start, ends, kind == PAWN, out, count)
            if kind == PAWN and ends & bitboards.LAST_RANKS[0]:
                out[count] = move_of(start, trailing_zeros(ends), ROOK)
                count += 1
            left &= left - 1
    return count


@inlined
def _goes_on(parts, shares, part):
    return shares[part] and parts[part] and part != MATED and part != STALEMATED


@kernel
def _weigh_parts(men, parts, shares, values, lost, patience, ahead):
    """Return the value of a move from its parts: their mean and the worst of them, minus the risk.

    `patience` falls from 1 to 0 as the fifty-move rule runs out: the mean then counts more, and any risk at all less.
    """
    total, mean, worst = shares[MATED] + shares[STALEMATED], (MATE + SOONER * ahead) * shares[MATED], MATE
    for part in range(PARTS):
        if shares[part] and part != MATED and part != STALEMATED:
            if parts[part] == 0:  # it can only capture
                values[part] = -LOST
            total += shares[part]
            mean += values[part] * shares[part]
            worst = min(worst, values[part])
    total, risk = max(1, total), 0.0
    if shares[STALEMATED]:
        worst = min(worst, 0.0)
        risk += LOST * (ANY_RISK * patience + shares[STALEMATED] / total)
    if lost:
        is_last = ones(men[PAWN] | men[ROOK] | men[QUEEN]) < 2  # the only man that can mate or promote
        risk += (LOST if is_last else MINOR_LOSS * LOST) * (ANY_RISK * patience + lost / total)
    heed = WORST * patience
    return mean / total * (1.0 - heed) + worst * heed - risk


@kernel
def _rank_next_moves(men, kings, patience, stack, row):
    """List the next own moves of a row and evaluate them statically in row 0; return the best value."""
    moves, promise = stack.moves[row], stack.promise[row]
    after, lines, parts = stack.after[0], stack.lines[0], stack.parts[0]
    shares, values = stack.shares[0], stack.values[0]
    count, best = list_own_moves(men, moves), WORSE_THAN_ANY
    for i in range(count):
        lost = divide(men, kings, moves[i], after, lines, parts, shares)
        for part in range(PARTS):
            if _goes_on(parts, shares, part):
                values[part] = _confinement(men if part == REFUSED else after, parts[part], lines)
        promise[i] = _weigh_parts(men, parts, shares, values, lost, patience, 0)
        best = max(best, promise[i])
    stack.listed[row] = count
    return best


@kernel
def _begin_row(men, kings, action, stack, row):
    stack.men[row], stack.part[row] = men, -1
    parts, shares = stack.parts[row], stack.shares[row]
    stack.lost[row] = divide(men, kings, action, stack.after[row], stack.lines[row], parts, shares)


@kernel
def value_move(men, kings, action, ahead, width, patience, stack):
    """Return the value of a move; of own moves ahead, at least one, the last is searched in full, others to `width`."""
    row = ahead
    _begin_row(men, kings, action, stack, row)
    while True:
        parts, shares, values, part = stack.parts[row], stack.shares[row], stack.values[row], stack.part[row]
        if stack.left[row]:  # a next move of this part, to be searched one row below
            stack.left[row] -= 1
            best = np.argmax(stack.promise[row, : stack.listed[row]])
            move, stack.promise[row, best] = stack.moves[row, best], LOOKED_INTO
            _begin_row(stack.men[row] if part == REFUSED else stack.after[row], parts[part], move, stack, row - 1)
            row -= 1
        elif part + 1 < PARTS:  # the next part
            part += 1
            stack.part[row] = part
            if _goes_on(parts, shares, part):
                here = stack.men[row] if part == REFUSED else stack.after[row]
                values[part] = _rank_next_moves(here, parts[part], patience, stack, row)
                if row > 1:
                    stack.left[row], values[part] = min(width, stack.listed[row]), WORSE_THAN_ANY
        else:
            value = _weigh_parts(stack.men[row], parts, shares, values, stack.lost[row], patience, row)
            if row == ahead:
                return value
            row += 1
            stack.values[row, stack.part[row]] = max(stack.values[row, stack.part[row]], value)


@kernel
def value_moves(men, kings, moves, ahead, width, patience, stack, values):
    for i in range(len(moves)):
        values[i] = value_move(men, kings, moves[i], ahead, width, patience, stack)
