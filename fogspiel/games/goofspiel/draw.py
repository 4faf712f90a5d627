"""Goofspiel: the prizes, and the cards of the hand, each of which is a bid."""

import numpy as np

from ...core.game import DRAW, LOSS, WIN, Game
from ...core.picture import Cards, Cell, Facts, Parts, Words
from ..shared.cards import face_up
from . import rules

ROUNDS = {LOSS: ("lost", "other"), DRAW: ("discarded", ""), WIN: ("won", "own")}


def prizes(cards: int, played: int, results: list[int]) -> Cards:
    """All prizes in their order, the one that is bid for marked."""
    cells = []
    for place in range(cards):
        number = cards - place
        if place < played:
            words, look = ROUNDS[results[place]]
        else:
            words, look = ("bid for now", "marked") if place == played else ("to come", "unknown")
        cells.append(Cell(str(number), look, None, f"prize {number}, {words}"))
    return Cards("Prizes", tuple(cells))


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The prizes, the hand, and what was bid."""
    cards, played = int(seen[rules.SEEN_CARDS]), int(seen[rules.SEEN_ROUND])
    end = rules.seen_results_of(cards)
    bids, results = seen[rules.SEEN_BID : end].tolist(), seen[end:].tolist()
    points = [sum(cards - i for i in range(played) if results[i] == result) for result in (WIN, LOSS)]
    hand = tuple(
        Cell(str(card), "own", None if played == cards else card, f"bid {card}")
        for card in range(1, cards + 1)
        if card not in bids
    )
    if played == cards:
        words = "All prizes are gone."
    elif bids[played]:
        words = f"You bid {bids[played]} for the prize {cards - played}; the other is choosing."
    else:
        words = f"Bid for the prize {cards - played}."
    history = tuple((f"prize {cards - i}", f"you bid {bids[i]}, {ROUNDS[results[i]][0]}") for i in range(played))
    facts = (("your points", str(points[0])), ("the other's points", str(points[1])), *history)
    return Words((words,)), prizes(cards, played, results), Cards("Your hand", hand), Facts(facts)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The prizes and all bids."""
    cards, played = int(state[rules.CARDS]), int(state[rules.ROUND])
    parts = [prizes(cards, played, state[rules.results_of(cards) :].tolist())]
    for player in range(2):
        bids = state[rules.bids_of(cards, player) :][: rules.room(cards)].tolist()
        shown = face_up((str(bid) for bid in bids if bid), ("own", "other")[player])
        parts.append(Cards(f"Bids of player {player + 1}", shown))
    return tuple(parts)
