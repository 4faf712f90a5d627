"""Best arm, Nash portfolio and bandit against a learning opponent, on the same random players of a game.

    python benchmarks/portfolios.py [--games 1000] [--series 8] [--players 32] [--names morra,permutation-ttt,batawaf]

The players are Gaussian, of three widths, and measured against each other. The table yields the best one alone
(BestArm: the best mean), the Nash mixture, and UCB over all of them. Each plays series of games against a UCB opponent
with as many random players of its own, and against one fixed random player. Printed: mean score and 1.96 standard
errors over the series; the second half of a series counts, when the opponent has learnt. (St-Pierre et al. 2016.)
"""

import argparse
import sys
import time
from dataclasses import dataclass, field
from math import log, sqrt
from pathlib import Path
from typing import Protocol

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fogspiel.core.agents import vector_policy
from fogspiel.core.game import Game, known_game
from fogspiel.core.rng import random_below, random_unit, stream_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.tuning.arena import Arena, Budget, freeze_mixture
from fogspiel.tuning.population import Archive, draw_wide

PAIRS_A_CELL = 64
SERIES, CHOICES = 0, 1
CURIOSITY = 0.5  # of the bound sqrt(2 ln t / n), whose scale is that of a coin


class Side(Protocol):
    """An agent with several vectors: it selects one per game, and receives its score (0 to 1)."""

    thetas: np.ndarray

    def member(self, stream: np.ndarray) -> int:
        """Return the member that plays the next game."""

    def hear(self, member: int, score: float) -> None:
        """Receive the score of a member."""


@dataclass
class Mixed:
    """Mixture that draws a member by weight before every game; with one member, BestArm."""

    thetas: np.ndarray
    weights: np.ndarray

    def member(self, stream: np.ndarray) -> int:
        return min(int(np.searchsorted(np.cumsum(self.weights), random_unit(stream), "right")), len(self.thetas) - 1)

    def hear(self, member: int, score: float) -> None:
        """Do nothing: a mixture does not learn."""


@dataclass
class Ucb:
    """Player of the member with the highest upper confidence bound (UCB1: Auer, Cesa-Bianchi and Fischer 2002)."""

    thetas: np.ndarray
    points: np.ndarray = field(init=False)
    games: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.points, self.games = np.zeros(len(self.thetas)), np.zeros(len(self.thetas))

    def member(self, stream: np.ndarray) -> int:
        new = np.flatnonzero(self.games == 0)
        if len(new):
            return int(new[random_below(stream, len(new))])
        return int((self.points / self.games + CURIOSITY * np.sqrt(2 * log(self.games.sum()) / self.games)).argmax())

    def hear(self, member: int, score: float) -> None:
        self.points[member] += score
        self.games[member] += 1


def series(game: Game, side: Side, opponent: Side, games: int, key: int) -> np.ndarray:
    """Return the scores (0 to 1) of a side in a series against an opponent, game by game, seats in turn."""
    if games <= 0:
        raise ValueError(f"a series has at least one game, not {games}")
    matches: dict[tuple[int, int], PolicyMatch] = {}
    streams, top = [stream_of(key, CHOICES, who) for who in (0, 1)], len(game.payoffs) - 1
    players = [[vector_policy(game, theta) for theta in who.thetas] for who in (side, opponent)]
    found = np.zeros(games)
    for number in range(games):
        one, other = side.member(streams[0]), opponent.member(streams[1])
        match = matches.get((one, other)) or PolicyMatch(game, players[0][one], players[1][other])
        matches[one, other] = match
        found[number] = score = int(match.scores(int(stream_of(key, SERIES)[0]), number, 1, "alternating")[0, 0]) / top
        side.hear(one, score)
        opponent.hear(other, 1 - score)
    return found


def half_width(scores: np.ndarray) -> float:
    """Return 1.96 standard errors of the mean of independent scores, such as the means of several series."""
    return 1.96 * float(scores.std(ddof=1)) / sqrt(len(scores))


def measured(arena: Arena, players: int) -> Archive:
    archive = Archive(arena)
    archive.add(draw_wide(arena, players))
    rows, columns = np.tril_indices(players)
    archive.play(rows, columns, PAIRS_A_CELL)
    return archive


def sides(archive: Archive) -> dict[str, Side]:
    means = archive.means
    best = int((means.mean(axis=1) - means.mean(axis=0)).argmax())
    nash = freeze_mixture(archive.thetas, archive.nash().weights)
    thetas, weights = np.array(nash.get("thetas", [nash["theta"]])), nash.get("weights", [1.0])
    return {
        "best arm": Mixed(archive.thetas[best : best + 1], np.ones(1)),
        "nash": Mixed(thetas, np.array(weights)),
        "bandit": Ucb(archive.thetas),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", type=int, default=1000)
    options.add_argument("--series", type=int, default=8)
    options.add_argument("--players", type=int, default=32)
    options.add_argument("--names", default="morra,permutation-ttt,batawaf")
    asked = options.parse_args()
    for name in asked.names.split(","):
        game, began = known_game(name), time.process_time()
        found: dict[tuple[str, str], list[float]] = {}
        for seed in range(1, asked.series + 1):
            arena = Arena(game, seed, budget=Budget())
            archive = measured(arena, asked.players)
            rivals = draw_wide(arena, asked.players)
            for opponent, who in (("UCB", Ucb(rivals)), ("fixed", Mixed(rivals[:1], np.ones(1)))):
                for label, side in sides(archive).items():
                    rival = Ucb(rivals) if opponent == "UCB" else who
                    scores = series(game, side, rival, asked.games, seed)
                    found.setdefault((opponent, label), []).append(float(scores[asked.games // 2 :].mean()))
        print(f"{name}: {asked.players} players, {asked.series} series of {asked.games} games", flush=True)
        for (opponent, label), means in found.items():
            print(f"  {label:9} v {opponent:6} {np.mean(means):.3f} +- {half_width(np.array(means)):.3f}", flush=True)
        print(f"  {time.process_time() - began:.1f} CPU s", flush=True)


if __name__ == "__main__":
    main()
