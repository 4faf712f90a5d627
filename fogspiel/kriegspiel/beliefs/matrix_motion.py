"""The second set of assumptions (section 5.2): a model of the opponent, who moves at random and unseen.

    a quiet move   predict_quiet_move   the king walks at random to squares that we do not attack; pawns step ahead, in
                                        chains that end as pieces; pieces spread along the lines and as knights do
    a capture      predict_capture      one of the men that could reach the square comes there

`attraction` has a row of 64 for their king, pawns and pieces: f of the paper, the attractiveness of each square to them
at this time of the game (all 1 without a database).
"""

import math

import numpy as np

from ...core.compile.kernel import in_place, kernel, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import FORWARD, KING, LAST_RANKS, LENGTHS, LINES, NEXT, PAWN, SECOND_RANKS, bit
from ..game.attempts import SOME, UNKNOWN
from .probability_matrices import KINGS, MIN, PAWNS, PIECES, SURE, attacked_squares, occupancy, scale_row, total

KING_FLIGHT = 0.6  # probability that their king moves when it is in check (set by hand, as all numbers here)
MAX_STEPS, DOUBLE_STEP = 0.9, 0.5  # greatest probability that a pawn moves, and of a double step where one is possible
# Weight of a pawn that has a try, and of their king, among the possible capturers of our man.
PAWN_FIRST, KING_LAST = 9.0, 0.3
NO_TAKER = 1e-6  # below this weight no man could have captured: the matrices were wrong


@kernel
def walk_king(prob, known, attraction, chance):
    """Move their king with this probability to a neighbouring square that we do not attack: a random walk."""
    barred = known.own | attacked_squares(known)
    before = prob[KINGS].astype(np.float64)
    for square in range(64):
        moving = chance * before[square]
        if moving > MIN:
            weight, left = 0.0, bitboards.KING_ATTACKS[square] & ~barred
            while left:
                weight += attraction[KINGS, trailing_zeros(left)]
                left &= left - 1
            if weight > 0.0:
                prob[KINGS, square] -= moving
                left = bitboards.KING_ATTACKS[square] & ~barred
                while left:
                    there = trailing_zeros(left)
                    prob[KINGS, there] += moving * attraction[KINGS, there] / weight
                    left &= left - 1


@in_place
def advance_pawns(prob, known, attraction, chance):
    """Advance each of their pawns with this probability: one-way chains that end as pieces on our first rank."""
    theirs = 1 - known.colour
    step = FORWARD[theirs]
    for place in range(8, 56):
        square = place if step < 0 else 63 - place  # those ahead move first
        pawn = prob[PAWNS, square]
        ahead = square + step
        if pawn <= MIN or known.own & bit(ahead):
            continue
        moving = pawn * min(MAX_STEPS, chance * attraction[PAWNS, ahead]) * (1.0 - occupancy(prob, ahead))
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
    """Spread pieces along a run of squares: from each to the others, c2 = 1/(k-1) if all are equally attractive."""
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
    """Spread pieces along a run whose squares are equally attractive."""
    summed = np.float32(0.0)
    for place in range(first, last):
        summed += prob[PIECES, squares[place]]
    share = chance / np.float32(last - first - 1)
    stay = np.float32(1.0) - chance - share
    summed *= share
    for place in range(first, last):
        square = squares[place]
        prob[PIECES, square] = stay * prob[PIECES, square] + summed


@kernel
def spread_knights(prob, own, attraction, even, chance):
    """Move knights among the pieces with this probability (ours)."""
    before = prob[PIECES].copy()
    for square in range(64):
        moving = chance * before[square]
        ends = bitboards.KNIGHT_ATTACKS[square] & ~own
        if moving > MIN and ends:
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
    """Sweep the board along ranks, files and diagonals, then by knights (figure 7; the knights are ours)."""
    stops, even = known.own, True
    for square in range(64):
        even &= attraction[PIECES, square] == 1.0
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
    """Predict a move without a capture: by the king and each pawn with weight 1, by each piece with `piece_activity`.

    In check the king moves with probability KING_FLIGHT at least.
    """
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
    while squares:
        square = trailing_zeros(squares)
        weights[row, square] = weight * prob[row, square]
        squares &= squares - 1


