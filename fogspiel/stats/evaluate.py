"""Score of one agent against another, with an anytime-valid interval, and in Elo and normalised Elo."""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from ..core.agents import Agent, ParametricPolicy
from ..core.compile.kernel import interpreted, need_no_compiler
from ..core.game import Game
from ..core.picture import html_table
from ..core.plugins import former_names
from ..core.rng import child
from ..core.session import AgentMatch
from ..core.simulate import PolicyMatch, play_range
from ..process.heartbeat import beat
from .race import interval

REPORT = 3  # child stream of a run's seed for reports; a tuning method and its training games have 1 and 2
MIN_BLOCK, MAX_BLOCK = 256, 1 << 16
# Blocks that take longer do not grow, so that there is a heartbeat every few seconds however slow the game is.
BLOCK_SECONDS = 1.0


@former_names(as_json="to_json")
@dataclass(frozen=True, repr=False)
class MatchResult:
    """Counts of a match: games by payoff, and observations (game pairs, or single games) by their sum."""

    payoffs: tuple[float, ...]
    outcomes: tuple[int, ...]
    observed: tuple[int, ...]
    # The outcomes of the first agent in each seat, where the seats were swapped.
    by_seat: tuple[tuple[int, ...], ...] = ()

    @property
    def games(self) -> int:
        return sum(self.outcomes)

    @property
    def mean(self) -> float:
        return sum(n * payoff for n, payoff in zip(self.outcomes, self.payoffs, strict=True)) / self.games

    score = mean  # as reports call it

    @property
    def interval(self) -> tuple[float, float]:
        """Anytime-valid 95 % interval of the mean."""
        return self._interval(self.observed)

    def _interval(self, counts: Sequence[int]) -> tuple[float, float]:
        low, span = self.payoffs[0], self.payoffs[-1] - self.payoffs[0]
        lower, upper = interval(np.array(counts, np.int64))
        return low + span * lower, low + span * upper

    @property
    def seats(self) -> tuple["MatchResult", ...]:
        """The games of the first agent in the first seat, and those in the second seat, where they were swapped."""
        return tuple(MatchResult(self.payoffs, counts, counts) for counts in self.by_seat)

    def __repr__(self) -> str:
        low, high = self.interval
        return f"Score {self.mean:.3f} (95 %: {low:.3f} to {high:.3f}) in {self.games} games"

    def _repr_html_(self) -> str:
        counted = zip(self.payoffs, self.outcomes, strict=True)
        return html_table(repr(self), {f"games at payoff {payoff:g}": count for payoff, count in counted})

    def to_dict(self) -> dict[str, Any]:
        names = ("score", "interval", "games", "payoffs", "outcomes", "observed")
        return {name: getattr(self, name) for name in names}

    def to_json(self) -> dict[str, Any]:
        """Return the figures of a report; wins, draws and losses if there are three payoffs."""
        figures: dict[str, Any] = {"score": self.mean, "interval": list(self.interval), "games": self.games}
        if len(self.payoffs) == 3:
            losses, draws, wins = self.outcomes
            figures |= {"wins": wins, "draws": draws, "losses": losses}
        seats = [{"score": m.mean, "interval": list(m.interval), "outcomes": list(m.outcomes)} for m in self.seats]
        split = {"by_seat": seats} if seats else {}
        return figures | {"outcomes": list(self.outcomes), "observed": list(self.observed)} | split


def report_key(seed: int) -> int:
    """Return the stream of held-out report games, which no method uses."""
    return int(child(seed, REPORT))


# CPU seconds of the first games, played uncompiled to estimate the length of the match.
FIRST_SECONDS = 0.5


def make_match(game: Game, first: Agent, second: Agent) -> PolicyMatch | AgentMatch:
    """Return a match in the compiled loop for two policies, or move by move if either is a `PlayerAgent`."""
    if isinstance(first, ParametricPolicy) and isinstance(second, ParametricPolicy):
        return PolicyMatch(game, first, second)
    return AgentMatch(game, first, second)


