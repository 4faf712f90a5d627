"""Policy-space response oracles: an archive, the Nash mixture of its table of scores, a response to it, and again.

The double oracle of McMahan, Gordon and Blum (2003) on a measured table, as in Lanctot et al. (2017). The result is the
mixture. A response joins the archive if it beats the mixture significantly, on redrawn opponents. After several
failures in a row, the next searches are twice as long, and every other turn improves the table. Where the budget allows
it, searches after a failure alternate with an evolution and an ascent that continue from turn to turn.
"""

from collections.abc import Iterator

import numpy as np

from ...stats.race import Race, scan
from ..arena import Arena
from ..best_response import begin_ways, search_response
from ..contest import Step, thin_checkpoints
from ..population import Archive, breed_mixture, draw_members, draw_opponents, is_certain, shares_of
from .auto import halving
from .evolution import duel, iterative

RESPONSES = 64  # that the budget should allow
MIN_PAIRS, MAX_PAIRS = 256, 16_384  # of the search for a response
FAILURES = 4
LASTING = 1024  # pairs of a search, from which on there are searches that last for several turns
MIN_CELL, MAX_CELL = 4, 256  # game pairs of a newcomer against each member
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
