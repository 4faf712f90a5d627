"""Jobs on several processes and on a cluster: the same results whoever works, dies or hangs.

Workers import this file for its jobs, so what is heavy is imported by the tests that need it.
"""

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.commands import COMMAND, heed_interruption
from support.levels import default_cases

from fogspiel.process.jobs import SilenceLimits, beat, run_jobs

IMPATIENT = SilenceLimits(begun=60, going_on=2, absent=5)
ON_CLUSTER = pytest.mark.skipif(find_spec("distributed") is None, reason="the extra `cluster` is not installed")


@dataclass(frozen=True)
class Square:
    """Works out a square; the job of number `victim` does `harm` to its worker, at first or always."""

    number: int
    victim: int = -1
    harm: int = 0
    folder: str = ""
    seconds: float = 0.0

    def __str__(self):
        return f"square {self.number}"

    def __call__(self):
        if self.number == self.victim:
            mark = os.path.join(self.folder, "harmed") if self.folder else None
            if mark is None or not os.path.exists(mark):
                if mark:
                    open(mark, "x").close()
                beat()  # the others do not, so that patience with them does not end while this machine is busy
                time.sleep(1)  # so that the beat gets out first
                os.kill(os.getpid(), self.harm)
        time.sleep(self.seconds)
        return self.number**2


def failing():
    raise ValueError("this job cannot be done")


def results(jobs, processes=2, cluster=None, limits=IMPATIENT):
    faults = []
    return list(run_jobs(jobs, processes, cluster, faults.append, limits)), faults


def harmed(harm, folder, count=6, victim=2):
    return [Square(number, victim, harm, str(folder)) for number in range(count)]


SQUARES = [number**2 for number in range(6)]


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def process_named(fault):
    return int(re.search(r"worker (?:\S+ \(process )?(\d+)", fault)[1])


def test_a_beat_outside_a_worker_does_nothing_and_one_process_is_this_one():
    beat()
    assert list(run_jobs([os.getpid, os.getpid], 1)) == [os.getpid()] * 2
    assert list(run_jobs([], 4)) == []


@pytest.mark.thorough
def test_a_killed_worker_is_named_and_its_job_repeated(tmp_path):
    found, faults = results(harmed(signal.SIGKILL, tmp_path))
    assert found == SQUARES
    assert len(faults) == 1 and re.fullmatch(r"worker \d+ died on square 2: the job is repeated", faults[0])


@pytest.mark.thorough
def test_a_worker_that_died_while_it_was_idle_is_not_given_a_job(tmp_path):
    faults = []
    jobs = run_jobs([os.getpid, Square(2, 2, signal.SIGKILL, str(tmp_path), 0.1)], 2, on_fault=faults.append)
    os.kill(next(jobs), signal.SIGKILL)
    time.sleep(1)
    assert next(jobs) == 4 and len(faults) == 1


@pytest.mark.thorough
def test_a_stopped_worker_is_noticed_named_killed_and_its_job_repeated(tmp_path):
    found, faults = results(harmed(signal.SIGSTOP, tmp_path))
    assert found == SQUARES
    assert len(faults) == 1 and re.fullmatch(
        r"worker \d+ has hung for \d s and was killed on square 2: the job is repeated", faults[0]
    )
    assert not alive(process_named(faults[0]))


@pytest.mark.thorough
def test_a_job_that_always_kills_its_worker_ends_in_one_sentence_after_all_before_it():
    faults, found = [], []
    with pytest.raises(ValueError, match="square 2 has cost 3 workers"):
        for square in run_jobs(harmed(signal.SIGKILL, ""), 2, on_fault=faults.append):
            found.append(square)
    assert found == [0, 1]
    assert [fault.split(": ")[1] for fault in faults] == ["the job is repeated"] * 2 + ["the job is given up"]


@pytest.mark.thorough
def test_an_error_in_a_job_is_raised_when_its_turn_has_come():
    jobs = run_jobs([Square(1), Square(2, seconds=0.5), failing, Square(3)], 2)
    assert [next(jobs), next(jobs)] == [1, 4]
    with pytest.raises(ValueError, match="this job cannot be done"):
        next(jobs)


