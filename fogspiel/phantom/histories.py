"""What one player of a phantom game can live through, up to symmetry, in flat arrays.

A private history is, turn by turn, the set of cells whose try failed and the cell of the stone. Within a turn only the
set of the failed tries counts and not their order: whether a try fails depends on the opponent's stones alone, so all
orders of one set leave the same opponents possible and have the same continuations. An infoset is a history and the
set that has failed in the turn so far; a sequence is an infoset and a cell, which is also the history that goes on if
the stone stays there. So the infosets of a turn are a DAG: a try leads to the infoset with one more failure or, if the
stone stays, to the next turn. A stone in the last empty cell is no decision and has no turn.

Symmetric histories are kept once (Lemma 1 of Teytaud and Teytaud 2011): turn by turn, the earliest first, the pair of
failed set and cell is the smallest among the images that leave the earlier turns as they are, so that the beginning of
a representative is a representative. A twist is the symmetry that takes a pair to its representative.

Lemma 3: every cell that is illegal or wins is tried at once, so that a turn starts with all of them failed, or is won.
In the variant "numturns" a player is told how often the other one has failed: a history has then several next turns,
one for each number, and a failure gives something away, so that the lemma holds only where the opponent has nothing
left to decide.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from ..core.kernel import inlined, kernel
from ..games.shared.boards import BOARDS, ILLEGAL, WINS, Board

NOWHERE = -1
NEVER, AT_THE_END, ALWAYS = range(3)
"""When Lemma 3 is used: at the end is when one's stone leaves the opponent a single cell."""
FIRST_ROOM = 1 << 16
MOST_CELLS = 9


@dataclass(frozen=True, eq=False)
class Geometry:
    """Tables about the sets of cells of a board and its symmetries."""

    board: Board
    image: np.ndarray
    """image[g, set] is where symmetry g takes a set."""
    product: np.ndarray
    """product[h, g] is g followed by h."""
    inverse: np.ndarray
    rank: np.ndarray
    """rank[within, set] numbers the subsets of a set of cells, smaller ones first."""
    wins: np.ndarray
    """wins[player, own] are the cells that win for a player with these stones."""


def is_simple(board: Board, wins: np.ndarray) -> bool:
    """Whether only taken cells are illegal and a player's own stones, but not a single one, tell whether he wins."""
    if wins[:, 0].any():
        return False
    for own in range(board.full + 1):
        for other in (other for other in range(board.full + 1) if not own & other):
            for player in range(2):
                fates = [board.fate(player, own, other, cell) for cell in range(board.cells)]
                illegal = sum(1 << cell for cell, fated in enumerate(fates) if fated == ILLEGAL)
                winning = sum(1 << cell for cell, fated in enumerate(fates) if fated == WINS)
                if illegal != own | other or winning != wins[player, own] & ~other:
                    return False
    return True


@cache
def geometry(name: str, symmetric: bool = True) -> Geometry:
    """The tables for a board, with its symmetries or with the identity alone."""
    board = BOARDS[name]
    if board.cells > MOST_CELLS:
        raise ValueError(f"the board {name} will not do: it must have {MOST_CELLS} cells at most, not {board.cells}")
    moved, cells = board.symmetries if symmetric else board.symmetries[:1], board.cells
    masks = np.arange(1 << cells)
    image = np.zeros((len(moved), len(masks)), np.int64)
    for cell in range(cells):
        image |= (masks >> cell & 1)[None, :] << moved[:, cell, None]
    number = {tuple(row): g for g, row in enumerate(moved.tolist())}
    product = np.array([[number[tuple(second[first])] for first in moved] for second in moved])
    order = np.array(sorted(range(1 << cells), key=lambda mask: (mask.bit_count(), mask)))
    inside = (order[None, :] & ~masks[:, None]) == 0
    rank = np.zeros((len(masks), len(masks)), np.int64)
    rank[:, order] = np.where(inside, np.cumsum(inside, axis=1) - 1, NOWHERE)
    wins = np.zeros((2, len(masks)), np.int64)
    for player in range(2):
        for own in range(len(masks)):
            wins[player, own] = sum(1 << c for c in range(cells) if board.fate(player, own, 0, c) == WINS)
    if not is_simple(board, wins):
        raise ValueError(
            f"the board {name} will not do: only taken cells may be illegal, a player's own stones alone must tell "
            "whether he wins, and one stone must not be enough"
        )
    return Geometry(board, image, product, np.argmin(product, axis=0), rank, wins)


