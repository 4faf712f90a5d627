"""Weighted maximax over metapositions (paper, section 4.3).

There are no min nodes: after an own move the likeliest evolution is assumed, which is that it is accepted in silence,
then that the opponent makes some silent move. The value of a node is a share (alpha) of its static value and the rest
of that of the best of its children. At a node all moves are evaluated; the best of those not yet in the history (a
table of moves searched before), and the best of those in it, are searched, and share the remaining budget.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import inlined, kernel, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import KINDS, KING, PAWN, bit, kind_on, reach
from ...games.chess.moves import MAX_MOVES, castlings, list_queening_moves, pushes
from ...games.chess.position import end_of, start_of
from ..beliefs.metaposition import META, grow_older, move, repair, sure_attacks, take
from ..beliefs.metaposition_update import hear_check_to_us, hear_tries, spread
from ..engine import SearchLimit
from .metaposition_value import WEIGHTS, prey, value

DEEPEST = 8
FRESH, FAMILIAR = 5, 10  # number of best moves searched: of those not in the history, and of those in it
HOPELESS, DECIDED = -150.0, 400.0  # moves of smaller or greater static values are not searched
WORSE_THAN_ANY = -1e9
_LEVEL = [
    ("static", np.float64),  # the static value of the metaposition
    ("best", np.float64),  # the best value of its moves so far
    ("listed", np.int64),  # number of moves
    ("picked", np.int64),  # number of moves searched
    ("next", np.int64),  # index of the next of these
    ("share", np.int64),  # metapositions that may be evaluated for each of them
    ("moves", np.int64, MAX_MOVES),
    ("values", np.float64, MAX_MOVES),  # the static values of the moves
    ("picks", np.int64, FRESH + FAMILIAR),  # indices of the moves that are searched
]
# A level of the search: a metaposition in which the own side is to move.
LEVEL = np.dtype((np.record, np.dtype(_LEVEL, align=True)))


class Room(NamedTuple):
    """Working arrays of one search thread."""

    levels: np.ndarray
    boards: np.ndarray  # metaposition of each level, and one more as scratch
    history: np.ndarray  # for every kind and square the destinations searched before
    spent: np.ndarray  # metapositions evaluated so far
    zeros: np.ndarray  # a zero for every square


def empty_room() -> Room:
    history, zeros = np.zeros((KINDS, 64), np.int64), np.zeros(64, np.int64)
    return Room(np.zeros(DEEPEST, LEVEL), np.zeros(DEEPEST + 1, META), history, np.zeros(1, np.int64), zeros)


@kernel
def plausible_moves(meta, out):
    """List the own moves that may be legal: not through squares that are surely occupied, promoting to queens."""
    count, own, blocked = 0, meta.own, ~meta.empty
    for kind in range(KINDS):
        men = meta.men[kind]
        while men:
            start = trailing_zeros(men)
            if kind == PAWN:
                ends = pushes(start, 0, blocked)
                if meta.tries:
                    ends |= bitboards.PAWN_ATTACKS[0, start] & ~own
            else:
                ends = reach(kind, start, blocked) & ~own
                if kind == KING and meta.rights:
                    ends |= castlings(start, 0, meta.rights, blocked)
            count = list_queening_moves(start, ends, kind == PAWN, out, count)
            men &= men - 1
    return count


@kernel
def assume(meta, action, power):
    """Make an own move as it most likely goes, capturing surely on `power` squares; return True if it captures."""
    start, end = start_of(action), end_of(action)
    here = bit(end)
    pawn_takes = meta.men[PAWN] & bit(start) != 0 and (end - start) % 8 != 0
    takes = meta.empty & here == 0 or pawn_takes or power & here != 0
    is_pawn = meta.theirs[PAWN] & here != 0
    move(meta, action)
    if takes:
        take(meta, end, is_pawn)
    return takes


@kernel
def value_moves(meta, moves, count, power, boards, weights, out):
    """Fill in the static values of moves; `power` has each man's sure captures. A board is overwritten."""
    for i in range(count):
        start, end = start_of(moves[i]), end_of(moves[i])
        boards[0] = meta
        took = assume(boards[0], moves[i], power[start])
        out[i], kind = value(boards[0], end, took, weights), kind_on(meta.men, start)
        if not took and kind != PAWN:
            out[i] += prey(meta, kind, end, weights)


@inlined
def _is_familiar(men, move, history):
    return history[kind_on(men, start_of(move)), start_of(move)] & bit(end_of(move)) != 0


@kernel
def _pick_moves(men, moves, values, count, history, picks):
    """Pick the moves to search, best first among those not in the history and those in it; all enter the history."""
    fresh, familiar, chosen = FRESH, FAMILIAR, 0
    for _ in range(FRESH + FAMILIAR):
        best = -1
        for i in range(count):
            if (familiar if _is_familiar(men, moves[i], history) else fresh) and (best < 0 or values[i] > values[best]):
                is_picked = False
                for j in range(chosen):
                    is_picked |= picks[j] == i
                if not is_picked:
                    best = i
        if best < 0:
            break
        if _is_familiar(men, moves[best], history):
            familiar -= 1
        else:
            fresh -= 1
        picks[chosen] = best
        chosen += 1
    for j in range(chosen):
        start = start_of(moves[picks[j]])
        history[kind_on(men, start), start] |= bit(end_of(moves[picks[j]]))
    return chosen


