"""The abstract model of section 5.2 as printed: probabilities of the referee's messages from the three matrices.

First set of assumptions, "probability theory applied to chess":

    prob_control     Prob_control(i, j), the expected number of their men that control a square
    prob_legal       Prob_legal: the product over the path of (1 - P_k - P_w - P_c), minus Prob_pin
    captures         P_c and P_w of the end square
    check            the sum of P_k over the squares threatened by the move, damped with the distance

Second set, the opponent model: the first retaliation for a capture has a constant, very high chance, later ones follow
Prob_control; a checking man is captured with a constant chance; any other move of theirs captures with a fixed chance,
and the victim is drawn in proportion to Prob_control. Their quiet moves are those of figure 7, with the king, a pawn
or a piece moving in the proportion 1 : k1 : k2.

The value of an outcome is the number of our men minus the number of theirs, each counted as one (5.2 and figure 9), or
that of our men alone (5.3: "the number of allied pieces").
Nothing else is known: no values of men, no protection bonus, no metaposition, no opening book, no endgames.
"""

from dataclasses import dataclass
from typing import NamedTuple

from ...core.compile.kernel import in_place, ones, trailing_zeros
from ...core.rng import random_unit
from ...core.untrusted_input import JsonRecord
from ...games.chess.bitboards import BETWEEN, KING, NEXT, PAWN, THROUGH, attacks_of, bit
from ...games.chess.position import end_of, promotion_of, start_of
from ...kriegspiel.beliefs.probability_matrices import (
    KINGS,
    PAWNS,
    PIECES,
    clear_chance,
    survey_board,
    unpinned_legality,
)
from ...kriegspiel.parameters import MatrixParameters
from ...kriegspiel.search.move_value import (
    ANSWERS,
    CHECK,
    MOVED_TAKEN,
    NOTHING,
    OTHER_TAKEN,
    PAWN_TAKEN,
    PIECE_TAKEN,
    REPLIES,
    SILENT,
    check_chance,
    hear_answer,
    hear_reply,
)

MAX_EXCHANGES = 6  # captures in a row that the quiescence of figure 9 follows


class Constants(NamedTuple):
    """Constants of the opponent model, which the paper describes without numbers."""

    retaliation: float  # "a very high chance of the capturing piece being, in turn, captured"
    checker_taken: float  # "a chance, assumed to be constant in our model, that the checking piece is captured"
    capture: float  # "there is a fixed chance to suffer a capture"
    by_exposure: bool  # second reading: that chance for every man that controls one of ours, see `capture_chance`
    theirs: float  # weight of their men: 1 in 5.2 and figure 9, 0 in 5.3


@dataclass(frozen=True)
class PrintedConstants(JsonRecord):
    """Constants that the paper does not print; `benchmarks/kriegspiel_printed_constants.py` fits them."""

    KEYS = (
        "retaliation", "checker_taken", "capture", "exploration", "damping", "line_spread", "knight_spread",
    )  # fmt: skip

    retaliation: float = 0.8
    checker_taken: float = 0.3
    capture: float = 0.1
    exploration: float = 0.4  # c of UCT, in men
    damping: float = 0.888  # c2 of control and check, for each further square of a path
    line_spread: float = 0.195  # c1 of figure 7: share of a piece's moves along each of the four lines
    knight_spread: float = 0.195

    def opponent(self, by_exposure: bool, theirs: float = 1.0) -> Constants:
        return Constants(self.retaliation, self.checker_taken, self.capture, by_exposure, theirs)

    @property
    def matrices(self) -> MatrixParameters:
        """Parameters of the matrices: c1 = 3/7 and the knights' 2/7 are printed, and k1, k2 count every man once."""
        return MatrixParameters(
            line_share=3 / 7,
            knight_share=2 / 7,
            piece_activity=1.0,
            damping=self.damping,
            line_spread=self.line_spread,
            knight_spread=self.knight_spread,
            exploration=self.exploration,
        )


