"""Races: sequential tests that decide from counts which of two players is better.

An observation is the challenger's score, one of the equally spaced values 0, 1/K, ..., 1: with three payoffs K = 2 for
one game (loss, draw, win), K = 4 for the mean of a role-swapped pair, K = 4 or 8 for Z = (1 + D)/2, where D is the
difference of two scores against a common opponent; with more payoffs the steps are finer. A race uses only `counts`,
the frequency of each value. Games may therefore be played in any order, in blocks, on many cores and after
interruptions, and partial counts are added.

Guarantee: a player whose true score is at most 1/2 - epsilon is picked with probability at most delta. Between the
thresholds there is none. (The asymmetric race: a challenger at most 1/2, an incumbent at most 1/2 - 2 epsilon.)
"""

import math
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

import numpy as np

from ..core import BadInput, NotFound
from ..core.compile.kernel import inlined, interpreted, kernel, need_no_compiler

RACES: dict[str, str] = {
    "paper": "The limited Bernstein race of Cauwet and Teytaud (2018): EBStop's schedule, a look at every observation.",
    "ebgstop": "The same race with EBGStop's geometric epochs (beta 1.1), which pay per epoch, not per observation.",
    "count-mixture": "A mixture of constant bets on the counts, tolerant by epsilon; its weights are safe for any law.",
    "count-mixture-symmetric": "The same bets with heavier weights for close races; exact for games without draws.",
    "count-mixture-asymmetric": "The safe bets, but the challenger must prove a score above 1/2.",
}

PAPER, EPOCHS, BETS = range(3)  # types of race in kernels

P = BETA = 1.1  # Mnih, Szepesvari and Audibert (2008): d_t = delta (p - 1) / (p t^p) sums to at most delta
MAX_OBSERVATIONS = 2**53

# Bets for epsilon = 0.01 and their weights. The symmetric weights may exceed 1 in sum because the
# first two bets, centred at or below 1/2, end on the wrong side with probability at most 1/2.
GRID = (0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.2, 1.9)
SAFE = (0.20, 0.22, 0.16, 0.12, 0.10, 0.08, 0.06, 0.06)
SYMMETRIC = (0.5, 1.0, 0.10, 0.07, 0.05, 0.04, 0.03, 0.03)
LARGEST_BET = 1.9  # a bet of 2 against a mean of 1/2 can lose everything
# Variances of a pair's mean score: few decisive pairs, half of the games drawn, no draws.
VARIANCES = (0.03, 0.06, 0.12)
DETECTED = 0.7  # gain that is shown by n pairs in most runs, times the root of n; see docs/statistics.md
MIN = -math.log(len(GRID))  # if no bet has earned its part of 1/delta, together they have not

# Bets of the interval, as fractions of the largest that cannot lose more than everything. Halving down to 4e-6 serves
# 1e8 observations also when the mean is near 0 or 1; weights like 1/(j + 3) favour short series a little. Width
# against the fixed-n normal interval (1.96 standard errors), measured at mean 1/2 without draws, n = 100, 1e4, 1e6,
# 1e8: 1.72, 1.85, 1.88, 1.94 times; half draws: 1.79, 1.84, 1.92, 1.92 times; mean 0.9: 1.74, 1.85, 1.92, 1.93 times.
STAKES = np.array([0.95, 0.75] + [0.5**j for j in range(1, 19)])
LOG_WEIGHTS = -np.log(np.arange(3, 23) * sum(1 / j for j in range(3, 23)))
HALVINGS = 40  # of an interval no longer than 1: far finer than the width after 1e8 observations
STEP_SECONDS = 2e-6  # of the interpreter for one stake on one value
_intervals = count(1)  # intervals of this process so far: many short ones are worth compiling too


@dataclass(frozen=True)
class Race:
    """A stopping rule on counts: its name, its error probability and its tolerance."""

    name: str = "paper"
    delta: float = 0.05
    epsilon: float = 0.01

    def __post_init__(self) -> None:
        if self.name not in RACES:
            raise NotFound(f"There is no race called {self.name!r}; the races are {', '.join(RACES)}.")
        if not 0 < self.delta < 1 / 2:
            raise BadInput(f"delta is {self.delta}, but a probability of error lies strictly between 0 and 1/2.")
        if not 0 < self.epsilon < 1 / 4:
            raise BadInput(f"epsilon is {self.epsilon}, but a tolerance lies strictly between 0 and 1/4.")

    def for_differences(self) -> "Race":
        """Return the race for Z = (1 + D)/2, in which a score difference D is halved."""
        return Race(self.name, self.delta, self.epsilon / 2)


