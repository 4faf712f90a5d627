"""Solving a game on request, from its page: whether that takes a few minutes at most, and how far it has come."""

from dataclasses import replace

from pydantic import BaseModel

from ..core.game import Game
from ..runs.kinds.solve import KIND as SOLVE
from ..runs.requests import SolveRequest
from ..runs.store import Summary
from ..solving.tree.size import estimate_histories
from .opponents import LEVELS, opponents
from .requests import row_of
from .site import Site

MOST_HISTORIES = 5_000_000
"""Of a tree that two cores solve in some minutes: 1.2 million took 25 CPU seconds, 970 thousand took 10."""
MEMORY = 2.0
"""GiB that such a solution may take."""
AT_WORK = ("queued", "starting", "running")


class SolveStatus(BaseModel):
    """Where the solution of a game stands."""

    game: str
    solved: bool = False
    """Whether it is among the opponents."""
    offered: bool = False
    """Whether it can be asked for now."""
    run: str | None = None
    """The run that works on it."""
    words: str = ""


def solving_of(game: Game, site: Site) -> SolveStatus:
    """Where the solution of a game stands, and whether it can be asked for."""
    if opponents(game, site.store)[0]["level"] == LEVELS[0]:
        return SolveStatus(game=game.name, solved=True)
    run = _latest_solve(game, site)
    if run is not None and run.state in AT_WORK:
        return SolveStatus(game=game.name, run=run.name, words=_progress_words(run, site))
    most, key = MOST_HISTORIES, ("histories", game.name, game.version)
    histories = site.background.compute(key, lambda: estimate_histories(game, most))
    if histories is None:
        words = f"Its tree has more than {most:,} histories: that is too many to be solved here within minutes."
        return SolveStatus(game=game.name, words=words)
    words = f"Its tree has about {_rounded(histories):,} histories: it can be solved here within minutes."
    if run is not None and (trouble := site.processes.trouble(run.name, run.state)):
        words = f"Run {run.name} could not go on: {trouble}."
    return SolveStatus(game=game.name, offered=True, run=run.name if run else None, words=words)


def begin_solving(game: Game, site: Site) -> str:
    """Start the run that solves a game, or go on with it; returns its name."""
    found = solving_of(game, site)
    if found.offered:
        return site.processes.begin(row_of(SolveRequest(game=game.name, memory=MEMORY), site.reader), once=True)
    if found.run is None:
        raise ValueError(found.words or f"the solution of {game.name} is among its opponents already")
    return found.run


def _latest_solve(game: Game, site: Site) -> Summary | None:
    """The latest run that was to solve a game, with its state as the server knows it."""
    runs = (run for run in site.reader.summaries() if run.game == game.name and run.method == SOLVE.method)
    latest = next(runs, None)
    return latest and replace(latest, state=site.processes.state(latest.name, latest.state))


def _progress_words(run: Summary, site: Site) -> str:
    """How far a run has come: the CPU time and, where they are known, what the solver is at and its bounds."""
    if run.state == "queued":
        return f"Run {run.name} waits for one of those at work to end."
    spent = f" for {run.seconds:.0f} CPU seconds" if run.seconds and run.seconds >= 1 else ""
    points, now = (followed := site.reader.follow(run.name)).points, followed.now
    last = now or next(iter(points.part(len(points) - 1, len(points)) if len(points) else []), None)
    if last is None:
        return f"Run {run.name} is at work{spent}."
    far = f": {last.words}" if last.words else ""
    if last.low is not None and last.high is not None:
        far += f"; the value lies between {last.low:.6g} and {last.high:.6g}, a gap of {last.high - last.low:.2g}"
    return f"Run {run.name} is at work{spent}{far}."


def _rounded(number: float) -> int:
    """A number with the two digits that an estimate deserves."""
    return int(float(f"{number:.2g}"))
