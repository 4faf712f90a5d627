"""A store that an earlier fogspiel wrote: its finished runs are read, exported and played as they were then."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

OLD = Path(__file__).parents[1] / "golden" / "store-0.1.0.db"
EXPORTS = json.loads(OLD.with_suffix(".json").read_text())
"""For each run the digest of what `fogspiel export` wrote then, as JSON and, where it had it, as CSV.

Lines of the CSV of batawaf-1 that ended before the parameters have empty cells for them since.
"""

SLICES = {"kriegspiel-1": "kriegspiel", "beyond-1": "papers"}


def of_slice(run):
    return pytest.param(run, marks=pytest.mark.slice(SLICES[run])) if run in SLICES else run


@pytest.fixture
def store(tmp_path):
    return shutil.copy(OLD, tmp_path / "runs.db")


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_every_run_is_listed_as_finished(answer, store):
    found = answer("runs", "--store", store)["runs"]
    assert [run["name"] for run in found] == list(EXPORTS)
    assert {run["state"] for run in found} == {"finished"}
    assert answer("doctor", "--store", store)["ok"]


@pytest.mark.parametrize("run", [of_slice(run) for run in EXPORTS])
def test_a_run_is_exported_byte_for_byte_as_before(run, fogspiel, refused, store):
    for form, expected in EXPORTS[run].items():
        if expected is None:
            refused("export", run, "--format", form, "--store", store)
        else:
            assert digest(fogspiel("export", run, "--format", form, "--store", store).stdout) == expected


@pytest.mark.parametrize("run", EXPORTS)
def test_resuming_shows_the_result_and_says_that_there_is_nothing_to_do(run, fogspiel, store):
    outcome = fogspiel("resume", run, "--store", store)
    assert outcome.returncode == 0 and f"run {run} is finished" in outcome.stderr and "Traceback" not in outcome.stderr


def test_what_was_found_still_plays(answer, store):
    for game, first, second in (
        ("batawaf", "batawaf-1", "uniform"),
        ("morra", "morra-1", "fixed"),
        ("kuhn", "kuhn-1", "uniform"),
    ):
        assert answer("match", game, first, second, "--games", 200, "--store", store)["games"] == 200


# Methods that have left the package

LEFT = OLD.with_name("store-1.0.0rc1.db")
"""Runs of methods that the next version did not have, finished and unfinished."""
FINISHED = {
    "batawaf-1": ("b77081775d5409f6", "6bd1f52b8246c7b9"),
    "batawaf-2": ("65fcdabeaa57f7f1", "96f7f23149b475d3"),
    "kuhn-1": ("8b944ab6f10bfc04", "85afd4f5221422e1"),
    "lone-resistance4-2-2-2-2spies-1": ("b7eb7f466cd93388", "9bb49c54574f9828"),
}
"""The digests of their exports as JSON and CSV, as the version that made them wrote them."""
UNFINISHED = {
    "batawaf-3": "the method cma left the package: use auto",
    "beyond-1": "there is no experiment 'beyond'",
    "kuhn-2": "there is no method 'lazy'",
    "lone-resistance4-2-2-2-2spies-2": "is solved by benchmarks/lone_spies.py",
}


@pytest.fixture
def left(tmp_path):
    return shutil.copy(LEFT, tmp_path / "runs.db")


def test_finished_runs_of_methods_that_left_are_listed_exported_and_played(answer, fogspiel, left):
    found = {run["name"]: run["state"] for run in answer("runs", "--store", left)["runs"]}
    assert [name for name, state in found.items() if state == "finished"] == list(FINISHED)
    for run, digests in FINISHED.items():
        texts = [fogspiel("export", run, "--format", form, "--store", left).stdout for form in ("json", "csv")]
        assert tuple(map(digest, texts)) == digests
        assert f"run {run} is finished" in fogspiel("resume", run, "--store", left).stderr
    for game, first, second in (("batawaf", "batawaf-1", "batawaf-2"), ("kuhn", "kuhn-1", "uniform")):
        assert answer("match", game, first, second, "--games", 200, "--store", left)["games"] == 200
    assert answer("explain", "lone-resistance4-2-2-2-2spies-1", "--store", left)["lines"]


@pytest.mark.parametrize("run", [of_slice(run) for run in UNFINISHED])
def test_unfinished_runs_of_methods_that_left_stop_with_one_sentence(run, fogspiel, left):
    stopped = fogspiel("resume", run, "--store", left)
    *_, sentence = stopped.stderr.splitlines()
    assert stopped.returncode == 2 and sentence.startswith("fogspiel: ") and UNFINISHED[run] in sentence
    assert "Traceback" not in stopped.stderr
