"""A tuning run from request to result: played, stored step by step, and resumed by playing it again from the record."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from ... import __version__
from ...core.agents import Policy, mixture_policy, vector_policy
from ...core.game import Game, find_game
from ...stats.evaluate import evaluate
from ...stats.race import Race
from ...tune.arena import Arena, Budget, BudgetSpent, Event, baseline, report_key
from ...tune.methods import Step, find_method
from ...tune.step import Answer, mixture_answer
from ..store import Run, canonical
from ..workers import beat

PARTIAL_SECONDS = 2.0
OBSERVATIONS = ("pair", "game")
MOST_SEED = 2**63 - 1
USUAL_GAMES = {"paper": 3_000_000, "ebgstop": 3_000_000}
USUAL_MIXTURE_GAMES = 500_000


@dataclass(frozen=True)
class Request:
    """What a user asks of a tuning run; everything its result depends on."""

    game: str
    method: str = "iterative"
    race: str = "paper"
    delta: float = 0.05
    epsilon: float = 0.01
    observation: str = "pair"
    baseline: str = "fixed"
    seed: int = 1
    games: int | None = 500_000
    seconds: float | None = None
    report_games: int = 20_000

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        game, _ = find_game(self.game), find_method(self.method)
        if game.strategy is None:
            raise ValueError(f"{self.game} has no parametric strategy to tune")
        Race(self.race, self.delta, self.epsilon)
        if self.observation not in OBSERVATIONS:
            raise ValueError(f"an observation is {' or '.join(OBSERVATIONS)}, not {self.observation!r}")
        check_seed(self.seed)
        baseline(game, self.baseline, self.seed)
        if self.games is None and self.seconds is None:
            raise ValueError("a run needs a budget: --games, --seconds, or both")
        for name, value in (("games", self.games), ("seconds", self.seconds), ("report games", self.report_games)):
            if value is not None and not (0 < value < float("inf")):
                raise ValueError(f"the budget of {name} is {value}: it must be a positive number")

    def as_ask(self) -> dict[str, Any]:
        """The first row of the run."""
        return asdict(self) | {"rules": find_game(self.game).version, "fogspiel": __version__}


def usual_games(race: str) -> int:
    """A budget that suits the race: some seconds of Batawaf, enough to find its best order from most seeds."""
    return USUAL_GAMES.get(race, USUAL_MIXTURE_GAMES)


def check_seed(seed: int) -> None:
    """Refuse a seed that would not fit the generator."""
    if not 0 <= seed <= MOST_SEED:
        raise ValueError(f"the seed is {seed}: it must be a whole number from 0 to {MOST_SEED}")


def request_of(run: Run) -> Request:
    """The request that a stored run answers, if this version of the package can still answer it."""
    ask = dict(run.ask)
    rules, _ = ask.pop("rules"), ask.pop("fogspiel")
    version = find_game(ask["game"]).version
    if rules != version:
        raise ValueError(
            f"run {run.name} was played by version {rules} of the rules of {ask['game']}, which now are at version "
            f"{version}: it can be exported, but not resumed"
        )
    return Request(**ask)


def _steps(request: Request, arena: Arena) -> Iterator[Step]:
    """What the method does until its budget is spent."""
    with suppress(BudgetSpent):
        yield from find_method(request.method)(arena)


class Tuned(NamedTuple):
    """What a run that was not stored has found."""

    answer: Answer
    games: int
    steps: int


def tune_unstored(request: Request) -> Tuned:
    """What the method finds for its budget of games; nothing is stored, nothing is measured."""
    arena = Arena(
        game=find_game(request.game),
        seed=request.seed,
        race_rule=Race(request.race, request.delta, request.epsilon),
        baseline_name=request.baseline,
        budget=Budget(request.games),
        observation=request.observation,
        on_batch=lambda arena, event: beat(),
    )
    answer, steps = Answer(arena.start), 0
    for step in _steps(request, arena):
        beat()
        answer, steps = step.answer, steps + 1
    return Tuned(answer, arena.games, steps)


def policy_of_answer(game: Game, answer: Answer, name: str | None = None) -> Policy:
    """Who plays what was found: a vector, or a mixture whose member is drawn before every pair of games."""
    if answer.thetas is None or answer.weights is None:
        return vector_policy(game, answer.theta, name)
    return mixture_policy(game, answer.thetas, answer.weights.tolist(), name or f"mixture of {len(answer.thetas)}")


def answer_in(body: dict[str, Any]) -> Answer:
    """The answer that a row or a file holds, as `Answer.as_json` wrote it."""
    return Answer(*(np.array(body[key]) for key in ("theta", "thetas", "weights") if key in body))


def answer_of(run: Run) -> Answer | None:
    """What a run has found so far; None before anything was found."""
    for number in reversed(range(len(run.rows))):
        body = run.rows[number].body
        if "weights" in body and "thetas" not in body:
            members = [theta for row in run.rows[: number + 1] for theta in row.body.get("newcomers", ())]
            return mixture_answer(np.array(members), np.array(body["weights"]))
        if "theta" in body:
            return answer_in(body)
    return None


def carry_on(
    run: Run,
    threads: int = 1,
    on_batch: Callable[[Arena, Event], None] = lambda arena, event: None,
    on_step: Callable[[Arena, Step], None] = lambda arena, step: None,
) -> dict[str, Any]:
    """Work on a run until its budget is spent; returns the result, which is stored as the last row."""
    request = request_of(run)
    stored = run.steps
    kept = time.monotonic()

    def keep(arena: Arena, event: Event) -> None:
        nonlocal kept
        if time.monotonic() - kept > PARTIAL_SECONDS:
            run.keep_partial(event)
            kept = time.monotonic()
        on_batch(arena, event)

    left = None if request.seconds is None else request.seconds - run.seconds_worked
    arena = Arena(
        game=find_game(request.game),
        seed=request.seed,
        race_rule=Race(request.race, request.delta, request.epsilon),
        baseline_name=request.baseline,
        budget=Budget(request.games, None if left is None else time.monotonic() + left),
        observation=request.observation,
        threads=threads,
        recorded=[event for body in stored for event in body["events"]],
        partial=run.partial(),
        on_batch=keep,
    )
    answer, steps, told, members = Answer(arena.start), 0, 0, 0
    for step in _steps(request, arena):
        answer = step.answer
        body = {
            "accepted": step.accepted,
            "games": arena.games,
            "population": step.population,
            "sigma": step.sigma,
            "events": arena.events[told:],
            **({"theta": answer.theta.tolist()} if step.accepted else {}),
        }
        if step.accepted and step.thetas is not None and step.weights is not None:
            body |= {"newcomers": step.thetas[members:].tolist(), "weights": step.weights.tolist()}
            body |= {"value": step.value}
            members = len(step.thetas)
        if steps >= len(stored):
            run.append("step", body)
            on_step(arena, step)
        elif canonical(body) != canonical(stored[steps]):
            raise ValueError(
                f"run {run.name} was played by fogspiel {run.ask['fogspiel']}, and this is {__version__}: "
                f"step {steps + 1} comes out differently, so it cannot be resumed; start it anew"
            )
        steps, told = steps + 1, len(arena.events)
    score = evaluate(
        arena.game,
        policy_of_answer(arena.game, answer),
        arena.baseline,
        report_key(request.seed),
        request.report_games,
        threads=threads,
    )
    result = {
        **answer.as_json(),
        "games": arena.games,
        "steps": steps,
        "against": request.baseline,
        "report": score.as_json(),
        "score": score.mean,
        "interval": list(score.interval),
    }
    run.append("result", result)
    return result
