"""A phantom game as one sparse bilinear form over two players' private histories.

A pair of private histories determines the whole game, so the payoff of two plans x and y, the weights of Black's and
White's sequences, is x' M y. Orbits of symmetric histories stand for all of their members at once and a plan gives
their total weight: flow is then conserved without any factors, and M[s, t] is the mean payoff of s and t over the
members of t. Payoffs are counted from a draw: Black gets 1/2 + x' M y / unit.

M is written row by row in a depth-first traversal of Black's histories, each of which carries along Black's possible
worlds:

    write_rows        every turn of Black's, every infoset of it, every sequence: one row of M
      play_sequence   the stone in every world: it wins, White wins at once, or White
        answer        tries: every set of failures and every stone lead to a world of Black's next turn
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ....core.compile.kernel import inlined, kernel, ones, trailing_zeros
from ....games.boards.board import BOARDS, Board
from ....games.phantom.look import PhantomName
from ...proofs.checkers.phantom import OPENING
from ...tree.sequence_form import Sparse
from .private_histories import (
    ALWAYS,
    AT_THE_END,
    INFOSET,
    MAX_CELLS,
    NEVER,
    NOWHERE,
    SEQUENCE,
    TURN,
    Histories,
    geometry,
    histories_of,
    simple_board,
)

VARIANTS = ("classical", "numturns")
MIN_CELLS = 7  # the whole tree of a smaller board is small, and any method solves it
FIRST_ROOM = 1 << 22  # initial space for entries of M; it is doubled until all fit
ANY = -1  # White may fail any number of times


@dataclass(frozen=True, eq=False)
class DecisionDag:
    """One player's infosets in topological order, as a `DecisionProblem`; sequence 0 is the empty one."""

    first: np.ndarray
    count: np.ndarray
    start: np.ndarray
    follow: np.ndarray
    places: np.ndarray  # the number of each infoset among the histories
    numbers: np.ndarray  # the number of each sequence among the histories

    @property
    def parent(self) -> np.ndarray:
        """An empty array: an infoset of a DAG has no single parent."""
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
        owner[_ranges(self.first, self.count)] = np.repeat(np.arange(self.infosets), self.count)
        return owner


@dataclass(frozen=True, eq=False)
class BilinearForm:
    name: str
    variant: str
    histories: tuple[Histories, Histories]
    sides: tuple[DecisionDag, DecisionDag]
    rows: Sparse  # M by Black's sequences, in integers
    columns: Sparse  # M by White's sequences
    unit: int
    turn_nodes: int

    @property
    def board(self) -> Board:
        return BOARDS[self.name]

    def cell_of(self, player: int, sequence: int) -> int:
        return int(self.histories[player].sequences[self.sides[player].numbers[sequence], SEQUENCE.cell])

    @property
    def sizes(self) -> dict[str, int | list[int]]:
        """Sizes of the form; sequences without the empty one."""
        return {
            "infosets": [side.infosets for side in self.sides],
            "sequences": [side.sequences - 1 for side in self.sides],
            "turn nodes": self.turn_nodes,
            "nonzeros": len(self.rows.value),
        }


class Workspace(NamedTuple):
    """Workspace: worlds, the current row, and the reached histories."""

    worlds: np.ndarray
    waiting: np.ndarray  # Black's turns that are still to be played: the turn, and the range of its worlds
    sums: np.ndarray  # the current row, by White's sequences
    touched: np.ndarray  # the sequences whose sums are not zero
    black_reached: np.ndarray  # Black's infosets that are reached
    white_reached: np.ndarray
    entries: np.ndarray  # M: row, column and value of each entry
    counters: np.ndarray


# Indices of the counters.
ENTRIES, NODES, TOUCHED, WORLDS, WAITING = range(5)


# A world is Black's hidden information in one number: White's sequence, the twist from the board to its frame, White's
# stones on the board. So sequence 5, twist 3 and the stones on cells 0 and 2 are 5 << 13 | 3 << 9 | 0b101.
TWIST_BITS = 4
STONES_MASK, TWIST_MASK = (1 << MAX_CELLS) - 1, (1 << TWIST_BITS) - 1


@inlined
def world_of(sequence, twist, stones):
    return (sequence << (MAX_CELLS + TWIST_BITS)) | (twist << MAX_CELLS) | stones


