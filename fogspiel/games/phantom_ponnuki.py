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

from ..core.compile.kernel import inlined, kernel
from ..core.game import LOSS, OVER, WIN, Game, Kernel, Resample, Rules, Sizes
from ..core.picture import BoardPicture, Cell, Facts, Messages, Parts
from .boards.board import ILLEGAL, LETTERS, WINS, captured_cells, permute
from .boards.ponnuki import (
    ABOUT,
    BLACK,
    EMPTY,
    NOWHERE,
    OTHER,
    SIDES,
    best_try,
    can_move,
    fill_neighbours,
    monte_carlo,
    room_to_work,
    try_stone,
)
from .phantom.look import CLASSICAL, ENDS, MARKS, PONNUKI, TRUE_ENDS, begun, lines_of, stone
from .phantom.rules import TRIES

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
    """Replay the turns of a record as far as they are legal; return the resulting state."""
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


# Drawings of large boards: the player's stones, and the known enemy stones.

# Phantom ponnuki on boards from 6x6 to 9x9: the rules of the small boards, a state cell by cell, a playout player.
#
# Black, who moves first, is drawn as X, White as O, a cell that was illegal but may have been empty as ?; the first row
# is the lowest one.

SIZES = (6, 7, 8, 9)


@kernel
def choose(seen, actions, plan, stream):
    """Return the cell preferred by playouts on boards consistent with the view."""
    cells, turn = seen[ROWS] * seen[COLUMNS], seen[SEEN_TURN] >> 1
    put = seen[SEEN_PUT : SEEN_PUT + cells]
    failed = seen[SEEN_PUT + cells : SEEN_PUT + 2 * cells]
    known = seen[SEEN_PUT + 2 * cells : SEEN_PUT + 3 * cells]
    rows, columns, player = seen[ROWS], seen[COLUMNS], seen[SEEN_PLAYER]
    return best_try(rows, columns, player, turn, put, failed, known, actions, int(plan[0]), stream)


# Text


def cell_name(cell: int, size: int) -> str:
    return f"{LETTERS[cell % size]}{cell // size + 1}"


def turn_lines(size: int, put: np.ndarray, failed: np.ndarray, turns: int) -> list[tuple[str, str]]:
    """List the turns of a player by name: the cell of the stone, and the failed tries; `put` has 1 + the own turn."""
    rows = []
    for turn in range(turns):
        words = [cell_name(int(cell), size) for cell in np.flatnonzero(put == turn + 1)]
        refused = [cell_name(int(cell), size) for cell in np.flatnonzero(failed >> turn & 1)]
        words += [f"illegal: {' '.join(refused)}"] if refused else []
        rows.append((f"turn {turn + 1}", ", ".join(words) or "nothing yet"))
    return rows


def board_lines(size: int, marks: list[str]) -> list[str]:
    rows = [f"{row + 1:>2} {' '.join(marks[row * size : (row + 1) * size])}" for row in reversed(range(size))]
    return [*rows, f"   {' '.join(LETTERS[:size])}"]


