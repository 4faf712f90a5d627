"""Somebody trained for one purpose: to score against one frozen player. What he scores is a lower limit of what can be.

Nothing is proved about the search, so it looks in several ways and keeps the best by fresh games: random players of
several sizes, neighbours of the frozen one and the game's named players; then evolution of the best of them, which also
works on plateaus, and antithetic gradients (see `optimise.duel`) from several starts, which also work in hundreds of
dimensions. Both ends of a direction, and candidates that play long, meet the frozen player on the same deals.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..core.agents import Policy, find_policy, policies_in_turn, vector_policy
from ..core.game import Game
from ..core.rng import below, child, fill_normal, stream_of, unit
from ..core.simulate import Match

EXPLOITER, LOTS = 5, 0
"""Streams: of exploiters below a seed, and of their own lots below that; rounds of games are numbered from 1."""

POOL, EVOLUTION, GRADIENT, SELECTION = 0.15, 0.35, 0.40, 0.10
"""Shares of the budget."""
SCALES = (1.0, 5.0, 25.0)
"""Sizes of random players: large parameters make a soft choice a hard one."""
REACHES = (0.03, 0.1, 0.3, 1.0, 3.0)
"""Standard deviations of mutations, in units of the root mean square of the parent."""
FIRST_PAIRS = 8
ELITE, OFFSPRING, PAIRS = 6, 18, 16
PRIOR_PAIRS = 8.0
"""Draws that a candidate of the evolution is credited with: who has played little is trusted little."""
DIRECTIONS = 64
SIGMAS = (0.3, 1.0, 3.0)
MOMENTUM, LEARNING = 0.8, 0.1
LEAST_GAMES = 5_000
WORTH_A_CALL = 256
"""Pairs of games; below, the call of the compiled loop costs more than they do, and many players share one."""
KEPT = 4
"""How many candidates each way of looking hands to the selection."""


@dataclass
class Hunt:
    """One search against a frozen player: its budget of games, and its own lots."""

    game: Game
    frozen: Policy
    seed: int
    games: int
    threads: int = 1
    played: int = 0
    rounds: int = 0
    lots: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        assert self.game.strategy is not None
        self.key = child(self.seed, EXPLOITER)
        self.lots = stream_of(int(self.key), LOTS)
        names = self.game.strategy.parameters
        self.hashed = np.array([name in self.game.strategy.hashed for name in names], bool)

    def gaussians(self, count: int) -> np.ndarray:
        """That many vectors of standard Gaussian numbers, a row each."""
        thetas = np.empty((count, len(self.hashed)))
        fill_normal(self.lots, thetas.reshape(-1))
        return thetas

    def next_deals(self) -> int:
        """The key of a round of games that nobody has played before."""
        self.rounds += 1
        return int(child(int(self.key), self.rounds))

    def points(self, player: Policy, deals: int, pairs: int) -> np.ndarray:
        """The scores, from 0 to 1, of a player in pairs of games against the frozen one."""
        scores = Match(self.game, player, self.frozen).scores(deals, 0, pairs, threads=self.threads)
        self.played += scores.size
        return scores.sum(axis=1) / (2 * (len(self.game.payoffs) - 1))

    def means(self, players: list[Policy], pairs: int) -> np.ndarray:
        """The mean score of each player in that many pairs of games; long matches are on the same deals."""
        deals, found = self.next_deals(), np.zeros(len(players))
        vectors = [i for i, player in enumerate(players) if player.strategy is self.game.strategy]
        together = vectors if pairs < WORTH_A_CALL else []
        if together:
            rows = policies_in_turn(self.game, np.vstack([players[i].thetas for i in together]))
            found[together] = self.points(rows, deals, pairs * len(together)).reshape(pairs, -1).mean(axis=0)
        for i in set(range(len(players))) - set(together):
            found[i] = self.points(players[i], deals, pairs).mean()
        return found

    def mutant(self, parent: np.ndarray, reach: float) -> np.ndarray:
        """A neighbour of a vector; parameters that are seeds have no neighbours: half of them are drawn anew."""
        size = math.sqrt(float((parent**2).mean())) or 1.0
        move, anew = self.gaussians(2)
        renewed = np.array([unit(self.lots) < 0.5 for _ in parent])
        return np.where(self.hashed, np.where(renewed, anew, parent), parent + reach * size * move)


def exploiter(game: Game, frozen: Policy, games: int, seed: int, threads: int = 1) -> tuple[Policy, int]:
    """The best player against a frozen one that was found for about that many games, and how many were played."""
    if games < LEAST_GAMES:
        raise ValueError(f"the exploiter has {games} games: it needs at least {LEAST_GAMES}")
    hunt = Hunt(game, frozen, seed, games, threads)
    pool = best_of(hunt, list(random_players(hunt)), int(POOL * games), keep=ELITE)
    heaviest = frozen.thetas[int(np.argmax(frozen.weights or (1.0,)))]
    starts = [player.thetas[0] for player in pool if player.strategy is game.strategy] or [heaviest]
    finalists = [*pool[:KEPT], *evolve(hunt, starts, int(EVOLUTION * games))]
    if not hunt.hashed.all():
        for number, sigma in enumerate(SIGMAS):
            start = starts[0] if number % 2 else heaviest
            finalists += climb(hunt, start, sigma, int(GRADIENT * games / len(SIGMAS)))
    return best_of(hunt, finalists, int(SELECTION * games), keep=1)[0], hunt.played


def random_players(hunt: Hunt) -> Iterator[Policy]:
    """Named players, Gaussian vectors of several sizes, and neighbours of the frozen player's members."""
    for name in hunt.game.named:
        yield find_policy(hunt.game, name)
    games_each = 2 * FIRST_PAIRS * math.log2(max(hunt.games, 2))  # as much again in every later round of the halving
    count = max(len(SCALES), int(POOL * hunt.games / games_each) // 2)
    thetas = hunt.gaussians(count)
    for number, theta in enumerate(thetas):
        yield vector_policy(hunt.game, np.where(hunt.hashed, theta, SCALES[number % len(SCALES)] * theta))
    for number in range(count):
        member = hunt.frozen.thetas[below(hunt.lots, len(hunt.frozen.thetas))]
        yield vector_policy(hunt.game, hunt.mutant(member, REACHES[number % len(REACHES)]))


def best_of(hunt: Hunt, players: list[Policy], games: int, keep: int) -> list[Policy]:
    """Sequential halving (Karnin et al. 2013): the same games for every round, for half as many players each."""
    rounds = max(1, math.ceil(math.log2(max(len(players) / keep, 1))))
    while True:
        pairs = max(1, games // (2 * rounds * len(players)))
        order = np.argsort(-hunt.means(players, pairs), kind="stable").tolist()
        players = [players[i] for i in order[: max(keep, math.ceil(len(players) / 2))]]
        if len(players) <= keep:
            return players


def evolve(hunt: Hunt, starts: list[np.ndarray], games: int) -> list[Policy]:
    """Evolution with an elite that plays on: in every generation it meets the frozen player on new deals."""
    population, until = [np.array(start) for start in starts], hunt.played + games
    total, pairs = np.zeros(len(population)), np.zeros(len(population))
    while True:
        parents = [population[below(hunt.lots, len(population))] for _ in range(OFFSPRING)]
        population += [hunt.mutant(parent, REACHES[below(hunt.lots, len(REACHES))]) for parent in parents]
        total, pairs = np.append(total, np.zeros(OFFSPRING)), np.append(pairs, np.zeros(OFFSPRING))
        total += PAIRS * hunt.means([vector_policy(hunt.game, theta) for theta in population], PAIRS)
        pairs += PAIRS
        trusted = (total + PRIOR_PAIRS / 2) / (pairs + PRIOR_PAIRS)
        order = np.argsort(-trusted, kind="stable")[:ELITE]
        population, total, pairs = [population[i] for i in order], total[order], pairs[order]
        if hunt.played >= until:
            return [vector_policy(hunt.game, theta) for theta in population[:KEPT]]


def climb(hunt: Hunt, start: np.ndarray, sigma: float, games: int) -> list[Policy]:
    """Up the antithetic gradient of the score against the frozen player; answers three points of its way."""
    x, drift, gain, until = np.array(start), np.zeros(len(start)), 1.0, hunt.played + games
    average, seen = x, [x]
    while hunt.played < until:
        e = np.where(hunt.hashed, 0.0, hunt.gaussians(DIRECTIONS))
        deals = hunt.next_deals()
        plus, minus = (
            hunt.points(policies_in_turn(hunt.game, x + sign * sigma * e), deals, DIRECTIONS) for sign in (1.0, -1.0)
        )
        slope = (plus - minus) @ e / DIRECTIONS
        agreement = float(slope @ drift) / (float(np.linalg.norm(slope) * np.linalg.norm(drift)) or 1.0)
        gain = min(max(gain * math.exp(LEARNING * agreement), 1e-2), 1e3)
        drift = MOMENTUM * drift + (1 - MOMENTUM) * slope
        x = x + gain * sigma * drift
        seen.append(x)
        average = average + (x - average) * 2 / (len(seen) + 1)
    return [vector_policy(hunt.game, theta) for theta in (x, seen[len(seen) // 2], average)]
