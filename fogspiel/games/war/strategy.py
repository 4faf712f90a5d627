"""War and Batawaf: the strategy of the paper (put won cards back best first), fast games, and text.

The rules and the data sheet are in `rules.py`.
"""

import math
from functools import partial

import numpy as np

from ...core.agents import ParametricPolicy
from ...core.compile.kernel import Kernel, inlined, kernel
from ...core.explain import Cell, Explanation, Table, percent
from ...core.game import DRAW, Game, Rules, Sizes, Strategy
from ...core.rng import GOLDEN, S11, UNIT, mixed, random_below, random_unit, seed_of, shuffle
from . import rules
from .rules import DECK, HEAD, HELD, MAX_CARDS, MOVES, PACKET, PHASE, RING, WINNER, WON, card_name, slot

# The strategy of the paper, section V-A

PLAN_SHUFFLE, PLAN_FORWARD, PLAN_CERTAIN, PLAN_ORDERS = range(4)
PLAN = PLAN_ORDERS + MAX_CARDS * (MAX_CARDS + 1) // 2
CERTAIN = 1 - 1e-12


@inlined
def in_order(plan, packet, i):
    """Return pi(i): the index, in ascending order, of the i-th card of a packet of that size."""
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
    order = np.empty(MAX_CARDS, np.int64)
    stream = np.empty(1, np.uint64)
    for packet in range(1, MAX_CARDS + 1):
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
    packet, values = seen[rules.SEEN_PACKET], seen[rules.SEEN_VALUES]
    if seen[rules.SEEN_TOP] > 0:
        return seen[rules.SEEN_WON + in_order(plan, packet, seen[rules.SEEN_TOP])]
    if seen[rules.SEEN_BOTTOM] > 0:
        return values + seen[rules.SEEN_WON + in_order(plan, packet, seen[rules.SEEN_BOTTOM])]
    u = random_unit(stream)
    if u < plan[PLAN_SHUFFLE]:
        return 2 * values
    first = seen[rules.SEEN_WON + in_order(plan, packet, 0)]
    return first if u < plan[PLAN_FORWARD] else values + first


# The same game in one kernel

BLOCK = 64
STEADY = 0.999  # players who act the same this often may cycle for long


@kernel
def order_packet(state, plan, chance, u):
    """Return the winner's whole packet to its deck, as `choose` and chance do card by card."""
    packet, winner = state[PACKET], state[WINNER]
    deck, tail = DECK + RING * winner, state[HEAD + winner] + state[HELD + winner]
    if u < plan[PLAN_SHUFFLE]:
        for place in range(packet - 1):
            i = random_below(chance, packet - place)
            state[deck + ((tail + place) & (RING - 1))] = state[WON + i]
            state[WON + i] = state[WON + packet - place - 1]
        state[deck + ((tail + packet - 1) & (RING - 1))] = state[WON]
    else:
        forward = u < plan[PLAN_FORWARD]
        for i in range(packet):
            place = i if forward else packet - 1 - i
            state[deck + ((tail + place) & (RING - 1))] = state[WON + in_order(plan, packet, i)]
    state[HELD + winner] += packet


@inlined
def deck_card(state, i):
    return state[slot(state, 0, i)] if i < state[HELD] else state[slot(state, 1, i - state[HELD])]


@kernel
def same_decks(state, kept):
    """True if the decks equal those saved by `keep_decks`."""
    if kept[0] != state[HELD]:
        return False
    for i in range(state[HELD] + state[HELD + 1]):  # noqa: SIM110 (kernels are plain loops)
        if kept[1 + i] != deck_card(state, i):
            return False
    return True


@kernel
def keep_decks(state, kept):
    kept[0] = state[HELD]
    for i in range(state[rules.CARDS]):
        kept[1 + i] = deck_card(state, i)


@inlined
def usual_range(plan):
    """Return the range of random numbers for which a player uses the more frequent of its two sorted orders."""
    forward = plan[PLAN_FORWARD] - plan[PLAN_SHUFFLE]
    if forward > 0.5:
        return plan[PLAN_SHUFFLE], plan[PLAN_FORWARD]
    return plan[PLAN_FORWARD], 1.0


