"""fogspiel kriegspiel play and export: games against an engine, and records."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...cli.app import (
    CHECKS,
    COMPLETIONS,
    EXAMPLES,
    INTERRUPTED,
    START,
    AsJson,
    Cluster,
    RunName,
    Stop,
    StorePath,
    announce_compilation,
    app,
    asking,
    complete_from,
    store_path,
)
from ...cli.console import print_json, write_text
from ...cli.execute import RunOptions, begin_and_show
from ..requests import ENGINE, EngineMatchRequest, EngineOptions, EngineRequest, effort_of, without_effort

if TYPE_CHECKING:
    from ...core.session import PersonSession

complete_engines = COMPLETIONS["engine"] = complete_from("kriegspiel.engines", "ENGINES")


def check_engine(words: str | None) -> str | None:
    """Reject text that is not an engine with an optional search limit."""
    from .. import engine

    if words is not None:
        engine.check_engine(words)
    return words


CHECKS["engine"] = check_engine
PROGRAMS = {"kriegspiel": ("ENGINE", "C or hs: our engine, whose constants are tuned.")}  # options of `tune`


def check_engine_option(ctx: typer.Context, words: str | None) -> str | None:
    return words if ctx.resilient_parsing else check_engine(words)


EXAMPLES |= {
    "kriegspiel": (START, "kriegspiel play --against fog"),
    "kriegspiel match": (START, "kriegspiel match fog C --games 40 --move-seconds 0.1"),
    "kriegspiel round-robin": (START, "kriegspiel round-robin fog hs C --games 20"),
    "kriegspiel play": (START, "kriegspiel play --against fog --rules berkeley"),
    "kriegspiel engine": (START, "kriegspiel engine fog"),
    "kriegspiel engines": (START, "kriegspiel engines"),
    "kriegspiel export": (START, "kriegspiel export kriegspiel-1 --output games.pgn"),
    "kriegspiel analyse": (START, "kriegspiel analyse games.pgn --number 2 --side black"),
    "kriegspiel check-pgn": (START, "kriegspiel check-pgn games.pgn"),
    "kriegspiel problems": (START, "kriegspiel problems 1 --play"),
    "kriegspiel problem": (START, "kriegspiel problem problem.json"),
    "kriegspiel make-problems": (START, "kriegspiel make-problems --candidates 2000"),
}


# Hooks of `fogspiel compile`, `doctor` and `tour`.


def engines_to_compile() -> dict[str, Callable[[], None]]:
    """Return a function per engine that compiles it, by a few plies of a game."""
    from ..engine import engines, find_engine
    from ..warm_up import play_trial

    return {name: lambda name=name: play_trial(find_engine(name)) for name in engines()}  # type: ignore[misc]


def board_kernel() -> object:
    """Return the kernel whose cache entry shows that the engine `fog` is compiled."""
    from ..beliefs.board_filter import list_children

    return list_children


def show_game(seed: int) -> Iterator[str]:
    from ._terminal import kriegspiel

    return kriegspiel(seed)


def compiled_meanwhile() -> AbstractContextManager[None]:
    from . import _terminal

    return _terminal.compiled_meanwhile()


COMPILE = {"engines": engines_to_compile}
KERNELS = {"fog": board_kernel}
TITLE = "Kriegspiel: chess in which you see only your own men"
TOUR = {"kriegspiel": Stop(TITLE, 5, show_game, compiled_meanwhile)}

# fogspiel kriegspiel: matches and round robins of engines.

group = typer.Typer(
    name="kriegspiel",
    help="Kriegspiel: engines against each other, you against an engine, and records as PGN.",
    no_args_is_help=True,
)
app.add_typer(group)

Time = Annotated[float | None, typer.Option("--move-seconds", help="Seconds for each move, all attempts of it (0.1).")]
Nodes = Annotated[int | None, typer.Option(help="Nodes for each attempt instead: the same games on every machine.")]
Clock = Annotated[
    str | None, typer.Option(help="A clock instead: minutes for a game + seconds for each move (3+0, 0.5+1).")
]
Cores = Annotated[int, typer.Option(min=1, help="Threads that an engine thinks with.")]
Processes = Annotated[int | None, typer.Option(min=1, help="Games at the same time (cores / threads).")]
RulesName = Annotated[str, typer.Option(help="The rule set: icc, berkeley, berkeley-any, cincinnati, rand or english.")]
Output = Annotated[Path | None, typer.Option(help="Write a report (HTML, CSV, JSON, charts) to this folder.")]


def _add_match(name: str, model: type[EngineOptions], about: str) -> None:
    @group.command(name, help=about)
    @asking(model)
    def play(
        asked: dict[str, Any],
        processes: Processes = None,
        cluster: Cluster = None,
        output: Output = None,
        store: StorePath = None,
        as_json: AsJson = False,
    ) -> None:
        from ..engine import asks_program
        from ..engines.program import commands_of

        match = model(**asked).match(store_path(store))
        engines = [seat.engine for seat in match.seats]
        # A run with a program resumes only when the user names the program again, as the same command does.
        programs = commands_of(engines) or any(map(asks_program, engines))
        again = shlex.join(["fogspiel", *sys.argv[1:]]) if programs else None
        begin_and_show(match.to_json(), RunOptions(store, as_json, processes, cluster, output, again=again), once=True)


_add_match(
    "match",
    EngineMatchRequest,
    "Play two engines against each other: score, Elo with its interval; every two games are stored at once.",
)
_add_match("round-robin", EngineRequest, "Let engines meet each other: cross-table, Elo, proved claims, cyclic share.")


@group.command("engine")
def serve_engine(
    name: Annotated[
        str,
        typer.Argument(
            callback=check_engine_option,
            autocompletion=complete_engines,
            help="NAME, or NAME:OPTION: the referee says for how long.",
        ),
    ],
) -> None:
    """Play as a program: read what a referee says on stdin, answer on stdout (docs/kriegspiel-protocol.md)."""
    from contextlib import suppress

    from ..engine import find_engine
    from ..protocol import serve

    maker = find_engine(name)
    announce_compilation()
    with suppress(BrokenPipeError):
        serve(name, maker, sys.stdin, lambda line: print(line, flush=True))


@group.command("engines")
def list_engines(as_json: AsJson = False) -> None:
    """List the engines, with a sentence each, and the levels of fog with their ratings."""
    from ...cli import console
    from ..agents import levels
    from ..engine import about_engine, engines

    found = {name: about_engine(name) for name in engines()}
    if as_json:
        graded = [{"name": name, "about": about, "elo": elo} for name, about, elo in levels()]
        listed = [{"name": name, "about": about} for name, about in found.items()]
        return print_json({"engines": listed, "levels": graded})
    console.table("Kriegspiel engines", ("engine", "in a sentence"), list(found.items()))
    return console.table(
        "Levels, with Elo above random and 95 % intervals", ("level", "in a sentence", "Elo"), levels()
    )


DEFAULT_ENGINE = "greedy"  # default opponent


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
    from ..kinds import games_as_pgn

    games = list(games_as_pgn(found, side))
    write_text("\n".join(games), output)
    if as_json:
        print_json({"run": run, "format": form, "side": side, "games": len(games), "output": str(output)})


@group.command("play")
def play_game(
    colour: Annotated[str, typer.Option("--seat", help="Your side: white or black.")] = "white",
    against: Annotated[
        str, typer.Option(callback=check_engine_option, autocompletion=complete_engines, help=f"The engine: {ENGINE}")
    ] = DEFAULT_ENGINE,
    time: Time = None,
    nodes: Nodes = None,
    threads: Cores = 1,
    clock: Clock = None,
    rules: RulesName = "icc",
    level: Annotated[int | None, typer.Option(help="A level of fog instead of an engine, 1 (weak) to 8 (fog).")] = None,
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
    from ..engine import TimeControl, find_engine, parse_engine
    from ..engines.program import name_engine
    from ..game import ICC
    from ..match import EngineSpec
    from ..referee import TIME_UP, HouseRules, LifecyclePlayer, SideClock, TimedPlayer, kriegspiel_from
    from ..training import with_constants
    from ..warm_up import prepare
    from ._terminal import KriegspielTerminal, result_of

    side, house = parse_seat(colour, ("white", "black")), HouseRules.usual(rules)
    if level is not None:
        if against != DEFAULT_ENGINE or (time, nodes, clock) != (None, None, None):
            raise ValueError("--level has an engine and an effort of its own: leave --against and its limits out")
        against = f"fog:level={level}"
    name, effort = parse_engine(against, effort_of(time, nodes, threads, clock))
    control = None if clock is None else TimeControl.parse(clock)
    if control:
        name = without_effort(against)
        effort = EngineSpec.with_clock(name, control, threads).effort
    name = with_constants(name, store_path(None))
    clocks = SideClock(control), SideClock(control)
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
    if control:  # nobody's time runs while kernels are compiled
        preparation.done.wait()
    with preparation.meanwhile():
        player = TimedPlayer(engine, clocks[1 - side]) if control else engine
        session = PersonSession(kriegspiel_from(switches=house), PlayerAgent(name, lambda stream: player), side, seed)
        terminal = KriegspielTerminal(session, lines, tell, clocks)
        played = terminal.play()
    session = terminal.session
    result = result_of(played)
    if isinstance(engine, LifecyclePlayer):
        engine.hear_end(session.view(1 - side), result, played.how)
    tell(f"The game is over: {played.how}, {result}.")
    tell(terminal.epilogue())
    ended = TIME_UP if any(one.is_up for one in clocks) else "unterminated" if result == "*" else "normal"
    kept = _keep(session, result, against, (ended, terminal.practice), output, tell)
    tell(f"The game is saved in {kept}.")
    if as_json:
        facts = {"against": against, "as": colour.lower(), "seed": seed, "result": result, "how": played.how}
        facts |= {} if house.rules == ICC else {"rules": house.rules}
        facts |= {"practice": terminal.practice} if terminal.practice else {}
        print_json(facts | {"plies": int(session.state[PLY]), "output": str(kept)})
    if played.interrupted or played.failed:
        raise typer.Exit(INTERRUPTED if played.interrupted else 2)


def _keep(
    session: "PersonSession",
    result: str,
    against: str,
    ended: tuple[str, list[str]],
    output: Path | None,
    tell: Callable[[str], None],
) -> Path:
    """Save a game as PGN, with its termination and the aids used; report where that is not possible."""
    from datetime import datetime

    from ..pgn import write_pgn
    from ..referee import switches_in

    now = datetime.now()
    names = ["you", against] if session.side == 0 else [against, "you"]
    tags = {"Event": "A game at the terminal", "Date": f"{now:%Y.%m.%d}", "White": names[0], "Black": names[1]}
    tags["Termination"] = ended[0]
    if ended[1]:
        tags["Practice"] = ", ".join(ended[1])
    path = output or Path(f"kriegspiel-{now:%Y%m%d-%H%M%S}.pgn")
    text = write_pgn(session.record, tags, switches=switches_in(session.state), result=result)
    try:
        write_text(text, path)
    except ValueError:
        tell(text)
        raise
    return path


# fogspiel kriegspiel check-pgn: replay of a file's games by our referee.


@group.command("check-pgn")
def check_file(
    file: Annotated[Path, typer.Argument(metavar="FILE.pgn", help="Games of ours or of other programs.")],
    as_json: AsJson = False,
) -> None:
    """Check every game of a PGN file: moves, refusals, messages, result; a sentence per faulty one, exit code 1."""
    from ..pgn import read_text

    text = read_text(file)
    from ...cli import console
    from ..pgn import CheckedGame, check_pgn

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


PLAY = {
    "kriegspiel": lambda side, against, seed, as_json: play_game(
        ("white", "black")[side], against or DEFAULT_ENGINE, seed=seed, as_json=as_json
    )
}
