"""fogspiel kriegspiel: matches and round robins of engines."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..app import (
    AsJson,
    Cluster,
    Seed,
    StorePath,
    announce_compilation,
    app,
    cores,
    print_json,
    resumable,
    resume_command,
    store_path,
)

if TYPE_CHECKING:
    from ...kriegspiel.engine import Effort
    from ...kriegspiel.matches import EngineSpec, Row
    from ...runs.kinds.kriegspiel import EngineMatch
    from ...runs.store import Run, Store

group = typer.Typer(
    name="kriegspiel",
    help="Kriegspiel: engines against each other, you against an engine, and records as PGN.",
    no_args_is_help=True,
)
app.add_typer(group)

Games = Annotated[int, typer.Option(help="At most so many games of two engines, in pairs with the colours swapped.")]
Time = Annotated[float | None, typer.Option(help="Seconds for each attempt (0.1).")]
Nodes = Annotated[int | None, typer.Option(help="Nodes for each attempt instead: the same games on every machine.")]
Cores = Annotated[int, typer.Option(min=1, help="Threads that an engine thinks with.")]
Processes = Annotated[int | None, typer.Option(min=1, help="Games at the same time (cores / threads).")]
Longest = Annotated[int | None, typer.Option(help="After so many plies a game counts as drawn (never).")]
Stop = Annotated[bool, typer.Option("--stop", help="Stop as soon as it is proved who is better.")]
PromotionTries = Annotated[str, typer.Option(help="A capture that promotes is one try (once) or four (per_piece).")]
PassantSquare = Annotated[str, typer.Option(help="Captures en passant are announced at the victim or at arrival.")]
Fifty = Annotated[bool, typer.Option(help="Fifty moves without a capture or a pawn move are a draw.")]
Repetition = Annotated[bool, typer.Option(help="The third occurrence of a position is a draw.")]
Material = Annotated[bool, typer.Option(help="Men that cannot mate are a draw.")]
USUAL_SECONDS = 0.1
ENGINE = (
    "NAME, as `fogspiel kriegspiel engines` lists them; NAME@0.4s, NAME@20000n for an effort of its own; C:none, "
    "C:generic, C:FILE.npz for an opponent's model (A, B and C); hs:uci=COMMAND for a chess engine (los, aosp and hs)."
)
Output = Annotated[Path | None, typer.Option(help="Write a report (HTML, CSV, JSON, charts) to this folder.")]


def effort_of(time: float | None, nodes: int | None, threads: int) -> "Effort":
    """What an engine may spend on an attempt."""
    from ...kriegspiel.engine import Effort

    if time is not None and nodes is not None:
        raise ValueError("--time and --nodes exclude each other: give an engine one of them")
    return Effort(USUAL_SECONDS if time is None and nodes is None else time, nodes, threads)


def seat_of(word: str, effort: "Effort") -> "EngineSpec":
    """The engine that a word names, with an effort of its own if it says so."""
    from ...kriegspiel.engine import parse_engine
    from ...kriegspiel.matches import EngineSpec

    return EngineSpec(*parse_engine(word, effort))


@group.command("match")
def play_match(
    first: Annotated[str, typer.Argument(help=ENGINE)],
    second: Annotated[str, typer.Argument(help=ENGINE)],
    games: Games = 400,
    time: Time = None,
    nodes: Nodes = None,
    time_2: Annotated[float | None, typer.Option(help="Seconds for the second engine (as the first).")] = None,
    nodes_2: Annotated[int | None, typer.Option(help="Nodes for the second engine (as the first).")] = None,
    threads: Cores = 1,
    processes: Processes = None,
    seed: Seed = 1,
    longest: Longest = None,
    stop: Stop = False,
    promotion_tries: PromotionTries = "once",
    passant_square: PassantSquare = "victim",
    fifty: Fifty = True,
    repetition: Repetition = True,
    material: Material = True,
    cluster: Cluster = None,
    output: Output = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Play two engines against each other: score, Elo with its interval; every two games are stored at once."""
    from ...kriegspiel.referee import Switches
    from ...runs.kinds.kriegspiel import EngineMatch

    effort = effort_of(time, nodes, threads)
    other = effort if time_2 is None and nodes_2 is None else effort_of(time_2, nodes_2, threads)
    switches = Switches(promotion_tries, passant_square, fifty, repetition, material)
    seats = (seat_of(first, effort), seat_of(second, other))
    begin_meeting(EngineMatch(seats, games, seed, longest, stop, switches), store, processes, cluster, output, as_json)


