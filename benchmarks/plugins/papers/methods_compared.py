"""Beyond Table II: our methods beside the paper's five, game by game, with the same number of games each.

An experiment of a plug-in folder: `fogspiel --plugins benchmarks/plugins paper beyond --seeds 3`.
"""

from collections.abc import Iterator, Sequence

from fogspiel.papers.cauwet2018.figure1 import CAUWET
from fogspiel.papers.cauwet2018.printed_tables import LINES, METHODS, Line
from fogspiel.papers.cauwet2018.table2 import QUICK_SEEDS, CellScore, idle_note, scores_of, scoring_jobs, training_jobs
from fogspiel.papers.kinds import Batches, PaperPart
from fogspiel.runs.kind import Row
from fogspiel.runs.report import Cell, Chart, Report, Series, Table
from fogspiel.runs.requests import PaperRequest

# Not all: `elitist` and `cma` were the best in no game of earlier runs, and the others are relatives of these.
OURS = ("auto", "duel", "spsa", "halving", "reply", "psro", "portfolio")
"""Methods of the package that are not the paper's."""
DEFAULT = OURS[0]
"""Default method of the package."""
JUDGED = "redrawn"
"""Baseline of all scores, and training opponent of `naive`, `reply` and `auto`."""
REPORTED = 401
"""First training seed of our methods, which were developed on smaller ones."""
SLOW = (
    "batawaf", "batawaf4", "war", "war4", "cheat", "cheat-special", "flip", "four-in-a-row", "battleship",
)  # fmt: skip
"""Games that have fewer training seeds."""
FAST_SEEDS = 6  # training seeds of the other games


def seeds_of(request: PaperRequest, game: str, method: str) -> range:
    """Return the training seeds: the requested number, else few for slow games and more for the others.

    Those of the paper's methods are Table II's, whose runs are recalled if they are in the store.
    """
    count = request.seeds or (QUICK_SEEDS if request.quick or game in SLOW else FAST_SEEDS)
    first = request.seed if method in METHODS else REPORTED - 1 + request.seed
    return range(first, first + count)


def batches(request: PaperRequest) -> Batches:
    """Yield the jobs of Table II, ours on other seeds, with one baseline only; game by game, slow ones last."""
    for line in sorted(LINES, key=lambda line: line.game in SLOW):
        found = yield training_jobs(request, (*METHODS, *OURS), seeds_of, (line.game,))
        yield scoring_jobs(request, found, (JUDGED,))


Scores = dict[tuple[str, str, str], CellScore]


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    scores = scores_of(rows)
    lines = [line for line in LINES if any(game == line.game for game, _, _ in scores)]
    best = [_best(line, scores) for line in lines if _of(line, OURS, scores)]  # a quick run leaves some games out
    return Report(
        name=request.name,
        title="Beyond Table II: our methods and the paper's with the same number of games",
        command=request.command,
        paragraphs=(*_preamble(request), *_missing(lines), *idle_note(rows), *_conclusion(best)),
        parts=(
            Table("best", "The best of ours and the best of the paper's", BEST, best, note=BEST_NOTE),
            Table("scores", "All methods", SCORES, list(_lines(lines, scores)), note=NOTE),
            *_charts(lines, scores),
        ),
    )


BEST = (
    "game", "best of the paper's", "its mean", "from", "to", "best of ours", "its mean, ours", "ours from", "ours to",
    "difference", "verdict", DEFAULT, f"{DEFAULT} from", f"{DEFAULT} to", f"{DEFAULT} less the best",
    f"{DEFAULT}: verdict", "seeds",
)  # fmt: skip
BEST_NOTE = (
    "The verdicts are beside the best of the paper's methods. `better` or `worse`: the intervals over training seeds "
    "(from, to) are clear of each other, and so are the intervals over games; else `not told apart`. The interval over "
    "seeds is that of the median (95 %); with fewer than six seeds it is the whole range, so that all seeds of one are "
    "above all of the other, which chance alone brings about in one of ten cases for three seeds each. The best of "
    f"several is chosen by the same games that judge it, on both sides; `{DEFAULT}` stands alone, and `{DEFAULT} less "
    "the best` is its mean less that of the best of all the others."
)
SCORES = (
    "game", "method", "mean", "mean from", "mean to", "median of seeds", "from", "to", "lowest", "highest", "seeds",
    "games",
)  # fmt: skip
NOTE = (
    "Means with an anytime-valid 95 % interval over games; medians with the interval over training seeds; lowest and "
    "highest are of training seeds."
)


