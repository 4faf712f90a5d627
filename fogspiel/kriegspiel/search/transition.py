"""Transition between nodes of the tree: our move, the referee's answer, their reply (figure 3)."""

from ...core.kernel import in_place, trailing_zeros
from ...games.chess.bits import bit
from ...games.chess.men import KING, attacks_of
from ...games.chess.move_code import end_of
from ..beliefs.board_survey import PROTECTED, UNPROTECTED, survey_board
from ..beliefs.opponent_motion import predict_capture, predict_quiet_move
from ..beliefs.probability_matrices import KINGS, attacked_squares, exclude_king, lose_man, note_own_move, scale_row
from ..evaluation.features import value_of
from ..evaluation.move_value import CHECK, MOVED_TAKEN, OTHER_TAKEN, REPLIES


@in_place
def most_exposed(prob, known, spared, parameters, survey):
    """The square of the man whom they most probably take next, other than the one on `spared`, or -1."""
    survey_board(prob, known, parameters, survey)
    net, worst, found = attacked_squares(known), 0.0, -1
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
def evolve(prob, known, move, outcome, attraction, parameters, survey):
    """Change the matrices and what is known by our move and its outcome. The square where they took, or -1.

    `survey` is overwritten.
    """
    answer, reply, end = outcome // REPLIES, outcome % REPLIES, end_of(move)
    kind = note_own_move(prob, known, move, answer if answer != CHECK else 0, end)
    if answer == CHECK:
        hits = attacks_of(kind, end, known.colour, known.own)
        for square in range(64):
            if not hits & bit(square):
                prob[KINGS, square] = 0.0
        scale_row(prob, KINGS, 1.0, hits)
    else:
        exclude_king(prob, known)
    victim = -1
    if reply == MOVED_TAKEN:
        victim = end
    elif reply == OTHER_TAKEN:
        victim = most_exposed(prob, known, end, parameters, survey)
    if victim >= 0:
        lose_man(known, victim)
        predict_capture(prob, known, victim, 1, parameters)
    else:
        predict_quiet_move(prob, known, attraction, answer == CHECK, parameters)
    exclude_king(prob, known)
    known.tries, known.checks = 1, 0  # tries are not simulated; a check to us is not expected
    return victim
