"""A phantom game as one sparse bilinear form over two players' private histories.

A pair of private histories fixes the whole game, so the payoff of two plans x and y, the weights of Black's and
White's sequences, is x' M y. Orbits of symmetric histories stand for all of their members at once and a plan gives
their total weight: flow is then conserved without any factors, and M[s, t] is the mean over the members of t of what s
and t lead to. Payoffs are counted from a draw: Black gets 1/2 + x' M y / unit.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..core.kernel import inlined, kernel
from ..games.shared.boards import BOARDS, Board
from ..solve.sequence_form import Sparse
from .histories import (
    ALWAYS,
    AT_THE_END,
    CELL,
    COUNT,
    FAILURE,
    FIRST,
    FIRST_INFOSET,
    FIRST_PLACE,
    FIRST_TURN,
    FORCED,
    FREE,
    INFOSETS,
    KEEPING,
    NEVER,
    NOWHERE,
    OVER,
    STONES,
    TRIED,
    TURNS,
    Histories,
    geometry,
    histories_of,
    size_of,
)

VARIANTS = ("classical", "numturns")
FIRST_ROOM = 1 << 22
LOW = 9
"""A world is a sequence of White's, a twist and White's stones in one number: the stones take so many bits."""
HIGH = LOW + 4


@dataclass(frozen=True, eq=False)
class DecisionDag:
    """One player's infosets, those before others first, as a `DecisionProblem`; sequence 0 is the beginning."""

    first: np.ndarray
    count: np.ndarray
    start: np.ndarray
    follow: np.ndarray
    places: np.ndarray
    """The number of each infoset among the histories."""
    numbers: np.ndarray
    """The number of each sequence among the histories."""

    @property
    def parent(self) -> np.ndarray:
        """Nothing: an infoset of a DAG has no single parent."""
        return np.zeros(0, np.int64)

    @property
    def infosets(self) -> int:
        return len(self.first)

    @property
    def sequences(self) -> int:
        return len(self.start) - 1

    @cached_property
    def infoset_of(self) -> np.ndarray:
        """The infoset in which each sequence is played; -1 for the empty one."""
        owner = np.full(self.sequences, NOWHERE, np.int64)
        place = np.repeat(self.first - np.cumsum(self.count) + self.count, self.count) + np.arange(self.count.sum())
        owner[place] = np.repeat(np.arange(self.infosets), self.count)
        return owner


@dataclass(frozen=True, eq=False)
class Form:
    """A phantom game: Black gets 1/2 + x' M y / unit for the plans x and y."""

    name: str
    variant: str
    histories: tuple[Histories, Histories]
    sides: tuple[DecisionDag, DecisionDag]
    rows: Sparse
    """M by Black's sequences, in whole numbers."""
    columns: Sparse
    """M by White's sequences."""
    unit: int
    turn_nodes: int

    @property
    def board(self) -> Board:
        return BOARDS[self.name]

    def cell_of(self, player: int, sequence: int) -> int:
        """The cell that a sequence ends with."""
        return int(self.histories[player].sequences[self.sides[player].numbers[sequence], CELL])

    @property
    def sizes(self) -> dict[str, int | list[int]]:
        """What there is to tell about the size; sequences without the empty one."""
        return {
            "infosets": [side.infosets for side in self.sides],
            "sequences": [side.sequences - 1 for side in self.sides],
            "turn nodes": self.turn_nodes,
            "nonzeros": len(self.rows.value),
        }


class Meeting(NamedTuple):
    """Room to work in: worlds, the row in hand (its sums and which are not zero), infosets reached, and counters."""

    worlds: np.ndarray
    sums: np.ndarray
    touched: np.ndarray
    reached: np.ndarray
    """White's infosets that are reached."""
    counters: np.ndarray


ENTRIES, NODES, TOUCHED, FILLED = range(4)
"""The counters: entries of M, turn nodes, entries of the row in hand, worlds."""


@inlined
def note(room, white, sequence, sign):
    """Add to the row in hand the end of a game against one member of the orbit of White's sequence."""
    if room.sums[sequence] == 0:
        room.touched[room.counters[TOUCHED]] = sequence
        room.counters[TOUCHED] += 1
    room.sums[sequence] += sign * size_of(white.sequences[sequence, KEEPING])


