"""Kuhn poker: a card each, and what was bet."""

import numpy as np

from ...core.game import Game
from ...core.picture import Parts
from ..shared.draw_poker import draw_one_bet_state, draw_one_bet_view
from .rules import NAMES


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    return draw_one_bet_view(NAMES, seen)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    return draw_one_bet_state(NAMES, state)
