"""Nim's heaps as rows of tokens, and Guess Who's characters as a board of them."""

import numpy as np

from ...core.drawing import Picture
from ...core.picture import Board, Cell, Facts, Parts, Words
from ..guesswho import rules as guesswho
from ..nim import rules as nim

IN_A_ROW = 12
TOKEN = "●"


def heaps(numbers: list[int], can_take: bool) -> Board:
    """A row for each heap; a token takes itself and all to the right of it."""
    rows = []
    for heap, number in enumerate(numbers):
        tokens = []
        for place in range(number):
            action = 8 * heap + number - place
            tokens.append(Cell(TOKEN, "token", action if can_take else None, nim.label(action)))
        rows.append(tuple(tokens))
    return Board(tuple(rows), "Heaps", row_names=tuple(str(heap) for heap in range(1, len(numbers) + 1)))


def nim_view(seen: np.ndarray) -> Parts:
    """All heaps."""
    numbers = [int(number) for number in seen[nim.SEEN_HEAP :]]
    mine = bool(seen[nim.SEEN_MINE])
    if not any(numbers):
        end = "You have won." if mine else "You have lost: who takes the last object loses."
        return Words((end,)), heaps(numbers, False)
    words = "Your move: a token takes itself and all to the right of it." if mine else "The other's move."
    return Words((words,)), heaps(numbers, True)


def nim_truth(state: np.ndarray) -> Parts:
    """All heaps."""
    words = Words((f"Player {state[nim.MOVER] + 1} to move.",))
    return words, heaps([int(number) for number in state[nim.HEAP :]], False)


def characters(left: int, of: int, title: str, can_ask: bool, look: str) -> Board:
    """The characters that are still possible, as many as there are; the c-th asks about the first c."""
    cells = []
    for place in range(1, of + 1):
        if place > left:
            cells.append(Cell("", "unknown", None, "ruled out"))
        elif can_ask and place < left:
            cells.append(Cell(str(place), look, place, guesswho.label(place)))
        else:
            cells.append(Cell(str(place), look, None, "still possible"))
    rows = tuple(tuple(cells[first : first + IN_A_ROW]) for first in range(0, of, IN_A_ROW))
    return Board(rows, title)


def guesswho_view(seen: np.ndarray) -> Parts:
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


def guesswho_truth(state: np.ndarray) -> Parts:
    """Both searches."""
    of, asked = int(state[guesswho.CHARACTERS]), int(state[guesswho.ASKED])
    left = [int(number) for number in state[guesswho.POOL : guesswho.POOL + 2]]
    words = f"Player {state[guesswho.TURN] + 1} " + (f"asks about {asked}." if asked else "is to ask.")
    boards = tuple(
        characters(left[player], of, f"Search of player {player + 1}", False, ("own", "other")[player])
        for player in range(2)
    )
    return Words((words,)), *boards


PICTURES = {game.name: Picture(nim_view, nim_truth) for game in nim.GAMES} | {
    game.name: Picture(guesswho_view, guesswho_truth) for game in guesswho.GAMES
}
