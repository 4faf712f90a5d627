"""War and Batawaf: two decks face down, and the packet that was won."""

import numpy as np

from ...core.game import Game
from ...core.picture import Cards, Cell, Facts, Parts, Words
from ..shared.cards import face_up
from . import rules
from .strategy import card_name


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The sizes of the decks; while the own packet is put back, its cards, once for each end."""
    values, packet = int(seen[rules.SEEN_VALUES]), int(seen[rules.SEEN_PACKET])
    top, bottom = int(seen[rules.SEEN_TOP]), int(seen[rules.SEEN_BOTTOM])
    decks = Facts((("your deck", _cards(seen[rules.SEEN_OWN])), ("the other's deck", _cards(seen[rules.SEEN_OTHER]))))
    if not packet:
        return Words(("Nothing is yours to put back now.",)), decks
    won = [int(card) for card in seen[rules.SEEN_WON : rules.SEEN_WON + packet]]
    left = [card for place, card in enumerate(won) if not seen[rules.SEEN_PLACED] >> place & 1]

    def row(title: str, first: int) -> Cards:
        cells = (Cell(card_name(values, card), "own", first + card, game.label(first + card)) for card in left)
        return Cards(title, tuple(cells))

    return (
        Words((f"You won {_cards(packet)}: put them under your deck in any order.",)),
        Cards("You won", face_up(card_name(values, card) for card in won)),
        row("Put next from the top (played first)", 0),
        row("Put next from the bottom (played last)", values),
        Facts((*decks.rows, ("placed from the top", str(top)), ("placed from the bottom", str(bottom)))),
    )


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """Both decks from the top, and the packet."""
    values, parts = int(state[rules.VALUES]), []
    for player in range(2):
        deck = [int(state[rules.slot(state, player, depth)]) for depth in range(int(state[rules.HELD + player]))]
        names = (card_name(values, card) for card in deck)
        parts.append(Cards(f"Player {player + 1}, {_cards(len(deck))} from the top", face_up(names)))
    packet = (card_name(values, int(card)) for card in state[rules.WON : rules.WON + int(state[rules.PACKET])])
    parts.append(Cards("Undealt" if state[rules.PHASE] == rules.DEALING else "Packet", face_up(packet)))
    return tuple(parts)
