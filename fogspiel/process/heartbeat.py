"""Signs of life: what a job tells whoever waits for it, and when silence is too long."""

import math
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..core.compile import Hooks

# The two signs: the job is about to compile (as every job is at first), or it is past that and gets on.
BEGUN, GOES_ON = b"b", b"."
APART = 1.0  # seconds between two beats that are told


class _Here(threading.local):
    """State of this thread's job, if it is a worker's."""

    tell: Callable[[bytes], object] | None = None
    told = -math.inf
    sign = BEGUN
    compiles = False


_here = _Here()


def beat() -> None:
    """Tell that the job goes on; does nothing outside a worker, nor within a second of the last time."""
    if _here.tell is not None and time.monotonic() - _here.told >= APART:
        _here.told, _here.sign = time.monotonic(), GOES_ON
        _here.tell(GOES_ON)


def run_job(payload: bytes, tell: Callable[[bytes], object]) -> Any:
    """The result of a pickled job, whose signs of life go to `tell`."""
    _here.tell, _here.told, _here.sign = tell, -math.inf, BEGUN
    try:
        tell(BEGUN)
        return pickle.loads(payload)()
    finally:
        _here.tell = None


@contextmanager
def compiling() -> Iterator[None]:
    """Claim the patience that compilation needs, until the kernel is done for whose sake others are compiled."""
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
        """Seconds between two checks for heartbeats."""
        return min(1.0, self.going_on / 5)


@dataclass
class Silence:
    """Duration of a job's silence while it is watched."""

    limits: SilenceLimits
    signs: int = 0
    last: bytes = BEGUN
    seconds: float = 0.0

    def hear(self, signs: int, last: bytes) -> None:
        """Take note of all the signs there have been so far."""
        if signs != self.signs:
            self.signs, self.last, self.seconds = signs, last, 0.0

    def endure(self, seconds: float) -> bool:
        """Wait on, and tell whether it is too long now; while the listener slept itself, time does not count."""
        self.seconds += min(seconds, 2 * self.limits.look)
        return self.seconds > (self.limits.begun if self.last == BEGUN else self.limits.going_on)


# A memory limit that holds: the operating system refuses what goes beyond it, and that becomes a sentence.

SPARE = 0.25  # giB for the libraries and kernels that are loaded on the way


def _taken() -> int:
    """The bytes that this process has for its own data at present."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:"))


@contextmanager
def limit_memory(
    gibibytes: float,
    what: str = "the solve",
    advice: str = "raise --memory, try --method pcfr+, or solve a smaller game",
) -> Iterator[None]:
    """Let what happens inside take that many GiB and no more, where the system can enforce it."""
    try:
        import resource

        taken = _taken()
    except (ImportError, OSError):  # a system that has no such limit, or does not tell what is taken
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
