"""Cheat: a hand of four colours, the pile, and the right to call."""

import numpy as np

from ...core.game import DRAW, LOSS, WIN, Game
from ...core.picture import Cards, Cell, Facts, Parts, Words
from ..shared.cards import SUITS, face_down
from . import rules
from .rules import CALL, COLOURS, NAMES, count_cards

LOOKS = ("black", "red", "red", "black")
ENDS = {LOSS: "Player 2 has won.", DRAW: "A draw.", WIN: "Player 1 has won."}


def stacks(counts: np.ndarray, can_lay: bool = False) -> tuple[Cell, ...]:
    """The cards of each colour as one stack with its number: ranks do not count."""
    return tuple(
        Cell(f"{number} × {SUITS[name]}", f"{LOOKS[colour]} stack", colour if can_lay else None, f"{number} {name}")
        for colour, (name, number) in enumerate(zip(NAMES, counts.tolist(), strict=True))
        if number
    )


def table(colour: int) -> str:
    """Return the face-up top of the table."""
    return "The table is empty: whoever starts names the colour." if colour < 0 else f"The colour is {NAMES[colour]}."


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The own hand, what oneself laid, and how many cards the other has and laid."""
    colour, over = int(seen[rules.SEEN_COLOUR]), seen[rules.SEEN_RESULT] >= 0
    hand, laid = seen[rules.SEEN_HAND : rules.SEEN_LAID], seen[rules.SEEN_LAID :]
    turn = (
        ENDS[int(seen[rules.SEEN_RESULT])] if over else "Your turn." if seen[rules.SEEN_MINE] else "The other's turn."
    )
    other, other_laid = int(seen[rules.SEEN_OTHER]), int(seen[rules.SEEN_OTHER_LAID])
    known = ""
    if colour < 0 and int(hand.sum()) + other == rules.CARDS:
        known = f": {count_cards(rules.RANKS - hand)}"
    call = () if colour < 0 or over else (Cards("", (Cell("cheat!", "marked", CALL, "call cheat"),)),)
    return (
        Words((f"{table(colour)} {turn}",)),
        Cards("Your hand", stacks(hand, not over)),
        *call,
        Cards("In the pile, laid by you", stacks(laid)),
        Cards("In the pile, laid by the other", face_down(other_laid)),
        Facts((("your cards", str(int(hand.sum()))), ("the other's cards", f"{other}{known}"))),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """Both hands and the pile."""
    result = int(state[rules.RESULT])
    hands, laid = state[rules.HAND : rules.LAID].reshape(2, COLOURS), state[rules.LAID :].reshape(2, COLOURS)
    words = ENDS.get(result, f"Player {int(state[rules.TURN]) + 1} is to act.")
    parts = [Cards(f"Hand of player {player + 1}", stacks(hands[player])) for player in range(2)]
    piles = [Cards(f"In the pile, laid by player {player + 1}", stacks(laid[player])) for player in range(2)]
    return Words((f"{table(int(state[rules.COLOUR]))} {words}",)), *parts, *piles
