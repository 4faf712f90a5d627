"""Static evaluation of a metaposition: material by its safety, information, position, progress towards mate.

The weights are starting values of the published descriptions, some changed after play; they are one record, so that
they can be tuned. Values are in pawns, about.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ...core.compile.kernel import in_place, inlined, kernel, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import (
    A_FILE,
    BISHOP,
    KINDS,
    KING,
    KNIGHT,
    NO_SQUARE,
    NONE,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
    bit,
    diagonal,
    kind_on,
    straight,
)
from ...games.chess.moves import CHECKERS, LIMITS, can_move, destinations, restrict
from ...games.chess.position import MEN, MOVER, PASSANT, POSITION, end_of, make, start_of
from ...games.chess.search import ROW, SCORE, VALUE, WORTH, change, material_score, search_move, static_value
from ..beliefs.board_filter import around
from ..beliefs.metaposition import AGE_OF_A_MAN, age_sum, enemies, per_file, possible_men, sure_attacks
from ..beliefs.particle_filter import copy_board
from ..parameters import FogParameters, phase_of_men
from .board_evaluator import ILLEGAL, MAX

_WEIGHTS = (
    ("worth", (1.6, 2.8, 3.0, 4.0, 9.0, 5.0)),  # what a safe own man is worth, by kind
    ("queen", 10.0),  # what a queen is worth besides
    ("their_pawn", 1.2),  # what a man of the other side is worth
    ("their_piece", 3.0),
    ("man", 1.0),  # what it is worth to have a man more than the other side
    ("danger", 4.5),  # how dangerous the men are that may attack a man
    ("pawn_danger", 2.5),  # the same of pawns
    ("just_moved", 1.2),  # how much more dangerous it is for the man that has moved
    ("retaken", 1.0),  # how likely a man that has taken is lost at least
    ("unprotected", 0.25),  # how likely a man without protection is lost at least, where it may be attacked
    ("protected", 0.85),  # what is left of the danger for each protector
    ("protection", (0.4, 0.4, 0.3, 0.25, 0.15, 0.35)),  # what the cheapest protector takes away besides, by its kind
    ("cheap_protector", 0.8),  # what is left of it if the protector is no dearer than the man
    ("least_danger", 0.1),  # what is left of it whatever protects
    ("attacked", 0.025),  # what an attacked square is worth
    ("open_file", 0.4),  # what a file is worth on which the other side can have no pawn
    ("advance", 0.02),  # what each rank that a pawn has gained is worth
    ("passed_pawn", 0.15),  # the same, by its square, if no pawn can stop it
    ("pawn_fear", (2.0, 1.0, 0.25, 0.1, 0.05, 0.02)),  # what a possible pawn costs, by the ranks before its promotion
    ("unknown", (0.0, 0.01, 0.01, 0.02, 0.025, 0.005)),  # what a possible man costs, by kind
    ("hunt", 1.0),  # how much of what a move may take counts
    ("hunted", 0.5),  # how likely the man is then taken
    ("mating_men", 4.0),  # what a man that can mate or promote is worth besides, against no men
    ("no_mating_men", 6.0),  # what it costs to have none
    ("confined", 0.05),  # what the confinement of a lone king is worth
    ("mate_chance", 30.0),  # what mate is worth
    ("stalemate_chance", 300.0),  # what stalemate costs
    ("close_king", 0.1),  # what an own man beside the king is worth when few are left
    ("patience", 0.1),  # what a move without a capture or pawn move costs when there have been many
    ("alpha", 0.9),  # how much the static value of a node counts against that of its best child
)
_LAYOUT = [(name, np.float64, np.shape(values)) for name, values in _WEIGHTS]
# The weights as kernels receive them.
WEIGHTS: np.record = np.array([tuple(values for _, values in _WEIGHTS)], np.dtype((np.record, _LAYOUT)))[0]

CENTRALITY = np.array(
    [1.0 + 3.2 * (min(s % 8, 7 - s % 8) + min(s // 8, 7 - s // 8)) / 6 for s in range(64)], np.float64
)  # what a possible square of the other king costs: 1 in a corner, 4.2 in the centre
# How much the confinement of the other king counts, by the number of men it has left.
PROGRESS = np.array([1.0, 0.2, 0.1, 0.05, 0.05, 0.02])
ENOUGH = 4  # how many men that can mate alone, or promote, are worth keeping
# How likely it is that a man of the other side, late in a game, cannot move: mostly a pawn that meets another.
BLOCKED = 0.75
PATIENT = 20  # own moves without a capture or a pawn move before patience ends
# With fewer men of the other side besides its king it can be mated; with fewer own men they stay together.
END_NEAR, FEW_OWN = 6, 5
# The confinement of a king that is nowhere, what the weight of each possible square takes away, and how much of that
# if all of them lie on one rank or file.
FREE_KING, SQUARE_COST, ONE_LINE = 60.0, 0.5, 0.85
SHIELDED = 0.5  # how much a passed pawn is worth that a pawn of a file beside may take


@inlined
def _their_pieces(meta):
    """Return the squares on which the other side may have pieces."""
    return meta.theirs[KNIGHT] | meta.theirs[BISHOP] | meta.theirs[ROOK] | meta.theirs[QUEEN]


@inlined
def _pawn_danger(meta, squares, weights):
    """The danger from pawns that may be on these squares: high where their file has few squares for its pawns."""
    danger = 0.0
    while squares:
        file = trailing_zeros(squares) & 7
        there = ones(meta.theirs[PAWN] & (A_FILE << file))
        danger += weights.pawn_danger * per_file(meta.most, file) / there
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
    """Return the safety of an own man, from 0 to 1; `across` and `aslant` are the lines that it stands on."""
    queens = meta.theirs[QUEEN]
    pawns = bitboards.PAWN_ATTACKS[0, square] & meta.theirs[PAWN]
    attackers = across & (meta.theirs[ROOK] | queens) | aslant & (meta.theirs[BISHOP] | queens)
    attackers |= (
        bitboards.KNIGHT_ATTACKS[square] & meta.theirs[KNIGHT] | bitboards.KING_ATTACKS[square] & meta.theirs[KING]
    )
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
    protectors = (
        bitboards.PAWN_ATTACKS[1, square] & meta.men[PAWN]
        | bitboards.KNIGHT_ATTACKS[square] & meta.men[KNIGHT]
        | bitboards.KING_ATTACKS[square] & meta.men[KING]
    )
    protectors |= across & (meta.men[ROOK] | meta.men[QUEEN]) | aslant & (meta.men[BISHOP] | meta.men[QUEEN])
    if protectors == 0:
        return 1.0 - max(danger, weights.unprotected)
    least = _least_protector(meta, protectors)
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
    """Return the possible gain and risk of a man's move to a square that is perhaps occupied."""
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
    """Score the confinement of the other king: fewer possible squares, nearer to the edge."""
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
def _helplessness(meta):
    """Return the probability that only the king of the other side could move."""
    if _their_pieces(meta) | (meta.theirs[PAWN] >> 8) & meta.empty:
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
    """Score the endgame: few men of the other side, its king's squares, mate and stalemate."""
    kings, sure = meta.theirs[KING], sure_attacks(meta)
    quiet = kings & ~sure
    total = weights.confined * PROGRESS[men] * confinement(quiet if quiet else kings)
    mate = ones(kings & sure & ~around(~attacked)) / ones(kings) / (1 << men)
    return total + weights.mate_chance * mate - weights.stalemate_chance * stalemate_chance(meta, sure, attacked)


