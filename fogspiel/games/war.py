"""War and Batawaf: the winner of a trick may put the won cards under the deck in any order.

Data sheet of a state (int64 cells)
    0 PHASE     dealing, ordering, shuffling or finished
    1 VALUES    number of card values; the values are 0 (lowest) .. VALUES-1
    2 CARDS     cards in the game
    3 SHARED    1: in a battle both skip the face-down card when somebody holds only one
    4 MOVES     comparisons of face-up cards so far
    5 WINNER    who won the packet and orders it
    6 RESULT    the first player's score
    7 PACKET    cards in the packet (while dealing: cards not dealt yet)
    8 TOP       packet cards already placed from the top (they will be played first)
    9 BOTTOM    packet cards already placed from the bottom
   10 PLACED    bit i: card i of the packet has been placed
   11 HEAD      ring slot of the top card, for each player
   13 HELD      cards in the deck, for each player
   15 WON       the packet in ascending order (while dealing: the cards not dealt yet)
   71 DECK      a ring of 64 slots for each player's deck
Data sheet of a view: own cards, the other's cards, VALUES, PACKET, TOP, BOTTOM, PLACED, then WON, -1 beyond the packet.

Actions of the winner: 0..VALUES-1 put a card of that value into the topmost free place of the packet,
VALUES..2*VALUES-1 into the bottommost free place, 2*VALUES have the whole packet shuffled. The last card goes by itself.
"""

import math

import numpy as np

from ..game import CHANCE, DRAW, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy
from ..kernel import inlined, kernel
from ..rng import below, seed_of, shuffle, unit

PHASE, VALUES, CARDS, SHARED, MOVES, WINNER, RESULT, PACKET, TOP, BOTTOM, PLACED, HEAD, HELD, WON = (*range(12), 13, 15)
MOST_CARDS, RING = 56, 64
DECK = WON + MOST_CARDS
DEALING, ORDERING, SHUFFLING, FINISHED = range(4)
MOST_MOVES = 1_000_000
"""The paper's rule: a game of a million moves is a draw."""
SEEN_OWN, SEEN_OTHER, SEEN_VALUES, SEEN_PACKET, SEEN_TOP, SEEN_BOTTOM, SEEN_PLACED, SEEN_WON = range(8)


# The table


@inlined
def slot(state, player, depth):
    """The cell of the card that lies `depth` cards below the top of a player's deck."""
    return DECK + RING * player + ((state[HEAD + player] + depth) & (RING - 1))


@inlined
def turned_up(state, player):
    """The top card of a deck, taken off it."""
    card = state[slot(state, player, 0)]
    state[HEAD + player] += 1
    state[HELD + player] -= 1
    return card


@inlined
def lay(state, card):
    """Add a card to the packet, keeping it sorted."""
    i = state[PACKET]
    while i > 0 and state[WON + i - 1] > card:
        state[WON + i] = state[WON + i - 1]
        i -= 1
    state[WON + i] = card
    state[PACKET] += 1


@inlined
def finish(state, result):
    """End the game."""
    state[PHASE] = FINISHED
    state[RESULT] = result


@kernel
def play_trick(state):
    """Turn cards up until somebody wins the packet or the game is over."""
    state[PACKET] = 0
    state[TOP] = 0
    state[BOTTOM] = 0
    state[PLACED] = 0
    if state[HELD] == 0 or state[HELD + 1] == 0:
        finish(state, WIN if state[HELD] > 0 else LOSS)
        return
    while state[MOVES] < MOST_MOVES:
        card_0, card_1 = turned_up(state, 0), turned_up(state, 1)
        lay(state, card_0)
        lay(state, card_1)
        state[MOVES] += 1
        if card_0 != card_1:
            state[WINNER] = 0 if card_0 > card_1 else 1
            state[PHASE] = ORDERING
            return
        # A battle: one card face down, then one face up, unless somebody cannot.
        held_0, held_1 = state[HELD], state[HELD + 1]
        skip = state[SHARED] == 1 and min(held_0, held_1) == 1
        needed = 1 if skip else 2
        if held_0 < needed or held_1 < needed:
            both = held_0 < needed and held_1 < needed
            finish(state, DRAW if both else (LOSS if held_0 < needed else WIN))
            return
        if not skip:
            lay(state, turned_up(state, 0))
            lay(state, turned_up(state, 1))
    finish(state, DRAW)


