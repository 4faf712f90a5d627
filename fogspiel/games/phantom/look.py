"""Phantom tic-tac-toe, phantom ponnuki and dark hex: the player's stones, and the known enemy stones."""

from collections.abc import Callable, Mapping

import numpy as np

from ...core.game import DRAW, LOSS, WIN, Game, Rules, Sizes, Strategy
from ...core.picture import BoardPicture, Cell, Facts, Messages, Parts
from ..boards.board import BOARDS, LETTERS, Board, captured_cells, hex_path, lines_of_three
from ..boards.board import Board as Size
from ..boards.ponnuki import ABOUT, monte_carlo
from . import rules
from .rules import cells_of, resample_by

# Phantom tic-tac-toe, phantom ponnuki and dark hex: board games whose players do not see each other's stones.
#
# The rules and the layout of states and views are in `rules.py`, the boards in `boards/board.py`. Black, who moves
# first, is drawn as X, White as O, a cell that was illegal but may have been empty as ?; the first row is the lowest.

MARKS = "XO"

# Text


def board_text(board: Board, marked: dict[str, int]) -> list[str]:
    """Draw the board as text with some sets of cells marked, the last row on top; hex leans to the right."""
    lean = int(board.name.startswith("hex"))
    marks = ["."] * board.cells
    for mark, bits in marked.items():
        for cell in cells_of(bits):
            marks[cell] = mark
    lines = [
        f"{row + 1:>2} {' ' * row * lean}{' '.join(marks[row * board.columns : (row + 1) * board.columns])}"
        for row in reversed(range(board.rows))
    ]
    return [*lines, f"   {' '.join(LETTERS[: board.columns])}"]


def outcomes(board: Board, record: np.ndarray, turns: int) -> list[tuple[str, str]]:
    """List the turns of a player by name: the cell of the stone, and the failed tries before it."""
    rows = []
    for turn, (stone, failed) in enumerate(record[: 2 * turns].reshape(-1, 2).tolist()):
        words = [board.cell_name(stone)] if stone >= 0 else []
        if failed:
            words.append(f"illegal: {' '.join(map(board.cell_name, cells_of(failed)))}")
        rows.append((f"turn {turn + 1}", ", ".join(words) or "nothing yet"))
    return rows


def begun(finished: int, player: int) -> int:
    """Return the number of turns a player has begun when both together have finished this many."""
    return (finished + 2 - player) // 2


def show_on(board: Board) -> Callable[[np.ndarray], str]:
    def show(seen: np.ndarray) -> str:
        player, finished, result = (int(seen[cell]) for cell in (rules.SEEN_PLAYER, rules.SEEN_TURN, rules.SEEN_RESULT))
        turns = begun(finished - (result >= 0), player)
        record = seen[rules.SEEN_RECORD : rules.SEEN_RECORD + 2 * int(seen[rules.TURNS])]
        own = sum(1 << int(stone) for stone in record[::2] if stone >= 0)
        known, failed = int(seen[rules.SEEN_KNOWN]), int(np.bitwise_or.reduce(record[1::2]))
        state = {LOSS: "you have lost", DRAW: "a draw", WIN: "you have won"}.get(
            result, "your turn" if finished % 2 == player else "the other's turn"
        )
        lines = [f"you are {MARKS[player]}: {state}"]
        lines += board_text(board, {MARKS[player]: own, MARKS[1 - player]: known, "?": failed & ~known & ~own})
        lines += map(": ".join, outcomes(board, record, turns))
        if seen[rules.COUNTED]:
            tries = seen[rules.SEEN_RECORD + len(record) :]
            lines.append(f"tries of {MARKS[1 - player]}: {' '.join(str(n) for n in tries if n) or 'none'}")
        return "\n".join(lines)

    return show


