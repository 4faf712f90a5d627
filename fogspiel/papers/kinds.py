"""The run kind of papers."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from .. import __version__
from ..core.plugins import collect, help_of
from ..runs.kind import Context, Job, JobRunner, Kind, Outputs, Progress, Recorder, Row, rows_of
from ..runs.report import Curve, Report
from ..runs.requests import PaperRequest
from ..runs.store import Json, Run
from .claims import Claim

# Experiments of papers: many independent jobs, stored job by job, and the report made from their rows.
#
# An experiment is a file in `papers` (or in the folder of that name of a plug-in) that lists it under EXPERIMENTS; its
# docstring is its help. It is a generator that yields lists of jobs and is sent their rows.

Batches = Generator[list[Job], list[Row], None]
LAST = 100  # default place of an experiment in lists


@dataclass(frozen=True)
class PaperPart:
    """A part of a paper: its jobs, and the report made from their rows."""

    name: str  # name on the command line and of its runs
    paper: str  # citation of the paper
    batches: Callable[[PaperRequest], Batches]
    report: Callable[[PaperRequest, Sequence[Row]], Report]
    place: int = LAST  # position in lists
    claims: Callable[[PaperRequest, Sequence[Row]], Sequence[Claim]] | None = None  # by the rows of a run, or none

    @property
    def help(self) -> str:
        return help_of(sys.modules[self.batches.__module__])


def experiments() -> dict[str, PaperPart]:
    found = sorted(collect("papers", "EXPERIMENTS").values(), key=lambda experiment: experiment.place)
    return {experiment.name: experiment for experiment in found if isinstance(experiment, PaperPart)}


def find_experiment(name: str) -> PaperPart:
    """Return the experiment of that name, or raise a ValueError that lists the names."""
    found = experiments()
    if name not in found:
        raise ValueError(f"there is no experiment {name!r}: the experiments are {', '.join(found)}")
    return found[name]


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
        asks_the_same = run.request.keys() >= PaperRequest.model_fields.keys() - {"name", "kind"}
        if made_by != __version__ and not (run.finished and asks_the_same):
            raise ValueError(f"run {run.name} was made by fogspiel {made_by}, not {__version__}: start it anew")
        self.find_experiment(run.request["game"])
        return PaperRequest.from_json(run.request)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        request = self.check(run)
        batches = self.find_experiment(request.name).batches(request)
        runner, jobs, done = JobRunner(run, recorder, context), next(batches, None), 0
        while jobs is not None:
            _demand_same(run, done, jobs)
            batch: list[Row] = []
            with closing(runner.rows(jobs)) as found:
                for row in found:
                    batch.append(row)
                    context.on_progress(_progress(len(batch), len(jobs), row))
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
        request = self.check(run)
        return self.find_experiment(request.name).report(request, rows_of(run))


def _progress(done: int, total: int, row: Row) -> Progress:
    words = " ".join(str(row[key]) for key in ("job", "game", "method", "first", "seed") if key in row)
    return Progress(f"{done} of {total}: {words}", done / total)


def _demand_same(run: Run, first: int, jobs: list[Job]) -> None:
    """Raise if a run's rows are results of other jobs than these, so that it cannot resume."""
    for number, (job, body) in enumerate(zip(jobs, run.steps[first:], strict=False), first + 1):
        if job.key != body["key"]:
            raise ValueError(
                f"run {run.name} was made by another version of the experiment: step {number} is now `{job}` with "
                f"other code or numbers; start it anew, in another store"
            )


KIND = PaperKind()
KINDS = (KIND,)
NAMED = {"paper": find_experiment}
CHOICES = {"paper": lambda: {name: f"{name}: {found.paper}" for name, found in experiments().items()}}
