"""Liar's dice: the own die, all bids, and the right to call."""

import numpy as np

from ...core.game import Game
from ...core.picture import Board, Cards, Cell, Parts, Words
from ..shared.draw_poker import said
from . import rules
from .rules import DICE, LIAR, TENS, label


def die(face: int, name: str) -> Cell:
    """A die, 0 if it is covered."""
    return (
        Cell(str(face), "die", None, f"{name} shows {face}")
        if face
        else Cell("", "die face-down", None, f"{name} is covered")
    )


def bids(sides: int, history: np.ndarray, open_now: bool) -> Board:
    """Every bid there is, those that were made marked."""
    made = [int(action) for action in history if action >= 0]
    highest = max(made, default=0)

    def cell(number: int, face: int) -> Cell:
        bid = TENS * number + face
        name = f"{number} x {face}"
        if bid in made:
            return Cell(name, "marked", None, f"{name}, was bid")
        free = open_now and bid > highest
        return Cell(name, "" if free else "unknown", bid if free else None, name)

    rows = tuple(tuple(cell(number, face) for face in range(1, sides + 1)) for number in range(1, DICE + 1))
    return Board(rows, "Bids")


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The own die, all bids, and the right to call."""
    sides, own, other = (int(cell) for cell in seen[: rules.SEEN_HISTORY])
    history = seen[rules.SEEN_HISTORY :]
    if own == 0:
        return (Words(("The dice are rolled.",)),)
    over = LIAR in history
    can_call = history[0] >= 0 and not over
    call = (Cards("", (Cell("liar!", "marked", LIAR, "call the last bid a lie"),)),) if can_call else ()
    return (
        Cards("Your die", (die(own, "your die"),)),
        Cards("The other's die", (die(other, "the other's die"),)),
        bids(sides, history, not over),
        *call,
        said(history, label, f"Nobody has bid. {sides} is wild."),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """Both dice and all bids."""
    sides, first, second = (int(cell) for cell in state[: rules.MOVES])
    history = state[rules.HISTORY :]
    dice = tuple(die(face, f"the die of player {who}") for who, face in ((1, first), (2, second)))
    words = said(history, label, f"Nobody has bid. {sides} is wild.")
    return Cards("Dice of players 1 and 2", dice), bids(sides, history, False), words