@kernel
def value(meta, moved, took, weights):
    """Evaluate a metaposition after an own move of the man now on `moved`, which `took` something or not."""
    men, blocked = enemies(meta), ~meta.empty
    ages = max(1, age_sum(meta, possible_men(meta)))
    total, attacked = 0.0, np.int64(0)
    for kind in range(KINDS):
        worth = weights.worth[kind]
        if kind == QUEEN:
            worth += weights.queen
        elif kind == KING:
            worth *= men / 15
        left = meta.men[kind]
        while left:
            square = trailing_zeros(left)
            across, aslant = straight(square, blocked), diagonal(square, blocked)
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
    own = ones(meta.own)
    total -= weights.their_pawn * meta.their_pawns + weights.their_piece * meta.their_pieces
    total += weights.man * (own - men - 1)
    total += weights.attacked * ones(attacked & ~meta.own)
    for file in range(8):
        if meta.theirs[PAWN] & (A_FILE << file) == 0:
            total += weights.open_file
    total -= _ignorance(meta, weights)
    fit = ones(meta.men[PAWN] | meta.men[ROOK] | meta.men[QUEEN])
    total += weights.mating_men * min(fit, ENOUGH) * (15 - men) / 15
    if fit == 0:
        total -= weights.no_mating_men
    if men < END_NEAR and own > men:
        total += _end_near(meta, attacked, men, weights)
    if meta.quiet > PATIENT:
        total -= weights.patience * (meta.quiet - PATIENT)
    if own < FEW_OWN:
        total += weights.close_king * ones(bitboards.KING_ATTACKS[trailing_zeros(meta.men[KING])] & meta.own)
    return total