@dataclass(frozen=True)
class GainTest:
    """Race for a gain: a challenger must refute a score of `low` or less, or it fails by refuting `high` or more.

    The anytime-valid form of the sequential probability ratio test of engine testing: each error has a probability of
    at most delta, whatever the law of the observations and however often it is looked at. The bets are those that grow
    fastest if the truth is `high` and the variance of an observation one of VARIANCES.
    """

    low: float
    high: float
    delta: float = 0.05
    fails: bool = True  # False for a test that goes on after a failure, which has no bets on one

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high < 1:
            raise BadInput(f"The scores of a test are {self.low:g} and {self.high:g}: 0 < first < second < 1.")
        if not 0 < self.delta < 1 / 2:
            raise BadInput(f"delta is {self.delta}, but a probability of error lies strictly between 0 and 1/2.")

    @classmethod
    def for_pairs(cls, pairs: int, delta: float = 0.05) -> "GainTest":
        """Return the test whose larger score this many pairs can show (+4 Elo by 16,000); it waits for all of them."""
        return cls(0.5, 0.5 + min(DETECTED / math.sqrt(max(pairs, 1)), 0.2), delta, fails=False)

    @property
    def bets(self) -> list[float]:
        most = 0.95 / max(self.low, 1 - self.low, self.high, 1 - self.high)
        return [min((self.high - self.low) / variance, most) for variance in VARIANCES]

    def capital(self, counts: np.ndarray) -> float:
        """Return the log of the capital of the bets on a gain; the gain is shown when it reaches -log(delta)."""
        values = np.arange(len(counts)) / (len(counts) - 1)
        logs = [float(counts @ np.log1p(bet * (values - self.low))) for bet in self.bets]
        return max(logs) + math.log(sum(math.exp(one - max(logs)) for one in logs) / len(logs))


@dataclass(frozen=True)
class Verdict:
    """Outcome of a race: +1 the challenger wins, -1 the incumbent stays, 0 undecided; its counts and its cost."""

    decision: int
    counts: tuple[int, ...]
    games: int

    @property
    def observations(self) -> int:
        return sum(self.counts)

    @property
    def mean(self) -> float:
        return mean(np.array(self.counts, np.int64))

    @property
    def interval(self) -> tuple[float, float]:
        """Anytime-valid 95 % interval of the challenger's true score."""
        return interval(np.array(self.counts, np.int64))


@inlined
def looks(kind, n):
    """True if an interim look is due after n observations: always, but bets beyond 4095 only at multiples of a step."""
    # n is a multiple of 2^(floor(log2 n) - 11) exactly if its lowest bit is among its twelve highest.
    return kind != BETS or n < 4096 * (n & -n)


@inlined
def epoch(terms, n):
    """Return the row of the epoch that contains observation n, by bisection of the epochs' first observations."""
    low, high = 0, terms.shape[0]
    while high - low > 1:
        middle = (low + high) // 2
        if terms[middle, 2] <= n:
            low = middle
        else:
            high = middle
    return low


@inlined
def bernstein(x, epsilon, counts, n):
    """Decide the limited race when |M - 1/2| > c (significance) or c <= epsilon (limit); the current best wins."""
    top = len(counts) - 1
    total, squares = 0, 0
    for v in range(1, top + 1):
        total += v * counts[v]
        squares += v * v * counts[v]
    average = total / (top * n)
    variance = max(squares / (top * top * n) - average * average, 0.0)
    radius = math.sqrt(2.0 * variance * x / n) + 3.0 * x / n
    if abs(average - 0.5) <= radius and radius > epsilon:
        return 0
    return 1 if 2 * total > top * n else -1  # a tie keeps the incumbent


@inlined
def log_capital(terms, j, first, counts, mirrored):
    """Return the log capital of bet j, its weight included, times delta."""
    top = len(counts) - 1
    earned = terms[j, 0]
    for v in range(top + 1):
        earned += counts[top - v if mirrored else v] * terms[j, first + v]
    return earned


