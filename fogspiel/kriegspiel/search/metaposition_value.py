"""Static evaluation of a metaposition: material by its safety, information, position, progress towards mate.

The weights are initial values from the published descriptions, some changed after play; they form one record, so that
they can be tuned. Values are in pawns, approximately.
"""

import numpy as np

from ...core.compile.kernel import inlined, kernel, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import A_FILE, BISHOP, KINDS, KING, KNIGHT, PAWN, QUEEN, ROOK, around, bit
from ..beliefs.metaposition import AGE_OF_A_MAN, age_sum, enemies, per_file, possible_men, sure_attacks

_WEIGHTS = (
    ("worth", (1.6, 2.8, 3.0, 4.0, 9.0, 5.0)),  # value of a safe own man, by kind
    ("queen", 10.0),  # additional value of a queen
    ("their_pawn", 1.2),  # value of an opponent's man
    ("their_piece", 3.0),
    ("man", 1.0),  # value of having a man more than the opponent
    ("danger", 4.5),  # danger from possible attackers of a man
    ("pawn_danger", 2.5),  # the same from pawns
    ("just_moved", 1.2),  # factor of the danger for the man that has moved
    ("retaken", 1.0),  # minimum loss probability of a man that has captured
    ("unprotected", 0.25),  # minimum loss probability of an unprotected man that may be attacked
    ("protected", 0.85),  # factor of the danger for each protector
    ("protection", (0.4, 0.4, 0.3, 0.25, 0.15, 0.35)),  # further reduction by the cheapest protector, by its kind
    ("cheap_protector", 0.8),  # factor if the protector is not more valuable than the man
    ("least_danger", 0.1),  # minimum danger, whatever protects
    ("attacked", 0.025),  # value of an attacked square
    ("open_file", 0.4),  # value of a file on which the opponent can have no pawn
    ("advance", 0.02),  # value of each rank gained by a pawn
    ("passed_pawn", 0.15),  # the same, by its square, if no pawn can stop it
    ("pawn_fear", (2.0, 1.0, 0.25, 0.1, 0.05, 0.02)),  # cost of a possible pawn, by the ranks before its promotion
    ("unknown", (0.0, 0.01, 0.01, 0.02, 0.025, 0.005)),  # cost of a possible man, by kind
    ("hunt", 1.0),  # weight of the possible captures of a move
    ("hunted", 0.5),  # loss probability of the man then
    ("mating_men", 4.0),  # additional value of a man that can mate or promote, against no men
    ("no_mating_men", 6.0),  # cost of having none
    ("confined", 0.05),  # value of the confinement of a lone king
    ("mate_chance", 30.0),  # value of mate
    ("stalemate_chance", 300.0),  # cost of stalemate
    ("close_king", 0.1),  # value of an own man next to the king when few are left
    ("patience", 0.1),  # cost of a move without a capture or pawn move when there have been many
    ("alpha", 0.9),  # weight of a node's static value against that of its best child
)
_LAYOUT = [(name, np.float64, np.shape(values)) for name, values in _WEIGHTS]
# The weights as kernels receive them.
WEIGHTS: np.record = np.array([tuple(values for _, values in _WEIGHTS)], np.dtype((np.record, _LAYOUT)))[0]

