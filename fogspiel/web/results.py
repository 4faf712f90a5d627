"""Results: the reports of finished papers, tournaments, solves, bounds and matches, as pages and as tables."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from ..runs.kind import kind_of, kind_of_method, title_of
from ..runs.report import Report, Table, as_json, cell_text
from ..runs.report.figures import colours_of, plot_chart
from ..runs.report.parts import HEADING, numeric
from ..runs.report.text import as_csv
from ..runs.store import Json, Run
from .background import Bench, in_time
from .charts import with_charts
from .pages import page
from .run_reader import Name, Shelf

WORDY = 40
"""Letters from which on a cell may be broken into lines."""
TableName = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$", description="The name of a table.")]


def report_of(run: Run) -> Report:
    """The report of a finished run."""
    kind = kind_of(run)
    if not kind.has_report:
        raise ValueError(f"run {run.name} is a {kind.title}: its page among the runs says what it found")
    if run.result is None:
        raise ValueError(f"run {run.name} is not finished: it has no result yet")
    return kind.report(run)


def list_results(shelf: Shelf) -> list[Json]:
    """Every finished run that has a report, newest first."""
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
        for summary in shelf.summaries()
        if summary.state == "finished" and kind_of_method(summary.method).has_report
    ]


def blocks_of(report: Report) -> list[Json]:
    """The parts of a report as the page draws them."""
    blocks: list[Json] = []
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
    def every_result() -> Json:
        """Every finished run that has a report."""
        return {"results": list_results(shelf)}

    @router.get("/api/results/{name}", tags=["results"])
    def one_result(name: Name) -> Json:
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
