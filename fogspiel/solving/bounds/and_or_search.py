"""AND-OR search over beliefs for a sure win of one player of a phantom game.

The value is 1 if and only if a pure strategy beats every play of the opponent (a mixed strategy that always wins is a
mixture of pure ones that do). The player chooses a try (OR). The try must succeed both where it is illegal and where
it continues the game (AND):

    sure(own, worlds) = some try c that is not illegal everywhere, with
        sure(own, worlds in which c is illegal)                                  if there are any, and
        sure(own + c, worlds in which c continues, after any unseen answer)      if there are any,
        and the opponent cannot win there

A try that is illegal or winning in every world comes first and alone (Lemma 3 of Teytaud and Teytaud 2011). A belief
is refuted at once if one of its worlds is not won with perfect information, or if it contains a refuted belief. It is
proved if a proved belief contains it. Symmetric beliefs are identified. Tries beside many of the opponent's stones
come first. `sure_win` decides larger boards, where Black has a sure win or not; this search has the tries of both
players' sure wins, which the proofs of boards up to 4x4 are made of.
"""

from collections import OrderedDict
from collections.abc import Generator
from itertools import combinations

import numpy as np

from ...core.compile.kernel import BLOCK16, CELLS, NOTHING, NUMBER, REALS, ROWS, TABLE, TABLE8, kernel, kernel_of
from ...games.boards.board import FATE, GOES_ON, ILLEGAL, WINS, Board
from ..methods import run_to_end
from .beliefs import (
    EMPTY,
    LOST,
    WON,
    Beliefs,
    PerfectInformation,
    dominating_try,
    ground_of,
    perfect_outcome,
    permute,
    rule_of,
    smallest_image,
)
from .window_regrets import BARRED, OPPONENT_WINS, Answers

REFUTED = -1
MAX_COMPARED = 24  # decided beliefs with the same own stones that are compared with a new one
# Weight of a world that a try wins at once, relative to a failed try or an adjacent opponent's stone.
WINS_COUNT = 2
# Bytes of a decided belief without its worlds, and of a world in a set of them; measured in CPython.
BELIEF_BYTES, WORLD_BYTES = 200, 64

Key = tuple[int, bytes]


class AndOrSearch:
    """AND-OR search for one player on a board; `table` has a try for each proved belief and REFUTED for the others."""

    def __init__(self, board: Board, player: int, dominance: bool = True, pruning: bool = True) -> None:
        self.beliefs, self.perfect = Beliefs(board, player), PerfectInformation(board)
        self.board, self.player, self.dominance, self.pruning = board, player, dominance, pruning
        self.table: dict[Key, int] = {}
        self.nodes = self.depth = self.bytes = 0
        # By own stones: the worlds of some decided beliefs, and the decision.
        self._decided: dict[int, OrderedDict[bytes, tuple[frozenset[int], int]]] = {}
        self._shifts = [[int(cell) for cell in row] for row in board.symmetries]

    def is_sure_win(self, own: int, worlds: np.ndarray) -> bool:
        return self.winning_try(own, worlds) != REFUTED

    def winning_try(self, own: int, worlds: np.ndarray) -> int:
        """Return the try that wins for sure, or REFUTED."""
        return run_to_end(self.steps(own, worlds))

    def steps(self, own: int, worlds: np.ndarray) -> Generator[None, None, int]:
        """Return the try that wins for sure, or REFUTED; yield before every belief that is searched."""
        if not len(worlds):
            raise ValueError("a belief without worlds decides nothing: give at least one possible set of stones")
        own, worlds, turn = self.canonical(own, worlds)
        key = own, worlds.tobytes()
        found = self.table.get(key)
        if found is None:
            yield
            found = yield from self._decide(own, worlds)
            self.table[key] = found
            self.bytes += len(key[1]) + BELIEF_BYTES
            if self.dominance:
                kept, members = self._decided.setdefault(own, OrderedDict()), frozenset(worlds.tolist())
                kept[key[1]] = members, found
                self.bytes += WORLD_BYTES * len(members)
                if len(kept) > MAX_COMPARED:
                    _, (dropped, _) = kept.popitem(last=False)
                    self.bytes -= WORLD_BYTES * len(dropped)
        return found if found == REFUTED else self._shifts[turn].index(found)

    def canonical(self, own: int, worlds: np.ndarray) -> tuple[int, np.ndarray, int]:
        """Return the smallest image of a belief under the symmetries of the board, and the symmetry that maps to it."""
        image, best = np.empty_like(worlds), np.empty_like(worlds)
        turn = int(smallest_image(own, worlds, self.board.symmetries, image, best))
        return int(permute(own, self.board.symmetries[turn])), best, turn

    def _decide(self, own: int, worlds: np.ndarray) -> Generator[None, None, int]:
        self.nodes += 1
        self.depth = max(self.depth, own.bit_count())
        implied = self._implied(own, worlds) if self.dominance else None
        if implied is not None:
            return implied
        if self.pruning and not self.perfect.all_won(self.player, own, worlds):
            return REFUTED
        tally = self.beliefs.tally(own, worlds)
        cell = dominating_try(tally)
        if cell is not None:
            illegal = self.beliefs.split(own, worlds, cell).illegal
            return cell if not len(illegal) or (yield from self.steps(own, illegal)) != REFUTED else REFUTED
        promising = [cell for cell, (_, going, wins, draws) in enumerate(tally) if going + wins and not draws]
        contacts = self.beliefs.contacts(worlds)
        for cell in sorted(promising, key=lambda cell: -tally[cell][0] - WINS_COUNT * tally[cell][2] - contacts[cell]):
            split = self.beliefs.split(own, worlds, cell)
            after, losses = self.beliefs.after_answer(own | 1 << cell, split.going)
            if losses or (len(after) and (yield from self.steps(own | 1 << cell, after)) == REFUTED):
                continue
            if not len(split.illegal) or (yield from self.steps(own, split.illegal)) != REFUTED:
                return cell
        return REFUTED

    def _implied(self, own: int, worlds: np.ndarray) -> int | None:
        mine = None
        for known, found in reversed(self._decided.get(own, OrderedDict()).values()):
            if (found == REFUTED and len(known) <= len(worlds)) or (found != REFUTED and len(known) >= len(worlds)):
                mine = mine or frozenset(worlds.tolist())
                if found == REFUTED and known <= mine:
                    return REFUTED
                # The try of the larger belief may be illegal everywhere here, which decides nothing: then continue the
                # search.
                if found != REFUTED and mine <= known and len(self.beliefs.split(own, worlds, found)[0]) < len(worlds):
                    return found
        return None


