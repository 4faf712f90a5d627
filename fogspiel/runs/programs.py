"""Outside programs that the user names: which sorts there are, what a run keeps of them, how they are opened.

A run keeps the sort, a digest and the facts that its games depend on, never the words themselves: nothing that stands
in a store may name a program. To resume a run the user names its program again. Facts of an engine are limits and rules
of its games, numbers and words of ours; of what else names a file or a program, or is handed to one (another engine,
openings, fixed options), the run keeps a digest.
"""

import hashlib
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..core.find import MAX_BYTES
from ..core.plugins import extras
from ..core.untrusted_input import read_bytes
from ..process.jobs import run_jobs, say
from ..process.line_process import demand_program, split_command
from ..process.worker_pool import Answer, WorkerPool
from ..tuning.programs.contest import (
    GameRequest,
    ProgramContest,
    Scale,
    WorkerBackend,
    demand_function,
    worker_words,
)
from ..tuning.programs.function_worker import split_words
from ..tuning.programs.parameters import Parameters

DEFAULT_SECONDS = 60.0  # how long a game may take if the user says nothing
GAME_SECONDS = 600.0  # how long a game of engines may take if the user says nothing
FUNCTION, COMMAND, UCI = "function", "command", "uci"
UCI_FACTS = ("nodes", "movetime", "depth", "clock", "opening_plies", "random_plies", "adjudicate", "seed_option")
CONDITIONS = "conditions"  # the fact that is the digest of what the user names beside the engine
GAMES_PER_JOB = 8  # enough to be worth the start of the program, few enough to be repeated when a worker is lost
JOBS = 8  # that keep a small cluster busy; more machines take part where a method asks for more games at once


@dataclass(frozen=True)
class ProgramSpec:
    """A program that the user has named in this process."""

    type: str
    spec: str  # as the user typed them
    digest: str  # of what the words stand for
    command: tuple[str, ...]  # of its workers
    # What else the games depend on, in numbers and names of ours: it is stored.
    facts: Mapping[str, Any] = field(default_factory=dict)
    fixed: bool = False  # true if another digest is another program, with which a run cannot go on
    seconds: float = DEFAULT_SECONDS  # how long a game may take if the user says nothing
    more: tuple[str, ...] = ()  # what else the user has to name again
    # Refuses parameters that the program does not have, where that can be known.
    check: Callable[[Parameters], None] = lambda parameters: None

    @property
    def option(self) -> str:
        """Option by which the user names it."""
        return shlex.join([f"--{self.type}", self.spec, *self.more])

    def open(
        self, parameters: Parameters, scale: Scale, workers: int, seconds: float | None, cluster: str | None = None
    ) -> ProgramContest:
        """The program as it is tuned; its workers are started when they are needed, here or on a cluster."""
        what = {FUNCTION: "function", COMMAND: "program"}.get(self.type, "engine")
        title, seconds = f"the {what} {self.spec}", seconds or self.seconds
        if cluster is not None:
            return ProgramContest(
                f"the {what}", parameters, ClusterBackend(self.command, title, seconds, scale, cluster), scale
            )
        pool = WorkerPool(self.command, workers, seconds, title)
        return ProgramContest(f"the {what}", parameters, WorkerBackend(pool), scale)


# The program that words stand for, with this scale of scores, these facts, and what else is named; or a ValueError.
Sort = Callable[[str, Scale, Mapping[str, Any], Sequence[str]], ProgramSpec]


def name_function(words: str, scale: Scale, facts: Mapping[str, Any], more: Sequence[str]) -> ProgramSpec:
    """A function of a Python file, as in FILE.py:play."""
    file, name = split_words(words)
    demand_function(words, scale)
    content = read_bytes(Path(file), "the Python file", MAX_BYTES, "that is no program")
    digest = hashlib.sha256(content + f"\0{name}".encode()).hexdigest()
    return ProgramSpec(FUNCTION, words, digest, tuple(worker_words(words, scale)), facts, fixed=True)


