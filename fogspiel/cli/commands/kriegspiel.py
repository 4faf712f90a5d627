"""fogspiel kriegspiel: matches and round robins of engines."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..app import AsJson, Cluster, Seed, StorePath, announce_compilation, app, print_json, taking
from ..completion import complete_engines
from ..early_checks import check_engine, check_engines, positive
from ..work import RunOptions, begin_and_show

if TYPE_CHECKING:
    from ...kriegspiel.engine import SearchLimit

group = typer.Typer(
    name="kriegspiel",
    help="Kriegspiel: engines against each other, you against an engine, and records as PGN.",
    no_args_is_help=True,
)
app.add_typer(group)

Time = Annotated[float | None, typer.Option(help="Seconds for each attempt (0.1).")]
Nodes = Annotated[int | None, typer.Option(help="Nodes for each attempt instead: the same games on every machine.")]
Cores = Annotated[int, typer.Option(min=1, help="Threads that an engine thinks with.")]
Processes = Annotated[int | None, typer.Option(min=1, help="Games at the same time (cores / threads).")]
RulesName = Annotated[str, typer.Option(help="The rule set: icc, berkeley, berkeley-any, cincinnati, rand or english.")]
USUAL_SECONDS = 0.1
ENGINE = (
    "NAME, as `fogspiel kriegspiel engines` lists them; NAME@0.4s, NAME@20000n for an effort of its own; C:none, "
    "C:generic, C:FILE.npz for an opponent's model (A, B and C); fog:FILE.npz for other weights; hs:uci=COMMAND for a "
    "chess engine (los, aosp and hs); program:COMMAND for a program that speaks the engine protocol."
)


@dataclass(frozen=True)
class MatchOptions:
    """What matches and round robins of engines have in common."""

    games: Annotated[
        int,
        typer.Option(
            callback=positive(), help="At most so many games of two engines, in pairs with the colours swapped."
        ),
    ] = 400
    time: Time = None
    nodes: Nodes = None
    threads: Cores = 1
    processes: Processes = None
    seed: Seed = 1
    longest: Annotated[
        int | None,
        typer.Option(
            callback=positive("a positive number of plies"), help="After so many plies a game counts as drawn (never)."
        ),
    ] = None
    stop: Annotated[bool, typer.Option("--stop", help="Stop as soon as it is proved who is better.")] = False
    rules: RulesName = "icc"
    promotion_tries: Annotated[
        str, typer.Option(help="A capture that promotes is one try (once) or four (per_piece).")
    ] = "once"
    passant_square: Annotated[
        str | None, typer.Option(help="Captures en passant are announced at the victim or at arrival (as usual).")
    ] = None
    fifty: Annotated[
        bool | None,
        typer.Option("--fifty/--no-fifty", help="Fifty moves without a capture or a pawn move are a draw (as usual)."),
    ] = None
    repetition: Annotated[
        bool | None,
        typer.Option("--repetition/--no-repetition", help="The third occurrence of a position is a draw (as usual)."),
    ] = None
    material: Annotated[bool, typer.Option(help="Men that cannot mate are a draw.")] = True
    cluster: Cluster = None
    output: Annotated[Path | None, typer.Option(help="Write a report (HTML, CSV, JSON, charts) to this folder.")] = None
    store: StorePath = None
    as_json: AsJson = False

    def play(self, engines: Sequence[str], efforts: Sequence["SearchLimit"]) -> None:
        """Let the engines meet, each with its effort unless it has one of its own."""
        from ...kriegspiel.engine import asks_program, parse_engine
        from ...kriegspiel.engines.program import commands_of, name_engine
        from ...kriegspiel.match import EngineMatch, EngineSpec
        from ...kriegspiel.referee import HouseRules

        chosen = {"promotion_tries": self.promotion_tries, "passant_square": self.passant_square}
        flags = {"fifty": self.fifty, "repetition": self.repetition, "material": self.material}
        switches = HouseRules.usual(self.rules, chosen | flags)
        named = [parse_engine(*words) for words in zip(engines, efforts, strict=True)]
        seats = tuple(EngineSpec(name_engine(engine), effort) for engine, effort in named)
        request = EngineMatch(seats, self.games, self.seed, self.longest, self.stop, switches)
        # A run with a program goes on when the user names it again, which the same command does.
        playing = [seat.engine for seat in seats]
        programs = bool(commands_of(playing)) or any(map(asks_program, playing))
        again = shlex.join(["fogspiel", *sys.argv[1:]]) if programs else None
        options = RunOptions(self.store, self.as_json, self.processes, self.cluster, self.output, again=again)
        begin_and_show(request.to_json(), options, once=True)


def effort_of(time: float | None, nodes: int | None, threads: int) -> "SearchLimit":
    """What an engine may spend on an attempt."""
    from ...kriegspiel.engine import SearchLimit

    if time is not None and nodes is not None:
        raise ValueError("--time and --nodes exclude each other: give an engine one of them")
    return SearchLimit(USUAL_SECONDS if time is None and nodes is None else time, nodes, threads)


USUAL_OPTIONS = MatchOptions()


@group.command("match")
@taking(MatchOptions)
def play_match(
    first: Annotated[str, typer.Argument(callback=check_engine, autocompletion=complete_engines, help=ENGINE)],
    second: Annotated[str, typer.Argument(callback=check_engine, autocompletion=complete_engines, help=ENGINE)],
    time_2: Annotated[float | None, typer.Option(help="Seconds for the second engine (as the first).")] = None,
    nodes_2: Annotated[int | None, typer.Option(help="Nodes for the second engine (as the first).")] = None,
    options: MatchOptions = USUAL_OPTIONS,
) -> None:
    """Play two engines against each other: score, Elo with its interval; every two games are stored at once."""
    effort = effort_of(options.time, options.nodes, options.threads)
    other = effort if time_2 is None and nodes_2 is None else effort_of(time_2, nodes_2, options.threads)
    options.play((first, second), (effort, other))


@group.command("round-robin")
@taking(MatchOptions)
def play_round_robin(
    engines: Annotated[
        list[str],
        typer.Argument(callback=check_engines, autocompletion=complete_engines, help=f"At least two. {ENGINE}"),
    ],
    options: MatchOptions,
) -> None:
    """Let engines meet each other: cross-table, Elo, proved claims, cyclic share."""
    effort = effort_of(options.time, options.nodes, options.threads)
    options.play(engines, [effort] * len(engines))


@group.command("engine")
def serve_engine(
    name: Annotated[
        str,
        typer.Argument(
            callback=check_engine,
            autocompletion=complete_engines,
            help="NAME, or NAME:OPTION: the referee says for how long.",
        ),
    ],
) -> None:
    """Play as a program: read what a referee says on stdin, answer on stdout (docs/kriegspiel-protocol.md)."""
    from contextlib import suppress

    from ...kriegspiel.engine import find_engine
    from ...kriegspiel.protocol import serve

    maker = find_engine(name)
    announce_compilation()
    with suppress(BrokenPipeError):
        serve(name, maker, sys.stdin, lambda line: print(line, flush=True))


@group.command("engines")
def list_engines(as_json: AsJson = False) -> None:
    """List the engines, with a sentence each."""
    from ...kriegspiel.engine import about_engine, engines
    from .. import console

    found = {name: about_engine(name) for name in engines()}
    if as_json:
        return print_json({"engines": [{"name": name, "about": about} for name, about in found.items()]})
    return console.table("Kriegspiel engines", ("engine", "in a sentence"), list(found.items()))
