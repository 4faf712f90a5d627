"""Independent jobs on several processes or on a cluster, with results in the order of the jobs.

A job is a picklable callable without arguments whose result depends on nothing else; `str(job)` is its name. Workers
that exit or hang are detected and reported, and their jobs repeated, so the results are those of one process. A long
job should call `beat` at least every few seconds. To detect machines that compute wrongly, jobs can be named to be done
twice, by two workers where there are two; both results must agree.
"""

import os
import platform
import shutil
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
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

from .heartbeat import Silence, SilenceLimits, beat, run_job, say

__all__ = ["SilenceLimits", "beat", "run_jobs", "say"]

T = TypeVar("T")
DEFAULT_LIMITS = SilenceLimits()
ATTEMPTS = 3  # failures after which a job is given up
PLACE = platform.node() or "this machine"


def run_jobs(
    jobs: Sequence[Callable[[], T]],
    processes: int,
    cluster: str | None = None,
    on_fault: Callable[[str], None] = say,
    limits: SilenceLimits = DEFAULT_LIMITS,
    twice: Collection[int] = (),
) -> Generator[T, None, None]:
    """Yield the results of the jobs, in their order, each as soon as it and all before it are there; close it to stop.

    The jobs run in this process if `processes` is 1, else in that many others, or on the workers of the Dask scheduler
    at the address `cluster`. An error in a job is raised when its turn has come. The jobs whose numbers are in `twice`
    are done twice; different results are an error.
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
    """Retry rule: a job is repeated after a failure, and given up after the third."""

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
    """The jobs that are done twice, to detect a machine that computes wrongly, and their first results."""

    def __init__(self, jobs: Sequence[Callable[[], Any]], twice: Collection[int]) -> None:
        self.jobs, self.left = jobs, set(twice)
        self._first: dict[int, tuple[str, Any]] = {}

    def stands(self, number: int, worker: str, result: Any) -> bool:
        """True if a result can be used, False if its job must be repeated; raise a ValueError if results differ."""
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


class Crew(ABC):
    """Workers at jobs: one rule for lost workers, hanging ones and doubtful results, on any kind of worker."""

    def __init__(
        self,
        jobs: Sequence[Callable[[], Any]],
        on_fault: Callable[[str], None],
        limits: SilenceLimits,
        checks: CrossCheck,
    ) -> None:
        self.jobs, self.on_fault, self.limits, self.checks = dict(enumerate(jobs)), on_fault, limits, checks
        self.retries = RetryRule(on_fault)
        self.before: dict[int, Any] = {}  # the first workers of jobs that others must repeat
        self._finished: dict[int, Any] = {}

    def results(self) -> Generator[Any, None, None]:
        """Yield the results in the order of the jobs; an error of a job is raised when its turn has come."""
        try:
            self.begin()
            for number in range(len(self.jobs)):
                yield self.result(number)
        finally:
            self.stop()

    def result(self, number: int) -> Any:
        """Wait for the result of a job, which is given once."""
        while number not in self._finished:
            self.go_on()
        result = self._finished.pop(number)
        del self.jobs[number]
        if isinstance(result, BaseException):
            raise result
        return result

    def begin(self) -> None:
        """Submit jobs, where that is done at once."""

    @abstractmethod
    def go_on(self) -> None: ...

    @abstractmethod
    def stop(self) -> None: ...

    @abstractmethod
    def repeat(self, number: int) -> None: ...

    def finish(self, number: int, result: Any) -> None:
        self._finished[number] = result

    def take(self, number: int, name: str, worker: Any, result: Any) -> None:
        """Store the result of a worker, or let another one repeat the job."""
        try:
            stands = self.checks.stands(number, name, result)
        except ValueError as error:
            return self.finish(number, error)
        if stands:
            return self.finish(number, result)
        self.before[number] = worker
        return self.repeat(number)

    def lose(self, number: int, sentence: str = "") -> bool:
        """Drop the worker at a job; True if the job is repeated, False if it is given up."""
        again = self.retries.repeats(number, f"{sentence} {self.jobs[number]}" if sentence else "")
        if not again:
            message = (
                f"{self.jobs[number]} has cost {ATTEMPTS} workers, so it is given up: see whether there is memory "
                "enough for it, then go on; what was done before is kept"
            )
            self.finish(number, ValueError(message))
        return again


# Jobs on several processes of this machine: loky's, each with a separate executor.
#
# `joblib.Parallel` stops all its processes when one of them exits, without naming it or its job. With one process per
# executor, the others continue, and the lost job is known.

# Signals that a terminal sends to a command and to its workers alike.
FOR_ALL = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
INTERRUPTIONS = {*FOR_ALL, signal.SIGTERM}
FOLDER_PREFIX = "fogspiel-"
DIGITS = b"0123456789"
PARENT_SECONDS = 2.0  # interval at which a worker checks that its parent exists


@dataclass
class Post:
    executor: Any
    number: int
    file: Path  # holds the worker's process id, and a character for every heartbeat
    silence: Silence

    def look(self) -> None:
        signs = self.file.read_bytes().lstrip(DIGITS) if self.file.exists() else b""
        for place in range(self.silence.signs, len(signs)):
            self.silence.hear(signs[place : place + 1])

    @property
    def worker(self) -> str:
        signs = self.file.read_text(encoding="ascii") if self.file.exists() else ""
        process = signs.rstrip("b.ci")
        return f"worker {process}" if process else "a worker that had not yet begun"


class LocalCrew(Crew):
    def __init__(self, folder: Path, processes: int, *work: Any) -> None:
        super().__init__(*work)
        self.folder, self.processes = folder, processes
        self.left, self.idle = deque(range(len(self.jobs))), list[Any]()
        self.posts: dict[Future[Any], Post] = {}
        self.assigned = 0

    def go_on(self) -> None:
        """Give every idle worker a job, and wait for an event or the next check of the workers."""
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
        with shelter():
            for executor in (*self.idle, *(post.executor for post in self.posts.values())):
                executor.shutdown(kill_workers=True)

    def _assign(self, number: int) -> None:
        self.assigned += 1
        file = self.folder / f"{number}-{self.assigned}"
        task = (attend, bytes(dumps(self.jobs[number])), str(file))
        with shelter():  # so that Ctrl-C reaches neither a half-made executor nor its process
            before = self.before.pop(number, None)
            executor = next((executor for executor in self.idle if executor is not before), None)
            if executor is None:
                executor = _hire()
            else:
                self.idle.remove(executor)
            try:
                future = executor.submit(*task)
            except BrokenProcessPool:  # its worker exited while it was idle
                executor.shutdown()
                executor = _hire()
                future = executor.submit(*task)
            self.posts[future] = Post(executor, number, file, Silence(self.limits))

    def _next(self) -> int | None:
        """Return the first waiting job for which there is a worker other than its first one."""
        hiring = len(self.idle) + len(self.posts) < self.processes
        for number in self.left:
            if hiring or any(executor is not self.before.get(number) for executor in self.idle):
                self.left.remove(number)
                return number
        return None

    def repeat(self, number: int) -> None:
        self.left.appendleft(number)

    def finish(self, number: int, result: Any) -> None:
        super().finish(number, result)
        if isinstance(result, BaseException):  # later results will not be requested
            self.left = deque(other for other in self.left if other < number)

    def _part(self, post: Post, fate: str) -> None:
        """Drop a worker; its job is the next one, unless too many were lost with it."""
        worker = post.worker
        with shelter():
            post.executor.shutdown(kill_workers=True)
        if self.lose(post.number, f"{worker} {fate}"):
            self.repeat(post.number)


def _hire() -> Any:
    """Return an executor with one worker, which is given its parent's id: the parent may exit before it starts."""
    return ProcessPoolExecutor(1, initializer=enlist, initargs=(os.getpid(),))


@contextmanager
def work_folder() -> Iterator[Path]:
    """Create a folder that is removed even if this process is killed: loky's resource tracker outlives it."""
    folder = Path(gettempdir()) / f"{FOLDER_PREFIX}{uuid4().hex[:12]}"
    resource_tracker.register(str(folder), "folder")  # before the folder exists, so that it is never untracked
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        resource_tracker.unregister(str(folder), "folder")


@contextmanager
def shelter() -> Iterator[None]:
    """Delay Ctrl-C until the end of the block; processes started inside ignore it."""
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
    """Become a worker of that process: it alone handles Ctrl-C or a closed terminal, and stops its workers."""
    for number in FOR_ALL:
        signal.signal(number, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    """Exit when the parent has exited, during a job or between two jobs."""
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os._exit(1)


def attend(payload: bytes, file: str) -> Any:
    with open(file, "ab", buffering=0) as signs:
        signs.write(b"%d" % os.getpid())
        return run_job(payload, signs.write)
