"""fogspiel tournament."""

from pathlib import Path
from typing import Annotated

import typer

from ..app import AsJson, Cluster, GameWords, Processes, Remember, Seed, StorePath, app, remembering, store_path
from ..completion import complete_players
from ..early_checks import positive
from ..work import RunOptions, begin_and_show


@app.command("tournament", context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
def tournament(
    game: GameWords,
    players: Annotated[
        list[str],
        typer.Argument(autocompletion=complete_players, help="At least two: names, runs, parameter files, numbers."),
    ],
    games: Annotated[
        int, typer.Option(callback=positive(), help="How many games for each pair, with the seats swapped.")
    ] = 20_000,
    seed: Seed = 1,
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
    from ...runs.kinds.round_robin import Request

    chosen = load_game(remembering(game, remember))
    request = Request.of(chosen, players, games, seed, store_path(store))
    if cluster is not None:
        request.demand_portable()
    begin_and_show(request.to_json(), RunOptions(store, as_json, processes, cluster, output), once=True)
