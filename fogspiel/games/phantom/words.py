"""Phantom tic-tac-toe, phantom ponnuki and dark hex: board games whose players do not see each other's stones.

The rules and the layout of states and views are in `rules.py`, the boards in `shared/boards.py`. Black, who begins, is
drawn as X, White as O, a cell that was illegal but may have been empty as ?; the first row is the lowest one.
"""

from collections.abc import Callable

import numpy as np

from ...core.game import DRAW, LOSS, WIN, Game, Rules, Sizes, Strategy
from ..shared.boards import BOARDS, LETTERS, Board
from ..shared.ponnuki_playouts import ABOUT, monte_carlo
from . import playouts, rules
from .hidden import cells_of, resample_by

MARKS = "XO"

# Words


def board_text(board: Board, marked: dict[str, int]) -> list[str]:
    """The board with some sets of cells marked, the last row on top; hex leans to the right."""
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
    """Each turn of a player by name: where the stone went, and what was tried before."""
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
    """Make the text drawing of views of this board."""

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
    """Make the text drawing of states of this board."""

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
    """The record of one phantom game."""
    named: dict[str, Strategy] = {"monte-carlo": monte_carlo(playouts.choose)} if rules.has_suicide(board.name) else {}
    turns = board.cells if abrupt else (board.cells + 1) // 2
    start, apply = rules.start_of(board.name, turns, counted), rules.apply_of(board.name, abrupt)
    return Game(
        name=name,
        title=title,
        family="phantom",
        kind="Boards",
        version=1,
        rules=Rules(start, rules.mover, rules.legal, apply, rules.view, rules.score),
        resample=resample_by(start, apply),
        sizes=Sizes(rules.RECORD + 4 * turns, rules.SEEN_RECORD + (3 if counted else 2) * turns, board.cells),
        show=show_on(board),
        reveal=reveal_on(board),
        label=board.cell_name,
        source=source,
        named=named,
        about=ABOUT if named else {},
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