def test_who_stops_listening_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with closing(run_jobs([os.getpid, *(Square(n, seconds=60) for n in range(3))], 2)) as jobs:
        process = next(jobs)
        assert alive(process) and any(tmp_path.iterdir())
        began = time.monotonic()
    assert time.monotonic() - began < 5
    assert not alive(process) and not any(tmp_path.iterdir())


def handlers():
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)]


@pytest.mark.thorough
def test_what_a_terminal_sends_to_all_is_left_to_the_command():
    ignored = [signal.SIG_IGN, signal.SIG_IGN, signal.SIG_DFL]
    assert list(run_jobs([handlers] * 2, 2)) == [ignored] * 2


@pytest.mark.slice("papers")
def test_a_job_is_called_by_what_it_works_on():
    from fogspiel.papers.cauwet2018 import table2
    from fogspiel.runs.kind import Job

    asked = {"game": "batawaf", "method": "naive", "seed": 3, "race": "paper", "games": 100}
    assert str(Job(table2.TRAINED, table2.train, asked)) == "trained batawaf naive seed 3"


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """The stored rows of a tiny Table II of one game, worked out by whomever."""
    from fogspiel.papers.cauwet2018 import table2
    from fogspiel.papers.cauwet2018.printed_tables import LINES
    from fogspiel.runs.kind import Context, execute, find_or_create_run
    from fogspiel.runs.requests import PaperRequest
    from fogspiel.runs.store import Store

    monkeypatch.setattr(table2, "LINES", tuple(line for line in LINES if line.game == "batawaf"))

    def rows(name, processes, cluster=None, **hearers):
        path, tiny = tmp_path / name, PaperRequest("table2", quick=True, seeds=1, scale=0.002)
        with Store.open(path, write=True) as store:
            run = find_or_create_run(store, tiny.to_json())
            execute(run, Context(path, processes, cluster, **hearers))
            return [(row.number, row.kind, json.dumps(row.body)) for row in run.rows]

    return rows


@pytest.mark.thorough
def test_table_rows_are_the_same_bytes_from_two_processes_one_of_which_is_killed(stored):
    faults = []

    def kill(progress):
        if progress.text.startswith("2 of ") and not faults:
            loky = ["pgrep", "-P", str(os.getpid()), "-f", "popen_loky"]
            workers = subprocess.run(loky, capture_output=True, text=True).stdout.split()
            os.kill(int(workers[-1]), signal.SIGKILL)

    assert stored("two.db", 2, watch=kill, on_fault=faults.append) == stored("one.db", 1)


@pytest.mark.parametrize(
    "harm", default_cases([], [signal.SIGINT]) + default_cases([], [signal.SIGTERM, signal.SIGKILL], others="slow")
)
def test_an_interrupted_command_leaves_neither_processes_nor_folders(tmp_path, harm):
    """Ctrl-C goes to the whole group, the others to the parent alone."""
    words = ["paper", "table2", "--scale", "100", "--processes", "2", "--store", str(tmp_path / "runs.db")]
    room = tmp_path / "room"
    room.mkdir()
    parent = subprocess.Popen(
        [*COMMAND, *words],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"TMPDIR": str(room)},
        preexec_fn=heed_interruption,
    )
    try:
        deadline = time.monotonic() + 100
        while sum(b"." in file.read_bytes() for file in room.glob("fogspiel-*/*")) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        began = time.monotonic()
        (os.killpg if harm == signal.SIGINT else os.kill)(parent.pid, harm)
        _, told = parent.communicate(timeout=20)
        assert time.monotonic() - began < 10  # the workers stop at once; the parent needs a processor to say so
    finally:
        parent.kill()
    assert "Traceback" not in told
    if harm != signal.SIGKILL:
        assert parent.returncode == 130 and "Go on with: fogspiel resume table2-1" in told
    while time.monotonic() - began < 20:
        left = subprocess.run(["pgrep", "-s", str(parent.pid)], capture_output=True, text=True).stdout
        if not left and not any(room.iterdir()):
            break
        time.sleep(0.1)
    assert not left and not any(room.iterdir())


