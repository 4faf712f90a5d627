"""Heartbeats of jobs, the limits of silence after which a worker counts as hanging, and memory limits."""

import functools
import math
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..core.compile import Hooks

# The heartbeats of a job: it is about to compile (as every job is at first), or it makes progress. The others are of
# its process, while the job is silent: its thread computes or waits for a processor, as while it compiles; or not.
BEGUN, GOES_ON, BUSY, IDLE = b"b", b".", b"c", b"i"
APART = 1.0  # seconds between two reported heartbeats
LOOK_APART = 2 * APART  # seconds, at least, between two looks at a silent job
COMPUTES = 0.01  # seconds of work or of waiting for a processor between two of them, from which a thread is at work
MOST_SILENT = 3600.0  # CPU seconds without a beat after which a job counts as an endless loop


class _Here(threading.local):
    tell: Callable[[bytes], object] | None = None
    told = -math.inf
    sign = BEGUN
    compiles = False
    pulse: "Pulse | None" = None


class Pulse(threading.Thread):
    """Thread that reports, while a job is silent, if the thread of the job is at work.

    Only reported idleness counts against a job. On a busy machine the reports are late together with the job.
    """

    def __init__(
        self, tell: Callable[[bytes], object], clock: Callable[[], float], waited: Callable[[], float]
    ) -> None:
        super().__init__(daemon=True)
        self.tell, self.clock, self.waited = tell, clock, waited
        self.beaten, self.over = threading.Event(), threading.Event()
        self.began = clock()
        self.looked = self.began + waited()

    def run(self) -> None:
        with suppress(OSError, InterruptedError):  # the job has ended, or was cancelled
            while not self.over.wait(LOOK_APART):
                self.look()

    def look(self) -> None:
        computed = self.clock()
        before, self.looked = self.looked, computed + self.waited()
        if self.beaten.is_set():
            self.began = computed
            self.beaten.clear()
        else:
            works = self.looked - before >= COMPUTES and computed - self.began < MOST_SILENT
            self.tell(BUSY if works else IDLE)


def cpu_clock() -> Callable[[], float]:
    """Return the clock of this thread's CPU seconds for others to read; that of the process where there is none."""
    if sys.platform == "linux":
        return functools.partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))
    return time.process_time


def waiting_seconds(thread: int) -> float:
    """Return the time for which a thread (of a process: the main one) was ready to run and did not; 0 if unknown."""
    try:
        with open(f"/proc/{thread}/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


_here = _Here()


def beat() -> None:
    """Send a heartbeat; does nothing outside a worker, nor within a second of the last one."""
    if _here.tell is not None and time.monotonic() - _here.told >= APART:
        _here.told, _here.sign = time.monotonic(), GOES_ON
        if _here.pulse is not None:
            _here.pulse.beaten.set()
        _here.tell(GOES_ON)


def run_job(payload: bytes, tell: Callable[[bytes], object]) -> Any:
    """Return the result of a pickled job, whose heartbeats go to `tell`."""
    waited = functools.partial(waiting_seconds, threading.get_native_id())
    _here.tell, _here.told, _here.sign, _here.pulse = tell, -math.inf, BEGUN, Pulse(tell, cpu_clock(), waited)
    try:
        tell(BEGUN)
        _here.pulse.start()
        return pickle.loads(payload)()
    finally:
        _here.pulse.over.set()
        _here.tell = _here.pulse = None


@contextmanager
def compiling() -> Iterator[None]:
    """Claim the longer silence limit of compilation, until the outermost kernel is compiled."""
    if _here.compiles or _here.tell is None:
        yield
        return
    _here.compiles = True
    _here.tell(BEGUN)
    try:
        yield
    finally:
        _here.compiles = False
    _here.tell(_here.sign)


Hooks.around = compiling


class SilenceLimits(NamedTuple):
    """Seconds of reported idleness after which a worker counts as hanging, before and after the job's first beat."""

    begun: float = 300.0
    going_on: float = 25.0
    absent: float = 60.0  # seconds without any sign of a process that has given one; before, it is `begun`

    @property
    def look(self) -> float:
        return min(1.0, self.going_on / 5)


@dataclass
class Silence:
    limits: SilenceLimits
    signs: int = 0
    last: bytes = BEGUN
    idle: float = 0.0
    absent: float = 0.0

    def hear(self, sign: bytes) -> None:
        self.signs, self.absent = self.signs + 1, 0.0
        self.idle = self.idle + LOOK_APART if sign == IDLE else 0.0
        if sign in (BEGUN, GOES_ON):
            self.last = sign

    def endure(self, seconds: float) -> bool:
        """Wait, and return True if the silence is too long; time in which the listener itself slept does not count."""
        self.absent += min(seconds, 2 * self.limits.look)
        most = self.limits.absent if self.signs else self.limits.begun
        return self.absent > most or self.idle > (self.limits.begun if self.last == BEGUN else self.limits.going_on)

    @property
    def seconds(self) -> float:
        return max(self.idle, self.absent)


# A memory limit enforced by the operating system; exceeding it becomes an error message.

SPARE = 0.25  # GiB for the libraries and kernels that are loaded meanwhile


@contextmanager
def limit_memory(
    gibibytes: float,
    what: str = "the solve",
    advice: str = "raise --memory, try --method pcfr+, or solve a smaller game",
) -> Iterator[None]:
    """Limit the memory that the block may allocate to that many GiB, where the system can enforce it."""
    try:
        import resource

        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
        taken = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:"))
    except (ImportError, OSError):  # a system without such a limit or without the current usage
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = taken + int((gibibytes + SPARE) * 2**30)
    if before[1] != resource.RLIM_INFINITY:
        most = min(most, before[1])
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    except MemoryError:
        raise ValueError(f"{what} needs more than {gibibytes:g} GiB: {advice}") from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
