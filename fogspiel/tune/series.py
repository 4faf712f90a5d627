"""Series of games between sides that may learn: who is beaten when the opponent remembers the last games?

St-Pierre et al. (2016): from the same members, the best one alone (BestArm), their Nash mixture, or a bandit that
drifts to what works; a learning opponent tells them apart.
"""

from dataclasses import dataclass, field
from math import log, sqrt
from typing import Protocol

import numpy as np

from ..core.agents import vector_policy
from ..core.game import Game
from ..core.rng import below, stream_of, unit
from ..core.simulate import Match

SERIES, CHOICES = 0, 1
CURIOSITY = 0.5  # of the bound sqrt(2 ln t / n), whose scale is that of a coin


class Side(Protocol):
    """Somebody with several vectors: says which of them plays, and hears what it scored (0 to 1)."""

    thetas: np.ndarray

    def member(self, stream: np.ndarray) -> int:
        """Who plays the next game."""

    def hear(self, member: int, score: float) -> None:
        """What came of it."""


@dataclass
class Mixed:
    """Draws a member by weight before every game, whatever happened; with one member, BestArm."""

    thetas: np.ndarray
    weights: np.ndarray

    def member(self, stream: np.ndarray) -> int:
        return min(int(np.searchsorted(np.cumsum(self.weights), unit(stream), "right")), len(self.thetas) - 1)

    def hear(self, member: int, score: float) -> None:
        """A mixture does not learn."""


@dataclass
class Ucb:
    """Plays the member with the highest upper confidence bound (UCB1: Auer, Cesa-Bianchi and Fischer 2002)."""

    thetas: np.ndarray
    points: np.ndarray = field(init=False)
    games: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.points, self.games = np.zeros(len(self.thetas)), np.zeros(len(self.thetas))

    def member(self, stream: np.ndarray) -> int:
        new = np.flatnonzero(self.games == 0)
        if len(new):
            return int(new[below(stream, len(new))])
        return int((self.points / self.games + CURIOSITY * np.sqrt(2 * log(self.games.sum()) / self.games)).argmax())

    def hear(self, member: int, score: float) -> None:
        self.points[member] += score
        self.games[member] += 1


def series(game: Game, side: Side, opponent: Side, games: int, key: int) -> np.ndarray:
    """The scores (0 to 1) of a side in a series against an opponent, game by game, seats in turn."""
    if games <= 0:
        raise ValueError(f"a series has at least one game, not {games}")
    matches: dict[tuple[int, int], Match] = {}
    streams, top = [stream_of(key, CHOICES, who) for who in (0, 1)], len(game.payoffs) - 1
    players = [[vector_policy(game, theta) for theta in who.thetas] for who in (side, opponent)]
    found = np.zeros(games)
    for number in range(games):
        one, other = side.member(streams[0]), opponent.member(streams[1])
        match = matches.get((one, other)) or Match(game, players[0][one], players[1][other])
        matches[one, other] = match
        found[number] = score = int(match.scores(int(stream_of(key, SERIES)[0]), number, 1, "alternating")[0, 0]) / top
        side.hear(one, score)
        opponent.hear(other, 1 - score)
    return found


def half_width(scores: np.ndarray) -> float:
    """1.96 standard errors of the mean of independent scores, such as the means of several series."""
    return 1.96 * float(scores.std(ddof=1)) / sqrt(len(scores))
