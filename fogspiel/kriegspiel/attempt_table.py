"""Engine's table of the attempts of a decision; the only module that reads it from each kind of engine.

los, aosp, hs   evaluate boards that were drawn; each counts once
fog             evaluates weighted boards, here every attempt on each of them
fog, endings    against a lone king there are no values, but the exact set of squares on which it may be
"""

from typing import NamedTuple

import numpy as np

from ..core.rng import stream_of
from ..games.chess.bits import NO_SQUARE, bit
from ..games.chess.men import KINDS, KING
from ..games.chess.position import MEN, MOVER, PASSANT, POSITION
from ..games.kriegspiel import rules
from .engine import Effort, engines, find_engine
from .engines.fog import Fog
from .engines.sampling import PoolSampler, Sampler
from .evaluation.board_evaluator import DOUBT
from .implications import Boards
from .own_decisions import Decision

LOOSE_BOARDS = 1000  # boards of the last observation that are drawn for an engine that keeps none
Analyst = Sampler | Fog  # the engines that keep boards in mind


class Table(NamedTuple):
    """Engine's evaluation of the attempts of a position."""

    gains: np.ndarray  # a row per evaluated board, a column per attempt, ILLEGAL where it is not legal
    offered: np.ndarray
    boards: Boards
    choice: int
    weights: np.ndarray  # for how many drawn boards each row counts
    # The engine's own ranks of the attempts, the greatest first, if it has others than their values.
    ranks: np.ndarray | None = None
    doubt: float = DOUBT  # boards on which an attempt is taken to be average, besides those on which it was evaluated
    kings: int | None = None  # the squares on which a lone king may be, if that is all the other side has


def make_engine(words: str, effort: Effort, seed: int, side: int) -> Analyst:
    """The engine of an analysis, at the beginning of a game."""
    engine = find_engine(words)(effort, stream_of(seed, side))
    if not isinstance(engine, Analyst):
        makers = engines().items()
        known = [name for name, maker in makers if isinstance(maker, type) and issubclass(maker, Analyst)]
        raise ValueError(f"{words} keeps no boards in mind: an analysis needs one of {', '.join(known)}")
    if isinstance(engine, Fog):
        engine.thorough = True
    engine.begin(side)
    return engine


def look(engine: Analyst, decision: Decision) -> Table:
    """Ask an engine about a decision, after which it goes on with what was tried."""
    choice = engine.choose(decision.seen, decision.actions)
    engine.last = decision.action
    return (
        table_of_fog(engine, decision, choice) if isinstance(engine, Fog) else table_of_boards(engine, decision, choice)
    )


def table_of_boards(engine: Sampler, decision: Decision, choice: int) -> Table:
    """Return the table of a sampling engine."""
    gains = engine.gains[: engine.evaluated].copy()
    if isinstance(engine, PoolSampler):
        boards = engine.pool[: engine.count]
    else:
        boards = engine.boards(LOOSE_BOARDS, decision.seen)
    different = distinct_boards(boards, np.ones(len(boards)))
    return Table(gains, engine.offered.copy(), different, choice, np.ones(len(gains)))


def table_of_fog(engine: Fog, decision: Decision, choice: int) -> Table:
    """Return the table of `fog`, or the squares of the lone king."""
    if engine.ending:
        kings, nothing = engine.ending.squares, np.empty((0, 0), np.int32)
        boards = lone_king_boards(decision.seen, kings)
        return Table(nothing, np.empty(0, np.int64), boards, choice, np.empty(0), kings=kings)
    rows = slice(engine.evaluated)
    boards = distinct_boards(engine.belief.boards, engine.belief.weights)
    table = engine.gains[rows].copy(), engine.offered.copy(), boards, choice, engine.drawn[rows].copy()
    return Table(*table, engine.ranks.copy(), engine.parameters.doubt)


def distinct_boards(boards: np.ndarray, weights: np.ndarray) -> Boards:
    """Boards that differ in their men, castling rights or en passant, each with its share of the weight."""
    cells = np.ascontiguousarray(boards[:, : PASSANT + 1])
    keys = cells.view(np.dtype((np.void, cells.shape[1] * cells.itemsize))).ravel()
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    return Boards(boards[first], np.bincount(places, weights, len(first)) / max(weights.sum(), np.finfo(float).tiny))


def own_board(seen: np.ndarray) -> np.ndarray:
    """The own men alone, as a position."""
    position, side = np.zeros(POSITION, np.int64), seen[rules.SEEN_PLAYER]
    position[:KINDS] = seen[rules.SEEN_MEN : rules.SEEN_MEN + KINDS]
    position[MEN + side] = np.bitwise_or.reduce(position[:KINDS])
    position[MOVER], position[PASSANT] = side, NO_SQUARE
    return position


def lone_king_boards(seen: np.ndarray, kings: int) -> Boards:
    """The own men with a lone king on each of these squares, all alike."""
    squares = [square for square in range(64) if kings >> square & 1]
    boards = np.tile(own_board(seen), (len(squares), 1))
    there = np.array([bit(square) for square in squares], np.int64)
    boards[:, KING] |= there
    boards[:, MEN + 1 - seen[rules.SEEN_PLAYER]] = there
    return Boards(boards, np.full(len(squares), 1 / max(len(squares), 1)))
