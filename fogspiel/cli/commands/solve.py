"""fogspiel solve, verify and export-game."""

import time
from pathlib import Path
from typing import Annotated

import typer

from ..app import (
    AsJson,
    GameWords,
    Remember,
    RulesFile,
    StorePath,
    announce_compilation,
    app,
    print_json,
    remembering,
    write_text,
)  # fmt: skip
from ..listing import listing
from ..work import Options, begin_and_show

METHODS = (
    "auto, lp, cfr+, dcfr, pcfr+, lazy, double-oracle, external-sampling, outcome-sampling; "
    "knowledge-trees for The Resistance."
)


def _routes() -> str | None:
    """What --help says of all routes."""
    listed = listing("Methods:", "solve.routes", "ROUTES"), listing("For some games only:", "phantom.routes", "ROUTES")
    return "\n\n".join(filter(None, listed)) or None


@app.command(epilog=_routes())
def solve(
    game: GameWords,
    method: Annotated[str, typer.Option(help=METHODS)] = "auto",
    exact: Annotated[bool, typer.Option("--exact", help="Insist on the exact value, as a fraction.")] = False,
    gap: Annotated[float, typer.Option(help="Regret minimisation stops when the certified bounds are this close.")] = (
        1e-6
    ),
    memory: Annotated[float, typer.Option(help="The most memory that the game may take, in GiB.")] = 4.0,
    seed: Annotated[int, typer.Option(help="Of a method that samples.")] = 0,
    iterations: Annotated[int | None, typer.Option(help="Sampling stops after so many iterations.")] = None,
    seconds: Annotated[
        float | None, typer.Option("--time", help="Sampling stops after so many CPU seconds; 60, if nothing is said.")
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the certificate to this file.")] = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Solve a two-player zero-sum game: its value, a strategy for each side, and a certificate that proves it."""
    from ...runs.kinds.solve import Request, task_of
    from ...solve.game_sources import find_problem
    from ...solve.memory_limit import limit_memory
    from .. import console

    request = Request(remembering(game, remember), method, exact, gap, memory, seed, iterations, seconds)
    problem = find_problem(request.game)
    if problem.game is not None:
        announce_compilation()
    began = time.process_time()
    with limit_memory(memory), console.status(game) as say:
        task = task_of(request, lambda progress: say(progress.words), problem)
    options = Options(store, as_json, certificate=certificate)
    begin_and_show(task.ask, options, prepared=task, began=began)


@app.command()
def verify(
    file: Path,
    game: RulesFile = None,
    seconds: Annotated[float, typer.Option("--time", help="Refuse what takes more CPU seconds to check.")] = 600.0,
    size: Annotated[float, typer.Option(help="Refuse a larger file, in MiB.")] = 64.0,
    memory: Annotated[float, typer.Option(help="The most memory that the check may take, in GiB.")] = 4.0,
    as_json: AsJson = False,
) -> None:
    """Check a certificate by the rules of the game alone, in exact arithmetic; exit code 2 if it proves nothing."""
    import sys

    from ...runs.request import check_option
    from ...solve import certificates
    from ...solve.memory_limit import limit_memory
    from .. import console

    for name, limit in (("time", seconds), ("size", size), ("memory", memory)):
        check_option(name, limit)
    sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
    with limit_memory(memory, "the check", "raise --memory if you trust where the certificate is from"):
        body = certificates.read_certificate(file, size)
        began = time.process_time()
        lower, upper = certificates.verify(body, game, seconds)
    spent = round(time.process_time() - began, 3)
    if as_json:
        proved = {"lower": str(lower), "upper": str(upper), "exact": lower == upper}
        return print_json({"file": str(file), "game": body["game"], "valid": True, **proved, "cpu_seconds": spent})
    value = f"is exactly {lower}" if lower == upper else f"is between {lower} and {upper}"
    console.out.print(f"valid: the value of {body['game']} {value}, proved by its two strategies ({spent} CPU s)")


@app.command("export-game")
def export_game(
    game: GameWords,
    output: Annotated[Path, typer.Option(help="FILE.efg or FILE.nfg.")],
    memory: Annotated[float, typer.Option(help="The most memory that the game may take, in GiB.")] = 4.0,
    remember: Remember = False,
    as_json: AsJson = False,
) -> None:
    """Write a game as a Gambit file: .efg (the tree) or .nfg (the strategic form, if it is small)."""
    from ...solve.formats import efg_text, nfg_text
    from ...solve.game_sources import find_problem
    from .. import console

    writers = {".efg": efg_text, ".nfg": nfg_text}
    if output.suffix not in writers:
        raise ValueError(f"--output is {str(output)!r}: it must end with .efg or .nfg")
    text = writers[output.suffix](*find_problem(remembering(game, remember)).describe(memory))
    write_text(text, output)
    if as_json:
        return print_json({"game": game, "output": str(output), "bytes": len(text.encode())})
    console.out.print(f"wrote {output}")
