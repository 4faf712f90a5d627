"""The command of papers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..cli.app import (
    CHECKS,
    COMPLETIONS,
    EXAMPLES,
    SOLVE,
    AsJson,
    Cluster,
    Processes,
    StorePath,
    announce_compilation,
    app,
    asking,
    listing,
    print_json,
)
from ..cli.completion import complete_from
from ..cli.execute import RunOptions, begin_and_show, print_lines, show_report, write
from ..runs.requests import PaperRequest

if TYPE_CHECKING:
    from .catalogue import Computation
    from .kinds import PaperPart

COMPLETIONS["paper"] = complete_from("papers", "EXPERIMENTS")
EXAMPLES["paper"] = (SOLVE, "paper phantom")


def find_part(name: str) -> "PaperPart | Computation":
    from . import catalogue

    return catalogue.find_part(name)


CHECKS["paper"] = find_part


# fogspiel paper: the tables of a paper compared with ours.


@app.command("paper", epilog=listing("Names:", "papers", "EXPERIMENTS"))
@asking(PaperRequest)
def paper(
    asked: dict[str, Any],
    processes: Processes = None,
    cluster: Cluster = None,
    output: Annotated[
        Path | None, typer.Option(help="The folder for the report (fogspiel-NAME, here; resistance: none).")
    ] = None,
    players: Annotated[int, typer.Option(min=5, max=13, help="The Resistance: solve up to this many players.")] = 10,
    full: Annotated[int, typer.Option(min=4, max=7, help="The Resistance: Bossle's own program up to this many.")] = 7,
    certificates: Annotated[
        Path | None, typer.Option(help="The Resistance: write certificates to this folder.")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Reproduce the tables and figures of a paper, its numbers beside ours."""
    from ..cli import console
    from ..runs.report import Report
    from . import catalogue
    from .kinds import PaperPart

    name: str = asked["name"]
    part = find_part(name)
    if isinstance(part, PaperPart):
        ask = PaperRequest(**asked).to_json()
        return begin_and_show(ask, RunOptions(store, as_json, processes, cluster, output), once=True)
    announce_compilation()
    with console.status(f"paper {name}") as say:
        found = part.compute(catalogue.Options(players, full, certificates), say)
    if isinstance(found, Report):
        return show_report(found, output, as_json)
    files = write(found.report, output)[1] if found.report is not None and output is not None else []
    if as_json:
        return print_json(found.facts | ({"files": files} if files else {}))
    print_lines(found.lines)
    if files:
        console.out.print(f"written to {output}: {len(files)} files of tables and figures")
    return None