def kill_at(children, seconds, room, words):
    """Kill a command so long after it had so many child processes; what is left of it ten seconds later."""
    parent = subprocess.Popen(
        [*COMMAND, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=room.parent,
        env=os.environ | {"TMPDIR": str(room)},
    )
    deadline = time.monotonic() + 60
    while len(found("pgrep", "-P", parent.pid)) < children:
        assert time.monotonic() < deadline and parent.poll() is None
        time.sleep(0.01)
    time.sleep(seconds)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 10
    while True:
        left = found("pgrep", "-s", parent.pid), [*room.iterdir(), *Path("/dev/shm").glob(f"*loky-{parent.pid}-*")]
        if time.monotonic() > deadline or not any(left):
            return left
        time.sleep(0.1)


def found(*command):
    """The words that a command prints."""
    return subprocess.run([*map(str, command)], capture_output=True, text=True).stdout.split()


LONG = (
    "paper table2 --scale 100",
    "round-robin batawaf descending ascending random --games 40000000",
    "tune batawaf --games 40000000 --seeds 4",
)


@pytest.mark.parametrize(
    "kills", [pytest.param(2, marks=pytest.mark.thorough), pytest.param(100, marks=pytest.mark.slow)]
)
def test_a_command_that_is_killed_while_its_workers_start_leaves_nothing(tmp_path, kills):
    """Its first child is loky's resource tracker; the folder of the workers is made right after it."""
    rng, room = random.Random(kills), tmp_path / "room"
    room.mkdir()
    for number in range(kills):
        children, seconds = (1, 0.0) if number == 0 else (rng.randint(1, 4), rng.uniform(0, 2) * (rng.random() < 0.6))
        words = [*LONG[number % 3].split(), "--processes", "2", "--store", str(tmp_path / f"{number}.db")]
        assert kill_at(children, seconds, room, words) == ([], [])


# On a cluster


@contextmanager
def in_time(seconds):
    """Fail rather than stand still."""

    def give_up(number, frame):
        raise TimeoutError(f"not done within {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def cluster():
    """Two workers on this machine."""
    import distributed

    with (
        in_time(240),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=100
        ) as cluster,
    ):
        yield cluster


@pytest.mark.thorough
@ON_CLUSTER
def test_a_killed_worker_of_a_cluster_is_named_and_its_job_repeated(tmp_path, cluster):
    found, faults = results(harmed(signal.SIGKILL, tmp_path), cluster=cluster.scheduler_address)
    assert found == SQUARES
    assert len(faults) == 1 and re.fullmatch(
        r"worker tcp\S+ \(process \d+\) died on square 2: the job is repeated", faults[0]
    )


@pytest.mark.thorough
@ON_CLUSTER
def test_a_stopped_worker_of_a_cluster_is_noticed_and_its_job_repeated(tmp_path, cluster):
    found, faults = results(harmed(signal.SIGSTOP, tmp_path), cluster=cluster.scheduler_address)
    assert found == SQUARES
    assert len(faults) == 1 and "has hung for" in faults[0] and "square 2: the job is repeated" in faults[0]


@pytest.mark.slow
@ON_CLUSTER
def test_a_worker_of_a_cluster_that_is_given_a_job_and_never_begins_is_noticed(cluster):
    import distributed

    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        stopped = next(iter(client.run(os.getpid).values()))
    os.kill(stopped, signal.SIGSTOP)
    jobs = [Square(number, seconds=1) for number in range(6)]
    found, faults = results(jobs, cluster=cluster.scheduler_address, limits=SilenceLimits(begun=10, going_on=10))
    assert found == SQUARES
    assert len(faults) == 1 and re.fullmatch(
        r"worker tcp\S+ has hung for 1\d s on square \d: the job is repeated", faults[0]
    )
    assert not alive(stopped)


@pytest.mark.slow
@ON_CLUSTER
def test_a_stopped_worker_without_a_nanny_is_struck_off(tmp_path):
    import distributed

    with in_time(240), ExitStack() as left:
        cluster = left.enter_context(distributed.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=100))
        for _ in range(2):
            command = [sys.executable, "-m", "dask", "worker", cluster.scheduler_address, "--nthreads", "1"]
            worker = subprocess.Popen(
                [*command, "--no-nanny", "--no-dashboard"],
                cwd=tmp_path,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])},
            )
            left.callback(worker.wait)
            left.callback(worker.kill)
        found, faults = results(harmed(signal.SIGSTOP, tmp_path), cluster=cluster.scheduler_address)
    assert found == SQUARES
    assert any("has hung for" in fault and "square 2: the job is repeated" in fault for fault in faults)


