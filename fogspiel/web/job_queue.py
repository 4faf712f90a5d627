"""Job queue of the web interface: slow work in bounded lanes, with results cached by key.

A lane is a thread with limits: computations for requests, analyses that people watch, and commands in separate
processes. Work is an iterator of results. In a lane with patience, a job that nobody has requested lately pauses after
its current result and resumes on the next request.
"""

import hashlib
import json
import logging
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from fastapi import HTTPException

from . import JsonObject
from .cache import Memory
from .run_processes import COMMAND, end_words

LOG = logging.getLogger(__name__)
Result = TypeVar("Result")
WAITING, WORKING, PAUSED, ANSWERED, REFUSED = "waiting", "working", "paused", "answered", "refused"
WAIT_SECONDS = 6.0  # how long a request waits for its result
MAX_WAITING = 8  # queued and running jobs of a lane
MAX_SECONDS = 900.0  # wall-clock limit of a command
MAX_LETTERS = 4_000_000  # limit on the output of a command
STOPPED = "the server was stopped before it had an answer"
FILE = "certificate.json"  # name of an enclosed file in the folder of a command


class Lane(NamedTuple):
    """Thread of the queue and its limits."""

    name: str
    full: str  # error message when the lane is full
    most_kept: int
    patience: float = inf  # seconds after which a job that nobody requests pauses
    failure: str = ""  # error message of every failure, which is then final; without one a failed job is restarted


COMPUTE = Lane("compute", "too many computations are queued: try again in a moment", 64)
WATCHED = Lane(
    "analysis",
    "too many games are being analysed: try again in a moment",
    16,
    patience=6.0,
    failure="this game cannot be analysed any further",
)
COMMANDS = Lane("questions", f"{MAX_WAITING} questions are waiting already: ask again in a while", 64)


class StillWorking(HTTPException):
    """Response 429 to a request whose result is not computed yet; the client repeats the request."""

    def __init__(self) -> None:
        super().__init__(429, "this is being computed: repeat the request in a few seconds", {"retry-after": "3"})


@dataclass
class Job:
    """Job of a lane: its state, its results so far, and the error that ended it."""

    lane: Lane
    results: Iterator[Any]
    state: str = WAITING
    found: list[Any] = field(default_factory=list)
    error: Exception | None = None
    asked: float = 0.0  # time of the last request for it
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def under_way(self) -> bool:
        return self.state in (WAITING, WORKING)

    @property
    def ended(self) -> bool:
        return self.state in (ANSWERED, REFUSED)

    @property
    def facts(self) -> Any:
        """Last result of a job that succeeded, else None."""
        return self.found[-1] if self.found and self.state == ANSWERED else None

    @property
    def sentence(self) -> str:
        return "" if self.error is None else self.lane.failure or str(self.error)

    def to_json(self) -> JsonObject:
        return {"state": self.state, "facts": self.facts, "sentence": self.sentence}


@dataclass(frozen=True)
class Question:
    """A command, and the file or the store that it reads, if any.

    The environment names the store: the option --store would save the question among the user's runs.
    """

    words: tuple[str, ...]
    enclosed: bytes | None = None
    store: Path | None = None

    @property
    def key(self) -> str:
        digest = hashlib.sha256(repr(self.words).encode())
        digest.update(b"\0" if self.enclosed is None else b"\1" + self.enclosed)
        return digest.hexdigest()[:32]


