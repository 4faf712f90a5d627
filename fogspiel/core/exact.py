"""What is known exactly: one file per game that has a ground truth, named like the game's own file."""

from fractions import Fraction

from .agents import PlayerAgent, Policy
from .game import Game, part_of


def exact_score(game: Game, first: Policy | PlayerAgent, second: Policy | PlayerAgent) -> Fraction:
    """The exact score of `first` against `second`, both seats counted alike, or a ValueError where nobody knows it."""
    truth = part_of(game, "exact")
    if truth is None:
        raise ValueError(f"no exact rate is known for {game.name}: play games instead of --exact")
    for side in (first, second):
        if not isinstance(side, Policy):
            raise ValueError(f"no exact rate is known for {side.name}: play games instead of --exact")
    return truth.score(game, first, second)
