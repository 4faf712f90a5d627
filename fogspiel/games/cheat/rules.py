"""Cheat: get rid of your cards; they ought to be of the current colour, but lie face down.

The starter of a round lays a card face up, and its colour becomes the current one. Then in turn each player lays any
card face down or calls "cheat" on the last one: if it is of the current colour the caller takes the pile, otherwise
the opponent does. The player who took the pile starts the next round. A player without cards wins; 1000 actions make
a draw. All cards are in the two hands when the table is empty, so information is hidden only within a round.

Data sheet of a state (int64 cells)
    0 CHALLENGED  1 if even the last card of a player may be called, which wins only if it was honest or not called
    1 RESULT      the first player's score, -1 before the end
    2 DEALT       cards dealt to the first player, who gets 26; the second player gets the rest
    3 TURN        the player to move
    4 ACTIONS     cards laid and calls made so far
    5 COLOUR      the current colour, -1 when the table is empty
    6 OPENER      the player who laid the first card of the pile
    7 LAST        the colour of the last card laid
    8 HAND        cards of each colour in the first player's hand, then in the second player's
   16 LAID        cards of each colour in the pile by the first player, then by the second
Data sheet of a view: 1 if it is one's turn, RESULT, ACTIONS, COLOUR, 1 if one opened the pile, the number of the
opponent's cards in its hand and in the pile, then one's own cards of each colour in the hand and in the pile.

Chance deals the first player one of the cards left, numbered by colour. Actions: 0..3 lay a card of that colour,
4 call "cheat".
"""

import numpy as np

from ...core.compile.kernel import Kernel, inlined, kernel
from ...core.game import CHANCE, DRAW, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy, nothing_to_prepare
from ...core.rng import GOLDEN, normal, random_below, random_unit, seed_of, split
from ..boards.board import permute, pick

CHALLENGED, RESULT, DEALT, TURN, ACTIONS, COLOUR, OPENER, LAST, HAND, LAID = (*range(9), 16)
COLOURS, RANKS = 4, 13
CARDS, HALF = COLOURS * RANKS, COLOURS * RANKS // 2
CALL = COLOURS
MAX_ACTIONS = 1000
SEEN_MINE, SEEN_RESULT, SEEN_ACTIONS, SEEN_COLOUR, SEEN_OPENED, SEEN_OTHER, SEEN_OTHER_LAID, SEEN_HAND = range(8)
SEEN_LAID = SEEN_HAND + COLOURS


# The six rules


@kernel
def clear(state, challenged):
    for cell in range(LAID + 2 * COLOURS):
        state[cell] = 0
    state[CHALLENGED] = challenged
    state[RESULT] = -1
    state[COLOUR] = -1


def start_with(challenged: int) -> Kernel:
    """Make the start kernel; `challenged` is 1 if a player's last card may be called."""

    @kernel
    def start(state):
        clear(state, challenged)

    return start


@kernel
def mover(state):
    if state[RESULT] >= 0:
        return OVER
    return state[TURN] if state[DEALT] == HALF else CHANCE


@kernel
def legal(state, out):
    if state[DEALT] < HALF:
        for card in range(CARDS - state[DEALT]):
            out[card] = card
        return CARDS - state[DEALT]
    count = 0
    for colour in range(COLOURS):
        if state[HAND + COLOURS * state[TURN] + colour] > 0:
            out[count] = colour
            count += 1
    if state[COLOUR] >= 0:
        out[count] = CALL
        count += 1
    return count


@inlined
def total(cells, at):
    """Return the number of cards of all colours counted from cell `at` on."""
    return cells[at] + cells[at + 1] + cells[at + 2] + cells[at + 3]


@kernel
def deal(state, card):
    """Deal the first player one of the cards left; after its 26 the second player gets the others."""
    colour = 0
    while card >= RANKS - state[HAND + colour]:
        card -= RANKS - state[HAND + colour]
        colour += 1
    state[HAND + colour] += 1
    state[DEALT] += 1
    if state[DEALT] == HALF:
        for c in range(COLOURS):
            state[HAND + COLOURS + c] = RANKS - state[HAND + c]


