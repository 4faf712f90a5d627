"""Bayesian update of the probability matrices by the referee's messages, square by square.

    our attempt refused      note_refused    the path is blocked or the man pinned; a king's square is controlled
    our move accepted        note_accepted   crossed squares are empty, a captured man is gone; then their messages:
                                             checks       their king stands where exactly these checks reach it
                                             pawn tries   this many of their pawns stand next to our men
    their move               note_answer     matrix_motion moves all of their men a little, or the one that captured;
                                             their king leaves the squares that we attack; then our messages:
                                             checks       a man stands in each direction, fewer in the others
                                             pawn tries   this many of their men stand where our pawns capture
    certain facts            sharpen         (ours) nothing where a metaposition rules it out, a man where it is certain

After each of them the rows are normalised to the number of men that are left. The numbers below are set by hand; those
tuned by self-play are in `parameters`.
"""

import numpy as np

from ...core.compile.kernel import in_place, kernel, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import BETWEEN, BISHOP, KING, KNIGHT, NEXT, NONE, PAWN, QUEEN, ROOK, bit, reach
from ...games.chess.position import end_of, start_of
from ..game.attempts import ACROSS, BY_KNIGHT, CHECKS, SQUARE, TAKEN, TRIES, line_of_check
from . import probability_matrices as matrices
from .matrix_motion import hear_our_tries, hear_their_tries, predict_capture, predict_quiet_move
from .probability_matrices import KINGS, PAWNS, PIECES, SURE, clear_chance, lose_man, occupancy, scale_row, total

# Update of the probability matrices by announced checks: the checking men, and the square of their king.

LINES, DIRECTIONS = 4, 5  # the directions of check: four lines, and the knight's
MAX_SEEN = 14  # squares of a line besides the king's: seven either way
FAINT = 1e-3  # minimum weight of a piece on a square from which a check may come (set by hand)


@kernel
def hear_check_on_line(prob, known, king, line, is_check, parameters):
    """Update by a check on this line, which one visible man gives; or by its absence: fewer men stand there."""
    squares, sight = np.empty(MAX_SEEN, np.int64), np.empty(MAX_SEEN, np.float64)
    beside, summed, count = bitboards.PAWN_ATTACKS[known.colour, king], 0.0, 0
    for way in (line, line + LINES):  # the squares from our king up to our men, with their visibility
        clear, square = 1.0, NEXT[way, king]
        while square >= 0 and not known.own & bit(square):
            squares[count], sight[count] = square, clear
            count += 1
            clear *= 1.0 - occupancy(prob, square)
            square = NEXT[way, square]
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
    """Update by a knight's check, so that one stands around our king; or by its absence: fewer do."""
    summed, around = 0.0, bitboards.KNIGHT_ATTACKS[king] & ~known.own
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
    king = trailing_zeros(known.men[KING])
    for square in range(64):
        if bitboards.KING_ATTACKS[king] & bit(square):
            prob[KINGS, square] = 0.0
    for number in range(LINES):
        line = line_of_check(1 << number, king)
        hear_check_on_line(prob, known, king, line, checks & (1 << number) != 0, parameters)
    hear_knight_check(prob, known, king, checks & BY_KNIGHT != 0, parameters)


@in_place
def checkers_of(known, square, direction):
    """Return our men that would check a king on `square` in this direction, if no man of theirs is in between."""
    if direction == BY_KNIGHT:
        return bitboards.KNIGHT_ATTACKS[square] & known.men[KNIGHT]
    line = line_of_check(direction, square)
    seen = ACROSS[line, square] & reach(QUEEN, square, known.own)
    if line in (bitboards.RANK, bitboards.FILE):
        return seen & (known.men[QUEEN] | known.men[ROOK])
    pawns = bitboards.PAWN_ATTACKS[1 - known.colour, square] & known.men[PAWN]
    return seen & (known.men[QUEEN] | known.men[BISHOP] | pawns)


@kernel
def hear_check_to_them(prob, known, checks):
    """Update by checks to their king from exactly these directions: it stands where that holds."""
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


CERTAIN = 0.9  # a square above this probability keeps it when the sum of its row is corrected
CORRECTIONS = 3  # how often the other squares are scaled: clipping at SURE reduces the sum again
SURPRISE = 0.002  # probability given to a piece on a square that was assumed empty but blocks a path
MIN_BLOCKED = 1e-3  # minimum probability that a path is blocked when an attempt is refused
# Minimum control of a square that refused our king, and greatest factor for a pawn next to it.
MIN_CONTROL, MAX_GUARDED = 0.05, 3.0
PIECE_GUARDS = 0.3  # share of that for a piece in sight of the square: there are more of them, and further away
# Remainder of the probability of a king away from that square, if nothing else was believed to control it.
ELSEWHERE = 1e-3
# Below this probability of any man on a surely occupied square, a piece is assumed, or else a pawn.
MIN_SHARPENED = 1e-3


@in_place
def settle(prob, pawns, pieces):
    for row, wanted in ((PAWNS, pawns), (PIECES, pieces)):
        for _ in range(CORRECTIONS):
            certain, loose = 0.0, 0.0
            for square in range(64):
                if prob[row, square] > CERTAIN:
                    certain += prob[row, square]
                else:
                    loose += prob[row, square]
            if loose < 1e-6:
                break
            factor = max(0.0, wanted - certain) / loose
            for square in range(64):
                if prob[row, square] <= CERTAIN:
                    prob[row, square] = min(SURE, prob[row, square] * factor)


