"""fogspiel tune, resume and export."""

import json
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.find import load_game
from ...core.plugins import extras
from ...runs.request import check_budget, seconds_for
from ...runs.requests import MOST_AHEAD, ProgramRequest, TuneRequest
from ...runs.store import Damaged, Store, StoreBusy, StoreError
from .. import console
from ..app import (
    AsJson,
    Cluster,
    Processes,
    Remember,
    RulesFile,
    RunName,
    StorePath,
    Threads,
    app,
    asking,
    complete_runs,
    cores,
    listing,
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
    outcome_of,
    print_parts,
    print_repetitions,
    print_run,
    with_kind,
)
from .programs import ConditionOptions, ProgramSourceOptions, engine_option, program_option, sort_of, tuned_program

if TYPE_CHECKING:
    from ...runs.store import Run
    from ...tuning.programs.contest import ProgramContest, Scale
    from ...tuning.programs.parameters import Parameters

# Outside programs: the options that name one, and how its tuning starts and resumes.

SLICE_PROGRAMS: dict[str, tuple[str, str]] = extras("cli.commands", "PROGRAMS")  # metavar and help, by option
AHEAD = 4  # steps on a cluster whose games are played at once: some 500 games, enough for 256 workers
SORTS = {**ProgramSourceOptions.sorts, **{sort: f"--{sort} {what}" for sort, (what, _) in SLICE_PROGRAMS.items()}}
PARAMETERS = "TOML or JSON, a table for each parameter: start, low, high, scale, whole; or start and choices."

if TYPE_CHECKING:

    class SliceOptions:
        """Options that name a program of a slice."""
else:
    SliceOptions = make_dataclass(
        "SliceOptions",
        [
            (sort, Annotated[str | None, engine_option(metavar=metavar, help=about)], None)
            for sort, (metavar, about) in SLICE_PROGRAMS.items()
        ],
        frozen=True,
    )


@dataclass(frozen=True)
class ResumeOptions(ProgramSourceOptions, SliceOptions):
    """Options that name a program again."""

    sorts = SORTS


@dataclass(frozen=True)
class ProgramOptions(ConditionOptions, SliceOptions):
    """Options of a new run, and what is tuned."""

    sorts = SORTS

    list_options: Annotated[
        bool, engine_option("--list-options", help="Print what can be tuned as a parameter file, and end.")
    ] = False
    parameters: Annotated[Path | None, program_option(metavar="FILE", help=PARAMETERS)] = None
    score_range: Annotated[
        tuple[float, float] | None,
        program_option("--score-range", metavar="LOW HIGH", help="Score range (default: only 0, 1/2 and 1)."),
    ] = None
    prove: Annotated[
        tuple[float, float] | None,
        program_option("--prove", metavar="ELO0 ELO1", help="Test for the result (0 and what the games can show)."),
    ] = None
    origin: Annotated[
        str | None, program_option("--from", metavar="RUN", help="Start from the values of this run.")
    ] = None
    ahead: Annotated[
        int | None,
        program_option(min=1, max=MOST_AHEAD, help="Steps whose games are played at once (1; with --cluster 4)."),
    ] = None
    alone: Annotated[bool, program_option("--single", help="The program scores one vector: play(a, seed).")] = False


def tune_program(sort: str, given: ProgramOptions, asked: Mapping[str, Any], options: RunOptions) -> None:
    from ...runs.programs import find_program, program_types
    from ...tuning.programs.parameters import Parameters, read_parameters

    types, words = program_types(), given.named[sort]
    if given.list_options:
        write = types[sort].file
        if write is None:
            engines = " and ".join(f"--{name}" for name, known in types.items() if known.file)
            raise ValueError(f"--list-options is for {engines}: only engines say what can be tuned")
        return write_text(write(words), None)
    scale = _scale(sort, given)
    named = find_program(sort, words, scale, given.facts(sort), given.beside)
    if given.parameters is not None:
        parameters = read_parameters(given.parameters)
    elif (tables := types[sort].tables) is not None:  # all constants of one of our own engines
        parameters = Parameters.of(tables(words))
    else:
        raise ValueError(f"--{sort} needs --parameters FILE: {PARAMETERS}")
    if given.origin is not None:
        parameters = _start_from(parameters, given.origin, options.store)
    request = ProgramRequest(
        prove=given.prove,
        origin=given.origin,
        ahead=given.ahead or (AHEAD if options.cluster is not None else None),
        sort=sort,
        digest=named.digest,
        parameters=tuple(parameters.to_json()),
        range=given.score_range,
        alone=scale.single,
        facts=named.facts,
        **asked,
    )
    check_cluster(options.cluster)
    with given.open(named, request, options.cluster) as program:
        return begin_and_show(request.to_json(), replace(options, threads=cores(given.workers)), prepared=program)


