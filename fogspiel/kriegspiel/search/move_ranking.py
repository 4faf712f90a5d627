"""The own moves in a metaposition from best to worst, by search."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ..beliefs.metaposition import META
from ..engine import Effort
from ..evaluation.metaposition_value import WEIGHTS
from .metaposition_search import DECIDED, FAMILIAR, FRESH, HOPELESS, Room, empty_room, search_moves, value_moves

AT_ROOT = FRESH + FAMILIAR
FIRST_BUDGET = 2000  # metapositions of the first search when time is limited; every next search has twice as many
GROWTH = 3  # how much time there will be spent after the next search, which takes twice as long as all before


@dataclass
class Ranking:
    """Moves with their static values and their values by search."""

    moves: np.ndarray
    statics: np.ndarray
    values: np.ndarray

    def best_first(self, cost: Callable[[int], float]) -> list[int]:
        """The moves, best first by their values less what they cost."""
        costs = np.array([cost(move) for move in self.moves.tolist()])
        return [int(move) for move in self.moves[np.argsort(costs - self.values, kind="stable")]]


class Searcher:
    """Ranks moves with a certain effort; `spent` counts the metapositions valued so far."""

    def __init__(self, effort: Effort):
        self.effort = effort
        self.rooms = [empty_room() for _ in range(effort.threads)]

    @property
    def spent(self) -> int:
        """Metapositions valued so far."""
        return sum(int(room.spent[0]) for room in self.rooms)

    def statics(self, meta: np.record, moves: np.ndarray, power: np.ndarray) -> np.ndarray:
        """The static values of the moves."""
        values, after = np.empty(len(moves)), np.empty(1, META)
        value_moves(meta, moves, len(moves), power, after, WEIGHTS, values)
        self.rooms[0].spent[0] += len(moves)
        return values

    def ranking(self, meta: np.record, moves: np.ndarray, power: np.ndarray) -> Ranking:
        """The moves by weighted maximax."""
        statics = self.statics(meta, moves, power)
        if self.effort.nodes is not None:
            values = self._search(meta, moves, power, statics, self.effort.nodes)
            return Ranking(moves, statics, values)
        start, budget = self.effort.clock(), FIRST_BUDGET
        while True:
            values = self._search(meta, moves, power, statics, budget)
            if GROWTH * (self.effort.clock() - start) > (self.effort.seconds or 0):
                return Ranking(moves, statics, values)
            budget *= 2

    def _search(
        self, meta: np.record, moves: np.ndarray, power: np.ndarray, statics: np.ndarray, budget: int
    ) -> np.ndarray:
        """The values of the moves when the best of them share a budget."""
        values = statics.copy()
        picked = np.argsort(-statics, kind="stable")[:AT_ROOT]
        picked = picked[(statics[picked] >= HOPELESS) & (statics[picked] <= DECIDED)]
        share = max(0, budget - len(moves)) // max(1, len(picked))
        if share < len(moves):
            return values

        def look(room: Room, places: np.ndarray) -> None:
            search_moves(meta, moves, power, statics, places, share, room, WEIGHTS, values)

        threads = len(self.rooms)
        if threads == 1:
            look(self.rooms[0], picked)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(look, self.rooms, [picked[thread::threads].copy() for thread in range(threads)]))
        return values

    def renew(self, ranking: Ranking, meta: np.record, power: np.ndarray) -> None:
        """After a refusal: keep what the search found, and value the moves themselves anew."""
        statics = self.statics(meta, ranking.moves, power)
        ranking.values += WEIGHTS.alpha * (statics - ranking.statics)
        ranking.statics = statics
