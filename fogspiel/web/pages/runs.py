"""Every run with its score: watch it while it grows, compare it with others, start, stop and resume it."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Sequence
from itertools import islice
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.encoders import jsonable_encoder
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from ...core.game import OVER, game_or_none, parameters_of
from ...core.session import moments_of
from ...runs.kind import StoredGame, kind_of, repetition_words, repetitions, title_of
from ...runs.report import CurvePoint, Table, as_csv
from ...runs.request import ago
from ...runs.store import Run
from ...runs.tuning_run import thin_evenly
from .. import JsonObject
from ..app import WRONG, Site, attachment, form_route
from ..requests import AnyRequest, form_fields, plan_of, row_of
from ..run_list import MAX_LETTERS, ORDERS, Filter, checkpoint_scores, page_of, run_lines, tags_in, without_tags
from ..run_processes import resume_command
from ..run_reader import Name
from ..security import EVENTS
from ..session_json import moments_json, pictures_json
from .certificates import certificate_of

PATH, TITLE = "/runs", "Runs"
MAX_POINTS = 5000  # points per response; the client requests the rest with `next`
MAX_SKETCHED = 80  # points of a small drawing
MAX_COMPARED = 8
MAX_TAGS = 12  # tags offered for the list, the most frequent first
EVENT_SECONDS, BEATS = 1.0, 15  # time between two looks for news, and looks without news until a sign of life
MAX_STREAMS = 64  # open streams of events
ENDED = ("finished", "damaged")
Chosen = Annotated[str, Query(max_length=200)]
GameNumber = Annotated[int, Path(ge=1, le=10**9, description="The number of a game, from 1.")]
After = Annotated[int, Query(ge=0, le=10**9, description="How many steps are known already.")]


class RunState(BaseModel):
    """State of a run after a request."""

    run: str
    state: str


class Note(BaseModel):
    """Person's note on a run; an empty note removes the previous one."""

    model_config = ConfigDict(extra="forbid")
    note: Annotated[str, Field(max_length=MAX_LETTERS)]


def run_json(run: Run, site: Site) -> JsonObject:
    """Return a run as text and numbers, with its request and result; its steps are served separately."""
    name, kind = run.name, kind_of(run)
    state = site.processes.state(name, run.state)
    result = None if run.result is None else {key: value for key, value in run.result.items() if key != "certificate"}
    return {
        "name": name,
        "kind": kind.title,
        "game": run.request["game"],
        "title": title_of(run.request["game"]),
        "state": state,
        "trouble": site.processes.trouble(name, state),
        "ask": run.request,
        "asked": [list(fact) for fact in kind.request_lines(run.request)],
        "steps": run.step_count,
        "result": result,
        "found": kind.summary(run) + repetition_words(repetitions(site.store, run)),
        "parameters": [list(parameter) for parameter in kind.parameters(run)],
        "playable": kind.playable(run),
        "games": len(stored_games(name, site)),
        "pgn": kind.pgn(run) is not None,
        "certificate": certificate_of(run) is not None,
        "games_note": kind.games_note(run.request),
        "note": note_on(name, site),
        "reported": run.finished and kind.has_report,
        "resume": resume_command(name, site.store),
    }


def note_on(name: str, site: Site) -> str:
    return site.notes.of((name, site.reader.follow(name).entry.created))


def version_of(name: str, site: Site) -> tuple[Hashable, Hashable]:
    """Return the version of a run's page, and the part of it whose changes must show at once."""
    found = site.reader.follow(name)
    state = site.processes.state(name, found.state)
    urgent = state, site.processes.trouble(name, state), note_on(name, site)
    return (found.version, urgent), urgent


def steps_table(run: Run, points: list[CurvePoint], unit: str) -> Table:
    """Return every step with its value and interval, and its vector if it has one."""
    game = game_or_none(run.request["game"])
    tuned = any(point.population is not None for point in points)
    names = parameters_of(game) if game and tuned else ()
    more = ("accepted", "sigma", "population") if tuned else ()
    worded = any(point.text is not None for point in points)
    columns = ("step", unit, "value", "low", "high", *more, *(("words",) if worded else ()), *names)
    rows, theta = [], [None] * len(names)
    for number, (point, body) in enumerate(zip(points, run.steps, strict=True), 1):
        theta = body.get("theta", theta) if names else theta
        own = (int(body["accepted"]), body["sigma"], body["population"]) if tuned else ()
        words = (point.text or "",) if worded else ()
        rows.append([number, point.at, point.value, point.low, point.high, *own, *words, *theta])
    if "score" in (run.result or {}) and not tuned:
        result = run.result or {}
        rows.append(["result", result.get("games"), result["score"], *result["interval"], *([""] * worded)])
    return Table("steps", f"Steps of {run.name}", columns, rows)


