"""Goofspiel: who took the prizes."""

import numpy as np

from ...core.game import Game
from . import rules
from .draw import ROUNDS


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """The prizes that were decided since the own bid."""
    cards, results = int(now[rules.SEEN_CARDS]), now[rules.seen_results_of(int(now[rules.SEEN_CARDS])) :].tolist()
    decided = range(int(before[rules.SEEN_ROUND]), int(now[rules.SEEN_ROUND]))
    return [f"Prize {cards - place}: {ROUNDS[results[place]][0]}." for place in decided]
