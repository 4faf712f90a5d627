"""Morra: what the other has thrown, and the total."""

import numpy as np

from ...core.game import Game
from ..shared.one_throw import SEEN_OTHER, SEEN_OWN
from .rules import CALLS, label


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """The other's throw, which is shown when both have thrown."""
    own, other = int(now[SEEN_OWN]), int(now[SEEN_OTHER])
    if other < 0:
        return []
    return [f"the other: {label(other)}", f"The total is {own // CALLS + other // CALLS}."]
