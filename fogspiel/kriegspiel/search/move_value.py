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

import numpy as np

from ...core.compile.kernel import in_place, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import BETWEEN, KING, NEXT, PAWN, attacks_of, bit, kind_on, reach
from ...games.chess.position import castling_rook, end_of, promotion_of, start_of
from ..beliefs.probability_matrices import (
    KINGS,
    PAWNS,
    PIECES,
    PROTECTED,
    UNPROTECTED,
    king_legality,
    unpinned_legality,
)
from ..game.attempts import BY_KNIGHT, line_of_check
from .board_features import (
    MEN_AT_HOME,
    confinement,
    danger_of_king,
    ending_bonus,
    lift,
    measure_board,
    net_loss,
    value_of,
)

SILENT, PAWN_TAKEN, PIECE_TAKEN, CHECK = 0, 1, 2, 3
ANSWERS = 4  # the referee's answers
NOTHING, MOVED_TAKEN, OTHER_TAKEN = 0, 1, 2
REPLIES = 3  # their replies
OUTCOMES = ANSWERS * REPLIES
TINY = 1e-9  # avoids a zero sum of probabilities
# Upper limit of the probability that another man is captured: the hazards of single men are not exclusive
MAX_OTHERS = 0.8
_FIELDS = [
    ("board", np.float64),  # value of the board after the move
    ("bonus", np.float64),  # bonus for the probability of mate
    ("lost", np.float64),  # cost of losing the moved man
    ("average", np.float64),  # mean cost of losing another man, and its probability
    ("others", np.float64),
    ("chance", np.float64, ANSWERS),  # probability of each of the referee's answers
    ("taken", np.float64, ANSWERS),  # for each of them the probability that the moved man is captured
]
OUTLOOK = np.dtype((np.record, np.dtype(_FIELDS, align=True)))  # the outlook of a move


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
        return king_legality(features.survey, start, end, parameters)
    legal = unpinned_legality(prob, features.survey.occupied, kind, start, end)
    if not features.line & bit(end):
        legal *= 1.0 - features.pinned
    if known.checks:
        legal *= parry_chance(prob, known, end)
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