def reveal_on(board: Board) -> Callable[[np.ndarray], str]:
    def reveal(state: np.ndarray) -> str:
        finished, result = int(state[rules.TURN]), int(state[rules.RESULT])
        end = {LOSS: "O has won", DRAW: "a draw", WIN: "X has won"}.get(result, f"{MARKS[finished % 2]} to move")
        lines = [
            end,
            *board_text(board, {mark: int(state[rules.STONES + player]) for player, mark in enumerate(MARKS)}),
        ]
        for player, mark in enumerate(MARKS):
            record = state[rules.RECORD + 2 * int(state[rules.TURNS]) * player :]
            turns = outcomes(board, record, begun(finished - (result >= 0), player))
            lines += [f"{mark} {turn}: {tried}" for turn, tried in turns]
            lines.append(
                f"{mark} knows: {' '.join(map(board.cell_name, cells_of(int(state[rules.KNOWN + player])))) or '-'}"
            )
        return "\n".join(lines)

    return reveal


CLASSICAL = "classical: a failed try is announced to the mover only, who tries again in the same turn"
ABRUPT = "abrupt: a failed try is announced to the mover only and ends the turn"
NUMTURNS = "numturns: as classical, but the other player is told of every try, not of its cell or outcome"
TTT = "Phantom tic-tac-toe as in Teytaud & Teytaud 2011 and in OpenSpiel's phantom_ttt. Variant "
PONNUKI = (
    "Phantom ponnuki of Teytaud & Teytaud 2011. Our reading: suicide is illegal unless it captures and is announced "
    "like an occupied cell; nobody passes, who has no legal cell loses; a cell is not named again in the same turn, "
    "nor where the enemy's number of stones proves that one of them is there. Variant "
)
HEX = "Dark hex as in OpenSpiel's dark_hex: X joins row 1 to the last row, O column A to the last. "


def phantom(name: str, title: str, board: Board, source: str, abrupt: bool = False, counted: bool = False) -> Game:
    named: dict[str, Strategy] = {"monte-carlo": monte_carlo(rules.choose)} if rules.has_suicide(board.name) else {}
    turns = board.cells if abrupt else (board.cells + 1) // 2
    start, apply = rules.start_of(board.name, turns, counted), rules.apply_of(board.name, abrupt)
    return Game(
        name=name,
        title=title,
        family="phantom",
        category="Boards",
        version=1,
        rules=Rules(start, rules.mover, rules.legal, apply, rules.view, rules.score),
        resample=resample_by(start, apply),
        sizes=Sizes(rules.RECORD + 4 * turns, rules.SEEN_RECORD + (3 if counted else 2) * turns, board.cells),
        show=show_on(board),
        reveal=reveal_on(board),
        label=board.cell_name,
        source=source,
        policies=named,
        policy_notes=ABOUT if named else {},
        play=None if rules.has_suicide(board.name) else rules.uniform_play(board.name, abrupt),
    )


GAMES = (
    phantom("phantom-ttt", "Phantom tic-tac-toe (classical)", BOARDS["ttt"], TTT + CLASSICAL),
    phantom("phantom-ttt-abrupt", "Phantom tic-tac-toe (abrupt)", BOARDS["ttt"], TTT + ABRUPT, abrupt=True),
    phantom("phantom-ttt-numturns", "Phantom tic-tac-toe (numturns)", BOARDS["ttt"], TTT + NUMTURNS, counted=True),
    *(
        phantom(
            f"phantom-ponnuki-{size}x{size}",
            f"Phantom ponnuki {size}x{size} (classical)",
            BOARDS[f"ponnuki-{size}x{size}"],
            PONNUKI + CLASSICAL,
        )
        for size in (2, 3, 4, 5)
    ),
    phantom("dark-hex-3x3", "Dark hex 3x3 (classical)", BOARDS["hex-3x3"], HEX + "Variant " + CLASSICAL),
    phantom("dark-hex-3x3-abrupt", "Dark hex 3x3 (abrupt)", BOARDS["hex-3x3"], HEX + "Variant " + ABRUPT, abrupt=True),
    phantom(
        "dark-hex-4x3", "Dark hex 4x3 (classical; 4 columns, 3 rows)", BOARDS["hex-4x3"], HEX + "Variant " + CLASSICAL
    ),
    phantom(
        "dark-hex-3x4", "Dark hex 3x4 (classical; 3 columns, 4 rows)", BOARDS["hex-3x4"], HEX + "Variant " + CLASSICAL
    ),
)


