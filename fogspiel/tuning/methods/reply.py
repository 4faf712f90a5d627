"""A reply to the baseline: random players thinned, the best of them bred, and slopes climbed where there are any.

Self-play finds who is good against those who are good. Who is judged by a known opponent, or by a known kind of them,
does better by looking for just that. Nothing is assumed of the parameters: there are several ways of looking, and games
of their own decide between what they found.
"""

import math
from collections.abc import Callable, Generator, Iterator

import numpy as np

from ...core.agents import REDRAWN
from ..arena import Arena, BudgetSpent
from ..population import Pool, draw_wide
from ..population import breed as breed_children
from ..steps import DIRECTIONS, Ascent, Step, add_up, hashed_parameters, scale_of

FIRST_GAMES = 200_000  # where the budget is not in games
THINNED, BRED, CLIMBED = 0.3, 0.6, 0.9  # of the games, when each way of looking ends; the rest judges
GAMES_A_PLAYER = 96  # in the thinning, over all its rounds
MIN_ELITE, MAX_ELITE = 4, 32
CHILDREN, RIVALS = 3, 16  # of each in the elite, and in each generation
FINALISTS = 8
REACH = 0.3  # of the directions in which slopes are measured, in units of the parameters
MIN_STEPS = 16  # below which nothing is climbed


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
        if last is not None:  # what is left could only replace a good player by a lucky one
            raise BudgetSpent


Rivals = Callable[[Arena, int], np.ndarray]


def rivals(arena: Arena, count: int) -> np.ndarray:
    """Return so many vectors that play as the baseline does."""
    if arena.baseline is None:
        return np.repeat(arena.start[None], count, axis=0)
    if arena.baseline.selection == REDRAWN:
        return arena.gaussians(count)
    if arena.baseline.strategy is not arena.game.strategy:
        raise ValueError(f"reply needs a baseline with parameters, and {arena.baseline.name} has none: try redrawn")
    return np.repeat(arena.baseline.thetas, count, axis=0)


def thin(arena: Arena, pool: Pool, count: int, until: int, rivals: Rivals = rivals) -> Iterator[Step]:
    """Sequential halving until so many are left, with the same number of games in every round."""
    for left in range(math.ceil(math.log2(len(pool.thetas) / count)), 0, -1):
        pairs = (until - arena.games) // (2 * left)
        pool.play(arena, rivals(arena, max(pairs // len(pool.thetas), 1)))
        pool.shrink(max(len(pool.thetas) // 2, count) if left > 1 else count)
        yield Step(pool.thetas[0], left == 1, population=len(pool.thetas))


def breed(arena: Arena, pool: Pool, until: int, rivals: Rivals = rivals) -> Iterator[Step]:
    """Evolution with an elite that plays on: its children, too, meet the same rivals in every generation."""
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
    """Up the antithetic gradient of the score (see `duel`); returns its last point and the average of its way."""
    way = Ascent(start)
    sigma = REACH * scale_of(start, seeds)
    while arena.games + 4 * directions <= until:
        e = np.where(seeds, 0.0, arena.gaussians(directions))
        both = np.vstack([way.x + sigma * e, way.x - sigma * e])
        # Both ends of a direction meet the same rival on the same deal: what is luck in that falls out of the slope.
        scores = arena.play_pairs(both, np.tile(rivals(arena, directions), (2, 1)), blocks=2)
        plus, minus = scores.sum(axis=(1, 2)).reshape(2, -1)
        way.follow(add_up(plus - minus, e) / (2 * arena.game.max_score * directions), sigma)
        yield Step(way.average, False, sigma)
    return [way.x, way.average]


METHODS = {"reply": reply}
