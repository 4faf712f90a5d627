"""Pig: what the die shows."""

import numpy as np

from ...core.game import Game
from . import rules


def chance_words(game: Game, state: np.ndarray, action: int, side: int) -> str:
    """Describe a roll of the die and its owner; a 1 costs the turn."""
    die = "Your die" if state[rules.MOVER] == side else "The other's die"
    if action > 1:
        return f"{die} shows {action}."
    lost = int(state[rules.TURN])
    return f"{die} shows 1: {lost} points are lost, the turn is over." if lost else f"{die} shows 1: the turn is over."
