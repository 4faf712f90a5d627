"""Runs: the list, one run and its trail while it grows, several side by side, and starting, stopping and resuming."""

from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

from ..core.agents import policy_names
from ..core.game import games, parameters_of
from ..core.simulate import SEATS
from ..kriegspiel.engine import engines
from ..runs.agent_texts import engines_of
from ..runs.formatting import ago, with_interval
from ..runs.kind import kind_of, kind_of_method, title_of
from ..runs.report.text import as_csv
from ..runs.store import Summary
from ..stats.race import RACES
from ..tune.methods import methods
from .background import Bench
from .charts import with_charts
from .checkpoints import way_of
from .pages import page
from .requests import AnyOrder, Wrong, all_faults
from .results import attached
from .run_processes import Workshop, resume_command
from .run_reader import Followed, Name, Shelf
from .summaries import steps_table

MOST_POINTS = 5000
"""Points in one answer; who has fewer asks again."""
MOST_COMPARED = 8
KINDS = {"tune": "Tune", "match": "Match", "tournament": "Tournament", "kriegspiel": "Kriegspiel engines"}


class Begun(BaseModel):
    """A run that is at work."""

    run: str
    state: str


def line_of(summary: Summary, workshop: Workshop) -> dict[str, Any]:
    """A run of the list."""
    state, score, interval = workshop.state(summary.name, summary.state), summary.score, summary.interval
    exact = interval is not None and interval[0] == interval[1]
    worth = "" if score is None or interval is None else f"{score:.4f}" if exact else with_interval(score, interval)
    return asdict(summary) | {
        "kind": kind_of_method(summary.method).title,
        "title": title_of(summary.game),
        "state": state,
        "worth": worth,
        "age": ago(summary.created),
        "last_seen": ago(summary.seen),
        "trouble": workshop.trouble(summary.name, state),
        "resume": resume_command(summary.name, workshop.shelf.path) if state in ("interrupted", "running") else None,
    }


def trail_json(name: str, run: Followed, workshop: Workshop, after: int) -> dict[str, Any]:
    """The points of a run after the first so many, and where it stands."""
    points, state = run.points[after : after + MOST_POINTS], workshop.state(name, run.state)
    return {
        "run": name,
        "state": state,
        "trouble": workshop.trouble(name, state),
        "after": after,
        "next": min(after, len(run.points)) + len(points),
        "steps": len(run.points),
        "points": [point.to_json() for point in points],
        "now": None if run.now is None else run.now.to_json(),
        **run.trail.to_json(),
    }


def routes(shelf: Shelf, bench: Bench) -> APIRouter:
    """The part of the API that is about runs, and its pages."""
    router, workshop = APIRouter(), Workshop(shelf)
    add_reading(router, shelf, workshop)
    add_measuring(router, shelf, bench)
    add_working(router, workshop)
    add_pages(router, shelf, workshop)
    return router


def add_reading(router: APIRouter, shelf: Shelf, workshop: Workshop) -> None:
    """Everything that only looks."""

    @router.get("/api/runs", tags=["runs"])
    def listed() -> dict[str, Any]:
        """Every run, newest first."""
        return {"runs": [line_of(summary, workshop) for summary in shelf.summaries()]}

    @router.get("/api/runs/{name}", tags=["runs"])
    def one(name: Name) -> dict[str, Any]:
        """What was asked, how far it has come, and what came out."""
        return run_json(name, shelf, workshop)

    @router.get("/api/runs/{name}/steps", tags=["runs"])
    def steps(name: Name, after: Annotated[int, Query(ge=0, le=10**9)] = 0) -> dict[str, Any]:
        """The steps after the first so many, a point each; ask again with `next`."""
        return trail_json(name, shelf.follow(name), workshop, after)

    @router.get("/api/runs/{name}/table.csv", tags=["runs"])
    def table_csv(name: Name) -> Response:
        """Every step as a line."""
        text = as_csv(_table(name, shelf))
        return Response(text, media_type="text/csv", headers=attached(f"{name}.csv"))

    @router.get("/api/runs/{name}/table.json", tags=["runs"])
    def table_json(name: Name) -> Response:
        """The request, every step as it is stored, and the result; `fogspiel match` can play it."""
        run = shelf.run(name)
        body = {"run": name, "game": run.ask["game"], "state": run.state, **kind_of(run).numbers(run)}
        body |= {"ask": run.ask, "steps": run.steps, "result": run.result}
        return JSONResponse(body, headers=attached(f"{name}.json"))


def add_measuring(router: APIRouter, shelf: Shelf, bench: Bench) -> None:
    """What is worked out when somebody asks for it."""

    @router.get("/api/runs/{name}/way", tags=["runs"])
    def way(name: Name) -> dict[str, Any]:
        """How the answers of a tuning run score against its baseline, measured now in a few fresh games each."""
        rows = shelf.follow(name).length
        return bench.worked(("way", name, rows), lambda: way_of(shelf.run(name)))


