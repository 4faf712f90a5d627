"""fogspiel balance."""

import time
from pathlib import Path
from typing import Annotated

import typer

from ..app import AsJson, Fails, StorePath, app, print_json
from ..work import RunOptions, print_run, start_run


@app.command("balance")
def balance(
    game: Annotated[str, typer.Argument(help="resistance.")],
    players: Annotated[int, typer.Option(help="How many play, at most 14.")],
    spies: Annotated[int | None, typer.Option(help="How many of them are spies (a third, rounded up).")] = None,
    smallest: Annotated[int, typer.Option(help="Players on the smallest mission.")] = 2,
    largest: Annotated[int | None, typer.Option(help="On the largest one (as many as are no spies).")] = None,
    fails: Fails = None,
    nearest: Annotated[int, typer.Option(min=1, help="How many tables to print.")] = 10,
    certificates: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write a certificate of each.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Sweep the mission tables of The Resistance and print those that are nearest to fair, with exact values.

    All tables of five missions, with and without a star on the fourth, or with --fails those that take these sabotages.
    """
    from ...resistance.balance import STARS, TableSpace
    from ...resistance.game.setups import whole_numbers
    from ...resistance.row_generation import solve
    from ...runs.kinds.balance import GAME, Request, outcome_of, tables_of
    from ...solving.proofs.certificate_files import write_certificate
    from .. import console

    if game != GAME:
        raise ValueError(f"the game is {game!r}: balance is for resistance, whose mission tables can be swept")
    spies = -(-players // 3) if spies is None else spies
    stars = STARS if fails is None else (whole_numbers(fails, "fails"),)
    space = TableSpace(players, spies, smallest, players - spies if largest is None else largest, stars)
    began, files, options = time.process_time(), dict[str, str](), RunOptions(store, as_json)
    run = start_run(Request(space, nearest).to_json(), options, once=True)
    if certificates is not None:
        tables = tables_of(run.result or {})
        with console.progress("certificates") as bar:
            for number, table in enumerate(tables):
                bar.show(number / len(tables), table.name, None)
                files[table.name] = str(certificates / f"{table.name}.json")
                write_certificate(solve(table.setup), Path(files[table.name]))
    if as_json:
        return print_json(outcome_of(run, files, time.process_time() - began))
    print_run(run, options)
    if files:
        console.out.print(f"{len(files)} certificates in {certificates}; check one with: fogspiel verify FILE")
    return None
