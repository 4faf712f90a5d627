"""The second set of assumptions (section 5.2): a model of the opponent, who moves by the odds and is never seen.

`lure` has a row of 64 for his king, pawns and pieces: f of the paper, how attractive each square is to them at this
time of the game (all 1 without a database).
"""

import numpy as np

from ...core.kernel import kernel, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import bit
from ...games.chess.position import FORWARD, LAST_RANKS, SECOND_RANKS
from ..parameters import KNIGHT_SHARE, KNIGHT_SPREAD, LINE_SHARE, LINE_SPREAD, PAWN_WALL, PIECE_ACTIVITY
from .probability_matrices import (
    COLOUR,
    KINGS,
    LEAST,
    LENGTHS,
    LINES,
    NEXT,
    OWN,
    PAWNS,
    PIECES,
    attacked,
    occupancy,
    scale,
    total,
)

KING_FLIGHT = 0.6
"""The chance that his king moves when it is in check."""
PAWN_FIRST, KING_LAST = 9.0, 0.3
"""Weight of a pawn that has a try, and of his king, among those who may have taken a man of ours."""


@kernel
def walk_king(odds, scene, lure, chance):
    """His king moves with this chance to one of the squares around it that we do not attack: a random walk."""
    barred = scene[OWN] | attacked(scene)
    before = np.empty(64, np.float64)
    for square in range(64):
        before[square] = odds[KINGS, square]
    for square in range(64):
        moving = chance * before[square]
        if moving > LEAST:
            weight, left = 0.0, bits.KING[square] & ~barred
            while left:
                weight += lure[KINGS, trailing_zeros(left)]
                left &= left - 1
            if weight > 0.0:
                odds[KINGS, square] -= moving
                left = bits.KING[square] & ~barred
                while left:
                    there = trailing_zeros(left)
                    odds[KINGS, there] += moving * lure[KINGS, there] / weight
                    left &= left - 1


@kernel
def advance_pawns(odds, scene, lure, chance):
    """Each of his pawns steps ahead with this chance: one-way chains that end as pieces on our first rank."""
    his = 1 - scene[COLOUR]
    step = FORWARD[his]
    for place in range(8, 56):
        square = place if step < 0 else 63 - place  # those ahead move first
        pawn = odds[PAWNS, square]
        ahead = square + step
        if pawn <= LEAST or scene[OWN] & bit(ahead):
            continue
        moving = pawn * min(0.9, chance * lure[PAWNS, ahead]) * (1.0 - occupancy(odds, ahead))
        odds[PAWNS, square] -= moving
        if LAST_RANKS[his] & bit(ahead):
            odds[PIECES, ahead] += moving
            continue
        if SECOND_RANKS[his] & bit(square) and not scene[OWN] & bit(ahead + step):
            double = 0.5 * moving * (1.0 - occupancy(odds, ahead + step))
            odds[PAWNS, ahead + step] += double
            moving -= double
        odds[PAWNS, ahead] += moving


@kernel
def spread_run(odds, lure, squares, first, last, chance):
    """Pieces move along a run of squares: from each of them to the others, c2 = 1/(k-1) if all are as attractive."""
    weight = 0.0
    for place in range(first, last):
        weight += lure[PIECES, squares[place]]
    flow = 0.0
    for place in range(first, last):
        square = squares[place]
        flow += odds[PIECES, square] / (weight - lure[PIECES, square])
    for place in range(first, last):
        square = squares[place]
        drawn, here = lure[PIECES, square], odds[PIECES, square]
        odds[PIECES, square] = (1.0 - chance) * here + chance * drawn * (flow - here / (weight - drawn))


@kernel
def spread_run_evenly(odds, squares, first, last, chance):
    """The same if all squares are as attractive."""
    summed = np.float32(0.0)
    for place in range(first, last):
        summed += odds[PIECES, squares[place]]
    share = chance / np.float32(last - first - 1)
    stay = np.float32(1.0) - chance - share
    summed *= share
    for place in range(first, last):
        square = squares[place]
        odds[PIECES, square] = stay * odds[PIECES, square] + summed


@kernel
def is_even(lure):
    """Whether all squares are equally attractive to pieces, as without a database."""
    even = True
    for square in range(64):
        even &= lure[PIECES, square] == 1.0
    return even


