"""Pig: the banks, and the die to roll."""

import numpy as np

from ...core.game import Game
from ...core.picture import Cards, Cell, Facts, Parts, Words
from . import rules
from .rules import GOAL


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The banks and the points of this turn; the die rolls, the bank holds."""
    own, other, turn, mine, phase = (int(cell) for cell in seen)
    banks = Facts((("your bank", f"{own} of {GOAL}"), ("the other's bank", f"{other} of {GOAL}")))
    if phase == rules.FINISHED:
        return Words(("You have won." if own >= GOAL else "You have lost.",)), banks
    whose = "Your turn" if mine else "The other's turn"
    words = Words((f"{whose}: {turn} points so far.",))
    if not mine or phase != rules.DECIDING:
        return words, banks
    roll = Cell("roll", "die rolling", rules.ROLL, "roll the die: a 1 costs the turn")
    hold = Cell(f"bank {turn}", "own", rules.HOLD, f"hold: bank {turn} points")
    return words, Cards("", (roll, hold)), banks


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The banks and the points of this turn."""
    banks = tuple((f"bank of player {who + 1}", str(state[rules.BANKED + who])) for who in range(2))
    turn = (("this turn", f"player {state[rules.MOVER] + 1}, {state[rules.TURN]} points"),)
    return (Facts(banks if state[rules.PHASE] == rules.FINISHED else banks + turn),)
