"""Work on a run of any kind at the command line: progress on stderr, what came out on stdout, how to go on."""

import shlex
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .app import INTERRUPTED, announce_compilation, cores, print_json, store_path

if TYPE_CHECKING:
    from ..runs.kind import Kind, Outputs
    from ..runs.report import Report, Table
    from ..runs.store import Json, Run

SHOWN_COLUMNS, SHOWN_TABLES = 7, 2  # of a report in the terminal


@dataclass(frozen=True)
class RunOptions:
    """Common options of commands that work on runs."""

    store: Path | None = None
    as_json: bool = False
    threads: int | None = None  # threads or processes
    cluster: str | None = None
    output: Path | None = None  # the folder for the report
    certificate: Path | None = None  # the file for the certificate
    source: str | None = None  # where the rules are, if the user says so
    again: str | None = None  # the command that goes on with all that the run is a part of


def start_run(ask: "Json", options: RunOptions, *, once: bool = False, prepared: object = None) -> "Run":
    """Work on a new run of this request, or on the one that has it already where `once` is enough."""
    from ..runs.execute import find_or_create_run
    from ..runs.kind import kind_of
    from ..runs.store import Store, StoreError

    check_cluster(options.cluster)
    with Store.open(store_path(options.store), write=True) as runs:
        run = find_or_create_run(runs, ask) if once else runs.create(ask)
        try:
            execute_run(run, options, prepared)
        except StoreError:
            raise
        except ValueError as error:
            again = _again(run, kind_of(run), options)
            # A request that cannot be met leaves no run behind, unless the sentence says how to go on with it.
            if len(run.rows) == 1 and run.partial() is None and again not in str(error):
                run.close()
                runs.delete([run.name])
            raise
        return run


def begin_and_show(
    ask: "Json", options: RunOptions, *, once: bool = False, prepared: object = None, began: float | None = None
) -> None:
    """Work on a run as `begin` does and show what came out; `began` is the CPU time when it was prepared."""
    began = time.process_time() if began is None else began
    run = start_run(ask, options, once=once, prepared=prepared)
    print_run(run, options, time.process_time() - began)


def keep_answer(ask: "Json", answer: "Json", store: Path | None) -> None:
    """Store what was asked and answered in one step, where the user names a store."""
    if store is not None:
        from ..runs.execute import find_or_create_run
        from ..runs.store import Store

        with Store.open(store, write=True) as runs, find_or_create_run(runs, ask) as run:
            if run.result is None:
                run.append("result", answer)


def check_cluster(cluster: str | None) -> None:
    """Refuse a cluster that does not answer, before anything is written."""
    if cluster is not None:
        from ..process.dask_crew import check

        check(cluster)


def resume_command(run: str, store: Path | None) -> str:
    """The command that goes on with a run."""
    return f"fogspiel resume {run}" + (f" --store {shlex.quote(str(store))}" if store else "")


def execute_run(run: "Run", options: RunOptions, prepared: object = None) -> None:
    """Work on a run with a progress bar; an interruption prints the command that goes on."""
    from ..runs.execute import Context, Progress
    from ..runs.kind import kind_of
    from . import console

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

        def on_fault(sentence: str) -> None:
            console.err.print(sentence)

        threads = options.threads or kind.processes(run, cores(None))
        path = store_path(options.store)
        kind.execute(run, Context(path, threads, options.cluster, watch, on_fault, options.source, prepared, again))


def _again(run: "Run", kind: "Kind", options: RunOptions) -> str:
    """The command that goes on with a run, or with all that it is a part of."""
    return options.again or kind.resume_command(run, resume_command(run.name, options.store))


@contextmanager
def _resumable(run: "Run", kind: "Kind", options: RunOptions) -> Iterator[None]:
    """Print the command that resumes a run, whatever stops the work on it."""
    from ..runs.store import Damaged, StoreError, StoreMoved
    from . import console

    try:
        yield
    except KeyboardInterrupt:
        if not run.name:  # nothing was found yet that would be worth a run
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
        if not run.name or isinstance(error, Damaged):  # nothing to go on with, or it says itself what to do
            raise
        moved = isinstance(error, StoreMoved) and error.copy
        again = _again(run, kind, replace(options, store=moved) if moved else options)
        raise StoreError(f"{error}; then go on with: {again}") from error


