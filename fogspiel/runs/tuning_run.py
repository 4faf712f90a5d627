"""Execution of a tuning run and validation of its result on fresh games."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..core.agents import PolicyJson, encode_policy, fixed_baseline, policy_json_in
from ..core.game import Game, known_game
from ..core.untrusted_input import JsonRecord
from ..stats.evaluate import score_of
from ..stats.race import GainTest, Race, interval, mean
from ..tuning.arena import (
    FINAL,
    Arena,
    Budget,
    BudgetSpent,
    Contest,
    Event,
    OtherMethod,
    RecordSpent,
    Step,
    freeze_mixture,
    thin_checkpoints,
)
from ..tuning.tune import (
    DELTA,
    SearchLog,
    Validation,
    endless_steps,
    measure_speed,
    split_budget,
    steps_of,
    validate,
)
from .kind import Context, DecisionBar, Progress, Recorder
from .request import signed, with_interval
from .requests import ProgramRequest, TuneRequest
from .store import Json, Row, Run, canonical


def proof_sentence(proof: Mapping[str, Any]) -> str:
    if not proof["proved"]:
        return "no gain was shown, so the run returns the initial parameters"
    whose = "" if proof["candidate"] == "answer" else f" ({proof['candidate']}, as the last point failed)"
    if "gain" in proof:
        gain = with_interval(proof["gain"], proof["gain_interval"])
        what = f"gain: {gain} against the baseline, and not inferior to the initial parameters"
    elif not proof["better"]:
        what = "not inferior to the initial parameters"
    elif "elo" in proof:
        low, high = proof["elo_interval"]
        what = f"gain: {signed(proof['elo'], '+')} Elo [{signed(low, '-')}, {signed(high, '+')}]"
    else:
        what = "better than the initial parameters"
    score = with_interval(proof["score"], proof["interval"])
    return f"{what}{whose}, score {score} in {proof['games']:,} held-out games (anytime-valid)"


def pairs_sentence(proof: Mapping[str, Any]) -> str:
    """Format normalised Elo and the pentanomial counts, as in engine testing."""
    low, high = proof["normalised_elo_interval"]
    normalised = f"{signed(proof['normalised_elo'], '+')} [{signed(low, '-')}, {signed(high, '+')}]"
    return f"normalised Elo {normalised}; pairs from two losses to two wins: {' '.join(map(str, proof['pairs']))}"


# Results of tuning runs: the stored steps, and the vector or mixture of each.

T = TypeVar("T")
Ask = TypeVar("Ask", TuneRequest, ProgramRequest)


@dataclass(frozen=True)
class StepRow(JsonRecord):
    """A stored step: the accepted parameters and the events that led there."""

    KEYS = (
        "accepted", "games", "population", "sigma", "events",
        "theta", "newcomers", "weights", "value", "budget", "final",
    )  # fmt: skip

    accepted: bool
    games: int
    population: int
    sigma: float | None
    events: Sequence[Event]
    theta: Sequence[float] | None = None  # of an accepted step
    # Members of a mixture added since earlier steps.
    newcomers: Sequence[Sequence[float]] | None = None
    weights: Sequence[Any] | None = None  # of all members so far; or a row for each seat
    value: float | None = None
    budget: int | None = None  # of a first row: the time budget converted to games
    final: str | None = None  # of a validation race: the candidate that played the initial parameters


def recommendations_of(run: Run) -> Iterator[tuple[int, PolicyJson]]:
    """Yield every result of a run, initial parameters first, with the number of games played before it."""
    game = known_game(run.request["game"])
    yield 0, encode_policy(game, fixed_baseline(game, run.request["seed"]))
    members: list[Sequence[float]] = []
    for step in map(StepRow.from_json, run.steps):
        members += step.newcomers or ()
        if step.weights is not None:
            yield step.games, freeze_mixture(np.array(members), np.array(step.weights))
        elif step.theta is not None:
            yield step.games, {"theta": list(step.theta)}


def thin_evenly(found: Sequence[T], most: int) -> list[tuple[int, T]]:
    """Return at most `most` items, evenly spaced, with their indices; the first and the last are included."""
    places = np.unique(np.linspace(0, len(found) - 1, min(len(found), most)).round().astype(int)).tolist()
    return [(place, found[place]) for place in places]


def keep_recommendation(kept: list[Row], row: Row) -> None:
    """Add a row to those needed by `recommendation_of`: all with members of a mixture, and the last of the others."""
    if "newcomers" in row.body:
        kept.append(row)
    elif "theta" in row.body:
        if kept and "newcomers" not in kept[-1].body:
            kept.pop()
        kept.append(row)


def recommendation_of(run: Run) -> PolicyJson | None:
    """Return the result of a run so far; None before there is any."""
    if run.result is not None and "theta" in run.result:
        return policy_json_in(run.result)
    rows = run.summary_rows  # read once: each access reads a long run again
    for number in reversed(range(len(rows))):
        body = rows[number].body
        if "weights" in body and "thetas" not in body:
            members = [theta for row in rows[: number + 1] for theta in row.body.get("newcomers", ())]
            return freeze_mixture(np.array(members), np.array(body["weights"]))
        if "theta" in body:
            return policy_json_in(body)
    return None


def unproved_of(run: Run) -> PolicyJson:
    """Return the result of the method itself where it was not shown to beat the initial parameters."""
    result = run.result or {}
    if UNPROVED not in result:
        raise ValueError(
            f"run {run.name} keeps no unproved result beside its result: play {run.name}, or tune from one seed with "
            "--no-proof"
        )
    return policy_json_in(result[UNPROVED])


# Execution of a tuning run of any contest: the method, then the validation races, stored step by step.
#
# Recorded events are replayed without playing their games again, so a resumed run produces the same rows. A budget in
# seconds is converted to games once, by measuring their speed; that number is the first row of the run.

MIN_GAMES = 64
SHOWN_VALUES = 4  # in the line of progress
PATIENCE = 1.5  # tolerance factor on the time budget of the games it was converted to
CAPITAL = "log capital"  # of the bets on a gain
TESTED = "tested"  # key of the counts of all pairs of a program's test, in the state of a run
UNPROVED = "unproved"  # key of the method's own result where the initial parameters replaced it, and RUN:unproved
NO_STEP: Json = {"accepted": False, "population": 1, "sigma": None, "events": []}


def arena_of(
    game: Game | Contest, baseline: str, ask: TuneRequest | ProgramRequest, budget: Budget, **more: Any
) -> Arena:
    race, ahead = Race(ask.race, ask.delta, ask.epsilon), getattr(ask, "ahead", None) or 1
    return Arena(game, ask.seed, race, baseline, budget, observation=ask.observation, ahead=ahead, **more)


class TuningWork:
    """Execution of a tuning run until its budget is spent."""

    def __init__(
        self, game: Game | Contest, method: str, baseline: str, share: float, request: TuneRequest | ProgramRequest,
        run: Run, recorder: Recorder, context: Context,
    ) -> None:  # fmt: skip
        """Read the rows of an interrupted run; `share` of the budget is for validation races, and 0 omits them."""
        self.game, self.method, self.baseline, self.share, self.request = game, method, baseline, share, request
        self.recorder, self.context, self.threads = recorder, context, context.threads or 1
        self.partial, rows = run.partial(), run.steps
        self.steps = [row for row in rows if "budget" not in row and "final" not in row]
        self.finals = [row for row in rows if "final" in row]
        self.judging = bool(self.finals) or (self.partial is not None and "spent" in self.partial)
        self.left = None if request.seconds is None else request.seconds - run.seconds_worked
        self.began = time.monotonic()
        self.total = request.games or next((row["budget"] for row in rows if "budget" in row), None)

    def tune(self) -> Json:
        """Return the result, its cost and its validation."""
        if self.share and self.request.games is None:
            self.total = self.total or self._worth()
            self.recorder.step(NO_STEP | {"games": 0, "budget": self.total})
        # Without validation there may be no limit.
        for_method, for_final = split_budget(self.total or 0, self.share)
        planned = self.request.planned and split_budget(self.request.planned, self.share)[0]
        proves = getattr(self.request, "proves", None)
        if proves is not None:  # the earlier games of this test count, so it goes on as if it had not ended
            self.partial = self.partial or {"event": 0, "counts": proves["pairs"], "spent": 0}
            self.judging = True
            for_method, for_final = 0, (self.total or 0) + 2 * sum(proves["pairs"])
        arena, way = self._follow(planned or for_method, for_method)
        if proves is not None:
            way.answer = {"theta": proves["theta"]}
        games = arena.games
        if self.finals:
            games = self.finals[0]["games"] - sum(event["games"] for event in self.finals[0]["events"])
        elif self.judging and self.partial is not None:
            games = self.partial["spent"]
        if not self.share:
            return {**way.answer, "games": games, "steps": self.recorder.steps}
        final, games = self._judge(for_final, way, games)
        result: Json = {**final.answer, "games": games, "steps": self.recorder.steps}
        result |= {"proof": final.to_json(self.game.payoffs)}
        if landscape := arena.landscape():
            result |= {"landscape": landscape}
        if not final.proved and way.answer != final.answer:
            result |= {UNPROVED: way.answer}
        return result | ({"why": way.why} if way.why and final.answer == way.answer else {})

    def _worth(self) -> int:
        """Return the number of games that the seconds are worth."""
        self.context.on_progress(Progress("measuring how fast games are", 0.0, 0))
        speed = measure_speed(self._arena(Budget()).contest, self.request.seed, self.threads)
        left = (self.left or 0.0) - (time.monotonic() - self.began)
        return max(int(speed * left), MIN_GAMES)

    def _deadline(self, share: float) -> float | None:
        """Return the deadline of this share of the seconds; games converted from them may exceed it."""
        if self.left is None:
            return None
        return self.began + share * self.left * (1.0 if self.request.games or not self.share else PATIENCE)

    def _arena(self, budget: Budget, **more: Any) -> Arena:
        return arena_of(self.game, self.baseline, self.request, budget, threads=self.threads, **more)

    def _follow(self, planned: int, games: int) -> tuple[Arena, SearchLog]:
        recorded = [event for row in self.steps for event in row["events"]]

        def watch(arena: Arena, event: Event) -> None:
            self.recorder.save_partial(lambda: event)
            self._tell(f"step {way.steps + 1}{_standing(event)}", arena.games + event["games"])

        arena = self._arena(
            Budget(planned if self.total else None, self._deadline(1 - self.share), games if self.total else None),
            recorded=recorded,
            partial=None if self.judging else self.partial,
            on_batch=watch,
            last_event=len(recorded) if self.judging else None,
        )
        way = SearchLog({"theta": arena.start.tolist()})
        try:
            for row in _rows(steps_of(self.method, arena), arena, way):
                if self.recorder.step(row):
                    self._tell(f"step {way.steps}, {self._standing_of(way, row)}", arena.games)
        except OtherMethod:
            raise self.recorder.differs(self.recorder.steps + 1) from None
        return arena, way

    def _judge(self, games: int, way: SearchLog, spent: int) -> tuple[Validation, int]:
        """Run the validation races; return the validation of the result and the games of the whole run."""

        def watch(arena: Arena, event: Event) -> None:
            kept: Json = {**event, "spent": spent}
            words = f"against the start{_standing(event)}"
            if test is not None:
                # The race that tests, and once it has decided the pairs that are left.
                kept[TESTED] = np.sum([one["counts"] for one in (*arena.events, event)], axis=0).tolist()
                words = f"{capital_bar(test, kept[TESTED])}, {words}"  # first: narrow terminals show no more
            self.recorder.save_partial(lambda: kept)
            self._tell(words, spent + arena.games + event["games"])

        least = time.monotonic() + self.share * (self.request.seconds or 0.0)
        test = None if isinstance(self.request, TuneRequest) else gain_test_of(self.request, games // 2)
        arena = self._arena(
            Budget(games, None if self.left is None else max(self._deadline(1.0) or 0.0, least)),
            recorded=[event for row in self.finals for event in row["events"]],
            partial=self.partial if self.judging else None,
            on_batch=watch,
            purpose=FINAL,
            gain_test=test,
        )
        for final in validate(arena, way.answer, thin_checkpoints(way.accepted)):
            row = NO_STEP | {"accepted": final.proved, "games": spent + arena.games, "final": final.candidate}
            self.recorder.step(row | {"events": arena.take_events()})
            last = final
        return last, spent + arena.games

    def _standing_of(self, way: SearchLog, row: Json) -> str:
        """Return the values so far of a program's first parameters, or the size of a population."""
        if isinstance(self.request, TuneRequest):
            return f"population {row['population']}"
        values = list(self.request.space.values(way.answer["theta"]).items())
        words = [f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in values]
        return ", ".join(words[:SHOWN_VALUES]) + (
            f" and {more} more" if (more := len(words) - SHOWN_VALUES) > 0 else ""
        )

    def _tell(self, words: str, games: int) -> None:
        self.context.on_progress(Progress(words, games / self.total if self.total else None, games))


