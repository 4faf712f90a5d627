"""Independent jobs of a run: distributed over processes, stored job by job, reused from earlier runs.

Rows depend only on the inputs of a job and are stored in job order, whatever the number of processes. Two runs of the
same request are therefore byte-identical.
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
from .kind import Context, Recorder
from .kind import Progress as Progress  # plug-ins import it from here
from .store import Json, Run, Store, canonical

# Log of jobs repeated after the loss of a worker, in a small file next to the store.
#
# Rows do not depend on lost workers, so the losses are logged elsewhere. The file has a line per loss and is readable
# by its owner only. If it is missing, damaged or not writable, nothing is reported.

REPEATED = "repeated"  # last word of the message about a lost worker whose job is repeated
# Bytes read from the file, characters stored of a message, and number of reasons displayed.
MAX_BYTES, MAX_LETTERS, SHOWN = 1_000_000, 300, 3


def note_repetition(store: Path, run: Run, sentence: str) -> None:
    """Log the loss of a worker if its job is repeated; an abandoned job ends the run with an error instead."""
    if not sentence.endswith(REPEATED):
        return
    line = json.dumps({"run": run.name, "created": run.created, "reason": sentence.rpartition(": ")[0][:MAX_LETTERS]})
    with suppress(OSError):  # a full disk must not end the work
        descriptor = os.open(_file_of(store), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(descriptor, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def repetitions(store: Path, run: Run) -> list[str]:
    found = []
    with suppress(ValueError, TypeError, KeyError):
        for line in read_head(_file_of(store), "the list of repetitions", MAX_BYTES).splitlines():
            noted = parse_json(line)
            if (noted["run"], noted["created"]) == (run.name, run.created):
                found.append("".join(letter for letter in str(noted["reason"]) if letter.isprintable())[:MAX_LETTERS])
    return found


def repetition_words(reasons: list[str]) -> list[str]:
    """Describe the repeated jobs and their reasons in one sentence; return no line if there are none."""
    if not reasons:
        return []
    many = "1 job was repeated" if len(reasons) == 1 else f"Jobs were repeated {len(reasons)} times"
    more = [f"and {len(reasons) - SHOWN} more"] if len(reasons) > SHOWN else []
    return [f"{many}: {'; '.join([*reasons[:SHOWN], *more])}."]


def _file_of(store: Path) -> Path:
    return store.with_suffix(".repeated.jsonl")


Row = Json  # inputs and outputs of a job
WORDS = ("game", "method", "first", "second", "against")  # inputs that identify a job in messages
ONE_IN = 50  # one job in this many is done twice


@dataclass(frozen=True)
class Job:
    """One unit of work: `work(**inputs, **derived_inputs)` returns the outputs stored with `inputs`."""

    name: str  # name in the rows, independent of the function's name
    work: Callable[..., Mapping[str, Any]]
    inputs: Row
    # Inputs derived from earlier rows, which are therefore not stored again.
    derived_inputs: dict[str, Any] = field(default_factory=dict)
    # True if the outcome is deterministic; false if the clock affects play.
    repeatable: bool = True

    def __call__(self) -> Row:
        return {"job": self.name, **self.inputs, **self.work(**self.inputs, **self.derived_inputs)}

    def __str__(self) -> str:
        words = [str(self.inputs[word]) for word in WORDS if word in self.inputs]
        return " ".join([self.name, *words, *([f"seed {self.inputs['seed']}"] if "seed" in self.inputs else [])])

    @property
    def key(self) -> str:
        """Inputs of the row as canonical JSON."""
        return canonical({"job": self.name, **self.inputs})

    @property
    def done_twice(self) -> bool:
        """True for the sample of jobs done twice, to detect machines that compute wrongly."""
        digest = hashlib.blake2b(self.key.encode(), digest_size=8).digest()
        return self.repeatable and int.from_bytes(digest, "big") % ONE_IN == 0


def earlier_runs(store: Store, method: str) -> list[Run]:
    """Return the intact runs of a method made by this version."""
    names = [found.name for found in store.summaries() if found.method == method and found.state != "damaged"]
    return [run for run in map(store.read, names) if run.request.get("fogspiel") == __version__]


def find_or_create_run(store: Store, ask: Json) -> Run:
    """Return the stored run of this request, finished or not, or else a new one."""
    for run in earlier_runs(store, ask["method"]):
        if run.request == ask:
            return store.acquire(run.name)
    return store.create(ask)


def rows_by(rows: Sequence[Row], *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def rows_of(run: Run) -> list[Row]:
    return [body["row"] for body in run.steps]


class JobRunner:
    """Runner of a run's jobs, which reuses rows of this run and of earlier ones of its method."""

    def __init__(self, run: Run, recorder: Recorder, context: Context, limits: SilenceLimits | None = None):
        self.run, self.recorder, self.context, self.limits = run, recorder, context, limits or SilenceLimits()
        with Store.open(context.store, write=False) as store:
            earlier = earlier_runs(store, run.request["method"])
        self.known = {body["key"]: body["row"] for known in (*earlier, run) for body in known.steps}

    def rows(self, jobs: Sequence[Job]) -> Generator[Row, None, None]:
        """Yield the rows of the jobs in order, each stored as a step when available; close the generator to stop."""
        left, context = [job for job in jobs if job.key not in self.known], self.context
        twice = [number for number, job in enumerate(left) if job.done_twice]
        work = run_jobs(left, context.threads or 1, context.cluster, self._tell_fault, self.limits, twice)
        with closing(work) as fresh:
            for job in jobs:
                row = self.known[job.key] if job.key in self.known else next(fresh)
                self.recorder.step({"key": job.key, "row": row})
                yield row

    def _tell_fault(self, sentence: str) -> None:
        note_repetition(self.context.store, self.run, sentence)
        self.context.on_fault(sentence)
