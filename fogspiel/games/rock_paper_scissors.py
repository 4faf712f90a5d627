"""Rock-paper-scissors, and the rules of any game of one simultaneous throw each, which it shares with Morra.

The second player's throw is played after the first one's, which stays hidden until then.

Data sheet of a state (int64 cells)
    0 FIRST     the first player's throw as long as it is hidden, otherwise -1
    1 SHOWN     the public throws, of each player; -1 before that
    3 WORTH     in rock-paper-scissors: payoffs from a draw up to a win with rock or scissors; a win with paper is
                always the next one up
Data sheet of a view: the own throw, then the opponent's once it is shown; -1 where there is none.

Actions of rock-paper-scissors: 0 rock, 1 paper, 2 scissors.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from ..core.compile.kernel import Kernel, kernel
from ..core.game import OVER, Game, Rules, Sizes
from ..core.picture import Cards, Cell, Messages, Parts
from .boards.board import Hidden, resample_one

FIRST, SHOWN = 0, 1
SEEN_OWN, SEEN_OTHER = 0, 1


@kernel
def start(state):
    state[FIRST] = -1
    state[SHOWN] = -1
    state[SHOWN + 1] = -1


@kernel
def mover(state):
    if state[SHOWN] >= 0:
        return OVER
    return 1 if state[FIRST] >= 0 else 0


def legal_among(actions: int) -> Kernel:
    @kernel
    def legal(state, out):
        for action in range(actions):
            out[action] = action
        return actions

    return legal


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


def rules_among(actions: int, score: Kernel, start: Kernel = start) -> Rules:
    return Rules(start, mover, legal_among(actions), apply, view, score)


def hidden_among(actions: int) -> Hidden:
    """Make the resampler of the first player's throw, hidden from the second, among this many actions."""
    return lambda state, player: (FIRST, range(actions)) if player == 1 and state[FIRST] >= 0 else None


def throws_of(state: np.ndarray) -> tuple[int, int]:
    """Return the throws of both players, including a hidden one; -1 where there is none."""
    first, second = (int(throw) for throw in state[SHOWN : SHOWN + 2])
    return (first if first >= 0 else int(state[FIRST])), second


def show_with(label: Callable[[int], str], question: str, noun: str) -> Callable[[np.ndarray], str]:
    """Make the text of a view: the question first, then the own throw, called by that noun, and the opponent's."""

    def show(seen: np.ndarray) -> str:
        own, other = int(seen[SEEN_OWN]), int(seen[SEEN_OTHER])
        if own < 0:
            return question
        return f"your {noun}: {label(own)}; the other's: {label(other) if other >= 0 else 'hidden'}"

    return show


def reveal_with(label: Callable[[int], str], nothing: str) -> Callable[[np.ndarray], str]:
    def reveal(state: np.ndarray) -> str:
        first, second = throws_of(state)
        if first < 0:
            return nothing
        return f"player 1: {label(first)}" + (f"; player 2: {label(second)}" if second >= 0 else ", hidden")

    return reveal


# Rock-paper-scissors: rock beats scissors, scissors beat paper, paper beats rock.

WORTH = 3
ROCK, PAPER, SCISSORS = range(3)
CHOICES = 3


# Rules specific to rock-paper-scissors


def start_with(worth: int) -> Kernel:
    @kernel
    def start_at(state):
        start(state)
        state[WORTH] = worth

    return start_at


@kernel
def score(state):
    first, second, draw = state[SHOWN], state[SHOWN + 1], state[WORTH]
    if first == second:
        return draw
    first_wins = first == (second + 1) % CHOICES  # each choice beats the one before it
    steps = 1 if (first if first_wins else second) == PAPER else state[WORTH]
    return draw + steps if first_wins else draw - steps


# Text

NAMES = ("rock", "paper", "scissors")


def label(action: int) -> str:
    return NAMES[action]


def scale(name: str, title: str, payoffs: tuple[Fraction, ...], source: str) -> Game:
    """Make the game with this scale of payoffs: a win with rock or scissors has the highest."""
    return Game(
        name=name,
        title=title,
        family="rps",
        category="Guessing",
        rules=rules_among(CHOICES, score, start_with(len(payoffs) // 2)),
        resample=resample_one(hidden_among(CHOICES)),
        sizes=Sizes(WORTH + 1, 2, CHOICES),
        show=show_with(label, "choose rock, paper or scissors", "choice"),
        reveal=reveal_with(label, "nobody has chosen"),
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


# Drawings: the three choices, and those made.


def choices(own: int, other: int, is_open: bool, title: str) -> Cards:
    cells = []
    for action, name in enumerate(NAMES):
        look = "hand own" if action == own else "hand other" if action == other else "hand"
        cells.append(Cell(name, look, action if is_open else None, name))
    return Cards(title, tuple(cells))


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    own, other = (int(choice) for choice in seen)
    if own < 0:
        return Messages(("Choose.",)), choices(-1, -1, True, "")
    if other < 0:
        return Messages((f"You chose {label(own)}.",)), choices(own, -1, False, "You")
    words = f"You chose {label(own)}, the other {label(other)}."
    return Messages((words,)), choices(own, -1, False, "You"), choices(-1, other, False, "The other")


def draw_state(game: Game, state: np.ndarray) -> Parts:
    first, second = throws_of(state)
    return choices(first, -1, False, "Player 1"), choices(-1, second, False, "Player 2")


LINES = (
    "Both players choose rock, paper or scissors at the same time.",
    "Rock beats scissors, scissors beat paper, paper beats rock.",
    "Equal choices are a draw.",
)
PAID = {
    False: "The winner gets 1 from the loser.",
    True: "The winner gets 1 from the loser, but only 1/2 if paper beats rock: so paper should be chosen with care.",
}


SCENE = "felt"


def how_to_play(game: Game) -> tuple[str, ...]:
    return *LINES, PAID[game.name == "rps-half"]


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    return [f"the other: {label(int(now[SEEN_OTHER]))}"] if now[SEEN_OTHER] >= 0 else []
