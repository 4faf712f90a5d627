"""War and Batawaf: two decks face down, and the packet won."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ...core.agents import ParametricPolicy
from ...core.explain import Cell as TableCell
from ...core.explain import Explanation, Table, percent
from ...core.game import Game
from ...core.picture import Cards, Cell, Facts, Messages, Parts
from ..one_card_poker import face_up
from . import rules
from .strategy import PLAN_FORWARD, PLAN_SHUFFLE, card_name, describe, in_order


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """Draw the sizes of the decks; while the player returns its packet, also its cards, once for each end."""
    values, packet = int(seen[rules.SEEN_VALUES]), int(seen[rules.SEEN_PACKET])
    top, bottom = int(seen[rules.SEEN_TOP]), int(seen[rules.SEEN_BOTTOM])
    decks = Facts((("your deck", _cards(seen[rules.SEEN_OWN])), ("the other's deck", _cards(seen[rules.SEEN_OTHER]))))
    if not packet:
        return Messages(("Nothing is yours to put back now.",)), decks
    won = [int(card) for card in seen[rules.SEEN_WON : rules.SEEN_WON + packet]]
    left = [card for place, card in enumerate(won) if not seen[rules.SEEN_PLACED] >> place & 1]

    def row(title: str, first: int) -> Cards:
        cells = (Cell(card_name(values, card), "own", first + card, game.label(first + card)) for card in left)
        return Cards(title, tuple(cells))

    return (
        Messages((f"You won {_cards(packet)}: put them under your deck in any order.",)),
        Cards("You won", face_up(card_name(values, card) for card in won)),
        row("Put next from the top (played first)", 0),
        row("Put next from the bottom (played last)", values),
        Facts((*decks.rows, ("placed from the top", str(top)), ("placed from the bottom", str(bottom)))),
    )


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


def draw_state(game: Game, state: np.ndarray) -> Parts:
    values, parts = int(state[rules.VALUES]), []
    for player in range(2):
        deck = [int(state[rules.slot(state, player, depth)]) for depth in range(int(state[rules.HELD + player]))]
        names = (card_name(values, card) for card in deck)
        parts.append(Cards(f"Player {player + 1}, {_cards(len(deck))} from the top", face_up(names)))
    packet = (card_name(values, int(card)) for card in state[rules.WON : rules.WON + int(state[rules.PACKET])])
    parts.append(Cards("Undealt" if state[rules.PHASE] == rules.DEALING else "Packet", face_up(packet)))
    return tuple(parts)


# Explanation: the order in which won cards are returned.

PACKETS = (2, 4, 6)  # the most frequent numbers of won cards: those of a trick without a battle, and two more


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Describe the frequency of each order, and with four parameters the orders themselves."""
    theta, plan = player.thetas[0], player.plan
    shuffled, forward, backward = plan[PLAN_SHUFFLE], plan[PLAN_FORWARD] - plan[PLAN_SHUFFLE], 1 - plan[PLAN_FORWARD]
    best_first = shuffled / 2 + (forward if in_order(plan, 2, 0) == 1 else backward)
    sentences = [
        f"{player.name} {describe(theta)}.",
        f"Of two won cards the better one goes back first, and so is played first: {percent(best_first)}.",
    ]
    if len(theta) == 3:
        return Explanation(tuple(sentences))
    rows: list[tuple[TableCell, ...]] = []
    for packet in PACKETS:
        order = [int(in_order(plan, packet, i)) + 1 for i in range(packet)]
        rows.append((packet, *(" ".join(map(str, way)) for way in (order, order[::-1]))))
    title = "Its own order of the won cards, the one played first in front: 1 is the lowest card"
    columns = ("won cards", f"its own order {percent(forward)}", f"reversed {percent(backward)}")
    return Explanation(tuple(sentences), (Table(title, columns, tuple(rows)),))


# Rules of War for a first-time player.

