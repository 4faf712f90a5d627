"""Kinds of run: the base class, and the lookup of a stored run's kind.

A kind is a file in `runs/kinds`, or in the folder of that name of a plug-in, that lists itself under KINDS. The
command line and the web interface loop over kinds to execute, describe, draw, export and play runs.

All kinds share one scheme of execution. A step is stored as soon as it is done, the state of the current step every two
seconds and on interruption, and finally the result. A resumed run produces the same rows. Independent jobs of a run are
distributed over processes and stored in job order, so their rows do not depend on the number of processes; rows of
earlier runs are reused.
"""

import hashlib
import json
import os
import shlex
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from .. import __version__
from ..core.agents import Agent
from ..core.find import command_spec, load_game, spec_of
from ..core.game import Game, game_or_none, known_game, parameters_of
from ..core.plugins import collect, former_names, load, sources
from ..core.untrusted_input import parse_json, read_head, shorten
from ..process.heartbeat import SilenceLimits, say
from .report import Cell, Curve, CurvePoint, Part, Report, Table, trail_chart
from .request import Request, fits, game_of_run
from .store import KEEP_SECONDS, Json, Run, Store, StoreError, Summary, canonical, default_path
from .store import Row as StoredRow

# Resources, progress and recording

Stage = TypeVar("Stage")
Result = TypeVar("Result")


class Progress(NamedTuple):
    text: str
    share: float | None = None  # fraction of the work done, if known
    games: int | None = None  # games played so far, if games dominate the time


class DecisionBar(NamedTuple):
    """Value of a sequential test between the bounds at which it decides; None is a bound that it does not have."""

    title: str
    value: float
    low: float | None
    high: float

    def __str__(self) -> str:
        bounds = f"of {self.high:.2f}" if self.low is None else f"between {self.low:.2f} and {self.high:.2f}"
        return f"{self.title} {self.value:.2f} {bounds}"

    def to_json(self) -> Json:
        return {"title": self.title, "value": self.value, "low": self.low, "high": self.high, "text": str(self)}


def ignore_progress(progress: Progress) -> None:
    """Discard a progress report."""


def run_generator(work: Generator[Stage, None, Result], watch: Callable[[Stage], None]) -> Result:
    """Return the result of a generator; pass each stage to `watch`."""
    while True:
        try:
            stage = next(work)
        except StopIteration as end:
            return cast("Result", end.value)
        watch(stage)


@former_names(again="resume_command", watch="on_progress")
@dataclass(frozen=True)
class Context:
    """Resources and listeners of the work on a run."""

    # The store of the run, which may hold agents and reusable rows.
    store: Path = field(default_factory=default_path)
    threads: int | None = None  # threads or processes, without effect on results; default one
    cluster: str | None = None  # address of a Dask scheduler, for kinds made of independent jobs
    on_progress: Callable[[Progress], None] = ignore_progress
    on_fault: Callable[[str], None] = say  # called when a worker is lost
    source: str | None = None  # user-supplied source of the rules
    prepared: object = None  # object prepared by the kind before the run was created
    resume_command: str = ""  # command that resumes the run


@former_names(keep="save_partial")
class Recorder:
    """Writer of a run's steps and partial states."""

    def __init__(self, run: Run, state_is_step: bool = False) -> None:
        self.run, self._stored, self._number = run, run.steps, 0
        self._state_is_step = state_is_step
        self._state: Callable[[], Mapping[str, Any]] | None = None
        self._kept = time.monotonic()

    def step(self, body: Mapping[str, Any], number: int | None = None) -> bool:
        """Store a step (by default the next) and return whether it is new; a stored one must be equal."""
        self._number = number or self._number + 1
        if self._number > len(self._stored):
            self._state = None
            self.run.append("step", body)
            return True
        if canonical(body) != canonical(self._stored[self._number - 1]):
            raise self.differs(self._number)
        return False

    def differs(self, number: int) -> ValueError:
        return ValueError(
            f"run {self.run.name} was played by fogspiel {self.run.request['fogspiel']}, "
            f"and this is {__version__}: "
            f"step {number} comes out differently, so it cannot be resumed; start it anew"
        )

    @property
    def steps(self) -> int:
        """Number of steps, replayed ones included."""
        return self._number

    def save_partial(self, state: Callable[[], Mapping[str, Any]]) -> None:
        """Save the state of the current step, at most once per KEEP_SECONDS."""
        self._state = state
        if time.monotonic() - self._kept > KEEP_SECONDS:
            self.run.save_partial(state())
            self._kept = time.monotonic()

    def interrupt(self) -> None:
        """Save the state of the current step before the work ends."""
        if self._state is None:
            return
        if self._state_is_step:
            self.run.append("step", self._state())
        else:
            self.run.save_partial(self._state())


