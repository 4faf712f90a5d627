"""A sweep of mission tables as a run: interrupted and resumed it has the rows of one that was not."""

import pytest

from fogspiel.resistance.kinds import outcome_of
from fogspiel.resistance.requests import BalanceRequest
from fogspiel.runs.kind import Context, execute
from fogspiel.runs.store import Store

REQUEST = BalanceRequest("resistance", 6, 2, 2, 3, nearest=3)


def stop(progress):
    raise KeyboardInterrupt


def test_an_interrupted_sweep_goes_on_to_the_same_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("fogspiel.resistance.balance.BATCH", 25)
    with Store.open(tmp_path / "runs.db", write=True) as store:
        whole, broken = (store.create(REQUEST.to_json()) for _ in range(2))
        execute(whole, Context(tmp_path / "runs.db"))
        for done in (1, 2):
            with pytest.raises(KeyboardInterrupt):
                execute(broken, Context(tmp_path / "runs.db", on_progress=stop))
            assert len(broken.steps) == done and not broken.finished
        execute(broken, Context(tmp_path / "runs.db"))
        assert [row.body for row in broken.rows] == [row.body for row in whole.rows]
        assert len(whole.steps) == 3
        found = outcome_of(broken, {}, None)
        assert found["tables"] == 64 and len(found["nearest"]) == 3


def test_a_request_survives_the_store():
    assert BalanceRequest.from_json(REQUEST.to_json()) == REQUEST


def test_none_of_the_nearest_is_no_request():
    with pytest.raises(ValueError, match="at least 1"):
        BalanceRequest("resistance", 6, nearest=0)
