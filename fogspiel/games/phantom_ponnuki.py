"""The rules of phantom ponnuki on boards too large for the bits of one integer; classical, as on the small ones.

The player to move names a cell. The umpire puts a stone there, or says "illegal" (occupied or suicide) to that player
alone, who tries another cell. The first capture wins, and a player without a legal cell loses. No player names a cell
twice in a turn, nor one where its record proves an enemy stone. `phantom.rules` defines such a proof, and a test
compares the two.

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

from ..core import NotFound
from ..core.compile.kernel import inlined, kernel
from ..core.game import LOSS, OVER, WIN, Game, Kernel, Rules, Sizes
from .boards import ponnuki
from .boards.board import BY_NUMBER, ILLEGAL, MAX_CELLS, WINS, permute
from .boards.ponnuki import (
    BLACK,
    EMPTY,
    NOWHERE,
    OTHER,
    SIDES,
    best_try,
    can_move,
    fill_neighbours,
    room_to_work,
    try_stone,
)
from .phantom.look import CLASSICAL, PONNUKI, Knowledge, PhantomName, Shape, look_of, read_both, state_text, view_text
from .phantom.rules import resample_until_alike

ROWS, COLUMNS, TURN, RESULT, PUT = 0, 1, 2, 3, 4
SEEN_PLAYER, SEEN_TURN, SEEN_RESULT, SEEN_PUT = 2, 3, 4, 5


def start_of(rows: int, columns: int) -> Kernel:
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
    return PUT + (1 + player) * state[ROWS] * state[COLUMNS]


@inlined
def known_of(state, player):
    return PUT + (3 + player) * state[ROWS] * state[COLUMNS]


@kernel
def mover(state):
    return OVER if state[RESULT] >= 0 else state[TURN] & 1


@inlined
def is_own(state, player, cell):
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
    """True if suicide cannot explain that the cell failed in that turn of the player, so that an enemy stone is there.

    The chain that a stone there would have made had liberties; the enemy had too few stones to fill them all in
    addition to the known ones, or one of them is the player's own by now. `marks` of cells: 1 chain, 2 liberty.
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


# Resampling of the hidden state: the enemy stones that a player never encountered.


def redraw(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray | None:
    """Return a record in which enemy stones are moved to untried cells; None if all were encountered."""
    cells, record = int(state[ROWS] * state[COLUMNS]), state.copy()
    stones, failed = state[PUT : PUT + cells], state[PUT + (1 + player) * cells :][:cells]
    is_own = (stones > 0) & ((stones - 1) % 2 == player)
    untried = np.flatnonzero(~is_own & (failed == 0))
    if not stones[untried].any():
        return None
    permute(record, (PUT + untried).tolist(), stream)
    return record


def tries(record: np.ndarray, turn: int) -> list[int]:
    cells = int(record[ROWS] * record[COLUMNS])
    failed = record[PUT + (1 + turn % 2) * cells :][:cells]
    stone = np.flatnonzero(record[PUT : PUT + cells] == turn + 1)
    return [*np.flatnonzero(failed >> turn // 2 & 1).tolist(), *stone.tolist()]


# The playout player


@kernel
def choose(seen, actions, plan, stream):
    """Return the cell preferred by playouts on boards consistent with the view."""
    cells, turn = seen[ROWS] * seen[COLUMNS], seen[SEEN_TURN] >> 1
    put = seen[SEEN_PUT : SEEN_PUT + cells]
    failed = seen[SEEN_PUT + cells : SEEN_PUT + 2 * cells]
    known = seen[SEEN_PUT + 2 * cells : SEEN_PUT + 3 * cells]
    rows, columns, player = seen[ROWS], seen[COLUMNS], seen[SEEN_PLAYER]
    return best_try(rows, columns, player, turn, put, failed, known, actions, int(plan[0]), stream)


# Text and drawings: those of the small boards


def read(seen: np.ndarray) -> Knowledge:
    player, finished, result = (int(seen[at]) for at in (SEEN_PLAYER, SEEN_TURN, SEEN_RESULT))
    cells = int(seen[ROWS] * seen[COLUMNS])
    return Knowledge(player, finished, result, *seen[SEEN_PUT : SEEN_PUT + 3 * cells].reshape(3, cells))


MAX_SIDE = 9


def board(rows: int, columns: int) -> Game:
    cells, shape, start = rows * columns, Shape("ponnuki", rows, columns), start_of(rows, columns)
    return Game(
        name=f"phantom-ponnuki-{rows}x{columns}",
        title=f"Phantom ponnuki {rows}x{columns} (classical)",
        family="phantom_ponnuki",
        category="Boards",
        rules=Rules(start, mover, legal, apply, view, score),
        resample=resample_until_alike(start, apply, view, TURN, redraw, tries),
        sizes=Sizes(PUT + 5 * cells, SEEN_PUT + 3 * cells, cells),
        look=look_of(shape, read, view),
        show=lambda seen: view_text(shape, read(seen)),
        reveal=lambda state: state_text(shape, read_both(read, view, state)),
        label=shape.cell_name,
        source=PONNUKI + CLASSICAL,
        policies={"monte-carlo": ponnuki.monte_carlo(choose)},
        policy_notes=ponnuki.ABOUT,
    )


def named_game(name: str) -> Game | None:
    """Make the game of a large board by number; None for the name of another game."""
    parsed = PhantomName.parse(name)
    size = BY_NUMBER.fullmatch(parsed.board) if parsed is not None and parsed.is_large else None
    if size is None:
        return None
    rows, columns = int(size[2]), int(size[3])
    if max(rows, columns) > MAX_SIDE:
        limits = f"sides of {MAX_SIDE} at most, or {MAX_CELLS} cells"
        raise NotFound(f"{name} is too large: boards of phantom ponnuki have {limits}")
    return board(rows, columns)


GAMES = tuple(board(size, size) for size in (6, 7, 8, 9))
