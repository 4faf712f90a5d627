"""Results: the reports of finished papers, tournaments, solves, bounds and matches, as pages and as tables."""

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from ..kriegspiel.matches import elo_of_pairs, endings_of
from ..papers.catalogue import find_experiment
from ..runs.jobs import METHOD as PAPER
from ..runs.jobs import request_of as paper_request
from ..runs.kinds import kriegspiel as bouts
from ..runs.kinds import round_robin
from ..runs.kinds.bounds import METHOD as BOUNDS
from ..runs.kinds.match import METHOD as MATCH
from ..runs.kinds.solve import METHOD as SOLVE
from ..runs.report import Chart, Part, Report, Series, Table, as_json, cell_text
from ..runs.report.figures import colours_of, plot_chart
from ..runs.report.parts import HEADING, numeric
from ..runs.report.text import as_csv
from ..runs.standings import charts, sentences, tables
from ..runs.store import Run
from ..stats.elo import INTERVALS_NOTE
from .background import Bench, in_time
from .charts import with_charts
from .pages import page
from .progress import kind_of, trail_of
from .run_reader import Name, Shelf
from .summaries import request_lines, result_lines, title_of

METHODS = (PAPER, round_robin.METHOD, bouts.METHOD, SOLVE, BOUNDS, MATCH)
"""Runs that have a report."""
WORDY = 40
"""Letters from which on a cell may be broken into lines."""
TableName = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$", description="The name of a table.")]


def report_of(run: Run) -> Report:
    """The report of a finished run."""
    method = run.ask.get("method")
    if method not in METHODS:
        raise ValueError(f"run {run.name} is a {kind_of(method)}: its page among the runs says what it found")
    if run.result is None:
        raise ValueError(f"run {run.name} is not finished: it has no result yet")
    if method == PAPER:
        request = paper_request(run)
        return find_experiment(request.name).report(request, [body["row"] for body in run.steps])
    if method == round_robin.METHOD:
        met = round_robin.request_of(run)
        return round_robin.report(met, round_robin.standing_of(met, [body["row"] for body in run.steps]))
    if method == bouts.METHOD:
        return _bouts_report(run)
    return _plain_report(run)


def _bouts_report(run: Run) -> Report:
    """Kriegspiel engines: how every two of them met, and for more than two the standings."""
    request, met = bouts.parse_ask(run.ask), bouts.rows_in(run)
    columns = (
        "first", "second", "games", "wins", "draws", "losses", "score", "from", "to", "Elo", "Elo from", "Elo to",
        "plies", "refused a move, first", "refused a move, second",
    )  # fmt: skip
    note = f"{INTERVALS_NOTE} Elo is left out where one side has won everything."
    rows, endings = [], []
    for (i, j), played in zip(request.pairs, met, strict=True):
        strength, manner = elo_of_pairs(played).as_json(request.stop), endings_of(played)
        names, counts = (request.names[i], request.names[j]), ("games", "wins", "draws", "losses", "score")
        figures = [
            *(strength[key] for key in counts),
            *strength["interval"],
            strength["elo"],
            *strength["elo_interval"],
        ]
        rows.append((*names, *figures, manner.plies, *manner.refused))
        endings += [(*names, ending, count) for ending, count in manner.endings.items()]
    parts: list[Part] = [
        Table("meetings", "Every two engines", columns, rows, note=note),
        Table("endings", "How the games ended", ("first", "second", "ending", "games"), endings),
    ]
    paragraphs = result_lines(run)
    if len(met) > 1:
        standing = bouts.standing_of(request, met)
        paragraphs, parts = list(sentences(standing)), [*tables(standing), *charts(standing), *parts]
    else:
        parts.append(_trail_chart(run))
    title = "Kriegspiel: " + (" against " if len(met) == 1 else ", ").join(request.names)
    return Report(run.name, title, _bouts_command(run.ask), paragraphs, parts)


def _bouts_command(ask: dict[str, Any]) -> str:
    """The command that plays the same engines again."""
    efforts = [f"{seat['nodes']}n" if seat["nodes"] is not None else f"{seat['seconds']:g}s" for seat in ask["players"]]
    words = " ".join(f"{seat['engine']}@{effort}" for seat, effort in zip(ask["players"], efforts, strict=True))
    verb = "match" if len(efforts) == 2 else "round-robin"
    return f"fogspiel kriegspiel {verb} {words} --games {ask['games']} --seed {ask['seed']}"


def _plain_report(run: Run) -> Report:
    """A solve, bounds or a match: the value, and the way there where it has steps."""
    result, ask = run.result or {}, run.ask
    kept = ("value", "lower", "upper", "exact", "solver", "score", "games", "wins", "draws", "losses")
    rows = [(key, _told(result[key])) for key in kept if key in result]
    rows += [(key.replace("_", " "), _told(value)) for key, value in result.get("sizes", {}).items()]
    parts: list[Part] = [Table("figures", "In figures", ("what", "figure"), rows)]
    if any(point.get("value") is not None for point in _points(run)) and len(run.steps) > 1:
        parts.append(_trail_chart(run))
    parts.append(Table("asked", "What was asked", ("what", "asked"), request_lines(ask)))
    commands = {
        SOLVE: f"fogspiel solve {ask.get('source', ask['game'])}",
        BOUNDS: f"fogspiel bounds {ask['game']}",
        MATCH: f"fogspiel match {ask['game']} {ask.get('first')} {ask.get('second')}",
    }
    title = {SOLVE: "Solved: ", BOUNDS: "Bounds: ", MATCH: "Match: "}[ask["method"]] + title_of(ask["game"])
    return Report(run.name, title, commands[ask["method"]], result_lines(run), parts)


