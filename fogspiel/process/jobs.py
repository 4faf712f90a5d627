"""Independent jobs on several processes or on a cluster, with results in the order of the jobs.

A job is a callable without arguments that can be pickled, whose result depends on nothing else; `str(job)` is what it
is called. Workers die and hang: that is noticed, said in one sentence, and the job is repeated, so the results are
those of one process. A job that runs for long should call `beat` at least every few seconds. Machines also compute
wrongly: jobs that are named to be done twice are, by two workers where there are two, and must come out the same.
"""

import os
import platform
import shutil
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any, TypeVar
from uuid import uuid4

from joblib.externals.loky import BrokenProcessPool, ProcessPoolExecutor
from joblib.externals.loky.backend import resource_tracker
from joblib.externals.loky.backend.reduction import dumps

from .heartbeat import Silence, SilenceLimits, beat, run_job

__all__ = ["SilenceLimits", "beat", "run_jobs", "say"]

T = TypeVar("T")
DEFAULT_LIMITS = SilenceLimits()
ATTEMPTS = 3  # so often may a job go wrong
PLACE = platform.node() or "this machine"


def say(sentence: str) -> None:
    """Print a sentence on stderr."""
    print(sentence, file=sys.stderr, flush=True)


def run_jobs(
    jobs: Sequence[Callable[[], T]],
    processes: int,
    cluster: str | None = None,
    on_fault: Callable[[str], None] = say,
    limits: SilenceLimits = DEFAULT_LIMITS,
    twice: Collection[int] = (),
) -> Generator[T, None, None]:
    """Yield the results of the jobs, in their order, each as soon as it and all before it are there; close it to stop.

    They are worked out in this process if there is to be one only, else in that many others, or by the workers of the
    Dask scheduler whose address is `cluster`. An error in a job is raised when its turn has come. The jobs whose
    numbers are in `twice` are done twice; where they come out differently, that is an error.
    """
    checks = CrossCheck(jobs, twice)
    if cluster is not None:
        from .dask_crew import DaskCrew, connect

        with connect(cluster) as client:
            yield from DaskCrew(client, cluster, jobs, on_fault, limits, checks).results()
    elif min(processes, len(jobs)) < 2:
        for number, job in enumerate(jobs):
            while not checks.stands(number, f"this process on {PLACE}", result := job()):
                pass
            yield result
    else:
        with work_folder() as folder:
            yield from LocalCrew(folder, min(processes, len(jobs)), jobs, on_fault, limits, checks).results()


class RetryRule:
    """The rule for what goes wrong: a job is repeated, and given up the third time."""

    def __init__(self, on_fault: Callable[[str], None] = say, noun: str = "job") -> None:
        self.on_fault, self.noun = on_fault, noun
        self._failures: Counter[Hashable] = Counter()

    def repeats(self, job: Hashable, sentence: str = "") -> bool:
        """Count and report a failure of a job; True if the job is to be repeated."""
        self._failures[job] += 1
        again = self._failures[job] < ATTEMPTS
        if sentence:
            self.on_fault(f"{sentence}: the {self.noun} is {'repeated' if again else 'given up'}")
        return again


class CrossCheck:
    """The jobs that are done twice, so that a machine that computes wrongly is found out, and their first results."""

    def __init__(self, jobs: Sequence[Callable[[], Any]], twice: Collection[int]) -> None:
        self.jobs, self.left = jobs, set(twice)
        self._first: dict[int, tuple[str, Any]] = {}

    def stands(self, number: int, worker: str, result: Any) -> bool:
        """True if a result can be used, False if its job must be done again; a ValueError if it came out otherwise."""
        if number in self.left:
            self.left.remove(number)
            self._first[number] = worker, result
            return False
        if number in self._first:
            before, known = self._first.pop(number)
            if known != result:
                raise ValueError(
                    f"{self.jobs[number]} came out differently when it was done again, first on {before}, then on "
                    f"{worker}: one of them computes wrongly. To find out which, do the same on each machine alone, "
                    "with --processes 1 and a --store of its own: the one whose rows are not those of the others is "
                    "at fault, so test its memory, and do without its results"
                )
        return True


