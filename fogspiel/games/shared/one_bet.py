"""Poker with one card each and at most one bet: Kuhn poker and binary poker.

Both pay an ante of 1; a bet is 1 more. Players pass or bet in turn until somebody bets or all who may open have passed.
Whoever faces a bet folds or calls. Without a fold the cards are shown: the higher one wins, and equal ones split.

Data sheet of a state (int64 cells)
    0 CARD      the card of each player; -1 before the deal
    2 MOVES     actions of the players so far
    3 HISTORY   those actions in order, -1 beyond the last
Data sheet of a view: the own card, the other's once it is shown (else -1), then HISTORY.

Chance deals cards * first card + second card. Actions of the players: 0 pass, 1 bet, 2 fold, 3 call.
"""

from fractions import Fraction

import numpy as np

from ...core.game import CHANCE, OVER, Game, Rules, Sizes
from ...core.kernel import inlined, kernel, variant
from .hidden import resample_one
from .words import actions_text

CARD, MOVES, HISTORY = 0, 2, 3
SEEN_OWN, SEEN_OTHER, SEEN_HISTORY = range(3)
PASS, BET, FOLD, CALL = range(4)
NAMES = ("pass", "bet", "fold", "call")
ANTE, RAISED = 1, 2  # what a player has at stake without and with the bet


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
def shown(state, openers):
    """True if the cards are on the table: after a call, or when all who may open have passed."""
    return last(state) == CALL or (last(state) == PASS and state[MOVES] == openers)


@kernel
def score(state):
    draw = RAISED
    if last(state) == FOLD:
        return draw - ANTE if state[MOVES] % 2 == 1 else draw + ANTE  # who folded moved last
    stake = RAISED if last(state) == CALL else ANTE
    return draw + stake * (int(state[CARD] > state[CARD + 1]) - int(state[CARD] < state[CARD + 1]))


def label(action: int) -> str:
    return NAMES[action]


def poker(name: str, title: str, source: str, cards: str, openers: int, twins: int) -> Game:
    """The record of the game with these cards, in which so many players may open, and equal cards are dealt or not."""
    many = len(cards)
    deals, longest = many * (many - 1 + twins), openers + 1

    @variant(many, openers, twins)
    def mover(state):
        if state[CARD] < 0:
            return CHANCE
        return OVER if shown(state, openers) or last(state) == FOLD else state[MOVES] % 2

    @variant(many, openers, twins)
    def legal(state, out):
        if state[CARD] >= 0:
            facing = last(state) == BET
            out[0] = FOLD if facing else PASS
            out[1] = CALL if facing else BET
            return 2
        count = 0
        for first in range(many):
            for second in range(many):
                if twins or second != first:
                    out[count] = many * first + second
                    count += 1
        return count

    @variant(many, openers, twins)
    def apply(state, action):
        if state[CARD] < 0:
            state[CARD] = action // many
            state[CARD + 1] = action % many
        else:
            state[HISTORY + state[MOVES]] = action
            state[MOVES] += 1

    @variant(many, openers, twins)
    def view(state, player, out):
        out[SEEN_OWN] = state[CARD + player]
        out[SEEN_OTHER] = state[CARD + 1 - player] if shown(state, openers) else -1
        for i in range(longest):
            out[SEEN_HISTORY + i] = state[HISTORY + i]

    def hidden(state: np.ndarray, player: int) -> tuple[int, list[int]] | None:
        """The other's card, until it is shown."""
        if state[CARD] < 0 or shown(state, openers):
            return None
        return CARD + 1 - player, [card for card in range(many) if twins or card != state[CARD + player]]

    def show(seen: np.ndarray) -> str:
        if seen[SEEN_OWN] < 0:
            return "no cards yet"
        own, other = (cards[card] if card >= 0 else "hidden" for card in seen[:SEEN_HISTORY])
        return f"your card: {own}; the other's: {other}\n{actions_text(seen[SEEN_HISTORY:], label)}"

    def reveal(state: np.ndarray) -> str:
        if state[CARD] < 0:
            return "no cards yet"
        first, second = (cards[card] for card in state[CARD:MOVES])
        return f"player 1: {first}; player 2: {second}\n{actions_text(state[HISTORY:], label)}"

    return Game(
        name=name,
        title=title,
        family=name.replace("-", "_"),
        kind="Cards",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        resample=resample_one(hidden),
        sizes=Sizes(HISTORY + longest, SEEN_HISTORY + longest, deals),
        show=show,
        reveal=reveal,
        label=label,
        source=source,
        payoffs=tuple(Fraction(points) for points in range(-RAISED, RAISED + 1)),
    )