ENDS = {LOSS: "You have lost.", DRAW: "A draw.", WIN: "You have won."}
TRUE_ENDS = {LOSS: "O has won.", DRAW: "A draw.", WIN: "X has won."}


def size_of(game: Game) -> Size:
    name = game.name.removeprefix("phantom-").removeprefix("dark-")
    return BOARDS[name.removesuffix("-abrupt").removesuffix("-numturns")]


def board_of(size: Size, cells: Mapping[int, Cell], blank: Callable[[int], Cell]) -> BoardPicture:
    """Draw the board with these cells; the first row is the lowest one, but on top on a board of hexagons."""
    is_hex = size.name.startswith("hex")
    order = range(size.rows) if is_hex else range(size.rows - 1, -1, -1)
    starts = [row * size.columns for row in order]
    return BoardPicture(
        rows=tuple(
            tuple(cells[cell] if cell in cells else blank(cell) for cell in range(start, start + size.columns))
            for start in starts
        ),
        shape="hexagons" if is_hex else "squares",
        row_names=tuple(str(row + 1) for row in order),
        column_names=tuple(LETTERS[: size.columns]),
    )


def goal_on(size: Size, player: int) -> str:
    if not size.name.startswith("hex"):
        return ""
    ends = f"row 1 to row {size.rows}" if player == 0 else f"column A to column {LETTERS[size.columns - 1]}"
    return f" and join {ends}"


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    size = size_of(game)
    player, finished, result = (int(seen[cell]) for cell in (rules.SEEN_PLAYER, rules.SEEN_TURN, rules.SEEN_RESULT))
    turns, room = begun(finished - (result >= 0), player), int(seen[rules.TURNS])
    record = seen[rules.SEEN_RECORD : rules.SEEN_RECORD + 2 * room]
    mine = result < 0 and finished % 2 == player
    known, failed = int(seen[rules.SEEN_KNOWN]), int(np.bitwise_or.reduce(record[1::2]))
    now = int(record[2 * (turns - 1) + 1]) if mine else 0
    own = [int(cell) for cell in record[::2] if cell >= 0]
    name = size.cell_name

    def open_cell(cell: int, text: str, look: str, words: str) -> Cell:
        return Cell(text, look, cell if result < 0 else None, f"{name(cell)}, {words}")

    other = MARKS[1 - player]
    cells = {cell: open_cell(cell, "?", "unknown", "was refused earlier") for cell in cells_of(failed)}
    cells |= {cell: Cell("×", "refused", None, f"{name(cell)}, refused in this turn") for cell in cells_of(now)}
    cells |= {cell: Cell(other, "other", None, f"{name(cell)}, a stone of the other") for cell in cells_of(known)}
    cells |= {cell: Cell(MARKS[player], "own", None, f"{name(cell)}, your stone") for cell in own}
    board = board_of(size, cells, lambda cell: open_cell(cell, "", "", "nothing known"))
    rows = outcomes(size, record, turns)
    if seen[rules.COUNTED]:
        tries = seen[rules.SEEN_RECORD + 2 * room :]
        rows.append((f"tries of {other}", " ".join(str(n) for n in tries if n) or "none"))
    status = ENDS.get(result, "Your turn." if mine else "The other's turn.")
    words = f"You are {MARKS[player]}{goal_on(size, player)}. {status}"
    return Messages((words,)), board, Facts(tuple(rows), "Your turns")


