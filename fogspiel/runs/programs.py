"""External programs named by the user: their types, their stored description and their start.

A run stores the type, a digest and the facts its games depend on, but never the command: no content of a store may
name a program. To resume a run the user names its program again. An engine's facts are limits and rules of its
games, as numbers and fixed keywords. Other inputs that name a file or a program, or are passed to one (another
engine, openings, fixed options), are stored as a digest.
"""

import hashlib
import shlex
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ..core.plugins import extras
from ..core.user_code import code_content
from ..process.heartbeat import say
from ..process.line_process import Answer, demand_program, split_command
from ..process.worker_pool import WorkerPool, end_pools, kept_pool
from ..tuning.programs import contest
from ..tuning.programs.contest import GameRequest, ProgramContest, Scale, ScoreBackend, WorkerBackend
from ..tuning.programs.function_worker import split_words
from ..tuning.programs.parameters import Parameters

if TYPE_CHECKING:
    from ..process.dask_crew import DaskCrew

DEFAULT_SECONDS = 60.0  # default time limit of a game, in seconds
GAME_SECONDS = 600.0  # default time limit of an engine game, in seconds
FUNCTION, COMMAND, UCI = "function", "command", "uci"
UCI_FACTS = ("nodes", "movetime", "depth", "clock", "opening_plies", "random_plies", "adjudicate", "seed_option")
CONDITIONS = "conditions"  # key of the digest of the user's other inputs to the engine
# Jobs of a cluster: so long that sending them costs little, so few games that not many are repeated for a lost worker.
JOB_SECONDS, GAMES_PER_JOB = 0.5, 16
LEAST_PAIRS = 32  # that a race asks for at once
PACE = 0.2  # weight of the last job in the seconds of a game


@dataclass(frozen=True)
class ProgramSpec:
    """A program that the user has named in this process."""

    type: str
    spec: str  # as typed by the user
    digest: str  # of the command, or of the function's file and name
    command: tuple[str, ...]  # command line of its workers
    # Other inputs of the games, as numbers and fixed keywords, which are stored.
    facts: Mapping[str, Any] = field(default_factory=dict)
    fixed: bool = False  # true if a run cannot resume with another digest
    seconds: float = DEFAULT_SECONDS  # default time limit of a game
    more: tuple[str, ...] = ()  # other options that the user must repeat
    # Rejects parameters that the program lacks, if they can be checked.
    check: Callable[[Parameters], None] = lambda parameters: None

    @property
    def option(self) -> str:
        return shlex.join([f"--{self.type}", self.spec, *self.more])

    def open(
        self, parameters: Parameters, scale: Scale, workers: int, seconds: float | None, cluster: str | None = None
    ) -> ProgramContest:
        """Open the program for tuning; its workers start when needed, locally or on a cluster."""
        what = {FUNCTION: "function", COMMAND: "program"}.get(self.type, "engine")
        title, seconds = f"the {what} {self.spec}", seconds or self.seconds
        if cluster is not None:
            door: ScoreBackend = ClusterBackend(self.command, title, seconds, scale, cluster)
        else:
            door = WorkerBackend(WorkerPool(self.command, workers, seconds, title))
        return ProgramContest(f"the {what}", parameters, door, scale)


# Builds the program of a command with this score scale, these facts and further options; raises ValueError.
Sort = Callable[[str, Scale, Mapping[str, Any], Sequence[str]], ProgramSpec]


def name_function(words: str, scale: Scale, facts: Mapping[str, Any], more: Sequence[str]) -> ProgramSpec:
    """Describe a function of a Python file, as in FILE.py:play."""
    file, name = split_words(words)
    contest.demand_function(words, scale)
    digest = hashlib.sha256(code_content(Path(file), "the Python file") + f"\0{name}".encode()).hexdigest()
    return ProgramSpec(FUNCTION, words, digest, tuple(contest.worker_words(words, scale)), facts, fixed=True)


