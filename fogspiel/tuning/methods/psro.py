"""Policy-space response oracles: an archive, the Nash mixture of its table of scores, a response to it, and again.

The double oracle of McMahan, Gordon and Blum (2003) on a measured table, as in Lanctot et al. (2017). The result is the
mixture. A response joins the archive if it beats the mixture significantly, on redrawn opponents. After several
failures in a row, the next searches are twice as long, and every other turn improves the table. Where the budget allows
it, searches after a failure alternate with an evolution and an ascent that continue from turn to turn.
"""

import math
from collections.abc import Iterator

import numpy as np

from ...stats.race import Race, scan
from .. import population
from ..arena import Arena, Step, hashed_parameters, thin_checkpoints
from ..population import Archive, Ascent, Pool, breed, draw_members, draw_opponents, is_certain, shares_of
from .evolution import duel, halving, iterative

RESPONSES = 64  # that the budget should allow
MIN_PAIRS, MAX_PAIRS = 256, 16_384  # of the search for a response
FAILURES = 4
LASTING = 1024  # pairs of a search, from which on there are searches that last for several turns
MIN_CELL, MAX_CELL = 4, 256  # game pairs of a newcomer against each member
PARTS = 8  # of a race, each an event
CLEARLY = 0.1  # of epsilon, by which a response must beat the mixture where scores are certain


