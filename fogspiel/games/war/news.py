"""War and Batawaf: who took the tricks since the own cards were put back, and which cards.

A player sees the packets it wins; of those that it loses it sees only how many of its cards are gone. But it knows in
which order it put cards under its deck, so once the dealt ones have been played it knows which cards these were.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ...core.game import Game
from . import rules
from .strategy import card_name

TRICK = 2  # cards of a trick without a battle


class Memory:
    """The own deck as its player knows it, from its own views and actions alone."""

    def __init__(self, game: Game):
        # The cards from the top, None where one is not known; nothing is known of how many before the first view.
        self.deck: list[int | None] | None = None
        self.top: list[int] = []
        self.bottom: list[int] = []  # the cards of the packet that were put back so far, those of the bottom from below

    def note(self, seen: np.ndarray, action: int) -> None:
        """Remember an own action: a card that is put back, or a packet that is shuffled."""
        if _is_new(seen):
            self.deck = self._split(seen)[1]
        deck, values, packet = self._held(seen), int(seen[rules.SEEN_VALUES]), _packet(seen)
        if action == 2 * values:
            deck += [None] * len(packet)
            return
        (self.top if action < values else self.bottom).append(action % values)
        left = Counter(packet) - Counter(self.top + self.bottom)
        if left.total() == 1:  # the last card goes by itself
            deck += [*self.top, *left, *reversed(self.bottom)]
            self.top, self.bottom = [], []

    def news(self, now: np.ndarray) -> list[str]:
        """The tricks that were played since the packet was put back; nothing while it is being put back."""
        if not _is_new(now):
            return []
        packet, values = _packet(now), int(now[rules.SEEN_VALUES])
        if not packet:
            return [f"The game is over: you hold {now[rules.SEEN_OWN]} cards, the other {now[rules.SEEN_OTHER]}."]
        played, _ = self._split(now)
        lost = played[: len(played) - len(packet) // 2]
        news = [f"the other: wins {len(lost)} of your cards{_names_lost(values, lost)}"] if lost else []
        own = packet[1:] if len(packet) == TRICK else played[len(lost) :]
        return [*news, f"You win {'the trick' if len(packet) == TRICK else 'a battle'}: {_taken(values, own, packet)}."]

    def _split(self, seen: np.ndarray) -> tuple[list[int | None], list[int | None]]:
        """The cards that were played from the own deck since the last packet, and those that are left."""
        deck = self._held(seen)
        gone = len(deck) - int(seen[rules.SEEN_OWN])
        return deck[:gone], deck[gone:]

    def _held(self, seen: np.ndarray) -> list[int | None]:
        """The own deck, half of all the cards at first."""
        if self.deck is not None:
            return self.deck
        return [None] * (int(seen[rules.SEEN_OWN] + seen[rules.SEEN_OTHER] + seen[rules.SEEN_PACKET]) // 2)


def _is_new(seen: np.ndarray) -> bool:
    """True if no card of the packet was put back yet."""
    return not seen[rules.SEEN_TOP] + seen[rules.SEEN_BOTTOM]


def _packet(seen: np.ndarray) -> list[int]:
    """The cards of the packet, the lowest first."""
    cards: list[int] = seen[rules.SEEN_WON : rules.SEEN_WON + int(seen[rules.SEEN_PACKET])].tolist()
    return cards


def _names(values: int, cards: Iterable[int]) -> str:
    return " ".join(card_name(values, card) for card in cards)


def _names_lost(values: int, lost: list[int | None]) -> str:
    """List the lost cards, as far as they are known."""
    known = [card for card in lost if card is not None]
    if not known:
        return ""
    return f": {_names(values, known)}" + ("" if len(known) == len(lost) else f" ({len(lost) - len(known)} unseen)")


def _taken(values: int, own: list[int | None] | list[int], packet: list[int]) -> str:
    """The cards of a packet that was won, the own ones first where they are known."""
    known = [card for card in own if card is not None]
    if len(known) < len(own):
        return _names(values, packet)
    others = sorted((Counter(packet) - Counter(known)).elements())
    return f"your {_names(values, sorted(known))} {'takes' if len(known) == 1 else 'take'} {_names(values, others)}"
