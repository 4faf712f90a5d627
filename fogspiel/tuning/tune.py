"""One tuning run from its first step to the end of its budget, without a store."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import log
from typing import Any

import numpy as np

from ..core.agents import ParametricPolicy, PolicyJson, decode_policy
from ..core.find import load_game
from ..core.game import WIN_DRAW_LOSS, Game
from ..core.rng import child
from ..process.heartbeat import beat
from ..stats.evaluate import elo_of, normalised_elo
from ..stats.race import GainTest, Race, Verdict, interval, mean
from .arena import FINAL, TOLERANCE, TRAINING, Arena, Budget, BudgetSpent, Contest, Step, thin_checkpoints
from .methods import find_tune_method

# Validation: the result must be shown to beat the initial parameters, on held-out games. A program has one test, of its
# last values, with all these games; what follows is for games.
#
# A method may follow noise, or cycle and end below its initial parameters. So the result must win a race against them;
# or, with a baseline, it must be non-inferior (margin TOLERANCE) and win a race by the scores of both against the
# baseline. Otherwise earlier checkpoints are tested; if none wins, the run returns its initial parameters. All races
# share the error probability DELTA. The remaining games narrow the interval.

SHARE = 0.1  # fraction of the budget for the last races
DELTA = 0.05
PRECISION = 0.01  # a gain below twice this does not justify more games
RACES = 3  # of a candidate, at most
CHECKPOINTS = 3
START = "start"


@dataclass(frozen=True)
class Validation:
    """Result of one candidate against the initial parameters; the last one decides the run's result."""

    candidate: str  # `answer`, a checkpoint by its number from the last one, or `start` without a gain
    proved: bool
    answer: PolicyJson
    counts: tuple[int, ...]  # counts of each sum of the scores of a game pair
    test: GainTest | None = None  # of a program
    # Counts of the differences of the candidate's and the initial score against the baseline, where these decided.
    compared: tuple[int, ...] | None = None

    @property
    def games(self) -> int:
        return 2 * sum(self.counts)

    @property
    def score(self) -> float:
        """The mean score against the initial parameters: 0 the lowest payoff, 1 the highest."""
        return mean(np.array(self.counts, np.int64))

    @property
    def interval(self) -> tuple[float, float]:
        """The anytime-valid 95 % interval of the score."""
        return interval(np.array(self.counts, np.int64))

    @property
    def capital(self) -> float:
        """The log of the capital of a program's bets on a gain."""
        return self.test.capital(np.array(self.counts, np.int64)) if self.test else 0.0

    @property
    def gain(self) -> tuple[float, float, float] | None:
        """The gain over the initial parameters in score (range 1) against the baseline, with its interval."""
        if self.compared is None:
            return None
        counts = np.array(self.compared, np.int64)
        low, high = interval(counts)
        return 2 * mean(counts) - 1, 2 * low - 1, 2 * high - 1

    def to_json(self, payoffs: Sequence[Fraction]) -> dict[str, Any]:
        """Return score and interval against the initial parameters, and Elo if games are won, drawn and lost."""
        low, span = float(payoffs[0]), float(payoffs[-1] - payoffs[0])
        figures: dict[str, Any] = {"against": START, "candidate": self.candidate, "proved": self.proved}
        figures |= {"games": self.games}
        if self.test is not None:
            figures |= {"test": [self.test.low, self.test.high], "capital": self.capital, "goal": -log(self.test.delta)}
        if not self.games:
            return figures
        limits, gain = self.interval, self.gain
        figures |= {"score": low + span * self.score, "interval": [low + span * limit for limit in limits]}
        figures |= {"pairs": list(self.counts), "better": limits[0] > 0.5}
        if gain is not None:
            figures |= {"gain": span * gain[0], "gain_interval": [span * limit for limit in gain[1:]]}
        if tuple(payoffs) == WIN_DRAW_LOSS:
            scores = (self.score, *limits)
            elos = {"elo": map(elo_of, scores), "normalised_elo": (normalised_elo(self.counts, x) for x in scores)}
            for name, found in elos.items():
                elo, *ends = (elo if abs(elo) < float("inf") else None for elo in found)
                figures |= {name: elo, f"{name}_interval": ends}
        return figures


