"""The value of a move in approach C (section 5.3, figure 9): its possible messages, weighted by their probabilities.

A move ends in one of twelve outcomes, 3 * (referee's answer) + (their reply). The referee answers: nothing, a pawn
captured, a piece captured, check. They reply: nothing of ours captured, the moved man captured, another one captured.

    measure_board            once per node: common features of all attempts
    lift                     once per man: common features of all attempts of the man
    legal_chance             the probability that a move of the lifted man is legal
    look_ahead               its outlook: the probabilities of answers and replies, and the value of the board
    expected_value           the value of a move by its outlook: the value of leaves of the tree
    list_outcomes            the twelve outcomes by the outlook, stored in branches of the tree
    weigh_outcomes           all of this for a single move
"""

import math

import numpy as np

from ...core.compile.kernel import in_place, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import BETWEEN, BISHOP, KING, KNIGHT, PAWN, ROOK, attacks_of, bit, kind_on, reach
from ...games.chess.position import castling_rook, end_of, promotion_of, start_of
from ..beliefs import probability_matrices as matrices
from ..beliefs.matrix_motion import predict_capture, predict_quiet_move
from ..beliefs.probability_matrices import KINGS, MIN, PAWNS, PIECES, PROTECTED, SURVEY, UNPROTECTED, survey_board

# Features shared by all attempts at a node in approach C: the value of the board, the hazards of our men.
#
# The paper's value is the number of our men minus theirs. Ours beyond it: men have values, and pawns gain by advancing.
# Attacked squares, protected men, the danger of our king and, when they have few men left, the confinement of their
# king and the probability of mate count a little, all of them from the same matrices.

