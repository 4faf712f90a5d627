"""fogspiel report and compete."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.find import load_game
from ...runs.requests import CompeteRequest, GameReportRequest
from .. import console
from ..app import AsJson, Processes, Remember, StorePath, app, asking, load_and_announce, store_path
from ..execute import RunOptions, begin_and_show


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
    from ...runs import entries
    from ...runs.kinds.compete import check_entries
    from ...runs.request import StoredAgent

    folder, path = Path(asked["folder"]), store_path(store)
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}: name one with the entries of the competition")
    game = load_game(asked["game"])
    found, skipped = entries.read_folder(game, folder, path, asked["seed"])
    agents = [StoredAgent.of(game, text, path, asked["seed"]) for text in asked["agents"] or ()]
    found += [entries.agent_entry(agent.spec, agent) for agent in agents]
    for one in skipped:
        console.err.print(f"{one['file']} is no entry: {one['problem']}", markup=False)
    check_entries(found, str(folder))
    entries.register(found)
    asked |= {"game": game.name, "agents": tuple(agents), "skipped": tuple(skipped)}
    request = CompeteRequest(**asked, players=tuple(entry.to_json() for entry in found))
    begin_and_show(request.to_json(), RunOptions(store, as_json, processes, None, output), once=True)
