"""Search in a box by a response surface: every game pair of a run counts for the place of the optimum.

Where all parameters have limits, two settings x and y drawn around the centre play, and the score of every pair is
regressed, one parameter at a time, on a parabola: f(x) - f(y) with f(u) = -q (u - o)^2 / 2. The other parameters are
noise, independent of it by the random signs of the draws (simultaneous perturbation, Spall 1992; the quadratic model of
noisy games is that of CLOP, Coulom 2011). The posterior of o and q is computed on a grid. Curvatures q have a common
law, learned from all parameters (empirical Bayes), so that sixty weak parameters support each other. The centre moves
towards the maximum of the posterior expectation of f. Later games count more, because f need not be a parabola and
settings may beat each other in circles: near the centre, slopes of self-play decide.

Choices have no slopes: each is a bandit, of which Thompson sampling draws two different ones for every pair.

Where many machines play, `ahead` steps are drawn before the first of them is learnt from, so that no step waits for the
slowest game of the last one; what is learnt, and when, depends on that number alone.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..arena import Arena, Step
from ..population import add_up
from ..programs.parameters import Parameter

DEFAULT_GAMES = 20_000  # where the budget is not in games
STEPS, MIN_PAIRS, MAX_PAIRS = 256, 4, 64  # steps of a run, unless that takes too few or too many pairs for a step
# Chosen on the tasks `tuned` of benchmarks/bounded.py, 7,500 and 60,000 games.
# Standard deviation of the draws: at first this share of the box, then in units of that of the optimum, and at least.
REACH, SPREADS, NARROWEST = 0.35, 3.0, 0.08
JITTER = 0.5  # of the middle of a pair, in units of the reach: it shows the curvature
RECENT = 0.5  # the t-th step weighs t^0.5
MOVE = 0.1  # part of the way to the optimum that the centre moves in a step
FAR, OUTSIDE = 0.4, 0.15  # prior standard deviations of the optimum from the start, and beyond the limits
CURVATURES = 0.002 * 1.7 ** np.arange(16)  # score for the whole box: 0.35 to 1,000 Elo between centre and limit
PRIOR_PARAMETERS = 2.0  # weight of the uniform law of curvatures
GRID = np.linspace(-4.0, 4.0, 33)  # in standard deviations of the last posterior
WIDER, FINEST, WIDEST = 1.2, 0.004, 0.3  # of that standard deviation
CHOICE_SPREAD = 0.07  # prior standard deviation of a choice's score: 50 Elo
SWEEPS = 30  # of the scores of choices, which converge by halves
FINE = 2**20  # centres are rounded to this part of the box: the last bits of an exponential depend on the processor
CHECKPOINT = 16
TINY = 1e-12
NINETY_FIVE = 1.96  # standard deviations of a 95 % interval

Landscape = dict[str, Any]  # of a parameter: its name, the certainty of its slope, and points with intervals


def surface(arena: Arena) -> Iterator[Step]:
    """Play pairs around the centre, fit parabolas, and move the centre to their maximum."""
    box, members = arena.contest.box, getattr(arena.strategy, "members", ())
    low, width = box[0], box[1] - box[0]
    numbers = np.array([not member.choices for member in members])
    bandits = {place: Bandit(np.array(one.representatives)) for place, one in enumerate(members) if one.choices}
    start = ((arena.start - low) / width)[numbers]
    parabolas, top, noise = Parabolas(start), 2 * arena.game.max_score, Noise()
    games = (arena.budget.games or arena.games + DEFAULT_GAMES) - arena.games
    pairs = min(max(games // (2 * STEPS), MIN_PAIRS), MAX_PAIRS)
    centre, step, drawn = start, 0, deque[tuple[np.ndarray, np.ndarray, np.ndarray, dict[int, np.ndarray]]]()
    while True:
        while len(drawn) < arena.ahead:
            reach = np.clip(SPREADS * parabolas.spread, NARROWEST, REACH)
            offsets, middles = arena.gaussians(2 * pairs)[:, numbers].reshape(2, pairs, -1) * reach
            x, y = (np.clip(centre + JITTER * middles + sign * offsets, 0, 1) for sign in (1, -1))
            both = np.repeat(arena.start[None, None], pairs, axis=1).repeat(2, axis=0)
            both[:, :, numbers] = low[numbers] + np.array([x, y]) * width[numbers]
            choices = {place: bandit.draw(arena, pairs, noise.variance) for place, bandit in bandits.items()}
            for place, chosen in choices.items():
                both[:, :, place] = bandits[place].numbers[chosen]
            drawn.append((both, x, y, choices))
            arena.announce_pairs(*both)
        step, (both, x, y, choices) = step + 1, drawn.popleft()
        leads = arena.play_pairs(*both)[:, 0].sum(axis=1) / top - 0.5
        noise.add(leads)
        for place, bandit in bandits.items():
            bandit.learn(choices[place], leads, noise.variance)
        parabolas.learn(leads, x, y, ((step - 1) / step) ** RECENT)
        centre = np.round((centre + MOVE * (parabolas.fit(noise.variance) - centre)) * FINE) / FINE
        arena.landscape = lambda: landscape_of(members, numbers, parabolas, bandits, noise.variance)
        theta = arena.start.copy()
        theta[numbers] = low[numbers] + centre * width[numbers]
        for place, bandit in bandits.items():
            theta[place] = bandit.best
        yield Step(arena.clip(theta), step % CHECKPOINT == 0, float(reach.mean()) if len(reach) else None)


class Noise:
    """The variance of a pair's mean score, from a prior of four pairs of games without draws."""

    def __init__(self) -> None:
        self.count, self.total = 4.0, 4 / 8

    def add(self, leads: np.ndarray) -> None:
        self.count, self.total = self.count + len(leads), self.total + float((leads * leads).sum())

    @property
    def variance(self) -> float:
        return self.total / self.count


