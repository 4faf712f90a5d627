"""Independent jobs on several processes or on a cluster, with results in the order of the jobs.

A job is a callable without arguments that can be pickled, whose result depends on nothing else; `str(job)` is what it
is called. Workers die and hang: that is noticed, said in one sentence, and the job is repeated, so the results are
those of one process. A job that runs for long should call `beat` at least every few seconds. Machines also compute
wrongly: jobs that are named to be done twice are, by two workers where there are two, and must come out the same.
"""

import sys
from collections.abc import Callable, Collection, Generator, Sequence
from typing import TypeVar

from ...core.heartbeat import SilenceLimits, beat
from .cross_check import PLACE, CrossCheck

__all__ = ["SilenceLimits", "beat", "run_jobs", "say"]

T = TypeVar("T")
USUAL_LIMITS = SilenceLimits()


def say(sentence: str) -> None:
    """Print a sentence on stderr."""
    print(sentence, file=sys.stderr, flush=True)


def run_jobs(
    jobs: Sequence[Callable[[], T]],
    processes: int,
    cluster: str | None = None,
    on_fault: Callable[[str], None] = say,
    limits: SilenceLimits = USUAL_LIMITS,
    twice: Collection[int] = (),
) -> Generator[T, None, None]:
    """The results of the jobs, in their order, each as soon as it and all before it are there; close it to stop.

    They are worked out in this process if there is to be one only, else in that many others, or by the workers of the
    Dask scheduler whose address is `cluster`. An error in a job is raised when its turn has come. The jobs whose
    numbers are in `twice` are done twice; where they come out differently, that is an error.
    """
    checks = CrossCheck(jobs, twice)
    if cluster is not None:
        from .cluster import run_on_cluster

        yield from run_on_cluster(jobs, cluster, on_fault, limits, checks)
    elif min(processes, len(jobs)) < 2:
        for number, job in enumerate(jobs):
            while not checks.stands(number, f"this process on {PLACE}", result := job()):
                pass
            yield result
    else:
        from .local import run_on_processes

        yield from run_on_processes(jobs, min(processes, len(jobs)), on_fault, limits, checks)