@inlined
def put_under(state, place, card):
    """Put a packet card at its place under the winner's deck."""
    state[slot(state, state[WINNER], state[HELD + state[WINNER]] + place)] = card


@inlined
def deal(state, which):
    """Deal one of the undealt cards, to each player in turn."""
    player = (state[CARDS] - state[PACKET]) % 2
    state[slot(state, player, state[HELD + player])] = state[WON + which]
    state[HELD + player] += 1
    state[PACKET] -= 1
    state[WON + which] = state[WON + state[PACKET]]


@inlined
def unplaced(state, nth):
    """The index of the nth packet card that has not been placed."""
    i = -1
    while nth >= 0:
        i += 1
        if not state[PLACED] >> i & 1:
            nth -= 1
    return i


# The six rules


@kernel
def lay_out(state, values, copies, shared):
    """Put all the cards of a deck on the table, undealt."""
    for i in range(WON):
        state[i] = 0
    state[VALUES] = values
    state[CARDS] = values * copies
    state[SHARED] = shared
    state[PACKET] = values * copies
    for i in range(values * copies):
        state[WON + i] = i // copies


def start_with(values, copies, shared):
    """The start kernel of a deck."""

    @kernel
    def start(state):
        lay_out(state, values, copies, shared)

    return start


@kernel
def mover(state):
    if state[PHASE] == FINISHED:
        return OVER
    return state[WINNER] if state[PHASE] == ORDERING else CHANCE


@kernel
def legal(state, out):
    if state[PHASE] != ORDERING:  # deal or shuffle: any of the cards that are left
        left = state[PACKET] - state[TOP]
        for i in range(left):
            out[i] = i
        return left
    count = 0
    for i in range(state[PACKET]):
        if not state[PLACED] >> i & 1 and (count == 0 or out[count - 1] != state[VALUES] + state[WON + i]):
            out[count] = state[WON + i]
            out[count + 1] = state[VALUES] + state[WON + i]
            count += 2
    if state[TOP] + state[BOTTOM] == 0:
        out[count] = 2 * state[VALUES]
        count += 1
    return count


@kernel
def apply(state, action):
    if state[PHASE] == DEALING:
        deal(state, action)
        if state[PACKET] == 1:
            deal(state, 0)
            play_trick(state)
        return
    values = state[VALUES]
    if state[PHASE] == ORDERING and action == 2 * values:
        state[PHASE] = SHUFFLING
        return
    card = unplaced(state, action) if state[PHASE] == SHUFFLING else 0
    if state[PHASE] == ORDERING:
        while state[PLACED] >> card & 1 or state[WON + card] != action % values:
            card += 1
    if state[PHASE] == ORDERING and action >= values:
        put_under(state, state[PACKET] - 1 - state[BOTTOM], state[WON + card])
        state[BOTTOM] += 1
    else:
        put_under(state, state[TOP], state[WON + card])
        state[TOP] += 1
    state[PLACED] |= 1 << card
    if state[TOP] + state[BOTTOM] == state[PACKET] - 1:
        put_under(state, state[TOP], state[WON + unplaced(state, 0)])
        state[HELD + state[WINNER]] += state[PACKET]
        play_trick(state)


