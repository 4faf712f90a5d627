"""fogspiel bounds."""

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..app import AsJson, StorePath, announce_compilation, app, print_json, resumable, store_path

if TYPE_CHECKING:
    from ...runs.store import Run


@app.command()
def bounds(
    game: Annotated[str, typer.Argument(help="phantom-ponnuki-2x2, -3x3, -4x4 or -5x5.")],
    seconds: Annotated[float, typer.Option("--time", help="Stop after so many seconds.")] = 300.0,
    memory: Annotated[float, typer.Option(help="Stop when about so many GiB are used.")] = 1.0,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof object to this file.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Prove bounds on the value of a game that is too large to be solved."""
    from ...runs.kinds.bounds import Request
    from ...runs.store import Store

    request = Request(game, seconds, memory)
    announce_compilation()
    with Store.open(store_path(store), write=True) as runs:
        narrow(runs.create(request.as_ask()), store, as_json, certificate)


def narrow(run: "Run", store: Path | None, as_json: bool, certificate: Path | None = None) -> None:
    """Work on bounds with a progress line; an interruption prints the command that goes on."""
    from ...runs.kinds.bounds import carry_on
    from .. import console

    began = time.process_time()
    console.err.print(f"run {run.name}: bounds on {run.ask['game']}")
    with resumable(run, store, as_json), console.status(run.name) as say:
        result = carry_on(run, lambda remark, lower, upper: say(f"{remark}, value in [{lower:.6f}, {upper:.6f}]"))
    report_bounds(run, result, store, as_json, certificate, time.process_time() - began)


def report_bounds(
    run: "Run",
    result: dict[str, Any],
    store: Path | None,
    as_json: bool,
    certificate: Path | None = None,
    seconds: float | None = None,
) -> None:
    """Write the proof object and print the bounds."""
    from ...solve import certificates
    from .. import console

    path = certificate or store_path(store).parent / "certificates" / f"{run.name}.json"
    certificates.write_certificate(result["certificate"], path)
    if as_json:
        facts = {"run": run.name, "state": "finished", "game": run.ask["game"]}
        kept = {key: result[key] for key in ("lower", "upper", "exact")}
        spent = {"cpu_seconds": None if seconds is None else round(seconds, 3)}
        return print_json({**facts, **kept, **spent, "certificate": str(path)})
    lower, upper = result["interval"]
    value = f"exactly {result['lower']}" if result["exact"] else f"between {result['lower']} and {result['upper']}"
    width = "" if result["exact"] else f" ({lower:.6f} and {upper:.6f}, width {upper - lower:.6f})"
    spent_words = "" if seconds is None else f", {seconds:.1f} CPU s"
    console.out.print(f"[bold]{run.ask['game']}[/bold] (classical): the first player gets {value}{width}{spent_words}")
    console.out.print(f"proof: {path}; check it with: fogspiel verify {shlex.quote(str(path))}")
    return None