# Steps from a square to the nearest edge file and rank: 0 in a corner, 6 in the centre.
NEAREST_EDGES = np.array([min(s % 8, 7 - s % 8) + min(s // 8, 7 - s // 8) for s in range(64)], np.float64)
CENTRALITY = 1.0 + 3.2 * NEAREST_EDGES / 6  # cost of a possible square of the opponent's king
# Weight of the confinement of the opponent's king, by the number of its remaining men.
PROGRESS = np.array([1.0, 0.2, 0.1, 0.05, 0.05, 0.02])
ENOUGH = 4  # useful number of men that can mate alone, or promote
BLOCKED = 0.75  # probability that a man of the opponent, late in a game, cannot move: mostly a blocked pawn
PATIENT = 20  # own moves without a capture or a pawn move before patience ends
# With fewer men besides its king the opponent can be mated; with fewer own men they stay together.
END_NEAR, FEW_OWN = 6, 5
# Confinement of a king without possible squares, reduction by the weight of each possible square, and its factor if all
# of them lie on one rank or file.
FREE_KING, SQUARE_COST, ONE_LINE = 60.0, 0.5, 0.85
SHIELDED = 0.5  # factor of a passed pawn that a pawn of a neighbouring file may capture


@inlined
def _their_pieces(meta):
    return meta.theirs[KNIGHT] | meta.theirs[BISHOP] | meta.theirs[ROOK] | meta.theirs[QUEEN]


@inlined
def _pawn_danger(meta, squares, weights):
    """Return the danger from pawns on these possible squares: high where a file has few squares for its pawns."""
    danger = 0.0
    while squares:
        file = trailing_zeros(squares) & 7
        there = ones(meta.theirs[PAWN] & (A_FILE << file))
        danger += weights.pawn_danger * per_file(meta.most, file) / there
        squares &= squares - 1
    return danger


@kernel
def _safety(meta, kind, square, across, aslant, moved, took, ages, weights):
    """Return the safety of an own man, from 0 to 1; `across` and `aslant` are the lines that it stands on."""
    queens = meta.theirs[QUEEN]
    pawns = bitboards.PAWN_ATTACKS[0, square] & meta.theirs[PAWN]
    attackers = across & (meta.theirs[ROOK] | queens) | aslant & (meta.theirs[BISHOP] | queens)
    attackers |= bitboards.KNIGHT_ATTACKS[square] & meta.theirs[KNIGHT]
    attackers |= bitboards.KING_ATTACKS[square] & meta.theirs[KING]
    if attackers | pawns == 0:
        return 1.0
    men = enemies(meta)
    danger = age_sum(meta, attackers) / ages
    if pawns:
        danger += _pawn_danger(meta, pawns, weights)
    danger = min(1.0, danger * weights.danger * (men + 1) / 16)
    pieces = _their_pieces(meta) | meta.theirs[KING]
    if pawns & ~(meta.empty | pieces):
        danger = 1.0
    if square == moved:
        if took:
            return 1.0 - max(danger, weights.retaken)
        danger = min(1.0, danger * weights.just_moved)
    if kind == KING:
        return 1.0 - danger
    protectors = bitboards.PAWN_ATTACKS[1, square] & meta.men[PAWN] | bitboards.KING_ATTACKS[square] & meta.men[KING]
    protectors |= bitboards.KNIGHT_ATTACKS[square] & meta.men[KNIGHT]
    protectors |= across & (meta.men[ROOK] | meta.men[QUEEN]) | aslant & (meta.men[BISHOP] | meta.men[QUEEN])
    if protectors == 0:
        return 1.0 - max(danger, weights.unprotected)
    least = PAWN
    while least < KING and not meta.men[least] & protectors:
        least += 1
    floor = weights.least_danger * danger
    danger *= weights.protected * (1.0 - weights.protection[least]) * men / 15
    for _ in range(ones(protectors) - 1):
        danger *= weights.protected
    if least != KING and weights.worth[least] <= weights.worth[kind]:
        danger *= weights.cheap_protector
    return 1.0 - max(danger, floor)


@kernel
def _ignorance(meta, weights):
    """Return the cost of unknown squares: highest where their pawns may be close to promotion."""
    cost, pawns = 0.0, meta.theirs[PAWN]
    for rank in range(6):
        row = pawns & (np.int64(0xFF) << (8 * rank + 8))
        if row:
            cost += weights.pawn_fear[rank] * age_sum(meta, row)
    for kind in range(KNIGHT, KINDS):
        cost += weights.unknown[kind] * age_sum(meta, meta.theirs[kind])
    return cost / AGE_OF_A_MAN


@kernel
def prey(meta, kind, square, weights):
    """Return the possible gain and risk of a man's move to a possibly occupied square."""
    here = bit(square)
    pieces = _their_pieces(meta)
    pawn, piece = 0.0, 0.0
    if meta.theirs[PAWN] & here:
        there = ones(meta.theirs[PAWN] & (A_FILE << (square & 7)))
        pawn = min(1.0, per_file(meta.most, square & 7) / there)
    if pieces & here:
        piece = min(1.0 - pawn, meta.their_pieces * age_sum(meta, here) / max(1, age_sum(meta, pieces)))
    gain = pawn * (weights.their_pawn + weights.man) + piece * (weights.their_piece + weights.man)
    return weights.hunt * (gain - weights.hunted * (pawn + piece) * weights.worth[kind])


@kernel
def confinement(kings):
    """Score the confinement of the opponent's king: fewer possible squares, nearer to the edge."""
    total, left, ranks, files = 0.0, kings, 0, 0
    while left:
        square = trailing_zeros(left)
        total += CENTRALITY[square]
        ranks |= 1 << (square >> 3)
        files |= 1 << (square & 7)
        left &= left - 1
    if ranks & (ranks - 1) == 0 or files & (files - 1) == 0:
        total *= ONE_LINE
    return FREE_KING - SQUARE_COST * total


@inlined
def _pawn_progress(meta, square, men, weights):
    """Return the value of an own pawn's advance, higher if no pawn can stop it."""
    rank = (square >> 3) - 1
    ahead = (A_FILE << (square & 7)) & (np.int64(-1) << (square + 1))
    beside = (ahead & ~A_FILE) >> 1 & 0x7FFFFFFFFFFFFFFF | (ahead & ~(A_FILE << 7)) << 1
    worth = weights.advance * rank
    if meta.theirs[PAWN] & ahead == 0:
        share = SHIELDED if meta.theirs[PAWN] & beside else 1.0
        worth += weights.passed_pawn * share * rank * rank * (16 - men) / 16
    return worth


@kernel
def stalemate_chance(meta, sure, attacked):
    """Return the share of its squares on which the opponent's king is stalemated, if only the king could move.

    The own men attack the squares `sure` in any case, and `attacked` if nothing stands in between.
    """
    kings, helpless = meta.theirs[KING], 1.0
    if _their_pieces(meta) | (meta.theirs[PAWN] >> 8) & meta.empty:
        helpless = BLOCKED ** enemies(meta)
    return ones(kings & ~sure & ~around(~attacked)) / ones(kings) * helpless


@kernel
def value(meta, moved, took, weights):
    """Evaluate a metaposition after an own move of the man now on `moved`, which `took` something or not.

    1 own men by their safety, and what they attack    2 material    3 control and ignorance    4 progress to mate
    """
    men, blocked = enemies(meta), ~meta.empty
    ages = max(1, age_sum(meta, possible_men(meta)))
    total, attacked = 0.0, np.int64(0)
    # 1. The king counts by the men that could still mate it; lines are computed once, for safety and attacks.
    for kind in range(KINDS):
        worth = weights.worth[kind]
        if kind == QUEEN:
            worth += weights.queen
        elif kind == KING:
            worth *= men / 15
        left = meta.men[kind]
        while left:
            square = trailing_zeros(left)
            across, aslant = bitboards.straight(square, blocked), bitboards.diagonal(square, blocked)
            total += worth * _safety(meta, kind, square, across, aslant, moved, took, ages, weights)
            if kind == PAWN:
                attacked |= bitboards.PAWN_ATTACKS[0, square]
                total += _pawn_progress(meta, square, men, weights)
            elif kind == KNIGHT:
                attacked |= bitboards.KNIGHT_ATTACKS[square]
            elif kind == KING:
                attacked |= bitboards.KING_ATTACKS[square]
            else:
                if kind != BISHOP:
                    attacked |= across
                if kind != ROOK:
                    attacked |= aslant
            left &= left - 1
    # 2. Their men count by number, because kinds are not announced.
    own = ones(meta.own)
    total -= weights.their_pawn * meta.their_pawns + weights.their_piece * meta.their_pieces
    total += weights.man * (own - men - 1)
    # 3. Attacked squares and files without their pawns are known; unknown squares cost by their age.
    total += weights.attacked * ones(attacked & ~meta.own)
    for file in range(8):
        if meta.theirs[PAWN] & (A_FILE << file) == 0:
            total += weights.open_file
    total -= _ignorance(meta, weights)
    # 4. Men that can mate or promote; near the end the king's squares; impatience; a king next to its last men.
    fit = ones(meta.men[PAWN] | meta.men[ROOK] | meta.men[QUEEN])
    total += weights.mating_men * min(fit, ENOUGH) * (15 - men) / 15
    if fit == 0:
        total -= weights.no_mating_men
    if men < END_NEAR and own > men:
        kings, sure = meta.theirs[KING], sure_attacks(meta)
        end_near = weights.confined * PROGRESS[men] * confinement(kings & ~sure if kings & ~sure else kings)
        end_near += weights.mate_chance * (ones(kings & sure & ~around(~attacked)) / ones(kings) / (1 << men))
        total += end_near - weights.stalemate_chance * stalemate_chance(meta, sure, attacked)
    if meta.quiet > PATIENT:
        total -= weights.patience * (meta.quiet - PATIENT)
    if own < FEW_OWN:
        total += weights.close_king * ones(bitboards.KING_ATTACKS[trailing_zeros(meta.men[KING])] & meta.own)
    return total
