"""Runs at the command line: filtered, backed up, deleted, pruned, resumed together, and stopped by a failing disk."""

import shlex

import pytest
from support.commands import DOCUMENTED

from fogspiel.cli import console
from fogspiel.runs import kind
from fogspiel.runs.request import StoredAgent
from fogspiel.runs.requests import MatchRequest
from fogspiel.runs.store import Store, StoreError, default_path
from fogspiel.runs.store.file import StoreFile


def match(seed=1, game="war"):
    """The request for a short match."""
    random = StoredAgent("random", {})
    return MatchRequest(game, random, random, seed, 400).to_json()


@pytest.fixture
def three():
    """A store with a finished match and two that were interrupted, one of them of another game."""
    with Store.open(default_path(), write=True) as store:
        for seed, game in ((1, "war"), (2, "batawaf"), (3, "batawaf")):
            with store.create(match(seed, game)) as run:
                if seed == 1:
                    run.append("result", {"games": 400, "score": 0.5, "interval": [0.4, 0.6]})
    return default_path()


def names(answer, *words):
    return [run["name"] for run in answer("runs", *words)["runs"]]


def test_runs_are_listed_by_game_and_state(three, answer, fogspiel, refused):
    assert names(answer) == ["war-1", "batawaf-1", "batawaf-2"]
    assert names(answer, "--game", "batawaf") == ["batawaf-1", "batawaf-2"]
    assert names(answer, "--state", "interrupted") == ["batawaf-1", "batawaf-2"]
    assert names(answer, "--game", "war", "--state", "finished") == ["war-1"]
    assert "no such runs" in fogspiel("runs", "--game", "nim").stdout
    refused("runs", "--state", "lost", because="must be finished, running, interrupted or damaged")


def test_a_run_that_has_found_nothing_yet_has_no_games(three, answer):
    assert [run["games"] for run in answer("runs")["runs"]] == [400, None, None]


