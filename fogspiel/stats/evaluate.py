"""Score of one agent against another, with an anytime-valid interval."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.agents import ParametricPolicy, PlayerAgent
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

    @property
    def games(self) -> int:
        return sum(self.outcomes)

    @property
    def mean(self) -> float:
        return sum(n * payoff for n, payoff in zip(self.outcomes, self.payoffs, strict=True)) / self.games

    @property
    def score(self) -> float:
        """Mean payoff; an alias used by reports."""
        return self.mean

    @property
    def interval(self) -> tuple[float, float]:
        """Anytime-valid 95 % interval of the mean."""
        low, span = self.payoffs[0], self.payoffs[-1] - self.payoffs[0]
        lower, upper = interval(np.array(self.observed, np.int64))
        return low + span * lower, low + span * upper

    def __repr__(self) -> str:
        low, high = self.interval
        return f"Score {self.mean:.3f} (95 %: {low:.3f} to {high:.3f}) in {self.games} games"

    def _repr_html_(self) -> str:
        counted = zip(self.payoffs, self.outcomes, strict=True)
        return html_table(repr(self), {f"games at payoff {payoff:g}": count for payoff, count in counted})

    def to_dict(self) -> dict[str, Any]:
        counts = {"payoffs": self.payoffs, "outcomes": self.outcomes, "observed": self.observed}
        return {"score": self.mean, "interval": self.interval, "games": self.games} | counts

    def to_json(self) -> dict[str, Any]:
        """Return the figures of a report; wins, draws and losses if there are three payoffs."""
        figures: dict[str, Any] = {"score": self.mean, "interval": list(self.interval), "games": self.games}
        if len(self.payoffs) == 3:
            losses, draws, wins = self.outcomes
            figures |= {"wins": wins, "draws": draws, "losses": losses}
        return figures | {"outcomes": list(self.outcomes), "observed": list(self.observed)}


def report_key(seed: int) -> int:
    """Return the stream of held-out report games, which no method uses."""
    return int(child(seed, REPORT))


# CPU seconds of the first games, played uncompiled to estimate the length of the match.
FIRST_SECONDS = 0.5


def make_match(
    game: Game, first: ParametricPolicy | PlayerAgent, second: ParametricPolicy | PlayerAgent
) -> PolicyMatch | AgentMatch:
    """Return a match in the compiled loop for two policies, or move by move if either is a `PlayerAgent`."""
    if isinstance(first, ParametricPolicy) and isinstance(second, ParametricPolicy):
        return PolicyMatch(game, first, second)
    return AgentMatch(game, first, second)


def evaluate(
    game: Game,
    first: ParametricPolicy | PlayerAgent,
    second: ParametricPolicy | PlayerAgent,
    key: int,
    games: int,
    seats: str = "swapped",
    threads: int = 1,
    watch: Callable[[MatchResult], None] = lambda so_far: None,
    counted: Mapping[str, Any] | None = None,
) -> MatchResult:
    """Score `first` against `second` in this many games; pairs are never split, so an odd number is rounded up.

    With `counted`, the figures of an interrupted match, only the remaining games are played.
    """
    columns, top = 2 if seats == "swapped" else 1, game.max_score
    outcomes, observed = np.zeros(top + 1, np.int64), np.zeros(columns * top + 1, np.int64)
    payoffs = tuple(float(payoff) for payoff in game.payoffs)
    if counted is not None:
        outcomes += counted["outcomes"]
        observed += counted["observed"]
    total = -(-games // columns)

    def play(match: PolicyMatch | AgentMatch, block: int, threads: int, go_on: Callable[[int], bool]) -> None:
        """Play the remaining games while `go_on` permits."""
        while (done := int(observed.sum())) < total and go_on(done):
            began = time.monotonic()
            scores = match.scores(key, done, min(block, total - done), seats, threads)
            outcomes[:] += np.bincount(scores.reshape(-1), minlength=len(outcomes))
            observed[:] += np.bincount(scores.sum(axis=1), minlength=len(observed))
            if time.monotonic() - began < (BLOCK_SECONDS if block >= MIN_BLOCK else FIRST_SECONDS / 4):
                block = min(2 * block, MAX_BLOCK)
            beat()
            watch(MatchResult(payoffs, tuple(outcomes.tolist()), tuple(observed.tolist())))

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
    return MatchResult(payoffs, tuple(outcomes.tolist()), tuple(observed.tolist()))
