"""Poker with one card each and at most one bet: what Kuhn poker and binary poker share.

Data sheet of a state (int64 cells)
    0 CARD      the card of each player; -1 before the deal
    2 MOVES     actions of the players so far
    3 HISTORY   those actions in order, -1 beyond the last
Data sheet of a view: the own card, the other's once it is shown (else -1), then HISTORY.

Actions of the players: 0 pass, 1 bet, 2 fold, 3 call.
"""

from collections.abc import Callable

import numpy as np

from ...core.kernel import Kernel, inlined, kernel, variant
from .words import actions_text

CARD, MOVES, HISTORY = 0, 2, 3
SEEN_OWN, SEEN_OTHER, SEEN_HISTORY = range(3)
PASS, BET, FOLD, CALL = range(4)
NAMES = ("pass", "bet", "fold", "call")


@kernel
def start(state):
    for cell in range(len(state)):
        state[cell] = -1
    state[MOVES] = 0


@inlined
def last(state):
    """The last action, -1 if there is none yet."""
    return state[HISTORY + state[MOVES] - 1] if state[MOVES] > 0 else -1


@inlined
def offer(state, out):
    """List what the player to move may do: whoever faces a bet folds or calls."""
    facing = last(state) == BET
    out[0] = FOLD if facing else PASS
    out[1] = CALL if facing else BET
    return 2


def apply_with(cards: int) -> Kernel:
    """The apply kernel of a deck: chance deals cards * first card + second card."""

    @variant(cards)
    def apply(state, action):
        if state[CARD] < 0:
            state[CARD] = action // cards
            state[CARD + 1] = action % cards
        else:
            state[HISTORY + state[MOVES]] = action
            state[MOVES] += 1

    return apply


@inlined
def look(state, player, showdown, out):
    """Write the view of a player, with the other's card at the showdown."""
    out[SEEN_OWN] = state[CARD + player]
    out[SEEN_OTHER] = state[CARD + 1 - player] if showdown else -1
    for i in range(len(out) - SEEN_HISTORY):
        out[SEEN_HISTORY + i] = state[HISTORY + i]


def label(action: int) -> str:
    return NAMES[action]


def show_with(cards: str) -> Callable[[np.ndarray], str]:
    """The text of a view of the game with these cards."""

    def show(seen: np.ndarray) -> str:
        if seen[SEEN_OWN] < 0:
            return "no cards yet"
        own, other = (cards[card] if card >= 0 else "hidden" for card in seen[:SEEN_HISTORY])
        return f"your card: {own}; the other's: {other}\n{actions_text(seen[SEEN_HISTORY:], label)}"

    return show


def reveal_with(cards: str) -> Callable[[np.ndarray], str]:
    """The text of a state of the game with these cards."""

    def reveal(state: np.ndarray) -> str:
        if state[CARD] < 0:
            return "no cards yet"
        first, second = (cards[card] for card in state[CARD:MOVES])
        return f"player 1: {first}; player 2: {second}\n{actions_text(state[HISTORY:], label)}"

    return reveal