def name_command(words: str, scale: Scale, facts: Mapping[str, Any], more: Sequence[str]) -> ProgramSpec:
    """Describe a program that reads one JSON object per line and writes one line in reply."""
    command = demand_program(split_command(words))
    return ProgramSpec(COMMAND, words, digest_of(command), tuple(command), facts)


def name_uci(words: str, scale: Scale, facts: Mapping[str, Any], more: Sequence[str]) -> ProgramSpec:
    """Describe a chess engine, whose options are its parameters."""
    from ..tuning.programs import uci_worker  # imports chess
    from ..tuning.programs.uci_match import options_of

    engine = demand_program(split_command(words))
    asked = [f"--engine={words}", *limit_words(facts, UCI_FACTS), *(word.replace("--uci-", "--", 1) for word in more)]
    uci_worker.table_from(asked)  # validates the arguments without starting anything
    conditions = _conditions(more)
    if facts.get(CONDITIONS, conditions) != conditions:
        raise ValueError(
            "the run began with another --uci-opponent, other --openings or other fixed options: name them as before"
        )

    def check(parameters: Parameters) -> None:
        options_of(words).demand(parameters)

    digest, command = digest_of(engine), (sys.executable, "-m", uci_worker.__name__, *asked)
    kept = {key: facts[key] for key in UCI_FACTS if facts.get(key) is not None} | {CONDITIONS: conditions}
    return ProgramSpec(UCI, words, digest, command, kept, seconds=GAME_SECONDS, more=tuple(more), check=check)


def uci_parameter_file(words: str) -> str:
    from ..tuning.programs.uci_match import options_of, parameter_table

    found = options_of(words)
    return parameter_table(found, found.tunable)


def limit_words(facts: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """Format facts as worker arguments; each is a single argument, so no value can be parsed as an option."""
    return [f"--{key.replace('_', '-')}={facts[key]}" for key in known if facts.get(key) is not None]


def _conditions(more: Sequence[str]) -> str:
    """Return the digest of the engine's other inputs; files count by content."""
    from ..tuning.programs.uci_worker import book_content

    parts = []
    for word in more:
        option, _, value = word.partition("=")
        if option == "--openings":
            value = hashlib.sha256(book_content(Path(value))).hexdigest()
        parts.append(f"{option}={value}")
    return digest_of(parts)


def digest_of(words: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


class ProgramType(NamedTuple):
    """A type of program that can be tuned."""

    find: Sort
    title: str  # name for people
    words: str = "COMMAND"  # placeholder for a program not named yet
    # The program's own parameters as tables by command, and as a parameter file, if it can report them.
    tables: Callable[[str], dict[str, dict[str, Any]]] | None = None
    file: Callable[[str], str] | None = None
    limits: Sequence[str] = ()  # conditions of its games that the user may set, of UCI_FACTS


PROGRAM_TYPES = {
    FUNCTION: ProgramType(name_function, "function", "FILE.py:NAME"),
    COMMAND: ProgramType(name_command, "command"),
    UCI: ProgramType(name_uci, "chess engine", file=uci_parameter_file, limits=UCI_FACTS),
}


def program_types() -> dict[str, ProgramType]:
    """Return all program types by option: the built-in ones and PROGRAMS of slices."""
    return PROGRAM_TYPES | extras("runs.agents", "PROGRAMS")


def title_of(sort: str) -> str:
    return program_types()[sort].title


_named: dict[str, ProgramSpec] = {}  # programs named by the user in this process, by type and digest


def find_program(
    sort: str, words: str, scale: Scale, facts: Mapping[str, Any] | None = None, more: Sequence[str] = ()
) -> ProgramSpec:
    found = program_types()[sort].find(words, scale, facts or {}, more)
    _named[f"{sort} {found.digest}"] = found
    return found


def option_for(sort: str, digest: str) -> str:
    """Return the option that names a program again, as far as this process has its command."""
    found, types = _named.get(f"{sort} {digest}"), program_types()
    return found.option if found else f"--{sort} {types[sort].words if sort in types else 'COMMAND'}"


# On a cluster, a worker starts the program once and keeps it from job to job. The program must have the same path on
# all machines. Games are announced before their scores are needed, so that no worker waits for the slowest game of a
# step; which scores a method sees when depends on their numbers alone.


@dataclass(frozen=True)
class Games:
    """A batch of games for one cluster worker."""

    user: str  # the run, for which workers keep the program
    command: tuple[str, ...]
    title: str
    seconds: float
    scale: Scale
    questions: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.questions)} games of {self.title}"

    def __call__(self) -> tuple[float, list[Answer]]:
        """Return the seconds that the games took, and their answers."""
        began = time.monotonic()
        with kept_pool(self.user, self.command, self.seconds, self.title) as program:
            answers = program.ask(self.questions, lambda _, answer: self.scale.check(answer["score"]))
        return time.monotonic() - began, answers