@inlined
def unpack(world):
    """Return White's sequence, the twist, and White's stones."""
    return world >> (MAX_CELLS + TWIST_BITS), (world >> MAX_CELLS) & TWIST_MASK, world & STONES_MASK


@inlined
def note(room, white, sequence, sign):
    """Add the end of a game against one member of the orbit of White's sequence to the current row."""
    if room.sums[sequence] == 0:
        room.touched[room.counters[TOUCHED]] = sequence
        room.counters[TOUCHED] += 1
    room.sums[sequence] += sign * ones(white.sequences[sequence, SEQUENCE.stabiliser])


@kernel
def answer(room, tables, white, world, turn, stones, heard, forced, goes_on):
    """Write all worlds after White's turn, with `heard` failures (or ANY); return False if the workspace is full.

    Black has the stones, will win at once if a cell of `forced` is empty, and has no more decisions unless `goes_on`.
    White's turn is in the frame of its representative, to which the twist takes the board.
    """
    image, cells = tables.image, tables.cells
    _, twist, theirs = unpack(world)
    hidden = image[twist, stones]
    free = white.turns[turn, TURN.free]
    occupied = free & hidden
    failed = occupied
    while True:
        if heard in (ANY, ones(failed)):
            place = white.turns[turn, TURN.first_place] + tables.rank[free, failed]
            infoset, second = white.places[place, 0], white.places[place, 1]
            room.white_reached[infoset] = True
            for cell in range(cells):
                bit = 1 << cell
                if not bit & free & ~hidden:
                    continue
                entry = infoset * cells + trailing_zeros(image[second, bit])
                after, third = white.child[entry, 0], white.child[entry, 1]
                if white.sequences[after, SEQUENCE.wins]:
                    note(room, white, after, -1)
                    continue
                room.counters[NODES] += 1
                now = theirs | image[tables.inverse[twist], bit]
                if forced & ~now:
                    note(room, white, after, 1)
                elif goes_on:
                    if room.counters[WORLDS] == len(room.worlds):
                        return False
                    # The board is taken to the frame of the turn, of the infoset in it, and of the sequence in that
                    further = tables.product[third, tables.product[second, twist]]
                    room.worlds[room.counters[WORLDS]] = world_of(after, further, now)
                    room.counters[WORLDS] += 1
        if failed == 0:
            return True
        failed = (failed - 1) & occupied  # the next smaller subset


@kernel
def play_sequence(room, tables, black, white, mine, tried, begin, end, way):
    """Play Black's sequence in the compatible worlds from `begin` to `end`; return False if the workspace is full.

    White's failures are counted up to `way` if they lead to different turns of Black's. The worlds of Black's next turn
    are written above the others.
    """
    stones, wins = black.sequences[mine, SEQUENCE.stones], black.sequences[mine, SEQUENCE.wins]
    next_turn = black.sequences[mine, SEQUENCE.first_turn] + way
    heard = way if black.sequences[mine, SEQUENCE.turns] > 1 else ANY
    for w in range(begin, end):
        world = room.worlds[w]
        if tried & ~world or world >> black.sequences[mine, SEQUENCE.cell] & 1:
            continue
        theirs, twist, _ = unpack(world)
        if wins:
            note(room, white, theirs, 1)
            continue
        turn = white.sequences[theirs, SEQUENCE.first_turn]
        turn += min(ones(tried), white.sequences[theirs, SEQUENCE.turns] - 1)
        loses = white.turns[turn, TURN.forced] & ~tables.image[twist, stones] != 0
        if way == 0:
            room.counters[NODES] += 1
            if loses:
                note(room, white, theirs, -1)
        if not loses and white.turns[turn, TURN.infosets] > 0:
            forced, goes_on = black.turns[next_turn, TURN.forced], black.turns[next_turn, TURN.infosets] > 0
            if not answer(room, tables, white, world, turn, stones, heard, forced, goes_on):
                return False
    return True


