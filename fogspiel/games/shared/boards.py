"""The board games behind the phantom games: tic-tac-toe, ponnuki (first capture wins) and hex.

A position is two sets of stones, each the bits of one integer: cell = row * columns + column. One kernel is all that
a game needs: `fate(player, own, other, cell)` says what happens if `player` (0 Black, 1 White), who has the stones
`own` against the stones `other`, plays the cell. A game that goes on always leaves the opponent a legal cell.
"""

from typing import NamedTuple

import numpy as np

from ...core.game import Kernel
from ...core.kernel import NUMBER, inlined, kernel, signature, variant

ILLEGAL, GOES_ON, WINS, DRAWS = -1, 0, 1, 2
FATE = signature(NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
MOST_CELLS = 25
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXY"


class Board(NamedTuple):
    """A board game: its size, its one rule, and the permutations of its cells that map the game to itself."""

    name: str
    rows: int
    columns: int
    fate: Kernel
    # A row is a permutation: `symmetries[s, cell]` is where cell goes. The first is the identity.
    symmetries: np.ndarray

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @property
    def full(self) -> int:
        """The bits of all cells."""
        return (1 << self.cells) - 1

    @property
    def orbits(self) -> list[list[int]]:
        """The cells, those together that the symmetries take to each other; the least of each orbit comes first."""
        found: dict[int, list[int]] = {}
        for cell, least in enumerate(self.symmetries.min(axis=0).tolist()):
            found.setdefault(least, []).append(cell)
        return list(found.values())

    def cell_name(self, cell: int) -> str:
        """The name of a cell: a letter for the column and a number for the row, A1 first."""
        return f"{LETTERS[cell % self.columns]}{cell // self.columns + 1}"


class Outline(NamedTuple):
    """The bits of a board's outer columns and rows, and of all its cells."""

    left: int
    right: int
    top: int
    bottom: int
    full: int


def outline(rows: int, columns: int) -> Outline:
    """The outline of a board of that size."""
    left, top = sum(1 << row * columns for row in range(rows)), (1 << columns) - 1
    return Outline(left, left << (columns - 1), top, top << (rows - 1) * columns, (1 << rows * columns) - 1)


# Tic-tac-toe: three in a line wins, a full board without a line is a draw


@kernel
def tic_tac_toe(player, own, other, cell):
    """Return the effect of a move by the owner of `own` in tic-tac-toe."""
    bit = 1 << cell
    if (own | other) & bit:
        return ILLEGAL
    own |= bit
    if own & (own >> 1) & (own >> 2) & 0b001001001 or own & (own >> 3) & (own >> 6) & 0b111:
        return WINS
    if own & 0b100010001 == 0b100010001 or own & 0b001010100 == 0b001010100:
        return WINS
    return DRAWS if own | other == 0b111111111 else GOES_ON


# Ponnuki: the first capture wins, suicide is illegal, and a player without a legal cell loses


@inlined
def spread(stones, columns, left, right, full):
    """The cells that share a side with one of the stones; `left` and `right` are the outer columns."""
    sideways = ((stones & ~right) << 1) | ((stones & ~left) >> 1)
    return (sideways | (stones << columns) | (stones >> columns)) & full


@inlined
def has_liberty(group, stones, empty, columns, left, right, full):
    """True if the chain of the `stones` around `group` touches an empty cell."""
    while True:
        reached = spread(group, columns, left, right, full)
        if reached & empty:
            return True
        reached = (reached & stones) | group
        if reached == group:
            return False
        group = reached


@kernel
def ponnuki_try(own, other, cell, columns, left, right, full):
    """WINS by capture, ILLEGAL (occupied or suicide) or GOES_ON, before asking whether the opponent has a move left."""
    bit = 1 << cell
    if (own | other) & bit:
        return ILLEGAL
    empty = full & ~(own | other | bit)
    around = spread(bit, columns, left, right, full)
    attacked = around & other
    while attacked:
        stone = attacked & -attacked
        attacked ^= stone
        if not has_liberty(stone, other, empty, columns, left, right, full):
            return WINS
    if around & empty or has_liberty(bit, own | bit, empty, columns, left, right, full):
        return GOES_ON
    return ILLEGAL


@inlined
def ponnuki_outcome(own, other, cell, cells, columns, left, right, full):
    """Return the effect of a move by the owner of `own` in ponnuki."""
    outcome = ponnuki_try(own, other, cell, columns, left, right, full)
    if outcome != GOES_ON:
        return outcome
    own |= 1 << cell
    empty = full & ~(own | other)
    if empty & spread(empty, columns, left, right, full):
        return GOES_ON  # an empty cell with an empty neighbour is never suicide
    for reply in range(cells):
        if ponnuki_try(other, own, reply, columns, left, right, full) != ILLEGAL:
            return GOES_ON
    return WINS


def ponnuki_fate(rows: int, columns: int) -> Kernel:
    """The rule of ponnuki on a board of that size."""
    left, right, _, _, full = outline(rows, columns)
    cells = rows * columns

    @variant(rows, columns)
    def fate(player, own, other, cell):
        return ponnuki_outcome(own, other, cell, cells, columns, left, right, full)

    return fate


# Hex: Black joins the first row to the last, White the first column to the last; there are no draws


@inlined
def hex_spread(stones, columns, left, right, full):
    """The cells that touch one of the stones: along rows and columns, and along the diagonal up and to the right."""
    sideways = ((stones & ~right) << 1) | ((stones & ~left) >> 1)
    diagonal = ((stones & ~right) >> (columns - 1)) | ((stones & ~left) << (columns - 1))
    return (sideways | diagonal | (stones << columns) | (stones >> columns)) & full


def hex_fate(rows: int, columns: int) -> Kernel:
    """The rule of hex on a board of that size."""
    left, right, top, bottom, full = outline(rows, columns)

    @variant(rows, columns)
    def fate(player, own, other, cell):
        bit = 1 << cell
        if (own | other) & bit:
            return ILLEGAL
        own |= bit
        chain, goal = (own & top, bottom) if player == 0 else (own & left, right)
        while chain & goal == 0:
            longer = chain | (hex_spread(chain, columns, left, right, full) & own)
            if longer == chain:
                return GOES_ON
            chain = longer
        return WINS

    return fate


def rectangle_symmetries(rows: int, columns: int) -> np.ndarray:
    """Rotations and reflections of a board: eight for a square, four for another rectangle."""
    cells = np.arange(rows * columns).reshape(rows, columns)
    images = [cells, cells[::-1], cells[:, ::-1], cells[::-1, ::-1]]
    if rows == columns:
        images += [image.T for image in images]
    return np.unique(np.array([image.reshape(-1) for image in images], np.int64), axis=0)


def half_turn(rows: int, columns: int) -> np.ndarray:
    """The symmetries of hex that keep each player's edges: none, and the half turn."""
    cells = np.arange(rows * columns, dtype=np.int64)
    return np.array([cells, cells[::-1]])


def ponnuki(rows: int, columns: int) -> Board:
    """Ponnuki on a board of any size from 2 to 25 cells."""
    if rows < 1 or columns < 1 or not 2 <= rows * columns <= MOST_CELLS:
        raise ValueError(f"a ponnuki board has 2 to {MOST_CELLS} cells, not {rows} x {columns}")
    return Board(
        f"ponnuki-{rows}x{columns}", rows, columns, ponnuki_fate(rows, columns), rectangle_symmetries(rows, columns)
    )


BOARDS: dict[str, Board] = {
    board.name: board
    for board in (
        Board("ttt", 3, 3, tic_tac_toe, rectangle_symmetries(3, 3)),
        *(ponnuki(size, size) for size in (2, 3, 4, 5)),
        *(
            Board(f"hex-{columns}x{rows}", rows, columns, hex_fate(rows, columns), half_turn(rows, columns))
            for rows, columns in ((3, 3), (3, 4), (4, 3))
        ),
    )
}
