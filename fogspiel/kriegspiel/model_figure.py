"""Figure 4 of the paper: D_w and D_b of a kind of men after a move, as probabilities and as changes, and f of them.

D(p, t) is the probability of a square after move t, in percent; its delta is the change since move t - 1, in points; f
(section 5.2) is the attraction of squares that approaches B and C make of the delta, 1 on average. They distinguish
kings, pawns and pieces only, so f of a knight is that of all pieces.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..games.chess.bitboards import KING, PAWN
from ..games.chess.fen import LETTERS, SIDES
from ..runs.report import Cell, Report, Table
from ..runs.store import Json
from .parameters import AT_HOME, BOTH, LATEST, attraction_of

MAN_KINDS = ("pawn", "knight", "bishop", "rook", "queen", "king")  # in the order of the model
FILES = "abcdefgh"
CELL, GAP, HEAD = 30, 24, 34  # of the SVG: a square, the space between boards, and the height of a title
SHADES = {"D": (46, 110, 66), "more": (46, 110, 66), "less": (178, 60, 48)}


class Boards(NamedTuple):
    """The three boards of one colour after a move."""

    colour: int
    move: int
    share: np.ndarray  # D, in percent
    delta: np.ndarray  # change of D, in percentage points
    pull: np.ndarray  # f

    def titles(self, kind: int) -> tuple[str, str, str]:
        letter, name = SIDES[self.colour][0].lower(), MAN_KINDS[kind]
        matrix = name if kind in (PAWN, KING) else "pieces"
        before = f"since move {self.move - 1}" if self.move > 1 else "since the start"
        return f"D_{letter}({name}, {self.move}), %", f"delta {before}, points", f"f for {matrix}"


def boards_of(model: np.ndarray, kind: int, move: int, colour: int) -> Boards:
    """Return the boards after a move, the first being 1."""
    place = move - 1
    now, before = model[colour, kind, place], model[colour, kind, place - 1] if place else AT_HOME[colour, kind]
    row = (KING, PAWN).index(kind) if kind in (KING, PAWN) else 2
    return Boards(colour, move, 100 * now, 100 * (now - before), attraction_of(model, colour, place, 1.0)[row])


def chosen_boards(model: np.ndarray, kind: int, moves: Sequence[int]) -> list[Boards]:
    for move in moves:
        if not 1 <= move <= LATEST:
            raise ValueError(f"--move is {move}: a model has the moves 1 to {LATEST}")
    return [boards_of(model, kind, move, colour) for move in moves for colour in BOTH]


def kind_of(name: str) -> int:
    if name not in MAN_KINDS:
        raise ValueError(f"--piece is {name[:40]!r}: it must be one of {', '.join(MAN_KINDS)}")
    return MAN_KINDS.index(name)


def _share_text(value: float) -> str:
    return f"{value:.0f}" if value >= 0.5 else "."


def _delta_text(value: float) -> str:
    return f"{value:+.1f}" if abs(value) >= 0.05 else "."


def _pull_text(value: float) -> str:
    return f"{value:.1f}"


TEXTS: tuple[Callable[[float], str], ...] = (_share_text, _delta_text, _pull_text)
WIDTHS = (4, 6, 4)


def board_lines(title: str, board: np.ndarray, text: Callable[[float], str], width: int) -> list[str]:
    """Return a board as text, White's first rank at the bottom."""
    lines = [f"  {title}"]
    for rank in range(7, -1, -1):
        lines.append(f"{rank + 1} " + "".join(f"{text(board[8 * rank + file]):>{width}}" for file in range(8)))
    return [*lines, "  " + "".join(f"{file:>{width}}" for file in FILES)]


def figure_lines(found: Sequence[Boards], kind: int) -> Iterator[str]:
    """Yield the figure as text: D and its delta next to each other, f below."""
    for boards in found:
        titles = boards.titles(kind)
        drawn = [
            board_lines(title, board, text, width)
            for title, board, text, width in zip(titles, boards[2:], TEXTS, WIDTHS, strict=True)
        ]
        yield f"{SIDES[boards.colour]} after move {boards.move}:"
        wide = max(map(len, drawn[0])) + 3
        yield from (f"{left:<{wide}}{right}".rstrip() for left, right in zip(drawn[0], drawn[1], strict=True))
        yield from (line.rstrip() for line in drawn[2])
        yield ""


def _mixed(shade: tuple[int, int, int], strength: float) -> str:
    """Return a colour between white and a shade."""
    part = min(1.0, max(0.0, strength))
    return "#" + "".join(f"{round(255 + part * (one - 255)):02x}" for one in shade)


def _fill(column: int, value: float, most: float) -> str:
    if column == 0:
        return _mixed(SHADES["D"], value / most)
    change = value if column == 1 else np.log(value)
    return _mixed(SHADES["more" if change > 0 else "less"], abs(change) / most)


def figure_svg(found: Sequence[Boards], kind: int) -> str:
    """Draw the figure as SVG: a row of three boards for every colour and move."""
    size = 8 * CELL
    wide, high = 3 * (size + GAP) + GAP, len(found) * (size + HEAD + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'role="img" aria-label="Model of {MAN_KINDS[kind]}s" font-family="sans-serif" font-size="10">',
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
    ]
    for row, boards in enumerate(found):
        top = row * (size + HEAD + GAP) + HEAD
        for column, (title, board) in enumerate(zip(boards.titles(kind), boards[2:], strict=True)):
            left = GAP + column * (size + GAP)
            most = float(np.abs(np.log(board) if column == 2 else board).max()) or 1.0
            parts.append(f'<text x="{left}" y="{top - 10}" font-size="14">{title}</text>')
            for square in range(64):
                x, y = left + CELL * (square % 8), top + CELL * (7 - square // 8)
                value = float(board[square])
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" stroke="#bbbbbb" '
                    f'fill="{_fill(column, value, most)}"/><text x="{x + CELL // 2}" y="{y + 19}" '
                    f'text-anchor="middle">{TEXTS[column](value)}</text>'
                )
    return "\n".join([*parts, "</svg>"]) + "\n"


def figure_json(found: Sequence[Boards], kind: int) -> Json:
    """Return the numbers, a1 first, then b1."""
    return {
        "piece": MAN_KINDS[kind],
        "boards": [
            {
                "side": SIDES[boards.colour].lower(),
                "move": boards.move,
                "share": [round(float(value) / 100, 6) for value in boards.share],
                "delta": [round(float(value) / 100, 6) for value in boards.delta],
                "f": [round(float(value), 6) for value in boards.pull],
            }
            for boards in found
        ],
    }


def figure_report(words: str, found: Sequence[Boards], kind: int, command: str) -> Report:
    columns = ("side", "move", "square", "D", "delta", "f")
    rows: list[Sequence[Cell]] = [
        (SIDES[boards.colour].lower(), boards.move, f"{FILES[square % 8]}{square // 8 + 1}",
         float(boards.share[square]) / 100, float(boards.delta[square]) / 100, float(boards.pull[square]))
        for boards in found
        for square in range(64)
    ]  # fmt: skip
    text = f"Kind of men: {MAN_KINDS[kind]} ({LETTERS[kind].upper()}). The picture is in figure4.svg."
    return Report("figure4", f"Opponent model {words}", command, (text,), [Table("model", "Numbers", columns, rows)])
