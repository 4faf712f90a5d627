"""Beyond Table II: our methods beside the paper's five, game by game, with the same number of games each."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from ..runs.jobs import Row
from ..runs.kinds.experiment import Batches, Experiment, Request
from ..runs.report import Cell, Chart, Report, Series, Table
from .published import CAUWET, LINES, METHODS, Line
from .table2 import Score, scores_of, seeds_of
from .table2 import batches as batches_of

OURS = ("elitist", "duel", "halving", "reply", "psro", "portfolio", *(("cma",) if find_spec("cma") else ()))
JUDGED = "redrawn"
"""The baseline that only `reply` trains against."""


def batches(request: Request) -> Batches:
    """As Table II, whose training runs are recalled if they are in the store."""
    return batches_of(request, (*METHODS, *OURS))


Scores = dict[tuple[str, str, str], Score]


def report(request: Request, rows: Sequence[Row]) -> Report:
    """Who is best in each game, and every score."""
    scores = scores_of(rows)
    lines = [line for line in LINES if any(game == line.game for game, _, _ in scores)]
    best = [_best(line, scores) for line in lines if _of(line, OURS, scores)]  # a quick run leaves some games out
    return Report(
        name=request.name,
        title="Beyond Table II: our methods and the paper's with the same number of games",
        command=request.command,
        paragraphs=(
            "Every method has the same budget of games (the paper's method of seeds more in some games, see Table "
            f"II); training seeds: {len(seeds_of(request))}. Scores are those of "
            "fresh games against Gaussian vectors that are redrawn for every pair of games, which only `reply` "
            "trains against. A mixture plays one of its members, drawn before every pair of games.",
        ),
        parts=(
            Table("best", "The best of ours and the best of the paper's", BEST, best),
            Table("scores", "All methods", SCORES, list(_lines(lines, scores)), note=NOTE),
            *_charts(lines, scores),
        ),
    )


BEST = (
    "game", "best of the paper's", "its mean", "from", "to", "best of ours", "its mean, ours", "ours from", "ours to",
    "difference", "verdict",
)  # fmt: skip
SCORES = ("game", "method", "mean", "from", "to", "median of seeds", "lowest", "highest", "against fixed", "games")
NOTE = "Means with an anytime-valid 95 % interval over games; lowest and highest are over training seeds."


def verdict(new: Score, old: Score) -> str:
    """What a score is beside another one: better or worse if their intervals are clear of each other."""
    if new.interval[0] > old.interval[1]:
        return "better"
    return "worse" if new.interval[1] < old.interval[0] else "as good"


def _of(line: Line, methods: Sequence[str], scores: Scores) -> dict[str, Score]:
    return {m: scores[line.game, m, JUDGED] for m in methods if (line.game, m, JUDGED) in scores}


def _best(line: Line, scores: Scores) -> tuple[Cell, ...]:
    theirs, ours = (_of(line, methods, scores) for methods in (METHODS, OURS))
    first, second = (max(found, key=lambda method: found[method].mean) for found in (theirs, ours))
    old, new = theirs[first], ours[second]
    return (
        line.title, first, old.mean, *old.interval, second, new.mean, *new.interval, new.mean - old.mean,
        verdict(new, old),
    )  # fmt: skip


def _lines(lines: Sequence[Line], scores: Scores) -> Iterator[tuple[Cell, ...]]:
    for line in lines:
        for method, score in _of(line, (*METHODS, *OURS), scores).items():
            fixed = scores[line.game, method, "fixed"].mean
            middle, ends = score.over_seeds.median, (min(score.seeds), max(score.seeds))
            yield (line.title, method, score.mean, *score.interval, middle, *ends, fixed, score.games)


def _charts(lines: Sequence[Line], scores: Scores) -> Iterator[Chart]:
    for line in lines:
        found = _of(line, (*METHODS, *OURS), scores)
        points = [(method, score.mean, min(score.seeds), max(score.seeds)) for method, score in found.items()]
        series = [
            Series.of("the paper's", [point for point in points if point[0] in METHODS]),
            Series.of("ours", [point for point in points if point[0] not in METHODS]),
        ]
        yield Chart(line.game, line.title, "", "score", series, kind="dots", group="games")


EXPERIMENTS = (Experiment("beyond", CAUWET, batches, report, place=4),)