def run_json(name: str, shelf: Shelf, workshop: Workshop) -> dict[str, Any]:
    """A run in words and numbers; its steps are served apart."""
    run = shelf.run(name)
    state, kind = workshop.state(name, run.state), kind_of(run)
    result = None if run.result is None else {k: v for k, v in run.result.items() if k != "certificate"}
    return {
        "name": name,
        "kind": kind.title,
        "game": run.ask["game"],
        "title": title_of(run.ask["game"]),
        "state": state,
        "trouble": workshop.trouble(name, state),
        "ask": run.ask,
        "asked": [list(fact) for fact in kind.asked(run.ask)],
        "steps": len(run.steps),
        "result": result,
        "found": kind.summary(run),
        "parameters": [list(parameter) for parameter in kind.parameters(run)],
        "playable": kind.playable(run),
        "reported": run.finished and kind.has_report,
        "resume": resume_command(name, shelf.path),
    }


def add_working(router: APIRouter, workshop: Workshop) -> None:
    """Everything that starts or stops work."""

    class Form(APIRoute):
        """Says what is wrong with an order in all its fields at once."""

        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            usual = super().get_route_handler()

            async def handled(request: Request) -> Response:
                try:
                    return await usual(request)
                except RequestValidationError as error:
                    return _refusal(await run_in_threadpool(all_faults, error, workshop.shelf))

            return handled

    def begin(order: AnyOrder) -> Response:
        """Start a run; at most two are at work at the same time."""
        try:
            name = workshop.begin(order.ask(workshop.shelf), once=order.once)
        except Wrong as wrong:
            return _refusal(wrong)
        state = workshop.state(name, workshop.shelf.follow(name, at_once=True).state)
        return JSONResponse(Begun(run=name, state=state).model_dump(), 201)

    wrong: dict[int | str, dict[str, Any]] = {
        422: {"description": "What is wrong: a sentence, and one for each field."}
    }
    router.add_api_route(
        "/api/runs", begin, methods=["POST"], status_code=201, tags=["runs"], responses=wrong, route_class_override=Form
    )

    @router.post("/api/runs/{name}/stop", tags=["runs"])
    def stop(name: Name) -> Begun:
        """Stop the work on a run; it can be resumed."""
        return Begun(run=name, state=workshop.stop(name))

    @router.post("/api/runs/{name}/resume", tags=["runs"])
    def resume(name: Name) -> Begun:
        """Go on with a run that was interrupted."""
        workshop.resume(name)
        return Begun(run=name, state=workshop.state(name, workshop.shelf.follow(name, at_once=True).state))


def _refusal(wrong: Wrong) -> JSONResponse:
    return JSONResponse({"error": str(wrong), "fields": wrong.fields}, 422)


def add_pages(router: APIRouter, shelf: Shelf, workshop: Workshop) -> None:
    """What people look at."""

    @router.get("/runs", include_in_schema=False)
    def list_page(request: Request) -> HTMLResponse:
        """All runs."""
        lines = [line_of(summary, workshop) for summary in shelf.summaries()]
        return page(request, "runs.html", runs=lines, store=str(shelf.path), most=MOST_COMPARED)

    @router.get("/runs/new", include_in_schema=False)
    def form_page(request: Request, kind: str = "tune") -> HTMLResponse:
        """A form, filled in with what was asked before if it says so."""
        chosen = kind if kind in KINDS else "tune"
        given = {key: value[:4000] for key, value in request.query_params.items()}
        return page(request, "new_run.html", kinds=KINDS, kind=chosen, given=given, **_choices())

    @router.get("/runs/compare", include_in_schema=False)
    def compare_page(request: Request, run: Annotated[list[str] | None, Query()] = None) -> HTMLResponse:
        """Several runs side by side."""
        chosen = list(dict.fromkeys(run or []))[:MOST_COMPARED]
        if len(chosen) < 2:
            raise ValueError("tick two runs or more in the list of runs to compare them")
        found_runs = [run_json(name, shelf, workshop) for name in chosen]
        lines = {line["name"]: line for line in (line_of(summary, workshop) for summary in shelf.summaries())}
        facts = [dict(each["asked"]) for each in found_runs]
        rows = [
            (label, [fact.get(label, "") for fact in facts]) for label in dict.fromkeys(k for f in facts for k in f)
        ]
        context: dict[str, Any] = {"runs": found_runs, "lines": [lines[name] for name in chosen], "rows": rows}
        return with_charts(page(request, "compare.html", **context))

    @router.get("/runs/{name}", include_in_schema=False)
    def run_page(request: Request, name: Name) -> HTMLResponse:
        """One run."""
        body = run_json(name, shelf, workshop)
        line = next((line_of(s, workshop) for s in shelf.summaries() if s.name == name), None)
        return with_charts(
            page(
                request,
                "run.html",
                run=body,
                line=line,
                again=kind_of_method(body["ask"].get("method")).form_of(body["ask"]),
            )
        )


def _table(name: str, shelf: Shelf) -> Any:
    run, followed = shelf.run(name), shelf.follow(name, at_once=True)
    return steps_table(run, followed.points[: len(run.steps)], followed.trail.unit)


def _choices() -> dict[str, Any]:
    """What the forms offer."""
    known = list(games().values())
    return {
        "games": {game.name: game.title for game in known},
        "tunable": {game.name: game.title for game in known if parameters_of(game)},
        "methods": {name: name for name in methods()},
        "races": dict(zip(RACES, RACES, strict=True)),
        "seats": dict(zip(SEATS, SEATS, strict=True)),
        "engines": list(engines()),
        "players": {game.name: [*policy_names(game), *engines_of(game)] for game in known},
    }
