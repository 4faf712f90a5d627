"""Interface of tuning problems: two parameter vectors play games and one scores more.

A game with a parametric strategy is one contest, an external program another one. Methods see only vectors, scores and
which parameters have neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from ..core.agents import PolicyJson, decode_policy, fixed_baseline, policies_in_turn
from ..core.game import Game, Strategy
from ..core.simulate import PolicyMatch

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
