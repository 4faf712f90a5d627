"""Kinds of run: what each of them can say and do, and how the kind of a stored run is found.

A kind is a file in `runs/kinds`, or in the folder of that name of a plug-in, whose `KIND` is found by itself. The
command line and the pages loop over kinds: to work on a run, to tell what was found, to draw it, export it, play it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from ..core.agents import Agent
from ..core.game import Game, games
from ..core.plugins import folders, modules
from .report import Cell, Part, Report, Table
from .store import Json, Run, Summary
from .trail import Point, Trail, trail_chart
from .work import Context, Recorder

LABELS = {
    "games": "budget of games",
    "seconds": "seconds of work",
    "seed": "seed",
    "race": "race",
    "baseline": "baseline",
    "delta": "risk of each race",
    "epsilon": "precision",
    "observation": "a race counts",
    "report_games": "fresh games for the score",
    "first": "first",
    "second": "second",
    "seats": "seats",
    "players": "players",
    "solver": "method",
    "exact": "exact",
    "gap": "gap",
    "memory": "memory (GiB)",
    "longest": "longest game (plies)",
    "stop": "stops when proved",
    "quick": "quick",
    "scale": "scale",
    "seeds": "training seeds",
    "rules": "version of the rules",
    "fogspiel": "fogspiel",
}
"""What the keys of requests are called, in the order in which they are shown."""
FIGURES = ("value", "lower", "upper", "exact", "solver", "score", "games", "wins", "draws", "losses")
"""The keys of results that a plain report shows."""
OUTCOME = ("game", "method", "race", "seed", "baseline", "first", "second")
"""The keys of requests that `--json` repeats beside the result."""


class Result(Protocol):
    """What came out of a run."""

    def to_json(self) -> Mapping[str, Any]:
        """The last row of the run."""


class Delivered(NamedTuple):
    """What a command has done with the outcome of a run."""

    certificate: Path | None = None
    """Where the certificate was written, if there is one."""
    seconds: float | None = None
    """CPU time of this process, if it has worked on the run."""
    report: Report | None = None
    """The report that was written, if one was."""


class Interruption(NamedTuple):
    """What is told, to programs and to people, when the work on a run is interrupted."""

    facts: Json
    sentence: str


class Kind(ABC):
    """One kind of run."""

    name: ClassVar[str]
    """What the kind is called, as its file is."""
    title: ClassVar[str]
    """What the list of runs calls a run of this kind."""
    method: ClassVar[str]
    """What stands for the method in its requests."""
    heading: ClassVar[str] = ""
    """Before the name of the game in the title of the plain report."""
    has_report: ClassVar[bool] = True
    """Whether a finished run has a report."""
    writes_report: ClassVar[bool] = False
    """Whether the command line writes the report unasked, into a folder of its own."""
    state_is_step: ClassVar[bool] = False
    """Whether an interruption leaves what was found so far as a step, not as the state of one."""

    def made(self, method: str | None) -> bool:
        """Whether a run with this method in its request is of this kind."""
        return method == self.method

    # Working

    @abstractmethod
    def find(self, run: Run, recorder: Recorder, context: Context) -> Result:
        """Find the result of a run, from where it was left; steps and states go to the recorder."""

    def work(self, run: Run, context: Context | None = None) -> Json:
        """Work on a run until it is done; returns its result, which is stored as the last row."""
        recorder = Recorder(run, self.state_is_step)
        try:
            result = self.find(run, recorder, context or Context())
        except KeyboardInterrupt:
            recorder.interrupt()
            raise
        if run.result is None:
            run.append("result", result.to_json())
        return run.result or {}

    @abstractmethod
    def check(self, run: Run) -> object:
        """The request of a stored run, or a ValueError if this version of the package cannot go on with it."""

    def check_source(self, run: Run, source: str | None) -> None:
        """Refuse a file of rules that the user names, where the kind has no use for it."""
        if source is not None:
            raise ValueError(f"run {run.name} is not a solve: --game is for one whose rules are in a Python file")

    def processes(self, run: Run, cores: int) -> int:
        """How many threads or processes the work may have if the user says nothing."""
        return cores

    # Telling

    @abstractmethod
    def headline(self, run: Run) -> str:
        """What the run does, in a few words, when the work on it begins."""

    @abstractmethod
    def summary(self, run: Run) -> list[str]:
        """What was found so far, in sentences."""

    def lines(self, run: Run, delivered: Delivered) -> Iterator[str | Table]:
        """What the terminal shows of a finished run."""
        yield f"{run.name}: {self.headline(run)}"
        yield from self.summary(run)

    def outcome(self, run: Run, delivered: Delivered) -> Json:
        """What `--json` prints of a finished run."""
        return finished(run) | (run.result or {})

    def interruption(self, run: Run, again: str) -> Interruption:
        """What is told when the work is interrupted."""
        facts = {"run": run.name, "state": "interrupted", "steps": len(run.steps), "resume": again}
        return Interruption(facts, f"interrupted; nothing is lost. Go on with: {again}")

    def again(self, run: Run, resume: str) -> str:
        """The command that goes on with a run, from the one that names just the run."""
        return resume

    def asked(self, ask: Json) -> list[tuple[str, str]]:
        """The request, a line for each thing that was asked."""
        shown = [(LABELS[key], self.shown(key, ask[key])) for key in LABELS if ask.get(key) is not None]
        return [("game", title_of(ask["game"])), *shown]

    def shown(self, key: str, value: Any) -> str:
        """A value of a request as people read it."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:,}" if isinstance(value, int) and key != "seed" else str(value)

    # Drawing and exporting

    @abstractmethod
    def trail(self, ask: Json) -> Trail:
        """The trail of a run with this request, before its first step."""

    def command(self, ask: Json) -> str:
        """The command that asks for the same."""
        return f"fogspiel {self.name} {ask['game']}"

    def report(self, run: Run) -> Report:
        """The report of a finished run: in sentences, in figures, the way there, and what was asked."""
        result, trail = run.result or {}, self.trail(run.ask)
        rows = [(key, _figure(result[key])) for key in FIGURES if key in result]
        rows += [(key.replace("_", " "), _figure(value)) for key, value in result.get("sizes", {}).items()]
        parts: list[Part] = [Table("figures", "In figures", ("what", "figure"), rows)]
        if len(run.steps) > 1 and (chart := trail_chart(trail, trail.points(run.steps))) is not None:
            parts.append(chart)
        parts.append(Table("asked", "What was asked", ("what", "asked"), self.asked(run.ask)))
        title = f"{self.heading or self.title}: {title_of(run.ask['game'])}"
        return Report(run.name, title, self.command(run.ask), self.summary(run), parts)

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        """The run as lines for other programs, its header first."""
        rows = [(point.at, point.value, point.low, point.high) for point in self.points(run)]
        return [("at", "value", "low", "high"), *rows]

    def points(self, run: Run) -> list[Point]:
        """A point for every step."""
        return self.trail(run.ask).points(run.steps)

    # Playing

    def agent(self, run: Run, game: Game) -> Agent:
        """The agent that plays what the run has found, or a ValueError that says why there is none."""
        raise ValueError(
            f"run {run.name} is a {run.ask['method']} run, not a player: give a run that tunes {game.name}"
        )

    def numbers(self, run: Run) -> Json:
        """The parameters that the run has found so far, as parameter files have them."""
        return {"theta": None}

    def parameters(self, run: Run) -> list[tuple[str, str]]:
        """The vector that was found, parameter by parameter."""
        return []

    def certificate(self, run: Run) -> Json | None:
        """The certificate that the run has found, if its kind finds any."""
        return None

    def explained(self, run: Run) -> Json | None:
        """The certificate whose strategies explain the run; None where its agent does."""
        return None

    def playable(self, run: Run) -> bool:
        """Whether the run has found an agent."""
        return False

    def opponent(self, summary: Summary) -> tuple[str, str] | None:
        """What sort of opponent the run offers, and what that one does; None if there is none."""
        return None

    def form(self, ask: Json) -> dict[str, str] | None:
        """The fields of the form that asks for the same again, where there is such a form."""
        return None


