"""Cards and bets of the small pokers."""

from collections.abc import Callable

import numpy as np

from ...core.game import Game
from ...core.picture import Cards, Cell, Parts, Words
from .cards import face_down
from .one_bet import CARD, HISTORY, MOVES, SEEN_HISTORY, SEEN_OWN, label

NO_CARDS = (Words(("No cards yet.",)),)


def card(names: str, number: int) -> Cell:
    """One of the cards with these letters; -1 is one that is not seen."""
    return Cell(names[number], "", None, names[number]) if number >= 0 else face_down(1)[0]


def said(history: np.ndarray, label: Callable[[int], str], nothing: str) -> Words:
    """List the actions of both players in turn."""
    done = [label(int(action)) for action in history if action >= 0]
    lines = tuple(f"player {place % 2 + 1}: {word}" for place, word in enumerate(done))
    return Words(lines or (nothing,), "Said so far")


Draw = Callable[[Game, np.ndarray], Parts]


def pictures_with(names: str) -> tuple[Draw, Draw]:
    """Make the drawings of views and states for a game with these card letters."""

    def draw_view(game: Game, seen: np.ndarray) -> Parts:
        """The own card, the other's once it is shown, and the bets."""
        own, other = (int(cell) for cell in seen[SEEN_OWN:SEEN_HISTORY])
        if own < 0:
            return NO_CARDS
        mine, theirs = Cards("Your card", (card(names, own),)), Cards("The other's card", (card(names, other),))
        return mine, theirs, said(seen[SEEN_HISTORY:], label, "nobody has acted")

    def draw_state(game: Game, state: np.ndarray) -> Parts:
        """Both cards and the bets."""
        if state[CARD] < 0:
            return NO_CARDS
        cards = (Cards(f"Player {who}", (card(names, int(cell)),)) for who, cell in enumerate(state[CARD:MOVES], 1))
        return *cards, said(state[HISTORY:], label, "nobody has acted")

    return draw_view, draw_state
