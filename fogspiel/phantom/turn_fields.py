"""Outcomes of a turn: for a set of own stones, all worlds, and the end of every try and unseen answer."""

from collections import OrderedDict
from itertools import combinations

import numpy as np

from ..games.shared.boards import Board
from .beliefs import EMPTY, WON, PerfectInformation, ground_of, permute
from .window_kernels import judge_worlds, score_tries, subset_ranks, walk_answers, world_ranks
from .window_regrets import Answers

MOST_FIELDS = 256  # fields that are kept; the one that was not used for longest goes first
VISITS = 1 << 18  # positions of the perfect-information game that there must be room for at each look


class Field:
    """All that follows from own stones, for every world: see `window_kernels` for the arrays."""

    def __init__(self, fields: "Fields", own: int) -> None:
        board, player, ground = fields.board, fields.player, fields.ground
        self.own, self.worlds, cells = own, fields.worlds_beside(own), board.cells
        count = len(self.worlds)
        self.outcomes = np.zeros((count, cells), np.int8)
        self.leaf = np.zeros((count, cells, cells), np.int16)
        free = np.zeros((count, cells + 1), np.int8)
        after, self.wide = np.zeros((cells, fields.most_worlds), np.int64), np.zeros(cells, np.int64)
        seen = np.full(1 << cells, EMPTY, np.int64)
        walk_answers(ground, player, own, self.worlds, cells, self.outcomes, self.leaf, free, after, self.wide, seen)
        self.answers = Answers(self.outcomes, self.leaf, free)
        self.after = [after[c, : self.wide[c]].copy() for c in range(cells)]
        self.scores = np.zeros((count, cells))
        fields.perfect.fill(
            score_tries, player, own, self.worlds, self.outcomes, self.leaf, cells, visits=VISITS, out=self.scores
        )
        # By stone and symmetry: the numbers of the worlds after the stone among those beside the image.
        self.ranks: dict[tuple[int, int], np.ndarray] = {}


class Fields:
    """The fields of one player on a board."""

    def __init__(self, board: Board, player: int) -> None:
        self.board, self.player, self.ground = board, player, ground_of(board)
        self.perfect = PerfectInformation(board)
        self.subset_ranks = np.zeros(1 << board.cells, np.int32)
        subset_ranks(board.cells, self.subset_ranks)
        self.most_worlds = max(len(self.worlds_beside((1 << m) - 1)) for m in range(board.cells // 2))
        self._fields: OrderedDict[int, Field] = OrderedDict()
        self._hopes: dict[int, np.ndarray] = {}
        self._images: dict[int, tuple[int, list[int]]] = {}

    def worlds_beside(self, own: int) -> np.ndarray:
        """All sets of stones that the opponent may have at a turn of the player, in growing order."""
        free = [1 << cell for cell in range(self.board.cells) if not own >> cell & 1]
        return np.array(sorted(map(sum, combinations(free, own.bit_count() + self.player))), np.int64)

    def field(self, own: int) -> Field:
        """The field of own stones."""
        found = self._fields.pop(own, None) or Field(self, own)
        self._fields[own] = found
        if len(self._fields) > MOST_FIELDS:
            self._fields.popitem(last=False)
        return found

    def image(self, own: int) -> tuple[int, list[int]]:
        """The smallest image of own stones, and the symmetries that give it."""
        if own not in self._images:
            images = [int(permute(own, shift)) for shift in self.board.symmetries]
            least = min(images)
            self._images[own] = least, [turn for turn, image in enumerate(images) if image == least]
        return self._images[own]

    def ranks(self, field: Field, stone: int, turn: int) -> np.ndarray:
        """The numbers of the worlds after a stone, among all worlds beside the image of the stones."""
        if (stone, turn) not in field.ranks:
            field.ranks[stone, turn] = self.ranks_of(field.after[stone], field.own | 1 << stone, turn)
        return field.ranks[stone, turn]

    def ranks_of(self, worlds: np.ndarray, own: int, turn: int) -> np.ndarray:
        """The numbers of worlds after a symmetry, among all worlds beside the image of `own`."""
        out = np.zeros(len(worlds), np.int64)
        world_ranks(worlds, own, self.board.symmetries[turn], self.subset_ranks, out)
        return out

    def hopes(self, own: int) -> np.ndarray:
        """For each world 1 if the player, to move, wins with open eyes, else 0."""
        if own not in self._hopes:
            worlds = self.worlds_beside(own)
            out = np.zeros(len(worlds))
            self.perfect.fill(judge_worlds, self.player, own, worlds, visits=VISITS, out=out)
            self._hopes[own] = out == WON
        return self._hopes[own]
