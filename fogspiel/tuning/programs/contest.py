"""External programs as contests: two sets of values play games in the program, or are scored one by one.

A game gives the first vector 0, 1/2 or 1, or, where a range is declared, any number in it. Races and intervals count
outcomes of a grid, so a number of a range is rounded to one of 101 even levels: up with the probability that is its
fraction of the step, by a random number of the game's seed. So the mean of the counts is exactly the mean of the
scores. The guarantees of the races concern the mean of any distribution on the grid, so they hold for the scores. The
price is a variance of at most a quarter of a squared step, which is negligible compared with that of games.

A program that scores one vector (`alone`: a benchmark, or games against a sparring partner) scores both vectors on the
same seed, and the payoff is the difference; the two games of a pair have different seeds.
"""

import itertools
import json
import math
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core.agents import PolicyJson
from ...core.rng import UNIT, split
from ...process.line_process import Answer, WorkerFault
from ...process.worker_pool import WorkerPool, parse
from ..arena import demand_finite
from . import function_worker
from .parameters import Parameters, Value

SHARE = 0.25  # of the budget, for the last races: programs are slow, and a tenth of few games shows little
LEVELS = 100  # steps of the grid for scores of a range
# Of the 64 bits of a game's seed the program gets the highest 31, which fit the integers of any language.
SEED_SHIFT = 33
# Children of a game's seed: the number that rounds its score, and the games of a pair where they have no seats.
ROUNDING, COLUMNS = 1, 2


class ParameterValues(NamedTuple):
    values: dict[str, Value]
    text: str


def parameter_values(values: Mapping[str, Value]) -> ParameterValues:
    return ParameterValues(dict(values), json.dumps(dict(values)))


class GameRequest(NamedTuple):
    """A requested game, or the requested score of one vector."""

    a: ParameterValues
    b: ParameterValues | None
    seed: int
    swap: bool = False

    @property
    def text(self) -> str:
        if self.b is None:
            return f'{{"a": {self.a.text}, "seed": {self.seed}}}'
        return f'{{"a": {self.a.text}, "b": {self.b.text}, "seed": {self.seed}, "swap": {json.dumps(self.swap)}}}'


@dataclass(frozen=True)
class Scale:
    """Scores of a program, and the payoffs of games between two vectors."""

    low: float = 0.0
    high: float = 1.0
    graded: bool = False  # true for any number between; otherwise a loss, a draw or a win
    single: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.high - self.low) and self.low < self.high):
            raise ValueError(f"the range of scores is {self.low:g} to {self.high:g}: low must be below high")
        if not self.graded and (self.low, self.high) != (0.0, 1.0):
            raise ValueError("wins, draws and losses count 1, 1/2 and 0: other scores need a declared range")

    @property
    def steps(self) -> int:
        """The steps of the grid of payoffs of a game between two vectors."""
        return LEVELS if self.graded else 4 if self.single else 2

    @cached_property
    def payoffs(self) -> tuple[Fraction, ...]:
        low, high = (Fraction(str(limit)) for limit in (self.low, self.high))
        low, high = (low - high, high - low) if self.single else (low, high)
        return tuple(low + (high - low) * step / self.steps for step in range(self.steps + 1))

    def check(self, score: float) -> None:
        """Raise a WorkerFault for a score outside this scale."""
        if not self.graded and score not in (0, 0.5, 1):
            raise WorkerFault(f"has scored {score!r}, which is neither 0, 1/2 nor 1: declare a range of scores")
        if not self.low <= score <= self.high:
            raise WorkerFault(f"has scored {score!r}, outside of its range from {self.low:g} to {self.high:g}")

    def index(self, scores: Sequence[float], uniform: float) -> int:
        """Return the payoff index of a game, from its score, or from both vectors' separate scores."""
        if self.single:
            share = (1 + (scores[0] - scores[1]) / (self.high - self.low)) / 2
        else:
            share = (scores[0] - self.low) / (self.high - self.low)
        exact = min(max(share, 0.0), 1.0) * self.steps
        below = math.floor(exact)
        return below + (uniform < exact - below)


class ScoreBackend(ABC):
    """Backend that sends requests to a program; this base serves those without faults to report or resources."""

    least = 1  # number of game pairs that use its capacity

    @property
    def in_advance(self) -> int:
        """Game pairs to announce before they are asked for; 0 where nobody would play them meanwhile."""
        return 0

    @abstractmethod
    def scores(self, questions: Sequence[GameRequest], check: Callable[[float], None]) -> list[Answer]:
        """Return the answers in the order of the requests; a score that `check` rejects is requested again."""

    def announce(self, questions: Sequence[GameRequest]) -> None:
        """Begin to play games whose scores will be asked for."""

    def withdraw(self) -> None:
        """Give up the games that were announced and have not been asked for."""

    def tell_faults(self, listener: Callable[[str], None]) -> None:
        """Report recoverable faults to the listener from now on."""

    def close(self) -> None:
        """Release the program."""


class WorkerBackend(ScoreBackend):
    def __init__(self, workers: WorkerPool) -> None:
        self.workers = workers
        self.least = 2 * workers.workers  # four games for each, so that few wait for the last ones

    def scores(self, questions: Sequence[GameRequest], check: Callable[[float], None]) -> list[Answer]:
        return self.workers.ask([question.text for question in questions], lambda _, answer: check(answer["score"]))

    def tell_faults(self, listener: Callable[[str], None]) -> None:
        self.workers.on_fault = listener

    def close(self) -> None:
        self.workers.close()


