"""The value of a move in approach C (section 5.3, figure 9): the messages it can lead to, weighed by their chances.

A move ends in one of twelve outcomes, 3 * (referee's answer) + (his answer). The referee answers: nothing, a pawn
taken, a piece taken, check. He answers: nothing of ours taken, the moved man taken, another one taken.
"""

from ...core.kernel import kernel, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import BETWEEN, bit
from ...games.chess.messages import BY_KNIGHT
from ...games.chess.moves import reach
from ...games.chess.position import (
    KING,
    KING_SIDE,
    KNIGHT,
    PAWN,
    QUEEN_SIDE,
    ROOK_HOME,
    end_of,
    kind_on,
    promotion_of,
    start_of,
)
from ..beliefs.belief_update import line_named
from ..beliefs.probability_matrices import (
    CHECKS,
    COLOUR,
    CONTROL,
    HAZARD,
    HIS_PAWNS,
    HIS_PIECES,
    KINGS,
    NEXT,
    OWN,
    PAWNS,
    PIECES,
    attacks_of,
    legality,
    way_is_clear,
)
from ..parameters import (
    CHECKER_TAKEN,
    CHECKER_TAKEN_BY_KING,
    DAMPING,
    MOBILITY,
    PROTECTION,
    RETALIATION,
    RETALIATION_CONTROL,
    VALUE_HIS_PAWN,
    VALUE_HIS_PIECE,
)
from .features import (
    KING_DANGERS,
    LINE,
    LOSS,
    MATERIAL,
    NET,
    OTHERS_CHANCE,
    OTHERS_LOSS,
    PINNED,
    POSSIBLE,
    SLIDERS,
    SLIDING,
    STEADY,
    SUMS,
    WORTH,
    confinement,
    danger_of_king,
    ending_bonus,
    lay_ground,
    lift,
    net_loss,
    value_of,
)

SILENT, PAWN_TAKEN, PIECE_TAKEN, CHECK = 0, 1, 2, 3
NOTHING, MOVED_TAKEN, OTHER_TAKEN = 0, 1, 2
ANSWERS = 3
OUTCOMES = 12
BOARD, BONUS, LOST, AVERAGE, OTHERS, CHANCE, TAKEN = 0, 1, 2, 3, 4, 5, 9
OUTLOOK = 13
"""The outlook of a move: what the board is worth then, the bonus for mate; what the loss of the moved man costs; what
the loss of another one costs on average, and its chance; the chance of each of the referee's answers, and for each that
the moved man is taken."""


@kernel
def check_chance(odds, hits, end, constants):
    """The chance that a man on `end` who attacks these squares gives check, damped with the distance."""
    chance = 0.0
    while hits:
        square = trailing_zeros(hits)
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
def net_after(scene, sets, end, own, hits):
    """What our men attack after the move of the lifted one, who attacks `hits` now."""
    net = hits | sets[STEADY]
    for i in range(sets[SLIDERS]):
        square, reached = sets[SLIDING + 2 * i], sets[SLIDING + 2 * i + 1]
        if reached & bit(end):
            reached = reach(kind_on(scene, square), square, own)
        net |= reached
    return net


@kernel
def legal_chance(odds, scene, ground, sets, kind, start, end, constants):
    """The chance that a move of the lifted man is legal."""
    if kind == KING:
        return legality(odds, scene, ground, kind, start, end, constants)
    if kind != PAWN:
        legal = way_is_clear(ground, BETWEEN[start, end]) if kind != KNIGHT else 1.0
    elif (end - start) % 8:
        legal = min(1.0, odds[PAWNS, end] + odds[PIECES, end])
    else:
        legal = way_is_clear(ground, BETWEEN[start, end] | bit(end))
    if not sets[LINE] & bit(end):
        legal *= 1.0 - ground[SUMS, PINNED]
    if scene[CHECKS]:
        legal *= parry_chance(odds, scene, end)
    return legal


