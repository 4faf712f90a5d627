"""Engine's belief throughout a finished game: squares of the opponent's king, pawns and pieces.

The record is played again with a fresh engine of the same kind, which is told what it did and does not think; what it
believes is read off whenever it has heard something. Matrices of chances are what they were. A metaposition knows only
where a man may stand, so its men are spread evenly over these squares. A pool of boards, or boards of the last
observation, are counted, weighted boards by their weights; they are drawn anew, so that they are alike but not the
same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.agents import Player
from ..core.rng import stream_of
from ..core.session import Session
from ..core.untrusted_input import JsonRecord
from ..games.chess.bitboards import KINDS, KING, KNIGHT, PAWN, rows_of
from ..games.chess.position import MEN
from .analysis import PositionAnalysis
from .beliefs.matrix_update import MatrixEngine
from .engine import SearchLimit, engine_agent, parse_engine
from .engines.fog import Fog
from .engines.minimax import Minimax
from .engines.sampling import PoolSampler, Sampler
from .referee import WILD_16, HouseRules, kriegspiel_from

BOARDS = 200  # boards of the last observation that are drawn for an engine that keeps none
# It does not think, and a pool of this effort, one or two thousand boards, is enough to count.
LIGHT = SearchLimit(nodes=200)
DIGITS = 3
PIECES = slice(KNIGHT, KING)  # the kinds from knight to queen

Belief = list[list[float]]  # chances for the 64 squares from a1 to h8 that the king stands there, or a pawn, or a piece


def beliefs(words: str, side: int, record: Sequence[int], switches: HouseRules = WILD_16) -> list[Belief | None]:
    """Return the beliefs of the engine that `words` name, on this side, before each move and after the last.

    None where it had not been asked yet, and always for a player that keeps no belief or is no engine.
    """
    try:
        name, _ = parse_engine(words)
        engine = engine_agent(name, LIGHT).player(stream_of(0, side))
    except ValueError:
        engine = None
    if not isinstance(engine, MatrixEngine | Minimax | Sampler | Fog):
        return [None] * (len(record) + 1)
    session = Session(kriegspiel_from(switches=switches))
    engine.begin(side)
    found: list[Belief | None] = []
    belief: Belief | None = None
    for action in record:
        if session.mover == side:
            seen = session.view(side)
            engine.follow(seen, action)
            belief = belief_of(engine, seen)
        found.append(belief)
        session.apply(action)
    return [*found, belief]


def belief_of(engine: Player, seen: np.ndarray) -> Belief | None:
    """Return the belief of an engine that has just processed its view."""
    if isinstance(engine, MatrixEngine):
        chances = engine.prob
    elif isinstance(engine, Minimax):
        chances = spread_evenly(engine.meta, engine.side)
    elif isinstance(engine, Sampler):
        boards = engine.pool[: engine.count] if isinstance(engine, PoolSampler) else engine.boards(BOARDS, seen)
        if len(boards) == 0:
            return None
        chances = count_boards(boards, np.full(len(boards), 1 / len(boards)), 1 - engine.side)
    elif isinstance(engine, Fog) and engine.belief.count:
        chances = count_boards(engine.belief.boards, engine.belief.weights, 1 - engine.side)
    else:
        return None
    return [[round(float(chance), DIGITS) for chance in row] for row in np.clip(chances, 0.0, 1.0)]


def spread_evenly(meta: np.record, side: int) -> np.ndarray:
    """The men of a metaposition, each kind spread evenly over the squares where it may be."""
    theirs = rows_of(meta.theirs)
    if side:  # a metaposition is turned so that the own men go up
        theirs = theirs.reshape(KINDS, 8, 8)[:, ::-1].reshape(KINDS, 64)
    may = np.array([theirs[KING], theirs[PAWN], theirs[PIECES].any(0)], float)
    share = np.array([1.0, meta.their_pawns, meta.their_pieces]) / np.maximum(may.sum(1), 1.0)
    return np.asarray(may * share[:, None])


def count_boards(boards: np.ndarray, weights: np.ndarray, colour: int) -> np.ndarray:
    """Return the weight of the boards with a man of a colour on each square."""
    pieces = np.bitwise_or.reduce(boards[:, PIECES], axis=1)
    sets = np.array([boards[:, KING], boards[:, PAWN], pieces]) & boards[:, MEN + colour]
    return np.asarray(weights @ rows_of(sets))


# Was the belief right? What an engine believed, compared with the true board when the game is over.

PHASES = ((0, 19), (20, 39), (40, 79), (80, None))  # first and last ply of each phase
MAN_KINDS = ("king", "pawn", "piece")


@dataclass(frozen=True)
class Phase(JsonRecord):
    """Accuracy of the belief in a part of the game."""

    KEYS = ("plies", "decisions", "log_loss", "even_log_loss", "king_rank", "king_chance")

    plies: str
    decisions: int
    log_loss: float  # of "a man of the other side stands here", in nats per square without an own man
    even_log_loss: float  # the same for a belief that spreads the right number of men evenly over these squares
    king_rank: float  # the mean rank of the true king's square, 1 the likeliest
    king_chance: float  # the mean chance that was given to the true king's square


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
    believed = np.sum([position.belief[kind] for kind in MAN_KINDS], axis=0)
    # as if half a board more spoke for either side: a finite number of boards never makes anything certain
    chance = (np.clip(believed, 0.0, 1.0) * position.boards + 0.5) / (position.boards + 1.0)
    loss = -np.mean(np.log(np.where(theirs, chance, 1.0 - chance)[free]))
    share = theirs[free].mean()
    even = -(share * np.log(share) + (1.0 - share) * np.log(1.0 - share))
    king = np.array(position.belief["king"])
    true = king[int(np.flatnonzero(rows_of(board[KING : KING + 1])[0] & theirs)[0])]
    rank = 1 + np.sum(king > true) + (np.sum(king == true) - 1) / 2
    return float(loss), float(even), float(rank), float(true)
