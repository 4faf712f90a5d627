"""Binary poker: each player gets a card that is 0 or 1, independently; the first may bet, the second call or fold.

Both pay an ante of 1. Without a bet, and after a call, the cards are compared: the higher one wins, a tie splits.

Data sheet of a state (int64 cells)
    0 CARD      the card of each player; -1 before the deal
    2 MOVES     actions of the players so far
    3 HISTORY   those actions in order, -1 beyond the last
Data sheet of a view: the own card, the other's once it is shown (else -1), then HISTORY.

Chance deals 2 * first card + second card. Actions of the players: 0 pass, 1 bet, 2 fold, 3 call.
"""

from fractions import Fraction

import numpy as np

from ..core.game import CHANCE, OVER, Game, Rules, Sizes
from ..core.kernel import inlined, kernel

CARD, MOVES, HISTORY = 0, 2, 3
SEEN_OWN, SEEN_OTHER, SEEN_HISTORY = range(3)
PASS, BET, FOLD, CALL = range(4)
CARDS, LONGEST = 2, 2
ANTE, RAISED = 1, 2
"""What a player has at stake without and with the bet."""


# The six rules


@kernel
def start(state):
    state[CARD] = -1
    state[CARD + 1] = -1
    state[MOVES] = 0
    for i in range(LONGEST):
        state[HISTORY + i] = -1


@inlined
def last(state):
    """The last action, -1 if there is none yet."""
    return state[HISTORY + state[MOVES] - 1] if state[MOVES] > 0 else -1


@kernel
def mover(state):
    if state[CARD] < 0:
        return CHANCE
    if state[MOVES] == 0:
        return 0
    return 1 if last(state) == BET else OVER


@kernel
def legal(state, out):
    if state[CARD] < 0:
        for deal in range(CARDS * CARDS):
            out[deal] = deal
        return CARDS * CARDS
    facing = last(state) == BET
    out[0] = FOLD if facing else PASS
    out[1] = CALL if facing else BET
    return 2


@kernel
def apply(state, action):
    if state[CARD] < 0:
        state[CARD] = action // CARDS
        state[CARD + 1] = action % CARDS
    else:
        state[HISTORY + state[MOVES]] = action
        state[MOVES] += 1


@kernel
def view(state, player, out):
    showdown = last(state) == PASS or last(state) == CALL
    out[SEEN_OWN] = state[CARD + player]
    out[SEEN_OTHER] = state[CARD + 1 - player] if showdown else -1
    for i in range(LONGEST):
        out[SEEN_HISTORY + i] = state[HISTORY + i]


@kernel
def score(state):
    draw = RAISED
    if last(state) == FOLD:
        return draw + ANTE
    stake = RAISED if last(state) == CALL else ANTE
    return draw + stake * (state[CARD] - state[CARD + 1])


# Words

NAMES = ("pass", "bet", "fold", "call")


def label(action: int) -> str:
    return NAMES[action]


def history_text(history: np.ndarray) -> str:
    """What has been done so far."""
    return ", ".join(label(int(action)) for action in history if action >= 0) or "nobody has moved"


def card_name(card: int) -> str:
    return str(card) if card >= 0 else "hidden"


def show(seen: np.ndarray) -> str:
    if seen[SEEN_OWN] < 0:
        return "no cards yet"
    cards = f"your card: {card_name(int(seen[SEEN_OWN]))}; the other's: {card_name(int(seen[SEEN_OTHER]))}"
    return f"{cards}\n{history_text(seen[SEEN_HISTORY:])}"


def reveal(state: np.ndarray) -> str:
    if state[CARD] < 0:
        return "no cards yet"
    return f"player 1: {state[CARD]}; player 2: {state[CARD + 1]}\n{history_text(state[HISTORY:])}"


SOURCE = (
    "Bossle 2018, section 3.5, an example without a name; ours: the name, and an ante of 1, which follows from the "
    "payoff of a fold. The objective printed there has -0.5 S1[0P] + 0.5 S1[1P]; its rules give -0.25 and +0.25, since "
    "a player who passes meets the other card only half of the time. The value is 0: bet and call with 1, pass and "
    "fold with 0."
)

GAMES = (
    Game(
        name="binary-poker",
        title="Binary poker, a card of 0 or 1 each",
        family="binary_poker",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        sizes=Sizes(HISTORY + LONGEST, SEEN_HISTORY + LONGEST, CARDS * CARDS),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        payoffs=tuple(Fraction(points) for points in range(-RAISED, RAISED + 1)),
    ),
)