def _start_from(parameters: "Parameters", name: str, store: Path | None) -> "Parameters":
    """Return the parameters with the values that a run found as their start, where both have a parameter."""
    from ...runs.kinds.program import KIND
    from ...tuning.programs.parameters import Parameters

    run = tuned_program(name, store)
    found, tables = KIND.values_found(run), {table.pop("name"): table for table in parameters.to_json()}
    shared = [key for key in tables if key in found]
    if not shared:
        raise ValueError(f"run {name} has none of these parameters: it has {', '.join(found)}")
    for key in shared:
        tables[key]["start"] = found[key]
    return Parameters.of(tables, f"the file of parameters with the values of {name}")


def _scale(sort: str, given: ProgramOptions) -> "Scale":
    from ...tuning.programs.contest import Scale

    scores, scored = given.score_range, sort in ("function", "command")
    if not scored and (scores is not None or given.alone):
        raise ValueError(f"--score-range and --single are not for --{sort}, whose games are won, drawn and lost")
    if sort != "uci" and given.beside:
        raise ValueError(f"{given.beside[0].partition('=')[0]} is for --uci: leave it out")
    if scored:
        return Scale(*(scores or (0.0, 1.0)), graded=scores is not None, single=given.alone)
    return Scale(single=given.uci_opponent is not None)


@contextmanager
def program_of(run: "Run", words: ProgramSourceOptions, cluster: str | None) -> "Iterator[ProgramContest | None]":
    """Open the program that a run resumes with, named again by the user; yield None for runs without one."""
    from ...runs.kind import kind_of
    from ...runs.kinds.program import ProgramRun, demand_program
    from ...runs.programs import find_program

    kind = kind_of(run)
    if not isinstance(kind, ProgramRun):
        if words.named:
            raise ValueError(f"run {run.name} tunes no program: leave out --{next(iter(words.named))}")
        yield None
        return
    request = kind.check(run)
    if not words.named:
        raise kind.unnamed(run)
    sort = sort_of(None, words)
    assert sort is not None
    named = find_program(sort, words.named[sort], request.scale, request.facts, words.beside)
    remark = demand_program(request, run.name, named, kind.does)
    if remark is not None:
        console.err.print(remark)
    with words.open(named, request, cluster) as program:
        yield program


NO_PROGRAM = ProgramOptions()
NO_PROGRAM_WORDS = ResumeOptions()


