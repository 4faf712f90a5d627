"""fogspiel tune, resume and export."""

import json
import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...runs.requests import ProgramRequest, TuneRequest
from ..app import (  # fmt: skip
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
    listing,
    print_json,
    remembering,
    store_path,
    taking,
    write_text,
)
from ..completion import complete_runs
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
from ..program_options import ProgramOptions, ProgramSourceOptions, program_of, sort_of, tune_program

if TYPE_CHECKING:
    from ...runs.store import Run

NO_PROGRAM = ProgramOptions()
NO_PROGRAM_WORDS = ProgramSourceOptions()


@app.command("tune", epilog=listing("Methods:", "tuning.methods", "METHODS"))
@asking(TuneRequest, optional="game")
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
    from ...runs.request import check_budget, seconds_for

    sort = sort_of(asked["game"], program)
    asked["seconds"] = seconds_for(asked["games"], minutes, asked["seconds"])
    check_budget("seconds", asked["seconds"])
    if sort is not None:
        for option in ("baseline", "seeds"):
            if asked[option] != TuneRequest.model_fields[option].default:
                raise ValueError(f"--{option} is for games: a program is measured against its start, from one seed")
        if remember:
            raise ValueError("--perfect-recall is for games: a program is measured against its start, from one seed")
        if processes is not None:
            program = replace(program, workers=processes)
        shared = {name: asked[name] for name in ProgramRequest.model_fields if name in asked}
        options = RunOptions(store, as_json, cluster=cluster)
        return tune_program(sort, program, shared | {"search": asked["method"]}, options)
    from ...core.find import load_game

    request = TuneRequest(**asked | {"game": load_game(remembering(asked["game"], remember)).name})
    if request.seeds is None and (processes is not None or cluster is not None):
        raise ValueError("--processes and --cluster share out seeds: add --seeds N, or use --threads")
    options = RunOptions(store, as_json, threads if request.seeds is None else processes, cluster)
    return begin_and_show(request.resolved(store_path(store)).to_json(), options)


@app.command("resume")
@taking(ProgramSourceOptions)
def resume(
    run: Annotated[str | None, typer.Argument(metavar="RUN", autocompletion=complete_runs)] = None,
    every: Annotated[bool, typer.Option("--all", help="Every interrupted run that nobody works on.")] = False,
    game: RulesFile = None,
    threads: Threads = None,
    cluster: Cluster = None,
    store: StorePath = None,
    as_json: AsJson = False,
    program: ProgramSourceOptions = NO_PROGRAM_WORDS,
) -> None:
    """Go on with a run that was interrupted; the result is the same as if it had not been."""
    from ...runs.store import Store
    from .. import console

    check_cluster(cluster)
    options = RunOptions(store, as_json, threads, cluster, source=game)
    if every:
        if run is not None or game is not None or program.named:
            raise ValueError("--all goes on with every run that needs nothing to be named: name nothing, or one RUN")
        return _resume_all(options)
    if run is None:
        raise ValueError("there is nothing to resume: name a RUN, as `fogspiel runs` lists them, or use --all")
    with Store.open(store_path(store), write=False) as runs:
        found = runs.read(run)
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


def _go_on(run: "Run", options: RunOptions, program: ProgramSourceOptions) -> "tuple[Run, float]":
    """Work on an interrupted run until it is finished; return it with the CPU time that this took."""
    from ...runs.kind import kind_of
    from ...runs.store import Store

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
    from ...runs.store import Damaged, Store, StoreBusy, StoreError
    from .. import console

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
            found, seconds = _go_on(found, options, ProgramSourceOptions())
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
    form: Annotated[str, typer.Option("--format", help="json or csv.")] = "json",
    output: Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Export a run: JSON (request, steps, result; can be played as a parameter file) or CSV (a line per step)."""
    import csv
    import io

    from ...runs.store import Store

    if form not in ("json", "csv"):
        raise ValueError(f"--format is {form!r}: it must be json or csv")
    if as_json and form == "csv" and output is None:
        raise ValueError("--json and CSV cannot share stdout: add --output FILE")
    with Store.open(store_path(store), write=False) as runs:
        found = runs.read(run)
    from ...runs.kind import kind_of

    kind = kind_of(found)
    if form == "csv":
        page = io.StringIO()
        csv.writer(page, lineterminator="\n").writerows(kind.csv(found))
        text = page.getvalue()
    else:
        whole = {"run": run, "game": found.request["game"], "state": found.state, **kind.parameters_json(found)}
        whole |= {"ask": found.request, "steps": found.steps, "result": found.result}
        text = json.dumps(whole, allow_nan=False) + "\n"
    write_text(text, output)
    if as_json and output is not None:
        print_json({"run": run, "format": form, "output": str(output)})
