"""fogspiel check, fogspiel new."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..app import AsJson, GameWords, Remember, app, load_and_announce, print_json

if TYPE_CHECKING:
    from ...solving.contract.check import GameCheck
    from ...solving.contract.examiner import Finding

SHOWN_ACTIONS = 30


@app.command("check")
def check(game: GameWords, remember: Remember = False, as_json: AsJson = False) -> None:
    """Check that a game keeps the contract: a sentence for everything that is wrong, and then exit code 1."""
    from ...solving.contract.check import check_game
    from .. import console

    chosen = load_and_announce(game, remember)
    with console.status(chosen.name) as say:
        say("playing it")
        found = check_game(chosen)
    if as_json:
        print_json(found.to_json())
    else:
        _print_check(found)
    if not found.sound:
        raise typer.Exit(1)


def _print_check(found: "GameCheck") -> None:
    from .. import console

    if found.sound:
        console.out.print(f"{found.game} is sound: {_facts(found)}")
    for one in found.findings:
        for line in _lines_of(one):
            console.out.print(line)


def _lines_of(one: "Finding") -> list[str]:
    """A finding, where it is, and what to do."""
    where = f" ({one.place})" if one.place else ""
    lines = [f"{one.sentence}{where}"]
    if one.record is not None:
        shown = " ".join(map(str, one.record[:SHOWN_ACTIONS]))
        more = f" .. ({len(one.record)} in all)" if len(one.record) > SHOWN_ACTIONS else ""
        lines.append(f"    after the actions: {shown}{more}" if one.record else "    at the start of the game")
    return [*lines, f"    to do: {one.change}"]


def _facts(found: "GameCheck") -> str:
    """What is good to know of a sound game."""
    facts, tree = found.facts, found.facts.get("tree")
    said = [f"{facts['positions']:,} positions looked at"]
    if facts["mean_length"] is not None:
        said.append(f"games of {facts['mean_length']:.1f} actions on average and {facts['longest']:,} at most")
    said.append(f"{facts['games_per_second']:,.0f} games per second and core")
    if tree is None:
        said.append("a tree too large for a quick look")
    else:
        first, second = tree["infosets"]
        said.append(f"a tree of {tree['nodes']:,} histories with {first:,} and {second:,} infosets")
    if facts.get("perfect_recall") is False:
        said.append("views that do not tell players all that they did (solving keeps it in mind for them)")
    return "; ".join(said)


@app.command("new")
def new_game(file: Annotated[Path, typer.Argument(metavar="FILE.py")], as_json: AsJson = False) -> None:
    """Write a small working game to start from."""
    from ...core.game_template import write_template
    from .. import console

    name = write_template(file)
    if as_json:
        return print_json({"file": str(file), "game": name})
    console.out.print(f"wrote {file}, the game {name}: change it, then")
    for command in (f"check {file}", f"play {file}", f"match {file} bold uniform", f"solve {file}", f"tune {file}"):
        console.out.print(f"    fogspiel {command}")
