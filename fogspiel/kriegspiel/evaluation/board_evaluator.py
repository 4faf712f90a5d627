"""Values of attempts on sampled boards: a table of boards and attempts, and its summaries.

A cell of the table is what the attempt gains on the board, in hundredths of a pawn against the men on it now, or
ILLEGAL. A loss or gain is never more than MOST: mate, too, is only a great gain.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from ...core.kernel import kernel
from ...games.chess.bits import NONE, bit
from ...games.chess.limits import LIMITS, restrict
from ...games.chess.men import WHITE, kind_on
from ...games.chess.move_code import end_of, start_of
from ...games.chess.moves import destinations
from ...games.chess.position import MOVER, make
from ...games.chess.search import LEVELS, ROW, SCORE, WORTH, change, material_score, place, search_move

ILLEGAL = -(2**31)
MOST = 2000
# Boards on which an attempt is taken to gain as much as the mean attempt, besides those it was evaluated on.
DOUBT = 2.0


class Evaluator(Protocol):
    """Interface of evaluators of attempts on boards."""

    boards: int  # how many boards it takes at a time

    def begin(self) -> None:
        """A new game begins."""

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
                value, _ = search_move(rows, WORTH, depth, -before - MOST, -before + MOST)
                gains[b, a] = min(max(-value - before, -MOST), MOST)
            else:
                gains[b, a] = ILLEGAL


@kernel
def weigh(gains, out):
    """The mean advantage of every attempt over the mean attempt, on the boards where it is legal; and on how many."""
    boards, attempts = gains.shape
    counts = np.zeros(attempts, np.int64)
    for a in range(attempts):
        out[a] = 0.0
    for b in range(boards):
        total, legal = 0.0, 0
        for a in range(attempts):
            if gains[b, a] != ILLEGAL:
                total += gains[b, a]
                legal += 1
        for a in range(attempts):
            if gains[b, a] != ILLEGAL:
                out[a] += gains[b, a] - total / legal
                counts[a] += 1
    for a in range(attempts):
        out[a] /= counts[a] + DOUBT
    return counts


class Quiescence:
    """Evaluates by our own search: the attempt, so many plies more, and quiescence."""

    boards = 16

    def __init__(self, depth: int = 0, threads: int = 1):
        self.depth = depth
        self.rows = np.zeros((threads, LEVELS, ROW), np.int64)
        self.workers = ThreadPoolExecutor(threads) if threads > 1 else None

    def begin(self) -> None:
        """Nothing is remembered from game to game."""

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        """Fill the table, every thread its share of the boards."""
        if self.workers is None:
            tabulate(boards, attempts, self.depth, self.rows[0], gains)
            return
        cuts = np.linspace(0, len(boards), len(self.rows) + 1).astype(int)
        tasks = [
            self.workers.submit(tabulate, boards[i:j], attempts, self.depth, rows, gains[i:j])
            for i, j, rows in zip(cuts, cuts[1:], self.rows, strict=False)
        ]
        for task in tasks:
            task.result()
