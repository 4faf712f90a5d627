"""fogspiel diagnose."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..app import (
    AsJson,
    Cluster,
    RulesFile,
    Seed,
    StorePath,
    announce_compilation,
    app,
    cores,
    print_json,
    store_path,
)  # fmt: skip
from ..completion import complete_runs
from ..work import check_cluster, show_report, write


@app.command("diagnose")
def diagnose(
    runs: Annotated[list[str], typer.Argument(autocompletion=complete_runs, help="Tuning runs, finished or not.")],
    games: Annotated[int, typer.Option(help="Training games of the exploiter of each run.")] = 400_000,
    report_games: Annotated[int, typer.Option(help="Fresh games that score the exploiter.")] = 20_000,
    pair_games: Annotated[int, typer.Option(help="Fresh games for each pair of checkpoints.")] = 4_000,
    seed: Seed = 1,
    game: RulesFile = None,
    processes: Annotated[
        int | None,
        typer.Option("--processes", "--threads", min=1, help="Processes; results do not depend on it (all cores)."),
    ] = None,
    cluster: Cluster = None,
    output: Annotated[Path | None, typer.Option(help="The folder for the report (fogspiel-diagnosis, here).")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with tuned players: who exploits them, what they forgot, whether they went in circles."""
    from ...runs.store import Store

    with Store.open(store_path(store), write=False) as kept:
        asked = [kept.read(name) for name in dict.fromkeys(runs)]
    from ...core.find import load_game
    from ...papers.cauwet2018.exploitability import DiagnosisRequest, diagnose, game_of, report
    from .. import console

    request = DiagnosisRequest(games, report_games, pair_games, seed)
    if game is not None:
        load_game(game)
    for run in asked:
        game_of(run)
    check_cluster(cluster)
    announce_compilation()
    with console.status("diagnose") as say:
        found = diagnose(asked, request, cores(processes), cluster, say)
    options = f"--games {games} --report-games {report_games} --pair-games {pair_games} --seed {seed}"
    options += f" --game {shlex.quote(game)}" if game is not None else ""
    made = report(found, f"fogspiel diagnose {' '.join(run.name for run in asked)} {options}")
    if as_json:
        _, files = write(made, output)
        return print_json({"runs": [one.as_json() for one in found], "command": made.command, "files": files})
    return show_report(made, output, as_json)