# By the reading of section 5.2, the first as printed; "approach C uses a lower value of c" than B (section 6.1).
#
# C as printed: `tune`, 3,000 games of 1,000 nodes against the minimax program, seed 1; score 0.11 [0.08, 0.14] higher
# than the start in 748 held-out games. The second reading showed no gain in as many games and keeps its start; B was
# not fitted.
FITTED_C = (
    PrintedConstants(
        retaliation=0.7, checker_taken=0.107, capture=0.95, exploration=1.12, damping=0.703, line_spread=0.25,
        knight_spread=0.09,
    ),
    PrintedConstants(capture=0.3),
)  # fmt: skip
FITTED_B = (PrintedConstants(exploration=1.0), PrintedConstants(capture=0.3, exploration=1.0))


@in_place
def prob_control(survey, square):
    """Return Prob_control, the expected number of their men that control a square; it may exceed 1."""
    return survey.control[KINGS, square] + survey.control[PAWNS, square] + survey.control[PIECES, square]


@in_place
def prob_pin(known, survey, kind, start, end):
    """Return Prob_pin: 0, or Prob_control of the start if the man protects its king, of the end if it is the king."""
    if kind == KING:
        return prob_control(survey, end)
    king = trailing_zeros(known.men[KING])
    line = THROUGH[king, start]
    if line == 0 or BETWEEN[king, start] & known.own or line & bit(end):
        return 0.0
    for direction in range(len(NEXT)):  # a man at the edge, or before another of ours, protects nothing
        square = NEXT[direction, king]
        while square >= 0 and square != start:
            square = NEXT[direction, square]
        if square == start:
            beyond = NEXT[direction, start]
            return prob_control(survey, start) if beyond >= 0 and not known.own & bit(beyond) else 0.0
    return 0.0


@in_place
def prob_legal(prob, known, survey, kind, start, end):
    """Return Prob_legal of a move, between 0 and 1."""
    if kind == KING:
        path = BETWEEN[start, end] | bit(end) if abs(end - start) == 2 else BETWEEN[start, end]
        clear = clear_chance(survey.occupied, path)
    else:
        clear = unpinned_legality(prob, survey.occupied, kind, start, end)
    return min(1.0, max(0.0, clear - prob_pin(known, survey, kind, start, end)))


@in_place
def material_balance(known, theirs):
    """Return the number of our men minus the weighed number of theirs, without the kings."""
    return ones(known.own) - 1 - theirs * (known.their_pawns + known.their_pieces)


@in_place
def defenders(known, square, own):
    """Count our men that attack a square."""
    found = 0
    for kind in range(KING + 1):
        men = known.men[kind] & ~bit(square)
        while men:
            if attacks_of(kind, trailing_zeros(men), known.colour, own) & bit(square):
                found += 1
            men &= men - 1
    return found