@kernel
def view(state, player, out):
    out[SEEN_OWN] = state[HELD + player]
    out[SEEN_OTHER] = state[HELD + 1 - player]
    out[SEEN_VALUES] = state[VALUES]
    ordering = state[PHASE] == ORDERING and state[WINNER] == player
    out[SEEN_PACKET] = state[PACKET] if ordering else 0
    out[SEEN_TOP] = state[TOP] if ordering else 0
    out[SEEN_BOTTOM] = state[BOTTOM] if ordering else 0
    out[SEEN_PLACED] = state[PLACED] if ordering else 0
    for i in range(MOST_CARDS):
        out[SEEN_WON + i] = state[WON + i] if i < out[SEEN_PACKET] else -1


@kernel
def score(state):
    return state[RESULT]


# The strategy of the paper, section V-A

PLAN_SHUFFLE, PLAN_FORWARD, PLAN_CERTAIN, PLAN_ORDERS = range(4)
PLAN = PLAN_ORDERS + MOST_CARDS * (MOST_CARDS + 1) // 2
CERTAIN = 1 - 1e-12


@inlined
def in_order(plan, packet, i):
    """pi(i): which of the ascending cards comes i-th in a packet of that size."""
    return int(plan[PLAN_ORDERS + packet * (packet - 1) // 2 + i])


@kernel
def prepare(theta, plan):
    """Turn A, B, C into probabilities, and D (where there is one) into a permutation pi for every packet size."""
    most = max(theta[0], theta[1], theta[2])
    a, b, c = math.exp(theta[0] - most), math.exp(theta[1] - most), math.exp(theta[2] - most)
    plan[PLAN_SHUFFLE] = a / (a + b + c)
    plan[PLAN_FORWARD] = (a + b) / (a + b + c)
    plan[PLAN_CERTAIN] = 0
    if b >= CERTAIN * (a + b + c) or c >= CERTAIN * (a + b + c):
        plan[PLAN_CERTAIN] = 1
        plan[PLAN_SHUFFLE] = 0
        plan[PLAN_FORWARD] = 1 if b > c else 0
    order = np.empty(MOST_CARDS, np.int64)
    stream = np.empty(1, np.uint64)
    for packet in range(1, MOST_CARDS + 1):
        for i in range(packet):
            order[i] = i
        if len(theta) == 4:
            stream[0] = seed_of(theta[3], packet)
            shuffle(stream, order[:packet])
        for i in range(packet):
            plan[PLAN_ORDERS + packet * (packet - 1) // 2 + i] = order[i]


@kernel
def choose(seen, actions, plan, stream):
    """Shuffle, or place the cards in the order pi from the top, or in the same order from the bottom (its reversal)."""
    packet, values = seen[SEEN_PACKET], seen[SEEN_VALUES]
    if seen[SEEN_TOP] > 0:
        return seen[SEEN_WON + in_order(plan, packet, seen[SEEN_TOP])]
    if seen[SEEN_BOTTOM] > 0:
        return values + seen[SEEN_WON + in_order(plan, packet, seen[SEEN_BOTTOM])]
    u = unit(stream)
    if u < plan[PLAN_SHUFFLE]:
        return 2 * values
    first = seen[SEEN_WON + in_order(plan, packet, 0)]
    return first if u < plan[PLAN_FORWARD] else values + first


# The same game in one kernel


@kernel
def order_packet(state, plan, chance, stream):
    """The winner's whole pick-up: what `choose` and chance do card by card."""
    packet = state[PACKET]
    u = unit(stream)
    if u < plan[PLAN_SHUFFLE]:
        for place in range(packet - 1):
            i = below(chance, packet - place)
            put_under(state, place, state[WON + i])
            for j in range(i, packet - place - 1):
                state[WON + j] = state[WON + j + 1]
        put_under(state, packet - 1, state[WON])
    else:
        forward = u < plan[PLAN_FORWARD]
        for i in range(packet):
            put_under(state, i if forward else packet - 1 - i, state[WON + in_order(plan, packet, i)])
    state[HELD + state[WINNER]] += packet


@inlined
def deck_card(state, i):
    """The i-th card of both decks laid end to end."""
    return state[slot(state, 0, i)] if i < state[HELD] else state[slot(state, 1, i - state[HELD])]


@kernel
def same_decks(state, kept):
    """Whether the decks are as they were when they were kept."""
    if kept[0] != state[HELD]:
        return False
    for i in range(state[HELD] + state[HELD + 1]):
        if kept[1 + i] != deck_card(state, i):
            return False
    return True


@kernel
def keep_decks(state, kept):
    """Remember the decks for `same_decks`."""
    kept[0] = state[HELD]
    for i in range(state[CARDS]):
        kept[1 + i] = deck_card(state, i)


@kernel
def play_out(state, plan_0, plan_1, chance, stream_0, stream_1):
    """The game from the deal on: the common trick of two different cards runs in registers, the rest by the rules.

    Between players who never vary, decks that return mean an endless game, which is a draw (Brent's cycle search).
    """
    head_0, held_0, head_1, held_1 = state[HEAD], state[HELD], state[HEAD + 1], state[HELD + 1]
    moves = state[MOVES]
    shuffle_0, forward_0, high_0 = plan_0[PLAN_SHUFFLE], plan_0[PLAN_FORWARD], in_order(plan_0, 2, 0)
    shuffle_1, forward_1, high_1 = plan_1[PLAN_SHUFFLE], plan_1[PLAN_FORWARD], in_order(plan_1, 2, 0)
    certain = plan_0[PLAN_CERTAIN] == 1 and plan_1[PLAN_CERTAIN] == 1
    kept = np.full(1 + MOST_CARDS, -1)
    power, steps = 1, 0
    while True:
        if certain:
            steps += 1
            if held_0 == kept[0] or steps == power:
                state[HEAD], state[HELD], state[HEAD + 1], state[HELD + 1] = head_0, held_0, head_1, held_1
                if same_decks(state, kept):
                    return DRAW
            if steps == power:
                power *= 2
                steps = 0
                keep_decks(state, kept)
        card_0 = state[DECK + (head_0 & (RING - 1))]
        card_1 = state[DECK + RING + (head_1 & (RING - 1))]
        if card_0 == card_1 or held_0 == 0 or held_1 == 0 or moves >= MOST_MOVES:
            state[HEAD], state[HELD], state[HEAD + 1], state[HELD + 1] = head_0, held_0, head_1, held_1
            state[MOVES] = moves
            play_trick(state)
            if state[PHASE] == FINISHED:
                return state[RESULT]
            if state[WINNER] == 0:
                order_packet(state, plan_0, chance, stream_0)
            else:
                order_packet(state, plan_1, chance, stream_1)
            head_0, held_0, head_1, held_1 = state[HEAD], state[HELD], state[HEAD + 1], state[HELD + 1]
            moves = state[MOVES]
            continue
        moves += 1
        head_0 += 1
        head_1 += 1
        held_0 -= 1
        held_1 -= 1
        low, high = min(card_0, card_1), max(card_0, card_1)
        if card_0 > card_1:
            u = unit(stream_0)
            high_first = below(chance, 2) if u < shuffle_0 else (high_0 if u < forward_0 else 1 - high_0)
            tail = head_0 + held_0
            state[DECK + (tail & (RING - 1))] = high if high_first else low
            state[DECK + ((tail + 1) & (RING - 1))] = low if high_first else high
            held_0 += 2
        else:
            u = unit(stream_1)
            high_first = below(chance, 2) if u < shuffle_1 else (high_1 if u < forward_1 else 1 - high_1)
            tail = head_1 + held_1
            state[DECK + RING + (tail & (RING - 1))] = high if high_first else low
            state[DECK + RING + ((tail + 1) & (RING - 1))] = low if high_first else high
            held_1 += 2


def play_with(values, copies, shared):
    """The fused kernel of a deck."""

    @kernel
    def play(state, plan_0, plan_1, chance, stream_0, stream_1):
        lay_out(state, values, copies, shared)
        while state[PACKET] > 1:
            deal(state, below(chance, state[PACKET]))
        deal(state, 0)
        return play_out(state, plan_0, plan_1, chance, stream_0, stream_1)

    return play


# Words


def card_name(values: int, card: int) -> str:
    """A card as people call it."""
    faces = {13: "2 3 4 5 6 7 8 9 10 J Q K A", 14: "2 3 4 5 6 7 8 9 10 J C Q K A"}
    return faces[values].split()[card] if values in faces else str(card + 1)


def show(seen: np.ndarray) -> str:
    values, packet = int(seen[SEEN_VALUES]), int(seen[SEEN_PACKET])
    lines = [f"your deck: {seen[SEEN_OWN]} cards; the other's: {seen[SEEN_OTHER]}"]
    if packet:
        cards = " ".join(
            f"({card_name(values, int(seen[SEEN_WON + i]))})" if seen[SEEN_PLACED] >> i & 1 else card_name(values, int(seen[SEEN_WON + i]))
            for i in range(packet)
        )
        lines.append(f"you won: {cards}   (placed: {seen[SEEN_TOP]} from the top, {seen[SEEN_BOTTOM]} from the bottom)")
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    values = int(state[VALUES])
    lines = []
    for player in (0, 1):
        ring = [int(state[slot(state, player, i)]) for i in range(state[HELD + player])]
        lines.append(f"player {player + 1} ({len(ring)}): " + " ".join(card_name(values, card) for card in ring))
    packet = [card_name(values, int(card)) for card in state[WON : WON + state[PACKET]]]
    lines.append(("undealt: " if state[PHASE] == DEALING else "packet: ") + " ".join(packet))
    return "\n".join(lines)


def label_with(values: int):
    """The label function of a deck."""

    def label(action: int) -> str:
        if action == 2 * values:
            return "shuffle the packet"
        return f"{card_name(values, action % values)} next from the {'top' if action < values else 'bottom'}"

    return label


FAR = 50.0
"""A parameter difference that makes a probability certain."""

SOURCE = (
    "Rules and strategy: Cauwet & Teytaud 2018, section V-A. Ours: a player who cannot continue a battle loses, "
    "the hash that turns D into permutations, and the deck sizes, which were found by matching the paper's figures."
)


def deck(name: str, title: str, values: int, copies: int, parameters: int, shared: bool = False) -> Game:
    """The record of one deck."""
    letters = ("A", "B", "C", "D")[:parameters]
    tail = (0.0,) * (parameters - 3)
    return Game(
        name=name,
        title=title,
        version=1,
        rules=Rules(start_with(values, copies, int(shared)), mover, legal, apply, view, score),
        sizes=Sizes(DECK + 2 * RING, SEEN_WON + MOST_CARDS, max(values * copies, 2 * values + 1)),
        show=show,
        reveal=reveal,
        label=label_with(values),
        source=SOURCE,
        strategy=Strategy("order of won cards", letters, PLAN, prepare, choose, hashed=letters[3:]),
        named={
            "random": (FAR, 0.0, 0.0, *tail),
            **({"ascending": (0.0, FAR, 0.0), "descending": (0.0, 0.0, FAR)} if parameters == 3 else {}),
        },
        play=play_with(values, copies, int(shared)),
        symmetric=True,
    )


GAMES = (
    deck("war", "War, 13 values x 4", 13, 4, 3),
    deck("war4", "War, 13 values x 4, with a permutation parameter", 13, 4, 4),
    deck("war56", "War, 14 values x 4", 14, 4, 3),
    deck("war56-4", "War, 14 values x 4, with a permutation parameter", 14, 4, 4),
    deck("war-shared", "War, 13 values x 4, both skip the face-down card when one is short", 13, 4, 3, shared=True),
    deck("batawaf", "Batawaf, 6 values x 6", 6, 6, 3),
    deck("batawaf4", "Batawaf, 6 values x 6, with a permutation parameter", 6, 6, 4),
    deck("batawaf-shared", "Batawaf, 6 values x 6, both skip the face-down card when one is short", 6, 6, 3, shared=True),
)
