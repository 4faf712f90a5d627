"""Mating a bare king whose squares are known as a set: the special endings (KQK, KRK, KRRK, KPK and any other).

Against a bare king a metaposition is exact: the own men, and the set of squares on which the king may be. An own move
divides this set by the referee's answer (refused, silent, check in one of five directions, mate, stalemate), and the
king's reply spreads each part by one step. The best move is the best after two own moves, or three, by the mean and
the worst of the parts.
"""

import numpy as np

from ...core.kernel import inlined, kernel, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.attempts import move_own
from ...games.chess.bits import BETWEEN, FALLING, FILE, RANK, RISING, along, bit
from ...games.chess.moves import pushes, reach
from ...games.chess.position import BISHOP, KINDS, KING, KNIGHT, PAWN, QUEEN, ROOK, end_of, move_of, start_of
from ..beliefs.fills import TOP, around, leaps
from ..beliefs.metaposition import threatened_by_pawns_up
from ..evaluation.metaposition_value import CENTRALITY

REFUSED, MATED, STALEMATED, SILENT = 0, 1, 2, 3
PARTS = 9
"""The answers to a move: refused, mate, stalemate, silence, check by rank, file, long and short diagonal, knight."""
MOST_MOVES = 256
RISING_LONG = np.int64(-0x0F0F0F0FF0F0F0F1)
"""The squares whose longer diagonal is parallel to a1-h8 are those of two opposite quarters of the board."""
MATE, LOST, WORST = 1000.0, 2000.0, 0.9
IN_CAGE, POSSIBLE, FARTHEST, QUARTER, TOGETHER = 0.7, 0.25, 0.5, 0.25, 25.0
SAFE = np.array([30.0, 15.0, 15.0, 200.0, 220.0, 0.0])
PLENTY = 500.0
"""What the own men are worth against a bare king, by kind, and what they are worth together at most."""
LEFT_OF = np.array([sum(0x0101010101010101 << f for f in range(file)) for file in range(8)], np.int64)
RIGHT_OF = ~np.array([sum(0x0101010101010101 << f for f in range(file + 1)) for file in range(7)] + [-1], np.int64)
"""The files on either side of a file."""


@kernel
def _lines(men, own, out):
    """The squares that the own men attack: all together, and by direction of check as the king there would hear it."""
    ranks, files, rising, falling = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for kind in range(BISHOP, KING):
        left = men[kind]
        while left:
            square = trailing_zeros(left)
            if kind != BISHOP:
                ranks |= along(RANK, square, own)
                files |= along(FILE, square, own)
            if kind != ROOK:
                rising |= along(RISING, square, own)
                falling |= along(FALLING, square, own)
            left &= left - 1
    pawns = men[PAWN]
    rising |= threatened_by_pawns_up(pawns) & (pawns << 9)
    falling |= threatened_by_pawns_up(pawns) & (pawns << 7)
    out[0], out[1] = ranks, files
    out[2] = rising & RISING_LONG | falling & ~RISING_LONG
    out[3] = rising & ~RISING_LONG | falling & RISING_LONG
    out[4] = leaps(men[KNIGHT])
    return ranks | files | rising | falling | out[4] | bits.KING[trailing_zeros(men[KING])]


@kernel
def _union(men):
    return men[PAWN] | men[KNIGHT] | men[BISHOP] | men[ROOK] | men[QUEEN] | men[KING]


@kernel
def divide(men, kings, action, after, parts, shares, lines):
    """Make a move in `after`, divide the king's squares by the answers, and let the king reply.

    `parts` are the squares on which it is when the own side is next to try something, `shares` how many of the squares
    each answer has before the reply. The result is from how many squares it may take an own man.
    """
    start, end = start_of(action), end_of(action)
    for kind in range(KINDS):
        after[kind] = men[kind]
    kind = move_own(after, 0, action)
    barred = bits.KING[end] if kind == KING else BETWEEN[start, end]
    if kind == PAWN:
        barred |= bit(end)
    own = _union(after)
    attacked = _lines(after, own, lines)
    free = ~attacked
    mobile = around(free)
    legal = kings & ~barred & ~bit(end)
    parts[REFUSED], parts[MATED], parts[STALEMATED] = kings & barred, legal & attacked & ~mobile, legal & free & ~mobile
    quiet, lost = legal & free & mobile, 0
    for part in range(SILENT, PARTS):
        here = quiet if part == SILENT else legal & mobile & lines[part - SILENT - 1]
        legal &= ~here
        shares[part] = ones(here)
        replies = around(here) & free
        if replies & own:
            lost += ones(around(replies & own) & here)
        parts[part] = replies & ~own
    for part in range(SILENT):
        shares[part] = ones(parts[part])
    return lost


@inlined
def _distance(a, b):
    """How many steps a king needs from one square to another."""
    return max(abs((a & 7) - (b & 7)), abs((a >> 3) - (b >> 3)))


@kernel
def _quarters(kings, square):
    """In how many of the four quarters of the board around a rook or a queen the king may be."""
    up, left, right = ~np.int64(0) << (square & 56), LEFT_OF[square & 7], RIGHT_OF[square & 7]
    found = 0
    for half in (up << 8 if square < 56 else np.int64(0), ~up):
        for side in (left, right):
            if kings & half & side:
                found += 1
    return found


@kernel
def _cage(men, kings, lines):
    """All squares that the king could ever reach if the own men stood still."""
    free = ~(_lines(men, _union(men), lines) | _union(men))
    cage, before = kings, np.int64(0)
    while cage != before:
        before = cage
        cage |= around(cage) & free
    return cage


