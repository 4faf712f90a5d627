"""The default method, and responses to the baseline: players thinned, bred, and moved along slopes.

The default method runs several searches, gives its games to the best one, and selects the result. Breeding and slopes
of the score suit play against a known opponent (the baseline); duels suit play against strong opponents. All searches
start at the best of some random players. After each of two rounds their results play against the baseline and each
other, and the others continue from the best one. After the last round only the best search continues. In the end the
finalists play against the baseline and each other on separate games.

Where a response beats the leading vector by far, `psro` goes on from what the searches found. Its mixture is the result
if it costs little against the baseline and is much harder to exploit, by games and responses of its own.

Self-play finds players that do well against strong ones. Evaluation by a known opponent, or a known distribution of
them, favours a direct search for a response. Nothing is assumed of the parameters: several searches run, and separate
games select among their results.
"""

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

import numpy as np

from ...core.agents import BASELINES, REDRAWN
from ..arena import TOLERANCE, Arena, BudgetSpent, Step, hashed_parameters
from ..population import DIRECTIONS, Archive, Ascent, Pool, draw_opponents, draw_wide, scale_of
from ..population import breed as breed_children
from .evolution import directions_for, duel
from .psro import psro
from .surface import surface

DEFAULT_GAMES = 500_000  # where the budget is not in games
# Fractions of the games: random players, each search in a round, evaluation of a round, final selection.
DRAWN, ROUND, JUDGED, CHOSEN = 0.15, 0.05, 0.03, 0.08
DRAWN_SEEDS = 0.4  # for random players where no parameter has neighbours
GAMES_PER_PLAYER = 96  # in the thinning, over all its rounds
CHILDREN, RIVALS = 3, 16  # of each in the elite, and in each generation
MIN_ELITE, MAX_ELITE = 4, 32
MIN_GENERATIONS, MIN_CLIMB = 8, 64  # minimum for breeding, and for climbing
FINALISTS = 4
AHEAD, CLEARLY = 1.0, 2.0  # standard errors: against the baseline, and head to head
NO_LIMIT = 10**15
MIXED_FROM = 50_000  # games of a run in which a mixture is searched for
HARD = 0.6  # score of a response up to which a player is hard to exploit, as a share of the range of payoffs
# Fractions of the games: before the search for a mixture, a response and its score, the first part of the search, its
# cost at the baseline after that, and in the end.
ALONE, EXPLOITED, MIXED, PRICED, DECIDED = 0.35, 0.03, 0.05, 0.02, 0.1
SEARCHED = 0.8  # part of the games of a response that search it; its score is that of the others
CLEAR = 0.1  # by which the score of a response must be lower against the mixture
RESPONSES, RESPONSE_GAMES = 8, 20  # responses that are bred, and games of the search per player in it


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
    """Draw, follow the ways that work, choose: the usual method, which needs no settings.

    Where the baseline is one named opponent with parameters, the best response to it is wanted: that is `reply`. A
    program answers one vector and has no random players to begin with: a response surface within the limits of all
    parameters, or duels where one has none.
    """
    baseline = arena.baseline
    if not arena.contest.mixes:
        yield from surface(arena) if np.isfinite(arena.contest.box).all() else duel(arena)
        return
    if baseline is not None and baseline.strategy is arena.strategy and arena.baseline_name not in BASELINES:
        yield from reply(arena)
    games, first = (arena.budget.games or arena.games + DEFAULT_GAMES) - arena.games, arena.games
    drawing = int((DRAWN_SEEDS if hashed_parameters(arena).all() else DRAWN) * games)
    pool, elite = draw_pool(arena, arena.start, drawing, games)
    yield from thin(arena, pool, elite, first + drawing)
    rivals = np.array([pool.thetas[0], arena.start])
    champion = rivals[judge(arena, rivals, int(JUDGED * games))]

    ways = make_ways(arena, pool, champion, games)
    leader = yield from compete(arena, ways, games)

    def found() -> np.ndarray:
        others = [arena.start, *pool.thetas[:2], pool.thetas.mean(axis=0)]
        return np.array(others + [theta for way in ways for theta in (way.answer, way.checkpoints[-1])])

    mixture, why, last = None, "", first + int((1 - DECIDED - 2 * EXPLOITED) * games)
    if games >= MIXED_FROM:
        yield from leader.follow(arena, first + int(ALONE * games))
        founders = np.unique(np.vstack([leader.answer, found()]), axis=0)
        mixture, why = yield from mix(arena, leader.answer, founders, games, last - int(CHOSEN * games))
    if mixture is None:
        last = first + games
        leader = yield from compete(arena, ways, games)
        yield from leader.follow(arena, last - int(CHOSEN * games))
    chosen = choose(arena, leader.answer, found(), last)
    yield replace(chosen, reason=f"{chosen.reason}{why}") if mixture is None else decide(arena, chosen, mixture, games)
    raise BudgetSpent  # the remaining games could only replace a good player by a lucky one