def _told(value: Any) -> str | int | float:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " and ".join(f"{number:,}" for number in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_told(number)}" for key, number in value.items())
    return value


def _points(run: Run) -> list[dict[str, Any]]:
    trail = trail_of(run.ask)
    return [trail.step(body) for body in run.steps]


def _trail_chart(run: Run) -> Chart:
    """The value after every step, with its interval."""
    trail, points = trail_of(run.ask), [point for point in _points(run) if point.get("value") is not None]
    columns = ([point[key] for point in points] for key in ("at", "value", "low", "high"))
    return Chart("way", trail.title, trail.x, trail.y, [Series(trail.y or "value", *columns)])


def list_results(shelf: Shelf) -> list[dict[str, Any]]:
    """Every finished run that has a report, newest first."""
    return [
        {
            "run": summary.name,
            "kind": kind_of(summary.method),
            "game": summary.game,
            "title": title_of(summary.game),
            "score": summary.score,
            "interval": summary.interval,
            "created": summary.created,
        }
        for summary in shelf.summaries()
        if summary.state == "finished" and summary.method in METHODS
    ]


def blocks_of(report: Report) -> list[dict[str, Any]]:
    """The parts of a report as the page draws them."""
    blocks: list[dict[str, Any]] = []
    colours = colours_of(report)
    for block in report.blocks():
        if isinstance(block, str):
            heading = block.startswith(HEADING)
            blocks.append({"kind": "heading" if heading else "words", "words": block.removeprefix(HEADING)})
        elif isinstance(block, Table):
            right = [numeric(block, column) for column in range(len(block.columns))]
            rows = [[cell_text(cell) for cell in row] for row in block.rows]
            wordy = [any(len(row[column]) > WORDY for row in rows) for column in range(len(block.columns))]
            looks = [("number" if r else "words" if w else "") for r, w in zip(right, wordy, strict=True)]
            blocks.append({"kind": "table", "table": block, "looks": looks, "rows": rows})
        else:
            panels = [{"chart": chart, "plot": plot_chart(chart, colours)} for chart in block]
            blocks.append({"kind": "charts", "panels": panels})
    return blocks


def routes(shelf: Shelf, bench: Bench) -> APIRouter:
    """Results over the API, and their pages."""
    router = APIRouter()

    def report(name: str) -> Report:
        summary = next((line for line in shelf.summaries() if line.name == name), None)
        if summary is None:
            raise HTTPException(404, f"there is no run named {name}")
        key = ("report", name, summary.created, summary.steps, summary.state)
        return bench.worked(key, lambda: report_of(shelf.run(name)))

    def table(name: str, part: str) -> Table:
        for found_table in report(name).tables:
            if found_table.name == part:
                return found_table
        raise HTTPException(404, f"the result of {name} has no table {part}")

    @router.get("/api/results", tags=["results"])
    def every_result() -> dict[str, Any]:
        """Every finished run that has a report."""
        return {"results": list_results(shelf)}

    @router.get("/api/results/{name}", tags=["results"])
    def one_result(name: Name) -> dict[str, Any]:
        """A report: its paragraphs, tables and charts, unrounded."""
        return as_json(report(name))

    @router.get("/api/results/{name}/{part}.csv", tags=["results"])
    def as_lines(name: Name, part: TableName) -> Response:
        """A table of a report as CSV."""
        return Response(as_csv(table(name, part)), media_type="text/csv", headers=attached(f"{name}-{part}.csv"))

    @router.get("/api/results/{name}/{part}.json", tags=["results"])
    def as_records(name: Name, part: TableName) -> Response:
        """A table of a report as a list of rows by column."""
        rows = [dict(zip(table(name, part).columns, row, strict=True)) for row in table(name, part).rows]
        return JSONResponse({"table": part, "rows": rows}, headers=attached(f"{name}-{part}.json"))

    @router.get("/results", include_in_schema=False)
    def list_page(request: Request) -> HTMLResponse:
        """All results."""
        return page(request, "results.html", results=list_results(shelf))

    @router.get("/results/{name}", include_in_schema=False)
    def result_page(request: Request, name: Name) -> HTMLResponse:
        """One result."""

        def made() -> HTMLResponse:
            found_report = report(name)
            blocks = blocks_of(found_report)
            return with_charts(page(request, "result.html", run=name, report=found_report, blocks=blocks))

        return in_time(request, made)

    return router


def attached(file: str) -> dict[str, str]:
    """The headers of an answer that is saved as a file."""
    return {"content-disposition": f'attachment; filename="{file}"'}
