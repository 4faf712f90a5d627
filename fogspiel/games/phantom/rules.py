"""The rules of phantom games: a board game whose players do not see each other's stones.

The player to move names a cell. The umpire puts a stone there, or says "illegal" to that player alone, who tries
another cell in the same turn (classical), or whose turn is over (abrupt). The opponent is not notified of tries, unless
every try is announced without its cell and outcome (numturns). The end of the game is announced.

No player names a cell twice in a turn, nor one that is known to hold an enemy stone. In tic-tac-toe and hex every
illegal cell holds one. In ponnuki it may be suicide as well and become legal later, so it may be named again in
another turn. The exception is a cell where suicide is impossible, because the chain would have had liberties that the
enemy cannot have filled. In abrupt ponnuki a game could then go on for ever, so nobody names a cell twice, and who has
no cell left to name loses.

Data sheet of a state (int64 cells)
    0 ROWS
    1 COLUMNS
    2 TURNS     the most turns that a player can have
    3 COUNTED   1: tries are announced (numturns)
    4 TURN      turns finished by both together: player TURN % 2 is to move
    5 RESULT    the first player's loss, draw or win; -1 before the end
    6 STONES    of each player, as bits: cell = row * columns + column
    8 KNOWN     for each player the cells where it knows an enemy stone
   10 RECORD    for each player and turn two cells: the stone (-1: none) and the bits of the failed tries
Data sheet of a view: ROWS, COLUMNS, TURNS and COUNTED as above, then the player, TURN, its own RESULT, its KNOWN and
its RECORD; where tries are announced, last the number of the opponent's tries in each turn.

Action k: try the cell k.
"""

from collections.abc import Callable

import numpy as np

from ...core.compile.kernel import inlined, kernel, ones, trailing_zeros
from ...core.game import DRAW, LOSS, OVER, WIN, Kernel, Resample
from ...core.rng import random_below
from ..boards.board import DRAWS, GOES_ON, ILLEGAL, LOSES, WINS, Board, list_bits, outline, permute, spread
from ..boards.ponnuki import best_try

ROWS, COLUMNS, TURNS, COUNTED, TURN, RESULT, STONES, KNOWN, RECORD = 0, 1, 2, 3, 4, 5, 6, 8, 10
SEEN_PLAYER, SEEN_TURN, SEEN_RESULT, SEEN_KNOWN, SEEN_RECORD = 4, 5, 6, 7, 8


def start_of(board: Board, turns: int, counted: bool) -> Kernel:
    rows, columns, announced = board.rows, board.columns, int(counted)

    @kernel
    def start(state):
        state[ROWS] = rows
        state[COLUMNS] = columns
        state[TURNS] = turns
        state[COUNTED] = announced
        state[TURN] = 0
        state[RESULT] = -1
        for player in range(2):
            state[STONES + player] = 0
            state[KNOWN + player] = 0
        for turn in range(2 * turns):
            state[RECORD + 2 * turn] = -1
            state[RECORD + 2 * turn + 1] = 0

    return start


@inlined
def record_of(state, player, turn):
    """Return the index of a player's stone of that turn; its failed tries are at the next index."""
    return RECORD + 2 * (state[TURNS] * player + turn)


@kernel
def mover(state):
    return OVER if state[RESULT] >= 0 else state[TURN] & 1


@kernel
def legal(state, out):
    player = state[TURN] & 1
    failed = state[record_of(state, player, state[TURN] >> 1) + 1]
    closed = state[STONES + player] | state[KNOWN + player] | failed
    return list_bits(((1 << state[ROWS] * state[COLUMNS]) - 1) & ~closed, out)


@kernel
def legal_once(state, out):
    """List the cells that the player to move has never named."""
    player, named = state[TURN] & 1, 0
    for turn in range(state[TURN] >> 1):
        at = record_of(state, player, turn)
        named |= state[at + 1] if state[at] < 0 else 1 << state[at]
    return list_bits(((1 << state[ROWS] * state[COLUMNS]) - 1) & ~named, out)


