"""The command of papers."""

from collections.abc import Mapping, Sequence
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
    complete_from,
    listing,
    store_path,
)
from ..cli.console import print_json
from ..cli.execute import RunOptions, begin_and_show, print_lines, show_report, write
from ..runs.requests import PaperRequest

if TYPE_CHECKING:
    from .claims import Claim

COMPLETIONS["paper"] = complete_from("papers", "EXPERIMENTS")
EXAMPLES["paper"] = (SOLVE, "paper phantom")


def check_paper(name: str) -> None:
    from . import kinds

    kinds.check_name(name)


CHECKS["paper"] = check_paper


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
    certificates: Annotated[Path | None, typer.Option(help="resistance: write certificates to this folder.")] = None,
    claims: Annotated[
        bool, typer.Option("--claims", help="Print every claim of the part or paper (bossle2018 ..) with its verdict.")
    ] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Reproduce the tables and figures of a paper, its numbers beside ours."""
    from ..cli import console
    from ..runs.report import Report
    from . import kinds

    name: str = asked["name"]
    if claims:
        announce_compilation()
        with console.status(f"claims of {name}") as say:
            judged = kinds.claims_of_papers(name, store_path(store), kinds.Options(players, full), say)
        return show_claims(name, judged, output, as_json)
    part = kinds.find_part(name)
    if isinstance(part, kinds.PaperPart):
        request = PaperRequest(**asked)
        part.check(request)
        return begin_and_show(request.to_json(), RunOptions(store, as_json, processes, cluster, output), once=True)
    if given := [key for key in PaperRequest.selecting if asked[key] is not None]:
        raise ValueError(f"paper {name} has no --{given[0].replace('_', '-')}: it is computed whole")
    announce_compilation()
    with console.status(f"paper {name}") as say:
        found = part.compute(kinds.Options(players, full, certificates), say)
    if isinstance(found, Report):
        return show_report(found, output, as_json)
    files = write(found.report, output)[1] if found.report is not None and output is not None else []
    if as_json:
        return print_json(found.facts | ({"files": files} if files else {}))
    print_lines(found.lines)
    if files:
        console.out.print(f"written to {output}: {len(files)} files of tables and figures")
    return None


def show_claims(name: str, papers: "Mapping[str, Sequence[Claim]]", output: Path | None, as_json: bool) -> None:
    """Print the claims of papers with their verdicts, and write the report where a folder is named."""
    from ..cli import console
    from .claims import claim_lines, claims_json, claims_report

    files = write(claims_report(name, papers), output)[1] if output is not None else []
    if as_json:
        judged = [{"paper": citation, "claims": claims_json(claims)} for citation, claims in papers.items()]
        return print_json({"name": name, "papers": judged} | ({"files": files} if files else {}))
    for citation, claims in papers.items():
        print_lines([f"{citation}:", *claim_lines(claims)])
    if files:
        console.out.print(f"written to {output}: {len(files)} files")
    return None
