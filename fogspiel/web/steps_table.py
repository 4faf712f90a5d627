"""The steps of a run as a table."""

from ..core.game import games, parameters_of
from ..runs.report import Table
from ..runs.store import Run
from ..runs.trail import Point


def steps_table(run: Run, points: list[Point], unit: str) -> Table:
    """Every step with its value and interval, and what was found in it where that is a vector."""
    game = games().get(run.ask["game"])
    tuned = any(point.population is not None for point in points)
    names = parameters_of(game) if game and tuned else ()
    more = ("accepted", "sigma", "population") if tuned else ()
    worded = any(point.words is not None for point in points)
    columns = ("step", unit, "value", "low", "high", *more, *(("words",) if worded else ()), *names)
    rows, theta = [], [None] * len(names)
    for number, (point, body) in enumerate(zip(points, run.steps, strict=True), 1):
        theta = body.get("theta", theta)
        own = (int(body["accepted"]), body["sigma"], body["population"]) if tuned else ()
        words = (point.words or "",) if worded else ()
        rows.append([number, point.at, point.value, point.low, point.high, *own, *words, *theta])
    if "score" in (run.result or {}) and not tuned:
        result = run.result or {}
        rows.append(["result", result.get("games"), result["score"], *result["interval"], *([""] * worded)])
    return Table("steps", f"Steps of {run.name}", columns, rows)
