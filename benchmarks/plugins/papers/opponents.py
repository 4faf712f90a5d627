"""The opponents behind Tables II and III of Cauwet & Teytaud (2018): named orders of cards, and games without luck.

The tables do not say what their baseline was, nor which deck War has. Orders that have names play fresh games, and a
figure of the paper that is theirs says who met whom.

A plug-in: `fogspiel --plugins benchmarks/plugins paper opponents`.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median

from fogspiel.core.agents import find_policy, named_policy
from fogspiel.core.game import known_game
from fogspiel.papers.cauwet2018 import table2
from fogspiel.papers.cauwet2018.figure1 import CAUWET
from fogspiel.papers.cauwet2018.printed_tables import APPROXIMATE, CROSSED, ITERATIVE, LINES, METHODS, NAIVE, REAL, Line
from fogspiel.papers.cauwet2018.section5 import (
    DECKS,
    PAPER_GAMES,
    SUSPICIOUS,
    WAR,
    errors_apart,
    paper_error,
    score_of,
)
from fogspiel.papers.kinds import Batches, PaperPart, any_number
from fogspiel.runs.kind import Job, Row
from fogspiel.runs.report import Cell, Part, Report, Table
from fogspiel.runs.requests import PaperRequest
from fogspiel.stats.evaluate import MatchResult, evaluate, report_key

ORDERED = "ordered"  # label of the games of named orders in rows
ORDERS = ("descending", "ascending", "random")
REDRAWN = "redrawn"
EVIDENCE_DECKS = ("batawaf", "war")
OTHER_DECK = "war56"
EVIDENCE_GAMES = 200_000  # games of a pair of orders: a standard error of at most 0.0011
# Games in which two vectors always play the same two games: a pair scores a multiple of a quarter.
WITHOUT_LUCK = ("nim", "permutation-four", "permutation-ttt")
TOLERANCE = 0.005  # most that a printed figure may be from a multiple of a quarter: more than any of their deviations
ALIKE = 0.002  # figures that are no farther apart count as those of the same player
CROSSED_READINGS = (
    ("batawaf", NAIVE, REAL, "descending", "random"),
    ("batawaf", ITERATIVE, REAL, "descending", "random"),
    ("batawaf", APPROXIMATE, REAL, "descending", "random"),
    ("war", ITERATIVE, APPROXIMATE, "descending", "ascending"),
    ("war", ITERATIVE, REAL, "descending", "random"),
    ("war", APPROXIMATE, REAL, "ascending", "random"),
)  # figures of Table III between methods that found an order by Table II, or seem to: the presumed opponents
Seeds = Mapping[tuple[str, str, str], Sequence[float]]  # the scores of our training seeds by game, method and baseline


def play_orders(game: str, first: str, second: str, seed: int, games: int) -> Row:
    rules = known_game(game)
    other = named_policy(rules, second, seed)
    score = evaluate(rules, find_policy(rules, first), other, report_key(seed), games)
    return {"outcomes": list(score.outcomes), "observed": list(score.observed)}


def order_jobs(request: PaperRequest, share: float, against_redrawn: bool = True) -> list[Job]:
    """Pair every order with redrawn vectors, or every two orders with each other, then with another deck too."""
    decks = EVIDENCE_DECKS if against_redrawn else (*EVIDENCE_DECKS, OTHER_DECK)
    pairs = [(order, REDRAWN) for order in ORDERS] if against_redrawn else combinations(ORDERS, 2)
    games = request.score_games or max(2, round(EVIDENCE_GAMES * request.scale * share))
    return [
        Job(ORDERED, play_orders, {"game": deck, "first": one, "second": other, "seed": request.seed, "games": games})
        for one, other in pairs
        for deck in decks
    ]


def _scores(rows: Sequence[Row]) -> dict[tuple[str, str, str], MatchResult]:
    return {(row["game"], row["first"], row["second"]): score_of(row) for row in rows if row["job"] == ORDERED}


def _line(game: str) -> Line:
    return next(line for line in LINES if line.game == game)


# Table II


def table_2_evidence(rows: Sequence[Row], seeds: Seeds) -> Iterator[Part]:
    orders = _scores(rows)
    yield from _nearest_orders(orders)
    yield from _higher(orders, seeds)
    yield from _quarters(seeds)


def _nearest_orders(orders: Mapping[tuple[str, str, str], MatchResult]) -> Iterator[Part]:
    """Compare every figure of War and Batawaf with the order of the nearest score against redrawn vectors."""
    lines: list[tuple[Cell, ...]] = []
    fits: list[str] = []
    for line in map(_line, EVIDENCE_DECKS):
        for method, (paper, deviation) in line.scores.items():
            order = min(ORDERS, key=lambda order: abs(orders[line.game, order, REDRAWN].mean - paper))
            score = orders[line.game, order, REDRAWN]
            errors = errors_apart(score, paper, deviation)
            lines.append((line.title, method, paper, deviation, order, score.mean, *score.interval, *_told(errors)))
            if errors < SUSPICIOUS:
                fits.append(f"{line.title} {method} {paper:g} ({order} order: {score.mean:.4f})")
    note = (
        f"Ours: {orders['war', 'descending', REDRAWN].games:,} "
        "fresh games of that order against Gaussian vectors redrawn for every pair of games, War with 13 values of 4. "
        f"A figure fits if it is less than {SUSPICIOUS:g} standard errors from ours (the paper's deviation, our own "
        "error and the rounding together). Vectors between the three orders get scores between theirs, so a lone "
        "figure that fits none contradicts nothing."
    )
    yield Table("orders", "War and Batawaf: the nearest order of cards", NEAREST, lines, note)
    yield f"Figures of Table II that are those of an order of cards: {'; '.join(fits) or 'none'}."


NEAREST = (
    "game", "method", "the paper", "its deviation", "nearest order", "ours", "from", "to", "standard errors apart",
    "verdict",
)  # fmt: skip


def _told(errors: float) -> tuple[float, str]:
    return errors, "fits" if errors < SUSPICIOUS else "does not fit"


def _higher(orders: Mapping[tuple[str, str, str], MatchResult], seeds: Seeds) -> Iterator[str]:
    """Explain our higher scores at War and Batawaf."""
    words = []
    for line in map(_line, EVIDENCE_DECKS):
        ours = seeds.get((line.game, NAIVE, REDRAWN), ())
        best = orders[line.game, "descending", REDRAWN].mean
        found = f", what our naive method finds {median(ours):.4f} (median of {len(ours)} seeds)" if ours else ""
        words.append(f"in {line.title} descending order scores {best:.4f}{found}")
    yield (
        "That ours scores more at War and Batawaf is the opponent's doing, not better tuning: against redrawn vectors "
        + "; ".join(words)
        + ". The paper knew descending order (its section V) and found no better one either."
    )
    batawaf, score = _line("batawaf"), orders["batawaf", "descending", REDRAWN]
    alike = {m: cell for m, cell in batawaf.scores.items() if abs(cell.score - batawaf.scores[NAIVE].score) < ALIKE}
    shared = median(cell.score for cell in alike.values())
    if all(errors_apart(score, *cell) >= SUSPICIOUS for cell in alike.values()):
        yield (
            f"What stays unexplained is Batawaf's {shared:.3f}, which {len(alike)} of the paper's methods share to "
            f"{ALIKE:g} ({', '.join(alike)}): no order gets that against redrawn vectors, and descending order gets "
            f"{score.mean:.4f}."
        )


def _quarters(seeds: Seeds) -> Iterator[str]:
    """Explain why the baseline of the games without luck was not one vector."""
    printed, broken, ours = 0, [], []
    for line in map(_line, WITHOUT_LUCK):
        scores = [cell.score for cell in line.scores.values()]
        odd = [score for score in scores if abs(4 * score - round(4 * score)) > 4 * TOLERANCE]
        printed += len(scores)
        broken += [f"{line.title} {', '.join(f'{score:g}' for score in odd)}"] if odd else []
        ours += [score for method in METHODS for score in seeds.get((line.game, method, "fixed"), ())]
    whole = sum(4 * score == round(4 * score) for score in ours)
    yield (
        "In games without luck two vectors always play the same two games, so against one fixed vector a score is a "
        f"multiple of 1/4: {whole} of our {len(ours)} scores against `fixed` are. Of the {printed} figures that the "
        f"paper prints for such games most are not ({'; '.join(broken)}). This excludes a baseline that is one fixed "
        "vector."
    )


# Table III


def table_3_evidence(rows: Sequence[Row]) -> Iterator[Part]:
    orders = _scores(rows)
    lines: list[tuple[Cell, ...]] = []
    for game, one, other, first, second in CROSSED_READINGS:
        paper = _crossed(game, one, other)
        for deck in (game, *((OTHER_DECK,) if game == "war" else ())):
            score = orders[deck, first, second]
            errors, judged = _told(errors_apart(score, paper, paper_error(score)))
            ours = f"{first} v {second}", score.mean, *score.interval
            lines.append((_line(game).title, one, other, paper, DECKS[deck], *ours, errors, judged))
    note = (
        f"Ours: fresh games between two orders. The paper's standard error is taken as that of {PAPER_GAMES:,} games, "
        "which it played for its section V; Table III prints none."
    )
    yield Table("crossed", "War and Batawaf: figures of Table III beside orders of cards", READ, lines, note)
    figures = {"Table III (iterative against approximate coevolution)": _crossed("war", ITERATIVE, APPROXIMATE)}
    figures["Section V"] = WAR["ascending"]
    words = []
    for where, paper in figures.items():
        told = []
        for deck in ("war", OTHER_DECK):
            score = orders[deck, "descending", "ascending"]
            _, judged = _told(errors_apart(score, paper, paper_error(score)))
            told.append(f"{DECKS[deck]} {score.mean:.4f} ({judged})")
        words.append(f"{where} prints {paper:g}; ours with {', with '.join(told)}")
    yield f"War, descending order against ascending order. {'. '.join(words)}."


READ = (
    "game", "method", "against", "the paper", "deck", "orders", "ours", "from", "to", "standard errors apart",
    "verdict",
)  # fmt: skip


def _crossed(game: str, one: str, other: str) -> float:
    return (_line(game).crossed or ())[CROSSED.index(one)][CROSSED.index(other)]


# The experiment


def batches(request: PaperRequest) -> Batches:
    """Yield the jobs of Table II for these games, which are recalled if they are in the store, then the orders."""
    found = yield table2.training_jobs(request, METHODS, games=(*EVIDENCE_DECKS, *WITHOUT_LUCK))
    yield table2.scoring_jobs(request, found, table2.BASELINES)
    share = table2.QUICK if request.quick else 1.0
    yield [*order_jobs(request, share), *order_jobs(request, share, against_redrawn=False)]


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    seeds = {key: score.seeds for key, score in table2.scores_of(rows).items()}
    title = "What the opponents of Tables II and III were"
    return Report(request.name, title, request.command, (), (*table_2_evidence(rows, seeds), *table_3_evidence(rows)))


SELECTS = {"games": any_number, "score_games": any_number}
EXPERIMENTS = (PaperPart("opponents", CAUWET, batches, report, place=4, selects=SELECTS),)