def psro(arena: Arena, founders: np.ndarray | None = None, games: int | None = None) -> Iterator[Step]:
    """Nash mixture, response, race; from the paper's starting point, or from players that were found before."""
    archive, certain, games = Archive(arena), is_certain(arena), games or arena.budget.games
    pairs = min(max((games or 10**9) // (4 * RESPONSES), MIN_PAIRS), MAX_PAIRS)
    founders = arena.start[None] if founders is None else founders
    archive.enrol(founders, 1 if certain else cell(pairs, len(founders)))
    if certain:
        yield from population.breed_mixture(archive, CLEARLY * arena.race_rule.epsilon, games)
    nash, failures = archive.nash(), 0
    ways = begin_ways(archive, nash.weights) if pairs >= LASTING else []
    yield archive.step(nash, True)
    while True:
        effort = min(pairs << (failures // FAILURES), MAX_PAIRS)
        newcomer, turn = archive.thetas[:1], failures % (1 + len(ways))
        if turn:
            for theta in ways[turn - 1].go_on(effort):
                newcomer = theta[None]
                yield archive.step(nash, False)
        else:
            for pool in search_response(arena, archive, nash.weights, effort):
                newcomer = pool.thetas[:1]
                yield archive.step(nash, False)
        better = beats(archive, nash.weights, newcomer, effort)
        failures = 0 if better else failures + 1
        if better:
            archive.enrol(newcomer, cell(pairs, len(archive)))
        elif failures >= FAILURES:
            measure(archive, nash.weights, pairs)
        changed = better or failures >= FAILURES
        if changed:
            nash = archive.nash()
            for way in ways:
                way.weights = nash.weights
        if better and ways:
            ways = begin_ways(archive, nash.weights)
        yield archive.step(nash, changed)


def cell(pairs: int, members: int) -> int:
    """Return the game pairs of a newcomer against each member, for half of the cost of a response."""
    return min(max(pairs // (2 * members), MIN_CELL), MAX_CELL)


def beats(archive: Archive, weights: np.ndarray, theta: np.ndarray, pairs: int) -> bool:
    """True if a player scores significantly above 1/2 against a mixture of members, in at most `pairs` game pairs."""
    arena = archive.arena
    rule = Race("count-mixture-asymmetric", arena.race_rule.delta, arena.race_rule.epsilon)
    counts, part = np.zeros(2 * len(arena.game.payoffs) - 1, np.int64), max(pairs // PARTS, 1)
    for _ in range(PARTS):
        met = arena.play_pairs(np.tile(theta, (part, 1)), draw_opponents(archive, weights, part))
        _, decision = scan(rule, counts, met.sum(axis=(1, 2)))
        if decision:
            return decision > 0
    return False


def measure(archive: Archive, weights: np.ndarray, pairs: int) -> None:
    """Let relevant members play: both drawn half by their weights, half evenly."""
    law = (shares_of(weights) + 1 / len(archive)) / 2
    archive.play(draw_members(archive.arena, law, pairs), draw_members(archive.arena, law, pairs))


# Best responses to a mixture: random players, mutants and crosses of members, halved until one is left, or a climb.

GENERATIONS, FINALS = 4, 4
MIXTURE_KEPT = 4  # a quarter of a pool survives to the next generation
MIN_OPPONENTS = 8
NARROWER = 0.5
MIXTURE_ELITE, MIXTURE_OFFSPRING, OPPONENTS = 8, 24, 16
REACH = 0.3  # length of the directions of slopes, in units of the parameters


def search_response(arena: Arena, archive: Archive, weights: np.ndarray, pairs: int) -> Iterator[Pool]:
    """Search for a response to a mixture of members with about `pairs` game pairs; the last pool has one row."""
    a_round = pairs // (GENERATIONS + FINALS)
    many = max(MIN_OPPONENTS, int((a_round / 4) ** 0.5))  # a pool of four times as many candidates as opponents
    size = max(4 * MIXTURE_KEPT, a_round // many)
    law = (shares_of(weights) + 1 / len(archive)) / 2
    parents = archive.thetas[draw_members(arena, law, size)]
    drawn = population.draw_wide(arena, size // 4)
    bred = breed(arena, parents, size - size // 4, 1.0, archive.per_seat)
    pool = Pool(np.vstack([drawn, bred]), archive.per_seat)
    for generation in range(GENERATIONS):
        if generation:
            pool.grow(breed(arena, pool.thetas, size - len(pool.thetas), NARROWER**generation, archive.per_seat))
        pool.play(arena, draw_opponents(archive, weights, many))
        pool.shrink(size // MIXTURE_KEPT)
        yield pool
    while len(pool.thetas) > 1:
        pool.play(arena, draw_opponents(archive, weights, max(MIN_OPPONENTS, a_round // len(pool.thetas))))
        pool.shrink(len(pool.thetas) // 2)
        yield pool


class Evolution:
    """An elite that is bred against a mixture, and continues from turn to turn while the archive does not change."""

    def __init__(self, archive: Archive, weights: np.ndarray) -> None:
        heaviest = (-shares_of(weights)).argsort(kind="stable")[:MIXTURE_ELITE]
        self.archive, self.weights = archive, weights
        self.pool = Pool(archive.thetas[heaviest], archive.per_seat)

    def go_on(self, pairs: int) -> Iterator[np.ndarray]:
        """Breed for about `pairs` game pairs; yield the best after each generation."""
        arena, pool = self.archive.arena, self.pool
        for _ in range(max(pairs // ((MIXTURE_ELITE + MIXTURE_OFFSPRING) * OPPONENTS), 1)):
            children = MIXTURE_ELITE + MIXTURE_OFFSPRING - len(pool.thetas)
            pool.grow(breed(arena, pool.thetas, children, 1.0, pool.per_seat))
            pool.play(arena, draw_opponents(self.archive, self.weights, OPPONENTS))
            pool.shrink(MIXTURE_ELITE)
            yield pool.thetas[0]


class Climb:
    """An ascent of the score against a mixture, which continues from turn to turn as an evolution does."""

    def __init__(self, archive: Archive, weights: np.ndarray) -> None:
        start = archive.thetas[int(shares_of(weights).argmax())]
        self.archive, self.weights, self.way = archive, weights, Ascent(start)
        self.seeds = hashed_parameters(archive.arena)
        self.sigma = REACH * max(math.sqrt(float((start[~self.seeds] ** 2).mean())), population.MIN_SCALE)

    def go_on(self, pairs: int) -> Iterator[np.ndarray]:
        """Climb for about `pairs` game pairs; yield the average of the trajectory after each step."""
        arena = self.archive.arena
        for _ in range(max(pairs // (2 * population.DIRECTIONS), 1)):
            e = np.where(self.seeds, 0.0, arena.gaussians(population.DIRECTIONS))
            self.way.climb(arena, self.sigma, e, draw_opponents(self.archive, self.weights, population.DIRECTIONS))
            yield self.way.average


def begin_ways(archive: Archive, weights: np.ndarray) -> list[Evolution | Climb]:
    """Return the searches that continue from turn to turn; ascents only where parameters have neighbours."""
    ways: list[Evolution | Climb] = [Evolution(archive, weights)]
    return ways if hashed_parameters(archive.arena).all() else [*ways, Climb(archive, weights)]


# One budget for several methods: their results start the archive of `psro`. Where scores are deterministic and the
# seats are mixed separately, every vector loses all games to some other, so searching for a single one is futile: all
# games are for the mixture.

SHARES = ((duel, 0.2), (iterative, 0.1), (halving, 0.1))  # of the budget; the rest is for the mixture
DEFAULT_GAMES = 200_000  # basis of the shares, where the budget is not in games
FOUNDERS = 6  # at most, from each method


def portfolio(arena: Arena) -> Iterator[Step]:
    """Each method for its share; from its points on the way, the latest and some earlier ones meet all the others."""
    if arena.strategy.per_seat and is_certain(arena):
        yield from psro(arena)
    founders = [arena.start]
    for method, share in SHARES:
        limit = arena.games + int(share * (arena.budget.games or DEFAULT_GAMES))
        found: list[np.ndarray] = []
        for step in halving(arena, limit) if method is halving else method(arena):
            if step.accepted or not found:
                found.append(step.theta)
            yield Step(step.theta, step.accepted, step.sigma, step.population)
            if arena.games >= limit:
                found.append(step.theta)
                break
        founders += thin_checkpoints(found)[:FOUNDERS]
    yield from psro(arena, np.unique(np.array(founders), axis=0))


METHODS = {"psro": psro, "portfolio": portfolio}
