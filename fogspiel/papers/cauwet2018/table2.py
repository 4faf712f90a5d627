"""Table II of Cauwet & Teytaud (2018): what each method finds, scored against the baseline, from many training seeds.

The paper does not say what its baseline is. Every result is scored against a Gaussian vector that is redrawn for every
pair of games (`redrawn`) and against one that was drawn once from the run's seed (`fixed`). The naive method, which in
the paper's words optimises the target criterion, is trained against the first; the others never meet a baseline.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...core.agents import decode_policy, encode_policy, named_policy, policy_json_in
from ...core.game import known_game
from ...runs.kind import Job, Row, rows_by
from ...runs.report import Cell, Chart, Report, Series, Table
from ...runs.requests import PaperRequest
from ...stats.evaluate import Spread, evaluate, median_interval, report_key
from ...stats.race import Race, interval, mean
from ...tuning.tune import tune_strategy
from ..kinds import Batches, PaperPart
from .figure1 import CAUWET
from .printed_tables import LINES, METHODS, NAIVE, SEEDS, Line, order_jobs, table_2_evidence

TRAINED, SCORED = "trained", "scored"  # labels of the two sorts of jobs in rows
BASELINES = ("redrawn", "fixed")
# Methods that train against a baseline: the one that scores them. The others only play against each other.
TRAINED_AGAINST = {NAIVE: "redrawn", "reply": "redrawn", "auto": "redrawn"}
FULL_SEEDS, QUICK_SEEDS = 10, 3
CONFIDENT = 0.95
QUICK = 0.1  # the share of games that a quick run plays
# Games with a limited number of training seeds: they are slow, and their figures cannot be compared anyway.
SLOW, SLOW_SEEDS = ("cheat", "cheat-special", "flip", "four-in-a-row", "battleship"), 3
NO_QUICK_TRAINING = {"battleship"}  # games too slow for the evolutionary methods in a quick run
# Games of a count-mixture race between equal players without draws, in pairs (docs/results/races.md: 4550 pairs).
EQUAL_PLAYERS = 9_100
# Minimum number of steps for the estimate of the cost of a cell without steps.
FEW_STEPS = 20
ENOUGH_GAMES = 200_000  # for so many steps, rounded up


class CellBudget(NamedTuple):
    """Games of one training run, and fresh games that score its result against each opponent."""

    training: int
    scoring: int
    # Games of the method of seeds, where they are more: it plays no races, and its choice needs them.
    seeds: int | None = None


DEFAULT = CellBudget(500_000, 40_000)
BUDGETS = {
    "batawaf4": CellBudget(500_000, 40_000, 2_000_000),
    "morra": CellBudget(1_000_000, 100_000, 4_000_000),
    "permutation-ttt": CellBudget(1_000_000, 40_000),
    "war": CellBudget(300_000, 20_000),
    "war4": CellBudget(300_000, 20_000, 1_200_000),
    "cheat": CellBudget(60_000, 6_000),
    "cheat-special": CellBudget(25_000, 4_000),
    "flip": CellBudget(300_000, 10_000),
    "four-in-a-row": CellBudget(10_000, 2_000),
    "battleship": CellBudget(1_000, 400),
}  # some seconds of work on one core for each run; the games that are not named here have the default budget


def training_games(game: str, method: str, request: PaperRequest) -> int:
    """Return the budget of a training run; a quick run saves on all methods but that of seeds, which takes seconds."""
    usual = BUDGETS.get(game, DEFAULT)
    if method == SEEDS:
        return _scale(usual.seeds or usual.training, request.scale)
    return _scale(usual.training, request.scale * (QUICK if request.quick else 1.0))


def scoring_games(game: str, request: PaperRequest) -> int:
    return _scale(BUDGETS.get(game, DEFAULT).scoring, request.scale * (QUICK if request.quick else 1.0))


def _scale(games: int, share: float) -> int:
    return max(2, round(games * share))


def seeds_of(request: PaperRequest, game: str, method: str = "") -> range:
    """Return the training seeds of a game, the same ones for every method."""
    count = request.seeds or (QUICK_SEEDS if request.quick else FULL_SEEDS)
    return range(request.seed, request.seed + (min(count, SLOW_SEEDS) if game in SLOW else count))


def train(game: str, method: str, seed: int, race: str, games: int, baseline: str = "fixed") -> Row:
    """Train; return the vector or mixture found. The paper's methods end without a race against the start."""
    chosen = known_game(game)
    found = tune_strategy(chosen, method, games, seed, Race(race), baseline, final=method not in METHODS)
    return {**encode_policy(chosen, found.policy), "played": found.games, "steps": found.steps}


