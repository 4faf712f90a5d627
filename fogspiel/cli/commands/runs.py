"""fogspiel tune, resume, runs and export."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..app import (
    AsJson,
    Cluster,
    Seed,
    StorePath,
    Threads,
    announce_compilation,
    app,
    cores,
    print_json,
    resumable,
    store_path,
)
from ..report_tables import demand_answer, work_on_experiment
from .bounds import narrow, report_bounds
from .kriegspiel import report_meeting, work_on_meeting
from .match import play_on, print_score
from .solve import RulesFile, report, work_on
from .tournament import work_on_tournament

if TYPE_CHECKING:
    from ...runs.store import Run

METHODS = (
    "naive, iterative, real-coevolution, approximate-coevolution, seeds, elitist, duel, spsa, cma; the best of random "
    "players: halving, rectangular, bandit; against the baseline: reply; a mixture: seed-nash, psro, portfolio."
)
RACES = "paper, ebgstop, count-mixture, count-mixture-symmetric or count-mixture-asymmetric."


@app.command()
def tune(
    game: str,
    method: Annotated[str, typer.Option(help=METHODS)] = "iterative",
    race: Annotated[str, typer.Option(help=RACES)] = "paper",
    games: Annotated[int | None, typer.Option(help="Budget in games (500000; 3000000 with a Bernstein race).")] = None,
    seconds: Annotated[float | None, typer.Option(help="Budget in seconds of work.")] = None,
    seed: Seed = 1,
    baseline: Annotated[str, typer.Option(help="fixed (drawn once from the seed), redrawn, or a name.")] = "fixed",
    delta: Annotated[float, typer.Option(help="Risk of error of each race.")] = 0.05,
    epsilon: Annotated[float, typer.Option(help="Precision at which a race stops.")] = 0.01,
    observation: Annotated[str, typer.Option(help="What a race counts: pair (seats swapped) or game.")] = "pair",
    report_games: Annotated[int, typer.Option(help="Fresh games for the final score.")] = 20_000,
    threads: Threads = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Tune the strategy of a game; every step is stored, and any interruption can be resumed."""
    from ...runs.kinds.tune import Request, usual_games
    from ...runs.store import Store

    if games is None and seconds is None:
        games = usual_games(race)
    request = Request(game, method, race, delta, epsilon, observation, baseline, seed, games, seconds, report_games)
    with Store.open(store_path(store), write=True) as runs:
        _work_on(runs.create(request.as_ask()), store, threads, as_json)


