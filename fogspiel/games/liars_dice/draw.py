"""Liar's dice: the own die, all bids, and the right to call."""

import numpy as np

from ...core.game import Game
from ...core.picture import Board, Cards, Cell, Parts, Words
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
    said = [int(action) for action in history if action >= 0]
    highest = max(said, default=0)

    def cell(number: int, face: int) -> Cell:
        bid = TENS * number + face
        name = f"{number} x {face}"
        if bid in said:
            return Cell(name, "marked", None, f"{name}, was bid")
        free = open_now and bid > highest
        return Cell(name, "" if free else "unknown", bid if free else None, name)

    rows = tuple(tuple(cell(number, face) for face in range(1, sides + 1)) for number in range(1, DICE + 1))
    return Board(rows, "Bids")


def bidding(sides: int, history: np.ndarray) -> Words:
    """What was said, by both in turn."""
    said = [int(action) for action in history if action >= 0]
    lines = tuple(f"player {place % 2 + 1}: {label(action)}" for place, action in enumerate(said))
    return Words(lines or (f"Nobody has bid. {sides} is wild.",), "Said so far")


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The own die, all bids, and the right to call."""
    sides, own, other = (int(cell) for cell in seen[: rules.SEEN_HISTORY])
    history = seen[rules.SEEN_HISTORY :]
    if own == 0:
        return (Words(("The dice are rolled.",)),)
    said = [int(action) for action in history if action >= 0]
    over = LIAR in said
    call = (Cards("", (Cell("liar!", "marked", LIAR, "call the last bid a lie"),)),) if said and not over else ()
    return (
        Cards("Your die", (die(own, "your die"),)),
        Cards("The other's die", (die(other, "the other's die"),)),
        bids(sides, history, not over),
        *call,
        bidding(sides, history),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """Both dice and all bids."""
    sides, first, second = (int(cell) for cell in state[: rules.MOVES])
    history = state[rules.HISTORY :]
    dice = tuple(die(face, f"the die of player {who}") for who, face in ((1, first), (2, second)))
    return Cards("Dice of players 1 and 2", dice), bids(sides, history, False), bidding(sides, history)