def gain_test_of(request: ProgramRequest, pairs: int) -> GainTest:
    """Return the test of a program's values: of the scores asked for, or of those that so many pairs can show."""
    if request.proves is not None:
        low, high = request.proves["test"]
        return GainTest(low, high, DELTA, fails=False)
    if request.prove is not None:
        low, high = map(score_of, request.prove)
        return GainTest(low, high, DELTA)
    return GainTest.for_pairs(pairs, DELTA)


def capital_bar(test: GainTest, counts: Sequence[int]) -> DecisionBar:
    return DecisionBar(CAPITAL, test.capital(np.array(counts, np.int64)), None, -math.log(test.delta))


def lengthen(
    game: Game | Contest, method: str, baseline: str, share: float, request: Ask, run: Run, games: int
) -> tuple[Ask, list[Json]]:
    """Return the request and the first steps of a run that goes on with the search of another up to so many games.

    The search is planned for all these games if it then begins with the same steps, so that it is a run of so many
    games; else it goes on as it was planned.
    """
    steps = [row for row in run.steps if "budget" not in row and "final" not in row]
    had = request.games or next((row["budget"] for row in run.steps if "budget" in row), 0)
    if games <= had:
        raise ValueError(f"run {run.name} has {had:,} games: --games is their number in all, so give more")
    if not had:
        raise ValueError(f"run {run.name} was limited by time alone: resume it without --games, or begin a new run")
    events = [event for row in steps for event in row["events"]]
    for planned in (None, request.planned or had):
        ask = request.model_copy(update={"games": games, "seconds": None, "planned": planned})
        budget = Budget(split_budget(planned or games, share)[0], end=split_budget(games, share)[0])
        arena = arena_of(game, baseline, ask, budget, recorded=events, last_event=len(events))
        if _begins_with(steps, endless_steps(method, arena), arena):
            return ask, steps
    raise ValueError(
        f"run {run.name} cannot be lengthened, for {method} has divided its games: begin a new run with --games {games}"
    )


