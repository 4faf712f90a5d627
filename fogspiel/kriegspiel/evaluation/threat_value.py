"""Gain and threats of an attempt on a board.

    gain    what is left of it when the opponent has replied as if it saw everything: a short search of captures
    threat  what we could take next if the opponent changed nothing: the same search, with the move given back to us

An attempt is worth its gain and a share of its threat, which on the true board we may not know to carry out. The share
is what moves in games have realised (docs/kriegspiel.md). Men are worth what games of Kriegspiel say they are worth
(`training.value_fit`), by the number of men on the board.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ...core.kernel import in_place, inlined, kernel
from ...games.chess.bits import NO_SQUARE, NONE, bit
from ...games.chess.limits import CHECKERS, LIMITS, restrict
from ...games.chess.men import KINDS, PAWN, WHITE, kind_on
from ...games.chess.move_code import end_of, start_of
from ...games.chess.moves import can_move, destinations
from ...games.chess.position import MEN, MOVER, PASSANT, POSITION, make
from ...games.chess.search import ROW, SCORE, VALUE, WORTH, change, material_score, search_move, static_value
from ..beliefs.particle_filter import copy_board
from ..parameters import FogParameters
from ..training.value_fit import phase_of_men
from .board_evaluator import ILLEGAL, MOST

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
    theirs, _ = search_move(rows, worths, 0, -before - MOST, -before + MOST)
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
            gains[b, a] = np.int32(min(max(value - before, -MOST), MOST))


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
