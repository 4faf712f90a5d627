"""Work on a run: what it may use, who hears how far it is, and how what it finds is kept.

All kinds of run work in the same way. A step is stored as soon as it is done, the state of the step under way every two
seconds and when the work is interrupted, and the result at last; a run that is resumed comes to the same rows.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .. import __version__
from ..core import former_names
from ..core.untrusted_input import parse_json, read_head
from ..process.jobs import SilenceLimits, run_jobs, say
from .store import KEEP_SECONDS, Json, Run, Store, canonical, default_path

Stage = TypeVar("Stage")
Result = TypeVar("Result")


class Progress(NamedTuple):
    """Progress of the work."""

    text: str
    share: float | None = None  # of all the work, where that is known
    games: int | None = None  # played so far, where it is games that take the time


def ignore_progress(progress: Progress) -> None:
    """Watch without a word."""


def run_generator(work: Generator[Stage, None, Result], watch: Callable[[Stage], None]) -> Result:
    """Return the result of a generator; each of its stages is reported."""
    while True:
        try:
            stage = next(work)
        except StopIteration as end:
            result: Result = end.value
            return result
        watch(stage)


@former_names(again="resume_command", watch="on_progress")
@dataclass(frozen=True)
class Context:
    """Resources of the work on a run, and its listeners."""

    # The store of the run, where agents and earlier rows may be found.
    store: Path = field(default_factory=default_path)
    threads: int | None = None  # threads or processes, on which results do not depend; one of each if nothing is said
    cluster: str | None = None  # the address of a Dask scheduler, for kinds whose work is independent jobs
    on_progress: Callable[[Progress], None] = ignore_progress
    on_fault: Callable[[str], None] = say  # is told when a worker was lost
    source: str | None = None  # where the rules are, if the user says so
    prepared: object = None  # what the kind has made ready before the run was created, if it was
    resume_command: str = ""  # the command that goes on with the run


@former_names(keep="save_partial")
class Recorder:
    """Writes what the work on a run finds."""

    def __init__(self, run: Run, state_is_step: bool = False) -> None:
        self.run, self._stored, self._number = run, run.steps, 0
        self._state_is_step = state_is_step
        self._state: Callable[[], Mapping[str, Any]] | None = None
        self._kept = time.monotonic()

    def step(self, body: Mapping[str, Any], number: int | None = None) -> bool:
        """Store a step (the next one, if it has no number) and say whether it is new; a stored one must be equal."""
        self._number = number or self._number + 1
        if self._number > len(self._stored):
            self._state = None
            self.run.append("step", body)
            return True
        if canonical(body) != canonical(self._stored[self._number - 1]):
            raise ValueError(
                f"run {self.run.name} was played by fogspiel {self.run.request['fogspiel']}, "
                f"and this is {__version__}: "
                f"step {self._number} comes out differently, so it cannot be resumed; start it anew"
            )
        return False

    @property
    def steps(self) -> int:
        """Number of steps so far, stored before or now."""
        return self._number

    def save_partial(self, state: Callable[[], Mapping[str, Any]]) -> None:
        """Keep the state of the step under way, unless that was done a moment ago."""
        self._state = state
        if time.monotonic() - self._kept > KEEP_SECONDS:
            self.run.save_partial(state())
            self._kept = time.monotonic()

    def interrupt(self) -> None:
        """Keep the state of the step under way before the work ends."""
        if self._state is None:
            return
        if self._state_is_step:
            self.run.append("step", self._state())
        else:
            self.run.save_partial(self._state())


# Independent jobs of a run: spread over processes, stored job by job, recalled where an earlier run has done them.
#
# Rows depend on what was asked of a job alone and are stored in the order of the jobs, whatever the number of
# processes, so two runs of the same request are equal byte for byte.

# Jobs that were repeated because a worker was lost, in a small file beside the store.
#
# The rows of a run are the same whether a worker was lost or not, so they do not tell of it. The file has a line for
# each loss and is for its owner alone; where it is missing, damaged or cannot be written, nothing is told.

REPEATED = "repeated"  # how a sentence about a worker ends whose job is done again
# What is read of the file, what is kept of a sentence, and how many reasons are given.
MAX_BYTES, MAX_LETTERS, SHOWN = 1_000_000, 300, 3


def note_repetition(store: Path, run: Run, sentence: str) -> None:
    """Keep what was said of a lost worker, if its job is repeated: one that is given up ends the run in an error."""
    if not sentence.endswith(REPEATED):
        return
    line = json.dumps({"run": run.name, "created": run.created, "reason": sentence.rpartition(": ")[0][:MAX_LETTERS]})
    with suppress(OSError):  # a full disk is not to end the work
        descriptor = os.open(_file_of(store), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(descriptor, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def repetitions(store: Path, run: Run) -> list[str]:
    """Return the reasons for repeated jobs of a run, one per repetition."""
    found = []
    with suppress(ValueError, TypeError, KeyError):
        for line in read_head(_file_of(store), "the list of repetitions", MAX_BYTES).splitlines():
            noted = parse_json(line)
            if (noted["run"], noted["created"]) == (run.name, run.created):
                found.append("".join(letter for letter in str(noted["reason"]) if letter.isprintable())[:MAX_LETTERS])
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
    """One piece of work: `work(**inputs, **derived_inputs)` returns what is stored beside `inputs`."""

    name: str  # what its rows call it, whatever the function is called
    work: Callable[..., Mapping[str, Any]]
    inputs: Row
    # What follows from earlier rows, and is therefore not stored again.
    derived_inputs: dict[str, Any] = field(default_factory=dict)
    # True if it comes out the same whenever it is done: not where the clock decides what is played.
    repeatable: bool = True

    def __call__(self) -> Row:
        return {"job": self.name, **self.inputs, **self.work(**self.inputs, **self.derived_inputs)}

    def __str__(self) -> str:
        words = [str(self.inputs[word]) for word in WORDS if word in self.inputs]
        return " ".join([self.name, *words, *([f"seed {self.inputs['seed']}"] if "seed" in self.inputs else [])])

    @property
    def key(self) -> str:
        """Inputs of the row, as text."""
        return canonical({"job": self.name, **self.inputs})

    @property
    def done_twice(self) -> bool:
        """True if it is one of those that are done twice, to find out machines that compute wrongly."""
        digest = hashlib.blake2b(self.key.encode(), digest_size=8).digest()
        return self.repeatable and int.from_bytes(digest, "big") % ONE_IN == 0


def earlier_runs(store: Store, method: str) -> list[Run]:
    """The intact runs of that method which this version has made."""
    names = [found.name for found in store.summaries() if found.method == method and found.state != "damaged"]
    return [run for run in map(store.read, names) if run.request.get("fogspiel") == __version__]


def find_or_create_run(store: Store, ask: Json) -> Run:
    """The run of that request: the one that is in the store, finished or not, or else a new one."""
    for run in earlier_runs(store, ask["method"]):
        if run.request == ask:
            return store.acquire(run.name)
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
            earlier = earlier_runs(store, run.request["method"])
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
