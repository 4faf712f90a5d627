"""Landscapes with a known best vector, as games: the player higher up wins more often, by a law that is known exactly.

P(x beats y) = logistic(3 (f(x) - f(y))) with f(x) = - mean of h (x - optimum)^2, where the curvatures h fall from 1 to
1/10 in even steps of their logarithm. Of the scales tried, this one gives the (1+1)-ES the gaps of the table in
section 3.1 of the specification best: with an optimum as Gaussian as the start in dimensions 4 and 30, with one at
half that squared distance (spread 0) in dimension 420, where the task with spread 0 is the harder one.
"""

import math
from dataclasses import dataclass

import numpy as np

from fogspiel.core.game import LOSS, OVER, WIN, Game, Rules, Sizes, Strategy
from fogspiel.core.kernel import kernel, variant
from fogspiel.core.rng import fill_normal, stream_of, unit

STEEPNESS = 3.0
CONDITION = 10.0


# The rules know no parameters: a game played by them is over at once, and only the fused kernel knows who is higher


@kernel
def start(state):
    state[0] = LOSS


@kernel
def mover(state):
    return OVER


@kernel
def legal(state, out):
    return 0


@kernel
def apply(state, action):
    state[0] = action


@kernel
def view(state, player, out):
    out[0] = player


@kernel
def score(state):
    return state[0]


@kernel
def choose(seen, actions, plan, stream):
    return actions[0]


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    """One draw decides; the two games of a pair use different draws of their stream, so they are independent."""
    u = unit(chance)
    if plan_0[0] > plan_1[0]:
        u = unit(chance)
    return WIN if u * (1.0 + math.exp(STEEPNESS * (plan_1[0] - plan_0[0]))) < 1.0 else LOSS


@dataclass(frozen=True)
class Landscape:
    """One task: its game, and how far a vector has come in it."""

    game: Game
    curvatures: np.ndarray
    optimum: np.ndarray

    def value(self, theta: np.ndarray) -> float:
        """The height f of a vector; the optimum has 0."""
        return -float(np.mean(self.curvatures * (theta - self.optimum) ** 2))

    def score(self, theta: np.ndarray, start: np.ndarray) -> float:
        """The true win rate of a vector against the start."""
        return 1 / (1 + math.exp(STEEPNESS * (self.value(start) - self.value(theta))))

    def gap_closed(self, theta: np.ndarray, start: np.ndarray) -> float:
        """The share of the way from 1/2 to the optimum's score that a vector has come."""
        return (self.score(theta, start) - 0.5) / (self.score(self.optimum, start) - 0.5)


def landscape(dimension: int, seed: int, spread: float = 1.0) -> Landscape:
    """The landscape of that seed; its optimum is Gaussian with standard deviation `spread`, as every start has 1."""
    best, h = np.empty(dimension), CONDITION ** -np.linspace(0.0, 1.0, dimension)
    fill_normal(stream_of(seed, dimension), best)
    best *= spread

    @variant(dimension, seed, round(1000 * spread))
    def prepare(theta, plan):
        plan[0] = 0.0
        for i in range(len(theta)):
            plan[0] -= h[i] * (theta[i] - best[i]) ** 2 / len(theta)

    game = Game(
        name=f"landscape-{dimension}-{seed}",
        title=f"A quadratic of {dimension} parameters",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        sizes=Sizes(1, 1, 1),
        show=str,
        reveal=str,
        label=str,
        source="Made for measuring optimisers.",
        strategy=Strategy("a point", tuple(f"x{i}" for i in range(1, dimension + 1)), 1, prepare, choose),
        play=play,
    )
    return Landscape(game, h, best)
