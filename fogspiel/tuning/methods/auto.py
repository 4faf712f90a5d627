"""The default method: it runs several searches, gives its games to the best one, and selects the result.

Breeding and slopes of the score suit play against a known opponent (the baseline); duels suit play against strong
opponents. All searches start at the best of some random players. After every round their results play against the
baseline and each other, and the others continue from the best one. After the last round only the best search continues.
In the end the finalists play against the baseline and each other on separate games.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...core.agents import REDRAWN
from ..arena import Arena, BudgetSpent
from ..contest import Step, hashed_parameters
from ..population import Archive, Pool, draw_wide
from .duel import directions_for, duel
from .reply import CHILDREN, RIVALS, breed, climb, thin

DEFAULT_GAMES = 500_000  # where the budget is not in games
# Fractions of the games: random players, each search in a round, evaluation of a round, final selection.
DRAWN, ROUND, JUDGED, CHOSEN = 0.15, 0.05, 0.03, 0.08
DRAWN_SEEDS = 0.4  # for random players where no parameter has neighbours
GAMES_PER_PLAYER = 96  # in the thinning, over all its rounds
MIN_ELITE, MAX_ELITE = 4, 32
ROUNDS = 2  # after which the best search continues alone
MIN_GENERATIONS, MIN_CLIMB = 8, 64  # minimum for breeding, and for climbing
FINALISTS = 4
AHEAD, CLEARLY = 1.0, 2.0  # standard errors: against the baseline, and head to head
NO_LIMIT = 10**15


class SubSearch:
    """A search for players: its steps, which can restart at any player, and its results so far."""

    def __init__(self, steps: Callable[[np.ndarray], Iterator[Step]], start: np.ndarray) -> None:
        self.begin, self.checkpoints = steps, [start]
        self.join(start)

    def join(self, start: np.ndarray) -> None:
        self.answer, self.steps = start, self.begin(start)

    def follow(self, arena: Arena, until: int) -> Iterator[Step]:
        while arena.games < until:
            step = next(self.steps)
            self.answer = step.theta
            if step.accepted:
                self.checkpoints.append(step.theta)
            yield Step(step.theta, step.accepted, step.sigma, step.population)


def auto(arena: Arena) -> Iterator[Step]:
    """Draw, follow the ways that work, choose: the usual method, which needs no settings."""
    games, first = (arena.budget.games or arena.games + DEFAULT_GAMES) - arena.games, arena.games
    drawing = int((DRAWN_SEEDS if hashed_parameters(arena).all() else DRAWN) * games)
    pool = draw_pool(arena, drawing, size_of_elite(games))
    yield from thin(arena, pool, size_of_elite(games), first + drawing, opponents)
    rivals = np.array([pool.thetas[0], arena.start])
    champion = rivals[judge(arena, rivals, int(JUDGED * games))]

    ways = make_ways(arena, pool, champion, games)
    leader, share = ways[0], int(ROUND * games)
    for _ in range(ROUNDS if len(ways) > 1 else 0):
        for way in ways:
            yield from way.follow(arena, arena.games + share)
        leader = ways[judge(arena, np.array([way.answer for way in ways]), int(JUDGED * games))]
        for way in ways:
            if way is not leader:
                way.join(leader.answer)
        yield Step(leader.answer, True)
    yield from leader.follow(arena, first + int((1 - CHOSEN) * games))

    found = [arena.start, *pool.thetas[:2], pool.thetas.mean(axis=0)]
    found += [theta for way in ways for theta in (way.answer, way.checkpoints[-1])]
    yield choose(arena, leader.answer, np.array(found), first + games)
    raise BudgetSpent  # the remaining games could only replace a good player by a lucky one


def opponents(arena: Arena, count: int) -> np.ndarray:
    """Return `count` vectors that play as the baseline, or as the initial parameters if it has no parameters."""
    baseline = arena.baseline
    if baseline is not None and baseline.selection == REDRAWN:
        return arena.gaussians(count)
    alike = baseline is not None and baseline.strategy is arena.strategy
    return np.repeat(baseline.thetas[:1] if baseline and alike else arena.start[None], count, axis=0)


def size_of_elite(games: int) -> int:
    return min(max(math.isqrt(games) // 16, MIN_ELITE), MAX_ELITE)


def draw_pool(arena: Arena, games: int, elite: int) -> Pool:
    """Return the initial parameters and as many random players as the games can distinguish."""
    drawn = max(games // GAMES_PER_PLAYER, 2 * elite)
    return Pool(np.vstack([arena.start, draw_wide(arena, drawn)]), arena.strategy.per_seat)


def make_ways(arena: Arena, pool: Pool, champion: np.ndarray, games: int) -> list[SubSearch]:
    """Return the searches that the parameter types and the budget allow: slopes first, unless there are seeds."""
    seeds, ways = hashed_parameters(arena), []
    if not seeds.all():
        directions = directions_for(games // 2)
        ways.append(SubSearch(lambda start: duel(arena, start, games // 2), champion))
        if games // 2 >= MIN_CLIMB * 4 * directions:
            ways.append(SubSearch(lambda start: climb(arena, start, seeds, NO_LIMIT, opponents, directions), champion))
    if seeds.all() or games // 2 >= MIN_GENERATIONS * 2 * (1 + CHILDREN) * len(pool.thetas) * RIVALS:
        ways.append(SubSearch(lambda start: breed_with(arena, pool, start), champion))
    return ways[::-1] if seeds.any() else ways


def breed_with(arena: Arena, pool: Pool, start: np.ndarray) -> Iterator[Step]:
    pool.shrink(len(pool.thetas) - 1)
    pool.grow(start[None])
    yield from breed(arena, pool, NO_LIMIT, opponents)


def judge(arena: Arena, thetas: np.ndarray, games: int) -> int:
    """Return the best player: the first one, unless others surpass it."""
    field = Finalists(arena, thetas)
    field.play(games)
    return field.best


class Finalists:
    """Players that play against the baseline and each other."""

    def __init__(self, arena: Arena, thetas: np.ndarray) -> None:
        self.arena, self.table = arena, Archive(arena)
        self.table.add(thetas)
        self.points, self.pairs = np.zeros((len(thetas), 2)), 0

    def play(self, games: int) -> None:
        many, top = len(self.table), self.arena.game.max_score
        pairs = max(games // (4 * many), 1)
        rivals, thetas = opponents(self.arena, pairs), np.repeat(self.table.thetas, pairs, axis=0)
        scores = self.arena.play_pairs(thetas, np.tile(rivals, (many, 1)))
        self.points += scores.reshape(many, pairs, 2).sum(axis=1) / top
        self.pairs += pairs
        rows, columns = np.tril_indices(many, -1)
        if len(rows):
            self.table.play(rows, columns, max(games // (4 * len(rows)), 1))

    @property
    def scores(self) -> np.ndarray:
        return np.asarray(self.points.mean(axis=1) / max(self.pairs, 1))

    def score_of(self, weights: np.ndarray) -> float:
        laws = weights if weights.ndim == 2 else np.array([weights, weights])
        return float((laws.T * self.points).sum() / (2 * max(self.pairs, 1)))

    @property
    def error(self) -> float:
        """An upper bound of the standard error of the difference of two scores."""
        return 0.5 / math.sqrt(max(self.pairs, 1))

    @property
    def duels(self) -> np.ndarray:
        means = self.table.means
        return np.asarray((means + 1 - means.T) / 2)

    def beats(self, one: int, other: int) -> bool:
        error = 0.5 / math.sqrt(2 * max(self.table.pairs[one, other], 1))
        return bool(self.duels[one, other] > 0.5 + CLEARLY * error)

    def surpasses(self, one: int, other: int) -> bool:
        """True if one is better against the baseline, or beats the other and is not worse there."""
        lead = (self.scores[one] - self.scores[other]) / self.error
        return bool(lead > AHEAD or (lead > -AHEAD and self.beats(one, other)))

    @property
    def best(self) -> int:
        best = 0
        for one in range(1, len(self.table)):
            if self.surpasses(one, best):
                best = one
        return best


def choose(arena: Arena, answer: np.ndarray, others: np.ndarray, until: int) -> Step:
    """Return the current result, unless another finalist or a mixture of them surpasses it."""
    others = np.unique(others, axis=0)
    pool = Pool(others[(others != answer).any(axis=1)], arena.strategy.per_seat)
    for _ in thin(arena, pool, FINALISTS, arena.games + (until - arena.games) // 2, opponents):
        pass
    finals = Finalists(arena, np.vstack([answer, pool.thetas]))
    finals.play(until - arena.games)
    best = finals.best
    theta, score = finals.table.thetas[best], finals.scores[best]
    if not any(finals.beats(other, best) for other in range(len(finals.table))):
        why = f"a vector, because none of the {len(pool.thetas)} others that were left in the end beats it"
        return Step(theta, True, reason=why)
    if not arena.contest.mixes:
        why = f"a vector, because {arena.contest.name} cannot play a mixture of those that beat each other in circles"
        return Step(theta, True, reason=why)
    nash = finals.table.nash()
    mixed = finals.score_of(nash.weights)
    if mixed < score - CLEARLY * finals.error:
        less = f"{mixed:.3f}, not {score:.3f}"
        return Step(
            theta, True, reason=f"a vector, because a mixture that nobody beats scores less at the baseline: {less}"
        )
    why = "a mixture, because those who were left in the end beat each other in circles"
    return replace(finals.table.step(nash, True), reason=why)


METHODS = {"auto": auto}