def parts_of_view(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each cell the own turn of the stone, the turns in which it failed, and if an enemy stone is known."""
    cells = int(seen[ROWS] * seen[COLUMNS])
    put, failed, known = seen[SEEN_PUT : SEEN_PUT + 3 * cells].reshape(3, cells)
    return put, failed, known


def turns_begun(finished: int, result: int, player: int) -> int:
    return begun(finished - (result >= 0), player)


def show(seen: np.ndarray) -> str:
    size, player, finished, result = (int(seen[at]) for at in (ROWS, SEEN_PLAYER, SEEN_TURN, SEEN_RESULT))
    put, failed, known = parts_of_view(seen)
    marks = np.where(put > 0, MARKS[player], np.where(known > 0, MARKS[1 - player], np.where(failed > 0, "?", ".")))
    now = "your turn" if finished % 2 == player else "the other's turn"
    status = {LOSS: "you have lost", WIN: "you have won"}.get(result, now)
    lines = [f"you are {MARKS[player]}: {status}", *board_lines(size, marks.tolist())]
    return "\n".join([*lines, *map(": ".join, turn_lines(size, put, failed, turns_begun(finished, result, player)))])


def parts_of_state(state: np.ndarray, player: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the `parts_of_view` of a player's view, from the state."""
    cells = int(state[ROWS] * state[COLUMNS])
    stones = state[PUT : PUT + cells]
    put = np.where((stones > 0) & ((stones - 1) % 2 == player), (stones + 1) // 2, 0)
    failed, known = PUT + (1 + player) * cells, PUT + (3 + player) * cells
    return put, state[failed : failed + cells], state[known : known + cells]


def state_lines(state: np.ndarray) -> list[tuple[str, str]]:
    size, finished, result = (int(state[at]) for at in (ROWS, TURN, RESULT))
    rows = []
    for player, mark in enumerate(MARKS):
        put, failed, known = parts_of_state(state, player)
        turns = turn_lines(size, put, failed, turns_begun(finished, result, player))
        rows += [(f"{mark}, {turn}", tried) for turn, tried in turns]
        rows.append(
            (f"{mark} knows", " ".join(cell_name(int(cell), size) for cell in np.flatnonzero(known)) or "nothing")
        )
    return rows


def stone_marks(state: np.ndarray) -> list[str]:
    stones = state[PUT : PUT + int(state[ROWS] * state[COLUMNS])]
    return [MARKS[(stone - 1) % 2] if stone else "." for stone in stones.tolist()]


def reveal(state: np.ndarray) -> str:
    end = {LOSS: "O has won", WIN: "X has won"}.get(int(state[RESULT]), f"{MARKS[int(state[TURN]) % 2]} to move")
    return "\n".join([end, *board_lines(int(state[ROWS]), stone_marks(state)), *map(": ".join, state_lines(state))])


def board(size: int) -> Game:
    cells = size * size
    start = start_of(size, size)
    return Game(
        name=f"phantom-ponnuki-{size}x{size}",
        title=f"Phantom ponnuki {size}x{size} (classical)",
        family="phantom_ponnuki",
        category="Boards",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        resample=resample_by(start),
        sizes=Sizes(PUT + 5 * cells, SEEN_PUT + 3 * cells, cells),
        show=show,
        reveal=reveal,
        label=lambda cell: cell_name(cell, size),
        source=PONNUKI + CLASSICAL,
        policies={"monte-carlo": monte_carlo(choose)},
        policy_notes=ABOUT,
    )


GAMES = tuple(board(size) for size in SIZES)


def board_of(size: int, cells: list[Cell]) -> BoardPicture:
    order = range(size - 1, -1, -1)
    return BoardPicture(
        rows=tuple(tuple(cells[row * size : (row + 1) * size]) for row in order),
        row_names=tuple(str(row + 1) for row in order),
        column_names=tuple(LETTERS[:size]),
    )


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    size, player, finished, result = (int(seen[at]) for at in (ROWS, SEEN_PLAYER, SEEN_TURN, SEEN_RESULT))
    put, failed, known = parts_of_view(seen)
    mine, turns = result < 0 and finished % 2 == player, turns_begun(finished, result, player)

    def picture(cell: int) -> Cell:
        name, action = cell_name(cell, size), cell if result < 0 else None
        if put[cell]:
            return Cell(MARKS[player], "own", None, f"{name}, your stone")
        if known[cell]:
            return Cell(MARKS[1 - player], "other", None, f"{name}, a stone of the other")
        if mine and failed[cell] >> finished // 2 & 1:
            return Cell("×", "refused", None, f"{name}, refused in this turn")
        if failed[cell]:
            return Cell("?", "unknown", action, f"{name}, was refused earlier")
        return Cell("", "", action, f"{name}, nothing known")

    status = ENDS.get(result, "Your turn." if mine else "The other's turn.")
    board = board_of(size, [picture(cell) for cell in range(size * size)])
    facts = Facts(tuple(turn_lines(size, put, failed, turns)), "Your turns")
    return Messages((f"You are {MARKS[player]}. {status}",)), board, facts


def draw_state(game: Game, state: np.ndarray) -> Parts:
    size, finished, result = (int(state[at]) for at in (ROWS, TURN, RESULT))
    marks, loser = stone_marks(state), int(result == WIN)
    stones = [[cell for cell, mark in enumerate(marks) if mark == own] for own in MARKS]
    captured = captured_cells(size, size, stones[loser], stones[1 - loser])

    def picture(cell: int, mark: str) -> Cell:
        name = cell_name(cell, size)
        if mark == ".":
            return Cell("", "", None, f"{name}, empty")
        return stone(MARKS.index(mark), name, False, cell in captured)

    board = board_of(size, [picture(cell, mark) for cell, mark in enumerate(marks)])
    status = {LOSS: TRUE_ENDS[LOSS], WIN: TRUE_ENDS[WIN]}.get(result, f"{MARKS[finished % 2]} to move.")
    return Messages((status,)), board, Facts(tuple(state_lines(state)))


# Rules of phantom ponnuki on large boards for a first-time player.


def how_to_play(game: Game) -> tuple[str, ...]:
    size = int(game.name.rpartition("x")[2])
    return lines_of("ponnuki", size, size)
