"""The parts of a picture: what a player sees, as something that a page can draw and a program can read.

A picture is made from a view alone, so it cannot show what its player does not know. A cell may name the action that it
stands for; whether that may be tried now is another question, which the list of actions answers.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, ClassVar


@dataclass(frozen=True)
class Cell:
    """A square of a board, or a card."""

    text: str = ""
    look: str = ""
    """How it looks, in words of the style sheet: own, other, unknown, refused, marked, red, black, face-down,
    winning, captured; and what is drawn: a die (rolling), token, stone, stack of cards, hand, face or ship."""
    action: int | None = None
    """What a click on it tries."""
    name: str = ""
    """What it is called aloud."""


@dataclass(frozen=True)
class BoardPicture:
    """Cells in rows; a hexagonal board shifts each row by half a cell."""

    kind: ClassVar = "board"
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    shape: str = "squares"
    """squares or hexagons"""
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cards:
    """Cards, dice or tokens side by side."""

    kind: ClassVar = "cards"
    title: str
    cards: tuple[Cell, ...]
    together: bool = False
    """Whether an action is put together of several cards: the sum of theirs."""


@dataclass(frozen=True)
class Facts:
    """What is known in numbers and names."""

    kind: ClassVar = "facts"
    rows: tuple[tuple[str, str], ...]
    title: str = ""


@dataclass(frozen=True)
class Messages:
    """What was said, the latest last."""

    kind: ClassVar = "words"
    lines: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True)
class Text:
    """A drawing in letters."""

    kind: ClassVar = "text"
    text: str


@dataclass(frozen=True)
class Chess:
    """A chessboard; `men` has 64 letters from a1 to h8, `.` where nothing is known to stand."""

    kind: ClassVar = "chess"
    men: str
    side: int
    """0 if White sits below."""
    turn: bool
    """Whether the one who sees this is to move."""
    refused: tuple[str, ...] = ()
    """Attempts that were refused in this turn, as squares: e2e4."""
    tries: int = 0
    checks: tuple[str, ...] = ()
    """Directions of check on the own king: rank, file, long diagonal, short diagonal, knight."""
    captured: str = ""
    """The square where a man was taken last."""
    words: tuple[str, ...] = ()
    """The referee's latest message."""
    counts: tuple[tuple[str, int], ...] = ()
    """What is left of both sides as far as it was announced."""
    over: bool = False
    """Whether the game has ended."""
    answer: str = ""
    """What the mover was told who has asked in this turn whether any pawn can take: yes or no."""


Part = BoardPicture | Cards | Facts | Messages | Text | Chess
Parts = tuple[Part, ...]


def picture_json(parts: Parts) -> list[dict[str, Any]]:
    """Parts for a page: each with its kind."""
    return [{"kind": part.kind} | asdict(part) for part in parts]


# Results in notebooks: a small table in HTML.


def html_table(title: str, rows: Mapping[str, object]) -> str:
    """A table of two columns; texts of several lines keep them."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left;white-space:pre'>{escape(str(value))}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table><caption><b>{escape(title)}</b></caption>{cells}</table>"
