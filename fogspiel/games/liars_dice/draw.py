"""Liar's dice: the own dice, all bids, and the right to call."""

import numpy as np

from ...core.game import Game
from ...core.picture import Board, Cards, Cell, Parts, Words
from ..shared.draw_poker import said
from . import rules
from .rules import LIAR, TENS, dice, faces, label


def die(face: int, name: str) -> Cell:
    """A die, 0 if it is covered."""
    return (
        Cell(str(face), "die", None, f"{name} shows {face}")
        if face
        else Cell("", "die face-down", None, f"{name} is covered")
    )


def roll(shown: int, name: str) -> tuple[Cell, ...]:
    """The dice of a player, 0 if they are covered."""
    return tuple(die(int(face), name) for face in str(shown))


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

    columns = range(1, faces(sides) + 1)
    rows = tuple(tuple(cell(number, face) for face in columns) for number in range(1, dice(sides) + 1))
    return Board(rows, "Bids")


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The own dice, all bids, and the right to call."""
    sides, own, other = (int(cell) for cell in seen[: rules.SEEN_HISTORY])
    history = seen[rules.SEEN_HISTORY :]
    if own == 0:
        return (Words(("The dice are rolled.",)),)
    over, noun = LIAR in history, "die" if sides < TENS else "dice"
    can_call = history[0] >= 0 and not over
    call = (Cards("", (Cell("liar!", "marked", LIAR, "call the last bid a lie"),)),) if can_call else ()
    return (
        Cards(f"Your {noun}", roll(own, "your die")),
        Cards(f"The other's {noun}", roll(other, "the other's die")),
        bids(sides, history, not over),
        *call,
        said(history, label, f"Nobody has bid. {faces(sides)} is wild."),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """Both dice and all bids."""
    sides, first, second = (int(cell) for cell in state[: rules.MOVES])
    history = state[rules.HISTORY :]
    shown = (*roll(first, "the die of player 1"), *roll(second, "the die of player 2"))
    words = said(history, label, f"Nobody has bid. {faces(sides)} is wild.")
    return Cards("Dice of players 1 and 2", shown), bids(sides, history, False), words