@kernel
def jump(odds, own, lure, even, chance):
    """Knights among the pieces move with this chance (ours)."""
    before = np.empty(64, np.float32)
    for square in range(64):
        before[square] = odds[PIECES, square]
    for square in range(64):
        moving = chance * before[square]
        ends = bits.KNIGHT[square] & ~own
        if moving > LEAST and ends:
            odds[PIECES, square] -= moving
            weight, left = np.float32(ones(ends)), ends
            if not even:
                weight = np.float32(1e-9)
                while left:
                    weight += lure[PIECES, trailing_zeros(left)]
                    left &= left - 1
            moving /= weight
            while ends:
                there = trailing_zeros(ends)
                odds[PIECES, there] += moving * lure[PIECES, there]
                ends &= ends - 1


@kernel
def spread_pieces(odds, scene, lure, chance, constants):
    """The board is swept along ranks, files and diagonals, then by knights (figure 7; the knights are ours)."""
    stops, even = scene[OWN], is_even(lure)
    for square in range(64):
        if odds[PAWNS, square] >= constants[PAWN_WALL]:
            stops |= bit(square)
    along = np.float32(chance * constants[LINE_SPREAD])
    for line in range(len(LINES)):
        first = 0
        squares = LINES[line]
        for place in range(LENGTHS[line] + 1):
            if place < LENGTHS[line] and not stops & bit(squares[place]):
                continue
            if place - first >= 2:
                if even:
                    spread_run_evenly(odds, squares, first, place, along)
                else:
                    spread_run(odds, lure, squares, first, place, along)
            first = place + 1
    jump(odds, scene[OWN], lure, even, np.float32(chance * constants[KNIGHT_SPREAD]))


@kernel
def let_him_move(odds, scene, lure, in_check, constants):
    """He has moved and nothing was taken: king, pawn or piece in the proportion 1 : k1 : k2."""
    activity = constants[PIECE_ACTIVITY]
    movers = total(odds, PAWNS) + activity * total(odds, PIECES) + 1.0
    chance = 1.0 / movers
    walking = max(chance, KING_FLIGHT) if in_check else chance
    rest = (1.0 - walking) / max(1e-9, 1.0 - chance)
    walk_king(odds, scene, lure, walking)
    advance_pawns(odds, scene, lure, chance * rest)
    spread_pieces(odds, scene, lure, min(1.0, activity * chance * rest), constants)


@kernel
def weigh_takers(odds, scene, square, his_tries, constants, weights):
    """Weigh who may have taken on a square: for each row and square the weight of a man there. The sum."""
    own, summed = scene[OWN], 0.0
    for row in range(3):
        for other in range(64):
            weights[row, other] = 0.0
    left = bits.PAWN[scene[COLOUR], square] & ~own
    while left and his_tries:
        other = trailing_zeros(left)
        weights[PAWNS, other] = PAWN_FIRST * odds[PAWNS, other]
        left &= left - 1
    left = bits.KNIGHT[square] & ~own
    while left:
        other = trailing_zeros(left)
        weights[PIECES, other] = constants[KNIGHT_SHARE] * odds[PIECES, other]
        left &= left - 1
    if not attacked(scene) & bit(square):
        left = bits.KING[square] & ~own
        while left:
            other = trailing_zeros(left)
            weights[KINGS, other] = KING_LAST * odds[KINGS, other]
            left &= left - 1
    for direction in range(8):
        clear, other = constants[LINE_SHARE], NEXT[direction, square]
        while other >= 0 and not own & bit(other):
            weights[PIECES, other] += clear * odds[PIECES, other]
            clear *= 1.0 - occupancy(odds, other)
            other = NEXT[direction, other]
    for row in range(3):
        for other in range(64):
            summed += weights[row, other]
    return summed


@kernel
def let_him_take(odds, scene, square, his_tries, constants):
    """A man of ours was taken on `square`, which `scene` knows already: somebody who could has come there."""
    weights = np.empty((3, 64), np.float64)
    summed = weigh_takers(odds, scene, square, his_tries, constants, weights)
    if summed < 1e-6:
        pieces = total(odds, PIECES)
        if pieces >= 1.0:
            scale(odds, PIECES, pieces - 1.0, ~scene[OWN])
            odds[PIECES, square] += 1.0
        else:
            scale(odds, KINGS, 1e-6, ~scene[OWN])
            odds[KINGS, square] = 1.0
        return
    for row in range(3):
        before, come = total(odds, row), 0.0
        for other in range(64):
            share = weights[row, other] / summed
            if share > 0.0:
                come += share
                odds[row, other] -= min(odds[row, other], share)
        if come > 0.0:
            scale(odds, row, max(0.0, before - come), ~scene[OWN] & ~bit(square))
            odds[row, square] = come
        else:
            odds[row, square] = 0.0