@inlined
def posterior_decision(terms, first, counts, mirrored):
    """True if the bets in the columns from `first` have together earned 1/delta (Ville's inequality)."""
    best = -math.inf
    for j in range(terms.shape[0]):
        best = max(best, log_capital(terms, j, first, counts, mirrored))
    if best < MIN or best >= 0.0:  # most cases need no exponential, and a large one would overflow
        return best >= 0.0
    earned = 0.0
    for j in range(terms.shape[0]):
        earned += math.exp(log_capital(terms, j, first, counts, mirrored))
    return earned >= 1.0


@inlined
def mixture(terms, counts, n):
    """Decide the tolerant race: a side wins when its bets reach 1/delta; if both do, the current best wins."""
    top = len(counts) - 1
    total = 0
    for v in range(1, top + 1):
        total += v * counts[v]
    # A side below its null hypothesis cannot have reached 1/delta (Jensen), which saves half of the work.
    challenger = total > terms[0, 2 * top + 3] * n and posterior_decision(terms, 1, counts, False)
    incumbent = top * n - total > terms[0, 2 * top + 4] * n and posterior_decision(terms, top + 2, counts, True)
    if challenger and (not incumbent or 2 * total > top * n):
        return 1
    return -1 if incumbent else 0


@kernel
def look(kind, terms, counts, n):
    """Decide at one interim look, from counts that sum to n > 0."""
    if kind == PAPER:
        return bernstein(terms[0, 0] + P * math.log(n), terms[0, 1], counts, n)
    if kind == EPOCHS:
        row = epoch(terms, n)
        return bernstein(terms[row, 0], terms[row, 1], counts, n)
    return mixture(terms, counts, n)


@kernel
def run(kind, terms, counts, observed):
    """Count observations until a look decides; return the number of observations used and the decision."""
    n = 0
    for v in range(len(counts)):
        n += counts[v]
    for i in range(len(observed)):
        counts[observed[i]] += 1
        n += 1
        if looks(kind, n):
            sign = look(kind, terms, counts, n)
            if sign != 0:
                return i + 1, sign
    return len(observed), 0


@kernel
def lower_limit(log_goal, counts, mirrored):
    """Return the largest mean refuted by the bets on a larger one, by bisection below the sample mean."""
    top = len(counts) - 1
    n, total = 0, 0
    for v in range(top + 1):
        n += counts[v]
        total += (top - v if mirrored else v) * counts[v]
    low, high = 0.0, total / (top * max(n, 1))  # at the sample mean no bet has won (Jensen), towards 0 they all win
    for _ in range(HALVINGS if total > 0 else 0):
        middle = (low + high) / 2.0
        earned = 0.0
        for j in range(len(STAKES)):  # the bet on v - middle is STAKES[j] / middle
            capital = LOG_WEIGHTS[j] - log_goal
            for v in range(top + 1):
                times = counts[top - v if mirrored else v]
                if times > 0:
                    capital += times * math.log(1.0 - STAKES[j] + STAKES[j] * v / (top * middle))
            earned += math.exp(min(capital, 0.0))
        if earned >= 1.0:
            low = middle
        else:
            high = middle
    return low


@lru_cache(maxsize=256)
def form(race: Race | GainTest, top: int) -> tuple[int, np.ndarray]:
    """Return the kernel form of a race on the values 0, 1/top, ..., 1: its type and the table of its terms."""
    if isinstance(race, GainTest):
        share = 1 / len(VARIANCES)
        table = bet_rows(race.delta, top, race.low, 1 - race.high, [(share, bet) for bet in race.bets])
        table[:, top + 2 : 2 * top + 3] *= race.fails
        return BETS, table
    if race.name == "paper":  # one row: the constant part of x_t = ln(3 / d_t), epsilon
        return PAPER, np.array([[math.log(3 * P / (race.delta * (P - 1))), race.epsilon]])
    if race.name == "ebgstop":  # a row per epoch: x_k = (t_{k+1} / t_k) ln(3 / d_k), epsilon, t_k
        # Of the readings of the schedule, t_1 = 1 and t_{k+1} = max(t_k + 1, floor(beta t_k)) gives the measured games
        # exactly (71 511 between equal players); k = ceil(log_beta t) gives 72 110, starting at t = 10 gives 70 923.
        epochs: list[tuple[float, float, float]] = []
        start = 1
        while start < MAX_OBSERVATIONS:
            following = max(start + 1, math.floor(BETA * start))
            d = race.delta * (P - 1) / (P * (len(epochs) + 1) ** P)
            epochs.append((following / start * math.log(3 / d), race.epsilon, float(start)))
            start = following
        return EPOCHS, np.array(epochs)
    asymmetric = race.name == "count-mixture-asymmetric"
    challenger, incumbent = (0.5, 0.5 - 2 * race.epsilon) if asymmetric else (0.5 - race.epsilon, 0.5 - race.epsilon)
    weights = SYMMETRIC if race.name == "count-mixture-symmetric" else SAFE
    return BETS, bet_rows(race.delta, top, challenger, incumbent, zip(weights, grid(race.epsilon), strict=True))


