"""The way of a tuning run: how its answers score against the baseline, each measured in a few fresh games.

A run itself measures its last answer only. This is work, so it is done when a page asks for it, and remembered.
"""

import time

from ..core.agents import ParametricPolicy, decode_policy, named_policy
from ..core.game import Game
from ..runs.answers import recommendations_of, thin_evenly
from ..runs.kinds.tune import tuned_game
from ..runs.store import Json, Run
from ..runs.trail import CurvePoint
from ..stats.evaluate import MatchResult, evaluate, report_key

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
    other, points = named_policy(game, ask["baseline"], ask["seed"]), list[CurvePoint]()
    for _, (at, answer) in thin_evenly(list(recommendations_of(run)), CHECKPOINTS):
        score = _measure(game, decode_policy(game, answer), other, ask["seed"])
        points.append(CurvePoint(at, score.mean, *score.interval))
    if run.result is not None:
        points.append(CurvePoint(run.result["games"], run.result["score"], *run.result["interval"]))
    chart = {"title": f"Score against the baseline ({ask['baseline']}) on the way", "x": "games", "y": "score"}
    return {"run": run.name, "chart": chart, "points": [point.to_json() for point in points], "now": None}


def _measure(game: Game, player: ParametricPolicy, other: ParametricPolicy, seed: int) -> MatchResult:
    """The score in some fresh games, or in those that time allows."""
    end, latest = time.monotonic() + SECONDS, list[MatchResult]()

    def watch(so_far: MatchResult) -> None:
        latest[:] = [so_far]
        if time.monotonic() > end:
            raise Enough

    try:
        return evaluate(game, player, other, report_key(seed), GAMES, watch=watch)
    except Enough:
        return latest[0]