@kernel
def usual_rounds(stream, low, high, wins, most):
    """Count the rounds of `wins` pick-ups, at most `most`, in the more frequent order; the stream is not advanced."""
    if wins == 0:
        return most
    first, end = np.uint64(math.ceil(low / UNIT)), np.uint64(math.ceil(high / UNIT))
    for i in range(0, wins * most, BLOCK):
        unusual = 0
        for j in range(BLOCK):  # without early exit, so that the loop is vectorised
            grid = mixed(stream[0] + GOLDEN * np.uint64(i + j + 1)) >> S11
            unusual |= (grid < first) | (grid >= end)
        if unusual:
            for j in range(BLOCK):
                grid = mixed(stream[0] + GOLDEN * np.uint64(i + j + 1)) >> S11
                if grid < first or grid >= end:
                    return min(most, (i + j) // wins)
    return most


def play_out_with(watching: int) -> Kernel:
    """Make the kernel that plays from the deal on; cycle detection is compiled in if `watching`."""

    @kernel
    def play_out(state, plan_0, plan_1, chance, stream_0, stream_1):
        """Play to the end; the common trick of two different cards runs in registers, the rest by the rules.

        If the decks recur (Brent's cycle search) while both players used their more frequent order, they recur until
        one of them deviates: those rounds are skipped. Between deterministic players the endless game is a draw.
        """
        head_0, held_0, head_1, held_1 = state[HEAD], state[HELD], state[HEAD + 1], state[HELD + 1]
        moves = state[MOVES]
        shuffle_0, forward_0, high_0 = plan_0[PLAN_SHUFFLE], plan_0[PLAN_FORWARD], in_order(plan_0, 2, 0)
        shuffle_1, forward_1, high_1 = plan_1[PLAN_SHUFFLE], plan_1[PLAN_FORWARD], in_order(plan_1, 2, 0)
        certain = plan_0[PLAN_CERTAIN] == 1 and plan_1[PLAN_CERTAIN] == 1
        (from_0, to_0), (from_1, to_1) = usual_range(plan_0), usual_range(plan_1)
        kept = np.full(1 + MAX_CARDS, -1) if watching else state
        kept_moves, wins_0, wins_1, power, tricks = 0, 0, 0, 1, 0
        while True:
            # 1. Cycle detection: compare the decks with saved ones, and save them after 1, 2, 4, .. tricks.
            if watching:
                tricks += 1
                if held_0 == kept[0] or tricks == power:
                    state[HEAD], state[HELD], state[HEAD + 1], state[HELD + 1] = head_0, held_0, head_1, held_1
                    if same_decks(state, kept):
                        if certain:
                            return DRAW
                        # Skip the rounds for which both streams stay in the more frequent range.
                        rounds = (rules.MAX_MOVES - moves) // (moves - kept_moves)
                        rounds = usual_rounds(stream_0, from_0, to_0, wins_0, rounds)
                        rounds = usual_rounds(stream_1, from_1, to_1, wins_1, rounds)
                        stream_0[0] += GOLDEN * np.uint64(rounds * wins_0)
                        stream_1[0] += GOLDEN * np.uint64(rounds * wins_1)
                        moves += rounds * (moves - kept_moves)
                        kept[0] = -1
                        power, tricks = 1, 1
                if tricks == power:
                    keep_decks(state, kept)
                    kept_moves, wins_0, wins_1 = moves, 0, 0
                    power *= 2
                    tricks = 0
            # 2. A battle, an empty deck or the limit of moves: by the rules, on the state.
            card_0 = state[DECK + (head_0 & (RING - 1))]
            card_1 = state[DECK + RING + (head_1 & (RING - 1))]
            if card_0 == card_1 or held_0 == 0 or held_1 == 0 or moves >= rules.MAX_MOVES:
                state[HEAD], state[HELD], state[HEAD + 1], state[HELD + 1] = head_0, held_0, head_1, held_1
                state[MOVES] = moves
                rules.play_trick(state)
                if state[PHASE] == rules.FINISHED:
                    return state[rules.RESULT]
                if state[WINNER] == 0:
                    u = random_unit(stream_0)
                    low_u, high_u = from_0, to_0
                    wins_0 += 1
                    order_packet(state, plan_0, chance, u)
                else:
                    u = random_unit(stream_1)
                    low_u, high_u = from_1, to_1
                    wins_1 += 1
                    order_packet(state, plan_1, chance, u)
                head_0, held_0, head_1, held_1 = state[HEAD], state[HELD], state[HEAD + 1], state[HELD + 1]
                moves = state[MOVES]
            else:  # 3. The common trick, in registers
                moves += 1
                head_0 += 1
                head_1 += 1
                held_0 -= 1
                held_1 -= 1
                low, high = min(card_0, card_1), max(card_0, card_1)
                if card_0 > card_1:
                    u = random_unit(stream_0)
                    low_u, high_u = from_0, to_0
                    wins_0 += 1
                    high_first = random_below(chance, 2) if u < shuffle_0 else (high_0 if u < forward_0 else 1 - high_0)
                    tail = head_0 + held_0
                    state[DECK + (tail & (RING - 1))] = high if high_first else low
                    state[DECK + ((tail + 1) & (RING - 1))] = low if high_first else high
                    held_0 += 2
                else:
                    u = random_unit(stream_1)
                    low_u, high_u = from_1, to_1
                    wins_1 += 1
                    high_first = random_below(chance, 2) if u < shuffle_1 else (high_1 if u < forward_1 else 1 - high_1)
                    tail = head_1 + held_1
                    state[DECK + RING + (tail & (RING - 1))] = high if high_first else low
                    state[DECK + RING + ((tail + 1) & (RING - 1))] = low if high_first else high
                    held_1 += 2
            # 4. A deviation from the more frequent order invalidates the saved decks.
            if watching and not low_u <= u < high_u:
                kept[0] = -1
                power, tricks = 1, 0

    return play_out


play_steady, play_varied = play_out_with(True), play_out_with(False)


def play_with(values: int, copies: int, shared: int) -> Kernel:
    @kernel
    def play(state, plan_0, plan_1, chance, stream_0, stream_1):
        rules.lay_out(state, values, copies, shared)
        while state[PACKET] > 1:
            rules.deal(state, random_below(chance, state[PACKET]))
        rules.deal(state, 0)
        (from_0, to_0), (from_1, to_1) = usual_range(plan_0), usual_range(plan_1)
        if min(to_0 - from_0, to_1 - from_1) >= STEADY:
            return play_steady(state, plan_0, plan_1, chance, stream_0, stream_1)
        return play_varied(state, plan_0, plan_1, chance, stream_0, stream_1)

    return play


# Text


def show(seen: np.ndarray) -> str:
    values, packet = int(seen[rules.SEEN_VALUES]), int(seen[rules.SEEN_PACKET])
    lines = [f"your deck: {seen[rules.SEEN_OWN]} cards; the other's: {seen[rules.SEEN_OTHER]}"]
    if packet:
        names = [card_name(values, int(card)) for card in seen[rules.SEEN_WON : rules.SEEN_WON + packet]]
        left = [name for i, name in enumerate(names) if not seen[rules.SEEN_PLACED] >> i & 1]
        lines.append(f"you won: {' '.join(names)}")
        if len(left) < packet:
            placed = f"{seen[rules.SEEN_TOP]} from the top, {seen[rules.SEEN_BOTTOM]} from the bottom"
            lines.append(f"placed: {placed}; left: {' '.join(left)}")
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    values = int(state[rules.VALUES])
    lines = []
    for player in (0, 1):
        ring = [int(state[slot(state, player, i)]) for i in range(state[HELD + player])]
        lines.append(f"player {player + 1} ({len(ring)}): " + " ".join(card_name(values, card) for card in ring))
    packet = [card_name(values, int(card)) for card in state[WON : WON + state[PACKET]]]
    lines.append(("undealt: " if state[PHASE] == rules.DEALING else "packet: ") + " ".join(packet))
    return "\n".join(lines)


def label(values: int, action: int) -> str:
    if action == 2 * values:
        return "shuffle the packet"
    return f"{card_name(values, action % values)} next from the {'top' if action < values else 'bottom'}"


def describe(theta: np.ndarray) -> str:
    plan = np.zeros(PLAN)
    prepare(theta, plan)
    shuffled, forward = plan[PLAN_SHUFFLE], plan[PLAN_FORWARD] - plan[PLAN_SHUFFLE]
    backward = 1 - plan[PLAN_FORWARD]
    own, reversed_order = "in its own order", "in that order reversed"
    if len(theta) == 3:
        own, reversed_order = "lowest card first", "best card first"
    shares = [(backward, reversed_order), (forward, own), (shuffled, "shuffled")]
    return "puts won cards back " + ", ".join(f"{way} {share:.1%}" for share, way in sorted(shares, reverse=True))


FAR = 50.0  # a parameter difference that makes a probability certain

SOURCE = (
    "Rules and strategy: Cauwet & Teytaud 2018, section V-A. Ours: a player who cannot continue a battle loses, "
    "the hash that turns D into permutations, and the deck sizes, which were found by matching the paper's figures."
)


def deck(name: str, title: str, values: int, copies: int, parameters: int, shared: bool = False) -> Game:
    start = rules.start_with(values, copies, int(shared))
    letters = ("A", "B", "C", "D")[:parameters]
    tail = (0.0,) * (parameters - 3)
    return Game(
        name=name,
        title=title,
        family="war",
        category="Cards",
        rules=Rules(start, rules.mover, rules.legal, rules.apply, rules.view, rules.score),
        resample=rules.resample,
        sizes=Sizes(DECK + 2 * RING, rules.SEEN_WON + MAX_CARDS, max(values * copies, 2 * values + 1)),
        show=show,
        reveal=reveal,
        label=partial(label, values),
        source=SOURCE,
        strategy=Strategy(
            "order of won cards", letters, PLAN, prepare, choose, unordered=letters[3:], describe=describe
        ),
        policies={
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
    deck("war-shared", "War, both skip the face-down card when one is short", 13, 4, 3, shared=True),
    deck("batawaf", "Batawaf, 6 values x 6", 6, 6, 3),
    deck("batawaf4", "Batawaf, 6 values x 6, with a permutation parameter", 6, 6, 4),
    deck("batawaf-shared", "Batawaf, both skip the face-down card when one is short", 6, 6, 3, shared=True),
)


# Explanation: the order in which won cards are returned.

PACKETS = (2, 4, 6)  # the most frequent numbers of won cards: those of a trick without a battle, and two more


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Describe the frequency of each order, and with four parameters the orders themselves."""
    theta, plan = player.thetas[0], player.plan
    shuffled, forward, backward = plan[PLAN_SHUFFLE], plan[PLAN_FORWARD] - plan[PLAN_SHUFFLE], 1 - plan[PLAN_FORWARD]
    best_first = shuffled / 2 + (forward if in_order(plan, 2, 0) == 1 else backward)
    sentences = [
        f"{player.name} {describe(theta)}.",
        f"Of two won cards the better one goes back first, and so is played first: {percent(best_first)}.",
    ]
    if len(theta) == 3:
        return Explanation(tuple(sentences))
    rows: list[tuple[Cell, ...]] = []
    for packet in PACKETS:
        order = [int(in_order(plan, packet, i)) + 1 for i in range(packet)]
        rows.append((packet, *(" ".join(map(str, way)) for way in (order, order[::-1]))))
    title = "Its own order of the won cards, the one played first in front: 1 is the lowest card"
    columns = ("won cards", f"its own order {percent(forward)}", f"reversed {percent(backward)}")
    return Explanation(tuple(sentences), (Table(title, columns, tuple(rows)),))