@inlined
def win(state, player):
    state[RESULT] = WIN if player == 0 else LOSS


@kernel
def call(state):
    """Turn up the last card; the liar or else the caller takes the pile and starts the next round."""
    caller = state[TURN]
    taker = caller if state[LAST] == state[COLOUR] else 1 - caller
    for colour in range(COLOURS):
        state[HAND + COLOURS * taker + colour] += state[LAID + colour] + state[LAID + COLOURS + colour]
        state[LAID + colour] = 0
        state[LAID + COLOURS + colour] = 0
    state[COLOUR] = -1
    state[TURN] = taker
    if total(state, HAND + COLOURS * (1 - caller)) == 0:
        win(state, 1 - caller)


@kernel
def lay(state, colour):
    """Lay a card; a player without cards wins at once, or, if the last card may be called, once it was not called."""
    player = state[TURN]
    state[HAND + COLOURS * player + colour] -= 1
    state[LAID + COLOURS * player + colour] += 1
    state[LAST] = colour
    if state[COLOUR] < 0:
        state[COLOUR] = colour
        state[OPENER] = player
    state[TURN] = 1 - player
    if state[CHALLENGED] == 0 and total(state, HAND + COLOURS * player) == 0:
        win(state, player)
    elif total(state, HAND + COLOURS * (1 - player)) == 0:
        win(state, 1 - player)


@kernel
def apply(state, action):
    if state[DEALT] < HALF:
        deal(state, action)
        return
    if action == CALL:
        call(state)
    else:
        lay(state, action)
    state[ACTIONS] += 1
    if state[RESULT] < 0 and state[ACTIONS] == MAX_ACTIONS:
        state[RESULT] = DRAW


@kernel
def view(state, player, out):
    own, other = COLOURS * player, COLOURS * (1 - player)
    out[SEEN_MINE] = 1 if state[DEALT] == HALF and state[TURN] == player else 0
    out[SEEN_RESULT] = state[RESULT]
    out[SEEN_ACTIONS] = state[ACTIONS]
    out[SEEN_COLOUR] = state[COLOUR]
    out[SEEN_OPENED] = 1 if state[COLOUR] >= 0 and state[OPENER] == player else 0
    out[SEEN_OTHER] = total(state, HAND + other)
    out[SEEN_OTHER_LAID] = total(state, LAID + other)
    for colour in range(COLOURS):
        out[SEEN_HAND + colour] = state[HAND + own + colour]
        out[SEEN_LAID + colour] = state[LAID + own + colour]


@kernel
def score(state):
    return state[RESULT]


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Redeal the opponent's cards to its hand and its part of the pile, of which the opening card is known."""
    other, (own, theirs) = state.copy(), (COLOURS * player, COLOURS * (1 - player))
    known = np.zeros(COLOURS, np.int64)
    if state[COLOUR] >= 0 and state[OPENER] != player:
        known[state[COLOUR]] = 1
    elsewhere = RANKS - state[HAND + own :][:COLOURS] - state[LAID + own :][:COLOURS] - known
    cards = np.repeat(np.arange(COLOURS), elsewhere)
    permute(cards, range(len(cards)), stream)
    held = total(state, HAND + theirs)
    hidden = cards[held : held + total(state, LAID + theirs) - known.sum()]
    other[HAND + theirs :][:COLOURS] = np.bincount(cards[:held], minlength=COLOURS)
    other[LAID + theirs :][:COLOURS] = np.bincount(hidden, minlength=COLOURS) + known
    if len(hidden) and state[TURN] == player:
        other[LAST] = pick(hidden.tolist(), stream)
    return other


# Action values, and the best action after Gaussian noise, by tables or by exact numbers.
#
# A Gaussian number is made of two uniform ones (Box and Muller): its radius follows from the first, its angle from the
# second. Tables of their leading bits bound it from both sides. Where these bounds single out one action, as they
# nearly always do, no logarithm or cosine is needed. Rounding is monotone, so the choice is the same to the last bit.