@in_place
def weigh_takers(prob, known, square, their_tries, parameters, weights):
    """Weigh the possible capturers on a square, by row and square of the man; return the sum."""
    own, summed = known.own, 0.0
    weights[:] = 0.0
    if their_tries:
        weigh_men(prob, PAWNS, bitboards.PAWN_ATTACKS[known.colour, square] & ~own, PAWN_FIRST, weights)
    weigh_men(prob, PIECES, bitboards.KNIGHT_ATTACKS[square] & ~own, parameters.knight_share, weights)
    if not attacked_squares(known) & bit(square):
        weigh_men(prob, KINGS, bitboards.KING_ATTACKS[square] & ~own, KING_LAST, weights)
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
    """Predict a capture on `square`, where our man is already gone from `known`, by one of their possible capturers."""
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


# Update of the probability matrices by announced pawn tries.
#
# The referee counts the legal captures of the pawns of the side to move. Every pair of a pawn and a man that it could
# capture is an event with a probability. All these probabilities are raised or lowered together until the expected
# number of captures is the announced one.

# Logarithm of the greatest odds factor in the search, and the number of bisections (set by hand).
WIDEST_TILT, BISECTIONS = 12.0, 40
# Remainder of a probability for which no try was announced: the capturing pawn may be pinned (set by hand).
THEIR_PINNED, OUR_PINNED = 0.03, 0.05


@in_place
def tilt(chances, times, count, wanted):
    """Scale the odds of independent events by one factor so that their expected number is `wanted`."""
    low, high = -WIDEST_TILT, WIDEST_TILT
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        factor, expected = math.exp(middle), 0.0
        for i in range(count):
            expected += times[i] * chances[i] * factor / (1.0 - chances[i] + chances[i] * factor)
        if expected < wanted:
            low = middle
        else:
            high = middle
    factor = math.exp(0.5 * (low + high))
    for i in range(count):
        chances[i] = chances[i] * factor / (1.0 - chances[i] + chances[i] * factor)


@in_place
def tilt_to(chances, times, count, tries):
    """Tilt probabilities to the announced number of events; to one if only their existence was announced."""
    if tries != SOME:
        tilt(chances, times, count, float(tries))
        return
    expected = 0.0
    for i in range(count):
        expected += times[i] * chances[i]
    if expected < 1.0:
        tilt(chances, times, count, 1.0)


@in_place
def list_captures(known, chance, partners, squares, chances, times):
    """List the squares on which a man of theirs takes part in captures, its probability, and the number of captures.

    `chance` has the probability of such a man on every square; a capture needs one of our men, the `partners`, on an
    adjacent diagonal square. Return the number of squares.
    """
    count = 0
    for square in range(64):
        aslant = bitboards.PAWN_ATTACKS[1 - known.colour, square] & partners
        if aslant and chance[square] > 0.0:
            squares[count], chances[count], times[count] = square, min(SURE, chance[square]), ones(aslant)
            count += 1
    return count


@kernel
def hear_their_tries(prob, known, tries):
    """Update by the number of their pawn captures: pawns stand next to our men, or they do not."""
    if tries == UNKNOWN:
        return
    squares, chances, times = np.empty(64, np.int64), np.empty(64, np.float64), np.empty(64, np.float64)
    count = list_captures(known, prob[PAWNS], known.own & ~known.men[KING], squares, chances, times)
    if count == 0:
        return
    if tries:
        tilt_to(chances, times, count, tries)
    before = total(prob, PAWNS)
    came, others = 0.0, before
    for i in range(count):
        others -= prob[PAWNS, squares[i]]
        prob[PAWNS, squares[i]] = chances[i] if tries else THEIR_PINNED * chances[i]
        came += prob[PAWNS, squares[i]]
    if others > 1e-6:  # pawns elsewhere compensate, so that their number is unchanged
        factor = max(max(0.0, before - came) / others, 1e-9)
        for i in range(count):
            prob[PAWNS, squares[i]] /= factor
        for square in range(64):
            prob[PAWNS, square] *= factor


@kernel
def hear_our_tries(prob, known, tries):
    """Update by the number of our pawn captures: their men stand where our pawns capture, or they do not."""
    if tries == UNKNOWN:
        return
    squares, chances, times = np.empty(64, np.int64), np.empty(64, np.float64), np.empty(64, np.float64)
    men = np.empty(64, np.float32)
    for square in range(64):
        men[square] = np.float32(0.0) if known.own & bit(square) else prob[PAWNS, square] + prob[PIECES, square]
    count = list_captures(known, men, known.men[PAWN], squares, chances, times)
    if tries:
        tilt_to(chances, times, count, tries)
    for i in range(count):
        square = squares[i]
        factor = chances[i] / men[square] if tries else OUR_PINNED
        prob[PAWNS, square] *= factor
        prob[PIECES, square] *= factor
        if tries:
            prob[KINGS, square] *= 1.0 - chances[i]