def _begins_with(stored: Sequence[Json], steps: Iterator[Step], arena: Arena) -> bool:
    """True if a search comes to these stored steps first, and then asks for more games."""
    known = iter(stored)
    with suppress(BudgetSpent, KeyError, IndexError, ValueError):  # another plan has other events
        try:
            for row in _rows(steps, arena, SearchLog({"theta": arena.start.tolist()})):
                if (expected := next(known, None)) is not None and canonical(row) != canonical(expected):
                    return False
        except RecordSpent:
            return next(known, None) is None
    return False


def _standing(event: Event) -> str:
    if "counts" not in event:
        return ""
    counts = np.array(event["counts"])
    return f": {with_interval(mean(counts), interval(counts))}"


def _rows(steps: Iterator[Step], arena: Arena, way: SearchLog) -> Iterator[Json]:
    """Yield a method's steps as stored, each with the events and the mixture members since the previous one."""
    members = 0
    for step in steps:
        way.follow(step)
        row: Json = {"accepted": step.accepted, "games": arena.games}
        row |= {"population": step.population, "sigma": step.sigma, "events": arena.take_events()}
        if step.accepted:
            row |= {"theta": way.answer["theta"]}
        if step.accepted and step.thetas is not None and step.weights is not None:
            row |= {"newcomers": step.thetas[members:].tolist(), "weights": step.weights.tolist(), "value": step.value}
            members = len(step.thetas)
        yield row
