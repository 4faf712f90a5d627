"""The parts of papers: stored experiments with their run kind, and computations of some seconds.

A file in `papers` (or the folder of that name of a plug-in) lists its parts under EXPERIMENTS; its docstring is their
help. An experiment is a generator that yields lists of independent jobs and is sent their rows. They are stored job by
job, and the report is made from them.
"""

import re
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from .. import __version__
from ..core.find import unknown
from ..core.plugins import collect, help_of
from ..runs.kind import Context, Job, JobRunner, Kind, Outputs, Progress, Recorder, Row, rows_of
from ..runs.report import Curve, Report, Table
from ..runs.requests import PaperRequest
from ..runs.store import Json, Run, Store
from .claims import Claim

Batches = Generator[list[Job], list[Row], None]
Say = Callable[[str], None]
LAST = 100  # default place in lists
EVERY = "all"  # every paper
NAMING = ("job", "game", "method", "first", "seed")  # keys that name a row as text


@dataclass(frozen=True)
class PaperPart:
    """A part of a paper: its jobs, and the report made from their rows."""

    name: str  # name on the command line and of its runs
    paper: str  # citation of the paper
    batches: Callable[[PaperRequest], Batches]
    report: Callable[[PaperRequest, Sequence[Row]], Report]
    place: int = LAST
    claims: Callable[[PaperRequest, Sequence[Row]], Sequence[Claim]] | None = None  # by the rows of a run, or none
    selects: Mapping[str, Callable[[str], object]] = field(
        default_factory=dict
    )  # fields it takes: a check of each name

    @property
    def help(self) -> str:
        return help_of(sys.modules[self.batches.__module__])

    def check(self, request: PaperRequest) -> None:
        """Raise ValueError for a selection that this part does not offer."""
        for key in request.selecting:
            if (value := getattr(request, key)) is None:
                continue
            if key not in self.selects:
                offered = ", ".join(_option(one) for one in self.selects) or "none of these options"
                raise ValueError(f"paper {self.name} has no {_option(key)}: it has {offered}")
            if isinstance(value, str):
                names = request.names("only" if key == "only" else "methods")
                if not names:
                    raise ValueError(f"{_option(key)} names nothing: give names with commas between them")
                for name in names:
                    self.selects[key](name)


