"""Landscapes with a known best vector, as games with exactly known win probabilities.

In most of them the player higher up wins more often: P(x beats y) = logistic(steepness (f(x) - f(y))), where f falls
with the distance of x from an optimum. Draws, where there are any, are independent of the players. True scores are
those of the decisive games, so that 0 and 1 stay within reach. In the discs no height decides: of two players at the
same distance from 0, the one ahead in the direction of the circle wins, and only 0 itself is unbeaten.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fogspiel.core.compile.kernel import kernel, variant
from fogspiel.core.game import DRAW, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy
from fogspiel.core.rng import fill_normal, random_unit, stream_of

STEEPNESS = 3.0
CONDITION = 10.0
DRAWS = 0.8  # share of draws, in the task of draws
UNITS = 30.0  # factor by which the units of a task are wider or finer than those of the initial parameters
GRID = 0.25  # of the plateaus
PULL, TURN = 0.5, 3.0  # of a disc: towards its centre, and around it

HEIGHT, DRAWN, PLACE = range(3)  # cells of a plan: f times its steepness, the share of draws, then places on discs


# The rules use no parameters: a game played by them is over at once, and only the fused kernel compares heights


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
def lead(plan_0, plan_1):
    """Return the first player's lead in logits."""
    ahead = plan_0[HEIGHT] - plan_1[HEIGHT]
    for i in range(PLACE, len(plan_0), 2):
        ahead += TURN * (plan_0[i] * plan_1[i + 1] - plan_0[i + 1] * plan_1[i])
    return ahead


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    """Decide the game by one draw; the games of a pair use different draws of their stream, so they are independent."""
    u = random_unit(chance)
    if plan_0[HEIGHT] > plan_1[HEIGHT]:
        u = random_unit(chance)
    u = (u - plan_0[DRAWN]) / (1.0 - plan_0[DRAWN])
    if u < 0.0:
        return DRAW
    return WIN if u * (1.0 + math.exp(-lead(plan_0, plan_1))) < 1.0 else LOSS


@dataclass(frozen=True)
class Landscape:
    """A task: its game, and measures of a vector's progress."""

    game: Game
    optimum: np.ndarray
    cyclic: bool = False

    def plan(self, theta: np.ndarray) -> np.ndarray:
        assert self.game.strategy is not None
        plan = np.zeros(self.game.strategy.plan_size)
        self.game.strategy.prepare(np.asarray(theta, float), plan)
        return plan

    def score(self, theta: np.ndarray, other: np.ndarray) -> float:
        """Return the true score of a vector against another one, without draws."""
        return logistic(float(lead(self.plan(theta), self.plan(other))))

    def gap_closed(self, theta: np.ndarray, start: np.ndarray) -> float:
        """Return a vector's gain over 1/2 against the start, as a share of the optimum's gain."""
        return (self.score(theta, start) - 0.5) / (self.score(self.optimum, start) - 0.5)

    def reply_score(self, thetas: np.ndarray, weights: np.ndarray) -> float:
        """Return the true score of the best response to a mixture (on discs: climbing from many points)."""
        if not self.cyclic:
            return max(1 - sum(w * self.score(x, self.optimum) for x, w in zip(thetas, weights, strict=True)), 0.5)
        return best_reply_on_discs(thetas, weights)


def logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def best_reply_on_discs(thetas: np.ndarray, weights: np.ndarray) -> float:
    """Maximise the mean of logistic(PULL (|x|^2 - |y|^2) + TURN (y x x)) over y, by a damped fixed point."""
    turned = np.empty_like(thetas)
    turned[:, 0::2], turned[:, 1::2] = thetas[:, 1::2], -thetas[:, 0::2]
    own = PULL * (thetas**2).sum(axis=1)
    # The best response to a single member x is TURN / (2 PULL) times x turned back; to a mixture it is a fixed point y
    # = TURN / (2 PULL) mean of x turned, weighted by the slopes of the logistic at y.
    ways = [TURN / (2 * PULL) * part for part in (turned, (weights @ turned)[None], np.zeros((1, thetas.shape[1])))]
    best = 0.5
    for y in np.vstack(ways):
        for _ in range(500):
            p = 1 / (1 + np.exp(-np.clip(own - PULL * (y**2).sum() + TURN * turned @ y, -700, 700)))
            best = max(best, float(weights @ p))
            slope = weights * p * (1 - p)
            if slope.sum() < 1e-300:
                break
            y = y + 0.2 * (TURN / (2 * PULL) * slope @ turned / slope.sum() - y)
    return best


