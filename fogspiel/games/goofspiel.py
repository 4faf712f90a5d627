"""Goofspiel: bid the cards 1..N of your hand, each once, for the prizes N..1; the higher bid takes the prize.

Prizes come in descending order. Bids are simultaneous: the second player's bid is played after the first one's. Bids
stay hidden for good, only the winner of the prize is announced; equal bids discard it. The last cards are played
automatically. The player with more points at the end wins, whatever the margin.

Data sheet of a state (int64 cells)
    0 CARDS     cards of a hand, and prizes
    1 ROUND     prizes decided so far
    2 BID       the bids of the first player, then of the second, in order; 0 where there is none yet
    then        the first player's result of each round: loss, draw (equal bids) or win; -1 before it is decided
Each of these three lists has as many cells as there are cards, but at least five.
Data sheet of a view: CARDS, ROUND, then the own bids and the own results as above.

Action k: bid the card k.
"""

from fractions import Fraction
from itertools import permutations

import numpy as np

from ..core.compile.kernel import Kernel, inlined, interpreted, kernel
from ..core.game import DRAW, LOSS, OVER, WIN, Game, Rules, Sizes
from ..core.picture import Cards, Cell, Facts, Messages, Parts
from .boards.board import pick
from .one_card_poker import face_up

CARDS, ROUND, BID = 0, 1, 2
SEEN_CARDS, SEEN_ROUND, SEEN_BID = 0, 1, 2
FEWEST_CELLS = 5  # minimum length of a list


@inlined
def room(cards):
    """Return the length of a list of bids or results."""
    return max(FEWEST_CELLS, cards)


@inlined
def bids_of(cards, player):
    return BID + room(cards) * player


@inlined
def results_of(cards):
    return BID + 2 * room(cards)


@inlined
def seen_results_of(cards):
    return SEEN_BID + room(cards)


# The six rules


def start_with(cards: int) -> Kernel:
    @kernel
    def start(state):
        state[CARDS] = cards
        state[ROUND] = 0
        for i in range(2 * room(cards)):
            state[BID + i] = 0
        for i in range(room(cards)):
            state[results_of(cards) + i] = -1

    return start


@kernel
def mover(state):
    if state[ROUND] == state[CARDS]:
        return OVER
    return 1 if state[BID + state[ROUND]] > 0 else 0


@inlined
def in_hand(state, player, card):
    for i in range(state[CARDS]):  # noqa: SIM110 (kernels are plain loops)
        if state[bids_of(state[CARDS], player) + i] == card:
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
    """Decide the prize of this round once both players have bid."""
    cards, number = state[CARDS], state[ROUND]
    first, second = state[bids_of(cards, 0) + number], state[bids_of(cards, 1) + number]
    state[results_of(cards) + number] = DRAW if first == second else (WIN if first > second else LOSS)
    state[ROUND] += 1


@kernel
def apply(state, action):
    player, cards = mover(state), state[CARDS]
    state[bids_of(cards, player) + state[ROUND]] = action
    if player == 1:
        decide(state)
        if state[ROUND] == cards - 1:
            for last in range(2):
                for card in range(1, cards + 1):
                    if in_hand(state, last, card):
                        state[bids_of(cards, last) + cards - 1] = card
                        break
            decide(state)


@kernel
def view(state, player, out):
    cards = state[CARDS]
    out[SEEN_CARDS] = cards
    out[SEEN_ROUND] = state[ROUND]
    for i in range(room(cards)):
        result = state[results_of(cards) + i]
        out[SEEN_BID + i] = state[bids_of(cards, player) + i]
        out[seen_results_of(cards) + i] = WIN - result if player == 1 and result >= 0 else result


@kernel
def score(state):
    lead = 0
    for i in range(state[CARDS]):
        lead += (state[CARDS] - i) * (state[results_of(state[CARDS]) + i] - DRAW)
    return DRAW if lead == 0 else (WIN if lead > 0 else LOSS)


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Redraw the opponent's bids subject to the same results."""
    other, cards, decided = state.copy(), int(state[CARDS]), int(state[ROUND])
    own, hidden, sign = bids_of(cards, player), bids_of(cards, 1 - player), 1 - 2 * player
    results = state[results_of(cards) :]
    orders = [
        bids
        for bids in permutations(range(1, cards + 1))
        if all(np.sign(state[own + i] - bids[i]) * sign == results[i] - DRAW for i in range(decided))
    ]
    made = np.count_nonzero(state[hidden : hidden + cards])
    other[hidden : hidden + made] = pick(orders, stream)[:made]
    return other


# Text


ROUNDS = {LOSS: ("lost", "other"), DRAW: ("discarded", ""), WIN: ("won", "own")}


def label(action: int) -> str:
    return f"bid {action}"


