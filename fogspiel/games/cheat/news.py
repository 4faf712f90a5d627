"""Cheat: what the other laid and called, and who took the pile."""

import numpy as np

from ...core.game import Game
from . import rules
from .rules import CALL, NAMES


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """List the visible events since the player's own action."""
    held, holds = (int(seen[rules.SEEN_HAND : rules.SEEN_LAID].sum()) for seen in (before, now))
    if action == CALL:
        news = ["It was of the colour: you take the pile." if holds > held else "A cheat: the other takes the pile."]
    elif not now[rules.SEEN_LAID :].any():  # the own card does not lie there any more
        fair = "You did cheat: you take the pile." if holds >= held else "You did not cheat: the other takes the pile."
        news = ["the other: call cheat", fair]
    else:
        return ["the other: lay a card face down"] if now[rules.SEEN_OTHER] < before[rules.SEEN_OTHER] else []
    if now[rules.SEEN_OTHER_LAID] == 1 and now[rules.SEEN_COLOUR] >= 0:
        news.append(f"the other: begin with {NAMES[int(now[rules.SEEN_COLOUR])]}")
    return news
