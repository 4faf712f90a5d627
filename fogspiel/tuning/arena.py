"""Scheduler for the games of one tuning run: every race and pair, each game counted, up to the budget.

On one side is the contest, whose vectors play games and score: a game with a parametric strategy, or an external
program. On the other are the steps of a method, which sees only vectors, scores and which parameters have neighbours.

The arena numbers its events (a race, a comparison, a batch of pairs) and gives each its own stream of games, so the
k-th event of a run is the same whenever it is played. Recorded events are recalled instead of played: to resume a run,
its method simply runs again.
"""

import functools
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, TypeVar, runtime_checkable

import numpy as np

from ..core import agents
from ..core.agents import ParametricPolicy, PolicyJson, named_policy, policies_in_turn, vector_policy
from ..core.game import Game, Strategy
from ..core.plugins import former_names
from ..core.rng import child, fill_normal, random_below, stream_of
from ..core.simulate import PolicyMatch
from ..stats.linear_programs import couple
from ..stats.race import GainTest, Race, Verdict, scan

if TYPE_CHECKING:
    from .programs.parameters import Parameters

T = TypeVar("T")
Rows = np.ndarray | Sequence[int]

# Streams below the seed of a run: a method's random numbers, its games, and the held-out games that test its result.
METHOD_STREAM, TRAINING, FINAL = 1, 2, 6
MIN_BATCH, MAX_BATCH = 64, 16_384  # game pairs per call of the compiled loop
BATCH_SECONDS = 0.25
# Non-inferiority margin of a result that is better otherwise: against the baseline, or, as a mixture, by having no
# weak side.
TOLERANCE = 0.01

# Integers as an event stores them: a digit each for games of at most three payoffs, for others a list.
Codes = str | list[int]
DIGITS = 3  # the most payoffs whose pairs of scores, in the base of this number, have one digit each


class ScoreSource(Protocol):
    """Two lists of vectors that play numbered games."""

    def scores(self, key: int, first: int, count: int, seats: str = "swapped", threads: int = 1) -> np.ndarray:
        """Return the scores of the games `first`.. of stream `key`, as indices of payoffs: a row per number.

        With seats "swapped" a number is a game pair, a column each; with "alternating" it is one game.
        """


class Contest(Protocol):
    """Interface of a tuning problem."""

    name: str  # for messages
    payoffs: tuple[Fraction, ...]  # possible ones of a game for the first vector, in even ascending steps
    max_score: int  # index of the highest payoff
    mixes: bool  # true if the result may be a mixture of vectors
    least: int  # minimum number of game pairs played at once

    @property
    def strategy(self) -> "Strategy | Parameters":
        """The parameters."""

    @property
    def box(self) -> np.ndarray:
        """The lowest and the highest numbers of vectors; infinite without limits."""

    def start(self) -> np.ndarray:
        """Return the initial parameters."""

    def clip(self, theta: np.ndarray) -> np.ndarray:
        """Return a vector within the limits of the parameters."""

    def match(self, firsts: np.ndarray, seconds: np.ndarray) -> ScoreSource:
        """Return rows that take turns: number n is played by row n of each, modulo their number."""

    def match_answer(self, answer: PolicyJson, opponent: np.ndarray) -> ScoreSource:
        """Return the games of a result, a vector or mixture, against one vector."""


@runtime_checkable
class AdvanceContest(Protocol):
    """A contest that can play games before their scores are asked for."""

    @property
    def in_advance(self) -> int:
        """The game pairs to announce before they are asked for; 0 where nobody would play them meanwhile."""

    def announce(self, firsts: np.ndarray, seconds: np.ndarray, key: int, first: int, count: int, seats: str) -> None:
        """Begin to play games of a match of these vectors."""

    def withdraw(self) -> None:
        """Give up the games that were announced and have not been asked for."""


