"""Perft: the number of move sequences of some length, the classic test of a move generator and of its speed."""

import numpy as np

from fogspiel.core.compile.kernel import in_place, kernel, ones, trailing_zeros
from fogspiel.games.chess.bitboards import KINDS, LAST_RANKS, PAWN
from fogspiel.games.chess.moves import LIMITS, MAX_MOVES, PROMOTIONS, destinations, legal_moves, restrict
from fogspiel.games.chess.position import MEN, MOVER, POSITION, make


@in_place
def legal_count(pos, limits):
    count, own = 0, pos[MEN + pos[MOVER]]
    for kind in range(KINDS):
        men = pos[kind] & own
        while men:
            square = trailing_zeros(men)
            ends = destinations(pos, kind, square, limits)
            count += ones(ends)
            if kind == PAWN:
                count += (PROMOTIONS - 1) * ones(ends & (LAST_RANKS[0] | LAST_RANKS[1]))
            men &= men - 1
    return count


@kernel
def perft(pos, depth):
    """Count the move sequences of that length."""
    limits = np.empty(LIMITS, np.int64)
    if depth == 0:
        return 1
    restrict(pos, limits)
    if depth == 1:
        return legal_count(pos, limits)
    moves = np.empty((depth, MAX_MOVES), np.int64)
    boards = np.empty((depth, POSITION), np.int64)
    left = np.empty(depth, np.int64)
    boards[0] = pos
    left[0] = legal_moves(pos, limits, moves[0])
    level, total = 0, 0
    while level >= 0:
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        below = level + 1
        boards[below] = boards[level]
        make(boards[below], moves[level, left[level]])
        restrict(boards[below], limits)
        if below == depth - 1:
            total += legal_count(boards[below], limits)
        else:
            left[below] = legal_moves(boards[below], limits, moves[below])
            level = below
    return total
