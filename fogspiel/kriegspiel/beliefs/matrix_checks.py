"""Update of the probability matrices by announced checks: the checking men, and the square of their king."""

import numpy as np

from ...core.kernel import in_place, kernel, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import ABOVE, BELOW, BETWEEN, FILE, NONE, RANK, bit
from ...games.chess.men import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, reach
from ...games.chess.messages import BY_KNIGHT, line_of_check
from .board_survey import clear_chance
from .lines import NEXT
from .probability_matrices import KINGS, PAWNS, PIECES, SURE, occupancy, scale_row

LINES, DIRECTIONS = 4, 5  # the directions of check: four lines, and the knight's
MOST_SEEN = 14
FAINT = 1e-3  # what a piece is taken to weigh at least on a square from which a check may come (set by hand)


@in_place
def list_seen(prob, known, king, line, squares, sight):
    """List the squares on a line from our king up to our men, with the chance that it sees them. How many."""
    count = 0
    for way in (line, line + LINES):
        clear, square = 1.0, NEXT[way, king]
        while square >= 0 and not known.own & bit(square):
            squares[count], sight[count] = square, clear
            count += 1
            clear *= 1.0 - occupancy(prob, square)
            square = NEXT[way, square]
    return count


@kernel
def hear_check_on_line(prob, known, king, line, is_check, parameters):
    """Our king is in check on this line, so that one man in sight gives it; or it is not, and fewer stand there."""
    squares, sight = np.empty(MOST_SEEN, np.int64), np.empty(MOST_SEEN, np.float64)
    count, beside, summed = list_seen(prob, known, king, line, squares, sight), bits.PAWN[known.colour, king], 0.0
    for i in range(count):
        square = squares[i]
        pawn = prob[PAWNS, square] if beside & bit(square) else 0.0
        summed += sight[i] * (prob[PIECES, square] + FAINT + pawn)
    for i in range(count):
        square, is_beside = squares[i], beside & bit(squares[i]) != 0
        if is_check:
            prob[PIECES, square] = sight[i] * (prob[PIECES, square] + FAINT) / summed
            prob[PAWNS, square] = sight[i] * prob[PAWNS, square] / summed if is_beside else 0.0
            prob[KINGS, square] = 0.0
        else:
            prob[PIECES, square] *= 1.0 - sight[i] * parameters.line_share
            if is_beside:
                prob[PAWNS, square] = 0.0


@in_place
def hear_knight_check(prob, known, king, is_check, parameters):
    """Our king is in check from a knight, so that one stands around it; or it is not, and fewer do."""
    summed, around = 0.0, bits.KNIGHT[king] & ~known.own
    left = around
    while left:
        summed += prob[PIECES, trailing_zeros(left)] + FAINT
        left &= left - 1
    left = around
    while left:
        square = trailing_zeros(left)
        if is_check:
            prob[PIECES, square] = (prob[PIECES, square] + FAINT) / summed
        else:
            prob[PIECES, square] *= 1.0 - parameters.knight_share
        left &= left - 1


@in_place
def hear_check_to_us(prob, known, checks, parameters):
    """Our king is in check from these directions and from no other."""
    king = trailing_zeros(known.men[KING])
    for square in range(64):
        if bits.KING[king] & bit(square):
            prob[KINGS, square] = 0.0
    for number in range(LINES):
        line = line_of_check(1 << number, king)
        hear_check_on_line(prob, known, king, line, checks & (1 << number) != 0, parameters)
    hear_knight_check(prob, known, king, checks & BY_KNIGHT != 0, parameters)


@in_place
def checkers_of(known, square, direction):
    """Our men that would give check in this direction to a king on `square`, if no man of theirs is in the way."""
    if direction == BY_KNIGHT:
        return bits.KNIGHT[square] & known.men[KNIGHT]
    line = line_of_check(direction, square)
    seen = (ABOVE[line, square] | BELOW[line, square]) & reach(QUEEN, square, known.own)
    if line in (RANK, FILE):
        return seen & (known.men[QUEEN] | known.men[ROOK])
    pawns = bits.PAWN[1 - known.colour, square] & known.men[PAWN]
    return seen & (known.men[QUEEN] | known.men[BISHOP] | pawns)


@kernel
def hear_check_to_them(prob, known, checks):
    """Their king is in check from these directions and from no other: it stands where that is so."""
    occupied = np.empty(64, np.float32)
    for square in range(64):
        occupied[square] = min(SURE, prob[PAWNS, square] + prob[PIECES, square])
    possible = NONE
    for square in range(64):
        fits = not known.own & bit(square)
        for number in range(DIRECTIONS):
            is_check, left, seen = checks & (1 << number) != 0, checkers_of(known, square, 1 << number), 0.0
            if is_check and not left:
                fits = False
            while left:
                seen = max(seen, clear_chance(occupied, BETWEEN[trailing_zeros(left), square]))
                left &= left - 1
            prob[KINGS, square] *= seen if is_check else 1.0 - seen
        if fits:
            possible |= bit(square)
    scale_row(prob, KINGS, 1.0, possible)
