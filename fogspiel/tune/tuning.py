"""One tuning from its first step to the end of its budget, without a store."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..core.agents import Frozen, Policy, policy_of
from ..core.game import Game
from ..core.heartbeat import beat
from ..core.own_games import bring_game
from ..core.rng import child
from ..stats.race import Race
from .arena import FINAL, TRAINING, Arena, Budget, BudgetSpent
from .contest import Contest
from .final import SHARE, Final, judge, thin_checkpoints
from .methods import find_method
from .step import Step

USUAL_METHOD, USUAL_RACE, USUAL_BASELINE = "auto", "count-mixture", "redrawn"
USUAL_GAMES = 500_000
PROBE = 7  # the stream of the games that only measure how fast games are
PROBE_SECONDS = 0.5
MOST_PROBED = 1024  # pairs of vectors at a time


@dataclass
class Tuned:
    """Result and cost of a tuning."""

    policy: Policy
    games: int
    steps: int
    final: Final | None = None  # how the answer did against the start, if that was asked for


class Parts(NamedTuple):
    """Division of a game budget."""

    method: int
    final: int


def divide(games: int, share: float = SHARE) -> Parts:
    """The games of the method, and those of the last races."""
    final = int(games * share)
    return Parts(games - final, final)


def steps_of(method: str, arena: Arena) -> Iterator[Step]:
    """Yield the method's steps until its budget is spent."""
    with suppress(BudgetSpent):
        yield from find_method(method)(arena)


@dataclass
class Way:
    """Trajectory of a method: its current answer, and the vectors it accepted."""

    answer: Frozen
    steps: int = 0
    why: str | None = None  # why the answer is what it is, if the method says so
    accepted: list[Frozen] = field(default_factory=list)

    def follow(self, step: Step) -> None:
        """Take the next step; the members of mixtures are no checkpoints of their own."""
        self.answer, self.steps, self.why = step.answer, self.steps + 1, step.why
        if step.accepted and "weights" not in self.answer:
            self.accepted.append(self.answer)

    @property
    def checkpoints(self) -> list[Frozen]:
        """The accepted vectors that have a turn if the answer fails."""
        return thin_checkpoints(self.accepted)


def way_from(arena: Arena) -> Way:
    """The way before its first step."""
    return Way(Step(arena.start, accepted=False).answer)


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
) -> Tuned:
    """Run a method for its budget of games; nothing is stored, and only the last race measures the result."""
    tuned = bring_game(game) if isinstance(game, str) else game
    found = search(tuned, method, games, seed, race, baseline, observation, SHARE if final else 0.0)
    return Tuned(policy_of(tuned, found.answer), found.games, found.steps, found.final)


class Found(NamedTuple):
    """Result of a search."""

    answer: Frozen
    games: int
    steps: int
    final: Final | None


def search(
    game: Game | Contest,
    method: str,
    games: int,
    seed: int,
    race: Race | None = None,
    baseline: str = USUAL_BASELINE,
    observation: str = "pair",
    share: float = SHARE,
) -> Found:
    """Let a method run, and then judge what it found by that share of the games; a share of 0 leaves that out."""
    parts = divide(games, share)

    def arena_for(games: int, purpose: int) -> Arena:
        rule, budget = race or Race(USUAL_RACE), Budget(games)
        return Arena(game, seed, rule, baseline, budget, observation, on_batch=lambda *_: beat(), purpose=purpose)

    arena = arena_for(parts.method, TRAINING)
    way = way_from(arena)
    for step in steps_of(method, arena):
        beat()
        way.follow(step)
    if not share:
        return Found(way.answer, arena.games, way.steps, None)
    judging = arena_for(parts.final, FINAL)
    *_, last = judge(judging, way.answer, way.checkpoints)
    return Found(last.answer, arena.games + judging.games, way.steps, last)