@kernel
def answer(room, group, white, world, turn, stones, heard, forced, goes_on):
    """Write all worlds that White's turn leads to, if he fails `heard` times (or any number, if that is -1).

    Black has the stones, will win at once if a cell of `forced` is empty, and has no more decisions unless it goes on.
    """
    image, product, inverse, rank = group
    twist, theirs = (world >> LOW) & 15, world & ((1 << LOW) - 1)
    cells = len(white.child) // len(white.infosets)
    hidden = image[twist, stones]
    free = white.turns[turn, FREE]
    hit, more = free & hidden, free & hidden
    while True:
        if heard == -1 or size_of(more) == heard:
            place = white.turns[turn, FIRST_PLACE] + rank[free, more]
            infoset, turned = white.places[place, 0], white.places[place, 1]
            room.reached[infoset] = True
            for cell in range(cells):
                bit = 1 << cell
                if not bit & free & ~hidden:
                    continue
                entry = infoset * cells + size_of(image[turned, bit] - 1)
                after = white.child[entry, 0]
                if white.sequences[after, OVER]:
                    note(room, white, after, -1)
                    continue
                room.counters[NODES] += 1
                now = theirs | image[inverse[twist], bit]
                if forced & ~now:
                    note(room, white, after, 1)
                elif goes_on:
                    if room.counters[FILLED] == len(room.worlds):
                        return False
                    again = product[white.child[entry, 1], product[turned, twist]]
                    room.worlds[room.counters[FILLED]] = (after << HIGH) | (again << LOW) | now
                    room.counters[FILLED] += 1
        if more == 0:
            return True
        more = (more - 1) & hit


@kernel
def meet(room, group, black, white, reached, pending, entries):
    """Let every representative of Black's histories meet all of White's: the entries of M, row by row.

    A row of `pending` is a turn of Black's and the worlds, begin and end, that he may be in. Returns whether there was
    enough room.
    """
    low = (1 << LOW) - 1
    worlds, counters = room.worlds, room.counters
    pending[0, 0], pending[0, 1], pending[0, 2] = 0, 0, 1
    worlds[0] = 0
    counters[ENTRIES], counters[NODES] = 0, 1
    waiting = 1
    while waiting:
        waiting -= 1
        turn, begin, end = pending[waiting, 0], pending[waiting, 1], pending[waiting, 2]
        counters[FILLED] = end  # these worlds are needed until the last child is done: the children go above them
        first_infoset = black.turns[turn, FIRST_INFOSET]
        for infoset in range(first_infoset, first_infoset + black.turns[turn, INFOSETS]):
            tried = black.infosets[infoset, TRIED]
            for w in range(begin, end):
                reached[infoset] |= tried & ~worlds[w] & low == 0
            if not reached[infoset]:
                continue
            first = black.infosets[infoset, FIRST]
            for mine in range(first, first + black.infosets[infoset, COUNT]):
                stones, over = black.sequences[mine, STONES], black.sequences[mine, OVER]
                next_turn, ways = black.sequences[mine, FIRST_TURN], black.sequences[mine, TURNS]
                counters[TOUCHED] = 0
                for way in range(max(ways, 1)):
                    start = counters[FILLED]
                    for w in range(begin, end):
                        if tried & ~worlds[w] or worlds[w] >> black.sequences[mine, CELL] & 1:
                            continue
                        theirs = worlds[w] >> HIGH
                        if over:
                            note(room, white, theirs, 1)
                            continue
                        their_turn = white.sequences[theirs, FIRST_TURN]
                        their_turn += min(size_of(tried), white.sequences[theirs, TURNS] - 1)
                        wins = white.turns[their_turn, FORCED] & ~group[0][(worlds[w] >> LOW) & 15, stones]
                        if way == 0:
                            counters[NODES] += 1
                            if wins:
                                note(room, white, theirs, -1)
                        if not wins and white.turns[their_turn, INFOSETS] > 0:
                            forced = black.turns[next_turn + way, FORCED]
                            goes_on = black.turns[next_turn + way, INFOSETS] > 0
                            heard = way if ways > 1 else -1
                            if not answer(room, group, white, worlds[w], their_turn, stones, heard, forced, goes_on):
                                return False
                    if counters[FILLED] > start:
                        if waiting == len(pending):
                            return False
                        pending[waiting, 0] = next_turn + way
                        pending[waiting, 1], pending[waiting, 2] = start, counters[FILLED]
                        waiting += 1
                if counters[ENTRIES] + counters[TOUCHED] > len(entries):
                    return False
                for k in range(counters[TOUCHED]):
                    column, entry = room.touched[k], counters[ENTRIES]
                    entries[entry, 0], entries[entry, 1], entries[entry, 2] = mine, column, room.sums[column]
                    room.sums[column] = 0
                    counters[ENTRIES] += 1
    return True