def evaluate(
    game: Game,
    first: Agent,
    second: Agent,
    key: int,
    games: int,
    seats: str = "swapped",
    threads: int = 1,
    watch: Callable[[MatchResult], None] = lambda latest: None,
    counted: Mapping[str, Any] | None = None,
) -> MatchResult:
    """Score `first` against `second` in this many games; pairs are never split, so an odd number is rounded up.

    With `counted`, the figures of an interrupted match, only the remaining games are played.
    """
    columns, top = 2 if seats == "swapped" else 1, game.max_score
    outcomes, observed = np.zeros(top + 1, np.int64), np.zeros(columns * top + 1, np.int64)
    payoffs = tuple(float(payoff) for payoff in game.payoffs)
    split = np.zeros((2, top + 1), np.int64)
    if counted is not None:
        outcomes += counted["outcomes"]
        observed += counted["observed"]
        split += [seat["outcomes"] for seat in counted.get("by_seat", ())] or 0
    known = columns == 2 and (counted is None or "by_seat" in counted)  # not by matches of earlier versions

    def so_far() -> MatchResult:
        seats = tuple(map(tuple, split.tolist())) if known else ()
        return MatchResult(payoffs, tuple(outcomes.tolist()), tuple(observed.tolist()), seats)

    total = -(-games // columns)

    def play(match: PolicyMatch | AgentMatch, block: int, threads: int, go_on: Callable[[int], bool]) -> None:
        """Play the remaining games while `go_on` permits."""
        while (done := int(observed.sum())) < total and go_on(done):
            began = time.monotonic()
            scores = match.scores(key, done, min(block, total - done), seats, threads)
            outcomes[:] += np.bincount(scores.reshape(-1), minlength=len(outcomes))
            observed[:] += np.bincount(scores.sum(axis=1), minlength=len(observed))
            for seat in range(columns):
                split[seat] += np.bincount(scores[:, seat], minlength=top + 1)
            if time.monotonic() - began < (BLOCK_SECONDS if block >= MIN_BLOCK else FIRST_SECONDS / 4):
                block = min(2 * block, MAX_BLOCK)
            beat()
            watch(so_far())

    def is_short(done: int) -> bool:
        spent = time.process_time() - started
        return need_no_compiler(spent if spent < FIRST_SECONDS else spent * total / max(done, 1), play_range)

    if need_no_compiler(0, play_range) and isinstance(first, ParametricPolicy) and isinstance(second, ParametricPolicy):
        started = time.process_time()
        with interpreted():
            play(PolicyMatch(game, first, second), 1, 1, is_short)
    if observed.sum() < total:
        match = make_match(game, first, second)
        play(match, MIN_BLOCK if isinstance(match, PolicyMatch) else 1, threads, lambda done: True)
    return so_far()


# Elo and normalised Elo of a match with their intervals, from counts alone.
#
# Games come in pairs with the colours swapped, and a pair is the unit of randomness. `pairs[v]` counts the pairs in
# which the first player scored v of four half points (0 two losses .. 4 two wins): the pentanomial counts.

NORMAL = 1.959963984540054  # standard deviations that contain 95 % of a normal distribution
# Normalised Elo of a score that is one standard deviation of a game above 1/2 (fishtest); without draws it is Elo.
NORMALISED = 800 / math.log(10)
HALF_POINTS = 4  # maximum score of a pair
INTERVALS_NOTE = (
    "The interval of the score is valid at any time, that of Elo comes from the spread of the pairs of games (or is "
    "the wider one too, where a race may have stopped the match or all pairs ended alike)."
)  # shown below tables with both intervals


def elo_of(score: float) -> float:
    """Return the Elo difference with this expected score."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the expected score of an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def moments(pairs: Sequence[int]) -> tuple[int, float, float]:
    """Return the number of pairs, their mean score, 1/2 without any, and the sum of squared deviations from it."""
    counts = np.asarray(pairs, np.int64)
    count, values = int(counts.sum()), np.arange(len(counts)) / (len(counts) - 1)
    mean = float(counts @ values) / count if count else 0.5
    return count, mean, float(counts @ (values - mean) ** 2)


def spread_of(pairs: Sequence[int]) -> float:
    """Estimate the standard deviation of a game from game pairs: that of a pair's mean, times the root of two."""
    count, _, squares = moments(pairs)
    return math.sqrt(2 * squares / count) if count else 0.0


def normalised_elo(pairs: Sequence[int], score: float) -> float:
    """Return the normalised Elo of a score, given the spread of these pairs; NaN if all have the same score.

    It determines the games needed to detect a difference, whatever the rate of draws: a significance of z standard
    errors needs (z * 800 / ln 10 / normalised Elo)^2 games.
    """
    spread = spread_of(pairs)
    return (score - 0.5) / spread * NORMALISED if spread else math.nan


@dataclass(frozen=True)
class Strength:
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Mean score of a game, 1/2 before the first."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def anytime_interval(self) -> tuple[float, float]:
        return interval(np.array(self.pairs, np.int64))

    @property
    def pentanomial_interval(self) -> tuple[float, float]:
        """95 % interval of the score for a number of pairs fixed in advance."""
        return pentanomial_interval(self.pairs)

    @property
    def elo(self) -> float:
        """Elo difference, infinite if one side has won everything."""
        return elo_of(self.score)

    def _limits(self, stopped: bool) -> tuple[float, float]:
        """Return the 95 % interval of the score; a match that a race may have stopped needs the wider one."""
        return self.anytime_interval if stopped else self.pentanomial_interval

    def elo_interval(self, stopped: bool = False) -> tuple[float, float]:
        low, high = self._limits(stopped)
        return elo_of(low), elo_of(high)

    @property
    def normalised_elo(self) -> float:
        """Normalised Elo difference, NaN if all pairs have the same score."""
        return normalised_elo(self.pairs, self.score)

    def normalised_elo_interval(self, stopped: bool = False) -> tuple[float, float]:
        """Return the limits of the score in normalised Elo, with the observed spread of the games."""
        low, high = self._limits(stopped)
        return normalised_elo(self.pairs, low), normalised_elo(self.pairs, high)

    @property
    def ratio(self) -> float:
        return self.wins / self.losses if self.losses else math.inf if self.wins else math.nan

    def to_json(self, stopped: bool = False) -> dict[str, Any]:
        """Return the figures of a report; infinite and unknown ones are None."""
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "pairs": list(self.pairs),
            "score": self.score,
            "interval": list(self.anytime_interval),
            "elo": _finite(self.elo),
            "elo_interval": [_finite(limit) for limit in self.elo_interval(stopped)],
            # The interval of the score that it is derived from
            "elo_interval_of": "anytime" if stopped or max(self.pairs) == sum(self.pairs) else "pentanomial",
            "normalised_elo": _finite(self.normalised_elo),
            "normalised_elo_interval": [_finite(limit) for limit in self.normalised_elo_interval(stopped)],
            "wins_per_loss": _finite(self.ratio),
        }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def strength_of(pairs: Sequence[Sequence[int]]) -> Strength:
    """Count game pairs, each given by the first player's two results (0 loss, 1 draw, 2 win)."""
    singles, sums = Counter(chain.from_iterable(pairs)), Counter(map(sum, pairs))
    return Strength(singles[2], singles[1], singles[0], tuple(sums[score] for score in range(HALF_POINTS + 1)))


