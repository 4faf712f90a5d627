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

# The heartbeats of a job: it is about to compile (as every job is at first), or it makes progress. The third one is of
# its process: the job is silent, but its thread computes, as while it compiles or thinks for long.
BEGUN, GOES_ON, BUSY = b"b", b".", b"c"
APART = 1.0  # seconds between two reported heartbeats
COMPUTES = 0.01  # CPU seconds between two of them from which a thread computes, also on a machine with load 50
MOST_SILENT = 3600.0  # CPU seconds without a beat after which a job counts as an endless loop


class _Here(threading.local):
    tell: Callable[[bytes], object] | None = None
    told = -math.inf
    sign = BEGUN
    compiles = False
    pulse: "Pulse | None" = None


class Pulse(threading.Thread):
    """Thread that reports, while a job is silent, that the thread of the job computes."""

    def __init__(self, tell: Callable[[bytes], object], clock: Callable[[], float]) -> None:
        super().__init__(daemon=True)
        self.tell, self.clock, self.beaten, self.over = tell, clock, threading.Event(), threading.Event()
        self.looked = self.began = clock()

    def run(self) -> None:
        with suppress(OSError, InterruptedError):  # the job has ended, or is not wanted any more
            while not self.over.wait(2 * APART):
                self.look()

    def look(self) -> None:
        before, self.looked = self.looked, self.clock()
        if self.beaten.is_set():
            self.began = self.looked
            self.beaten.clear()
        elif self.looked - before >= COMPUTES and self.looked - self.began < MOST_SILENT:
            self.tell(BUSY)


def cpu_clock() -> Callable[[], float]:
    """Return the clock of this thread's CPU seconds for others to read; that of the process where there is none."""
    if sys.platform == "linux":
        return functools.partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))
    return time.process_time


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
    _here.tell, _here.told, _here.sign, _here.pulse = tell, -math.inf, BEGUN, Pulse(tell, cpu_clock())
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
    """Seconds of silence after which a worker counts as hanging, before and after the job's first beat."""

    begun: float = 300.0
    going_on: float = 25.0

    @property
    def look(self) -> float:
        return min(1.0, self.going_on / 5)


@dataclass
class Silence:
    limits: SilenceLimits
    signs: int = 0
    last: bytes = BEGUN
    seconds: float = 0.0

    def hear(self, signs: int, last: bytes) -> None:
        if signs != self.signs:
            self.signs, self.last, self.seconds = signs, self.last if last == BUSY else last, 0.0

    def endure(self, seconds: float) -> bool:
        """Wait, and return True if the silence is too long; time in which the listener itself slept does not count."""
        self.seconds += min(seconds, 2 * self.limits.look)
        return self.seconds > (self.limits.begun if self.last == BEGUN else self.limits.going_on)


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