def validate(arena: Arena, answer: PolicyJson, checkpoints: Sequence[PolicyJson]) -> Iterator[Validation]:
    """Race the result, then the checkpoints, against the initial parameters; each may use half of the games left."""
    start: PolicyJson = {"theta": arena.start.tolist()}
    none = Validation(START, False, start, (0,) * (2 * arena.game.max_score + 1))
    if answer == start:
        yield none
        return
    earlier = [one for place, one in enumerate(checkpoints) if one not in (answer, start, *checkpoints[:place])]
    if not arena.contest.mixes:
        with suppress(BudgetSpent):  # by a deadline
            yield _prove(arena, answer, none)
            return
        yield none
        return
    candidates = {"answer": answer}
    candidates |= {f"checkpoint {number}": found for number, found in enumerate(earlier[:CHECKPOINTS], 1)}
    for name, found in candidates.items():
        try:
            final = _try(arena, name, found, DELTA / (RACES * len(candidates)))
            if final.proved:
                rest = arena.race_answer(found, arena.start, None, 2 * _half(arena))
                final = replace(final, counts=_add(final.counts, rest.counts))
        except BudgetSpent:  # by a deadline
            break
        yield final
        if final.proved:
            return
    yield none


def _prove(arena: Arena, found: PolicyJson, none: Validation) -> Validation:
    """Test one vector of a program against the start, with all games of the arena and the whole error probability."""
    pairs = ((arena.budget.games or 0) - arena.games) // 2
    test = arena.gain_test or GainTest.for_pairs(pairs, DELTA)
    first = arena.race_answer(found, arena.start, test, pairs)
    if first.decision <= 0:
        return replace(none, candidate="answer", counts=first.counts, test=test)
    rest = arena.race_answer(found, arena.start, None, pairs - sum(first.counts))
    return Validation("answer", True, found, _add(first.counts, rest.counts), test=test)


