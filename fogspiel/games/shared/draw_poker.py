"""Small pokers: a card each, sometimes one for both, and what was bet."""

from collections.abc import Callable

import numpy as np

from ...core.drawing import Picture
from ...core.picture import Cards, Cell, Facts, Parts, Words
from .. import binary_poker, kuhn, leduc
from .cards import SUITS, face_down

Card = Callable[[int], Cell]


def card_of(names: str) -> Card:
    """How the cards with these letters look; -1 is one that is not seen."""

    def card(number: int) -> Cell:
        return Cell(names[number], "", None, names[number]) if number >= 0 else face_down(1)[0]

    return card


def suited(number: int) -> Cell:
    """A card of Leduc poker with its suit: spades and hearts in turn."""
    if number < 0:
        return face_down(1)[0]
    name = ("spades", "hearts")[number % 2]
    rank = "JQK"[number // leduc.SUITS]
    return Cell(f"{rank}{SUITS[name]}", ("black", "red")[number % 2], None, f"{rank} of {name}")


def betting_words(history: np.ndarray, names: tuple[str, ...]) -> tuple[str, ...]:
    """What was done, by both in turn."""
    return tuple(names[int(action)] for action in history if action >= 0)


def alternating(history: np.ndarray, names: tuple[str, ...]) -> Words:
    """What was done, with the number of the player."""
    done = betting_words(history, names)
    lines = tuple(f"player {place % 2 + 1}: {word}" for place, word in enumerate(done))
    return Words(lines or ("nobody has acted",), "Said so far")


def one_round(own_at: int, card: Card, names: tuple[str, ...], history_at: int) -> Callable[[np.ndarray], Parts]:
    """How views of a poker with one round are drawn: own card, the other's, history."""

    def view(seen: np.ndarray) -> Parts:
        own, other = (int(cell) for cell in seen[own_at : own_at + 2])
        if own < 0:
            return (Words(("No cards yet.",)),)
        return (
            Cards("Your card", (card(own),)),
            Cards("The other's card", (card(other),)),
            alternating(seen[history_at:], names),
        )

    return view


def one_round_truth(at: int, card: Card, names: tuple[str, ...], history_at: int) -> Callable[[np.ndarray], Parts]:
    """How states of a poker with one round are drawn."""

    def truth(state: np.ndarray) -> Parts:
        if state[at] < 0:
            return (Words(("No cards yet.",)),)
        first, second = (Cards(f"Player {who + 1}", (card(int(state[at + who])),)) for who in range(2))
        return first, second, alternating(state[history_at:], names)

    return truth


def rounds_of(history: np.ndarray) -> tuple[tuple[str, str], ...]:
    """What was done in each of the two rounds; the first player opens both."""
    rounds: list[list[str]] = [[], []]
    number, mover = 0, 0
    for action in (int(cell) for cell in history if cell >= 0):
        rounds[min(number, 1)].append(f"player {mover + 1} {leduc.NAMES[action]}s")
        ends = action == leduc.CALL or (action == leduc.CHECK and mover == 1)
        number, mover = (number + 1, 0) if ends else (number, 1 - mover)
    return tuple((f"round {place}", ", ".join(done)) for place, done in enumerate(rounds, 1) if done)


def leduc_view(seen: np.ndarray) -> Parts:
    """The own card, the public one, the other's if it is shown, and the bets."""
    own, other, public = (int(cell) for cell in seen[leduc.SEEN_OWN : leduc.SEEN_PAID])
    if own < 0:
        return (Words(("No cards yet.",)),)
    card = suited if seen[leduc.SEEN_SUITED] else card_of("JQK")
    paid = (("you paid", str(seen[leduc.SEEN_PAID])), ("the other paid", str(seen[leduc.SEEN_PAID + 1])))
    return (
        Cards("Your card", (card(own),)),
        Cards("The public card", (card(public),)),
        Cards("The other's card", (card(other),)),
        Facts((*paid, *rounds_of(seen[leduc.SEEN_HISTORY :]))),
    )


def leduc_truth(state: np.ndarray) -> Parts:
    """All three cards and the bets."""
    if state[leduc.CARD] < 0:
        return (Words(("No cards yet.",)),)
    cards = tuple(Cards(f"Player {who + 1}", (suited(int(state[leduc.CARD + who])),)) for who in range(2))
    paid = tuple((f"player {who + 1} paid", str(state[leduc.PAID + who])) for who in range(2))
    public = Cards("The public card", (suited(int(state[leduc.PUBLIC])),))
    return *cards, public, Facts((*paid, *rounds_of(state[leduc.HISTORY :])))


PICTURES = {
    "kuhn": Picture(
        one_round(kuhn.SEEN_OWN, card_of("JQK"), kuhn.NAMES, kuhn.SEEN_HISTORY),
        one_round_truth(kuhn.CARD, card_of("JQK"), kuhn.NAMES, kuhn.HISTORY),
    ),
    "binary-poker": Picture(
        one_round(binary_poker.SEEN_OWN, card_of("01"), binary_poker.NAMES, binary_poker.SEEN_HISTORY),
        one_round_truth(binary_poker.CARD, card_of("01"), binary_poker.NAMES, binary_poker.HISTORY),
    ),
} | {game.name: Picture(leduc_view, leduc_truth) for game in leduc.GAMES}
