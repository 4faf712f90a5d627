"""The surprising strategies of Cauwet & Teytaud 2018 from scratch, in short runs, compared with the paper's figures.

python benchmarks/short_runs.py [--seed 1] [--threads 2] [--store short_runs.db]
"""

import argparse
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.text import Text

from fogspiel.cli import console
from fogspiel.core.agents import ParametricPolicy, exact_score, find_policy, redrawn_baseline, vector_policy
from fogspiel.core.game import Game, known_game
from fogspiel.games.guess_who.rules import question
from fogspiel.papers.cauwet2018.printed_tables import LINES
from fogspiel.runs.kind import Context, execute
from fogspiel.runs.requests import TuneRequest
from fogspiel.runs.store import Store
from fogspiel.stats.evaluate import evaluate, report_key

GAMES = 60_000
BATAWAF_RUNS = (
    TuneRequest(game="batawaf", method="iterative", games=300_000),
    TuneRequest(game="batawaf", method="naive", games=300_000),
)


class Row(NamedTuple):
    game: str
    first: str
    second: str
    score: float
    interval: tuple[float, float] | None
    games: int
    paper: float | None
    words: str = ""
    """Description of the first player's strategy."""

    def to_json(self) -> dict[str, Any]:
        keys = ("game", "first", "second", "score", "interval", "games", "paper", "words")
        return dict(zip(keys, self, strict=True))


class Stop(NamedTuple):
    """One game of the benchmark: tuned from scratch, or shown with one of its named players."""

    game: str
    how: str
    """A method of `tune`, or the name of a player."""
    budget: int
    """Games of the tuning run; 0 for a named player."""
    report: int
    remark: str = ""


STOPS = (
    Stop("war", "iterative", 100_000, 10_000),
    Stop("batawaf", "iterative", 100_000, 20_000),
    Stop("guesswho128", "iterative", 200_000, 20_000),
    Stop("morra", "iterative", 200_000, 60_000, "0.5379 is the most that is possible here"),
    Stop("pig", "iterative", 200_000, 60_000, "0.5223 is the most that is possible here"),
    Stop("nim", "seeds", 400_000, 20_000),
    Stop("permutation-ttt", "seeds", 400_000, 20_000, "0.7836 is the most that is possible here"),
    Stop("permutation-four", "seeds", 400_000, 20_000),
    Stop("four-in-a-row", "seeds", 6_000, 2_000),
    Stop("cheat", "never_lose", 0, 6_000, "calls and opens so that nobody can win against it"),
    Stop("flip", "iterative", 100_000, 10_000),
    Stop("battleship", "border", 0, 600, "hides ships along the edge and shoots where most fleets that fit have one"),
)
PUBLISHED = {
    (line.game, method): cell.score for line in LINES if line.comparable for method, cell in line.scores.items()
}
"""Table II, where our strategy is the paper's."""


def walk(store: Path, seed: int, threads: int) -> None:
    say: Callable[[str | Text], None] = console.out.print
    rows: list[Row] = []
    with Store.open(store, write=True) as runs:
        first = console.bold("1. Batawaf, from scratch.")
        say(first + " The winner of a trick may put the won cards back in any order.")
        say("   Two methods look for the best order, knowing nothing but how to play.")
        game = known_game("batawaf")
        found: list[tuple[str, np.ndarray]] = []
        for asked in BATAWAF_RUNS:
            request = asked.model_copy(update={"seed": seed})
            run = runs.create(request.to_json())
            theta = np.array(execute(run, Context(store, threads))["theta"])
            found.append((run.name, theta))
            assert game.strategy is not None and game.strategy.describe is not None
            say(f"   {request.method} ({run.name}): {game.strategy.describe(theta)}")
            run.close()
    say("   Now on fresh games, against people who shuffle and people who put the worst card first:")
    players = [vector_policy(game, theta, name) for name, theta in found]
    for player in (*players, find_policy(game, "descending")):
        rows += [_play(game, player, find_policy(game, other), seed, threads, paper) for other, paper in PAPER_BATAWAF]
    second = console.bold("2. Guess Who with 128 characters.")
    say(second + " Halving the pool is not best: take risks when you are behind.")
    rows += _guess_who(seed, threads)
    _show("What was found, and what the paper says", rows)
    say(console.bold("3. All twelve games,") + " some seconds each, against players who draw Gaussian numbers anew.")
    with console.status("short runs") as note:
        benchmark = list(_benchmark(store, seed, threads, note))
    _show("What a short run finds, or a player with a name does", benchmark)
    say("   The paper's figures are those of its Table II after 24 hours a game, where our strategy is the paper's;")
    say("   its baseline is not known for certain. Elsewhere the strategy is our reconstruction.")
    following = f"fogspiel match batawaf {found[0][0]} random --games 1000000"
    say(f"Next: {following}   (all runs: fogspiel runs; all games: fogspiel games)")