@app.command()
def resume(
    run: str,
    game: RulesFile = None,
    threads: Threads = None,
    cluster: Cluster = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Go on with a run that was interrupted; the result is the same as if it had not been."""
    from ...runs.jobs import METHOD as PAPER
    from ...runs.kinds.bounds import METHOD as BOUNDS
    from ...runs.kinds.kriegspiel import METHOD as BOUTS
    from ...runs.kinds.match import METHOD as MATCH
    from ...runs.kinds.round_robin import METHOD as TOURNAMENT
    from ...runs.kinds.solve import METHOD as SOLVE
    from ...runs.kinds.solve import source_of
    from ...runs.store import Store
    from .. import console

    demand_answer(cluster)
    path = store_path(store)
    with Store.open(path, write=False) as runs:
        found = runs.read(run)
    method = found.ask["method"]
    if game is not None and method != SOLVE:
        raise ValueError(f"run {run} is not a solve: --game is for one whose rules are in a Python file")
    if found.result is not None:
        words = f"run {run} is finished: there is nothing to resume"
        if as_json:
            print_json(_outcome(found, found.result) | {"error": words})
        elif method == SOLVE:
            report(found, found.result, store, as_json, None, None)
        elif method == BOUNDS:
            report_bounds(found, found.result, store, as_json)
        elif method == MATCH:
            print_score(found.ask, found.result)
        elif method == BOUTS:
            report_meeting(found)
        elif method not in (PAPER, TOURNAMENT):
            _print_result(found, found.result)
        console.err.print(words, style="red")
        raise typer.Exit(2)
    if method == SOLVE:
        source_of(found, game)
    with Store.open(path, write=True) as runs:
        found = runs.work_on(run)
        if method == SOLVE:
            work_on(found, store, as_json, game=game)
        elif method == BOUNDS:
            narrow(found, store, as_json)
        elif method == MATCH:
            play_on(found.ask, found, store, threads, as_json)
        elif method == TOURNAMENT:
            work_on_tournament(runs, found, store, threads, None, as_json)
        elif method == BOUTS:
            work_on_meeting(runs, found, store, threads, as_json, cluster)
        elif method == PAPER:
            work_on_experiment(runs, found, store, threads, None, as_json, cluster)
        else:
            _work_on(found, store, threads, as_json)


def _work_on(run: "Run", store: Path | None, threads: int | None, as_json: bool) -> None:
    """Work on a run with a progress bar; an interruption prints the command that goes on."""
    from ...runs.kinds.tune import carry_on
    from ...stats.race import interval, mean
    from .. import console

    budget = run.ask["games"]
    announce_compilation()
    console.err.print(f"run {run.name}: {run.ask['method']} on {run.ask['game']}, seed {run.ask['seed']}")
    with resumable(run, store, as_json), console.progress(run.name, budget) as bar:
        steps = len(run.steps)

        def on_batch(arena: Any, event: Any) -> None:
            import numpy as np

            played, words = arena.games + event["games"], f"step {steps + 1}"
            if "counts" in event:
                counts = np.array(event["counts"])
                words += f": {console.with_interval(mean(counts), interval(counts))}"
            bar.show(played, words, played)

        def on_step(arena: Any, step: Any) -> None:
            nonlocal steps
            steps += 1
            bar.show(arena.games, f"step {steps}, population {step.population}", arena.games)

        result = carry_on(run, cores(threads), on_batch, on_step)
    if as_json:
        print_json(_outcome(run, result))
    else:
        _print_result(run, result)


def _outcome(run: "Run", result: dict[str, Any]) -> dict[str, Any]:
    ask = run.ask
    kept: dict[str, Any] = {
        key: ask[key] for key in ("game", "method", "race", "seed", "baseline", "first", "second") if key in ask
    }
    return {"run": run.name, "state": "finished", **kept, **result}


def _print_result(run: "Run", result: dict[str, Any]) -> None:
    import numpy as np

    from ...core.game import find_game
    from .. import console

    ask, game = run.ask, find_game(run.ask["game"])
    console.out.print(
        f"[bold]{run.name}[/bold]: {ask['method']} on {ask['game']}, {ask['race']} race, seed {ask['seed']}"
    )
    console.out.print(f"{result['games']} games in {result['steps']} steps")
    against = f"the baseline `{result['against']}`" + (
        f" of seed {ask['seed']}" if result["against"] == "fixed" else ""
    )
    score = console.with_interval(result["score"], result["interval"])
    console.out.print(f"scores {score} against {against} in {result['report']['games']} fresh games")
    theta = np.array(result["theta"])
    if "thetas" in result:
        many, heaviest = len(result["thetas"]), max(result["weights"])
        console.out.print(
            f"a mixture of {many} vectors, one drawn before every pair of games; the heaviest ({heaviest:.1%}):"
        )
    if game.strategy and game.strategy.words:
        console.out.print(game.strategy.words(theta))
    shown = ", ".join(f"{value:.4g}" for value in theta[:8]) + (", .." if len(theta) > 8 else "")
    console.out.print(f"parameters: {shown}")
    console.out.print(
        f"play against it: fogspiel match {ask['game']} {run.name} PLAYER; keep it: fogspiel export {run.name}"
    )


@app.command("runs")
def list_runs(store: StorePath = None, as_json: AsJson = False) -> None:
    """List the runs of the store: state, games, score with interval, age."""
    from dataclasses import asdict

    from ...runs.store import Store
    from .. import console

    path = store_path(store)
    with Store.open(path, write=False) as runs:
        found = runs.summaries()
    if as_json:
        return print_json({"store": str(path), "runs": [asdict(summary) for summary in found]})
    if not found:
        return console.out.print(f"no runs yet in {path}; begin with: fogspiel tune batawaf")
    rows = [
        (
            s.name, s.method or "", s.state, s.steps, s.games if s.games is not None else "",
            console.with_interval(s.score, s.interval) if s.score is not None and s.interval else "",
            console.ago(s.seen),
        )
        for s in found
    ]  # fmt: skip
    console.table(
        f"Runs in {path}", ("run", "method", "state", "steps", "games", "score [interval]", "last seen"), rows
    )


@app.command()
def export(
    run: str,
    form: Annotated[str, typer.Option("--format", help="json or csv.")] = "json",
    output: Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Export a run: JSON (request, steps, result; can be played as a parameter file) or CSV (a line a step)."""
    from ...runs.store import Store

    if form not in ("json", "csv"):
        raise ValueError(f"--format is {form!r}: it must be json or csv")
    if as_json and form == "csv" and output is None:
        raise ValueError("--json and CSV cannot share stdout: add --output FILE")
    with Store.open(store_path(store), write=False) as runs:
        found = runs.read(run)
    text = _run_as_csv(found) if form == "csv" else json.dumps(_run_as_json(found), allow_nan=False) + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text)
    except OSError as error:
        raise ValueError(f"{output} cannot be written: {error.strerror or error}") from None
    if as_json:
        print_json({"run": run, "format": form, "output": str(output)})


def _run_as_json(run: "Run") -> dict[str, Any]:
    from ...runs.kinds.tune import answer_of

    found = answer_of(run)
    return {
        "run": run.name,
        "game": run.ask["game"],
        "state": run.state,
        **(found.as_json() if found else {"theta": None}),
        "ask": run.ask,
        "steps": run.steps,
        "result": run.result,
    }


def _run_as_csv(run: "Run") -> str:
    import csv
    import io

    from ...core.game import find_game, parameters_of

    page = io.StringIO()
    lines = csv.writer(page, lineterminator="\n")
    if run.ask["method"] in ("solve", "bounds"):
        lines.writerow(["round", "lower", "upper"])
        lines.writerows([step["number"], step["lower"], step["upper"]] for step in run.steps)
        if run.result:
            lines.writerow(["result", run.result["lower"], run.result["upper"]])
        return page.getvalue()
    if "first" in run.ask:  # a match
        lines.writerow(["first", "second", "games", "score", "low", "high"])
        for body in (*run.steps, *([run.result] if run.result else [])):
            players = run.ask["first"], run.ask["second"]
            lines.writerow([*players, body["games"], body["score"], *body["interval"]])
        return page.getvalue()
    if run.ask["method"] == "kriegspiel":
        raise ValueError(f"run {run.name} is a match of Kriegspiel engines: see fogspiel kriegspiel export {run.name}")
    if run.ask["method"] in ("paper", "tournament"):
        raise ValueError(f"run {run.name} is a {run.ask['method']}: its tables are CSV files beside its report")
    names = parameters_of(find_game(run.ask["game"]))
    lines.writerow(["step", "games", "accepted", "sigma", "population", *names])
    theta: list[float] = []
    for number, step in enumerate(run.steps, 1):
        theta = step.get("theta", theta)
        sigma = "" if step["sigma"] is None else step["sigma"]
        lines.writerow([number, step["games"], int(step["accepted"]), sigma, step["population"], *theta])
    return page.getvalue()
