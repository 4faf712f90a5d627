"""What tuning runs answer: the steps that are stored, the vector or mixture of each, and the agent that plays it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core.agents import Policy, fixed_baseline, mixture_policy, vector_policy
from ..core.game import Game, find_game
from ..tune.arena import Event
from ..tune.step import Answer, mixture_answer
from .store import Json, Run


@dataclass(frozen=True)
class StepRow:
    """A step as it is stored: what was accepted, and the events that led there."""

    accepted: bool
    games: int
    population: int
    sigma: float | None
    events: Sequence[Event]
    theta: Sequence[float] | None = None
    """Of a step that was accepted."""
    newcomers: Sequence[Sequence[float]] | None = None
    """The members that a mixture has in addition to those of earlier steps."""
    weights: Sequence[Any] | None = None
    """Of all members so far; or a row for each seat."""
    value: float | None = None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        """The step of a stored row."""
        return cls(**body)


def answer_in(body: Json) -> Answer:
    """The answer that a row or a file holds, as `Answer.as_json` wrote it."""
    return Answer(*(np.array(body[key]) for key in ("theta", "thetas", "weights") if key in body))


def answers_of(run: Run) -> Iterator[tuple[int, Answer]]:
    """Every answer of a run from the start on, with the games that were played before it."""
    yield 0, Answer(fixed_baseline(find_game(run.ask["game"]), run.ask["seed"]).thetas[0])
    members: list[Sequence[float]] = []
    for step in map(StepRow.from_json, run.steps):
        members += step.newcomers or ()
        if step.weights is not None:
            yield step.games, mixture_answer(np.array(members), np.array(step.weights))
        elif step.theta is not None:
            yield step.games, Answer(np.array(step.theta))


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


def policy_of_answer(game: Game, answer: Answer, name: str | None = None) -> Policy:
    """Who plays what was found: a vector, or a mixture whose member is drawn before every pair of games."""
    if answer.thetas is None or answer.weights is None:
        return vector_policy(game, answer.theta, name)
    return mixture_policy(game, answer.thetas, answer.weights.tolist(), name or f"mixture of {len(answer.thetas)}")
