"""Kinds of run: what each of them can say and do, and how the kind of a stored run is found.

A kind is a file in `runs/kinds`, or in the folder of that name of a plug-in, that lists itself under KINDS. The
command line and the pages loop over kinds: to work on a run, to tell what was found, to draw it, export it, play it.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core.agents import Agent
from ..core.find import command_spec, load_game, spec_of
from ..core.game import Game, known_game, parameters_of
from ..core.plugins import collect, load, sources
from ..core.untrusted_input import shorten
from .curve import Curve, CurvePoint, trail_chart
from .execute import Context, Recorder
from .report import Cell, Part, Report, Table
from .request import Request, fits, game_of_run
from .store import Json, Row, Run, Summary

# Labels of what rows depend on beside what was asked.
VERSIONS = {"rules": "version of the rules", "fogspiel": "fogspiel"}
# The keys of results that a plain report shows.
FIGURES = ("value", "lower", "upper", "exact", "solver", "score", "games", "wins", "draws", "losses")
# The keys of requests that `--json` repeats beside the result.
OUTCOME = ("game", "method", "race", "seed", "baseline", "first", "second")

# Former names of what a kind says and does, which a plug-in may still use until 2.0.
FORMER = {
    "find": "compute", "work": "execute", "made": "handles", "again": "resume_command", "numbers": "parameters_json",
    "outcome": "result_json", "lines": "terminal_lines", "trail": "curve", "keep_telling": "compact_rows",
}  # fmt: skip


class Outputs(NamedTuple):
    """Files that a command has written for a run."""

    certificate: Path | None = None  # where the certificate was written, if there is one
    seconds: float | None = None  # CPU time of this process, if it has worked on the run
    report: Report | None = None  # the report that was written, if one was


class Interruption(NamedTuple):
    """Message at an interruption of the work on a run, for programs and people."""

    facts: Json
    sentence: str
    lines: Sequence[str] = ()  # what was found so far, where that is told too


class Kind:
    """One kind of run; what a kind does not say for itself is said as for a run of a kind that is not known here."""

    name = ""  # what the kind is called, as its file is
    title = "unknown"  # what the list of runs calls a run of this kind
    method = ""  # what stands for the method in its requests
    heading = ""  # before the name of the game in the title of the plain report
    has_report = False  # true if a finished run has a report
    writes_report = False  # true if the command line writes the report unasked, into a folder of its own
    state_is_step = False  # true if an interruption leaves what was found so far as a step, not as the state of one
    # How a new row changes those that tell what was found so far, where a run may have very many rows.
    compact_rows: Callable[[list[Row], Row], None] | None = None
    request: type[Request] | None = None  # the model of its requests

    def __init_subclass__(cls) -> None:
        for old, new in FORMER.items():  # kinds of plug-ins in the old words
            if old in cls.__dict__ and new not in cls.__dict__:
                setattr(cls, new, cls.__dict__[old])

    def handles(self, method: str | None) -> bool:
        """True if a run with this method in its request is of this kind."""
        return method == self.method

    def row_types(self) -> dict[str, Any]:
        """Return the types of the keys of first rows; those of a kind without a model are not checked."""
        return {} if self.request is None else self.request.row_types()

    # Working

    def check(self, run: Run) -> object:
        """The request of a stored run, or a ValueError if this version of the package cannot go on with it."""
        if not self.name:
            method = run.request.get("method")
            raise ValueError(f"run {run.name} has the method {method}, which is not known here: name its plug-in")
        return run.request

    def check_source(self, run: Run, source: str | None) -> None:
        """Find the game of a run at the source that the user names; a ValueError if it is needed, or if it is wrong."""
        if source is not None:
            if isinstance(run.request.get("rules"), int):
                raise ValueError(f"the rules of run {run.name} are not in a file: leave out --source")
            named = load_game(source).name
            if named != run.request["game"]:
                raise ValueError(f"run {run.name} is one of {run.request['game']}, but --source names {named}")
        if isinstance(run.request.get("rules"), str):
            game_of_run(run)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """The result of a run, worked out from where it was left; steps and states go to the recorder."""
        self.check(run)
        return {}

    def execute(self, run: Run, context: Context | None = None) -> Json:
        """Work on a run until it is done; returns its result, which is stored as the last row."""
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
        """Default number of threads or processes of the work."""
        return cores

    def resume_command(self, run: Run, resume: str) -> str:
        """The command that goes on with a run, from the one that names just the run."""
        words = spec_of(run.request["game"])
        return resume if words is None else f"{resume} --source {shlex.quote(words.typed)}"

    def interruption(self, run: Run, again: str) -> Interruption:
        """Return the message at an interruption."""
        facts = {"run": run.name, "state": "interrupted", "steps": len(run.steps), "resume": again}
        return Interruption(facts, f"interrupted; nothing is lost. Go on with: {again}")

    # Telling

    def headline(self, run: Run) -> str:
        """Describe the run in a few words, when the work on it begins."""
        return f"{run.request.get('method')} on {run.request['game']}"

    def summary(self, run: Run) -> list[str]:
        """Describe the findings so far, in sentences."""
        return []

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        """Return the terminal output of a finished run."""
        yield f"{run.name}: {self.headline(run)}"
        yield from self.summary(run)

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        """Return the `--json` output of a finished run."""
        return finished_json(run)

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        """The request, a line for each thing that was asked."""
        own = {
            key: key
            for key, value in ask.items()
            if key not in ("game", "method") and not isinstance(value, list | dict)
        }
        labels = (own if self.request is None else self.request.labels()) | VERSIONS
        shown = [(label, self.value_text(ask, key)) for key, label in labels.items() if ask.get(key) is not None]
        return [("game", title_of(ask["game"])), *shown]

    def value_text(self, ask: Json, key: str) -> str:
        """A value of a request as people read it."""
        value = ", ".join(self.players(ask)) if key == "players" else ask[key]
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:,}" if isinstance(value, int) and key != "seed" else str(value)

    def players(self, ask: Json) -> list[str]:
        """The names of the players of a round robin."""
        return [player["name"] for player in ask["players"]]

    def form_of(self, ask: Json) -> dict[str, str] | None:
        """The fields of the form that asks for the same again."""
        return self.request.from_json(ask).form() if self.request is not None and self.request.tab else None

    # Drawing and exporting

    def curve(self, ask: Json) -> Curve:
        """The trail of a run with this request, before its first step."""
        return Curve(unit="steps")

    def points(self, run: Run) -> list[CurvePoint]:
        """A point for every step."""
        return self.curve(run.request).points(run.steps)

    def command(self, ask: Json) -> str:
        """The command that asks for the same."""
        if self.request is not None:
            return self.request.from_json(ask).command
        return f"fogspiel {self.name} {command_spec(ask['game'])}"

    def report(self, run: Run) -> Report:
        """The report of a finished run: in sentences, in figures, the way there, and what was asked."""
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
        """The run as lines for other programs, its header first."""
        if self.writes_report:
            raise ValueError(f"run {run.name} has no steps ({self.method}): its tables are CSV files beside its report")
        rows = [(point.at, point.value, point.low, point.high) for point in self.points(run)]
        return [("at", "value", "low", "high"), *rows]

    # Playing

    def agent(self, run: Run, game: Game) -> Agent:
        """The agent that plays what the run has found, or a ValueError that says why there is none."""
        raise ValueError(
            f"run {run.name} has the method {run.request['method']} and is not a player: "
            f"give a run that tunes {game.name}"
        )

    def parameters_json(self, run: Run) -> Json:
        """The parameters that the run has found so far, as parameter files have them."""
        return {"theta": None}

    def parameters(self, run: Run) -> list[tuple[str, str]]:
        """The vector that was found, parameter by parameter."""
        theta, game = self.parameters_json(run)["theta"], game_or_none(run.request["game"])
        if theta is None or game is None:
            return []
        return [(name, f"{value:.6g}") for name, value in zip(parameters_of(game), theta, strict=True)]

    def certificate(self, run: Run) -> Json | None:
        """The certificate that the run has found, if its kind finds any."""
        return None

    def solution(self, run: Run) -> Json | None:
        """The certificate whose strategies explain the run; None where its agent does."""
        return None

    def playable(self, run: Run) -> bool:
        """True if the run has found an agent of a game that is here."""
        return self.parameters_json(run)["theta"] is not None and game_or_none(run.request["game"]) is not None

    def opponent(self, summary: Summary) -> tuple[str, str] | None:
        """Return the category and description of the run's opponent; None if there is none."""
        return None