def form_of(name: str, variant: str = "classical", lemma: bool | None = None, symmetric: bool = True) -> Form:
    """The form of the phantom version of a board game; Lemmas 1 and 3 are used where they hold unless declined."""
    if variant not in VARIANTS:
        raise ValueError(f"there is no variant {variant!r}: it is {' or '.join(VARIANTS)}")
    counted = variant == "numturns"
    when = NEVER if lemma is False else AT_THE_END if counted else ALWAYS
    tables = geometry(name, symmetric)
    black, white = (histories_of(tables, player, when, counted) for player in (0, 1))
    reached = np.zeros(len(black.infosets), np.bool_), np.zeros(len(white.infosets), np.bool_)
    group = tables.image, tables.product, tables.inverse, tables.rank
    height, size = len(white.sequences), FIRST_ROOM
    while True:
        room = Meeting(
            np.empty(size // 4, np.int64), np.zeros(height, np.int64), np.empty(height, np.int64), reached[1],
            np.zeros(4, np.int64),
        )  # fmt: skip
        entries = np.empty((size, 3), np.int32)
        if meet(room, group, black, white, reached[0], np.empty((size // 16, 3), np.int64), entries):
            break
        size *= 2
    count, nodes = int(room.counters[ENTRIES]), int(room.counters[NODES])
    del room
    sides = decisions(black, reached[0]), decisions(white, reached[1])
    row, column, value = (entries[:count, k].copy() for k in range(3))
    del entries
    for axis, side in enumerate(sides):
        renumbered = np.full(len((black, white)[axis].sequences), NOWHERE, np.int32)
        renumbered[side.numbers] = np.arange(side.sequences)
        (row, column)[axis][:] = renumbered[(row, column)[axis]]
    by_column = by_line(column, row, value, sides[1].sequences)
    row, column = by_column.column, np.repeat(np.arange(sides[1].sequences, dtype=np.int32), np.diff(by_column.start))
    by_row = by_line(row, column, by_column.value, sides[0].sequences)
    return Form(name, variant, (black, white), sides, by_row, by_column, 2 * len(tables.image), nodes)


def decisions(histories: Histories, reached: np.ndarray) -> DecisionDag:
    """The infosets that are reached, numbered in their order, and what follows each of their sequences."""
    places = np.flatnonzero(reached)
    number = np.full(len(reached) + 1, NOWHERE)  # the last entry serves the infoset NOWHERE
    number[places] = np.arange(len(places))
    first, count = histories.infosets[places, FIRST], histories.infosets[places, COUNT]
    numbers = np.r_[0, np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())]
    chosen = histories.sequences[numbers]
    # A sequence leads to the infoset after its failure and to the beginning of each turn that may come next
    owner = np.repeat(np.arange(len(numbers)), chosen[:, TURNS])
    turn = np.repeat(chosen[:, FIRST_TURN] - np.cumsum(chosen[:, TURNS]) + chosen[:, TURNS], chosen[:, TURNS])
    turn = histories.turns[turn + np.arange(len(turn))]
    opening = np.where(turn[:, INFOSETS] > 0, turn[:, FIRST_INFOSET], NOWHERE)
    owner = np.r_[np.arange(len(numbers)), owner]
    follow = number[np.r_[chosen[:, FAILURE], opening]]
    owner, follow = owner[follow != NOWHERE], follow[follow != NOWHERE]
    order = np.argsort(owner, kind="stable")
    start = np.r_[0, np.cumsum(np.bincount(owner, minlength=len(numbers)))]
    return DecisionDag(1 + np.cumsum(count) - count, count, start, follow[order], places, numbers)


@kernel
def sort_by_line(line, other, value, place, to_other, to_value):
    """Distribute the entries of a matrix to their lines, in their order; `place` is where each line begins."""
    for k in range(len(line)):
        there = place[line[k]]
        place[line[k]] += 1
        to_other[there] = other[k]
        to_value[there] = value[k]


def by_line(line: np.ndarray, other: np.ndarray, value: np.ndarray, lines: int) -> Sparse:
    """A matrix by rows (or columns), the entries of each in the order in which they come."""
    start = np.r_[0, np.cumsum(np.bincount(line, minlength=lines))]
    to_other, to_value = np.empty_like(other), np.empty_like(value)
    sort_by_line(line, other, value, start.copy(), to_other, to_value)
    return Sparse(start, to_other, to_value)
