"""Work on a run: what it may use, who hears how far it is, and how what it finds is kept.

All kinds of run work in the same way. A step is stored as soon as it is done, the state of the step under way every two
seconds and when the work is interrupted, and the result at last; a run that is resumed comes to the same rows.
"""

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .. import __version__
from ..process.jobs import say
from .store import KEEP_SECONDS, Run, canonical, default_path

Stage = TypeVar("Stage")
Result = TypeVar("Result")


class Progress(NamedTuple):
    """Progress of the work."""

    words: str
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


@dataclass(frozen=True)
class Context:
    """Resources of the work on a run, and its listeners."""

    # The store of the run, where agents and earlier rows may be found.
    store: Path = field(default_factory=default_path)
    threads: int | None = None  # threads or processes, on which results do not depend; one of each if nothing is said
    cluster: str | None = None  # the address of a Dask scheduler, for kinds whose work is independent jobs
    watch: Callable[[Progress], None] = ignore_progress
    on_fault: Callable[[str], None] = say  # is told when a worker was lost
    source: str | None = None  # where the rules are, if the user says so
    prepared: object = None  # what the kind has made ready before the run was created, if it was
    again: str = ""  # the command that goes on with the run


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
                f"run {self.run.name} was played by fogspiel {self.run.ask['fogspiel']}, and this is {__version__}: "
                f"step {self._number} comes out differently, so it cannot be resumed; start it anew"
            )
        return False

    @property
    def steps(self) -> int:
        """Number of steps so far, stored before or now."""
        return self._number

    def keep(self, state: Callable[[], Mapping[str, Any]]) -> None:
        """Keep the state of the step under way, unless that was done a moment ago."""
        self._state = state
        if time.monotonic() - self._kept > KEEP_SECONDS:
            self.run.keep_partial(state())
            self._kept = time.monotonic()

    def interrupt(self) -> None:
        """Keep the state of the step under way before the work ends."""
        if self._state is None:
            return
        if self._state_is_step:
            self.run.append("step", self._state())
        else:
            self.run.keep_partial(self._state())
