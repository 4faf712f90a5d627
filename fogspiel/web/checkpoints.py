"""The way of a tuning run: how its answers score against the baseline, each measured in a few fresh games.

A run itself measures its last answer only. This is work, so it is done when somebody asks for it, and remembered.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.agents import Policy, fixed_baseline
from ..core.game import find_game
from ..runs.kinds.tune import policy_of_answer
from ..runs.store import Run
from ..stats.evaluate import Score, evaluate
from ..tune.arena import baseline, report_key
from ..tune.methods import methods
from ..tune.step import Answer, mixture_answer
from .progress import Point

CHECKPOINTS = 20
"""How many answers are measured at most, the first and the last among them."""
GAMES = 2000
SECONDS = 0.4
"""How long an answer is measured at most."""


class Enough(Exception):
    """The time for a measurement is up."""


def answers(run: Run) -> Iterator[tuple[int, Answer]]:
    """Every answer of a tuning run, with the games that were played before it."""
    game = find_game(run.ask["game"])
    yield 0, Answer(fixed_baseline(game, run.ask["seed"]).thetas[0])
    members: list[list[float]] = []
    for body in run.steps:
        members += body.get("newcomers", [])
        if not body["accepted"]:
            continue
        if "weights" in body:
            yield body["games"], mixture_answer(np.array(members), np.array(body["weights"]))
        elif "theta" in body:
            yield body["games"], Answer(np.array(body["theta"]))


def choose_checkpoints(found: list[tuple[int, Answer]]) -> list[tuple[int, Answer]]:
    """As many of the answers as there is time for, evenly spread."""
    if len(found) <= CHECKPOINTS:
        return found
    places = np.unique(np.linspace(0, len(found) - 1, CHECKPOINTS).round().astype(int))
    return [found[place] for place in places]


def way_of(run: Run) -> dict[str, Any]:
    """The trail of scores against the baseline, on the same deals for every answer."""
    ask = run.ask
    if ask.get("method") not in methods():
        raise ValueError(f"run {run.name} does not tune anything: only tuning runs are measured on the way")
    game = find_game(ask["game"])
    if game.version != ask["rules"]:
        raise ValueError(f"run {run.name} was played by version {ask['rules']} of the rules, which have changed since")
    other, points = baseline(game, ask["baseline"], ask["seed"]), list[Point]()
    for at, answer in choose_checkpoints(list(answers(run))):
        score = _measure(ask, policy_of_answer(game, answer), other)
        low, high = score.interval
        points.append({"at": at, "value": score.mean, "low": low, "high": high})
    if run.result is not None:
        low, high = run.result["interval"]
        points.append({"at": run.result["games"], "value": run.result["score"], "low": low, "high": high})
    chart = {"title": f"Score against the baseline ({ask['baseline']}) on the way", "x": "games", "y": "score"}
    return {"run": run.name, "chart": chart, "points": points, "now": None}


def _measure(ask: dict[str, Any], player: Policy, other: Policy) -> Score:
    """The score in some fresh games, or in those that time allows."""
    end, latest = time.monotonic() + SECONDS, list[Score]()

    def watch(so_far: Score) -> None:
        latest[:] = [so_far]
        if time.monotonic() > end:
            raise Enough

    try:
        return evaluate(find_game(ask["game"]), player, other, report_key(ask["seed"]), GAMES, watch=watch)
    except Enough:
        return latest[0]
