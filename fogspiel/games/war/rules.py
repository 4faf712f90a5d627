"""The rules of War and Batawaf: the winner of a trick may put the won cards under the deck in any order.

Data sheet of a state (int64 cells)
    0 PHASE     dealing, ordering, shuffling or finished
    1 VALUES    number of card values; the values are 0 (lowest) .. VALUES-1
    2 CARDS     cards in the game
    3 SHARED    1: in a battle both skip the face-down card when a player holds only one
    4 MOVES     comparisons of face-up cards so far
    5 WINNER    the player who won the packet and orders it
    6 RESULT    the first player's score
    7 PACKET    cards in the packet (while dealing: cards not dealt yet)
    8 TOP       packet cards already placed from the top (they will be played first)
    9 BOTTOM    packet cards already placed from the bottom
   10 PLACED    bit i: card i of the packet has been placed
   11 HEAD      ring slot of the top card, for each player
   13 HELD      cards in the deck, for each player
   15 WON       the packet in ascending order (while dealing or shuffling: the cards that are left, in any order)
   71 DECK      a ring of 64 slots for each player's deck
Data sheet of a view: own cards, the opponent's cards, VALUES, PACKET, TOP, BOTTOM, PLACED, then WON, -1 beyond the
packet.

Actions of the winner: 0..VALUES-1 put a card of that value into the topmost free place of the packet,
VALUES..2*VALUES-1 into the bottommost free place, 2*VALUES have the whole packet shuffled. The last card is placed
automatically.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ...core.compile.kernel import Kernel, inlined, kernel
from ...core.game import CHANCE, DRAW, LOSS, OVER, WIN, Game
from ...core.picture import Cards, Cell, Messages, Parts, Race
from ..boards.board import permute
from ..one_card_poker import face_up

PHASE, VALUES, CARDS, SHARED, MOVES, WINNER, RESULT, PACKET, TOP, BOTTOM, PLACED, HEAD, HELD, WON = (*range(12), 13, 15)
MAX_CARDS, RING = 56, 64
DECK = WON + MAX_CARDS
DEALING, ORDERING, SHUFFLING, FINISHED = range(4)
MAX_MOVES = 1_000_000  # the paper's rule: a game of a million moves is a draw
SEEN_OWN, SEEN_OTHER, SEEN_VALUES, SEEN_PACKET, SEEN_TOP, SEEN_BOTTOM, SEEN_PLACED, SEEN_WON = range(8)


# The table


@inlined
def slot(state, player, depth):
    """Return the cell of the card that lies `depth` cards below the top of a player's deck."""
    return DECK + RING * player + ((state[HEAD + player] + depth) & (RING - 1))


@inlined
def lay(state, packet, card):
    """Add a card to a packet of that size, keeping it sorted."""
    i = packet
    while i > 0 and state[WON + i - 1] > card:
        state[WON + i] = state[WON + i - 1]
        i -= 1
    state[WON + i] = card


@kernel
def play_trick(state):
    """Turn cards up until a player wins the packet or the game is over."""
    head_0, head_1, held_0, held_1 = state[HEAD], state[HEAD + 1], state[HELD], state[HELD + 1]
    packet, winner, result, moves = 0, -1, -1, state[MOVES]
    if held_0 == 0 or held_1 == 0:
        result = WIN if held_0 > 0 else LOSS
    while winner < 0 and result < 0:
        if moves >= MAX_MOVES:
            result = DRAW
            break
        moves += 1
        card_0 = state[DECK + (head_0 & (RING - 1))]
        card_1 = state[DECK + RING + (head_1 & (RING - 1))]
        taken = 1
        if card_0 != card_1:
            winner = 0 if card_0 > card_1 else 1
        else:  # a battle: one more card face down before the next face up, unless a player cannot
            skip = state[SHARED] == 1 and min(held_0, held_1) == 2  # one of them is the card just turned up
            needed = 2 if state[SHARED] == 1 else 3
            if held_0 < needed or held_1 < needed:
                both = held_0 < needed and held_1 < needed
                result = DRAW if both else (LOSS if held_0 < needed else WIN)
            elif not skip:
                taken = 2
        for i in range(taken):
            lay(state, packet, state[DECK + ((head_0 + i) & (RING - 1))])
            lay(state, packet + 1, state[DECK + RING + ((head_1 + i) & (RING - 1))])
            packet += 2
        head_0 += taken
        head_1 += taken
        held_0 -= taken
        held_1 -= taken
    state[HEAD], state[HEAD + 1], state[HELD], state[HELD + 1] = head_0, head_1, held_0, held_1
    state[MOVES] = moves
    state[PACKET] = packet
    state[TOP] = 0
    state[BOTTOM] = 0
    state[PLACED] = 0
    state[PHASE] = ORDERING if result < 0 else FINISHED
    if result < 0:
        state[WINNER] = winner
    else:
        state[RESULT] = result


