"""Fit the opponent's reply policy to game records by maximum likelihood.

A decision is a true board, the square where the mover has just lost a man, and the legal move that it made. The
log-likelihood of all decisions under `beliefs.reply_policy`, less a small penalty on the squares of the logarithms, is
climbed by Adam (Kingma & Ba 2015) over the decisions in an order shuffled by the seed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.compile.kernel import in_place, kernel
from ...core.game import new_cells
from ...core.rng import shuffle, stream_of
from ...games.chess.bitboards import BLACK, KINDS, kind_on
from ...games.chess.moves import CHECKERS, LIMITS, MOST_MOVES, legal_moves, restrict
from ...games.chess.position import MOVER, PLY, POSITION, end_of, start_of
from ..beliefs.particle_filter import CLASS_ROW, ROWS, class_cell, phase_of, weigh_replies
from ..game import rules
from ..game.attempts import MESSAGE, SQUARE

RATE, DECAY, DECAY_SQUARES, TINY = 0.03, 0.9, 0.999, 1e-8  # adam's step and decays
BATCH = 500
EPOCHS = 12
PENALTY = 2e-6  # how strongly a logarithm is drawn towards 0 in a step, for each batch that there is


@dataclass(frozen=True)
class Decisions:
    """Boards before a move, the square where the mover has just lost a man, and the move."""

    boards: np.ndarray
    lost: np.ndarray
    moves: np.ndarray

    def __len__(self) -> int:
        return len(self.moves)

    def rows(self, chosen: np.ndarray) -> "Decisions":
        """Some of the decisions."""
        return Decisions(self.boards[chosen], self.lost[chosen], self.moves[chosen])


def decisions_of(records: Iterable[Sequence[int]]) -> Decisions:
    """The moves made in games: attempts that were refused are left out."""
    boards, lost, moves = [], [], []
    for record in records:
        state = new_cells(rules.STATE)
        rules.start(state)
        for action in record:
            before, ply = state[:POSITION].copy(), int(state[PLY])
            square = int(state[rules.SAID + MESSAGE * (1 - int(state[MOVER])) + SQUARE])
            rules.apply(state, action)
            if state[PLY] > ply:
                boards.append(before)
                lost.append(square)
                moves.append(action)
    return Decisions(np.array(boards), np.array(lost, np.int64), np.array(moves, np.int64))


@in_place
def add_gradient(board, move, moves, listed, lost, checked, weights, total, gradient):
    """Add the gradient of the log-chance of a move to that of the logarithms of the policy's table."""
    turned = 56 if board[MOVER] == BLACK else 0
    places, classes = KINDS * phase_of(board[PLY]), CLASS_ROW + (1 if checked else 0)
    for i in range(listed):
        kind = kind_on(board, start_of(moves[i]))
        change = (1.0 if moves[i] == move else 0.0) - weights[i] / total
        gradient[classes, class_cell(board, moves[i], kind, lost)] += change
        gradient[places + kind, end_of(moves[i]) ^ turned] += change
        gradient[places + kind, start_of(moves[i]) ^ turned] -= change


@kernel
def climb(boards, lost, played, order, logs, first, second, step, gradient):
    """One step of Adam on the decisions of a batch. The sum of the log-chances of their moves."""
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MOST_MOVES, np.int64)
    weights, policy, found = np.empty(MOST_MOVES), np.exp(logs), 0.0
    gradient[:] = 0.0
    for d in order:
        restrict(boards[d], limits)
        listed = legal_moves(boards[d], limits, moves)
        checked = limits[CHECKERS] != 0
        total = weigh_replies(boards[d], moves, listed, lost[d], checked, policy, weights)
        for i in range(listed):
            if moves[i] == played[d]:
                found += np.log(weights[i] / total)
        add_gradient(boards[d], played[d], moves, listed, lost[d], checked, weights, total, gradient)
    for row in range(logs.shape[0]):
        for cell in range(64):
            slope = gradient[row, cell] / len(order) - PENALTY * len(boards) / BATCH * logs[row, cell]
            first[row, cell] += (1 - DECAY) * (slope - first[row, cell])
            second[row, cell] += (1 - DECAY_SQUARES) * (slope * slope - second[row, cell])
            mean = first[row, cell] / (1 - DECAY**step)
            spread = second[row, cell] / (1 - DECAY_SQUARES**step)
            logs[row, cell] += RATE * mean / (np.sqrt(spread) + TINY)
    return found


@kernel
def log_chance(boards, lost, played, policy):
    """The mean log-chance of the moves of decisions."""
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MOST_MOVES, np.int64)
    weights, found = np.empty(MOST_MOVES), 0.0
    for d in range(len(played)):
        restrict(boards[d], limits)
        listed = legal_moves(boards[d], limits, moves)
        total = weigh_replies(boards[d], moves, listed, lost[d], limits[CHECKERS] != 0, policy, weights)
        for i in range(listed):
            if moves[i] == played[d]:
                found += np.log(weights[i] / total)
    return found / len(played)


def fit_policy(decisions: Decisions, seed: int) -> np.ndarray:
    """The logarithms of the policy under which these decisions are most likely."""
    logs, first, second, gradient = np.zeros((4, ROWS, 64))
    order, step, stream = np.empty(len(decisions), np.int64), 0, stream_of(seed, 0)
    for _ in range(EPOCHS):
        shuffle(stream, order)
        for start in range(0, len(order), BATCH):
            step += 1
            batch = order[start : start + BATCH]
            climb(decisions.boards, decisions.lost, decisions.moves, batch, logs, first, second, step, gradient)
    return logs
