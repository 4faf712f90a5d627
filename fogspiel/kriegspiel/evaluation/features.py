"""What all attempts at a place have in common in approach C: the value of the board, the hazards of our men.

The paper's value is the number of our men less that of his. Ours beyond it: men have values and pawns gain by going
ahead; attacked squares, protected men, the danger of our king and, when he has few men left, the confinement of his
king and the chance of mate count a little, all of them from the same matrices.
"""

import math

from ...core.kernel import kernel, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import ALL, BETWEEN, NONE, THROUGH, bit
from ...games.chess.moves import reach
from ...games.chess.position import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, kind_on
from ..beliefs.probability_matrices import (
    COLOUR,
    CONTROL,
    HAZARD,
    HIS_PAWNS,
    HIS_PIECES,
    KINGS,
    LEAST,
    OWN,
    PAWNS,
    PIECES,
    SURVEYED,
    attacks_of,
    survey,
)
from ..parameters import (
    ADVANCE,
    ADVANCE_EARLY,
    APPROACH,
    CENTRE,
    CONFINEMENT,
    KING_DANGER,
    KING_ESCAPE,
    MATE,
    MOBILITY,
    PIN,
    PROTECTION,
    RECAPTURE,
    VALUE_BISHOP,
    VALUE_HIS_PAWN,
    VALUE_HIS_PIECE,
    VALUE_KNIGHT,
    VALUE_PAWN,
    VALUE_QUEEN,
    VALUE_ROOK,
)

WORTH, LOSS, SUMS = SURVEYED, SURVEYED + 1, SURVEYED + 3
GROUND = SURVEYED + 4
"""The rows of the ground beyond the survey: what our men are worth, what they may lose on average at his next move
where they stand, unprotected and protected; and the sums of the place."""
MATERIAL, ALL_LOSS, ALL_CHANCE, KING_DANGERS, PINNED, OTHERS_LOSS, OTHERS_CHANCE = 0, 1, 2, 3, 4, 5, 6
NET, POSSIBLE, STEADY, LINE, SLIDERS, SLIDING = 64, 65, 66, 67, 68, 69
MOST_SLIDERS = 16
SETS = SLIDING + 2 * MOST_SLIDERS
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
def danger_of_king(king, own, ground, constants):
    """How bad a check would be for our king on a square: it counts most if no square around it is safe."""
    safe = 0.0
    left = bits.KING[king] & ~own
    while left:
        square = trailing_zeros(left)
        held = ground[CONTROL + KINGS, square] + ground[CONTROL + PAWNS, square] + ground[CONTROL + PIECES, square]
        safe += 1.0 / (1.0 + 2.0 * held)
        left &= left - 1
    x = ground[CONTROL + PIECES, king] + ground[CONTROL + PAWNS, king]
    return constants[KING_DANGER] * x / (1.0 + x) * math.exp(-constants[KING_ESCAPE] * safe)


@kernel
def net_loss(worth, is_protected, ground, square, constants):
    """What the loss of a man costs if we can take back on a protected square."""
    if not is_protected:
        return worth
    pawns, pieces = ground[CONTROL + PAWNS, square], ground[CONTROL + PIECES, square]
    taker = (2.0 * constants[VALUE_HIS_PAWN] * pawns + constants[VALUE_HIS_PIECE] * pieces) / (
        2.0 * pawns + pieces + 1e-6
    )
    return max(0.1 * worth, worth - constants[RECAPTURE] * taker)


@kernel
def lay_ground(odds, scene, constants, ground, sets):
    """Survey the board, and work out what all attempts at a place have in common.

    `sets` has for every square what our man there attacks, then what all attack, and where his king may be. The sums
    of a place are the first cells of the last row of `ground`.
    """
    survey(odds, scene, constants, ground)
    net, possible = NONE, NONE
    for kind in range(KING + 1):
        left = scene[kind]
        while left:
            square = trailing_zeros(left)
            sets[square] = attacks_of(kind, square, scene[COLOUR], scene[OWN])
            net |= sets[square]
            left &= left - 1
    for square in range(64):
        if odds[KINGS, square] > LEAST:
            possible |= bit(square)
    sets[NET], sets[POSSIBLE] = net, possible
    summed = -constants[VALUE_HIS_PAWN] * scene[HIS_PAWNS] - constants[VALUE_HIS_PIECE] * scene[HIS_PIECES]
    loss, chance = 0.0, 0.0
    for kind in range(KING):
        left = scene[kind]
        while left:
            square = trailing_zeros(left)
            worth = value_of(kind, square, scene, constants)
            summed += worth
            ground[WORTH, square] = worth
            ground[LOSS, square] = ground[HAZARD, square] * worth
            ground[LOSS + 1, square] = ground[HAZARD + 1, square] * net_loss(worth, True, ground, square, constants)
            is_protected = 1 if net & bit(square) else 0
            loss += ground[LOSS + is_protected, square]
            chance += ground[HAZARD + is_protected, square]
            left &= left - 1
    king = trailing_zeros(scene[KING])
    ground[WORTH, king] = 0.0
    ground[LOSS, king] = 0.0
    ground[LOSS + 1, king] = 0.0
    ground[SUMS, MATERIAL], ground[SUMS, ALL_LOSS], ground[SUMS, ALL_CHANCE] = summed, loss, chance
    ground[SUMS, KING_DANGERS] = danger_of_king(king, scene[OWN], ground, constants)


