"""fogspiel solve, verify and export-game."""

import json
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..app import (
    AsJson,
    Fails,
    GameWords,
    Missions,
    Remember,
    RulesFile,
    Spies,
    StorePath,
    announce_compilation,
    app,
    print_json,
    remembering,
    store_path,
    write_text,
)  # fmt: skip
from ..completion import complete_games_and_runs, complete_routes
from ..early_checks import check_route, positive
from ..listing import listing
from ..work import RunOptions, begin_and_show

if TYPE_CHECKING:
    from ...solving.proofs.checkers.primitives import Body

LETTERS_PER_SECOND = 25_000
"""Of a certificate that the interpreter checks."""


def _routes() -> str | None:
    """What --help says of all routes."""
    listed = (listing("Methods:", "solving.methods", "METHODS"),)
    return "\n\n".join(filter(None, listed)) or None


@app.command("solve", epilog=_routes())
def solve(
    game: GameWords,
    method: Annotated[
        str,
        typer.Option(
            callback=check_route, autocompletion=complete_routes, help="The route to the solution: see below."
        ),
    ] = "auto",
    exact: Annotated[bool, typer.Option("--exact", help="Insist on the exact value, as a fraction.")] = False,
    gap: Annotated[
        float,
        typer.Option(callback=positive(), help="Regret minimisation stops when the certified bounds are this close."),
    ] = (1e-6),
    memory: Annotated[
        float,
        typer.Option(
            callback=positive("a positive number of GiB"), help="The most memory that the game may take, in GiB."
        ),
    ] = 4.0,
    seed: Annotated[int, typer.Option(help="Of a method that samples.")] = 0,
    iterations: Annotated[int | None, typer.Option(help="Sampling stops after so many iterations.")] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time",
            callback=positive("a positive number of CPU seconds"),
            help="Sampling stops after so many CPU seconds; 60, if nothing is said.",
        ),
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the certificate to this file.")] = None,
    missions: Missions = None,
    spies: Spies = None,
    fails: Fails = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Solve a two-player zero-sum game: its value, a strategy for each side, and a certificate that proves it."""
    from ...process.memory_limit import limit_memory
    from ...resistance.game.setups import vary
    from ...runs.kinds.solve import Request, task_of
    from ...solving.sources import find_source
    from .. import console

    game = vary(game, missions, spies, fails)
    request = Request(remembering(game, remember), method, exact, gap, memory, seed, iterations, seconds)
    problem = find_source(request.game)
    if problem.game is not None:
        announce_compilation()
    began = time.process_time()
    with limit_memory(memory), console.status(game) as say:
        task = task_of(request, lambda progress: say(progress.words), problem)
    options = RunOptions(store, as_json, certificate=certificate)
    begin_and_show(task.ask, options, prepared=task, began=began)


@app.command("verify")
def verify(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE|RUN|GAME",
            autocompletion=complete_games_and_runs,
            help="A certificate: its file, or whose it is.",
        ),
    ],
    game: RulesFile = None,
    seconds: Annotated[
        float, typer.Option("--time", callback=positive(), help="Refuse what takes more CPU seconds to check.")
    ] = 600.0,
    size: Annotated[float, typer.Option(callback=positive(), help="Refuse a larger file, in MiB.")] = 64.0,
    memory: Annotated[
        float, typer.Option(callback=positive(), help="The most memory that the check may take, in GiB.")
    ] = 4.0,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Check a certificate by the rules of the game alone, in exact arithmetic; exit code 2 if it proves nothing."""
    import sys

    from ...process.memory_limit import limit_memory
    from ...solving.proofs import certificate_files
    from .. import console

    sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
    with limit_memory(memory, "the check", "raise --memory if you trust where the certificate is from"):
        body = _find_certificate(what, store, size)
        from ...core.compile.kernel import interpreted, need_no_compiler

        began = time.process_time()
        with interpreted() if need_no_compiler(len(json.dumps(body)) / LETTERS_PER_SECOND) else nullcontext():
            lower, upper = certificate_files.verify(body, game, seconds)
    spent = round(time.process_time() - began, 3)
    if as_json:
        proved = {"lower": str(lower), "upper": str(upper), "exact": lower == upper}
        return print_json({"file": what, "game": body["game"], "valid": True, **proved, "cpu_seconds": spent})
    value = f"is exactly {lower}" if lower == upper else f"is between {lower} and {upper}"
    console.out.print(f"valid: the value of {body['game']} {value}, proved by its two strategies ({spent} CPU s)")


def _find_certificate(what: str, store: Path | None, size: float) -> "Body":
    """The certificate in a file of that name, of a run of the store, or that comes with the package."""
    from ...runs.store import Store
    from ...solving.known_values import known_values
    from ...solving.proofs.certificate_files import read_certificate

    if Path(what).exists():
        return read_certificate(Path(what), size)
    path = store_path(store)
    if path.exists():
        with Store.open(path, write=False) as runs:
            if what in runs.names():
                from ...runs.kind import kind_of

                run = runs.read(what)
                found = kind_of(run).certificate(run)
                if found is None:
                    raise ValueError(f"run {what} has no certificate: it must be a finished solution or proof")
                return found
    known = known_values().get(what)
    if known is None or known.shipped is None:
        raise ValueError(f"there is no certificate {what!r}: name a file, a solved run, or a game of `fogspiel values`")
    return read_certificate(known.shipped, size)


@app.command("export-game")
def export_game(
    game: GameWords,
    output: Annotated[Path, typer.Option(help="FILE.efg or FILE.nfg.")],
    memory: Annotated[float, typer.Option(help="The most memory that the game may take, in GiB.")] = 4.0,
    remember: Remember = False,
    as_json: AsJson = False,
) -> None:
    """Write a game as a Gambit file: .efg (the tree) or .nfg (the strategic form, if it is small)."""
    from ...interop import to_efg, to_nfg
    from ...solving.sources import find_source
    from .. import console

    writers = {".efg": to_efg, ".nfg": to_nfg}
    if output.suffix not in writers:
        raise ValueError(f"--output is {str(output)!r}: it must end with .efg or .nfg")
    text = writers[output.suffix](*find_source(remembering(game, remember)).describe(memory))
    write_text(text, output)
    if as_json:
        return print_json({"game": game, "output": str(output), "bytes": len(text.encode())})
    console.out.print(f"wrote {output}")