NOISE = 0.1
FARTHEST = 8.6  # no Gaussian number made of 53 random bits is farther from 0
CELLS = 1024
_EDGES = np.sqrt(-2 * np.log1p(-np.arange(CELLS) / CELLS))
_ENDS = np.append(_EDGES[1:], FARTHEST)
RADIUS = (_EDGES + _ENDS) / 2
COSINE = np.cos(2 * np.pi * (np.arange(CELLS) + 0.5) / CELLS)
# Largest error of RADIUS x COSINE: half a cell of the radius, half a cell of the angle, rounding.
SLACK = (_ENDS - _EDGES) / 2 + _ENDS * np.pi / CELLS + 1e-9


@inlined
def value_of(t, a, b, c, d, e, f):
    """Return the sum of theta_ij x_i x_j for 0 <= i <= j <= 6 with x_0 = 1 and x_1 .. x_6 = a .. f."""
    # One separate sum per row of the triangle, so that they can be computed in parallel.
    return (
        (t[0] + t[1] * a + t[2] * b + t[3] * c + t[4] * d + t[5] * e + t[6] * f)
        + (t[7] * a + t[8] * b + t[9] * c + t[10] * d + t[11] * e + t[12] * f) * a
        + (t[13] * b + t[14] * c + t[15] * d + t[16] * e + t[17] * f) * b
        + (t[18] * c + t[19] * d + t[20] * e + t[21] * f) * c
        + (t[22] * d + t[23] * e + t[24] * f) * d
        + (t[25] * e + t[26] * f) * e
        + (t[27] * f) * f
    )


@kernel
def noisy_best(values, stream, bounds):
    """Return the index of the greatest value with noise, the first of equals; -inf gets no noise and never wins.

    Every other index uses its two numbers of the stream, in order. `bounds` is a buffer for their upper bounds.
    """
    base, bar = stream[0], -np.inf
    for place in range(len(values)):
        bounds[place] = -np.inf
        if values[place] > -np.inf:
            share, turn = np.int64(CELLS * random_unit(stream)), np.int64(CELLS * random_unit(stream))
            middle, slack = RADIUS[share] * COSINE[turn], SLACK[share]
            bar = max(bar, values[place] + NOISE * (middle - slack))
            bounds[place] = values[place] + NOISE * (middle + slack)
    best, rivals = -1, 0
    for place in range(len(values)):
        if bounds[place] >= bar:
            best = place
            rivals += 1
    return best if rivals == 1 else exact_best(values, stream, base, bounds, bar)


@kernel
def exact_best(values, stream, base, bounds, bar):
    """Return the same by the exact numbers, among the indices whose upper bound reaches the bar."""
    after, best, highest, rank = stream[0], -1, 0.0, 0
    for place in range(len(values)):
        if values[place] == -np.inf:
            continue
        if bounds[place] >= bar:
            stream[0] = base + np.uint64(2 * rank) * GOLDEN
            value = values[place] + NOISE * normal(stream)
            if best < 0 or value > highest:
                best, highest = place, value
        rank += 1
    stream[0] = after
    return best


# The strategy: a quadratic value of an action's consequences, with noise

FEATURES = 6
TERMS = (FEATURES + 1) * (FEATURES + 2) // 2
SEED = TERMS
SPECIAL = 0.5
LARGEST = 1e280  # larger parameters are clipped to this, so that no value overflows


@kernel
def prepare(theta, plan):
    """Write the coefficients, and the bits of the seed given by the 29th parameter."""
    for term in range(TERMS):
        plan[term] = min(max(theta[term], -LARGEST), LARGEST)
    if len(theta) > SEED:
        plan.view(np.uint64)[SEED] = seed_of(theta[SEED], 0)


