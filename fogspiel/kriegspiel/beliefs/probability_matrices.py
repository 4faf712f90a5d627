"""Probability matrices of approaches B and C (section 5.2): possible squares of the opponent's men.

`prob` has three rows of 64: the probability of their king, a pawn, and another piece on each square (P_k, P_w and P_c
of the paper). A row sums to the number of such men. `known` is a record of certain facts.
"""

import numpy as np

from ...core.compile.kernel import in_place, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import BETWEEN, KINDS, KING, LAST_RANKS, NEXT, NONE, PAWN, ROOK, attacks_of, bit, union
from ...games.chess.position import KING_SIDE, QUEEN_SIDE, ROOK_HOME, end_of, promotion_of, start_of
from ..game.attempts import BY_KNIGHT, MAN_TAKEN, NOTHING_TAKEN, PAWN_TAKEN, PIECE_TAKEN, line_of_check, move_own

KINGS, PAWNS, PIECES = 0, 1, 2  # the rows of the matrices
_FIELDS = [
    ("men", np.int64, KINDS),  # our men by kind, as sets of squares
    ("own", np.int64),  # all of them
    ("colour", np.int64),  # ours
    ("rights", np.int64),  # our castling rights
    ("tries", np.int64),  # our pawn tries as announced (inside a search: 1, because they are not simulated)
    ("their_pawns", np.int64),  # their pawns and pieces, by the announced captures
    ("their_pieces", np.int64),
    ("checks", np.int64),  # the directions of check to our king
]
KNOWN = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
SURE = 0.98  # upper limit of the probability that a square is occupied
MIN = 1e-4  # smaller probabilities are dropped
LOST_ROW = 1e-3  # a row with less than this share left has contradicted the messages, and is spread again


def new_record(layout: np.dtype) -> np.record:
    record: np.record = np.zeros(1, layout)[0]
    return record


@in_place
def place_at_home(prob, known, colour):
    for square in range(64):
        rank = square // 8 if colour == 1 else 7 - square // 8
        prob[KINGS, square] = 1.0 if rank == 0 and square % 8 == 4 else 0.0
        prob[PAWNS, square] = 1.0 if rank == 1 else 0.0
        prob[PIECES, square] = 1.0 if rank == 0 and square % 8 != 4 else 0.0
    known.colour = colour
    known.their_pawns, known.their_pieces = 8, 7
    known.checks = 0


@in_place
def place_anywhere(prob, known, pawns, pieces):
    """Place their men for a game that starts in the middle: on all possible squares."""
    known.their_pawns, known.their_pieces = pawns, pieces
    free = ~known.own
    inside = free & ~LAST_RANKS[0] & ~LAST_RANKS[1]
    for square in range(64):
        prob[KINGS, square] = 1.0 / ones(free) if free & bit(square) else 0.0
        prob[PAWNS, square] = pawns / ones(inside) if inside & bit(square) else 0.0
        prob[PIECES, square] = pieces / ones(free) if free & bit(square) else 0.0
    exclude_king(prob, known)


@in_place
def occupancy(prob, square):
    return min(SURE, prob[KINGS, square] + prob[PAWNS, square] + prob[PIECES, square])


@in_place
def total(prob, row):
    found = 0.0
    for square in range(64):
        found += prob[row, square]
    return found


@in_place
def scale_row(prob, row, wanted, possible):
    """Scale the sum of a row to `wanted`; if it is empty, spread it over the possible squares."""
    present = total(prob, row)
    if present > LOST_ROW * wanted:
        factor = wanted / present
        for square in range(64):
            prob[row, square] *= factor
        return
    share = wanted / max(1, ones(possible))
    for square in range(64):
        prob[row, square] = share if possible & bit(square) else 0.0


@in_place
def clear_squares(prob, squares, possible):
    """Move their men off these squares, spread over the rest: "their total sum does not change"."""
    for row in range(3):
        before, gone = total(prob, row), 0.0
        left = squares
        while left:
            square = trailing_zeros(left)
            gone += prob[row, square]
            prob[row, square] = 0.0
            left &= left - 1
        if gone > 0.0:
            scale_row(prob, row, before, possible)