class Parabolas:
    """The regression of each parameter, as sums over pairs, and the posterior of its optimum and its curvature."""

    def __init__(self, start: np.ndarray) -> None:
        self.start, count = start, len(start)
        # Of the differences of u - start and of their half squares: squares, products, and products with scores.
        self.sums = np.zeros((5, count))
        self.law = np.full(len(CURVATURES), 1 / len(CURVATURES))
        self.mean, self.deviation, self.spread = start.copy(), np.full(count, WIDEST), np.full(count, FAR)

    def learn(self, leads: np.ndarray, x: np.ndarray, y: np.ndarray, kept: float) -> None:
        slope, bend = x - y, ((x - self.start) ** 2 - (y - self.start) ** 2) / 2
        parts = (slope * slope, slope * bend, bend * bend, leads[:, None] * slope, leads[:, None] * bend)
        self.sums = kept * self.sums + np.array([add_up(np.ones(len(leads)), part) for part in parts])

    def fit(self, variance: float) -> np.ndarray:
        """Return the maximum of the expected parabola of each parameter within its limits."""
        if not len(self.start):
            return self.start
        grid = self.mean[:, None] + self.deviation[:, None] * GRID
        away = grid - self.start[:, None]
        beyond = np.maximum(np.maximum(-grid, grid - 1), 0)
        # The parabola q (o u - u^2 / 2), with o and u from the start: its slope there is q o.
        slope_2, both, bend_2, to_slope, to_bend = (part[:, None] / variance for part in self.sums)
        linear = to_slope * away - to_bend
        square = slope_2 * away * away - 2 * both * away + bend_2
        logs = CURVATURES * linear[:, :, None] - CURVATURES**2 / 2 * square[:, :, None] + np.log(self.law)
        logs -= (((away / FAR) ** 2 + (beyond / OUTSIDE) ** 2) / 2)[:, :, None]
        weights = np.exp(logs - logs.max(axis=(1, 2), keepdims=True))
        weights /= weights.sum(axis=(1, 2), keepdims=True)
        shares = weights.sum(axis=(0, 1))
        self.law = (PRIOR_PARAMETERS / len(shares) + shares) / (PRIOR_PARAMETERS + len(grid))
        places, curved = weights.sum(axis=2), (weights * CURVATURES).sum(axis=2)
        self.mean = (places * grid).sum(axis=1)
        self.spread = np.sqrt((places * (grid - self.mean[:, None]) ** 2).sum(axis=1))
        self.deviation = np.clip(WIDER * self.spread, FINEST, WIDEST)
        self.slope, self.curvature = (curved * away).sum(axis=1), curved.sum(axis=1)
        squared, means = (weights * CURVATURES**2).sum(axis=2), (self.slope, self.curvature)
        self.covariance = np.array([
            [(squared * away ** (2 - i - j)).sum(axis=1) - means[i] * means[j] for j in (0, 1)] for i in (0, 1)
        ])  # fmt: skip
        return np.asarray(np.clip(self.start + self.slope / self.curvature, 0, 1))

    def curve(self, place: int, shares: np.ndarray) -> np.ndarray:
        """Return the score above the start and its standard deviation, where a parameter has these shares."""
        away = shares - self.start[place]
        parts = np.array([away, -away * away / 2])
        mean = self.slope[place] * parts[0] + self.curvature[place] * parts[1]
        spread = np.sqrt(np.maximum(np.einsum("ik,ij,jk->k", parts, self.covariance[:, :, place], parts), 0))
        return np.array([mean, spread]).T


