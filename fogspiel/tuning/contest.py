"""Both sides of an arena: the contest, whose vectors play games and score, and the steps of the method that tunes it.

A game with a parametric strategy is one contest, an external program another one. Methods see only vectors, scores and
which parameters have neighbours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from ..core.agents import PolicyJson, decode_policy, fixed_baseline, policies_in_turn
from ..core.game import Game, Strategy
from ..core.plugins import former_names
from ..core.simulate import PolicyMatch
from ..stats.matrix_game import couple

if TYPE_CHECKING:
    from .arena import Arena
    from .programs.parameters import Parameters

Rows = np.ndarray | Sequence[int]
T = TypeVar("T")

MIN_BATCH = 64  # minimum number of game pairs per call of the compiled loop


class ScoreSource(Protocol):
    """Two lists of vectors that play numbered games."""

    def scores(self, key: int, first: int, count: int, seats: str = "swapped", threads: int = 1) -> np.ndarray:
        """Return the scores of the games `first`.. of stream `key`, as indices of payoffs: a row per number.

        With seats "swapped" a number is a game pair, a column each; with "alternating" it is one game.
        """


class Contest(Protocol):
    """Interface of a tuning problem."""

    name: str  # for messages
    payoffs: tuple[Fraction, ...]  # possible ones of a game for the first vector, in even ascending steps
    max_score: int  # index of the highest payoff
    mixes: bool  # true if the result may be a mixture of vectors
    least: int  # minimum number of game pairs played at once

    @property
    def strategy(self) -> "Strategy | Parameters":
        """The parameters."""

    def start(self) -> np.ndarray:
        """Return the initial parameters."""

    def clip(self, theta: np.ndarray) -> np.ndarray:
        """Return a vector within the limits of the parameters."""

    def match(self, firsts: np.ndarray, seconds: np.ndarray) -> ScoreSource:
        """Return rows that take turns: number n is played by row n of each, modulo their number."""

    def match_answer(self, answer: PolicyJson, opponent: np.ndarray) -> ScoreSource:
        """Return the games of a result, a vector or mixture, against one vector."""


class GameContest:
    """A game of the catalogue or of the user, tuned from standard Gaussian numbers."""

    mixes = True

    def __init__(self, game: Game, strategy: Strategy, seed: int) -> None:
        self.game, self.strategy, self.seed, self.least = game, strategy, seed, MIN_BATCH
        self.name, self.payoffs, self.max_score = game.name, game.payoffs, game.max_score

    def start(self) -> np.ndarray:
        """Return the paper's starting point: standard Gaussian numbers (the baseline itself, where it is fixed)."""
        return np.array(fixed_baseline(self.game, self.seed).heaviest)

    def clip(self, theta: np.ndarray) -> np.ndarray:
        """Return the vector itself: parameters of games have no limits."""
        return theta

    def match(self, firsts: np.ndarray, seconds: np.ndarray) -> PolicyMatch:
        demand_finite(self.name, firsts, seconds)
        return PolicyMatch(self.game, policies_in_turn(self.game, firsts), policies_in_turn(self.game, seconds))

    def match_answer(self, answer: PolicyJson, opponent: np.ndarray) -> PolicyMatch:
        return PolicyMatch(self.game, decode_policy(self.game, answer), policies_in_turn(self.game, opponent[None]))


def demand_finite(name: str, *rows: np.ndarray) -> None:
    if not all(np.isfinite(vectors).all() for vectors in rows):
        raise ValueError(f"a parameter of {name} is not a finite number: the method has diverged")


def contest_of(game: Game, seed: int) -> GameContest:
    if game.strategy is None:
        raise ValueError(f"{game.name} has no parametric strategy to tune")
    return GameContest(game, game.strategy, seed)


# Steps of a method, and parts that methods share: limits of step sizes, parameters with neighbours.

# Ours: the paper's step size has no bounds, and on a flat landscape it would overflow after some thousand steps.
MIN_SIGMA, MAX_SIGMA = 1e-9, 1e6


@former_names(answer="recommendation", why="reason")
@dataclass(frozen=True)
class Step:
    """One step of a method: its current result, and how it was reached."""

    theta: np.ndarray
    # True if `theta` belongs in the record: an accepted point, or a checkpoint of the trajectory.
    accepted: bool
    sigma: float | None = None
    population: int = 1
    # All members of a mixture so far; members are only added, never removed.
    thetas: np.ndarray | None = None
    # Weight of each member; or a row for each seat, where the halves of the vectors are mixed separately.
    weights: np.ndarray | None = None
    # The value of the measured table: 0 the lowest payoff, 1 the highest.
    value: float | None = None
    reason: str | None = None  # reason for this vector or mixture, in a sentence

    @property
    def recommendation(self) -> PolicyJson:
        if self.thetas is None or self.weights is None:
            return {"theta": self.theta.tolist()}
        return freeze_mixture(self.thetas, self.weights)


