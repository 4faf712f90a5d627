"""Guess Who: the answers."""

import numpy as np

from ...core.game import Game
from . import rules


def chance_words(game: Game, state: np.ndarray, action: int, side: int) -> str:
    """The answer to a question, and how many characters it leaves."""
    mover, asked = int(state[rules.TURN]), int(state[rules.ASKED])
    left = asked if action < asked else int(state[rules.POOL + mover]) - asked
    whose = "you have" if mover == side else "the other has"
    return f"{'Yes' if action < asked else 'No'}: {whose} {left} left."
