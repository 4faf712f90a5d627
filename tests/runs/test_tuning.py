"""A run loses nothing: killed at any moment and resumed, its rows are the bytes of the run that was left alone."""

import os
import random
import signal
import time

import pytest
from support.levels import default_cases

from fogspiel.runs.kind import Context, execute
from fogspiel.runs.kinds import tune
from fogspiel.runs.requests import TuneRequest
from fogspiel.runs.store import Store, canonical
from fogspiel.tuning.methods import tune_methods

SOME = ["iterative", "psro"]
every_method = pytest.mark.parametrize("method", tune_methods())
some_methods = pytest.mark.parametrize("method", default_cases(SOME, tune_methods(), others="slow"))


def request(method, **more):
    return TuneRequest(**({"game": "batawaf", "method": method, "race": "count-mixture", "games": 12_000} | more))


def rows_of(path, name):
    with Store.open(path, write=False) as store:
        return [(row.number, row.kind, canonical(row.body)) for row in store.read(name).rows]


def finished(path, asked, threads=1):
    with Store.open(path, write=True) as store, store.create(asked.to_json()) as run:
        execute(run, Context(path, threads))
        return rows_of(path, run.name)


def work(path, asked):
    """What a child process does: begin the run or go on with it."""
    with Store.open(path, write=True) as store:
        names = store.names()
        with store.acquire(names[0]) if names else store.create(asked.to_json()) as run:
            if not run.finished:
                execute(run)


def killed_until_finished(path, asked, kills, rng):
    """Fork workers and kill them at random moments; the last one is left alone. Returns the number of kills."""
    done, committed = 0, 0
    while True:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                work(path, asked)
                code = 0
            finally:
                os._exit(code)
        if done < kills:
            time.sleep(rng.uniform(0.001, 0.08))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            return done
        done += 1
        with Store.open(path, write=False) as store:
            length = len(store.read(store.names()[0]).rows) if store.names() else 0
        assert length >= committed, "a committed step was lost"
        committed = length


@some_methods
def test_a_killed_run_resumes_to_the_same_bytes(method, tmp_path):
    expected = finished(tmp_path / "left-alone.db", request(method))
    killed_until_finished(tmp_path / "killed.db", request(method), 4, random.Random(method))
    assert rows_of(tmp_path / "killed.db", "batawaf-1") == expected


@pytest.mark.slow
@every_method
def test_a_hundred_kills_lose_nothing(method, tmp_path):
    rng, kills, number = random.Random(method), 0, 0
    while kills < 100:
        number += 1
        asked = request(method, seed=number, games=60_000)
        expected = finished(tmp_path / f"left-alone-{number}.db", asked)
        kills += killed_until_finished(tmp_path / f"killed-{number}.db", asked, 100 - kills, rng)
        assert rows_of(tmp_path / f"killed-{number}.db", "batawaf-1") == expected


@pytest.mark.thorough
@some_methods
def test_threads_do_not_change_a_run(method, tmp_path):
    asked = request(method, race="paper", games=30_000)
    assert finished(tmp_path / "a.db", asked, threads=2) == finished(tmp_path / "b.db", asked, threads=1)


def test_a_run_in_seconds_stops_and_has_a_result(tmp_path):
    rows = finished(tmp_path / "a.db", request("iterative", games=None, seconds=0.3))
    assert rows[-1][1] == "result"


def test_a_run_of_other_rules_or_another_method_is_not_resumed(tmp_path):
    ask = request("iterative").to_json()
    with Store.open(tmp_path / "a.db", write=True) as store:
        with store.create(ask | {"rules": 99}) as run, pytest.raises(ValueError, match="version 99 of the rules"):
            execute(run)
        with store.create(ask) as run:
            run.append("step", {"accepted": True, "events": [{"decision": 1, "counts": [0, 0, 0, 0, 9], "games": 18}]})
            with pytest.raises(ValueError, match="step 1 comes out differently"):
                execute(run)


def test_the_reported_score_comes_from_games_that_no_method_saw(tmp_path, monkeypatch):
    import fogspiel.core.simulate as simulate

    keys = []
    scores = simulate.PolicyMatch.scores
    monkeypatch.setattr(
        simulate.PolicyMatch, "scores", lambda self, key, *a, **k: keys.append(int(key)) or scores(self, key, *a, **k)
    )
    finished(tmp_path / "a.db", request("iterative", games=3000))
    report = keys[-1]
    assert keys.index(report) > 0 and set(keys[: keys.index(report)]).isdisjoint({report})


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"game": "chess2"}, "no game"),
        ({"method": "magic"}, "no method"),
        ({"race": "horse"}, "no race"),
        ({"games": 0}, "positive"),
        ({"games": -3}, "positive"),
        ({"games": None}, "budget"),
        ({"seconds": float("nan")}, "positive"),
        ({"seconds": float("inf")}, "positive"),
        ({"report_games": 0}, "positive"),
        ({"seed": -1}, "seed"),
        ({"observation": "deal"}, "observation"),
        ({"baseline": "nobody"}, "no strategy"),
        ({"delta": 0.0}, "delta"),
        ({"epsilon": 1.0}, "epsilon"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused_in_one_sentence(wrong, sentence):
    with pytest.raises(ValueError, match=sentence) as refusal:
        TuneRequest(**({"game": "batawaf"} | wrong))
    assert "\n" not in str(refusal.value)


@pytest.mark.thorough
def test_a_long_run_says_how_its_result_can_be_exploited(answer, fogspiel, monkeypatch):
    monkeypatch.setattr(tune, "EXPLOITED_FROM", 8_000)
    found = answer("tune", "morra", "--games", "10000", "--method", "duel", "--baseline", "redrawn")["exploited"]
    assert found["games"] >= 5_000 and found["interval"][0] <= found["score"] <= found["interval"][1]
    assert found["share"] > 0.6  # a vector of Morra nearly always throws alike
    printed = fogspiel("tune", "morra", "--games", "10000", "--method", "duel", "--baseline", "redrawn").stdout
    assert "an exploiter found in" in printed and "try --method psro" in printed
    assert "exploited" not in answer("tune", "morra", "--games", "3000", "--method", "duel")
