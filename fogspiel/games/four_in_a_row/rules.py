"""Four in a row: stones fall to the bottom of a column; four in a column, a row or a diagonal win.

Data sheet of a state (int64 cells)
    0 ROWS
    1 COLUMNS
    2 RESULT    the first player's score, -1 as long as the game goes on
    3 TURNS     stones on the board; the first player moves when it is even
    4 STONES    each player's stones, as bits (see `boards/columns.py`)
Data sheet of a view: ROWS, COLUMNS, 1 if the first player looks (else 0), RESULT, TURNS, the own stones, the other's:
nothing is hidden.

Action: the column, 0 on the left.
"""

import math

import numpy as np

from ...core.compile.kernel import Kernel, inlined, kernel
from ...core.game import DRAW, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy, nothing_hidden
from ...core.rng import random_unit
from ..boards.board import list_bits
from ..boards.columns import columns_text, drop_row, four_aligned, is_full, open_columns, outcome_of, stones_in

ROWS, COLUMNS, RESULT, TURNS, STONES = range(5)
SEEN_ROWS, SEEN_COLUMNS, SEEN_FIRST, SEEN_RESULT, SEEN_TURNS, SEEN_OWN, SEEN_OTHER = range(7)


# The six rules


def start_with(rows: int, columns: int) -> Kernel:
    """The start kernel of a board."""

    @kernel
    def start(state):
        state[ROWS] = rows
        state[COLUMNS] = columns
        state[RESULT] = -1
        state[TURNS] = 0
        state[STONES] = 0
        state[STONES + 1] = 0

    return start


@kernel
def mover(state):
    return OVER if state[RESULT] >= 0 else state[TURNS] % 2


@kernel
def legal(state, out):
    return list_bits(open_columns(state[ROWS], state[COLUMNS], state[STONES] | state[STONES + 1]), out)


@kernel
def apply(state, action):
    player, rows = state[TURNS] % 2, state[ROWS]
    state[STONES + player] |= drop_row(rows, state[STONES] | state[STONES + 1], action)
    state[TURNS] += 1
    full = state[TURNS] == rows * state[COLUMNS]
    state[RESULT] = outcome_of(rows, player, state[STONES + player], full)


@kernel
def view(state, player, out):
    out[SEEN_ROWS] = state[ROWS]
    out[SEEN_COLUMNS] = state[COLUMNS]
    out[SEEN_FIRST] = 1 - player
    out[SEEN_RESULT] = state[RESULT]
    out[SEEN_TURNS] = state[TURNS]
    out[SEEN_OWN] = state[STONES + player]
    out[SEEN_OTHER] = state[STONES + 1 - player]


@kernel
def score(state):
    return state[RESULT]


# The strategy: flat Monte Carlo, with weights of the columns for both sides of the playouts

PLAYOUTS = 20


@kernel
def prepare(theta, plan):
    """For both sides of a playout and every set of open columns, the chances of the columns up to each one.

    A playout plays the column whose place in the row is the number of chances not above a random number.
    """
    columns = len(theta) // 2
    for side in range(2):
        weights = theta[side * columns : (side + 1) * columns]
        for opened in range(1, 1 << columns):
            at, most, last = ((side << columns) + opened) * columns, -np.inf, 0
            for column in range(columns):
                if opened >> column & 1:
                    most = max(most, weights[column])
                    last = column
            total = 0.0
            for column in range(columns):
                if opened >> column & 1:
                    total += math.exp(weights[column] - most)
                plan[at + column] = total
            for column in range(columns):
                plan[at + column] = plan[at + column] / total if column < last else 1.0


@inlined
def playout(rows, columns, own, other, turns, plan, stream):
    """Half points of the owner of `own` at the end of a random game in which the other moves next."""
    taken, opened, side = own | other, open_columns(rows, columns, own | other), 1
    while turns < rows * columns:
        at, u, column = ((side << columns) + opened) * columns, random_unit(stream), 0
        for c in range(columns - 1):
            column += u >= plan[at + c]
        stone = drop_row(rows, taken, column)
        taken |= stone
        turns += 1
        if is_full(rows, taken, column):
            opened ^= 1 << column
        if side == 1:
            other |= stone
            if four_aligned(rows, other):
                return 0
        else:
            own |= stone
            if four_aligned(rows, own):
                return 2
        side = 1 - side
    return 1


