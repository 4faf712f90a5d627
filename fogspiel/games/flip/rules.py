"""Flip: put your cards on two piles, each next in rank to the card it covers; the first without cards wins.

Ranks 0..7, four cards of each, in a circle: 7 and 0 are neighbours. A player has fifteen cards, five of them open to
both players, the others in a stack that neither has seen. A player who can play must; then the top card of the stack
is opened. After two passes in a row both turn the top card of their stacks onto the piles, player 1 onto pile 0 and
player 2 onto pile 1; if a player has no stack the game is over, and the player with fewer cards left wins.

Data sheet of a state (int64 cells)
    0 PHASE     dealing, playing or finished
    1 MOVER     the player to move
    2 PASSES    passes in a row
    3 DEALT     cards dealt
    4 PILE      the rank on top of each pile
    6 HELD      cards left, for each player: the first five of them are open, the rest is the stack
    8 OPEN      open cards of each rank, 8 cells for each player
   24 CARDS     ranks in the order of the deal: the piles, five open cards for each player, ten in a stack for each
Data sheet of a view: PHASE, 1 if the turn is one's own (else 0), PASSES, the piles, own and opponent's HELD, own and
opponent's OPEN, then the number of cards of each rank in the two stacks. Piles are -1 during the deal.

Chance deals any of the cards that are left. Action 2 * rank + pile puts a card on a pile; 16 passes.
"""

import numpy as np

from ...core.compile.kernel import inlined, kernel
from ...core.game import CHANCE, DRAW, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy, Vector
from ...core.rng import random_below
from ..boards.board import permute

PHASE, MOVER, PASSES, DEALT, PILE, HELD, OPEN, CARDS = 0, 1, 2, 3, 4, 6, 8, 24
DEALING, PLAYING, FINISHED = range(3)
SEEN_PHASE, SEEN_MINE, SEEN_PASSES, SEEN_PILE, SEEN_HELD, SEEN_OPEN, SEEN_STACKED = 0, 1, 2, 3, 5, 7, 23
RANKS, COPIES, ROW, STACK = 8, 4, 5, 10
DECK = RANKS * COPIES
LAST = RANKS - 1
STACKS = CARDS + 2 + 2 * ROW
PASS = 2 * RANKS


# The table


@inlined
def neighbours(rank, other):
    """True if two ranks are adjacent in the circle."""
    apart = (rank - other) & LAST
    return apart == 1 or apart == LAST


@inlined
def top_card(state, player):
    return state[STACKS + STACK * player + STACK - (state[HELD + player] - ROW)]


@inlined
def deal(state, which):
    place = CARDS + state[DEALT]
    state[place], state[place + which] = state[place + which], state[place]
    state[DEALT] += 1


@kernel
def open_cards(state):
    """Turn up the piles and the open cards at the end of the deal."""
    for i in range(2):
        state[PILE + i] = state[CARDS + i]
        state[HELD + i] = ROW + STACK
        for j in range(ROW):
            state[OPEN + RANKS * i + state[CARDS + 2 + ROW * i + j]] += 1
    state[PHASE] = PLAYING


# The six rules


@kernel
def start(state):
    for i in range(CARDS):
        state[i] = 0
    state[PILE] = -1
    state[PILE + 1] = -1
    for i in range(DECK):
        state[CARDS + i] = i // COPIES


@kernel
def mover(state):
    if state[PHASE] == FINISHED:
        return OVER
    return CHANCE if state[PHASE] == DEALING else state[MOVER]


@kernel
def legal(state, out):
    if state[PHASE] == DEALING:
        for i in range(DECK - state[DEALT]):
            out[i] = i
        return DECK - state[DEALT]
    count, own = 0, OPEN + RANKS * state[MOVER]
    for rank in range(RANKS):
        for pile in range(2):
            if state[own + rank] > 0 and neighbours(rank, state[PILE + pile]):
                out[count] = 2 * rank + pile
                count += 1
    if count == 0:
        out[0] = PASS
        return 1
    return count


