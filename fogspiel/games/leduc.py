"""Leduc poker: six cards, one each and one for both; two rounds of bets.

The cards are jack, queen and king of two suits, or, in the large game, all thirteen ranks of two suits. Both pay an
ante of 1; bets and raises are 2 in the first round and 4 in the second, and each round has at most two of them. The
first player opens both rounds. Only a player facing a bet may fold. The public card is turned up between the rounds;
at the end a pair with it wins, else the higher rank, and equal ranks split.

Data sheet of a state (int64 cells)
    0 SUITED    1: players see the suits of cards; 0: only their ranks; plus 2 for every rank above three
    1 PHASE     dealing, betting, drawing (the public card), or the end: cards shown, or a fold
    2 MOVER     the player to bet; the player who folded
    3 RAISES    bets and raises in this round
    4 PUBLIC    the public card, -1 before it is drawn
    5 CARD      the card of each player, two of each rank in turn from 0; -1 before the deal
    7 PAID      each player's contribution to the pot
    9 MOVES     actions of the players so far
   10 HISTORY   those actions in order, -1 beyond the last
Data sheet of a view: SUITED, the own card, the opponent's once it is shown, the public one (-1 where there is none),
the own and the opponent's PAID, then HISTORY. Cards are as above if the suits are seen, else ranks from 0.

Chance deals (number of cards) * first card + second card, then the public card. Actions: 0 fold, 1 check,
2 call, 3 bet, 4 raise.
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations

import numpy as np

from ..core.compile.kernel import Kernel, inlined, kernel
from ..core.game import CHANCE, OVER, Game, Rules, Sizes
from ..core.picture import Cards, Cell, Facts, Parts, Stakes
from .boards.board import actions_text, pick
from .one_card_poker import NO_CARDS, card, face_down
from .one_card_poker import SUITS as SUIT_SIGNS

SUITED, PHASE, MOVER, RAISES, PUBLIC, CARD, PAID, MOVES, HISTORY = (*range(6), 7, 9, 10)
SEEN_SUITED, SEEN_OWN, SEEN_OTHER, SEEN_PUBLIC, SEEN_PAID, SEEN_HISTORY = (*range(5), 6)
DEALING, BETTING, DRAWING, SHOWN, FOLDED = range(5)
FOLD, CHECK, CALL, BET, RAISE = range(5)
SUITS, FEWEST_RANKS = 2, 3
ANTE, SMALL, BIG, MAX_RAISES = 1, 2, 4, 2
LONGEST = 8  # actions of the longest game: check, bet, raise, call in both rounds
MAX = ANTE + MAX_RAISES * (SMALL + BIG)  # the most that a player can lose


# The six rules


def start_with(suited: int) -> Kernel:
    """Make the start kernel; `suited` is the cell SUITED."""

    @kernel
    def start(state):
        for i in range(HISTORY):
            state[i] = 0
        state[SUITED] = suited
        state[PUBLIC] = -1
        for player in range(2):
            state[CARD + player] = -1
            state[PAID + player] = ANTE
        for i in range(LONGEST):
            state[HISTORY + i] = -1

    return start


@inlined
def ranks_of(state):
    return FEWEST_RANKS + state[SUITED] // 2


@inlined
def cards_of(state):
    return SUITS * ranks_of(state)


@kernel
def mover(state):
    if state[PHASE] == DEALING or state[PHASE] == DRAWING:
        return CHANCE
    return state[MOVER] if state[PHASE] == BETTING else OVER


@kernel
def legal(state, out):
    count, cards = 0, cards_of(state)
    if state[PHASE] == DEALING:
        for first in range(cards):
            for second in range(cards):
                if second != first:
                    out[count] = cards * first + second
                    count += 1
    elif state[PHASE] == DRAWING:
        for card in range(cards):
            if card != state[CARD] and card != state[CARD + 1]:
                out[count] = card
                count += 1
    elif state[PAID] == state[PAID + 1]:
        out[0] = CHECK
        out[1] = BET
        count = 2
    else:
        out[0] = FOLD
        out[1] = CALL
        count = 2
        if state[RAISES] < MAX_RAISES:
            out[2] = RAISE
            count = 3
    return count


@inlined
def bet(state, action):
    player, other = state[MOVER], 1 - state[MOVER]
    state[HISTORY + state[MOVES]] = action
    state[MOVES] += 1
    if action == FOLD:
        state[PHASE] = FOLDED
        return
    if action != CHECK:
        state[PAID + player] = state[PAID + other]
    if action in (BET, RAISE):
        state[PAID + player] += SMALL if state[PUBLIC] < 0 else BIG
        state[RAISES] += 1
    if action == CALL or (action == CHECK and player == 1):
        state[PHASE] = DRAWING if state[PUBLIC] < 0 else SHOWN
        state[MOVER] = 0
        state[RAISES] = 0
    else:
        state[MOVER] = other


@kernel
def apply(state, action):
    if state[PHASE] == BETTING:
        bet(state, action)
        return
    if state[PHASE] == DEALING:
        state[CARD] = action // cards_of(state)
        state[CARD + 1] = action % cards_of(state)
    else:
        state[PUBLIC] = action
    state[PHASE] = BETTING


@inlined
def rank(card):
    return card // SUITS


@inlined
def visible(state, card):
    """Return the card as a player sees it, a rank where suits are hidden; -1 if it is not dealt."""
    return card if card < 0 or state[SUITED] % 2 == 1 else rank(card)


@kernel
def view(state, player, out):
    out[SEEN_SUITED] = state[SUITED]
    out[SEEN_OWN] = visible(state, state[CARD + player])
    out[SEEN_OTHER] = visible(state, state[CARD + 1 - player]) if state[PHASE] == SHOWN else -1
    out[SEEN_PUBLIC] = visible(state, state[PUBLIC])
    out[SEEN_PAID] = state[PAID + player]
    out[SEEN_PAID + 1] = state[PAID + 1 - player]
    for i in range(LONGEST):
        out[SEEN_HISTORY + i] = state[HISTORY + i]


@inlined
def strength(state, player):
    """Return the strength of a player's hand; any pair is stronger than any single card."""
    own = rank(state[CARD + player])
    return own + ranks_of(state) * int(own == rank(state[PUBLIC]))


