"""Exact results: scores between given players, and of best responses to them.

A family that has such results gives them in `Game.exact`, by `score(game, first, second)` and
`best_responses(game, player)`.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np

from .agents import ALONE, IN_TURN, MIXED, ParametricPolicy, PlayerAgent
from .game import Game

Number = TypeVar("Number", Fraction, float)
# Among whom a reply is the best.
ANYBODY, TOLD, THRESHOLD = "anybody", "any player that is told which member it meets", "a threshold"


def exact_score(game: Game, first: ParametricPolicy | PlayerAgent, second: ParametricPolicy | PlayerAgent) -> Fraction:
    """The exact score of `first` against `second`, both seats counted alike, or a ValueError where it is not known."""
    score = game.exact.score
    if score is None:
        raise ValueError(f"no exact rate is known for {game.name}: play games instead of --exact")
    for side in (first, second):
        if not isinstance(side, ParametricPolicy):
            raise ValueError(f"no exact rate is known for {side.name}: play games instead of --exact")
    found: Fraction = score(game, first, second)
    return found


class BestResponseScore(NamedTuple):
    """Score of the best of some players against a given one, both seats counted alike."""

    among: str
    score: float

    @property
    def exact(self) -> bool:
        """True if no player scores more and some player scores as much."""
        return self.among == ANYBODY


def best_response_scores(game: Game, player: ParametricPolicy) -> list[BestResponseScore]:
    """The best replies that can be computed against a vector or a mixture of them, none where it is not known how."""
    if player.strategy is not game.strategy or player.how not in (ALONE, MIXED):
        return []
    replies = game.exact.best_responses
    found: list[BestResponseScore] = replies(game, player) if replies else []
    return found


def members_of(player: ParametricPolicy, number: Callable[[float], Number]) -> list[tuple[Number, np.ndarray]]:
    """The vectors of a player or mixture that are ever drawn, with their probabilities as such numbers."""
    if player.how == IN_TURN:
        raise ValueError(f"{player.name}: players in turn have no single exact score; ask for each of them alone")
    weights = [number(weight) for weight in player.weights] if player.how == MIXED else [number(1)]
    total = sum(weights[1:], weights[0])
    return [(weight / total, theta) for weight, theta in zip(weights, player.thetas, strict=True) if weight > 0]


def reply_to_members(player: ParametricPolicy, reply_score: Callable[[np.ndarray], float]) -> BestResponseScore:
    """The best reply to one vector, or to a mixture that names its member before each game: an upper limit."""
    members = members_of(player, float)
    whole = sum(weight * reply_score(theta) for weight, theta in members)
    return BestResponseScore(ANYBODY if len(members) == 1 else TOLD, whole)
