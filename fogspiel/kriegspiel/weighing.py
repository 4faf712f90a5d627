"""The value of a move in approach C (section 5.3, figure 9): the messages it can lead to, weighed by their chances.

A move ends in one of twelve outcomes, 3 * (referee's answer) + (his answer). The referee answers: nothing, a pawn
taken, a piece taken, check. He answers: nothing of ours taken, the moved man taken, another one taken.

The paper's value is the number of our men less that of his. Ours beyond it: men have values and pawns gain by going
ahead; attacked squares, protected men, the danger of our king and, when he has few men left, the confinement of his
king and the chance of mate count a little, all of them from the same matrices.
"""

import math

import numpy as np

from ..chess import bits
from ..chess.bits import BETWEEN, bit
from ..chess.messages import BY_KNIGHT
from ..chess.position import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, end_of, kind_on, promotion_of, start_of
from ..kernel import kernel, ones, trailing_zeros
from .constants import (
    ADVANCE,
    ADVANCE_EARLY,
    APPROACH,
    CENTRE,
    CHECKER_TAKEN,
    CHECKER_TAKEN_BY_KING,
    CONFINEMENT,
    DAMPING,
    KING_DANGER,
    KING_ESCAPE,
    MATE,
    MOBILITY,
    PROTECTION,
    RECAPTURE,
    RETALIATION,
    RETALIATION_CONTROL,
    VALUE_BISHOP,
    VALUE_HIS_PAWN,
    VALUE_HIS_PIECE,
    VALUE_KNIGHT,
    VALUE_PAWN,
    VALUE_QUEEN,
    VALUE_ROOK,
)
from .matrices import (
    CHECKS,
    COLOUR,
    HIS_PAWNS,
    HIS_PIECES,
    KINGS,
    LEAST,
    NEXT,
    OWN,
    PAWNS,
    PIECES,
    SCENE,
    attacked,
    attacks_of,
    legality,
    move_in,
    survey,
)
from .tidings import line_named

SILENT, PAWN_TAKEN, PIECE_TAKEN, CHECK = 0, 1, 2, 3
NOTHING, MOVED_TAKEN, OTHER_TAKEN = 0, 1, 2
ANSWERS = 3
OUTCOMES = 12
FEW = 4
"""So many men besides his king that their confinement begins to count."""


@kernel
def value_of(kind, square, scene, constants):
    """What a man of ours is worth; pawns gain on the way to a queen, more so the fewer men he has."""
    if kind == PAWN:
        steps = square // 8 - 1 if scene[COLOUR] == 0 else 6 - square // 8
        gone = (15.0 - scene[HIS_PAWNS] - scene[HIS_PIECES]) / 15.0
        return constants[VALUE_PAWN] + constants[ADVANCE] * (constants[ADVANCE_EARLY] + gone) * steps * steps
    if kind == KNIGHT:
        return constants[VALUE_KNIGHT]
    if kind == BISHOP:
        return constants[VALUE_BISHOP]
    if kind == ROOK:
        return constants[VALUE_ROOK]
    if kind == QUEEN:
        return constants[VALUE_QUEEN]
    return 0.0


@kernel
def material(scene, constants):
    """What our men are worth less his."""
    found = -constants[VALUE_HIS_PAWN] * scene[HIS_PAWNS] - constants[VALUE_HIS_PIECE] * scene[HIS_PIECES]
    for kind in range(KING):
        left = scene[kind]
        while left:
            found += value_of(kind, trailing_zeros(left), scene, constants)
            left &= left - 1
    return found


@kernel
def danger_of_king(scene, control, constants):
    """How bad a check would be for our king where it stands: it counts most if no square around it is safe."""
    king, safe = trailing_zeros(scene[KING]), 0.0
    left = bits.KING[king] & ~scene[OWN]
    while left:
        square = trailing_zeros(left)
        safe += 1.0 / (1.0 + 2.0 * (control[KINGS, square] + control[PAWNS, square] + control[PIECES, square]))
        left &= left - 1
    x = control[PIECES, king] + control[PAWNS, king]
    return constants[KING_DANGER] * x / (1.0 + x) * math.exp(-constants[KING_ESCAPE] * safe)