def _try(arena: Arena, name: str, found: PolicyJson, delta: float) -> Validation:
    """Race one candidate: for a win against the initial parameters, or non-inferiority and a win by the baseline."""
    better, no_worse = (Race("count-mixture-asymmetric", delta, epsilon) for epsilon in (PRECISION, TOLERANCE / 2))
    first = Verdict(0, (0,) * (2 * arena.game.max_score + 1), 0)
    if "weights" not in found:
        first = arena.race_answer(found, arena.start, better, _half(arena))
        if first.decision > 0:
            return Validation(name, True, found, first.counts)
    # The initial parameters must win the same race; they lose when they are at most TOLERANCE above the result.
    second = arena.race_answer(found, arena.start, no_worse, _half(arena), defends=True)
    counts = _add(first.counts, second.counts)
    judged = arena.baseline is not None and arena.baseline_name != "fixed"
    if second.decision <= 0 or "weights" in found or not judged:
        return Validation(name, second.decision > 0 and "weights" in found, found, counts)
    third = arena.compare(np.array(found["theta"]), arena.start, better, _half(arena) // 2)
    return Validation(name, third.decision > 0, found, counts, compared=third.counts if third.decision > 0 else None)


def _add(some: Sequence[int], more: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(some, more, strict=True))


def _half(arena: Arena) -> int:
    return ((arena.budget.games or 0) - arena.games) // 4


DEFAULT_METHOD, DEFAULT_RACE, DEFAULT_BASELINE = "auto", "count-mixture", "redrawn"
DEFAULT_GAMES = 500_000
PROBE = 7  # the stream of the games that only measure how fast games are
PROBE_SECONDS = 0.5
MAX_PROBED = 1024  # pairs of vectors at a time


@dataclass
class TuneResult:
    policy: ParametricPolicy
    games: int
    steps: int
    final: Validation | None = None  # validation against the initial parameters, if requested


def split_budget(games: int, share: float = SHARE) -> tuple[int, int]:
    """Return the games of the method, and those of the validation."""
    final = int(games * share)
    return games - final, final


def steps_of(method: str, arena: Arena) -> Iterator[Step]:
    """Run the method until its budget is spent."""
    with suppress(BudgetSpent):
        yield from endless_steps(method, arena)


def endless_steps(method: str, arena: Arena) -> Iterator[Step]:
    """Run the method until it raises BudgetSpent; where the contest cannot mix, a mixture is its heaviest member."""
    for step in find_tune_method(method)(arena):
        yield step if arena.contest.mixes else replace(step, thetas=None, weights=None, value=None)


@dataclass
class SearchLog:
    """Trajectory of a method: its current result, and the vectors it accepted."""

    answer: PolicyJson
    steps: int = 0
    why: str | None = None  # the method's reason for its result, if it gives one
    accepted: list[PolicyJson] = field(default_factory=list)

    def follow(self, step: Step) -> None:
        """Add the next step; the members of mixtures are not checkpoints."""
        self.answer, self.steps, self.why = step.recommendation, self.steps + 1, step.reason
        if step.accepted and "weights" not in self.answer:
            self.accepted.append(self.answer)


def measure_speed(contest: Contest, seed: int, threads: int = 1) -> float:
    """Return games per second between Gaussian vectors that play one game pair each, as in most methods."""
    rng, key, count = np.random.default_rng(seed), int(child(seed, PROBE)), threads

    def play(first: int) -> None:
        vectors = contest.start() + rng.standard_normal((2, count, len(contest.start())))
        contest.match(*vectors).scores(key, first, count, threads=threads)
        beat()

    play(0)  # compile before measuring
    first, began = count, time.monotonic()
    while True:
        play(first)
        first, spent = first + count, time.monotonic() - began
        if spent >= PROBE_SECONDS:
            return 2 * (first - threads) / spent
        count = min(2 * count, MAX_PROBED)


def tune_strategy(
    game: Game | str,
    method: str = DEFAULT_METHOD,
    games: int = DEFAULT_GAMES,
    seed: int = 1,
    race: Race | None = None,
    baseline: str = DEFAULT_BASELINE,
    observation: str = "pair",
    final: bool = True,
) -> TuneResult:
    """Run a method for its budget of games; nothing is stored, and only the last race measures the result."""
    tuned = load_game(game) if isinstance(game, str) else game
    share = SHARE if final else 0.0
    answer, played, steps, proof = search(tuned, method, games, seed, race, baseline, observation, share)
    return TuneResult(decode_policy(tuned, answer), played, steps, proof)


def search(
    game: Game | Contest,
    method: str,
    games: int,
    seed: int,
    race: Race | None = None,
    baseline: str = DEFAULT_BASELINE,
    observation: str = "pair",
    share: float = SHARE,
) -> tuple[PolicyJson, int, int, Validation | None]:
    """Run a method, then evaluate its result with that share of the games; a share of 0 omits the evaluation.

    The result comes with the games and the steps that it took, and with its evaluation.
    """

    def arena_for(games: int, purpose: int) -> Arena:
        rule, budget = race or Race(DEFAULT_RACE), Budget(games)
        return Arena(game, seed, rule, baseline, budget, observation, on_batch=lambda *_: beat(), purpose=purpose)

    for_method, for_final = split_budget(games, share)
    arena = arena_for(for_method, TRAINING)
    way = SearchLog({"theta": arena.start.tolist()})
    for step in steps_of(method, arena):
        beat()
        way.follow(step)
    if not share:
        return way.answer, arena.games, way.steps, None
    judging = arena_for(for_final, FINAL)
    *_, last = validate(judging, way.answer, thin_checkpoints(way.accepted))
    return last.answer, arena.games + judging.games, way.steps, last
