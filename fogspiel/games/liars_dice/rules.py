"""Liar's dice with one die each: bid how many dice of both show a face, or call the other's bid a lie.

Both roll in secret. The first player must bid; every further bid must be higher: more dice of any face, or as many of
a higher face. The highest face of the die is wild and counts as any other. When a player calls "liar" the dice are
shown: if there are at least as many as were bid the bidder wins, otherwise the caller.

Data sheet of a state (int64 cells)
    0 SIDES     faces of a die, 1..SIDES
    1 ROLLED    the face of each player's die; 0 before the roll
    3 MOVES     actions of the players so far
    4 HISTORY   those actions in order, -1 beyond the last
Data sheet of a view: SIDES, the own die, the other's once it is shown (else 0), then HISTORY.

Chance rolls 10 * first face + second face. Actions: 0 call "liar", 10 * number + face bid that many of a face.
"""

from fractions import Fraction

import numpy as np

from ...core.game import CHANCE, OVER, Game, Rules, Sizes
from ...core.kernel import Kernel, inlined, kernel, variant
from ..shared.hidden import resample_one
from ..shared.words import actions_text

SIDES, ROLLED, MOVES, HISTORY = 0, 1, 3, 4
SEEN_SIDES, SEEN_OWN, SEEN_OTHER, SEEN_HISTORY = range(4)
LIAR, TENS = 0, 10
DICE, MOST_SIDES = 2, 6
LONGEST = DICE * MOST_SIDES + 1
LOST, WON = 0, 1
"""The payoffs, by their index."""


# The six rules


def start_with(sides: int) -> Kernel:
    """The start kernel of a die."""

    @variant(sides)
    def start(state):
        state[SIDES] = sides
        state[ROLLED] = 0
        state[ROLLED + 1] = 0
        state[MOVES] = 0
        for i in range(LONGEST):
            state[HISTORY + i] = -1

    return start


@inlined
def last(state):
    """The last action, -1 if there is none yet."""
    return state[HISTORY + state[MOVES] - 1] if state[MOVES] > 0 else -1


@kernel
def mover(state):
    if state[ROLLED] == 0:
        return CHANCE
    return OVER if last(state) == LIAR else state[MOVES] % 2


@kernel
def legal(state, out):
    count, sides = 0, state[SIDES]
    if state[ROLLED] == 0:
        for first in range(1, sides + 1):
            for second in range(1, sides + 1):
                out[count] = TENS * first + second
                count += 1
        return count
    for number in range(1, DICE + 1):
        for face in range(1, sides + 1):
            if TENS * number + face > last(state):
                out[count] = TENS * number + face
                count += 1
    if state[MOVES] > 0:
        out[count] = LIAR
        count += 1
    return count


@kernel
def apply(state, action):
    if state[ROLLED] == 0:
        state[ROLLED] = action // TENS
        state[ROLLED + 1] = action % TENS
    else:
        state[HISTORY + state[MOVES]] = action
        state[MOVES] += 1


@kernel
def view(state, player, out):
    out[SEEN_SIDES] = state[SIDES]
    out[SEEN_OWN] = state[ROLLED + player]
    out[SEEN_OTHER] = state[ROLLED + 1 - player] if last(state) == LIAR else 0
    for i in range(LONGEST):
        out[SEEN_HISTORY + i] = state[HISTORY + i]


@kernel
def score(state):
    caller, bid = (state[MOVES] - 1) % 2, state[HISTORY + state[MOVES] - 2]
    there = 0
    for player in range(2):
        face = state[ROLLED + player]
        if face == bid % TENS or face == state[SIDES]:
            there += 1
    caller_wins = there < bid // TENS
    return WON if caller_wins == (caller == 0) else LOST


def hidden(state: np.ndarray, player: int) -> tuple[int, range] | None:
    """The other's die, until it is shown."""
    if state[ROLLED] == 0 or last(state) == LIAR:
        return None
    return ROLLED + 1 - player, range(1, int(state[SIDES]) + 1)


# Words

NO_BID = "nobody has bid"


def label(action: int) -> str:
    return "liar!" if action == LIAR else f"{action // TENS} x {action % TENS}"


def show(seen: np.ndarray) -> str:
    if seen[SEEN_OWN] == 0:
        return "no dice yet"
    dice = f"your die: {seen[SEEN_OWN]}; the other's: {seen[SEEN_OTHER] or 'hidden'}; {seen[SEEN_SIDES]} is wild"
    return f"{dice}\n{actions_text(seen[SEEN_HISTORY:], label, NO_BID)}"


def reveal(state: np.ndarray) -> str:
    if state[ROLLED] == 0:
        return "no dice yet"
    dice = f"player 1: {state[ROLLED]}; player 2: {state[ROLLED + 1]}; {state[SIDES]} is wild"
    return f"{dice}\n{actions_text(state[HISTORY:], label, NO_BID)}"


SOURCE = (
    "Folklore; the rules are those of OpenSpiel's liars_dice with one die each: the highest face is wild, and who "
    "loses the first challenge loses the game. Ours: the numbers of the actions."
)


def die(name: str, title: str, sides: int) -> Game:
    """The record of one die."""
    return Game(
        name=name,
        title=title,
        family="liars_dice",
        kind="Dice and heaps",
        version=1,
        rules=Rules(start_with(sides), mover, legal, apply, view, score),
        resample=resample_one(hidden),
        sizes=Sizes(HISTORY + LONGEST, SEEN_HISTORY + LONGEST, sides * sides),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        payoffs=(Fraction(-1), Fraction(1)),
    )


GAMES = (
    die("liars-dice-4", "Liar's dice, one die of 4 faces each", 4),
    die("liars-dice-6", "Liar's dice, one die of 6 faces each", 6),
)