class AnswerKind(Kind):
    """A kind whose work is one step: only its finished runs are stored, and only where the user names a store."""

    def check(self, run: Run) -> object:
        """Refuse to go on: what was asked may be in files, which are read only where the user names them."""
        if run.finished:
            return run.request
        raise ValueError(f"run {run.name} was not finished, and nothing of it is kept: {self.command(run.request)}")

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        return dict(run.result or {})


UNKNOWN = Kind()
TUNE = "tune"  # the file of the kind whose runs have the name of a tuning method in their requests


def kinds() -> dict[str, Kind]:
    """Every kind of run, by name."""
    return collect("runs.kinds", "KINDS")


def kind_of_method(method: str | None) -> Kind:
    """The kind of a run with this method in its request."""
    # Most methods are called as their file or their slice is, and all methods of tuning are made by one kind: the
    # other files need not be imported.
    for name, source in sorted(sources("runs.kinds").items(), key=lambda item: item[0] == TUNE):
        if method in name.split(".") or name == TUNE:
            likely: Sequence[Kind] = load(source).KINDS
            for kind in likely:
                if kind.handles(method):
                    return kind
    return next((kind for kind in kinds().values() if kind.handles(method)), UNKNOWN)


def kind_of(run: Run) -> Kind:
    """The kind of a stored run, or a ValueError if its request is none of that kind."""
    return kind_of_request(run.name, run.request)


