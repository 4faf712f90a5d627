"""Kuhn poker: three cards, one each; both may bet once, and the higher card wins unless a player folds.

Both pay an ante of 1; a bet is 1 more. The first player passes or bets; after a pass the second may bet too. Whoever
faces a bet folds or calls. After two passes, and after a call, the cards are shown.

Data sheets of state and view: `shared/one_bet.py`; cards are 0 jack, 1 queen, 2 king.
Chance deals 3 * first card + second card, which differ. Actions of the players: 0 pass, 1 bet, 2 fold, 3 call.
"""

from fractions import Fraction

import numpy as np

from ...core.game import CHANCE, OVER, Game, Rules, Sizes
from ...core.kernel import inlined, kernel
from ..shared import one_bet
from ..shared.hidden import resample_one
from ..shared.one_bet import CALL, CARD, FOLD, HISTORY, MOVES, PASS, SEEN_HISTORY, last, start

CARDS, DEALS, LONGEST = 3, 6, 3
LOST_TWO, LOST_ONE, EVEN, WON_ONE, WON_TWO = range(5)
"""The payoffs, by their index; no game ends EVEN, but payoffs are evenly spaced."""


# The six rules


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
    if state[CARD] >= 0:
        return one_bet.offer(state, out)
    count = 0
    for first in range(CARDS):
        for second in range(CARDS):
            if second != first:
                out[count] = CARDS * first + second
                count += 1
    return count


apply = one_bet.apply_with(CARDS)


@kernel
def view(state, player, out):
    one_bet.look(state, player, shown(state), out)


@kernel
def score(state):
    if last(state) == FOLD:
        return LOST_ONE if state[MOVES] % 2 == 1 else WON_ONE  # who folded moved last
    if last(state) == CALL:
        return WON_TWO if state[CARD] > state[CARD + 1] else LOST_TWO
    return WON_ONE if state[CARD] > state[CARD + 1] else LOST_ONE


def hidden(state: np.ndarray, player: int) -> tuple[int, list[int]] | None:
    """The other's card, any but the own one, until it is shown."""
    if state[CARD] < 0 or shown(state):
        return None
    return CARD + 1 - player, [card for card in range(CARDS) if card != state[CARD + player]]


# Words

NAMES = "JQK"
SOURCE = (
    "Kuhn 1950, A simplified two-person poker. The value is -1/18. The first player has a family of optimal "
    "strategies, told apart by how often they bet the jack; the second has one."
)

GAMES = (
    Game(
        name="kuhn",
        title="Kuhn poker, three cards",
        family="kuhn",
        kind="Cards",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        resample=resample_one(hidden),
        sizes=Sizes(HISTORY + LONGEST, SEEN_HISTORY + LONGEST, DEALS),
        show=one_bet.show_with(NAMES),
        reveal=one_bet.reveal_with(NAMES),
        label=one_bet.label,
        source=SOURCE,
        payoffs=tuple(Fraction(points) for points in range(-2, 3)),
    ),
)
