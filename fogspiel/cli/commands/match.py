"""fogspiel match, round-robin, exploit, states and diagnose."""

import json
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.find import load_game
from ...runs.request import seconds_for
from ...runs.requests import (
    DiagnoseRequest,
    ExploitRequest,
    MatchRequest,
    ProgramMatchRequest,
    RoundRobinRequest,
    SampledExploitRequest,
    default_games,
)
from ...runs.store import DeferredRun, Store
from .. import console
from ..app import (
    AsJson,
    Cluster,
    GameWords,
    Processes,
    Remember,
    RulesFile,
    StorePath,
    Threads,
    announce_compilation,
    app,
    asking,
    cores,
    load_and_announce,
    remembering,
    store_path,
    taking,
)
from ..console import print_json, write_text
from ..execute import (
    RunOptions,
    begin_and_show,
    check_cluster,
    execute_run,
    print_lines,
    print_run,
    show_report,
    write,
)
from .programs import ConditionOptions, program_option, sort_of, tuned_program

if TYPE_CHECKING:
    from ...core.behaviour_policy import ExactOrFloat
    from ...solving.policies.exploitability import ExploitResult


@dataclass(frozen=True)
class MatchPrograms(ConditionOptions):
    """Options that name two engines, or a program with two settings."""

    origin: Annotated[
        str | None, program_option("--from", metavar="RUN", help="The values that this run found, against its start.")
    ] = None


NO_PROGRAM = MatchPrograms()


