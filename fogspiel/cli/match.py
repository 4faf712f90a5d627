"""fogspiel match."""

import shlex
import sys
from typing import Annotated

import typer

from .app import INTERRUPTED, AsJson, Seed, StorePath, Threads, announce_compilation, app, cores, print_json, store_path


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
    from .. import screen
    from ..arena import report_key
    from ..entrants import entrant
    from ..game import game_named
    from ..measure import Score, measured
    from ..simulate import SEATS
    from ..tuning import check_seed

    chosen = game_named(game)
    announce_compilation()
    check_seed(seed)
    if games <= 0:
        raise ValueError(f"--games is {games}: it must be a positive number")
    if seats not in SEATS:
        raise ValueError(f"--seats is {seats!r}: it must be {', '.join(SEATS[:-1])} or {SEATS[-1]}")
    one, other = (entrant(chosen, words, store_path(store), seed) for words in (first, second))
    facts = {"game": game, "first": first, "second": second, "seed": seed, "rules": chosen.version}
    if exact:
        from ..truth import exact_score

        sys.set_int_max_str_digits(0)  # exact rates may have thousands of digits
        rate = exact_score(chosen, one, other)
        value = float(rate)
        figures = {"score": value, "interval": [value, value], "fraction": str(rate), "wins": None, "draws": None}
        figures |= {"losses": None, "games": 0, "exact": True}
        if as_json:
            return print_json(facts | figures)
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
            score = measured(chosen, one, other, report_key(seed), games, seats, cores(threads), watch)
            state = "finished"
        except KeyboardInterrupt:
            if not latest:
                raise
            score, state = latest[0], "interrupted"
    if as_json:
        print_json(facts | score.as_json() | {"seats": seats, "exact": False, "state": state})
    else:
        screen.out.print(f"{game}: {first} against {second} scores {screen.with_interval(score.mean, score.interval)}")
        if len(score.payoffs) == 3:
            screen.out.print(f"{score.outcomes[2]} wins, {score.outcomes[1]} draws, {score.outcomes[0]} losses")
        screen.out.print(f"{score.games} games, seats {seats}, seed {seed}; 95 % interval, valid at any time")
    if state == "interrupted":
        again = shlex.join(["fogspiel", "match", game, first, second, "--games", str(games), "--seed", str(seed)])
        screen.err.print(f"interrupted after {score.games} of {games} games; the whole match: {again}")
        raise typer.Exit(INTERRUPTED)
