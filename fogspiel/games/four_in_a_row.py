"""Four in a row: stones fall to the bottom of a column; four in a column, a row or a diagonal win.

Data sheet of a state (int64 cells)
    0 ROWS
    1 COLUMNS
    2 RESULT    the first player's score, -1 before the end
    3 TURNS     stones on the board; the first player moves when it is even
    4 STONES    each player's stones, as bits (see `boards/board.py`)
Data sheet of a view: ROWS, COLUMNS, 1 for the first player's view (else 0), RESULT, TURNS, the own stones, the
opponent's: nothing is hidden.

Action: the column, 0 on the left.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..core.agents import REDRAWN, ParametricPolicy
from ..core.compile.kernel import Kernel, inlined, kernel
from ..core.explain import Explanation, Table, bars, choices
from ..core.game import DRAW, LOSS, OVER, UNIFORM, WIN, Game, Rules, Sizes, Strategy, new_cells, nothing_hidden
from ..core.picture import Messages, Parts
from ..core.rng import random_unit
from ..core.session import replay
from .boards import board as boards
from .boards.board import drop_row, four_aligned, is_full, list_bits, open_columns, outcome_of

ROWS, COLUMNS, RESULT, TURNS, STONES = range(5)
SEEN_ROWS, SEEN_COLUMNS, SEEN_FIRST, SEEN_RESULT, SEEN_TURNS, SEEN_OWN, SEEN_OTHER = range(7)


# The six rules


def start_with(rows: int, columns: int) -> Kernel:
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


# The strategy: flat Monte Carlo, with column weights for both sides of the playouts

PLAYOUTS = 20


@kernel
def prepare(theta, plan):
    """Write cumulative column probabilities for both sides of a playout and every set of open columns.

    A playout plays the column whose index is the number of cumulative probabilities not above a random number.
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
    """Return the half points of the owner of `own` after a random game in which the opponent moves next."""
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
    """Make the choose kernel of a board with `playouts` playouts for each column."""

    @kernel
    def choose(seen, actions, plan, stream):
        """Return the column with the most half points; of equals the nearest to the centre, then the left one."""
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


# Text


def label(action: int) -> str:
    return f"column {action + 1}"


ENDINGS = {-1: "", LOSS: "\nO wins", DRAW: "\na draw", WIN: "\nX wins"}


def show(seen: np.ndarray) -> str:
    rows, columns, first = (int(seen[cell]) for cell in (SEEN_ROWS, SEEN_COLUMNS, SEEN_FIRST))
    own, other = boards.stones_in(seen, SEEN_OWN)
    board = boards.columns_text(rows, columns, *((own, other) if first else (other, own)))
    return f"{board}\nyou have {'X' if first else 'O'}{ENDINGS[int(seen[SEEN_RESULT])]}"


def reveal(state: np.ndarray) -> str:
    return (
        boards.columns_text(int(state[ROWS]), int(state[COLUMNS]), *boards.stones_in(state, STONES))
        + ENDINGS[int(state[RESULT])]
    )


def describe(theta: np.ndarray) -> str:
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
        category="Boards",
        rules=Rules(start_with(rows, columns), mover, legal, apply, view, score),
        resample=nothing_hidden,
        sizes=Sizes(STONES + 2, SEEN_OTHER + 1, columns),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=Strategy("weights of the columns in playouts", sides, plan, prepare, choose, describe=describe),
        policies={"even": (0.0,) * len(sides)},
    )


GAMES = (
    board("four-in-a-row", 6, 7),
    *(board(f"four-in-a-row-4x{columns}", 4, columns) for columns in (4, 5, 6, 7)),
)


# Four in a row solved on small boards: the value of any position with at most 28 empty places.
#
# The search decides a yes-or-no question for the player to move: can it get at least a draw, or at least a win? It can
# if some move leaves an opponent that cannot get the rest, so the two questions alternate from ply to ply. Immediate
# wins and forced replies to threats are detected first, columns are tried from the centre, and a transposition table
# stores the results. That the first player wins on the full 6 x 7 board by the centre column is an established result
# (Allis 1988; Allen 1988), which is not computed here.

