"""What all commands share: the application, the common options, and how answers are printed."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__

if TYPE_CHECKING:
    from ..runs.store import Run

app = typer.Typer(
    name="fogspiel",
    help="Games in which players cannot see everything: tune strategies, race them, and know how good they are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

INTERRUPTED = 130

AsJson = Annotated[bool, typer.Option("--json", help="Exactly one JSON object on stdout, everything else on stderr.")]
StorePath = Annotated[Path | None, typer.Option("--store", help="The file that holds the runs (your data folder).")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads; results do not depend on it (all cores).")]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Work on the Dask cluster of this scheduler (experiments only).")
]
Seed = Annotated[int, typer.Option(help="Same seed, same games.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fogspiel {__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")]


@app.callback()
def options(version: Version = False) -> None:
    """Options that stand before the command."""


def print_json(body: dict[str, Any]) -> None:
    """Print the one JSON object of a command."""
    sys.stdout.write(json.dumps(body, allow_nan=False) + "\n")


def store_path(chosen: Path | None) -> Path:
    """The store that was named, or the default one."""
    from ..runs.store import default_path

    return chosen if chosen is not None else default_path()


def resume_command(run: str, store: Path | None) -> str:
    """The command that goes on with a run."""
    return f"fogspiel resume {run}" + (f" --store {shlex.quote(str(store))}" if store else "")


@contextmanager
def resumable(run: "Run", store: Path | None, as_json: bool, again: str | None = None) -> Iterator[None]:
    """Whatever stops the work on a run, say how to go on with it, or `again` with all that it is a part of."""
    from . import console

    again = again or resume_command(run.name, store)
    try:
        yield
    except KeyboardInterrupt:
        if as_json:
            print_json({"run": run.name, "state": "interrupted", "steps": len(run.steps), "resume": again})
        console.err.print(f"interrupted; nothing is lost. Go on with: {again}")
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:
        raise ValueError(f"{error.strerror or error}; nothing is lost, go on with: {again}") from error


def cores(threads: int | None) -> int:
    """The number of threads that was asked for, or one for each core."""
    return threads or os.cpu_count() or 1


def announce_compilation() -> None:
    """Say why the very first games take a while; two commands at once take turns at compiling."""
    from ..core.kernel import FIRST_TIME
    from ..runs.workers.compile_lock import compile_in_turn
    from . import console

    compile_in_turn()
    if FIRST_TIME:
        console.err.print("compiling the rules for the first time: this takes half a minute, once")
