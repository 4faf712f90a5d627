"""Jobs on a Dask cluster.

joblib's own Dask backend returns results in order and survives a killed worker, but hides the assignment of jobs to
workers: a hanging worker could be neither found nor named. So this module talks to the scheduler by `distributed`
directly.
"""

import logging
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from joblib.externals.loky.backend.reduction import dumps

from .. import __version__
from .heartbeat import Silence, run_job
from .jobs import DEFAULT_LIMITS, Crew, CrossCheck

ANSWER = 10.0  # seconds within which the scheduler must answer, and the nanny of a hanging worker replace it
FETCH = 1.0  # seconds to wait for a finished result on a worker that may have exited meanwhile


@cache  # reading the metadata takes milliseconds, and every job carries them
def versions() -> dict[str, str]:
    return {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "fogspiel": __version__,
        **{name: version(name) for name in ("numpy", "numba")},
    }


@dataclass
class Post:
    address: str
    worker: str
    silence: Silence


def check(address: str) -> None:
    with connect(address):
        pass


@contextmanager
def connect(address: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("a cluster needs Dask: pip install 'fogspiel[cluster]'") from None
    with silence_logs():
        try:
            client = Client(address, timeout=ANSWER, set_as_default=False)
        except (OSError, ValueError, TimeoutError, ImportError) as error:
            raise ValueError(
                f"no Dask scheduler answers at {address!r} ({type(error).__name__}): start one with `dask scheduler`, "
                "and give the address that it prints, such as tcp://127.0.0.1:8786"
            ) from None
        try:
            yield client
        finally:
            with suppress(OSError, TimeoutError):
                client.close(timeout=FETCH)


@contextmanager
def silence_logs() -> Iterator[None]:
    """Suppress distributed's log of lost connections, which are reported as faults of jobs."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@contextmanager
def open_crew(address: str, on_fault: Callable[[str], None]) -> "Iterator[DaskCrew]":
    """Open a crew whose jobs are added one by one; all of them share one client."""
    with connect(address) as client:
        crew = DaskCrew(client, address, (), on_fault, DEFAULT_LIMITS, CrossCheck((), ()))
        try:
            crew.begin()
            yield crew
        finally:
            crew.stop()


class DaskCrew(Crew):
    def __init__(self, client: Any, address: str, *work: Any) -> None:
        super().__init__(*work)
        self.client, self.address, self.name = client, address, f"fogspiel-{uuid4().hex[:12]}"
        self.news: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self.futures: dict[int, Any] = {}
        self.posts: dict[int, Post] = {}
        self.replaced: set[str] = set()
        self.looked, self.alone, self.added = monotonic(), False, len(self.jobs)

    def begin(self) -> None:
        """Submit all jobs; the scheduler assigns the first ones first."""
        self.client.subscribe_topic(self.name, lambda event: self.news.put(("sign", event[1])))
        self.client.subscribe_topic("all", lambda event: self.news.put(("all", event[1])))
        for number in self.jobs:
            self.repeat(number)

    def add(self, job: Callable[[], Any]) -> int:
        """Submit one more job; return its number."""
        number, self.added = self.added, self.added + 1
        self.jobs[number] = job
        self.repeat(number)
        return number

    def drop(self, numbers: Iterable[int]) -> None:
        """Cancel jobs whose results are not wanted any more."""
        dropped = [self.futures.pop(number, None) for number in numbers]
        for number in numbers:
            self.posts.pop(number, None)
            self.jobs.pop(number, None)
            self._finished.pop(number, None)
        self.client.cancel([future for future in dropped if future is not None], force=True)

    @property
    def threads(self) -> int:
        """The number of jobs that the workers can do at once."""
        return sum(self.client.nthreads().values())

    def go_on(self) -> None:
        """Handle the next event, or check the workers if there is none."""
        try:
            kind, what = self.news.get(timeout=self.limits.look)
        except Empty:
            kind, what = "", None
        if kind == "sign":
            self._hear(*what)
        elif kind == "done":
            self._fetch(what)
        elif kind == "all" and what["action"] == "remove-worker":
            self._part(what["worker"], what.get("processing-tasks", ()))
        if monotonic() - self.looked >= self.limits.look:
            self._look_after(monotonic() - self.looked)
            self.looked = monotonic()

    def stop(self) -> None:
        """Cancel all unfinished jobs; workers notice at their next heartbeat."""
        with suppress(Exception):
            self.client.cancel(list(self.futures.values()), force=True)

    def repeat(self, number: int) -> None:
        self.posts.pop(number, None)
        others = self._others(self.before[number]) if number in self.before else None
        self.futures[number] = self.client.submit(
            attend, bytes(dumps(self.jobs[number])), self.name, number, versions(),
            key=f"{self.name}-{number}-{uuid4().hex[:6]}", pure=False, priority=-number,
            workers=others or None, allow_other_workers=bool(others),
        )  # fmt: skip
        self.futures[number].add_done_callback(lambda future: self.news.put(("done", number)))

    def _others(self, address: str) -> list[str]:
        """Return the workers on other machines than that worker's, or else the remaining ones on its own."""
        known = [other for other in self.client.nthreads() if other != address]
        machine = urlsplit(address).hostname
        return [other for other in known if urlsplit(other).hostname != machine] or known

    def _hear(self, number: int, address: str, worker: str, sign: bytes) -> None:
        if number in self.futures:
            if number not in self.posts or self.posts[number].worker != worker:
                self.posts[number] = Post(address, worker, Silence(self.limits))
            self.posts[number].silence.hear(sign)

    def _fetch(self, number: int) -> None:
        from distributed import KilledWorker

        future = self.futures.get(number)
        if future is None:  # the job was given up
            return None
        if future.status == "cancelled":
            raise self._gone()
        # A result that is late was on a lost worker, whose job the scheduler repeats, or is still in transfer.
        with suppress(TimeoutError):
            if future.status == "error":
                error = future.exception(timeout=FETCH)
                if not isinstance(error, KilledWorker):
                    return self.finish(number, error)
                # The scheduler has lost four workers with it, though it may only have been queued behind the culprit.
                return self.repeat(number) if self.lose(number) else None
            if future.status == "finished":
                address, worker, result = future.result(timeout=FETCH)
                return self.take(number, worker, address, result)
        future.add_done_callback(lambda future: self.news.put(("done", number)))
        return None

    def finish(self, number: int, result: Any) -> None:
        absent = isinstance(result, ImportError | AttributeError) and "fogspiel" in str(result)
        if absent or (isinstance(result, RuntimeError) and "deserialization of the task graph" in str(result)):
            result = ValueError(
                f"the scheduler at {self.address} or one of its workers does not have fogspiel {__version__}: "
                "install it there"
            )
        super().finish(number, result)
        del self.futures[number]
        self.posts.pop(number, None)

    def _part(self, address: str, tasks: Iterable[str]) -> None:
        """Handle a worker that has left the cluster: report it if it had a job of this crew."""
        lost = [number for number, post in self.posts.items() if post.address == address]
        for number in lost:
            self._lose(number, "died on")
        if not lost and address not in self.replaced and any(str(key).startswith(self.name) for key in tasks):
            self.on_fault(f"worker {address} died before it said what it was at: its jobs are repeated")

    def _lose(self, number: int, fate: str) -> None:
        """Drop a worker; the scheduler repeats its job, unless too many were lost with it."""
        future, worker = self.futures[number], self.posts.pop(number).worker
        if not self.lose(number, f"{worker} {fate}"):
            self.client.cancel([future], force=True)

    def _look_after(self, passed: float) -> None:
        """Replace hanging workers, and report when there are none left."""
        if self.client.status in ("closing", "closed"):
            raise self._gone()
        try:
            given, alone = self.client.processing(), not self.client.nthreads()
        except OSError:
            raise self._gone() from None
        self._watch_silent(given)
        for number, post in list(self.posts.items()):
            if post.silence.endure(passed) and number in self.posts:
                self._replace(number, post)
        if alone and not self.alone:
            self.on_fault(f"the cluster at {self.address} has no workers: waiting for one (`dask worker ADDRESS`)")
        self.alone = alone

    def _watch_silent(self, given: Mapping[str, Iterable[str]]) -> None:
        """Apply the silence limits also to workers that have been assigned a job but have sent no heartbeat."""
        numbers = {future.key: number for number, future in self.futures.items()}
        for number, post in list(self.posts.items()):
            if not post.silence.signs and self.futures[number].key not in given.get(post.address, ()):
                del self.posts[number]  # given to another worker meanwhile
        busy = {post.address for post in self.posts.values()}
        for address, keys in given.items():
            if address not in busy and keys and all(key in numbers for key in keys):
                first = min(numbers[key] for key in keys)
                self.posts.setdefault(first, Post(address, f"worker {address}", Silence(self.limits)))

    def _replace(self, number: int, post: Post) -> None:
        """Replace a worker that hangs at that job, or at another one if it only stores this job's result."""
        there = [other for other, known in self.posts.items() if known.address == post.address]
        at_work = [other for other in there if self.futures[other].status != "finished"]
        culprit = number if number in at_work or not at_work else max(at_work)
        seconds = post.silence.seconds
        self._lose(culprit, f"has hung for {seconds:.0f} s on")
        for other in there:
            self.posts.pop(other, None)
        self.replaced.add(post.address)
        try:
            # Its nanny, where it has one, kills and restarts it; otherwise the scheduler removes it.
            self.client.sync(
                self.client.scheduler.restart_workers, workers=[post.address], timeout=ANSWER, on_error="return",
                stimulus_id=self.name,
            )  # fmt: skip
        except (OSError, TimeoutError):
            if culprit in self.futures:  # so that it is tried again
                self.posts[culprit] = Post(post.address, post.worker, Silence(self.limits))

    def _gone(self) -> ValueError:
        return ValueError(f"the scheduler at {self.address} is gone: start it again, and go on; what was done is kept")


# In the worker


def attend(payload: bytes, name: str, number: int, wanted: dict[str, str]) -> tuple[str, str, Any]:
    """Execute a job with its heartbeats as events; return the worker's address, its name and the result.

    A job that is no longer wanted is aborted.
    """
    from distributed import get_worker

    here, worker = versions(), get_worker()
    for what in wanted:
        if here[what] != wanted[what]:
            raise ValueError(
                f"worker {worker.address} has {what} {here[what]}, but this is {what} {wanted[what]}: results may "
                "differ, so install the same there"
            )
    key, called = worker.get_current_task(), f"worker {worker.address} (process {os.getpid()})"

    def tell(sign: bytes) -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            raise InterruptedError(f"job {number} was cancelled")
        worker.log_event(name, (number, worker.address, called, sign))

    return worker.address, called, run_job(payload, tell)
