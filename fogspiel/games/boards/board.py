"""The board games behind the phantom games: tic-tac-toe, ponnuki (first capture wins) and hex; boards with gravity.

A position is two sets of stones, each the bits of one integer: cell = row * columns + column. One kernel defines a
game: `fate(player, own, other, cell)` returns the effect of `player` (0 Black, 1 White), who has the stones `own`
against the stones `other`, playing the cell. Where both players have the same rules, `fate(own, other, cell)` will do.
A game that continues always leaves the opponent a legal cell.
"""

import inspect
import re
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...core import NotFound
from ...core.compile.kernel import NUMBER, inlined, kernel, signature, trailing_zeros
from ...core.explain import percent
from ...core.game import DRAW, LOSS, WIN, Kernel, Resample, new_cells
from ...core.picture import BoardPicture, Cell
from ...core.rng import random_below, shuffle
from ...stats.race import interval

ILLEGAL, GOES_ON, WINS, DRAWS, LOSES = -1, 0, 1, 2, 3
FATE = signature(NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
MAX_CELLS = 25
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXY"


NO_SYMMETRY: Any = "none"


@dataclass(frozen=True, eq=False)
class Board:
    """A board game: its size, its one rule, and the permutations of its cells that map the game to itself."""

    name: str
    rows: int
    columns: int
    fate: Kernel
    # Each row is a permutation: `symmetries[s, cell]` is the image of a cell. The first row is the identity. By name:
    # "square" (rotations and reflections, also of other rectangles), "half-turn" or "none".
    symmetries: np.ndarray = NO_SYMMETRY
    suicide: bool = False  # true if an illegal cell may be empty
    length: int = 0  # stones in a line that win, in tic-tac-toe
    goal: str = ""  # how to win, for people

    def __post_init__(self) -> None:
        given: Any = self.symmetries
        if isinstance(given, str):
            if given not in SYMMETRIES:
                names = ", ".join(SYMMETRIES)
                raise ValueError(f"the symmetries of a board are {names}, or a table, not {given!r}")
            given = SYMMETRIES[given](self.rows, self.columns)
        object.__setattr__(self, "symmetries", check_symmetries(given, self.cells))
        if len(inspect.signature(getattr(self.fate, "py_func", self.fate)).parameters) == 3:
            object.__setattr__(self, "fate", for_both(self.fate))

    @property
    def kind(self) -> str:
        """The kind of a board of the package; empty for another one."""
        return self.name.partition("-")[0] if self.name == "ttt" or BY_NUMBER.fullmatch(self.name) else ""

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @property
    def full(self) -> int:
        return (1 << self.cells) - 1

    @property
    def orbits(self) -> list[list[int]]:
        """Orbits of the cells under the symmetries, each starting with its least cell."""
        found: dict[int, list[int]] = {}
        for cell, least in enumerate(self.symmetries.min(axis=0).tolist()):
            found.setdefault(least, []).append(cell)
        return list(found.values())

    def cell_name(self, cell: int) -> str:
        """Return the name of a cell: a letter for the column and a number for the row, A1 first."""
        return f"{LETTERS[cell % self.columns]}{cell // self.columns + 1}"


def for_both(fate: Kernel) -> Kernel:
    """Return the rule of a board on which both players have the same rules."""

    @kernel
    def fate_of(player, own, other, cell):
        return fate(own, other, cell)

    return fate_of


def check_symmetries(given: np.ndarray | Sequence[Sequence[int]], cells: int) -> np.ndarray:
    """Return a group of permutations of the cells, the identity first, or raise ValueError."""
    rows = np.array(given, np.int64)
    if rows.ndim != 2 or not (np.sort(rows, axis=1) == np.arange(cells)).all():
        raise ValueError(f"symmetries must be rows with each of the cells 0 to {cells - 1} once")
    found = {tuple(row) for row in rows.tolist()}
    if tuple(range(cells)) not in found or any(
        tuple(two[cell] for cell in one) not in found for one in found for two in found
    ):
        raise ValueError("symmetries must be a group: the identity, and with any two also the one after the other")
    return np.array(sorted(found), np.int64)


class Outline(NamedTuple):
    """The bits of a board's outer columns and rows, and of all its cells."""

    left: int
    right: int
    top: int
    bottom: int
    full: int


def outline(rows: int, columns: int) -> Outline:
    left, top = sum(1 << row * columns for row in range(rows)), (1 << columns) - 1
    return Outline(left, left << (columns - 1), top, top << (rows - 1) * columns, (1 << rows * columns) - 1)


# Tic-tac-toe: three in a line wins, a full board without a line is a draw


@kernel
def tic_tac_toe(player, own, other, cell):
    bit = 1 << cell
    if (own | other) & bit:
        return ILLEGAL
    own |= bit
    if own & (own >> 1) & (own >> 2) & 0b001001001 or own & (own >> 3) & (own >> 6) & 0b111:
        return WINS
    if own & 0b100010001 == 0b100010001 or own & 0b001010100 == 0b001010100:
        return WINS
    return DRAWS if own | other == 0b111111111 else GOES_ON


@cache
def lines_of(rows: int, columns: int, length: int) -> tuple[int, ...]:
    """Return the lines of a board as bits: so many cells in a row, a column or a diagonal."""
    found = []
    for start in range(rows * columns):
        row, column = divmod(start, columns)
        for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if row + up * (length - 1) < rows and 0 <= column + right * (length - 1) < columns:
                found.append(sum(1 << start + step * (up * columns + right) for step in range(length)))
    return tuple(dict.fromkeys(found))


def line_fate(rows: int, columns: int, length: int) -> Kernel:
    """Make the rule of tic-tac-toe on any board: `length` stones in a line win."""
    lines, full = np.array(lines_of(rows, columns, length), np.int64), (1 << rows * columns) - 1

    @kernel
    def fate(player, own, other, cell):
        bit = 1 << cell
        if (own | other) & bit:
            return ILLEGAL
        own |= bit
        for line in lines:
            if own & line == line:
                return WINS
        return DRAWS if own | other == full else GOES_ON

    return fate


# Ponnuki: the first capture wins, suicide is illegal, and a player without a legal cell loses


@inlined
def spread(stones, columns, left, right, full):
    """Return the cells that share a side with one of the stones; `left` and `right` are the outer columns."""
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
    """Return WINS (capture), ILLEGAL (occupied or suicide) or GOES_ON before the opponent's mobility is tested."""
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
    left, right, _, _, full = outline(rows, columns)
    cells = rows * columns

    @kernel
    def fate(player, own, other, cell):
        return ponnuki_outcome(own, other, cell, cells, columns, left, right, full)

    return fate


# Hex: Black joins the first row to the last, White the first column to the last; there are no draws


@inlined
def hex_spread(stones, columns, left, right, full):
    """Return the cells adjacent to a stone: along rows and columns, and along the diagonal up and to the right."""
    sideways = ((stones & ~right) << 1) | ((stones & ~left) >> 1)
    diagonal = ((stones & ~right) >> (columns - 1)) | ((stones & ~left) << (columns - 1))
    return (sideways | diagonal | (stones << columns) | (stones >> columns)) & full


def hex_fate(rows: int, columns: int) -> Kernel:
    left, right, top, bottom, full = outline(rows, columns)

    @kernel
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
    """Return the rotations and reflections of a board: eight for a square, four for another rectangle."""
    cells = np.arange(rows * columns).reshape(rows, columns)
    images = [cells, cells[::-1], cells[:, ::-1], cells[::-1, ::-1]]
    if rows == columns:
        images += [image.T for image in images]
    return np.unique(np.array([image.reshape(-1) for image in images], np.int64), axis=0)


def half_turn(rows: int, columns: int) -> np.ndarray:
    """Return the symmetries of hex that preserve each player's edges: the identity and the half turn."""
    cells = np.arange(rows * columns, dtype=np.int64)
    return np.array([cells, cells[::-1]])


SYMMETRIES: dict[str, Callable[[int, int], np.ndarray]] = {
    "none": lambda rows, columns: np.arange(rows * columns, dtype=np.int64)[None, :],
    "half-turn": half_turn,
    "square": rectangle_symmetries,
}


def demand_size(name: str, rows: int, columns: int) -> None:
    if min(rows, columns) < 1 or not 2 <= rows * columns <= MAX_CELLS:
        raise NotFound(f"{name} has no board here: boards have 2 to {MAX_CELLS} cells")


def ponnuki(rows: int, columns: int) -> Board:
    name = f"ponnuki-{rows}x{columns}"
    demand_size(name, rows, columns)
    return Board(name, rows, columns, ponnuki_fate(rows, columns), rectangle_symmetries(rows, columns), suicide=True)


def hex_board(rows: int, columns: int) -> Board:
    name = f"hex-{columns}x{rows}"
    demand_size(name, rows, columns)
    if min(rows, columns) < 2:
        raise NotFound(f"{name} is won by one stone: both sides of hex are 2 or more")
    return Board(name, rows, columns, hex_fate(rows, columns), half_turn(rows, columns))


def tic_tac_toe_board(rows: int, columns: int, length: int) -> Board:
    name = f"ttt-{rows}x{columns}-{length}"
    demand_size(name, rows, columns)
    if not 2 <= length <= max(rows, columns):
        raise NotFound(f"{name} has no lines of {length}: from 2 to {max(rows, columns)} stones in a line win there")
    fate = line_fate(rows, columns, length)
    return Board(name, rows, columns, fate, rectangle_symmetries(rows, columns), length=length)


# Boards by name: `ttt`, and those by number, ponnuki-ROWSxCOLUMNS, hex-COLUMNSxROWS, ttt-ROWSxCOLUMNS-LENGTH

NUMBER_TEXT = "([1-9][0-9]{0,3})"
BY_NUMBER = re.compile(rf"(ttt|ponnuki|hex)-{NUMBER_TEXT}x{NUMBER_TEXT}(?:-{NUMBER_TEXT})?")


class Boards(dict[str, Board]):
    """Boards by name; a board by number is made when it is first used."""

    def __missing__(self, name: str) -> Board:
        self[name] = board = make_board(name)
        return board


def make_board(name: str) -> Board:
    """Make a board by number, or raise NotFound with the reason."""
    found = BY_NUMBER.fullmatch(name)
    if found is None or (found[1] == "ttt") != bool(found[4]):
        raise NotFound(
            f"there is no board {name[:40]}: it is ponnuki-ROWSxCOLUMNS, hex-COLUMNSxROWS or ttt-ROWSxCOLUMNS-LENGTH"
        )
    first, second, length = int(found[2]), int(found[3]), int(found[4] or 0)
    if found[1] == "ttt":
        return tic_tac_toe_board(first, second, length)
    return hex_board(second, first) if found[1] == "hex" else ponnuki(first, second)


BOARDS = Boards({"ttt": Board("ttt", 3, 3, tic_tac_toe, rectangle_symmetries(3, 3), length=3)})
for _name in (*(f"ponnuki-{size}x{size}" for size in (2, 3, 4, 5)), "hex-3x3", "hex-4x3", "hex-3x4"):
    BOARDS[_name]  # those of the catalogue


# Sets as the bits of an integer


@inlined
def list_bits(bits, out):
    """Write the members of a set in ascending order; return their number."""
    count = 0
    while bits > 0:
        out[count] = trailing_zeros(bits)
        bits &= bits - 1
        count += 1
    return count


# Sampling of states in a player's information set

Option = TypeVar("Option")


def pick(options: Sequence[Option], stream: np.ndarray) -> Option:
    return options[int(random_below(stream, len(options)))]


def permute(state: np.ndarray, cells: Sequence[int], stream: np.ndarray) -> None:
    """Shuffle the contents of these cells of a state."""
    order = new_cells(len(cells))
    shuffle(stream, order)
    state[cells] = state[np.array(cells, np.int64)[order]]


# hidden(state, player): the cell hidden from the player and its possible contents, or None.
Hidden = Callable[[np.ndarray, int], tuple[int, Sequence[int]] | None]


def resample_one(hidden: Hidden) -> Resample:
    """Make the resampler of a game that hides at most one cell."""

    def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
        other, found = state.copy(), hidden(state, player)
        if found is not None:
            cell, options = found
            other[cell] = pick(options, stream)
        return other

    return resample


# Winning cells of a board game: lines of tic-tac-toe, the path between two edges of hex, captures of ponnuki.


def cells_in_lines(rows: int, columns: int, length: int, stones: int) -> int:
    """Return the bits of all complete lines among the stones."""
    found = 0
    for line in lines_of(rows, columns, length):
        found |= line if stones & line == line else 0
    return found


def hex_path(rows: int, columns: int, player: int, stones: int) -> int:
    """Return the bits of a shortest path of a player's stones between its two edges; 0 if there is none."""
    left, right, top, bottom, full = outline(rows, columns)
    begin, goal = (top, bottom) if player == 0 else (left, right)
    bits = [1 << cell for cell in range(rows * columns)]
    queue = deque(bit for bit in bits if bit & begin & stones)
    paths = {bit: bit for bit in queue}
    while queue:
        bit = queue.popleft()
        if bit & goal:
            return paths[bit]
        around = int(hex_spread(bit, columns, left, right, full)) & stones
        for following in bits:
            if around & following and following not in paths:
                paths[following] = paths[bit] | following
                queue.append(following)
    return 0


def captured_cells(rows: int, columns: int, stones: Collection[int], others: Collection[int]) -> set[int]:
    """Return the cells of all chains of `stones` without a liberty; `others` are the opponent's stones."""
    captured, left = set[int](), set(stones)
    while left:
        chain, waiting, breathes = set[int](), [left.pop()], False
        while waiting:
            cell = waiting.pop()
            chain.add(cell)
            row, column = divmod(cell, columns)
            around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
            for beside in (up * columns + right for up, right in around if 0 <= up < rows and 0 <= right < columns):
                if beside in left:
                    left.remove(beside)
                    waiting.append(beside)
                breathes |= beside not in stones and beside not in others
        captured |= set() if breathes else chain
    return captured


# Text shared by several games


def estimate_score(count: int, many: int) -> str:
    """Return a sampled frequency with its 95 % interval, as text."""
    low, high = interval(np.array((many - count, count)))
    return f"{percent(count / many)} ({100 * low:.1f} to {100 * high:.1f})"


def actions_text(history: np.ndarray, label: Callable[[int], str], nothing: str = "nobody has moved") -> str:
    """List the actions so far, of both players in turn; cells below 0 are still empty."""
    return ", ".join(label(int(action)) for action in history if action >= 0) or nothing


# Boards with gravity: stones fall to the bottom of a column; sets of stones are the bits of one integer.
#
# Column c has the bits c * (rows + 1) .. c * (rows + 1) + rows - 1 from the bottom up; the bit above stays empty, so
# no line continues from the top of one column to the bottom of the next. Boards have at most 62 bits.

SIGNS = (".", "X", "O")


@inlined
def bottom(rows, column):
    return 1 << (column * (rows + 1))


@inlined
def is_full(rows, taken, column):
    return (taken >> (column * (rows + 1) + rows - 1)) & 1 == 1


@inlined
def drop_row(rows, taken, column):
    """Return the bit of the next stone in a column, given all stones on the board."""
    low = bottom(rows, column)
    return (taken + low) & (((1 << rows) - 1) * low)


@inlined
def open_columns(rows, columns, taken):
    """Return the set of columns that are not full, one bit each."""
    found = 0
    for column in range(columns):
        if not is_full(rows, taken, column):
            found |= 1 << column
    return found


@inlined
def four_aligned(rows, stones):
    """True if four of the stones are aligned in a column, a row or a diagonal."""
    pairs = stones & (stones >> 1)
    if pairs & (pairs >> 2):
        return True
    pairs = stones & (stones >> (rows + 1))
    if pairs & (pairs >> (2 * (rows + 1))):
        return True
    pairs = stones & (stones >> rows)
    if pairs & (pairs >> (2 * rows)):
        return True
    pairs = stones & (stones >> (rows + 2))
    return pairs & (pairs >> (2 * (rows + 2))) != 0


@inlined
def outcome_of(rows, player, stones, full):
    """Return the first player's score after a stone of `player`, which may fill the board; -1 if the game continues."""
    if four_aligned(rows, stones):
        return WIN if player == 0 else LOSS
    return DRAW if full else -1


def columns_text(rows: int, columns: int, first: int, second: int) -> str:
    """Return the board from the top down with column numbers: X moved first."""
    lines = []
    for row in reversed(range(rows)):
        bits = [column * (rows + 1) + row for column in range(columns)]
        lines.append("".join(SIGNS[(first >> bit & 1) + 2 * (second >> bit & 1)] for bit in bits))
    return "\n".join([*lines, "".join(str(column + 1) for column in range(columns))])


def stones_in(cells: np.ndarray, at: int) -> tuple[int, int]:
    return int(cells[at]), int(cells[at + 1])


ENDS = {LOSS: "O wins.", DRAW: "A draw.", WIN: "X wins."}


def winning_cells(stones: int, rows: int) -> int:
    """Return the bits of all stones in a line of four."""
    found = 0
    for step in (1, rows, rows + 1, rows + 2):
        line = stones & stones >> step & stones >> 2 * step & stones >> 3 * step
        found |= line | line << step | line << 2 * step | line << 3 * step
    return found


def stones_on(rows: int, columns: int, stones: tuple[int, int], own: int, open_now: int = 0) -> BoardPicture:
    """Draw the board from the top down; `own` has the player's colour, and columns open now can be clicked anywhere."""
    winning = winning_cells(stones[0], rows) | winning_cells(stones[1], rows)

    def cell_at(row: int, column: int) -> Cell:
        bit = column * (rows + 1) + row
        there = (stones[0] >> bit & 1) + 2 * (stones[1] >> bit & 1)
        look = "" if there == 0 else "own stone" if there - 1 == own else "other stone"
        look += " winning" if winning >> bit & 1 else ""
        words = "empty" if there == 0 else SIGNS[there]
        action = column if open_now >> column & 1 else None
        return Cell(SIGNS[there] if there else "", look, action, f"column {column + 1}, row {row + 1}, {words}")

    return BoardPicture(
        tuple(tuple(cell_at(row, column) for column in range(columns)) for row in reversed(range(rows))),
        column_names=tuple(str(column + 1) for column in range(columns)),
    )
