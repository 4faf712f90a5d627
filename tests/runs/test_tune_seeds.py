"""Tuning from several seeds: the same rows whoever works, and a score from games that chose nothing."""

import pytest

from fogspiel.core.agents import decode_policy, policy_json_in
from fogspiel.core.game import known_game
from fogspiel.runs.kind import Context, execute, kind_of
from fogspiel.runs.requests import TuneRequest
from fogspiel.runs.store import Store, canonical
from fogspiel.stats.evaluate import report_key

TUNING = TuneRequest("batawaf", "iterative", games=6_000, report_games=400, seeds=3)


def rows(path, processes=1, interrupt_after=None):
    """The rows of a finished run; it may be interrupted once, after some seeds, and resumed."""
    with Store.open(path, write=True) as store:
        with store.create(TUNING.to_json()) as run:
            seen = []

            def watch(progress):
                seen.append(progress)
                if len(seen) == interrupt_after:
                    raise KeyboardInterrupt

            try:
                execute(run, Context(path, processes, on_progress=watch))
            except KeyboardInterrupt:
                assert not run.finished
        if interrupt_after:
            with store.acquire(run.name) as run:
                execute(run, Context(path, processes))
        return [canonical(row.body) for row in store.read(run.name).rows]


@pytest.mark.thorough
def test_processes_and_interruptions_change_no_byte(tmp_path):
    alone = rows(tmp_path / "a.db")
    assert rows(tmp_path / "b.db", processes=2) == alone
    assert rows(tmp_path / "c.db", interrupt_after=2) == alone


@pytest.mark.thorough
def test_the_best_seed_is_measured_on_games_that_did_not_choose_it(tmp_path):
    path = tmp_path / "runs.db"
    rows(path)
    with Store.open(path, write=False) as store:
        run = store.read("batawaf-1")
    tried = [body["row"] for body in run.steps]
    best = max(tried, key=lambda row: row["selected"]["score"])
    assert run.result["chosen"] == best["seed"] and [row["seed"] for row in tried] == [1, 2, 3]
    assert run.result["report"]["observed"] != best["selected"]["observed"]
    assert report_key(best["seed"]) not in {row["seed"] for row in tried}
    assert run.result["spread"]["low"] <= run.result["spread"]["median"] <= run.result["spread"]["high"]
    game = known_game("batawaf")
    plays = kind_of(run).agent(run, game)
    assert (plays.thetas == decode_policy(game, policy_json_in(best)).thetas).all()
    assert all(word in " ".join(kind_of(run).summary(run)) for word in ("best of 3 seeds", "median", "held-out"))


def test_a_budget_in_seconds_becomes_games(tmp_path):
    asked = TuneRequest("pig", "iterative", seconds=0.01, seeds=2).resolved(tmp_path)
    assert asked.seconds is None and asked.games >= 2
    assert TuneRequest.from_json(asked.to_json()) == asked


@pytest.mark.parametrize("seeds", ["0", "-1", "100000"])
def test_numbers_of_seeds_that_make_no_sense_are_refused(seeds, refused):
    refused("tune", "pig", "--seeds", seeds, "--games", "100", because=("--seeds is", "from 1 to 1000"))


def test_processes_without_seeds_are_refused(refused):
    refused("tune", "pig", "--processes", "2", because="add --seeds N")
