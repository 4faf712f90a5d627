"""Outside programs on a cluster: each job starts the program on a machine of it, asks for a few games, and ends it.

The program must be in the same place on all machines, as it was named on this one.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from ..process.jobs import run_jobs, say
from ..process.worker_pool import Answer, WorkerPool
from ..tuning.programs.contest import GameRequest, Scale

GAMES_PER_JOB = 8  # enough to be worth the start of the program, few enough to be repeated when a worker is lost
JOBS = 8  # that keep a small cluster busy; more machines take part where a method asks for more games at once


@dataclass(frozen=True)
class Games:
    """Some games that a worker of a cluster plays."""

    command: tuple[str, ...]
    title: str
    seconds: float
    scale: Scale
    questions: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.questions)} games of {self.title}"

    def __call__(self) -> list[Answer]:
        def judge(_: int, answer: Answer) -> None:
            self.scale.check(answer["score"])

        with WorkerPool(self.command, 1, self.seconds, self.title) as program:
            return program.ask(self.questions, judge)


class ClusterBackend:
    """A program that runs on the machines of a Dask cluster."""

    least = GAMES_PER_JOB * JOBS // 2

    def __init__(self, command: tuple[str, ...], title: str, seconds: float, scale: Scale, address: str) -> None:
        self.command, self.title, self.seconds, self.scale, self.address = command, title, seconds, scale, address
        self.on_fault: Callable[[str], None] = say

    def ask(self, questions: Sequence[GameRequest], check: Callable[[float], None]) -> list[Answer]:
        """The answers in the order of the questions, whichever machine they come from."""
        texts = [question.text for question in questions]
        jobs = [
            Games(self.command, self.title, self.seconds, self.scale, tuple(texts[first : first + GAMES_PER_JOB]))
            for first in range(0, len(texts), GAMES_PER_JOB)
        ]
        with closing(run_jobs(jobs, 1, self.address, self.on_fault)) as found:
            return [answer for answers in found for answer in answers]

    def tell_faults(self, listener: Callable[[str], None]) -> None:
        """From now on say when a worker was lost."""
        self.on_fault = listener

    def close(self) -> None:
        """Every job has ended its program itself."""