def progress_of(name: str, after: int, site: Site) -> JsonObject:
    """Return the state of a run, and its steps after the first `after`."""
    run = site.reader.follow(name)
    points, state = run.points.part(after, after + MAX_POINTS), site.processes.state(name, run.state)
    line = next((line for line in site.reader.summaries() if line.name == name), None)
    return {
        "run": name,
        "state": state,
        "trouble": site.processes.trouble(name, state),
        "seconds": line and line.seconds,
        "age": line and ago(line.created),
        "after": after,
        "next": min(after, len(run.points)) + len(points),
        "steps": len(run.points),
        "points": [point.to_json() for point in points],
        "now": None if run.now is None else run.now.to_json(),
        **run.curve.to_json(),
    }


class Feed:
    """News of one run or of the list of runs, for one stream of events."""

    def __init__(self, site: Site, name: str, after: int) -> None:
        self.site, self.name, self.after = site, name, after
        self.ended = False
        self._known: dict[str, JsonObject] = {}

    def read(self) -> JsonObject | None:
        """Return what is new since the last reading, or None."""
        if not self.name:
            lines: dict[str, JsonObject] = {line.name: line.to_json() for line in run_lines(self.site)}
            new = [line for name, line in lines.items() if line != self._known.get(name)]
            gone, self._known = self._known.keys() - lines.keys(), lines
            return {"runs": new, "total": len(lines)} if new or gone else None
        found = dict(progress_of(self.name, self.after, self.site))
        last = {key: found[key] for key in ("state", "trouble", "next", "now", "done", "age", "seconds")}
        news = last != self._known.get(self.name)
        self._known[self.name], self.after = last, int(str(found["next"]))
        self.ended = found["state"] in ENDED and found["next"] == found["steps"]
        return found if news else None


async def events_of(feed: Feed, open_streams: set[Feed]) -> AsyncIterator[str]:
    """Yield the news of a feed as server-sent events, and a sign of life where there are none."""
    still = 0
    try:
        while not feed.ended:
            found = await run_in_threadpool(feed.read)
            still = 0 if found is not None else still + 1
            if found is not None:
                yield f"data: {json.dumps(jsonable_encoder(found), ensure_ascii=False)}\n\n"
            elif still % BEATS == 0:
                yield ":\n\n"
            await asyncio.sleep(EVENT_SECONDS)
    except HTTPException as error:  # it was deleted
        yield f"event: trouble\ndata: {json.dumps(error.detail)}\n\n"
    finally:
        open_streams.discard(feed)


def _add_events(site: Site) -> None:
    open_streams = set[Feed]()

    @site.routes.get(EVENTS, tags=["runs"], response_class=StreamingResponse)
    def events(run: Annotated[str, Query(max_length=200)] = "", after: After = 0) -> StreamingResponse:
        """Stream the news of one run, or of the list of runs, as server-sent events."""
        if len(open_streams) >= MAX_STREAMS:
            raise HTTPException(429, f"{MAX_STREAMS} pages follow runs already: close some")
        if run:
            site.reader.follow(run)  # raises 404
        open_streams.add(feed := Feed(site, run, after))
        return StreamingResponse(events_of(feed, open_streams), media_type="text/event-stream")


def register(site: Site) -> None:
    router = APIRouter(prefix="/api/runs", tags=["runs"])
    _add_events(site)
    _add_games(site)
    _add_reading(router, site)
    _add_working(router, site)
    site.routes.include_router(router)
    _add_pages(site)


