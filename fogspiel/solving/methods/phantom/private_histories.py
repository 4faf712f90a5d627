"""The private histories of one player of a phantom game, up to symmetry, in flat arrays.

A private history is, turn by turn, the set of cells whose try failed and the cell of the stone. Within a turn only the
set of the failed tries counts and not their order: whether a try fails depends on the opponent's stones alone, so all
orders of one set leave the same opponents possible and have the same continuations. An infoset is a history and the
set that has failed in the turn so far; a sequence is an infoset and a cell, which is also the next history if the
stone stays there. So the infosets of a turn are a DAG: a try leads to the infoset with one more failure or, if the
stone stays, to the next turn. A stone in the last empty cell is no decision and has no turn.

Symmetric histories are stored once (Lemma 1 of Teytaud and Teytaud 2011): turn by turn, the earliest first, the pair of
failed set and cell is the smallest among the images that fix the earlier turns, so that every prefix of a
representative is a representative. A twist is the symmetry that takes a pair to its representative.

For example, phantom tic-tac-toe starts with turn 0 and infoset 0, in which nothing has failed. Its sequences are the
cells 0, 1 and 4 (a corner, an edge, the centre): sequences 1, 2 and 3. Cell 2 has the child (sequence 1, the symmetry
that takes corner 2 to corner 0). After the centre, all eight symmetries still fix the history; after the corner 0,
the identity and the mirror along its diagonal do.

Lemma 3: every cell that is illegal or wins is tried at once, so that a turn starts with all of them failed, or is won.
In the variant "numturns" a player learns the number of the opponent's failures: a history has then several next turns,
one for each number, and a failure leaks information, so that the lemma holds only where the opponent has nothing
left to decide.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ....core.compile.kernel import NOTHING, NUMBER, TABLE, compiled, inlined, kernel, kernel_of, ones, trailing_zeros
from ....games.boards.board import BOARDS, DRAWS, FATE, GOES_ON, ILLEGAL, WINS, Board

NOWHERE = -1
# Use of Lemma 3: at the end means when one's stone leaves the opponent a single cell.
NEVER, AT_THE_END, ALWAYS = range(3)
FIRST_ROOM = 1 << 16  # initial space for sequences and turns; it is doubled until all fit
MAX_CELLS = 9  # tables over pairs of sets of cells have 4 ** cells entries


class Geometry(NamedTuple):
    """Tables of the sets of cells of a board, and its symmetries, as an argument of kernels."""

    cells: int
    image: np.ndarray  # image[g, set] is the image of a set under symmetry g
    product: np.ndarray  # product[h, g] is g followed by h
    inverse: np.ndarray
    # rank[within, set] numbers the subsets of a set, smaller ones first: 0, {0}, {2}, {0, 2} within {0, 2}.
    rank: np.ndarray
    wins: np.ndarray  # wins[player, own] are the cells that win for a player with these stones


def subset_ranks(cells: int) -> np.ndarray:
    masks = np.arange(1 << cells)
    order = np.array(sorted(range(1 << cells), key=lambda mask: (mask.bit_count(), mask)))
    inside = (order[None, :] & ~masks[:, None]) == 0
    rank = np.zeros((len(masks), len(masks)), np.int32)
    rank[:, order] = np.where(inside, np.cumsum(inside, axis=1) - 1, NOWHERE)
    return rank


@kernel_of(NOTHING, FATE, NUMBER, TABLE)
def fill_wins(fate, cells, found):
    for player in range(2):
        for own in range(1 << cells):
            for cell in range(cells):
                if fate(player, own, 0, cell) == WINS:
                    found[player, own] |= 1 << cell


@kernel_of(NUMBER, FATE, NUMBER, TABLE)
def fits_wins(fate, cells, wins):
    """Return 1 if taken cells are illegal, `wins` are the winning ones, and nothing but a full board is a draw."""
    full = (1 << cells) - 1
    for own in range(full + 1):
        other = full & ~own
        while True:
            for player in range(2):
                for cell in range(cells):
                    bit, fated = 1 << cell, fate(player, own, other, cell)
                    expected = GOES_ON if own | other | bit != full else DRAWS
                    if (own | other) & bit:
                        expected = ILLEGAL
                    elif wins[player, own] & bit:
                        expected = WINS
                    # A game of hex ends before the board is full of stones without a winner, so that goes on as well.
                    if fated != expected and not (expected == DRAWS and fated == GOES_ON):
                        return 0
            if other == 0:
                break
            other = (other - 1) & full & ~own
    return 1


def winning_cells(board: Board) -> np.ndarray:
    """Return for each player and each set of its stones the cells that win."""
    found = np.zeros((2, board.full + 1), np.int64)
    fill_wins(compiled(board.fate, FATE), board.cells, found)
    return found


def is_simple(board: Board, wins: np.ndarray) -> bool:
    """True if only occupied cells are illegal and own stones, but not a single one, determine a win."""
    return not wins[:, 0].any() and fits_wins(compiled(board.fate, FATE), board.cells, wins) == 1


@cache
def simple_board(name: str, most: int) -> bool:
    """True if a board has up to `most` cells, and own stones alone determine a win: the solvers rely on it."""
    board = BOARDS[name]
    if board.cells > most or board.suicide:
        return False
    return board.kind != "" or is_simple(board, winning_cells(board))


@cache
def geometry(name: str, symmetric: bool = True) -> Geometry:
    """Return the tables for a board, with its symmetries or with the identity alone."""
    board = BOARDS[name]
    if board.cells > MAX_CELLS:
        raise ValueError(f"the board {name} will not do: it must have {MAX_CELLS} cells at most, not {board.cells}")
    moved, cells = board.symmetries if symmetric else board.symmetries[:1], board.cells
    masks = np.arange(1 << cells)
    image = np.zeros((len(moved), len(masks)), np.int64)
    for cell in range(cells):
        image |= (masks >> cell & 1)[None, :] << moved[:, cell, None]
    number = {tuple(row): g for g, row in enumerate(moved.tolist())}
    product = np.array([[number[tuple(second[first])] for first in moved] for second in moved])
    wins = winning_cells(board)
    if not is_simple(board, wins):
        raise ValueError(
            f"the board {name} will not do: only taken cells may be illegal, a player's own stones alone must tell "
            "whether it wins, and one stone must not be enough"
        )
    return Geometry(cells, image, product, np.argmin(product, axis=0), subset_ranks(cells), wins)


class Histories(NamedTuple):
    """The private histories of a player in 32-bit tables; sequence 0 is the empty one."""

    sequences: np.ndarray
    turns: np.ndarray
    infosets: np.ndarray
    places: np.ndarray  # for each turn and each set of failures in it, by rank: the infoset and the twist to it
    child: np.ndarray  # for each infoset and cell: the sequence and the twist to it


class SequenceColumns(NamedTuple):
    """Columns of `sequences`."""

    infoset: int = 0  # the infoset in which it is played
    cell: int = 1
    stones: int = 2  # all own stones, this one included
    failed: int = 3  # all cells that have failed
    stabiliser: int = 4  # the symmetries that keep the history, as bits
    wins: int = 5
    first_turn: int = 6  # the first of the turns that may come next
    turns: int = 7  # their number: several if the opponent's failures are counted
    failure: int = 8  # the infoset if the try fails


class TurnColumns(NamedTuple):
    """Columns of `turns`."""

    before: int = 0  # the sequence before
    heard: int = 1  # total number of the opponent's failures announced so far
    forced: int = 2  # the unknown cells that win, which Lemma 3 tries first
    free: int = 3  # the other unknown cells
    first_place: int = 4
    first_infoset: int = 5
    infosets: int = 6


class InfosetColumns(NamedTuple):
    """Columns of `infosets`."""

    turn: int = 0
    tried: int = 1  # the cells failed in this turn, the forced ones included
    first: int = 2  # the first of its sequences
    sequences: int = 3


class TableSizes(NamedTuple):
    """Indices of the vector that counts the filled rows of each table."""

    sequences: int = 0
    turns: int = 1
    infosets: int = 2
    places: int = 3


SEQUENCE, TURN, INFOSET, SIZE = SequenceColumns(), TurnColumns(), InfosetColumns(), TableSizes()
WIDTHS = len(SEQUENCE), len(TURN), len(INFOSET), 2, 2


@inlined
def twist_of(image, stabiliser, mask):
    """Return the symmetry of a stabiliser with the smallest image of a set; the identity if the set is the smallest."""
    best = 0
    for g in range(1, len(image)):
        if stabiliser >> g & 1 and image[g, mask] < image[best, mask]:
            best = g
    return best


@inlined
def keepers(image, stabiliser, mask):
    """Return the symmetries of a stabiliser that fix a set."""
    kept = 0
    for g in range(len(image)):
        if stabiliser >> g & 1 and image[g, mask] == mask:
            kept |= 1 << g
    return kept


@kernel
def add_sequences(tree, sizes, tables, player, infoset, free, counted):
    """Write the sequences of an infoset and the possible next turns."""
    sequences, turns, infosets, _, child = tree
    image, cells = tables.image, tables.cells
    turn, tried = infosets[infoset, INFOSET.turn], infosets[infoset, INFOSET.tried]
    before = turns[turn, TURN.before]
    stones = sequences[before, SEQUENCE.stones]
    stabiliser = keepers(image, sequences[before, SEQUENCE.stabiliser], tried)
    infosets[infoset, INFOSET.first] = sizes[SIZE.sequences]
    for cell in range(cells):
        entry, bit = infoset * cells + cell, 1 << cell
        child[entry, 0], child[entry, 1] = NOWHERE, 0
        if not free & bit:
            continue
        twist = twist_of(image, stabiliser, bit)
        if twist:
            child[entry, 0] = child[infoset * cells + trailing_zeros(image[twist, bit]), 0]
            child[entry, 1] = twist
            continue
        new = sizes[SIZE.sequences]
        sizes[SIZE.sequences] += 1
        child[entry, 0] = new
        sequences[new, SEQUENCE.infoset] = infoset
        sequences[new, SEQUENCE.cell] = cell
        sequences[new, SEQUENCE.stones] = stones | bit
        sequences[new, SEQUENCE.failed] = sequences[before, SEQUENCE.failed] | tried
        sequences[new, SEQUENCE.stabiliser] = keepers(image, stabiliser, bit)
        sequences[new, SEQUENCE.wins] = tables.wins[player, stones] >> cell & 1
        sequences[new, SEQUENCE.first_turn] = sizes[SIZE.turns]
        sequences[new, SEQUENCE.turns] = 0
        sequences[new, SEQUENCE.failure] = NOWHERE
        own = ones(stones) + 1
        left = cells - 2 * own - player  # empty cells at the next turn
        if left > 0 and not sequences[new, SEQUENCE.wins]:
            heard = turns[turn, TURN.heard]
            for more in range(own - heard + 1 if counted and left > 1 else 1):
                turns[sizes[SIZE.turns], TURN.before] = new
                turns[sizes[SIZE.turns], TURN.heard] = heard + more
                sizes[SIZE.turns] += 1
                sequences[new, SEQUENCE.turns] += 1
    infosets[infoset, INFOSET.sequences] = sizes[SIZE.sequences] - infosets[infoset, INFOSET.first]


@kernel
def add_infosets(tree, sizes, tables, turn, player, stabiliser, forced, free, most_failures, counted):
    """Write the infosets of a turn, one for each set of failures up to symmetry, smaller sets first."""
    infosets, places = tree.infosets, tree.places
    first_place = sizes[SIZE.places]
    for failures in range(most_failures + 1):
        failed = 0
        while True:
            if ones(failed) == failures:
                twist = twist_of(tables.image, stabiliser, forced | failed)
                place = first_place + tables.rank[free, failed]
                places[place, 0], places[place, 1] = sizes[SIZE.infosets], twist
                sizes[SIZE.places] += 1
                if twist:
                    same = tables.image[twist, forced | failed] & ~forced
                    places[place, 0] = places[first_place + tables.rank[free, same], 0]
                else:
                    new = sizes[SIZE.infosets]
                    infosets[new, INFOSET.turn], infosets[new, INFOSET.tried] = turn, forced | failed
                    sizes[SIZE.infosets] += 1
                    add_sequences(tree, sizes, tables, player, new, free & ~failed, counted)
            failed = (failed - free) & free  # the next larger subset of `free`, and after the last one the empty one
            if failed == 0:
                break


@kernel
def grow(tree, sizes, tables, player, lemma, counted):
    """Write all histories of a player, turn by turn; return False if the tables are full."""
    sequences, turns, infosets, places, _ = tree
    cells = tables.cells
    for column in range(len(SEQUENCE)):
        sequences[0, column] = 0
    for column in (SEQUENCE.infoset, SEQUENCE.cell, SEQUENCE.failure):
        sequences[0, column] = NOWHERE
    sequences[0, SEQUENCE.stabiliser], sequences[0, SEQUENCE.turns] = (1 << len(tables.image)) - 1, 1
    turns[0, TURN.before], turns[0, TURN.heard] = 0, 0
    sizes[SIZE.sequences] = sizes[SIZE.turns] = 1
    sizes[SIZE.infosets] = sizes[SIZE.places] = 0
    turn = 0
    while turn < sizes[SIZE.turns]:
        before = turns[turn, TURN.before]
        stones, failed = sequences[before, SEQUENCE.stones], sequences[before, SEQUENCE.failed]
        unknown = ((1 << cells) - 1) & ~(stones | failed)
        opposing = ones(stones) + player
        left = cells - ones(stones) - opposing
        forced = 0
        if lemma == ALWAYS or left == 1 or (lemma == AT_THE_END and left == 2):
            forced = tables.wins[player, stones] & unknown
        free = unknown & ~forced
        turns[turn, TURN.forced], turns[turn, TURN.free] = forced, free
        turns[turn, TURN.first_place], turns[turn, TURN.first_infoset] = sizes[SIZE.places], sizes[SIZE.infosets]
        most = 1 << ones(free)
        if max(sizes[SIZE.infosets], sizes[SIZE.places]) + most > len(infosets):
            return False
        if max(sizes[SIZE.sequences], sizes[SIZE.turns]) + most * cells**2 > len(turns):
            return False
        hidden = opposing - ones(failed | forced)  # stones of the opponent that are still to be found
        if left > 1:
            stabiliser = sequences[before, SEQUENCE.stabiliser]
            add_infosets(tree, sizes, tables, turn, player, stabiliser, forced, free, hidden, counted)
        turns[turn, TURN.infosets] = sizes[SIZE.infosets] - turns[turn, TURN.first_infoset]
        turn += 1
    for new in range(1, sizes[SIZE.sequences]):
        infoset, cell = sequences[new, SEQUENCE.infoset], sequences[new, SEQUENCE.cell]
        turn = infosets[infoset, INFOSET.turn]
        known = sequences[new, SEQUENCE.failed] | 1 << cell
        if ones(known) < ones(sequences[new, SEQUENCE.stones]) + player:  # this many stones are still to be found
            failures = infosets[infoset, INFOSET.tried] & ~turns[turn, TURN.forced] | 1 << cell
            place = turns[turn, TURN.first_place] + tables.rank[turns[turn, TURN.free], failures]
            sequences[new, SEQUENCE.failure] = places[place, 0]
    return True


def histories_of(tables: Geometry, player: int, lemma: int = ALWAYS, counted: bool = False) -> Histories:
    """Return all private histories that a player's own moves allow; `counted` is the variant numturns."""
    room = FIRST_ROOM
    while True:
        heights = room, room, room // 2, room // 2, room // 2 * tables.cells
        tree = Histories(*(np.empty(shape, np.int32) for shape in zip(heights, WIDTHS, strict=True)))
        sizes = np.zeros(len(SIZE), np.int64)
        if grow(tree, sizes, tables, player, lemma, counted):
            break
        room *= 2
    sequences, turns, infosets, places = sizes.tolist()
    filled = sequences, turns, infosets, places, infosets * tables.cells
    return Histories(*(table[:height].copy() for table, height in zip(tree, filled, strict=True)))
