"""Features shared by all attempts at a node in approach C: the value of the board, the hazards of our men.

The paper's value is the number of our men minus theirs. Ours beyond it: men have values, and pawns gain by advancing.
Attacked squares, protected men, the danger of our king and, when they have few men left, the confinement of their king
and the probability of mate count a little, all of them from the same matrices.
"""

import math

import numpy as np

from ...core.compile.kernel import in_place, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import (
    ALL,
    BETWEEN,
    BISHOP,
    KING,
    KNIGHT,
    NONE,
    PAWN,
    QUEEN,
    ROOK,
    THROUGH,
    attacks_of,
    bit,
    kind_on,
    reach,
)
from ..beliefs.probability_matrices import (
    KINGS,
    MAX_PINNED,
    MIN,
    PAWNS,
    PIECES,
    PROTECTED,
    SURVEY,
    UNPROTECTED,
    survey_board,
)

MAX_SLIDERS = 16  # no side has more men
_FIELDS = [
    ("survey", SURVEY),  # (first: Numba requires its offset to be aligned)
    ("worth", np.float32, 64),  # value of our man on a square
    ("loss", np.float32, (2, 64)),  # expected loss there at their next move: unprotected, protected
    ("material", np.float32),  # value of our men minus theirs
    ("all_loss", np.float32),  # our expected loss at their next move, and the probability of any loss
    ("all_chance", np.float32),
    ("others_loss", np.float32),  # the same without the lifted man
    ("others_chance", np.float32),
    ("king_danger", np.float32),  # severity of a check
    ("pinned", np.float32),  # probability that the lifted man is pinned
    ("line", np.int64),  # line on which it may move if pinned
    ("attacks", np.int64, 64),  # squares attacked by our man on a square
    ("net", np.int64),  # squares attacked by all men
    ("possible", np.int64),  # possible squares of their king
    ("steady", np.int64),  # squares attacked by our non-sliding men, without the lifted one
    ("sliders", np.int64),  # number of other sliders
    ("slider", np.int64, MAX_SLIDERS),  # their squares
    ("slides", np.int64, MAX_SLIDERS),  # squares attacked by each when the lifted man is gone
]
# Common features of all attempts at a node, and of all attempts of a lifted man.
FEATURES = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
UNSAFE = 2.0  # how much each man that controls a square next to our king makes it less of an escape
# Preference of captures by pawns over pieces, and the minimum share of its value that a lost man costs.
EAGER_PAWN, MIN_LOSS = 2.0, 0.1
MEN_AT_HOME = 15.0  # initial men of a side besides its king
MOBILE = 3.0  # how much each of their men makes stalemate less likely
FEW = 4  # with this few men besides their king its confinement starts to count


@in_place
def value_of(kind, square, known, parameters):
    """Return the value of a man of ours; pawns gain with rank, more so the fewer men they have."""
    if kind == PAWN:
        steps = square // 8 - 1 if known.colour == 0 else 6 - square // 8
        gone = (MEN_AT_HOME - known.their_pawns - known.their_pieces) / MEN_AT_HOME
        return parameters.value_pawn + parameters.advance * (parameters.advance_early + gone) * steps * steps
    if kind == KNIGHT:
        return parameters.value_knight
    if kind == BISHOP:
        return parameters.value_bishop
    if kind == ROOK:
        return parameters.value_rook
    if kind == QUEEN:
        return parameters.value_queen
    return 0.0


@in_place
def material(known, parameters):
    found = -parameters.value_their_pawn * known.their_pawns - parameters.value_their_piece * known.their_pieces
    for kind in range(KING):
        left = known.men[kind]
        while left:
            found += value_of(kind, trailing_zeros(left), known, parameters)
            left &= left - 1
    return found


@in_place
def danger_of_king(king, own, survey, parameters):
    """Score the danger of a check on a square for our king: highest if no square around it is safe."""
    safe = 0.0
    left = bitboards.KING_ATTACKS[king] & ~own
    while left:
        square = trailing_zeros(left)
        held = survey.control[KINGS, square] + survey.control[PAWNS, square] + survey.control[PIECES, square]
        safe += 1.0 / (1.0 + UNSAFE * held)
        left &= left - 1
    x = survey.control[PIECES, king] + survey.control[PAWNS, king]
    return parameters.king_danger * x / (1.0 + x) * math.exp(-parameters.king_escape * safe)


@in_place
def net_loss(worth, is_protected, survey, square, parameters):
    """Return the cost of losing a man if we can recapture on a protected square."""
    if not is_protected:
        return worth
    pawns, pieces = survey.control[PAWNS, square], survey.control[PIECES, square]
    takers = EAGER_PAWN * parameters.value_their_pawn * pawns + parameters.value_their_piece * pieces
    taker = takers / (EAGER_PAWN * pawns + pieces + 1e-6)
    return max(MIN_LOSS * worth, worth - parameters.recapture * taker)


