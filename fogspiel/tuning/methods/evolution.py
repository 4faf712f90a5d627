"""Evolution strategies: the five methods of Cauwet & Teytaud 2018, duels, SPSA and sequential halving."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from ...stats.race import Race, interval, mean
from ..arena import MAX_SIGMA, MIN_SIGMA, Arena, BudgetSpent, Step, hashed_parameters, join_halves, mutant, next_sigma
from ..population import DIRECTIONS, Ascent, Pool, add_up, scale_of

# The methods of the paper: four evolutionary algorithms, and a round robin of random players

Population = list[np.ndarray]
Resize = Callable[[float, bool], float]  # the next step size, by the last one and its success


def naive(arena: Arena) -> Iterator[Step]:
    """Algorithm 1: (1+1)-ES that accepts what does better against the baseline."""
    return evolve(arena, lambda candidate, population: arena.compare(candidate, population[-1]).decision > 0, False)


def iterative(arena: Arena, rule: Race | None = None) -> Iterator[Step]:
    """Algorithm 2: (1+1)-ES that accepts what beats the last accepted point, by the rule of the run or by another."""
    return evolve(arena, lambda candidate, population: arena.race(candidate, population[-1], rule).decision > 0, False)


def real(arena: Arena) -> Iterator[Step]:
    """Algorithm 3: accept what beats every point of the population."""
    rejections: list[int] = []

    def beats_all(candidate: np.ndarray, population: Population) -> bool:
        rejections.extend([0] * (len(population) - len(rejections)))
        # Historically hardest member first, stop at the first rejection: the same answer, fewer games.
        for i in sorted(range(len(population)), key=lambda i: (-rejections[i], -i)):
            if arena.race(candidate, population[i]).decision < 0:
                rejections[i] += 1
                return False
        return True

    return evolve(arena, beats_all)


def approximate(arena: Arena, resize: Resize = next_sigma) -> Iterator[Step]:
    """Algorithm 4: accept what beats one point of the population, drawn at random."""

    def beats_one(candidate: np.ndarray, population: Population) -> bool:
        return arena.race(candidate, population[arena.pick(len(population))]).decision > 0

    return evolve(arena, beats_one, resize=resize)


def evolve(
    arena: Arena,
    is_better: Callable[[np.ndarray, Population], bool],
    coevolves: bool = True,
    resize: Resize = next_sigma,
) -> Iterator[Step]:
    """Mutate the last accepted point; in coevolution the population has all accepted points, else only the last."""
    population, sigma = [arena.start], 1.0
    while True:
        candidate = mutant(arena, population[-1], sigma)
        better = is_better(candidate, population)
        if better:
            population = [*population, candidate] if coevolves else [candidate]
        sigma = resize(sigma, better)
        yield Step(population[-1], better, sigma, len(population))


def seeds(arena: Arena) -> Iterator[Step]:
    """Section II-E: round robin of random players; each step adds one, who meets all the others in both seats."""
    players = np.zeros((0, len(arena.strategy.parameters)))
    totals = np.zeros((0, 2), np.int64)  # every player's points in the first and in the second seat
    best: list[int] = []
    while True:
        newcomer = arena.gaussian()
        scores = arena.play_newcomer(newcomer, players)
        totals += arena.game.max_score - scores[:, ::-1]
        totals = np.vstack([totals, scores.sum(axis=0)])
        players = np.vstack([players, newcomer])
        if arena.strategy.per_seat:
            found = totals.argmax(axis=0).tolist()
        else:
            found = [int(totals.sum(axis=1).argmax())]
        yield Step(join_halves(players, found[:1], found[-1:])[0], found != best, population=len(players))
        best = found


# Duels: x + sigma e plays against x - sigma e in many directions e, and x moves towards the winners.
#
# The antithetic estimator of evolution strategies (Salimans et al. 2017; the one-direction case is Spall's SPSA, 1992)
# on head-to-head games. A game pair carries little information, but about every parameter at once, and it accumulates
# over steps: only the guard's comparisons need to be settled. The constants serve any game and 1 to some hundred
# parameters.
#
# The guard tests the average of the trajectory against the best checkpoint, which only a significant win replaces, and
# an earlier one, so that many small losses, or cycles, do not count as progress. After a loss the search restarts at
# the winner, with strides half as long; without progress, duels are played at half the distance.

MIN_STEPS, MIN_DIRECTIONS = 256, 4  # small budgets have fewer directions per step, to have that many steps
CALM = 0.996  # the power of the gain in every step: prevents drift where slopes are noise
MEMORY = 0.1  # weight of one step in the running lead
WEAK, STRONG = 0.1**2, 0.2**2  # squared leads between which sigma stays: the stronger side wins about 55 to 70 %
WIDER = 1.03
# Limits of the largest sigma, in units of the initial vector or of x: distant duels say nothing about players like x.
NARROWEST, WIDEST = 0.1, 2.0
OF_THE_BOX = 0.25  # limit of the distance of a duel from x, where a parameter has limits
GUARDED = 32  # steps between two tests of the guard
GUARDING = 8  # the guard uses one game in this many
TRIED = 4  # one in this many of these decides whether to test a redrawn seed further
PATIENCE = 4  # tests without progress before the distance of duels is halved
WIDENED = 1.1  # factor of their distance after every checkpoint
LONGER = 1.5  # factor of the stride limit after every test without a loss
GUARD = Race("count-mixture-asymmetric", delta=0.05, epsilon=0.02)


class CheckpointGuard:
    """The checkpoints of a trajectory; the last one is the best, by significant wins."""

    def __init__(self, arena: Arena, start: np.ndarray) -> None:
        self.arena = arena
        self.checkpoints: list[np.ndarray] = []
        self.keep(start)

    @property
    def best(self) -> np.ndarray:
        return self.checkpoints[-1]

    def keep(self, theta: np.ndarray) -> None:
        self.checkpoints.append(theta)
        self.begin()

    def begin(self) -> None:
        self.visits, self.counts = 0, np.zeros(1, np.int64)

    @property
    def lead(self) -> float:
        """The lead of the trajectory over the best since that was found, in standard errors."""
        return 2 * (mean(self.counts) - 0.5) * math.sqrt(2 * self.counts.sum())

    @property
    def stalls(self) -> bool:
        """True if 4, 8, 16, .. tests after the best was found the lead is below one standard error."""
        return self.visits >= PATIENCE and self.visits & (self.visits - 1) == 0 and self.lead < 1

    def judge(self, theta: np.ndarray, pairs: int) -> tuple[int, np.ndarray]:
        """Return 1 and the vector if it is a new checkpoint, -1 and its winner, or 0 and the apparently better one."""
        met = self.meet(theta, self.best, pairs)
        self.visits, self.counts = self.visits + 1, self.counts + met
        (low, high), (_, now) = interval(self.counts), interval(met)
        if low > 0.5:
            earlier = self.checkpoints[self.arena.pick(len(self.checkpoints))]
            if earlier is not self.best and interval(self.meet(theta, earlier, pairs))[1] < 0.5:
                self.begin()
                return -1, earlier
            self.keep(theta)
            return 1, theta
        if min(high, now) < 0.5:
            self.begin()
            return -1, self.best
        return 0, theta if self.lead > -1 else self.best

    def proves(self, theta: np.ndarray, other: np.ndarray, pairs: int | None) -> bool:
        """True if a vector wins significantly against another, in `pairs` game pairs or in as many as it takes."""
        if pairs is None:
            return self.arena.race(theta, other, GUARD).decision > 0
        met = self.meet(theta, other, max(pairs // TRIED, 1))
        if mean(met) > 0.5:  # stop early if it seems worse after some games
            met = met + self.meet(theta, other, pairs)
        return interval(met)[0] > 0.5

    def meet(self, theta: np.ndarray, other: np.ndarray, pairs: int) -> np.ndarray:
        sums = self.arena.play_pairs(theta[None], other[None], pairs).sum(axis=2).ravel()
        return np.bincount(sums, minlength=2 * self.arena.game.max_score + 1)


def duel(arena: Arena, start: np.ndarray | None = None, games: int | None = None) -> Iterator[Step]:
    """Antithetic gradient with momentum, sigma and gain adapted, guarded; answers the average of its way."""
    seeds, most = hashed_parameters(arena), 2 * arena.game.max_score
    start = arena.start if start is None else start
    directions = directions_for(games or arena.budget.games)
    period = max(GUARDED, len(seeds))  # each step adds less information the more parameters there are
    pairs = 2 * directions * period // GUARDING
    way, sigma, lead, ceiling = Ascent(start), scale_of(start, seeds), WEAK, WIDEST
    guard, step, answer = CheckpointGuard(arena, start), 0, start
    within = OF_THE_BOX * (arena.contest.box[1] - arena.contest.box[0])
    while True:
        step, kept = step + 1, False
        if not seeds.all():
            e = np.where(seeds, 0.0, arena.gaussians(directions))
            reach = np.minimum(sigma, within)
            firsts, seconds = (arena.clip(way.x + sign * reach * e) for sign in (1, -1))
            leads = arena.play_pairs(firsts, seconds, pairs=2).sum(axis=2) / most - 0.5
            way.follow(add_up(leads.mean(axis=1), e) / directions, reach)
            way.x = arena.clip(way.x)
            way.gain **= CALM
            # Two pairs on different deals have independent noise, so the mean of their product is the squared lead.
            lead += MEMORY * (float((leads[:, 0] * leads[:, 1]).mean()) - lead)
            widest = ceiling * scale_of(way.x, seeds)
            if not WEAK <= lead <= STRONG:
                sigma *= WIDER if lead < WEAK else 1 / WIDER
            sigma = min(max(sigma, MIN_SIGMA), widest, MAX_SIGMA)
            answer = way.average
            if step % period == 0:
                decision, answer = guard.judge(way.average, pairs)
                kept = decision > 0
                if kept:
                    ceiling = min(WIDENED * ceiling, WIDEST)
                elif decision < 0 or guard.stalls:
                    ceiling = max(ceiling / 2, NARROWEST)
                way.most_gain *= LONGER
                if decision < 0:
                    way.restart(answer)
                    way.most_gain = way.gain
        if seeds.any() and (step % period == 0 or seeds.all()):
            redrawn = redraw_seed(arena, way.average, seeds)
            if guard.proves(redrawn, way.average, None if seeds.all() else pairs):
                way.x, kept = np.where(seeds, redrawn, way.x), True
                way.average = answer = redrawn
                guard.keep(redrawn)
        yield Step(answer, kept, sigma)


def redraw_seed(arena: Arena, theta: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    place = np.flatnonzero(seeds)[arena.pick(int(seeds.sum()))]
    redrawn = theta.copy()
    redrawn[place] = arena.gaussian()[place]
    return redrawn


def directions_for(games: int | None) -> int:
    """Return the directions per step: as many as allow the minimum number of steps with these games."""
    if games is None:
        return DIRECTIONS
    return min(max(games // (4 * MIN_STEPS), MIN_DIRECTIONS), DIRECTIONS)


# SPSA (Spall 1992) as fishtest plays it: one pair of games a direction, gains that fall by a fixed schedule.

ALPHA, GAMMA = 0.602, 0.101
STABILITY = 0.1  # A as a fraction of all iterations
C_END, R_END = 0.3, 0.002  # fishtest's: a twentieth of the range (here of six standard deviations), and its default R
DEFAULT_ITERATIONS = 100_000  # where the budget is not in games
BATCH, BATCHES_A_STEP, STEPS_A_CHECKPOINT = 16, 16, 16


def spsa(arena: Arena) -> Iterator[Step]:
    """Plus against minus along random signs: a_k = a / (A + k)^0.602, c_k = c / k^0.101, set by their last values."""
    x, seeds, top = arena.start, hashed_parameters(arena), arena.game.max_score
    last = arena.budget.games // 2 if arena.budget.games else DEFAULT_ITERATIONS
    a = R_END * C_END**2 * ((STABILITY + 1) * last) ** ALPHA
    c = C_END * last**GAMMA
    k = step = 0
    while True:
        step += 1
        for _ in range(BATCHES_A_STEP):  # results come in batches, as from fishtest's workers
            ks = np.arange(k + 1, k + BATCH + 1)
            a_k, c_k = a / (STABILITY * last + ks) ** ALPHA, c / ks**GAMMA
            signs = np.where(seeds, 0.0, np.where(arena.gaussians(BATCH) < 0, -1.0, 1.0))
            moves = c_k[:, None] * signs
            leads = arena.play_pairs(x + moves, x - moves).sum(axis=(1, 2)) * (2 / top) - 2  # wins minus losses
            x = x + add_up(a_k / c_k * leads, signs)
            k += BATCH
        yield Step(x, step % STEPS_A_CHECKPOINT == 0, float(c_k[-1]))


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


METHODS = {
    "naive": naive, "iterative": iterative, "real-coevolution": real, "approximate-coevolution": approximate,
    "seeds": seeds, "duel": duel, "spsa": spsa, "halving": halving,
}  # fmt: skip
