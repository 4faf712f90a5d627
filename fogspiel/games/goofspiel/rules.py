"""Goofspiel: bid the cards 1..N of your hand, each once, for the prizes N..1; the higher bid takes the prize.

Prizes come in descending order. Both bid at once: the second player's bid is played after the first one's. Bids stay
hidden for good, only the winner of the prize is told; equal bids discard it. The last cards go by themselves. Who has
more points at the end wins, whatever the margin.

Data sheet of a state (int64 cells)
    0 CARDS     cards of a hand, and prizes
    1 ROUND     prizes decided so far
    2 BID       the bids of the first player, then of the second, five cells each in order; 0 where there is none yet
   12 RESULT    the first player's result of each round: loss, draw (equal bids) or win; -1 before it is decided
Data sheet of a view: CARDS, ROUND, then the own bids and the own results as above.

Action k: bid the card k.
"""

from fractions import Fraction
from itertools import permutations

import numpy as np

from ...core.game import DRAW, LOSS, OVER, WIN, Game, Rules, Sizes
from ...core.kernel import Kernel, inlined, kernel, variant
from ..shared.hidden import pick

CARDS, ROUND, BID, RESULT = 0, 1, 2, 12
MOST_CARDS = 5
SEEN_CARDS, SEEN_ROUND, SEEN_BID, SEEN_RESULT = 0, 1, 2, 2 + MOST_CARDS


# The six rules


def start_with(cards: int) -> Kernel:
    """The start kernel of a hand."""

    @variant(cards)
    def start(state):
        state[CARDS] = cards
        state[ROUND] = 0
        for i in range(2 * MOST_CARDS):
            state[BID + i] = 0
        for i in range(MOST_CARDS):
            state[RESULT + i] = -1

    return start


@inlined
def bids_of(player):
    """The cell of a player's first bid."""
    return BID + MOST_CARDS * player


@kernel
def mover(state):
    if state[ROUND] == state[CARDS]:
        return OVER
    return 1 if state[BID + state[ROUND]] > 0 else 0


@inlined
def in_hand(state, player, card):
    """Whether the player still holds a card."""
    for i in range(state[CARDS]):  # noqa: SIM110 (kernels are plain loops)
        if state[bids_of(player) + i] == card:
            return False
    return True


@kernel
def legal(state, out):
    count, player = 0, mover(state)
    for card in range(1, state[CARDS] + 1):
        if in_hand(state, player, card):
            out[count] = card
            count += 1
    return count


@inlined
def decide(state):
    """Both have bid for the prize of this round."""
    first, second = state[bids_of(0) + state[ROUND]], state[bids_of(1) + state[ROUND]]
    state[RESULT + state[ROUND]] = DRAW if first == second else (WIN if first > second else LOSS)
    state[ROUND] += 1


@kernel
def apply(state, action):
    player, cards = mover(state), state[CARDS]
    state[bids_of(player) + state[ROUND]] = action
    if player == 1:
        decide(state)
        if state[ROUND] == cards - 1:
            for last in range(2):
                for card in range(1, cards + 1):
                    if in_hand(state, last, card):
                        state[bids_of(last) + cards - 1] = card
                        break
            decide(state)


@kernel
def view(state, player, out):
    out[SEEN_CARDS] = state[CARDS]
    out[SEEN_ROUND] = state[ROUND]
    for i in range(MOST_CARDS):
        result = state[RESULT + i]
        out[SEEN_BID + i] = state[bids_of(player) + i]
        out[SEEN_RESULT + i] = WIN - result if player == 1 and result >= 0 else result


@kernel
def score(state):
    lead = 0
    for i in range(state[CARDS]):
        lead += (state[CARDS] - i) * (state[RESULT + i] - DRAW)
    return DRAW if lead == 0 else (WIN if lead > 0 else LOSS)


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Draw other bids of the other player that give the same results."""
    other, cards, decided = state.copy(), int(state[CARDS]), int(state[ROUND])
    own, hidden, sign = bids_of(player), bids_of(1 - player), 1 - 2 * player
    orders = [
        bids
        for bids in permutations(range(1, cards + 1))
        if all(np.sign(state[own + i] - bids[i]) * sign == state[RESULT + i] - DRAW for i in range(decided))
    ]
    made = np.count_nonzero(state[hidden : hidden + cards])
    other[hidden : hidden + made] = pick(orders, stream)[:made]
    return other


# Words


def label(action: int) -> str:
    return f"bid {action}"


def bids_text(bids: np.ndarray) -> str:
    return " ".join(str(card) for card in bids if card > 0) or "none"


def show(seen: np.ndarray) -> str:
    cards, played = int(seen[SEEN_CARDS]), int(seen[SEEN_ROUND])
    bids = seen[SEEN_BID:SEEN_RESULT].tolist()
    words = {LOSS: "lost", DRAW: "discarded", WIN: "won"}
    lines = [f"prize {cards - i}: you bid {bids[i]}, {words[int(seen[SEEN_RESULT + i])]}" for i in range(played)]
    if played < cards:
        hand = [card for card in range(1, cards + 1) if card not in bids]
        bid = f"you bid {bids[played]}" if bids[played] else f"your hand: {' '.join(map(str, hand))}"
        lines.append(f"prize {cards - played}: {bid}")
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    first, second = (state[bids_of(player) : bids_of(player) + MOST_CARDS] for player in (0, 1))
    prizes = " ".join(str(card) for card in range(int(state[CARDS]), 0, -1))
    return f"prizes:   {prizes}\nplayer 1: {bids_text(first)}\nplayer 2: {bids_text(second)}"


SOURCE = (
    "Goofspiel, or the Game of Pure Strategy, in the form of OpenSpiel's goofspiel with imp_info=true and descending "
    "points: bids stay hidden, only the winner of each prize is told, the last cards are played automatically, and the "
    "payoff is 1, 0 or -1. The value is 0, since both seats have the same rights."
)


def hand(name: str, title: str, cards: int) -> Game:
    """The record of one size of hands."""
    return Game(
        name=name,
        title=title,
        family="goofspiel",
        kind="Cards",
        version=1,
        rules=Rules(start_with(cards), mover, legal, apply, view, score),
        resample=resample,
        sizes=Sizes(RESULT + MOST_CARDS, SEEN_RESULT + MOST_CARDS, cards),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        payoffs=(Fraction(-1), Fraction(0), Fraction(1)),
        symmetric=True,
    )


GAMES = (
    hand("goofspiel-4", "Goofspiel, 4 cards, hidden bids", 4),
    hand("goofspiel-5", "Goofspiel, 5 cards, hidden bids", 5),
)
