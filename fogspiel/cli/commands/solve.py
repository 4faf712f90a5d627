"""fogspiel solve, verify and export-game."""

import hashlib
import json
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.find import load_game
from ...runs.requests import BoundsRequest, SolveRequest, VerifyRequest
from .. import console
from ..app import (  # fmt: skip
    AsJson,
    GameWords,
    Remember,
    RulesFile,
    StorePath,
    announce_compilation,
    app,
    asking,
    listing,
    print_json,
    remembering,
    store_path,
    write_text,
)
from ..execute import RunOptions, begin_and_show, keep_answer

LETTERS_PER_SECOND = 25_000  # characters of a certificate that the interpreter checks per second


def _routes() -> str | None:
    listed = (listing("Methods:", "solving.methods", "METHODS"),)
    return "\n\n".join(filter(None, listed)) or None


@app.command("solve", epilog=_routes())
@asking(SolveRequest)
def solve(
    asked: dict[str, Any],
    certificate: Annotated[Path | None, typer.Option(help="Write the certificate to this file.")] = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Solve a two-player zero-sum game: its value, a strategy for each side, and a certificate that proves it."""
    from ...process.heartbeat import limit_memory
    from ...runs.kinds.solve import task_of
    from ...solving.sources import find_source

    game: str = asked["game"]
    request = SolveRequest(**asked | {"game": remembering(game, remember)})
    problem = find_source(request.game)
    if problem.game is not None:
        announce_compilation()
    began = time.process_time()
    with limit_memory(request.memory), console.status(game) as say:
        task = task_of(request, lambda progress: say(progress.text), problem)
    options = RunOptions(store, as_json, certificate=certificate)
    begin_and_show(task.ask, options, prepared=task, began=began)


@app.command("verify")
@asking(VerifyRequest)
def verify(
    asked: dict[str, Any],
    game: RulesFile = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Check a certificate by the rules of the game alone, in exact arithmetic; exit code 2 if it proves nothing."""
    import sys

    from ...process.heartbeat import limit_memory
    from ...solving import proofs

    sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
    request = VerifyRequest(**asked)
    with limit_memory(request.memory, "the check", "raise --memory if you trust where the certificate is from"):
        body = request.find_certificate(store_path(store))
        from ...core.compile.kernel import interpreted, need_no_compiler

        began = time.process_time()
        with interpreted() if need_no_compiler(len(json.dumps(body)) / LETTERS_PER_SECOND) else nullcontext():
            lower, upper = proofs.verify(body, game, request.seconds)
    spent = round(time.process_time() - began, 3)
    proved = {"lower": str(lower), "upper": str(upper), "exact": lower == upper}
    answer = {"file": request.what, "game": body["game"], "valid": True, **proved, "cpu_seconds": spent}
    if store is not None:
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        keep_answer(request.to_json(body["game"], digest), answer, store)
    if as_json:
        return print_json(answer)
    console.out.print(proofs.verified_sentence(answer))


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

    writers = {".efg": to_efg, ".nfg": to_nfg}
    if output.suffix not in writers:
        raise ValueError(f"--output is {str(output)!r}: it must end with .efg or .nfg")
    text = writers[output.suffix](*find_source(remembering(game, remember)).describe(memory))
    write_text(text, output)
    if as_json:
        return print_json({"game": game, "output": str(output), "bytes": len(text.encode())})
    console.out.print(f"wrote {output}")


# fogspiel bounds.


@app.command("bounds")
@asking(BoundsRequest)
def bounds(
    asked: dict[str, Any],
    certificate: Annotated[Path | None, typer.Option(help="Write the proof object to this file.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Prove bounds on the value of a game that is too large to be solved."""
    request = BoundsRequest(**asked | {"game": load_game(asked["game"]).name})
    begin_and_show(request.to_json(), RunOptions(store, as_json, certificate=certificate))


# fogspiel values.

if TYPE_CHECKING:
    from ...solving.known_values import KnownValue

Chosen = Annotated[str | None, typer.Argument(metavar="GAME", help="One game, with everything that is known of it.")]
Verify = Annotated[bool, typer.Option("--verify", help="Check the certificates that come with the package.")]

SPARE = ("win 1, loss -1", "ours")  # columns that a narrow terminal omits; `values GAME` prints all of them


@app.command("values")
def list_values(game: Chosen = None, verify: Verify = False, as_json: AsJson = False) -> None:
    """List the games whose values are known: value, certificate, who published it first, what is ours."""
    from ...solving.known_values import COLUMNS, find_known, known_values

    chosen = list(known_values().values()) if game is None else [find_known(game)]
    verified = _verify([known for known in chosen if game or known.shipped]) if verify else None
    if as_json:
        return print_json({"values": [known.to_json() for known in chosen], "verified": verified})
    if game is None:
        console.table("Known values of the first player", COLUMNS, [known.row() for known in chosen], SPARE)
    else:
        console.out.print("\n".join(chosen[0].lines()))
    if verified is not None:
        seconds = sum(check["cpu_seconds"] for check in verified)
        proved = "1 certificate proves" if len(verified) == 1 else f"{len(verified)} certificates prove"
        console.out.print(f"{proved} what is listed ({seconds:.1f} CPU s)")


def _verify(listed: "Sequence[KnownValue]") -> list[dict[str, Any]]:
    """Check the certificates of these games, which must be shipped."""
    from ...solving.known_values import verify_shipped

    sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
    announce_compilation()
    verified = []
    with console.progress("certificates") as bar:
        for number, known in enumerate(listed):
            bar.show(number / len(listed), known.game, None)
            began = time.process_time()
            lower, upper = verify_shipped(known)
            seconds = round(time.process_time() - began, 3)
            verified.append({"game": known.game, "lower": str(lower), "upper": str(upper), "cpu_seconds": seconds})
    return verified