# Kinds

# Labels of the versions that rows depend on.
VERSIONS = {"rules": "version of the rules", "fogspiel": "fogspiel"}
# Result keys of the plain report.
FIGURES = ("value", "lower", "upper", "exact", "solver", "score", "games", "wins", "draws", "losses")
# Request keys that `--json` repeats.
OUTCOME = ("game", "method", "race", "seed", "baseline", "first", "second")

# Former names of methods of kinds, accepted from plug-ins until 2.0.
FORMER = {
    "find": "compute", "work": "execute", "made": "handles", "again": "resume_command", "numbers": "parameters_json",
    "outcome": "result_json", "lines": "terminal_lines", "trail": "curve", "keep_telling": "compact_rows",
}  # fmt: skip


class Outputs(NamedTuple):
    certificate: Path | None = None  # path of the certificate
    seconds: float | None = None  # CPU time of this process, if it worked on the run
    report: Report | None = None  # the report, if one was written


class Interruption(NamedTuple):
    """Message about an interrupted run, for programs and people."""

    facts: Json
    sentence: str
    lines: Sequence[str] = ()  # findings so far, if they are printed


class StoredGame(NamedTuple):
    """Game of a run: its players by seat, its record, and its end in words."""

    game: Game
    names: tuple[str, str]
    record: Sequence[int]
    ending: str


