"""fogspiel tournament."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...runs.requests import RoundRobinRequest
from ..app import AsJson, Cluster, Processes, Remember, StorePath, app, asking, remembering, store_path
from ..work import RunOptions, begin_and_show


@app.command("tournament", context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
@asking(RoundRobinRequest)
def tournament(
    asked: dict[str, Any],
    processes: Processes = None,
    cluster: Cluster = None,
    output: Annotated[
        Path | None, typer.Option(help="The folder for the report (fogspiel-tournament-GAME, here).")
    ] = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Let players meet each other: cross-table, proved claims, Nash ranking, cyclic share, Elo if it makes sense."""
    from ...core.find import load_game

    chosen = load_game(remembering(asked["game"], remember)).name
    request = RoundRobinRequest(**asked | {"game": chosen}).resolved(store_path(store))
    if cluster is not None:
        request.demand_portable()
    begin_and_show(request.to_json(), RunOptions(store, as_json, processes, cluster, output), once=True)