def kind_of_request(run: str, ask: Json) -> Kind:
    """Return the kind of a request; raise a ValueError for one that no fogspiel has written."""
    kind = kind_of_method(ask["method"])
    for key, annotation in kind.row_types().items():
        if not fits(ask.get(key), annotation):
            given = shorten(ask[key]) if key in ask else "missing"
            raise ValueError(f"the request of run {run} cannot be read: `{key}` is {given}; delete the run")
    return kind


def execute(run: Run, context: Context | None = None) -> Json:
    """Work on a run of any kind until it is done; returns its result."""
    return kind_of(run).execute(run, context)


# In words


def game_or_none(name: str) -> Game | None:
    """Return the game that a run is named after, if it is one that is here; the other games are not imported."""
    try:
        return known_game(name)
    except ValueError:
        return None


def title_of(name: str) -> str:
    """A game's title, or what else a run is named after."""
    game = game_or_none(name)
    return game.title if game else name


def finished_json(run: Run) -> Json:
    """A finished run for programs: its name, what was asked, and its result."""
    asked = {key: run.request[key] for key in OUTCOME if key in run.request}
    return {"run": run.name, "state": "finished", **asked, **(run.result or {})}


def in_sentences(lines: Iterable[str]) -> list[str]:
    """Lines of the terminal as sentences of a page."""
    return [f"{line[:1].upper()}{line[1:]}{'' if line.endswith(':') else '.'}" for line in lines]


def _figure(value: Any) -> str | int | float:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " and ".join(f"{number:,}" for number in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_figure(number)}" for key, number in value.items())
    return value if isinstance(value, int | float) else str(value)