# Gain and threats of an attempt on a board.
#
#     gain    what is left of it when the opponent has replied as if it saw everything: a short search of captures
#     threat  what we could take next if the opponent changed nothing: the same search, with the move given back to us
#
# An attempt is worth its gain and a share of its threat, which on the true board we may not know to carry out. The
# share is what moves in games have realised (docs/kriegspiel.md). Men are worth what games of Kriegspiel say they are
# worth (`learned`), by the number of men on the board.

GAIN_LEVELS, THREAT_LEVELS = 6, 4  # how many positions in a row a search looks at
GREATEST_THREAT = 1000
ALL_SQUARES = 2**64 - 1


@inlined
def place_position(rows, position, score):
    """Put a position with its material score into the first row of a search."""
    copy_board(position, rows[0])
    rows[0, SCORE] = score


@in_place
def threat_in(position, score, worths, rows):
    """Return our best capture if it were our move in a position with the opponent to move, not in check."""
    place_position(rows, position, score)
    rows[0, MOVER], rows[0, PASSANT] = 1 - position[MOVER], NO_SQUARE
    stand = static_value(rows[0])
    value, _ = search_move(rows[:THREAT_LEVELS], worths, 0, stand, stand + GREATEST_THREAT)
    return min(max(value - stand, 0), GREATEST_THREAT)


@in_place
def value_after(position, score, before, worths, threat, rows, limits):
    """The value for us of a position in which the opponent is to move; `before` was ours."""
    restrict(position, limits)
    checked = limits[CHECKERS] != NONE
    if not checked and not can_move(position, limits):
        return 0.0
    place_position(rows, position, score)
    theirs, _ = search_move(rows, worths, 0, -before - MAX, -before + MAX)
    if checked or threat == 0.0:
        return float(-theirs)
    return -theirs + threat * threat_in(position, score, worths, rows)


@kernel
def tabulate_threats(boards, attempts, worths, threat, rows, gains):
    """Fill the table of gains, attempts of a man standing together."""
    limits, after = np.empty((2, LIMITS), np.int64), np.empty(POSITION, np.int64)
    for b in range(len(boards)):
        board = boards[b]
        restrict(board, limits[0])
        standing = material_score(board, worths)
        before = standing if board[MOVER] == WHITE else -standing
        start, ends = -1, NONE
        for a in range(len(attempts)):
            move = attempts[a]
            if start_of(move) != start:
                start = start_of(move)
                ends = destinations(board, kind_on(board, start), start, limits[0])
            if ends & bit(end_of(move)) == 0:
                gains[b, a] = ILLEGAL
                continue
            score = standing + change(board, move, worths)
            copy_board(board, after)
            make(after, move)
            value = value_after(after, score, before, worths, threat, rows, limits[1])
            gains[b, a] = np.int32(min(max(value - before, -MAX), MAX))


def worth_table(worths: np.ndarray, placement: float) -> np.ndarray:
    """The worth of a man by colour, kind and square, from that by kind; squares add what they add in chess.

    For men other than pawns only the share `placement` of it is added.
    """
    squares = WORTH - VALUE[None, :KINDS, None]
    shares = np.where(np.arange(KINDS) == PAWN, 1.0, placement)
    return np.asarray(np.round(worths[None, :, None] + shares[None, :, None] * squares).astype(np.int64))


class ThreatEvaluator:
    """Evaluates attempts on boards, every thread its share of the boards."""

    def __init__(self, parameters: FogParameters, worths: np.ndarray, threads: int = 1):
        self.threat = parameters.threat
        self.tables = [worth_table(by_kind, parameters.placement) for by_kind in worths]
        self.rows = np.zeros((threads, GAIN_LEVELS, ROW), np.int64)
        self.workers = ThreadPoolExecutor(threads) if threads > 1 else None

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        """Fill a table: a row for every board, a column for every attempt."""
        men = int(boards[0, MEN] | boards[0, MEN + 1]) & ALL_SQUARES
        worths = self.tables[phase_of_men(men.bit_count())]
        if self.workers is None:
            tabulate_threats(boards, attempts, worths, self.threat, self.rows[0], gains)
            return
        cuts = np.linspace(0, len(boards), len(self.rows) + 1).astype(int)
        tasks = [
            self.workers.submit(tabulate_threats, boards[i:j], attempts, worths, self.threat, rows, gains[i:j])
            for i, j, rows in zip(cuts, cuts[1:], self.rows, strict=False)
        ]
        for task in tasks:
            task.result()
