"""Leduc poker: the other's bets, and the cards that are turned up."""

import numpy as np

from ...core.game import Game
from . import rules
from .rules import CALL, CHECK

PUBLIC, OTHER = rules.SEEN_OWN + 2, rules.SEEN_OWN + 1


def name_of(seen: np.ndarray, card: int) -> str:
    """A card as the player sees it."""
    return rules.card_name(card, int(seen[rules.SEEN_SUITED]))


def first_round(history: list[int]) -> int:
    """Return the number of actions in the first round: it ends with a call or the second player's check."""
    ends = (number for number, bet in enumerate(history, 1) if bet == CALL or (bet == CHECK and number == 2))
    return next(ends, len(history))


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """List the opponent's actions since the player's own, and new cards."""
    done, known = ([int(cell) for cell in seen[rules.SEEN_HISTORY :] if cell >= 0] for seen in (before, now))
    seen_before = len(done) + 1
    news = [f"the other: {rules.NAMES[bet]}" for bet in known[seen_before:]]
    if before[PUBLIC] < 0 <= now[PUBLIC]:
        place = max(first_round(known) - seen_before, 0)
        news.insert(place, f"The public card is turned up: {name_of(now, int(now[PUBLIC]))}.")
    if before[OTHER] < 0 <= now[OTHER]:
        news.append(f"The other's card is shown: {name_of(now, int(now[OTHER]))}.")
    return news


def first_news(game: Game, now: np.ndarray) -> list[str]:
    """List the opponent's actions before the player's first action."""
    return [f"the other: {rules.NAMES[int(bet)]}" for bet in now[rules.SEEN_HISTORY :] if bet >= 0]