class Crew:
    """Workers at jobs: one rule for lost workers, hanging ones and doubtful results, wherever the workers are."""

    def __init__(
        self,
        jobs: Sequence[Callable[[], Any]],
        on_fault: Callable[[str], None],
        limits: SilenceLimits,
        checks: CrossCheck,
    ) -> None:
        self.jobs, self.on_fault, self.limits, self.checks = jobs, on_fault, limits, checks
        self.retries = RetryRule(on_fault)
        self.before: dict[int, Any] = {}  # the workers that have done jobs which others must do again
        self._finished: dict[int, Any] = {}

    def results(self) -> Generator[Any, None, None]:
        """Yield the results in the order of the jobs; an error of a job is raised when its turn has come."""
        try:
            self.begin()
            for number in range(len(self.jobs)):
                while number not in self._finished:
                    self.go_on()
                result = self._finished.pop(number)
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            self.stop()

    def begin(self) -> None:
        """Hand out jobs, where that is done at once."""

    def go_on(self) -> None:
        """Wait until something has happened, and look after the workers."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the work on all jobs that are not done."""
        raise NotImplementedError

    def repeat(self, number: int) -> None:
        """Have a job done again."""
        raise NotImplementedError

    def finish(self, number: int, result: Any) -> None:
        """Keep the result of a job, or the error that ends it."""
        self._finished[number] = result

    def take(self, number: int, name: str, worker: Any, result: Any) -> None:
        """Keep the result of a worker, or have another one do the job again."""
        try:
            stands = self.checks.stands(number, name, result)
        except ValueError as error:
            return self.finish(number, error)
        if stands:
            return self.finish(number, result)
        self.before[number] = worker
        return self.repeat(number)

    def lose(self, number: int, sentence: str = "") -> bool:
        """Take leave of the worker at a job, which is given up if too many were lost with it; True if it is not."""
        again = self.retries.repeats(number, f"{sentence} {self.jobs[number]}" if sentence else "")
        if not again:
            message = (
                f"{self.jobs[number]} has cost {ATTEMPTS} workers, so it is given up: see whether there is memory "
                "enough for it, then go on; what was done before is kept"
            )
            self.finish(number, ValueError(message))
        return again


# Jobs on several processes of this machine: loky's, each with an executor of its own.
#
# `joblib.Parallel` stops all its processes when one of them dies, and does not say which, or with which job. With one
# process for each executor, the others go on, and it is known what was lost.

# What a terminal sends to a command and to its workers alike.
FOR_ALL = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
INTERRUPTIONS = {*FOR_ALL, signal.SIGTERM}
FOLDER_PREFIX = "fogspiel-"
PARENT_SECONDS = 2.0  # how often a worker looks whether its parent is still there


@dataclass
class Post:
    """A worker at a job."""

    executor: Any
    number: int
    file: Path  # holds the number of the worker's process, and a character for every sign of life
    silence: Silence

    def look(self) -> None:
        """See whether there have been signs of life."""
        signs = self.file.read_bytes() if self.file.exists() else b""
        self.silence.hear(len(signs), signs[-1:])

    @property
    def worker(self) -> str:
        """Name of the worker."""
        signs = self.file.read_text(encoding="ascii") if self.file.exists() else ""
        process = signs.rstrip("b.")
        return f"worker {process}" if process else "a worker that had not yet begun"