@kernel
def write_rows(room, tables, black, white):
    """Play every representative of Black's histories against all of White's; return False if the workspace is full."""
    worlds, waiting, counters = room.worlds, room.waiting, room.counters
    worlds[0] = 0
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, 0, 1
    counters[ENTRIES], counters[NODES], counters[WAITING] = 0, 1, 1
    while counters[WAITING]:
        counters[WAITING] -= 1
        last = counters[WAITING]
        turn, begin, end = waiting[last, 0], waiting[last, 1], waiting[last, 2]
        counters[WORLDS] = end  # these worlds are needed until the last child is done: the children go above them
        first_infoset = black.turns[turn, TURN.first_infoset]
        for infoset in range(first_infoset, first_infoset + black.turns[turn, TURN.infosets]):
            tried = black.infosets[infoset, INFOSET.tried]
            for w in range(begin, end):
                room.black_reached[infoset] |= tried & ~worlds[w] & STONES_MASK == 0
            if not room.black_reached[infoset]:
                continue
            first = black.infosets[infoset, INFOSET.first]
            for mine in range(first, first + black.infosets[infoset, INFOSET.sequences]):
                counters[TOUCHED] = 0
                for way in range(max(black.sequences[mine, SEQUENCE.turns], 1)):
                    start = counters[WORLDS]
                    if not play_sequence(room, tables, black, white, mine, tried, begin, end, way):
                        return False
                    if counters[WORLDS] > start:
                        last = counters[WAITING]
                        if last == len(waiting):
                            return False
                        waiting[last, 0] = black.sequences[mine, SEQUENCE.first_turn] + way
                        waiting[last, 1], waiting[last, 2] = start, counters[WORLDS]
                        counters[WAITING] += 1
                if not flush_row(room, mine):
                    return False
    return True


@inlined
def flush_row(room, mine):
    """Write the current row to the entries of M and clear it; return False if the workspace is full."""
    entry, touched = room.counters[ENTRIES], room.counters[TOUCHED]
    if entry + touched > len(room.entries):
        return False
    for k in range(touched):
        column = room.touched[k]
        room.entries[entry + k, 0], room.entries[entry + k, 1] = mine, column
        room.entries[entry + k, 2] = room.sums[column]
        room.sums[column] = 0
    room.counters[ENTRIES] += touched
    return True


def build_form(
    name: str, variant: str = "classical", lemma: bool | None = None, symmetric: bool = True
) -> BilinearForm:
    """Build the form of the phantom version of a board game; Lemmas 1 and 3 are used where valid, unless declined."""
    if variant not in VARIANTS:
        raise ValueError(f"there is no variant {variant!r}: it is {' or '.join(VARIANTS)}")
    counted = variant == "numturns"
    when = NEVER if lemma is False else AT_THE_END if counted else ALWAYS
    tables = geometry(name, symmetric)
    black, white = (histories_of(tables, player, when, counted) for player in (0, 1))
    size = FIRST_ROOM
    while not write_rows(room := _workspace(size, black, white), tables, black, white):
        size *= 2
    sides = dag_of(black, room.black_reached), dag_of(white, room.white_reached)
    entries, nodes = room.entries[: room.counters[ENTRIES]], int(room.counters[NODES])
    row, column = (_renumber(entries[:, axis], side) for axis, side in enumerate(sides))
    value = entries[:, 2].copy()
    del room, entries
    by_column = by_line(column, row, value, sides[1].sequences)
    row, column = by_column.column, np.repeat(np.arange(sides[1].sequences, dtype=np.int32), np.diff(by_column.start))
    by_row = by_line(row, column, by_column.value, sides[0].sequences)
    return BilinearForm(name, variant, (black, white), sides, by_row, by_column, 2 * len(tables.image), nodes)