# Outcomes of a turn: for a set of own stones, all worlds, and the end of every try and unseen answer.

MAX_FIELDS = 256  # fields in the cache; the least recently used one is evicted first
VISITS = 1 << 18  # positions of the perfect-information game that must fit at each evaluation
# Score of a try that fails, or is neither won with perfect information nor lost at once; a won one scores 1.
FAILS, SURVIVES = 0.5, 0.3


@kernel
def subset_ranks(cells, out):
    """Write the rank of each set of cells among the sets of its size."""
    counts = np.zeros(cells + 1, np.int64)
    for stones in range(1 << cells):
        size = 0
        for cell in range(cells):
            size += (stones >> cell) & 1
        out[stones] = counts[size]
        counts[size] += 1


@kernel
def pack(stones, own, cells):
    """Return the stones with the cells of `own` left out."""
    out, at = 0, 0
    for cell in range(cells):
        if not (own >> cell) & 1:
            out |= ((stones >> cell) & 1) << at
            at += 1
    return out


@kernel
def world_ranks(worlds, own, shift, ranks, out):
    """Write the rank of each world among all worlds beside the image of `own`, after a permutation of the cells."""
    image = permute(own, shift)
    for k in range(len(worlds)):
        out[k] = ranks[pack(permute(worlds[k], shift), image, len(shift))]


@kernel_of(NOTHING, FATE, CELLS, NUMBER, NUMBER, CELLS, NUMBER, TABLE8, BLOCK16, TABLE8, TABLE, CELLS, CELLS)
def walk_answers(fate, ground, player, own, worlds, cells, outcomes, leaf, free, after, count, seen):
    """Write the outcome of every try in every world, and the world after every answer.

    `after[c]` becomes the worlds after stone c, count[c] of them; `seen` is workspace, one number per set of cells, -1.
    """
    for k in range(len(worlds)):
        for c in range(cells):
            if not ((own | worlds[k]) >> c) & 1:
                free[k, 0] += 1
                free[k, free[k, 0]] = c
    for c in range(cells):
        count[c] = 0
        for k in range(len(worlds)):
            outcomes[k, c] = fate(player, own, worlds[k], c)
            for d in range(cells):
                leaf[k, c, d] = BARRED
            if outcomes[k, c] != GOES_ON:
                continue
            for d in range(cells):
                answer = fate(1 - player, worlds[k], own | (1 << c), d)
                if answer == WINS:
                    leaf[k, c, d] = OPPONENT_WINS
                elif answer == GOES_ON:
                    world = worlds[k] | (1 << d)
                    if seen[world] < 0:
                        seen[world] = count[c]
                        after[c, count[c]] = world
                        count[c] += 1
                    leaf[k, c, d] = seen[world]
        for j in range(count[c]):
            seen[after[c, j]] = -1


@kernel_of(NUMBER, FATE, CELLS, NUMBER, NUMBER, CELLS, CELLS, CELLS, CELLS, NUMBER, REALS)
def judge_worlds(fate, ground, player, own, worlds, keys, values, used, most, out):
    """Write each world's outcome with perfect information, the player to move; return False if the table is full."""
    for k in range(len(worlds)):
        if 2 * (used[0] + most) > len(keys):
            return False
        out[k] = perfect_outcome(fate, ground, player, own, worlds[k], keys, values, used, most)
    return True


