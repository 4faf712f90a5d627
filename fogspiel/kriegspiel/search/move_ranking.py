"""The own moves in a metaposition from best to worst, by search or, against a bare king, by the endings."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ...games.chess.position import KINDS, KING
from ..beliefs.metaposition import META, QUIET, THEIRS, enemies
from ..engine import Effort
from ..evaluation.metaposition_value import ALPHA, WEIGHTS
from . import lone_king_endgame
from .metaposition_search import (
    DECIDED,
    DEEPEST,
    FAMILIAR,
    FRAME,
    FRESH,
    HOPELESS,
    MOST_MOVES,
    assume,
    search_deeper,
    value_moves,
)

AT_ROOT = FRESH + FAMILIAR
FIRST_BUDGET = 2000
"""Metapositions of the first search when time is limited; every next search has twice as many."""
FAR, WIDTH = 8, 6
"""Against a bare king: how many moves are looked into three deep, and how many answers to each."""


@dataclass
class Ranking:
    """Moves with their static values and their values by search."""

    moves: np.ndarray
    statics: np.ndarray
    values: np.ndarray

    def best_first(self, cost: Callable[[int], float]) -> list[int]:
        """The moves, best first by their values less what they cost."""
        costs = np.array([cost(move) for move in self.moves.tolist()])
        return self.moves[np.argsort(costs - self.values, kind="stable")].tolist()


class Room:
    """The arrays in which one thread searches."""

    def __init__(self) -> None:
        self.frames = np.zeros((DEEPEST, FRAME), np.int64)
        self.boards = np.zeros((DEEPEST + 1, META), np.int64)
        self.moves = np.zeros((DEEPEST, MOST_MOVES), np.int64)
        self.values = np.zeros((DEEPEST, MOST_MOVES))
        self.picks = np.zeros((DEEPEST, AT_ROOT), np.int64)
        self.worths = np.zeros((2, DEEPEST))
        self.history = np.zeros((KINDS, 64), np.int64)
        self.spent = np.zeros(1, np.int64)
        self.nobody = np.zeros(64, np.int64)


class Searcher:
    """Ranks moves with a certain effort; `spent` counts the metapositions valued so far."""

    def __init__(self, effort: Effort, weights: np.ndarray = WEIGHTS):
        self.effort, self.weights = effort, weights
        self.rooms = [Room() for _ in range(effort.threads)]

    @property
    def spent(self) -> int:
        """Metapositions valued so far."""
        return sum(int(room.spent[0]) for room in self.rooms)

    def statics(self, meta: np.ndarray, moves: np.ndarray, power: np.ndarray) -> np.ndarray:
        """The static values of the moves."""
        values, after = np.empty(len(moves)), np.empty(META, np.int64)
        value_moves(meta, moves, len(moves), power, after, self.weights, values)
        self.rooms[0].spent[0] += len(moves)
        return values

    def ranking(self, meta: np.ndarray, moves: np.ndarray, power: np.ndarray) -> Ranking:
        """The moves by weighted maximax."""
        if enemies(meta) == 0:
            worths = bare_worths(meta, moves)
            return Ranking(moves, worths, worths)
        statics = self.statics(meta, moves, power)
        if self.effort.nodes is not None:
            values = self._searched(meta, moves, power, statics, self.effort.nodes)
            return Ranking(moves, statics, values)
        start, budget = time.perf_counter(), FIRST_BUDGET
        while True:
            values = self._searched(meta, moves, power, statics, budget)
            if 3 * (time.perf_counter() - start) > (self.effort.seconds or 0):
                return Ranking(moves, statics, values)
            budget *= 2

    def _searched(
        self, meta: np.ndarray, moves: np.ndarray, power: np.ndarray, statics: np.ndarray, budget: int
    ) -> np.ndarray:
        """The values of the moves when the best of them share a budget."""
        values = statics.copy()
        picked = [place for place in np.argsort(-statics, kind="stable")[:AT_ROOT]]
        picked = [place for place in picked if HOPELESS <= statics[place] <= DECIDED]
        share = max(0, budget - len(moves)) // max(1, len(picked))
        if share < len(moves):
            return values

        def look(room: Room, places: list[int]) -> None:
            room.history[:] = 0
            for place in places:
                after = meta.copy()
                assume(after, moves[place], power[moves[place] & 63])
                values[place] = search_deeper(
                    after, statics[place], share, room.frames, room.boards, room.moves, room.values, room.picks,
                    room.worths, room.history, room.nobody, self.weights, room.spent,
                )  # fmt: skip

        threads = len(self.rooms)
        if threads == 1:
            look(self.rooms[0], picked)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(look, self.rooms, [picked[thread::threads] for thread in range(threads)]))
        return values

    def renew(self, ranking: Ranking, meta: np.ndarray, power: np.ndarray) -> None:
        """After a refusal: keep what the search found, and value the moves themselves anew."""
        if enemies(meta) == 0:
            ranking.values = bare_worths(meta, ranking.moves)
            return
        statics = self.statics(meta, ranking.moves, power)
        ranking.values += self.weights[ALPHA] * (statics - ranking.statics)
        ranking.statics = statics


def bare_worths(meta: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """The values of the moves against a bare king."""
    men, kings = meta[:KINDS].copy(), meta[THEIRS + KING]
    patience = min(1.0, max(0.0, (50 - int(meta[QUIET])) / 10))
    sets, worths = np.zeros((12, lone_king_endgame.PARTS), np.int64), np.zeros((3, lone_king_endgame.PARTS))
    lists, values = np.zeros((2, lone_king_endgame.MOST_MOVES), np.int64), np.zeros(lone_king_endgame.MOST_MOVES)
    found = np.array([lone_king_endgame.worth_ahead(men, kings, move, patience, sets, worths, lists) for move in moves])
    top = np.argsort(-found, kind="stable")[:FAR]
    deeper = np.full(len(moves), -1e9) + found
    for place in top:
        deeper[place] = lone_king_endgame.worth_far_ahead(
            men, kings, moves[place], WIDTH, patience, sets, worths, lists, values
        )
    return deeper
