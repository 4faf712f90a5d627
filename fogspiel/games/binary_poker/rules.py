"""Binary poker: each player gets a card that is 0 or 1, independently; the first may bet, the second call or fold.

Both pay an ante of 1. Without a bet, and after a call, the cards are compared: the higher one wins, a tie splits.

Data sheets of state and view: `shared/one_bet.py`.
Chance deals 2 * first card + second card. Actions of the players: 0 pass, 1 bet, 2 fold, 3 call.
"""

from fractions import Fraction

import numpy as np

from ...core.game import CHANCE, OVER, Game, Rules, Sizes
from ...core.kernel import inlined, kernel
from ..shared import one_bet
from ..shared.hidden import resample_one
from ..shared.one_bet import BET, CALL, CARD, FOLD, HISTORY, MOVES, PASS, SEEN_HISTORY, last, start

CARDS, LONGEST = 2, 2
ANTE, RAISED = 1, 2
"""What a player has at stake without and with the bet."""


# The six rules


@inlined
def shown(state):
    """Whether the cards are on the table: after a pass or a call."""
    return last(state) == PASS or last(state) == CALL


@kernel
def mover(state):
    if state[CARD] < 0:
        return CHANCE
    if state[MOVES] == 0:
        return 0
    return 1 if last(state) == BET else OVER


@kernel
def legal(state, out):
    if state[CARD] >= 0:
        return one_bet.offer(state, out)
    for deal in range(CARDS * CARDS):
        out[deal] = deal
    return CARDS * CARDS


apply = one_bet.apply_with(CARDS)


@kernel
def view(state, player, out):
    one_bet.look(state, player, shown(state), out)


@kernel
def score(state):
    draw = RAISED
    if last(state) == FOLD:
        return draw + ANTE
    stake = RAISED if last(state) == CALL else ANTE
    return draw + stake * (state[CARD] - state[CARD + 1])


def hidden(state: np.ndarray, player: int) -> tuple[int, range] | None:
    """The other's card, until it is shown."""
    return None if state[CARD] < 0 or shown(state) else (CARD + 1 - player, range(CARDS))


# Words

NAMES = "01"
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
        kind="Cards",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        resample=resample_one(hidden),
        sizes=Sizes(HISTORY + LONGEST, SEEN_HISTORY + LONGEST, CARDS * CARDS),
        show=one_bet.show_with(NAMES),
        reveal=one_bet.reveal_with(NAMES),
        label=one_bet.label,
        source=SOURCE,
        payoffs=tuple(Fraction(points) for points in range(-RAISED, RAISED + 1)),
    ),
)