class Bandit:
    """Choices of one parameter, with the scores of each against each."""

    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers, count = numbers, len(numbers)
        self.met, self.points = np.zeros((count, count)), np.zeros(count)
        self.scores = np.zeros(count)

    def spread(self, variance: float) -> np.ndarray:
        return np.asarray(np.sqrt(variance / (self.met.sum(axis=1) + variance / CHOICE_SPREAD**2)))

    def draw(self, arena: Arena, pairs: int, variance: float) -> np.ndarray:
        """Return the places of two different choices for each pair, by Thompson sampling."""
        needed = 2 * pairs * len(self.numbers)
        normals = arena.gaussians(-(-needed // len(arena.strategy.parameters))).reshape(-1)[:needed]
        first, second = self.scores + self.spread(variance) * normals.reshape(2, pairs, -1)
        one = first.argmax(axis=1)
        second[np.arange(pairs), one] = -math.inf
        return np.array([one, second.argmax(axis=1)])

    def learn(self, drawn: np.ndarray, leads: np.ndarray, variance: float) -> None:
        one, other = drawn
        for these, those, points in ((one, other, leads), (other, one, -leads)):
            np.add.at(self.met, (these, those), 1)
            np.add.at(self.points, these, points)
        for _ in range(SWEEPS):
            met = add_up(self.scores, self.met)
            self.scores = (self.points + met) / (self.met.sum(axis=1) + variance / CHOICE_SPREAD**2)

    @property
    def best(self) -> float:
        return float(self.numbers[self.scores.argmax()])


# The landscape, for people: the score along each parameter, the others at the centre

POINTS = 11


def landscape_of(
    members: Sequence[Parameter], numbers: np.ndarray, parabolas: Parabolas, bandits: dict[int, Bandit], variance: float
) -> list[Landscape]:
    found: list[Landscape] = []
    places = {place: order for order, place in enumerate(np.flatnonzero(numbers).tolist())}
    for place, member in enumerate(members):
        if place in bandits:
            bandit = bandits[place]
            at, scores = bandit.numbers, np.array([bandit.scores - bandit.scores[0], bandit.spread(variance)]).T
            sure = float((scores[:, 0].max()) / max(scores[scores[:, 0].argmax(), 1], TINY))
        else:
            low, high = member.limits
            shares, order = np.linspace(0, 1, POINTS), places[place]
            at, scores = low + shares * (high - low), parabolas.curve(order, shares)
            slope = parabolas.slope[order]
            sure = abs(float(slope)) / max(math.sqrt(max(float(parabolas.covariance[0, 0, order]), 0.0)), TINY)
        points = [
            (member.value(number), score, score - NINETY_FIVE * spread, score + NINETY_FIVE * spread)
            for number, (score, spread) in zip(at.tolist(), scores.tolist(), strict=True)
        ]
        found.append({"parameter": member.name, "importance": sure, "points": points})
    return found
