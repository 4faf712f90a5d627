"""Where players of one strategy meet: every race and pair of games of a run, each game counted, up to the budget.

The arena numbers its events (a race, a comparison, a batch of pairs) and gives each its own stream of games, so the
k-th event of a run is the same whenever it is played. Events that were recorded earlier are recalled instead of played:
to resume a run, its method simply runs again.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np

from ..core.agents import Policy, find_policy, fixed_baseline, policies_in_turn, redrawn_baseline, vector_policy
from ..core.game import Game
from ..core.rng import below, child, fill_normal, stream_of
from ..core.simulate import Match
from ..stats.race import Race, Verdict, scan

METHOD_STREAM, TRAINING = 1, 2
LEAST_BATCH, MOST_BATCH = 64, 16_384
BATCH_SECONDS = 0.25

Rows = np.ndarray | Sequence[int]
Codes = str | list[int]
"""Whole numbers as an event keeps them: a digit each for games of at most three payoffs, for others a list."""
DIGITS = 3
"""The most payoffs whose pairs of scores, in the base of this number, have one digit each."""


class Event(TypedDict, total=False):
    """What was played at once, as runs keep it."""

    event: int
    """Its number, where it is not finished yet."""
    games: int
    decision: int
    """Of a race, with `counts`: how often each score was observed."""
    counts: list[int]
    scores: Codes
    """Of a newcomer against others, in both seats."""
    pairs: Codes
    """The two scores of every pair of games, as one number."""


class BudgetSpent(Exception):
    """The games or the seconds of the run are used up."""


@dataclass
class Budget:
    """How many games may be counted, and when to stop in any case."""

    games: int | None = None
    deadline: float | None = None
    """A reading of `time.monotonic`."""


@dataclass
class Arena:
    """One run's games: what is played, by which race it is judged, from which seed."""

    game: Game
    seed: int
    race_rule: Race = field(default_factory=Race)
    baseline_name: str = "fixed"
    budget: Budget = field(default_factory=Budget)
    observation: str = "pair"
    """What a race counts: "pair" is a deal played twice with seats swapped, "game" one game with seats in turn."""
    threads: int = 1
    recorded: Sequence[Event] = ()
    partial: Mapping[str, Any] | None = None
    on_batch: Callable[["Arena", Event], None] = lambda arena, event: None

    def __post_init__(self) -> None:
        if self.game.strategy is None:
            raise ValueError(f"{self.game.name} has no parametric strategy to tune")
        self.strategy = self.game.strategy
        self.games = 0
        self.events: list[Event] = []
        self.stream = stream_of(self.seed, METHOD_STREAM)
        self.baseline = baseline(self.game, self.baseline_name, self.seed)
        self._games_per_second = 1000.0

    # What methods ask for

    @property
    def start(self) -> np.ndarray:
        """The paper's starting point: standard Gaussian numbers (the baseline itself, where it is fixed)."""
        return np.array(fixed_baseline(self.game, self.seed).heaviest)

    def gaussian(self) -> np.ndarray:
        """A new vector of standard Gaussian numbers."""
        return self.gaussians(1).ravel()

    def gaussians(self, count: int) -> np.ndarray:
        """That many new vectors of standard Gaussian numbers, a row each."""
        thetas = np.empty((count, len(self.strategy.parameters)))
        fill_normal(self.stream, thetas.reshape(-1))
        return thetas

    def pick(self, count: int) -> int:
        """A uniform number below `count`."""
        return int(below(self.stream, count))

    def race(self, challenger: np.ndarray, incumbent: np.ndarray, rule: Race | None = None) -> Verdict:
        """Race two vectors against each other, by the rule of the run or by another one."""
        match = Match(self.game, self._player(challenger), self._player(incumbent))

        def observe(key: int, first: int, count: int) -> np.ndarray:
            return self._sums(match, key, first, count)

        return self._run_race(rule or self.race_rule, observe, outcomes=self._most + 1, games=self._columns)

    def compare(self, challenger: np.ndarray, incumbent: np.ndarray) -> Verdict:
        """Race two vectors by their scores against the baseline, on the same deals and the same opponent."""
        matches = [Match(self.game, self._player(x), self.baseline) for x in (challenger, incumbent)]

        def observe(key: int, first: int, count: int) -> np.ndarray:
            new, old = (self._sums(match, key, first, count) for match in matches)
            return np.asarray(new - old + self._most)  # Z = (1 + D)/2 in units of its grid

        outcomes = 2 * self._most + 1
        return self._run_race(self.race_rule.for_differences(), observe, outcomes, games=2 * self._columns)

    def play_newcomer(self, newcomer: np.ndarray, others: np.ndarray) -> np.ndarray:
        """The newcomer's scores against each of the others: a row each, first seat and second seat."""
        if not len(others):
            return np.zeros((0, 2), np.int64)
        number, needed = len(self.events), 2 * len(others)
        if number < len(self.recorded):
            scores = decode(self.recorded[number]["scores"]).reshape(-1, 2)
        else:
            if self._games_left(1) < needed:
                raise BudgetSpent
            match = Match(self.game, self._player(newcomer), policies_in_turn(self.game, others))
            scores = match.scores(self._key(number), 0, len(others), threads=self.threads)
        self._close({"scores": encode(self.game, scores.reshape(-1)), "games": needed})
        return scores

    def play_pairs(
        self, firsts: np.ndarray, seconds: np.ndarray, pairs: int = 1, same_deals: bool = False
    ) -> np.ndarray:
        """The scores of every row of `firsts` against its row of `seconds`: row, pair of games, first and second seat.

        Every pair is a deal of its own, or, with `same_deals`, the k-th pair of every row is the same deal.
        """
        number, rows = len(self.events), len(firsts)
        if number < len(self.recorded):
            codes = decode(self.recorded[number]["pairs"])
        else:
            codes = self._play_batches(self._pairing(firsts, seconds, pairs if same_deals else 0), rows * pairs)
        self._close({"pairs": encode(self.game, codes), "games": 2 * len(codes)})
        codes = codes.reshape(rows, pairs) if same_deals else codes.reshape(pairs, rows).T
        return np.stack(np.divmod(codes, pair_base(self.game)), axis=2)

    # How an event is played

    @property
    def _columns(self) -> int:
        return 2 if self.observation == "pair" else 1

    @property
    def _most(self) -> int:
        """The highest score of an observation, as a sum of indices of payoffs."""
        return self._columns * self.game.top

    def _player(self, theta: np.ndarray) -> Policy:
        return vector_policy(self.game, theta)

    def _key(self, number: int) -> int:
        return int(child(self.seed, TRAINING, number))

    def _sums(self, match: Match, key: int, first: int, count: int) -> np.ndarray:
        """The sums of the scores of each observation."""
        seats = "swapped" if self.observation == "pair" else "alternating"
        return np.asarray(match.scores(key, first, count, seats, self.threads).sum(axis=1))

    def _games_left(self, cost: int) -> int:
        """How many observations of that many games the budget still allows."""
        if self.budget.deadline is not None and time.monotonic() >= self.budget.deadline:
            return 0
        return 10**15 if self.budget.games is None else (self.budget.games - self.games) // cost

    def _run_race(self, rule: Race, observe: Callable[..., np.ndarray], outcomes: int, games: int) -> Verdict:
        """Observe in batches until the race decides; where a batch is cut never changes the verdict."""
        number = len(self.events)
        if number < len(self.recorded):
            event = self.recorded[number]
            self._close(event)
            return Verdict(event["decision"], tuple(event["counts"]), event["games"])
        counts, done, decision = np.zeros(outcomes, np.int64), 0, 0
        if self.partial is not None and self.partial["event"] == number:
            counts[:] = self.partial["counts"]
            done = int(counts.sum())
        while decision == 0:
            allowed = self._games_left(games) - done
            if allowed <= 0:
                self.games += done * games
                raise BudgetSpent
            brief = int(self._games_per_second * BATCH_SECONDS) // games
            batch = min(allowed, max(LEAST_BATCH, min(done // 8, MOST_BATCH, brief)))
            began = time.monotonic()
            used, decision = scan(rule, counts, observe(self._key(number), done, batch))
            self._games_per_second = games * batch / max(time.monotonic() - began, 1e-6)
            done += used
            if decision == 0:
                self.on_batch(self, {"event": number, "counts": counts.tolist(), "games": done * games})
        verdict = Verdict(decision, tuple(counts.tolist()), done * games)
        self._close({"decision": decision, "counts": list(verdict.counts), "games": verdict.games})
        return verdict

    def _pairing(self, firsts: np.ndarray, seconds: np.ndarray, deals: int) -> Callable[[int, int], np.ndarray]:
        """How the pairs of a meeting from a number on are played: rows in turn, or row by row on so many deals."""
        key = self._key(len(self.events))

        def of_rows(rows: slice) -> Match:
            return Match(
                self.game, policies_in_turn(self.game, firsts[rows]), policies_in_turn(self.game, seconds[rows])
            )

        def on_same_deals(first: int, count: int) -> np.ndarray:
            row, deal = divmod(first, deals)
            return of_rows(slice(row, row + 1)).scores(key, deal, min(count, deals - deal), threads=self.threads)

        if deals:
            return on_same_deals
        everyone = of_rows(slice(None))
        return lambda first, count: everyone.scores(key, first, count, threads=self.threads)

    def _play_batches(self, scores: Callable[[int, int], np.ndarray], total: int) -> np.ndarray:
        """Play so many pairs in batches: for each a number of two digits, the scores in the first and second seat."""
        number, codes = len(self.events), np.zeros(0, np.int64)
        if self.partial is not None and self.partial["event"] == number:
            codes = decode(self.partial["pairs"])
        while len(codes) < total:
            if self._games_left(2) < total:
                self.games += 2 * len(codes)
                raise BudgetSpent
            began = time.monotonic()
            brief = max(LEAST_BATCH, min(MOST_BATCH, int(self._games_per_second * BATCH_SECONDS) // 2))
            batch = scores(len(codes), min(brief, total - len(codes)))
            self._games_per_second = 2 * len(batch) / max(time.monotonic() - began, 1e-6)
            codes = np.append(codes, batch @ (pair_base(self.game), 1))
            if len(codes) < total:
                self.on_batch(self, {"event": number, "pairs": encode(self.game, codes), "games": 2 * len(codes)})
        return codes

    def _close(self, event: Event) -> None:
        self.events.append(event)
        self.games += event["games"]


def pair_base(game: Game) -> int:
    """The base in which the two scores of a pair are the digits of one number."""
    return max(len(game.payoffs), DIGITS)


def encode(game: Game, numbers: np.ndarray) -> Codes:
    """Scores, or pairs of them, as an event keeps them."""
    if len(game.payoffs) > DIGITS:
        return list(numbers.tolist())
    return (numbers + ord("0")).astype(np.uint8).tobytes().decode()


def decode(codes: Codes) -> np.ndarray:
    """What an event keeps, as numbers again."""
    if isinstance(codes, str):
        return np.frombuffer(codes.encode(), np.uint8).astype(np.int64) - ord("0")
    return np.array(codes, np.int64)


def join_halves(thetas: np.ndarray, first: Rows, second: Rows) -> np.ndarray:
    """Vectors with the first halves (for the first seat) of some rows and the second halves of others."""
    half = thetas.shape[1] // 2
    return np.hstack([thetas[first, :half], thetas[second, half:]])


def baseline(game: Game, name: str, seed: int) -> Policy:
    """The opponent that scores are measured against: `fixed`, `redrawn`, or one of the game's named strategies."""
    if name == "fixed":
        return fixed_baseline(game, seed)
    return redrawn_baseline(game) if name == "redrawn" else find_policy(game, name)
