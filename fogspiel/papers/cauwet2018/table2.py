"""Table II of Cauwet & Teytaud (2018): what each method finds, scored against the baseline, from many training seeds.

The paper does not say what its baseline is. Every result is scored against a Gaussian vector that is redrawn for every
pair of games (`redrawn`) and against one that was drawn once from the run's seed (`fixed`). The naive method, which in
the paper's words optimises the target criterion, is trained against the first; the others never meet a baseline.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ...core.agents import decode_policy, encode_policy, named_policy, policy_json_in
from ...core.find import unknown
from ...core.game import known_game
from ...runs.kind import Job, Row, rows_by
from ...runs.report import Cell, Chart, Part, Report, Series, Table
from ...runs.requests import PaperRequest
from ...stats.evaluate import Spread, evaluate, median_interval, report_key
from ...stats.race import Race, interval, mean
from ...tuning.methods import find_tune_method
from ...tuning.tune import tune_strategy
from ..claims import (
    ERROR,
    Claim,
    Clause,
    Evidence,
    Verdict,
    claim_table,
    error_per_clause,
    fact,
    median_of,
    missing,
    printed,
    share_of,
)
from ..kinds import Batches, PaperPart, any_number
from .figure1 import CAUWET
from .printed_tables import LINES, METHODS, NAIVE, RECONSTRUCTED, SEEDS, Line
from .section2 import games_between_equals, slow_near_certainty

TRAINED, SCORED = "trained", "scored"  # labels of the two sorts of jobs in rows
BASELINES = ("redrawn", "fixed")
# Methods that train against a baseline: the one that scores them. The others only play against each other.
TRAINED_AGAINST = {NAIVE: "redrawn", "reply": "redrawn", "auto": "redrawn"}
FULL_SEEDS, QUICK_SEEDS = 10, 3
FAR = 0.05  # difference of scores that counts as far; in the paper's table the method of seeds is up to 0.046 behind
QUICK = 0.1  # the share of games that a quick run plays
# Games with a limited number of training seeds: they are slow, and their figures cannot be compared anyway.
SLOW, SLOW_SEEDS = ("cheat", "cheat-special", "flip", "four-in-a-row", "battleship"), 3
SOLVED = "four-in-a-row"  # the paper's exception: won every game against the baseline
NO_QUICK_TRAINING = {"battleship"}  # games too slow for the evolutionary methods in a quick run
# Minimum number of steps for the estimate of the cost of a cell without steps.
FEW_STEPS = 20


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
    if request.games is not None:
        return request.games
    if method == SEEDS:
        return _scale(usual.seeds or usual.training, request.scale)
    return _scale(usual.training, request.scale * (QUICK if request.quick else 1.0))


def scoring_games(game: str, request: PaperRequest) -> int:
    return request.score_games or _scale(
        BUDGETS.get(game, DEFAULT).scoring, request.scale * (QUICK if request.quick else 1.0)
    )


def _scale(games: int, share: float) -> int:
    return max(2, round(games * share))


def seeds_of(request: PaperRequest, game: str, method: str = "") -> range:
    """Return the training seeds of a game, the same ones for every method."""
    count = request.seeds or (QUICK_SEEDS if request.quick else FULL_SEEDS)
    slow = game in SLOW and request.only is None
    return range(request.seed, request.seed + (min(count, SLOW_SEEDS) if slow else count))


def lines_of(request: PaperRequest) -> list[Line]:
    only = request.names("only")
    return [line for line in LINES if only is None or line.game in only]


def methods_of(request: PaperRequest, usual: Sequence[str] = METHODS) -> Sequence[str]:
    return request.names("methods") or usual


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
        for line in lines_of(request)
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
    """Yield the training runs, then the games that score them."""
    found = yield training_jobs(request, methods_of(request))
    yield scoring_jobs(request, found, BASELINES)


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
        race = next(row["race"] for row in rows if row["job"] == TRAINED)
        equal = games_between_equals(race)
        power = 10 ** (len(str(FEW_STEPS * equal)) - 1)
        yield (
            f"Left out, because a run that makes no step within its budget is no result: {'; '.join(words)}. A {race} "
            f"race between equal players takes about {equal:,} games where there are no draws, so {FEW_STEPS} steps "
            f"would need up to {-(-FEW_STEPS * equal // power) * power:,} games per run."
        )


class CellScore(NamedTuple):
    """Score of a method's runs against a baseline: each seed's mean, their spread, and the mean of all games."""

    seeds: tuple[float, ...]
    over_seeds: Spread
    mean: float
    interval: tuple[float, float]
    games: int

    @property
    def shown(self) -> tuple[float, float | None, float | None]:
        """Median of the seeds and the limits of its interval, which one seed does not have."""
        median, low, high, _ = self.over_seeds
        return (median, low, high) if len(self.seeds) > 1 else (median, None, None)


def score_of(rows: Sequence[Row]) -> CellScore:
    pooled = np.sum([row["observed"] for row in rows], axis=0)
    each = tuple(mean(np.array(row["observed"])) for row in rows)
    return CellScore(
        each, median_interval(each), mean(pooled), interval(pooled), sum(sum(row["outcomes"]) for row in rows)
    )


Scores = dict[tuple[str, str, str], CellScore]  # by game, method and baseline


def scores_of(rows: Sequence[Row]) -> Scores:
    scored = rows_by([row for row in rows if row["job"] == SCORED], "game", "method", "against")
    return {(game, method, against): score_of(found) for (game, method, against), found in scored.items()}


def cell_clause(line: Line, method: str, scores: Scores) -> Clause:
    """Return the clause that the median of our seeds is the printed score, within three of its printed deviations."""
    paper, ours = line.scores[method], scores.get((line.game, method, "redrawn"))
    if not line.comparable or paper.deviation is None:
        found = missing("not comparable")
    else:
        found = median_of(ours.seeds) if ours else missing()
    return printed(method, found, paper.score, paper.deviation or 0.0)


def verdict(line: Line, method: str, scores: Scores, error: float = ERROR) -> str:
    """Compare the median of our seeds with the paper's number and its deviation."""
    if method not in line.scores:
        return str(Verdict.NEW)
    return str(cell_clause(line, method, scores).verdict(error)) if line.comparable else "not comparable"


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    steps = {(row["game"], row["method"], row["seed"]): row for row in rows if row["job"] == TRAINED}
    scores = scores_of(rows)
    lines, methods = lines_of(request), methods_of(request)
    found = claims(request, rows)
    cells = [(line, method) for line in lines for method in methods if (line.game, method, "redrawn") in scores]
    shown = [
        _line(line, method, scores, [steps[line.game, method, seed] for seed in seeds_of(request, line.game)],
              error_per_clause(found))
        for line, method in cells
    ]  # fmt: skip
    return Report(
        name=request.name,
        title="Table II: scores against the baseline",
        command=request.command,
        paragraphs=(*_preamble(request), *idle_note(rows), *_conclusion(lines, scores)),
        parts=(
            Table("scores", "Table II, the paper's number beside ours", COLUMNS, shown, note=NOTE),
            claim_table(found, "Claims of Table II and section VI"),
            *_charts(lines, methods, scores),
        ),
    )


