"""Responses to the baseline, and sequential halving: players thinned, bred, and moved along slopes of their score.

Self-play finds players that do well against strong ones. Evaluation by a known opponent, or a known distribution of
them, favours a direct search for a response. Nothing is assumed of the parameters: several searches run, and separate
games select among their results.
"""

import math
from collections.abc import Callable, Generator, Iterator

import numpy as np

from ...core.agents import REDRAWN
from ..arena import Arena, BudgetSpent
from ..contest import DIRECTIONS, Ascent, Step, add_up, hashed_parameters, scale_of
from ..population import Pool, draw_wide
from ..population import breed as breed_children

FIRST_GAMES = 200_000  # where the budget is not in games
THINNED, BRED, CLIMBED = 0.3, 0.6, 0.9  # fractions of the games at which each search ends; the rest evaluates
GAMES_A_PLAYER = 96  # in the thinning, over all its rounds
MIN_ELITE, MAX_ELITE = 4, 32
CHILDREN, RIVALS = 3, 16  # of each in the elite, and in each generation
FINALISTS = 8
REACH = 0.3  # length of the directions of slopes, in units of the parameters
MIN_STEPS = 16  # minimum for climbing


def reply(arena: Arena) -> Iterator[Step]:
    """Thin, breed, climb, judge, for the whole budget; without one, again for twice as many games."""
    halves, seeds = arena.strategy.per_seat, hashed_parameters(arena)
    last, champion = arena.budget.games, arena.start
    games = FIRST_GAMES if last is None else last - arena.games
    while True:
        began = arena.games
        elite = min(max(math.isqrt(games) // 16, MIN_ELITE), MAX_ELITE)
        drawn = max(int(THINNED * games) // GAMES_A_PLAYER, 2 * elite)
        pool = Pool(np.vstack([champion, draw_wide(arena, drawn)]), halves)
        climbs = not seeds.all() and (CLIMBED - BRED) * games >= 2 * MIN_STEPS * 4 * DIRECTIONS
        yield from thin(arena, pool, elite, began + int(THINNED * games))
        yield from breed(arena, pool, began + int((BRED if climbs else CLIMBED) * games))
        found = list(pool.thetas[:FINALISTS])
        for share, start in ((BRED, champion), ((BRED + CLIMBED) / 2, found[0])) if climbs else ():
            until = began + int((share + (CLIMBED - BRED) / 2) * games)
            found += yield from climb(arena, start, seeds, until)
        finalists = Pool(np.array(found), halves)
        yield from thin(arena, finalists, 1, began + games)
        champion, games = finalists.thetas[0], 2 * games
        yield Step(champion, True)
        if last is not None:  # the remaining games could only replace a good player by a lucky one
            raise BudgetSpent


Rivals = Callable[[Arena, int], np.ndarray]


def rivals(arena: Arena, count: int) -> np.ndarray:
    if arena.baseline is None:
        return np.repeat(arena.start[None], count, axis=0)
    if arena.baseline.selection == REDRAWN:
        return arena.gaussians(count)
    if arena.baseline.strategy is not arena.game.strategy:
        raise ValueError(f"reply needs a baseline with parameters, and {arena.baseline.name} has none: try redrawn")
    return np.repeat(arena.baseline.thetas, count, axis=0)


def thin(arena: Arena, pool: Pool, count: int, until: int, rivals: Rivals = rivals) -> Iterator[Step]:
    """Apply sequential halving until `count` are left, with the same number of games in every round."""
    for left in range(math.ceil(math.log2(len(pool.thetas) / count)), 0, -1):
        pairs = (until - arena.games) // (2 * left)
        pool.play(arena, rivals(arena, max(pairs // len(pool.thetas), 1)))
        pool.shrink(max(len(pool.thetas) // 2, count) if left > 1 else count)
        yield Step(pool.thetas[0], left == 1, population=len(pool.thetas))


def breed(arena: Arena, pool: Pool, until: int, rivals: Rivals = rivals) -> Iterator[Step]:
    """Breed with an elite that plays on; its children play against the same rivals in every generation."""
    elite = len(pool.thetas)
    while arena.games + 2 * (1 + CHILDREN) * elite * RIVALS <= until:
        pool.grow(breed_children(arena, pool.thetas, CHILDREN * elite, 1.0, pool.per_seat))
        pool.play(arena, rivals(arena, RIVALS))
        pool.shrink(elite)
        yield Step(pool.thetas[0], False, population=elite)


def climb(
    arena: Arena,
    start: np.ndarray,
    seeds: np.ndarray,
    until: int,
    rivals: Rivals = rivals,
    directions: int = DIRECTIONS,
) -> Generator[Step, None, list[np.ndarray]]:
    """Follow the antithetic gradient of the score (see `duel`); return the last point and the trajectory's average."""
    way = Ascent(start)
    sigma = REACH * scale_of(start, seeds)
    while arena.games + 4 * directions <= until:
        e = np.where(seeds, 0.0, arena.gaussians(directions))
        both = np.vstack([way.x + sigma * e, way.x - sigma * e])
        # Both ends of a direction play the same rival on the same deal, so their common noise cancels in the slope.
        scores = arena.play_pairs(both, np.tile(rivals(arena, directions), (2, 1)), blocks=2)
        plus, minus = scores.sum(axis=(1, 2)).reshape(2, -1)
        way.follow(add_up(plus - minus, e) / (2 * arena.game.max_score * directions), sigma)
        yield Step(way.average, False, sigma)
    return [way.x, way.average]


# The best of many random players by sequential halving (Karnin, Koren and Somekh 2013), against each other's panel.
#
# A round gives every remaining player the same number of games, then the better half stays: the method of seeds with
# its games where they matter. The panel is redrawn from all players in every round, and the last two play separate
# games.

PAIRS_A_PLAYER = 32  # that the budget should allow
MIN_PLAYERS, MAX_PLAYERS = 4, 4096
FIRST_PAIRS = 4096  # where the budget is not in games


def halving(arena: Arena, limit: int | None = None) -> Iterator[Step]:
    """One tournament for the whole budget (or up to a number of games); without one, each twice as long as the last."""
    last = arena.budget.games if limit is None else limit
    pairs = FIRST_PAIRS if last is None else (last - arena.games) // 2
    champion: np.ndarray | None = None
    while True:
        for pool in tournament(arena, pairs, champion):
            champion = pool.thetas[:1]
            yield Step(champion[0], len(pool.thetas) == 1, population=len(pool.thetas))
        if limit is not None:
            return
        if last is not None:  # the remaining games could only replace a good player by a lucky one
            raise BudgetSpent
        pairs *= 2


def players_for(pairs: int) -> int:
    """Return the number of random players that this many game pairs can distinguish: a power of two."""
    return int(2 ** int(math.log2(min(max(pairs // PAIRS_A_PLAYER, MIN_PLAYERS), MAX_PLAYERS))))


def tournament(arena: Arena, pairs: int, champions: np.ndarray | None) -> Iterator[Pool]:
    """Halve random players (and earlier winners) until one is left; yield the remaining ones after every round."""
    players = arena.gaussians(players_for(pairs))
    if champions is not None:
        players[: len(champions)] = champions
    pool, a_round = Pool(players, arena.strategy.per_seat), pairs // math.ceil(math.log2(len(players)))
    while len(pool.thetas) > 1:
        if len(pool.thetas) == 2:
            pool.forget()  # the scores that selected the last two are biased upwards
        panel = [arena.pick(len(players)) for _ in range(max(a_round // len(pool.thetas), 1))]
        pool.play(arena, players[panel])
        pool.shrink(len(pool.thetas) // 2)
        yield pool


METHODS = {"reply": reply, "halving": halving}
