"""Games with five payoffs and strategies to tune, whose best play is known; they belong to the tests alone.

Sums: each player is dealt a 0 or a 1, all four deals equally likely, and adds 0 or 1 to it without knowing what the
other has or does. The first player gets the difference of the two sums, so whoever always adds 1 plays best.

Data sheet of a state (int64 cells)
    0 CARD      the card of each player; -1 before the deal
    2 ADDED     what each player adds; -1 before the decision
Data sheet of a view: the own card and addition, then those of the other once both have decided (else -1).

Chance deals 2 * first card + second card; the players' actions are what they add.

The other game is `rps-half` of the package with players that always make the choice of the greatest parameter, so two
vectors always score the same against each other. Optimal is rock 2/5, paper 2/5, scissors 1/5, and the value is 0.
"""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np

from fogspiel.core.compile.kernel import inlined, kernel
from fogspiel.core.game import CHANCE, OVER, Game, Rules, Sizes, Strategy, known_game
from fogspiel.core.rng import random_below, random_unit

CARD, ADDED = 0, 2
DEALS, EVEN = 4, 2


@kernel
def start(state):
    for cell in range(4):
        state[cell] = -1


@inlined
def ended(state):
    """Whether both have decided."""
    return state[ADDED + 1] >= 0


@kernel
def mover(state):
    if state[CARD] < 0:
        return CHANCE
    if ended(state):
        return OVER
    return 1 if state[ADDED] >= 0 else 0


@kernel
def legal(state, out):
    count = DEALS if state[CARD] < 0 else 2
    for action in range(count):
        out[action] = action
    return count


@kernel
def apply(state, action):
    if state[CARD] < 0:
        state[CARD] = action // 2
        state[CARD + 1] = action % 2
    else:
        state[ADDED + (1 if state[ADDED] >= 0 else 0)] = action


@kernel
def view(state, player, out):
    out[0] = state[CARD + player]
    out[1] = state[ADDED + player]
    out[2] = state[CARD + 1 - player] if ended(state) else -1
    out[3] = state[ADDED + 1 - player] if ended(state) else -1


@kernel
def score(state):
    return EVEN + state[CARD] + state[ADDED] - state[CARD + 1] - state[ADDED + 1]


@kernel
def prepare(theta, plan):
    """The plan: with each card the probability of adding 1, the logistic function of its parameter."""
    for card in range(2):
        plan[card] = 1.0 / (1.0 + math.exp(-min(max(theta[card], -700.0), 700.0)))


@kernel
def choose(seen, actions, plan, stream):
    return 1 if random_unit(stream) < plan[seen[0]] else 0


def show(seen: np.ndarray) -> str:
    return f"you: {seen[0]} and {seen[1]}; the other: {seen[2]} and {seen[3]}; -1 is not known yet"


def reveal(state: np.ndarray) -> str:
    return "; ".join(f"player {seat + 1}: {state[CARD + seat]} and {state[ADDED + seat]}" for seat in (0, 1))


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Draw the other's card and addition anew until both have decided."""
    other = state.copy()
    if state[CARD] >= 0 and not ended(state):
        other[CARD + 1 - player] = random_below(stream, 2)
        if player == 1 and state[ADDED] >= 0:
            other[ADDED] = random_below(stream, 2)
    return other


SUMS = Game(
    name="sums",
    title="Sums",
    version=1,
    rules=Rules(start, mover, legal, apply, view, score),
    sizes=Sizes(4, 4, DEALS),
    show=show,
    reveal=reveal,
    label=str,
    resample=resample,
    source="A game of the tests.",
    payoffs=tuple(Fraction(points) for points in range(-2, 3)),
    strategy=Strategy("logistic", ("with 0", "with 1"), 2, prepare, choose),
    policies={"best": (700.0, 700.0), "worst": (-700.0, -700.0)},
    symmetric=True,
)


# Weighted deals: whoever guesses whether the other adds 1 is paid by the cards, which tell something of each other.

DEAL_WEIGHTS = (5, 1, 2, 4)


@kernel
def guess_score(state):
    if state[ADDED] == state[ADDED + 1]:
        return EVEN + 1 + state[CARD]
    return EVEN - 1 - state[CARD + 1]


@kernel
def weights(state, out):
    for deal in range(DEALS):
        out[deal] = DEAL_WEIGHTS[deal]


GUESSES = replace(
    SUMS,
    name="guesses",
    title="Guesses",
    rules=SUMS.rules._replace(score=guess_score, weights=weights),
    policies={"always": (700.0, 700.0), "never": (-700.0, -700.0)},
    symmetric=False,
)


@kernel
def prepare_greatest(theta, plan):
    plan[0] = np.argmax(theta)


@kernel
def choose_greatest(seen, actions, plan, stream):
    return actions[int(plan[0])]


CHOICES = replace(
    known_game("rps-half"),
    name="rps-half-tuned",
    strategy=Strategy("greatest", ("rock", "paper", "scissors"), 1, prepare_greatest, choose_greatest),
    policies={"rock": (1.0, 0.0, 0.0), "paper": (0.0, 1.0, 0.0), "scissors": (0.0, 0.0, 1.0)},
)
GAMES = (SUMS, CHOICES, GUESSES)


def sums_payoff(theta, phi) -> float:
    """What one vector gets at Sums against another, summed over deals and additions."""
    first, second = (1 / (1 + np.exp(-np.clip(vector, -700, 700))) for vector in (theta, phi))
    total = 0.0
    for own, other, added, answer in product((0, 1), repeat=4):
        chance = (first[own] if added else 1 - first[own]) * (second[other] if answer else 1 - second[other])
        total += chance * (own + added - other - answer) / DEALS
    return float(total)


def guesses_payoff(theta, phi) -> float:
    """What one vector gets at Guesses against another, over deals, additions and both seats."""

    def in_first_seat(first, second) -> float:
        p, q = (1 / (1 + np.exp(-np.clip(vector, -700, 700))) for vector in (first, second))
        total = 0.0
        for own, other, added, answer in product((0, 1), repeat=4):
            chance = (p[own] if added else 1 - p[own]) * (q[other] if answer else 1 - q[other])
            total += chance * DEAL_WEIGHTS[2 * own + other] * guess(own, other, added, answer)
        return float(total) / sum(DEAL_WEIGHTS)

    return (in_first_seat(theta, phi) - in_first_seat(phi, theta)) / 2


def guess(own: int, other: int, added: int, answer: int) -> int:
    """What the first player gets at Guesses."""
    return 1 + own if added == answer else -1 - other


def choices_payoff(theta, phi) -> float:
    """What one vector gets at `rps-half-tuned` against another."""
    table = ((0, -0.5, 1), (0.5, 0, -1), (-1, 1, 0))
    return float(table[int(np.argmax(theta))][int(np.argmax(phi))])
