"""Liar's dice with one die or two each: bid the number of dice of both that show a face, or call the last bid a lie.

Both roll in secret. The first player must bid; every further bid must be higher: more dice of any face, or as many of
a higher face. The highest face of the die is wild and counts as any other. When a player calls "liar" the dice are
shown: if there are at least as many as were bid the bidder wins, otherwise the caller.

Data sheet of a state (int64 cells)
    0 SIDES     faces of a die; 10 more with two dice each
    1 ROLLED    the face of each player's die, of two dice 10 * higher + lower face; 0 before the roll
    3 MOVES     actions of the players so far
    4 HISTORY   those actions in order, -1 beyond the last
Data sheet of a view: SIDES, the own dice, the opponent's once they are shown (else 0), then HISTORY.

Chance rolls 10 * first player's + second player's die; with two dice 100 * first player's + second player's dice, of
which two different faces are twice as likely as two equal ones. Actions: 0 call "liar", 10 * number + face bids that
many of a face.
"""

from fractions import Fraction

import numpy as np

from ..core.compile.kernel import Kernel, inlined, interpreted, kernel
from ..core.game import CHANCE, OVER, Game, Rules, Sizes, new_cells
from ..core.picture import BoardPicture, Cards, Cell, Messages, Parts
from .boards.board import actions_text, resample_one
from .one_card_poker import said

SIDES, ROLLED, MOVES, HISTORY = 0, 1, 3, 4
SEEN_SIDES, SEEN_OWN, SEEN_OTHER, SEEN_HISTORY = range(4)
LIAR, TENS = 0, 10
MAX_SIDES, MAX_ROLLS = 6, 21
LOST, WON = 0, 1  # the payoffs, by their index


@inlined
def faces(sides):
    return sides % TENS


@inlined
def dice(sides):
    """Return the number of dice of both players, from the cell SIDES."""
    return 2 if sides < TENS else 4


@inlined
def longest(sides):
    """Return the length of the longest history: all bids and a call."""
    return dice(sides) * MAX_SIDES + 1


# The rules


def start_with(sides: int) -> Kernel:
    """Make the start kernel; `sides` is the cell SIDES."""

    @kernel
    def start(state):
        state[SIDES] = sides
        state[ROLLED] = 0
        state[ROLLED + 1] = 0
        state[MOVES] = 0
        for i in range(longest(sides)):
            state[HISTORY + i] = -1

    return start


@inlined
def last(state):
    return state[HISTORY + state[MOVES] - 1] if state[MOVES] > 0 else -1


@kernel
def mover(state):
    if state[ROLLED] == 0:
        return CHANCE
    return OVER if last(state) == LIAR else state[MOVES] % 2


@inlined
def rolls(sides, out):
    count = 0
    for high in range(1, faces(sides) + 1):
        if sides < TENS:
            out[count] = high
            count += 1
        else:
            for low in range(1, high + 1):
                out[count] = TENS * high + low
                count += 1
    return count


@inlined
def base(sides):
    """Return the multiplier of the first player's roll in a roll of chance."""
    return TENS if sides < TENS else TENS * TENS


