"""fogspiel report, balance and compete."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.find import BRACES, load_game, load_variant, variant_text
from ...runs.requests import CompeteRequest, ConstantsRequest, GameReportRequest
from .. import console
from ..app import (
    AsJson,
    Cluster,
    Processes,
    Remember,
    StorePath,
    announce_compilation,
    app,
    asking,
    load_and_announce,
    store_path,
)
from ..console import write_text
from ..execute import RunOptions, begin_and_show, print_run, start_run


@app.command("report")
@asking(GameReportRequest)
def report(
    asked: dict[str, Any],
    processes: Processes = None,
    output: Annotated[Path | None, typer.Option(help="Write HTML, Markdown, CSV and figures to this folder.")] = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Report what a game is like: fairness, length, choices, hidden information, draws, and whether skill matters.

    Uniform players, levels of the search and, where the game is small, the solution play themselves and each other.
    """
    game = load_and_announce(asked["game"], remember).name
    begin_and_show(
        GameReportRequest(**asked | {"game": game}).to_json(), RunOptions(store, as_json, processes, None, output)
    )


@app.command("balance")
@asking(ConstantsRequest)
def balance(
    asked: dict[str, Any],
    processes: Processes = None,
    cluster: Cluster = None,
    output: Annotated[Path | None, typer.Option(help="Write HTML, Markdown, CSV and figures to this folder.")] = None,
    certificates: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the files of the nearest, and their certificates.")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Look for the constants that make a game fair: FREE = {"BONUS": range(4)} in a game file, or goofspiel-{4,5}.

    Variants that are small enough are solved. The search plays the others against itself, in rounds, until those that
    are left are the nearest, or --games. `balance resistance` has a method of its own, for mission tables.
    """
    words = asked.pop("game")
    request = ConstantsRequest.of(words, **asked)
    announce_compilation()
    options = RunOptions(store, as_json, processes, cluster, output)
    run = start_run(request.to_json(), options, once=True)
    if certificates is not None:
        write_variants(words, request.game, (run.result or {})["tables"][: request.nearest], certificates)
    print_run(run, options)


def write_variants(words: str, name: str, tables: list[dict[str, Any]], folder: Path) -> None:
    """Write the file of each variant, if it has one, and its certificate, if it is solved."""
    from ...runs.kinds.constants import hashable
    from ...runs.kinds.report import solution_of
    from ...solving.proofs import write_certificate

    folder.mkdir(parents=True, exist_ok=True)
    for number, table in enumerate(tables, 1):
        values = {key: hashable(value) for key, value in table["constants"].items()}
        game = load_variant(words, values)
        if not BRACES.search(words):
            write_text(variant_text(words, values), folder / f"{name}-{number}.py")
        if table["exact"] is not None and (found := solution_of(game)) is not None and found.certificate is not None:
            write_certificate(found.certificate, folder / f"{name}-{number}.json")


@app.command("compete")
@asking(CompeteRequest)
def compete(
    asked: dict[str, Any],
    processes: Processes = None,
    output: Annotated[
        Path | None, typer.Option(help="The folder for the report (fogspiel-competition-GAME, here).")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Run a competition at any game: the programs, functions and tables of FOLDER play each other.

    Every pair plays until the better entry is proved, or --games. Each file is an entry: an executable or FILE.py with
    `play(turn)`, which the command runs, or a table. docs/howto-competition.md has the protocol and examples.
    """
    from ...runs.kinds.compete import request_of

    def tell(sentence: str) -> None:
        console.err.print(sentence, markup=False)

    request = request_of(load_game(asked["game"]), asked, store_path(store), tell)
    begin_and_show(request.to_json(), RunOptions(store, as_json, processes, None, output), once=True)
