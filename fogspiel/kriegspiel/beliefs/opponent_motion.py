"""The second set of assumptions (section 5.2): a model of the opponent, who moves by chance and is never seen.

    a quiet move   predict_quiet_move   the king walks at random to squares that we do not attack; pawns step ahead, in
                                        chains that end as pieces; pieces spread along the lines and as knights do
    a capture      predict_capture      one of the men that could reach the square comes there

`attraction` has a row of 64 for their king, pawns and pieces: f of the paper, how attractive each square is to them at
this time of the game (all 1 without a database).
"""

import numpy as np

from ...core.kernel import in_place, kernel, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import LAST_RANKS, SECOND_RANKS, bit
from ...games.chess.men import FORWARD
from .lines import LENGTHS, LINES, NEXT
from .probability_matrices import KINGS, LEAST, PAWNS, PIECES, attacked_squares, occupancy, scale_row, total

KING_FLIGHT = 0.6  # the chance that their king moves when it is in check (set by hand, as all numbers here)
MOST_STEPS, DOUBLE_STEP = 0.9, 0.5  # the greatest chance that a pawn moves, and how often one that can goes two squares
# Weight of a pawn that has a try, and of their king, among those who may have taken a man of ours.
PAWN_FIRST, KING_LAST = 9.0, 0.3
NO_TAKER = 1e-6  # with less weight no man could have taken, so that the matrices were wrong


@kernel
def walk_king(prob, known, attraction, chance):
    """Their king moves with this chance to one of the squares around it that we do not attack: a random walk."""
    barred = known.own | attacked_squares(known)
    before = np.empty(64, np.float64)
    for square in range(64):
        before[square] = prob[KINGS, square]
    for square in range(64):
        moving = chance * before[square]
        if moving > LEAST:
            weight, left = 0.0, bits.KING[square] & ~barred
            while left:
                weight += attraction[KINGS, trailing_zeros(left)]
                left &= left - 1
            if weight > 0.0:
                prob[KINGS, square] -= moving
                left = bits.KING[square] & ~barred
                while left:
                    there = trailing_zeros(left)
                    prob[KINGS, there] += moving * attraction[KINGS, there] / weight
                    left &= left - 1


@in_place
def advance_pawns(prob, known, attraction, chance):
    """Each of their pawns steps ahead with this chance: one-way chains that end as pieces on our first rank."""
    theirs = 1 - known.colour
    step = FORWARD[theirs]
    for place in range(8, 56):
        square = place if step < 0 else 63 - place  # those ahead move first
        pawn = prob[PAWNS, square]
        ahead = square + step
        if pawn <= LEAST or known.own & bit(ahead):
            continue
        moving = pawn * min(MOST_STEPS, chance * attraction[PAWNS, ahead]) * (1.0 - occupancy(prob, ahead))
        prob[PAWNS, square] -= moving
        if LAST_RANKS[theirs] & bit(ahead):
            prob[PIECES, ahead] += moving
            continue
        if SECOND_RANKS[theirs] & bit(square) and not known.own & bit(ahead + step):
            double = DOUBLE_STEP * moving * (1.0 - occupancy(prob, ahead + step))
            prob[PAWNS, ahead + step] += double
            moving -= double
        prob[PAWNS, ahead] += moving


@in_place
def spread_run(prob, attraction, squares, first, last, chance):
    """Pieces move along a run of squares: from each of them to the others, c2 = 1/(k-1) if all are as attractive."""
    weight = 0.0
    for place in range(first, last):
        weight += attraction[PIECES, squares[place]]
    flow = 0.0
    for place in range(first, last):
        square = squares[place]
        flow += prob[PIECES, square] / (weight - attraction[PIECES, square])
    for place in range(first, last):
        square = squares[place]
        pull, here = attraction[PIECES, square], prob[PIECES, square]
        prob[PIECES, square] = (1.0 - chance) * here + chance * pull * (flow - here / (weight - pull))


@in_place
def spread_run_evenly(prob, squares, first, last, chance):
    """The same if all squares are as attractive."""
    summed = np.float32(0.0)
    for place in range(first, last):
        summed += prob[PIECES, squares[place]]
    share = chance / np.float32(last - first - 1)
    stay = np.float32(1.0) - chance - share
    summed *= share
    for place in range(first, last):
        square = squares[place]
        prob[PIECES, square] = stay * prob[PIECES, square] + summed


@in_place
def is_even(attraction):
    """True if all squares are equally attractive to pieces, as without a database."""
    even = True
    for square in range(64):
        even &= attraction[PIECES, square] == 1.0
    return even