class Kind:
    """One kind of run; the defaults serve runs of unknown kind."""

    name = ""  # equals the file's name
    title = "unknown"  # label in the list of runs
    method = ""  # method in its requests
    heading = ""  # precedes the game in the title of the plain report
    has_report = False  # true if finished runs have a report
    writes_report = False  # true if the command line always writes the report, into a separate folder
    state_is_step = False  # true if an interruption stores the findings so far as a step, not as a partial state
    # Adds a new row to the summary rows, for runs with very many rows.
    compact_rows: Callable[[list[StoredRow], StoredRow], None] | None = None
    request: type[Request] | None = None  # model of its requests

    def __init_subclass__(cls) -> None:
        for old, new in FORMER.items():  # kinds of plug-ins with former names
            if old in cls.__dict__ and new not in cls.__dict__:
                setattr(cls, new, cls.__dict__[old])

    def handles(self, method: str | None) -> bool:
        """True if this kind executes runs with this method in their request."""
        return method == self.method

    def row_types(self) -> dict[str, Any]:
        """Return the types of the keys of row 0; without a request model they are not checked."""
        return {} if self.request is None else self.request.row_types()

    # Execution

    def check(self, run: Run) -> object:
        """Return the request of a stored run; raise ValueError if this version cannot resume it."""
        if not self.name:
            method = run.request.get("method")
            raise ValueError(f"run {run.name} has the method {method}, which is not known here: name its plug-in")
        return run.request

    def demand_versions(self, run: Run) -> None:
        """Raise ValueError for an unfinished run of other code or other rules, whose jobs would not fit together."""
        ask, version = run.request, game_of_run(run).version
        if not run.finished and (ask["fogspiel"], ask["rules"]) != (__version__, version):
            raise ValueError(
                f"run {run.name} was made by fogspiel {ask['fogspiel']} and version {ask['rules']} of the rules of "
                f"{ask['game']}, not {__version__} and version {version}: start it anew"
            )

    def check_source(self, run: Run, source: str | None) -> None:
        """Load the game of a run from the user's source; raise ValueError if that is wrong, or missing and needed."""
        if source is not None:
            if isinstance(run.request.get("rules"), int):
                raise ValueError(f"the rules of run {run.name} are not in a file: leave out --source")
            named = load_game(source).name
            if named != run.request["game"]:
                raise ValueError(f"run {run.name} is one of {run.request['game']}, but --source names {named}")
        if isinstance(run.request.get("rules"), str):
            game_of_run(run)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Compute the result from the saved state; steps and partial states go to the recorder."""
        self.check(run)
        return {}

    def execute(self, run: Run, context: Context | None = None) -> Json:
        """Execute a run until it is done; return its result, which is stored as the last row."""
        recorder = Recorder(run, self.state_is_step)
        try:
            result = self.compute(run, recorder, context or Context())
        except KeyboardInterrupt:
            recorder.interrupt()
            raise
        if run.result is None:
            run.append("result", result)
        return run.result or result

    def processes(self, run: Run, cores: int) -> int:
        """Return the default number of threads or processes."""
        return cores

    def resume_command(self, run: Run, resume: str) -> str:
        """Return the command that resumes a run; `resume` names just the run."""
        words = spec_of(run.request["game"])
        return resume if words is None else f"{resume} --source {shlex.quote(words.typed)}"

    def interruption(self, run: Run, again: str) -> Interruption:
        facts = {"run": run.name, "state": "interrupted", "steps": len(run.steps), "resume": again}
        return Interruption(facts, f"interrupted; nothing is lost. Go on with: {again}")

    # Terminal output

    def headline(self, run: Run) -> str:
        """Describe the run in a short phrase, printed when its execution starts."""
        return f"{run.request.get('method')} on {run.request['game']}"

    def summary(self, run: Run) -> list[str]:
        """Return the findings so far, as sentences."""
        return []

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        """Yield the terminal output of a finished run."""
        yield f"{run.name}: {self.headline(run)}"
        yield from self.summary(run)

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        """Return the `--json` output of a finished run."""
        return finished_json(run)

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        """Return the request as pairs of label and text."""
        plain = [key for key, value in ask.items() if not isinstance(value, list | dict)]
        own = {key: key for key in plain if key not in ("game", "method")}
        labels = (own if self.request is None else self.request.labels()) | VERSIONS
        shown = [(label, self.value_text(ask, key)) for key, label in labels.items() if ask.get(key) not in (None, [])]
        return [("game", title_of(ask["game"])), *shown]

    def value_text(self, ask: Json, key: str) -> str:
        value = self.players(ask) if key == "players" else ask[key]
        if isinstance(value, list):
            return ", ".join(str(one["name"] if isinstance(one, dict) and "name" in one else one) for one in value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:,}" if isinstance(value, int) and key != "seed" else str(value)

    def players(self, ask: Json) -> list[str]:
        return [player["name"] for player in ask["players"]]

    def form_of(self, ask: Json) -> dict[str, str] | None:
        """Return the fields of the web form that repeats the request."""
        return self.request.from_json(ask).form() if self.request is not None and self.request.tab else None

    # Drawing and exporting

    def curve(self, ask: Json) -> Curve:
        """Return the empty curve of a run with this request."""
        return Curve(unit="steps")

    def points(self, run: Run) -> list[CurvePoint]:
        return self.curve(run.request).points(run.steps)

    def command(self, ask: Json) -> str:
        """Return the command that repeats the request."""
        if self.request is not None:
            return self.request.from_json(ask).command
        return f"fogspiel {self.name} {command_spec(ask['game'])}"

    def report(self, run: Run) -> Report:
        """Return the report of a finished run: sentences, figures, the curve and the request."""
        result, trail = run.result or {}, self.curve(run.request)
        rows = [(key, _figure(result[key])) for key in FIGURES if key in result]
        rows += [(key.replace("_", " "), _figure(value)) for key, value in result.get("sizes", {}).items()]
        parts: list[Part] = [Table("figures", "In figures", ("what", "figure"), rows)]
        if len(run.steps) > 1 and (chart := trail_chart(trail, trail.points(run.steps))) is not None:
            parts.append(chart)
        parts.append(Table("asked", "What was asked", ("what", "asked"), self.request_lines(run.request)))
        title = f"{self.heading or self.title}: {title_of(run.request['game'])}"
        return Report(run.name, title, self.command(run.request), self.summary(run), parts)

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        """Return the run as CSV lines, header first."""
        if self.writes_report:
            raise ValueError(f"run {run.name} has no steps ({self.method}): its tables are CSV files beside its report")
        rows = [(point.at, point.value, point.low, point.high) for point in self.points(run)]
        return [("at", "value", "low", "high"), *rows]

    def replay_lines(self, run: Run, number: int) -> list[str]:
        """Return a game of the run move by move; raise ValueError if it stores no games."""
        raise ValueError(f"run {run.name} stores no games, only their counts: leave out --game")

    def games(self, run: Run) -> Sequence[StoredGame]:
        """Return the games that the run stores, in the order of their numbers."""
        return ()

    def pgn(self, run: Run) -> Iterator[str] | None:
        """Return the games as PGN, one after the other; None where they are not chess."""
        return None

    def panels_json(self, run: Run) -> Json:
        """Return what a page draws beside the curve: `parameters` with their ways and landscapes, and a `decision`."""
        found = self.decision(run)
        return {"parameters": [], "decision": None if found is None else found.to_json()}

    def decision(self, run: Run) -> DecisionBar | None:
        """Return how far the sequential test of the run has come, if it has one."""
        return None

    def games_note(self, ask: Json) -> str | None:
        """Return a sentence about the games of the run where the store has none that people may look for."""
        return None

    # Playing

    def agent(self, run: Run, game: Game) -> Agent:
        """Return the agent that plays the run's result; raise ValueError if there is none."""
        raise ValueError(
            f"run {run.name} has the method {run.request['method']} and is not a player: "
            f"give a run that tunes {game.name}"
        )

    def parameters_json(self, run: Run) -> Json:
        """Return the parameters found so far, in the format of parameter files."""
        return {"theta": None}

    def parameters(self, run: Run) -> list[tuple[str, str]]:
        """Return the vector found so far as pairs of name and text."""
        theta, game = self.parameters_json(run)["theta"], game_or_none(run.request["game"])
        if theta is None or game is None:
            return []
        return [(name, f"{value:.6g}") for name, value in zip(parameters_of(game), theta, strict=True)]

    def certificate(self, run: Run) -> Json | None:
        """Return the run's certificate, if there is one."""
        return None

    def solution(self, run: Run) -> Json | None:
        """Return the certificate whose strategies explain the run; None if its agent does."""
        return None

    def playable(self, run: Run) -> bool:
        """True if the run has an agent of an available game."""
        return self.parameters_json(run)["theta"] is not None and game_or_none(run.request["game"]) is not None

    def opponent(self, summary: Summary) -> tuple[str, str] | None:
        """Return the category and description of the run's opponent; None if there is none."""
        return None