class Histories(NamedTuple):
    """The private histories of a player in tables of 32 bits; sequence 0 is that nothing has happened."""

    sequences: np.ndarray
    turns: np.ndarray
    infosets: np.ndarray
    places: np.ndarray
    """For each turn and each set of failures in it, by rank: the infoset and the twist to it."""
    child: np.ndarray
    """For each infoset and cell: the sequence and the twist to it."""


# Columns of `sequences`: the infoset it continues, the cell, all own stones, all failed cells, the symmetries that keep
# the history (as bits), whether it wins, its first next turn and how many there are, the infoset if the try fails.
INFOSET, CELL, STONES, FAILED, KEEPING, OVER, FIRST_TURN, TURNS, FAILURE = range(9)
# Columns of `turns`: the sequence before, how many failures of the opponent have been heard of in all, the cells that
# win (forced by Lemma 3), the other unknown cells, the first place, the first infoset, and how many infosets.
BEFORE, HEARD, FORCED, FREE, FIRST_PLACE, FIRST_INFOSET, INFOSETS = range(7)
# Columns of `infosets`: the turn, the cells failed in it (the forced ones included), the first sequence, how many.
TURN, TRIED, FIRST, COUNT = range(4)
WIDTHS = (9, 7, 4, 2, 2)


@inlined
def size_of(mask):
    """How many cells are in a set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@inlined
def twist_of(image, keeping, mask):
    """The symmetry, among those of `keeping`, with the smallest image of a set; the identity if it is the smallest."""
    best = 0
    for g in range(1, len(image)):
        if keeping >> g & 1 and image[g, mask] < image[best, mask]:
            best = g
    return best


@inlined
def keepers(image, keeping, mask):
    """The symmetries, among those of `keeping`, that keep a set."""
    kept = 0
    for g in range(len(image)):
        if keeping >> g & 1 and image[g, mask] == mask:
            kept |= 1 << g
    return kept


@kernel
def add_sequences(tree, sizes, image, wins, player, infoset, free, counted):
    """Write the sequences of an infoset and the turns that may come next."""
    sequences, turns, infosets, _, child = tree
    turn, tried = infosets[infoset, TURN], infosets[infoset, TRIED]
    before = turns[turn, BEFORE]
    stones = sequences[before, STONES]
    keeping = keepers(image, sequences[before, KEEPING], tried)
    cells = len(child) // len(infosets)
    infosets[infoset, FIRST] = sizes[0]
    for cell in range(cells):
        entry, bit = infoset * cells + cell, 1 << cell
        child[entry, 0], child[entry, 1] = NOWHERE, 0
        if not free & bit:
            continue
        twist = twist_of(image, keeping, bit)
        if twist:
            child[entry, 0] = child[infoset * cells + size_of(image[twist, bit] - 1), 0]
            child[entry, 1] = twist
            continue
        new = sizes[0]
        sizes[0] += 1
        child[entry, 0] = new
        sequences[new, INFOSET], sequences[new, CELL] = infoset, cell
        sequences[new, STONES], sequences[new, FAILED] = stones | bit, sequences[before, FAILED] | tried
        sequences[new, KEEPING] = keepers(image, keeping, bit)
        sequences[new, OVER] = wins[player, stones] >> cell & 1
        sequences[new, FIRST_TURN], sequences[new, TURNS], sequences[new, FAILURE] = sizes[1], 0, NOWHERE
        own = size_of(stones) + 1
        left = cells - 2 * own - player  # empty cells at the next turn
        if left > 0 and not sequences[new, OVER]:
            heard = turns[turn, HEARD]
            for more in range(own - heard + 1 if counted and left > 1 else 1):
                turns[sizes[1], BEFORE], turns[sizes[1], HEARD] = new, heard + more
                sizes[1] += 1
                sequences[new, TURNS] += 1
    infosets[infoset, COUNT] = sizes[0] - infosets[infoset, FIRST]


@kernel
def grow(tree, sizes, image, rank, wins, player, lemma, counted):
    """Write all histories of a player, turn by turn; returns whether there was room."""
    sequences, turns, infosets, places, child = tree
    cells = len(child) // len(infosets)
    for k in range(9):
        sequences[0, k] = 0
    sequences[0, INFOSET], sequences[0, CELL], sequences[0, FAILURE] = NOWHERE, NOWHERE, NOWHERE
    sequences[0, KEEPING], sequences[0, TURNS] = (1 << len(image)) - 1, 1
    turns[0, BEFORE], turns[0, HEARD] = 0, 0
    sizes[0], sizes[1], sizes[2], sizes[3] = 1, 1, 0, 0
    turn = 0
    while turn < sizes[1]:
        before = turns[turn, BEFORE]
        stones, failed, keeping = sequences[before, STONES], sequences[before, FAILED], sequences[before, KEEPING]
        unknown = ((1 << cells) - 1) & ~(stones | failed)
        opposing = size_of(stones) + player
        left = cells - size_of(stones) - opposing
        forced = 0
        if lemma == ALWAYS or left == 1 or (lemma == AT_THE_END and left == 2):
            forced = wins[player, stones] & unknown
        free = unknown & ~forced
        first_place = sizes[3]
        turns[turn, FORCED], turns[turn, FREE], turns[turn, FIRST_PLACE] = forced, free, first_place
        turns[turn, FIRST_INFOSET] = sizes[2]
        hidden = opposing - size_of(failed | forced)  # stones of the opponent that are still to be found
        most = 1 << size_of(free)
        if max(sizes[2], sizes[3]) + most > len(infosets) or max(sizes[0], sizes[1]) + most * cells**2 > len(turns):
            return False
        for size in range(hidden + 1 if left > 1 else 0):
            more = 0
            while True:
                if size_of(more) == size:
                    twist = twist_of(image, keeping, forced | more)
                    place = first_place + rank[free, more]
                    places[place, 0], places[place, 1] = sizes[2], twist
                    sizes[3] += 1
                    if twist:
                        same = image[twist, forced | more] & ~forced
                        places[place, 0] = places[first_place + rank[free, same], 0]
                    else:
                        infosets[sizes[2], TURN], infosets[sizes[2], TRIED] = turn, forced | more
                        sizes[2] += 1
                        add_sequences(tree, sizes, image, wins, player, sizes[2] - 1, free & ~more, counted)
                more = (more - free) & free  # the next larger subset
                if more == 0:
                    break
        turns[turn, INFOSETS] = sizes[2] - turns[turn, FIRST_INFOSET]
        turn += 1
    for new in range(1, sizes[0]):
        infoset = sequences[new, INFOSET]
        turn, cell = infosets[infoset, TURN], sequences[new, CELL]
        failures = infosets[infoset, TRIED] & ~turns[turn, FORCED] | 1 << cell
        known = sequences[new, FAILED] | 1 << cell
        if size_of(known) < size_of(sequences[new, STONES]) + player:  # there are so many stones to be found
            sequences[new, FAILURE] = places[turns[turn, FIRST_PLACE] + rank[turns[turn, FREE], failures], 0]
    return True


def histories_of(tables: Geometry, player: int, lemma: int = ALWAYS, counted: bool = False) -> Histories:
    """All private histories that a player's own moves allow; `counted` is the variant numturns."""
    room = FIRST_ROOM
    while True:
        heights = room, room, room // 2, room // 2, room // 2 * tables.board.cells
        tree = Histories(*(np.empty(shape, np.int32) for shape in zip(heights, WIDTHS, strict=True)))
        sizes = np.zeros(4, np.int64)
        if grow(tree, sizes, tables.image, tables.rank, tables.wins, player, lemma, counted):
            break
        room *= 2
    sequences, turns, infosets, places = sizes.tolist()
    filled = sequences, turns, infosets, places, infosets * tables.board.cells
    return Histories(*(table[:height].copy() for table, height in zip(tree, filled, strict=True)))
