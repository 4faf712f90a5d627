"""Guess Who: the characters that are still possible."""

import numpy as np

from ...core.game import Game
from ...core.picture import Board, Cell, Facts, Parts, Words
from . import rules

IN_A_ROW = 8


def characters(left: int, of: int, title: str, can_ask: bool, look: str) -> Board:
    """The characters that are still possible, as many as there are; the c-th asks about the first c."""
    cells = []
    for place in range(1, of + 1):
        if place > left:
            cells.append(Cell("", "unknown", None, "ruled out"))
        elif can_ask and place < left:
            cells.append(Cell(str(place), f"{look} face", place, rules.label(place)))
        else:
            cells.append(Cell(str(place), f"{look} face", None, "still possible"))
    rows = tuple(tuple(cells[first : first + IN_A_ROW]) for first in range(0, of, IN_A_ROW))
    return Board(rows, title)


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The own search and the other's."""
    own, other, of, mine, asked = (int(cell) for cell in seen)
    if 1 in (own, other):
        words = "You have found the other's character." if own == 1 else "The other has found yours."
    elif asked:
        words = f"{'Your' if mine else 'The other’s'} question about {asked} characters waits for its answer."
    else:
        words = "Your turn: choose how many characters to ask about." if mine else "The other's turn."
    can_ask = bool(mine) and not asked and 1 not in (own, other)
    facts = Facts((("your search", f"{own} of {of} left"), ("the other's search", f"{other} of {of} left")))
    return Words((words,)), characters(own, of, "Still possible in your search", can_ask, "own"), facts


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """Both searches."""
    of, asked = int(state[rules.CHARACTERS]), int(state[rules.ASKED])
    left = [int(number) for number in state[rules.POOL : rules.POOL + 2]]
    words = f"Player {state[rules.TURN] + 1} " + (f"asks about {asked}." if asked else "is to ask.")
    boards = tuple(
        characters(left[player], of, f"Search of player {player + 1}", False, ("own", "other")[player])
        for player in range(2)
    )
    return Words((words,)), *boards
