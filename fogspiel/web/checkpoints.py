"""The way of a tuning run: how its answers score against the baseline, each measured in a few fresh games.

A run itself measures its last answer only. This is work, so it is done when a page asks for it, and remembered.
"""

import time

from ..core.agents import Policy, policy_of
from ..core.game import Game
from ..runs.answers import answers_of, thin_evenly
from ..runs.kinds.tune import tuned_game
from ..runs.store import Json, Run
from ..runs.trail import Point
from ..stats.evaluate import Score, evaluate, report_key
from ..tune.arena import baseline

CHECKPOINTS = 20
"""How many answers are measured at most, the first and the last among them."""
GAMES = 2000
SECONDS = 0.4
"""How long an answer is measured at most."""


class Enough(Exception):
    """The time for a measurement is up."""


def checkpoint_scores(run: Run) -> Json:
    """The trail of scores against the baseline, on the same deals for every answer."""
    game, ask = tuned_game(run, "only runs of `fogspiel tune` are measured on the way"), run.ask
    other, points = baseline(game, ask["baseline"], ask["seed"]), list[Point]()
    for _, (at, answer) in thin_evenly(list(answers_of(run)), CHECKPOINTS):
        score = _measure(game, policy_of(game, answer), other, ask["seed"])
        points.append(Point(at, score.mean, *score.interval))
    if run.result is not None:
        points.append(Point(run.result["games"], run.result["score"], *run.result["interval"]))
    chart = {"title": f"Score against the baseline ({ask['baseline']}) on the way", "x": "games", "y": "score"}
    return {"run": run.name, "chart": chart, "points": [point.to_json() for point in points], "now": None}


def _measure(game: Game, player: Policy, other: Policy, seed: int) -> Score:
    """The score in some fresh games, or in those that time allows."""
    end, latest = time.monotonic() + SECONDS, list[Score]()

    def watch(so_far: Score) -> None:
        latest[:] = [so_far]
        if time.monotonic() > end:
            raise Enough

    try:
        return evaluate(game, player, other, report_key(seed), GAMES, watch=watch)
    except Enough:
        return latest[0]