@in_place
def exchange(protectors, control, theirs):
    """Return our expected gain in men from recapturing on a square, as in the retaliatory move of figure 9.

    Every recapture gains a man, by its weight; then they retaliate with probability Prob_control, less the men that
    they have used.
    """
    found, likely, recaptures = 0.0, 1.0, True
    for turn in range(MAX_EXCHANGES):
        if recaptures:
            if turn // 2 >= protectors:
                break
        else:
            likely *= min(1.0, max(0.0, control - (turn + 1) // 2))
        found += likely * (theirs if recaptures else -1.0)
        recaptures = not recaptures
    return found


@in_place
def capture_chance(constants, exposure):
    """Return the chance that their move captures a man of ours, given the sum of Prob_control over our men.

    "There is a fixed chance to suffer a capture. The victim is chosen at random, with the probability of capture being
    directly proportional to Prob_control": the victim's share of a fixed chance as printed, or, in the second reading,
    every man's own chance. Only the second rewards leaving an attacked square.
    """
    if constants.by_exposure:
        return min(1.0, constants.capture * exposure)
    return constants.capture if exposure > 0.0 else 0.0


@in_place
def get_outcome_probabilities(prob, known, kind, move, survey, constants, parameters, chances, values):
    """Fill in the probability of each message pair after a legal move, and the balance of men then (figure 9).

    An outcome is REPLIES * (referee's answer) + (their reply), as in the tree of figure 3.
    """
    start, end = start_of(move), end_of(move)
    own = known.own & ~bit(start) | bit(end)
    standing = promotion_of(move) if promotion_of(move) else kind
    pawn, piece = min(1.0, prob[PAWNS, end]), min(1.0, prob[PIECES, end])
    if kind == PAWN and (end - start) % 8 == 0:
        pawn, piece = 0.0, 0.0
    elif kind == PAWN or pawn + piece > 1.0:  # a legal capture by a pawn has a victim
        both = pawn + piece + 1e-9
        pawn, piece = pawn / both, piece / both
    check = check_chance(prob, attacks_of(standing, end, known.colour, own) & ~own, end, parameters)
    # Exposure of our men, for the victim of a capture out of the blue: the moved man stands on its new square.
    control = prob_control(survey, end)
    moved, summed = 0.0 if kind == KING else control, 0.0
    for other in range(KING):
        men = known.men[other] & ~bit(start)
        while men:
            summed += prob_control(survey, trailing_zeros(men))
            men &= men - 1
    share = moved / (moved + summed) if moved + summed > 0.0 else 0.0
    balance = material_balance(known, constants.theirs)
    back = exchange(defenders(known, end, own), control, constants.theirs)
    for answer in range(ANSWERS):
        chance, taken = 0.0, 0.0
        if answer == SILENT:
            chance = (1.0 - pawn - piece) * (1.0 - check)
        elif answer == CHECK:
            chance, taken = (1.0 - pawn - piece) * check, constants.checker_taken
        else:
            chance, taken = pawn if answer == PAWN_TAKEN else piece, constants.retaliation
        if kind == KING:
            taken = 0.0
        blue = (1.0 - taken) * capture_chance(constants, moved + summed)
        row = REPLIES * answer
        gained = balance + (constants.theirs if answer in (PAWN_TAKEN, PIECE_TAKEN) else 0.0)
        chances[row + MOVED_TAKEN] = chance * (taken + blue * share)
        chances[row + OTHER_TAKEN] = chance * blue * (1.0 - share)
        chances[row + NOTHING] = chance * (1.0 - taken - blue)
        values[row + NOTHING] = gained
        values[row + MOVED_TAKEN] = gained - 1.0 + back
        values[row + OTHER_TAKEN] = gained - 1.0


@in_place
def draw_victim(known, survey, spared, stream):
    """Return the square of a man of ours, not the king, drawn in proportion to Prob_control; -1 if none is exposed."""
    summed = 0.0
    for kind in range(KING):
        men = known.men[kind] & ~spared
        while men:
            summed += prob_control(survey, trailing_zeros(men))
            men &= men - 1
    u = random_unit(stream) * summed
    for kind in range(KING):
        men = known.men[kind] & ~spared
        while men:
            square = trailing_zeros(men)
            u -= prob_control(survey, square)
            if u < 0.0:
                return square
            men &= men - 1
    return -1


@in_place
def update_model(prob, known, move, outcome, attraction, parameters, survey, stream):
    """Update the matrices and known facts by our move and its outcome; return the square of their capture, or -1."""
    answer, reply, end = outcome // REPLIES, outcome % REPLIES, end_of(move)
    hear_answer(prob, known, move, answer)
    victim = -1
    if reply == MOVED_TAKEN:
        victim = end
    elif reply == OTHER_TAKEN:
        survey_board(prob, known, parameters, survey)
        victim = draw_victim(known, survey, bit(end), stream)
    hear_reply(prob, known, victim, attraction, False, parameters)
    return victim
