"""Was the belief right? What an engine believed, compared with the true board when the game is over."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..games.chess.bits import rows_of
from ..games.chess.men import KING
from ..games.chess.position import MEN
from .analysis import PositionAnalysis

PHASES = ((0, 19), (20, 39), (40, 79), (80, None))  # first and last ply of each phase
KINDS = ("king", "pawn", "piece")


@dataclass(frozen=True)
class Phase:
    """Accuracy of the belief in a part of the game."""

    plies: str
    decisions: int
    log_loss: float  # of "a man of the other side stands here", in nats per square without an own man
    even_log_loss: float  # the same for a belief that spreads the right number of men evenly over these squares
    king_rank: float  # the mean rank of the true king's square, 1 the likeliest
    king_chance: float  # the mean chance that was given to the true king's square

    def to_json(self) -> dict[str, object]:
        """The figures by name."""
        return dict(vars(self))


def look_back(positions: Sequence[PositionAnalysis], truth: Sequence[np.ndarray]) -> list[Phase]:
    """Return the belief's accuracy in each phase; every position with its true board."""
    found = []
    pairs = [pair for pair in zip(positions, truth, strict=True) if pair[0].boards]
    for first, last in PHASES:
        here = [pair for pair in pairs if first <= pair[0].ply and (last is None or pair[0].ply <= last)]
        if here:
            figures = np.mean([judge(position, board) for position, board in here], axis=0)
            plies = f"{first}-{last}" if last is not None else f"{first}-"
            found.append(Phase(plies, len(here), *(round(float(figure), 4) for figure in figures)))
    return found


def judge(position: PositionAnalysis, board: np.ndarray) -> tuple[float, float, float, float]:
    """Log-loss per square, that of an even spread, and the rank and the chance of the true king's square."""
    theirs = rows_of(board[MEN + 1 - position.side : MEN + 2 - position.side])[0].astype(bool)
    free = rows_of(board[MEN + position.side : MEN + 1 + position.side])[0] == 0
    believed = np.sum([position.belief[kind] for kind in KINDS], axis=0)
    # as if half a board more spoke for either side: a finite number of boards never makes anything certain
    chance = (np.clip(believed, 0.0, 1.0) * position.boards + 0.5) / (position.boards + 1.0)
    loss = -np.mean(np.log(np.where(theirs, chance, 1.0 - chance)[free]))
    share = theirs[free].mean()
    even = -(share * np.log(share) + (1.0 - share) * np.log(1.0 - share))
    king = np.array(position.belief["king"])
    true = king[int(np.flatnonzero(rows_of(board[KING : KING + 1])[0] & theirs)[0])]
    rank = 1 + np.sum(king > true) + (np.sum(king == true) - 1) / 2
    return float(loss), float(even), float(rank), float(true)
