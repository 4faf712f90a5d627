"""Exploiters: players trained against one frozen player, whose score is a lower bound of a best response's.

The search has no guarantee, so it uses several methods and selects the best by fresh games. It starts with random
players of several sizes, neighbours of the frozen one and the game's named players. Evolution of the best of them also
works on plateaus; ascents from several starts also work in hundreds of dimensions. Both ends of a direction, and
candidates in long matches, play against the frozen player on the same deals. Where the halves of a vector serve one
seat each, the best half is searched for each seat separately.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..core.agents import ParametricPolicy, find_policy, policies_in_turn, vector_policy
from ..core.game import Game
from ..core.rng import child, fill_normal, random_below, random_unit, stream_of
from ..core.simulate import PolicyMatch
from .population import DIRECTIONS, Ascent, Pool, add_up

# Streams of exploiters below a seed, and of their random numbers below that; rounds of games are numbered from 1.
EXPLOITER, DRAWS = 5, 0

POOL, EVOLUTION, GRADIENT, SELECTION = 0.15, 0.35, 0.40, 0.10  # fractions of the budget
SCALES = (1.0, 5.0, 25.0)  # sizes of random players: large parameters make a soft choice a hard one
REACHES = (0.03, 0.1, 0.3, 1.0, 3.0)  # standard deviations of mutations, in units of the root mean square of the parent
FIRST_PAIRS = 2  # of a player in the first round: many players matter more than exact scores
ELITE, OFFSPRING, PAIRS = 6, 18, 16
PRIOR_PAIRS = 8.0  # game pairs at 1/2 added to a candidate's score: regularises short records
SIGMAS = (0.3, 1.0, 3.0)
MIN_GAIN = 1e-2
MIN_GAMES = 5_000
# Game pairs; below, the call of the compiled loop costs more than they do, and many players share one.
WORTH_A_CALL = 256
KEPT = 4  # candidates that each search method passes to the selection
# Pairs in the first round of sifting halves; a quarter of them continues, with twice as many pairs.
SIFTED, QUARTER = 4, 4


@dataclass
class ResponseSearch:
    """One search against a frozen player: its budget of games, and its stream of random numbers."""

    game: Game
    frozen: ParametricPolicy
    seed: int
    games: int
    threads: int = 1
    played: int = 0
    rounds: int = 0
    stream: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        assert self.game.strategy is not None
        self.key = child(self.seed, EXPLOITER)
        self.stream = stream_of(int(self.key), DRAWS)
        names, self.per_seat = self.game.strategy.parameters, self.game.strategy.per_seat
        self.unordered = np.array([name in self.game.strategy.unordered for name in names], bool)

    def gaussians(self, count: int) -> np.ndarray:
        thetas = np.empty((count, len(self.unordered)))
        fill_normal(self.stream, thetas.reshape(-1))
        return thetas

    def next_deals(self) -> int:
        self.rounds += 1
        return int(child(int(self.key), self.rounds))

    def points(self, player: ParametricPolicy, deals: int, pairs: int) -> np.ndarray:
        """Return the scores, from 0 to 1, of a player in game pairs against the frozen one."""
        scores = PolicyMatch(self.game, player, self.frozen).scores(deals, 0, pairs, threads=self.threads)
        self.played += scores.size
        return np.asarray(scores.sum(axis=1) / (2 * self.game.max_score))

    def means(self, players: list[ParametricPolicy], pairs: int) -> np.ndarray:
        """Return the mean score of each player in that many game pairs; long matches are on the same deals."""
        deals, found = self.next_deals(), np.zeros(len(players))
        vectors = [i for i, player in enumerate(players) if player.strategy is self.game.strategy]
        together = vectors if pairs < WORTH_A_CALL else []
        if together:
            rows = policies_in_turn(self.game, np.vstack([players[i].thetas for i in together]))
            found[together] = self.points(rows, deals, pairs * len(together)).reshape(pairs, -1).mean(axis=0)
        for i in set(range(len(players))) - set(together):
            found[i] = self.points(players[i], deals, pairs).mean()
        return found

    def seat_means(self, thetas: np.ndarray, pairs: int) -> np.ndarray:
        match, deals = PolicyMatch(self.game, policies_in_turn(self.game, thetas), self.frozen), self.next_deals()
        scores = match.scores(deals, 0, pairs * len(thetas), threads=self.threads)
        self.played += scores.size
        return np.asarray(scores.reshape(pairs, -1, 2).mean(axis=0) / self.game.max_score)

    def mutant(self, parent: np.ndarray, reach: float) -> np.ndarray:
        """Return a neighbour of a vector; half of the parameters that are seeds are redrawn instead."""
        size = math.sqrt(float((parent**2).mean())) or 1.0
        move, anew = self.gaussians(2)
        renewed = np.array([random_unit(self.stream) < 0.5 for _ in parent])
        return np.where(self.unordered, np.where(renewed, anew, parent), parent + reach * size * move)


class Exploiter(NamedTuple):
    policy: ParametricPolicy
    games: int


def find_exploiter(game: Game, frozen: ParametricPolicy, games: int, seed: int, threads: int = 1) -> Exploiter:
    """Return the best player against a frozen one found with about that many games."""
    if games < MIN_GAMES:
        raise ValueError(f"the exploiter has {games} games: it needs at least {MIN_GAMES}")
    search = ResponseSearch(game, frozen, seed, games, threads)
    if search.per_seat:
        thetas = sift(search, int((1 - SELECTION if search.unordered.all() else POOL) * games))
        pool = [*(vector_policy(game, theta) for theta in thetas), *(find_policy(game, name) for name in game.policies)]
    else:
        pool = halve(search, list(first_players(search)), int(POOL * games), keep=ELITE)
    starts = [player.thetas[0] for player in pool if player.strategy is game.strategy] or [frozen.heaviest]
    finalists = pool if search.per_seat else pool[:KEPT]
    if not (search.per_seat and search.unordered.all()):
        finalists = [*finalists, *evolve(search, starts, int(EVOLUTION * games))]
    if not search.unordered.all():
        for number, sigma in enumerate(SIGMAS):
            start = starts[0] if number % 2 else frozen.heaviest
            finalists += climb(search, start, sigma, int(GRADIENT * games / len(SIGMAS)))
    return Exploiter(halve(search, finalists, int(SELECTION * games), keep=1)[0], search.played)


def sift(search: ResponseSearch, games: int) -> np.ndarray:
    """Return the best of as many random vectors and mutants as half of the games allow, a quarter surviving each round.

    Seeds have no mutants: there would be many doubles of members, which score one half and hide better ones.
    """
    drawn = max(games // (4 * SIFTED), QUARTER * ELITE)
    count = 0 if search.unordered.all() else drawn // 2
    members = search.frozen.thetas[[random_below(search.stream, len(search.frozen.thetas)) for _ in range(count)]]
    mutants = [search.mutant(one, REACHES[i % len(REACHES)]) for i, one in enumerate(members)]
    pool = Pool(np.vstack([search.gaussians(drawn - count), *mutants]), per_seat=True)
    pairs = SIFTED
    while True:
        pool.credit(pairs * search.seat_means(pool.thetas, pairs), pairs)
        pool.shrink(max(len(pool.thetas) // QUARTER, ELITE))
        if len(pool.thetas) == ELITE:
            return pool.thetas
        pairs *= 2


def first_players(search: ResponseSearch) -> Iterator[ParametricPolicy]:
    """Yield named players, Gaussian vectors of several sizes, and neighbours of the frozen player's members."""
    for name in search.game.policies:
        yield find_policy(search.game, name)
    games_each = 2 * FIRST_PAIRS * math.log2(max(search.games, 2))  # every later round of the halving costs the same
    count = max(len(SCALES), int(POOL * search.games / games_each) // 2)
    thetas = search.gaussians(count)
    for number, theta in enumerate(thetas):
        yield vector_policy(search.game, np.where(search.unordered, theta, SCALES[number % len(SCALES)] * theta))
    for number in range(count):
        member = search.frozen.thetas[random_below(search.stream, len(search.frozen.thetas))]
        yield vector_policy(search.game, search.mutant(member, REACHES[number % len(REACHES)]))


def halve(search: ResponseSearch, players: list[ParametricPolicy], games: int, keep: int) -> list[ParametricPolicy]:
    """Apply sequential halving (Karnin et al. 2013): each round costs the same, for half as many players."""
    rounds = max(1, math.ceil(math.log2(max(len(players) / keep, 1))))
    while True:
        pairs = max(1, games // (2 * rounds * len(players)))
        order = np.argsort(-search.means(players, pairs), kind="stable").tolist()
        players = [players[i] for i in order[: max(keep, math.ceil(len(players) / 2))]]
        if len(players) <= keep:
            return players


def evolve(search: ResponseSearch, starts: list[np.ndarray], games: int) -> list[ParametricPolicy]:
    """Breed with an elite that plays on: in every generation it plays against the frozen player on new deals."""
    seats, until = 2 if search.per_seat else 1, search.played + games
    pool = Pool(np.array(starts), search.per_seat, PRIOR_PAIRS, seats)
    while True:
        parents = [pool.thetas[random_below(search.stream, len(pool.thetas))] for _ in range(OFFSPRING)]
        pool.grow(np.array([search.mutant(one, REACHES[random_below(search.stream, len(REACHES))]) for one in parents]))
        if search.per_seat:
            means = search.seat_means(pool.thetas, PAIRS)
        else:
            means = search.means([vector_policy(search.game, theta) for theta in pool.thetas], PAIRS)[:, None]
        pool.credit(PAIRS * means, PAIRS)
        pool.shrink(ELITE)
        if search.played >= until:
            return [vector_policy(search.game, theta) for theta in pool.thetas[:KEPT]]


def climb(search: ResponseSearch, start: np.ndarray, sigma: float, games: int) -> list[ParametricPolicy]:
    """Follow antithetic gradients of the score against the frozen player; return three points of the trajectory."""
    way, until = Ascent(np.array(start), MIN_GAIN), search.played + games
    points = [way.x]
    while search.played < until:
        e = np.where(search.unordered, 0.0, search.gaussians(DIRECTIONS))
        deals = search.next_deals()
        plus, minus = (
            search.points(policies_in_turn(search.game, way.x + sign * sigma * e), deals, DIRECTIONS)
            for sign in (1.0, -1.0)
        )
        way.follow(add_up(plus - minus, e) / DIRECTIONS, sigma)
        points.append(way.x)
    return [vector_policy(search.game, theta) for theta in (way.x, points[len(points) // 2], way.average)]