HOW_TO_PLAY = (
    "The whole deck is dealt, half to each player, face down.",
    "Both turn up their top cards, and the higher value takes the trick.",
    "Equal values are a battle: each puts a card face down and turns up another one, until one is higher.",
    "The winner of a trick puts the won cards under the own deck, in any order: that is the only decision there is.",
    "A card put next from the top is played first, one put next from the bottom last; or have the packet shuffled.",
    "Nobody sees the decks; the values decide, suits do not count.",
    "Who has no cards left loses.",
    "Play on puts the cards of ordinary tricks back for you, the highest first, and stops after a battle.",
)


# News: the winners of the tricks since the player returned its cards, and their cards.
#
# A player sees the packets it wins; of those that it loses it sees only the number of its cards that are gone. But it
# knows the order in which it put cards under its deck, so once the dealt ones have been played it knows its lost cards.

TRICK = 2  # cards of a trick without a battle


class Memory:
    """The own deck as its player knows it, from its own views and actions alone."""

    def __init__(self, game: Game):
        # The cards from the top, None for unknown ones; their number is unknown before the first view.
        self.deck: list[int | None] | None = None
        self.top: list[int] = []
        self.bottom: list[int] = []  # cards of the packet returned so far, those of the bottom from below

    def note(self, seen: np.ndarray, action: int) -> None:
        """Record an own action: a returned card, or a shuffled packet."""
        if _is_new(seen):
            self.deck = self._split(seen)[1]
        deck, values, packet = self._held(seen), int(seen[rules.SEEN_VALUES]), _packet(seen)
        if action == 2 * values:
            deck += [None] * len(packet)
            return
        (self.top if action < values else self.bottom).append(action % values)
        left = Counter(packet) - Counter(self.top + self.bottom)
        if left.total() == 1:  # the last card is returned automatically
            deck += [*self.top, *left, *reversed(self.bottom)]
            self.top, self.bottom = [], []

    def news(self, now: np.ndarray) -> list[str]:
        """List the tricks since the packet was returned; nothing while it is being returned."""
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
        """Return the cards played from the own deck since the last packet, and those left."""
        deck = self._held(seen)
        gone = len(deck) - int(seen[rules.SEEN_OWN])
        return deck[:gone], deck[gone:]

    def _held(self, seen: np.ndarray) -> list[int | None]:
        if self.deck is not None:
            return self.deck
        return [None] * (int(seen[rules.SEEN_OWN] + seen[rules.SEEN_OTHER] + seen[rules.SEEN_PACKET]) // 2)


def _is_new(seen: np.ndarray) -> bool:
    return not seen[rules.SEEN_TOP] + seen[rules.SEEN_BOTTOM]


def _packet(seen: np.ndarray) -> list[int]:
    cards: list[int] = seen[rules.SEEN_WON : rules.SEEN_WON + int(seen[rules.SEEN_PACKET])].tolist()
    return cards


def _names(values: int, cards: Iterable[int]) -> str:
    return " ".join(card_name(values, card) for card in cards)


def _names_lost(values: int, lost: list[int | None]) -> str:
    known = [card for card in lost if card is not None]
    if not known:
        return ""
    return f": {_names(values, known)}" + ("" if len(known) == len(lost) else f" ({len(lost) - len(known)} unseen)")


def _taken(values: int, own: list[int | None] | list[int], packet: list[int]) -> str:
    """Describe a won packet, the own cards first where they are known."""
    known = [card for card in own if card is not None]
    if len(known) < len(own):
        return _names(values, packet)
    others = sorted((Counter(packet) - Counter(known)).elements())
    return f"your {_names(values, sorted(known))} {'takes' if len(known) == 1 else 'take'} {_names(values, others)}"


# Automatic moves: the cards of an ordinary trick.

PAIR = 2  # cards of a trick without a battle


def routine_action(game: Game, seen: np.ndarray) -> int | None:
    """Return the highest card of a trick; after a battle the order is a decision."""
    if seen[rules.SEEN_PACKET] != PAIR:
        return None
    return int(seen[rules.SEEN_WON : rules.SEEN_WON + PAIR].max())