def choose_with(rows: int, columns: int, playouts: int) -> Kernel:
    """The choice of a board and a number of playouts for each column."""

    @kernel
    def choose(seen, actions, plan, stream):
        """The column with the most half points, nearest to the centre of equals, then the left one."""
        own, other, turns = seen[SEEN_OWN], seen[SEEN_OTHER], seen[SEEN_TURNS]
        best, most, least_off = -1, -1, columns
        for i in range(len(actions)):
            column = actions[i]
            after = own | drop_row(rows, own | other, column)
            points = 2 * playouts
            if not four_aligned(rows, after):
                points = 0
                for _ in range(playouts):
                    points += playout(rows, columns, after, other, turns + 1, plan, stream)
            off = abs(2 * column - columns + 1)
            if points > most or (points == most and off < least_off):
                best, most, least_off = column, points, off
        return best

    return choose


# Words


def label(action: int) -> str:
    return f"column {action + 1}"


ENDINGS = {-1: "", LOSS: "\nO wins", DRAW: "\na draw", WIN: "\nX wins"}


def show(seen: np.ndarray) -> str:
    rows, columns, first = (int(seen[cell]) for cell in (SEEN_ROWS, SEEN_COLUMNS, SEEN_FIRST))
    own, other = stones_in(seen, SEEN_OWN)
    board = columns_text(rows, columns, *((own, other) if first else (other, own)))
    return f"{board}\nyou have {'X' if first else 'O'}{ENDINGS[int(seen[SEEN_RESULT])]}"


def reveal(state: np.ndarray) -> str:
    return columns_text(int(state[ROWS]), int(state[COLUMNS]), *stones_in(state, STONES)) + ENDINGS[int(state[RESULT])]


def words(theta: np.ndarray) -> str:
    """Describe the playout statistics that a vector expects on an empty board."""
    sides = []
    for weights in np.split(np.asarray(theta), 2):
        chances = np.exp(weights - weights.max())
        sides.append(" ".join(f"{chance:.0%}" for chance in chances / chances.sum()))
    return f"plays out with columns {sides[0]} against {sides[1]}"


SOURCE = (
    "Cauwet & Teytaud 2018 name the game (four-in-a-row, not partially observable), its 14 parameters and a "
    "Monte-Carlo strategy. Derived: a weight for each of 7 columns, for oneself and for the simulated opponent. Ours: "
    "flat Monte Carlo with 20 playouts for every possible move, columns drawn by a softmax of the weights, a winning "
    "move counts 1 without playouts, ties go to the centre and then to the left; and the boards with 4 rows, which are "
    "solved exactly."
)


def board(name: str, rows: int, columns: int, playouts: int = PLAYOUTS) -> Game:
    """The record of a board and a number of playouts."""
    if min(rows, columns) < 4 or (rows + 1) * columns > 62 or columns > 8 or playouts < 1:
        raise ValueError(
            f"four in a row takes boards from 4 x 4 on with up to 8 columns and 62 bits, and at least one playout; "
            f"not {rows} rows, {columns} columns, {playouts} playouts"
        )
    sides = tuple(f"{side} {column}" for side in ("own", "other") for column in range(1, columns + 1))
    choose = choose_with(rows, columns, playouts)
    plan = columns << (columns + 1)
    return Game(
        name=name,
        title=f"Four in a row, {rows} rows by {columns} columns",
        family="four",
        kind="Boards",
        version=1,
        rules=Rules(start_with(rows, columns), mover, legal, apply, view, score),
        resample=nothing_hidden,
        sizes=Sizes(STONES + 2, SEEN_OTHER + 1, columns),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=Strategy("weights of the columns in playouts", sides, plan, prepare, choose, words=words),
        named={"even": (0.0,) * len(sides)},
    )


GAMES = (
    board("four-in-a-row", 6, 7),
    *(board(f"four-in-a-row-4x{columns}", 4, columns) for columns in (4, 5, 6, 7)),
)
