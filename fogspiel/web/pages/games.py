"""Game catalogue of the API, and a page per game with its rules, its value and its opponents."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel

from ...core.game import Game, how_to_play, known_game, list_games
from ...core.page_contract import play_support
from ...runs.kinds.solve import KIND as SOLVE
from ...runs.requests import SolveRequest
from ...runs.store import Summary
from ...solving.known_values import KnownValue, known_values, short
from ...solving.sources import estimate_histories
from .. import JsonObject
from ..app import Site
from ..opponents import LEVELS, opponents
from ..requests import row_of
from ..session_json import Standing, standing
from .home import first_picture, game_json, games_by_kind, sample_picture
from .runs import RunState

MAX_MARKS = 4000  # characters of a list of results
# Limit on trees that two cores solve within minutes: 1.2 million histories took 25 CPU seconds, 970 thousand
# took 10.
MAX_HISTORIES = 5_000_000
MEMORY = 2.0  # memory limit of such a solution, in GiB
AT_WORK = ("queued", "starting", "running")


def value_json(known: KnownValue) -> JsonObject:
    """Return the known value of a game, abbreviated for a page and in full."""
    bounds = [known.lower, known.upper]
    return {
        "value": None if known.value is None else short(known.value),
        "lower": short(known.lower),
        "upper": short(known.upper),
        "full": [str(bound) for bound in bounds],
        "payoffs": known.payoffs,
        "published": known.published,
        "ours": known.ours,
        "certificate": known.shipped is not None,
    }


class SolveStatus(BaseModel):
    """Status of the solution of a game."""

    game: str
    solved: bool = False
    """True if it is among the opponents."""
    offered: bool = False
    """True if it can be requested now."""
    run: str | None = None
    """Run that computes it."""
    words: str = ""


def solving_of(game: Game, site: Site) -> SolveStatus:
    if opponents(game, site.store)[0]["level"] == LEVELS[0]:
        return SolveStatus(game=game.name, solved=True)
    run = _latest_solve(game, site)
    if run is not None and run.state in AT_WORK:
        return SolveStatus(game=game.name, run=run.name, words=_progress_words(run, site))
    most, key = MAX_HISTORIES, ("histories", game.name, game.version)
    histories = site.jobs.compute(key, lambda: estimate_histories(game, most))
    if histories is None:
        words = f"Its tree has more than {most:,} histories: that is too many to be solved here within minutes."
        return SolveStatus(game=game.name, words=words)
    words = f"Its tree has about {_rounded(histories):,} histories: it can be solved here within minutes."
    if run is not None and (trouble := site.processes.trouble(run.name, run.state)):
        words = f"Run {run.name} could not go on: {trouble}."
    return SolveStatus(game=game.name, offered=True, run=run.name if run else None, words=words)


def begin_solving(game: Game, site: Site) -> str:
    """Start or resume the run that solves a game; return its name."""
    found = solving_of(game, site)
    if found.offered:
        return site.processes.begin(row_of(SolveRequest(game=game.name, memory=MEMORY), site.reader), once=True)
    if found.run is None:
        raise ValueError(found.words or f"the solution of {game.name} is among its opponents already")
    return found.run


def _latest_solve(game: Game, site: Site) -> Summary | None:
    runs = (run for run in site.reader.summaries() if run.game == game.name and run.method == SOLVE.method)
    latest = next(runs, None)
    return latest and replace(latest, state=site.processes.state(latest.name, latest.state))


def _progress_words(run: Summary, site: Site) -> str:
    """Describe the progress of a run: the CPU time and, where known, the solver's stage and bounds."""
    if run.state == "queued":
        return f"Run {run.name} waits for one of those at work to end."
    spent = f" for {run.seconds:.0f} CPU seconds" if run.seconds and run.seconds >= 1 else ""
    points, now = (followed := site.reader.follow(run.name)).points, followed.now
    last = now or next(iter(points.part(len(points) - 1, len(points)) if len(points) else []), None)
    if last is None:
        return f"Run {run.name} is at work{spent}."
    far = f": {last.text}" if last.text else ""
    if last.low is not None and last.high is not None:
        far += f"; the value lies between {last.low:.6g} and {last.high:.6g}, a gap of {last.high - last.low:.2g}"
    return f"Run {run.name} is at work{spent}{far}."


def _rounded(number: float) -> int:
    return int(float(f"{number:.2g}"))


def register(site: Site) -> None:
    router = APIRouter(prefix="/api/games", tags=["games"])

    @router.get("")
    def catalogue() -> JsonObject:
        """List every game."""
        return {"games": [game_json(game) for game in list_games().values()]}

    @router.get("/{name}")
    def one_game(name: str) -> JsonObject:
        """Return one game, with its rules as text."""
        return game_json(known_game(name))

    @router.get("/{name}/opponents")
    def list_opponents(name: str) -> JsonObject:
        """List the opponents in this game, the strongest first."""
        return {"game": name, "opponents": opponents(known_game(name), site.store)}

    @router.get("/{name}/picture")
    def picture(name: str, first: bool = False) -> JSONResponse:
        """Return a picture of a player's view after a few random moves, or at the first decision."""
        game = known_game(name)
        return JSONResponse({"game": name, "picture": first_picture(game) if first else sample_picture(game.name)})

    @router.get("/{name}/standing")
    def running_score(
        name: str, marks: Annotated[str, Query(max_length=MAX_MARKS, pattern=r"^\d{1,3}(,\d{1,3})*$")]
    ) -> Standing:
        """Return the running score of a series of games, given as indices of the game's payoffs."""
        game, numbers = known_game(name), [int(mark) for mark in marks.split(",")]
        if max(numbers) > game.max_score:
            raise HTTPException(422, f"give the results of some games as numbers from 0 to {game.max_score}")
        return standing(game, numbers)

    @router.get("/{name}/solving")
    def solving(name: str) -> SolveStatus:
        """Report whether the game is solved, can be solved here, or is being solved."""
        return solving_of(known_game(name), site)

    @router.post("/{name}/solving", status_code=201)
    def solve(name: str) -> RunState:
        """Solve the game, if its tree is small; the solution then becomes an opponent."""
        run = begin_solving(known_game(name), site)
        return RunState(run=run, state=site.processes.current_state(run))

    site.routes.include_router(router)

    @site.routes.get("/games/{name}", include_in_schema=False)
    def game_page(request: Request, name: str) -> HTMLResponse:
        game = known_game(name)
        known = known_values().get(game.name)
        ranked = opponents(game, site.store)
        sizes = [other for other in games_by_kind()[game.category] if game.series and other.series == game.series]
        return site.page(
            request,
            "game.html",
            game=game,
            lines=how_to_play(game),
            known=value_json(known) if known else None,
            opponents=ranked,
            perfect=ranked[0]["level"] == LEVELS[0],
            sizes=sizes,
            pages=play_support(game).links(game),
        )
