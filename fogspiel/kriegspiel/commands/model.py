"""fogspiel kriegspiel learn and model: opponent models from games of engines or people, and figure 4 of the paper."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...cli.app import EXAMPLES, START, AsJson, Cluster, Seed, StorePath, announce_compilation
from ...cli.console import print_json, write_text
from ...cli.execute import RunOptions, check_cluster, start_run, write
from ..requests import effort_of
from .games import Cores, Nodes, Processes, Time, group

if TYPE_CHECKING:
    from ...runs.kind import Row
    from ..match import EngineMatch

EXAMPLES |= {
    "kriegspiel learn": (START, "kriegspiel learn --engines minimax@200n,C@200n --games 40"),
    "kriegspiel model": (START, "kriegspiel model generic --piece knight --move 10"),
}
MAX_NAMED = 20  # skipped games named on the terminal; --json names all


def _player(options: RunOptions, names: list[str]) -> "Callable[[EngineMatch], list[list[Row]]]":
    """Return a function that plays matches as stored runs and adds their names; an interruption names this command."""
    again = replace(options, again=shlex.join(["fogspiel", *sys.argv[1:]]))

    def play(match: "EngineMatch") -> list[list["Row"]]:
        run = start_run(match.to_json(), again, once=True)
        names.append(run.name)
        return match.rows(run)

    return play


@group.command("learn")
def learn_model(
    engines: Annotated[
        str,
        typer.Option(help="Who plays, with commas between; each of them also strays (minimax@1000n,C@3000n,B10@50n)."),
    ] = "",
    games: Annotated[int, typer.Option(help="About so many games per round.")] = 600,
    rounds: Annotated[int, typer.Option(help="At most so many; the model so far is used in the next one.")] = 4,
    against: Annotated[str | None, typer.Option(help="Learn the habits of this one of them only.")] = None,
    without: Annotated[str | None, typer.Option(help="Hold this one of them out: count the others only.")] = None,
    pgn: Annotated[
        list[Path] | None, typer.Option(help="Learn from the games of this PGN file instead; may be repeated.")
    ] = None,
    player: Annotated[
        str | None, typer.Option(help="With --pgn: learn the habits of this player only (everyone's).")
    ] = None,
    time: Time = None,
    nodes: Nodes = None,
    threads: Cores = 1,
    processes: Processes = None,
    seed: Seed = 1,
    output: Annotated[Path, typer.Option(help="The file for the model.")] = Path("model.npz"),
    cluster: Cluster = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Learn where an opponent's men stand at each move, from games of engines (stored like any match) or of people."""
    from ...cli import console
    from ..engine import parse_engine
    from ..training import POPULATION, Training, train

    if pgn:
        if engines or against or without or time is not None or nodes is not None:
            raise ValueError("--pgn learns from files: leave --engines, --against, --without and limits out")
        return _learn_from_files(pgn, player, output, as_json)
    if player is not None:
        raise ValueError("--player names a player of PGN files: add --pgn FILE")
    words = tuple(word.strip() for word in engines.split(",")) if engines else POPULATION
    if not engines and (time is not None or nodes is not None):
        words = tuple(parse_engine(word)[0] for word in POPULATION)
    training = Training(words, effort_of(time, nodes, threads), games, rounds, output, seed, against, without)
    check_cluster(cluster)
    names, found = list[str](), []
    for taught in train(training, _player(RunOptions(store, as_json, processes, cluster), names)):
        change = "" if taught.change is None else f", a change of {taught.change:.4f} (mean total variation)"
        console.err.print(f"round {taught.number}: {taught.games} games so far{change}")
        found.append({"round": taught.number, "games": taught.games, "change": taught.change})
    size, settled = output.stat().st_size, taught.settled
    if as_json:
        facts = {"state": "finished", "output": str(output), "bytes": size, "runs": list(dict.fromkeys(names))}
        return print_json(facts | {"games": taught.games, "seed": seed, "settled": settled, "rounds": found})
    end = "has converged" if settled else "may not have converged: increase --rounds or --games"
    console.out.print(f"{output}: {size:,} bytes from {taught.games} games; the model {end}")
    return console.out.print(f"use it: fogspiel kriegspiel match C:{output} C:none")


def _learn_from_files(files: list[Path], player: str | None, output: Path, as_json: bool) -> None:
    """Count the games of PGN files, name those that cannot be counted, and write the model."""
    from ...cli import console
    from ..parameters import games_by_colour, write_model
    from ..training import PeopleGames, check_output

    check_output(output, "a model")
    announce_compilation()
    found = PeopleGames(player)
    with console.status("games") as say:
        for file in files:
            for number in found.add(file):
                say(f"{file.name}: {number:,} games so far")
    for fault in found.skipped[:MAX_NAMED]:
        console.err.print(f"skipped: {fault}", markup=False)
    if len(found.skipped) > MAX_NAMED:
        console.err.print(f"skipped: {len(found.skipped) - MAX_NAMED:,} further games")
    write_model(found.model(), output)
    size, sides = output.stat().st_size, [int(number) for number in games_by_colour(found.counts)]
    if as_json:
        facts = {"state": "finished", "output": str(output), "bytes": size, "files": [str(file) for file in files]}
        facts |= {"player": player, "games": found.games, "white": sides[0], "black": sides[1]}
        return print_json(facts | {"other_games": found.others, "skipped": found.skipped})
    generic = "".join(
        f"; {side} as in the generic model" for side, n in zip(("White", "Black"), sides, strict=True) if not n
    )
    console.out.print(
        f"{output}: {size:,} bytes from {found.games:,} games (White's men of {sides[0]:,}, Black's of {sides[1]:,})"
        f"{generic}; {found.others:,} games of others, {len(found.skipped):,} skipped",
        markup=False,
    )
    return console.out.print(f"use it: fogspiel kriegspiel match C:{output} C:none", markup=False)


@group.command("model")
def show_model(
    words: Annotated[str, typer.Argument(metavar="[FILE|generic]", help="A model's file, or generic.")] = "generic",
    piece: Annotated[str, typer.Option(help="pawn, knight, bishop, rook, queen or king.")] = "knight",
    move: Annotated[list[int] | None, typer.Option(help="Move number (10); may be repeated.")] = None,
    output: Annotated[Path | None, typer.Option(help="Write figure4.svg and a report to this folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw figure 4 of the paper: where men of a kind stand after a move, how that changed, and f of it."""
    from ...cli import console
    from ..model_figure import chosen_boards, figure_json, figure_lines, figure_report, figure_svg, kind_of
    from ..parameters import find_model

    model, kind, moves = find_model(words), kind_of(piece), list(dict.fromkeys(move or [10]))
    if model is None:
        raise ValueError("none is no model: name a file, or generic")
    found, files = chosen_boards(model, kind, moves), list[str]()
    if output is not None:
        asked = [word for number in moves for word in ("--move", str(number))]
        command = shlex.join(["fogspiel", "kriegspiel", "model", words, "--piece", piece, *asked])
        files = write(figure_report(words, found, kind, command), output)[1]
        write_text(figure_svg(found, kind), output / "figure4.svg")
        files.append(str(output / "figure4.svg"))
    if as_json:
        return print_json({"model": words} | figure_json(found, kind) | ({"files": files} if files else {}))
    console.out.print("\n".join(figure_lines(found, kind)).rstrip(), markup=False, highlight=False)
    if files:
        console.out.print(f"written to {output}: figure4.svg and {len(files) - 1} files of numbers", markup=False)
    return None