COLUMNS = (
    "game", "method", "the paper", "ours: median of seeds, redrawn", "from", "to", "verdict", "the paper's deviation",
    "mean of all games, redrawn", "mean from", "mean to", "median of seeds, fixed", "fixed from", "fixed to", "seeds",
    "training games per seed", "steps, median", "scoring games in all",
)  # fmt: skip
NOTE = (
    "Medians over training seeds with an interval for the true median (order statistics); means of all scoring games "
    "with an anytime-valid 95 % interval, which says nothing about the spread over seeds. The verdict: the paper's "
    "number holds if the interval over seeds lies within three of its printed deviations, does not hold if it is clear "
    "of them, and is open otherwise. The intervals of the verdicts hold together with 95 % over all claims of the "
    "table, so fewer than some twelve seeds decide nothing; those of the columns are 95 % each."
)


def _line(line: Line, method: str, scores: Scores, runs: Sequence[Row], error: float) -> tuple[Cell, ...]:
    redrawn, fixed = (scores[line.game, method, against] for against in BASELINES)
    paper = line.scores.get(method)
    return (
        line.title, method, paper.score if paper else None, *redrawn.shown, verdict(line, method, scores, error),
        paper.deviation if paper else None, redrawn.mean, *redrawn.interval, *fixed.shown, len(runs),
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


def _conclusion(lines: Sequence[Line], scores: Scores) -> Iterator[str]:
    words = []
    for line in lines:
        if line.comparable and SEEDS in line.scores and (line.game, SEEDS, "redrawn") in scores:
            median, low, high = scores[line.game, SEEDS, "redrawn"].shown
            limits = "" if low is None else f" [{low:.4f}, {high:.4f}]"
            paper = line.scores[SEEDS]
            words.append(f"{line.title} {median:.4f}{limits} v {paper.score:g} +- {paper.deviation:g}")
    if words:
        yield "The method of seeds, ours v the paper's, where they can be compared: " + "; ".join(words) + "."


def _charts(lines: Sequence[Line], methods: Sequence[str], scores: Scores) -> Iterator[Part]:
    """Yield a panel per method: the median of its seeds in every game, with its interval, and the paper's score."""
    for method in methods:
        measured = [line for line in lines if (line.game, method, "redrawn") in scores]
        if not measured:
            yield f"There is no panel of {method}: this run has no result of it."
            continue
        series = []
        for against in BASELINES:
            points = [(line.title, *scores[line.game, method, against].shown) for line in measured]
            series.append(Series.of(f"ours, {against}", points))
        paper = [(line.title, line.scores[method].score) for line in measured if method in line.scores]
        series += [Series.of("the paper", paper)] if paper else []
        yield Chart(method, method, "game", "score", series, kind="dots", group="methods")


# The claims


class Tables:
    """Our Table II once per game and training seed, as the paper trained once: scores against redrawn vectors."""

    def __init__(self, request: PaperRequest, rows: Sequence[Row]) -> None:
        self.by: dict[tuple[str, int], dict[str, float]] = {}
        games = {line.game for line in lines_of(request)}
        for row in rows:
            if (
                row["job"] == SCORED
                and row["against"] == "redrawn"
                and row["game"] in games
                and row["method"] in METHODS
            ):
                self.by.setdefault((row["game"], row["seed"]), {})[row["method"]] = mean(np.array(row["observed"]))

    def share(
        self, method: str, event: Callable[[dict[str, float]], bool], games: Callable[[str], bool] = bool
    ) -> Evidence:
        """Return the share of tables with an event, of those of some games with this method and another."""
        found = (scores for (game, _), scores in self.by.items() if games(game) and method in scores)
        return share_of(event(scores) for scores in found if len(scores) > 1)


def is_best(method: str, table: dict[str, float]) -> bool:
    return table[method] == max(table.values())


def claims(request: PaperRequest, rows: Sequence[Row]) -> list[Claim]:
    scores, tables = scores_of(rows), Tables(request, rows)
    found = [*_printed(scores), *_captions(tables), _battleship(rows, scores)]
    return [*found, *slow_near_certainty(request.race)]


def _printed(scores: Scores) -> Iterator[Claim]:
    """Yield a claim per line of the table, a clause for each of its numbers."""
    for line in LINES:
        clauses = tuple(cell_clause(line, method, scores) for method in line.scores)
        numbers = ", ".join(f"{method} {score:g} +- {error or 0:g}" for method, (score, error) in line.scores.items())
        yield Claim(
            "IV, table II", f"{line.title}: scores of the methods against the baseline",
            f"{line.game}, a Gaussian baseline redrawn for every pair", clauses, numbers,
            RECONSTRUCTED.get(line.game, ""),
        )  # fmt: skip


def _captions(tables: Tables) -> Iterator[Claim]:
    subject = "one table per game and training seed"
    others = tables.share(NAIVE, lambda table: max(table[one] for one in table if one != NAIVE) >= table[NAIVE])
    yield Claim(
        "IV, table II", "Other methods are competitive with naive, which optimises the criterion directly", subject,
        (Clause("share in which another method scores at least as much", others, least=0.5),),
        note="competitive: in half of the tables or more",
    )  # fmt: skip
    far = tables.share(SEEDS, lambda table: max(table.values()) > table[SEEDS] + FAR, lambda game: game != SOLVED)
    yield Claim(
        "VI-A", "The method of seeds is never far from the best, four in a row excepted", subject,
        (Clause("share in which it is far behind", far, most=1 / 13),), "0 of 13 games",
        f"far: more than {FAR:g}; never: less than once in 13 games",
    )  # fmt: skip
    best = {one: tables.share(one, partial(is_best, one)) for one in METHODS}
    yield Claim(
        "VI-A", "No method is superior to the others", subject,
        tuple(Clause(method, share, most=0.5) for method, share in best.items()),
        note="superior: the best in more than half of the tables",
    )  # fmt: skip
    nim = tables.share(SEEDS, partial(is_best, SEEDS), lambda game: game == "nim")
    yield Claim(
        "VI-A", "The method of seeds works where nothing works: it is the best at Nim", "nim, one table per seed",
        (Clause("share in which it is the best", nim, least=0.5, strict=True),), "0.74, the next 0.669",
    )  # fmt: skip


def _battleship(rows: Sequence[Row], scores: Scores) -> Claim:
    found, idle = scores.get(("battleship", SEEDS, "redrawn")), idle_cells(rows)
    tried = {row["method"] for row in rows if row["job"] == TRAINED and row["game"] == "battleship"} - {SEEDS}
    steps = [method for method in METHODS if method in tried and ("battleship", method) not in idle]
    alone = fact("others make no step", not steps, f"steps of {', '.join(steps) or 'none'}")
    return Claim(
        "VI-A", "The method of seeds works where nothing works: Battleship", "battleship",
        (Clause("score of seeds", median_of(found.seeds) if found else missing(), least=0.5, strict=True),
         alone if tried else Clause("others make no step", missing())),
        "0.77; too expensive for the others", "our Battleship is faster than the paper's 54 games in 24 hours",
    )  # fmt: skip


def check_game(name: str) -> None:
    if name not in (known := [line.game for line in LINES]):
        raise unknown("game of the tables", name, known)


SELECTS = {"only": check_game, "methods": find_tune_method, "games": any_number, "score_games": any_number}
EXPERIMENTS = (PaperPart("table2", CAUWET, batches, report, place=2, claims=claims, selects=SELECTS),)