class AnswerKind(Kind):
    """Base of kinds with a single step: only finished runs are stored, and only if the user names a store."""

    def check(self, run: Run) -> object:
        """Reject resumption: the inputs may be files, which are read only if the user names them."""
        if run.finished:
            return run.request
        raise ValueError(f"run {run.name} was not finished, and nothing of it is kept: {self.command(run.request)}")

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        return dict(run.result or {})


UNKNOWN = Kind()
TUNE = "tune"  # file of the kind whose runs have a tuning method's name in their requests


def kinds() -> dict[str, Kind]:
    return collect("runs.kinds", "KINDS")


def kind_of_method(method: str | None) -> Kind:
    # Most methods have the name of their file or slice, and one kind executes all tuning methods: the remaining files
    # need not be imported.
    for name, source in sorted(sources("runs.kinds").items(), key=lambda item: item[0] == TUNE):
        if method in name.split(".") or name == TUNE:
            likely: Sequence[Kind] = load(source).KINDS
            for kind in likely:
                if kind.handles(method):
                    return kind
    return next((kind for kind in kinds().values() if kind.handles(method)), UNKNOWN)


def kind_of(run: Run) -> Kind:
    """Return the kind of a stored run; raise ValueError if its request is invalid."""
    return kind_of_request(run.name, run.request)


