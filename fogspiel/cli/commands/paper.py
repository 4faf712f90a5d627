"""fogspiel paper: the tables of a paper beside ours."""

from pathlib import Path
from typing import Annotated

import typer

from ..app import AsJson, Cluster, Processes, Seed, StorePath, announce_compilation, app, print_json
from ..completion import complete_papers
from ..early_checks import check_paper, positive
from ..listing import listing
from ..work import RunOptions, begin_and_show, print_lines, show_report, write


@app.command("paper", epilog=listing("Names:", "papers", "EXPERIMENTS"))
def paper(
    name: Annotated[
        str,
        typer.Argument(callback=check_paper, autocompletion=complete_papers, help="Which table or figure: see below."),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Ten minutes on two cores.")] = False,
    seeds: Annotated[int | None, typer.Option(help="Tables: training seeds for every cell (10; 3 if quick).")] = None,
    race: Annotated[str, typer.Option(help="Tables: the race that the methods decide by.")] = "count-mixture",
    scale: Annotated[
        float, typer.Option(callback=positive(), help="Stored ones: multiply all numbers of games by this.")
    ] = 1.0,
    seed: Seed = 1,
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
    from ...papers import catalogue
    from ...runs.kinds.experiment import PaperPart, Request
    from ...runs.report import Report
    from .. import console

    part = catalogue.find_part(name)
    if isinstance(part, PaperPart):
        request = Request(name, quick, seeds, race, scale, seed)
        return begin_and_show(request.to_json(), RunOptions(store, as_json, processes, cluster, output), once=True)
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
