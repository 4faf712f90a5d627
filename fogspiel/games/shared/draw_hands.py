"""Games of one throw: Morra and rock-paper-scissors."""

import numpy as np

from ...core.drawing import Picture
from ...core.picture import Board, Cards, Cell, Facts, Parts, Words
from .. import rps
from ..morra import rules as morra

CALLS, FINGERS = morra.CALLS, morra.FINGERS


def throws(own: int, other: int, is_open: bool) -> Board:
    """Fingers by calls; a call that cannot be right is dim."""

    def cell(fingers: int, call: int) -> Cell:
        action = CALLS * fingers + call
        sensible = fingers <= call <= fingers + FINGERS - 1
        look = "own" if action == own else "other" if action == other else "" if sensible else "unknown"
        return Cell(str(call), look, action if is_open else None, morra.label(action))

    rows = tuple(tuple(cell(fingers, call) for call in range(CALLS)) for fingers in range(FINGERS))
    names = tuple(str(fingers) for fingers in range(FINGERS))
    return Board(rows, "Rows: fingers to show. Cells: the total to call.", row_names=names)


def morra_view(seen: np.ndarray) -> Parts:
    """All throws, and the two that were made."""
    own, other = (int(throw) for throw in seen)
    if own < 0:
        return Words(("Show 0 to 5 fingers and call the total of both hands.",)), throws(own, other, True)
    if other < 0:
        return Words((f"Your throw: {morra.label(own)}.",)), throws(own, other, False)
    total = own // CALLS + other // CALLS
    facts = (("your throw", morra.label(own)), ("the other's throw", morra.label(other)), ("total", str(total)))
    return Words((f"The total is {total}.",)), throws(own, other, False), Facts(facts)


def _made(state: np.ndarray, first: int, shown: int) -> tuple[int, int]:
    """The throws or choices that were made, hidden ones too; -1 where there is none."""
    one, other = int(state[shown]), int(state[shown + 1])
    return (one if one >= 0 else int(state[first])), other


def morra_truth(state: np.ndarray) -> Parts:
    """The throws that were made."""
    made = _made(state, morra.FIRST, morra.SHOWN)
    facts = tuple((f"player {who}", morra.label(throw)) for who, throw in enumerate(made, 1) if throw >= 0)
    return Facts(facts or (("nobody", "has thrown"),)), throws(*made, False)


def choices(own: int, other: int, is_open: bool, title: str) -> Cards:
    """Rock, paper and scissors."""
    cells = []
    for action, name in enumerate(rps.NAMES):
        look = "own" if action == own else "other" if action == other else ""
        cells.append(Cell(name, look, action if is_open else None, name))
    return Cards(title, tuple(cells))


def rps_view(seen: np.ndarray) -> Parts:
    """The three choices, and those that were made."""
    own, other = (int(choice) for choice in seen)
    if own < 0:
        return Words(("Choose.",)), choices(-1, -1, True, "")
    if other < 0:
        return Words((f"You chose {rps.label(own)}.",)), choices(own, -1, False, "You")
    words = f"You chose {rps.label(own)}, the other {rps.label(other)}."
    return Words((words,)), choices(own, -1, False, "You"), choices(-1, other, False, "The other")


def rps_truth(state: np.ndarray) -> Parts:
    """The choices that were made."""
    first, second = _made(state, rps.FIRST, rps.SHOWN)
    return choices(first, -1, False, "Player 1"), choices(-1, second, False, "Player 2")


PICTURES = {game.name: Picture(morra_view, morra_truth) for game in morra.GAMES} | {
    game.name: Picture(rps_view, rps_truth) for game in rps.GAMES
}
