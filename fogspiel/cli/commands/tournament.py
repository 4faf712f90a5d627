"""fogspiel tournament."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..app import AsJson, Seed, StorePath, announce_compilation, app, cores, print_json, resumable, store_path
from ..report_tables import show_report

if TYPE_CHECKING:
    from ...runs.store import Run, Store


@app.command(context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
def tournament(
    game: str,
    players: Annotated[list[str], typer.Argument(help="At least two: names, runs, parameter files, numbers.")],
    games: Annotated[int, typer.Option(help="How many games for each pair, with the seats swapped.")] = 20_000,
    seed: Seed = 1,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Processes; results do not depend on it (all cores).")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="The folder for the report (fogspiel-tournament-GAME, here).")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Let players meet each other: cross-table, proved claims, Nash ranking, cyclic share, Elo if it makes sense."""
    from ...core.game import find_game
    from ...runs.jobs import find_or_create_run
    from ...runs.kinds.round_robin import parse_tournament as asked
    from ...runs.store import Store

    path = store_path(store)
    request = asked(find_game(game), players, games, seed, path)
    with Store.open(path, write=True) as runs:
        work_on_tournament(runs, find_or_create_run(runs, request.as_ask()), store, processes, output, as_json)


def work_on_tournament(
    runs: "Store", run: "Run", store: Path | None, processes: int | None, output: Path | None, as_json: bool
) -> None:
    """Play a stored tournament with a progress bar; an interruption prints the command that goes on."""
    from ...runs.jobs import known_rows
    from ...runs.kinds import round_robin as played
    from ...runs.report import write_report
    from .. import console

    request = played.request_of(run)
    announce_compilation()
    console.err.print(f"run {run.name}: tournament" + (", found finished in the store" if run.finished else ""))
    with resumable(run, store, as_json), console.progress(run.name, 1.0) as bar:

        def watch(done: int, total: int, row: dict[str, Any]) -> None:
            words = f"{done} of {total} pairs: {row['first']} - {row['second']}"
            bar.show(done / total, words, done * request.games)

        found = played.carry_on(run, store_path(store), cores(processes), known_rows(runs, played.METHOD), watch)
    report = played.report(request, found)
    if as_json:
        files = [str(path) for path in write_report(report, output or Path(f"fogspiel-{report.name}"))]
        return print_json(played.as_json(run.name, request, found) | {"files": files})
    return show_report(report, run.name, output, as_json)
