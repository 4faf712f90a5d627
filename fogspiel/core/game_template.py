"""A small working game for a user to start from."""

import re
from pathlib import Path

from .game import list_games

NAME = "NAME"
TEMPLATE = '''"""A game of bluff: chance deals the first player a high or a low card, which the second does not see.

The first player checks or bets. After a check the card is shown: a high one wins 1, a low one loses 1. After a bet the
second player folds, which costs 1, or calls, and then the card is worth 2. The value is 1/3 for the first player.

Cells of a state: the card (0 low, 1 high), the bet, the reply; -1 is not yet. A view has the same, as far as known.
"""

import math
from fractions import Fraction

from fogspiel import CHANCE, OVER, Game, Rules, Sizes, Strategy, kernel, unit

CARD, BET, REPLY = 0, 1, 2
WORDS = ("not yet", "no", "yes")


@kernel
def start(state):  # write every cell
    for cell in range(3):
        state[cell] = -1


@kernel
def mover(state):  # 0, 1, CHANCE or OVER
    if state[CARD] < 0:
        return CHANCE
    if state[BET] < 0:
        return 0
    return 1 if state[BET] == 1 and state[REPLY] < 0 else OVER


@kernel
def legal(state, out):  # list the actions in `out` and return how many; those of chance are equally likely
    out[0] = 0
    out[1] = 1
    return 2


@kernel
def apply(state, action):  # nothing random here
    if state[CARD] < 0:
        state[CARD] = action
    elif state[BET] < 0:
        state[BET] = action
    else:
        state[REPLY] = action


@kernel
def view(state, player, out):  # all that the player knows, and nothing else; write every cell
    shown = player == 0 or state[BET] == 0 or state[REPLY] == 1
    out[CARD] = state[CARD] if shown else -1
    out[BET] = state[BET]
    out[REPLY] = state[REPLY]


@kernel
def score(state):  # an index into `payoffs`, which are the first player's
    if state[REPLY] == 0:
        return 3
    stake = 2 if state[REPLY] == 1 else 1
    return 2 + stake if state[CARD] == 1 else 2 - stake


@kernel
def prepare(theta, plan):  # parameters may be any real numbers; the plan is what they mean
    for number in range(2):
        plan[number] = 1.0 / (1.0 + math.exp(-min(max(theta[number], -700.0), 700.0)))


@kernel
def choose(seen, actions, plan, stream):  # one of `actions`, by the view; `unit` is a random number below 1
    if seen[BET] == 1:
        return 1 if unit(stream) < plan[1] else 0
    return 1 if seen[CARD] == 1 or unit(stream) < plan[0] else 0


def show(seen):
    return f"card high: {WORDS[seen[CARD] + 1]}; bet: {WORDS[seen[BET] + 1]}; call: {WORDS[seen[REPLY] + 1]}"


GAMES = [
    Game(
        name="NAME",
        title="A game of bluff",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        sizes=Sizes(state=3, view=3, actions=2),
        show=show,
        reveal=show,  # a state has the same cells as a view here
        label=lambda action: ("no", "yes")[action],
        source="An example.",
        payoffs=tuple(Fraction(points) for points in (-2, -1, 0, 1, 2)),  # in even steps
        strategy=Strategy("bluffer", ("bluff", "call"), 2, prepare, choose),
        named={"bold": (3.0, 3.0), "timid": (-3.0, -3.0)},
    )
]
'''


def write_template(file: Path) -> str:
    """Write the game to a new file; returns the name it has, which is that of the file."""
    if file.suffix != ".py":
        raise ValueError(f"{file} is no name for a game: it must end with .py")
    name = re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-") or "game"
    name = f"my-{name}" if name in list_games() else name
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(TEMPLATE.replace(f'"{NAME}"', f'"{name}"'))
    except FileExistsError:
        raise ValueError(f"{file} exists already: choose another name, for it is not overwritten") from None
    except OSError as error:
        raise ValueError(f"{file} cannot be written: {error.strerror or error}") from None
    return name