def winning_cells(size: Size, player: int, stones: int) -> list[int]:
    """Return the cells of a player's lines of tic-tac-toe, or of its path from edge to edge of hex; none in ponnuki."""
    if size.name == "ttt":
        return cells_of(lines_of_three(stones))
    return cells_of(hex_path(size.rows, size.columns, player, stones)) if size.name.startswith("hex") else []


def captured_in(size: Size, stones: list[int], result: int) -> set[int]:
    """Return the cells of captured stones: those of the loser without liberties, which ended ponnuki."""
    if not size.name.startswith("ponnuki"):
        return set()
    loser = int(result == WIN)
    return captured_cells(size.rows, size.columns, cells_of(stones[loser]), cells_of(stones[1 - loser]))


def stone(player: int, name: str, winning: bool, captured: bool) -> Cell:
    look = ("own", "other")[player] + (" winning" if winning else "") + (" captured" if captured else "")
    return Cell(MARKS[player], look, None, f"{name}, {MARKS[player]}" + (", captured" if captured else ""))


def draw_state(game: Game, state: np.ndarray) -> Parts:
    size, finished, result = size_of(game), int(state[rules.TURN]), int(state[rules.RESULT])
    stones = [int(state[rules.STONES + player]) for player in range(2)]
    captured = captured_in(size, stones, result)
    cells = {
        cell: stone(player, size.cell_name(cell), cell in winning_cells(size, player, own), cell in captured)
        for player, own in enumerate(stones)
        for cell in cells_of(own)
    }
    rows = []
    for player, mark in enumerate(MARKS):
        record = state[rules.RECORD + 2 * int(state[rules.TURNS]) * player :]
        for turn, tried in outcomes(size, record, begun(finished - (result >= 0), player)):
            rows.append((f"{mark}, {turn}", tried))
        known = " ".join(map(size.cell_name, cells_of(int(state[rules.KNOWN + player]))))
        rows.append((f"{mark} knows", known or "nothing"))
    board = board_of(size, cells, lambda cell: Cell("", "", None, f"{size.cell_name(cell)}, empty"))
    return Messages((TRUE_ENDS.get(result, f"{MARKS[finished % 2]} to move."),)), board, Facts(tuple(rows))


# Rules of phantom tic-tac-toe, phantom ponnuki and dark hex for a first-time player.

GOALS = {
    "ttt": "Tic-tac-toe, but you do not see the other's stones. Three in a row, a column or a diagonal win.",
    "ponnuki": "Go without passing, and you do not see the other's stones. Who captures first wins.",
    "hex": "Hex, but you do not see the other's stones. X joins row 1 to the last row, O the first column to the last.",
}
MORE = {
    "ttt": ("A full board without a line is a draw.",),
    "ponnuki": (
        "Stones are captured when all free cells next to their group are taken.",
        "A cell may also be refused because your stone would have no free cell (suicide).",
        "Who has no legal cell left loses.",
    ),
    "hex": ("Each cell has up to six neighbours. There is no draw.",),
}
TRIES = {
    "": ("If it is not possible the umpire tells you alone, and you try another one in the same turn.",),
    "abrupt": ("If it is not possible the umpire tells you alone, and your turn is over.",),
    "numturns": (
        "If it is not possible the umpire tells you alone, and you try another one in the same turn.",
        "The other hears how often you tried, not where.",
    ),
}


def how_to_play(game: Game) -> tuple[str, ...]:
    size = size_of(game)
    kind = next(kind for kind in GOALS if size.name.startswith(kind))
    variant = next((name for name in TRIES if name and game.name.endswith(name)), "")
    return lines_of(kind, size.rows, size.columns, variant)


def lines_of(kind: str, rows: int, columns: int, variant: str = "") -> tuple[str, ...]:
    board = f"The board has {rows} rows of {columns} cells. X, the first player, begins."
    told = "A refusal tells you something, and your opponent does not hear of it."
    known = (told,) if variant != "numturns" else ()
    return GOALS[kind], board, "In turn try a cell.", *TRIES[variant], *known, *MORE[kind]