@kernel
def middle_distance(square):
    """Steps from a square to the nearest edge, ranks and files together: 0 in the corner, 6 in the centre."""
    rank, file = square // 8, square % 8
    return min(rank, 7 - rank) + min(file, 7 - file)


@kernel
def confinement(few, king, odds, net, possible, constants):
    """How far his king is driven, if he has few men: fewer escapes, nearer to the edge and to our king."""
    if few > FEW:
        return 0.0
    found, summed, left = 0.0, 1e-9, possible & ~net
    while left:
        square = trailing_zeros(left)
        chance = odds[KINGS, square]
        summed += chance
        distance = max(abs(square // 8 - king // 8), abs(square % 8 - king % 8))
        found -= chance * (
            constants[CONFINEMENT] * ones(bits.KING[square] & ~net)
            + constants[CENTRE] * middle_distance(square)
            + constants[APPROACH] * distance
        )
        left &= left - 1
    return found / summed / (1.0 + few)


@kernel
def ending_bonus(few, odds, hits, net, possible, advantage, constants):
    """What mate is worth by its chance, less what stalemate costs: from king squares without escape."""
    if few > 2 * FEW:
        return 0.0
    mate, stalemate, left = 0.0, 0.0, possible & (hits | ~net)
    while left:
        square = trailing_zeros(left)
        if bits.KING[square] & ~net == 0:
            if hits & bit(square):
                mate += odds[KINGS, square]
            else:
                stalemate += odds[KINGS, square]
        left &= left - 1
    bonus = constants[MATE] * mate / (1.0 + few)
    if few <= FEW // 2 and stalemate > 0.0:  # a few men of his may have no move either
        bonus -= stalemate * (max(0.0, advantage) + constants[MATE]) / (1.0 + 3.0 * few)
    return bonus


@kernel
def material_balance(scene, odds, ground, sets, constants):
    """What the board is worth if nobody moves."""
    net, few = sets[NET], scene[HIS_PAWNS] + scene[HIS_PIECES]
    return (
        ground[SUMS, MATERIAL]
        + constants[MOBILITY] * ones(net & ~scene[OWN])
        + constants[PROTECTION] * ones(net & scene[OWN])
        + confinement(few, trailing_zeros(scene[KING]), odds, net, sets[POSSIBLE], constants)
        - ground[SUMS, KING_DANGERS]
    )


@kernel
def lift(scene, start, constants, ground, sets):
    """Work out what all attempts of the man on a square have in common: what the others attack and may lose without it.

    In `sets`: what the others attack who do not slide, the line on which the man is pinned if it is, and the sliders
    with what they attack now that the square is empty.
    """
    sliders, own, king = scene[BISHOP] | scene[ROOK] | scene[QUEEN], scene[OWN] & ~bit(start), scene[KING]
    steady, count, left = NONE, 0, own
    while left:
        square = trailing_zeros(left)
        reached = sets[square]
        if not sliders & bit(square):
            steady |= reached
        else:
            if reached & bit(start):
                reached = reach(kind_on(scene, square), square, own)
            if count < MOST_SLIDERS:
                sets[SLIDING + 2 * count] = square
                sets[SLIDING + 2 * count + 1] = reached
                count += 1
        left &= left - 1
    sets[STEADY], sets[SLIDERS] = steady, count
    line = THROUGH[trailing_zeros(king), start]
    if line == 0 or BETWEEN[trailing_zeros(king), start] & own:
        line = ALL
    sets[LINE] = line
    ground[SUMS, PINNED] = 0.0 if line == ALL else min(0.9, constants[PIN] * ground[CONTROL + PIECES, start])
    loss, chance = ground[SUMS, ALL_LOSS], ground[SUMS, ALL_CHANCE]
    if not king & bit(start):
        before = 1 if sets[NET] & bit(start) else 0
        loss -= ground[LOSS + before, start]
        chance -= ground[HAZARD + before, start]
    ground[SUMS, OTHERS_LOSS], ground[SUMS, OTHERS_CHANCE] = loss, chance