class JobQueue:
    """Running and cached jobs of a site."""

    def __init__(self) -> None:
        lanes = (COMPUTE, WATCHED, COMMANDS)
        self._jobs = {lane: Memory[Hashable, Job](lane.most_kept, keep=lambda job: job.under_way) for lane in lanes}
        self._threads = {lane: ThreadPoolExecutor(1, lane.name) for lane in lanes}
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def submit(self, lane: Lane, key: Hashable, begin: Callable[[], Iterable[Any]]) -> Job:
        """Return the job with this key, started or resumed if necessary; raise 429 if the lane is full."""
        with self._lock:
            jobs = self._jobs[lane]
            job = jobs.get(key)
            if job is not None and job.state == REFUSED and not lane.failure:
                job = None
            if job is None or job.state == PAUSED:
                if sum(other.under_way for other in jobs.values()) >= MAX_WAITING:
                    raise HTTPException(429, lane.full)
                job = job or Job(lane, iter(begin()))
                job.state = WAITING
                self._threads[lane].submit(self._work, job)
            job.asked = time.monotonic()
            jobs.remember(key, job)
            return job

    def _work(self, job: Job) -> None:
        job.state = WORKING
        try:
            while self._is_wanted(job):
                try:
                    job.found.append(next(job.results))
                except StopIteration:
                    job.state = ANSWERED
                    return job.done.set()
        except Exception as error:  # reported to the client; the server continues
            if job.lane.failure:
                LOG.exception("an analysis cannot go on")
            job.error, job.state = error, REFUSED
            job.done.set()

    def _is_wanted(self, job: Job) -> bool:
        """True if a job is still requested; otherwise pause it."""
        with self._lock:
            if job.lane.patience == inf:  # it never pauses: one that a stopped server has not started fails at once
                if self._closed and not job.found:
                    raise ValueError(STOPPED)
                return True
            if not self._closed and time.monotonic() < job.asked + job.lane.patience:
                return True
            job.state = PAUSED
            return False

    def compute(self, key: Hashable, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, or raise StillWorking; its errors are raised and not cached."""
        job = self.submit(COMPUTE, key, lambda: (work() for _ in range(1)))
        job.done.wait(WAIT_SECONDS)
        if job.error is not None:
            with self._lock:
                self._jobs[COMPUTE].pop(key, None)
            raise job.error
        if not job.ended:
            raise StillWorking
        found: Result = job.facts
        return found

    def watch(self, key: Hashable, begin: Callable[[], Iterable[Any]]) -> Job:
        """Return a job whose results arrive one by one while somebody requests them."""
        return self.submit(WATCHED, key, begin)

    def stop(self, keys: Callable[[Hashable], bool]) -> None:
        with self._lock:
            for key, job in self._jobs[WATCHED].items():
                if keys(key):
                    job.asked = -inf

    def ask(self, question: Question) -> str:
        """Submit a question to its command, unless its result is cached; return its key."""
        self.submit(COMMANDS, question.key, lambda: (self._run(question) for _ in range(1)))
        return question.key

    def answer(self, key: str) -> Job:
        found = self._jobs[COMMANDS].get(key)
        if found is None:
            raise HTTPException(404, "this question was not asked here, or it was forgotten: ask it again")
        return found

    def _run(self, question: Question) -> Any:
        """Return the JSON that the command prints, or raise a ValueError with its last error line."""
        store = {} if question.store is None else {"FOGSPIEL_STORE": str(question.store)}
        with (
            tempfile.TemporaryDirectory(prefix="fogspiel-") as folder,
            (Path(folder) / "answer").open("w+", encoding="utf-8") as out,
            tempfile.TemporaryFile() as errors,
        ):
            if question.enclosed is not None:
                (Path(folder) / FILE).write_bytes(question.enclosed)
            with self._lock:
                if self._closed:
                    raise ValueError(STOPPED)
                process = self._process = subprocess.Popen(
                    [*COMMAND, *question.words],
                    cwd=folder,
                    env=os.environ | store,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=errors,
                )
            try:
                code = process.wait(MAX_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise ValueError(f"no answer within {MAX_SECONDS:g} seconds: ask on the command line") from None
            if code != 0:
                raise ValueError(end_words(code, errors))
            if out.seek(0, 2) > MAX_LETTERS:
                raise ValueError("the answer is too long for a page: ask on the command line")
            out.seek(0)
            return json.load(out)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._process is not None and self._process.poll() is None:
                self._process.kill()
        for thread in self._threads.values():
            thread.shutdown(wait=False, cancel_futures=True)
