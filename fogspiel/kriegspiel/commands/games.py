"""fogspiel kriegspiel play and export: games against an engine, and records."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...cli.app import INTERRUPTED, AsJson, RunName, StorePath, announce_compilation, print_json, store_path, write_text
from ...cli.completion import complete_engines
from ...cli.early_checks import check_engine_option
from ..requests import ENGINE, effort_of
from .match import Cores, Nodes, RulesName, Time, group

if TYPE_CHECKING:
    from ...core.session import PersonSession

USUAL_ENGINE = "greedy"  # who plays if no other opponent is named


@group.command("export")
def export_games(
    run: RunName,
    form: Annotated[str, typer.Option("--format", help="pgn.")] = "pgn",
    side: Annotated[str, typer.Option(help="As it is known to the umpire, to white or to black.")] = "umpire",
    output: Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Write the games of a match or round robin as PGN, whole or as one side knows them."""
    from ...runs.store import Store

    if form != "pgn":
        raise ValueError(f"--format is {form!r}: it must be pgn")
    if as_json and output is None:
        raise ValueError("--json and PGN cannot share stdout: add --output FILE")
    with Store.open(store_path(store), write=False) as runs:
        found = runs.read(run)
    from ..kinds.match import games_as_pgn

    games = list(games_as_pgn(found, side))
    write_text("\n".join(games), output)
    if as_json:
        print_json({"run": run, "format": form, "side": side, "games": len(games), "output": str(output)})


@group.command("play")
def play_game(
    colour: Annotated[str, typer.Option("--as", help="Your side: white or black.")] = "white",
    against: Annotated[
        str, typer.Option(callback=check_engine_option, autocompletion=complete_engines, help=f"The engine: {ENGINE}")
    ] = USUAL_ENGINE,
    time: Time = None,
    nodes: Nodes = None,
    threads: Cores = 1,
    rules: RulesName = "icc",
    seed: Annotated[int | None, typer.Option(help="The engine's seed (another one each time).")] = None,
    output: Annotated[Path | None, typer.Option(help="The file for the game (kriegspiel-DATE-TIME.pgn).")] = None,
    as_json: AsJson = False,
) -> None:
    """Play against an engine: you see your men and hear the referee; the game is saved however it ends."""
    import secrets

    from ...cli.terminal import ask_person, parse_seat
    from ...core.agents import PlayerAgent
    from ...core.rng import stream_of
    from ...core.session import PersonSession
    from ...games.chess.position import PLY
    from ..engine import find_engine, parse_engine
    from ..engines.program import name_engine
    from ..game.rule_sets import ICC
    from ..referee import HouseRules, LifecyclePlayer, kriegspiel_from
    from ..warm_up import prepare
    from ._terminal import KriegspielTerminal, result_of

    side, house = parse_seat(colour, ("white", "black")), HouseRules.usual(rules)
    name, effort = parse_engine(against, effort_of(time, nodes, threads))
    seed = secrets.randbits(32) if seed is None else seed
    engine = find_engine(name_engine(name))(effort, stream_of(seed, 1 - side))
    announce_compilation()
    lines, tell = ask_person(as_json)
    if isinstance(engine, LifecyclePlayer):
        engine.hear_rules(house)
    preparation = prepare(name, effort)
    if notice := preparation.notice():
        tell(notice)
    preparation.is_ready(0)
    with preparation.meanwhile():
        session = PersonSession(kriegspiel_from(switches=house), PlayerAgent(name, lambda stream: engine), side, seed)
        terminal = KriegspielTerminal(session, lines, tell)
        played = terminal.play()
    result = result_of(played)
    if isinstance(engine, LifecyclePlayer):
        engine.hear_end(session.view(1 - side), result, played.how)
    tell(f"The game is over: {played.how}, {result}.")
    tell(terminal.epilogue())
    kept = _keep(session, result, against, output, tell)
    tell(f"The game is saved in {kept}.")
    if as_json:
        facts = {"against": against, "as": colour.lower(), "seed": seed, "result": result, "how": played.how}
        facts |= {} if house.rules == ICC else {"rules": house.rules}
        print_json(facts | {"plies": int(session.state[PLY]), "output": str(kept)})
    if played.interrupted or played.failed:
        raise typer.Exit(INTERRUPTED if played.interrupted else 2)


def _keep(
    session: "PersonSession", result: str, against: str, output: Path | None, tell: Callable[[str], None]
) -> Path:
    """Save a game as PGN; where that is not possible it is told."""
    from datetime import datetime

    from ..pgn import write_pgn
    from ..referee import switches_in

    now = datetime.now()
    names = ["you", against] if session.side == 0 else [against, "you"]
    tags = {"Event": "A game at the terminal", "Date": f"{now:%Y.%m.%d}", "White": names[0], "Black": names[1]}
    tags["Termination"] = "unterminated" if result == "*" else "normal"
    path = output or Path(f"kriegspiel-{now:%Y%m%d-%H%M%S}.pgn")
    text = write_pgn(session.record, tags, switches=switches_in(session.state), result=result)
    try:
        write_text(text, path)
    except ValueError:
        tell(text)
        raise
    return path


# fogspiel kriegspiel check-pgn: games of a file against our referee.


@group.command("check-pgn")
def check_file(
    file: Annotated[Path, typer.Argument(metavar="FILE.pgn", help="Games of ours or of other programs.")],
    as_json: AsJson = False,
) -> None:
    """Check every game of a PGN file: moves, refusals, messages, result; a sentence per faulty one, exit code 1."""
    from ..pgn import read_text

    text = read_text(file)
    from ...cli import console
    from ..pgn_check import CheckedGame, check_pgn

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


def play_seat(side: int, against: str | None, seed: int, as_json: bool) -> None:
    """Play as `fogspiel play kriegspiel` asks for."""
    play_game(("white", "black")[side], against or USUAL_ENGINE, seed=seed, as_json=as_json)


PLAY = {"kriegspiel": play_seat}