@inlined
def put_under(state, place, card):
    state[slot(state, state[WINNER], state[HELD + state[WINNER]] + place)] = card


@inlined
def deal(state, which):
    left = state[PACKET] - 1
    dealt = state[CARDS] - 1 - left
    state[DECK + RING * (dealt & 1) + (dealt >> 1)] = state[WON + which]
    state[HELD + (dealt & 1)] = (dealt >> 1) + 1
    state[WON + which] = state[WON + left]
    state[PACKET] = left


@kernel
def pick_up(state):
    """Add the complete packet to the winner's deck and play the next trick."""
    state[HELD + state[WINNER]] += state[PACKET]
    play_trick(state)


# The six rules


@kernel
def lay_out(state, values, copies, shared):
    for i in range(WON):
        state[i] = 0
    state[VALUES] = values
    state[CARDS] = values * copies
    state[SHARED] = shared
    state[PACKET] = values * copies
    for i in range(values * copies):
        state[WON + i] = i // copies


def start_with(values: int, copies: int, shared: int) -> Kernel:
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
    if state[PHASE] == SHUFFLING:
        put_under(state, state[TOP], state[WON + action])
        state[TOP] += 1
        state[WON + action] = state[WON + state[PACKET] - state[TOP]]
        if state[TOP] == state[PACKET] - 1:
            put_under(state, state[TOP], state[WON])
            pick_up(state)
        return
    values = state[VALUES]
    if action == 2 * values:
        state[PHASE] = SHUFFLING
        return
    card = 0
    while state[PLACED] >> card & 1 or state[WON + card] != action % values:
        card += 1
    state[PLACED] |= 1 << card
    if action < values:
        put_under(state, state[TOP], state[WON + card])
        state[TOP] += 1
    else:
        put_under(state, state[PACKET] - 1 - state[BOTTOM], state[WON + card])
        state[BOTTOM] += 1
    if state[TOP] + state[BOTTOM] == state[PACKET] - 1:
        last = 0
        while state[PLACED] >> last & 1:
            last += 1
        put_under(state, state[TOP], state[WON + last])
        pick_up(state)


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
    for i in range(MAX_CARDS):
        out[SEEN_WON + i] = state[WON + i] if i < out[SEEN_PACKET] else -1


