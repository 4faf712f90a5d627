"""Experiments in many independent jobs: spread over processes, stored job by job, resumed where they were left.

An experiment is a generator that yields lists of jobs and is sent their rows. Rows depend on the request alone and are
stored in the order of the jobs, whatever the number of processes, so two runs of the same request are equal byte for
byte; a job that another run of the same version has done already is recalled from there.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any

from .. import __version__
from ..stats.race import Race
from .kinds.tune import check_seed
from .report import Report
from .store import Run, Store, canonical
from .workers import run_jobs, say

METHOD = "paper"
"""What stands for the method in the request of an experiment."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """One piece of work: `work(**asked, **given)` returns what is stored beside `asked`."""

    work: Callable[..., Row]
    asked: Row
    given: dict[str, Any] = field(default_factory=dict)
    """What follows from earlier rows, and is therefore not stored again."""

    def __call__(self) -> Row:
        return {"job": self.work.__name__, **self.asked, **self.work(**self.asked, **self.given)}

    def __str__(self) -> str:
        words = [
            str(self.asked[word]) for word in ("game", "method", "first", "second", "against") if word in self.asked
        ]
        return " ".join([self.work.__name__, *words, *(f"{w} {self.asked[w]}" for w in ("seed",) if w in self.asked)])

    @property
    def key(self) -> str:
        """What the row depends on, as text."""
        return canonical({"job": self.work.__name__, **self.asked})


Batches = Generator[list[Job], list[Row], None]


@dataclass(frozen=True)
class Request:
    """What a user asks of an experiment; everything its rows depend on."""

    name: str
    quick: bool = False
    seeds: int | None = None
    """How many training seeds, if not as many as the experiment thinks right."""
    race: str = "count-mixture"
    scale: float = 1.0
    """All budgets are multiplied by this."""
    seed: int = 1

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        check_seed(self.seed)
        Race(self.race)
        if self.seeds is not None and self.seeds < 1:
            raise ValueError(f"--seeds is {self.seeds}: it must be at least 1")
        if not 0 < self.scale < float("inf"):
            raise ValueError(f"--scale is {self.scale}: it must be a positive number")

    def as_ask(self) -> Row:
        """The first row of the run."""
        rest = {key: value for key, value in asdict(self).items() if key != "name"}
        return {"game": self.name, "method": METHOD, **rest, "fogspiel": __version__}


@dataclass(frozen=True)
class Experiment:
    """A part of a paper: its jobs, and the report that is made of their rows."""

    batches: Callable[[Request], Batches]
    report: Callable[[Request, Sequence[Row]], Report]


def request_of(run: Run) -> Request:
    """The request that a stored run answers, if this version of the package can still answer it."""
    ask = dict(run.ask)
    if ask.pop("fogspiel") != __version__:
        raise ValueError(f"run {run.name} was made by fogspiel {run.ask['fogspiel']}, not {__version__}: start it anew")
    ask.pop("method")
    return Request(name=ask.pop("game"), **ask)


def earlier_runs(store: Store, method: str = METHOD) -> list[Run]:
    """The intact runs of that method which this version has made."""
    names = [found.name for found in store.summaries() if found.method == method and found.state != "damaged"]
    return [run for run in map(store.read, names) if run.ask["fogspiel"] == __version__]


def find_or_create_run(store: Store, ask: Row) -> Run:
    """The run of that request: the one that is in the store, finished or not, or else a new one."""
    for run in earlier_runs(store, ask["method"]):
        if run.ask == ask:
            return store.work_on(run.name)
    return store.create(ask)


def known_rows(store: Store, method: str = METHOD) -> dict[str, Row]:
    """What the runs of that method which this version has made have found, by the key of their jobs."""
    return {body["key"]: body["row"] for run in earlier_runs(store, method) for body in run.steps}


def carry_on(
    run: Run,
    experiment: Experiment,
    processes: int,
    known: dict[str, Row],
    watch: Callable[[int, int, Row], None] = lambda done, total, row: None,
    cluster: str | None = None,
    on_fault: Callable[[str], None] = say,
) -> list[Row]:
    """Work on an experiment until it is done; returns its rows, each of which is stored as a step."""
    rows: list[Row] = []
    batches = experiment.batches(request_of(run))
    jobs = next(batches, None)
    known = known | {body["key"]: body["row"] for body in run.steps}
    while jobs is not None:
        batch: list[Row] = []
        _demand_same(run, len(rows), jobs)
        with closing(_work(jobs, known, processes, cluster, on_fault)) as found:
            for job, row in zip(jobs, found, strict=True):
                batch.append(row)
                if len(rows) + len(batch) > len(run.steps):
                    run.append("step", {"key": job.key, "row": row})
                watch(len(batch), len(jobs), row)
        rows += batch
        try:
            jobs = batches.send(batch)
        except StopIteration:
            jobs = None
    if not run.finished:
        run.append("result", {"rows": len(rows)})
    return rows


def _demand_same(run: Run, first: int, jobs: list[Job]) -> None:
    """Refuse to go on with a run whose rows are the answers to other jobs than these."""
    for number, (job, body) in enumerate(zip(jobs, run.steps[first:], strict=False), first + 1):
        if job.key != body["key"]:
            raise ValueError(
                f"run {run.name} was made by another version of the experiment: step {number} is now `{job}` with "
                f"other code or numbers; start it anew, in another store"
            )


def _work(
    jobs: list[Job],
    known: dict[str, Row],
    processes: int,
    cluster: str | None = None,
    on_fault: Callable[[str], None] = say,
) -> Generator[Row, None, None]:
    """The rows of the jobs, in their order; what is known is not worked out again."""
    left = [job for job in jobs if job.key not in known]
    with closing(run_jobs(left, processes, cluster, on_fault)) as fresh:
        for job in jobs:
            yield known[job.key] if job.key in known else next(fresh)
