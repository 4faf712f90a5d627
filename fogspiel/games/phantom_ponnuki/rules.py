"""The rules of phantom ponnuki on boards too large for the bits of one integer; classical, as on the small ones.

The mover names a cell. The umpire puts a stone there, or says "illegal" (occupied or suicide) to the mover alone, who
tries another cell. The first capture wins, and who has no legal cell loses. No player names a cell twice in a turn, nor
one where its record proves an enemy stone; `phantom.rules` says when it does, and a test compares the two.

Data sheet of a state (int64 cells), N = ROWS * COLUMNS
    0 ROWS
    1 COLUMNS
    2 TURN      turns finished by both together: player TURN % 2 is to move
    3 RESULT    the first player's loss or win; -1 before the end
    4 PUT       for each cell, 0 if it is empty, else 1 + TURN when the stone was put: odd ones are Black's
  4+N FAILED    for each player and cell, the player's turns in which that cell was illegal, as bits
 4+3N KNOWN     for each player and cell, 1 if the player's record proves an enemy stone there
Data sheet of a view: ROWS and COLUMNS as above, the player, TURN, its own RESULT; then for each cell 0 or 1 + the own
turn in which the own stone was put; FAILED and KNOWN of the player.

Action k: try the cell k.
"""

import numpy as np

from ...core.compile.kernel import inlined, kernel
from ...core.game import LOSS, OVER, WIN, Kernel, Resample
from ..boards.board import ILLEGAL, WINS, permute
from ..boards.ponnuki import BLACK, EMPTY, NOWHERE, OTHER, SIDES, can_move, fill_neighbours, room_to_work, try_stone
from ..phantom.rules import TRIES

ROWS, COLUMNS, TURN, RESULT, PUT = 0, 1, 2, 3, 4
SEEN_PLAYER, SEEN_TURN, SEEN_RESULT, SEEN_PUT = 2, 3, 4, 5


def start_of(rows: int, columns: int) -> Kernel:
    """The start kernel of a board of that size."""

    @kernel
    def start(state):
        for cell in range(PUT + 5 * rows * columns):
            state[cell] = 0
        state[ROWS] = rows
        state[COLUMNS] = columns
        state[RESULT] = -1

    return start


@inlined
def failed_of(state, player):
    """Return the first cell of a player's failed tries."""
    return PUT + (1 + player) * state[ROWS] * state[COLUMNS]


@inlined
def known_of(state, player):
    """Return the first cell of the enemy stones that a player knows of."""
    return PUT + (3 + player) * state[ROWS] * state[COLUMNS]


@kernel
def mover(state):
    return OVER if state[RESULT] >= 0 else state[TURN] & 1


@inlined
def is_own(state, player, cell):
    """True if a player has a stone on the cell."""
    return state[PUT + cell] > 0 and (state[PUT + cell] - 1) & 1 == player


@kernel
def legal(state, out):
    player, count = state[TURN] & 1, 0
    failed, known = failed_of(state, player), known_of(state, player)
    for cell in range(state[ROWS] * state[COLUMNS]):
        if not (is_own(state, player, cell) or state[known + cell] or (state[failed + cell] >> (state[TURN] >> 1)) & 1):
            out[count] = cell
            count += 1
    return count


@kernel
def is_proven(state, player, turn, cell, near, chain, marks):
    """True if no suicide explains that the cell failed in that turn of the player, so that an enemy stone is there.

    The chain that a stone there would have made had liberties; the enemy had too few stones to fill them all beside
    those that are known, or one of them is the player's own by now. `marks` of cells: 1 chain, 2 liberty.
    """
    known, enemies, waiting, needed = known_of(state, player), turn + player, 1, 0
    for other in range(len(near)):
        marks[other] = 0
        needed += state[known + other]
    marks[cell] = 1
    chain[0] = cell
    while waiting > 0:
        waiting -= 1
        at = chain[waiting]
        for side in range(SIDES):
            beside = near[at, side]
            if beside == NOWHERE:
                break
            if marks[beside] == 0:
                own = is_own(state, player, beside)
                if own and (state[PUT + beside] - 1) >> 1 < turn:
                    marks[beside] = 1
                    chain[waiting] = beside
                    waiting += 1
                else:
                    marks[beside] = 2
                    needed += 1 - state[known + beside]
                    if own or needed > enemies:
                        return True
    return False