@in_place
def measure_board(prob, known, parameters, features):
    """Survey the board, and compute the common features of all attempts at a node."""
    survey = features.survey
    survey_board(prob, known, parameters, survey)
    net, possible = NONE, NONE
    for kind in range(KING + 1):
        left = known.men[kind]
        while left:
            square = trailing_zeros(left)
            features.attacks[square] = attacks_of(kind, square, known.colour, known.own)
            net |= features.attacks[square]
            left &= left - 1
    for square in range(64):
        if prob[KINGS, square] > MIN:
            possible |= bit(square)
    features.net, features.possible = net, possible
    summed = -parameters.value_their_pawn * known.their_pawns - parameters.value_their_piece * known.their_pieces
    loss, chance = 0.0, 0.0
    for kind in range(KING):
        left = known.men[kind]
        while left:
            square = trailing_zeros(left)
            worth = value_of(kind, square, known, parameters)
            summed += worth
            features.worth[square] = worth
            features.loss[UNPROTECTED, square] = survey.hazard[UNPROTECTED, square] * worth
            net_worth = net_loss(worth, True, survey, square, parameters)
            features.loss[PROTECTED, square] = survey.hazard[PROTECTED, square] * net_worth
            is_protected = PROTECTED if net & bit(square) else UNPROTECTED
            loss += features.loss[is_protected, square]
            chance += survey.hazard[is_protected, square]
            left &= left - 1
    king = trailing_zeros(known.men[KING])
    features.worth[king] = 0.0
    features.loss[UNPROTECTED, king] = 0.0
    features.loss[PROTECTED, king] = 0.0
    features.material, features.all_loss, features.all_chance = summed, loss, chance
    features.king_danger = danger_of_king(king, known.own, survey, parameters)


@in_place
def middle_distance(square):
    """Return the steps to the nearest edges, ranks and files together: 0 in the corner, 6 in the centre."""
    rank, file = square // 8, square % 8
    return min(rank, 7 - rank) + min(file, 7 - file)


@in_place
def confinement(few, king, prob, net, possible, parameters):
    """Score the confinement of their king if they have few men: fewer escapes, nearer to the edge and our king."""
    if few > FEW:
        return 0.0
    found, summed, left = 0.0, 1e-9, possible & ~net
    while left:
        square = trailing_zeros(left)
        chance = prob[KINGS, square]
        summed += chance
        distance = max(abs(square // 8 - king // 8), abs(square % 8 - king % 8))
        found -= chance * (
            parameters.confinement * ones(bitboards.KING_ATTACKS[square] & ~net)
            + parameters.centre * middle_distance(square)
            + parameters.approach * distance
        )
        left &= left - 1
    return found / summed / (1.0 + few)


@in_place
def ending_bonus(few, prob, hits, net, possible, advantage, parameters):
    """Return the value of mate by its probability, minus the cost of stalemate, from king squares without escape."""
    if few > 2 * FEW:
        return 0.0
    mate, stalemate, left = 0.0, 0.0, possible & (hits | ~net)
    while left:
        square = trailing_zeros(left)
        if bitboards.KING_ATTACKS[square] & ~net == 0:
            if hits & bit(square):
                mate += prob[KINGS, square]
            else:
                stalemate += prob[KINGS, square]
        left &= left - 1
    bonus = parameters.mate * mate / (1.0 + few)
    if few <= FEW // 2 and stalemate > 0.0:  # their other men may have no move either
        bonus -= stalemate * (max(0.0, advantage) + parameters.mate) / (1.0 + MOBILE * few)
    return bonus


@in_place
def board_value(known, prob, features, parameters):
    net, few = features.net, known.their_pawns + known.their_pieces
    return (
        features.material
        + parameters.mobility * ones(net & ~known.own)
        + parameters.protection * ones(net & known.own)
        + confinement(few, trailing_zeros(known.men[KING]), prob, net, features.possible, parameters)
        - features.king_danger
    )


@in_place
def lift(known, start, parameters, features):
    """Lift the man on a square: compute what the others attack and may lose without it, for all of its attempts."""
    sliders = known.men[BISHOP] | known.men[ROOK] | known.men[QUEEN]
    own, king = known.own & ~bit(start), known.men[KING]
    steady, count, left = NONE, 0, own
    while left:
        square = trailing_zeros(left)
        reached = features.attacks[square]
        if not sliders & bit(square):
            steady |= reached
        else:
            if reached & bit(start):
                reached = reach(kind_on(known.men, square), square, own)
            if count < MAX_SLIDERS:
                features.slider[count] = square
                features.slides[count] = reached
                count += 1
        left &= left - 1
    features.steady, features.sliders = steady, count
    line = THROUGH[trailing_zeros(king), start]
    if line == 0 or BETWEEN[trailing_zeros(king), start] & own:
        line = ALL
    features.line = line
    features.pinned = 0.0 if line == ALL else min(MAX_PINNED, parameters.pin * features.survey.control[PIECES, start])
    loss, chance = features.all_loss, features.all_chance
    if not king & bit(start):
        before = PROTECTED if features.net & bit(start) else UNPROTECTED
        loss -= features.loss[before, start]
        chance -= features.survey.hazard[before, start]
    features.others_loss, features.others_chance = loss, chance
