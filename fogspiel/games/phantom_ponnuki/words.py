"""Phantom ponnuki on boards from 6x6 to 9x9: the rules of the small boards, a state cell by cell, a player by playouts.

Black, who begins, is drawn as X, White as O, a cell that was illegal but may have been empty as ?; the first row is the
lowest one.
"""

import numpy as np

from ...core.game import LOSS, WIN, Game, Rules, Sizes
from ...core.kernel import kernel
from ..phantom.words import CLASSICAL, MARKS, PONNUKI, begun
from ..shared.boards import LETTERS
from ..shared.ponnuki_playouts import ABOUT, best_try, monte_carlo
from . import rules
from .hidden import resample_by

SIZES = (6, 7, 8, 9)


@kernel
def choose(seen, actions, plan, stream):
    """Try what playouts on boards that explain the view say."""
    cells, turn = seen[rules.ROWS] * seen[rules.COLUMNS], seen[rules.SEEN_TURN] >> 1
    put = seen[rules.SEEN_PUT : rules.SEEN_PUT + cells]
    failed = seen[rules.SEEN_PUT + cells : rules.SEEN_PUT + 2 * cells]
    known = seen[rules.SEEN_PUT + 2 * cells : rules.SEEN_PUT + 3 * cells]
    rows, columns, player = seen[rules.ROWS], seen[rules.COLUMNS], seen[rules.SEEN_PLAYER]
    return best_try(rows, columns, player, turn, put, failed, known, actions, int(plan[0]), stream)


# Words


def cell_name(cell: int, size: int) -> str:
    """The name of a cell: a letter for the column and a number for the row, A1 first."""
    return f"{LETTERS[cell % size]}{cell // size + 1}"


def turn_lines(size: int, put: np.ndarray, failed: np.ndarray, turns: int) -> list[tuple[str, str]]:
    """Each turn of a player by name: where the stone went, and what was tried before; `put` has 1 + the own turn."""
    rows = []
    for turn in range(turns):
        words = [cell_name(int(cell), size) for cell in np.flatnonzero(put == turn + 1)]
        refused = [cell_name(int(cell), size) for cell in np.flatnonzero(failed >> turn & 1)]
        words += [f"illegal: {' '.join(refused)}"] if refused else []
        rows.append((f"turn {turn + 1}", ", ".join(words) or "nothing yet"))
    return rows


def board_lines(size: int, marks: list[str]) -> list[str]:
    """The board row by row, the last row on top."""
    rows = [f"{row + 1:>2} {' '.join(marks[row * size : (row + 1) * size])}" for row in reversed(range(size))]
    return [*rows, f"   {' '.join(LETTERS[:size])}"]


def parts_of_view(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each cell the own turn of the stone, the turns in which it failed, and whether an enemy stone is known."""
    cells = int(seen[rules.ROWS] * seen[rules.COLUMNS])
    put, failed, known = seen[rules.SEEN_PUT : rules.SEEN_PUT + 3 * cells].reshape(3, cells)
    return put, failed, known


def turns_begun(finished: int, result: int, player: int) -> int:
    """Return the number of turns a player has begun."""
    return begun(finished - (result >= 0), player)


def show(seen: np.ndarray) -> str:
    size, player, finished, result = (
        int(seen[at]) for at in (rules.ROWS, rules.SEEN_PLAYER, rules.SEEN_TURN, rules.SEEN_RESULT)
    )
    put, failed, known = parts_of_view(seen)
    marks = np.where(put > 0, MARKS[player], np.where(known > 0, MARKS[1 - player], np.where(failed > 0, "?", ".")))
    now = "your turn" if finished % 2 == player else "the other's turn"
    status = {LOSS: "you have lost", WIN: "you have won"}.get(result, now)
    lines = [f"you are {MARKS[player]}: {status}", *board_lines(size, marks.tolist())]
    return "\n".join([*lines, *map(": ".join, turn_lines(size, put, failed, turns_begun(finished, result, player)))])


def parts_of_state(state: np.ndarray, player: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the `parts_of_view` of a player's view, from the state."""
    cells = int(state[rules.ROWS] * state[rules.COLUMNS])
    stones = state[rules.PUT : rules.PUT + cells]
    put = np.where((stones > 0) & ((stones - 1) % 2 == player), (stones + 1) // 2, 0)
    failed, known = rules.PUT + (1 + player) * cells, rules.PUT + (3 + player) * cells
    return put, state[failed : failed + cells], state[known : known + cells]


def state_lines(state: np.ndarray) -> list[tuple[str, str]]:
    """List the tries and the knowledge of each player."""
    size, finished, result = (int(state[at]) for at in (rules.ROWS, rules.TURN, rules.RESULT))
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
    """The mark of each cell: a stone, or nothing."""
    stones = state[rules.PUT : rules.PUT + int(state[rules.ROWS] * state[rules.COLUMNS])]
    return [MARKS[(stone - 1) % 2] if stone else "." for stone in stones.tolist()]


def reveal(state: np.ndarray) -> str:
    end = {LOSS: "O has won", WIN: "X has won"}.get(
        int(state[rules.RESULT]), f"{MARKS[int(state[rules.TURN]) % 2]} to move"
    )
    return "\n".join(
        [end, *board_lines(int(state[rules.ROWS]), stone_marks(state)), *map(": ".join, state_lines(state))]
    )


def board(size: int) -> Game:
    """The record of phantom ponnuki on a square board of that size."""
    cells = size * size
    start = rules.start_of(size, size)
    return Game(
        name=f"phantom-ponnuki-{size}x{size}",
        title=f"Phantom ponnuki {size}x{size} (classical)",
        family="phantom_ponnuki",
        kind="Boards",
        version=1,
        rules=Rules(start, rules.mover, rules.legal, rules.apply, rules.view, rules.score),
        resample=resample_by(start),
        sizes=Sizes(rules.PUT + 5 * cells, rules.SEEN_PUT + 3 * cells, cells),
        show=show,
        reveal=reveal,
        label=lambda cell: cell_name(cell, size),
        source=PONNUKI + CLASSICAL,
        named={"monte-carlo": monte_carlo(choose)},
        about=ABOUT,
    )


GAMES = tuple(board(size) for size in SIZES)
