"""Leduc poker: a card each and one for both, and what was bet."""

import numpy as np

from ...core.game import Game
from ...core.picture import Cards, Cell, Facts, Parts
from ..shared.cards import SUITS, face_down
from ..shared.draw_poker import NO_CARDS, card
from . import rules
from .rules import CALL, CHECK, NAMES, ranks_named


def suited(number: int, ranks: str) -> Cell:
    """A card with its suit: spades and hearts in turn."""
    if number < 0:
        return face_down(1)[0]
    name = ("spades", "hearts")[number % 2]
    rank = ranks[number // rules.SUITS]
    return Cell(f"{rank}{SUITS[name]}", ("black", "red")[number % 2], None, f"{rank} of {name}")


def rounds_of(history: np.ndarray) -> tuple[tuple[str, str], ...]:
    """Return the actions of each of the two rounds; the first player opens both."""
    rounds: list[list[str]] = [[], []]
    number, mover = 0, 0
    for action in (int(cell) for cell in history if cell >= 0):
        rounds[min(number, 1)].append(f"player {mover + 1} {NAMES[action]}s")
        ends = action == CALL or (action == CHECK and mover == 1)
        number, mover = (number + 1, 0) if ends else (number, 1 - mover)
    return tuple((f"round {place}", ", ".join(done)) for place, done in enumerate(rounds, 1) if done)


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The own card, the public one, the other's if it is shown, and the bets."""
    cells = [int(cell) for cell in seen[rules.SEEN_OWN : rules.SEEN_PAID]]
    if cells[0] < 0:
        return NO_CARDS
    ranks, draw = ranks_named(int(seen[rules.SEEN_SUITED])), seen[rules.SEEN_SUITED] % 2
    own, other, public = (suited(cell, ranks) if draw else card(ranks, cell) for cell in cells)
    paid = (("you paid", str(seen[rules.SEEN_PAID])), ("the other paid", str(seen[rules.SEEN_PAID + 1])))
    return (
        Cards("Your card", (own,)),
        Cards("The public card", (public,)),
        Cards("The other's card", (other,)),
        Facts((*paid, *rounds_of(seen[rules.SEEN_HISTORY :]))),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """All three cards and the bets."""
    if state[rules.CARD] < 0:
        return NO_CARDS
    ranks = ranks_named(int(state[rules.SUITED]))
    cards = tuple(Cards(f"Player {who + 1}", (suited(int(state[rules.CARD + who]), ranks),)) for who in range(2))
    paid = tuple((f"player {who + 1} paid", str(state[rules.PAID + who])) for who in range(2))
    public = Cards("The public card", (suited(int(state[rules.PUBLIC]), ranks),))
    return *cards, public, Facts((*paid, *rounds_of(state[rules.HISTORY :])))