@app.command("tune", epilog=listing("Methods:", "tuning.methods", "METHODS"))
@asking(TuneRequest, optional=("game",))
@taking(ProgramOptions)
def tune(
    asked: dict[str, Any],
    minutes: Annotated[
        float | None, typer.Option(help="Budget in minutes of execute_run (1 if nothing is said).")
    ] = None,
    threads: Threads = None,
    processes: Processes = None,
    cluster: Cluster = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
    program: ProgramOptions = NO_PROGRAM,
) -> None:
    """Tune the strategy of a game, or an outside program; every step is stored, any interruption can be resumed."""
    sort = sort_of(asked["game"], program)
    asked["seconds"] = seconds_for(asked["games"], minutes, asked["seconds"])
    check_budget("seconds", asked["seconds"])
    if sort is not None:
        for field, option in {"baseline": "baseline", "seeds": "seeds", "final": "no-proof"}.items():
            if asked[field] != TuneRequest.model_fields[field].default:
                raise ValueError(f"--{option} is for games: a program is measured against its start, from one seed")
        if remember:
            raise ValueError("--perfect-recall is for games: a program is measured against its start, from one seed")
        if processes is not None:
            program = replace(program, workers=processes)
        shared = {name: asked[name] for name in ProgramRequest.model_fields if name in asked}
        options = RunOptions(store, as_json, cluster=cluster)
        return tune_program(sort, program, shared | {"search": asked["method"]}, options)
    for option, given in {"prove": program.prove, "from": program.origin}.items():
        if given is not None:
            raise ValueError(f"--{option} is for programs: a game has --no-proof and --seeds")
    request = TuneRequest(**asked | {"game": load_game(remembering(asked["game"], remember)).name})
    if request.seeds is None and (processes is not None or cluster is not None):
        raise ValueError("--processes and --cluster share out seeds: add --seeds N, or use --threads")
    options = RunOptions(store, as_json, threads if request.seeds is None else processes, cluster)
    return begin_and_show(request.resolved(store_path(store)).to_json(), options)


@app.command("resume")
@taking(ResumeOptions)
def resume(
    run: Annotated[str | None, typer.Argument(metavar="RUN", autocompletion=complete_runs)] = None,
    every: Annotated[bool, typer.Option("--all", help="Every interrupted run that nobody works on.")] = False,
    prove: Annotated[
        bool,
        typer.Option("--prove", help="Go on with the test of a run's unproved values, in a new run; with --games."),
    ] = False,
    games: Annotated[
        int | None,
        typer.Option(min=2, help="More games of that test; without --prove a longer search of so many games in all."),
    ] = None,
    game: RulesFile = None,
    threads: Threads = None,
    cluster: Cluster = None,
    store: StorePath = None,
    as_json: AsJson = False,
    program: ResumeOptions = NO_PROGRAM_WORDS,
) -> None:
    """Resume an interrupted run; the result is byte-identical.

    With --games a tuning goes on with its search in a new run, which keeps the steps so far.
    """
    check_cluster(cluster)
    options = RunOptions(store, as_json, threads, cluster, source=game)
    if every:
        if run is not None or game is not None or program.named or prove or games is not None:
            raise ValueError("--all goes on with every run that needs nothing to be named: name nothing, or one RUN")
        return _resume_all(options)
    if run is None:
        raise ValueError("there is nothing to resume: name a RUN, as `fogspiel runs` lists them, or use --all")
    with Store.open(store_path(store), write=False) as runs:
        found = runs.read(run)
    if prove or games is not None:
        return _prove_more(found, games, options, program) if prove else _lengthen(found, games, options, program)
    if found.result is not None:
        from ...runs.kind import finished_json, kind_of

        console.err.print(f"run {run} is finished: there is nothing to resume")
        kind = kind_of(found)
        if as_json:
            return print_json(with_kind(finished_json(found), kind))
        if not kind.writes_report:
            return print_run(found, RunOptions(store))
        print_parts(kind.report(found))
        return print_repetitions(found, store)
    found, seconds = _go_on(found, options, program)
    return print_run(found, options, seconds)


def _prove_more(run: "Run", games: int | None, options: RunOptions, program: ProgramSourceOptions) -> None:
    """Go on with the test of a program's values by so many games, in a run of its own."""
    from ...runs.kind import kind_of
    from ...runs.kinds.program import KIND

    if kind_of(run) is not KIND or games is None:
        raise ValueError(f"--prove needs --games N, and is for programs: resume {run.name} without it")
    ask = KIND.test_of(run, games).to_json()
    with program_of(run, program, options.cluster) as prepared:
        begin_and_show(ask, options, prepared=prepared)