@kernel
def _confined(men, kings, lines):
    """How good it is for the own side, which is to move, that the king is on one of these squares."""
    king, majors, pawns = trailing_zeros(men[KING]), men[ROOK] | men[QUEEN], men[PAWN]
    worth, farthest = 0.0, 0
    left = _cage(men, kings, lines)
    while left:
        worth -= IN_CAGE * CENTRALITY[trailing_zeros(left)]
        left &= left - 1
    left = kings
    while left:
        square = trailing_zeros(left)
        worth -= POSSIBLE * CENTRALITY[square]
        farthest = max(farthest, _distance(square, king))
        left &= left - 1
    worth -= FARTHEST * farthest
    material = 0.0
    for kind in range(KING):
        material += SAFE[kind] * ones(men[kind])
    worth += min(material, PLENTY)
    if majors and majors & (majors - 1) == 0:
        worth -= QUARTER * _quarters(kings, trailing_zeros(majors)) * ones(kings)
        if bits.KING[king] & majors:
            worth += TOGETHER
    while pawns:
        square = trailing_zeros(pawns)
        worth += 6.0 * (square >> 3) - _distance(king, square)
        pawns &= pawns - 1
    return worth


@kernel
def list_bare_moves(men, out):
    """List the own moves; promotions are to queens."""
    own, count = _union(men), 0
    for kind in range(KINDS):
        left = men[kind]
        while left:
            start = trailing_zeros(left)
            ends = pushes(start, 0, own) if kind == PAWN else reach(kind, start, own) & ~own
            while ends:
                end = trailing_zeros(ends)
                out[count] = move_of(start, end, QUEEN if kind == PAWN and TOP & bit(end) else 0)
                count += 1
                ends &= ends - 1
            left &= left - 1
    return count


@kernel
def _weighed(parts, shares, worths, lost, fatal, patience, depth):
    """The value of a move by the values after its answers: their mean and the worst of them, less what is risked.

    It is `fatal` to lose the last man that can mate; and the fewer moves the fifty-move rule leaves, the smaller
    `patience` is, from 1 to 0, the more the mean counts, and the less it counts that there is a risk at all.
    """
    total, mean, worst = shares[MATED] + shares[STALEMATED], (MATE + 10.0 * depth) * shares[MATED], MATE
    for part in range(PARTS):
        if shares[part] and part != MATED and part != STALEMATED:
            if parts[part] == 0:  # it can only take
                worths[part] = -LOST
            total += shares[part]
            mean += worths[part] * shares[part]
            worst = min(worst, worths[part])
    total, risk = max(1, total), 0.0
    if shares[STALEMATED]:
        worst = min(worst, 0.0)
        risk += LOST * (0.1 * patience + shares[STALEMATED] / total)
    if lost:
        risk += (LOST if fatal else 0.1 * LOST) * (0.1 * patience + lost / total)
    heed = WORST * patience
    return mean / total * (1.0 - heed) + worst * heed - risk


@kernel
def _is_last(men):
    """Whether there is only one man that can mate or promote."""
    return ones(men[PAWN] | men[ROOK] | men[QUEEN]) < 2


@kernel
def worth_at_once(men, kings, action, patience, sets, worths):
    """The value of a move by the squares that the king may then have."""
    after, parts, shares = sets[0], sets[1], sets[2]
    lost = divide(men, kings, action, after, parts, shares, sets[3])
    for part in range(PARTS):
        if shares[part] and parts[part] and part != MATED and part != STALEMATED:
            worths[part] = _confined(men if part == REFUSED else after, parts[part], sets[3])
    return _weighed(parts, shares, worths, lost, _is_last(men), patience, 0)


@kernel
def _best_at_once(men, kings, patience, sets, worths, moves):
    """The value of the best move at once."""
    count, best = list_bare_moves(men, moves), -1e9
    for i in range(count):
        best = max(best, worth_at_once(men, kings, moves[i], patience, sets, worths))
    return best


@kernel
def worth_ahead(men, kings, action, patience, sets, worths, moves):
    """The value of a move by the best own move after each answer; `sets` has rows for two levels."""
    after, parts, shares = sets[4], sets[5], sets[6]
    lost = divide(men, kings, action, after, parts, shares, sets[7])
    for part in range(PARTS):
        if shares[part] and parts[part] and part != MATED and part != STALEMATED:
            here = men if part == REFUSED else after
            worths[1, part] = _best_at_once(here, parts[part], patience, sets, worths[0], moves[0])
    return _weighed(parts, shares, worths[1], lost, _is_last(men), patience, 1)


@kernel
def _best_ahead(men, kings, width, patience, sets, worths, moves, values):
    """The value of the best move looking one more ahead, among the best few at once."""
    count, best = list_bare_moves(men, moves[1]), -1e9
    for i in range(count):
        values[i] = worth_at_once(men, kings, moves[1, i], patience, sets, worths[0])
    for _ in range(min(width, count)):
        place = 0
        for i in range(count):
            if values[i] > values[place]:
                place = i
        values[place] = -1e10
        best = max(best, worth_ahead(men, kings, moves[1, place], patience, sets, worths, moves))
    return best


@kernel
def worth_far_ahead(men, kings, action, width, patience, sets, worths, moves, values):
    """The value of a move by the best two own moves after each answer; `sets` has rows for three levels."""
    after, parts, shares = sets[8], sets[9], sets[10]
    lost = divide(men, kings, action, after, parts, shares, sets[11])
    for part in range(PARTS):
        if shares[part] and parts[part] and part != MATED and part != STALEMATED:
            here = men if part == REFUSED else after
            worths[2, part] = _best_ahead(here, parts[part], width, patience, sets, worths, moves, values)
    return _weighed(parts, shares, worths[2], lost, _is_last(men), patience, 2)
