"""Independent jobs of a run: spread over processes, stored job by job, recalled where an earlier run has done them.

Rows depend on what was asked of a job alone and are stored in the order of the jobs, whatever the number of processes,
so two runs of the same request are equal byte for byte.
"""

import hashlib
import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import __version__
from ..core.untrusted_input import parse_json, read_head
from ..process.jobs import SilenceLimits, run_jobs
from .execute import Context, Recorder
from .store import Json, Run, Store, canonical

# Jobs that were repeated because a worker was lost, in a small file beside the store.
#
# The rows of a run are the same whether a worker was lost or not, so they do not tell of it. The file has a line for
# each loss and is for its owner alone; where it is missing, damaged or cannot be written, nothing is told.

REPEATED = "repeated"  # how a sentence about a worker ends whose job is done again
# What is read of the file, what is kept of a sentence, and how many reasons are given.
MOST_BYTES, MOST_LETTERS, SHOWN = 1_000_000, 300, 3


def note_repetition(store: Path, run: Run, sentence: str) -> None:
    """Keep what was said of a lost worker, if its job is repeated: one that is given up ends the run in an error."""
    if not sentence.endswith(REPEATED):
        return
    line = json.dumps({"run": run.name, "created": run.created, "reason": sentence.rpartition(": ")[0][:MOST_LETTERS]})
    with suppress(OSError):  # a full disk is not to end the work
        descriptor = os.open(_file_of(store), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(descriptor, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def repetitions(store: Path, run: Run) -> list[str]:
    """Return the reasons for repeated jobs of a run, one per repetition."""
    found = []
    with suppress(ValueError, TypeError, KeyError):
        for line in read_head(_file_of(store), "the list of repetitions", MOST_BYTES).splitlines():
            noted = parse_json(line)
            if (noted["run"], noted["created"]) == (run.name, run.created):
                found.append("".join(letter for letter in str(noted["reason"]) if letter.isprintable())[:MOST_LETTERS])
    return found


def repetition_words(reasons: list[str]) -> list[str]:
    """Describe the repeated jobs and the reasons in one sentence; None where there are none."""
    if not reasons:
        return []
    many = "1 job was repeated" if len(reasons) == 1 else f"Jobs were repeated {len(reasons)} times"
    more = [f"and {len(reasons) - SHOWN} more"] if len(reasons) > SHOWN else []
    return [f"{many}: {'; '.join([*reasons[:SHOWN], *more])}."]


def _file_of(store: Path) -> Path:
    return store.with_suffix(".repeated.jsonl")


Row = Json  # what a job was asked and what it found
WORDS = ("game", "method", "first", "second", "against")  # what tells the jobs of an experiment apart for people
ONE_IN = 50  # one in so many jobs is done twice


@dataclass(frozen=True)
class Job:
    """One piece of work: `work(**asked, **given)` returns what is stored beside `asked`."""

    name: str  # what its rows call it, whatever the function is called
    work: Callable[..., Mapping[str, Any]]
    asked: Row
    # What follows from earlier rows, and is therefore not stored again.
    given: dict[str, Any] = field(default_factory=dict)
    # True if it comes out the same whenever it is done: not where the clock decides what is played.
    repeatable: bool = True

    def __call__(self) -> Row:
        return {"job": self.name, **self.asked, **self.work(**self.asked, **self.given)}

    def __str__(self) -> str:
        words = [str(self.asked[word]) for word in WORDS if word in self.asked]
        return " ".join([self.name, *words, *([f"seed {self.asked['seed']}"] if "seed" in self.asked else [])])

    @property
    def key(self) -> str:
        """Inputs of the row, as text."""
        return canonical({"job": self.name, **self.asked})

    @property
    def done_twice(self) -> bool:
        """True if it is one of those that are done twice, to find out machines that compute wrongly."""
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
    """Return the results of a run's jobs so far."""
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
