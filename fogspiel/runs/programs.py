"""Outside programs that the user names: which sorts there are, what a run keeps of them, how they are opened.

A run keeps the sort, a digest and the facts that its games depend on, never the words themselves: nothing that stands
in a store may name a program. To resume a run the user names its program again.
"""

import hashlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..core.find import MAX_BYTES
from ..core.plugins import extras
from ..core.untrusted_input import read_bytes
from ..process.line_process import demand_program, split_command
from ..process.worker_pool import WorkerPool
from ..tuning.programs.contest import ProgramContest, Scale, WorkerBackend, demand_function, worker_words
from ..tuning.programs.function_worker import split_words
from ..tuning.programs.parameters import Parameters

DEFAULT_SECONDS = 60.0  # how long a game may take if the user says nothing
FUNCTION, COMMAND = "function", "command"


@dataclass(frozen=True)
class ProgramSpec:
    """A program that the user has named in this process."""

    sort: str
    words: str  # as the user typed them
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
        return shlex.join([f"--{self.sort}", self.words, *self.more])

    def open(
        self, parameters: Parameters, scale: Scale, workers: int, seconds: float | None, cluster: str | None = None
    ) -> ProgramContest:
        """The program as it is tuned; its workers are started when they are needed, here or on a cluster."""
        what = {FUNCTION: "function", COMMAND: "program"}.get(self.sort, "engine")
        title, seconds = f"the {what} {self.words}", seconds or self.seconds
        if cluster is not None:
            from .cluster_door import ClusterBackend

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
    digest = hashlib.sha256("\0".join(command).encode()).hexdigest()
    return ProgramSpec(COMMAND, words, digest, tuple(command), facts)


def name_uci(words: str, scale: Scale, facts: Mapping[str, Any], more: Sequence[str]) -> ProgramSpec:
    """A chess engine."""
    from .engine_programs import name_uci

    return name_uci(words, facts, more)


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
    "uci": ProgramType(name_uci, "chess engine"),
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