@kernel
def look_ahead(odds, scene, ground, sets, kind, move, constants, outlook):
    """Fill in the outlook of a move of the lifted man, given that it is legal: the chances of the messages."""
    start, end = start_of(move), end_of(move)
    king, few = trailing_zeros(scene[KING]), scene[HIS_PAWNS] + scene[HIS_PIECES]
    was_pawn, own = kind == PAWN, scene[OWN] & ~bit(start) | bit(end)
    danger_to_king, worth = ground[SUMS, KING_DANGERS], ground[WORTH, start]
    if was_pawn:
        if promotion_of(move):
            kind = promotion_of(move)
        worth = value_of(kind, end, scene, constants)
    if kind == KING:
        king = end
        if abs(end - start) == 2:
            home = ROOK_HOME[scene[COLOUR], KING_SIDE if end > start else QUEEN_SIDE]
            own = own & ~bit(home) | bit((start + end) // 2)
    if kind == KING or bits.KING[king] & (bit(start) | bit(end)):
        danger_to_king = danger_of_king(king, own, ground, constants)
    hits = attacks_of(kind, end, scene[COLOUR], own)
    net = net_after(scene, sets, end, own, hits)
    pawn, piece = min(1.0, odds[PAWNS, end]), min(1.0, odds[PIECES, end])
    if was_pawn and (end - start) % 8 == 0:
        pawn, piece = 0.0, 0.0
    elif was_pawn or pawn + piece > 1.0:
        both = pawn + piece + 1e-9
        pawn, piece = pawn / both, piece / both
    check = check_chance(odds, hits & sets[POSSIBLE], end, constants)
    board = (
        ground[SUMS, MATERIAL] - ground[WORTH, start] + worth
        + constants[MOBILITY] * ones(net & ~own)
        + constants[PROTECTION] * ones(net & own)
        + confinement(few, king, odds, net, sets[POSSIBLE], constants)
        - danger_to_king
    )  # fmt: skip
    is_protected = net & bit(end) != 0
    danger = ground[HAZARD + 1 if is_protected else HAZARD, end]
    held = ground[CONTROL + PAWNS, end] + ground[CONTROL + PIECES, end]
    beside = 0.0
    if not is_protected:
        held += ground[CONTROL + KINGS, end]
        beside = constants[CHECKER_TAKEN_BY_KING] * min(1.0, ground[CONTROL + KINGS, end] / (check + 1e-9))
    guard = constants[RETALIATION] * max(0.0, few - 1.0) / 14.0
    outlook[TAKEN] = danger
    outlook[TAKEN + PAWN_TAKEN] = 1.0 - (1.0 - guard) / (1.0 + constants[RETALIATION_CONTROL] * held)
    outlook[TAKEN + PIECE_TAKEN] = outlook[TAKEN + PAWN_TAKEN]
    outlook[TAKEN + CHECK] = 1.0 - (1.0 - danger) * (1.0 - constants[CHECKER_TAKEN] * min(1.0, held)) * (1.0 - beside)
    if kind == KING:
        for answer in range(4):
            outlook[TAKEN + answer] = 0.0
    outlook[CHANCE] = (1.0 - pawn - piece) * (1.0 - check)
    outlook[CHANCE + PAWN_TAKEN] = pawn
    outlook[CHANCE + PIECE_TAKEN] = piece
    outlook[CHANCE + CHECK] = (1.0 - pawn - piece) * check
    outlook[BOARD] = board
    outlook[BONUS] = ending_bonus(few, odds, hits, net, sets[POSSIBLE], board, constants)
    outlook[LOST] = net_loss(worth, is_protected, ground, end, constants)
    loss, chance = ground[SUMS, OTHERS_LOSS], ground[SUMS, OTHERS_CHANCE]
    changed = (net ^ sets[NET]) & scene[OWN] & ~bit(start) & ~scene[KING]
    while changed:
        square = trailing_zeros(changed)
        after = 1 if net & bit(square) else 0
        loss += ground[LOSS + after, square] - ground[LOSS + 1 - after, square]
        chance += ground[HAZARD + after, square] - ground[HAZARD + 1 - after, square]
        changed &= changed - 1
    outlook[AVERAGE] = max(0.0, loss) / (max(0.0, chance) + 1e-9)
    outlook[OTHERS] = min(0.8, max(0.0, chance))


@kernel
def weigh_moves(outlook, constants):
    """The value of a move by its outlook: the weighed sum over the twelve outcomes (figure 9)."""
    found = outlook[BOARD] + outlook[BONUS]
    found += outlook[CHANCE + PAWN_TAKEN] * constants[VALUE_HIS_PAWN]
    found += outlook[CHANCE + PIECE_TAKEN] * constants[VALUE_HIS_PIECE]
    others = outlook[OTHERS] * outlook[AVERAGE]
    for answer in range(4):
        taken = outlook[TAKEN + answer]
        found -= outlook[CHANCE + answer] * (taken * outlook[LOST] + (1.0 - taken) * others)
    return found


@kernel
def spell_out(outlook, constants, chances, stands):
    """Fill in the chances of the twelve outcomes, and what the board is worth after each."""
    for answer in range(4):
        chance, taken, stand = outlook[CHANCE + answer], outlook[TAKEN + answer], outlook[BOARD]
        if answer == PAWN_TAKEN:
            stand += constants[VALUE_HIS_PAWN]
        elif answer == PIECE_TAKEN:
            stand += constants[VALUE_HIS_PIECE]
        other = (1.0 - taken) * outlook[OTHERS]
        row = ANSWERS * answer
        chances[row + NOTHING] = chance * (1.0 - taken - other)
        chances[row + MOVED_TAKEN] = chance * taken
        chances[row + OTHER_TAKEN] = chance * other
        stands[row + NOTHING] = stand
        stands[row + MOVED_TAKEN] = stand - outlook[LOST]
        stands[row + OTHER_TAKEN] = stand - outlook[AVERAGE]


@kernel
def weigh(odds, scene, move, constants, ground, sets, outlook, chances, stands):
    """Survey the board and fill in the outcomes of one move. The chance that it is legal, and the bonus for mate."""
    start = start_of(move)
    kind = kind_on(scene, start)
    lay_ground(odds, scene, constants, ground, sets)
    lift(scene, start, constants, ground, sets)
    look_ahead(odds, scene, ground, sets, kind, move, constants, outlook)
    spell_out(outlook, constants, chances, stands)
    return legal_chance(odds, scene, ground, sets, kind, start, end_of(move), constants), outlook[BONUS]
