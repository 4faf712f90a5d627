"""Rock-paper-scissors: rock beats scissors, scissors beat paper, paper beats rock.

Both choose at once: the second player's choice is played after the first one's, which stays hidden until then.

Data sheet of a state (int64 cells)
    0 WORTH     payoffs from a draw up to a win with rock or scissors; a win with paper is always the next one up
    1 FIRST     the first player's choice as long as it is hidden, otherwise -1
    2 SHOWN     the choices for all to see, of each player; -1 before that
Data sheet of a view: the own choice, then the other's once it is shown; -1 where there is none.

Actions: 0 rock, 1 paper, 2 scissors.
"""

from fractions import Fraction

import numpy as np

from ..core.game import OVER, Game, Rules, Sizes
from ..core.kernel import kernel, variant

WORTH, FIRST, SHOWN = range(3)
SEEN_OWN, SEEN_OTHER = 0, 1
ROCK, PAPER, SCISSORS = range(3)
CHOICES = 3


# The six rules


def start_with(worth):
    """The start kernel of a scale of payoffs."""

    @variant(worth)
    def start(state):
        state[WORTH] = worth
        state[FIRST] = -1
        state[SHOWN] = -1
        state[SHOWN + 1] = -1

    return start


@kernel
def mover(state):
    if state[SHOWN] >= 0:
        return OVER
    return 1 if state[FIRST] >= 0 else 0


@kernel
def legal(state, out):
    for choice in range(CHOICES):
        out[choice] = choice
    return CHOICES


@kernel
def apply(state, action):
    if state[FIRST] < 0:
        state[FIRST] = action
    else:
        state[SHOWN] = state[FIRST]
        state[SHOWN + 1] = action
        state[FIRST] = -1


@kernel
def view(state, player, out):
    own_is_hidden = player == 0 and state[FIRST] >= 0
    out[SEEN_OWN] = state[FIRST] if own_is_hidden else state[SHOWN + player]
    out[SEEN_OTHER] = state[SHOWN + 1 - player]


@kernel
def score(state):
    first, second, draw = state[SHOWN], state[SHOWN + 1], state[WORTH]
    if first == second:
        return draw
    first_wins = first == (second + 1) % CHOICES  # each choice beats the one before it
    steps = 1 if (first if first_wins else second) == PAPER else state[WORTH]
    return draw + steps if first_wins else draw - steps


# Words

NAMES = ("rock", "paper", "scissors")


def label(action: int) -> str:
    return NAMES[action]


def show(seen: np.ndarray) -> str:
    own, other = int(seen[SEEN_OWN]), int(seen[SEEN_OTHER])
    if own < 0:
        return "choose rock, paper or scissors"
    return f"your choice: {label(own)}; the other's: {label(other) if other >= 0 else 'hidden'}"


def reveal(state: np.ndarray) -> str:
    if state[SHOWN] >= 0:
        return f"player 1: {label(int(state[SHOWN]))}; player 2: {label(int(state[SHOWN + 1]))}"
    return f"player 1: {label(int(state[FIRST]))}, hidden" if state[FIRST] >= 0 else "nobody has chosen"


def scale(name: str, title: str, payoffs: tuple[Fraction, ...], source: str) -> Game:
    """The record of one scale of payoffs: a win with rock or scissors is worth the highest."""
    return Game(
        name=name,
        title=title,
        family="rps",
        version=1,
        rules=Rules(start_with(len(payoffs) // 2), mover, legal, apply, view, score),
        sizes=Sizes(SHOWN + 2, 2, CHOICES),
        show=show,
        reveal=reveal,
        label=label,
        source=source,
        payoffs=payoffs,
        symmetric=True,
    )


ONE, HALF = Fraction(1), Fraction(1, 2)

GAMES = (
    scale(
        "rps",
        "Rock-paper-scissors",
        (-ONE, 0 * ONE, ONE),
        "Folklore; table 2.1 of Bossle 2018. The value is 0; optimal is each choice equally often, and nothing else.",
    ),
    scale(
        "rps-half",
        "Rock-paper-scissors, paper wins half",
        (-ONE, -HALF, 0 * ONE, HALF, ONE),
        "Table 2.2 of Bossle 2018, section 2.3: paper that beats rock is paid 1/2 instead of 1. The value is 0; "
        "optimal is rock with probability 2/5, paper with 2/5 and scissors with 1/5, and nothing else.",
    ),
)
