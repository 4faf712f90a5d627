"""Tic-tac-toe with open eyes: the board of the phantom games, both players seeing every stone.

Bossle (2018, figure 3.1) shows part of its tree with the values of backward induction. Any board of `boards/board.py`
becomes such a game by `open_game`.

Data sheet of a state (int64 cells)
    0 TURN      stones on the board: player TURN % 2 is to move
    1 RESULT    the first player's loss, draw or win; -1 before the end
    2 STONES    of each player, as bits: cell = row * columns + column
Data sheet of a view: PLAYER, then TURN, RESULT (the player's own) and the STONES of both: nothing is hidden.

Action k: put a stone on the cell k.
"""

import numpy as np

from ..core.compile.kernel import inlined, kernel
from ..core.game import DRAW, LOSS, OVER, WIN, Game, Kernel, Rules, Sizes, nothing_hidden
from ..core.picture import BoardPicture, Cell, Messages, Parts
from .boards.board import BOARDS, DRAWS, ILLEGAL, LETTERS, SIGNS, WINS, Board, cells_in_lines

TURN, RESULT, STONES = 0, 1, 2
SEEN_PLAYER, SEEN = 0, 1  # the view has the cells of the state from SEEN on
BOARD = BOARDS["ttt"]


# The six rules, of any board


@kernel
def start(state):
    state[:] = 0
    state[RESULT] = -1


@kernel
def mover(state):
    return OVER if state[RESULT] >= 0 else state[TURN] & 1


def legal_of(board: Board) -> Kernel:
    fate, cells = board.fate, board.cells

    @kernel
    def legal(state, out):
        count, player = 0, state[TURN] & 1
        for cell in range(cells):
            if fate(player, state[STONES + player], state[STONES + 1 - player], cell) != ILLEGAL:
                out[count] = cell
                count += 1
        return count

    return legal


def apply_of(board: Board) -> Kernel:
    fate = board.fate

    @kernel
    def apply(state, cell):
        player = state[TURN] & 1
        outcome = fate(player, state[STONES + player], state[STONES + 1 - player], cell)
        state[STONES + player] |= 1 << cell
        state[TURN] += 1
        if outcome == WINS:
            state[RESULT] = WIN if player == 0 else LOSS
        elif outcome == DRAWS:
            state[RESULT] = DRAW

    return apply


@inlined
def own_result(result, player):
    return WIN - result if player == 1 and result >= 0 else result


@kernel
def view(state, player, out):
    out[SEEN_PLAYER] = player
    for cell in range(STONES + 2):
        out[SEEN + cell] = state[cell]
    out[SEEN + RESULT] = own_result(state[RESULT], player)


@kernel
def score(state):
    return state[RESULT]


# Text and drawings: X moves first, the first row is the lowest


def mark_at(board: np.ndarray, cell: int) -> int:
    """Return 0 for an empty cell, else 1 plus the number of the player whose stone is there."""
    return int(board[STONES] >> cell & 1) + 2 * int(board[STONES + 1] >> cell & 1)


def board_text(board: np.ndarray) -> str:
    lines = []
    for row in reversed(range(BOARD.rows)):
        cells = range(row * BOARD.columns, (row + 1) * BOARD.columns)
        lines.append(f"{row + 1} {' '.join(SIGNS[mark_at(board, cell)] for cell in cells)}")
    return "\n".join([*lines, f"  {' '.join(LETTERS[: BOARD.columns])}"])


def status(seen: np.ndarray) -> str:
    now = "your move" if seen[SEEN + TURN] % 2 == seen[SEEN_PLAYER] else "the opponent's move"
    return {LOSS: "you have lost", DRAW: "a draw", WIN: "you have won"}.get(int(seen[SEEN + RESULT]), now)


def show(seen: np.ndarray) -> str:
    return f"you are {SIGNS[1 + seen[SEEN_PLAYER]]}: {status(seen)}\n{board_text(seen[SEEN:])}"


def end_text(state: np.ndarray) -> str:
    now = f"{SIGNS[1 + state[TURN] % 2]} to move"
    return {LOSS: "O has won", DRAW: "a draw", WIN: "X has won"}.get(int(state[RESULT]), now)


def reveal(state: np.ndarray) -> str:
    return f"{end_text(state)}\n{board_text(state)}"


def draw_board(board: np.ndarray, own: int, open_now: bool) -> BoardPicture:
    """Draw the board in the colours of player `own`; empty cells can be clicked while the game is open."""
    line = cells_in_lines(3, 3, 3, int(board[STONES])) | cells_in_lines(3, 3, 3, int(board[STONES + 1]))

    def picture(cell: int) -> Cell:
        there, name = mark_at(board, cell), BOARD.cell_name(cell)
        if not there:
            return Cell("", "", cell if open_now else None, f"{name}, empty")
        look = ("own" if there - 1 == own else "other") + (" winning" if line >> cell & 1 else "")
        return Cell(SIGNS[there], look, None, f"{name}, {SIGNS[there]}")

    order, columns = tuple(reversed(range(BOARD.rows))), BOARD.columns
    return BoardPicture(
        rows=tuple(tuple(map(picture, range(row * columns, (row + 1) * columns))) for row in order),
        row_names=tuple(str(row + 1) for row in order),
        column_names=tuple(LETTERS[:columns]),
    )


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    words = status(seen)
    board = draw_board(seen[SEEN:], int(seen[SEEN_PLAYER]), bool(seen[SEEN + RESULT] < 0))
    return Messages((f"{words[0].upper()}{words[1:]}.",)), board


def draw_state(game: Game, state: np.ndarray) -> Parts:
    words = end_text(state)
    return Messages((f"{words[0].upper()}{words[1:]}.",)), draw_board(state, 0, False)


SCENE = "tiles"
HOW_TO_PLAY = (
    "The board has three rows of three cells; you and the opponent put one stone each in turn.",
    "X moves first. Stones stay where they are.",
    "Three of your stones in a row, a column or a diagonal win at once.",
    "A full board without such a line is a draw.",
    "Nothing is hidden: with best play on both sides every game is a draw.",
)


def open_game(name: str, title: str, board: Board, source: str) -> Game:
    """Return the game in which both players see all stones of a board."""
    return Game(
        name=name,
        title=title,
        family="tic_tac_toe",
        category="Boards",
        rules=Rules(start, mover, legal_of(board), apply_of(board), view, score),
        resample=nothing_hidden,
        sizes=Sizes(STONES + 2, SEEN + STONES + 2, board.cells),
        show=show,
        reveal=reveal,
        label=board.cell_name,
        source=source,
    )


GAMES = (
    open_game(
        "tic-tac-toe",
        "Tic-tac-toe",
        BOARD,
        "Folklore. Bossle 2018, figure 3.1, shows part of its game tree with the values of backward induction.",
    ),
)