class ProgramContest:
    mixes = False

    def __init__(
        self,
        name: str,
        strategy: Parameters,
        door: ScoreBackend,
        scale: Scale = Scale(),
        sink: Callable[[Answer], None] = lambda answer: None,
    ) -> None:
        """Make the contest of a program; `sink` gets every answer, in the order of the games, for its other data."""
        self.name, self.strategy, self.door, self.scale, self.sink = name, strategy, door, scale, sink
        self.payoffs, self.max_score, self.least = scale.payoffs, scale.steps, door.least

    @property
    def in_advance(self) -> int:
        return self.door.in_advance

    @property
    def box(self) -> np.ndarray:
        return self.strategy.box

    def start(self) -> np.ndarray:
        return self.strategy.start

    def clip(self, theta: np.ndarray) -> np.ndarray:
        return self.strategy.clip(theta)

    def withdraw(self) -> None:
        self.door.withdraw()

    def match(self, firsts: np.ndarray, seconds: np.ndarray) -> "ProgramMatch":
        demand_finite(self.name, firsts, seconds)
        return ProgramMatch(self, *([self.row(theta) for theta in rows] for rows in (firsts, seconds)))

    def match_answer(self, answer: PolicyJson, opponent: np.ndarray) -> "ProgramMatch":
        return self.match(np.array([answer["theta"]]), opponent[None])

    def announce(self, firsts: np.ndarray, seconds: np.ndarray, key: int, first: int, count: int, seats: str) -> None:
        columns = 2 if seats == "swapped" else 1
        self.door.announce(self.match(firsts, seconds).questions(key, first, count, columns))

    def row(self, theta: Iterable[float]) -> ParameterValues:
        return parameter_values(self.strategy.values(theta))

    def close(self) -> None:
        self.door.close()

    def try_out(self) -> None:
        """Play the initial parameters against themselves once, to reject a broken program before a run starts."""
        self.match(self.start()[None], self.start()[None]).scores(0, 0, 1, "alternating")


@dataclass(frozen=True)
class ProgramMatch:
    program: ProgramContest
    firsts: Sequence[ParameterValues]
    seconds: Sequence[ParameterValues]

    def questions(self, key: int, first: int, count: int, columns: int) -> list[GameRequest]:
        questions: list[GameRequest] = []
        for number, column in itertools.product(range(first, first + count), range(columns)):
            a, b = self.firsts[number % len(self.firsts)], self.seconds[number % len(self.seconds)]
            short = int(self._seed(key, number, column)) >> SEED_SHIFT
            if self.program.scale.single:
                questions += [GameRequest(a, None, short), GameRequest(b, None, short)]
            else:
                questions.append(GameRequest(a, b, short, bool((number if columns == 1 else column) % 2)))
        return questions

    def scores(self, key: int, first: int, count: int, seats: str = "swapped", threads: int = 1) -> np.ndarray:
        columns, scale = (2 if seats == "swapped" else 1), self.program.scale
        answers = self.program.door.scores(self.questions(key, first, count, columns), scale.check)
        for answer in answers:
            self.program.sink(answer)
        scores, each = [answer["score"] for answer in answers], 2 if scale.single else 1
        found = []
        for place, (number, column) in enumerate(itertools.product(range(first, first + count), range(columns))):
            seed = self._seed(key, number, column)
            uniform = (int(split(np.uint64(split(seed, ROUNDING)), column)) >> 11) * UNIT
            found.append(scale.index(scores[each * place : each * (place + 1)], uniform))
        return np.array(found, np.int64).reshape(count, columns)

    def _seed(self, key: int, number: int, column: int) -> np.uint64:
        """Return the seed of a game: the same for both games of a pair, unless that would repeat the game."""
        seed = np.uint64(split(np.uint64(key), number))
        return np.uint64(split(seed, COLUMNS + column)) if self.program.scale.single else seed


# Python functions as programs: in this process, or in separate workers.

CHECK_SECONDS = 120.0  # time limit for loading the file of a function


class FunctionBackend(ScoreBackend):
    def __init__(self, function: Callable[..., Any], scale: Scale) -> None:
        function_worker.check_function(function, getattr(function, "__name__", "the function"), scale.single)
        self.function, self.scale = function, scale

    def scores(self, questions: Sequence[GameRequest], check: Callable[[float], None]) -> list[Answer]:
        return [self._call(question, check) for question in questions]

    def _call(self, question: GameRequest, check: Callable[[float], None]) -> Answer:
        request: dict[str, Any] = {"a": dict(question.a.values), "seed": question.seed, "swap": question.swap}
        if question.b is not None:
            request["b"] = dict(question.b.values)
        score = function_worker.call(self.function, request, self.scale.low, self.scale.high)
        try:
            check(score)
        except WorkerFault as fault:
            raise ValueError(f"the function {fault}") from None
        return {"score": score}


def worker_words(words: str, scale: Scale) -> list[str]:
    """Return the command of a worker that serves FILE.py:NAME, whose file is found from any folder."""
    file, name = function_worker.split_words(words)
    served = f"{Path(file).absolute()}:{name}"
    # -P: do not import from the folder of the worker's file
    command = [sys.executable, "-P", str(Path(function_worker.__file__)), served]
    return [*command, "--range", repr(scale.low), repr(scale.high), *(["--alone"] if scale.single else [])]


def demand_function(words: str, scale: Scale) -> None:
    """Raise a ValueError unless a text names a suitable function; its file runs in a separate process."""
    file, _ = function_worker.split_words(words)
    try:
        command, nothing = [*worker_words(words, scale), "--check"], subprocess.DEVNULL
        done = subprocess.run(command, stdin=nothing, capture_output=True, timeout=CHECK_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ValueError(f"{file} takes more than {CHECK_SECONDS:g} s to load: let its functions do the work") from None
    if done.returncode:
        with suppress(WorkerFault):
            parse(done.stdout)  # raises the worker's error
        raise ValueError(f"{file} ends Python with exit code {done.returncode} when it is loaded")
