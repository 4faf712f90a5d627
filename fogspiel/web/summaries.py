"""What a run was asked and what it has found, in words."""

import sys
from collections.abc import Mapping
from typing import Any

from ..core.game import games, parameters_of
from ..runs.formatting import with_interval
from ..runs.jobs import METHOD as PAPER
from ..runs.kinds.bounds import METHOD as BOUNDS
from ..runs.kinds.kriegspiel import METHOD as BOUTS
from ..runs.kinds.kriegspiel import parse_ask
from ..runs.kinds.match import METHOD as MATCH
from ..runs.kinds.round_robin import METHOD as TOURNAMENT
from ..runs.kinds.solve import METHOD as SOLVE
from ..runs.kinds.tune import answer_of
from ..runs.report import Table
from ..runs.store import Run
from .progress import Point

LONG = 60
"""Letters of a fraction that are shown."""
LABELS = {
    "games": "budget of games",
    "seconds": "seconds of work",
    "seed": "seed",
    "race": "race",
    "baseline": "baseline",
    "delta": "risk of each race",
    "epsilon": "precision",
    "observation": "a race counts",
    "report_games": "fresh games for the score",
    "first": "first",
    "second": "second",
    "seats": "seats",
    "players": "players",
    "solver": "method",
    "exact": "exact",
    "gap": "gap",
    "memory": "memory (GiB)",
    "longest": "longest game (plies)",
    "stop": "stops when proved",
    "quick": "quick",
    "scale": "scale",
    "seeds": "training seeds",
    "rules": "version of the rules",
    "fogspiel": "fogspiel",
}

sys.set_int_max_str_digits(0)  # exact values may have thousands of digits


def request_lines(ask: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The request, a line for each thing that was asked."""
    facts = [("game", title_of(ask["game"]))]
    if ask.get("method") not in (MATCH, TOURNAMENT, PAPER, SOLVE, BOUNDS, BOUTS):
        facts.append(("method", str(ask["method"])))
    for key, label in LABELS.items():
        if ask.get(key) is not None:
            facts.append((label, _shown(ask, key)))
    return facts


def title_of(name: str) -> str:
    """A game's title, or what else a run is named after."""
    game = games().get(name)
    return game.title if game else name


def _shown(ask: Mapping[str, Any], key: str) -> str:
    value = ask[key]
    if key == "players":
        names = parse_ask(dict(ask)).names if ask["method"] == BOUTS else [player["name"] for player in value]
        return ", ".join(names)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) and key != "seed" else str(value)


def result_lines(run: Run) -> list[str]:
    """What has been found so far."""
    method = run.ask.get("method")
    if method in (SOLVE, BOUNDS):
        return _value(run)
    if method == MATCH:
        return _score(run)
    if method in (PAPER, TOURNAMENT, BOUTS):
        return _meeting(run)
    return _tuned(run)


def _value(run: Run) -> list[str]:
    result = run.result
    if result is None:
        return []
    if result["exact"]:
        value = str(result.get("value", result["lower"]))
        number = value if len(value) < LONG else value[: LONG - 3] + ".."
        decimal = f" = {result['score']:.9g}" if "/" in value else ""
        said = f"The first player gets exactly {number}{decimal}."
    else:
        low, high = result["interval"]
        said = f"The first player gets {result['score']:.9g}, certainly between {low:.9g} and {high:.9g}."
    proof = (
        "Both strategies are proved by a certificate."
        if result["certificate"] is not None
        else "There is no certificate: the strategies were checked in floating point only."
    )
    return [said, *([f"Found by {result['solver']}."] if "solver" in result else []), proof]


def _score(run: Run) -> list[str]:
    body = run.result or run.partial() or (run.steps[-1] if run.steps else None)
    if body is None:
        return []
    ask, score = run.ask, with_interval(body["score"], body["interval"])
    said = [f"{ask['first']} against {ask['second']} scores {score} in {body['games']:,} games."]
    if "wins" in body:
        said.append(f"{body['wins']:,} wins, {body['draws']:,} draws, {body['losses']:,} losses.")
    return said


def _meeting(run: Run) -> list[str]:
    result = run.result
    if result is None:
        return []
    if "score" in result:
        first, second = parse_ask(run.ask).names
        score = with_interval(result["score"], result["interval"])
        tally = f"+{result['wins']} ={result['draws']} -{result['losses']}"
        played = f"{result['games']:,} games ({tally}); the interval is valid at any time"
        return [f"{first} against {second} scores {score} in {played}."]
    if "best" in result:
        best = ", ".join(result["best"]) or "nobody"
        return [f"At least one half against each of the others: {best}."]
    return [f"All {result['rows']:,} jobs are done."]


def _tuned(run: Run) -> list[str]:
    answer, game, result, said = answer_of(run), games().get(run.ask["game"]), run.result, []
    if result is not None:
        baseline = f"the baseline `{result['against']}`"
        score = with_interval(result["score"], result["interval"])
        said.append(f"Scores {score} against {baseline} in {result['report']['games']:,} fresh games.")
    if answer is None:
        return [*said, "Nothing has beaten the starting point yet."]
    if answer.thetas is not None and answer.weights is not None:
        said.append(
            f"It is a mixture of {len(answer.thetas)} vectors, one drawn before every pair of games; what follows is "
            f"said of the heaviest ({max(answer.weights):.1%})."
        )
    if game and game.strategy and game.strategy.words:
        said.append(f"It {game.strategy.words(answer.theta)}.")
    return said


def parameters(run: Run) -> list[tuple[str, str]]:
    """The vector that was found, parameter by parameter."""
    if run.ask.get("method") in (MATCH, TOURNAMENT, PAPER, SOLVE, BOUNDS, BOUTS):
        return []
    answer, game = answer_of(run), games().get(run.ask["game"])
    if answer is None or game is None:
        return []
    return [(name, f"{value:.6g}") for name, value in zip(parameters_of(game), answer.theta.tolist(), strict=True)]


def steps_table(run: Run, points: list[Point], unit: str) -> Table:
    """Every step with its value and interval, and what was found in it where that is a vector."""
    game = games().get(run.ask["game"])
    tuned = any("population" in point for point in points)
    names = parameters_of(game) if game and tuned else ()
    more = ("accepted", "sigma", "population") if tuned else ()
    worded = any("words" in point for point in points)
    columns = ("step", unit, "value", "low", "high", *more, *(("words",) if worded else ()), *names)
    rows, theta = [], [None] * len(names)
    for number, (point, body) in enumerate(zip(points, run.steps, strict=True), 1):
        theta = body.get("theta", theta)
        own = (int(body["accepted"]), body["sigma"], body["population"]) if tuned else ()
        words = (point.get("words", ""),) if worded else ()
        rows.append(
            [number, point["at"], point.get("value"), point.get("low"), point.get("high"), *own, *words, *theta]
        )
    if "score" in (run.result or {}) and not tuned:
        result = run.result or {}
        rows.append(["result", result.get("games"), result["score"], *result["interval"], *([""] * worded)])
    return Table("steps", f"Steps of {run.name}", columns, rows)