def compete(arena: Arena, ways: list[SubSearch], games: int) -> Generator[Step, None, SubSearch]:
    """Follow each search, restart the others at the result of the best one, and return it."""
    if len(ways) == 1:
        return ways[0]
    for way in ways:
        yield from way.follow(arena, arena.games + int(ROUND * games))
    leader = ways[judge(arena, np.array([way.answer for way in ways]), int(JUDGED * games))]
    for way in ways:
        if way is not leader:
            way.join(leader.answer)
    yield Step(leader.answer, True)
    return leader


def draw_pool(arena: Arena, first: np.ndarray, drawing: int, games: int) -> tuple[Pool, int]:
    """Return a player and as many random ones as this part of the games can distinguish, and the size of an elite."""
    elite = min(max(math.isqrt(games) // 16, MIN_ELITE), MAX_ELITE)
    drawn = max(drawing // GAMES_PER_PLAYER, 2 * elite)
    return Pool(np.vstack([first, draw_wide(arena, drawn)]), arena.strategy.per_seat), elite


def make_ways(arena: Arena, pool: Pool, champion: np.ndarray, games: int) -> list[SubSearch]:
    """Return the searches that the parameter types and the budget allow: slopes first, unless there are seeds."""
    seeds, ways = hashed_parameters(arena), []
    if not seeds.all():
        directions = directions_for(games // 2)
        ways.append(SubSearch(lambda start: duel(arena, start, games // 2), champion))
        if games // 2 >= MIN_CLIMB * 4 * directions:
            ways.append(SubSearch(lambda start: climb(arena, start, seeds, NO_LIMIT, directions), champion))
    if seeds.all() or games // 2 >= MIN_GENERATIONS * 2 * (1 + CHILDREN) * len(pool.thetas) * RIVALS:
        ways.append(SubSearch(lambda start: breed_with(arena, pool, start), champion))
    return ways[::-1] if seeds.any() else ways


def breed_with(arena: Arena, pool: Pool, start: np.ndarray) -> Iterator[Step]:
    pool.shrink(len(pool.thetas) - 1)
    pool.grow(start[None])
    yield from breed(arena, pool, NO_LIMIT)


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
    for _ in thin(arena, pool, FINALISTS, arena.games + (until - arena.games) // 2):
        pass
    finals = Finalists(arena, np.vstack([answer, pool.thetas]))
    finals.play(until - arena.games)
    best = finals.best
    theta, score = finals.table.thetas[best], finals.scores[best]
    if not any(finals.beats(other, best) for other in range(len(finals.table))):
        why = f"none of the {len(pool.thetas)} other finalists beats it"
    else:
        nash = finals.table.nash()
        mixed = finals.score_of(nash.weights)
        if mixed >= score - CLEARLY * finals.error:
            why = "mixture: the finalists beat each other in cycles"
            return replace(finals.table.step(nash, True), reason=why)
        why = f"a mixture that nobody beats scores less at the baseline: {mixed:.3f}, not {score:.3f}"
    return Step(theta, True, reason=f"single vector: {why}")


# The mixture


def mix(
    arena: Arena, vector: np.ndarray, founders: np.ndarray, games: int, last: int
) -> Generator[Step, None, tuple[Step | None, str]]:
    """Search for a mixture if a response beats the vector; give up if it clearly costs more than the margin."""
    priced = int(PRICED * games)
    alone = Step(vector, True)
    beaten = exploit(arena, alone, int(EXPLOITED * games))
    if beaten <= HARD:
        return None, ""
    steps = psro(arena, founders, max(last - 2 * priced - arena.games, 1))
    for until in (arena.games + int(MIXED * games), last - priced):
        mixture = next(steps)
        while arena.games < until:
            yield Step(vector, False, population=mixture.population)
            mixture = next(steps)
        cost, error = price(arena, alone, mixture, priced)
        if cost > TOLERANCE + CLEARLY * error:
            harder = exploit(arena, mixture, int(EXPLOITED * games))
            return None, f"; {_figures(alone, beaten, harder, cost, error)}"
    return mixture, ""


def decide(arena: Arena, finalist: Step, mixture: Step, games: int) -> Step:
    """Return the mixture if it costs no more than the margin and a response to it scores clearly less."""
    cost, error = price(arena, finalist, mixture, int(DECIDED * games))
    beaten, harder = (exploit(arena, one, int(EXPLOITED * games)) for one in (finalist, mixture))
    figures = _figures(finalist, beaten, harder, cost, error)
    if cost <= TOLERANCE + AHEAD * error and harder <= beaten - CLEAR:
        return replace(mixture, accepted=True, reason=f"mixture: {figures}")
    return replace(finalist, reason=f"{finalist.reason}; {figures}")


def _figures(finalist: Step, beaten: float, harder: float, cost: float, error: float) -> str:
    return (
        f"a response scores {beaten:.3f} against the {'vector' if finalist.weights is None else 'finalists'} and "
        f"{harder:.3f} against the mixture of psro, which at the baseline scores {abs(cost):.3f} "
        f"{'less' if cost > 0 else 'more'} (standard error {error:.3f})"
    )


def price(arena: Arena, finalist: Step, mixture: Step, games: int) -> tuple[float, float]:
    """Return the lead of a result over a mixture by their scores at the baseline, and its standard error."""
    pairs = games // 4
    both = np.vstack([draw_opponents(*players_of(arena, one), pairs) for one in (finalist, mixture)])
    scores = arena.play_pairs(both, np.tile(opponents(arena, pairs), (2, 1)), blocks=2).sum(axis=(1, 2))
    leads = (scores[:pairs] - scores[pairs:]) / (2 * arena.game.max_score)
    return float(leads.mean()), float(leads.std()) / math.sqrt(pairs)


def exploit(arena: Arena, step: Step, games: int) -> float:
    """Return the score of a response to a result: random players and mutants thinned, the best of them bred once."""
    archive, weights = players_of(arena, step)
    first, many, seats = arena.games, max(games // RESPONSE_GAMES, RESPONSES), archive.per_seat

    def members(count: int) -> np.ndarray:
        return draw_opponents(archive, weights, count)

    mutants = breed_children(arena, members(many // 4), many // 4, 1.0, seats)
    pool = Pool(np.vstack([draw_wide(arena, many - many // 4), mutants]), seats)
    for count, until in ((RESPONSES, 0.5), (1, SEARCHED)):
        for _ in thin(arena, pool, count, first + int(until * games), members):
            pass
        if count > 1:
            pool.grow(breed_children(arena, pool.thetas, CHILDREN * count, 0.5, seats))
    pairs = max((first + games - arena.games) // 2, 1)
    scores = arena.play_pairs(np.tile(pool.thetas[:1], (pairs, 1)), members(pairs))
    return float(scores.mean()) / arena.game.max_score


def players_of(arena: Arena, step: Step) -> tuple[Archive, np.ndarray]:
    """Return the members of a result as an archive, and their weights."""
    archive = Archive(arena)
    if step.thetas is None or step.weights is None:
        archive.add(step.theta[None])
        return archive, np.ones((2, 1) if archive.per_seat else 1)
    archive.add(step.thetas)
    return archive, step.weights


# Searches against the baseline

REACH = 0.3  # length of the directions of slopes, in units of the parameters


def opponents(arena: Arena, count: int) -> np.ndarray:
    """Return `count` vectors that play as the baseline, or as the initial parameters if it has no parameters."""
    baseline = arena.baseline
    if baseline is not None and baseline.selection == REDRAWN:
        return arena.gaussians(count)
    alike = baseline is not None and baseline.strategy is arena.strategy
    return np.repeat(baseline.thetas[:1] if baseline and alike else arena.start[None], count, axis=0)


def thin(
    arena: Arena, pool: Pool, count: int, until: int, rivals: Callable[[int], np.ndarray] | None = None
) -> Iterator[Step]:
    """Apply sequential halving until `count` are left, with the same number of games in every round."""
    draw = rivals or (lambda many: opponents(arena, many))
    for left in range(math.ceil(math.log2(len(pool.thetas) / count)), 0, -1):
        pairs = (until - arena.games) // (2 * left)
        pool.play(arena, draw(max(pairs // len(pool.thetas), 1)))
        pool.shrink(max(len(pool.thetas) // 2, count) if left > 1 else count)
        yield Step(pool.thetas[0], left == 1, population=len(pool.thetas))


def breed(arena: Arena, pool: Pool, until: int) -> Iterator[Step]:
    """Breed with an elite that plays on; its children play against the same rivals in every generation."""
    elite = len(pool.thetas)
    while arena.games + 2 * (1 + CHILDREN) * elite * RIVALS <= until:
        pool.grow(breed_children(arena, pool.thetas, CHILDREN * elite, 1.0, pool.per_seat))
        pool.play(arena, opponents(arena, RIVALS))
        pool.shrink(elite)
        yield Step(pool.thetas[0], False, population=elite)


def climb(
    arena: Arena, start: np.ndarray, seeds: np.ndarray, until: int, directions: int = DIRECTIONS
) -> Generator[Step, None, list[np.ndarray]]:
    """Follow the antithetic gradient of the score (see `duel`); return the last point and the trajectory's average."""
    way = Ascent(start)
    sigma = REACH * scale_of(start, seeds)
    while arena.games + 4 * directions <= until:
        e = np.where(seeds, 0.0, arena.gaussians(directions))
        # Both ends of a direction play the same rival on the same deal, so their common noise cancels in the slope.
        way.climb(arena, sigma, e, opponents(arena, directions), blocks=2)
        yield Step(way.average, False, sigma)
    return [way.x, way.average]


# The best response to the baseline

FIRST_GAMES = 200_000  # where the budget is not in games
THINNED, BRED, CLIMBED = 0.3, 0.6, 0.9  # fractions of the games at which each search ends; the rest evaluates
REPLY_FINALISTS = 8
MIN_STEPS = 16  # minimum for climbing


def reply(arena: Arena) -> Iterator[Step]:
    """Thin, breed, climb, judge, for the whole budget; without one, again for twice as many games."""
    baseline, seeds = arena.baseline, hashed_parameters(arena)
    if baseline is not None and baseline.selection != REDRAWN and baseline.strategy is not arena.strategy:
        raise ValueError(f"reply needs a baseline with parameters, and {baseline.name} has none: try redrawn")
    last, champion = arena.budget.games, arena.start
    games = FIRST_GAMES if last is None else last - arena.games
    while True:
        began = arena.games
        pool, elite = draw_pool(arena, champion, int(THINNED * games), games)
        climbs = not seeds.all() and (CLIMBED - BRED) * games >= 2 * MIN_STEPS * 4 * DIRECTIONS
        yield from thin(arena, pool, elite, began + int(THINNED * games))
        yield from breed(arena, pool, began + int((BRED if climbs else CLIMBED) * games))
        found = list(pool.thetas[:REPLY_FINALISTS])
        for share, start in ((BRED, champion), ((BRED + CLIMBED) / 2, found[0])) if climbs else ():
            until = began + int((share + (CLIMBED - BRED) / 2) * games)
            found += yield from climb(arena, start, seeds, until)
        finalists = Pool(np.array(found), pool.per_seat)
        yield from thin(arena, finalists, 1, began + games)
        champion, games = finalists.thetas[0], 2 * games
        yield Step(champion, True)
        if last is not None:  # the remaining games could only replace a good player by a lucky one
            raise BudgetSpent


METHODS = {"auto": auto, "reply": reply}
