"""fogspiel balance."""

import time
from pathlib import Path
from typing import Annotated

import typer

from ..app import AsJson, announce_compilation, app, print_json


@app.command()
def balance(
    game: Annotated[str, typer.Argument(help="resistance.")],
    players: Annotated[int, typer.Option(help="How many play, at most 14.")],
    spies: Annotated[int | None, typer.Option(help="How many of them are spies (a third, rounded up).")] = None,
    smallest: Annotated[int, typer.Option(help="Players on the smallest mission.")] = 2,
    largest: Annotated[int | None, typer.Option(help="On the largest one (as many as are no spies).")] = None,
    nearest: Annotated[int, typer.Option(min=1, help="How many tables to print.")] = 10,
    certificates: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write a certificate of each.")] = None,
    as_json: AsJson = False,
) -> None:
    """Sweep the mission tables of The Resistance and print those that are nearest to fair, with exact values."""
    from ...solve.certificates import write_certificate
    from ...solve.resistance.balance import TableSpace, nearest_tables
    from ...solve.resistance.row_generation import solve
    from .. import console

    if game != "resistance":
        raise ValueError(f"the game is {game!r}: balance is for resistance, whose mission tables can be swept")
    spies = -(-players // 3) if spies is None else spies
    space = TableSpace(players, spies, smallest, players - spies if largest is None else largest)
    announce_compilation()
    began, files = time.process_time(), dict[str, str]()
    with console.progress("balance") as bar:
        found = nearest_tables(space, nearest, lambda share, words: bar.show(share, words, None))
        if certificates is not None:
            for number, table in enumerate(found.nearest):
                bar.show(number / len(found.nearest), f"certificate of {table.name}", None)
                files[table.name] = str(certificates / f"{table.name}.json")
                write_certificate(solve(table.setup), Path(files[table.name]))
    if as_json:
        spent = round(time.process_time() - began, 3)
        return print_json({"game": game} | found.to_json(files) | {"cpu_seconds": spent})
    console.out.print(f"looked through {space.words}")
    console.out.print(
        f"values: {found.by_rules:,} by the rules of both teams, {found.by_program:,} by the linear program; "
        f"{found.too_far:,} are too far from 1/2 by their bounds"
    )
    rows = [(table.missions, table.wins, f"{float(table.wins):.1%}", table.name) for table in found.nearest]
    columns = ("missions, * takes two sabotages", "the resistance wins", "", "game")
    console.table(f"The {len(rows)} tables nearest to 1/2; {found.ties} are as near as the first", columns, rows)
    if found.official is not None:
        console.out.print(f"with the missions of resistance{players}: {found.official} ({float(found.official):.1%})")
    if files:
        console.out.print(f"{len(files)} certificates in {certificates}; check one with: fogspiel verify FILE")
    return None
