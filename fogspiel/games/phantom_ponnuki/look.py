"""Phantom ponnuki on large boards: the own stones, and the enemy stones that are known."""

import numpy as np

from ...core.compile.kernel import kernel
from ...core.game import LOSS, WIN, Game, Rules, Sizes
from ...core.picture import BoardPicture, Cell, Facts, Messages, Parts
from ..boards.board import LETTERS, captured_cells
from ..boards.ponnuki import ABOUT, best_try, monte_carlo
from ..phantom.look import CLASSICAL, ENDS, MARKS, PONNUKI, TRUE_ENDS, begun, lines_of, stone
from . import rules
from .rules import resample_by

# Phantom ponnuki on boards from 6x6 to 9x9: the rules of the small boards, a state cell by cell, a player by playouts.
#
# Black, who begins, is drawn as X, White as O, a cell that was illegal but may have been empty as ?; the first row is
# the lowest one.

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


def board_of(size: int, cells: list[Cell]) -> BoardPicture:
    """The board with these cells, the first row lowest."""
    order = range(size - 1, -1, -1)
    return BoardPicture(
        rows=tuple(tuple(cells[row * size : (row + 1) * size]) for row in order),
        row_names=tuple(str(row + 1) for row in order),
        column_names=tuple(LETTERS[:size]),
    )


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The own stones, the enemy stones and the refusals that the player knows, and the turns so far."""
    size, player, finished, result = (
        int(seen[at]) for at in (rules.ROWS, rules.SEEN_PLAYER, rules.SEEN_TURN, rules.SEEN_RESULT)
    )
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
    """All stones, and what each player has tried and knows."""
    size, finished, result = (int(state[at]) for at in (rules.ROWS, rules.TURN, rules.RESULT))
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
    """The rules, a sentence or two per line."""
    size = int(game.name.rpartition("x")[2])
    return lines_of("ponnuki", size, size)