@kernel
def score(state):
    draw = MAX
    if state[PHASE] == FOLDED:
        return draw - state[PAID] if state[MOVER] == 0 else draw + state[PAID + 1]
    first, second = strength(state, 0), strength(state, 1)
    if first == second:
        return draw
    return draw + state[PAID] if first > second else draw - state[PAID]


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Redeal the opponent's card until it is shown; where players do not see suits, redraw those of all cards too."""
    other, cells = state.copy(), [cell for cell in (CARD, CARD + 1, PUBLIC) if state[cell] >= 0]
    hidden = -1 if state[PHASE] == SHOWN else CARD + 1 - player

    def seen(cards: Iterable[int]) -> list[int]:
        return [visible(state, card) for card, cell in zip(cards, cells, strict=True) if cell != hidden]

    if cells:
        deals = permutations(range(cards_of(state)), len(cells))
        other[cells] = pick([cards for cards in deals if seen(cards) == seen(state[cells])], stream)
    return other


# Text

NAMES = ("fold", "check", "call", "bet", "raise")
COURT, ALL_RANKS = "JQK", "23456789TJQKA"


def ranks_named(suited: int) -> str:
    """Return the letters of the ranks, lowest first; `suited` is the cell SUITED."""
    return COURT if suited < 2 else ALL_RANKS


def label(action: int) -> str:
    return NAMES[action]


