"""The points of a long run in little memory: numbers in columns, some forty bytes per point instead of hundreds."""

from array import array
from math import isnan, nan

from ..runs.trail import CurvePoint

NOTHING = -1
"""Stands for None among whole numbers that are not negative; among others it is NaN."""
NUMBERS = ("value", "low", "high")
WHOLE = ("accepted", "population")


class PointColumns:
    """Points in their order, for reading piece by piece."""

    def __init__(self) -> None:
        self._at = array("q")
        self._numbers = {name: array("d") for name in NUMBERS}
        self._whole = {name: array("q") for name in WHOLE}
        self._words: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._at)

    def append(self, point: CurvePoint) -> None:
        """One more point."""
        if point.words is not None:
            self._words[len(self)] = point.words
        self._at.append(point.at)
        for name, numbers in self._numbers.items():
            value = getattr(point, name)
            numbers.append(nan if value is None else value)
        for name, whole in self._whole.items():
            value = getattr(point, name)
            whole.append(NOTHING if value is None else value)

    def part(self, first: int, end: int) -> list[CurvePoint]:
        """The points from one number to before another, as far as there are any."""
        return [self._point(number) for number in range(first, min(end, len(self)))]

    def _point(self, number: int) -> CurvePoint:
        value, low, high = (None if isnan(one[number]) else one[number] for one in self._numbers.values())
        accepted, population = (None if one[number] == NOTHING else one[number] for one in self._whole.values())
        flag = None if accepted is None else bool(accepted)
        return CurvePoint(self._at[number], value, low, high, flag, population, self._words.get(number))
