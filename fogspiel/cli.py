"""The command line. Nothing heavy is imported before a command needs it, so `--help` answers at once."""

import json
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from . import __version__

if TYPE_CHECKING:
    from .runs import Run

app = typer.Typer(
    name="fogspiel",
    help="Games in which players cannot see everything: tune strategies, race them, and know how good they are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

INTERRUPTED = 130

AsJson = Annotated[bool, typer.Option("--json", help="Exactly one JSON object on stdout, everything else on stderr.")]
StorePath = Annotated[Path | None, typer.Option("--store", help="The file that holds the runs [your data folder].")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads; results do not depend on it [all cores].")]
METHODS = "naive, iterative, real-coevolution, approximate-coevolution or seeds."
RACES = "paper, ebgstop, count-mixture, count-mixture-symmetric or count-mixture-asymmetric."
Seed = Annotated[int, typer.Option(help="Same seed, same games.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fogspiel {__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")]


@app.callback()
def options(version: Version = False) -> None:
    """Options that stand before the command."""


def _print_json(body: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(body, allow_nan=False) + "\n")


def _store_path(chosen: Path | None) -> Path:
    from .runs import default_path

    return chosen if chosen is not None else default_path()


def _cores(threads: int | None) -> int:
    return threads or os.cpu_count() or 1


def _announce_compilation() -> None:
    """Say why the very first games take a while."""
    from . import screen
    from .kernel import FIRST_TIME

    if FIRST_TIME:
        screen.err.print("compiling the rules for the first time: this takes half a minute, once")


@app.command("games")
def list_games(as_json: AsJson = False) -> None:
    """List the games, their parameters and their named strategies."""
    from . import contender, screen
    from .game import games, parameters_of

    found = games().values()
    if as_json:
        return _print_json({"games": [_words_of(game) for game in found]})
    rows = [(g.name, g.title, len(parameters_of(g)), ", ".join(contender.names(g))) for g in found]
    screen.table("Games", ("name", "title", "parameters", "players by name"), rows)


def _words_of(game: Any) -> dict[str, Any]:
    from .contender import names
    from .game import parameters_of

    hashed = list(game.strategy.hashed) if game.strategy else []
    return {
        "name": game.name,
        "title": game.title,
        "rules": game.version,
        "parameters": len(parameters_of(game)),
        "parameter_names": list(parameters_of(game)),
        "hashed_parameters": hashed,
        "players": names(game),
        "symmetric": game.symmetric,
        "payoffs": [str(payoff) for payoff in game.payoffs],
        "source": game.source,
    }


@app.command()
def show(game: str, seed: Seed = 1, as_json: AsJson = False) -> None:
    """Show one game: its strategy, who plays it, where it comes from, and a position as a player sees it."""
    from . import screen
    from .contender import UNIFORM, named
    from .game import game_named
    from .simulate import positions, recorded, view_of

    chosen = game_named(game)
    uniform = named(chosen, UNIFORM.name)
    record, _ = recorded(chosen, uniform, uniform, seed, 0)
    moment = next(position for position in positions(chosen, record) if position.mover in (0, 1))
    view = chosen.show(view_of(chosen, moment.state, moment.mover))
    tries = [chosen.label(action) for action in moment.actions]
    if as_json:
        return _print_json(_words_of(chosen) | {"view": view, "actions": tries})
    words = _words_of(chosen)
    names = words["parameter_names"]
    listed = ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:4])}, .. {names[-1]}"
    screen.out.print(f"[bold]{chosen.name}[/bold]: {chosen.title} (rules version {chosen.version})")
    screen.out.print(f"parameters ({len(names)}): {listed}")
    if words["hashed_parameters"]:
        screen.out.print(f"seeds of something random, nearby values unrelated: {', '.join(words['hashed_parameters'])}")
    screen.out.print(f"players by name: {', '.join(words['players'])}")
    screen.out.print(f"source: {chosen.source}")
    screen.out.print(f"\n[bold]the first decision of a game (seed {seed}), as player {moment.mover + 1} sees it[/bold]")
    screen.out.print(view)
    most = 12
    more = f" and {len(tries) - most} more" if len(tries) > most else ""
    screen.out.print(f"may try: {', '.join(tries[:most])}{more}")