@kernel
def middle_distance(square):
    """Steps from a square to the nearest edge, ranks and files together: 0 in the corner, 6 in the centre."""
    rank, file = square // 8, square % 8
    return min(rank, 7 - rank) + min(file, 7 - file)


@kernel
def confinement(scene, odds, net, constants):
    """How far his king is driven, if he has few men: fewer escapes, nearer to the edge and to our king."""
    few = scene[HIS_PAWNS] + scene[HIS_PIECES]
    if few > FEW:
        return 0.0
    king, found, summed = trailing_zeros(scene[KING]), 0.0, 1e-9
    for square in range(64):
        chance = odds[KINGS, square]
        if chance > LEAST and not net & bit(square):
            summed += chance
            distance = max(abs(square // 8 - king // 8), abs(square % 8 - king % 8))
            found -= chance * (
                constants[CONFINEMENT] * ones(bits.KING[square] & ~net)
                + constants[CENTRE] * middle_distance(square)
                + constants[APPROACH] * distance
            )
    return found / summed / (1.0 + few)


@kernel
def standing(scene, odds, net, control, constants):
    """What the board is worth if nothing more is taken."""
    return (
        material(scene, constants)
        + constants[MOBILITY] * ones(net & ~scene[OWN])
        + constants[PROTECTION] * ones(net & scene[OWN])
        + confinement(scene, odds, net, constants)
        - danger_of_king(scene, control, constants)
    )


@kernel
def ending_bonus(scene, odds, hits, net, advantage, constants):
    """What mate is worth by its chance, less what stalemate costs: from king squares without escape."""
    few = scene[HIS_PAWNS] + scene[HIS_PIECES]
    if few > 2 * FEW:
        return 0.0
    mate, stalemate = 0.0, 0.0
    for square in range(64):
        if odds[KINGS, square] > LEAST and bits.KING[square] & ~net == 0:
            if hits & bit(square):
                mate += odds[KINGS, square]
            elif not net & bit(square):
                stalemate += odds[KINGS, square]
    bonus = constants[MATE] * mate / (1.0 + few)
    if few <= FEW // 2 and stalemate > 0.0:  # a few men of his may have no move either
        bonus -= stalemate * (max(0.0, advantage) + constants[MATE]) / (1.0 + 3.0 * few)
    return bonus


@kernel
def check_chance(odds, hits, end, constants):
    """The chance that a man on `end` who attacks these squares gives check, damped with the distance."""
    chance = 0.0
    while hits:
        square = trailing_zeros(hits)
        if odds[KINGS, square] > LEAST:
            seen = odds[KINGS, square]
            for _ in range(ones(BETWEEN[end, square])):
                seen *= constants[DAMPING]
            chance += seen
        hits &= hits - 1
    return min(chance, 1.0)


@kernel
def parry_chance(odds, scene, end):
    """The chance that a man who goes to `end` answers the check to our king."""
    checks, king = scene[CHECKS], trailing_zeros(scene[KING])
    if checks & (checks - 1):
        return 0.0
    if checks == BY_KNIGHT:
        return min(1.0, odds[PIECES, end]) if bits.KNIGHT[king] & bit(end) else 0.0
    line = line_named(checks, king)
    for way in (line, line + 4):
        square, chance, met = NEXT[way, king], 0.0, False
        while square >= 0 and not scene[OWN] & bit(square):
            met = met or square == end
            if met:
                chance += odds[PIECES, square] + odds[PAWNS, square]
            square = NEXT[way, square]
        if met:
            return min(1.0, chance)
    return 0.0


@kernel
def net_loss(worth, is_protected, control, square, constants):
    """What the loss of a man costs if we can take back on a protected square."""
    if not is_protected:
        return worth
    pawns, pieces = control[PAWNS, square], control[PIECES, square]
    taker = (2.0 * constants[VALUE_HIS_PAWN] * pawns + constants[VALUE_HIS_PIECE] * pieces) / (
        2.0 * pawns + pieces + 1e-6
    )
    return max(0.1 * worth, worth - constants[RECAPTURE] * taker)


@kernel
def passing_loss(scene, net, control, hazard, spared, constants):
    """What we lose on average at his next move, the man on `spared` apart; and the chance that anything is taken."""
    chance, loss = 0.0, 0.0
    for kind in range(KING):
        left = scene[kind]
        while left:
            square = trailing_zeros(left)
            if square != spared:
                is_protected = net & bit(square) != 0
                danger = hazard[1 if is_protected else 0, square]
                worth = value_of(kind, square, scene, constants)
                chance += danger
                loss += danger * net_loss(worth, is_protected, control, square, constants)
            left &= left - 1
    return loss, chance


@kernel
def weigh(odds, scene, after, occ, control, hazard, move, constants, chances, stands):
    """Fill in the chances of the outcomes of a move, given that it is legal, and what the board is worth after each.

    `after` becomes the scene after the move. The chance that the move is legal, and the bonus for mate.
    """
    start, end = start_of(move), end_of(move)
    kind = kind_on(scene, start)
    legal = legality(odds, scene, occ, control, kind, start, end, constants)
    if scene[CHECKS] and kind != KING:
        legal *= parry_chance(odds, scene, end)
    for cell in range(SCENE):
        after[cell] = scene[cell]
    kind = move_in(after, move)
    net = attacked(after)
    hits = attacks_of(kind, end, scene[COLOUR], after[OWN])
    pawn, piece = min(1.0, odds[PAWNS, end]), min(1.0, odds[PIECES, end])
    both = pawn + piece
    if (promotion_of(move) == 0 and kind == PAWN) or promotion_of(move):
        if (end - start) % 8 == 0:
            pawn, piece = 0.0, 0.0
        else:
            pawn, piece = pawn / (both + 1e-9), piece / (both + 1e-9)
    elif both > 1.0:
        pawn, piece = pawn / both, piece / both
    check = check_chance(odds, hits, end, constants)
    board = standing(after, odds, net, control, constants)
    bonus = ending_bonus(after, odds, hits, net, board, constants)
    is_protected = net & bit(end) != 0
    worth = value_of(kind, end, after, constants)
    lost = net_loss(worth, is_protected, control, end, constants)
    danger = hazard[1 if is_protected else 0, end] if kind != KING else 0.0
    held = control[PAWNS, end] + control[PIECES, end] + (0.0 if is_protected else control[KINGS, end])
    men = after[HIS_PAWNS] + after[HIS_PIECES]
    others_loss, others_chance = passing_loss(after, net, control, hazard, end, constants)
    average = others_loss / (others_chance + 1e-9)
    for answer in range(4):
        if answer == SILENT:
            chance, gain, taken = (1.0 - pawn - piece) * (1.0 - check), 0.0, danger
        elif answer == PAWN_TAKEN:
            chance, gain, taken = pawn, constants[VALUE_HIS_PAWN], 0.0
        elif answer == PIECE_TAKEN:
            chance, gain, taken = piece, constants[VALUE_HIS_PIECE], 0.0
        else:
            chance, gain = (1.0 - pawn - piece) * check, 0.0
            beside = (
                0.0
                if is_protected
                else constants[CHECKER_TAKEN_BY_KING] * min(1.0, control[KINGS, end] / (check + 1e-9))
            )
            taken = 1.0 - (1.0 - danger) * (1.0 - constants[CHECKER_TAKEN] * min(1.0, held)) * (1.0 - beside)
        if kind == KING:
            taken = 0.0
        elif answer in (PAWN_TAKEN, PIECE_TAKEN):
            guard = constants[RETALIATION] * max(0.0, men - 1.0) / 14.0
            taken = 1.0 - (1.0 - guard) / (1.0 + constants[RETALIATION_CONTROL] * held)
        other = (1.0 - taken) * min(0.8, others_chance)
        row = ANSWERS * answer
        chances[row + NOTHING] = chance * (1.0 - taken - other)
        chances[row + MOVED_TAKEN] = chance * taken
        chances[row + OTHER_TAKEN] = chance * other
        stands[row + NOTHING] = board + gain
        stands[row + MOVED_TAKEN] = board + gain - lost
        stands[row + OTHER_TAKEN] = board + gain - average
    return legal, bonus


@kernel
def weigh_here(odds, scene, move, constants, chances, stands):
    """Survey the board and weigh one move."""
    occ, control, hazard = np.empty(64, np.float64), np.empty((3, 64), np.float64), np.empty((2, 64), np.float64)
    after = np.empty(SCENE, np.int64)
    survey(odds, scene, constants, occ, control, hazard)
    return weigh(odds, scene, after, occ, control, hazard, move, constants, chances, stands)