@kernel
def prove(state, player, near):
    """Write the enemy stones that follow from a player's record, turn by turn, until nothing new is found."""
    cells = len(near)
    failed, known = failed_of(state, player), known_of(state, player)
    chain, marks, ever = np.empty(cells, np.int64), np.empty(cells, np.int64), 0
    for cell in range(cells):
        state[known + cell] = 0
        ever |= state[failed + cell]
    for turn in range((state[TURN] >> 1) + 1):
        found = (ever >> turn) & 1 == 1
        while found:
            found = False
            for cell in range(cells):
                doubtful = (state[failed + cell] >> turn) & 1 and not state[known + cell]
                doubtful = doubtful and not is_own(state, player, cell)
                if doubtful and is_proven(state, player, turn, cell, near, chain, marks):
                    state[known + cell] = 1
                    found = True


@kernel
def apply(state, cell):
    cells, player = state[ROWS] * state[COLUMNS], state[TURN] & 1
    near, stones, work = np.empty((cells, SIDES), np.int64), np.empty(cells, np.int64), room_to_work(cells)
    fill_neighbours(state[ROWS], state[COLUMNS], near)
    for other in range(cells):
        put = state[PUT + other]
        stones[other] = EMPTY if put == 0 else BLACK + ((put - 1) & 1)
    colour = BLACK + player
    outcome = try_stone(stones, near, colour, cell, work)
    if outcome == ILLEGAL:
        state[failed_of(state, player) + cell] |= 1 << (state[TURN] >> 1)
        prove(state, player, near)
        return
    state[PUT + cell] = state[TURN] + 1
    stones[cell] = colour
    prove(state, player, near)
    state[TURN] += 1
    if outcome == WINS or not can_move(stones, near, OTHER - colour, work):
        state[RESULT] = WIN if player == 0 else LOSS


@kernel
def view(state, player, out):
    cells, result = state[ROWS] * state[COLUMNS], state[RESULT]
    out[ROWS] = state[ROWS]
    out[COLUMNS] = state[COLUMNS]
    out[SEEN_PLAYER] = player
    out[SEEN_TURN] = state[TURN]
    out[SEEN_RESULT] = WIN - result if player == 1 and result >= 0 else result
    failed, known = failed_of(state, player), known_of(state, player)
    for cell in range(cells):
        out[SEEN_PUT + cell] = 1 + ((state[PUT + cell] - 1) >> 1) if is_own(state, player, cell) else 0
        out[SEEN_PUT + cells + cell] = state[failed + cell]
        out[SEEN_PUT + 2 * cells + cell] = state[known + cell]


@kernel
def score(state):
    return state[RESULT]


# Hidden part of a state of large phantom ponnuki: the enemy stones that a player never met.


def resample_by(start: Kernel) -> Resample:
    """Make a resampler for these rules: enemy stones move to untried cells if all turns stay as before."""

    def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
        cells = int(state[ROWS] * state[COLUMNS])
        stones, failed = state[PUT : PUT + cells], state[PUT + (1 + player) * cells :][:cells]
        is_own = (stones > 0) & ((stones - 1) % 2 == player)
        untried = np.flatnonzero(~is_own & (failed == 0))
        for _ in range(TRIES if stones[untried].any() else 0):
            record = state.copy()
            permute(record, (PUT + untried).tolist(), stream)
            other = _play_again(record, start)
            if np.array_equal(_view_of(other, player), _view_of(state, player)):
                return other
        return state.copy()

    return resample


def _play_again(record: np.ndarray, start: Kernel) -> np.ndarray:
    """The state to which the turns of a record lead, as far as they can be played."""
    state, cells = np.zeros_like(record), int(record[ROWS] * record[COLUMNS])
    start(state)
    for turn in range(int(record[TURN]) + 1):
        failed = record[PUT + (1 + turn % 2) * cells :][:cells]
        stone = np.flatnonzero(record[PUT : PUT + cells] == turn + 1)
        for cell in [*np.flatnonzero(failed >> turn // 2 & 1), *stone]:
            if state[RESULT] >= 0 or state[TURN] != turn:
                return state
            apply(state, int(cell))
    return state


def _view_of(state: np.ndarray, player: int) -> np.ndarray:
    seen = np.zeros_like(state)  # a view is shorter than its state
    view(state, player, seen)
    return seen
