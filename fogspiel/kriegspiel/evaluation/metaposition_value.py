"""How good a metaposition is for its side: material by its safety, information, position, progress towards mate.

The numbers are starting values of the published descriptions, some changed after play; they are one vector, so that
they can be tuned.
"""

import numpy as np

from ...core.kernel import inlined, kernel, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import A_FILE, bit, diagonal, straight
from ...games.chess.men import BISHOP, KINDS, KING, KNIGHT, PAWN, QUEEN, ROOK
from ..beliefs.fills import around
from ..beliefs.metaposition import age_sum, enemies, per_file, possible_men, sure_attacks

WORTH, PROTECTION, PAWN_FEAR, UNKNOWN = 0, 6, 12, 18
(
    A_QUEEN, THEIR_PAWN, THEIR_PIECE, A_MAN, PAWN_DANGER, DANGER, JUST_MOVED, UNPROTECTED, PROTECTED, CHEAP_PROTECTOR,
    LEAST_DANGER, ATTACKED, OPEN_FILE, CLOSE_KING, PASSED_PAWN, ADVANCE, CONFINED, PATIENCE,
    NO_MATING_MEN, MATING_MEN, MATE_CHANCE, STALEMATE_CHANCE,
    RETAKEN, ALPHA, HUNT, HUNTED,
) = range(24, 50)  # fmt: skip
VALUES = {
    WORTH: (1.6, 2.8, 3.0, 4.0, 9.0, 5.0),
    PROTECTION: (0.4, 0.4, 0.3, 0.25, 0.15, 0.35),
    PAWN_FEAR: (2.0, 1.0, 0.25, 0.1, 0.05, 0.02),
    UNKNOWN: (0.0, 0.01, 0.01, 0.02, 0.025, 0.005),
    A_QUEEN: (10.0,), THEIR_PAWN: (1.2,), THEIR_PIECE: (3.0,), A_MAN: (1.0,), PAWN_DANGER: (2.5,), DANGER: (4.5,),
    JUST_MOVED: (1.2,), UNPROTECTED: (0.25,), PROTECTED: (0.85,), CHEAP_PROTECTOR: (0.8,), LEAST_DANGER: (0.1,),
    ATTACKED: (0.025,), OPEN_FILE: (0.4,), CLOSE_KING: (0.1,), PASSED_PAWN: (0.15,), ADVANCE: (0.02,),
    CONFINED: (0.05,), PATIENCE: (0.1,),
    NO_MATING_MEN: (6.0,), MATING_MEN: (4.0,), MATE_CHANCE: (30.0,), STALEMATE_CHANCE: (300.0,), RETAKEN: (1.0,),
    ALPHA: (0.9,), HUNT: (1.0,), HUNTED: (0.5,),
}  # fmt: skip
"""The weights by their place: worth by kind, protection by the kind of the least protector, fear of pawns by their
distance, cost of an unknown man by kind, and the rest one by one."""
WEIGHTS = np.zeros(50)
for _place, _numbers in VALUES.items():
    WEIGHTS[_place : _place + len(_numbers)] = _numbers

