"""Rock-paper-scissors: what the other chose."""

import numpy as np

from ...core.game import Game
from ..shared.one_throw import SEEN_OTHER
from .rules import label


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """The other's choice, which is shown when both have chosen."""
    return [f"the other: {label(int(now[SEEN_OTHER]))}"] if now[SEEN_OTHER] >= 0 else []
