"""Options that name outside programs, of tune, resume and match."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ...runs.request import check_option
from ...runs.store import Store
from ..app import cores, store_path

if TYPE_CHECKING:
    from ...runs.programs import ProgramSpec
    from ...runs.requests import ProgramMatchRequest, ProgramRequest
    from ...runs.store import Run
    from ...tuning.programs.contest import ProgramContest

engine_option, program_option = (
    partial(typer.Option, rich_help_panel=panel) for panel in ("Engines", "Outside programs")
)
GAMES = "Openings from an EPD or PGN file instead of the built-in ones."
RULES = "When a game is decided: resign=1000x3,draw=10x8@40,longest=600, or none."


@dataclass(frozen=True)
class ProgramSourceOptions:
    """Options that name a program, when a run starts and whenever it resumes, and resources that change no result."""

    uci: Annotated[str | None, engine_option(metavar="COMMAND", help="A chess engine, whose options are tuned.")] = None
    uci_opponent: Annotated[
        str | None, engine_option(metavar="COMMAND", help="An engine to play against, instead of itself.")
    ] = None
    openings: Annotated[Path | None, engine_option(metavar="FILE", help=GAMES)] = None
    option: Annotated[list[str] | None, engine_option(metavar="NAME=VALUE", help="A fixed option of the engine.")] = (
        None
    )
    opponent_option: Annotated[
        list[str] | None, engine_option(metavar="NAME=VALUE", help="A fixed option of the opponent.")
    ] = None
    pgn: Annotated[Path | None, engine_option(metavar="FILE", help="Add the games to this file.")] = None
    function: Annotated[
        str | None,
        program_option(metavar="FILE.py:NAME", help="A function play(a, b, seed) that returns the score of a."),
    ] = None
    command: Annotated[
        str | None,
        program_option(metavar="COMMAND", help="A program that is asked for games, a JSON object per line."),
    ] = None
    workers: Annotated[int | None, program_option(min=1, help="Processes of the program (all cores).")] = None
    time_limit: Annotated[float | None, program_option(help="Seconds that a game may take (60; engines 600).")] = None

    sorts: ClassVar[Mapping[str, str]] = {"function": "a --function", "command": "a --command", "uci": "a --uci engine"}

    @property
    def named(self) -> dict[str, str]:
        """Commands of the named programs, by type."""
        given = {sort: getattr(self, sort) for sort in self.sorts}
        return {sort: words for sort, words in given.items() if words is not None}

    @property
    def beside(self) -> list[str]:
        """Options given with the engine, one argument each."""
        single = {"uci-opponent": self.uci_opponent, "openings": self.openings}
        words = [f"--{name}={value}" for name, value in single.items() if value is not None]
        words += [f"--option={setting}" for setting in self.option or ()]
        return words + [f"--opponent-option={setting}" for setting in self.opponent_option or ()]

    @contextmanager
    def open(
        self, named: "ProgramSpec", request: "ProgramRequest | ProgramMatchRequest", cluster: str | None
    ) -> "Iterator[ProgramContest]":
        """Open the program after a trial game of its initial parameters; later games are appended to the PGN file."""
        if self.time_limit is not None:
            check_option("time-limit", self.time_limit, "a positive number of seconds")
        named.check(request.space)
        with ExitStack() as closing_all:
            try:
                file = None if self.pgn is None else closing_all.enter_context(self.pgn.open("a", encoding="utf-8"))
            except OSError as error:
                raise ValueError(f"{self.pgn} cannot be written: {error.strerror or error}") from None
            program = named.open(request.space, request.scale, cores(self.workers), self.time_limit, cluster)
            closing_all.enter_context(closing(program))
            program.try_out()

            def keep_game(answer: Mapping[str, Any]) -> None:
                if file is not None and isinstance(answer.get("pgn"), str):
                    file.write(answer["pgn"].strip() + "\n\n")
                    file.flush()

            program.sink = keep_game
            yield program


@dataclass(frozen=True)
class ConditionOptions(ProgramSourceOptions):
    """Options of a new run: conditions of the games, which are saved with it."""

    nodes: Annotated[int | None, engine_option(min=1, help="Nodes per move.")] = None
    movetime: Annotated[int | None, engine_option(min=1, metavar="MS", help="Milliseconds per move.")] = None
    depth: Annotated[int | None, engine_option(min=1, help="Plies to search per move.")] = None
    clock: Annotated[str | None, engine_option(metavar="BASE+INC", help="Seconds per game and move, as 8+0.08.")] = None
    opening_plies: Annotated[int | None, engine_option(min=1, help="Plies of each game of a PGN file (16).")] = None
    random_plies: Annotated[int | None, engine_option(min=0, help="Plies drawn by the seed after an opening.")] = None
    adjudicate: Annotated[str | None, engine_option(metavar="RULES", help=RULES)] = None
    seed_option: Annotated[
        str | None, engine_option(metavar="NAME", help="The option by which the engine takes a seed.")
    ] = None

    def facts(self, sort: str) -> dict[str, Any]:
        """Return the given conditions, which a program of this type must have."""
        from ...runs.programs import UCI_FACTS, program_types

        given = {name: value for name in UCI_FACTS if (value := getattr(self, name)) is not None}
        for name in given:
            if name not in program_types()[sort].limits:
                raise ValueError(f"--{name.replace('_', '-')} is not for --{sort}: leave it out")
        return given


def sort_of(game: str | None, words: ProgramSourceOptions) -> str | None:
    """Return the type of program to tune, None for a game; raise a ValueError unless exactly one thing is named."""
    named = [*(["GAME"] if game is not None else []), *(f"--{sort}" for sort in words.named)]
    if not named:
        ways = ["a GAME", *words.sorts.values()]
        raise ValueError(f"there is nothing to tune: name {', '.join(ways[:-1])} or {ways[-1]}")
    if len(named) > 1:
        raise ValueError(f"{' and '.join(named)} are too much at once: name one thing to tune")
    return None if game is not None else next(iter(words.named))


def tuned_program(name: str, store: Path | None) -> "Run":
    """Return the stored tuning of a program that --from names."""
    from ...runs.kind import kind_of
    from ...runs.kinds.program import KIND

    with Store.open(store_path(store), write=False) as runs:
        run = runs.read(name)
    if kind_of(run) is not KIND:
        raise ValueError(f"--from {name} is not the tuning of a program: name one, as `fogspiel runs` lists them")
    return run
