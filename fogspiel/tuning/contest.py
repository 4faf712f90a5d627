"""Both sides of an arena: the contest, whose vectors play games and score, and the steps of the method that tunes it.

A game with a parametric strategy is one contest, an external program another one. Methods see only vectors, scores and
which parameters have neighbours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..core.agents import PolicyJson, decode_policy, fixed_baseline, policies_in_turn
from ..core.game import Game, Strategy
from ..core.plugins import former_names
from ..core.simulate import PolicyMatch
from ..stats.linear_programs import couple

if TYPE_CHECKING:
    from .arena import Arena

Rows = np.ndarray | Sequence[int]

MIN_BATCH = 64  # minimum number of game pairs per call of the compiled loop


class ParameterSpace(Protocol):
    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""

    @property
    def unordered(self) -> tuple[str, ...]:
        """Parameters without neighbours: seeds of something pseudo-random, or choices."""

    @property
    def per_seat(self) -> bool:
        """True if the first half serves in the first seat and the second half in the second."""


class ScoreSource(Protocol):
    """Two lists of vectors that play numbered games."""

    def scores(self, key: int, first: int, count: int, seats: str = "swapped", threads: int = 1) -> np.ndarray:
        """Return the scores of the games `first`.. of stream `key`, as indices of payoffs: a row per number.

        With seats "swapped" a number is a game pair, a column each; with "alternating" it is one game.
        """


class Contest(Protocol):
    """Interface of a tuning problem."""

    @property
    def name(self) -> str:
        """Display name."""

    @property
    def payoffs(self) -> Sequence[Fraction]:
        """Possible payoffs of a game for the first vector, in even ascending steps."""

    @property
    def max_score(self) -> int:
        """The index of the highest payoff."""

    @property
    def strategy(self) -> ParameterSpace:
        """The parameters."""

    @property
    def mixes(self) -> bool:
        """True if the result may be a mixture of vectors."""

    @property
    def least(self) -> int:
        """Minimum number of game pairs played at once."""

    def start(self) -> np.ndarray:
        """Return the initial parameters."""

    def clip(self, theta: np.ndarray) -> np.ndarray:
        """Return a vector within the limits of the parameters."""

    def match(self, firsts: np.ndarray, seconds: np.ndarray) -> ScoreSource:
        """Return rows that take turns: number n is played by row n of each, modulo their number."""

    def match_answer(self, answer: PolicyJson, opponent: np.ndarray) -> ScoreSource:
        """Return the games of a result, a vector or mixture, against one vector."""


@dataclass(frozen=True)
class GameContest:
    """A game of the catalogue or of the user, tuned from standard Gaussian numbers."""

    game: Game
    strategy: Strategy
    seed: int
    mixes: bool = True

    @property
    def name(self) -> str:
        return self.game.name

    @property
    def payoffs(self) -> Sequence[Fraction]:
        return self.game.payoffs

    @property
    def max_score(self) -> int:
        return self.game.max_score

    @property
    def least(self) -> int:
        return MIN_BATCH

    def start(self) -> np.ndarray:
        """Return the paper's starting point: standard Gaussian numbers (the baseline itself, where it is fixed)."""
        return np.array(fixed_baseline(self.game, self.seed).heaviest)

    def clip(self, theta: np.ndarray) -> np.ndarray:
        """Return the vector itself: parameters of games have no limits."""
        return theta

    def match(self, firsts: np.ndarray, seconds: np.ndarray) -> PolicyMatch:
        for rows in (firsts, seconds):
            if not np.isfinite(rows).all():
                raise ValueError(f"a parameter of {self.name} is not a finite number: the method has diverged")
        return PolicyMatch(self.game, policies_in_turn(self.game, firsts), policies_in_turn(self.game, seconds))

    def match_answer(self, answer: PolicyJson, opponent: np.ndarray) -> PolicyMatch:
        return PolicyMatch(self.game, decode_policy(self.game, answer), policies_in_turn(self.game, opponent[None]))


def contest_of(game: Game, seed: int) -> GameContest:
    if game.strategy is None:
        raise ValueError(f"{game.name} has no parametric strategy to tune")
    return GameContest(game, game.strategy, seed)


# Steps of a method, and parts that methods share: mutation, step-size rule, parameters with neighbours.

WIDER, NARROWER = 2.0, 0.84
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


def mutant(arena: "Arena", x: np.ndarray, sigma: float) -> np.ndarray:
    return x + sigma * arena.gaussian()


def next_sigma(sigma: float, success: bool) -> float:
    """Return twice the step size after a success, 0.84 times it after a failure."""
    return min(max(sigma * (WIDER if success else NARROWER), MIN_SIGMA), MAX_SIGMA)


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
        longer, most = math.exp(LEARNING * cosine(slope, self.drift)), min(self.most_gain, MAX_GAIN)
        self.gain = within(self.gain * longer, self.least_gain, most)
        self.drift = MOMENTUM * self.drift + (1 - MOMENTUM) * slope
        self.x = self.x + self.gain * sigma * self.drift
        self.steps += 1
        self.average = self.average + (self.x - self.average) * 2 / (self.steps + 2)  # weights 1, 2, 3, .. (Polyak's)


def add_up(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Sum weighted rows in order: the last bits of a matrix product depend on the processor."""
    return np.asarray((weights[:, None] * rows).sum(axis=0))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    lengths = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / lengths if lengths > 0 else 0.0


def within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def scale_of(theta: np.ndarray, seeds: np.ndarray) -> float:
    """Return the scale of a vector's ordered parameters: 1, as Gaussian ones, or more."""
    return max(1.0, math.sqrt(float((theta[~seeds] ** 2).sum()) / max(len(theta) - seeds.sum(), 1)))
