"""Policy-space response oracles: an archive, the Nash mixture of its table of scores, a response to it, and again.

The double oracle of McMahan, Gordon and Blum (2003) on a measured table, as Lanctot et al. (2017) have it. The answer
is the mixture. A response joins the archive if it has proved to beat the mixture, on opponents drawn anew; when several
in a row have failed, the search for the next ones is twice as long, and every other turn goes into a better table.
Where the budget allows it, searches after a failure take turns with an evolution and a climb that go on as they were.
"""

from collections.abc import Iterator

import numpy as np

from ...stats.race import Race, scan
from ..arena import Arena
from ..best_response import begin_ways, search_response
from ..population import Archive, breed_mixture, draw_members, draw_opponents, is_certain, shares_of
from ..steps import Step
from .duel import duel
from .evolution import iterative
from .halving import halving

RESPONSES = 64  # for which the budget should suffice
MIN_PAIRS, MAX_PAIRS = 256, 16_384  # of the search for a response
FAILURES = 4
LASTING = 1024  # pairs of a search, from which on there are ways of looking that last longer than one
MIN_CELL, MAX_CELL = 4, 256  # pairs in which a newcomer meets each of the others
PARTS = 8  # of a race, each an event
CLEARLY = 0.1  # of epsilon, by which a response must beat the mixture where scores are certain


def psro(arena: Arena, founders: np.ndarray | None = None) -> Iterator[Step]:
    """Nash mixture, response, race; from the paper's starting point, or from players that were found before."""
    archive, certain = Archive(arena), is_certain(arena)
    pairs = min(max((arena.budget.games or 10**9) // (4 * RESPONSES), MIN_PAIRS), MAX_PAIRS)
    founders = arena.start[None] if founders is None else founders
    archive.enrol(founders, 1 if certain else cell(pairs, len(founders)))
    if certain:
        yield from breed_mixture(archive, CLEARLY * arena.race_rule.epsilon)
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
    """In how many pairs a newcomer meets each of the members, for half of what a response costs."""
    return min(max(pairs // (2 * members), MIN_CELL), MAX_CELL)


def beats(archive: Archive, weights: np.ndarray, theta: np.ndarray, pairs: int) -> bool:
    """True if a player proves to score above 1/2 against a mixture of members, in at most so many pairs."""
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
    """Let members meet who matter: both drawn half by their weights, half evenly."""
    law = (shares_of(weights) + 1 / len(archive)) / 2
    archive.play(draw_members(archive.arena, law, pairs), draw_members(archive.arena, law, pairs))


# One budget for several methods: their findings found the archive of `psro`. Where scores are certain and the seats are
# mixed apart, one vector loses every game to somebody, so a way to a good one leads nowhere: all games are for the
# mixture.

SHARES = ((duel, 0.2), (iterative, 0.1), (halving, 0.1))  # of the budget; the rest is for the mixture
DEFAULT_GAMES = 200_000  # of which the shares are, where the budget is not in games
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
        founders += thin(found)
    yield from psro(arena, np.unique(np.array(founders), axis=0))


def thin(found: list[np.ndarray]) -> list[np.ndarray]:
    """Return the last point and some before it, ever further apart."""
    return [found[-(2**k)] for k in range(FOUNDERS) if 2**k <= len(found)]


METHODS = {"psro": psro, "portfolio": portfolio}