@in_place
def attacked_squares(known):
    """Return the squares that our men attack, through their unseen men; squares of protected men are included."""
    found = NONE
    for kind in range(KINDS):
        left = known.men[kind]
        while left:
            found |= attacks_of(kind, trailing_zeros(left), known.colour, known.own)
            left &= left - 1
    return found


@in_place
def end_rights(known):
    """End the castling right of a rook that has left its home square."""
    for side in (KING_SIDE, QUEEN_SIDE):
        if not known.men[ROOK] & bit(ROOK_HOME[known.colour, side]):
            known.rights &= ~(1 << (2 * known.colour + side))


@in_place
def lose_man(known, square):
    """Remove a captured man of ours; return its kind."""
    kind = bitboards.kind_on(known.men, square)
    known.men[kind] &= ~bit(square)
    known.own &= ~bit(square)
    end_rights(known)
    return kind


@in_place
def note_own_move(prob, known, move, taken, victim):
    """Make our move with its announced capture, if any; return the kind that stands on the new square."""
    end = end_of(move)
    kind = move_own(known.men, known.colour, move)
    known.own = union(known.men)
    if kind == KING:
        known.rights = 0
    end_rights(known)
    possible = ~known.own
    if taken == MAN_TAKEN:
        likelier = known.their_pawns > 0 and prob[PAWNS, victim] > prob[PIECES, victim]
        taken = PAWN_TAKEN if known.their_pieces == 0 or likelier else PIECE_TAKEN
    if taken != NOTHING_TAKEN:
        row = PAWNS if taken == PAWN_TAKEN else PIECES
        before, there = total(prob, row), prob[row, victim]
        if taken == PIECE_TAKEN and before < 0.5:  # all seven pieces are gone: a pawn has promoted
            scale_row(prob, PAWNS, max(0.0, total(prob, PAWNS) - 1.0), possible)
        if taken == PAWN_TAKEN or known.their_pieces == 0:
            known.their_pawns -= 1
        else:
            known.their_pieces -= 1
        prob[row, victim] = 0.0
        if before - there > 0.0:
            factor = max(0.0, before - 1.0) / (before - there)
            for square in range(64):
                prob[row, square] *= factor
    clear_squares(prob, BETWEEN[start_of(move), end] | bit(end), possible)
    return promotion_of(move) if promotion_of(move) else kind


@in_place
def exclude_king(prob, known):
    """Exclude their king from squares that we attack, as far as the path is clear; it is our move."""
    own = known.own
    for kind in range(KINDS):
        men = known.men[kind]
        while men:
            start = trailing_zeros(men)
            left = attacks_of(kind, start, known.colour, own) & ~own
            while left:
                square = trailing_zeros(left)
                if prob[KINGS, square] > 0.0:
                    clear, between = 1.0, BETWEEN[start, square]
                    while between:
                        inside = trailing_zeros(between)
                        clear *= 1.0 - min(SURE, prob[PAWNS, inside] + prob[PIECES, inside])
                        between &= between - 1
                    prob[KINGS, square] *= 1.0 - clear
                left &= left - 1
            men &= men - 1
    scale_row(prob, KINGS, 1.0, ~(own | attacked_squares(known)))


# Occupation, control and hazards of every square by the probability matrices (section 5.2).
#
# A record of the layout SURVEY holds the results. Its boards of 12 by 12 have a margin of two squares that is never
# written, so that no step from the board needs a test for the edge: square s is at row 2 + s // 8, column 2 + s % 8.
# Control along a line is carried from square to square: behind a square that may be empty it arrives, weaker, and the
# square's own possible men are added. A kernel must not create a record itself (Numba would free the memory that it
# points to); it receives one that Python code has made by `new_record`.

