"""Gains of attempts on sampled boards: a table of boards and attempts, its evaluators, and the order it gives.

A cell of the table is what the attempt gains on the board, in centipawns against the men on it now, or
ILLEGAL. A loss or gain is never more than MAX: mate, too, is only a great gain.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from ...core.compile.kernel import in_place, inlined, kernel
from ...games.chess.bitboards import KINDS, NO_SQUARE, NONE, PAWN, WHITE, bit, kind_on
from ...games.chess.moves import CHECKERS, LIMITS, can_move, destinations, restrict
from ...games.chess.position import MEN, MOVER, PASSANT, POSITION, copy_board, end_of, make, start_of
from ...games.chess.search import (
    LEVELS,
    ROW,
    SCORE,
    VALUE,
    WORTH,
    change,
    material_score,
    place,
    search_move,
    static_value,
)
from ..parameters import FogParameters, phase_of_men

ILLEGAL = -(2**31)  # less than any gain: the least 32-bit number
MAX = 2000  # more than two queens (set by hand)
# Boards on which an attempt is assumed to gain as much as the mean attempt, besides those it was evaluated on; by hand.
DOUBT = 2.0


class Evaluator(Protocol):
    """Interface of evaluators of attempts on boards."""

    boards: int  # how many boards it takes at a time

    def begin(self) -> None:
        """A new game starts."""

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        """Fill a table: a row for every board, a column for every attempt."""


@kernel
def tabulate(boards, attempts, depth, rows, gains):
    """Fill the table of gains by a search of every legal attempt, attempts of a man standing together."""
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
    """The rows of a search for each thread, every thread with its share of the boards."""

    def __init__(self, threads: int, levels: int):
        self.rows = np.zeros((threads, levels, ROW), np.int64)
        self.workers = ThreadPoolExecutor(threads) if threads > 1 else None

    def fill(self, kernel: Callable[..., None], boards: np.ndarray, gains: np.ndarray, *given: object) -> None:
        """Fill a table by a kernel of boards, what is `given`, the rows of a search, and gains."""
        if self.workers is None:
            kernel(boards, *given, self.rows[0], gains)
            return
        cuts = np.linspace(0, len(boards), len(self.rows) + 1).astype(int)
        shares = zip(cuts, cuts[1:], self.rows, strict=False)
        for task in [self.workers.submit(kernel, boards[i:j], *given, rows, gains[i:j]) for i, j, rows in shares]:
            task.result()


class Quiescence(SearchThreads):
    """Evaluates by our own search: the attempt, this many plies more, and quiescence."""

    boards = 16

    def __init__(self, depth: int = 0, threads: int = 1):
        super().__init__(threads, LEVELS)
        self.depth = depth

    def begin(self) -> None:
        """Nothing is remembered from game to game."""

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        self.fill(tabulate, boards, gains, attempts, self.depth)


# Gain and threats of an attempt on a board.
#
#     gain    what is left of it when the opponent has replied as if it saw everything: a short search of captures
#     threat  what we could take next if the opponent changed nothing: the same search, with the move given back to us
#
# An attempt is worth its gain and a share of its threat, which on the true board we may not know to carry out. The
# share is what moves in games have realised (docs/kriegspiel.md). Men are worth what games of Kriegspiel say they are
# worth (`FogWeights`), by the number of men on the board.

GAIN_LEVELS, THREAT_LEVELS = 6, 4  # how many positions in a row a search inspects
GREATEST_THREAT = 1000  # a queen and some more (set by hand)
ALL_SQUARES = 2**64 - 1  # what makes a set of squares a number that is not negative


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
    """Return the value for us of a position in which the opponent is to move; `before` was ours."""
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
    """Return the worth of a man by colour, kind and square, from that by kind; squares add what they add in chess.

    For men other than pawns only the share `placement` of it is added.
    """
    squares = WORTH - VALUE[None, :KINDS, None]
    shares = np.where(np.arange(KINDS) == PAWN, 1.0, placement)
    return np.asarray(np.round(worths[None, :, None] + shares[None, :, None] * squares).astype(np.int64))


class ThreatEvaluator(SearchThreads):
    """Evaluates attempts by their gains and threats."""

    def __init__(self, parameters: FogParameters, worths: np.ndarray, threads: int = 1):
        super().__init__(threads, GAIN_LEVELS)
        self.threat = parameters.threat
        self.tables = [worth_table(by_kind, parameters.placement) for by_kind in worths]

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        """Fill a table: a row for every board, a column for every attempt."""
        men = int(boards[0, MEN] | boards[0, MEN + 1]) & ALL_SQUARES
        worths = self.tables[phase_of_men(men.bit_count())]
        self.fill(tabulate_threats, boards, gains, attempts, worths, self.threat)


# Order of attempts, by a table of their gains on weighted boards.
#
# A illegal attempt costs nothing, and where it is refused another one follows. So an attempt is compared with another
# on the boards on which both are legal, for there the one that is tried first is made: it should be tried first if it
# gains more there. The first attempt is the one whose worst comparison is best. Of attempts that gain the same, one
# that is less often legal comes first, because a refusal tells something.

COMPARED = 10  # attempts that are compared in pairs: those with the greatest mean advantage


@in_place
def mean_advantages(gains, weights, costs, doubt, means, legal):
    """Return each attempt's mean advantage over the mean one, less its cost, and the weight of the boards where it is
    legal.

    On boards of the weight `doubt`, besides those on which it was evaluated, an attempt is assumed to be average.
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
    """Fill in ranks: the greatest is that of the attempt to make first. Whether any attempt is known to be legal.

    The rank of an attempt that is compared is its worst comparison, and `probing` times the probability that it is
    refused.
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
