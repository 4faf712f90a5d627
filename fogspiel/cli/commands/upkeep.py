"""fogspiel tour and doctor."""

from typing import Annotated

import typer

from ..app import AsJson, Seed, StorePath, Threads, announce_compilation, app, cores, print_json, store_path


@app.command()
def tour(seed: Seed = 1, threads: Threads = None, store: StorePath = None, as_json: AsJson = False) -> None:
    """See in a few minutes what fogspiel finds: the surprising strategies of the paper, from scratch."""
    from ..demo import walk

    announce_compilation()
    body = walk(store_path(store), seed, cores(threads), quiet=as_json)
    if as_json:
        print_json(body)


@app.command()
def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Cut damaged runs back to their last good row.")] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Check the installation, the kernel cache and the store; every problem comes with a hint."""
    from ...runs.store import Store
    from ..doctor import checks

    announce_compilation()
    path, repaired = store_path(store), []
    if repair:
        with Store.open(path, write=True) as runs:
            repaired = runs.repair()
    found = checks(path)
    healthy = all(check.ok for check in found)
    if as_json:
        print_json({"ok": healthy, "repaired": repaired, "checks": [check._asdict() for check in found]})
    else:
        from .. import console

        for line in repaired:
            console.out.print(line)
        rows = [(("note" if c.hint else "ok") if c.ok else "PROBLEM", c.what, c.detail, c.hint) for c in found]
        console.table("fogspiel doctor", ("", "what", "found", "what to do"), rows)
    if not healthy:
        raise typer.Exit(2)