def _option(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def any_number(value: str) -> None:
    """Accept a number of games, whose bounds the request has checked."""


class Options(NamedTuple):
    players: int = 10  # the Resistance: solve up to this many players
    full: int = 7  # the Resistance: Bossle's own program up to this many
    certificates: Path | None = None  # where to write those that a part makes


class Computed(NamedTuple):
    facts: Json
    lines: Sequence[str | Table]
    report: Report | None = None  # the same with figures, to be written where the user names a folder


@dataclass(frozen=True)
class Computation:
    """A part of a paper that is computed at once: it gives a report, or facts and lines."""

    name: str
    paper: str
    compute: Callable[[Options, Say], Report | Computed]
    place: int = LAST
    claims: Callable[[Options, Say], Sequence[Claim]] | None = None  # the claims of the paper that it decides

    @property
    def help(self) -> str:
        return help_of(sys.modules[self.compute.__module__])


AnyPart = PaperPart | Computation


def parts() -> dict[str, AnyPart]:
    found: dict[str, AnyPart] = collect("papers", "EXPERIMENTS")
    return dict(sorted(found.items(), key=lambda part: part[1].place))


def experiments() -> dict[str, PaperPart]:
    return {name: part for name, part in parts().items() if isinstance(part, PaperPart)}


# Experiments of earlier versions, for stored runs; the plug-in folder of the benchmarks has them.
REMOVED = ("ablation", "calibration", "future-work", "red-queen", "algorithm4", "bandits", "refutation", "beyond")


def find_experiment(name: str) -> PaperPart:
    found = experiments()
    if name not in found:
        raise ValueError(
            f"there is no experiment {name!r}{elsewhere(name) or ': the experiments are ' + ', '.join(found)}"
        )
    return found[name]


def elsewhere(name: str) -> str:
    """Return where an experiment of earlier versions is now, as text."""
    return ", it left the package: add --plugins benchmarks/plugins of its repository" if name in REMOVED else ""


def report_rows(request: PaperRequest, rows: Sequence[Row]) -> Report:
    """Return the numbers and texts in the rows of an experiment as a table."""
    columns = list(
        dict.fromkeys(key for row in rows for key, value in row.items() if isinstance(value, str | int | float))
    )
    lines = [tuple(row.get(key) for key in columns) for row in rows]
    words = f"The experiment {request.name}{elsewhere(request.name)}. Lists in its rows are in the JSON export."
    return Report(request.name, request.name, request.command, (words,), (Table("rows", "Rows", columns, lines),))


class PaperKind(Kind):
    """Do the experiment of a paper again."""

    name, title, method = "experiment", "paper", "paper"
    has_report = writes_report = True
    request = PaperRequest

    def __init__(self, find: Callable[[str], PaperPart] = find_experiment):
        self.find_experiment = find

    def check(self, run: Run) -> PaperRequest:
        """Return the request, if this version of the package still supports it."""
        made_by = run.request["fogspiel"]
        always = PaperRequest.model_fields.keys() - {"name", "kind", *PaperRequest.selecting}
        asks_the_same = run.request.keys() >= always
        if made_by != __version__ and not (run.finished and asks_the_same):
            raise ValueError(f"run {run.name} was made by fogspiel {made_by}, not {__version__}: start it anew")
        request = PaperRequest.from_json(run.request)
        if (part := self._part(run, request)) is not None:
            part.check(request)
        return request

    def _part(self, run: Run, request: PaperRequest) -> PaperPart | None:
        """Return the part of a run; None for a finished one of a part that left the package."""
        gone = run.finished and request.name in REMOVED and request.name not in experiments()
        return None if gone else self.find_experiment(request.name)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        request = self.check(run)
        batches = self.find_experiment(request.name).batches(request)
        runner, jobs, done = JobRunner(run, recorder, context), next(batches, None), 0
        while jobs is not None:
            for number, (job, body) in enumerate(zip(jobs, run.steps[done:], strict=False), done + 1):
                if job.key != body["key"]:
                    raise ValueError(
                        f"run {run.name} was made by another version of the experiment: step {number} is now `{job}` "
                        "with other code or numbers; start it anew, in another store"
                    )
            batch: list[Row] = []
            with closing(runner.rows(jobs)) as found:
                for row in found:
                    batch.append(row)
                    words = " ".join(str(row[key]) for key in NAMING if key in row)
                    share = len(batch) / len(jobs)
                    context.on_progress(Progress(f"{len(batch)} of {len(jobs)}: {words}", share))
            done += len(batch)
            try:
                jobs = batches.send(batch)
            except StopIteration:
                jobs = None
        return {"rows": done}

    def headline(self, run: Run) -> str:
        return str(run.request["game"])

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        (_, name), *rest = super().request_lines(ask)
        return [("experiment", name), *rest]  # several games are played in it

    def summary(self, run: Run) -> list[str]:
        return [] if run.result is None else [f"All {run.result['rows']:,} jobs are done."]

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        return (delivered.report or self.report(run)).facts(run.name)

    def curve(self, ask: Json) -> Curve:
        return Curve()

    def report(self, run: Run) -> Report:
        request, rows = self.check(run), rows_of(run)
        part = self._part(run, request)
        return report_rows(request, rows) if part is None else part.report(request, rows)


# The claims of papers.


def papers() -> dict[str, list[AnyPart]]:
    """Return the parts of every paper with claims, by first author and year of its citation, as in `bossle2018`."""
    found: dict[str, list[AnyPart]] = {}
    for part in parts().values():
        if part.claims is not None:
            author, year = part.paper.split()[0], re.search(r"\d{4}", part.paper)
            found.setdefault(author.lower() + (year.group() if year else ""), []).append(part)
    return found


def claims_of(part: AnyPart, store: Path, options: Options, say: Say) -> list[Claim]:
    """Return the claims that a part decides: computed at once, or by its finished runs in the store.

    Of the runs that test a claim on the same subject the newest decides. A run with other engines, games or limits has
    rows of its own. An untested claim is left out where another run tests it, or is newer.
    """
    if part.claims is None:
        return []
    if isinstance(part, Computation):
        judged = [(claim, f"fogspiel paper {part.name}") for claim in part.claims(options, say)]
    else:
        runs = list(finished_runs(part.name, store)) or [(PaperRequest(name=part.name), [])]
        every = [(claim, request.command) for request, rows in runs for claim in part.claims(request, rows)]
        newest_last = sorted(reversed(every), key=lambda one: one[0].is_tested)
        owner = {(claim.section, claim.sentence): command for claim, command in newest_last}
        first = dict[tuple[str, str, str], tuple[Claim, str]]()
        for claim, command in every:
            if claim.is_tested or owner[claim.section, claim.sentence] == command:
                first.setdefault((claim.section, claim.sentence, claim.subject), (claim, command))
        judged = list(first.values())
    return [claim if claim.command else replace(claim, command=command) for claim, command in judged]


def finished_runs(name: str, store: Path) -> Iterator[tuple[PaperRequest, list[Row]]]:
    """Yield the request and the rows of every finished run of a part, the newest first."""
    if store.exists():
        with Store.open(store, write=False) as runs:
            for summary in sorted(runs.summaries(), key=lambda one: one.created, reverse=True):
                if (summary.method, summary.game) == ("paper", name):
                    run = runs.read(summary.name)
                    if run.finished:
                        yield PaperRequest.from_json(run.request), rows_of(run)


def find_part(name: str) -> AnyPart:
    found = parts()
    if name in found:
        return found[name]
    if name in (known := check_name(name)):
        names = " or ".join(part.name for part in known[name])
        raise ValueError(f"{name} is a paper: add --claims, or name one of its parts, {names}")
    raise ValueError(f"{EVERY} names every paper: add --claims")


def check_name(name: str) -> dict[str, list[AnyPart]]:
    """Return the papers, or raise a ValueError if the name is neither a part, nor a paper, nor `all`."""
    found, known = parts(), papers()
    if name not in found and name not in known and name != EVERY:
        if name in REMOVED:
            raise ValueError(f"there is no paper {name!r}{elsewhere(name)}")
        raise unknown("paper", name, found)
    return known


def claims_of_papers(name: str, store: Path, options: Options, say: Say) -> dict[str, list[Claim]]:
    known = check_name(name)
    asked = {name: [parts()[name]]} if name in parts() else known if name == EVERY else {name: known[name]}
    found: dict[str, list[Claim]] = {}
    for part in (part for group in asked.values() for part in group):
        say(f"claims of {part.name}")
        found.setdefault(part.paper, []).extend(claims_of(part, store, options, say))
    if not any(found.values()):
        names = [part.name for group in known.values() for part in group]
        raise ValueError(f"paper {name} has no claims: parts with claims are {', '.join(names)}")
    return found


KIND = PaperKind()
KINDS = (KIND,)
NAMED = {"paper": find_experiment}
CHOICES = {"paper": lambda: {name: f"{name}: {found.paper}" for name, found in experiments().items()}}
