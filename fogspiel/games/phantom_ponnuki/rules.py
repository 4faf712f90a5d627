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

from ...core.game import LOSS, OVER, WIN, Kernel
from ...core.kernel import inlined, kernel, variant
from ..shared.boards import ILLEGAL, WINS
from ..shared.ponnuki_cells import (
    BLACK,
    EMPTY,
    NOWHERE,
    OTHER,
    SIDES,
    can_move,
    fill_neighbours,
    room_to_work,
    try_stone,
)

ROWS, COLUMNS, TURN, RESULT, PUT = 0, 1, 2, 3, 4
SEEN_PLAYER, SEEN_TURN, SEEN_RESULT, SEEN_PUT = 2, 3, 4, 5


def start_of(rows: int, columns: int) -> Kernel:
    """The start kernel of a board of that size."""

    @variant(rows, columns)
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
