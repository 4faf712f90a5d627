"""External programs at the command line: the options that name one, and how its tuning starts and resumes."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from .app import cores, write_text
from .execute import RunOptions, begin_and_show, check_cluster

# Engines at the command line: the options that name one for tuning, and its playing conditions.

ENGINE_PANEL = "Engines"
GAMES = "Openings from an EPD or PGN file instead of the built-in ones."
RULES = "When a game is decided: resign=1000x3,draw=10x8@40,longest=600, or none."


@dataclass(frozen=True)
class EngineWords:
    """Options that name the engine of a run, when it starts and whenever it resumes."""

    uci: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="A chess engine, whose options are tuned.", rich_help_panel=ENGINE_PANEL),
    ] = None
    uci_opponent: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="An engine to play against, instead of itself.", rich_help_panel=ENGINE_PANEL
        ),
    ] = None
    kriegspiel: Annotated[
        str | None,
        typer.Option(
            metavar="ENGINE", help="C or hs: our engine, whose constants are tuned.", rich_help_panel=ENGINE_PANEL
        ),
    ] = None
    openings: Annotated[Path | None, typer.Option(metavar="FILE", help=GAMES, rich_help_panel=ENGINE_PANEL)] = None
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A fixed option of the engine.", rich_help_panel=ENGINE_PANEL),
    ] = None
    opponent_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A fixed option of the opponent.", rich_help_panel=ENGINE_PANEL),
    ] = None
    pgn: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Add the games to this file.", rich_help_panel=ENGINE_PANEL)
    ] = None

    @property
    def beside(self) -> list[str]:
        """Options given with the engine, one argument each."""
        single = {"uci-opponent": self.uci_opponent, "openings": self.openings}
        words = [f"--{name}={value}" for name, value in single.items() if value is not None]
        words += [f"--option={setting}" for setting in self.option or ()]
        return words + [f"--opponent-option={setting}" for setting in self.opponent_option or ()]


@dataclass(frozen=True)
class EngineLimits(EngineWords):
    """Conditions of the games, which are saved with a run."""

    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes per move.", rich_help_panel=ENGINE_PANEL)] = None
    movetime: Annotated[
        int | None, typer.Option(min=1, metavar="MS", help="Milliseconds per move.", rich_help_panel=ENGINE_PANEL)
    ] = None
    depth: Annotated[
        int | None, typer.Option(min=1, help="Plies to search per move.", rich_help_panel=ENGINE_PANEL)
    ] = None
    clock: Annotated[
        str | None,
        typer.Option(metavar="BASE+INC", help="Seconds per game and move, as 8+0.08.", rich_help_panel=ENGINE_PANEL),
    ] = None
    opening_plies: Annotated[
        int | None, typer.Option(min=1, help="Plies of each game of a PGN file (16).", rich_help_panel=ENGINE_PANEL)
    ] = None
    random_plies: Annotated[
        int | None, typer.Option(min=0, help="Plies drawn by the seed after an opening.", rich_help_panel=ENGINE_PANEL)
    ] = None
    adjudicate: Annotated[str | None, typer.Option(metavar="RULES", help=RULES, rich_help_panel=ENGINE_PANEL)] = None
    seed_option: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The option by which the engine takes a seed.", rich_help_panel=ENGINE_PANEL),
    ] = None

    def facts(self, sort: str) -> dict[str, Any]:
        """Return the given conditions, as a run of this type of program saves them."""
        names = ("nodes", "movetime", "depth", "clock", "opening_plies", "random_plies", "adjudicate", "seed_option")
        values = (
            self.nodes, self.movetime, self.depth, self.clock,
            self.opening_plies, self.random_plies, self.adjudicate, self.seed_option,
        )  # fmt: skip
        given: dict[str, Any] = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        if sort == "kriegspiel" and "movetime" in given:
            given["time"] = given.pop("movetime") / 1000
        allowed = {"uci": names, "kriegspiel": ("nodes", "time")}.get(sort, ())
        for name in given:
            if name not in allowed:
                raise ValueError(f"--{name.replace('_', '-')} is not for --{sort}: leave it out")
        return given


if TYPE_CHECKING:
    from ..runs.programs import ProgramSpec
    from ..runs.requests import ProgramRequest
    from ..runs.store import Run
    from ..tuning.programs.contest import ProgramContest, Scale
    from ..tuning.programs.parameters import Parameters

PANEL = "Outside programs"
PARAMETERS = "TOML or JSON, a table for each parameter: start, low, high, scale, whole; or start and choices."


@dataclass(frozen=True)
class ProgramSourceOptions(EngineWords):
    """Options that name a program, and resources of its workers that do not change results."""

    function: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.py:NAME",
            help="A function play(a, b, seed) that returns the score of a.",
            rich_help_panel=PANEL,
        ),
    ] = None
    command: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="A program that is asked for games, a JSON object per line.", rich_help_panel=PANEL
        ),
    ] = None
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes of the program (all cores).", rich_help_panel=PANEL)
    ] = None
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds that a game may take (60; engines 600).", rich_help_panel=PANEL)
    ] = None

    @property
    def named(self) -> dict[str, str]:
        """Commands of the named programs, by type."""
        given = {"function": self.function, "command": self.command, "uci": self.uci, "kriegspiel": self.kriegspiel}
        return {sort: words for sort, words in given.items() if words is not None}

    @contextmanager
    def open(self, named: "ProgramSpec", request: "ProgramRequest", cluster: str | None) -> "Iterator[ProgramContest]":
        """Open the program after a trial game of its initial parameters; later games are appended to the PGN file."""
        from ..runs.request import check_option

        if self.time_limit is not None:
            check_option("time-limit", self.time_limit, "a positive number of seconds")
        named.check(request.space)
        with ExitStack() as closing_all:
            file = None if self.pgn is None else closing_all.enter_context(_append(self.pgn))
            program = named.open(request.space, request.scale, cores(self.workers), self.time_limit, cluster)
            closing_all.enter_context(closing(program))
            program.try_out()

            def keep_game(answer: Mapping[str, Any]) -> None:
                if file is not None and isinstance(answer.get("pgn"), str):
                    file.write(answer["pgn"].strip() + "\n\n")
                    file.flush()

            program.sink = keep_game
            yield program


def _append(path: Path) -> TextIO:
    try:
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror or error}") from None


@dataclass(frozen=True)
class ProgramOptions(ProgramSourceOptions, EngineLimits):
    parameters: Annotated[Path | None, typer.Option(metavar="FILE", help=PARAMETERS, rich_help_panel=PANEL)] = None
    list_options: Annotated[
        bool,
        typer.Option(
            "--list-options", help="Print what can be tuned as a parameter file, and end.", rich_help_panel=ENGINE_PANEL
        ),
    ] = False
    score_range: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--score-range", metavar="LOW HIGH", help="Of the scores, if not 0, 1/2 and 1 alone.", rich_help_panel=PANEL
        ),
    ] = None
    alone: Annotated[
        bool,
        typer.Option("--single", help="The program scores one vector: play(a, seed).", rich_help_panel=PANEL),
    ] = False


def sort_of(game: str | None, words: ProgramSourceOptions) -> str | None:
    """Return the type of program to tune, None for a game; raise a ValueError unless exactly one thing is named."""
    named = [*(["GAME"] if game is not None else []), *(f"--{sort}" for sort in words.named)]
    if not named:
        raise ValueError(
            "there is nothing to tune: name a GAME, a --function, a --command, a --uci engine or --kriegspiel ENGINE"
        )
    if len(named) > 1:
        raise ValueError(f"{' and '.join(named)} are too much at once: name one thing to tune")
    return None if game is not None else next(iter(words.named))


def tune_program(sort: str, given: ProgramOptions, asked: Mapping[str, Any], options: RunOptions) -> None:
    from ..runs.programs import find_program
    from ..runs.requests import ProgramRequest

    if given.list_options:
        return write_text(_options_text(given), None)
    scores, scale = given.score_range, _scale(sort, given)
    named = find_program(sort, given.named[sort], scale, given.facts(sort), given.beside)
    tables = _parameters(sort, given).to_json()
    request = ProgramRequest(
        sort=sort,
        digest=named.digest,
        parameters=tuple(tables),
        range=scores,
        alone=scale.single,
        facts=named.facts,
        **asked,
    )
    check_cluster(options.cluster)
    with given.open(named, request, options.cluster) as program:
        return begin_and_show(request.to_json(), replace(options, threads=cores(given.workers)), prepared=program)


def _options_text(given: ProgramOptions) -> str:
    from ..runs.programs import program_types

    if given.uci is not None:
        from ..tuning.programs.uci_match import options_of, parameter_table

        found = options_of(given.uci)
        return parameter_table(found, found.tunable)
    for sort, words in given.named.items():
        write = program_types()[sort].file
        if write is not None:
            return write(words)
    raise ValueError("--list-options is for --uci and --kriegspiel: only engines say what can be tuned")


def _parameters(sort: str, given: ProgramOptions) -> "Parameters":
    """Return the parameters of the file, or all constants of one of our own engines."""
    from ..runs.programs import program_types
    from ..tuning.programs.parameters import Parameters, read_parameters

    if given.parameters is not None:
        return read_parameters(given.parameters)
    tables = program_types()[sort].tables
    if tables is not None:
        return Parameters.of(tables(given.named[sort]))
    raise ValueError(f"--{sort} needs --parameters FILE: {PARAMETERS}")


def _scale(sort: str, given: ProgramOptions) -> "Scale":
    from ..tuning.programs.contest import Scale

    scores = given.score_range
    if sort in ("function", "command"):
        if given.beside:
            raise ValueError(f"{given.beside[0].partition('=')[0]} is for --uci: leave it out")
        return Scale(*(scores or (0.0, 1.0)), graded=scores is not None, single=given.alone)
    if scores is not None or given.alone:
        raise ValueError(f"--score-range and --single are not for --{sort}, whose games are won, drawn and lost")
    if sort == "kriegspiel" and given.beside:
        raise ValueError(f"{given.beside[0].partition('=')[0]} is for --uci: leave it out")
    return Scale(single=given.uci_opponent is not None)


@contextmanager
def program_of(run: "Run", words: ProgramSourceOptions, cluster: str | None) -> "Iterator[ProgramContest | None]":
    """Open the program that a run resumes with, named again by the user; yield None for runs without one."""
    from ..runs.kind import kind_of
    from ..runs.kinds.program import KIND, demand_program
    from ..runs.programs import find_program
    from . import console

    if kind_of(run) is not KIND:
        if words.named:
            raise ValueError(f"run {run.name} tunes no program: leave out --{next(iter(words.named))}")
        yield None
        return
    request = KIND.check(run)
    if not words.named:
        raise KIND.unnamed(run)
    sort = sort_of(None, words)
    assert sort is not None
    named = find_program(sort, words.named[sort], request.scale, request.facts, words.beside)
    remark = demand_program(request, run.name, named)
    if remark is not None:
        console.err.print(remark)
    with words.open(named, request, cluster) as program:
        yield program
