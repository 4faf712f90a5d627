"""fogspiel kriegspiel learn: an opponent's model from games of a population."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...cli.app import AsJson, Cluster, Seed, StorePath, print_json
from ...cli.execute import RunOptions, check_cluster, start_run
from ..requests import effort_of
from .match import Cores, Nodes, Processes, Time, group

if TYPE_CHECKING:
    from ...runs.jobs import Row
    from ..match import EngineMatch


def _population(engines: str, usual: tuple[str, ...], has_effort: bool) -> tuple[str, ...]:
    """Return the players: the named ones, else the default ones, with their own limits unless one is given."""
    from ..engine import parse_engine

    if engines:
        return tuple(word.strip() for word in engines.split(","))
    return tuple(parse_engine(word)[0] for word in usual) if has_effort else usual


def _player(options: RunOptions, names: list[str]) -> "Callable[[EngineMatch], list[list[Row]]]":
    """Make the player of matches as stored runs, whose names it adds; an interruption names this command."""
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
    """Learn where an opponent's men stand at each move, from games that are stored and recalled like any match."""
    from ...cli import console
    from ..opponent_training import POPULATION, Training, train

    words = _population(engines, POPULATION, time is not None or nodes is not None)
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
    end = "hardly changes any more" if settled else "may still change: more --rounds or --games would tell"
    console.out.print(f"{output}: {size:,} bytes from {taught.games} games; the model {end}")
    return console.out.print(f"use it: fogspiel kriegspiel match C:{output} C:none")
