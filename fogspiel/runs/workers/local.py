"""Jobs on several processes of this machine: loky's, each with an executor of its own.

`joblib.Parallel` stops all its processes when one of them dies, and does not say which, or with which job. With one
process for each executor, the others go on, and it is known what was lost.
"""

import os
import shutil
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from uuid import uuid4

from joblib.externals.loky import BrokenProcessPool, ProcessPoolExecutor
from joblib.externals.loky.backend import resource_tracker
from joblib.externals.loky.backend.reduction import dumps

from ...core.heartbeat import DEATHS, Silence, SilenceLimits, run_job, worker_loss_error
from .cross_check import PLACE, CrossCheck

FOR_ALL = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
"""What a terminal sends to a command and to its workers alike."""
INTERRUPTIONS = {*FOR_ALL, signal.SIGTERM}
FOLDER_PREFIX = "fogspiel-"
PARENT_SECONDS = 2.0
"""How often a worker looks whether its parent is still there."""


@dataclass
class Post:
    """A worker at a job."""

    executor: Any
    number: int
    file: Path
    """Holds the number of the worker's process, and a character for every sign of life."""
    silence: Silence

    def look(self) -> None:
        """See whether there have been signs of life."""
        signs = self.file.read_bytes() if self.file.exists() else b""
        self.silence.hear(len(signs), signs[-1:])

    @property
    def worker(self) -> str:
        """What the worker is called."""
        signs = self.file.read_text(encoding="ascii") if self.file.exists() else ""
        process = signs.rstrip("b.")
        return f"worker {process}" if process else "a worker that had not yet begun"


def run_on_processes(
    jobs: Sequence[Callable[[], Any]],
    processes: int,
    on_fault: Callable[[str], None],
    limits: SilenceLimits,
    checks: CrossCheck,
) -> Iterator[Any]:
    """The results of the jobs in their order, from that many processes."""
    with work_folder() as folder:
        crew = _Crew(jobs, processes, on_fault, limits, checks, folder)
        try:
            for number in range(len(jobs)):
                while number not in crew.finished:
                    crew.go_on()
                yield crew.finished.pop(number).result()
        finally:
            crew.stop()


class _Crew:
    """The workers, what they are at, and what is left to do."""

    def __init__(
        self,
        jobs: Sequence[Callable[[], Any]],
        processes: int,
        on_fault: Callable[[str], None],
        limits: SilenceLimits,
        checks: CrossCheck,
        folder: Path,
    ) -> None:
        self.jobs, self.processes, self.on_fault, self.limits, self.folder = jobs, processes, on_fault, limits, folder
        self.checks = checks
        self.left = deque(range(len(jobs)))
        self.idle: list[Any] = []
        self.before: dict[int, Any] = {}
        """Who has done a job that is to be done again by somebody else."""
        self.posts: dict[Future[Any], Post] = {}
        self.deaths = [0] * len(jobs)
        self.finished: dict[int, Future[Any]] = {}

    def go_on(self) -> None:
        """Keep every worker busy, and wait until something has happened or it is time to look after them."""
        while len(self.posts) < self.processes and (number := self._next()) is not None:
            self._assign(number)
        began = time.monotonic()
        ready, _ = wait(self.posts, timeout=self.limits.look, return_when=FIRST_COMPLETED)
        for future in ready:
            post = self.posts.pop(future)
            if isinstance(future.exception(), BrokenProcessPool):
                self._lose(post, "died on")
            else:
                self._take(post, future)
                self.idle.append(post.executor)
                post.file.unlink(missing_ok=True)
        passed = time.monotonic() - began
        for future, post in list(self.posts.items()):
            post.look()
            if post.silence.endure(passed) and not future.done():
                del self.posts[future]
                self._lose(post, f"has hung for {post.silence.seconds:.0f} s and was killed on")

    def stop(self) -> None:
        """Kill all workers."""
        with shelter():
            for executor in (*self.idle, *(post.executor for post in self.posts.values())):
                executor.shutdown(kill_workers=True)

    def _assign(self, number: int) -> None:
        file = self.folder / f"{number}-{self.deaths[number]}"
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

    def _take(self, post: Post, future: Future[Any]) -> None:
        """Take what a job has come to, and have it done again if it is to be."""
        if future.exception() is None:
            try:
                if not self.checks.stands(post.number, f"{post.worker} on {PLACE}", future.result()):
                    self.before[post.number] = post.executor
                    self.left.appendleft(post.number)
                    return
            except ValueError as error:
                future = Future()
                future.set_exception(error)
        self._finish(post.number, future)

    def _lose(self, post: Post, fate: str) -> None:
        """Take leave of a worker; its job is the next to be done, unless too many were lost with it."""
        number, worker = post.number, post.worker
        with shelter():
            post.executor.shutdown(kill_workers=True)
        self.deaths[number] += 1
        again = self.deaths[number] < DEATHS
        self.on_fault(f"{worker} {fate} {self.jobs[number]}: the job is {'repeated' if again else 'given up'}")
        if again:
            self.left.appendleft(number)
        else:
            failed: Future[Any] = Future()
            failed.set_exception(worker_loss_error(self.jobs[number]))
            self._finish(number, failed)

    def _finish(self, number: int, future: Future[Any]) -> None:
        self.finished[number] = future
        if future.exception() is not None:  # what comes after it will not be asked for
            self.left = deque(other for other in self.left if other < number)


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
