"""War and Batawaf: the cards of an ordinary trick are put back by themselves."""

import numpy as np

from ...core.game import Game
from . import rules

PAIR = 2  # cards of a trick without a battle


def routine_action(game: Game, seen: np.ndarray) -> int | None:
    """The highest card of a trick comes first; after a battle the order is a decision."""
    if seen[rules.SEEN_PACKET] != PAIR:
        return None
    return int(seen[rules.SEEN_WON : rules.SEEN_WON + PAIR].max())
