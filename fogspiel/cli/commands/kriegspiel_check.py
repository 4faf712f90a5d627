"""fogspiel kriegspiel check-pgn: games of a file against our referee."""

from pathlib import Path
from typing import Annotated

import typer

from ..app import AsJson, announce_compilation, print_json
from .kriegspiel import group


@group.command("check-pgn")
def check_file(
    file: Annotated[Path, typer.Argument(metavar="FILE.pgn", help="Games of ours or of other programs.")],
    as_json: AsJson = False,
) -> None:
    """Check every game of a PGN file: moves, refusals, messages, result; a sentence per faulty one, exit code 1."""
    from ...kriegspiel.pgn import read_text

    text = read_text(file)
    from ...kriegspiel.pgn_check import CheckedGame, check_pgn
    from .. import console

    announce_compilation()
    found: list[CheckedGame] = []
    with console.status(file.name) as say:
        for game in check_pgn(text):
            found.append(game)
            say(f"{len(found)} games")
    faults = [game for game in found if game.fault]
    if as_json:
        print_json({"file": str(file), "games": [game.to_json() for game in found], "faults": len(faults)})
    else:
        for game in faults:
            console.out.print(str(game.fault))
        moves, refused = (sum(getattr(game, name) for game in found) for name in ("moves", "refused"))
        sound = f"{len(found) - len(faults)} of {len(found)} games are sound"
        console.out.print(f"{sound}: {moves:,} moves and {refused:,} refused attempts in all")
    if faults:
        raise typer.Exit(1)