class GameContest:
    """A game of the catalogue or of the user, tuned from standard Gaussian numbers."""

    mixes = True

    def __init__(self, game: Game, strategy: Strategy, seed: int) -> None:
        self.game, self.strategy, self.seed, self.least = game, strategy, seed, MIN_BATCH
        self.name, self.payoffs, self.max_score = game.name, game.payoffs, game.max_score
        self.box = np.full((2, len(strategy.parameters)), np.inf) * np.array([[-1.0], [1.0]])

    def start(self) -> np.ndarray:
        """Return the paper's starting point: standard Gaussian numbers (the baseline itself, where it is fixed)."""
        return np.array(agents.fixed_baseline(self.game, self.seed).heaviest)

    def clip(self, theta: np.ndarray) -> np.ndarray:
        """Return the vector itself: parameters of games have no limits."""
        return theta

    def match(self, firsts: np.ndarray, seconds: np.ndarray) -> PolicyMatch:
        demand_finite(self.name, firsts, seconds)
        return PolicyMatch(self.game, policies_in_turn(self.game, firsts), policies_in_turn(self.game, seconds))

    def match_answer(self, answer: PolicyJson, opponent: np.ndarray) -> PolicyMatch:
        return PolicyMatch(
            self.game, agents.decode_policy(self.game, answer), policies_in_turn(self.game, opponent[None])
        )


def demand_finite(name: str, *rows: np.ndarray) -> None:
    if not all(np.isfinite(vectors).all() for vectors in rows):
        raise ValueError(f"a parameter of {name} is not a finite number: the method has diverged")


def contest_of(game: Game, seed: int) -> GameContest:
    if game.strategy is None:
        raise ValueError(f"{game.name} has no parametric strategy to tune")
    return GameContest(game, game.strategy, seed)


# Games


class Event(TypedDict, total=False):
    event: int  # its number, where it is not finished yet
    games: int
    decision: int  # of a race, with `counts`: how often each score was observed
    counts: list[int]
    scores: Codes  # of a newcomer against others, in both seats
    pairs: Codes  # the two scores of every pair of games, as one number


class BudgetSpent(Exception):
    """The games or the seconds of the run are used up."""


class OtherMethod(ValueError):
    """The recorded events are those of another method, or of another version of it."""


class RecordSpent(BudgetSpent):
    """The recorded events are used up, and the method asks for more."""


@dataclass
class Budget:
    games: int | None = None  # for which the method plans its steps
    deadline: float | None = None  # a reading of `time.monotonic`
    end: int | None = None  # the games of a run that goes on beyond its plan


