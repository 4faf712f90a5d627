"""Independent jobs of a run: spread over processes, stored job by job, recalled where an earlier run has done them.

Rows depend on what was asked of a job alone and are stored in the order of the jobs, whatever the number of processes,
so two runs of the same request are equal byte for byte.
"""

import hashlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from .. import __version__
from ..process.jobs import SilenceLimits, run_jobs
from .repetitions import note_repetition
from .store import Json, Run, Store, canonical
from .work import Context, Recorder

Row = Json
"""What a job was asked and what it found."""
WORDS = ("game", "method", "first", "second", "against")
"""What tells the jobs of an experiment apart for people."""
ONE_IN = 50
"""One in so many jobs is done twice."""


@dataclass(frozen=True)
class Job:
    """One piece of work: `work(**asked, **given)` returns what is stored beside `asked`."""

    name: str
    """What its rows call it, whatever the function is called."""
    work: Callable[..., Mapping[str, Any]]
    asked: Row
    given: dict[str, Any] = field(default_factory=dict)
    """What follows from earlier rows, and is therefore not stored again."""
    repeatable: bool = True
    """Whether it comes out the same whenever it is done: not where the clock decides what is played."""

    def __call__(self) -> Row:
        return {"job": self.name, **self.asked, **self.work(**self.asked, **self.given)}

    def __str__(self) -> str:
        words = [str(self.asked[word]) for word in WORDS if word in self.asked]
        return " ".join([self.name, *words, *([f"seed {self.asked['seed']}"] if "seed" in self.asked else [])])

    @property
    def key(self) -> str:
        """What the row depends on, as text."""
        return canonical({"job": self.name, **self.asked})

    @property
    def done_twice(self) -> bool:
        """Whether it is one of those that are done twice, to find out machines that compute wrongly."""
        digest = hashlib.blake2b(self.key.encode(), digest_size=8).digest()
        return self.repeatable and int.from_bytes(digest, "big") % ONE_IN == 0


def earlier_runs(store: Store, method: str) -> list[Run]:
    """The intact runs of that method which this version has made."""
    names = [found.name for found in store.summaries() if found.method == method and found.state != "damaged"]
    return [run for run in map(store.read, names) if run.ask.get("fogspiel") == __version__]


def find_or_create_run(store: Store, ask: Json) -> Run:
    """The run of that request: the one that is in the store, finished or not, or else a new one."""
    for run in earlier_runs(store, ask["method"]):
        if run.ask == ask:
            return store.work_on(run.name)
    return store.create(ask)


def rows_by(rows: Sequence[Row], *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    """The rows that have the same values of some keys, by these values."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def rows_of(run: Run) -> list[Row]:
    """What the jobs of a run have found so far."""
    return [body["row"] for body in run.steps]


class JobRunner:
    """Has the jobs of one run done, and recalls what this run and earlier ones of its method have found."""

    def __init__(self, run: Run, recorder: Recorder, context: Context, limits: SilenceLimits | None = None):
        self.run, self.recorder, self.context, self.limits = run, recorder, context, limits or SilenceLimits()
        with Store.open(context.store, write=False) as store:
            earlier = earlier_runs(store, run.ask["method"])
        self.known = {body["key"]: body["row"] for known in (*earlier, run) for body in known.steps}

    def rows(self, jobs: Sequence[Job]) -> Generator[Row, None, None]:
        """The rows of the jobs in their order, each stored as a step as soon as it is there; close it to stop."""
        left, context = [job for job in jobs if job.key not in self.known], self.context
        twice = [number for number, job in enumerate(left) if job.done_twice]
        work = run_jobs(left, context.threads or 1, context.cluster, self._tell_fault, self.limits, twice)
        with closing(work) as fresh:
            for job in jobs:
                row = self.known[job.key] if job.key in self.known else next(fresh)
                self.recorder.step({"key": job.key, "row": row})
                yield row

    def _tell_fault(self, sentence: str) -> None:
        """Say what became of a worker, and keep it for the summary of the run."""
        note_repetition(self.context.store, self.run, sentence)
        self.context.on_fault(sentence)
