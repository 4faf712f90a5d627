"""The tour: the surprising strategies of Cauwet & Teytaud 2018 found from scratch, the paper's figures beside ours."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import screen
from .arena import report_key
from .contender import Contender, named, with_parameters
from .game import Game, game_named
from .measure import measured
from .runs import Store
from .truth import exact_score
from .tuning import Request, carry_on

GAMES = 60_000
BATAWAF_RUNS = (
    Request("batawaf", "iterative", "count-mixture", games=300_000),
    Request("batawaf", "naive", "count-mixture", games=300_000),
)


class Row(NamedTuple):
    """One line of the tour's table."""

    game: str
    first: str
    second: str
    score: float
    interval: tuple[float, float] | None
    games: int
    paper: float | None


def walk(store: Path, seed: int, threads: int, quiet: bool) -> dict[str, Any]:
    """Walk through everything; prints as it goes unless `quiet`, and returns the table."""
    say = (lambda words: None) if quiet else screen.out.print
    rows: list[Row] = []
    with Store.open(store, write=True) as runs:
        say("[bold]1. Batawaf, from scratch.[/bold] The winner of a trick may put the won cards back in any order.")
        say("   Two methods look for the best order, knowing nothing but how to play.")
        game = game_named("batawaf")
        found: list[tuple[str, np.ndarray]] = []
        for asked in BATAWAF_RUNS:
            request = Request(**(vars(asked) | {"seed": seed}))
            run = runs.create(request.as_ask())
            theta = np.array(carry_on(run, threads)["theta"])
            found.append((run.name, theta))
            assert game.strategy is not None and game.strategy.words is not None
            say(f"   {request.method} ({run.name}): {game.strategy.words(theta)}")
            run.close()
    say("   Now on fresh games, against people who shuffle and people who put the worst card first:")
    players = [with_parameters(game, theta, name) for name, theta in found]
    for player in (*players, named(game, "descending")):
        rows += [_played(game, player, named(game, other), seed, threads, paper) for other, paper in PAPER_BATAWAF]
    say("[bold]2. Guess Who with 128 characters.[/bold] Halving the pool is not best: take risks when you are behind.")
    rows += _guess_who(seed, threads)
    if not quiet:
        shown = [
            (
                row.game, f"{row.first} - {row.second}", f"{row.score:.4f}",
                f"[{row.interval[0]:.4f}, {row.interval[1]:.4f}]" if row.interval else "exact",
                row.games or "", "" if row.paper is None else f"{row.paper:.3f}",
            )
            for row in rows
        ]  # fmt: skip
        columns = ("game", "players", "score", "95 % interval", "games", "the paper")
        screen.table("What was found, and what the paper says", columns, shown)
    following = f"fogspiel match batawaf {found[0][0]} random --games 1000000"
    say(f"Next: {following}   (all runs: fogspiel runs; all games: fogspiel games)")
    return {
        "seed": seed,
        "runs": [name for name, _ in found],
        "rows": [row._asdict() for row in rows],
        "next": following,
    }


PAPER_BATAWAF = (("random", 0.688), ("ascending", 0.575))
"""Section V-A, the pure descending order, from 10 000 games each: a standard error of about 0.005."""


def _played(game: Game, first: Contender, second: Contender, seed: int, threads: int, paper: float | None) -> Row:
    score = measured(game, first, second, report_key(seed), GAMES, threads=threads)
    return Row(game.name, first.name, second.name, score.mean, score.interval, score.games, paper)


def _guess_who(seed: int, threads: int) -> Iterator[Row]:
    game = game_named("guesswho128")
    yield _played(game, named(game, "OL"), named(game, "dichotomy"), seed, threads, None)
    for first, second in (("OL", "dichotomy"), ("God", "dichotomy"), ("OL", "God")):
        rate: Fraction = exact_score(game, named(game, first), named(game, second))
        yield Row(game.name, first, second, float(rate), None, 0, 0.5 if (first, second) == ("OL", "God") else None)