PAPER_BATAWAF = (("random", 0.688), ("ascending", 0.575))
"""Section V-A, the pure descending order, from 10 000 games each: a standard error of about 0.005."""


def _play(
    game: Game, first: ParametricPolicy, second: ParametricPolicy, seed: int, threads: int, paper: float | None
) -> Row:
    score = evaluate(game, first, second, report_key(seed), GAMES, threads=threads)
    return Row(game.name, first.name, second.name, score.mean, score.interval, score.games, paper)


def _guess_who(seed: int, threads: int) -> Iterator[Row]:
    game = known_game("guesswho128")
    yield _play(game, find_policy(game, "OL"), find_policy(game, "dichotomy"), seed, threads, None)
    for first, second in (("OL", "dichotomy"), ("God", "dichotomy"), ("OL", "God")):
        rate: Fraction = exact_score(game, find_policy(game, first), find_policy(game, second))
        yield Row(game.name, first, second, float(rate), None, 0, 0.5 if (first, second) == ("OL", "God") else None)


def _benchmark(store: Path, seed: int, threads: int, note: Callable[[str], None]) -> Iterator[Row]:
    """Yield a line for each game of the benchmark, from held-out games."""
    for stop in STOPS:
        note(stop.game)
        game = known_game(stop.game)
        if stop.budget:
            request = TuneRequest(
                game=stop.game, method=stop.how, seed=seed, games=stop.budget, report_games=stop.report
            )
            with Store.open(store, write=True) as runs, runs.create(request.to_json()) as run:
                result, name = execute(run, Context(store, threads)), run.name
            figures, words = result["report"], _words(game, np.array(result["theta"]))
        else:
            player, name = find_policy(game, stop.how), stop.how
            figures = evaluate(
                game, player, redrawn_baseline(game), report_key(seed), stop.report, threads=threads
            ).to_json()
            words = f"{figures['wins']} wins, {figures['draws']} draws, {figures['losses']} losses"
        interval, words = tuple(figures["interval"]), "; ".join(filter(None, (words, stop.remark)))
        paper = PUBLISHED.get((stop.game, stop.how))
        yield Row(stop.game, name, "redrawn", figures["score"], interval, figures["games"], paper, words)


def _words(game: Game, theta: np.ndarray) -> str:
    if game.family == "guesswho":
        asked = int(question(theta, 128, 16, 0.0))
        return f"with 128 characters against 16 it asks about {asked}, where halving asks about 64"
    assert game.strategy is not None and game.strategy.describe is not None
    return game.strategy.describe(theta)


def _show(title: str, rows: list[Row]) -> None:
    columns = ("game", "players", "score", "95 % interval", "games", "the paper", "in words")
    shown = [
        (
            row.game, f"{row.first} - {row.second}", f"{row.score:.4f}",
            f"[{row.interval[0]:.4f}, {row.interval[1]:.4f}]" if row.interval else "exact",
            row.games or "", "" if row.paper is None else f"{row.paper:.3f}", row.words,
        )
        for row in rows
    ]  # fmt: skip
    wide = len(columns) if any(row.words for row in rows) else -1
    console.table(title, columns[:wide], [cells[:wide] for cells in shown])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--store", type=Path, default=Path("short_runs.db"))
    asked = parser.parse_args()
    walk(asked.store, asked.seed, asked.threads)


if __name__ == "__main__":
    main()
