"""Rock-paper-scissors: rock beats scissors, scissors beat paper, paper beats rock.

Data sheets of state and view: `shared/one_throw.py`; behind them, in the state
    3 WORTH     payoffs from a draw up to a win with rock or scissors; a win with paper is always the next one up

Actions: 0 rock, 1 paper, 2 scissors.
"""

from fractions import Fraction

from ...core.game import Game, Rules, Sizes
from ...core.kernel import Kernel, kernel, variant
from ..shared import one_throw
from ..shared.hidden import resample_one
from ..shared.one_throw import SHOWN, apply, mover, view

WORTH = 3
ROCK, PAPER, SCISSORS = range(3)
CHOICES = 3


# The rules that are its own


def start_with(worth: int) -> Kernel:
    """The start kernel of a scale of payoffs."""

    @variant(worth)
    def start(state):
        one_throw.start(state)
        state[WORTH] = worth

    return start


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


def scale(name: str, title: str, payoffs: tuple[Fraction, ...], source: str) -> Game:
    """The record of one scale of payoffs: a win with rock or scissors is worth the highest."""
    return Game(
        name=name,
        title=title,
        family="rps",
        kind="Guessing",
        version=1,
        rules=Rules(start_with(len(payoffs) // 2), mover, one_throw.legal_among(CHOICES), apply, view, score),
        resample=resample_one(one_throw.hidden_among(CHOICES)),
        sizes=Sizes(WORTH + 1, 2, CHOICES),
        show=one_throw.show_with(label, "choose rock, paper or scissors", "choice"),
        reveal=one_throw.reveal_with(label, "nobody has chosen"),
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
