"""Independent jobs on several processes or on a cluster, with results in the order of the jobs.

A job is a callable without arguments that can be pickled, whose result depends on nothing else; `str(job)` is what it
is called. Workers die and hang: that is noticed, said in one sentence, and the job is repeated, so the results are
those of one process. A job that runs for long should call `beat` at least every few seconds. Machines also compute
wrongly: jobs that are named to be done twice are, by two workers where there are two, and must come out the same.
"""

import platform
import sys
from collections import Counter
from collections.abc import Callable, Collection, Generator, Hashable, Sequence
from typing import Any, TypeVar

from .heartbeat import SilenceLimits, beat

__all__ = ["SilenceLimits", "beat", "run_jobs", "say"]

T = TypeVar("T")
USUAL_LIMITS = SilenceLimits()
ATTEMPTS = 3  # so often may a job go wrong
PLACE = platform.node() or "this machine"


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
    """Yield the results of the jobs, in their order, each as soon as it and all before it are there; close it to stop.

    They are worked out in this process if there is to be one only, else in that many others, or by the workers of the
    Dask scheduler whose address is `cluster`. An error in a job is raised when its turn has come. The jobs whose
    numbers are in `twice` are done twice; where they come out differently, that is an error.
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
        from .local_crew import LocalCrew, work_folder

        with work_folder() as folder:
            yield from LocalCrew(folder, min(processes, len(jobs)), jobs, on_fault, limits, checks).results()


class RetryRule:
    """The rule for what goes wrong: a job is repeated, and given up the third time."""

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
    """The jobs that are done twice, so that a machine that computes wrongly is found out, and their first results."""

    def __init__(self, jobs: Sequence[Callable[[], Any]], twice: Collection[int]) -> None:
        self.jobs, self.left = jobs, set(twice)
        self._first: dict[int, tuple[str, Any]] = {}

    def stands(self, number: int, worker: str, result: Any) -> bool:
        """True if a result can be used, False if its job must be done again; a ValueError if it came out otherwise."""
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


class Crew:
    """Workers at jobs: one rule for lost workers, hanging ones and doubtful results, wherever the workers are."""

    def __init__(
        self,
        jobs: Sequence[Callable[[], Any]],
        on_fault: Callable[[str], None],
        limits: SilenceLimits,
        checks: CrossCheck,
    ) -> None:
        self.jobs, self.on_fault, self.limits, self.checks = jobs, on_fault, limits, checks
        self.retries = RetryRule(on_fault)
        self.before: dict[int, Any] = {}  # the workers that have done jobs which others must do again
        self._finished: dict[int, Any] = {}

    def results(self) -> Generator[Any, None, None]:
        """Yield the results in the order of the jobs; an error of a job is raised when its turn has come."""
        try:
            self.begin()
            for number in range(len(self.jobs)):
                while number not in self._finished:
                    self.go_on()
                result = self._finished.pop(number)
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            self.stop()

    def begin(self) -> None:
        """Hand out jobs, where that is done at once."""

    def go_on(self) -> None:
        """Wait until something has happened, and look after the workers."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the work on all jobs that are not done."""
        raise NotImplementedError

    def repeat(self, number: int) -> None:
        """Have a job done again."""
        raise NotImplementedError

    def finish(self, number: int, result: Any) -> None:
        """Keep the result of a job, or the error that ends it."""
        self._finished[number] = result

    def take(self, number: int, name: str, worker: Any, result: Any) -> None:
        """Keep the result of a worker, or have another one do the job again."""
        try:
            stands = self.checks.stands(number, name, result)
        except ValueError as error:
            return self.finish(number, error)
        if stands:
            return self.finish(number, result)
        self.before[number] = worker
        return self.repeat(number)

    def lose(self, number: int, sentence: str = "") -> bool:
        """Take leave of the worker at a job, which is given up if too many were lost with it; True if it is not."""
        again = self.retries.repeats(number, f"{sentence} {self.jobs[number]}" if sentence else "")
        if not again:
            message = (
                f"{self.jobs[number]} has cost {ATTEMPTS} workers, so it is given up: see whether there is memory "
                "enough for it, then go on; what was done before is kept"
            )
            self.finish(number, ValueError(message))
        return again