MARGIN, PADDED = 2, 12
_SURVEY_FIELDS = [
    ("occupied", np.float32, 64),  # probability that a man of theirs stands on a square
    ("control", np.float32, (3, 64)),  # mean number of their kings, pawns and pieces that attack it: Prob_control
    ("hazard", np.float32, (2, 64)),  # probability that they capture a man of ours there: unprotected, protected
    ("men", np.float32, (3, PADDED, PADDED)),  # the matrices with a margin
    ("source", np.float32, (PADDED, PADDED)),  # contribution of a square to the control of the next one on a line
    ("passing", np.float32, (PADDED, PADDED)),  # share of the control that passes through it
    ("flow", np.float32, (PADDED, PADDED)),  # control that has arrived at it from one direction
]
SURVEY = np.dtype((np.record, np.dtype(_SURVEY_FIELDS, align=True)))
UNPROTECTED, PROTECTED = 0, 1  # the rows of the hazard
# Neighbour, as ranks and files, from which control comes along files and diagonals.
SWEEPS = ((1, -1), (1, 0), (1, 1), (-1, -1), (-1, 0), (-1, 1))
MAX_PINNED = 0.9  # greatest probability of a pin


@in_place
def copy_with_margin(prob, own, parameters, survey):
    """Copy the matrices to the padded boards, and start the lines: own men neither add control nor let it through."""
    share, damping = np.float32(parameters.line_share), np.float32(parameters.damping)
    for square in range(64):
        row, column = MARGIN + square // 8, MARGIN + square % 8
        king, pawn, piece = prob[KINGS, square], prob[PAWNS, square], prob[PIECES, square]
        occupied = min(np.float32(SURE), king + pawn + piece)
        free = np.float32(~(own >> square) & 1)
        survey.occupied[square] = occupied
        survey.men[KINGS, row, column] = king
        survey.men[PAWNS, row, column] = pawn
        survey.men[PIECES, row, column] = piece
        survey.source[row, column] = free * share * piece
        survey.passing[row, column] = free * damping * (np.float32(1.0) - occupied)


@in_place
def survey_steps(colour, knight_share, survey):
    men, ahead = survey.men, 1 if colour == 0 else -1  # their pawns capture towards us
    for square in range(64):
        row, column = MARGIN + square // 8, MARGIN + square % 8
        beside = men[KINGS, row, column - 1] + men[KINGS, row, column + 1]
        above = men[KINGS, row + 1, column - 1] + men[KINGS, row + 1, column] + men[KINGS, row + 1, column + 1]
        below = men[KINGS, row - 1, column - 1] + men[KINGS, row - 1, column] + men[KINGS, row - 1, column + 1]
        survey.control[KINGS, square] = beside + above + below
        survey.control[PAWNS, square] = men[PAWNS, row + ahead, column - 1] + men[PAWNS, row + ahead, column + 1]
        near = men[PIECES, row + 1, column - 2] + men[PIECES, row + 1, column + 2]
        near = near + men[PIECES, row - 1, column - 2] + men[PIECES, row - 1, column + 2]
        far = men[PIECES, row + 2, column - 1] + men[PIECES, row + 2, column + 1]
        far += men[PIECES, row - 2, column - 1] + men[PIECES, row - 2, column + 1]
        survey.control[PIECES, square] = knight_share * (near + far)


@in_place
def survey_lines(survey):
    """Add the control by pieces along files and diagonals, a rank at a time, then along ranks."""
    source, passing, flow = survey.source, survey.passing, survey.flow
    for up, right in SWEEPS:
        first = 7 if up > 0 else 0
        for file in range(8):
            flow[MARGIN + first, MARGIN + file] = 0.0
        for step in range(1, 8):
            rank = 7 - step if up > 0 else step
            row = MARGIN + rank
            for file in range(8):
                column = MARGIN + file
                control = source[row + up, column + right]
                control += passing[row + up, column + right] * flow[row + up, column + right]
                flow[row, column] = control
                survey.control[PIECES, 8 * rank + file] += control
    for rank in range(8):
        row = MARGIN + rank
        rightwards, leftwards = np.float32(0.0), np.float32(0.0)
        for file in range(7):
            column = MARGIN + file
            rightwards = source[row, column] + passing[row, column] * rightwards
            survey.control[PIECES, 8 * rank + file + 1] += rightwards
            column = MARGIN + 7 - file
            leftwards = source[row, column] + passing[row, column] * leftwards
            survey.control[PIECES, 8 * rank + 6 - file] += leftwards