def score_answer(
    game: str, method: str, seed: int, against: str, games: int, race: str, training: int, found: Row
) -> Row:
    rules = known_game(game)
    player, opponent = decode_policy(rules, policy_json_in(found), method), named_policy(rules, against, seed)
    score = evaluate(rules, player, opponent, report_key(seed), games)
    return {"outcomes": list(score.outcomes), "observed": list(score.observed)}


def training_jobs(
    request: PaperRequest,
    methods: Sequence[str],
    seeds: Callable[[PaperRequest, str, str], range] = seeds_of,
    games: Sequence[str] | None = None,
) -> list[Job]:
    return [
        Job(
            TRAINED,
            train,
            {"game": line.game, "method": method, "seed": seed, "race": request.race, "games": budget}
            | ({"baseline": TRAINED_AGAINST[method]} if method in TRAINED_AGAINST else {}),
        )
        for line in LINES
        if games is None or line.game in games
        for method in methods
        if method == SEEDS or not (request.quick and line.game in NO_QUICK_TRAINING)
        for budget in [training_games(line.game, method, request)]
        for seed in seeds(request, line.game, method)
    ]


def scoring_jobs(request: PaperRequest, found: Sequence[Row], baselines: Sequence[str]) -> list[Job]:
    idle = idle_cells(found)
    return [
        Job(
            SCORED,
            score_answer,
            {key: row[key] for key in ("game", "method", "seed", "race")}
            | {"training": row["games"], "against": against, "games": scoring_games(row["game"], request)},
            {"found": row},
        )
        for row in found
        if (row["game"], row["method"]) not in idle
        for against in baselines
    ]


def batches(request: PaperRequest) -> Batches:
    """Yield the training runs, then the games that score them, then those of named orders of cards."""
    found = yield training_jobs(request, METHODS)
    yield scoring_jobs(request, found, BASELINES)
    yield order_jobs(request, QUICK if request.quick else 1.0)


def idle_cells(rows: Sequence[Row]) -> dict[tuple[str, str], int]:
    """Count, by game and method, the cells without a result because some run made no step within its budget."""
    cells = rows_by([row for row in rows if row["job"] == TRAINED], "game", "method")
    idle = {(game, method): sum(not row["steps"] for row in runs) for (game, method), runs in cells.items()}
    return {cell: count for cell, count in idle.items() if count}


def idle_note(rows: Sequence[Row]) -> Iterator[str]:
    titles, words = {line.game: line.title for line in LINES}, []
    for (game, method), count in idle_cells(rows).items():
        runs = [row for row in rows if row["job"] == TRAINED and (row["game"], row["method"]) == (game, method)]
        words.append(f"{titles[game]} {method} ({count} of {len(runs)} runs, {runs[0]['games']:,} games each)")
    if words:
        yield (
            f"Left out, because a run that makes no step within its budget is no result: {'; '.join(words)}. A race "
            f"between equal players takes about {EQUAL_PLAYERS:,} games where there are no draws, so {FEW_STEPS} steps "
            f"would need up to {ENOUGH_GAMES:,} games per run."
        )


class CellScore(NamedTuple):
    """Score of a method's runs against a baseline: each seed's mean, their spread, and the mean of all games."""

    seeds: tuple[float, ...]
    over_seeds: Spread
    mean: float
    interval: tuple[float, float]
    games: int


def score_of(rows: Sequence[Row]) -> CellScore:
    pooled = np.sum([row["observed"] for row in rows], axis=0)
    each = tuple(mean(np.array(row["observed"])) for row in rows)
    return CellScore(
        each, median_interval(each), mean(pooled), interval(pooled), sum(sum(row["outcomes"]) for row in rows)
    )


def scores_of(rows: Sequence[Row]) -> dict[tuple[str, str, str], CellScore]:
    scored = rows_by([row for row in rows if row["job"] == SCORED], "game", "method", "against")
    return {(game, method, against): score_of(found) for (game, method, against), found in scored.items()}


def verdict(line: Line, method: str, ours: CellScore) -> str:
    """Compare our median with the paper's number, with the uncertainty of the training seeds."""
    if method not in line.scores:
        return "not in the paper"
    if not line.comparable:
        return "not comparable"
    paper, (median, low, high, confidence) = line.scores[method].score, ours.over_seeds
    if confidence < CONFIDENT or low <= paper <= high:
        return "above" if median >= paper else "below"
    return "higher" if low > paper else "lower"


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    steps = {(row["game"], row["method"], row["seed"]): row for row in rows if row["job"] == TRAINED}
    scores = scores_of(rows)
    shown = [
        _line(line, method, scores, [steps[line.game, method, seed] for seed in seeds_of(request, line.game)])
        for line in LINES
        for method in METHODS
        if (line.game, method, "redrawn") in scores
    ]
    return Report(
        name=request.name,
        title="Table II: scores against the baseline",
        command=request.command,
        paragraphs=(*_preamble(request), *idle_note(rows), *_conclusion(scores)),
        parts=(
            Table("scores", "Table II, the paper's number beside ours", COLUMNS, shown, note=NOTE),
            *table_2_evidence(rows, {key: score.seeds for key, score in scores.items()}),
            *_charts(scores),
        ),
    )


