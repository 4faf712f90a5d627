"""War and Batawaf: who took the tricks since the own cards were put back.

A player sees the packets it wins; of those that it loses it sees how many of its cards are gone.
"""

import numpy as np

from ...core.game import Game
from . import rules
from .strategy import card_name

TRICK = 2
"""Cards of a trick without a battle."""


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """The tricks that were played since the packet was put back; nothing while it is being put back."""
    if now[rules.SEEN_TOP] + now[rules.SEEN_BOTTOM] > 0:
        return []
    return _tricks(int(before[rules.SEEN_OWN] + before[rules.SEEN_PACKET]), now)


def first_news(game: Game, now: np.ndarray) -> list[str]:
    """The tricks that were played since the deal, which gave half of the cards to each player."""
    dealt = now[rules.SEEN_OWN] + now[rules.SEEN_OTHER] + now[rules.SEEN_PACKET]
    return _tricks(int(dealt) // 2, now)


def _tricks(held: int, now: np.ndarray) -> list[str]:
    """What happened to a deck of so many cards: half of a packet that was won comes from the own deck."""
    packet = int(now[rules.SEEN_PACKET])
    lost = held - packet // 2 - int(now[rules.SEEN_OWN])
    if not packet:
        return [f"The game is over: you hold {now[rules.SEEN_OWN]} cards, the other {now[rules.SEEN_OTHER]}."]
    news = [f"the other: wins {lost} of your cards"] if lost else []
    values, won = int(now[rules.SEEN_VALUES]), now[rules.SEEN_WON : rules.SEEN_WON + packet].tolist()
    cards = " ".join(card_name(values, card) for card in won)
    return [*news, f"You win {'the trick' if packet == TRICK else 'a battle'}: {cards}."]