@kernel
def spread_knights(prob, own, attraction, even, chance):
    """Knights among the pieces move with this chance (ours)."""
    before = np.empty(64, np.float32)
    for square in range(64):
        before[square] = prob[PIECES, square]
    for square in range(64):
        moving = chance * before[square]
        ends = bits.KNIGHT[square] & ~own
        if moving > LEAST and ends:
            prob[PIECES, square] -= moving
            weight, left = np.float32(ones(ends)), ends
            if not even:
                weight = np.float32(1e-9)
                while left:
                    weight += attraction[PIECES, trailing_zeros(left)]
                    left &= left - 1
            moving /= weight
            while ends:
                there = trailing_zeros(ends)
                prob[PIECES, there] += moving * attraction[PIECES, there]
                ends &= ends - 1


@in_place
def spread_pieces(prob, known, attraction, chance, parameters):
    """The board is swept along ranks, files and diagonals, then by knights (figure 7; the knights are ours)."""
    stops, even = known.own, is_even(attraction)
    for square in range(64):
        if prob[PAWNS, square] >= parameters.pawn_wall:
            stops |= bit(square)
    along = np.float32(chance * parameters.line_spread)
    for line in range(len(LINES)):
        first = 0
        squares = LINES[line]
        for place in range(LENGTHS[line] + 1):
            if place < LENGTHS[line] and not stops & bit(squares[place]):
                continue
            if place - first >= 2:
                if even:
                    spread_run_evenly(prob, squares, first, place, along)
                else:
                    spread_run(prob, attraction, squares, first, place, along)
            first = place + 1
    spread_knights(prob, known.own, attraction, even, np.float32(chance * parameters.knight_spread))


@in_place
def predict_quiet_move(prob, known, attraction, in_check, parameters):
    """They have moved and taken nothing: king, pawn or piece in the proportion 1 : k1 : k2."""
    activity = parameters.piece_activity
    movers = total(prob, PAWNS) + activity * total(prob, PIECES) + 1.0
    chance = 1.0 / movers
    walking = max(chance, KING_FLIGHT) if in_check else chance
    rest = (1.0 - walking) / max(1e-9, 1.0 - chance)
    walk_king(prob, known, attraction, walking)
    advance_pawns(prob, known, attraction, chance * rest)
    spread_pieces(prob, known, attraction, min(1.0, activity * chance * rest), parameters)


@in_place
def weigh_men(prob, row, squares, weight, weights):
    """Weigh the men of a row on these squares."""
    while squares:
        square = trailing_zeros(squares)
        weights[row, square] = weight * prob[row, square]
        squares &= squares - 1


@in_place
def weigh_takers(prob, known, square, their_tries, parameters, weights):
    """Weigh who may have taken on a square: for each row and square the weight of a man there. The sum."""
    own, summed = known.own, 0.0
    for row in range(3):
        for other in range(64):
            weights[row, other] = 0.0
    if their_tries:
        weigh_men(prob, PAWNS, bits.PAWN[known.colour, square] & ~own, PAWN_FIRST, weights)
    weigh_men(prob, PIECES, bits.KNIGHT[square] & ~own, parameters.knight_share, weights)
    if not attacked_squares(known) & bit(square):
        weigh_men(prob, KINGS, bits.KING[square] & ~own, KING_LAST, weights)
    for direction in range(len(NEXT)):
        clear, other = parameters.line_share, NEXT[direction, square]
        while other >= 0 and not own & bit(other):
            weights[PIECES, other] += clear * prob[PIECES, other]
            clear *= 1.0 - occupancy(prob, other)
            other = NEXT[direction, other]
    for row in range(3):
        for other in range(64):
            summed += weights[row, other]
    return summed


@kernel
def predict_capture(prob, known, square, their_tries, parameters):
    """A man of ours was taken on `square`, and is gone from `known`: one of their men that could has come there."""
    weights = np.empty((3, 64), np.float64)
    summed = weigh_takers(prob, known, square, their_tries, parameters, weights)
    if summed < NO_TAKER:
        pieces = total(prob, PIECES)
        if pieces >= 1.0:
            scale_row(prob, PIECES, pieces - 1.0, ~known.own)
            prob[PIECES, square] += 1.0
        else:
            scale_row(prob, KINGS, NO_TAKER, ~known.own)
            prob[KINGS, square] = 1.0
        return
    for row in range(3):
        before, come = total(prob, row), 0.0
        for other in range(64):
            share = weights[row, other] / summed
            if share > 0.0:
                come += share
                prob[row, other] -= min(prob[row, other], share)
        if come > 0.0:
            scale_row(prob, row, max(0.0, before - come), ~known.own & ~bit(square))
            prob[row, square] = come
        else:
            prob[row, square] = 0.0
