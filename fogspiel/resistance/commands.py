"""Commands of The Resistance."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ..cli.app import AsJson, StorePath, app, asking, print_json
from ..cli.execute import RunOptions, print_run, start_run
from .requests import BalanceRequest

# fogspiel balance.


@app.command("balance")
@asking(BalanceRequest)
def balance(
    asked: dict[str, Any],
    certificates: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write a certificate of each.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Sweep the mission tables of The Resistance and print those that are nearest to fair, with exact values.

    All tables of five missions, with and without a star on the fourth, or with --fails those that take these sabotages.
    """
    from ..cli import console
    from ..solving.proofs.certificate_files import write_certificate
    from .kinds import outcome_of, tables_of
    from .row_generation import solve

    began, files, options = time.process_time(), dict[str, str](), RunOptions(store, as_json)
    run = start_run(BalanceRequest(**asked).to_json(), options, once=True)
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
