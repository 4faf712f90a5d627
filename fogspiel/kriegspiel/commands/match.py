"""fogspiel kriegspiel: matches and round robins of engines."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ...cli.app import AsJson, Cluster, StorePath, announce_compilation, app, asking, print_json
from ...cli.completion import complete_engines
from ...cli.early_checks import check_engine_option
from ...cli.execute import RunOptions, begin_and_show
from ..requests import EngineMatchRequest, EngineOptions, EngineRequest, asks_programs

group = typer.Typer(
    name="kriegspiel",
    help="Kriegspiel: engines against each other, you against an engine, and records as PGN.",
    no_args_is_help=True,
)
app.add_typer(group)

Time = Annotated[float | None, typer.Option(help="Seconds for each attempt (0.1).")]
Nodes = Annotated[int | None, typer.Option(help="Nodes for each attempt instead: the same games on every machine.")]
Cores = Annotated[int, typer.Option(min=1, help="Threads that an engine thinks with.")]
Processes = Annotated[int | None, typer.Option(min=1, help="Games at the same time (cores / threads).")]
RulesName = Annotated[str, typer.Option(help="The rule set: icc, berkeley, berkeley-any, cincinnati, rand or english.")]
Output = Annotated[Path | None, typer.Option(help="Write a report (HTML, CSV, JSON, charts) to this folder.")]


def _play(
    request: EngineOptions,
    processes: int | None,
    cluster: str | None,
    output: Path | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Let the engines meet; a run with a program goes on when the user names it again, which the same command does."""
    match = request.match()
    programs = asks_programs([seat.engine for seat in match.seats])
    again = shlex.join(["fogspiel", *sys.argv[1:]]) if programs else None
    begin_and_show(match.to_json(), RunOptions(store, as_json, processes, cluster, output, again=again), once=True)


@group.command("match")
@asking(EngineMatchRequest)
def play_match(
    asked: dict[str, Any],
    processes: Processes = None,
    cluster: Cluster = None,
    output: Output = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Play two engines against each other: score, Elo with its interval; every two games are stored at once."""
    _play(EngineMatchRequest(**asked), processes, cluster, output, store, as_json)


@group.command("round-robin")
@asking(EngineRequest)
def play_round_robin(
    asked: dict[str, Any],
    processes: Processes = None,
    cluster: Cluster = None,
    output: Output = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Let engines meet each other: cross-table, Elo, proved claims, cyclic share."""
    _play(EngineRequest(**asked), processes, cluster, output, store, as_json)


@group.command("engine")
def serve_engine(
    name: Annotated[
        str,
        typer.Argument(
            callback=check_engine_option,
            autocompletion=complete_engines,
            help="NAME, or NAME:OPTION: the referee says for how long.",
        ),
    ],
) -> None:
    """Play as a program: read what a referee says on stdin, answer on stdout (docs/kriegspiel-protocol.md)."""
    from contextlib import suppress

    from ..engine import find_engine
    from ..protocol import serve

    maker = find_engine(name)
    announce_compilation()
    with suppress(BrokenPipeError):
        serve(name, maker, sys.stdin, lambda line: print(line, flush=True))


@group.command("engines")
def list_engines(as_json: AsJson = False) -> None:
    """List the engines, with a sentence each."""
    from ...cli import console
    from ..engine import about_engine, engines

    found = {name: about_engine(name) for name in engines()}
    if as_json:
        return print_json({"engines": [{"name": name, "about": about} for name, about in found.items()]})
    return console.table("Kriegspiel engines", ("engine", "in a sentence"), list(found.items()))