@kernel
def proven(state, player, columns, left, right, full):
    """Return the cells of enemy stones that follow from a player's record in ponnuki.

    A failed cell was free only if enemy stones filled every liberty of the chain that a stone there would have made.
    That is refuted if the enemy had too few stones, or if the player has played on such a liberty since. Knowledge of
    one cell may imply another, so the search repeats until nothing new is found.
    """
    known, own = 0, 0
    for turn in range((state[TURN] >> 1) + 1):
        at, enemies = record_of(state, player, turn), turn + player
        doubtful, before = state[at + 1] & ~known & ~state[STONES + player], -1
        while doubtful != before:
            before, rest = doubtful, doubtful
            while rest:
                stone = rest & -rest
                rest ^= stone
                chain, longer = 0, stone
                while longer != chain:
                    chain = longer
                    longer |= spread(chain, columns, left, right, full) & own
                liberties = spread(chain, columns, left, right, full) & ~chain
                if liberties & state[STONES + player] or ones(known | liberties) > enemies:
                    known |= stone
                    doubtful ^= stone
        if state[at] >= 0:
            own |= 1 << state[at]
    return known


def apply_of(board: Board, abrupt: bool) -> Kernel:
    cells, columns, fate, suicide = board.cells, board.columns, board.fate, board.suicide
    proves = board.kind == "ponnuki"  # elsewhere a record proves nothing where an illegal cell may be empty
    left, right, _, _, full = outline(board.rows, columns)

    @kernel
    def apply(state, cell):
        player = state[TURN] & 1
        at = record_of(state, player, state[TURN] >> 1)
        outcome = fate(player, state[STONES + player], state[STONES + 1 - player], cell)
        if outcome == ILLEGAL:
            state[at + 1] |= 1 << cell
        else:
            state[at] = cell
            state[STONES + player] |= 1 << cell
        if proves:
            state[KNOWN + player] = proven(state, player, columns, left, right, full)
        elif outcome == ILLEGAL and not suicide:
            state[KNOWN + player] |= 1 << cell
        if abrupt or outcome != ILLEGAL:
            state[TURN] += 1
        if outcome in (WINS, LOSES):
            state[RESULT] = WIN if (player == 0) == (outcome == WINS) else LOSS
        elif outcome == DRAWS:
            state[RESULT] = DRAW
        elif suicide and abrupt and state[TURN] >> 1 == cells:  # Black has named every cell
            state[RESULT] = LOSS

    return apply


@kernel
def view(state, player, out):
    turns, result = state[TURNS], state[RESULT]
    for cell in range(SEEN_PLAYER):
        out[cell] = state[cell]
    out[SEEN_PLAYER] = player
    out[SEEN_TURN] = state[TURN]
    out[SEEN_RESULT] = WIN - result if player == 1 and result >= 0 else result
    out[SEEN_KNOWN] = state[KNOWN + player]
    own, other = record_of(state, player, 0), record_of(state, 1 - player, 0)
    for i in range(2 * turns):
        out[SEEN_RECORD + i] = state[own + i]
    if state[COUNTED]:
        for turn in range(turns):
            stone = 1 if state[other + 2 * turn] >= 0 else 0
            out[SEEN_RECORD + 2 * turns + turn] = ones(state[other + 2 * turn + 1]) + stone


@kernel
def score(state):
    return state[RESULT]


def uniform_play(board: Board, abrupt: bool) -> Kernel:
    """Make the kernel that plays a whole game of uniform players, for boards without suicide."""
    fate, cells, full = board.fate, board.cells, board.full

    @kernel
    def play(state, plan_0, plan_1, chance, stream_0, stream_1):
        player, own, other, untried, others_untried, left, others_left = 0, 0, 0, full, full, cells, cells
        while True:
            number = random_below(stream_0, left) if player == 0 else random_below(stream_1, left)
            rest = untried
            for _ in range(number):
                rest &= rest - 1
            stone = rest & -rest
            untried ^= stone
            left -= 1
            outcome = fate(player, own, other, trailing_zeros(stone))
            if outcome != ILLEGAL:
                own |= stone
                if outcome != GOES_ON:
                    return DRAW if outcome == DRAWS else (WIN if (player == 0) == (outcome == WINS) else LOSS)
            if outcome != ILLEGAL or abrupt:
                player = 1 - player
                own, other = other, own
                untried, others_untried = others_untried, untried
                left, others_left = others_left, left

    return play