@inlined
def weigh_round(plan, seen, own, pile, values):
    """Write action values within a round: all lies have the same value; a call leaves the cards as they are."""
    colour = seen[SEEN_COLOUR]
    suited, other = seen[SEEN_HAND + colour], seen[SEEN_OTHER]
    a, b, c = (own - 1) / HALF, other / HALF, (pile + 1) / HALF
    lie = -np.inf
    if own > suited:
        lie = value_of(plan, a, b, c, suited / RANKS, 1.0, 0.0)
    for action in range(COLOURS):
        values[action] = lie if seen[SEEN_HAND + action] > 0 else -np.inf
    if suited > 0:
        values[colour] = value_of(plan, a, b, c, (suited - 1) / RANKS, 0.0, 0.0)
    # The probability that a random card, of those that the opponent has or had, is not of the current colour.
    doubt = 1.0 - (RANKS - suited - seen[SEEN_LAID + colour]) / (other + seen[SEEN_OTHER_LAID])
    values[CALL] = value_of(plan, own / HALF, b, pile / HALF, suited / RANKS, doubt, 1.0)


@inlined
def weigh_openings(plan, seen, own, values):
    """Write action values at an empty table: the card laid sets the current colour."""
    a, b, c = (own - 1) / HALF, seen[SEEN_OTHER] / HALF, 1 / HALF
    for action in range(COLOURS):
        values[action] = -np.inf
        if seen[SEEN_HAND + action] > 0:
            values[action] = value_of(plan, a, b, c, (seen[SEEN_HAND + action] - 1) / RANKS, 0.0, 0.0)
    values[CALL] = -np.inf


@kernel
def oddity(plan, action, seen, own, pile, hashed):
    """Return a value's arbitrary part: a Gaussian number hashed from the 29th parameter, the action and the sizes."""
    sizes = (pile * (CARDS + 1) + own) * (CARDS + 1) + seen[SEEN_OTHER]
    hashed[0] = split(plan.view(np.uint64)[SEED], sizes * (CALL + 1) + action)
    return SPECIAL * normal(hashed)


@kernel
def decision(seen, plan, stream, values, bounds, hashed):
    """Return the action with the greatest noisy value, the lowest of equals."""
    own, pile = total(seen, SEEN_HAND), total(seen, SEEN_LAID) + seen[SEEN_OTHER_LAID]
    if seen[SEEN_COLOUR] >= 0:
        weigh_round(plan, seen, own, pile, values)
    else:
        weigh_openings(plan, seen, own, values)
    if len(plan) > SEED:
        for action in range(CALL + 1):
            if values[action] > -np.inf:
                values[action] += oddity(plan, action, seen, own, pile, hashed)
    return noisy_best(values, stream, bounds)


@kernel
def choose(seen, actions, plan, stream):
    return decision(seen, plan, stream, np.empty(CALL + 1), np.empty(CALL + 1), np.empty(1, np.uint64))


def play_with(challenged: int) -> Kernel:
    """Make the fused kernel: the same game without lists of actions."""

    @kernel
    def play(state, plan_0, plan_1, chance, stream_0, stream_1):
        seen, hashed = np.empty(SEEN_LAID + COLOURS, np.int64), np.empty(1, np.uint64)
        values, bounds = np.empty(CALL + 1), np.empty(CALL + 1)
        clear(state, challenged)
        while state[DEALT] < HALF:
            deal(state, random_below(chance, CARDS - state[DEALT]))
        while state[RESULT] < 0:
            view(state, state[TURN], seen)
            if state[TURN] == 0:
                apply(state, decision(seen, plan_0, stream_0, values, bounds, hashed))
            else:
                apply(state, decision(seen, plan_1, stream_1, values, bounds, hashed))
        return state[RESULT]

    return play


# The never-lose player: Cauwet and Teytaud 2018, section V-C


@kernel
def choose_never_lose(seen, actions, plan, stream):
    """Play anything while the opponent has more than three cards; then call, and open with a colour that it lacks."""
    if seen[SEEN_OTHER] > 3:
        return actions[random_below(stream, len(actions))]
    if seen[SEEN_COLOUR] >= 0:
        return CALL
    opening = 0  # the opponent has three cards at most, so one of the four colours is entirely the player's own
    for colour in range(1, COLOURS):
        if seen[SEEN_HAND + colour] > seen[SEEN_HAND + opening]:
            opening = colour
    return opening


