"""The points of a followed run, and what is told of it, come back as they were, in little memory."""

import tracemalloc
from types import SimpleNamespace

import pytest

import fogspiel.runs.store as store_module
from fogspiel.runs.kind import execute, kind_of
from fogspiel.runs.report import CurvePoint
from fogspiel.runs.requests import TuneRequest
from fogspiel.runs.store import Store
from fogspiel.runs.tuning_run import keep_recommendation, recommendation_of
from fogspiel.web.run_reader import PointColumns, RunReader

POINTS = [
    CurvePoint(0),
    CurvePoint(10, 0.5, 0.25, 0.75),
    CurvePoint(20, 0.0, accepted=False, population=0),
    CurvePoint(30, accepted=True, population=7, text="seed 3"),
    CurvePoint(2**40, -1.5, None, 1e300, text=""),
]
MANY = 20_000
MAX_BYTES = 64
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
        columns.append(CurvePoint(number * 500, number / 7, number / 8, number / 6, True, number))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < MAX_BYTES * MANY


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["iterative", "psro"])
def test_a_page_of_a_long_run_tells_the_same_without_most_of_its_rows(tmp_path, monkeypatch, method):
    monkeypatch.setattr(store_module, "MAX_ROWS", 3)
    monkeypatch.setattr("fogspiel.web.run_reader.MAX_ROWS", 3)
    with Store.open(tmp_path / "runs.db", write=True) as store:
        with store.create(TuneRequest("pig", method, games=20_000, report_games=200).to_json()) as run:
            execute(run)
        name = run.name
        whole = store.read(name)
    read = []
    monkeypatch.setattr(store_module, "_verified", lambda name: read.append(name))
    light = RunReader(tmp_path / "runs.db").run(name)
    kind = kind_of(light)
    assert whole.step_count > 3 and light.step_count == whole.step_count == len(whole.steps)
    assert kind.summary(light) == kind.summary(whole) and kind.parameters_json(light) == kind.parameters_json(whole)
    assert not read, "all rows were read"


def test_answers_of_runs_under_way_need_few_rows(tmp_path):
    with Store.open(tmp_path / "runs.db", write=True) as store:
        for method in ("iterative", "psro"):
            with store.create(TuneRequest("pig", method, games=20_000, report_games=200).to_json()) as run:
                execute(run)
                kept = []
                for number, row in enumerate(run.rows[:-1]):
                    keep_recommendation(kept, row)
                    part = SimpleNamespace(summary_rows=run.rows[: number + 1], result=None)
                    assert recommendation_of(SimpleNamespace(summary_rows=kept, result=None)) == recommendation_of(part)
            assert method == "psro" or len(kept) == 1
