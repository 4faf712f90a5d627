"""Nim: the heaps as rows of tokens."""

import numpy as np

from ...core.game import Game
from ...core.picture import Board, Cell, Parts, Words
from . import rules

TOKEN = "●"


def heaps(numbers: list[int], can_take: bool) -> Board:
    """A row for each heap; a token takes itself and all to the right of it."""
    rows = []
    for heap, number in enumerate(numbers):
        tokens = []
        for place in range(number):
            action = 8 * heap + number - place
            tokens.append(Cell(TOKEN, "token", action if can_take else None, rules.label(action)))
        rows.append(tuple(tokens))
    return Board(tuple(rows), "Heaps", row_names=tuple(str(heap) for heap in range(1, len(numbers) + 1)))


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """All heaps."""
    numbers = [int(number) for number in seen[rules.SEEN_HEAP :]]
    mine = bool(seen[rules.SEEN_MINE])
    if not any(numbers):
        end = "You have won." if mine else "You have lost: who takes the last object loses."
        return Words((end,)), heaps(numbers, False)
    words = "Your move: a token takes itself and all to the right of it." if mine else "The other's move."
    return Words((words,)), heaps(numbers, True)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """All heaps."""
    words = Words((f"Player {state[rules.MOVER] + 1} to move.",))
    return words, heaps([int(number) for number in state[rules.HEAP :]], False)