@kernel
def score(state):
    return state[RESULT]


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Shuffle both decks together: no player knows a card of either."""
    other = state.copy()
    permute(other, [slot(state, who, depth) for who in range(2) for depth in range(state[HELD + who])], stream)
    return other


# Drawings: two decks face down, and the packet won.


def card_name(values: int, card: int) -> str:
    faces = {13: "2 3 4 5 6 7 8 9 10 J Q K A", 14: "2 3 4 5 6 7 8 9 10 J C Q K A"}
    return faces[values].split()[card] if values in faces else str(card + 1)


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """Draw the sizes of the decks; while the player returns its packet, also its cards, once for each end."""
    values, packet = int(seen[SEEN_VALUES]), int(seen[SEEN_PACKET])
    own, other = int(seen[SEEN_OWN]), int(seen[SEEN_OTHER])
    decks = Race((("Your deck", own, 0, own + other + packet), ("Opponent's deck", other, 0, own + other + packet)))
    if not packet:
        return Messages(("Nothing is yours to put back now.",)), decks
    won = [int(card) for card in seen[SEEN_WON : SEEN_WON + packet]]
    left = [card for place, card in enumerate(won) if not seen[SEEN_PLACED] >> place & 1]

    def row(title: str, first: int) -> Cards:
        cells = (Cell(card_name(values, card), "own", first + card, game.label(first + card)) for card in left)
        return Cards(title, tuple(cells))

    return (
        Messages((f"You won {_cards(packet)}: put them under your deck in any order.",)),
        Cards("You won", face_up((card_name(values, card) for card in won), "won")),
        row("Put next from the top (played first)", 0),
        row("Put next from the bottom (played last)", values),
        decks,
    )


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


def draw_state(game: Game, state: np.ndarray) -> Parts:
    values, parts = int(state[VALUES]), []
    for player in range(2):
        deck = [int(state[slot(state, player, depth)]) for depth in range(int(state[HELD + player]))]
        names = (card_name(values, card) for card in deck)
        parts.append(Cards(f"Player {player + 1}, {_cards(len(deck))} from the top", face_up(names)))
    packet = (card_name(values, int(card)) for card in state[WON : WON + int(state[PACKET])])
    parts.append(Cards("Undealt" if state[PHASE] == DEALING else "Packet", face_up(packet)))
    return tuple(parts)


SCENE = "cards"
HOW_TO_PLAY = (
    "The whole deck is dealt, half to each player, face down.",
    "Both turn up their top cards, and the higher value takes the trick.",
    "Equal values are a battle: each puts a card face down and turns up another one, until one is higher.",
    "The winner of a trick puts the won cards under the own deck, in any order: that is the only decision there is.",
    "A card put next from the top is played first, one put next from the bottom last; or have the packet shuffled.",
    "Nobody sees the decks; the values decide, suits do not count.",
    "Who has no cards left loses.",
    "Play on puts the cards of ordinary tricks back for you, the highest first, and stops after a battle.",
)


# News: the winners of the tricks since the player returned its cards, and their cards.
#
# A player sees the packets it wins; of those that it loses it sees only the number of its cards that are gone. But it
# knows the order in which it put cards under its deck, so once the dealt ones have been played it knows its lost cards.

TRICK = 2  # cards of a trick without a battle


class Memory:
    """The own deck as its player knows it, from its own views and actions alone."""

    def __init__(self, game: Game):
        # The cards from the top, None for unknown ones; their number is unknown before the first view.
        self.deck: list[int | None] | None = None
        self.top: list[int] = []
        self.bottom: list[int] = []  # cards of the packet returned so far, those of the bottom from below

    def note(self, seen: np.ndarray, action: int) -> None:
        """Record an own action: a returned card, or a shuffled packet."""
        if _is_new(seen):
            self.deck = self._split(seen)[1]
        deck, values, packet = self._held(seen), int(seen[SEEN_VALUES]), _packet(seen)
        if action == 2 * values:
            deck += [None] * len(packet)
            return
        (self.top if action < values else self.bottom).append(action % values)
        left = Counter(packet) - Counter(self.top + self.bottom)
        if left.total() == 1:  # the last card is returned automatically
            deck += [*self.top, *left, *reversed(self.bottom)]
            self.top, self.bottom = [], []

    def news(self, now: np.ndarray) -> list[str]:
        """List the tricks since the packet was returned; nothing while it is being returned."""
        if not _is_new(now):
            return []
        packet, values = _packet(now), int(now[SEEN_VALUES])
        if not packet:
            return [f"The game is over: you hold {now[SEEN_OWN]} cards, the other {now[SEEN_OTHER]}."]
        played, _ = self._split(now)
        lost = played[: len(played) - len(packet) // 2]
        news = [f"the other: wins {len(lost)} of your cards{_names_lost(values, lost)}"] if lost else []
        own = packet[1:] if len(packet) == TRICK else played[len(lost) :]
        return [*news, f"You win {'the trick' if len(packet) == TRICK else 'a battle'}: {_taken(values, own, packet)}."]

    def _split(self, seen: np.ndarray) -> tuple[list[int | None], list[int | None]]:
        """Return the cards played from the own deck since the last packet, and those left."""
        deck = self._held(seen)
        gone = len(deck) - int(seen[SEEN_OWN])
        return deck[:gone], deck[gone:]

    def _held(self, seen: np.ndarray) -> list[int | None]:
        if self.deck is not None:
            return self.deck
        return [None] * (int(seen[SEEN_OWN] + seen[SEEN_OTHER] + seen[SEEN_PACKET]) // 2)


def _is_new(seen: np.ndarray) -> bool:
    return not seen[SEEN_TOP] + seen[SEEN_BOTTOM]


def _packet(seen: np.ndarray) -> list[int]:
    cards: list[int] = seen[SEEN_WON : SEEN_WON + int(seen[SEEN_PACKET])].tolist()
    return cards


def _names(values: int, cards: Iterable[int]) -> str:
    return " ".join(card_name(values, card) for card in cards)


def _names_lost(values: int, lost: list[int | None]) -> str:
    known = [card for card in lost if card is not None]
    if not known:
        return ""
    return f": {_names(values, known)}" + ("" if len(known) == len(lost) else f" ({len(lost) - len(known)} unseen)")


def _taken(values: int, own: list[int | None] | list[int], packet: list[int]) -> str:
    """Describe a won packet, the own cards first where they are known."""
    known = [card for card in own if card is not None]
    if len(known) < len(own):
        return _names(values, packet)
    others = sorted((Counter(packet) - Counter(known)).elements())
    return f"your {_names(values, sorted(known))} {'takes' if len(known) == 1 else 'take'} {_names(values, others)}"


def routine_action(game: Game, seen: np.ndarray) -> int | None:
    """Return the highest card of a trick; after a battle the order is a decision."""
    if seen[SEEN_PACKET] != TRICK:
        return None
    return int(seen[SEEN_WON : SEEN_WON + TRICK].max())
