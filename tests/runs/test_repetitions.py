"""Jobs that were repeated because a worker was lost: said at the end of a run, and never in its rows."""

import os
import re
import signal
import stat
from pathlib import Path

import pytest
from support.web_client import open_client, wait_for_work

from fogspiel import __version__
from fogspiel.runs.kind import (
    Context,
    Job,
    JobRunner,
    Recorder,
    execute,
    note_repetition,
    repetition_words,
    repetitions,
)
from fogspiel.runs.requests import RoundRobinRequest
from fogspiel.runs.store import Store

PLAYERS = ["hold20", "hold25"]
LOST = "worker 7 died on met pig hold20 hold25 seed 1: the job is repeated"


def square(number, folder):
    """A job whose first worker is killed, if it is the second job."""
    mark = Path(folder, "killed")
    if number == 1 and folder and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"square": number**2}


def run_squares(path, processes, folder=""):
    """A run of four jobs in a store of its own, its rows, and what was said of its workers."""
    faults, jobs = [], [Job("square", square, {"number": number}, {"folder": folder}) for number in range(4)]
    with Store.open(path, write=True) as store:
        run = store.create({"game": "squares", "method": "squares", "fogspiel": __version__})
        runner = JobRunner(run, Recorder(run), Context(path, processes, on_fault=faults.append))
        assert [row["square"] for row in runner.rows(jobs)] == [0, 1, 4, 9]
        return run, [(row.number, row.kind, row.body) for row in run.rows], faults


@pytest.fixture
def finished(tmp_path):
    """The store of a finished tournament, and its run."""
    path = tmp_path / "runs.db"
    with Store.open(path, write=True) as store:
        run = store.create(RoundRobinRequest("pig", tuple(PLAYERS), 200).resolved(path).to_json())
        execute(run, Context(path))
    return path, run


@pytest.mark.thorough
def test_a_lost_worker_is_in_the_summary_and_not_in_the_rows(tmp_path):
    run, rows, faults = run_squares(tmp_path / "two.db", 2, str(tmp_path))
    assert rows == run_squares(tmp_path / "one.db", 1)[1]
    found = repetitions(tmp_path / "two.db", run)
    assert [f"{reason}: the job is repeated" for reason in found] == faults and len(faults) == 1
    assert re.fullmatch(r"1 job was repeated: .* died on square\.", *repetition_words(found))
    assert not (tmp_path / "one.repeated.jsonl").exists()


@pytest.mark.thorough
def test_the_command_line_tells_it_at_the_end(finished, fogspiel, answer, tmp_path):
    path, run = finished
    words = ("round-robin", "pig", *PLAYERS, "--games", 200, "--store", path, "--output", tmp_path / "report")
    assert "repeated" not in fogspiel(*words).stdout and "repeated" not in answer(*words)
    note_repetition(path, run, LOST)
    sentence = f"1 job was repeated: {LOST.rpartition(': ')[0]}."
    assert fogspiel(*words).stdout.splitlines()[-1] == sentence
    assert answer(*words)["repeated"] == [LOST.rpartition(": ")[0]]
    assert fogspiel("resume", run.name, "--store", path).stdout.splitlines()[-1] == sentence


def test_the_page_tells_it_below_the_result(finished, tmp_path):
    path, run = finished
    note_repetition(path, run, LOST)
    with open_client(tmp_path) as client:
        found = wait_for_work(client, f"/api/runs/{run.name}").json()["found"]
        assert found[-1] == f"1 job was repeated: {LOST.rpartition(': ')[0]}."
        assert "1 job was repeated: worker 7 died on" in wait_for_work(client, f"/runs/{run.name}").text


def test_jobs_that_are_given_up_and_those_of_other_runs_are_not_counted(finished):
    path, run = finished
    note_repetition(path, run, LOST.replace("repeated", "given up"))
    assert repetitions(path, run) == []
    with Store.open(path, write=True) as store:
        store.delete([run.name])
        other = store.create(run.request)
        other.close()
    note_repetition(path, run, LOST)
    assert run.name == other.name and len(repetitions(path, run)) == 1 and repetitions(path, other) == []
    assert stat.S_IMODE(path.with_suffix(".repeated.jsonl").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"no json\n", b"[]\n", b'{"run": 1}\n', b"\xff\xfe\n", b'{"run": null'])
def test_a_damaged_file_tells_nothing(finished, content):
    path, run = finished
    path.with_suffix(".repeated.jsonl").write_bytes(content)
    assert repetitions(path, run) == []


def test_a_file_that_cannot_be_written_does_not_end_the_work(finished):
    path, run = finished
    path.with_suffix(".repeated.jsonl").mkdir()
    note_repetition(path, run, LOST)
    assert repetitions(path, run) == []


def test_some_reasons_are_given_and_the_others_counted():
    assert repetition_words([]) == []
    assert repetition_words(["a died"]) == ["1 job was repeated: a died."]
    assert repetition_words(list("abcde")) == ["Jobs were repeated 5 times: a; b; c; and 2 more."]