@kernel_of(NUMBER, FATE, CELLS, NUMBER, NUMBER, CELLS, TABLE8, BLOCK16, NUMBER, CELLS, CELLS, CELLS, NUMBER, ROWS)
def score_tries(fate, ground, player, own, worlds, outcomes, leaf, cells, keys, values, used, most, out):
    """Write each try's score in each world, by the perfect-information game; return False if its table is full."""
    for k in range(len(worlds)):
        for c in range(cells):
            if outcomes[k, c] == WINS:
                out[k, c] = 1.0
            elif outcomes[k, c] == ILLEGAL:
                out[k, c] = FAILS
            else:
                if 2 * (used[0] + most) > len(keys):
                    return False
                after = own | (1 << c)
                found = perfect_outcome(fate, ground, 1 - player, worlds[k], after, keys, values, used, most)
                out[k, c] = 1.0 if found == LOST else SURVIVES
                for d in range(cells):
                    if leaf[k, c, d] == OPPONENT_WINS:
                        out[k, c] = 0.0
    return True


class TurnOutcomes:
    """Outcomes of a turn from own stones on, for every world: see `window_regrets` for the arrays."""

    def __init__(self, fields: "Fields", own: int) -> None:
        board, player = fields.board, fields.player
        self.own, self.worlds, cells = own, fields.worlds_beside(own), board.cells
        count = len(self.worlds)
        outcomes, leaf = np.zeros((count, cells), np.int8), np.zeros((count, cells, cells), np.int16)
        self.answers = Answers(outcomes, leaf, np.zeros((count, cells + 1), np.int8))
        after, self.wide = np.zeros((cells, fields.most_worlds), np.int64), np.zeros(cells, np.int64)
        seen = np.full(1 << cells, EMPTY, np.int64)
        walk_answers(*fields.rule, player, own, self.worlds, cells, *self.answers, after, self.wide, seen)
        self.after = [after[c, : self.wide[c]].copy() for c in range(cells)]
        self.scores = np.zeros((count, cells))
        known = player, own, self.worlds, outcomes, leaf, cells
        fields.perfect.fill(score_tries, *known, visits=VISITS, out=self.scores)
        # By stone and symmetry: the ranks of the worlds after the stone among those beside the image.
        self.ranks: dict[tuple[int, int], np.ndarray] = {}


class Fields:
    """Cached fields of one player on a board."""

    def __init__(self, board: Board, player: int) -> None:
        self.board, self.player, self.rule = board, player, (rule_of(board), ground_of(board))
        self.perfect = PerfectInformation(board)
        self.subset_ranks = np.zeros(1 << board.cells, np.int32)
        subset_ranks(board.cells, self.subset_ranks)
        self.most_worlds = max(len(self.worlds_beside((1 << m) - 1)) for m in range(board.cells // 2))
        self._fields: OrderedDict[int, TurnOutcomes] = OrderedDict()
        self._hopes: dict[int, np.ndarray] = {}
        self._images: dict[int, tuple[int, list[int]]] = {}

    def worlds_beside(self, own: int) -> np.ndarray:
        free = [1 << cell for cell in range(self.board.cells) if not own >> cell & 1]
        return np.array(sorted(map(sum, combinations(free, own.bit_count() + self.player))), np.int64)

    def field(self, own: int) -> TurnOutcomes:
        found = self._fields.pop(own, None) or TurnOutcomes(self, own)
        self._fields[own] = found
        if len(self._fields) > MAX_FIELDS:
            self._fields.popitem(last=False)
        return found

    def image(self, own: int) -> tuple[int, list[int]]:
        if own not in self._images:
            images = [int(permute(own, shift)) for shift in self.board.symmetries]
            least = min(images)
            self._images[own] = least, [turn for turn, image in enumerate(images) if image == least]
        return self._images[own]

    def ranks(self, field: TurnOutcomes, stone: int, turn: int) -> np.ndarray:
        """Return the ranks of the worlds after a stone, among all worlds beside the image of the stones."""
        if (stone, turn) not in field.ranks:
            field.ranks[stone, turn] = self.ranks_of(field.after[stone], field.own | 1 << stone, turn)
        return field.ranks[stone, turn]

    def ranks_of(self, worlds: np.ndarray, own: int, turn: int) -> np.ndarray:
        """Return the ranks of worlds after a symmetry, among all worlds beside the image of `own`."""
        out = np.zeros(len(worlds), np.int64)
        world_ranks(worlds, own, self.board.symmetries[turn], self.subset_ranks, out)
        return out

    def hopes(self, own: int) -> np.ndarray:
        """Return for each world 1 if the player, to move, wins with perfect information, else 0."""
        if own not in self._hopes:
            worlds = self.worlds_beside(own)
            out = np.zeros(len(worlds))
            self.perfect.fill(judge_worlds, self.player, own, worlds, visits=VISITS, out=out)
            self._hopes[own] = out == WON
        return self._hopes[own]
