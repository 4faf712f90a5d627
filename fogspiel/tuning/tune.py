"""One tuning from its first step to the end of its budget, without a store."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..core.agents import ParametricPolicy, PolicyJson, decode_policy
from ..core.find import load_game
from ..core.game import Game
from ..core.rng import child
from ..process.heartbeat import beat
from ..stats.race import Race
from .arena import FINAL, TRAINING, Arena, Budget, BudgetSpent
from .contest import Contest
from .methods import find_tune_method
from .steps import Step
from .validation import SHARE, Validation, thin_checkpoints, validate

USUAL_METHOD, USUAL_RACE, USUAL_BASELINE = "auto", "count-mixture", "redrawn"
USUAL_GAMES = 500_000
PROBE = 7  # the stream of the games that only measure how fast games are
PROBE_SECONDS = 0.5
MOST_PROBED = 1024  # pairs of vectors at a time


@dataclass
class TuneResult:
    """Result and cost of a tuning."""

    policy: ParametricPolicy
    games: int
    steps: int
    final: Validation | None = None  # how the answer did against the start, if that was asked for


class BudgetSplit(NamedTuple):
    """Division of a game budget."""

    method: int
    final: int


def split_budget(games: int, share: float = SHARE) -> BudgetSplit:
    """The games of the method, and those of the last races."""
    final = int(games * share)
    return BudgetSplit(games - final, final)


def steps_of(method: str, arena: Arena) -> Iterator[Step]:
    """Follow the method until its budget is spent; where the contest cannot mix, a mixture is its heaviest member."""
    with suppress(BudgetSpent):
        for step in find_tune_method(method)(arena):
            yield step if arena.contest.mixes else replace(step, thetas=None, weights=None, value=None)


@dataclass
class SearchLog:
    """Trajectory of a method: its current answer, and the vectors it accepted."""

    answer: PolicyJson
    steps: int = 0
    why: str | None = None  # why the answer is what it is, if the method says so
    accepted: list[PolicyJson] = field(default_factory=list)

    def follow(self, step: Step) -> None:
        """Take the next step; the members of mixtures are no checkpoints of their own."""
        self.answer, self.steps, self.why = step.answer, self.steps + 1, step.why
        if step.accepted and "weights" not in self.answer:
            self.accepted.append(self.answer)

    @property
    def checkpoints(self) -> list[PolicyJson]:
        """The accepted vectors that have a turn if the answer fails."""
        return thin_checkpoints(self.accepted)


def start_log(arena: Arena) -> SearchLog:
    """The way before its first step."""
    return SearchLog(Step(arena.start, accepted=False).answer)


def measure_speed(contest: Contest, seed: int, threads: int = 1) -> float:
    """Games per second between Gaussian vectors, each pair of which plays one pair of games, as in most methods."""
    rng, key, count = np.random.default_rng(seed), int(child(seed, PROBE)), threads

    def play(first: int) -> None:
        vectors = contest.start() + rng.standard_normal((2, count, len(contest.start())))
        contest.match(*vectors).scores(key, first, count, threads=threads)
        beat()

    play(0)  # what is to be compiled is compiled now
    first, began = count, time.monotonic()
    while True:
        play(first)
        first, spent = first + count, time.monotonic() - began
        if spent >= PROBE_SECONDS:
            return 2 * (first - threads) / spent
        count = min(2 * count, MOST_PROBED)


def tune_strategy(
    game: Game | str,
    method: str = USUAL_METHOD,
    games: int = USUAL_GAMES,
    seed: int = 1,
    race: Race | None = None,
    baseline: str = USUAL_BASELINE,
    observation: str = "pair",
    final: bool = True,
) -> TuneResult:
    """Run a method for its budget of games; nothing is stored, and only the last race measures the result."""
    tuned = load_game(game) if isinstance(game, str) else game
    found = search(tuned, method, games, seed, race, baseline, observation, SHARE if final else 0.0)
    return TuneResult(decode_policy(tuned, found.answer), found.games, found.steps, found.final)


class SearchResult(NamedTuple):
    """Result of a search."""

    answer: PolicyJson
    games: int
    steps: int
    final: Validation | None


def search(
    game: Game | Contest,
    method: str,
    games: int,
    seed: int,
    race: Race | None = None,
    baseline: str = USUAL_BASELINE,
    observation: str = "pair",
    share: float = SHARE,
) -> SearchResult:
    """Let a method run, and then judge what it found by that share of the games; a share of 0 leaves that out."""
    parts = split_budget(games, share)

    def arena_for(games: int, purpose: int) -> Arena:
        rule, budget = race or Race(USUAL_RACE), Budget(games)
        return Arena(game, seed, rule, baseline, budget, observation, on_batch=lambda *_: beat(), purpose=purpose)

    arena = arena_for(parts.method, TRAINING)
    way = start_log(arena)
    for step in steps_of(method, arena):
        beat()
        way.follow(step)
    if not share:
        return SearchResult(way.answer, arena.games, way.steps, None)
    judging = arena_for(parts.final, FINAL)
    *_, last = validate(judging, way.answer, way.checkpoints)
    return SearchResult(last.answer, arena.games + judging.games, way.steps, last)