def name_command(words: str, scale: Scale, facts: Mapping[str, Any], more: Sequence[str]) -> ProgramSpec:
    """A program that reads a JSON object per line and answers a line."""
    command = demand_program(split_command(words))
    return ProgramSpec(COMMAND, words, digest_of(command), tuple(command), facts)


def name_uci(words: str, scale: Scale, facts: Mapping[str, Any], more: Sequence[str]) -> ProgramSpec:
    """A chess engine, whose options are its parameters."""
    from ..tuning.programs import uci_worker  # and with it chess
    from ..tuning.programs.uci_options import options_of

    engine = demand_program(split_command(words))
    asked = [f"--engine={words}", *limit_words(facts, UCI_FACTS), *(word.replace("--uci-", "--", 1) for word in more)]
    uci_worker.table_from(asked)  # refuses what is wrong, and starts nothing
    conditions = _conditions(more)
    if facts.get(CONDITIONS, conditions) != conditions:
        raise ValueError(
            "the run began with another --uci-opponent, other --openings or other fixed options: name them as before"
        )

    def check(parameters: Parameters) -> None:
        options_of(words).demand(parameters)

    return ProgramSpec(
        UCI,
        words,
        digest_of(engine),
        (sys.executable, "-m", uci_worker.__name__, *asked),
        {key: facts[key] for key in UCI_FACTS if facts.get(key) is not None} | {CONDITIONS: conditions},
        seconds=GAME_SECONDS,
        more=tuple(more),
        check=check,
    )


def limit_words(facts: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """Facts as words for a worker; each is one word, so that no value can be taken for an option."""
    return [f"--{key.replace('_', '-')}={facts[key]}" for key in known if facts.get(key) is not None]


def _conditions(more: Sequence[str]) -> str:
    """The digest of what the user names beside the engine; of a file its content counts."""
    from ..tuning.programs.openings import book_content

    parts = []
    for word in more:
        option, _, value = word.partition("=")
        if option == "--openings":
            value = hashlib.sha256(book_content(Path(value))).hexdigest()
        parts.append(f"{option}={value}")
    return digest_of(parts)


def digest_of(words: Sequence[str]) -> str:
    """Return the digest of words."""
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


class ProgramType(NamedTuple):
    """A sort of program that can be tuned."""

    find: Sort
    title: str  # what people call it
    words: str = "COMMAND"  # what stands for the words of a program that was not named yet
    # The tables of its own parameters by the words for it, and the same as a parameter file, where it knows them.
    tables: Callable[[str], dict[str, dict[str, Any]]] | None = None
    file: Callable[[str], str] | None = None


PROGRAM_TYPES = {
    FUNCTION: ProgramType(name_function, "function", "FILE.py:NAME"),
    COMMAND: ProgramType(name_command, "command"),
    UCI: ProgramType(name_uci, "chess engine"),
}


def program_types() -> dict[str, ProgramType]:
    """Return every sort of program by the option that names one: the room's own, and PROGRAMS of slices."""
    return PROGRAM_TYPES | extras("runs.agents", "PROGRAMS")


def title_of(sort: str) -> str:
    """Return what people call a sort of program."""
    return program_types()[sort].title


_named: dict[str, ProgramSpec] = {}  # the programs that the user has named in this process, by sort and digest


def find_program(
    sort: str, words: str, scale: Scale, facts: Mapping[str, Any] | None = None, more: Sequence[str] = ()
) -> ProgramSpec:
    """The program that the user's words stand for, or a ValueError."""
    found = program_types()[sort].find(words, scale, facts or {}, more)
    _named[f"{sort} {found.digest}"] = found
    return found


def option_for(sort: str, digest: str) -> str:
    """The option that names a program again, as far as it is known here."""
    found, types = _named.get(f"{sort} {digest}"), program_types()
    return found.option if found else f"--{sort} {types[sort].words if sort in types else 'COMMAND'}"


# On a cluster: each job starts the program on one of its machines, asks for a few games, and ends it. The program must
# be in the same place on all machines, as it was named on this one.


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

    def scores(self, questions: Sequence[GameRequest], check: Callable[[float], None]) -> list[Answer]:
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
