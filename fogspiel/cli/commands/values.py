"""fogspiel values."""

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..app import AsJson, announce_compilation, app, print_json

if TYPE_CHECKING:
    from ...solving.known_values import KnownValue

Chosen = Annotated[str | None, typer.Argument(metavar="GAME", help="One game, with everything that is known of it.")]
Verify = Annotated[bool, typer.Option("--verify", help="Check the certificates that come with the package.")]

SPARE = ("win 1, loss -1", "ours")
"""Columns for which a narrow terminal has no room; `values GAME` has all of it."""


@app.command("values")
def list_values(game: Chosen = None, verify: Verify = False, as_json: AsJson = False) -> None:
    """List the games whose values are known: value, certificate, who published it first, what is ours."""
    from ...solving.known_values import COLUMNS, find_known, known_values
    from .. import console

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
    from .. import console

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
