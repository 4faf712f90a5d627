"""Kuhn poker: three cards, one each; both may bet once, and the higher card wins unless somebody folds.

Both pay an ante of 1; a bet is 1 more. The first player passes or bets; after a pass the second may bet too. Whoever
faces a bet folds or calls. After two passes, and after a call, the cards are shown.

Data sheet of a state (int64 cells)
    0 CARD      the card of each player, 0 jack, 1 queen, 2 king; -1 before the deal
    2 MOVES     actions of the players so far
    3 HISTORY   those actions in order, -1 beyond the last
Data sheet of a view: the own card, the other's once it is shown (else -1), then HISTORY.

Chance deals 3 * first card + second card, which differ. Actions of the players: 0 pass, 1 bet, 2 fold, 3 call.
"""

from fractions import Fraction

import numpy as np

from ..core.game import CHANCE, OVER, Game, Rules, Sizes
from ..core.kernel import inlined, kernel

CARD, MOVES, HISTORY = 0, 2, 3
SEEN_OWN, SEEN_OTHER, SEEN_HISTORY = range(3)
PASS, BET, FOLD, CALL = range(4)
CARDS, DEALS, LONGEST = 3, 6, 3
LOST_TWO, LOST_ONE, EVEN, WON_ONE, WON_TWO = range(5)
"""The payoffs, by their index; nobody ever gets EVEN, but payoffs are evenly spaced."""


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


@inlined
def shown(state):
    """Whether the cards are on the table: after a call or two passes."""
    return last(state) == CALL or (last(state) == PASS and state[MOVES] == 2)


@kernel
def mover(state):
    if state[CARD] < 0:
        return CHANCE
    return OVER if shown(state) or last(state) == FOLD else state[MOVES] % 2


@kernel
def legal(state, out):
    if state[CARD] < 0:
        count = 0
        for first in range(CARDS):
            for second in range(CARDS):
                if second != first:
                    out[count] = CARDS * first + second
                    count += 1
        return count
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
    out[SEEN_OWN] = state[CARD + player]
    out[SEEN_OTHER] = state[CARD + 1 - player] if shown(state) else -1
    for i in range(LONGEST):
        out[SEEN_HISTORY + i] = state[HISTORY + i]


@kernel
def score(state):
    if last(state) == FOLD:
        return LOST_ONE if state[MOVES] % 2 == 1 else WON_ONE  # who folded moved last
    if last(state) == CALL:
        return WON_TWO if state[CARD] > state[CARD + 1] else LOST_TWO
    return WON_ONE if state[CARD] > state[CARD + 1] else LOST_ONE


# Words

NAMES = ("pass", "bet", "fold", "call")


def label(action: int) -> str:
    return NAMES[action]


def history_text(history: np.ndarray) -> str:
    """What has been done so far, by both in turn."""
    return ", ".join(label(int(action)) for action in history if action >= 0) or "nobody has moved"


def card_name(card: int) -> str:
    return "JQK"[card] if card >= 0 else "hidden"


def show(seen: np.ndarray) -> str:
    if seen[SEEN_OWN] < 0:
        return "no cards yet"
    cards = f"your card: {card_name(int(seen[SEEN_OWN]))}; the other's: {card_name(int(seen[SEEN_OTHER]))}"
    return f"{cards}\n{history_text(seen[SEEN_HISTORY:])}"


def reveal(state: np.ndarray) -> str:
    if state[CARD] < 0:
        return "no cards yet"
    cards = f"player 1: {card_name(int(state[CARD]))}; player 2: {card_name(int(state[CARD + 1]))}"
    return f"{cards}\n{history_text(state[HISTORY:])}"


SOURCE = (
    "Kuhn 1950, A simplified two-person poker. The value is -1/18. The first player has a family of optimal "
    "strategies, told apart by how often they bet the jack; the second has one."
)

GAMES = (
    Game(
        name="kuhn",
        title="Kuhn poker, three cards",
        family="kuhn",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        sizes=Sizes(HISTORY + LONGEST, SEEN_HISTORY + LONGEST, DEALS),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        payoffs=tuple(Fraction(points) for points in range(-2, 3)),
    ),
)
