"""Kriegspiel: what the referee has said since the player's last attempt."""

import numpy as np

from ...core.game import Game
from ...kriegspiel.game import rules
from ...kriegspiel.game.look import ending_words, recent_messages


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """Return what was said of the moves that were made since the view before: two, or one that ended the game."""
    return _said(now, int(now[rules.SEEN_PLY] - before[rules.SEEN_PLY]))


def first_news(game: Game, now: np.ndarray) -> list[str]:
    """Return what was said of the moves before the player's first one."""
    return _said(now, int(now[rules.SEEN_PLY]))


def _said(now: np.ndarray, moves: int) -> list[str]:
    messages = recent_messages(now)
    return [f"{line}." for line in messages[max(len(messages) - moves, 0) :]] + ending_words(int(now[rules.SEEN_END]))
