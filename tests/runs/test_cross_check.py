"""Jobs that are done twice: the same bytes if all is well, one sentence with both workers' names if not.

Workers import this file for its jobs, so what is heavy is imported by the tests that need it.
"""

import os
import re
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from fogspiel.process.jobs import CrossCheck, run_jobs


class Tally:
    """Counts in a file how often it was done, and by whom; wrong from the second time on, if it is to be."""

    def __init__(self, file: Path, wrong: bool = False) -> None:
        self.file, self.wrong = str(file), wrong

    def __str__(self) -> str:
        return "tally"

    def __call__(self) -> int:
        with open(self.file, "a+") as file:
            file.write(f"{os.getpid()}\n")
            file.seek(0)
            return len(file.readlines()) if self.wrong else 0

    @property
    def workers(self) -> list[str]:
        """Who has done it."""
        return Path(self.file).read_text().split()


@pytest.mark.thorough
@pytest.mark.parametrize("processes", [1, 2])
def test_a_job_is_done_again_by_another_worker_where_there_is_one(tmp_path, processes):
    tallies = [Tally(tmp_path / str(number)) for number in range(4)]
    assert list(run_jobs(tallies, processes, twice=[1, 2])) == [0] * 4
    assert [len(tally.workers) for tally in tallies] == [1, 2, 2, 1]
    if processes == 2:
        assert all(len(set(tallies[number].workers)) == 2 for number in (1, 2))


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_difference_stops_the_work_and_names_both_workers(tmp_path, processes):
    wrong, found = Tally(tmp_path / "wrong", wrong=True), []
    with (
        pytest.raises(ValueError, match="tally came out differently") as error,
        closing(run_jobs([Tally(tmp_path / "right"), wrong, Tally(tmp_path / "later")], processes, twice=[1])) as work,
    ):
        for result in work:
            found.append(result)
    assert found == [0]
    assert "--processes 1" in str(error.value) and "at fault" in str(error.value)
    if processes == 2:
        assert re.findall(r"worker (\d+) on", str(error.value)) == wrong.workers


def test_a_result_stands_when_it_has_come_out_twice():
    checks = CrossCheck(["a job", "another"], [0])
    assert checks.stands(1, "one", 5)
    assert not checks.stands(0, "one", 5) and checks.stands(0, "two", 5)


def test_one_job_in_fifty_is_done_twice_chosen_by_what_it_is_asked():
    from fogspiel.runs.kind import ONE_IN, Job

    chosen = [seed for seed in range(5000) if Job("met", dict, {"seed": seed}).done_twice]
    assert chosen[:3] == [8, 110, 152]
    assert 0.7 * 5000 / ONE_IN < len(chosen) < 1.3 * 5000 / ONE_IN
    assert not any(Job("met", dict, {"seed": seed}, repeatable=False).done_twice for seed in chosen)


def test_rows_do_not_tell_which_jobs_were_done_twice(tmp_path, monkeypatch):
    from fogspiel.runs.kind import Context, Job, JobRunner

    def rows(one_in):
        monkeypatch.setattr("fogspiel.runs.kind.ONE_IN", one_in)
        calls, stored = [], []
        run, recorder = SimpleNamespace(request={"method": "m"}, steps=[]), SimpleNamespace(step=stored.append)

        def double(seed):
            calls.append(seed)
            return {"twice": 2 * seed}

        work = JobRunner(run, recorder, Context(tmp_path / "runs.db")).rows(
            [Job("d", double, {"seed": n}) for n in range(3)]
        )
        return list(work), stored, calls

    (checked, kept, calls), (plain, as_kept, once) = rows(1), rows(10**18)
    assert (checked, kept) == (plain, as_kept)
    assert (calls, once) == ([0, 0, 1, 1, 2, 2], [0, 1, 2])


@pytest.mark.slice("kriegspiel")
def test_games_by_the_clock_are_not_compared():
    from fogspiel.kriegspiel.engine import SearchLimit
    from fogspiel.kriegspiel.match import EngineMatch, EngineSpec

    for effort, repeatable in ((SearchLimit(seconds=0.01), False), (SearchLimit(nodes=10), True)):
        match = EngineMatch((EngineSpec("random", effort), EngineSpec("random", SearchLimit(nodes=1))), 4)
        assert {job.repeatable for job in match.jobs((0, 1))} == {repeatable}
