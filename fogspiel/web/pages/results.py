"""Reports of runs, with tables and charts."""

from collections.abc import Hashable, Sequence
from typing import Annotated, NamedTuple

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse, RedirectResponse, Response

from ...runs.kind import kind_of, kind_of_method, title_of
from ...runs.report import HEADING, Chart, Report, Table, as_csv, cell_text, numeric, to_json
from ...runs.request import FILE_NAME
from ...runs.store import Run
from .. import JsonObject
from ..app import Site, attachment
from ..run_reader import Name, RunReader

PATH = "/results"
TONES = 7  # colours of series
WORDY = 40  # cells longer than this many characters may wrap
TableName = Annotated[str, Path(pattern=f"^{FILE_NAME.pattern}$", description="The name of a table.")]


class Panel(NamedTuple):
    chart: Chart
    drawing: JsonObject


class Block(NamedTuple):
    """Part of a report as rendered: a heading, text, a table, or charts side by side."""

    kind: str
    words: str = ""
    table: Table | None = None
    rows: Sequence[Sequence[str]] = ()
    classes: Sequence[str] = ()
    panels: Sequence[Panel] = ()


def report_of(run: Run) -> Report:
    kind = kind_of(run)
    if not kind.has_report:
        raise ValueError(f"run {run.name} has no report ({kind.title}): its page among the runs says what it found")
    if run.result is None:
        raise ValueError(f"run {run.name} is not finished: it has no result yet")
    return kind.report(run)


def list_results(reader: RunReader) -> list[JsonObject]:
    """List the finished runs that have a report, newest first."""
    return [
        {
            "run": summary.name,
            "kind": kind_of_method(summary.method).title,
            "game": summary.game,
            "title": title_of(summary.game),
            "score": summary.score,
            "interval": summary.interval,
            "created": summary.created,
        }
        for summary in reader.summaries()
        if summary.state == "finished" and kind_of_method(summary.method).has_report
    ]


def blocks_of(report: Report) -> list[Block]:
    blocks, charts = [], [chart for panels in report.figures.values() for chart in panels]
    tones = list(dict.fromkeys(series.name for chart in charts for series in chart.series))
    for part in report.blocks():
        if isinstance(part, str):
            blocks.append(Block("heading" if part.startswith(HEADING) else "words", part.removeprefix(HEADING)))
        elif isinstance(part, Table):
            blocks.append(_table_block(part))
        else:
            drawn = [chart for chart in part if len({(one.name, at) for one in chart.series for at in one.x}) > 1]
            panels = [Panel(chart, drawing_of(chart, tones)) for chart in drawn]  # a single point is in the tables
            blocks += [Block("charts", panels=panels)] if panels else []
    return blocks


def drawing_of(chart: Chart, tones: Sequence[str]) -> JsonObject:
    """Return a chart as the page draws it; a series has the same colour in all charts of a report."""
    series = [one.to_json() | {"tone": tones.index(one.name) % TONES} for one in chart.series]
    if categories := chart.categories:
        series = [one | {"x": [cell_text(x) for x in one["x"]]} for one in series]
    return {"kind": chart.kind, "x": chart.x, "y": chart.y, "categories": categories or None, "series": series}


def _table_block(table: Table) -> Block:
    """Return a table with the style of each column: figures right-aligned, long text wrapped."""
    rows, classes = [[cell_text(cell) for cell in row] for row in table.rows], []
    for column in range(len(table.columns)):
        wordy = any(len(row[column]) > WORDY for row in rows)
        classes.append("number" if numeric(table, column) else "words" if wordy else "")
    return Block("table", table=table, rows=rows, classes=classes)


def register(site: Site) -> None:
    reader, router = site.reader, APIRouter(prefix="/api/results", tags=["results"])

    def version(name: str) -> Hashable:
        summary = next((line for line in reader.summaries() if line.name == name), None)
        if summary is None:
            raise HTTPException(404, f"there is no run named {name}")
        return summary.created, summary.steps, summary.state

    def report(name: str) -> Report:
        """Return the report of a run, computed once per version."""
        return site.jobs.compute(("report", name, version(name)), lambda: report_of(reader.run(name)))

    def table(name: str, part: str) -> Table:
        for known in report(name).tables:
            if known.name == part:
                return known
        raise HTTPException(404, f"the result of {name} has no table {part}")

    @router.get("")
    def every_result() -> JsonObject:
        """List the finished runs that have a report."""
        return {"results": list_results(reader)}

    @router.get("/{name}")
    def one_result(name: Name) -> Response:
        """Return a report: its paragraphs, tables and charts, unrounded."""

        def make() -> Response:
            return JSONResponse(jsonable_encoder(to_json(report(name))))

        return site.versions.respond(("result", name), version(name), make)

    @router.get("/{name}/{part}.csv")
    def table_csv(name: Name, part: TableName) -> Response:
        """Return a table of a report as CSV."""
        return Response(as_csv(table(name, part)), media_type="text/csv", headers=attachment(f"{name}-{part}.csv"))

    @router.get("/{name}/{part}.json")
    def table_json(name: Name, part: TableName) -> Response:
        """Return a table of a report as a list of rows by column."""
        found = table(name, part)
        rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
        return JSONResponse({"table": part, "rows": rows}, headers=attachment(f"{name}-{part}.json"))

    site.routes.include_router(router)

    @site.routes.get(PATH, include_in_schema=False)
    def list_page() -> RedirectResponse:
        return RedirectResponse("/runs?state=finished")

    @site.routes.get(PATH + "/{name}", include_in_schema=False)
    def result_page(request: Request, name: Name) -> Response:
        def make() -> Response:
            found = report(name)
            blocks = blocks_of(found)
            return site.page(request, "result.html", run=name, report=found, blocks=blocks)

        return site.page_in_time(request, lambda: site.versions.respond(("result page", name), version(name), make))
