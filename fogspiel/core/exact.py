"""What is known exactly: one file per game that has a ground truth, named like the game's own file."""

from fractions import Fraction

from .agents import Contender
from .game import Game, part_of
from .players import Entrant


def exact_score(game: Game, first: Contender | Entrant, second: Contender | Entrant) -> Fraction:
    """The exact score of `first` against `second`, both seats counted alike, or a ValueError where nobody knows it."""
    truth = part_of(game, "exact")
    if truth is None:
        raise ValueError(f"no exact rate is known for {game.name}: play games instead of --exact")
    for side in (first, second):
        if not isinstance(side, Contender):
            raise ValueError(f"no exact rate is known for {side.name}: play games instead of --exact")
    return truth.score(game, first, second)