def freeze_mixture(thetas: np.ndarray, weights: np.ndarray) -> PolicyJson:
    """Return the mixture of these weights of members (or of their halves, a row for each seat)."""
    if weights.ndim == 1:
        rows, shares = thetas[weights > 0], weights[weights > 0]
    else:
        first, second, weighed = zip(*couple(weights[0], weights[1]), strict=True)
        rows, shares = join_halves(thetas, np.array(first), np.array(second)), np.array(weighed)
    theta = rows[int(shares.argmax())].tolist()
    if len(rows) == 1:
        return {"theta": theta}
    return {"theta": theta, "thetas": rows.tolist(), "weights": (shares / shares.sum()).tolist()}


def join_halves(thetas: np.ndarray, first: Rows, second: Rows) -> np.ndarray:
    """Return vectors with the first halves (for the first seat) of some rows and the second halves of others."""
    half = thetas.shape[1] // 2
    return np.hstack([thetas[first, :half], thetas[second, half:]])


def thin_checkpoints(accepted: Sequence[T]) -> list[T]:
    """Return accepted points, the last ones first, at growing distances."""
    return [accepted[-(2**k)] for k in range(len(accepted).bit_length())]


def hashed_parameters(arena: "Arena") -> np.ndarray:
    """Return the parameters that are pseudo-random seeds: they have no direction."""
    return np.array([name in arena.strategy.unordered for name in arena.strategy.parameters])


# Ascent by measured slopes: momentum, strides that adapt to the agreement of slopes, and the trajectory's average.
#
# The slopes are antithetic (Salimans et al. 2017): a random direction e is scored by x + sigma e against x - sigma e.

DIRECTIONS = 64  # of a slope
MOMENTUM = 0.8
LEARNING = 0.1  # rate of the gain, per cosine
MIN_GAIN, MAX_GAIN = 1e-3, 1e3


class Ascent:
    """A point of an ascent, with momentum, gain and average."""

    def __init__(self, start: np.ndarray, least_gain: float = MIN_GAIN) -> None:
        self.least_gain, self.most_gain, self.gain = least_gain, MAX_GAIN, 1.0
        self._begin(start)

    def _begin(self, start: np.ndarray) -> None:
        self.x, self.average, self.drift, self.steps = start, start, np.zeros(len(start)), 0

    def restart(self, start: np.ndarray) -> None:
        self._begin(start)
        self.gain /= 2

    def follow(self, slope: np.ndarray, sigma: float) -> None:
        # Kesten (1958): longer strides while the slopes agree with the momentum, shorter ones when they turn.
        longer = math.exp(LEARNING * cosine(slope, self.drift))
        self.gain = min(max(self.gain * longer, self.least_gain), self.most_gain, MAX_GAIN)
        self.drift = MOMENTUM * self.drift + (1 - MOMENTUM) * slope
        self.x = self.x + self.gain * sigma * self.drift
        self.steps += 1
        self.average = self.average + (self.x - self.average) * 2 / (self.steps + 2)  # weights 1, 2, 3, .. (Polyak's)

    def climb(self, arena: "Arena", sigma: float, e: np.ndarray, whom: np.ndarray, blocks: int = 1) -> None:
        """Follow the slope of the score against `whom`, an opponent for each direction in `e`."""
        both = np.vstack([self.x + sigma * e, self.x - sigma * e])
        plus, minus = arena.play_pairs(both, np.tile(whom, (2, 1)), blocks=blocks).sum(axis=(1, 2)).reshape(2, -1)
        self.follow(add_up(plus - minus, e) / (2 * arena.game.max_score * len(e)), sigma)


def add_up(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Sum weighted rows in order: the last bits of a matrix product depend on the processor."""
    return np.asarray((weights[:, None] * rows).sum(axis=0))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    lengths = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / lengths if lengths > 0 else 0.0


def scale_of(theta: np.ndarray, seeds: np.ndarray) -> float:
    """Return the scale of a vector's ordered parameters: 1, as Gaussian ones, or more."""
    return max(1.0, math.sqrt(float((theta[~seeds] ** 2).sum()) / max(len(theta) - seeds.sum(), 1)))
