"""Occupation, control and hazards of every square by the probability matrices (section 5.2).

A record of the layout SURVEY holds the answers. The boards of 12 by 12 in it have a margin of two squares that is never
written, so that no step from the board needs a test for the edge: square s is at row 2 + s // 8, column 2 + s % 8.
Control along a line is carried from square to square: it arrives, weaker, behind a square that may be empty, and what
may stand there is added. A kernel must not make a record itself (Numba would free the memory that it points to); it is
handed one that Python code has made by `new_record`.
"""

import numpy as np

from ...core.compile.kernel import in_place, trailing_zeros
from ...games.chess.bitboards import BETWEEN, KING, PAWN, THROUGH, bit
from .probability_matrices import KINGS, PAWNS, PIECES, SURE

MARGIN, PADDED = 2, 12
_FIELDS = [
    ("occupied", np.float32, 64),  # the chance that a man of theirs stands on a square
    ("control", np.float32, (3, 64)),  # how many of their kings, pawns and pieces attack it, on average: Prob_control
    ("hazard", np.float32, (2, 64)),  # the chance that they take a man of ours there: unprotected, protected
    ("men", np.float32, (3, PADDED, PADDED)),  # the matrices with a margin
    ("source", np.float32, (PADDED, PADDED)),  # what a square adds to the control of the next one on a line
    ("passing", np.float32, (PADDED, PADDED)),  # the share of the control that it lets through
    ("flow", np.float32, (PADDED, PADDED)),  # the control that has arrived at it from one direction
]
SURVEY = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
UNPROTECTED, PROTECTED = 0, 1  # the rows of the hazard
# From which neighbour, as ranks and files, control comes along files and diagonals.
SWEEPS = ((1, -1), (1, 0), (1, 1), (-1, -1), (-1, 0), (-1, 1))
MOST_PINNED = 0.9  # the greatest chance that is given to a pin


@in_place
def copy_with_margin(prob, own, parameters, survey):
    """Copy the matrices to the boards with a margin, and begin the lines: own men neither add nor let through."""
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
    """Set the control by kings, by pawns, and by knights among the pieces."""
    men, ahead = survey.men, 1 if colour == 0 else -1  # their pawns take towards us
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
    """The chance that these squares are empty."""
    chance = 1.0
    while squares:
        chance *= 1.0 - occupied[trailing_zeros(squares)]
        squares &= squares - 1
    return chance


@in_place
def pin_chance(known, survey, start, end, parameters):
    """The chance that a man may not leave its square because it protects the king."""
    king = trailing_zeros(known.men[KING])
    line = THROUGH[king, start]
    if line == 0 or BETWEEN[king, start] & known.own or line & bit(end):
        return 0.0
    return min(MOST_PINNED, parameters.pin * survey.control[PIECES, start])


@in_place
def king_legality(survey, start, end, parameters):
    """Prob_legal of a king's move: they do not control its way; castling also needs the squares between to be empty."""
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
    """Prob_legal of a man other than the king that is not pinned: the way is clear, and a pawn has a man to take."""
    if kind != PAWN:
        return clear_chance(occupied, BETWEEN[start, end])
    if (end - start) % 8:
        return min(1.0, prob[PAWNS, end] + prob[PIECES, end])
    return clear_chance(occupied, BETWEEN[start, end] | bit(end))


@in_place
def legality(prob, known, survey, kind, start, end, parameters):
    """Prob_legal: the way is clear and the king is not left in check (section 5.2)."""
    if kind == KING:
        return king_legality(survey, start, end, parameters)
    chance = unpinned_legality(prob, survey.occupied, kind, start, end)
    return chance * (1.0 - pin_chance(known, survey, start, end, parameters))
