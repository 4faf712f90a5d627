"""Execution of runs of any kind at the command line: progress on stderr, results on stdout, the command to resume."""

import shlex
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..runs.request import check_name
from ..runs.store import Damaged, Store, StoreError, StoreMoved
from . import console
from .app import INTERRUPTED, announce_compilation, cores, store_path
from .console import print_json

if TYPE_CHECKING:
    from ..runs.kind import Kind, Outputs
    from ..runs.report import Report, Table
    from ..runs.store import Json, Run


@dataclass(frozen=True)
class RunOptions:
    """Common options of commands that work on runs."""

    store: Path | None = None
    as_json: bool = False
    threads: int | None = None  # threads or processes
    cluster: str | None = None
    output: Path | None = None  # the folder for the report
    certificate: Path | None = None  # the file for the certificate
    source: str | None = None  # location of the rules, if given
    again: str | None = None  # command that resumes everything that the run is a part of


def start_run(
    ask: "Json", options: RunOptions, *, once: bool = False, prepared: object = None, steps: "Iterable[Json]" = ()
) -> "Run":
    """Execute a new run of this request, whose first steps may be known; or, with `once`, the existing one of it."""
    from ..runs.kind import find_or_create_run, kind_of, undone_if_empty

    check_cluster(options.cluster)
    with Store.open(store_path(options.store), write=True) as runs:
        run = find_or_create_run(runs, ask) if once else runs.create(ask)
        for step in steps:
            run.append("step", step)
        # A failed request leaves no run behind, unless the error message contains the command that resumes it.
        with undone_if_empty(runs, run, lambda error: _again(run, kind_of(run), options) in error):
            execute_run(run, options, prepared)
        return run


def begin_and_show(
    ask: "Json",
    options: RunOptions,
    *,
    once: bool = False,
    prepared: object = None,
    steps: "Iterable[Json]" = (),
    began: float | None = None,
) -> None:
    """Execute a run as `start_run` does and print the result; `began` is the CPU time when it was prepared."""
    began = time.process_time() if began is None else began
    run = start_run(ask, options, once=once, prepared=prepared, steps=steps)
    print_run(run, options, time.process_time() - began)


def check_cluster(cluster: str | None) -> None:
    """Raise an error for a cluster that does not respond, before anything is written."""
    if cluster is not None:
        from ..process.dask_crew import check

        check(cluster)


def resume_command(run: str, store: Path | None) -> str:
    return f"fogspiel resume {run}" + (f" --store {shlex.quote(str(store))}" if store else "")


def execute_run(run: "Run", options: RunOptions, prepared: object = None) -> None:
    """Execute a run with a progress bar; an interruption prints the command that resumes it."""
    from ..runs.kind import Context, Progress, kind_of

    kind = kind_of(run)
    kind.check(run)
    announce_compilation()
    if run.name:
        found = ", found finished in the store" if run.finished else ""
        console.err.print(f"run {run.name}: {kind.headline(run)}{found}")
    again = _again(run, kind, options)
    with _resumable(run, kind, options), console.progress(run.name or kind.headline(run)) as bar:

        def watch(progress: Progress) -> None:
            bar.show(progress.share, progress.text, progress.games)

        threads = options.threads or kind.processes(run, cores(None))
        path, tell = store_path(options.store), console.err.print
        kind.execute(run, Context(path, threads, options.cluster, watch, tell, options.source, prepared, again))


def _again(run: "Run", kind: "Kind", options: RunOptions) -> str:
    return options.again or kind.resume_command(run, resume_command(run.name, options.store))


@contextmanager
def _resumable(run: "Run", kind: "Kind", options: RunOptions) -> Iterator[None]:
    """Print the command that resumes a run, whatever stops the work on it."""
    try:
        yield
    except KeyboardInterrupt:
        if not run.name:  # no result yet that would justify a run
            raise
        told = kind.interruption(run, _again(run, kind, options))
        if options.as_json:
            print_json(told.facts)
        else:
            print_lines(told.lines)
        console.err.print(told.sentence)
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:
        again = _again(run, kind, options)
        raise ValueError(f"{error.strerror or error}; nothing is lost, go on with: {again}") from error
    except StoreError as error:
        if not run.name or isinstance(error, Damaged):  # nothing to resume, or the message contains the remedy
            raise
        moved = isinstance(error, StoreMoved) and error.copy
        again = _again(run, kind, replace(options, store=moved) if moved else options)
        raise StoreError(f"{error}; then go on with: {again}") from error


