"""Curve of a run: one point per step, with an interval if there is one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..core.untrusted_input import JsonRecord
from .report import Chart, Series
from .store import Json


@dataclass(frozen=True, slots=True)
class CurvePoint(JsonRecord):
    """State of a run after a step; None if unknown."""

    KEYS = ("at", "value", "low", "high", "accepted", "population", "words")

    at: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    accepted: bool | None = None
    population: int | None = None
    text: str | None = None

    def to_json(self) -> Json:
        return {key: value for key, value in JsonRecord.to_json(self).items() if value is not None}


class Curve:
    """Base curve: a count of finished jobs."""

    title, x, y = "", "jobs", ""

    def __init__(self, total: int | None = None, unit: str = "jobs"):
        self.total, self.unit = total, unit
        self.done = 0

    def step(self, body: Json) -> CurvePoint:
        self.done += 1
        row = body.get("row", {})
        words = " ".join(str(row[key]) for key in ("job", "game", "method", "first", "second", "seed") if key in row)
        return CurvePoint(self.done, text=words)

    def under_way(self, partial: Json) -> CurvePoint | None:
        """Return the point of the current, unfinished step."""
        return None

    def end(self, result: Json) -> CurvePoint | None:
        """Return the point of the result, if it adds to the steps."""
        return None

    def points(self, steps: Iterable[Json]) -> list[CurvePoint]:
        return [self.step(body) for body in steps]

    def to_json(self) -> Json:
        drawn = {"title": self.title, "x": self.x, "y": self.y}
        return {"chart": drawn if self.title else None, "done": self.done, "total": self.total, "unit": self.unit}


class BoundsCurve(Curve):
    title, x, y = "The value lies between", "rounds", "value of the game"

    def __init__(self) -> None:
        super().__init__(unit="rounds")

    def step(self, body: Json) -> CurvePoint:
        self.done = body["number"]
        return _bounds_point(self.done, body)

    def under_way(self, partial: Json) -> CurvePoint | None:
        saved, words = partial.get("saved") or partial, partial.get("remark")
        if "lower" in saved:
            return replace(_bounds_point(1, saved), text=words)
        return None if words is None else CurvePoint(self.done, text=words)

    def end(self, result: Json) -> CurvePoint | None:
        return None if self.done else _bounds_point(1, result)


def _bounds_point(at: int, body: Json) -> CurvePoint:
    """Return the point of numeric bounds, given as numbers or as text of fractions."""
    lower, upper = (None if body.get(key) is None else float(Fraction(str(body[key]))) for key in ("lower", "upper"))
    return CurvePoint(at, None if lower is None or upper is None else (lower + upper) / 2, lower, upper)


def trail_chart(trail: Curve, points: Sequence[CurvePoint]) -> Chart | None:
    """Chart the values with their intervals; None if no step has a value."""
    known = [point for point in points if point.value is not None]
    if not known:
        return None
    series = Series.of(trail.y or "value", [(point.at, point.value, point.low, point.high) for point in known])
    return Chart("way", trail.title, trail.x, trail.y, [series])
