"""Battleship: where the other shot."""

import numpy as np

from ...core.game import Game
from . import rules
from .strategy import square_name


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """The shots at the own sea, and the end."""
    old, new = (seen[rules.SEEN_SEA : rules.SEEN_SEA + rules.SQUARES] for seen in (before, now))
    hit = {rules.SPLASH: "a miss", rules.WRECK: "a hit"}
    shots = [int(square) for square in np.flatnonzero(old != new) if int(new[square]) in hit]
    news = [f"the other: {square_name(square)} ({hit[int(new[square])]})" for square in shots]
    hits, lost = (int(cell) for cell in now[rules.SEEN_HITS : rules.SEEN_HITS + 2])
    if hits == rules.FLEET:
        news.append("All ships of the other are sunk.")
    return [*news, "All your ships are sunk."] if lost == rules.FLEET else news
