"""Games of one throw each, both at once: what Morra and rock-paper-scissors share.

The second player's throw is played after the first one's, which stays hidden until then.

Data sheet of a state (int64 cells)
    0 FIRST     the first player's throw as long as it is hidden, otherwise -1
    1 SHOWN     the throws for all to see, of each player; -1 before that
Data sheet of a view: the own throw, then the other's once it is shown; -1 where there is none.
"""

from collections.abc import Callable

import numpy as np

from ..core.compile.kernel import Kernel, kernel
from ..core.game import OVER
from .boards.board import Hidden

FIRST, SHOWN = 0, 1
SEEN_OWN, SEEN_OTHER = 0, 1


@kernel
def start(state):
    state[FIRST] = -1
    state[SHOWN] = -1
    state[SHOWN + 1] = -1


@kernel
def mover(state):
    if state[SHOWN] >= 0:
        return OVER
    return 1 if state[FIRST] >= 0 else 0


def legal_among(actions: int) -> Kernel:
    """The legal kernel of so many actions."""

    @kernel
    def legal(state, out):
        for action in range(actions):
            out[action] = action
        return actions

    return legal


@kernel
def apply(state, action):
    if state[FIRST] < 0:
        state[FIRST] = action
    else:
        state[SHOWN] = state[FIRST]
        state[SHOWN + 1] = action
        state[FIRST] = -1


@kernel
def view(state, player, out):
    own_is_hidden = player == 0 and state[FIRST] >= 0
    out[SEEN_OWN] = state[FIRST] if own_is_hidden else state[SHOWN + player]
    out[SEEN_OTHER] = state[SHOWN + 1 - player]


def hidden_among(actions: int) -> Hidden:
    """Make the resampler of the first player's throw, hidden from the second, among this many actions."""
    return lambda state, player: (FIRST, range(actions)) if player == 1 and state[FIRST] >= 0 else None


def throws_of(state: np.ndarray) -> tuple[int, int]:
    """The throws of both players, a hidden one too; -1 where there is none."""
    first, second = (int(throw) for throw in state[SHOWN : SHOWN + 2])
    return (first if first >= 0 else int(state[FIRST])), second


def show_with(label: Callable[[int], str], question: str, noun: str) -> Callable[[np.ndarray], str]:
    """The text of a view: the question first, then the own throw, called by that noun, and the other's."""

    def show(seen: np.ndarray) -> str:
        own, other = int(seen[SEEN_OWN]), int(seen[SEEN_OTHER])
        if own < 0:
            return question
        return f"your {noun}: {label(own)}; the other's: {label(other) if other >= 0 else 'hidden'}"

    return show


def reveal_with(label: Callable[[int], str], nothing: str) -> Callable[[np.ndarray], str]:
    """The text of a state."""

    def reveal(state: np.ndarray) -> str:
        first, second = throws_of(state)
        if first < 0:
            return nothing
        return f"player 1: {label(first)}" + (f"; player 2: {label(second)}" if second >= 0 else ", hidden")

    return reveal