def bet_rows(
    delta: float, top: int, challenger: float, incumbent: float, bets: Iterable[tuple[float, float]]
) -> np.ndarray:
    """Return a row per bet: ln(w delta); ln(1 + bet (v - m)) for "the challenger's score is at most m" and, on mirrored
    counts, for "the incumbent's score is at most m"; the two m, in steps of 1/top.
    """
    values, rows = np.arange(top + 1) / top, []
    for weight, bet in bets:
        logs = np.log1p(bet * (values - challenger)), np.log1p(bet * (values - incumbent))
        rows.append((math.log(weight * delta), *logs[0], *logs[1], top * challenger, top * incumbent))
    return np.array(rows)


def grid(epsilon: float) -> list[float]:
    """Return the bets of the count-mixture races: the first two scale with epsilon, the others less and less."""
    # The first is 2 epsilon and the second 4 epsilon, centred on 1/2, which the symmetric weights rely on; 1.9 is for
    # clear winners whatever epsilon is, and in between the steps stay even. The prototype's figures for epsilon 0.005
    # (31 394 games between equal players, 686 at 0.55) come from the grid left as it is for 0.01: with our looks it
    # gives 32 535 and 708, and no grid tried that starts at 2 epsilon comes as near. This one needs 9 to 11 % more than
    # those figures, and still works at smaller epsilon, where no unscaled bet grows between equal players.
    scale = epsilon / 0.01
    return [min(bet * scale ** min(1.0, (7 - j) / 6), LARGEST_BET) for j, bet in enumerate(GRID)]


def check_race(counts: np.ndarray) -> np.ndarray:
    if not (isinstance(counts, np.ndarray) and counts.dtype == np.int64 and counts.ndim == 1 and len(counts) > 1):
        raise ValueError("Counts must be a one-dimensional int64 array with one cell for each of the values 0 to 1.")
    if counts.min() < 0:
        raise ValueError(f"Counts must not be negative, but one is {counts.min()}.")
    return counts


def decision(race: Race | GainTest, counts: np.ndarray) -> int:
    """Return the race's decision at these counts: +1 the challenger wins, -1 the incumbent stays, 0 continue."""
    n = int(check_race(counts).sum())
    return int(look(*form(race, len(counts) - 1), counts, n)) if n else 0


def scan(race: Race | GainTest, counts: np.ndarray, observed: np.ndarray) -> tuple[int, int]:
    """Add observations to `counts` until a look decides; return the number of observations used and the decision."""
    top = len(check_race(counts)) - 1
    if observed.dtype != np.int64 or (len(observed) and not 0 <= observed.min() <= observed.max() <= top):
        raise ValueError(f"Observations must be an int64 array of outcome numbers from 0 to {top}.")
    used, sign = run(*form(race, top), counts, observed)
    return int(used), int(sign)


def mean(counts: np.ndarray) -> float:
    """Return the challenger's mean score, 1/2 before the first observation."""
    n = int(check_race(counts).sum())
    return int(counts @ np.arange(len(counts))) / (n * (len(counts) - 1)) if n else 0.5


def interval(counts: np.ndarray, delta: float = 0.05) -> tuple[float, float]:
    """Return anytime-valid limits of the true mean with coverage 1 - delta (for their width see STAKES)."""
    if not 0 < delta < 1:
        raise ValueError(f"delta is {delta}, but a probability of error lies strictly between 0 and 1.")
    log_goal = math.log(2 / delta)
    steps = 2 * HALVINGS * len(STAKES) * len(counts) * next(_intervals)
    with interpreted() if need_no_compiler(steps * STEP_SECONDS, lower_limit) else nullcontext():
        return float(lower_limit(log_goal, check_race(counts), False)), 1.0 - float(lower_limit(log_goal, counts, True))