def kind_of_request(run: str, ask: Json) -> Kind:
    """Return the kind of a request; raise ValueError for one that no version of fogspiel writes."""
    kind = kind_of_method(ask["method"])
    for key, annotation in kind.row_types().items():
        if not fits(ask.get(key), annotation):
            given = shorten(ask[key]) if key in ask else "missing"
            raise ValueError(f"the request of run {run} cannot be read: `{key}` is {given}; delete the run")
    return kind


def execute(run: Run, context: Context | None = None) -> Json:
    return kind_of(run).execute(run, context)


# Text


def title_of(name: str) -> str:
    game = game_or_none(name)
    return game.title if game else name


def finished_facts(run: Run) -> Json:
    return {"run": run.name, "state": "finished", "game": run.request["game"], "seed": run.request["seed"]}


def finished_json(run: Run) -> Json:
    """Return the `--json` object of a finished run: name, request and result."""
    asked = {key: run.request[key] for key in OUTCOME if key in run.request}
    return {"run": run.name, "state": "finished", **asked, **(run.result or {})}


def in_sentences(lines: Iterable[str]) -> list[str]:
    return [f"{line[:1].upper()}{line[1:]}{'' if line.endswith(':') else '.'}" for line in lines]


def _figure(value: Any) -> str | int | float:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " and ".join(f"{number:,}" for number in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_figure(number)}" for key, number in value.items())
    return value if isinstance(value, int | float) else str(value)


# Independent jobs of a run

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
        return canonical({"job": self.name, **self.inputs})

    @property
    def done_twice(self) -> bool:
        """True for the sample of jobs done twice, to detect machines that compute wrongly."""
        digest = hashlib.blake2b(self.key.encode(), digest_size=8).digest()
        return self.repeatable and int.from_bytes(digest, "big") % ONE_IN == 0


def game_of_job(name: str, rules: int | str, source: str | None) -> Game:
    """Return the game of a job in any process; raise ValueError if its rules are not those of the run."""
    game = load_game(source) if source else known_game(name)
    if game.version != rules:
        raise ValueError(f"the rules of {name} have changed since the run began: start it anew")
    return game


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


@contextmanager
def undone_if_empty(store: Store, run: Run, kept: Callable[[str], bool] = lambda error: False) -> Iterator[None]:
    """Delete a new run whose request fails before anything of it is known, unless it is `kept` for the message."""
    try:
        yield
    except StoreError:
        raise
    except ValueError as error:
        if len(run.rows) == 1 and run.partial() is None and not kept(str(error)):
            run.close()
            store.delete([run.name])
        raise


def keep_answer(ask: Json, answer: Json, store: Path | None) -> None:
    """Save a request and its result in one step, where the user names a store."""
    if store is not None:
        with Store.open(store, write=True) as runs, find_or_create_run(runs, ask) as run:
            if run.result is None:
                run.append("result", answer)


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
        from ..process.jobs import run_jobs  # joblib, which most runs do not need

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


# Log of jobs repeated after the loss of a worker, in a small file next to the store: rows do not depend on losses. The
# file is readable by its owner only. If it is missing, damaged or not writable, nothing is reported.

# Bytes read from the file, characters stored of a message, and number of reasons displayed.
MAX_BYTES, MAX_LETTERS, SHOWN = 1_000_000, 300, 3


def note_repetition(store: Path, run: Run, sentence: str) -> None:
    """Log the loss of a worker if its job is repeated; an abandoned job ends the run with an error instead."""
    if not sentence.endswith("repeated"):
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