@app.command()
def match(
    game: str,
    first: str,
    second: str,
    games: Annotated[int, typer.Option(help="How many games, in pairs with the seats swapped.")] = 20_000,
    seed: Seed = 1,
    seats: Annotated[str, typer.Option(help="swapped (same deal twice), alternating, or coin.")] = "swapped",
    exact: Annotated[bool, typer.Option("--exact", help="Compute the rate instead, where that is possible.")] = False,
    threads: Threads = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Play FIRST against SECOND: a named strategy, `fixed` or `redrawn`, a run, a parameter file, or numbers."""
    from . import screen
    from .arena import report_key
    from .entrants import entrant
    from .game import game_named
    from .measure import Score, measured
    from .simulate import SEATS
    from .tuning import check_seed

    chosen = game_named(game)
    _announce_compilation()
    check_seed(seed)
    if games <= 0:
        raise ValueError(f"--games is {games}: it must be a positive number")
    if seats not in SEATS:
        raise ValueError(f"--seats is {seats!r}: it must be {', '.join(SEATS[:-1])} or {SEATS[-1]}")
    one, other = (entrant(chosen, words, _store_path(store), seed) for words in (first, second))
    facts = {"game": game, "first": first, "second": second, "seed": seed, "rules": chosen.version}
    if exact:
        from .truth import exact_score

        sys.set_int_max_str_digits(0)  # exact rates may have thousands of digits
        rate = exact_score(chosen, one, other)
        value = float(rate)
        figures = {"score": value, "interval": [value, value], "fraction": str(rate), "wins": None, "draws": None}
        figures |= {"losses": None, "games": 0, "exact": True}
        if as_json:
            return _print_json(facts | figures)
        short = (
            str(rate) if len(str(rate)) < 60 else f"a fraction with {len(str(rate.denominator))} digits below the line"
        )
        return screen.out.print(f"{game}: {first} against {second} scores exactly {value:.6f} ({short})")
    with screen.progress(f"{first} - {second}", games) as bar:
        latest: list[Score] = []

        def watch(so_far: Score) -> None:
            latest[:] = [so_far]
            bar.show(so_far.games, screen.with_interval(so_far.mean, so_far.interval), so_far.games)

        try:
            score = measured(chosen, one, other, report_key(seed), games, seats, _cores(threads), watch)
            state = "finished"
        except KeyboardInterrupt:
            if not latest:
                raise
            score, state = latest[0], "interrupted"
    if as_json:
        _print_json(facts | score.as_json() | {"seats": seats, "exact": False, "state": state})
    else:
        screen.out.print(f"{game}: {first} against {second} scores {screen.with_interval(score.mean, score.interval)}")
        if len(score.payoffs) == 3:
            screen.out.print(f"{score.outcomes[2]} wins, {score.outcomes[1]} draws, {score.outcomes[0]} losses")
        screen.out.print(f"{score.games} games, seats {seats}, seed {seed}; 95 % interval, valid at any time")
    if state == "interrupted":
        again = shlex.join(["fogspiel", "match", game, first, second, "--games", str(games), "--seed", str(seed)])
        screen.err.print(f"interrupted after {score.games} of {games} games; the whole match: {again}")
        raise typer.Exit(INTERRUPTED)


@app.command()
def tune(
    game: str,
    method: Annotated[str, typer.Option(help=METHODS)] = "iterative",
    race: Annotated[str, typer.Option(help=RACES)] = "paper",
    games: Annotated[int | None, typer.Option(help="Budget in games [1000000, if there is none in seconds].")] = None,
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
    from .runs import Store
    from .tuning import Request

    if games is None and seconds is None:
        games = 1_000_000
    request = Request(game, method, race, delta, epsilon, observation, baseline, seed, games, seconds, report_games)
    with Store.open(_store_path(store), write=True) as runs:
        _work_on(runs.create(request.as_ask()), store, threads, as_json)


@app.command()
def resume(run: str, threads: Threads = None, store: StorePath = None, as_json: AsJson = False) -> None:
    """Go on with a run that was interrupted; the result is the same as if it had not been."""
    from . import screen
    from .runs import Store

    path = _store_path(store)
    with Store.open(path, write=False) as runs:
        found = runs.read(run)
    if found.result is not None:
        words = f"run {run} is finished: there is nothing to resume"
        if as_json:
            _print_json(_outcome(found, found.result) | {"error": words})
        else:
            _print_result(found, found.result)
        screen.err.print(words, style="red")
        raise typer.Exit(2)
    with Store.open(path, write=True) as runs:
        _work_on(runs.work_on(run), store, threads, as_json)


def _work_on(run: "Run", store: Path | None, threads: int | None, as_json: bool) -> None:
    """Work on a run with a progress bar; an interruption prints the command that goes on."""
    from . import screen
    from .race import interval, mean
    from .tuning import carry_on

    again = f"fogspiel resume {run.name}" + (f" --store {shlex.quote(str(store))}" if store else "")
    budget = run.ask["games"]
    _announce_compilation()
    screen.err.print(f"run {run.name}: {run.ask['method']} on {run.ask['game']}, seed {run.ask['seed']}")
    try:
        with screen.progress(run.name, budget) as bar:
            steps = len(run.steps)

            def on_batch(arena: Any, event: dict[str, Any]) -> None:
                import numpy as np

                counts = np.array(event["counts"])
                played = arena.games + event["games"]
                bar.show(played, f"step {steps + 1}: {screen.with_interval(mean(counts), interval(counts))}", played)

            def on_step(arena: Any, step: Any) -> None:
                nonlocal steps
                steps += 1
                bar.show(arena.games, f"step {steps}, population {step.population}", arena.games)

            result = carry_on(run, _cores(threads), on_batch, on_step)
    except KeyboardInterrupt:
        if as_json:
            _print_json({"run": run.name, "state": "interrupted", "steps": len(run.steps), "resume": again})
        screen.err.print(f"interrupted; nothing is lost. Go on with: {again}")
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:
        raise ValueError(f"{error.strerror or error}; nothing is lost, go on with: {again}") from error
    if as_json:
        _print_json(_outcome(run, result))
    else:
        _print_result(run, result)


def _outcome(run: "Run", result: dict[str, Any]) -> dict[str, Any]:
    ask = run.ask
    kept = {key: ask[key] for key in ("game", "method", "race", "seed")}
    return {"run": run.name, "state": "finished", **kept, "baseline": ask["baseline"], **result}


def _print_result(run: "Run", result: dict[str, Any]) -> None:
    import numpy as np

    from . import screen
    from .game import game_named

    ask, game = run.ask, game_named(run.ask["game"])
    screen.out.print(
        f"[bold]{run.name}[/bold]: {ask['method']} on {ask['game']}, {ask['race']} race, seed {ask['seed']}"
    )
    screen.out.print(f"{result['games']} games in {result['steps']} steps")
    against = f"the baseline `{result['against']}`" + (
        f" of seed {ask['seed']}" if result["against"] == "fixed" else ""
    )
    score = screen.with_interval(result["score"], result["interval"])
    screen.out.print(f"scores {score} against {against} in {result['report']['games']} fresh games")
    theta = np.array(result["theta"])
    if game.strategy and game.strategy.words:
        screen.out.print(game.strategy.words(theta))
    shown = ", ".join(f"{value:.4g}" for value in theta[:8]) + (", .." if len(theta) > 8 else "")
    screen.out.print(f"parameters: {shown}")
    screen.out.print(
        f"play against it: fogspiel match {ask['game']} {run.name} PLAYER; keep it: fogspiel export {run.name}"
    )


@app.command("runs")
def list_runs(store: StorePath = None, as_json: AsJson = False) -> None:
    """List the runs of the store: state, games, score with interval, age."""
    from dataclasses import asdict

    from . import screen
    from .runs import Store

    path = _store_path(store)
    with Store.open(path, write=False) as runs:
        found = runs.summaries()
    if as_json:
        return _print_json({"store": str(path), "runs": [asdict(summary) for summary in found]})
    if not found:
        return screen.out.print(f"no runs yet in {path}; begin with: fogspiel tune batawaf")
    rows = [
        (
            s.name, s.method or "", s.state, s.steps, s.games if s.games is not None else "",
            screen.with_interval(s.score, s.interval) if s.score is not None and s.interval else "", screen.ago(s.seen),
        )
        for s in found
    ]  # fmt: skip
    screen.table(f"Runs in {path}", ("run", "method", "state", "steps", "games", "score [95 %]", "last seen"), rows)


@app.command()
def export(
    run: str,
    form: Annotated[str, typer.Option("--format", help="json or csv.")] = "json",
    output: Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Export a run: JSON (request, steps, result; can be played as a parameter file) or CSV (a line a step)."""
    from .runs import Store

    if form not in ("json", "csv"):
        raise ValueError(f"--format is {form!r}: it must be json or csv")
    if as_json and form == "csv" and output is None:
        raise ValueError("--json and CSV cannot share stdout: add --output FILE")
    with Store.open(_store_path(store), write=False) as runs:
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
        _print_json({"run": run, "format": form, "output": str(output)})


def _run_as_json(run: "Run") -> dict[str, Any]:
    vectors = [row.body["theta"] for row in run.rows if "theta" in row.body]
    return {
        "run": run.name,
        "game": run.ask["game"],
        "state": run.state,
        "theta": vectors[-1] if vectors else None,
        "ask": run.ask,
        "steps": run.steps,
        "result": run.result,
    }


def _run_as_csv(run: "Run") -> str:
    import csv
    import io

    from .game import game_named, parameters_of

    names = parameters_of(game_named(run.ask["game"]))
    page = io.StringIO()
    lines = csv.writer(page, lineterminator="\n")
    lines.writerow(["step", "games", "accepted", "sigma", "population", *names])
    theta: list[float] = []
    for number, step in enumerate(run.steps, 1):
        theta = step.get("theta", theta)
        sigma = "" if step["sigma"] is None else step["sigma"]
        lines.writerow([number, step["games"], int(step["accepted"]), sigma, step["population"], *theta])
    return page.getvalue()


@app.command()
def tour(seed: Seed = 1, threads: Threads = None, store: StorePath = None, as_json: AsJson = False) -> None:
    """See in a few minutes what fogspiel finds: the surprising strategies of the paper, from scratch."""
    from .tour import walk

    _announce_compilation()
    body = walk(_store_path(store), seed, _cores(threads), quiet=as_json)
    if as_json:
        _print_json(body)


@app.command()
def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Cut damaged runs back to their last good row.")] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Check the installation, the kernel cache and the store; every problem comes with a hint."""
    from .checkup import checks
    from .runs import Store

    path, repaired = _store_path(store), []
    if repair:
        with Store.open(path, write=True) as runs:
            repaired = runs.repair()
    found = checks(path)
    healthy = all(check.ok for check in found)
    if as_json:
        _print_json({"ok": healthy, "repaired": repaired, "checks": [check._asdict() for check in found]})
    else:
        from . import screen

        for line in repaired:
            screen.out.print(line)
        rows = [("ok" if c.ok else "PROBLEM", c.what, c.detail, c.hint) for c in found]
        screen.table("fogspiel doctor", ("", "what", "found", "what to do"), rows)
    if not healthy:
        raise typer.Exit(2)


def _complain(sentence: str) -> NoReturn:
    """Say what was wrong, to people and to programs, and exit with 2."""
    if "--json" in sys.argv[1:]:
        _print_json({"error": sentence})
    sys.stderr.write(f"fogspiel: {sentence}\n")
    raise SystemExit(2)


def _stop(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; bad input gets one sentence and exit code 2."""
    from .store import StoreError

    signal.signal(signal.SIGTERM, _stop)
    try:
        code = typer.main.get_command(app)(standalone_mode=False)
        sys.stdout.flush()
    except (ValueError, StoreError) as error:
        _complain(str(error))
    except (KeyboardInterrupt, typer.Abort):
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except Exception as error:
        if hasattr(error, "format_message"):
            _complain(error.format_message())
        raise
    raise SystemExit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