@app.command("match", context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
@asking(MatchRequest, optional=("game", "first", "second", "games"))
@taking(MatchPrograms)
def match(
    asked: dict[str, Any],
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="ELO0 ELO1", help="Stop by the sequential test of engines, in normalised Elo."),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Its probability to accept ELO1 if ELO0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Its probability to accept ELO0 if ELO1 is true.")] = 0.05,
    counts: Annotated[
        tuple[int, int, int, int, int] | None,
        typer.Option(metavar="LL LD DD WD WW", help="Judge these pairs of games by --sprt instead of playing."),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Compute the rate instead, where that is possible.")] = False,
    threads: Threads = None,
    cluster: Cluster = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
    program: MatchPrograms = NO_PROGRAM,
) -> None:
    """Play FIRST against SECOND: a named strategy, `fixed` or `redrawn`, a run, a parameter file, or numbers.

    Or two engines (--uci, --uci-opponent), or the values that a run found for a program against its start (--from).
    """
    if counts is not None:
        return _judge(sprt, alpha, beta, counts, as_json)
    if program.named:
        if exact or remember or asked["game"] is not None or asked["seats"] != "swapped":
            raise ValueError("programs play pairs of games of their own: leave out GAME, FIRST, SECOND and --seats")
        asked = {"seed": asked["seed"], "games": asked["games"] or default_games(sprt)}
        asked |= {"sprt": sprt and (*sprt, alpha, beta)}
        return _match_programs(program, asked, RunOptions(store, as_json, None, cluster))
    if cluster is not None or program != NO_PROGRAM:
        raise ValueError("--cluster and the options of engines are for programs: name one, as in --uci COMMAND")
    for name in ("game", "first", "second"):
        if asked[name] is None:
            raise ValueError(f"Missing argument '{name}'.")
    if asked["games"] is None:
        asked["games"] = default_games(asked["until"], asked["until_elo"])
    asked["sprt"] = None if sprt is None else (*sprt, alpha, beta)
    path = store_path(store)
    request = MatchRequest(**asked | {"game": load_and_announce(asked["game"], remember).name}).resolved(path)
    if exact:
        return _compute(request, path, as_json)

    options = RunOptions(store, as_json, threads)
    with DeferredRun(path, request.to_json(), console.err.print) as run:
        execute_run(run, options)
    return print_run(run, options)


def _match_programs(given: MatchPrograms, asked: dict[str, Any], options: RunOptions) -> None:
    from ...runs.kinds.program import KIND
    from ...runs.programs import find_program
    from ...tuning.programs.contest import Scale

    sort = sort_of(None, given)
    assert sort is not None
    named = find_program(sort, given.named[sort], Scale(), given.facts(sort), given.beside)
    sides: dict[str, Any]
    if given.origin is not None:
        run = tuned_program(given.origin, options.store)
        tuned = KIND.check(run)
        if (tuned.sort, tuned.range, tuned.alone) != (sort, None, False) or given.uci_opponent is not None:
            raise ValueError(
                f"--from {run.name} and its start must play wins, draws and losses of one --{sort} program"
            )
        sides = {"parameters": tuned.parameters, "names": (run.name, f"the start of {run.name}")}
        sides |= {"first": KIND.values_found(run), "second": tuned.space.values(tuned.space.start)}
    elif given.uci_opponent is not None:
        sides = {"parameters": (), "names": ("the engine", "the opponent"), "first": {}, "second": {}}
    else:
        raise ValueError(
            "a match of programs has two sides: give --uci-opponent COMMAND, or --from RUN (against its start)"
        )
    check_cluster(options.cluster)
    asked = {"sort": sort, "digest": named.digest, "facts": named.facts} | asked
    match = ProgramMatchRequest(**asked, **sides)
    with given.open(named, match, options.cluster) as program:
        begin_and_show(match.to_json(), options, prepared=program)


def _judge(sprt: tuple[float, float] | None, alpha: float, beta: float, counts: tuple[int, ...], as_json: bool) -> None:
    """Print the verdict of a sequential test on a record of game pairs."""
    from ...runs.kinds.match import sprt_json, sprt_sentence
    from ...stats.sprt import Gsprt

    if sprt is None:
        raise ValueError("--counts is a record for --sprt ELO0 ELO1: give both")
    if min(counts) < 0 or not sum(counts):
        raise ValueError("--counts are numbers of pairs from two losses to two wins: none below 0, and one at least")
    found = sprt_json(Gsprt(*sprt, alpha, beta, normalised=True), counts)
    return print_json(found) if as_json else console.out.print(sprt_sentence(found))


def _compute(request: MatchRequest, store: Path, as_json: bool) -> None:
    from ...core.agents import exact_score
    from ...core.game import known_game
    from ...runs.kinds.match import agents_of, facts_of

    sys.set_int_max_str_digits(0)  # exact rates may have thousands of digits
    ask, game, agents = request.to_json(), known_game(request.game), agents_of(request, store)
    if game.exact.score:
        rate: ExactOrFloat = exact_score(game, *agents)
    else:
        from ...solving.policies.exploitability import exact_tree_score

        rate = exact_tree_score(game, *agents)
    value, fraction = float(rate), str(rate)
    if as_json:
        figures = {"score": value, "interval": [value, value], "fraction": fraction, "games": 0, "exact": True}
        return print_json(facts_of(ask) | figures | {"wins": None, "draws": None, "losses": None})
    short = (
        fraction if len(fraction) < 60 else f"a fraction with {len(fraction.partition('/')[2])} digits below the line"
    )
    return console.out.print(
        f"{ask['game']}: {ask['first']} against {ask['second']} scores exactly {value:.6f} ({short})"
    )


# fogspiel round-robin.


@app.command("round-robin", context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
@asking(RoundRobinRequest)
def round_robin(
    asked: dict[str, Any],
    processes: Processes = None,
    cluster: Cluster = None,
    output: Annotated[
        Path | None, typer.Option(help="The folder for the report (fogspiel-tournament-GAME, here).")
    ] = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Run a round robin: cross-table, proved claims, Nash ranking, cyclic share, Elo if it makes sense."""
    chosen = load_game(remembering(asked["game"], remember)).name
    request = RoundRobinRequest(**asked | {"game": chosen}).resolved(store_path(store))
    if cluster is not None:
        request.demand_portable()
    begin_and_show(request.to_json(), RunOptions(store, as_json, processes, cluster, output), once=True)


# fogspiel exploit.


NODES: int = SampledExploitRequest.model_fields["nodes"].default


@app.command("exploit", context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
@asking(ExploitRequest)
def exploit(
    asked: dict[str, Any],
    everything: Annotated[
        Path | None,
        typer.Option("--decisions", help="Write the decisions that cost something here, as CSV or JSON lines."),
    ] = None,
    save: Annotated[
        str | None, typer.Option("--save-response", help="Save the best responses as a policy in NAME.json.")
    ] = None,
    sampled: Annotated[
        bool, typer.Option("--sampled", help="A lower bound by fresh games of a best responder that searches.")
    ] = False,
    games: Annotated[int | None, typer.Option(help="Of --sampled: the number of games.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Of --sampled: CPU seconds (60 by default).")] = None,
    nodes: Annotated[int, typer.Option(help="Of --sampled: positions for each decision of the responder.")] = NODES,
    output: Annotated[
        Path | None, typer.Option(help="Of a class: the folder of the report (fogspiel-class-GAME).")
    ] = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Measure a policy exactly: its score against itself and best responses, and its costliest decisions.

    A folder of answers, one file for each student, is a class: a table of their losses and costliest decisions.

    With --sampled any agent of any game: what a searching best responder gains in fresh games, as a lower bound.
    """
    if sampled:
        budget = {"games": games, "seconds": seconds_for(games, None, seconds), "nodes": nodes}
        return _exploit_sampled(asked, budget, remember, RunOptions(store, as_json))
    if games is not None or seconds is not None or nodes != NODES:
        raise ValueError("--games, --seconds and --nodes belong to --sampled: add it, or leave them out")
    from ...runs.kind import keep_answer
    from ...runs.kinds.exploit import exploit_lines, grade, measure
    from ...solving.policies.exploitability import measuring_cost

    chosen, path = load_and_announce(asked["game"], remember), store_path(store)
    request, folder = ExploitRequest(**asked | {"game": chosen.name}), Path(asked["policy"])
    if folder.is_dir():
        if (asked["second"], everything, save) != (None, None, None):
            raise ValueError(f"{folder} is a class, whose files are measured one by one: leave out the rest")
        with console.progress(f"{chosen.name}: grading") as bar:
            report = grade(
                request, folder, path, lambda done, total: bar.show(done / total, f"{done} of {total} files", None)
            )
        return show_report(report, output, as_json)
    if output is not None:
        raise ValueError("--output is for a class: name a folder of answers, or use --decisions")
    request = request.resolved(path)
    cost = measuring_cost(chosen)
    if cost:
        console.err.print(f"{chosen.name}: {cost}")
    began = time.monotonic()
    with console.progress(f"{chosen.name}: asking the policy") as bar:

        def watch(done: int, total: int) -> None:
            rate = done / max(time.monotonic() - began, 1e-3)
            bar.show(done / total, f"{done:,} of at most {total:,} states, {rate:,.0f} per second", None)

        found, body = measure(request, path, watch)
    keep_answer(request.to_json(), body, store)
    files = _write(found, everything, save)
    if as_json:
        return print_json(body | ({"files": files} if files else {}))
    names = asked["policy"], asked["second"] or asked["policy"]
    return print_lines(exploit_lines(body, names, files))


def _exploit_sampled(asked: dict[str, Any], budget: dict[str, Any], remember: bool, options: RunOptions) -> None:
    if asked["second"] is not None or asked["worst"]:
        raise ValueError("--sampled takes one policy, for both seats, and lists no decisions: leave out the rest")
    chosen = load_and_announce(asked["game"], remember)
    request = SampledExploitRequest(game=chosen.name, policy=asked["policy"], seed=asked["seed"], **budget)
    begin_and_show(request.resolved(store_path(options.store)).to_json(), options)


def _write(found: "ExploitResult", everything: Path | None, save: str | None) -> list[str]:
    """Write the decisions and the best responses to the given files; return the names of the written ones."""
    from ...core.game import known_game
    from ...runs.report import Table, as_csv
    from ...solving.policies import table_json

    files = []
    if everything is not None:
        costly = [decision.to_json() for seat in (0, 1) for decision in found.decisions(seat, None)]
        if everything.suffix == ".csv":
            columns = ("player", "id", "state", "loss", "loss_exact", "best", "probabilities")
            for one in costly:
                one["probabilities"] = "; ".join(f"{label} {share:g}" for label, share in one["probabilities"].items())
            text = as_csv(Table("decisions", "", columns, [[one[name] for name in columns] for one in costly]))
        else:
            text = "".join(json.dumps(one) + "\n" for one in costly)
        write_text(text, everything)
        files.append(str(everything))
    if save is not None:
        rows = [row for seat in (0, 1) for row in found.reply_rows(seat)]
        target = Path(save if save.endswith(".json") else f"{save}.json")
        write_text(json.dumps(table_json(known_game(found.game), rows)) + "\n", target)
        files.append(str(target))
    return files


# fogspiel states.


@app.command("states")
def list_states(
    game: GameWords,
    seat: Annotated[str, typer.Option("--seat", help="first, second, or both.")] = "both",
    output: Annotated[Path | None, typer.Option(help="Write to this file, not to stdout.")] = None,
    memory: Annotated[float, typer.Option(help="The most memory that the game may take, in GiB.")] = 4.0,
    remember: Remember = False,
    as_json: AsJson = False,
) -> None:
    """Ask every decision of a game in words, one JSON line each; `fogspiel exploit GAME ANSWERS.jsonl` grades them."""
    from ...solving.policies import state_sheets as asked

    seats = {"first": (0,), "second": (1,), "both": (0, 1)}
    if seat not in seats:
        raise ValueError(f"--seat is {seat!r}: it must be {', '.join(seats)}")
    chosen = load_and_announce(game, remember)
    states = [state for state in asked.information_states(chosen, memory) if state.player in seats[seat]]
    lines = [asked.head_json(chosen, len(states)), *map(asked.question_json, states)]
    if output is not None or not as_json:
        write_text("".join(json.dumps(line) + "\n" for line in lines), output)
    if as_json:
        place = {"lines": lines} if output is None else {"output": str(output)}
        print_json({"game": chosen.name, "questions": len(states), **place})


# fogspiel diagnose.


@app.command("diagnose")
@asking(DiagnoseRequest)
def diagnose(
    asked: dict[str, Any],
    game: RulesFile = None,
    processes: Annotated[
        int | None,
        typer.Option("--processes", "--threads", min=1, help="Processes; results do not depend on it (all cores)."),
    ] = None,
    cluster: Cluster = None,
    output: Annotated[Path | None, typer.Option(help="The folder for the report (fogspiel-diagnosis, here).")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with tuned players: who exploits them, what they forgot, whether they went in circles."""
    with Store.open(store_path(store), write=False) as kept:
        runs = [kept.read(name) for name in dict.fromkeys(asked["runs"])]
    from ...runs.kind import keep_answer
    from ...runs.kinds.diagnose import diagnose, game_of, report

    request = DiagnoseRequest(**asked | {"runs": tuple(run.name for run in runs)})
    if game is not None:
        load_game(game)
    for run in runs:
        game_of(run)
    check_cluster(cluster)
    announce_compilation()
    with console.status("diagnose") as say:
        found = diagnose(runs, request, cores(processes), cluster, say)
    where = f" --source {shlex.quote(game)}" if game is not None else ""
    made = report(found, request.command + where)
    answer = {"runs": [one.to_json() for one in found], "command": made.command}
    keep_answer(request.to_json(found[0].game), answer, store)
    if as_json:
        _, files = write(made, output)
        return print_json(answer | {"files": files})
    return show_report(made, output, as_json)
