"""Poker with one card each and at most one bet: Kuhn poker and binary poker.

Both pay an ante of 1; a bet is 1 more. Players pass or bet in turn until one bets or all who may open have passed.
A player facing a bet folds or calls. Without a fold the cards are shown: the higher one wins, and equal ones split.

Data sheet of a state (int64 cells)
    0 CARD      the card of each player; -1 before the deal
    2 MOVES     actions of the players so far
    3 HISTORY   those actions in order, -1 beyond the last
Data sheet of a view: the own card, the opponent's once it is shown (else -1), then HISTORY.

Chance deals cards * first card + second card. Actions of the players: 0 pass, 1 bet, 2 fold, 3 call.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

from ..core.compile.kernel import inlined, kernel
from ..core.game import CHANCE, OVER, Game, Look, Rules, Sizes
from ..core.picture import Cards, Cell, Messages, Parts
from .boards.board import actions_text, resample_one

CARD, MOVES, HISTORY = 0, 2, 3
SEEN_OWN, SEEN_OTHER, SEEN_HISTORY = range(3)
PASS, BET, FOLD, CALL = range(4)
NAMES = ("pass", "bet", "fold", "call")
ANTE, RAISED = 1, 2  # a player's stake without and with the bet


@kernel
def start(state):
    for cell in range(len(state)):
        state[cell] = -1
    state[MOVES] = 0


@inlined
def last(state):
    return state[HISTORY + state[MOVES] - 1] if state[MOVES] > 0 else -1


@inlined
def shown(state, openers):
    """True if the cards are shown: after a call, or when all who may open have passed."""
    return last(state) == CALL or (last(state) == PASS and state[MOVES] == openers)


@kernel
def score(state):
    draw = RAISED
    if last(state) == FOLD:
        return draw - ANTE if state[MOVES] % 2 == 1 else draw + ANTE  # the player who folded moved last
    stake = RAISED if last(state) == CALL else ANTE
    return draw + stake * (int(state[CARD] > state[CARD + 1]) - int(state[CARD] < state[CARD + 1]))


def label(action: int) -> str:
    return NAMES[action]


def poker(name: str, title: str, source: str, cards: str, lines: tuple[str, ...], openers: int, twins: int) -> Game:
    """Make the game with these cards, in which `openers` players may open, and equal cards are dealt if `twins`."""
    many = len(cards)
    deals, longest = many * (many - 1 + twins), openers + 1

    @kernel
    def mover(state):
        if state[CARD] < 0:
            return CHANCE
        return OVER if shown(state, openers) or last(state) == FOLD else state[MOVES] % 2

    @kernel
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

    @kernel
    def apply(state, action):
        if state[CARD] < 0:
            state[CARD] = action // many
            state[CARD + 1] = action % many
        else:
            state[HISTORY + state[MOVES]] = action
            state[MOVES] += 1

    @kernel
    def view(state, player, out):
        out[SEEN_OWN] = state[CARD + player]
        out[SEEN_OTHER] = state[CARD + 1 - player] if shown(state, openers) else -1
        for i in range(longest):
            out[SEEN_HISTORY + i] = state[HISTORY + i]

    def hidden(state: np.ndarray, player: int) -> tuple[int, list[int]] | None:
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

    def draw_view(game: Game, seen: np.ndarray) -> Parts:
        own, other = (int(cell) for cell in seen[SEEN_OWN:SEEN_HISTORY])
        if own < 0:
            return NO_CARDS
        mine, theirs = (
            Cards("Your card", (card(cards, own),), seat="own"),
            Cards("The opponent's card", (card(cards, other),), seat="other"),
        )
        return mine, theirs, said(seen[SEEN_HISTORY:], label, "nobody has acted")

    def draw_state(game: Game, state: np.ndarray) -> Parts:
        if state[CARD] < 0:
            return NO_CARDS
        dealt = (Cards(f"Player {who}", (card(cards, int(cell)),)) for who, cell in enumerate(state[CARD:MOVES], 1))
        return *dealt, said(state[HISTORY:], label, "nobody has acted")

    return Game(
        name=name,
        look=Look(draw_view, draw_state, lambda game: lines, scene="felt"),
        title=title,
        family=name.replace("-", "_"),
        category="Cards",
        rules=Rules(start, mover, legal, apply, view, score),
        resample=resample_one(hidden),
        sizes=Sizes(HISTORY + longest, SEEN_HISTORY + longest, deals),
        show=show,
        reveal=reveal,
        label=label,
        source=source,
        payoffs=tuple(Fraction(points) for points in range(-RAISED, RAISED + 1)),
    )


# Playing cards as cells.

SUITS = {"clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"}


def face_down(count: int) -> tuple[Cell, ...]:
    return (Cell("", "face-down", None, "a card face down"),) * count


def face_up(names: Iterable[str], look: str = "") -> tuple[Cell, ...]:
    """Draw cards face up that stand for no action."""
    return tuple(Cell(name, look, None, name) for name in names)


NO_CARDS = (Messages(("No cards yet.",)),)


def card(names: str, number: int) -> Cell:
    """Draw one of the cards with these letters; -1 is a hidden one."""
    return Cell(names[number], "", None, names[number]) if number >= 0 else face_down(1)[0]


def said(history: np.ndarray, label: Callable[[int], str], nothing: str) -> Messages:
    done = [label(int(action)) for action in history if action >= 0]
    lines = tuple(f"player {place % 2 + 1}: {word}" for place, word in enumerate(done))
    return Messages(lines or (nothing,), "Said so far")


# Kuhn poker: three cards, one each; both may bet once, and the higher card wins unless a player folds.
#
# The first player passes or bets; after a pass the second may bet too. Cards are 0 jack, 1 queen, 2 king, and the two
# that are dealt differ.

KUHN_CARDS = "JQK"
KUHN_SOURCE = (
    "Kuhn 1950, A simplified two-person poker. The value is -1/18. The first player has a family of optimal "
    "strategies, told apart by how often they bet the jack; the second has one."
)
KUHN_LINES = (
    "Three cards: jack, queen and king. Both players pay an ante of 1 and get one card each; the third stays hidden.",
    "You see your own card only.",
    "The first player passes or bets 1 more.",
    "After a pass the second player passes, and the cards are shown, or bets 1.",
    "Who faces a bet folds and loses the ante, or calls for 1 and the cards are shown.",
    "The higher card takes the pot, so that a game is worth 1 or 2 to its winner.",
)


# Binary poker: each player gets a card that is 0 or 1, independently; the first may bet, the second call or fold.

CARDS = "01"
SOURCE = (
    "Bossle 2018, section 3.5, an example without a name; ours: the name, and an ante of 1, which follows from the "
    "payoff of a fold. The objective printed there has -0.5 S1[0P] + 0.5 S1[1P]; its rules give -0.25 and +0.25, since "
    "a player who passes meets the other card only half of the time. The value is 0: bet and call with 1, pass and "
    "fold with 0."
)
LINES = (
    "Both players pay an ante of 1 and get a card that is 0 or 1, each by the toss of a coin of its own.",
    "You see your own card only.",
    "The first player passes or bets 1 more.",
    "After a pass the cards are shown: the higher one takes the pot, equal cards get their antes back.",
    "After a bet the second player folds and loses the ante, or calls for 1 and the cards are shown.",
    "So a game is worth -2, -1, 0, 1 or 2.",
)


GAMES = (
    poker("kuhn", "Kuhn poker, three cards", KUHN_SOURCE, KUHN_CARDS, KUHN_LINES, openers=2, twins=0),
    poker("binary-poker", "Binary poker, a card of 0 or 1 each", SOURCE, CARDS, LINES, openers=1, twins=1),
)