@kernel
def legal(state, out):
    count, sides = 0, state[SIDES]
    if state[ROLLED] == 0:
        single = rolls(sides, out)
        for pair in range(single * single - 1, -1, -1):  # backwards, so that the list of rolls is overwritten last
            out[pair] = base(sides) * out[pair // single] + out[pair % single]
        return single * single
    for number in range(1, dice(sides) + 1):
        for face in range(1, faces(sides) + 1):
            if TENS * number + face > last(state):
                out[count] = TENS * number + face
                count += 1
    if state[MOVES] > 0:
        out[count] = LIAR
        count += 1
    return count


@inlined
def ways(roll):
    """Return the number of outcomes of two dice that show a roll."""
    return 1 if roll // TENS == roll % TENS else 2


@kernel
def weights(state, out):
    count = legal(state, out)
    for i in range(count):
        out[i] = ways(out[i] // base(state[SIDES])) * ways(out[i] % base(state[SIDES]))


@kernel
def apply(state, action):
    if state[ROLLED] == 0:
        state[ROLLED] = action // base(state[SIDES])
        state[ROLLED + 1] = action % base(state[SIDES])
    else:
        state[HISTORY + state[MOVES]] = action
        state[MOVES] += 1


@kernel
def view(state, player, out):
    out[SEEN_SIDES] = state[SIDES]
    out[SEEN_OWN] = state[ROLLED + player]
    out[SEEN_OTHER] = state[ROLLED + 1 - player] if last(state) == LIAR else 0
    for i in range(longest(state[SIDES])):
        out[SEEN_HISTORY + i] = state[HISTORY + i]


@kernel
def score(state):
    caller, bid = (state[MOVES] - 1) % 2, state[HISTORY + state[MOVES] - 2]
    there = 0
    for player in range(2):
        left = state[ROLLED + player]
        while left > 0:
            if left % TENS == bid % TENS or left % TENS == faces(state[SIDES]):
                there += 1
            left //= TENS
    caller_wins = there < bid // TENS
    return WON if caller_wins == (caller == 0) else LOST


def hidden(state: np.ndarray, player: int) -> tuple[int, list[int]] | None:
    if state[ROLLED] == 0 or last(state) == LIAR:
        return None
    sides, room = int(state[SIDES]), new_cells(MAX_ROLLS)
    return ROLLED + 1 - player, room[: rolls(sides, room)].tolist()


# Text

NO_BID = "nobody has bid"


def label(action: int) -> str:
    return "liar!" if action == LIAR else f"{action // TENS} x {action % TENS}"


def roll_text(roll: int) -> str:
    return " ".join(str(roll))


def show(seen: np.ndarray) -> str:
    if seen[SEEN_OWN] == 0:
        return "no dice yet"
    sides, own, other = (int(cell) for cell in seen[:SEEN_HISTORY])
    shown = f"your {'die' if sides < TENS else 'dice'}: {roll_text(own)}; the other's: "
    shown += f"{roll_text(other) if other else 'hidden'}; {faces(sides)} is wild"
    return f"{shown}\n{actions_text(seen[SEEN_HISTORY:], label, NO_BID)}"


def reveal(state: np.ndarray) -> str:
    if state[ROLLED] == 0:
        return "no dice yet"
    sides, first, second = (int(cell) for cell in state[:MOVES])
    shown = f"player 1: {roll_text(first)}; player 2: {roll_text(second)}; {faces(sides)} is wild"
    return f"{shown}\n{actions_text(state[HISTORY:], label, NO_BID)}"


SOURCE = (
    "Folklore; the rules are those of OpenSpiel's liars_dice with one die each: the highest face is wild, and who "
    "loses the first challenge loses the game. Ours: the numbers of the actions."
)


def dice_each(name: str, title: str, sides: int, source: str = SOURCE) -> Game:
    with interpreted():
        one, history = sides < TENS, longest(sides)
    return Game(
        name=name,
        title=title,
        family="liars_dice",
        category="Dice and heaps",
        rules=Rules(start_with(sides), mover, legal, apply, view, score, None if one else weights),
        resample=resample_one(hidden),
        sizes=Sizes(HISTORY + history, SEEN_HISTORY + history, (sides if one else MAX_ROLLS) ** 2),
        show=show,
        reveal=reveal,
        label=label,
        source=source,
        payoffs=(Fraction(-1), Fraction(1)),
    )


GAMES = (
    dice_each("liars-dice-4", "Liar's dice, one die of 4 faces each", 4),
    dice_each("liars-dice-6", "Liar's dice, one die of 6 faces each", 6),
    dice_each(
        "liars-dice-2x6",
        "Liar's dice, two dice of 6 faces each",
        TENS + 6,
        SOURCE.replace("one die", "two dice") + " The order of a player's two dice is not seen.",
    ),
)


# Drawings: the player's dice, all bids, and the call.


def die(face: int, name: str) -> Cell:
    return (
        Cell(str(face), "die", None, f"{name} shows {face}")
        if face
        else Cell("", "die face-down", None, f"{name} is covered")
    )


def roll(shown: int, name: str) -> tuple[Cell, ...]:
    return tuple(die(int(face), name) for face in str(shown))


def bids(sides: int, history: np.ndarray, open_now: bool) -> BoardPicture:
    """Draw all bids, those already made marked."""
    made = [int(action) for action in history if action >= 0]
    highest = max(made, default=0)

    def cell(number: int, face: int) -> Cell:
        bid = TENS * number + face
        name = f"{number} x {face}"
        if bid in made:
            return Cell(name, "bid marked", None, f"{name}, was bid")
        free = open_now and bid > highest
        return Cell(name, "bid" if free else "bid unknown", bid if free else None, name)

    columns = range(1, faces(sides) + 1)
    rows = tuple(tuple(cell(number, face) for face in columns) for number in range(1, dice(sides) + 1))
    return BoardPicture(rows, "Bids")


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    sides, own, other = (int(cell) for cell in seen[:SEEN_HISTORY])
    history = seen[SEEN_HISTORY:]
    if own == 0:
        return (Messages(("The dice are rolled.",)),)
    over, noun = LIAR in history, "die" if sides < TENS else "dice"
    can_call = history[0] >= 0 and not over
    call = (Cards("", (Cell("liar!", "marked call", LIAR, "call the last bid a lie"),)),) if can_call else ()
    return (
        Cards(f"Your {noun}", roll(own, "your die"), seat="own"),
        Cards(f"The opponent's {noun}", roll(other, "the opponent's die"), seat="other"),
        bids(sides, history, not over),
        *call,
        said(history, label, f"Nobody has bid. {faces(sides)} is wild."),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    sides, first, second = (int(cell) for cell in state[:MOVES])
    history = state[HISTORY:]
    shown = (*roll(first, "the die of player 1"), *roll(second, "the die of player 2"))
    words = said(history, label, f"Nobody has bid. {faces(sides)} is wild.")
    return Cards("Dice of players 1 and 2", shown), bids(sides, history, False), words


LINES = (
    "The first player bids how many of all dice show a face: one 3, two 4s.",
    "Every further bid must be higher: more dice of any face, or as many of a higher face.",
    "Instead of bidding call the last bid a lie: then all dice are shown.",
    "If there are at least as many as were bid the bidder wins, otherwise the caller.",
)


SCENE = "dice"


def how_to_play(game: Game) -> tuple[str, ...]:
    dice, _, faces = game.name.rpartition("-")[2].rpartition("x")
    roll = f"{dice} dice with {faces} faces each" if dice else f"a die with {faces} faces"
    hidden = "dice" if dice else "die"
    return (
        f"Both players roll {roll}. You see your own {hidden} only.",
        *LINES,
        f"The {faces} is wild: it counts as any face.",
    )