HALF = Fraction(1, 2)
MAX_EMPTY = 28
TABLE_BITS = 22
AT_LEAST_A_DRAW, A_WIN = 1, 2  # the two questions, in half points
MULTIPLIER = 0x9E3779B1  # hashes positions into the table


@kernel
def wins_at_once(rows, columns, own, taken):
    """Return the set of columns that win immediately for the owner of `own`."""
    found = 0
    for column in range(columns):
        if not is_full(rows, taken, column) and four_aligned(rows, own | drop_row(rows, taken, column)):
            found |= 1 << column
    return found


@kernel
def candidates(rows, columns, own, taken):
    """Return the columns to search if none wins at once: all open ones, the reply to a single threat, or none."""
    threats = wins_at_once(rows, columns, taken ^ own, taken)
    if threats == 0:
        return open_columns(rows, columns, taken)
    return threats if threats & (threats - 1) == 0 else 0


@kernel
def can_get(rows, columns, root_own, root_taken, root_need, order, table):
    """True if the player to move, who owns `root_own`, gets at least `root_need` half points from an open position.

    Iterative depth-first search: `left` has the columns still to try, and `yes` is the result of the ply below.
    The table stores twice the position plus yes or no; own stones plus all stones identify a position.
    """
    places, stones = rows * columns, 0
    for bit in range((rows + 1) * columns):
        stones += root_taken >> bit & 1
    plies = places - stones + 1
    own, taken, left = np.zeros(plies, np.int64), np.zeros(plies, np.int64), np.zeros(plies, np.int64)
    own[0], taken[0] = root_own, root_taken
    ply, arriving, yes = 0, True, False
    while True:
        key = own[ply] + taken[ply] + 1
        slot = key * MULTIPLIER >> 7 & (len(table) - 1)
        known = False
        if arriving:
            need = root_need if ply % 2 == 0 else 3 - root_need
            known = True
            if stones + ply == places:
                yes = need == AT_LEAST_A_DRAW
            elif wins_at_once(rows, columns, own[ply], taken[ply]):
                yes = True
            elif table[slot] >> 1 == key:
                yes = table[slot] & 1 == 1
            else:
                known, yes = False, False
                left[ply] = candidates(rows, columns, own[ply], taken[ply])
        if not known and (yes or left[ply] == 0):
            table[slot] = 2 * key + int(yes)
            known = True
        arriving = not known
        if known:
            if ply == 0:
                return yes
            ply -= 1
            yes = not yes
            continue
        column, i = order[0], 0
        while left[ply] >> column & 1 == 0:
            i += 1
            column = order[i]
        left[ply] ^= 1 << column
        own[ply + 1] = own[ply] ^ taken[ply]
        taken[ply + 1] = taken[ply] | drop_row(rows, taken[ply], column)
        ply += 1


class Solver:
    """Perfect-play values of one board; positions are given as the columns played so far, 0 on the left."""

    def __init__(self, game: Game):
        if not game.name.startswith("four-in-a-row"):
            raise ValueError(f"{game.name} is not four in a row: take four-in-a-row or one of its boards")
        self.game = game
        start = next(replay(game, [])).state
        self.rows, self.columns = int(start[ROWS]), int(start[COLUMNS])
        centre = sorted(range(self.columns), key=lambda column: abs(2 * column - self.columns + 1))
        self._order = np.array(centre, np.int64)
        self._tables: dict[int, np.ndarray] = {}

    def value(self, moves: Sequence[int] = ()) -> Fraction:
        """Return the first player's score after these moves under perfect play."""
        state = list(replay(self.game, list(moves)))[-1].state
        if state[RESULT] >= 0:
            return Fraction(int(state[RESULT]), 2)
        empty = self.rows * self.columns - len(moves)
        if empty > MAX_EMPTY:
            raise ValueError(
                f"{self.game.name} has {empty} empty places after {len(moves)} moves: "
                f"positions with at most {MAX_EMPTY} of them are solved"
            )
        own, taken = state[STONES + len(moves) % 2], state[STONES] | state[STONES + 1]
        points = 0  # of the player to move
        for need in (AT_LEAST_A_DRAW, A_WIN):
            first_needs = need if len(moves) % 2 == 0 else 3 - need  # the stored results hold for this question only
            table = self._tables.setdefault(first_needs, np.zeros(1 << TABLE_BITS, np.int64))
            points += bool(can_get(self.rows, self.columns, own, taken, need, self._order, table))
        return Fraction(points if len(moves) % 2 == 0 else 2 - points, 2)

    def values(self, moves: Sequence[int] = ()) -> dict[int, Fraction]:
        """Return the first player's score after each possible next move under perfect play."""
        actions = list(replay(self.game, list(moves)))[-1].actions
        return {column: self.value([*moves, column]) for column in actions}


