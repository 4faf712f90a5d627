"""Parts of a picture: a player's view in a form that the web interface draws and programs read.

A picture is made from a view alone, so it cannot show hidden information. A cell may name the action that it stands
for; the list of actions determines whether it is legal now.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

from .untrusted_input import JsonRecord


@dataclass(frozen=True)
class Cell(JsonRecord):
    """A square of a board, or a card."""

    KEYS = ("text", "look", "action", "name")

    text: str = ""
    # Classes of the style sheet: own, other, unknown, fog (may hold anything), refused, marked, red, black, face-down,
    # winning, captured, call (the large button of a bluff), won (cards of a trick); and what is drawn: a die (rolling),
    # bid (number x face), token, stone, stack of cards, hand, face or ship.
    look: str = ""
    action: int | None = None  # the action of a click on it
    name: str = ""  # text for screen readers


@dataclass(frozen=True)
class BoardPicture(JsonRecord):
    """Cells in rows; a hexagonal board shifts each row by half a cell."""

    KIND, KEYS = (
        "board",
        ("rows", "title", "shape", "row_names", "column_names", "ships", "turned", "in_hand", "seat", "fleet"),
    )

    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    shape: str = "squares"  # squares or hexagons
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()
    ships: tuple[tuple[int, int, int, bool], ...] = ()  # row, column, length, and true if it stands, of whole ships
    # True or false if the actions put a ship of this length down standing or lying: both boards are one sea.
    turned: bool | None = None
    in_hand: int = 0
    seat: str = ""  # whose side of the game it shows, where there are two boards: own or other
    fleet: tuple[int, ...] = ()  # lengths of all ships, in the order in which they are placed


@dataclass(frozen=True)
class Cards(JsonRecord):
    """Cards, dice or tokens side by side."""

    KIND, KEYS = "cards", ("title", "cards", "together", "seat")

    title: str
    cards: tuple[Cell, ...]
    together: bool = False  # true if an action is put together of several cards: the sum of theirs
    seat: str = ""  # whose they are: own, other or shared


@dataclass(frozen=True)
class Facts(JsonRecord):
    """Facts as numbers and names."""

    KIND, KEYS = "facts", ("rows", "title")

    rows: tuple[tuple[str, str], ...]
    title: str = ""


@dataclass(frozen=True)
class Stakes(JsonRecord):
    """Chips in the pot: what each player has paid, and a line for each part of the game with both payments."""

    KIND, KEYS = "stakes", ("own", "other", "rows")

    own: int
    other: int
    rows: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Race(JsonRecord):
    """Points of players on their way to a goal: whose, how many, those at risk, and the goal."""

    KIND, KEYS = "race", ("rows",)

    rows: tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Messages(JsonRecord):
    """Messages, the latest last."""

    KIND, KEYS = "words", ("lines", "title")

    lines: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True)
class Text(JsonRecord):
    """A drawing in letters."""

    KIND, KEYS = "text", ("text",)

    text: str


@dataclass(frozen=True)
class Chess(JsonRecord):
    """A chessboard; `men` has 64 letters from a1 to h8, `.` where nothing is known to stand."""

    KIND = "chess"
    KEYS = ("men", "side", "turn", "refused", "tries", "checks", "captured", "words", "counts", "over", "answer")

    men: str
    side: int  # 0 if White sits below
    turn: bool  # true if the one who sees this is to move
    refused: tuple[str, ...] = ()  # illegal attempts of this turn, as squares: e2e4
    tries: int = 0
    # Directions of check on the own king: rank, file, long diagonal, short diagonal, knight.
    checks: tuple[str, ...] = ()
    captured: str = ""  # the square of the last capture
    words: tuple[str, ...] = ()  # the referee's latest message
    counts: tuple[tuple[str, int], ...] = ()  # material of both sides as far as it was announced
    over: bool = False  # true if the game has ended
    answer: str = ""  # the referee's answer in this turn to "any pawn captures?": yes or no
    QUESTION: ClassVar[str] = "any"  # the label of that question

    def outcome(self, label: str) -> str:
        """Return the referee's response to the action with this label, to be called after it; empty for a move."""
        if label == self.QUESTION:
            return f": {self.answer}"
        return ": refused" if label in self.refused else ""


Part = BoardPicture | Cards | Facts | Stakes | Race | Messages | Text | Chess
Parts = tuple[Part, ...]


def refereed_board(parts: Parts) -> Chess | None:
    return next((part for part in parts if isinstance(part, Chess)), None)


def picture_json(parts: Parts) -> list[dict[str, Any]]:
    return [{"kind": part.KIND} | part.to_json() for part in parts]


# Results in notebooks: a small table in HTML.


def html_table(title: str, rows: Mapping[str, object]) -> str:
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left;white-space:pre'>{escape(str(value))}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table><caption><b>{escape(title)}</b></caption>{cells}</table>"
