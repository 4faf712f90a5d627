"""Morra: fingers by calls, and the throws that were made."""

import numpy as np

from ...core.game import Game
from ...core.picture import Board, Cards, Cell, Facts, Parts, Words
from ..shared.one_throw import throws_of
from .rules import CALLS, FINGERS, label


def throws(own: int, other: int, is_open: bool) -> Board:
    """Fingers by calls; a call that cannot be right is dim."""

    def cell(fingers: int, call: int) -> Cell:
        action = CALLS * fingers + call
        sensible = fingers <= call <= fingers + FINGERS - 1
        look = "own" if action == own else "other" if action == other else "" if sensible else "unknown"
        return Cell(str(call), look, action if is_open else None, label(action))

    rows = tuple(tuple(cell(fingers, call) for call in range(CALLS)) for fingers in range(FINGERS))
    names = tuple(str(fingers) for fingers in range(FINGERS))
    return Board(rows, "Rows: fingers to show. Cells: the total to call.", row_names=names)


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """All throws, and the two that were made."""
    own, other = (int(throw) for throw in seen)
    if own < 0:
        return Words(("Show 0 to 5 fingers and call the total of both hands.",)), throws(own, other, True)
    if other < 0:
        return Words((f"Your throw: {label(own)}.",)), throws(own, other, False)
    total = own // CALLS + other // CALLS
    facts = (("your throw", label(own)), ("the other's throw", label(other)), ("total", str(total)))
    hands = (
        Cell(str(throw // CALLS), f"hand {look}", None, f"{whose} hand, {throw // CALLS} fingers")
        for throw, look, whose in ((own, "own", "your"), (other, "other", "the other's"))
    )
    return (
        Words((f"The total is {total}.",)),
        Cards("Both hands", tuple(hands)),
        throws(own, other, False),
        Facts(facts),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The throws that were made."""
    made = throws_of(state)
    facts = tuple((f"player {who}", label(throw)) for who, throw in enumerate(made, 1) if throw >= 0)
    return Facts(facts or (("nobody", "has thrown"),)), throws(*made, False)
