"""What an attempt gains on a board against an opponent that does not see our men.

The opponent replies by its policy (`beliefs.reply_policy`). Each reply that takes a man or promotes counts with its
chance and with what a short search finds for us after it. All other replies count as one that changes nothing, after
which we carry out what we threaten, as far as `threat` says: on the true board we may not know where to strike. A
share `sight` is added of what the attempt gains against an opponent that sees everything. In check every reply counts
by itself.

Men are worth what games of Kriegspiel say (`training.value_fit`), by the number of men on the board.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ...core.kernel import in_place, inlined, kernel
from ...games.chess.bits import NO_SQUARE, NONE, bit
from ...games.chess.limits import CHECKERS, LIMITS, restrict
from ...games.chess.men import KING, WHITE, kind_on
from ...games.chess.move_code import end_of, promotion_of, start_of
from ...games.chess.moves import MOST_MOVES, destinations, legal_moves
from ...games.chess.position import MEN, MOVER, PASSANT, POSITION, make, victim_square
from ...games.chess.search import ROW, SCORE, VALUE, WORTH, change, material_score, search_move, static_value
from ..beliefs.particle_filter import copy_board
from ..beliefs.reply_policy import weigh_replies
from ..parameters import FogParameters
from ..training.value_fit import phase_of_men
from .board_evaluator import ILLEGAL, MOST

THREAT_LEVELS, REPLY_LEVELS, SEEN_LEVELS = 4, 3, 5
"""How many positions in a row a search looks at: our threat, the answer to a reply, the reply of one that sees."""
RARE = 0.002
"""A capture that is less likely counts as a quiet reply."""
GREATEST_THREAT = 1000
ALL_SQUARES = 2**64 - 1


@inlined
def place_position(rows, position, score):
    """Put a position with its material score into the first row of a search."""
    copy_board(position, rows[0])
    rows[0, SCORE] = score


@in_place
def value_of_peace(position, score, threat, worths, rows):
    """The value for us if the opponent, who is to move, changes nothing: ours now, and a share of what we threaten."""
    place_position(rows, position, score)
    rows[0, MOVER], rows[0, PASSANT] = 1 - position[MOVER], NO_SQUARE
    stand = static_value(rows[0])
    if threat == 0.0:
        return float(stand)
    value, _ = search_move(rows[:THREAT_LEVELS], worths, 0, stand, stand + MOST)
    return stand + threat * min(max(value - stand, 0), GREATEST_THREAT)


@in_place
def value_blindly(position, score, lost, before, policy, worths, threat, sight, rows, moves, weights, limits):
    """The value for us of a position in which the opponent is to move; `lost` is where it has just lost a man."""
    restrict(position, limits)
    count, checked = legal_moves(position, limits, moves), limits[CHECKERS] != 0
    if count == 0:
        return float(before + MOST) if checked else 0.0
    total = weigh_replies(position, moves, count, lost, checked, policy, weights)
    ours, value, left = position[MEN + 1 - position[MOVER]], 0.0, 1.0
    for i in range(count):
        chance = weights[i] / total
        takes = ours & bit(end_of(moves[i])) or promotion_of(moves[i])
        if checked or (takes and chance > RARE):
            place_position(rows, position, score + change(position, moves[i], worths))
            make(rows[0], moves[i])
            after, _ = search_move(rows[:REPLY_LEVELS], worths, 0, before - MOST, before + MOST)
            value += chance * after
            left -= chance
    if not checked:
        value += left * value_of_peace(position, score, threat, worths, rows)
    if sight > 0.0:
        place_position(rows, position, score)
        theirs, _ = search_move(rows[:SEEN_LEVELS], worths, 0, -before - MOST, -before + MOST)
        value += sight * (-theirs - value)
    return value


@kernel
def tabulate_blindly(boards, attempts, policy, worths, threat, sight, rows, gains):
    """Fill the table of gains, attempts of a man standing together."""
    limits, after = np.empty((2, LIMITS), np.int64), np.empty(POSITION, np.int64)
    moves, weights = np.empty(MOST_MOVES, np.int64), np.empty(MOST_MOVES)
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
            score, lost = standing + change(board, move, worths), victim_square(board, move)
            copy_board(board, after)
            make(after, move)
            value = value_blindly(
                after, score, lost, before, policy, worths, threat, sight, rows, moves, weights, limits[1]
            )
            gains[b, a] = np.int32(min(max(value - before, -MOST), MOST))


def worth_table(worths: np.ndarray) -> np.ndarray:
    """The worth of a man by colour, kind and square, from that by kind: squares add what they add in chess."""
    table = WORTH.copy()
    table[:, :KING] += np.round(worths[:KING] - VALUE[:KING]).astype(np.int64)[None, :, None]
    return table


class BlindEvaluator:
    """Evaluates attempts on boards, every thread its share of the boards."""

    def __init__(self, parameters: FogParameters, policy: np.ndarray, worths: np.ndarray, threads: int = 1):
        self.parameters, self.policy = parameters, policy
        self.tables = [worth_table(by_kind) for by_kind in worths]
        self.rows = np.zeros((threads, SEEN_LEVELS, ROW), np.int64)
        self.workers = ThreadPoolExecutor(threads) if threads > 1 else None

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        """Fill a table: a row for every board, a column for every attempt."""
        men = int(boards[0, MEN] | boards[0, MEN + 1]) & ALL_SQUARES
        worths = self.tables[phase_of_men(men.bit_count())]
        given = self.policy, worths, self.parameters.threat, self.parameters.sight
        if self.workers is None:
            tabulate_blindly(boards, attempts, *given, self.rows[0], gains)
            return
        cuts = np.linspace(0, len(boards), len(self.rows) + 1).astype(int)
        parts = zip(cuts, cuts[1:], self.rows, strict=False)
        tasks = [
            self.workers.submit(tabulate_blindly, boards[i:j], attempts, *given, rows, gains[i:j])
            for i, j, rows in parts
        ]
        for task in tasks:
            task.result()