@group.command("round-robin")
def play_round_robin(
    engines: Annotated[list[str], typer.Argument(help=f"At least two. {ENGINE}")],
    games: Games = 400,
    time: Time = None,
    nodes: Nodes = None,
    threads: Cores = 1,
    processes: Processes = None,
    seed: Seed = 1,
    longest: Longest = None,
    stop: Stop = False,
    promotion_tries: PromotionTries = "once",
    passant_square: PassantSquare = "victim",
    fifty: Fifty = True,
    repetition: Repetition = True,
    material: Material = True,
    cluster: Cluster = None,
    output: Output = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Let engines meet each other: cross-table, Elo, proved claims, cyclic share."""
    from ...kriegspiel.referee import Switches
    from ...runs.kinds.kriegspiel import EngineMatch

    effort = effort_of(time, nodes, threads)
    switches = Switches(promotion_tries, passant_square, fifty, repetition, material)
    seats = tuple(seat_of(word, effort) for word in engines)
    begin_meeting(EngineMatch(seats, games, seed, longest, stop, switches), store, processes, cluster, output, as_json)


def begin_meeting(
    request: "EngineMatch",
    store: Path | None,
    processes: int | None,
    cluster: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Play what was asked, on from where it was left if it was begun before."""
    from ...runs.jobs import find_or_create_run
    from ...runs.store import Store
    from ..report_tables import demand_answer

    ask = request.as_ask()
    demand_answer(cluster)
    with Store.open(store_path(store), write=True) as runs:
        work_on_meeting(runs, find_or_create_run(runs, ask), store, processes, as_json, cluster, output)


def work_on_meeting(
    runs: "Store",
    run: "Run",
    store: Path | None,
    processes: int | None,
    as_json: bool,
    cluster: str | None = None,
    output: Path | None = None,
) -> None:
    """Play a stored match or round robin, print what came out, and write a report if there is a folder for it."""
    from ...papers.kriegspiel_report import report
    from ...runs.kinds import kriegspiel as bouts
    from ...runs.report import write_report
    from .. import console

    met = played_meeting(runs, run, store, processes, as_json, cluster)
    request = bouts.request_of(run)
    files = [str(path) for path in write_report(report(request, met), output)] if output else []
    if as_json:
        return print_json(bouts.as_json(run.name, request, met) | ({"files": files} if output else {}))
    print_meeting(run.name, request, met)
    if output:
        page = next(file for file in files if file.endswith(".html"))
        console.out.print(f"the report: {page} and {len(files) - 1} other files", markup=False)
    return None


def played_meeting(
    runs: "Store",
    run: "Run",
    store: Path | None,
    processes: int | None,
    as_json: bool,
    cluster: str | None = None,
    again: str | None = None,
) -> list[list["Row"]]:
    """Play a stored match or round robin with a progress bar; an interruption prints the command that goes on."""
    from ...runs.jobs import known_rows
    from ...runs.kinds import kriegspiel as bouts
    from ...stats.elo import Strength
    from .. import console

    request = bouts.request_of(run)
    announce_compilation()
    found_finished = ", found finished in the store" if run.finished else ""
    console.err.print(f"run {run.name}: {' - '.join(request.names)}{found_finished}", markup=False)
    at_once = processes or max(1, cores(None) // max(seat.effort.threads for seat in request.seats))
    with resumable(run, store, as_json, again), console.progress(run.name, 1.0) as bar:

        def watch(done: int, total: int, strength: Strength, row: "Row") -> None:
            words = f"{2 * done} of {2 * total} games: {row['first']} - {row['second']} {_tally(strength.as_json())}"
            bar.show(done / total, words, 2 * done)

        def on_fault(sentence: str) -> None:
            console.err.print(sentence, markup=False)

        try:
            return bouts.carry_on(run, at_once, known_rows(runs, bouts.METHOD), watch, cluster, on_fault)
        except ValueError as error:  # as when an engine asks a program that has ended
            again = again or resume_command(run.name, store)
            raise ValueError(f"{error}; what was played is kept, go on with: {again}") from error


def report_meeting(run: "Run") -> None:
    """Show a match or round robin that is finished."""
    from ...runs.kinds.kriegspiel import parse_ask, rows_in

    print_meeting(run.name, parse_ask(run.ask), rows_in(run))


def _tally(figures: dict[str, Any]) -> str:
    return f"+{figures['wins']} ={figures['draws']} -{figures['losses']}"


def _elo(figures: dict[str, Any]) -> str:
    """A difference in Elo with its interval; what is beyond all limits is infinite."""
    low, high = figures["elo_interval"]
    shown = [f"{limit:+.0f}" if limit is not None else sign for limit, sign in ((low, "-inf"), (high, "+inf"))]
    middle = figures["elo"]
    if middle is None:
        return f"{'+' if figures['score'] > 0.5 else '-'}inf [{', '.join(shown)}]"
    return f"{middle:+.0f} [{', '.join(shown)}]"


def print_meeting(run: str, request: "EngineMatch", met: list[list["Row"]]) -> None:
    """Print the result for people."""
    from ...kriegspiel.matches import elo_of_pairs, endings_of
    from ...runs.kinds.kriegspiel import outcome, standing_of
    from ...runs.report import cell_text
    from ...runs.standings import sentences, tables
    from ...stats.elo import INTERVALS_NOTE
    from .. import console

    if len(met) == 1:
        return _print_match(run, request, outcome(request, met))
    found = standing_of(request, met)
    for sentence in sentences(found):
        console.out.print(sentence + "\n", markup=False)
    for table in tables(found)[:2]:
        console.table(table.title, table.columns, [tuple(cell_text(cell) for cell in row) for row in table.rows])
    rows = []
    for (i, j), played in zip(request.pairs, met, strict=True):
        figures, manner = elo_of_pairs(played).as_json(request.stop), endings_of(played)
        score = console.with_interval(figures["score"], figures["interval"])
        names = request.names[i], request.names[j]
        rows.append((*names, figures["games"], _tally(figures), score, _elo(figures), f"{manner.plies:.0f}"))
    columns = ("first", "second", "games", "+ = -", "score [interval]", "Elo [interval]", "plies")
    console.table("All pairs", columns, rows)
    console.out.print(INTERVALS_NOTE, markup=False)
    console.out.print(f"the games: fogspiel kriegspiel export {run}", markup=False)
    return None


def _print_match(run: str, request: "EngineMatch", figures: dict[str, Any]) -> None:
    from .. import console

    first, second = request.names
    score = console.with_interval(figures["score"], figures["interval"]) + " (95 %, valid at any time)"
    kind = "valid at any time" if figures["elo_interval_of"] == "anytime" else "from the spread of the pairs"
    lines = [
        f"{first} against {second}: {_tally(figures)} in {figures['games']} games, score {score}",
        f"Elo {_elo(figures)} (95 %, {kind}); pairs by half points 0 to 4: {' '.join(map(str, figures['pairs']))}",
    ]
    if figures["wins_per_loss"] is not None:
        lines[-1] += f"; {figures['wins_per_loss']:.2f} wins for a loss"
    if request.stop:
        proved = {1: f"{first} is proved to be better", -1: f"{second} is proved to be better", 0: "nothing is proved"}
        lines.append(proved[figures["decision"]])
    refused = " and ".join(f"{share:.2f}" for share in figures["refused_per_move"])
    nodes = " and ".join("?" if count is None else f"{count:,.0f}" for count in figures["nodes_per_move"])
    lines.append(f"{figures['plies']:.0f} plies a game; refused attempts a move: {refused}; nodes a move: {nodes}")
    lines.append("; ".join(f"{count} {ending}" for ending, count in figures["endings"].items()))
    lines.append(f"the games: fogspiel kriegspiel export {run}")
    for line in lines:
        console.out.print(line, markup=False)


@group.command("engines")
def list_engines(as_json: AsJson = False) -> None:
    """List the engines, with a sentence each."""
    from ...kriegspiel.engine import engines
    from .. import console

    found = {name: _sentence(maker) for name, maker in engines().items()}
    if as_json:
        return print_json({"engines": [{"name": name, "about": about} for name, about in found.items()]})
    return console.table("Kriegspiel engines", ("engine", "in a sentence"), list(found.items()))


def _sentence(maker: Any) -> str:
    """The first sentence of an engine's docstring."""
    maker = getattr(maker, "func", maker)  # a class or function with some of its arguments given
    return " ".join((maker.__doc__ or "").strip().split("\n\n")[0].split())