@in_place
def survey_board(prob, known, parameters, survey):
    """Fill in a survey: occupation, control in its three parts (Prob_control of the paper), and hazards."""
    copy_with_margin(prob, known.own, parameters, survey)
    survey_steps(known.colour, np.float32(parameters.knight_share), survey)
    survey_lines(survey)
    pawn, piece = np.float32(parameters.hazard_pawn), np.float32(parameters.hazard_piece)
    king = np.float32(parameters.hazard_king)
    for square in range(64):
        x = pawn * survey.control[PAWNS, square] + piece * survey.control[PIECES, square]
        y = x + king * survey.control[KINGS, square]
        survey.hazard[PROTECTED, square] = x / (np.float32(1.0) + x)
        survey.hazard[UNPROTECTED, square] = y / (np.float32(1.0) + y)


@in_place
def clear_chance(occupied, squares):
    chance = 1.0
    while squares:
        chance *= 1.0 - occupied[trailing_zeros(squares)]
        squares &= squares - 1
    return chance


@in_place
def pin_chance(known, survey, start, end, parameters):
    king = trailing_zeros(known.men[KING])
    line = bitboards.THROUGH[king, start]
    if line == 0 or BETWEEN[king, start] & known.own or line & bit(end):
        return 0.0
    return min(MAX_PINNED, parameters.pin * survey.control[PIECES, start])


@in_place
def king_legality(survey, start, end, parameters):
    """Return Prob_legal of a king's move: an uncontrolled path, and for castling empty squares in between."""
    x = survey.control[KINGS, end] + survey.control[PAWNS, end] + survey.control[PIECES, end]
    x *= parameters.king_control
    chance = 1.0 / (1.0 + x + x * x)
    if abs(end - start) == 2:
        middle = (start + end) // 2
        x = survey.control[PAWNS, middle] + survey.control[PIECES, middle]
        return chance / (1.0 + x) * clear_chance(survey.occupied, BETWEEN[start, end] | bit(end))
    return chance


@in_place
def unpinned_legality(prob, occupied, kind, start, end):
    """Return Prob_legal of an unpinned man other than the king: a clear path, and a victim for a pawn's capture."""
    if kind != PAWN:
        return clear_chance(occupied, BETWEEN[start, end])
    if (end - start) % 8:
        return min(1.0, prob[PAWNS, end] + prob[PIECES, end])
    return clear_chance(occupied, BETWEEN[start, end] | bit(end))


@in_place
def legality(prob, known, survey, kind, start, end, parameters):
    """Return Prob_legal: the path is clear and the king is not left in check (section 5.2)."""
    if kind == KING:
        return king_legality(survey, start, end, parameters)
    chance = unpinned_legality(prob, survey.occupied, kind, start, end)
    return chance * (1.0 - pin_chance(known, survey, start, end, parameters))


@in_place
def parry_chance(prob, known, end):
    """Return the probability that a man who goes to `end` answers the check to our king."""
    checks, king = known.checks, trailing_zeros(known.men[KING])
    if checks & (checks - 1):
        return 0.0
    if checks == BY_KNIGHT:
        return min(1.0, prob[PIECES, end]) if bitboards.KNIGHT_ATTACKS[king] & bit(end) else 0.0
    line = line_of_check(checks, king)
    for way in (line, line + 4):
        square, chance, met = NEXT[way, king], 0.0, False
        while square >= 0 and not known.own & bit(square):
            met = met or square == end
            if met:
                chance += prob[PIECES, square] + prob[PAWNS, square]
            square = NEXT[way, square]
        if met:
            return min(1.0, chance)
    return 0.0
