"""fogspiel kriegspiel analyse: an engine's analysis of one player's game, from the player's own view."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...cli.app import AsJson, Seed, StorePath, announce_compilation, store_path, taking
from ...cli.console import print_json, write_text
from ...cli.execute import RunOptions, start_run
from .games import Nodes, Time, check_engine_option, complete_engines, group

if TYPE_CHECKING:
    import numpy as np

    from ..analysis import GameAnalysis, Phase, PositionAnalysis
    from ..decisions import Decision

LISTED = 12  # attempts printed per position
WORDS = "Words"


@dataclass(frozen=True)
class ViewWords:
    """A view typed by hand, in the vocabulary of the engine protocol."""

    men: Annotated[
        str | None, typer.Option(help="Your men as the board of a FEN, instead of a game.", rich_help_panel=WORDS)
    ] = None
    last: Annotated[str, typer.Option(help="`taken pawn d5 check file tries 2`.", rich_help_panel=WORDS)] = ""
    lost: Annotated[str, typer.Option(help="Your pawns and pieces lost.", rich_help_panel=WORDS)] = "0,0"
    taken: Annotated[str, typer.Option(help="The other's pawns and pieces taken.", rich_help_panel=WORDS)] = "0,0"
    castling: Annotated[str, typer.Option(help="Your rights: KQ, kq, or -.", rich_help_panel=WORDS)] = "-"
    refused: Annotated[str, typer.Option(help="What was refused in this turn.", rich_help_panel=WORDS)] = ""


NO_VIEW = ViewWords()


@dataclass(frozen=True)
class Subject:
    """Subject of an analysis: a player's decisions, with the true boards if known."""

    side: int
    names: tuple[str, str]
    decisions: Sequence["Decision"]
    truth: Sequence["np.ndarray"] | None