def pentanomial_interval(pairs: Sequence[int]) -> tuple[float, float]:
    """Return the normal 95 % interval of the score, from the variance of the pairs.

    If all pairs have the same score, the variance is unknown and the distribution-free interval is returned.
    """
    count, mean, squares = moments(pairs)
    variance = squares / (count - 1) if count > 1 else 0.0
    if variance == 0:
        return interval(np.array(pairs, np.int64))
    half = NORMAL * math.sqrt(variance / count)
    return max(mean - half, 0.0), min(mean + half, 1.0)


# Median over training seeds, with a distribution-free interval.

RISK = 0.05


class Spread(NamedTuple):
    """Median of some results, an interval for the median of their distribution, and its confidence level."""

    median: float
    low: float
    high: float
    confidence: float

    def to_json(self) -> dict[str, float]:
        return {"median": self.median, "low": self.low, "high": self.high, "confidence": self.confidence}


def median_interval(results: Sequence[float], risk: float = RISK) -> Spread:
    """Return the median and the narrowest interval between order statistics that misses the true one with this risk.

    The k-th smallest and k-th largest of n results miss the median with probability 2 P(Binomial(n, 1/2) < k). With
    fewer than six results even the smallest and the largest miss it with more than 5 %; `confidence` gives the actual
    coverage.
    """
    ranked, count = sorted(results), len(results)
    rank, missed = 1, 2.0 ** (1 - count)
    while (wider := missed + 2 * math.comb(count, rank) / 2**count) <= risk:
        rank, missed = rank + 1, wider
    return Spread(median(ranked), ranked[rank - 1], ranked[-rank], 1 - missed)
