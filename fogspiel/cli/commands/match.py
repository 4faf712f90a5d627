"""fogspiel match."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..app import (
    INTERRUPTED,
    AsJson,
    Seed,
    StorePath,
    Threads,
    announce_compilation,
    app,
    cores,
    print_json,
    resume_command,
    store_path,
)

if TYPE_CHECKING:
    from ...core.game import Game
    from ...runs.kinds.match import Side
    from ...runs.store import Run


@app.command(context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
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
    from ...core.game import find_game
    from ...runs.agent_texts import agent_from_text
    from ...runs.kinds.match import ask_of

    chosen = find_game(game)
    announce_compilation()
    one, other = (agent_from_text(chosen, words, store_path(store), seed) for words in (first, second))
    ask = ask_of(chosen, one, other, seed, games, seats) | {"first": first, "second": second}
    if exact:
        _compute(chosen, one, other, ask, as_json)
    else:
        play_on(ask, None, store, threads, as_json)


def _compute(game: "Game", one: "Side", other: "Side", ask: dict[str, Any], as_json: bool) -> None:
    """Print the exact rate."""
    from ...core.exact import exact_score
    from .. import console

    sys.set_int_max_str_digits(0)  # exact rates may have thousands of digits
    rate = exact_score(game, one, other)
    value, fraction = float(rate), str(rate)
    if as_json:
        figures = {"score": value, "interval": [value, value], "fraction": fraction, "games": 0, "exact": True}
        return print_json(_facts(ask) | figures | {"wins": None, "draws": None, "losses": None})
    short = fraction if len(fraction) < 60 else f"a fraction with {len(str(rate.denominator))} digits below the line"
    console.out.print(f"{ask['game']}: {ask['first']} against {ask['second']} scores exactly {value:.6f} ({short})")


def play_on(ask: dict[str, Any], run: "Run | None", store: Path | None, threads: int | None, as_json: bool) -> None:
    """Play a match, from the start or from what a run has counted; an interruption stores what was counted."""
    from ...runs.kinds.match import play_match
    from ...runs.kinds.tune import PARTIAL_SECONDS
    from ...runs.store import Store
    from ...stats.evaluate import Score
    from .. import console

    counted = (run.partial() or (run.steps[-1] if run.steps else None)) if run else None
    latest: list[Score] = []
    state, name, kept_at = "finished", run.name if run else None, time.monotonic()
    try:
        with console.progress(f"{ask['first']} - {ask['second']}", ask["games"]) as bar:

            def watch(so_far: Score) -> None:
                nonlocal kept_at
                latest[:] = [so_far]
                if run and time.monotonic() - kept_at > PARTIAL_SECONDS:
                    run.keep_partial(so_far.as_json())
                    kept_at = time.monotonic()
                bar.show(so_far.games, console.with_interval(so_far.mean, so_far.interval), so_far.games)

            score = play_match(ask, counted, cores(threads), watch, store_path(store))
        if run:
            run.append("result", score.as_json())
    except KeyboardInterrupt:
        if not latest:
            raise
        score, state = latest[0], "interrupted"
        if run:
            run.append("step", score.as_json())
        else:
            with Store.open(store_path(store), write=True) as runs, runs.create(ask) as kept:
                kept.append("step", score.as_json())
                name = kept.name
    if as_json:
        more = {"seats": ask["seats"], "exact": False, "state": state}
        more |= {"run": name, "resume": resume_command(str(name), store)} if state == "interrupted" else {}
        print_json(_facts(ask) | score.as_json() | more)
    else:
        print_score(ask, score.as_json())
    if state == "interrupted":
        again = resume_command(str(name), store)
        console.err.print(f"interrupted after {score.games} of {ask['games']} games. Go on with: {again}")
        raise typer.Exit(INTERRUPTED)


def _facts(ask: dict[str, Any]) -> dict[str, Any]:
    return {key: ask[key] for key in ("game", "first", "second", "seed", "rules")}


def print_score(ask: dict[str, Any], figures: dict[str, Any]) -> None:
    """Print the score of a match for people."""
    from .. import console

    score = console.with_interval(figures["score"], figures["interval"])
    console.out.print(f"{ask['game']}: {ask['first']} against {ask['second']} scores {score}")
    if "wins" in figures:
        console.out.print(f"{figures['wins']} wins, {figures['draws']} draws, {figures['losses']} losses")
    words = f"{figures['games']} games, seats {ask['seats']}, seed {ask['seed']}; 95 % interval, valid at any time"
    console.out.print(words)
