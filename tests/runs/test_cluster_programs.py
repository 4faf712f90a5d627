"""Programs tuned on a cluster: games by number whoever plays them, programs that stay, workers that are at work."""

import functools
import os
import re
import signal
import time
from contextlib import ExitStack, closing
from importlib.util import find_spec

import numpy as np
import pytest

from fogspiel.process import heartbeat
from fogspiel.process.heartbeat import (
    BEGUN,
    BUSY,
    GOES_ON,
    IDLE,
    Pulse,
    Silence,
    SilenceLimits,
    compiling,
    waiting_seconds,
)
from fogspiel.process.jobs import beat, run_jobs
from fogspiel.runs.kind import Context, execute
from fogspiel.runs.programs import find_program
from fogspiel.runs.requests import ProgramRequest
from fogspiel.runs.store import Store
from fogspiel.tuning.programs.contest import Scale
from fogspiel.tuning.programs.parameters import Parameters

ON_CLUSTER = pytest.mark.skipif(find_spec("distributed") is None, reason="the extra `cluster` is not installed")
SPACE = Parameters.of({"x": {"start": 1, "low": 0, "high": 10}, "s": {"start": "a", "choices": ["a", "b"]}})
PLAY = """
import os, random, time
open(os.path.join(os.path.dirname(__file__), f"began-{os.getpid()}"), "x").close()

def play(a, b, seed):
    time.sleep(SECONDS)
    lead = sum((1 if one["s"] == "b" else 0) - (one["x"] - 7) ** 2 / 20 for one in (a,)) - (
        (1 if b["s"] == "b" else 0) - (b["x"] - 7) ** 2 / 20)
    return float(random.Random(seed).gauss(lead, 2) > 0)
"""
SECONDS = 0.05


@pytest.fixture
def program(tmp_path):
    """A function whose games take 50 ms, most of them asleep, and that leaves a mark when it is loaded."""

    def named(seconds=SECONDS):
        (tmp_path / "slow.py").write_text(PLAY.replace("SECONDS", str(seconds)))
        found = find_program("function", f"{tmp_path / 'slow.py'}:play", Scale())
        for mark in tmp_path.glob("began-*"):  # of the check of the function
            mark.unlink()
        return found

    return named


def cluster_of(workers):
    import distributed

    return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=100)


def rows_of(named, path, address=None, games=400, **hearers):
    """The stored rows of a tuning run, as bytes."""
    asked = {"sort": "function", "digest": named.digest, "parameters": tuple(SPACE.to_json())}
    request = ProgramRequest(**asked, games=games, ahead=3)
    with Store.open(path, write=True) as store, closing(named.open(SPACE, Scale(), 2, 20.0, address)) as program:
        run = store.create(request.to_json())
        execute(run, Context(path, prepared=program, **hearers))
        return [(row.number, row.kind, str(row.body)) for row in run.rows]


@pytest.mark.thorough
@ON_CLUSTER
def test_a_run_has_the_same_rows_on_a_cluster_one_worker_of_which_is_killed(program, tmp_path):
    named, faults, killed = program(0.002), [], []
    here = rows_of(named, tmp_path / "here.db")
    for mark in tmp_path.glob("began-*"):
        mark.unlink()
    with cluster_of(2) as cluster:

        def kill(progress):
            if progress.games and progress.games > 100 and not killed:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        address = cluster.scheduler_address
        there = rows_of(named, tmp_path / "there.db", address, on_progress=kill, on_fault=faults.append)
        assert there == here and faults  # a job, and perhaps one whose result was still there
        told = re.compile(r"worker tcp\S+ .*died .*(the job is|its jobs are) repeated")
        assert all(map(told.fullmatch, faults))
        # Programs stay between some 50 jobs: one in each of the two workers and in those that come for killed ones.
        began = [int(mark.name.removeprefix("began-")) for mark in tmp_path.glob("began-*")]
        assert 2 <= len(began) <= 6
        deadline = time.monotonic() + 10
        while any(os.path.exists(f"/proc/{process}") for process in began) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not any(os.path.exists(f"/proc/{process}") for process in began)  # and end with the run


@pytest.mark.slow
@ON_CLUSTER
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_cluster_is_at_work_nine_tenths_of_the_time(program, workers):
    """A sleeping program needs no processor, so two cores suffice; steps of 16 pairs, three of them at once.

    At work is a worker that plays: on a busy machine a game of 50 ms takes longer, which is no fault of ours. Neither
    is the time for which a worker waits for a processor, or all of them while the scheduler and its client do.
    """
    with cluster_of(workers) as cluster:
        named = program()
        with closing(named.open(SPACE, Scale(), 1, 20.0, cluster.scheduler_address)) as contest:
            vectors = np.random.default_rng(1).uniform(0, 9, (2, 200, 2))
            play(contest, vectors, 0, 4 * workers)  # programs start and paces are learnt
            crew, worked = contest.door.crew, []
            result = crew.result
            crew.result = lambda number: [worked.append(found := result(number)), found][1]
            crowd = [nanny.pid for nanny in cluster.workers.values()] + workers * [os.getpid()]
            began, waited, steps = time.monotonic(), sum(map(waiting, crowd)), 8 * workers
            play(contest, vectors, 100, steps)
            whole, waited = workers * (time.monotonic() - began), sum(map(waiting, crowd)) - waited
    at_work, waited = sum(seconds for seconds, _ in worked) / whole, waited / whole
    possible = steps * 32 * SECONDS / whole
    print(
        f"{workers} workers: {at_work:.1%} at work, {possible:.1%} of the games possible, {waited:.1%} without a core"
    )
    assert at_work + waited >= 0.9


