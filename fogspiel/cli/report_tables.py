"""fogspiel paper table2, table3, section5 and figure1: the benchmark of Cauwet & Teytaud 2018, stored and reported."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .app import announce_compilation, cores, print_json, resumable, store_path

if TYPE_CHECKING:
    from ..runs.report import Report, Table
    from ..runs.store import Run, Store

SHOWN_COLUMNS, SHOWN_TABLES = 7, 2


def regenerate(
    options: dict[str, Any],
    processes: int | None,
    output: Path | None,
    store: Path | None,
    as_json: bool,
    cluster: str | None = None,
) -> None:
    """Work on an experiment, on from where it was left if it was begun before, and write its report."""
    from ..runs.jobs import Request, find_or_create_run
    from ..runs.store import Store

    request = Request(**options)
    demand_answer(cluster)
    with Store.open(store_path(store), write=True) as runs:
        work_on_experiment(runs, find_or_create_run(runs, request.as_ask()), store, processes, output, as_json, cluster)


def demand_answer(cluster: str | None) -> None:
    """Refuse a cluster that does not answer, before anything is written."""
    if cluster is not None:
        from ..runs.workers.cluster import check

        check(cluster)


def work_on_experiment(
    runs: "Store",
    run: "Run",
    store: Path | None,
    processes: int | None,
    output: Path | None,
    as_json: bool,
    cluster: str | None = None,
) -> None:
    """Work on a stored experiment with a progress bar; an interruption prints the command that goes on."""
    from ..papers.catalogue import find_experiment
    from ..runs.jobs import carry_on, known_rows, request_of
    from . import console

    request = request_of(run)
    experiment = find_experiment(request.name)
    announce_compilation()
    console.err.print(f"run {run.name}: {request.name}" + (", found finished in the store" if run.finished else ""))
    with resumable(run, store, as_json), console.progress(run.name, 1.0) as bar:

        def watch(done: int, total: int, row: dict[str, Any]) -> None:
            words = " ".join(str(row[key]) for key in ("job", "game", "method", "first", "seed") if key in row)
            bar.show(done / total, f"{done} of {total}: {words}", done)

        def on_fault(sentence: str) -> None:
            console.err.print(sentence, markup=False)

        rows = carry_on(run, experiment, cores(processes), known_rows(runs), watch, cluster, on_fault)
    show_report(experiment.report(request, rows), run.name, output, as_json)


def show_report(report: "Report", run: str | None, output: Path | None, as_json: bool) -> None:
    """Write the report into its folder, and show what matters of it."""
    from ..runs.report import write_report
    from . import console

    folder = output or Path(f"fogspiel-{report.name}")
    files = [str(path) for path in write_report(report, folder)]
    if as_json:
        found = {
            table.name: [dict(zip(table.columns, row, strict=True)) for row in table.rows] for table in report.tables
        }
        return print_json(
            {"paper": report.name, "run": run, "command": report.command, "tables": found, "files": files}
        )
    for paragraph in report.paragraphs:
        console.out.print(paragraph + "\n")
    for table in report.tables[:SHOWN_TABLES]:
        _show(table)
    console.out.print(
        f"written to {folder}: {report.name}.html, {report.name}.md and {len(files) - 2} files of numbers and pictures"
    )
    return None


def _show(table: "Table") -> None:
    from ..runs.report import cell_text
    from . import console

    rows = [tuple(cell_text(cell) for cell in row[:SHOWN_COLUMNS]) for row in table.rows]
    console.table(table.title, table.columns[:SHOWN_COLUMNS], rows)