def show(seen: np.ndarray) -> str:
    cards, played = int(seen[SEEN_CARDS]), int(seen[SEEN_ROUND])
    bids, results = seen[SEEN_BID : seen_results_of(cards)].tolist(), seen[seen_results_of(cards) :].tolist()
    lines = [f"prize {cards - i}: you bid {bids[i]}, {ROUNDS[results[i]][0]}" for i in range(played)]
    if played < cards:
        hand = [card for card in range(1, cards + 1) if card not in bids]
        bid = f"you bid {bids[played]}" if bids[played] else f"your hand: {' '.join(map(str, hand))}"
        lines.append(f"prize {cards - played}: {bid}")
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    cards = int(state[CARDS])
    bids = (state[bids_of(cards, player) :][: room(cards)] for player in (0, 1))
    first, second = (" ".join(str(card) for card in hand if card > 0) or "none" for hand in bids)
    prizes = " ".join(str(card) for card in range(cards, 0, -1))
    return f"prizes:   {prizes}\nplayer 1: {first}\nplayer 2: {second}"


SOURCE = (
    "Goofspiel, or the Game of Pure Strategy, in the form of OpenSpiel's goofspiel with imp_info=true and descending "
    "points: bids stay hidden, only the winner of each prize is told, the last cards are played automatically, and the "
    "payoff is 1, 0 or -1. The value is 0, since both seats have the same rights."
)


def hand(cards: int) -> Game:
    with interpreted():
        sizes = Sizes(BID + 3 * room(cards), SEEN_BID + 2 * room(cards), cards)
    return Game(
        name=f"goofspiel-{cards}",
        title=f"Goofspiel, {cards} cards, hidden bids",
        family="goofspiel",
        category="Cards",
        rules=Rules(start_with(cards), mover, legal, apply, view, score),
        resample=resample,
        sizes=sizes,
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        payoffs=(Fraction(-1), Fraction(0), Fraction(1)),
        symmetric=True,
    )


GAMES = tuple(map(hand, (4, 5, 6)))


# Drawings: the prizes, and the cards of the hand, each of which is a bid.


def prizes(cards: int, played: int, results: list[int]) -> Cards:
    cells = []
    for place in range(cards):
        number = cards - place
        if place < played:
            words, look = ROUNDS[results[place]]
        else:
            words, look = ("bid for now", "marked") if place == played else ("to come", "unknown")
        cells.append(Cell(str(number), look, None, f"prize {number}, {words}"))
    return Cards("Prizes", tuple(cells))


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    cards, played = int(seen[SEEN_CARDS]), int(seen[SEEN_ROUND])
    end = seen_results_of(cards)
    bids, results = seen[SEEN_BID:end].tolist(), seen[end:].tolist()
    points = [sum(cards - i for i in range(played) if results[i] == result) for result in (WIN, LOSS)]
    hand = tuple(
        Cell(str(card), "own", None if played == cards else card, f"bid {card}")
        for card in range(1, cards + 1)
        if card not in bids
    )
    if played == cards:
        words = "All prizes are gone."
    elif bids[played]:
        words = f"You bid {bids[played]} for the prize {cards - played}; the other is choosing."
    else:
        words = f"Bid for the prize {cards - played}."
    history = tuple((f"prize {cards - i}", f"you bid {bids[i]}, {ROUNDS[results[i]][0]}") for i in range(played))
    facts = (("your points", str(points[0])), ("the other's points", str(points[1])), *history)
    return Messages((words,)), prizes(cards, played, results), Cards("Your hand", hand, seat="own"), Facts(facts)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    cards, played = int(state[CARDS]), int(state[ROUND])
    parts = [prizes(cards, played, state[results_of(cards) :].tolist())]
    for player in range(2):
        bids = state[bids_of(cards, player) :][: room(cards)].tolist()
        shown = face_up((str(bid) for bid in bids if bid), ("own", "other")[player])
        parts.append(Cards(f"Bids of player {player + 1}", shown))
    return tuple(parts)


LINES = (
    "The prizes come one by one, the highest first; a prize is worth its number in points.",
    "For each prize both players bid a card of their hand at the same time.",
    "The higher bid takes the prize; equal bids discard it.",
    "Both cards are spent, and nobody sees the other's bid: you are told who took the prize, no more.",
    "The last cards go by themselves. Who has more points at the end wins, whatever the margin.",
)


SCENE = "cards"


def how_to_play(game: Game) -> tuple[str, ...]:
    cards = game.name.rpartition("-")[2]
    return f"Each player has the cards 1 to {cards}, and there are prizes from {cards} down to 1.", *LINES


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    cards, results = int(now[SEEN_CARDS]), now[seen_results_of(int(now[SEEN_CARDS])) :].tolist()
    decided = range(int(before[SEEN_ROUND]), int(now[SEEN_ROUND]))
    return [f"Prize {cards - place}: {ROUNDS[results[place]][0]}." for place in decided]
