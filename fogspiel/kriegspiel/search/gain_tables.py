"""Gains of attempts on sampled boards: a table of boards and attempts, its evaluators, and the order it gives.

A cell of the table is the gain of the attempt on the board, in centipawns relative to the current material, or ILLEGAL.
Gains and losses are limited to MAX: mate, too, is only a great gain.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from ...core.compile.kernel import in_place, inlined, kernel, ones
from ...games.chess import search
from ...games.chess.bitboards import KINDS, NO_SQUARE, NONE, PAWN, WHITE, bit, kind_on
from ...games.chess.moves import CHECKERS, LIMITS, can_move, destinations, restrict
from ...games.chess.position import MEN, MOVER, PASSANT, POSITION, copy_board, end_of, make, start_of
from ...games.chess.search import LEVELS, ROW, SCORE, VALUE, WORTH, change, material_score, place, search_move
from ..parameters import FogParameters, phase_of_men

ILLEGAL = -(2**31)  # less than any gain: the least 32-bit number
MAX = 2000  # more than two queens (set by hand)
DOUBT = 2.0  # pseudo-boards with the mean attempt's gain, added to those on which an attempt was evaluated; set by hand


class Evaluator(Protocol):
    """Interface of evaluators of attempts on boards."""

    boards: int  # number of boards per call

    def begin(self) -> None:
        """Start a new game."""

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        """Fill a table: a row for every board, a column for every attempt."""


@kernel
def tabulate(boards, attempts, depth, rows, gains):
    """Fill the table of gains by a search of every legal attempt; attempts are grouped by man."""
    limits = np.empty(LIMITS, np.int64)
    for b in range(len(boards)):
        board = boards[b]
        restrict(board, limits)
        score = material_score(board, WORTH)
        before = score if board[MOVER] == WHITE else -score
        start, ends = -1, NONE
        for a in range(len(attempts)):
            if start_of(attempts[a]) != start:
                start = start_of(attempts[a])
                ends = destinations(board, kind_on(board, start), start, limits)
            if ends & bit(end_of(attempts[a])):
                place(rows, board, WORTH)
                rows[0, SCORE] += change(board, attempts[a], WORTH)
                make(rows[0], attempts[a])
                value, _ = search_move(rows, WORTH, depth, -before - MAX, -before + MAX)
                gains[b, a] = min(max(-value - before, -MAX), MAX)
            else:
                gains[b, a] = ILLEGAL


class SearchThreads:
    """Search rows for each thread, which processes its share of the boards."""

    def __init__(self, threads: int, levels: int):
        self.rows = np.zeros((threads, levels, ROW), np.int64)
        self.workers = ThreadPoolExecutor(threads) if threads > 1 else None

    def fill(self, kernel: Callable[..., None], boards: np.ndarray, gains: np.ndarray, *given: object) -> None:
        """Fill a table by a kernel of boards, the `given` arguments, the rows of a search, and gains."""
        if self.workers is None:
            kernel(boards, *given, self.rows[0], gains)
            return
        cuts = np.linspace(0, len(boards), len(self.rows) + 1).astype(int)
        shares = zip(cuts, cuts[1:], self.rows, strict=False)
        for task in [self.workers.submit(kernel, boards[i:j], *given, rows, gains[i:j]) for i, j, rows in shares]:
            task.result()


class Quiescence(SearchThreads):
    """Evaluator by our own search: the attempt, a number of further plies, and quiescence."""

    boards = 16

    def __init__(self, depth: int = 0, threads: int = 1):
        super().__init__(threads, LEVELS)
        self.depth = depth

    def begin(self) -> None:
        """Do nothing: no state is kept between games."""

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        self.fill(tabulate, boards, gains, attempts, self.depth)


# Gain and threats of an attempt on a board.
#
#     gain    what is left of it after the opponent's reply with full information: a short search of captures
#     threat  our best capture next if the opponent changed nothing: the same search, with the move given back to us
#
# The value of an attempt is its gain plus a share of its threat, which we may be unable to execute on the true board.
# The share is what moves in games have realised (docs/kriegspiel.md). Values of men are learned from games of
# Kriegspiel (`FogWeights`), by the number of men on the board.

GAIN_LEVELS, THREAT_LEVELS = 6, 4  # search depth in positions
GREATEST_THREAT = 1000  # a queen and some more (set by hand)


@inlined
def place_position(rows, position, score):
    copy_board(position, rows[0])
    rows[0, SCORE] = score


@in_place
def value_after(position, score, before, worths, threat, rows, limits):
    """Return our value of a position with the opponent to move; `before` was ours."""
    restrict(position, limits)
    checked = limits[CHECKERS] != NONE
    if not checked and not can_move(position, limits):
        return 0.0
    place_position(rows, position, score)
    theirs, _ = search_move(rows, worths, 0, -before - MAX, -before + MAX)
    if checked or threat == 0.0:
        return float(-theirs)
    # the threat: our best capture if it were our move
    place_position(rows, position, score)
    rows[0, MOVER], rows[0, PASSANT] = 1 - position[MOVER], NO_SQUARE
    stand = search.static_value(rows[0])
    value, _ = search_move(rows[:THREAT_LEVELS], worths, 0, stand, stand + GREATEST_THREAT)
    return -theirs + threat * min(max(value - stand, 0), GREATEST_THREAT)


@kernel
def tabulate_threats(boards, attempts, worths, threat, rows, gains):
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


class ThreatEvaluator(SearchThreads):
    """Evaluator of attempts by their gains and threats."""

    def __init__(self, parameters: FogParameters, worths: np.ndarray, threads: int = 1):
        super().__init__(threads, GAIN_LEVELS)
        self.threat = parameters.threat
        # values by colour, kind and square, with the square bonuses of chess: for men other than pawns a share of them
        shares = np.where(np.arange(KINDS) == PAWN, 1.0, parameters.placement)
        bonuses = shares[None, :, None] * (WORTH - VALUE[None, :KINDS, None])
        self.tables = [np.round(by_kind[None, :, None] + bonuses).astype(np.int64) for by_kind in worths]

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        worths = self.tables[phase_of_men(ones(boards[0, MEN] | boards[0, MEN + 1]))]
        self.fill(tabulate_threats, boards, gains, attempts, worths, self.threat)


# Order of attempts, by a table of their gains on weighted boards.
#
# An illegal attempt costs nothing, and another one follows it. So two attempts are compared on the boards on which both
# are legal, because there the first one tried is made: the one that gains more there should come first. The first
# attempt is the one whose worst comparison is best. Of attempts with equal gains, one that is less often legal comes
# first, because a refusal is informative.

COMPARED = 10  # attempts compared pairwise: those with the greatest mean advantage


@in_place
def mean_advantages(gains, weights, costs, doubt, means, legal):
    """Fill in each attempt's mean advantage over the mean attempt, minus its cost, and its weight of legal boards.

    On additional boards of the weight `doubt` an attempt is assumed to be average.
    """
    boards, attempts = gains.shape
    for a in range(attempts):
        means[a], legal[a] = 0.0, 0.0
    for b in range(boards):
        total, possible = 0.0, 0
        for a in range(attempts):
            if gains[b, a] != ILLEGAL:
                total += gains[b, a]
                possible += 1
        for a in range(attempts):
            if gains[b, a] != ILLEGAL:
                means[a] += weights[b] * (gains[b, a] - total / possible)
                legal[a] += weights[b]
    for a in range(attempts):
        means[a] = means[a] / (legal[a] + doubt) - costs[a] if legal[a] > 0.0 else -np.inf


@in_place
def advantage_over(gains, weights, a, other, doubt):
    """Return the mean advantage of an attempt over another on the boards on which both are legal."""
    total, both = 0.0, 0.0
    for b in range(len(gains)):
        if gains[b, a] != ILLEGAL and gains[b, other] != ILLEGAL:
            total += weights[b] * (gains[b, a] - gains[b, other])
            both += weights[b]
    return total / (both + doubt)


@kernel
def rank_attempts(gains, weights, costs, doubt, probing, ranks):
    """Fill in ranks, greatest for the attempt to make first; return True if any attempt is known to be legal.

    The rank of a compared attempt is its worst comparison plus `probing` times its probability of being refused.
    """
    attempts = gains.shape[1]
    means, legal = np.empty(attempts), np.empty(attempts)
    mean_advantages(gains, weights, costs, doubt, means, legal)
    order, total = np.argsort(-means), weights.sum()
    ranks[:] = -np.inf
    for i in range(min(COMPARED, attempts)):
        a = order[i]
        if legal[a] > 0.0:
            ranks[a] = np.inf
            for j in range(min(COMPARED, attempts)):
                other = order[j]
                if j != i and legal[other] > 0.0:
                    ahead = advantage_over(gains, weights, a, other, doubt) - costs[a] + costs[other]
                    ranks[a] = min(ranks[a], ahead)
            ranks[a] += probing * (1.0 - legal[a] / total)
    return legal.max() > 0.0