@kernel
def apply(state, action):
    if state[PHASE] == DEALING:
        deal(state, action)
        if state[DEALT] == DECK - 1:  # the last card is dealt automatically
            open_cards(state)
        return
    player = state[MOVER]
    state[MOVER] = 1 - player
    if action == PASS:
        state[PASSES] += 1
        if state[PASSES] == 2:
            state[PASSES] = 0
            if state[HELD] > ROW and state[HELD + 1] > ROW:
                for i in range(2):
                    state[PILE + i] = top_card(state, i)
                    state[HELD + i] -= 1
            else:
                state[PHASE] = FINISHED
        return
    state[PASSES] = 0
    state[PILE + action % 2] = action // 2
    state[OPEN + RANKS * player + action // 2] -= 1
    if state[HELD + player] > ROW:
        state[OPEN + RANKS * player + top_card(state, player)] += 1
    state[HELD + player] -= 1
    if state[HELD + player] == 0:
        state[PHASE] = FINISHED


@kernel
def view(state, player, out):
    out[SEEN_PHASE] = state[PHASE]
    out[SEEN_MINE] = 1 if state[MOVER] == player else 0
    out[SEEN_PASSES] = state[PASSES]
    for i in range(2):
        who = player if i == 0 else 1 - player
        out[SEEN_PILE + i] = state[PILE + i]
        out[SEEN_HELD + i] = state[HELD + who]
        for rank in range(RANKS):
            out[SEEN_OPEN + RANKS * i + rank] = state[OPEN + RANKS * who + rank]
    for rank in range(RANKS):
        out[SEEN_STACKED + rank] = 0
    if state[PHASE] != DEALING:
        for i in range(2):
            for depth in range(state[HELD + i] - ROW):
                out[SEEN_STACKED + state[STACKS + STACK * (i + 1) - 1 - depth]] += 1


@kernel
def score(state):
    if state[HELD] == state[HELD + 1]:
        return DRAW
    return WIN if state[HELD] < state[HELD + 1] else LOSS


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Shuffle the face-down cards: the two stacks, or the whole deck before the cards are opened."""
    other, cells = state.copy(), list(range(CARDS, CARDS + DECK))
    if state[PHASE] != DEALING:
        ends = [STACKS + STACK * (who + 1) for who in range(2)]
        cells = [end - 1 - depth for who, end in enumerate(ends) for depth in range(state[HELD + who] - ROW)]
    permute(other, cells, stream)
    return other


# The strategy: a quadratic value of the table after a play

OFFSETS = tuple(
    f"{who} {pile} pile{offset}"
    for who in ("own", "other")
    for pile in ("low", "high")
    for offset in ("-1", "+0", "+1")
)
FEATURES = (
    *("own open", "other open", "own left", "other left", "gap"),
    *OFFSETS,
    *("own plays", "other plays", "can go on"),
)
UNITS = (5.0, 5.0, 15.0, 15.0, *(4.0,) * 13, 10.0, 10.0, 1.0)  # a feature is a count divided by its unit
MANY = len(FEATURES)
LARGEST = 1e280  # larger parameters are clipped to this, so that no sum below overflows to inf - inf


@inlined
def bound(value):
    return min(max(value, -LARGEST), LARGEST)


@kernel
def prepare(theta, plan):
    """Write the coefficients of the counts: the linear ones, then a row of products for each, every pair once."""
    for i in range(MANY):
        plan[i] = bound(theta[i]) / UNITS[i]
        for j in range(MANY):
            both = bound(theta[MANY + MANY * i + j])
            if j != i:
                both += bound(theta[MANY + MANY * j + i])
            plan[MANY + MANY * i + j] = both / (UNITS[i] * UNITS[j]) if j <= i else 0.0


@kernel
def count_features(cells, pile_0, pile_1, held_own, held_other, own, other, counts):
    """Write the counts; `own` and `other` are the offsets of the two players' open cards in `cells`."""
    low, high = min(pile_0, pile_1), max(pile_0, pile_1)
    counts[0] = 0
    counts[1] = 0
    for rank in range(RANKS):
        counts[0] += cells[own + rank]
        counts[1] += cells[other + rank]
    counts[2] = held_own
    counts[3] = held_other
    counts[4] = min(high - low, RANKS - high + low)
    for who in range(2):
        place = own if who == 0 else other
        plays = 0
        for i in range(2):
            pile = low if i == 0 else high
            below_it, above_it = cells[place + ((pile - 1) & LAST)], cells[place + ((pile + 1) & LAST)]
            counts[5 + 6 * who + 3 * i] = below_it
            counts[6 + 6 * who + 3 * i] = cells[place + pile]
            counts[7 + 6 * who + 3 * i] = above_it
            plays += below_it + above_it
        counts[17 + who] = plays
    counts[19] = 1 if counts[17] > 0 else 0


@kernel
def value(plan, counts):
    """Return the quadratic form of the counts, skipping zeros (about half of them)."""
    total = 0.0
    for i in range(MANY):
        if counts[i] != 0:
            slope = plan[i]
            for j in range(i + 1):
                slope += plan[MANY + MANY * i + j] * counts[j]
            total += slope * counts[i]
    return total


@kernel
def best_play(plan, cells, pile, held_own, held_other, own, other, counts):
    """Return the play with the largest value, the first of equals, or a pass; arguments as in `count_features`."""
    best, most, alone = PASS, 0.0, True
    for action in range(PASS):
        rank, onto = action // 2, action % 2
        if cells[own + rank] > 0 and neighbours(rank, cells[pile + onto]):
            if best == PASS:
                best = action  # its value is needed only if there is another play
                continue
            if alone:
                alone = False
                most = value_of_play(plan, cells, pile, held_own, held_other, own, other, counts, best)
            found = value_of_play(plan, cells, pile, held_own, held_other, own, other, counts, action)
            if found > most:
                best, most = action, found
    return best


@kernel
def value_of_play(plan, cells, pile, held_own, held_other, own, other, counts, action):
    """Return the value of the table after a play, before the next card is opened."""
    rank, kept = action // 2, cells[pile + 1 - action % 2]
    cells[own + rank] -= 1
    count_features(cells, rank, kept, cells[held_own] - 1, cells[held_other], own, other, counts)
    cells[own + rank] += 1
    return value(plan, counts)


@kernel
def choose(seen, actions, plan, stream):
    counts = np.empty(MANY)
    return best_play(plan, seen, SEEN_PILE, SEEN_HELD, SEEN_HELD + 1, SEEN_OPEN, SEEN_OPEN + RANKS, counts)


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    counts = np.empty(MANY)
    start(state)
    while state[DEALT] < DECK - 1:
        deal(state, random_below(chance, DECK - state[DEALT]))
    open_cards(state)
    while state[PHASE] == PLAYING:
        if state[MOVER] == 0:
            action = best_play(plan_0, state, PILE, HELD, HELD + 1, OPEN, OPEN + RANKS, counts)
        else:
            action = best_play(plan_1, state, PILE, HELD + 1, HELD, OPEN + RANKS, OPEN, counts)
        apply(state, action)
    return score(state)


# Text


def label(action: int) -> str:
    return "pass" if action == PASS else f"{action // 2 + 1} on the {('left', 'right')[action % 2]} pile"


def cards_of(counts: np.ndarray) -> list[int]:
    return [rank for rank, number in enumerate(counts.tolist()) for _ in range(number)]


def row_of(cells: np.ndarray, first: int) -> str:
    """Return the cards counted by rank from cell `first` on, under their names 1 to 8."""
    return " ".join(str(rank + 1) for rank in cards_of(cells[first : first + RANKS])) or "none"


def show(seen: np.ndarray) -> str:
    if seen[SEEN_PHASE] == DEALING:
        return "the cards are being dealt"
    lines = [f"piles: {seen[SEEN_PILE] + 1} {seen[SEEN_PILE + 1] + 1}"]
    for i, who in enumerate(("you", "the other")):
        left, cards = int(seen[SEEN_HELD + i]), row_of(seen, SEEN_OPEN + RANKS * i)
        lines.append(f"{who}: {cards}" + (f", {left - ROW} in the stack" if left > ROW else ""))
    if seen[SEEN_PHASE] == PLAYING:
        turn = "your turn" if seen[SEEN_MINE] else "the other's turn"
        lines.append(turn + ", after a pass" * int(seen[SEEN_PASSES]))
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    if state[PHASE] == DEALING:
        return f"{state[DEALT]} of {DECK} cards are dealt"
    lines = [f"piles: {state[PILE] + 1} {state[PILE + 1] + 1}"]
    for player in range(2):
        end = STACKS + STACK * (player + 1)
        stack = state[end - max(int(state[HELD + player]) - ROW, 0) : end]
        open_now = row_of(state, OPEN + RANKS * player)
        lines.append(f"player {player + 1}: {open_now}; stack: {' '.join(str(card + 1) for card in stack) or 'none'}")
    return "\n".join(lines)


PRODUCTS = tuple(f"{one} * {other}" for one in FEATURES for other in FEATURES)


def coefficients(theta: np.ndarray) -> list[tuple[str, float]]:
    """Return the non-zero weights by name, largest first; each product of two features once."""
    square = theta[MANY:].reshape(MANY, MANY)
    once = np.triu(square + square.T) - np.diag(np.diag(square))
    weights = np.concatenate([theta[:MANY], once.ravel()])
    order = np.argsort(-np.abs(weights), kind="stable").tolist()
    names = FEATURES + PRODUCTS
    return [(names[i], float(weights[i])) for i in order if weights[i] != 0]


def describe(theta: np.ndarray) -> str:
    return "values " + (", ".join(f"{weight:+.3g} {name}" for name, weight in coefficients(theta)[:4]) or "nothing")


def linear(**weights: float) -> Vector:
    """Return the vector with these weights of single features and nothing else."""
    vector = [0.0] * (MANY + MANY * MANY)
    for name, weight in weights.items():
        vector[FEATURES.index(name.replace("_", " "))] = weight
    return tuple(vector)


SOURCE = (
    "Cauwet & Teytaud 2018, section III: the rules, five open cards, two piles, the circle of ranks, and a quadratic "
    "value function of 420 parameters. Ours: the deck (8 ranks of 4, as in nevergrad), passing, what happens when "
    "nobody can play, fewer cards win at the end, and the 20 features, which give 20 linear and 400 quadratic terms. "
    "lowest values nothing and plays its lowest card, mobile wants to have many plays, blocking wants the other to "
    "have few."
)

GAMES = (
    Game(
        name="flip",
        title="Flip, 8 ranks x 4",
        family="flip",
        category="Cards",
        rules=Rules(start, mover, legal, apply, view, score),
        resample=resample,
        sizes=Sizes(CARDS + DECK, SEEN_STACKED + RANKS, DECK),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=Strategy(
            "quadratic value of a play", FEATURES + PRODUCTS, MANY + MANY * MANY, prepare, choose, describe=describe
        ),
        policies={"lowest": linear(), "mobile": linear(own_plays=1.0), "blocking": linear(other_plays=-1.0)},
        play=play,
    ),
)
