"""fogspiel bounds."""

from pathlib import Path
from typing import Annotated

import typer

from ..app import AsJson, StorePath, app
from ..completion import complete_games
from ..early_checks import check_game, positive
from ..work import RunOptions, begin_and_show


@app.command("bounds")
def bounds(
    game: Annotated[
        str,
        typer.Argument(
            callback=check_game, autocompletion=complete_games, help="phantom-ponnuki-2x2, -3x3, -4x4 or -5x5."
        ),
    ],
    seconds: Annotated[
        float, typer.Option("--time", callback=positive(), help="Stop after so many seconds of CPU time.")
    ] = 300.0,
    memory: Annotated[float, typer.Option(callback=positive(), help="Stop when about so many GiB are used.")] = 1.0,
    informed: Annotated[
        str | None,
        typer.Option(
            help="Lemma 2 alone: the opponent is shown the board `every` turn, `every:K`, `once`, `once:K`, or `never`."
        ),
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof object to this file.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Prove bounds on the value of a game that is too large to be solved."""
    from ...core.find import load_game
    from ...runs.kinds.bounds import Request

    begin_and_show(
        Request(load_game(game).name, seconds, memory, informed).to_json(),
        RunOptions(store, as_json, certificate=certificate),
    )