def print_run(run: "Run", options: RunOptions, seconds: float | None = None) -> None:
    """Write the certificate and the report of a finished run, and print the result."""
    from ..runs.kind import kind_of

    if options.as_json:
        return print_json(outcome_of(run, options, seconds))
    kind = kind_of(run)
    delivered, folder, files = _deliver(run, kind, options, seconds)
    report = delivered.report
    if report and kind.writes_report:
        print_report(report, f"{folder}", len(files))
    else:
        print_lines(kind.terminal_lines(run, delivered))
    if report and not kind.writes_report:
        page = next(file for file in files if file.endswith(".html"))
        console.out.print(f"the report: {page} and {len(files) - 1} other files")
    return print_repetitions(run, options.store)


def print_repetitions(run: "Run", store: Path | None) -> None:
    if run.name:  # a run that was not stored had no workers
        from ..runs.kind import repetition_words, repetitions

        for sentence in repetition_words(repetitions(store_path(store), run)):
            console.out.print(sentence)


def outcome_of(run: "Run", options: RunOptions, seconds: float | None) -> "Json":
    """Return the `--json` output of a finished run, after its certificate and its report are written."""
    from ..runs.kind import kind_of, repetitions

    kind = kind_of(run)
    delivered, _, files = _deliver(run, kind, options, seconds)
    repeated = repetitions(store_path(options.store), run) if run.name else []
    more = ({"files": files} if delivered.report else {}) | ({"repeated": repeated} if repeated else {})
    return with_kind(kind.result_json(run, delivered) | more, kind)


def with_kind(body: "Json", kind: "Kind") -> "Json":
    """Add the kind to the JSON of a run; in some kinds `method` is that of a search."""
    return body | ({"kind": kind.name} if "method" in body and kind.name else {})


def _deliver(
    run: "Run", kind: "Kind", options: RunOptions, seconds: float | None
) -> "tuple[Outputs, Path | None, list[str]]":
    """Write the certificate and the report of a run; return them with the folder and the files of the report."""
    from ..runs.kind import Outputs

    report = kind.report(run) if kind.writes_report or options.output else None
    path, proof = options.certificate, kind.certificate(run)
    if proof is not None:
        from ..solving.proofs import write_certificate

        if path is None:
            path = store_path(options.store).parent / "certificates" / f"{check_name(run.name, 'run')}.json"
        write_certificate(proof, path)
    elif path is not None:
        raise ValueError(f"{run.name} has no certificate to write: {' '.join(kind.summary(run))}")
    folder, files = write(report, options.output) if report else (None, [])
    return Outputs(path, seconds, report), folder, files


# Reports


def write(report: "Report", output: Path | None) -> tuple[Path, list[str]]:
    """Write the files of a report to a folder, by default the one of its name."""
    from ..runs.report import write_report

    folder = output or Path(f"fogspiel-{report.name}")
    return folder, [str(path) for path in write_report(report, folder)]


def show_report(report: "Report", output: Path | None, as_json: bool) -> None:
    """Write a report that belongs to no run, and print its main parts."""
    folder, files = write(report, output)
    if as_json:
        return print_json(report.facts(None) | {"files": files})
    return print_report(report, f"{folder}", len(files))


def print_parts(report: "Report") -> None:
    """Print all that a report has, in its order; of a figure its titles, since it is drawn in the files."""
    from ..runs.report import HEADING, Table

    for paragraph in report.paragraphs:
        console.out.print(paragraph + "\n")
    for block in report.blocks():
        if isinstance(block, Table):
            print_table(block)
            console.out.print(f"{block.note}\n" if block.note else "")
        elif isinstance(block, str):
            heading = block.startswith(HEADING)
            console.out.print(console.bold(block.removeprefix(HEADING)) if heading else f"{block}\n")
        else:
            console.out.print(f"figure {block[0].figure}: {'; '.join(chart.title for chart in block)}\n")


def print_report(report: "Report", folder: str, files: int) -> None:
    print_parts(report)
    console.out.print(
        f"written to {folder}: {report.name}.html, {report.name}.md and {files - 2} files of numbers and pictures"
    )


def print_lines(lines: "Iterable[str | Table]") -> None:
    """Print lines and tables, with the heading of the first line in bold."""
    from rich.text import Text

    for number, line in enumerate(lines):
        if isinstance(line, str):
            head, colon, rest = line.partition(":") if number == 0 else ("", "", line)
            console.out.print(Text.assemble((head, "bold"), colon + rest))
        else:
            print_table(line)


def print_table(table: "Table") -> None:
    from ..runs.report import cell_text

    console.table(table.title, table.columns, [tuple(map(cell_text, row)) for row in table.rows])