def _workspace(size: int, black: Histories, white: Histories) -> Workspace:
    columns = len(white.sequences)
    return Workspace(
        worlds=np.empty(size // 4, np.int64),
        waiting=np.empty((size // 16, 3), np.int64),
        sums=np.zeros(columns, np.int64),
        touched=np.empty(columns, np.int64),
        black_reached=np.zeros(len(black.infosets), np.bool_),
        white_reached=np.zeros(len(white.infosets), np.bool_),
        entries=np.empty((size, 3), np.int32),
        counters=np.zeros(5, np.int64),
    )


def _renumber(histories: np.ndarray, side: DecisionDag) -> np.ndarray:
    number = np.full(1 + int(side.numbers.max()), NOWHERE, np.int32)
    number[side.numbers] = np.arange(side.sequences)
    return np.take(number, histories)


def dag_of(histories: Histories, reached: np.ndarray) -> DecisionDag:
    """Return the reached infosets, numbered in their order, and the successors of their sequences."""
    places = np.flatnonzero(reached)
    number = np.full(len(reached) + 1, NOWHERE)  # the last entry serves the infoset NOWHERE
    number[places] = np.arange(len(places))
    first, count = histories.infosets[places, INFOSET.first], histories.infosets[places, INFOSET.sequences]
    numbers = np.r_[0, _ranges(first, count)]
    chosen = histories.sequences[numbers]
    # A sequence leads to the infoset after its failure and to the first one of each possible next turn
    owner = np.repeat(np.arange(len(numbers)), chosen[:, SEQUENCE.turns])
    turn = histories.turns[_ranges(chosen[:, SEQUENCE.first_turn], chosen[:, SEQUENCE.turns])]
    opening = np.where(turn[:, TURN.infosets] > 0, turn[:, TURN.first_infoset], NOWHERE)
    owner = np.r_[np.arange(len(numbers)), owner]
    follow = number[np.r_[chosen[:, SEQUENCE.failure], opening]]
    owner, follow = owner[follow != NOWHERE], follow[follow != NOWHERE]
    order = np.argsort(owner, kind="stable")
    start = np.r_[0, np.cumsum(np.bincount(owner, minlength=len(numbers)))]
    return DecisionDag(1 + np.cumsum(count) - count, count, start, follow[order], places, numbers)


def _ranges(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return first[i] .. first[i] + count[i] - 1 for each i: 5, 6, 7, 2, 3 for (5, 2) and (3, 2)."""
    return np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())


@kernel
def sort_by_line(line, other, value, place, to_other, to_value):
    """Distribute the entries of a matrix to their lines, in their order; `place` has the start of each line."""
    for k in range(len(line)):
        there = place[line[k]]
        place[line[k]] += 1
        to_other[there] = other[k]
        to_value[there] = value[k]


def by_line(line: np.ndarray, other: np.ndarray, value: np.ndarray, lines: int) -> Sparse:
    """Return a matrix by rows (or columns), the entries of each in their original order."""
    start = np.r_[0, np.cumsum(np.bincount(line, minlength=lines))]
    to_other, to_value = np.empty_like(other), np.empty_like(value)
    sort_by_line(line, other, value, start.copy(), to_other, to_value)
    return Sparse(start, to_other, to_value)


def solvable_parts(game: str) -> PhantomName | None:
    """Return the board and the variant of a game whose form fits into memory; None for others."""
    parts = PhantomName.parse(game.partition(OPENING)[0])
    if parts is None or parts.is_large or parts.variant not in VARIANTS:
        return None
    small = BOARDS[parts.board].cells < MIN_CELLS
    return parts if not small and simple_board(parts.board, MAX_CELLS) else None


def find_form(game: str) -> BilinearForm:
    """Build the form of a game by its name, with an optional opening."""
    parts, opening = solvable_parts(game), game.partition(OPENING)[2]
    if parts is None:
        what = f"classical and numturns phantom tic-tac-toe and dark hex on up to {MAX_CELLS} cells"
        raise ValueError(f"{game!r} cannot be solved by private histories: they are for {what}")
    form = build_form(*parts)
    if not opening:
        return form
    named = {form.board.cell_name(cell): cell for cell in range(form.board.cells)}
    if opening not in named:
        raise ValueError(f"the opening {opening!r} is no cell: it is one of {', '.join(named)}")
    images, known = form.board.symmetries[:, named[opening]].tolist(), openings(form)
    return form_after(form, next(cell for cell in images if cell in known))


def openings(form: BilinearForm) -> dict[int, int]:
    first, count = int(form.sides[0].first[0]), int(form.sides[0].count[0])
    return {form.cell_of(0, sequence): sequence for sequence in range(first, first + count)}


def form_after(form: BilinearForm, cell: int) -> BilinearForm:
    """Return the game in which Black's first stone goes to a random cell of an orbit, unknown to White."""
    choices = openings(form)
    if cell not in choices:
        named = ", ".join(map(form.board.cell_name, choices))
        raise ValueError(f"cell {cell!r} is no opening up to symmetry: the openings are {named}, by number")
    black, white = form.sides
    first, count = black.first.copy(), black.count.copy()
    first[0], count[0] = choices[cell], 1
    return replace(form, sides=(replace(black, first=first, count=count), white))