def exact_score(game: Game, first: ParametricPolicy, second: ParametricPolicy) -> Fraction:
    """Return the exact score of a player against one of the same kind; it is unknown for other pairs."""
    alike = first.strategy is second.strategy and first.selection == second.selection
    if alike and (first.selection == REDRAWN or first.strategy is UNIFORM or first.theta == second.theta is not None):
        return HALF
    raise ValueError(
        f"the exact score of {first.name} against {second.name} is not known: play games instead of --exact"
    )


# Drawings: stones in columns, visible to both.


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    rows, columns, first, result, turns = (int(cell) for cell in seen[:SEEN_OWN])
    own, other = boards.stones_in(seen, SEEN_OWN)
    stones = (own, other) if first else (other, own)
    mine = result < 0 and (turns % 2 == 0) == bool(first)
    status = boards.ENDS.get(result, "Your turn." if mine else "The other's turn.")

    open_now = open_columns(rows, columns, own | other) if result < 0 else 0
    board = boards.stones_on(rows, columns, stones, 0 if first else 1, open_now)
    return Messages((f"You have {'X' if first else 'O'}. {status}",)), board


def draw_state(game: Game, state: np.ndarray) -> Parts:
    rows, columns, result, turns = (int(cell) for cell in state[:STONES])
    board = boards.stones_on(rows, columns, boards.stones_in(state, STONES), 0)
    return Messages((boards.ENDS.get(result, f"{'XO'[turns % 2]} to move."),)), board


# Explanation: the column weights in playouts, and the opening move.

ASKED = 2000  # samples of the player's opening move
QUICKLY_SOLVED = 24  # boards with at most this many places are solved for the explanation
VERDICTS = ("lost", "drawn", "won")


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Describe the column weights of both sides of a playout, and the opening move."""
    theta, start = player.thetas[0], next(replay(game, []))
    often = choices(game, player, start.state, seed, ASKED).most_common()
    solver = Solver(game)
    solved = solver.values() if solver.rows * solver.columns <= QUICKLY_SOLVED else {}
    rows = []
    for column, count in often:
        worth = (VERDICTS[int(2 * solved[column])],) if solved else ()
        rows.append((label(column), boards.estimate_score(count, ASKED), *worth))
    names = ("move", "share with 95 % interval", *(("with best play",) if solved else ()))
    table = Table(f"The opening move of {player.name}, asked {ASKED} times", names, tuple(rows))
    columns = [f"column {column + 1}" for column in range(solver.columns)]
    pictures = []
    for side, weights in zip(("its own", "the other's"), np.split(theta, 2), strict=True):
        chances = np.exp(weights - weights.max())
        title = f"How often {side} stones go to each column in a playout, as long as all are open"
        pictures.append(bars(title, (chances / chances.sum()).tolist(), columns))
    favourite = (
        f"It opens most often with {label(often[0][0])}: {boards.estimate_score(often[0][1], ASKED)} of {ASKED} times."
    )
    return Explanation((f"{player.name} {describe(theta)}.", favourite), (table,), tuple(pictures))


LINES = (
    "In turn drop a stone into a column: it falls to the lowest free cell.",
    "Four own stones in a column, a row or a diagonal win.",
    "A full board is a draw.",
    "Nothing is hidden and there is no luck.",
)


SCENE = "frame"


def how_to_play(game: Game) -> tuple[str, ...]:
    state = new_cells(game.sizes.state)
    game.rules.start(state)
    return f"The board has {state[ROWS]} rows and {state[COLUMNS]} columns. The first player has X.", *LINES
