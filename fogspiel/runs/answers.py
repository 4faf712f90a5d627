"""What tuning runs answer: the steps that are stored, and the vector or mixture of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..core.agents import PolicyJson, encode_policy, fixed_baseline, policy_json_in
from ..core.game import known_game
from ..core.untrusted_input import JsonRecord
from ..tuning.arena import Event
from ..tuning.steps import freeze_mixture
from .store import Row, Run

T = TypeVar("T")


@dataclass(frozen=True)
class StepRow(JsonRecord):
    """A step as it is stored: what was accepted, and the events that led there."""

    KEYS = (
        "accepted", "games", "population", "sigma", "events",
        "theta", "newcomers", "weights", "value", "budget", "final",
    )  # fmt: skip

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
    budget: int | None = None
    """Of a first row that says how many games the minutes of the run were found to be worth."""
    final: str | None = None
    """Of a last race: which candidate met the start."""


def recommendations_of(run: Run) -> Iterator[tuple[int, PolicyJson]]:
    """Every answer of a run from the start on, with the games that were played before it."""
    game = known_game(run.ask["game"])
    yield 0, encode_policy(game, fixed_baseline(game, run.ask["seed"]))
    members: list[Sequence[float]] = []
    for step in map(StepRow.from_json, run.steps):
        members += step.newcomers or ()
        if step.weights is not None:
            yield step.games, freeze_mixture(np.array(members), np.array(step.weights))
        elif step.theta is not None:
            yield step.games, {"theta": list(step.theta)}


def thin_evenly(found: Sequence[T], most: int) -> list[tuple[int, T]]:
    """At most so many of the things that were found, the first and the last among them, with their places."""
    places = np.unique(np.linspace(0, len(found) - 1, min(len(found), most)).round().astype(int)).tolist()
    return [(place, found[place]) for place in places]


def keep_recommendation(kept: list[Row], row: Row) -> None:
    """Add a row to those that `recommendation_of` needs: all with members of a mixture, and the last of the others."""
    if "newcomers" in row.body:
        kept.append(row)
    elif "theta" in row.body:
        if kept and "newcomers" not in kept[-1].body:
            kept.pop()
        kept.append(row)


def recommendation_of(run: Run) -> PolicyJson | None:
    """What a run has found so far; None before anything was found."""
    if run.result is not None and "theta" in run.result:
        return policy_json_in(run.result)
    rows = run.telling_rows  # once: those of a long run are read anew each time
    for number in reversed(range(len(rows))):
        body = rows[number].body
        if "weights" in body and "thetas" not in body:
            members = [theta for row in rows[: number + 1] for theta in row.body.get("newcomers", ())]
            return freeze_mixture(np.array(members), np.array(body["weights"]))
        if "theta" in body:
            return policy_json_in(body)
    return None