def _lengthen(run: "Run", games: int | None, options: RunOptions, program: ProgramSourceOptions) -> None:
    """Go on with the search of a tuning up to so many games, in a run of its own."""
    from ...runs.kind import kind_of
    from ...runs.kinds.tune import TuningKind

    kind = kind_of(run)
    if not isinstance(kind, TuningKind) or games is None:
        raise ValueError(f"--games lengthens a tuning, and run {run.name} is none: resume it without --games")
    kind.check_source(run, options.source)
    with program_of(run, program, options.cluster) as prepared:
        ask, steps = kind.lengthened(run, games, prepared)
        if "planned" in ask:
            console.err.print(f"the steps stay those of {ask['planned']:,} games, for which they were planned")
        begin_and_show(ask, options, prepared=prepared, steps=steps)


def _go_on(run: "Run", options: RunOptions, program: ProgramSourceOptions) -> "tuple[Run, float]":
    """Work on an interrupted run until it is finished; return it with the CPU time that this took."""
    from ...runs.kind import kind_of

    kind_of(run).check_source(run, options.source)
    began = time.process_time()
    with (
        program_of(run, program, options.cluster) as prepared,
        Store.open(store_path(options.store), write=True) as runs,
    ):
        found = runs.acquire(run.name)
        execute_run(found, options, prepared)
    return found, time.process_time() - began


def _resume_all(options: RunOptions) -> None:
    """Resume every interrupted run that no process works on and that needs no file or program to be named."""
    again = "fogspiel resume --all" + (f" --store {shlex.quote(str(options.store))}" if options.store else "")
    options, resumed, skipped = replace(options, again=again), [], []
    with Store.open(store_path(options.store), write=False) as runs:
        names = [found.name for found in runs.summaries() if found.state == "interrupted"]
        for sentence in runs.set_aside():
            console.err.print(sentence)
    for name in names:
        try:
            with Store.open(store_path(options.store), write=False) as runs:
                found = runs.read(name)
            found, seconds = _go_on(found, options, NO_PROGRAM_WORDS)
        except ValueError as error:
            if isinstance(error, StoreError) and not isinstance(error, StoreBusy | Damaged):
                raise  # no other run can be worked on either
            skipped.append({"run": name, "why": str(error)})
            console.err.print(f"run {name} is skipped: {error}")
            continue
        if options.as_json:
            resumed.append({"run": name} | outcome_of(found, options, seconds))
        else:
            print_run(found, options, seconds)
    if options.as_json:
        return print_json({"resumed": resumed, "skipped": skipped})
    return console.out.print(f"{len(names) - len(skipped)} of {len(names)} interrupted runs are finished now")


@app.command("export")
def export(
    run: RunName,
    form: Annotated[str, typer.Option("--format", help="json, csv, or policy: its strategy as a CSV table.")] = "json",
    game: Annotated[int | None, typer.Option(help="Of a competition: this game, move by move, as text.")] = None,
    rules: RulesFile = None,
    output: Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Export a run: JSON (request, steps, result; can be played as a parameter file) or CSV (a line per step)."""
    if form not in ("json", "csv", "policy"):
        raise ValueError(f"--format is {form!r}: it must be json or csv, or policy for a strategy")
    if as_json and form != "json" and output is None:
        raise ValueError("--json and CSV cannot share stdout: add --output FILE")
    with Store.open(store_path(store), write=False) as runs:
        found = runs.read(run)
    from ...runs.kind import kind_of
    from ...runs.report import csv_text

    kind = kind_of(found)
    ruled = load_game(rules) if rules is not None else None
    if game is not None:
        text = "\n".join(kind.replay_lines(found, game)) + "\n"
        if as_json and output is None:
            return print_json({"run": run, "lines": text.splitlines()})
    elif form == "csv":
        text = csv_text(kind.csv(found))
    elif form == "policy":
        from ...solving.policies.exploitability import policy_rows

        chosen = ruled or load_game(found.request["game"])
        text = csv_text(policy_rows(chosen, kind.agent(found, chosen)))
    else:
        whole = {"run": run, "game": found.request["game"], "state": found.state, **kind.parameters_json(found)}
        whole |= {"ask": found.request, "steps": found.steps, "result": found.result}
        text = json.dumps(whole, allow_nan=False) + "\n"
    write_text(text, output)
    if as_json and output is not None:
        print_json({"run": run, "format": "text" if game is not None else form, "output": str(output)})
