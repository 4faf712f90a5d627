"""Cheat: honest cards are laid by themselves."""

import numpy as np

from ...core.game import Game
from . import rules

FEW = 4  # so few cards of the other are worth a thought


def routine_action(game: Game, seen: np.ndarray) -> int | None:
    """A card of the colour, as long as there is one and the other has cards enough."""
    colour = int(seen[rules.SEEN_COLOUR])
    if colour < 0 or seen[rules.SEEN_HAND + colour] == 0 or seen[rules.SEEN_OTHER] < FEW:
        return None
    return colour