CENTRALITY = np.array(
    [1.0 + 3.2 * (min(s % 8, 7 - s % 8) + min(s // 8, 7 - s // 8)) / 6 for s in range(64)], np.float64
)
"""What a possible square of the other king costs: 1 in a corner, 4.2 in the centre."""
PROGRESS = np.array([1.0, 0.2, 0.1, 0.05, 0.05, 0.02])
"""How much the confinement of the other king counts, by the number of men it has left."""
ENOUGH = 4
"""How many men that can mate alone, or promote, are worth keeping."""
BLOCKED = 0.75
"""How likely it is that a man of the other side, late in a game, cannot move: mostly a pawn that meets another."""
PATIENT = 20
"""Own moves without a capture or a pawn move before patience ends."""


@inlined
def _pawn_danger(meta, squares, weights):
    """The danger from pawns that may be on these squares: high where their file has few squares for its pawns."""
    danger = 0.0
    while squares:
        file = trailing_zeros(squares) & 7
        there = ones(meta.theirs[PAWN] & (A_FILE << file))
        danger += weights[PAWN_DANGER] * per_file(meta.most, file) / there
        squares &= squares - 1
    return danger


@inlined
def _least_protector(meta, protectors):
    """The cheapest kind among the own men of a set, the king last."""
    for kind in range(KING):
        if meta.men[kind] & protectors:
            return kind
    return KING


@kernel
def _safety(meta, kind, square, across, aslant, moved, took, ages, weights):
    """How safe an own man is, from 0 to 1; `across` and `aslant` are the lines that it stands on."""
    queens = meta.theirs[QUEEN]
    pawns = bits.PAWN[0, square] & meta.theirs[PAWN]
    attackers = across & (meta.theirs[ROOK] | queens) | aslant & (meta.theirs[BISHOP] | queens)
    attackers |= bits.KNIGHT[square] & meta.theirs[KNIGHT] | bits.KING[square] & meta.theirs[KING]
    if attackers | pawns == 0:
        return 1.0
    men = enemies(meta)
    danger = age_sum(meta, attackers) / ages
    if pawns:
        danger += _pawn_danger(meta, pawns, weights)
    danger = min(1.0, danger * weights[DANGER] * (men + 1) / 16)
    pieces = meta.theirs[KNIGHT] | meta.theirs[BISHOP] | meta.theirs[ROOK] | queens | meta.theirs[KING]
    if pawns & ~(meta.empty | pieces):
        danger = 1.0
    if square == moved:
        if took:
            return 1.0 - max(danger, weights[RETAKEN])
        danger = min(1.0, danger * weights[JUST_MOVED])
    if kind == KING:
        return 1.0 - danger
    protectors = (
        bits.PAWN[1, square] & meta.men[PAWN]
        | bits.KNIGHT[square] & meta.men[KNIGHT]
        | bits.KING[square] & meta.men[KING]
    )
    protectors |= across & (meta.men[ROOK] | meta.men[QUEEN]) | aslant & (meta.men[BISHOP] | meta.men[QUEEN])
    if protectors == 0:
        return 1.0 - max(danger, weights[UNPROTECTED])
    least = _least_protector(meta, protectors)
    floor = weights[LEAST_DANGER] * danger
    danger *= weights[PROTECTED] * (1.0 - weights[PROTECTION + least]) * men / 15
    for _ in range(ones(protectors) - 1):
        danger *= weights[PROTECTED]
    if least != KING and weights[WORTH + least] <= weights[WORTH + kind]:
        danger *= weights[CHEAP_PROTECTOR]
    return 1.0 - max(danger, floor)


@kernel
def _ignorance(meta, weights):
    """What the unknown squares cost: most where their pawns may be close to promotion."""
    cost, pawns = 0.0, meta.theirs[PAWN]
    for rank in range(6):
        row = pawns & (np.int64(0xFF) << (8 * rank + 8))
        if row:
            cost += weights[PAWN_FEAR + rank] * age_sum(meta, row)
    for kind in range(KNIGHT, KINDS):
        cost += weights[UNKNOWN + kind] * age_sum(meta, meta.theirs[kind])
    return cost / 30.0


@kernel
def prey(meta, kind, square, weights):
    """What a man may gain, and risk, by going to a square that is perhaps occupied."""
    here = bit(square)
    pieces = meta.theirs[KNIGHT] | meta.theirs[BISHOP] | meta.theirs[ROOK] | meta.theirs[QUEEN]
    pawn, piece = 0.0, 0.0
    if meta.theirs[PAWN] & here:
        there = ones(meta.theirs[PAWN] & (A_FILE << (square & 7)))
        pawn = min(1.0, per_file(meta.most, square & 7) / there)
    if pieces & here:
        piece = min(1.0 - pawn, meta.their_pieces * age_sum(meta, here) / max(1, age_sum(meta, pieces)))
    gain = pawn * (weights[THEIR_PAWN] + weights[A_MAN]) + piece * (weights[THEIR_PIECE] + weights[A_MAN])
    return weights[HUNT] * (gain - weights[HUNTED] * (pawn + piece) * weights[WORTH + kind])


@kernel
def confinement(kings):
    """How far the other king is confined: 60 less half the weight of its squares."""
    total, left, ranks, files = 0.0, kings, 0, 0
    while left:
        square = trailing_zeros(left)
        total += CENTRALITY[square]
        ranks |= 1 << (square >> 3)
        files |= 1 << (square & 7)
        left &= left - 1
    if ranks & (ranks - 1) == 0 or files & (files - 1) == 0:
        total *= 0.85
    return 60.0 - 0.5 * total


@inlined
def _pawn_progress(meta, square, men, weights):
    """What the advance of an own pawn is worth, more if no pawn can stop it."""
    rank = (square >> 3) - 1
    ahead = (A_FILE << (square & 7)) & (np.int64(-1) << (square + 1))
    beside = (ahead & ~A_FILE) >> 1 & 0x7FFFFFFFFFFFFFFF | (ahead & ~(A_FILE << 7)) << 1
    worth = weights[ADVANCE] * rank
    if meta.theirs[PAWN] & ahead == 0:
        share = 0.5 if meta.theirs[PAWN] & beside else 1.0
        worth += weights[PASSED_PAWN] * share * rank * rank * (16 - men) / 16
    return worth


@kernel
def _helplessness(meta):
    """How likely it is that of the other side's men only the king could move."""
    pieces = meta.theirs[KNIGHT] | meta.theirs[BISHOP] | meta.theirs[ROOK] | meta.theirs[QUEEN]
    if pieces | (meta.theirs[PAWN] >> 8) & meta.empty:
        return BLOCKED ** enemies(meta)
    return 1.0


@kernel
def stalemate_chance(meta, sure, attacked):
    """The share of its squares on which the other king could not move and is not in check, times its helplessness.

    The own men `sure`ly attack some squares, and others too if nothing stands in between: those it may find `attacked`.
    """
    kings = meta.theirs[KING]
    return ones(kings & ~sure & ~around(~attacked)) / ones(kings) * _helplessness(meta)


@kernel
def _end_near(meta, attacked, men, weights):
    """What it is worth that the other side has few men: its king's squares, and whether it is mated or stalemated."""
    kings, sure = meta.theirs[KING], sure_attacks(meta)
    quiet = kings & ~sure
    total = weights[CONFINED] * PROGRESS[men] * confinement(quiet if quiet else kings)
    mate = ones(kings & sure & ~around(~attacked)) / ones(kings) / (1 << men)
    return total + weights[MATE_CHANCE] * mate - weights[STALEMATE_CHANCE] * stalemate_chance(meta, sure, attacked)


@kernel
def value(meta, moved, took, weights):
    """What a metaposition is worth after an own move of the man now on `moved`, which `took` something or not."""
    men, blocked = enemies(meta), ~meta.empty
    ages = max(1, age_sum(meta, possible_men(meta)))
    total, attacked = 0.0, np.int64(0)
    for kind in range(KINDS):
        worth = weights[WORTH + kind]
        if kind == QUEEN:
            worth += weights[A_QUEEN]
        elif kind == KING:
            worth *= men / 15
        left = meta.men[kind]
        while left:
            square = trailing_zeros(left)
            across, aslant = straight(square, blocked), diagonal(square, blocked)
            total += worth * _safety(meta, kind, square, across, aslant, moved, took, ages, weights)
            if kind == PAWN:
                attacked |= bits.PAWN[0, square]
                total += _pawn_progress(meta, square, men, weights)
            elif kind == KNIGHT:
                attacked |= bits.KNIGHT[square]
            elif kind == KING:
                attacked |= bits.KING[square]
            else:
                if kind != BISHOP:
                    attacked |= across
                if kind != ROOK:
                    attacked |= aslant
            left &= left - 1
    own = ones(meta.own)
    total -= weights[THEIR_PAWN] * meta.their_pawns + weights[THEIR_PIECE] * meta.their_pieces
    total += weights[A_MAN] * (own - men - 1)
    total += weights[ATTACKED] * ones(attacked & ~meta.own)
    for file in range(8):
        if meta.theirs[PAWN] & (A_FILE << file) == 0:
            total += weights[OPEN_FILE]
    total -= _ignorance(meta, weights)
    fit = ones(meta.men[PAWN] | meta.men[ROOK] | meta.men[QUEEN])
    total += weights[MATING_MEN] * min(fit, ENOUGH) * (15 - men) / 15
    if fit == 0:
        total -= weights[NO_MATING_MEN]
    if men < 6 and own > men:
        total += _end_near(meta, attacked, men, weights)
    if meta.quiet > PATIENT:
        total -= weights[PATIENCE] * (meta.quiet - PATIENT)
    if own < 5:
        total += weights[CLOSE_KING] * ones(bits.KING[trailing_zeros(meta.men[KING])] & meta.own)
    return total