def print_run(run: "Run", options: RunOptions, seconds: float | None = None) -> None:
    """Write the certificate and the report of a finished run, and print what came out."""
    from ..runs.kind import kind_of
    from . import console

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
    """Say how many jobs of a run were repeated and why, if any were."""
    from . import console

    if run.name:  # what was not stored had no workers
        from ..runs.execute import repetition_words, repetitions

        for sentence in repetition_words(repetitions(store_path(store), run)):
            console.out.print(sentence)


def outcome_of(run: "Run", options: RunOptions, seconds: float | None) -> "Json":
    """Return the `--json` output of a finished run, after its certificate and its report are written."""
    from ..runs.execute import repetitions
    from ..runs.kind import kind_of

    kind = kind_of(run)
    delivered, _, files = _deliver(run, kind, options, seconds)
    repeated = repetitions(store_path(options.store), run) if run.name else []
    more = ({"files": files} if delivered.report else {}) | ({"repeated": repeated} if repeated else {})
    return with_kind(kind.result_json(run, delivered) | more, kind)


def with_kind(body: "Json", kind: "Kind") -> "Json":
    """Return what is printed of a run with its kind beside `method`, which is that of a search in some kinds."""
    return body | ({"kind": kind.name} if "method" in body and kind.name else {})


def _deliver(
    run: "Run", kind: "Kind", options: RunOptions, seconds: float | None
) -> "tuple[Outputs, Path | None, list[str]]":
    """Write the certificate and the report of a run: what was written, the folder of the report and its files."""
    from ..runs.kind import Outputs

    report = kind.report(run) if kind.writes_report or options.output else None
    delivered = Outputs(_write_certificate(run, kind, options), seconds, report)
    folder, files = write(report, options.output) if report else (None, [])
    return delivered, folder, files


def _write_certificate(run: "Run", kind: "Kind", options: RunOptions) -> Path | None:
    """Write the certificate of a run, if it has one, and return its path."""
    proof = kind.certificate(run)
    if proof is None:
        if options.certificate is not None:
            raise ValueError("the game is too large for a certificate: its bounds are proved in floating point only")
        return None
    from ..runs.request import check_name
    from ..solving.proofs.certificate_files import write_certificate

    path = (
        options.certificate or store_path(options.store).parent / "certificates" / f"{check_name(run.name, 'run')}.json"
    )
    write_certificate(proof, path)
    return path


# Reports


def write(report: "Report", output: Path | None) -> tuple[Path, list[str]]:
    """Write the files of a report to a folder, the one of its name if none is given."""
    from ..runs.report import write_report

    folder = output or Path(f"fogspiel-{report.name}")
    return folder, [str(path) for path in write_report(report, folder)]


def show_report(report: "Report", output: Path | None, as_json: bool) -> None:
    """Write a report that no run has, and show what matters of it."""
    folder, files = write(report, output)
    if as_json:
        return print_json(report.facts(None) | {"files": files})
    return print_report(report, f"{folder}", len(files))


def print_parts(report: "Report") -> None:
    """Print the paragraphs and the first tables of a report."""
    from . import console

    for paragraph in report.paragraphs:
        console.out.print(paragraph + "\n")
    for table in report.tables[:SHOWN_TABLES]:
        print_table(table, SHOWN_COLUMNS)


def print_report(report: "Report", folder: str, files: int) -> None:
    """Print what matters of a report, and where it was written to."""
    from . import console

    print_parts(report)
    console.out.print(
        f"written to {folder}: {report.name}.html, {report.name}.md and {files - 2} files of numbers and pictures"
    )


def print_lines(lines: "Iterable[str | Table]") -> None:
    """Print the lines and tables of what came out, what it is about in bold."""
    from rich.text import Text

    from . import console

    for number, line in enumerate(lines):
        if isinstance(line, str):
            head, colon, rest = line.partition(":") if number == 0 else ("", "", line)
            console.out.print(Text.assemble((head, "bold"), colon + rest))
        else:
            print_table(line)


def print_table(table: "Table", columns: int | None = None) -> None:
    """Print a table, or its first columns."""
    from ..runs.report import cell_text
    from . import console

    rows = [tuple(cell_text(cell) for cell in row[:columns]) for row in table.rows]
    console.table(table.title, table.columns[:columns], rows)
