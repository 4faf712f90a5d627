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


@pytest.mark.parametrize("run", EXPORTS)
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