@pytest.mark.thorough
@ON_CLUSTER
def test_a_job_that_comes_out_differently_on_two_workers_of_a_cluster_names_both(cluster):
    with pytest.raises(ValueError, match="came out differently") as error:
        list(run_jobs([os.getpid], 1, cluster.scheduler_address, twice=[0]))
    assert len(set(re.findall(r"worker (tcp\S+) \(process \d+\)", str(error.value)))) == 2


@pytest.mark.slow
@ON_CLUSTER
def test_a_job_that_kills_all_workers_of_a_cluster_ends_in_one_sentence(cluster):
    with pytest.raises(ValueError, match="square 2 has cost 3 workers"):
        results(harmed(signal.SIGKILL, ""), cluster=cluster.scheduler_address)


@pytest.mark.slow
@ON_CLUSTER
def test_a_job_of_a_cluster_that_is_given_up_does_not_disturb_those_before_it(cluster):
    jobs = run_jobs([Square(3, seconds=40), Square(1, 1, signal.SIGKILL)], 1, cluster.scheduler_address, [].append)
    with closing(jobs):
        assert next(jobs) == 9
        with pytest.raises(ValueError, match="square 1 has cost 3 workers"):
            next(jobs)


@pytest.mark.slow
@ON_CLUSTER
def test_table_rows_are_the_same_bytes_from_a_cluster_one_worker_of_which_is_killed(stored, cluster):
    import distributed

    killed = []

    def kill(progress):
        if not killed:
            with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
                killed.extend(client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    there = stored("two.db", 1, cluster.scheduler_address, watch=kill, on_fault=lambda sentence: None)
    assert there == stored("one.db", 1)


@pytest.mark.slow
@ON_CLUSTER
def test_a_command_writes_the_same_bytes_on_a_real_cluster_one_worker_of_which_is_killed(tmp_path):
    words = ["paper", "table2", "--quick", "--seeds", "1", "--scale", "0.001"]
    notes, store = tmp_path / "scheduler.json", tmp_path / "there.db"

    def begun(*command):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=told)
        left.callback(process.wait)
        left.callback(process.kill)
        return process

    def wait_for(seen):
        deadline = time.monotonic() + 300
        while not seen():
            assert time.monotonic() < deadline
            time.sleep(0.1)

    with ExitStack() as left, open(tmp_path / "told", "w") as told:
        dask = [sys.executable, "-m", "dask"]
        begun(*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", notes)
        wait_for(notes.exists)
        address = json.loads(notes.read_text())["address"]
        workers = [begun(*dask, "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(2)]
        there = begun(*COMMAND, *words, "--cluster", address, "--store", store, "--output", "there")
        wait_for(lambda: rows_in(store) > 20)
        workers[0].kill()
        early = rows_in(store)
        assert there.wait() == 0 and early < rows_in(store) / 2
    assert " died on " in (tmp_path / "told").read_text()
    alone = [*COMMAND, *words, "--processes", "1", "--store", tmp_path / "here.db", "--output", "here"]
    subprocess.run(alone, cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    here = {path.name: path.read_bytes() for path in (tmp_path / "here").iterdir()}
    assert "table2.json" in here and here == {path.name: path.read_bytes() for path in (tmp_path / "there").iterdir()}


def rows_in(store):
    """How many rows a store has that somebody else is writing."""
    if not store.exists():
        return 0
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as opened:
        known = opened.execute("SELECT count(*) FROM sqlite_master WHERE name = 'rows'").fetchone()[0]
        return opened.execute("SELECT count(*) FROM rows").fetchone()[0] if known else 0


@pytest.mark.thorough
@ON_CLUSTER
def test_a_program_on_a_cluster_plays_the_games_it_plays_here(cluster, tmp_path):
    import numpy as np

    from fogspiel.runs.programs import find_program
    from fogspiel.tuning.programs.contest import Scale
    from fogspiel.tuning.programs.parameters import Parameters

    file = tmp_path / "dice.py"
    file.write_text("def play(a, b, seed):\n    return (seed * a['x'] > seed * b['x'] + seed % 3) / 1\n")
    named, space = (
        find_program("function", f"{file}:play", Scale()),
        Parameters.of({"x": {"start": 1}, "y": {"start": 0}}),
    )
    vectors, scores = np.random.default_rng(1).standard_normal((2, 20, 2)), []
    for address in (None, cluster.scheduler_address):
        with closing(named.open(space, Scale(), 2, 20.0, address)) as program:
            scores.append(program.match(*vectors).scores(7, 0, 20).tolist())
    assert scores[0] == scores[1] and len({tuple(row) for row in scores[0]}) > 1
    file.write_text("def play(a, b, seed):\n    return 7\n")
    program = named.open(space, Scale(), 2, 20.0, cluster.scheduler_address)
    with closing(program), pytest.raises(ValueError, match="has gone wrong 3 times"):
        program.match(*vectors).scores(7, 0, 1)


@pytest.mark.thorough
@ON_CLUSTER
def test_seeds_tournaments_and_diagnoses_are_the_same_on_a_cluster(cluster, answer, refused, tmp_path):
    def answers(place, *more):
        store = ("--store", tmp_path / f"{place}.db")
        yield answer("tune", "pig", "--method", "iterative", "--games", 4000, "--seeds", 2, *more, *store)
        yield answer("tune", "pig", "--method", "iterative", "--games", 4000, *store)
        tables = ("--output", tmp_path / "tables")
        yield answer("round-robin", "pig", "hold20", "pig-2", "1.5", "--games", 400, *more, *store, *tables)
        small = ("--games", 5000, "--report-games", 200, "--pair-games", 100, *tables)
        yield answer("diagnose", "pig-2", *small, *more, *store)

    there = ("--cluster", cluster.scheduler_address)
    assert list(answers("there", *there)) == list(answers("here", "--processes", 1))
    refused("round-robin", "kuhn", "uniform", "solved", *there, because="solved is known on this machine only")


@pytest.mark.thorough
@ON_CLUSTER
def test_jobs_that_nobody_waits_for_are_broken_off_so_that_others_are_done(cluster):
    with closing(run_jobs([Square(1), *([waits] * 4)], 1, cluster.scheduler_address)) as jobs:
        assert next(jobs) == 1
    found, _ = results([Square(n) for n in range(6)], cluster=cluster.scheduler_address)
    assert found == SQUARES


def waits():
    while True:
        time.sleep(0.1)
        beat()


@pytest.mark.thorough
@ON_CLUSTER
def test_a_worker_with_another_version_is_refused(cluster, monkeypatch):
    from fogspiel.process import dask_crew as ours

    real = ours.versions()
    monkeypatch.setattr(ours, "versions", lambda: real | {"fogspiel": "9.9"})
    with pytest.raises(ValueError, match=r"has fogspiel \S+, but this is fogspiel 9\.9"):
        results([Square(1)], cluster=cluster.scheduler_address)


@ON_CLUSTER
@pytest.mark.slice("papers")
def test_a_wrong_address_is_refused_and_nothing_is_written(refused, monkeypatch, tmp_path):
    monkeypatch.setattr("fogspiel.process.dask_crew.ANSWER", 0.5)
    for wrong in ("tcp://127.0.0.1:1", "nowhere", "smoke://signal"):
        refused("paper", "table2", "--quick", "--cluster", wrong, because=("no Dask scheduler answers", wrong))
    assert not (tmp_path / "runs.db").exists()


@pytest.mark.slice("papers")
def test_a_missing_extra_is_named(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    refused(
        "paper", "table2", "--quick", "--cluster", "tcp://127.0.0.1:8786", because="pip install 'fogspiel[cluster]'"
    )