def _add_reading(router: APIRouter, site: Site) -> None:
    reader = site.reader

    @router.get("")
    def list_runs() -> JsonObject:
        """List every run, newest first."""
        return {"runs": [line.to_json() for line in run_lines(site)]}

    @router.get("/{name}")
    def one_run(name: Name) -> Response:
        """Return the request, the progress and the result of a run."""

        def make() -> Response:
            return JSONResponse(jsonable_encoder(run_json(reader.run(name), site)))

        version, urgent = version_of(name, site)
        return site.versions.respond(("run", name), version, make, urgent)

    @router.get("/{name}/steps")
    def steps(name: Name, after: After = 0) -> JsonObject:
        """Return the steps after the first `after`, a point each; continue with `next`."""
        return progress_of(name, after, site)

    @router.get("/{name}/sketch")
    def sketch(name: Name) -> Response:
        """Return a few points of the curve, evenly spaced, for a small drawing, and a sentence about the run."""
        version, urgent = version_of(name, site)
        return site.versions.respond(("sketch", name), version, lambda: JSONResponse(sketch_of(name)), urgent)

    def sketch_of(name: str) -> JsonObject:
        run = reader.follow(name)
        last = run.points.part(max(0, len(run.points) - MAX_POINTS), len(run.points))
        known = [point for point in last if point.value is not None and point.accepted is not False]
        points = [point.to_json() for _, point in thin_evenly(known, MAX_SKETCHED)]
        state = site.processes.state(name, run.state)
        words = next(iter(run.kind.summary(reader.run(name))), "") if run.result is not None else ""
        words = words or (site.processes.trouble(name, state) or "")
        return {"run": name, "state": state, "words": words, "points": points, **run.curve.to_json()}

    @router.get("/{name}/table.csv")
    def table_csv(name: Name) -> Response:
        """Return every step as a line of CSV."""
        run, followed = reader.run(name), reader.follow(name, at_once=True)
        text = as_csv(steps_table(run, followed.points.part(0, len(run.steps)), followed.curve.unit))
        return Response(text, media_type="text/csv", headers=attachment(f"{name}.csv"))

    @router.get("/{name}/table.json")
    def table_json(name: Name) -> Response:
        """Return the request, every step as stored, and the result; `fogspiel match` can play it."""
        run = reader.run(name)
        body = {"run": name, "game": run.request["game"], "state": run.state, **kind_of(run).parameters_json(run)}
        body |= {"ask": run.request, "steps": run.steps, "result": run.result}
        return JSONResponse(body, headers=attachment(f"{name}.json"))

    @router.get("/{name}/panels")
    def panels(name: Name) -> JsonObject:
        """Return the parameters of a program's tuning with their ways and landscapes, and how far its test has come."""
        run = reader.run(name)
        return {"run": name, "state": run.state, **kind_of(run).panels_json(run)}

    @router.get("/{name}/way")
    def way(name: Name) -> JsonObject:
        """Score a tuning run's checkpoints against its baseline, in a few fresh games each."""
        run = reader.follow(name)
        # A run at work is measured again when it has twice as many steps, not after each of them.
        last = len(run.points).bit_length() if run.running else run.digest
        return site.jobs.compute(("way", name, last), lambda: checkpoint_scores(reader.run(name)))


def _add_games(site: Site) -> None:
    """Add the games that runs store: a list, each to replay, and all as PGN."""
    router = APIRouter(prefix="/api/runs", tags=["runs"])

    def game_of(name: str, number: int) -> StoredGame:
        games = stored_games(name, site)
        if not 1 <= number <= len(games):
            raise HTTPException(404, f"run {name} stores {len(games)} games: there is no game {number}")
        return games[number - 1]

    @router.get("/{name}/games")
    def list_games(name: Name) -> JsonObject:
        """List the games that a run stores so far."""
        games = stored_games(name, site)
        return {"run": name, "games": [{"names": game.names, "ending": game.ending} for game in games]}

    @router.get("/{name}/games.pgn", response_class=PlainTextResponse)
    def games_pgn(name: Name) -> PlainTextResponse:
        """Return the games of a run as PGN."""
        run = site.reader.run(name)
        if (found := kind_of(run).pgn(run)) is None:
            raise HTTPException(404, f"run {name} stores no games of chess")
        return PlainTextResponse("\n".join(found), headers=attachment(f"{name}.pgn"))

    @router.get("/{name}/games/{number}/replay")
    def replay(name: Name, number: GameNumber) -> JsonObject:
        """Return a stored game, move by move."""
        found = game_of(name, number)
        moments = list(moments_of(found.game, found.record))
        moments[-1] = moments[-1]._replace(mover=OVER)  # also where a limit ended it
        return {
            "game": found.game.name,
            "side": 0,
            "agreed": False,
            "result": found.ending.capitalize(),
            "moments": moments_json(found.game, moments, [None] * len(moments)),
        }

    @router.get("/{name}/games/{number}/replay/{moment}")
    def replay_moment(name: Name, number: GameNumber, moment: Annotated[int, Path(ge=0, le=10**9)]) -> JsonObject:
        """Return one moment of a stored game, as pictures of the full state and of both views."""
        found = game_of(name, number)
        one = next(islice(moments_of(found.game, found.record), moment, None), None)
        if one is None:
            raise HTTPException(404, f"the game has moments 0 to {len(found.record)}, not {moment}")
        return pictures_json(found.game, moment, one)

    site.routes.include_router(router)

    @site.routes.get(PATH + "/{name}/games/{number}", include_in_schema=False)
    def game_page(request: Request, name: Name, number: GameNumber) -> HTMLResponse:
        found, base = game_of(name, number), f"/api/runs/{name}/games/{number}"
        last = len(stored_games(name, site))
        return site.page(
            request,
            "replay.html",
            base=base,
            game=found.game,
            who=found.names,
            back=(f"{PATH}/{name}", f"Run {name}"),
            number=number,
            last=last,
            run=name,
            side=0,
        )


