"""Table III of Cauwet & Teytaud (2018): what four of the methods find, played against each other."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations

from ...core.agents import vector_policy
from ...core.game import known_game
from ...runs.kind import Job, Row, rows_by
from ...runs.report import Report, Table
from ...runs.requests import PaperRequest
from ...stats.evaluate import evaluate, report_key
from ..kinds import Batches, PaperPart
from .figure1 import CAUWET
from .printed_tables import CROSSED, EVEN, LINES, Line, order_jobs, table_3_evidence
from .table2 import (
    QUICK,
    SLOW_SEEDS,
    CellScore,
    idle_cells,
    idle_note,
    score_of,
    scoring_games,
    seeds_of,
    training_games,
    training_jobs,
)

PLAYED = "crossed"  # label of the games of a pair in rows
EVERY_PAIR = tuple(combinations(CROSSED, 2))
# Two tuned players hardly ever vary: many of their games reach the draw at a million moves.
FAMILY_OF_WAR, FEWER = ("batawaf", "batawaf4", "war", "war4"), 0.25


def play_pair(
    game: str, first: str, second: str, seed: int, games: int, race: str, training: int, thetas: list[list[float]]
) -> Row:
    rules = known_game(game)
    one, other = (vector_policy(rules, theta, name) for theta, name in zip(thetas, (first, second), strict=True))
    score = evaluate(rules, one, other, report_key(seed), games)
    return {"outcomes": list(score.outcomes), "observed": list(score.observed)}


def games_of(game: str, request: PaperRequest) -> int:
    usual = scoring_games(game, request)
    return max(2, round(usual * FEWER)) if game in FAMILY_OF_WAR else usual


def batches(request: PaperRequest) -> Batches:
    """Yield the training runs (those of Table II are recalled), every pair of methods, and named orders of cards."""
    found = yield training_jobs(request, CROSSED)
    runs, idle = {(row["game"], row["method"], row["seed"]): row for row in found}, idle_cells(found)
    games = [line.game for line in LINES if (line.game, CROSSED[0], request.seed) in runs]
    yield [
        Job(
            PLAYED,
            play_pair,
            {"game": game, "first": first, "second": second, "seed": seed, "games": games_of(game, request)}
            | {"race": request.race, "training": training_games(game, first, request)},
            {"thetas": [runs[game, method, seed]["theta"] for method in (first, second)]},
        )
        for game in games
        for first, second in EVERY_PAIR
        if (game, first) not in idle and (game, second) not in idle
        for seed in seeds_of(request, game)
    ]
    yield order_jobs(request, QUICK if request.quick else 1.0, against_redrawn=False)


Matrix = dict[tuple[str, str], CellScore]


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    scores: dict[str, Matrix] = {}
    played = rows_by([row for row in rows if row["job"] == PLAYED], "game", "first", "second")
    for (game, first, second), found in played.items():
        scores.setdefault(game, {})[first, second] = score_of(found)
    lines = [line for line in LINES if line.game in scores]
    pairs = [
        (line.title, first, second, _paper(line, first, second), *score.over_seeds[:3], score.mean, *score.interval)
        for line in lines
        for (first, second), score in scores[line.game].items()
    ]
    winners = [
        (
            line.title,
            "not in the paper" if line.crossed is None else _winners(partial(_paper, line)),
            _winners(partial(_mean, scores[line.game])),
            "yes" if line.comparable else "no",
        )
        for line in lines
        if len(scores[line.game]) == len(EVERY_PAIR)
    ]
    return Report(
        name=request.name,
        title="Table III: four methods against each other",
        command=request.command,
        paragraphs=(*_preamble(request), *idle_note(rows)),
        parts=(
            Table("best", "The best method, as the paper defines it", BEST, winners, note=BEST_NOTE),
            Table("pairs", "All pairs", PAIRS, pairs, note=PAIRS_NOTE),
            *table_3_evidence(rows),
            *(_cross_table(line, scores[line.game]) for line in lines),
        ),
    )


PAIRS = (
    "game", "method", "against", "the paper", "ours, median of seeds", "from", "to", "mean of all games", "mean from",
    "mean to",
)  # fmt: skip
PAIRS_NOTE = (
    "Both players come from the same training seed. The interval of the median is over training seeds, that of the "
    "mean over games only (95 %, valid at any time, one cell at a time)."
)
BEST = ("game", "the paper", "ours", "comparable")
BEST_NOTE = (
    "A method is best if it scores at least one half against each of the three others: the paper on one run of each, "
    "ours by the mean over training seeds. Several methods can be best, or none."
)


def _preamble(request: PaperRequest) -> Iterator[str]:
    yield (
        f"The same training runs as in Table II, from {len(seeds_of(request, ''))} seeds (slow games from at most "
        f"{SLOW_SEEDS}; the paper: one); the results of "
        "two methods from the same seed play fresh games, each deal twice with seats swapped. In War and Batawaf they "
        "are fewer, because games between two tuned players often go on to the draw of a million moves."
    )
    if request.quick:
        yield "This is the quick version: fewer seeds and games, and without Battleship, which is in the full one."


def _paper(line: Line, first: str, second: str) -> float | None:
    return None if line.crossed is None else line.crossed[CROSSED.index(first)][CROSSED.index(second)]


def _mean(scores: Matrix, first: str, second: str) -> float | None:
    """Return the first method's mean score against the second, in either order; None if they were not played."""
    if first == second:
        return EVEN
    if (first, second) in scores:
        return scores[first, second].mean
    return 1 - scores[second, first].mean if (second, first) in scores else None


def _winners(score: Callable[[str, str], float | None]) -> str:
    best = [one for one in CROSSED if all((score(one, other) or 0.0) >= EVEN for other in CROSSED)]
    return ", ".join(best) or "none"


def _cross_table(line: Line, scores: Matrix) -> Table:
    def cell(first: str, second: str) -> str:
        paper, ours = _paper(line, first, second), _mean(scores, first, second)
        return ("" if ours is None else f"{ours:.4f}") + ("" if paper is None else f" ({paper:g})")

    rows = [(first, *(cell(first, second) for second in CROSSED)) for first in CROSSED]
    note = "Mean over seeds, the paper's in brackets." + ("" if line.comparable else " Not comparable.")
    return Table(f"cross-{line.game}", line.title, ("method", *(f"v {name}" for name in CROSSED)), rows, note=note)


EXPERIMENTS = (PaperPart("table3", CAUWET, batches, report, place=2),)
