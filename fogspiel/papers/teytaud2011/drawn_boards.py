"""Figure 1 and the boards of section IV of Teytaud and Teytaud 2011, drawn from Black's tries by the rules.

The paper's text names the tries; a board shows Black's stones, White's stones that Black knows, and `?` where a white
stone is possible.
"""

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from ...games.boards.board import BOARDS, GOES_ON, WINS, Board
from ...runs.report import Table
from ...solving.bounds.beliefs import Beliefs

BLACK, WHITE, POSSIBLE, EMPTY = "X", "O", "?", "."
# Boards of section IV: section, caption, board, Black's tries from the first on, legal (+) or illegal (-).
SHOWN = (
    ("IV-B", "a line, which wins", "3x3", "+B2 +A2 +C2"),
    ("IV-B", "A2 is illegal: B2, B3, C2", "3x3", "+B2 -A2 +C2 +B3"),
    ("IV-C", "B2 and B3 are legal, a win", "4x4", "+C3 +B2 +B3"),
    ("IV-C", "B3 and C2 are illegal: an atari in B4", "4x4", "+C3 +B2 -B3 -C2 +B4"),
    ("IV-C", "B2 is illegal, then B3 and C2", "4x4", "+C3 -B2 +B3 -C2"),
    ("IV-C1", "C2 is illegal, B1 is legal", "4x4", "+C3 +B2 +B3 -C2 +B1"),
    ("IV-C1", "after D3 and C1 are illegal: C4", "4x4", "+C3 +B2 +B3 -C2 +B1 -D3 -C1 +C4"),
    ("IV-C2", "A3 is legal", "4x4", "+C3 -B2 +B3 -C2 +D2 +D3 +A3"),
    ("IV-C2", "A3 and B4 are illegal: Black knows the board", "4x4", "+C3 -B2 +B3 -C2 +D2 +D3 -A3 -B4"),
    ("IV-C2", "the matrix game: two white stones are unknown", "4x4", "+C3 -B2 +B3 -C2 +D2 +D3 -A3 +B4"),
)


def draw(board: Board, own: int, worlds: np.ndarray) -> list[str]:
    """Return the lines of a board, the highest row first."""
    certain, possible = np.bitwise_and.reduce(worlds), np.bitwise_or.reduce(worlds)

    def mark(cell: int) -> str:
        stones = ((own, BLACK), (int(certain), WHITE), (int(possible), POSSIBLE))
        return next((sign for mask, sign in stones if mask >> cell & 1), EMPTY)

    rows = range(board.rows - 1, -1, -1)
    lines = [f"{row + 1} " + " ".join(mark(row * board.columns + c) for c in range(board.columns)) for row in rows]
    return [*lines, "  " + " ".join(chr(ord("A") + c) for c in range(board.columns))]


def after_tries(board: Board, tries: str) -> tuple[int, np.ndarray]:
    """Return Black's belief after its tries and White's unseen answers."""
    beliefs, own, worlds = Beliefs(board, 0), 0, np.array([0], np.int64)
    cells = {board.cell_name(cell): cell for cell in range(board.cells)}
    for attempt in tries.split():
        split = beliefs.split(own, worlds, cells[attempt[1:]])
        if attempt[0] == "-":
            worlds = split.illegal
        else:
            own |= 1 << cells[attempt[1:]]
            worlds = beliefs.after_answer(own, split.going)[0]
    return own, worlds


def figure_one() -> list[tuple[str, int, int]]:
    """Return the winner and the stones of both situations on 2x2 after a stone each: opposite, and beside each other.

    A player captures if it can; all other moves are alike by symmetry.
    """
    board = BOARDS["ponnuki-2x2"]
    found: dict[str, tuple[str, int, int]] = {}
    for black, white in permutations(range(board.cells), 2):
        stones = [1 << black, 1 << white]
        opposite = white == board.cells - 1 - black
        winner, mover = "", 0
        while not winner:
            own, other = stones[mover], stones[1 - mover]
            outcomes = {cell: int(board.fate(mover, own, other, cell)) for cell in range(board.cells)}
            winning = [cell for cell, outcome in outcomes.items() if outcome == WINS]
            going = [cell for cell, outcome in outcomes.items() if outcome == GOES_ON]
            stones[mover] |= 1 << (winning or going)[0]
            winner, mover = ("Black", "White")[mover] if winning else "", 1 - mover
        found.setdefault("opposite" if opposite else "beside", (winner, 1 << black, 1 << white))
    return [found["opposite"], found["beside"]]


def pictures() -> Iterator[tuple[str, str, list[str]]]:
    """Yield the section, the caption and the lines of each board."""
    for winner, black, white in figure_one():
        lines = draw(BOARDS["ponnuki-2x2"], black, np.array([white], np.int64))
        yield "Figure 1", f"{winner} wins", lines
    for section, caption, size, tries in SHOWN:
        board = BOARDS[f"ponnuki-{size}"]
        own, worlds = after_tries(board, tries)
        yield section, f"{caption} ({len(worlds)} possible positions)", draw(board, own, worlds)


def figure_lines() -> list[str]:
    lines = [f"Figure 1 and boards of section IV: {BLACK} Black, {WHITE} known to be White, {POSSIBLE} possibly White"]
    for section, caption, board in pictures():
        lines += ["", f"{section}: {caption}", *board]
    return lines


def board_tables() -> list[Table]:
    """Return the boards as a table for the report."""
    rows = [(section, caption, " / ".join(lines)) for section, caption, lines in pictures()]
    return [Table("boards", figure_lines()[0], ("section", "position", "board, rows from the top"), rows)]
