"""fogspiel bounds."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...runs.requests import BoundsRequest
from ..app import AsJson, StorePath, app, asking
from ..work import RunOptions, begin_and_show


@app.command("bounds")
@asking(BoundsRequest)
def bounds(
    asked: dict[str, Any],
    certificate: Annotated[Path | None, typer.Option(help="Write the proof object to this file.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Prove bounds on the value of a game that is too large to be solved."""
    from ...core.find import load_game

    request = BoundsRequest(**asked | {"game": load_game(asked["game"]).name})
    begin_and_show(request.to_json(), RunOptions(store, as_json, certificate=certificate))