@dataclass
class Arena:
    """The games of one run: its contest, its race and its seed."""

    game: Game | Contest
    seed: int
    race_rule: Race = field(default_factory=Race)
    baseline_name: str = "fixed"
    budget: Budget = field(default_factory=Budget)
    # Observations of a race: "pair" is a deal played twice with seats swapped, "game" one game with seats in turn.
    observation: str = "pair"
    threads: int = 1
    recorded: Sequence[Event] = ()
    partial: Mapping[str, Any] | None = None
    on_batch: Callable[["Arena", Event], None] = lambda arena, event: None
    purpose: int = TRAINING  # the stream of its games: TRAINING, or FINAL for those that test the result
    gain_test: GainTest | None = None  # of a program's result, if its scores are not chosen by the budget
    # After this many events the budget counts as spent: where a deadline ended the run that is now recalled.
    last_event: int | None = None
    ahead: int = 1  # steps of a method whose games may be played at once, so that none waits for the slowest game

    def __post_init__(self) -> None:
        self.contest: Contest = contest_of(self.game, self.seed) if isinstance(self.game, Game) else self.game
        self.strategy = self.contest.strategy
        self.games = 0
        self.event_count = 0
        self.events: list[Event] = []  # those not yet returned by `take_events`
        self._advance = self.contest if isinstance(self.contest, AdvanceContest) and self.contest.in_advance else None
        self._announced: deque[int] = deque()  # the pairs of the next events that are played in advance
        self.stream = stream_of(self.seed, METHOD_STREAM)
        self.baseline: ParametricPolicy | None = (
            named_policy(self.game, self.baseline_name, self.seed) if isinstance(self.game, Game) else None
        )  # the opponent of the scores; None for the initial parameters
        # The scores along each parameter, for people, if the method has a model of them.
        self.landscape: Callable[[], list[dict[str, Any]]] = list
        self._games_per_second = 1000.0 if isinstance(self.game, Game) else 0.0

    # Interface for methods

    @property
    def start(self) -> np.ndarray:
        return self.contest.start()

    def clip(self, theta: np.ndarray) -> np.ndarray:
        return self.contest.clip(theta)

    def gaussian(self) -> np.ndarray:
        return self.gaussians(1).ravel()

    def gaussians(self, count: int) -> np.ndarray:
        thetas = np.empty((count, len(self.strategy.parameters)))
        fill_normal(self.stream, thetas.reshape(-1))
        return thetas

    def pick(self, count: int) -> int:
        return int(random_below(self.stream, count))

    def race(self, challenger: np.ndarray, incumbent: np.ndarray, rule: Race | None = None) -> Verdict:
        vectors = challenger[None], incumbent[None]
        observe = functools.partial(self._sums, self.contest.match(*vectors))
        return self._run_race(rule or self.race_rule, observe, self._most + 1, games=self._columns, vectors=vectors)

    def race_answer(
        self, answer: PolicyJson, opponent: np.ndarray, rule: Race | GainTest | None, most: int, defends: bool = False
    ) -> Verdict:
        """Race a result against a vector in at most `most` game pairs; without a rule all of them are counted.

        A result that defends is the incumbent of the race; the verdict is about the result in any case.
        """
        match, top = self.contest.match_answer(answer, opponent), 2 * self.game.max_score

        def observe(key: int, first: int, count: int) -> np.ndarray:
            sums = match.scores(key, first, count, "swapped", self.threads).sum(axis=1)
            return np.asarray(top - sums if defends else sums)

        vectors = (np.array([answer["theta"]]), opponent[None])
        found = self._run_race(rule, observe, outcomes=top + 1, games=2, most=most, vectors=vectors)
        return Verdict(-found.decision, found.counts[::-1], found.games) if defends else found

    def compare(
        self, challenger: np.ndarray, incumbent: np.ndarray, rule: Race | None = None, most: int | None = None
    ) -> Verdict:
        """Race two vectors by their scores against the baseline, on the same deals and the same opponent."""
        if isinstance(self.game, Game) and self.baseline is not None:
            vectors = (vector_policy(self.game, theta) for theta in (challenger, incumbent))
            matches: list[ScoreSource] = [PolicyMatch(self.game, vector, self.baseline) for vector in vectors]
        else:
            matches = [self.contest.match(theta[None], self.start[None]) for theta in (challenger, incumbent)]

        def observe(key: int, first: int, count: int) -> np.ndarray:
            new, old = (self._sums(match, key, first, count) for match in matches)
            return np.asarray(new - old + self._most)  # Z = (1 + D)/2 in units of its grid

        outcomes = 2 * self._most + 1
        rule = (rule or self.race_rule).for_differences()
        return self._run_race(rule, observe, outcomes, games=2 * self._columns, most=most)

    def play_newcomer(self, newcomer: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Return the newcomer's scores against each of the others: a row each, first seat and second seat."""
        if not len(others):
            return np.zeros((0, 2), np.int64)
        number, needed = self.event_count, 2 * len(others)
        if number < len(self.recorded):
            scores = self._recall("scores", needed).reshape(-1, 2)
        else:
            if self._games_left(1) < needed:
                raise BudgetSpent
            self._demand_event()
            match = self.contest.match(newcomer[None], others)
            scores = match.scores(self._key(number), 0, len(others), threads=self.threads)
        self._close({"scores": encode(self.game, scores.reshape(-1)), "games": needed})
        return scores

    def play_pairs(
        self, firsts: np.ndarray, seconds: np.ndarray, pairs: int = 1, same_deals: bool = False, blocks: int = 1
    ) -> np.ndarray:
        """Return the scores of each row of `firsts` against its row of `seconds`: row, game pair, first and second
        seat.

        Every game pair is a separate deal, or, with `same_deals`, the k-th pair of every row is the same deal. Rows in
        several blocks play one pair each, and the k-th rows of all blocks have the same deal.
        """
        number, rows = self.event_count, len(firsts)
        if number < len(self.recorded):
            codes = self._recall("pairs", rows * pairs)
        else:
            deals = pairs if same_deals else 0
            codes = self._play_batches(self._pairing(firsts, seconds, deals, blocks), rows * pairs)
        self._close({"pairs": encode(self.game, codes), "games": 2 * len(codes)})
        if self._announced:
            self._announced.popleft()
        codes = codes.reshape(rows, pairs) if same_deals else codes.reshape(pairs, rows).T
        return np.stack(np.divmod(codes, pair_base(self.game)), axis=2)

    def announce_pairs(self, firsts: np.ndarray, seconds: np.ndarray) -> None:
        """Begin to play what `play_pairs` will be asked for, after what was announced before."""
        number, left = self.event_count + len(self._announced), self._games_left(2) - sum(self._announced)
        plays = self._advance if len(self.recorded) <= number and len(firsts) <= left else None
        self._announced.append(len(firsts) if plays else 0)
        if plays is not None:
            done = len(decode(self._partial_of(number).get("pairs", "")))
            plays.announce(firsts, seconds, self._key(number), done, len(firsts) - done, "swapped")

    def take_events(self) -> list[Event]:
        """Return the events since the last call: a long run stores them instead of keeping them in memory."""
        taken, self.events = self.events, []
        return taken

    # Playing an event

    @property
    def _columns(self) -> int:
        return 2 if self.observation == "pair" else 1

    @property
    def _most(self) -> int:
        """The highest score of an observation, as a sum of indices of payoffs."""
        return self._columns * self.game.max_score

    def _key(self, number: int) -> int:
        return int(child(self.seed, self.purpose, number))

    def _recall(self, key: Literal["scores", "pairs"], count: int) -> np.ndarray:
        """Return the numbers of the next recorded event."""
        numbers = decode(self.recorded[self.event_count].get(key, ""))
        if len(numbers) != count:
            raise OtherMethod
        return numbers

    def _demand_event(self) -> None:
        """Raise BudgetSpent for an event beyond those before the deadline."""
        if self.last_event is not None and self.event_count >= self.last_event:
            raise RecordSpent

    def _sums(self, match: ScoreSource, key: int, first: int, count: int) -> np.ndarray:
        seats = "swapped" if self.observation == "pair" else "alternating"
        return np.asarray(match.scores(key, first, count, seats, self.threads).sum(axis=1))

    def _games_left(self, cost: int) -> int:
        if self.budget.deadline is not None and time.monotonic() >= self.budget.deadline:
            return 0
        games = self.budget.end or self.budget.games
        return 10**15 if games is None else (games - self.games) // cost

    def _run_race(
        self,
        rule: Race | GainTest | None,
        observe: Callable[..., np.ndarray],
        outcomes: int,
        games: int,
        most: int | None = None,
        vectors: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Verdict:
        """Observe in batches until the race decides, or `most` times; the batch size does not change the result."""
        number = self.event_count
        if number < len(self.recorded):
            event = self.recorded[number]
            if len(event.get("counts", ())) != outcomes:
                raise OtherMethod
            self._close(event)
            return Verdict(event["decision"], tuple(event["counts"]), event["games"])
        self._demand_event()
        counts, done, decision = np.zeros(outcomes, np.int64), 0, 0
        if partial := self._partial_of(number):
            counts[:] = partial["counts"]
            done = int(counts.sum())
        announced = done
        if self._advance is not None:
            self._advance.withdraw()
        while decision == 0 and done != most:
            allowed = self._games_left(games) - done
            if allowed <= 0:
                self.games += done * games
                raise BudgetSpent
            allowed = allowed if most is None else min(allowed, most - done)
            brief = int(self._games_per_second * BATCH_SECONDS) // games
            batch = min(allowed, max(self.contest.least, min(done // 8, MAX_BATCH, brief)))
            if self._advance is not None and vectors is not None:
                until = done + min(allowed, batch + self._advance.in_advance)
                seats = "swapped" if games == 2 else "alternating"
                self._advance.announce(*vectors, self._key(number), announced, until - announced, seats)
                announced = until
            began = time.monotonic()
            used, decision = _scan(rule, counts, observe(self._key(number), done, batch))
            self._games_per_second = games * batch / max(time.monotonic() - began, 1e-6)
            done += used
            if decision == 0:
                self.on_batch(self, {"event": number, "counts": counts.tolist(), "games": done * games})
        verdict = Verdict(decision, tuple(counts.tolist()), done * games)
        self._close({"decision": decision, "counts": list(verdict.counts), "games": verdict.games})
        return verdict

    def _pairing(
        self, firsts: np.ndarray, seconds: np.ndarray, deals: int, blocks: int
    ) -> Callable[[int, int], np.ndarray]:
        """Return the schedule of game pairs from a number on: rows in turn, or row by row on this many deals."""
        key = self._key(self.event_count)
        # Each block of so many rows plays the same numbers.
        size, numbers = (1, deals) if deals else (len(firsts) // blocks,) * 2

        def block_by_block(first: int, count: int) -> np.ndarray:
            block, number = divmod(first, numbers)
            rows = slice(block * size, (block + 1) * size)
            match = self.contest.match(firsts[rows], seconds[rows])
            return match.scores(key, number, min(count, numbers - number), threads=self.threads)

        def some_rows(first: int, count: int) -> np.ndarray:
            """Play only the rows of these numbers: plans of all rows would fill the memory."""
            numbers, rows = np.arange(first, first + count), np.empty(count, np.int64)
            rows[numbers % count] = numbers % len(firsts)
            return self.contest.match(firsts[rows], seconds[rows]).scores(key, first, count, threads=self.threads)

        if deals or blocks > 1:
            return block_by_block
        if len(firsts) > MAX_BATCH:
            return some_rows
        everyone = self.contest.match(firsts, seconds)
        return lambda first, count: everyone.scores(key, first, count, threads=self.threads)

    def _play_batches(self, scores: Callable[[int, int], np.ndarray], total: int) -> np.ndarray:
        """Play `total` pairs in batches; encode both scores of a pair as the two digits of a number."""
        self._demand_event()
        number, codes = self.event_count, np.zeros(0, np.int64)
        if partial := self._partial_of(number):
            codes = decode(partial["pairs"])
        while len(codes) < total:
            if self._games_left(2) < total:
                self.games += 2 * len(codes)
                raise BudgetSpent
            began = time.monotonic()
            brief = max(self.contest.least, min(MAX_BATCH, int(self._games_per_second * BATCH_SECONDS) // 2))
            batch = scores(len(codes), min(brief, total - len(codes)))
            self._games_per_second = 2 * len(batch) / max(time.monotonic() - began, 1e-6)
            codes = np.append(codes, batch @ (pair_base(self.game), 1))
            if len(codes) < total:
                self.on_batch(self, {"event": number, "pairs": encode(self.game, codes), "games": 2 * len(codes)})
        return codes

    def _partial_of(self, number: int) -> Mapping[str, Any]:
        """Return the saved state of an event, if it is the one that was interrupted."""
        return self.partial if self.partial is not None and self.partial["event"] == number else {}

    def _close(self, event: Event) -> None:
        self.event_count += 1
        self.events.append(event)
        self.games += event["games"]


def _scan(rule: Race | GainTest | None, counts: np.ndarray, observed: np.ndarray) -> tuple[int, int]:
    """Count observations until the rule decides; return the number used, and the decision."""
    if rule is not None:
        return scan(rule, counts, observed)
    counts += np.bincount(observed, minlength=len(counts))
    return len(observed), 0


def pair_base(game: Game | Contest) -> int:
    """Return the base in which the two scores of a pair are the digits of one number."""
    return max(len(game.payoffs), DIGITS)


def encode(game: Game | Contest, numbers: np.ndarray) -> Codes:
    if len(game.payoffs) > DIGITS:
        return list(numbers.tolist())
    return (numbers + ord("0")).astype(np.uint8).tobytes().decode()


def decode(codes: Codes) -> np.ndarray:
    if isinstance(codes, str):
        return np.frombuffer(codes.encode(), np.uint8).astype(np.int64) - ord("0")
    return np.array(codes, np.int64)


# Steps of a method, and what methods share

WIDER, NARROWER = 2.0, 0.84
# Ours: the paper's step size has no bounds, and on a flat landscape it would overflow after some thousand steps.
MIN_SIGMA, MAX_SIGMA = 1e-9, 1e6


@former_names(answer="recommendation", why="reason")
@dataclass(frozen=True)
class Step:
    """One step of a method: its current result, and how it was reached."""

    theta: np.ndarray
    # True if `theta` belongs in the record: an accepted point, or a checkpoint of the trajectory.
    accepted: bool
    sigma: float | None = None
    population: int = 1
    # All members of a mixture so far; members are only added, never removed.
    thetas: np.ndarray | None = None
    # Weight of each member; or a row for each seat, where the halves of the vectors are mixed separately.
    weights: np.ndarray | None = None
    # The value of the measured table: 0 the lowest payoff, 1 the highest.
    value: float | None = None
    reason: str | None = None  # reason for this vector or mixture, in a sentence

    @property
    def recommendation(self) -> PolicyJson:
        if self.thetas is None or self.weights is None:
            return {"theta": self.theta.tolist()}
        return freeze_mixture(self.thetas, self.weights)


def freeze_mixture(thetas: np.ndarray, weights: np.ndarray) -> PolicyJson:
    """Return the mixture of these weights of members (or of their halves, a row for each seat)."""
    if weights.ndim == 1:
        rows, shares = thetas[weights > 0], weights[weights > 0]
    else:
        first, second, weighed = zip(*couple(weights[0], weights[1]), strict=True)
        rows, shares = join_halves(thetas, np.array(first), np.array(second)), np.array(weighed)
    theta = rows[int(shares.argmax())].tolist()
    if len(rows) == 1:
        return {"theta": theta}
    return {"theta": theta, "thetas": rows.tolist(), "weights": (shares / shares.sum()).tolist()}


def join_halves(thetas: np.ndarray, first: Rows, second: Rows) -> np.ndarray:
    """Return vectors with the first halves (for the first seat) of some rows and the second halves of others."""
    half = thetas.shape[1] // 2
    return np.hstack([thetas[first, :half], thetas[second, half:]])


def thin_checkpoints(accepted: Sequence[T]) -> list[T]:
    """Return accepted points, the last ones first, at growing distances."""
    return [accepted[-(2**k)] for k in range(len(accepted).bit_length())]


def mutant(arena: Arena, x: np.ndarray, sigma: float) -> np.ndarray:
    return x + sigma * arena.gaussian()


def next_sigma(sigma: float, success: bool) -> float:
    """Return twice the step size after a success, 0.84 times it after a failure."""
    return min(max(sigma * (WIDER if success else NARROWER), MIN_SIGMA), MAX_SIGMA)


def hashed_parameters(arena: Arena) -> np.ndarray:
    """Return the parameters that are pseudo-random seeds: they have no direction."""
    return np.array([name in arena.strategy.unordered for name in arena.strategy.parameters])