def waiting(process):
    """The seconds for which threads of a process were ready to run and did not."""
    return sum(waiting_seconds(int(thread)) for thread in os.listdir(f"/proc/{process}/task"))


def play(contest, vectors, first, steps):
    """Play steps of 16 pairs as a search does: three steps are under way when the first of them is waited for."""
    for step in range(first, first + steps + 2):
        if step < first + steps:
            contest.announce(*vectors, 7, 16 * step, 16, "swapped")
        if step >= first + 2:
            contest.match(*vectors).scores(7, 16 * (step - 2), 16)


# Workers that are at work, and those that hang


class Clock:
    """CPU seconds by hand."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize(("computes", "waits"), [(0.02, 0.0), (0.0, 0.02), (0.0, 0.0)])
def test_a_job_that_compiles_for_ten_minutes_of_a_busy_machine_is_not_struck_off(computes, waits):
    """A thread that gets one hundredth of a processor, or waits for one, is at work; else it hangs."""
    signs, clock, waited, silence = [], Clock(), Clock(), Silence(SilenceLimits())
    silence.hear(BEGUN)
    pulse, hung = Pulse(signs.append, clock, waited), False
    for _ in range(300):  # ten minutes, a look every two seconds
        clock.now, waited.now = clock.now + computes, waited.now + waits
        pulse.look()
        silence.hear(signs[-1])
        hung = hung or silence.endure(2.0)
    works = bool(computes or waits)
    assert hung != works and signs == 300 * [BUSY if works else IDLE]


def test_late_reports_do_not_count_against_a_job_however_short_its_limit():
    """A process whose reports come once in ten seconds, of which no more than one in two says that it is idle."""
    silence = Silence(SilenceLimits(begun=4, going_on=4))
    for sign in [BEGUN, GOES_ON] + 50 * [IDLE, BUSY]:
        silence.hear(sign)
        assert not any(silence.endure(1.0) for _ in range(10))
    assert not any(silence.endure(1.0) for _ in range(50)) and silence.endure(1.0)  # a process that says nothing at all


def test_a_job_that_computes_for_an_hour_without_a_beat_counts_as_an_endless_loop():
    signs, clock = [], Clock()
    pulse = Pulse(signs.append, clock, Clock())
    for _ in range(4000):
        clock.now += 1.0
        pulse.look()
    assert signs.count(BUSY) == heartbeat.MOST_SILENT - 1 and set(signs[signs.index(IDLE) :]) == {IDLE}
    pulse.beaten.set()
    pulse.look()
    clock.now += 1.0
    pulse.look()
    assert signs[-1] == BUSY


def test_a_busy_sign_leaves_the_patience_of_the_job_as_it_was():
    silence = Silence(SilenceLimits(begun=100, going_on=6))
    for last, patience in ((BEGUN, 50), (BUSY, 50), (GOES_ON, 3), (BUSY, 3)):
        silence.hear(last)
        for _ in range(patience):
            silence.hear(IDLE)
            assert not silence.endure(0.0)
        silence.hear(IDLE)
        assert silence.endure(0.0)


def compiles_or_thinks(seconds, compiles):
    """Compute without a beat after the first one, as a compiler or a search does."""
    beat()
    with compiling() if compiles else ExitStack():
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            sum(range(1000))
    return seconds


def sleeps(seconds):
    beat()
    time.sleep(seconds)


@pytest.mark.thorough
@pytest.mark.parametrize("there", [False, pytest.param(True, marks=ON_CLUSTER)])
def test_workers_that_compute_survive_their_silence_and_one_that_sleeps_does_not(there):
    """The limits are of idle seconds as the processes report them, so a busy machine makes this test longer only."""
    limits, faults = SilenceLimits(begun=4, going_on=4), []
    jobs = [functools.partial(compiles_or_thinks, 6, compiles) for compiles in (True, False)]
    asleep = [functools.partial(sleeps, seconds) for seconds in (600, 0)]
    with ExitStack() as opened:
        address = opened.enter_context(cluster_of(2)).scheduler_address if there else None
        assert list(run_jobs(jobs, 2, address, faults.append, limits)) == [6, 6] and not faults
        with pytest.raises(ValueError, match="has cost 3 workers"):
            list(run_jobs(asleep, 2, address, faults.append, limits))
    assert len(faults) == 3 and all("has hung for" in fault for fault in faults)
