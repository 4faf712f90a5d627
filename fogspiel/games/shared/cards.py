"""Playing cards as cells."""

from collections.abc import Iterable

from ...core.picture import Cell

SUITS = {"clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"}


def face_down(count: int, name: str = "a card face down") -> tuple[Cell, ...]:
    """So many cards that are not seen."""
    return tuple(Cell("", "face-down", None, name) for _ in range(count))


def face_up(names: Iterable[str], look: str = "") -> tuple[Cell, ...]:
    """Cards that are seen and stand for no action."""
    return tuple(Cell(name, look, None, name) for name in names)