@group.command("analyse")
@taking(ViewWords)
def analyse_game(
    game: Annotated[str | None, typer.Argument(help="A PGN file, or RUN:K for game K of a stored match.")] = None,
    number: Annotated[int, typer.Option("--number", min=1, help="Which game of a file with several.")] = 1,
    side: Annotated[str | None, typer.Option(help="Whose view: white or black (the viewer's, else white's).")] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            callback=check_engine_option, autocompletion=complete_engines, help="An engine that keeps boards (fog)."
        ),
    ] = None,
    time: Time = None,
    nodes: Nodes = None,
    seed: Seed = 1,
    ply: Annotated[int | None, typer.Option(min=0, help="Only the turn after so many moves of both.")] = None,
    hindsight: Annotated[bool, typer.Option("--hindsight", help="Compare the belief with the true boards.")] = False,
    output: Annotated[Path | None, typer.Option(help="Write a report to this file, .md or .html.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
    view: ViewWords = NO_VIEW,
) -> None:
    """Rank attempts by value with their chance of being legal, say what messages imply and what moves cost.

    Everything comes from the chosen side's own view. The usual effort is 20,000 nodes per attempt. Every turn of a
    whole game is stored at once; the same command goes on after an interruption.
    """
    from ..pgn import read_text

    if (game is None) == (view.men is None):
        raise ValueError("an analysis needs a game or a view: give a PGN file, RUN:K, or --men with your own men")
    names_run = ":" in (game or "") and str(game).rpartition(":")[2].isdigit() and not Path(str(game)).exists()
    text = None if game is None or names_run else read_text(Path(game))
    from ...cli import console
    from ...runs.report import as_markdown
    from ...runs.report.html_page import as_html
    from ..analysis import DEFAULT, DEFAULT_ENGINE, GameAnalysis, analyse, analysis_report, look_back
    from ..inferences import make_engine
    from ..kinds import analysis_of
    from ..requests import AnalysisRequest, effort_of

    if output is not None and output.suffix not in (".md", ".html", ".htm"):
        raise ValueError(f"the report is to be {output}: its name must end in .md or .html")
    subject = _typed(view, side, ply) if game is None else _subject(game, text, number, side, ply, store)
    if hindsight and subject.truth is None:
        raise ValueError("--hindsight needs the true boards, which a filtered game or a typed view does not tell")
    words = engine or DEFAULT_ENGINE
    effort = DEFAULT if time is None and nodes is None else effort_of(time, nodes, 1)
    make_engine(words, effort, seed, subject.side)  # rejects engines without boards before anything is compiled
    only = None if game is None else ply
    run, command = None, shlex.join(["fogspiel", *sys.argv[1:]])
    if game is not None and ply is None:
        decisions, names = tuple(subject.decisions), subject.names
        request = AnalysisRequest(
            decisions=decisions, side=subject.side, names=names, engine=words, effort=effort, seed=seed
        )
        run = start_run(request.to_json(), RunOptions(store, as_json, again=command), once=True, prepared=request)
        analysis = analysis_of(run)
    else:
        announce_compilation()
        with console.status("analysing"):
            found = tuple(analyse(subject.decisions, words, effort, seed, only))
        analysis = GameAnalysis(words, effort, seed, subject.side, subject.names, found)
    phases: list[Phase] = []
    if hindsight:
        pairs = zip(subject.decisions, subject.truth or (), strict=True)
        wanted = [board for one, board in pairs if (one.ply == only if only is not None else one.action is not None)]
        phases = look_back(analysis.positions, wanted[: len(analysis.positions)])
    if output is not None:
        drawn = output.suffix != ".md"
        report = analysis_report(analysis, phases, command, charts=drawn)
        write_text(as_html(report) if drawn else as_markdown(report, drawn=False), output)
    if as_json:
        facts = analysis.to_json() | {"output": None if output is None else str(output), "run": run and run.name}
        return print_json(facts | ({"hindsight": [one.to_json() for one in phases]} if hindsight else {}))
    return _print(analysis, phases, output)


def _side(words: str | None, usual: int) -> int:
    if words is None:
        return usual
    if words.lower() not in ("white", "black"):
        raise ValueError(f"--side is {words!r}: it must be white or black")
    return ("white", "black").index(words.lower())


def _typed(view: ViewWords, side: str | None, ply: int | None) -> Subject:
    from ..decisions import described_decision

    letters = [letter for letter in view.men or "" if letter.isalpha()]
    whose = _side(side, 0 if any(letter.isupper() for letter in letters) else 1)
    told = (view.last, view.lost, view.taken, view.castling, view.refused)
    return Subject(whose, ("you", "the other"), [described_decision(whose, view.men or "", *told, ply)], None)


def _subject(
    game: str, text: str | None, number: int, side: str | None, ply: int | None, store: Path | None
) -> Subject:
    from ...runs.store import Store
    from ..decisions import filtered_decisions, replayed_decisions
    from ..kinds import stored_game
    from ..pgn import read_pgn

    usual = 0 if ply is None else ply % 2
    if text is None:
        run, _, place = game.rpartition(":")
        with Store.open(store_path(store), write=False) as runs:
            names, switches, record = stored_game(runs.read(run), int(place))
        whose = _side(side, usual)
        subject = Subject(whose, names, *replayed_decisions(record, whose, switches=switches))
    else:
        readings = read_pgn(text)
        if number > len(readings):
            raise ValueError(f"{game} has games 1 to {len(readings)}: --number cannot be {number}")
        reading = readings[number - 1]
        names = (reading.tags.get("White", "?"), reading.tags.get("Black", "?"))
        if reading.viewer == "umpire":
            whose = _side(side, usual)
            made = replayed_decisions(reading.record, whose, reading.fen, reading.switches)
            subject = Subject(whose, names, *made)
        else:
            whose = _side(side, ("white", "black").index(reading.viewer))
            if ("white", "black")[whose] != reading.viewer:
                raise ValueError(f"the game is filtered for {reading.viewer}: what the other side saw is not in it")
            subject = Subject(whose, names, filtered_decisions(reading), None)
    plies = [decision.ply for decision in subject.decisions]
    if ply is not None and ply not in plies:
        here = f"from {plies[0]} to {plies[-1]}, every second" if plies else "none"
        raise ValueError(f"--ply is {ply}: {('White', 'Black')[whose]}'s turns in this game are {here}")
    if not any(decision.action is not None for decision in subject.decisions) and ply is None:
        raise ValueError(f"{('White', 'Black')[whose]} has tried nothing in this game: there is nothing to analyse")
    return subject


def _print(analysis: "GameAnalysis", phases: Sequence["Phase"], output: Path | None) -> None:
    from ...cli import console
    from ..analysis import HONESTY, PHASE_COLUMNS, TURN_COLUMNS, phase_rows, turn_rows, worst_sentence

    names = f"{analysis.names[0]} - {analysis.names[1]}"
    if len({position.ply for position in analysis.positions}) == 1:
        for position in analysis.positions:
            _print_position(position)
    else:
        console.table(f"{names}, {analysis.engine}", TURN_COLUMNS, turn_rows(analysis.positions))
        for position in analysis.worst:
            console.out.print(worst_sentence(position))
            for reason in position.reasons:
                console.out.print(f"  {reason}.")
        if analysis.mean_cost is not None:
            console.out.print(f"a move cost {analysis.mean_cost:.2f} pawns on average")
    if phases:
        rows = [[f"{cell:.3f}" if isinstance(cell, float) else cell for cell in row] for row in phase_rows(phases)]
        console.table("Was the belief right?", PHASE_COLUMNS, rows)
    console.out.print(HONESTY)
    if output is not None:
        console.out.print(f"report: {output}")


def _print_position(position: "PositionAnalysis") -> None:
    """Print one decision in full: the implied knowledge, attempts, and possible squares of the opponent's men."""
    from ...cli import console
    from ..analysis import ATTEMPT_COLUMNS, ENDING, MAN_KINDS, attempt_rows, map_lines

    tried = "" if position.tried is None else f"{position.tried} "
    refused = f" (refused: {', '.join(position.refused)})" if position.refused else ""
    console.out.print(f"{position.turn} {tried}{refused}".rstrip())
    if position.heard:
        console.out.print(f"The referee: {position.heard}.")
    for sentence in (*position.reasons, *position.implied):
        console.out.print(f"{sentence}.")
    if position.attempts:
        title = f"{position.boards:,} different boards in mind, {position.evaluated:,} evaluated"
        console.table(title, ATTEMPT_COLUMNS, attempt_rows(position, LISTED))
    else:
        console.out.print(f"{ENDING}: the engine would try {position.choice}.")
    boards = [map_lines(position, kind) for kind in MAN_KINDS]
    console.out.print("   ".join(f"{kind:<34}" for kind in MAN_KINDS).rstrip())
    for lines in zip(*boards, strict=True):
        console.out.print("   ".join(f"{line:<34}" for line in lines).rstrip())