# Text

NAMES = ("clubs", "diamonds", "hearts", "spades")


def label(action: int) -> str:
    return "call cheat" if action == CALL else f"lay {NAMES[action]}"


def count_cards(cells: np.ndarray) -> str:
    return ", ".join(f"{int(n)} {name}" for n, name in zip(cells, NAMES, strict=True) if n) or "nothing"


def pile_text(colour: int, own: str, other: str) -> str:
    return "the table is empty" if colour < 0 else f"current colour {NAMES[colour]}; in the pile: {own}; {other}"


def show(seen: np.ndarray) -> str:
    colour, other, laid = int(seen[SEEN_COLOUR]), int(seen[SEEN_OTHER]), int(seen[SEEN_OTHER_LAID])
    hand, own = seen[SEEN_HAND:SEEN_LAID], seen[SEEN_LAID:]
    lines = [f"your hand: {count_cards(hand)}", f"the other has {other} card{'' if other == 1 else 's'}"]
    if colour < 0 and hand.sum() + other == CARDS:
        lines[1] += f": {count_cards(RANKS - hand)}"
    return "\n".join([*lines, pile_text(colour, f"yours {count_cards(own)}", f"{laid} of the other's")])


def reveal(state: np.ndarray) -> str:
    hands, laid = state[HAND:LAID].reshape(2, COLOURS), state[LAID:].reshape(2, COLOURS)
    lines = [f"player {player + 1}: {count_cards(hands[player])}" for player in (0, 1)]
    ours, theirs = (f"player {player + 1} {count_cards(laid[player])}" for player in (0, 1))
    return "\n".join([*lines, pile_text(int(state[COLOUR]), ours, theirs)])


X = ("1", "own hand", "other's hand", "pile", "own suited", "lie", "call")
NEVER_LOSE = Strategy("never lose", (), 1, nothing_to_prepare, choose_never_lose)
PARAMETERS = tuple(f"{X[i]} x {X[j]}" for i in range(FEATURES + 1) for j in range(i, FEATURES + 1))
FAMILY = Strategy("quadratic value of an action", PARAMETERS, TERMS, prepare, choose)
SPECIAL_NAME = "quadratic value of an action, oddly perturbed"
SPECIAL_FAMILY = Strategy(SPECIAL_NAME, (*PARAMETERS, "seed"), TERMS + 1, prepare, choose, unordered=("seed",))

SOURCE = (
    "Cauwet & Teytaud 2018: rules, a randomly perturbed quadratic value function with 28 parameters, a 29th that "
    "perturbs it arbitrarily (special), and never_lose (section V-C; here also with fewer than 3 cards). Derived: 28 "
    "are the terms of a quadratic function of six features. Ours: the features, the sizes of the perturbations, ties, "
    "the draw after 1000 actions, and random actions of never_lose while the other has more than 3 cards. By the "
    "paper's words who lays the last own card wins at once; ours: in cheat-challenge-last it may be called first."
)


def table(name: str, title: str, strategy: Strategy, challenged: int = 0) -> Game:
    return Game(
        name=name,
        title=title,
        family="cheat",
        category="Cards",
        rules=Rules(start_with(challenged), mover, legal, apply, view, score),
        resample=resample,
        sizes=Sizes(LAID + 2 * COLOURS, SEEN_LAID + COLOURS, CARDS),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=strategy,
        policies={"never_lose": NEVER_LOSE},
        play=play_with(challenged),
    )


GAMES = (
    table("cheat", "Cheat", FAMILY),
    table("cheat-special", "Cheat, with an arbitrary perturbation of the values", SPECIAL_FAMILY),
    table("cheat-challenge-last", "Cheat, even the last card may be called", FAMILY, 1),
)