def stored_games(name: str, site: Site) -> Sequence[StoredGame]:
    """Return the games that a run stores, read once per change of it."""
    version = site.reader.follow(name).version
    with site.games_lock:
        known = site.games.get(name)
        if known is None or known[0] != version:
            run = site.reader.run(name)
            known = version, kind_of(run).games(run)
            site.games.remember(name, known)
        return known[1]


def _add_working(router: APIRouter, site: Site) -> None:
    forms = APIRouter(prefix="/api/runs", tags=["runs"], route_class=form_route(site.reader))

    @forms.post("", status_code=201, responses=WRONG)
    def begin(order: AnyRequest) -> Response:
        """Start a run; two runs execute at a time, others are queued."""
        name = site.processes.begin(row_of(order, site.reader), once=order.once)
        return JSONResponse(RunState(run=name, state=site.processes.current_state(name)).model_dump(), 201)

    @forms.post("/plan", responses=WRONG)
    def plan(order: AnyRequest) -> JsonObject:
        """Return what a request would do, without starting it."""
        return plan_of(order, site.reader)

    site.routes.include_router(forms)

    @router.post("/{name}/stop")
    def stop(name: Name) -> RunState:
        """Stop the work on a run; it can be resumed."""
        return RunState(run=name, state=site.processes.stop(name))

    @router.post("/{name}/resume")
    def resume(name: Name) -> RunState:
        """Resume an interrupted run."""
        site.processes.resume(name)
        return RunState(run=name, state=site.processes.current_state(name))

    @router.post("/{name}/delete")
    def delete(name: Name) -> RunState:
        """Delete a run permanently, with its note; a running run is rejected."""
        known = name, site.reader.follow(name).entry.created
        site.processes.delete(name)
        site.notes.write(known, "")
        return RunState(run=name, state="deleted")

    @router.post("/{name}/note")
    def note(name: Name, written: Note) -> Note:
        """Save a note on a run, in a file alongside the store; the run itself is unchanged."""
        site.notes.write((name, site.reader.follow(name).entry.created), written.note)
        return Note(note=note_on(name, site))


def _add_pages(site: Site) -> None:
    router = APIRouter(prefix=PATH, include_in_schema=False)

    @router.get("")
    def list_page(
        request: Request,
        game: Chosen = "",
        kind: Chosen = "",
        state: Chosen = "",
        q: Chosen = "",
        sort: Chosen = "newest",
        page: Annotated[int, Query(ge=1, le=10**6)] = 1,
    ) -> HTMLResponse:
        wanted = Filter(game, kind, state, q, sort)
        found = page_of(run_lines(site), wanted, page)
        orders = {name: words for name, (words, _) in ORDERS.items()}
        tags = Counter(tag for line in run_lines(site) for tag in tags_in(line.note))
        return site.page(
            request,
            "runs.html",
            found=found,
            wanted=wanted,
            orders=orders,
            store=str(site.store),
            most=MAX_COMPARED,
            tags=tags.most_common(MAX_TAGS),
            tags_in=tags_in,
            without_tags=without_tags,
        )

    @router.get("/new")
    def form_page(request: Request, kind: str = "tune") -> HTMLResponse:
        return site.page(request, "new_run.html", **form_fields(kind, request.query_params, site.reader))

    @router.get("/compare")
    def compare_page(request: Request, run: Annotated[list[str] | None, Query()] = None) -> HTMLResponse:
        names = list(dict.fromkeys(run or []))[:MAX_COMPARED]
        if len(names) < 2:
            raise ValueError("tick two runs or more in the list of runs to compare them")
        runs, lines = [site.reader.run(name) for name in names], {line.name: line for line in run_lines(site)}
        facts = [dict(kind_of(each).request_lines(each.request)) for each in runs]
        labels = dict.fromkeys(label for known in facts for label in known)
        rows = [(label, [known.get(label, "") for known in facts]) for label in labels]
        return site.page(
            request,
            "compare.html",
            runs=[run_json(each, site) for each in runs],
            lines=[lines[name] for name in names],
            rows=rows,
        )

    @router.get("/{name}")
    def run_page(request: Request, name: Name) -> Response:
        version, urgent = version_of(name, site)
        line = next((line for line in run_lines(site) if line.name == name), None)

        def make() -> Response:
            run = site.reader.run(name)
            again = kind_of(run).form_of(run.request)
            return site.page(request, "run.html", run=run_json(run, site), line=line, again=again)

        return site.versions.respond(("run page", name), (version, line and (line.age, line.seconds)), make, urgent)

    site.routes.include_router(router)