MAX_SLIDERS = 16  # no side has more men
_FEATURE_FIELDS = [
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
FEATURES = np.dtype((np.record, np.dtype(_FEATURE_FIELDS, align=True)))
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
    if kind == bitboards.QUEEN:
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
    net, possible = bitboards.NONE, bitboards.NONE
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
    features.worth[king], features.loss[UNPROTECTED, king], features.loss[PROTECTED, king] = 0.0, 0.0, 0.0
    features.material, features.all_loss, features.all_chance = summed, loss, chance
    features.king_danger = danger_of_king(king, known.own, survey, parameters)


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
        rank, file = square // 8, square % 8
        distance = max(abs(rank - king // 8), abs(file - king % 8))
        found -= chance * (
            parameters.confinement * ones(bitboards.KING_ATTACKS[square] & ~net)
            + parameters.centre * (min(rank, 7 - rank) + min(file, 7 - file))
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
    sliders = known.men[BISHOP] | known.men[ROOK] | known.men[bitboards.QUEEN]
    own, king = known.own & ~bit(start), known.men[KING]
    steady, count, left = bitboards.NONE, 0, own
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
    features.line = bitboards.THROUGH[trailing_zeros(king), start]
    features.pinned = min(matrices.MAX_PINNED, parameters.pin * features.survey.control[PIECES, start])
    if features.line == 0 or BETWEEN[trailing_zeros(king), start] & own:
        features.line, features.pinned = bitboards.ALL, 0.0
    loss, chance = features.all_loss, features.all_chance
    if not king & bit(start):
        before = PROTECTED if features.net & bit(start) else UNPROTECTED
        loss -= features.loss[before, start]
        chance -= features.survey.hazard[before, start]
    features.others_loss, features.others_chance = loss, chance


# Outlook of a move.

SILENT, PAWN_TAKEN, PIECE_TAKEN, CHECK = 0, 1, 2, 3
ANSWERS = 4  # the referee's answers
NOTHING, MOVED_TAKEN, OTHER_TAKEN = 0, 1, 2
REPLIES = 3  # their replies
OUTCOMES = ANSWERS * REPLIES
TINY = 1e-9  # avoids a zero sum of probabilities
# Upper limit of the probability that another man is captured: the hazards of single men are not exclusive
MAX_OTHERS = 0.8
_OUTLOOK_FIELDS = [
    ("board", np.float64),  # value of the board after the move
    ("bonus", np.float64),  # bonus for the probability of mate
    ("lost", np.float64),  # cost of losing the moved man
    ("average", np.float64),  # mean cost of losing another man, and its probability
    ("others", np.float64),
    ("chance", np.float64, ANSWERS),  # probability of each of the referee's answers
    ("taken", np.float64, ANSWERS),  # for each of them the probability that the moved man is captured
]
OUTLOOK = np.dtype((np.record, np.dtype(_OUTLOOK_FIELDS, align=True)))  # the outlook of a move


@in_place
def check_chance(prob, hits, end, parameters):
    """Return the probability that a man on `end` with these attacks gives check, damped with the distance."""
    chance = 0.0
    while hits:
        square = trailing_zeros(hits)
        seen = prob[KINGS, square]
        for _ in range(ones(BETWEEN[end, square])):
            seen *= parameters.damping
        chance += seen
        hits &= hits - 1
    return min(chance, 1.0)


@in_place
def net_after(known, features, end, own, hits):
    """Return the squares that our men attack after the move of the lifted one, which attacks `hits` now."""
    net = hits | features.steady
    for i in range(features.sliders):
        square, reached = features.slider[i], features.slides[i]
        if reached & bit(end):
            reached = reach(kind_on(known.men, square), square, own)
        net |= reached
    return net


@in_place
def legal_chance(prob, known, features, kind, start, end, parameters):
    if kind == KING:
        return matrices.king_legality(features.survey, start, end, parameters)
    legal = matrices.unpinned_legality(prob, features.survey.occupied, kind, start, end)
    if not features.line & bit(end):
        legal *= 1.0 - features.pinned
    if known.checks:
        legal *= matrices.parry_chance(prob, known, end)
    return legal


@in_place
def look_ahead(prob, known, features, kind, move, parameters, outlook):
    """Fill in the outlook of a legal move of the lifted man: the probabilities of the messages.

    1 the man and the king after the move    2 what our men attack then    3 the probabilities of a capture and of check
    4 the static value of the board    5 by answer, the probability that the moved man is captured    6 the other men
    """
    # 1. A pawn may change its kind, castling moves two men; only a step at the king changes its danger.
    survey, start, end = features.survey, start_of(move), end_of(move)
    king, few = trailing_zeros(known.men[KING]), known.their_pawns + known.their_pieces
    was_pawn, own = kind == PAWN, known.own & ~bit(start) | bit(end)
    danger_to_king, worth = features.king_danger, features.worth[start]
    if was_pawn:
        if promotion_of(move):
            kind = promotion_of(move)
        worth = value_of(kind, end, known, parameters)
    if kind == KING:
        king = end
        if abs(end - start) == 2:
            own = own & ~bit(castling_rook(known.colour, start, end)) | bit((start + end) // 2)
    if kind == KING or bitboards.KING_ATTACKS[king] & (bit(start) | bit(end)):
        danger_to_king = danger_of_king(king, own, survey, parameters)
    # 2. Only sliders whose line the man has entered are computed again (`net_after`).
    hits = attacks_of(kind, end, known.colour, own)
    net = net_after(known, features, end, own, hits)
    # 3. A legal capture by a pawn surely has a victim, a step ahead none; otherwise probabilities above 1 are scaled.
    pawn, piece = min(1.0, prob[PAWNS, end]), min(1.0, prob[PIECES, end])
    if was_pawn and (end - start) % 8 == 0:
        pawn, piece = 0.0, 0.0
    elif was_pawn or pawn + piece > 1.0:
        both = pawn + piece + TINY
        pawn, piece = pawn / both, piece / both
    check = check_chance(prob, hits & features.possible, end, parameters)
    # 4. Terms as in `board_value`, with the new squares.
    board = (
        features.material - features.worth[start] + worth
        + parameters.mobility * ones(net & ~own)
        + parameters.protection * ones(net & own)
        + confinement(few, king, prob, net, features.possible, parameters)
        - danger_to_king
    )  # fmt: skip
    # 5. After silence by the hazard of the square; after a capture they know the square, so control of it and their
    # number (c of the paper: the guess that somebody recaptures) count; after a check any man that controls it, and the
    # king next to it, captures the checker. A king is never captured.
    is_protected = net & bit(end) != 0
    danger = survey.hazard[PROTECTED if is_protected else UNPROTECTED, end]
    held = survey.control[PAWNS, end] + survey.control[PIECES, end]
    beside = 0.0
    if not is_protected:
        held += survey.control[KINGS, end]
        beside = parameters.checker_taken_by_king * min(1.0, survey.control[KINGS, end] / (check + TINY))
    guard = parameters.retaliation * max(0.0, few - 1.0) / (MEN_AT_HOME - 1.0)
    outlook.taken[SILENT] = danger
    outlook.taken[PAWN_TAKEN] = 1.0 - (1.0 - guard) / (1.0 + parameters.retaliation_control * held)
    outlook.taken[PIECE_TAKEN] = outlook.taken[PAWN_TAKEN]
    outlook.taken[CHECK] = 1.0 - (1.0 - danger) * (1.0 - parameters.checker_taken * min(1.0, held)) * (1.0 - beside)
    if kind == KING:
        for answer in range(ANSWERS):
            outlook.taken[answer] = 0.0
    outlook.chance[SILENT] = (1.0 - pawn - piece) * (1.0 - check)
    outlook.chance[PAWN_TAKEN] = pawn
    outlook.chance[PIECE_TAKEN] = piece
    outlook.chance[CHECK] = (1.0 - pawn - piece) * check
    outlook.board = board
    outlook.bonus = ending_bonus(few, prob, hits, net, features.possible, board, parameters)
    outlook.lost = net_loss(worth, is_protected, survey, end, parameters)
    # 6. The others lose as before, except those that have gained or lost their protection.
    loss, chance = features.others_loss, features.others_chance
    changed = (net ^ features.net) & known.own & ~bit(start) & ~known.men[KING]
    while changed:
        square = trailing_zeros(changed)
        after = PROTECTED if net & bit(square) else UNPROTECTED
        loss += features.loss[after, square] - features.loss[1 - after, square]
        chance += survey.hazard[after, square] - survey.hazard[1 - after, square]
        changed &= changed - 1
    outlook.average = max(0.0, loss) / (max(0.0, chance) + TINY)
    outlook.others = min(MAX_OTHERS, max(0.0, chance))


@in_place
def expected_value(outlook, parameters):
    """Return the value of a move by its outlook: the weighted sum over the twelve outcomes (figure 9)."""
    found = outlook.board + outlook.bonus
    found += outlook.chance[PAWN_TAKEN] * parameters.value_their_pawn
    found += outlook.chance[PIECE_TAKEN] * parameters.value_their_piece
    others = outlook.others * outlook.average
    for answer in range(ANSWERS):
        taken = outlook.taken[answer]
        found -= outlook.chance[answer] * (taken * outlook.lost + (1.0 - taken) * others)
    return found


@in_place
def list_outcomes(outlook, parameters, chances, boards):
    """Fill in the probabilities of the twelve outcomes, and the value of the board after each."""
    for answer in range(ANSWERS):
        chance, taken, board = outlook.chance[answer], outlook.taken[answer], outlook.board
        if answer == PAWN_TAKEN:
            board += parameters.value_their_pawn
        elif answer == PIECE_TAKEN:
            board += parameters.value_their_piece
        other = (1.0 - taken) * outlook.others
        row = REPLIES * answer
        chances[row + NOTHING] = chance * (1.0 - taken - other)
        chances[row + MOVED_TAKEN] = chance * taken
        chances[row + OTHER_TAKEN] = chance * other
        boards[row + NOTHING] = board
        boards[row + MOVED_TAKEN] = board - outlook.lost
        boards[row + OTHER_TAKEN] = board - outlook.average


@in_place
def weigh_outcomes(prob, known, move, parameters, features, outlook, chances, boards):
    """Measure the board and fill in the outlook and outcomes of one move; return its probability of being legal."""
    start = start_of(move)
    kind = kind_on(known.men, start)
    measure_board(prob, known, parameters, features)
    lift(known, start, parameters, features)
    look_ahead(prob, known, features, kind, move, parameters, outlook)
    list_outcomes(outlook, parameters, chances, boards)
    return legal_chance(prob, known, features, kind, start, end_of(move), parameters)


# Transition between nodes of the tree: our move, the referee's answer, their reply (figure 3).


@in_place
def most_exposed(prob, known, spared, parameters, survey):
    """Return the square of the man with the greatest hazard times value, other than the one on `spared`; or -1."""
    survey_board(prob, known, parameters, survey)
    net, worst, found = matrices.attacked_squares(known), 0.0, -1
    for kind in range(KING):
        left = known.men[kind]
        while left:
            square = trailing_zeros(left)
            danger = survey.hazard[PROTECTED if net & bit(square) else UNPROTECTED, square]
            danger *= value_of(kind, square, known, parameters)
            if square != spared and danger > worst:
                worst, found = danger, square
            left &= left - 1
    return found


@in_place
def hear_answer(prob, known, move, answer):
    """Update the matrices and known facts by our move and the referee's answer to it."""
    end = end_of(move)
    kind = matrices.note_own_move(prob, known, move, answer if answer != CHECK else 0, end)
    if answer == CHECK:
        hits = attacks_of(kind, end, known.colour, known.own)
        for square in range(64):
            if not hits & bit(square):
                prob[KINGS, square] = 0.0
        matrices.scale_row(prob, KINGS, 1.0, hits)
    else:
        matrices.exclude_king(prob, known)


@in_place
def hear_reply(prob, known, victim, attraction, is_check, parameters):
    """Update the matrices and known facts by their capture on the square `victim`, or by a quiet move if it is -1."""
    if victim >= 0:
        matrices.lose_man(known, victim)
        predict_capture(prob, known, victim, 1, parameters)
    else:
        predict_quiet_move(prob, known, attraction, is_check, parameters)
    matrices.exclude_king(prob, known)
    known.tries, known.checks = 1, 0  # tries are not simulated; a check to us is not expected


@in_place
def evolve(prob, known, move, outcome, attraction, parameters, survey):
    """Update the matrices and known facts by our move and its outcome; return their capture square, or -1."""
    answer, reply, victim = outcome // REPLIES, outcome % REPLIES, -1
    hear_answer(prob, known, move, answer)
    if reply == MOVED_TAKEN:
        victim = end_of(move)
    elif reply == OTHER_TAKEN:
        victim = most_exposed(prob, known, end_of(move), parameters, survey)
    hear_reply(prob, known, victim, attraction, answer == CHECK, parameters)
    return victim