def _preamble(request: PaperRequest) -> Iterator[str]:
    counts: dict[int, list[str]] = {}
    for line in LINES:
        counts.setdefault(len(seeds_of(request, line.game, DEFAULT)), []).append(line.title)
    words = [f"{count} for {', '.join(titles)}" for count, titles in counts.items()]
    seeds = str(next(iter(counts))) if len(counts) == 1 else "; ".join(words)
    yield (
        "Every method has the same budget of games (the paper's method of seeds more in some games, see Table II). "
        f"Training seeds: {seeds}; those of the paper's methods are the runs of Table II from seed {request.seed} on, "
        f"ours begin with {REPORTED - 1 + request.seed}, because our methods were developed on smaller ones. "
        "Scores are those of fresh games against Gaussian vectors that are redrawn for every pair of games. That is "
        f"what `naive` of the paper's methods trains against, and `reply` and `{DEFAULT}` of ours; the others never "
        "meet it. A mixture plays one of its members, drawn before every pair of games."
    )


def _missing(lines: Sequence[Line]) -> Iterator[str]:
    left = [line.title for line in LINES if line not in lines]
    if left:
        yield f"Not measured in this run: {', '.join(left)}."


def _conclusion(best: Sequence[tuple[Cell, ...]]) -> Iterator[str]:
    """State the number of games in which ours is better, by the verdicts of the table."""
    told, alone = BEST.index("verdict"), BEST.index(f"{DEFAULT}: verdict")
    for who, column in (("The best of ours", told), (f"`{DEFAULT}` alone", alone)):
        count = {word: sum(row[column] == word for row in best) for word in ("better", UNTOLD, "worse")}
        words = ", ".join(f"{word} in {number}" for word, number in count.items())
        yield f"{who} beside the best of the paper's, in {len(best)} games: {words}."


UNTOLD = "not told apart"


def verdict(new: CellScore, old: CellScore) -> str:
    """Compare two scores: better or worse if they are separated over seeds and over games."""
    if new.over_seeds.low > old.over_seeds.high and new.interval[0] > old.interval[1]:
        return "better"
    return "worse" if new.over_seeds.high < old.over_seeds.low and new.interval[1] < old.interval[0] else UNTOLD


def _of(line: Line, methods: Sequence[str], scores: Scores) -> dict[str, CellScore]:
    return {m: scores[line.game, m, JUDGED] for m in methods if (line.game, m, JUDGED) in scores}


def _best(line: Line, scores: Scores) -> tuple[Cell, ...]:
    theirs, ours = (_of(line, methods, scores) for methods in (METHODS, OURS))
    first, second = (max(found, key=lambda method: found[method].mean) for found in (theirs, ours))
    old, new, alone = theirs[first], ours[second], ours.get(DEFAULT)
    others = max(score.mean for method, score in (theirs | ours).items() if method != DEFAULT)
    default: tuple[Cell, ...] = (None, None, None, None, None)
    if alone:
        default = (alone.mean, *alone.over_seeds[1:3], alone.mean - others, verdict(alone, old))
    return (
        line.title, first, old.mean, *old.over_seeds[1:3], second, new.mean, *new.over_seeds[1:3], new.mean - old.mean,
        verdict(new, old), *default, len(new.seeds),
    )  # fmt: skip


def _lines(lines: Sequence[Line], scores: Scores) -> Iterator[tuple[Cell, ...]]:
    for line in lines:
        for method, score in _of(line, (*METHODS, *OURS), scores).items():
            ends, count = (min(score.seeds), max(score.seeds)), len(score.seeds)
            yield (line.title, method, score.mean, *score.interval, *score.over_seeds[:3], *ends, count, score.games)


def _charts(lines: Sequence[Line], scores: Scores) -> Iterator[Chart]:
    for line in lines:
        found = _of(line, (*METHODS, *OURS), scores)
        points = [(method, score.mean, min(score.seeds), max(score.seeds)) for method, score in found.items()]
        series = [
            Series.of("the paper's", [point for point in points if point[0] in METHODS]),
            Series.of("ours", [point for point in points if point[0] not in METHODS]),
        ]
        yield Chart(line.game, line.title, "", "score", series, kind="dots", group="games")


EXPERIMENTS = (PaperPart("beyond", CAUWET, batches, report, place=4),)