class LocalCrew(Crew):
    """Processes of this machine."""

    def __init__(self, folder: Path, processes: int, *work: Any) -> None:
        super().__init__(*work)
        self.folder, self.processes = folder, processes
        self.left, self.idle = deque(range(len(self.jobs))), list[Any]()
        self.posts: dict[Future[Any], Post] = {}
        self.assigned = 0

    def go_on(self) -> None:
        """Keep every worker busy, and wait until something has happened or it is time to look after them."""
        while len(self.posts) < self.processes and (number := self._next()) is not None:
            self._assign(number)
        began = time.monotonic()
        ready, _ = wait(self.posts, timeout=self.limits.look, return_when=FIRST_COMPLETED)
        for future in ready:
            post = self.posts.pop(future)
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                self._part(post, "died on")
                continue
            if error is None:
                self.take(post.number, f"{post.worker} on {PLACE}", post.executor, future.result())
            else:
                self.finish(post.number, error)
            self.idle.append(post.executor)
            post.file.unlink(missing_ok=True)
        passed = time.monotonic() - began
        for future, post in list(self.posts.items()):
            post.look()
            if post.silence.endure(passed) and not future.done():
                del self.posts[future]
                self._part(post, f"has hung for {post.silence.seconds:.0f} s and was killed on")

    def stop(self) -> None:
        """Kill all workers."""
        with shelter():
            for executor in (*self.idle, *(post.executor for post in self.posts.values())):
                executor.shutdown(kill_workers=True)

    def _assign(self, number: int) -> None:
        self.assigned += 1
        file = self.folder / f"{number}-{self.assigned}"
        task = (attend, bytes(dumps(self.jobs[number])), str(file))
        with shelter():  # so that Ctrl-C reaches neither a half-made executor nor its process
            executor = self._worker_for(number)
            try:
                future = executor.submit(*task)
            except BrokenProcessPool:  # its worker died while it was idle
                executor.shutdown()
                executor = _hire()
                future = executor.submit(*task)
            self.posts[future] = Post(executor, number, file, Silence(self.limits))

    def _next(self) -> int | None:
        """The first job that is left and for which there is a worker, another than has done it before."""
        hiring = len(self.idle) + len(self.posts) < self.processes
        for number in self.left:
            if hiring or any(executor is not self.before.get(number) for executor in self.idle):
                self.left.remove(number)
                return number
        return None

    def _worker_for(self, number: int) -> Any:
        """A worker that is idle and has not done the job before, or else a new one."""
        before = self.before.pop(number, None)
        executor = next((executor for executor in self.idle if executor is not before), None)
        if executor is None:
            return _hire()
        self.idle.remove(executor)
        return executor

    def repeat(self, number: int) -> None:
        self.left.appendleft(number)

    def finish(self, number: int, result: Any) -> None:
        super().finish(number, result)
        if isinstance(result, BaseException):  # what comes after it will not be asked for
            self.left = deque(other for other in self.left if other < number)

    def _part(self, post: Post, fate: str) -> None:
        """Take leave of a worker; its job is the next to be done, unless too many were lost with it."""
        worker = post.worker
        with shelter():
            post.executor.shutdown(kill_workers=True)
        if self.lose(post.number, f"{worker} {fate}"):
            self.repeat(post.number)


def _hire() -> Any:
    """An executor with one worker, which is told whose it is: when it looks for its parent, that may be gone."""
    return ProcessPoolExecutor(1, initializer=enlist, initargs=(os.getpid(),))


@contextmanager
def work_folder() -> Iterator[Path]:
    """A folder that is removed even if this process is killed: loky's resource tracker outlives it and its workers."""
    folder = Path(gettempdir()) / f"{FOLDER_PREFIX}{uuid4().hex[:12]}"
    resource_tracker.register(str(folder), "folder")  # before it is there, so that there is no moment without
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        resource_tracker.unregister(str(folder), "folder")


@contextmanager
def shelter() -> Iterator[None]:
    """Put off Ctrl-C until the end of the block; a process that is started inside does not hear of it."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# In the worker


def enlist(parent: int) -> None:
    """Become a worker of that process: it alone answers to Ctrl-C or a closed terminal, and stops its workers."""
    for number in FOR_ALL:
        signal.signal(number, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    """End when the parent has gone, at work or between two jobs."""
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os._exit(1)


def attend(payload: bytes, file: str) -> Any:
    """The result of a job, with its signs of life in a file."""
    with open(file, "ab", buffering=0) as signs:
        signs.write(b"%d" % os.getpid())
        return run_job(payload, signs.write)
