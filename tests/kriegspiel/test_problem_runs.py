"""A search for Kriegspiel problems as a run: interrupted and resumed it has the rows of one that was not."""

import signal
import subprocess
import time

import pytest
from support.commands import COMMAND, heed_interruption

from fogspiel.kriegspiel.kinds import PROBLEMS, candidates_of
from fogspiel.kriegspiel.problems import SHIPPED
from fogspiel.kriegspiel.problems.generator import find_candidate
from fogspiel.kriegspiel.requests import ProblemsRequest
from fogspiel.runs.kind import Context, execute
from fogspiel.runs.store import Store

pytestmark = pytest.mark.thorough

REQUEST = ProblemsRequest(candidates=10, seed=1)


def stop(progress):
    raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr("fogspiel.kriegspiel.kinds.BLOCK", 4)


def test_an_interrupted_search_goes_on_to_the_same_rows(tmp_path):
    whole, broken = tmp_path / "whole.db", tmp_path / "broken.db"
    with Store.open(whole, write=True) as store, Store.open(broken, write=True) as other:
        run, again = store.create(REQUEST.to_json()), other.create(REQUEST.to_json())
        execute(run, Context(whole))
        for done in (1, 2):
            with pytest.raises(KeyboardInterrupt):
                execute(again, Context(broken, on_progress=stop if done == 1 else _after(2)))
            assert len(again.steps) == done and not again.finished
        execute(again, Context(broken))
        assert [row.body for row in again.rows] == [row.body for row in run.rows] and len(run.steps) == 3
        found = [candidate for number in range(10) if (candidate := find_candidate(1, number))]
        assert candidates_of(run) == found and run.result == {"candidates": 10, "found": len(found)}


def _after(blocks):
    """Stops when so many blocks are done."""
    seen = []

    def watch(progress):
        seen.append(progress)
        if len(seen) == blocks:
            raise KeyboardInterrupt

    return watch


def test_a_longer_search_recalls_what_a_shorter_one_has_found(tmp_path, monkeypatch):
    path, left = tmp_path / "runs.db", []

    def do_jobs(jobs, *_):
        left.extend(jobs)
        yield from (job() for job in jobs)

    with Store.open(path, write=True) as store:
        execute(store.create(ProblemsRequest(4).to_json()), Context(path))
        monkeypatch.setattr("fogspiel.process.jobs.run_jobs", do_jobs)
        execute(store.create(ProblemsRequest(8).to_json()), Context(path))
    assert [(job.inputs["first"], job.inputs["count"]) for job in left] == [(4, 4)]


def test_a_request_survives_the_store_and_wrong_ones_are_refused():
    assert ProblemsRequest.from_json(REQUEST.to_json()) == REQUEST
    assert PROBLEMS.command(REQUEST.to_json()) == "fogspiel kriegspiel make-problems --candidates 10 --seed 1"
    with pytest.raises(ValueError, match="--candidates is 0"):
        ProblemsRequest(0)


def test_a_run_of_other_code_is_not_gone_on_with(tmp_path):
    with Store.open(tmp_path / "runs.db", write=True) as store:
        run = store.create(REQUEST.to_json() | {"code": "other"})
        with pytest.raises(ValueError, match="start it anew"):
            execute(run)


@pytest.mark.slow
def test_an_interrupted_command_goes_on_to_the_file_that_is_shipped(tmp_path):
    words = [*COMMAND, "kriegspiel", "make-problems", "--candidates", "2000", "--processes", "1", "--store", "runs.db"]
    path = tmp_path / "runs.db"
    pipes = {"stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, cwd=tmp_path, preexec_fn=heed_interruption, **pipes) as begun:
        while not path.exists() or not _steps(path):
            time.sleep(0.2)
        begun.send_signal(signal.SIGINT)
        assert begun.wait() == 130 and "Go on with: fogspiel kriegspiel make-problems" in begun.stderr.read()
    assert 0 < _steps(path) < 200 and not (tmp_path / "problems.json").exists()
    subprocess.run(words, cwd=tmp_path, check=True)
    assert (tmp_path / "problems.json").read_bytes() == SHIPPED.read_bytes()


def _steps(path):
    with Store.open(path, write=False) as store:
        return sum(summary.steps for summary in store.summaries())