COLUMNS = (
    "game", "method", "the paper", "ours: median of seeds, redrawn", "from", "to", "verdict", "the paper's deviation",
    "mean of all games, redrawn", "mean from", "mean to", "median of seeds, fixed", "fixed from", "fixed to", "seeds",
    "training games per seed", "steps, median", "scoring games in all",
)  # fmt: skip
NOTE = (
    "Medians over training seeds with an interval for the true median (order statistics); means of all scoring games "
    "with an anytime-valid 95 % interval, which says nothing about the spread over seeds. The verdict compares our "
    "median with the paper's number: `higher` and `lower` if the interval over seeds is clear of that number, `above` "
    "and `below` if it is not (or there are fewer than six seeds)."
)


def _line(
    line: Line, method: str, scores: dict[tuple[str, str, str], CellScore], runs: Sequence[Row]
) -> tuple[Cell, ...]:
    redrawn, fixed = (scores[line.game, method, against] for against in BASELINES)
    paper = line.scores.get(method)
    return (
        line.title, method, paper.score if paper else None, *redrawn.over_seeds[:3], verdict(line, method, redrawn),
        paper.deviation if paper else None, redrawn.mean, *redrawn.interval, *fixed.over_seeds[:3], len(runs),
        runs[0]["games"], float(np.median([run["steps"] for run in runs])), redrawn.games,
    )  # fmt: skip


def _preamble(request: PaperRequest) -> Iterator[str]:
    count, fewer = (len(seeds_of(request, game)) for game in ("", SLOW[0]))
    slow = ", ".join(line.title for line in LINES if line.game in SLOW)
    few = f" ({fewer} for {slow}, which are slow)" if slow and fewer < count else ""
    yield (
        "Each training run has a budget of games instead of the paper's 24 hours; comparisons are made by "
        f"the {request.race} race, which promises what the paper's race promises (error 5 %, precision 0.01) for fewer "
        f"games. Training seeds for every cell: {count}{few}; the paper had one."
    )
    yield (
        "Scores can be compared with the paper's for War, Batawaf, Guess Who, Morra, Nim and the two phantom games; "
        "elsewhere the features of the strategies are our reconstruction. The paper does not say which baseline it "
        "used: `redrawn` is a new Gaussian vector for every pair of games, `fixed` one Gaussian vector for each seed. "
        "The naive method is trained against `redrawn`, which judges it; the other four train against each other or "
        "themselves."
    )
    if request.quick:
        out = ", ".join(NO_QUICK_TRAINING)
        yield (
            f"This is the quick version. Left out: {FULL_SEEDS - count} of {FULL_SEEDS} seeds, {1 - QUICK:.0%} of the "
            f"games (but for training by the method of seeds), and for {out} all methods but that of seeds."
        )


def _conclusion(scores: dict[tuple[str, str, str], CellScore]) -> Iterator[str]:
    words = []
    for line in LINES:
        if line.comparable and SEEDS in line.scores and (line.game, SEEDS, "redrawn") in scores:
            ours = scores[line.game, SEEDS, "redrawn"]
            low, high = ours.over_seeds[1:3]
            words.append(
                f"{line.title} {ours.over_seeds.median:.4f} [{low:.4f}, {high:.4f}] v {line.scores[SEEDS].score:g} "
                f"({verdict(line, SEEDS, ours)})"
            )
    yield "The method of seeds, ours v the paper's, where they can be compared: " + "; ".join(words) + "."


def _charts(scores: dict[tuple[str, str, str], CellScore]) -> Iterator[Chart]:
    """Yield a panel per method: the median of its seeds in every game, with its interval, and the paper's score."""
    for method in METHODS:
        lines = [line for line in LINES if (line.game, method, "redrawn") in scores]
        series = []
        for against in BASELINES:
            points = [(line.title, *scores[line.game, method, against].over_seeds[:3]) for line in lines]
            series.append(Series.of(f"ours, {against}", points))
        paper = [(line.title, line.scores[method].score) for line in lines if method in line.scores]
        series.append(Series.of("the paper", paper))
        yield Chart(method, method, "game", "score", series, kind="dots", group="methods")


EXPERIMENTS = (PaperPart("table2", CAUWET, batches, report, place=1),)
