"""fogspiel diagnose."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from ...runs.requests import DiagnoseRequest
from ..app import (
    AsJson,
    Cluster,
    RulesFile,
    StorePath,
    announce_compilation,
    app,
    asking,
    cores,
    print_json,
    store_path,
)  # fmt: skip
from ..work import check_cluster, keep_answer, show_report, write


@app.command("diagnose")
@asking(DiagnoseRequest)
def diagnose(
    asked: dict[str, Any],
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
        runs = [kept.read(name) for name in dict.fromkeys(asked["runs"])]
    from ...core.find import load_game
    from ...runs.kinds.diagnose import diagnose, game_of, report
    from .. import console

    request = DiagnoseRequest(**asked | {"runs": tuple(run.name for run in runs)})
    if game is not None:
        load_game(game)
    for run in runs:
        game_of(run)
    check_cluster(cluster)
    announce_compilation()
    with console.status("diagnose") as say:
        found = diagnose(runs, request, cores(processes), cluster, say)
    where = f" --game {shlex.quote(game)}" if game is not None else ""
    made = report(found, request.command + where)
    answer = {"runs": [one.as_json() for one in found], "command": made.command}
    keep_answer(request.to_json(found[0].game), answer, store)
    if as_json:
        _, files = write(made, output)
        return print_json(answer | {"files": files})
    return show_report(made, output, as_json)
