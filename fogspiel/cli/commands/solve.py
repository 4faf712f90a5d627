"""fogspiel solve, verify and export-game."""

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..app import AsJson, StorePath, announce_compilation, app, print_json, resumable, resume_command, store_path

if TYPE_CHECKING:
    from ...runs.kinds.solve import Task
    from ...runs.store import Run

METHODS = "auto, lp, cfr+, dcfr, pcfr+, lazy, double-oracle; knowledge-trees for The Resistance."
GAMES = "A game's name, a Python file with the six rules (FILE.py or FILE.py:NAME), FILE.efg, FILE.nfg, openspiel:NAME."

Source = Annotated[str, typer.Argument(metavar="GAME", help=GAMES)]
RulesFile = Annotated[str | None, typer.Option("--game", help="Where the rules are, if not in the package.")]


@app.command()
def solve(
    game: Source,
    method: Annotated[str, typer.Option(help=METHODS)] = "auto",
    exact: Annotated[bool, typer.Option("--exact", help="Insist on the exact value, as a fraction.")] = False,
    gap: Annotated[float, typer.Option(help="Regret minimisation stops when the certified bounds are this close.")] = (
        1e-6
    ),
    memory: Annotated[float, typer.Option(help="The most memory that the game may take, in GiB.")] = 4.0,
    certificate: Annotated[Path | None, typer.Option(help="Write the certificate to this file.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Solve a two-player zero-sum game: its value, a strategy for each side, and a certificate that proves it."""
    from ...runs.kinds.solve import Request, task_of
    from ...runs.store import Store
    from ...solve.game_sources import find_problem
    from ...solve.memory_limit import limit_memory
    from .. import console

    request = Request(game, method, exact, gap, memory)
    if find_problem(game).game is not None:
        announce_compilation()
    began = time.process_time()
    with limit_memory(memory), console.status(game) as say:
        task = task_of(request, lambda remark, lower, upper: say(remark))
    with Store.open(store_path(store), write=True) as runs:
        work_on(runs.create(task.ask), store, as_json, certificate, task, began)


def work_on(
    run: "Run",
    store: Path | None,
    as_json: bool,
    certificate: Path | None = None,
    task: "Task | None" = None,
    began: float | None = None,
    game: str | None = None,
) -> None:
    """Work on a solve with a progress line; an interruption prints the command that goes on."""
    from ...runs.kinds.solve import carry_on
    from ...solve.game_sources import is_code
    from ...solve.memory_limit import limit_memory
    from .. import console

    began = time.process_time() if began is None else began
    console.err.print(f"run {run.name}: solving {run.ask['source']}")
    again = resume_command(run.name, store) + (_where(run) if is_code(run.ask["source"]) else "")
    with resumable(run, store, as_json, again), console.status(run.name) as say, limit_memory(run.ask["memory"]):

        def watch(remark: str, lower: float | None, upper: float | None) -> None:
            bounds = "" if lower is None or upper is None else f", value in [{lower:.8f}, {upper:.8f}]"
            say(remark + bounds)

        result = carry_on(run, watch, task, game)
    report(run, result, store, as_json, certificate, time.process_time() - began)


def report(
    run: "Run",
    result: dict[str, Any],
    store: Path | None,
    as_json: bool,
    certificate: Path | None,
    seconds: float | None,
) -> None:
    """Write the certificate of a finished solve and print what came out."""
    from ...solve import certificates
    from .. import console

    proof, path = result["certificate"], None
    if proof is not None:
        path = certificate or store_path(store).parent / "certificates" / f"{run.name}.json"
        certificates.write_certificate(proof, path)
    elif certificate is not None:
        raise ValueError("the game is too large for a certificate: its bounds are proved in floating point only")
    if as_json:
        kept = ("value", "lower", "upper", "exact", "sizes")
        body = {"run": run.name, "state": "finished", "game": run.ask["game"], **{key: result[key] for key in kept}}
        body |= {"method": result["solver"], "cpu_seconds": None if seconds is None else round(seconds, 3)}
        return print_json(body | {"certificate": None if path is None else str(path)})
    bounds = [result["score"], *result["interval"]]
    if result["exact"]:
        number = result["value"] if len(result["value"]) < 60 else f"{result['value'][:57]}.. "
        value = f"exactly {number}" + (f" = {bounds[0]:.12g}" if "/" in number else "")
    else:
        value = f"{bounds[0]:.9g}, certainly between {bounds[1]:.9g} and {bounds[2]:.9g}"
    console.out.print(f"[bold]{run.ask['game']}[/bold]: the first player gets {value}")
    spent = "" if seconds is None else f", {seconds:.2f} CPU s"
    console.out.print(f"by {result['solver']}{spent}{_sizes(result['sizes'])}")
    if path is None:
        console.out.print("there is no certificate: the strategies were checked in floating point only")
        return
    where = _where(run)
    play = "" if where else f"; play them: fogspiel match {run.ask['game']} {run.name} uniform"
    console.out.print(f"strategies: fogspiel explain {run.name}{where}{play}")
    console.out.print(f"certificate: {path}; check it with: fogspiel verify {shlex.quote(str(path))}{where}")


def _where(run: "Run") -> str:
    """How to say where the rules are, if they are not in the package."""
    return "" if run.ask["source"] == run.ask["game"] else f" --game {shlex.quote(run.ask['source'])}"


def _sizes(sizes: dict[str, Any]) -> str:
    """The sizes that matter to people."""
    nodes = f"; {sizes['nodes']:,} histories" if "nodes" in sizes else ""
    infosets = "; " + " and ".join(f"{number:,}" for number in sizes["infosets"]) if "infosets" in sizes else ""
    return f"{nodes}{infosets and infosets + ' infosets'}"


@app.command()
def verify(file: Path, game: RulesFile = None, as_json: AsJson = False) -> None:
    """Check a certificate by the rules of the game alone, in exact arithmetic; exit code 2 if it proves nothing."""
    import sys

    from ...solve import certificates
    from .. import console

    sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
    body = certificates.read_certificate(file)
    began = time.process_time()
    lower, upper = certificates.verify(body, game)
    seconds = round(time.process_time() - began, 3)
    if as_json:
        proved = {"lower": str(lower), "upper": str(upper), "exact": lower == upper}
        return print_json({"file": str(file), "game": body["game"], "valid": True, **proved, "cpu_seconds": seconds})
    value = f"is exactly {lower}" if lower == upper else f"is between {lower} and {upper}"
    console.out.print(f"valid: the value of {body['game']} {value}, proved by its two strategies ({seconds} CPU s)")


@app.command("export-game")
def export_game(
    game: Source,
    output: Annotated[Path, typer.Option(help="FILE.efg or FILE.nfg.")],
    memory: Annotated[float, typer.Option(help="The most memory that the game may take, in GiB.")] = 4.0,
    as_json: AsJson = False,
) -> None:
    """Write a game as a Gambit file: .efg (the tree) or .nfg (the strategic form, if it is small)."""
    from ...solve.formats import efg_text, nfg_text
    from ...solve.game_sources import find_problem
    from .. import console

    writers = {".efg": efg_text, ".nfg": nfg_text}
    if output.suffix not in writers:
        raise ValueError(f"--output is {str(output)!r}: it must end with .efg or .nfg")
    text = writers[output.suffix](*find_problem(game).describe(memory))
    try:
        output.write_text(text)
    except OSError as error:
        raise ValueError(f"{output} cannot be written: {error.strerror or error}") from None
    if as_json:
        return print_json({"game": game, "output": str(output), "bytes": len(text.encode())})
    console.out.print(f"wrote {output}")