def test_a_store_is_backed_up_to_a_new_file(three, tmp_path, answer, refused, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copy = tmp_path / "copy.db"
    told = answer("runs", "backup", "copy.db")
    assert told == {"store": str(three), "backup": "copy.db", "runs": 3, "bytes": copy.stat().st_size}
    assert names(answer, "--store", copy) == names(answer)
    refused("runs", "backup", copy, because="replaces nothing")
    refused("runs", "backup", tmp_path / "none" / "copy.db", because=("copy.db", "check"))
    refused("runs", "backup", tmp_path / "x.db", "--store", tmp_path / "missing.db", because="there is no store")


def test_runs_are_deleted_by_name_all_or_none(three, answer, refused):
    refused("runs", "delete", "war-1", "war-9", because="no run named war-9")
    with Store.open(three, write=True) as store, store.acquire("batawaf-1"):
        refused("runs", "delete", "war-1", "batawaf-1", because="is being worked on")
    assert len(names(answer)) == 3
    assert answer("runs", "delete", "war-1", "batawaf-2") == {"store": str(three), "deleted": ["war-1", "batawaf-2"]}
    assert names(answer) == ["batawaf-1"]
    with Store.open(three, write=False) as store:
        assert store.faults() == []


def test_options_before_a_word_that_would_not_hear_them_are_refused(three, answer, refused):
    refused("runs", "--store", three, "delete", "war-1", because="stand behind that word")
    assert len(names(answer)) == 3


def test_pruning_only_lists_unless_it_is_told_to_delete(three, answer, fogspiel, refused):
    assert answer("runs", "prune")["would_delete"] == []
    assert answer("runs", "prune", "--days", 0)["would_delete"] == ["batawaf-1", "batawaf-2"]
    assert "add --yes" in fogspiel("runs", "prune", "--days", 0).stdout and len(names(answer)) == 3
    with Store.open(three, write=True) as store, store.acquire("batawaf-2"):
        assert answer("runs", "prune", "--days", 0)["would_delete"] == ["batawaf-1"]
    assert answer("runs", "prune", "--days", 0, "--game", "batawaf", "--yes")["deleted"] == ["batawaf-1", "batawaf-2"]
    assert answer("runs", "prune", "--days", 0, "--state", "finished", "--yes")["deleted"] == ["war-1"]
    assert names(answer) == []
    refused("runs", "prune", "--state", "running", because="only interrupted or finished runs")


def test_every_interrupted_run_is_resumed_but_for_those_that_need_something(three, answer, fogspiel, refused):
    with Store.open(three, write=True) as store:
        store.create(match() | {"game": "mine", "rules": "0123"}).close()
        store.create({"game": "war", "method": "unheard-of", "rules": 1, "fogspiel": "0"}).close()
        busy = store.create(match(5, "batawaf"))
        told = answer("resume", "--all")
        busy.close()
    assert [(run["first"], run["state"], run["games"]) for run in told["resumed"]] == [("random", "finished", 400)] * 2
    assert [run["run"] for run in told["resumed"]] == ["batawaf-1", "batawaf-2"]
    assert [skipped["run"] for skipped in told["skipped"]] == ["mine-1", "war-2"]
    assert "--source FILE" in told["skipped"][0]["why"] and "plug-in" in told["skipped"][1]["why"]
    outcome = fogspiel("resume", "--all")
    assert outcome.returncode == 0 and "1 of 3 interrupted runs are finished now" in outcome.stdout
    assert "run mine-1 is skipped: the rules of run mine-1" in outcome.stderr
    assert names(answer, "--state", "interrupted") == ["mine-1", "war-2"]
    refused("resume", "--all", "war-1", because="name nothing, or one RUN")
    refused("resume", because="name a RUN")


class Killed(BaseException):
    """Ends a command as kill -9 does: nothing of it is caught."""


ASKED = ("match", "batawaf", "0,0,9", "random", "--games", "20001", "--threads", "1")


def test_a_match_that_is_killed_has_stored_how_far_it_was_and_goes_on(monkeypatch, answer, fogspiel):
    calls = []

    def kill(*_):
        calls.append(1)
        if len(calls) == 4:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(kind, "KEEP_SECONDS", 0.0)
        patch.setattr(console.Bar, "show", kill)
        with pytest.raises(Killed):
            fogspiel(*ASKED)
    (found,) = answer("runs")["runs"]
    assert (found["name"], found["state"], found["steps"]) == ("batawaf-1", "interrupted", 0)
    with Store.open(default_path(), write=False) as store:
        kept = store.read("batawaf-1").partial()
    assert kept is not None and 0 < kept["games"] < 20_000
    resumed, whole = answer("resume", "batawaf-1"), answer(*ASKED)
    assert {key: resumed[key] for key in ("score", "outcomes", "observed")} == {
        key: whole[key] for key in ("score", "outcomes", "observed")
    }


def test_a_match_that_lasts_is_a_run_and_a_short_one_is_not(monkeypatch, answer):
    for module in ("store", "kind"):
        monkeypatch.setattr(f"fogspiel.runs.{module}.KEEP_SECONDS", 1e9)
    short = answer(*ASKED)
    assert not default_path().exists()
    monkeypatch.setattr("fogspiel.runs.store.KEEP_SECONDS", -1.0)
    assert answer(*ASKED) == short
    assert [(run["name"], run["state"], run["games"]) for run in answer("runs")["runs"]] == [
        ("batawaf-1", "finished", 20_002)
    ]


def test_a_match_needs_no_store_it_can_write_to(monkeypatch, fogspiel, tmp_path):
    monkeypatch.setattr(kind, "KEEP_SECONDS", 0.0)
    (tmp_path / "folder").mkdir()
    outcome = fogspiel(*ASKED, "--store", tmp_path / "folder")
    assert outcome.returncode == 0 and "scores" in outcome.stdout
    assert outcome.stderr.count("is a directory") == 1


TUNE = ("tune", "batawaf", "--games", "3000", "--method", "naive", "--threads", "1", "--seed", "2")


def test_a_disk_that_fails_in_the_middle_of_a_run_ends_in_the_command_that_goes_on(monkeypatch, fogspiel, answer):
    change, changes = StoreFile.change, []

    def fail(file, **how):
        changes.append(1)
        if len(changes) > 3:
            raise StoreError(f"the disk of {file.path} is full: free some space")
        return change(file, **how)

    with monkeypatch.context() as patch:
        patch.setattr(StoreFile, "change", fail)
        outcome = fogspiel(*TUNE, "--store", default_path())
    assert outcome.returncode == 2 and "is full" in outcome.stderr
    assert outcome.stderr.endswith(f"go on with: fogspiel resume batawaf-1 --store {default_path()}\n")
    assert answer("resume", "batawaf-1")["state"] == "finished"


@pytest.mark.thorough
def test_a_store_that_is_deleted_under_a_run_ends_in_a_command_that_goes_on(monkeypatch, fogspiel, answer):
    calls = []

    def delete(*_):
        calls.append(1)
        if len(calls) == 3:
            default_path().unlink()

    with monkeypatch.context() as patch:
        patch.setattr(console.Bar, "show", delete)
        outcome = fogspiel(*TUNE)
    assert outcome.returncode == 2 and "moved, deleted or replaced" in outcome.stderr
    again = shlex.split(outcome.stderr.partition("go on with: fogspiel ")[2])
    assert again == ["resume", "batawaf-1", "--store", f"{default_path()}.rescued-1"]
    resumed = answer(*again)
    assert resumed["theta"] == answer(*TUNE)["theta"]


def test_a_request_that_cannot_be_met_leaves_no_run(monkeypatch, fogspiel, answer):
    def refuse(*_):
        raise ValueError("the game is too large: take a smaller one")

    with monkeypatch.context() as patch:
        patch.setattr("fogspiel.runs.kinds.tune.TuningWork", refuse)
        outcome = fogspiel(*TUNE)
    assert outcome.returncode == 2 and "too large" in outcome.stderr and names(answer) == []


def test_what_the_new_commands_print_is_documented():
    for row in ("`runs backup FILE`", "`runs delete RUN ..`", "`runs prune`", "`resume --all`"):
        assert row in DOCUMENTED
