"""The referee: one game between two players, who see their views and nothing else.

Streams are those of the compiled loop in `simulate`: a seed for each game number, and from it one stream for chance,
one for each seat, and one that draws the contenders' members, so that both games of a pair are the same deal between
the same members.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .agents import ALONE, Contender
from .game import CHANCE, OVER, Game, blank
from .players import Entrant, Player, entrant_of
from .rng import below, stream_of
from .simulate import theta_for


class Played(NamedTuple):
    """A finished game: its record, chance included, and the index of the first player's payoff."""

    record: list[int]
    score: int


def played(game: Game, players: tuple[Player, Player], chance: np.ndarray) -> Played:
    """Let two players play one game; an action that is not on the list ends it with a ValueError."""
    rules, state, seen, out = game.rules, *map(blank, (game.sizes.state, game.sizes.view, game.sizes.actions))
    rules.start(state)
    record: list[int] = []
    for side, player in enumerate(players):
        player.begin(side)
    while (who := int(rules.mover(state))) != OVER:
        actions = out[: rules.legal(state, out)].tolist()
        if who == CHANCE:
            action = actions[below(chance, len(actions))]
        else:
            rules.view(state, who, seen)
            action = players[who].choose(seen.copy(), list(actions))
            if action not in actions:
                raise ValueError(f"player {who + 1} of {game.name} tried {action}, which is not among {actions[:12]}")
        record.append(action)
        rules.apply(state, action)
    return Played(record, int(rules.score(state)))


class Refereed:
    """Two sides at one game, move by move; between contenders the numbers, streams and scores of `simulate.Match`."""

    def __init__(self, game: Game, first: Contender | Entrant, second: Contender | Entrant):
        self.game, self.sides = game, (first, second)

    def scores(self, key: int, first: int, count: int, seats: str = "swapped", threads: int = 1) -> np.ndarray:
        """The first side's scores in games `first`.. of stream `key`: a row a number, a column a seat."""
        out = np.empty((count, 2 if seats == "swapped" else 1), np.int64)
        top = len(self.game.payoffs) - 1
        for i in range(count):
            number = first + i
            draws = stream_of(key, number, 3)
            one, other = (entrant_for(side, number, draws) for side in self.sides)
            swap = number % 2 if seats == "alternating" else below(draws, 2) if seats == "coin" else 0
            for column in range(out.shape[1]):
                swapped = (column + swap) % 2 == 1
                score = self._one(key, number, (other, one) if swapped else (one, other)).score
                out[i, column] = top - score if swapped else score
        return out

    def _one(self, key: int, number: int, seated: tuple[Entrant, Entrant]) -> Played:
        first, second = (entrant.player(stream_of(key, number, 1 + side)) for side, entrant in enumerate(seated))
        return played(self.game, (first, second), stream_of(key, number, 0))


def entrant_for(side: Contender | Entrant, number: int, draws: np.ndarray) -> Entrant:
    """Who sends the players of game (pair) `number`: of a contender the member whose turn it is, or who is drawn."""
    if isinstance(side, Entrant):
        return side
    theta = theta_for(side, number, draws)
    return entrant_of(replace(side, thetas=theta[None], how=ALONE, weights=()))