def make_landscape(
    name: str, optimum: np.ndarray, prepare: Callable, cells: int = 2, cyclic: bool = False
) -> Landscape:
    dimension = len(optimum)
    game = Game(
        name=f"{name}-{dimension}",
        title=f"{name.capitalize()} of {dimension} parameters",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        sizes=Sizes(1, 1, 1),
        show=str,
        reveal=str,
        label=str,
        source="Made for measuring optimisers.",
        strategy=Strategy("a point", tuple(f"x{i}" for i in range(1, dimension + 1)), cells, prepare, choose),
        play=play,
    )
    return Landscape(game, optimum, cyclic)


def gaussian(dimension: int, seed: int, *path: int) -> np.ndarray:
    numbers = np.empty(dimension)
    fill_normal(stream_of(seed, dimension, *path), numbers)
    return numbers


def landscape(dimension: int, seed: int, spread: float = 1.0) -> Landscape:
    """Return the quadratic of condition 10 of that seed; its optimum is Gaussian with standard deviation `spread`.

    f(x) = - mean of h (x - optimum)^2. Of the scales tried, this one gives the (1+1)-ES the gaps of the table in
    section 3.1 of the specification best: with an optimum as Gaussian as the start in dimensions 4 and 30, with one at
    half that squared distance (spread 0) in dimension 420, where the task with spread 0 is the harder one.
    """
    best, h = spread * gaussian(dimension, seed), CONDITION ** -np.linspace(0.0, 1.0, dimension) / dimension

    @variant(dimension, seed, round(1000 * spread))
    def prepare(theta, plan):
        plan[DRAWN] = plan[HEIGHT] = 0.0
        for i in range(len(theta)):
            plan[HEIGHT] -= STEEPNESS * h[i] * (theta[i] - best[i]) ** 2

    return make_landscape("quadratic", best, prepare)


def steep(
    dimension: int,
    seed: int,
    condition: float = 1.0,
    units: float = 1.0,
    power: float = 2.0,
    draws: float = 0.0,
    grid: float = 0.0,
    name: str = "sphere",
) -> Landscape:
    """Return f(x) = - (mean z^2)^(power/2), z = h R (x - optimum) / units, where x may be rounded to a grid."""
    best, turned, axes = max(units, 1.0) * gaussian(dimension, seed), condition > 1, np.zeros((1, 1))
    if turned:
        h = condition ** (0.25 - np.linspace(0.0, 0.5, dimension))
        axes = h[:, None] * np.linalg.qr(gaussian(dimension**2, seed, 1).reshape(dimension, dimension))[0] / units
    if grid:
        best = np.round(best / grid) * grid

    @variant(dimension, seed, name)
    def prepare(theta, plan):
        squares = 0.0
        for i in range(len(theta)):
            z = 0.0
            for j in range(0 if turned else i, len(theta) if turned else i + 1):
                x = theta[j]
                if grid > 0.0:
                    x = grid * math.floor(x / grid + 0.5)
                z += (axes[i, j] if turned else 1.0 / units) * (x - best[j])
            squares += z * z / len(theta)
        plan[HEIGHT] = -STEEPNESS * squares ** (power / 2.0)
        plan[DRAWN] = draws

    return make_landscape(name, best, prepare)


def disc(dimension: int) -> Landscape:
    """Return discs, two parameters each, on which players cycle."""

    @variant(dimension)
    def prepare(theta, plan):
        plan[HEIGHT] = plan[DRAWN] = 0.0
        for i in range(len(theta)):
            plan[HEIGHT] -= PULL * theta[i] ** 2
            plan[PLACE + i] = theta[i]

    return make_landscape("disc", np.zeros(dimension), prepare, PLACE + dimension, cyclic=True)


TASKS: dict[str, Callable[[int, int], Landscape]] = {
    "sphere": lambda dimension, seed: steep(dimension, seed),
    "rotated": lambda dimension, seed: steep(dimension, seed, condition=1000.0, name="rotated"),
    "wider": lambda dimension, seed: steep(dimension, seed, units=UNITS, name="wider"),
    "cone": lambda dimension, seed: steep(dimension, seed, units=1 / UNITS, power=1.0, name="cone"),
    "draws": lambda dimension, seed: steep(dimension, seed, draws=DRAWS, name="draws"),
    "plateaus": lambda dimension, seed: steep(dimension, seed, grid=GRID, name="plateaus"),
    "disc": lambda dimension, seed: disc(dimension),
}
"""Every task by name, for any dimension and seed."""