class ClusterBackend(ScoreBackend):
    """Backend that runs a program on the machines of a Dask cluster, with one client for the whole run."""

    least = LEAST_PAIRS

    def __init__(self, command: tuple[str, ...], title: str, seconds: float, scale: Scale, address: str) -> None:
        self.user = uuid4().hex
        self.asked, self.address = (self.user, command, title, seconds, scale), address
        self.on_fault: Callable[[str], None] = say
        self._open = ExitStack()
        self._coming: dict[str, deque[tuple[int, int]]] = {}  # job and place of each announced game, by its request
        self._answers: dict[int, dict[int, Answer]] = {}  # of finished jobs, by place: those not yet asked for
        self._pace = 0.0  # seconds of a game

    @cached_property
    def crew(self) -> "DaskCrew":
        from ..process.dask_crew import open_crew

        return self._open.enter_context(open_crew(self.address, lambda fault: self.on_fault(fault)))

    @property
    def in_advance(self) -> int:
        return max(self.least, self.crew.threads * self._games_per_job)

    @property
    def _games_per_job(self) -> int:
        return min(max(int(JOB_SECONDS / self._pace), 1), GAMES_PER_JOB) if self._pace else 1

    def announce(self, questions: Sequence[GameRequest]) -> None:
        texts = [question.text for question in questions]
        many = max(min(self._games_per_job, len(texts) // (2 * max(self.crew.threads, 1))), 1)
        for part in (tuple(texts[first : first + many]) for first in range(0, len(texts), many)):
            number = self.crew.add(Games(*self.asked, part))
            for place, text in enumerate(part):
                self._coming.setdefault(text, deque()).append((number, place))

    def withdraw(self) -> None:
        waited = {number for places in self._coming.values() for number, _ in places}
        self.crew.drop(waited - self._answers.keys())
        self._coming.clear()
        self._answers.clear()

    def scores(self, questions: Sequence[GameRequest], check: Callable[[float], None]) -> list[Answer]:
        """Return the replies in request order, whichever machine they come from."""
        found = [self._next_place(question) for question in questions]
        self.announce([question for question, place in zip(questions, found, strict=True) if place is None])
        places = [place or self._next_place(question) for question, place in zip(questions, found, strict=True)]
        return [self._answer(*place) for place in places if place is not None]

    def _next_place(self, question: GameRequest) -> tuple[int, int] | None:
        """Return job and place of a game that was announced, if there is one."""
        places = self._coming.get(question.text)
        if not places:
            return None
        found = places.popleft()
        if not places:
            del self._coming[question.text]
        return found

    def _answer(self, number: int, place: int) -> Answer:
        if number not in self._answers:
            seconds, answers = self.crew.result(number)
            self._answers[number] = dict(enumerate(answers))
            now = seconds / len(answers)
            self._pace = now if not self._pace else self._pace + PACE * (now - self._pace)
        answer = self._answers[number].pop(place)
        if not self._answers[number]:
            del self._answers[number]
        return answer

    def tell_faults(self, listener: Callable[[str], None]) -> None:
        self.on_fault = listener

    def close(self) -> None:
        """Break off the games of the run, and end its programs on all workers."""
        if "crew" in self.__dict__:
            with suppress(Exception):  # the cluster may be gone; programs that nobody uses end by themselves
                self.withdraw()
                self.crew.client.run(end_pools, self.user)
            self._open.close()
