"""A memory limit that holds: the operating system refuses what goes beyond it, and that becomes a sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