def card_name(card: int, suited: int) -> str:
    """Return the name of a card, or of its rank where suits are hidden."""
    if card < 0:
        return "face down"
    names = ranks_named(suited)
    return names[card // SUITS] + "♠♥"[card % SUITS] if suited % 2 else names[card]


def show(seen: np.ndarray) -> str:
    if seen[SEEN_OWN] < 0:
        return "no cards yet"
    own, other, public = (card_name(int(card), int(seen[SEEN_SUITED])) for card in seen[SEEN_OWN:SEEN_PAID])
    cards = f"your card: {own}; the other's: {other}; the public one: {public}"
    paid = f"paid: you {seen[SEEN_PAID]}, the other {seen[SEEN_PAID + 1]}"
    return f"{cards}\n{paid}\n{actions_text(seen[SEEN_HISTORY:], label)}"


def reveal(state: np.ndarray) -> str:
    if state[PHASE] == DEALING:
        return "no cards yet"
    public, first, second = (card_name(int(card), int(state[SUITED]) | 1) for card in state[PUBLIC:PAID])
    one, other = f"player 1: {first}, paid {state[PAID]}", f"player 2: {second}, paid {state[PAID + 1]}"
    return f"{one}; {other}; the public one: {public}\n{actions_text(state[HISTORY:], label)}"


SOURCE = (
    "Southey, Bowling et al. 2005, Bayes' bluff; the rules are those of OpenSpiel's leduc_poker. The value is "
    "-0.085606424078. Ours: a check, a call, a bet and a raise are actions of their own."
)


def cards_seen(name: str, title: str, suited: bool, source: str, ranks: int = FEWEST_RANKS) -> Game:
    cards = SUITS * ranks
    return Game(
        name=name,
        title=title,
        family="leduc",
        category="Cards",
        rules=Rules(start_with(int(suited) + 2 * (ranks - FEWEST_RANKS)), mover, legal, apply, view, score),
        resample=resample,
        sizes=Sizes(HISTORY + LONGEST, SEEN_HISTORY + LONGEST, cards * (cards - 1)),
        show=show,
        reveal=reveal,
        label=label,
        source=source,
        payoffs=tuple(Fraction(chips) for chips in range(-MAX, MAX + 1)),
    )


GAMES = (
    cards_seen("leduc", "Leduc poker", False, SOURCE),
    cards_seen(
        "leduc-labelled",
        "Leduc poker, suits visible",
        True,
        SOURCE + " The suits decide nothing; a player who sees them has 468 infosets instead of 144.",
    ),
    cards_seen(
        "leduc-13",
        "Leduc poker, 13 ranks",
        False,
        "Ours: Leduc poker with all thirteen ranks of two suits, 26 cards in all, and else the same rules.",
        ranks=13,
    ),
)


# Drawings: a card each and one for both, and the bets.


def suited(number: int, ranks: str) -> Cell:
    """Draw a card with its suit: spades and hearts in turn."""
    if number < 0:
        return face_down(1)[0]
    name = ("spades", "hearts")[number % 2]
    rank = ranks[number // SUITS]
    return Cell(f"{rank}{SUIT_SIGNS[name]}", ("black", "red")[number % 2], None, f"{rank} of {name}")


def split_rounds(history: np.ndarray) -> tuple[list[int], list[int]]:
    """Return the actions of the two rounds: the first ends with a call or the second player's check."""
    bets = [int(cell) for cell in history if cell >= 0]
    ends = (number for number, bet in enumerate(bets, 1) if bet == CALL or (bet == CHECK and number == 2))
    end = next(ends, len(bets))
    return bets[:end], bets[end:]


def rounds_of(history: np.ndarray) -> tuple[tuple[str, str], ...]:
    """Return the actions of each round as text; the first player opens both."""
    rounds = enumerate(split_rounds(history), 1)
    words = ((number, [f"player {i % 2 + 1} {NAMES[bet]}s" for i, bet in enumerate(bets)]) for number, bets in rounds)
    return tuple((f"round {number}", ", ".join(done)) for number, done in words if done)


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    cells = [int(cell) for cell in seen[SEEN_OWN:SEEN_PAID]]
    if cells[0] < 0:
        return NO_CARDS
    ranks, draw = ranks_named(int(seen[SEEN_SUITED])), seen[SEEN_SUITED] % 2
    own, other, public = (suited(cell, ranks) if draw else card(ranks, cell) for cell in cells)
    return (
        Cards("Your card", (own,), seat="own"),
        Cards("The public card", (public,), seat="shared"),
        Cards("The opponent's card", (other,), seat="other"),
        Stakes(int(seen[SEEN_PAID]), int(seen[SEEN_PAID + 1]), payments(seen)),
    )


def payments(seen: np.ndarray) -> tuple[tuple[str, str, str], ...]:
    """Return what both players paid as the ante and in each round; a player who must decide has a question mark."""
    first, second = split_rounds(seen[SEEN_HISTORY:])
    own, other = int(seen[SEEN_PAID]), int(seen[SEEN_PAID + 1])
    opened = ANTE + SMALL * sum(bet in (BET, RAISE) for bet in first)  # what both have paid once round 2 begins
    in_second = seen[SEEN_PUBLIC] >= 0
    rows = [("Ante", ANTE, ANTE), ("Round 1", min(own, opened) - ANTE, min(other, opened) - ANTE)]
    if in_second:
        rows.append(("Round 2", own - opened, other - opened))
    owes = own < other and FOLD not in (*first, *second)
    told = [(name, str(mine), str(theirs)) for name, mine, theirs in rows]
    if owes:
        told[-1] = (told[-1][0], "?" if told[-1][1] == "0" else f"{told[-1][1]} ?", told[-1][2])
    return tuple(told)


def action_note(game: Game, seen: np.ndarray, action: int) -> str:
    own, other = int(seen[SEEN_PAID]), int(seen[SEEN_PAID + 1])
    step = SMALL if seen[SEEN_PUBLIC] < 0 else BIG
    notes = {
        FOLD: f"lose {own}",
        CHECK: "pay nothing",
        CALL: f"{other - own} to win {own + other}",
        BET: f"pay {step}",
        RAISE: f"to {other + step}, {other - own + step} more",
    }
    return notes[action]


def draw_state(game: Game, state: np.ndarray) -> Parts:
    if state[CARD] < 0:
        return NO_CARDS
    ranks = ranks_named(int(state[SUITED]))
    cards = tuple(Cards(f"Player {who + 1}", (suited(int(state[CARD + who]), ranks),)) for who in range(2))
    paid = tuple((f"player {who + 1} paid", str(state[PAID + who])) for who in range(2))
    public = Cards("The public card", (suited(int(state[PUBLIC]), ranks),))
    return *cards, public, Facts((*paid, *rounds_of(state[HISTORY:])))


CARDS = {False: "Six cards: jack, queen and king of two suits.", True: "26 cards: all thirteen ranks of two suits."}
LINES = (
    "Both players pay an ante of 1 and get one card each.",
    "There are two rounds of bets; the first player opens both of them.",
    "Check, or bet 2 in the first round and 4 in the second.",
    "Who faces a bet folds, calls, or raises once by the same amount: each round has at most two bets.",
    "Between the rounds a public card is turned up, which counts for both.",
    "At the end a pair with the public card wins, else the higher rank; equal ranks split the pot.",
)
SUIT_NAMES = {
    False: "The suits decide nothing, and nobody sees them.",
    True: "The suits decide nothing, but you see them.",
}


SCENE = "felt"


def how_to_play(game: Game) -> tuple[str, ...]:
    return CARDS[game.name == "leduc-13"], *LINES, SUIT_NAMES[game.name == "leduc-labelled"]


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    first, second = split_rounds(now[SEEN_HISTORY:])
    seen_before, suited = int((before[SEEN_HISTORY:] >= 0).sum()) + 1, int(now[SEEN_SUITED])
    news = [f"the other: {NAMES[bet]}" for bet in (first + second)[seen_before:]]
    if before[SEEN_PUBLIC] < 0 <= now[SEEN_PUBLIC]:
        place = max(len(first) - seen_before, 0)
        news.insert(place, f"The public card is turned up: {card_name(int(now[SEEN_PUBLIC]), suited)}.")
    if before[SEEN_OTHER] < 0 <= now[SEEN_OTHER]:
        news.append(f"The other's card is shown: {card_name(int(now[SEEN_OTHER]), suited)}.")
    return news


def first_news(game: Game, now: np.ndarray) -> list[str]:
    """List the opponent's actions before the player's first action."""
    return [f"the other: {NAMES[int(bet)]}" for bet in now[SEEN_HISTORY:] if bet >= 0]