# Resampling of the hidden state: the enemy stones that a player never encountered.

TRIES = 100  # maximum number of boards drawn in resampling


def cells_of(bits: int) -> list[int]:
    return [cell for cell in range(bits.bit_length()) if bits >> cell & 1]


def resample_by(start: Kernel, apply: Kernel) -> Resample:
    """Make a resampler for these rules: enemy stones move to untried cells if all turns stay as before."""

    def redraw(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray | None:
        tried = int(state[STONES + player])
        for turn in range(state[TURNS]):
            tried |= int(state[record_of(state, player, turn) + 1])
        cells = [cell for cell in range(state[ROWS] * state[COLUMNS]) if not tried >> cell & 1]
        stones = [record_of(state, 1 - player, turn) for turn in range(state[TURNS])]
        unseen = [stone for stone in stones if state[stone] in cells]
        if not unseen:
            return None
        places, record = np.array(cells), state.copy()
        permute(places, range(len(cells)), stream)
        record[unseen] = places[: len(unseen)]
        return record

    def tries(record: np.ndarray, turn: int) -> list[int]:
        at = record_of(record, turn % 2, turn // 2)
        return [*cells_of(int(record[at + 1])), *([int(record[at])] if record[at] >= 0 else [])]

    return resample_until_alike(start, apply, view, TURN, redraw, tries)


def resample_until_alike(
    start: Kernel,
    apply: Kernel,
    view: Kernel,
    turn_cell: int,
    redraw: Callable[[np.ndarray, int, np.ndarray], np.ndarray | None],
    tries: Callable[[np.ndarray, int], list[int]],
) -> Resample:
    """Make a resampler: replay the `tries` of a record from `redraw`, turn by turn, until the view is as before.

    The cell after `turn_cell` has the result.
    """

    def replayed(record: np.ndarray) -> np.ndarray:
        """Replay the turns of a record as far as they are legal; return the resulting state."""
        state = np.zeros_like(record)
        start(state)
        for turn in range(int(record[turn_cell]) + 1):
            for cell in tries(record, turn):
                if state[turn_cell + 1] >= 0 or state[turn_cell] != turn:
                    return state
                apply(state, cell)
        return state

    def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
        for _ in range(TRIES):
            record = redraw(state, player, stream)
            if record is None:
                break
            other = replayed(record)
            if np.array_equal(view_in(view, other, player), view_in(view, state, player)):
                return other
        return state.copy()

    return resample


def view_in(view: Kernel, state: np.ndarray, player: int) -> np.ndarray:
    seen = np.zeros_like(state)  # a view is shorter than its state
    view(state, player, seen)
    return seen


# The playout player on the small boards of phantom ponnuki: its view, cell by cell.


@kernel
def choose(seen, actions, plan, stream):
    """Return the cell preferred by playouts on boards consistent with the view."""
    rows, columns, turn = seen[ROWS], seen[COLUMNS], seen[SEEN_TURN] >> 1
    cells = rows * columns
    put, failed, known = np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    for cell in range(cells):
        known[cell] = (seen[SEEN_KNOWN] >> cell) & 1
        for then in range(turn + 1):
            failed[cell] |= ((seen[SEEN_RECORD + 2 * then + 1] >> cell) & 1) << then
    for then in range(turn):
        put[seen[SEEN_RECORD + 2 * then]] = then + 1
    return best_try(rows, columns, seen[SEEN_PLAYER], turn, put, failed, known, actions, int(plan[0]), stream)