@kernel
def _begin_level(place, static, budget, room, weights):
    """Let the opponent reply in silence on a level's board, evaluate all own moves there, and pick those to search."""
    meta, level = room.boards[place], room.levels[place]
    kings = meta.theirs[KING] & ~sure_attacks(meta)
    if kings:
        meta.theirs[KING] = kings
    spread(meta)
    hear_check_to_us(meta, 0)
    meta.tries = 0
    hear_tries(meta, 0, room.zeros)
    repair(meta)
    grow_older(meta)
    count = plausible_moves(meta, level.moves)
    value_moves(meta, level.moves, count, room.zeros, room.boards[place + 1 :], weights, level.values)
    picked = _pick_moves(meta.men, level.moves, level.values, count, room.history, level.picks)
    level.static, level.best = static, WORSE_THAN_ANY
    level.listed, level.picked, level.next = count, picked, 0
    level.share = max(0, budget - count) // max(1, picked)
    room.spent[0] += count


@kernel
def search_deeper(static, budget, room, weights):
    """Search a metaposition, the first of the boards (overwritten), after an own move; return its value."""
    boards, place = room.boards, 0
    _begin_level(0, static, budget, room, weights)
    while True:
        level = room.levels[place]
        if level.next < level.picked:
            pick = level.picks[level.next]
            level.next += 1
            worth = level.values[pick]
            if place + 2 >= DEEPEST or level.share < level.listed or worth < HOPELESS or worth > DECIDED:
                level.best = max(level.best, worth)
                continue
            place += 1
            boards[place] = boards[place - 1]
            assume(boards[place], level.moves[pick], 0)
            _begin_level(place, worth, level.share, room, weights)
            continue
        worth = level.static
        if level.listed:
            worth = weights.alpha * worth + (1.0 - weights.alpha) * level.best
        if place == 0:
            return worth
        place -= 1
        room.levels[place].best = max(room.levels[place].best, worth)


@kernel
def search_moves(meta, moves, power, statics, places, budget, room, weights, out):
    """Fill in the values by search of the moves at these indices, each with the same budget of metapositions."""
    room.history[:] = 0
    for place in places:
        room.boards[0] = meta
        assume(room.boards[0], moves[place], power[start_of(moves[place])])
        out[place] = search_deeper(statics[place], budget, room, weights)


# The own moves in a metaposition from best to worst, by search.

AT_ROOT = FRESH + FAMILIAR
FIRST_BUDGET = 2000  # metapositions of the first search under a time limit; every next search has twice as many
GROWTH = 3  # time spent after the next search, relative to now: it takes twice as long as all before


@dataclass
class Ranking:
    """Moves with their static values and their values by search."""

    moves: np.ndarray
    statics: np.ndarray
    values: np.ndarray

    def best_first(self, cost: Callable[[int], float]) -> list[int]:
        costs = np.array([cost(move) for move in self.moves.tolist()])
        return [int(move) for move in self.moves[np.argsort(costs - self.values, kind="stable")]]


class Searcher:
    """Ranks moves within a search limit; `spent` counts the evaluated metapositions."""

    def __init__(self, threads: int):
        self.rooms = [empty_room() for _ in range(threads)]

    @property
    def spent(self) -> int:
        return sum(int(room.spent[0]) for room in self.rooms)

    def statics(self, meta: np.record, moves: np.ndarray, power: np.ndarray) -> np.ndarray:
        values, after = np.empty(len(moves)), np.empty(1, META)
        value_moves(meta, moves, len(moves), power, after, WEIGHTS, values)
        self.rooms[0].spent[0] += len(moves)
        return values

    def ranking(self, meta: np.record, moves: np.ndarray, power: np.ndarray, limit: SearchLimit) -> Ranking:
        start, budget = limit.now(), FIRST_BUDGET
        statics = self.statics(meta, moves, power)
        if limit.nodes is not None:
            values = self._search(meta, moves, power, statics, limit.nodes)
            return Ranking(moves, statics, values)
        while True:
            values = self._search(meta, moves, power, statics, budget)
            if GROWTH * (limit.now() - start) > (limit.seconds or 0):
                return Ranking(moves, statics, values)
            budget *= 2

    def _search(
        self, meta: np.record, moves: np.ndarray, power: np.ndarray, statics: np.ndarray, budget: int
    ) -> np.ndarray:
        values = statics.copy()
        picked = np.argsort(-statics, kind="stable")[:AT_ROOT]
        picked = picked[(statics[picked] >= HOPELESS) & (statics[picked] <= DECIDED)]
        share = max(0, budget - len(moves)) // max(1, len(picked))
        if share < len(moves):
            return values

        def look(room: Room, places: np.ndarray) -> None:
            search_moves(meta, moves, power, statics, places, share, room, WEIGHTS, values)

        threads = len(self.rooms)
        shares = [picked[thread::threads].copy() for thread in range(threads)]
        with ThreadPoolExecutor(threads) as pool:  # it starts no thread before it is used
            list((map if threads == 1 else pool.map)(look, self.rooms, shares))
        return values

    def renew(self, ranking: Ranking, meta: np.record, power: np.ndarray) -> None:
        """Update after a refusal: keep the search values, and recompute the static ones."""
        statics = self.statics(meta, ranking.moves, power)
        ranking.values += WEIGHTS.alpha * (statics - ranking.statics)
        ranking.statics = statics