class Unknown(Kind):
    """A run of a kind that is not here: made by a plug-in, or by a later version."""

    name = method = ""
    title = "unknown"
    has_report = False

    def find(self, run: Run, recorder: Recorder, context: Context) -> Result:
        """Refuse."""
        return self.check(run)

    def check(self, run: Run) -> Result:
        """Refuse."""
        raise ValueError(f"run {run.name} is a {run.ask.get('method')} run, which is not known here: name its plug-in")

    def headline(self, run: Run) -> str:
        """Its method alone is known."""
        return f"{run.ask.get('method')} on {run.ask['game']}"

    def summary(self, run: Run) -> list[str]:
        """Nothing can be said."""
        return []

    def trail(self, ask: Json) -> Trail:
        """Its steps can be counted."""
        return Trail(unit="steps")


UNKNOWN = Unknown()


def kinds() -> dict[str, Kind]:
    """Every kind of run, by name."""
    return _kinds_with(tuple(folders()))


def kind_of_method(method: str | None) -> Kind:
    """The kind of a run with this method in its request."""
    return _kind_with(tuple(folders()), method)


@cache
def _kinds_with(plugins: tuple[Path, ...]) -> dict[str, Kind]:
    found: list[Kind] = [module.KIND for module in modules("runs.kinds")]
    return {kind.name: kind for kind in found}


@cache
def _kind_with(plugins: tuple[Path, ...], method: str | None) -> Kind:
    return next((kind for kind in _kinds_with(plugins).values() if kind.made(method)), UNKNOWN)


def kind_of(run: Run) -> Kind:
    """The kind of a stored run."""
    return kind_of_method(run.ask.get("method"))


def work_on(run: Run, context: Context | None = None) -> Json:
    """Work on a run of any kind until it is done; returns its result."""
    return kind_of(run).work(run, context)


# In words


def title_of(name: str) -> str:
    """A game's title, or what else a run is named after."""
    game = games().get(name)
    return game.title if game else name


def finished(run: Run) -> Json:
    """How the JSON of a finished run begins: which run it is, and what was asked."""
    return {"run": run.name, "state": "finished", **{key: run.ask[key] for key in OUTCOME if key in run.ask}}


def in_sentences(lines: Iterable[str]) -> list[str]:
    """Lines of the terminal as sentences of a page."""
    return [f"{line[:1].upper()}{line[1:]}{'' if line.endswith(':') else '.'}" for line in lines]


def _figure(value: Any) -> Cell:
    """A figure of a result as a cell of a table."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " and ".join(f"{number:,}" for number in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_figure(number)}" for key, number in value.items())
    return value
