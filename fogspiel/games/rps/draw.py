"""Rock-paper-scissors: the three choices, and those that were made."""

import numpy as np

from ...core.game import Game
from ...core.picture import Cards, Cell, Parts, Words
from ..shared.one_throw import throws_of
from .rules import NAMES, label


def choices(own: int, other: int, is_open: bool, title: str) -> Cards:
    """Rock, paper and scissors."""
    cells = []
    for action, name in enumerate(NAMES):
        look = "hand own" if action == own else "hand other" if action == other else "hand"
        cells.append(Cell(name, look, action if is_open else None, name))
    return Cards(title, tuple(cells))


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The three choices, and those that were made."""
    own, other = (int(choice) for choice in seen)
    if own < 0:
        return Words(("Choose.",)), choices(-1, -1, True, "")
    if other < 0:
        return Words((f"You chose {label(own)}.",)), choices(own, -1, False, "You")
    words = f"You chose {label(own)}, the other {label(other)}."
    return Words((words,)), choices(own, -1, False, "You"), choices(-1, other, False, "The other")


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The choices that were made."""
    first, second = throws_of(state)
    return choices(first, -1, False, "Player 1"), choices(-1, second, False, "Player 2")
