"""The points of a followed run come back as they were, in little memory."""

import tracemalloc

from fogspiel.runs.trail import Point
from fogspiel.web.point_columns import PointColumns

POINTS = [
    Point(0),
    Point(10, 0.5, 0.25, 0.75),
    Point(20, 0.0, accepted=False, population=0),
    Point(30, accepted=True, population=7, words="seed 3"),
    Point(2**40, -1.5, None, 1e300, words=""),
]
MANY = 20_000
MOST_BYTES = 64
"""Of memory per point."""


def test_points_come_back_as_they_were():
    columns = PointColumns()
    for point in POINTS:
        columns.append(point)
    assert len(columns) == len(POINTS) and columns.part(0, 99) == POINTS
    assert columns.part(1, 3) == POINTS[1:3] and columns.part(5, 9) == columns.part(99, 100) == []
    assert [point.to_json() for point in columns.part(0, 5)] == [point.to_json() for point in POINTS]


def test_a_point_takes_little_memory():
    columns = PointColumns()
    tracemalloc.start()
    for number in range(MANY):
        columns.append(Point(number * 500, number / 7, number / 8, number / 6, True, number))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < MOST_BYTES * MANY