@in_place
def note_accepted(prob, known, move, message):
    matrices.note_own_move(prob, known, move, message[TAKEN], message[SQUARE])
    hear_check_to_them(prob, known, message[CHECKS])
    if not message[CHECKS]:
        hear_their_tries(prob, known, message[TRIES])


@in_place
def note_answer(prob, known, attraction, before, message, parameters):
    """Update by their move and its message; `before` is the message that they had received."""
    if message[TAKEN]:
        lose_man(known, message[SQUARE])
        predict_capture(prob, known, message[SQUARE], before[TRIES], parameters)
    else:
        predict_quiet_move(prob, known, attraction, before[CHECKS] != 0, parameters)
    known.checks, known.tries = message[CHECKS], message[TRIES]
    pawns, pieces = total(prob, PAWNS), total(prob, PIECES)
    matrices.exclude_king(prob, known)
    hear_check_to_us(prob, known, message[CHECKS], parameters)
    if not message[CHECKS]:  # messages about some squares change the others; a known checker is left alone
        hear_our_tries(prob, known, message[TRIES])
        settle(prob, pawns, pieces)
    scale_row(prob, KINGS, 1.0, ~known.own)


@in_place
def note_blocked(prob, way, pin, occupied):
    """Update by a blocked path: one of theirs stands on it, unless our man is pinned, with probability `pin`."""
    blocked = 1.0 - clear_chance(occupied, way)
    pinned = pin / max(1e-9, pin + blocked)
    while way:
        square = trailing_zeros(way)
        factor = (1.0 - pinned) / max(blocked, MIN_BLOCKED) + pinned
        factor = min(factor, 1.0 / max(occupied[square], 1e-6))
        if occupied[square] < SURPRISE:
            prob[PIECES, square] += SURPRISE
        for row in range(3):
            prob[row, square] *= factor
        way &= way - 1


@in_place
def note_guarded(prob, known, square, survey):
    """Update by a square refused to our king: their men that could control it are more probably near."""
    others = survey.control[PAWNS, square] + survey.control[PIECES, square]
    for other in range(64):
        if not bitboards.KING_ATTACKS[square] & bit(other):
            prob[KINGS, other] *= min(1.0, others + ELSEWHERE)
    factor = min(MAX_GUARDED, 1.0 / max(MIN_CONTROL, min(1.0, survey.control[KINGS, square] + others)))
    near = bitboards.PAWN_ATTACKS[known.colour, square] & ~known.own
    while near:
        other = trailing_zeros(near)
        prob[PAWNS, other] = min(SURE, prob[PAWNS, other] * factor)
        near &= near - 1
    near = (bitboards.KNIGHT_ATTACKS[square] | reach(QUEEN, square, known.own)) & ~known.own
    while near:
        other = trailing_zeros(near)
        prob[PIECES, other] = min(SURE, prob[PIECES, other] * (1.0 + PIECE_GUARDS * (factor - 1.0)))
        near &= near - 1


@in_place
def note_refused(prob, known, move, parameters, survey):
    """Update by a refused attempt; in check nothing is concluded. `survey` is overwritten."""
    if known.checks:
        return
    matrices.survey_board(prob, known, parameters, survey)
    start, end = start_of(move), end_of(move)
    kind = bitboards.kind_on(known.men, start)
    pawns, pieces = total(prob, PAWNS), total(prob, PIECES)
    pin = matrices.pin_chance(known, survey, start, end, parameters)
    if kind == KING:
        note_guarded(prob, known, end, survey)
    elif kind == PAWN and (end - start) % 8:  # there is nothing to capture, or the pawn is pinned
        prob[PAWNS, end] *= pin
        prob[PIECES, end] *= pin
    else:
        way = BETWEEN[start, end] | (bit(end) if kind == PAWN else NONE)
        note_blocked(prob, way, pin, survey.occupied)
    settle(prob, pawns, pieces)
    scale_row(prob, KINGS, 1.0, ~known.own)


@in_place
def sharpen(prob, possible, taken, fewest, most):
    """Apply certain knowledge (ours): where each row is possible at all, and which squares are occupied.

    `fewest` and `most` bound the number of their pawns on each file, a byte per file.
    """
    pawns, pieces = total(prob, PAWNS), total(prob, PIECES)
    for row in range(3):
        for square in range(64):
            if not possible[row] & bit(square):
                prob[row, square] = 0.0
    for file in range(8):
        there = 0.0
        for square in range(file, 64, 8):
            there += prob[PAWNS, square]
        bound = min(max(there, float(fewest >> (8 * file) & 0xFF)), float(most >> (8 * file) & 0xFF))
        if there > 1e-6 and bound != there:
            for square in range(file, 64, 8):
                prob[PAWNS, square] = min(SURE, prob[PAWNS, square] * bound / there)
    settle(prob, pawns, pieces)
    while taken:
        square = trailing_zeros(taken)
        there = prob[KINGS, square] + prob[PAWNS, square] + prob[PIECES, square]
        if there < MIN_SHARPENED:
            prob[PIECES if possible[PIECES] & bit(square) else PAWNS, square] = SURE
        else:
            for row in range(3):
                prob[row, square] *= SURE / there
        taken &= taken - 1
    settle(prob, pawns, pieces)
    scale_row(prob, KINGS, 1.0, possible[KINGS])
