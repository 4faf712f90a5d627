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
from collections.abc import Iterator
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

from .heartbeat import Silence, run_job
from .jobs import PLACE, Crew

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
