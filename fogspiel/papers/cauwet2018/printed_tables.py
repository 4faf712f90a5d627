"""Printed values of Tables II and III of Cauwet & Teytaud (2018), and evidence of the players and decks behind them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import NamedTuple

from ...core.agents import find_policy, named_policy
from ...core.game import known_game
from ...runs.kind import Job, Row
from ...runs.report import Cell, Part, Table
from ...runs.requests import PaperRequest
from ...stats.evaluate import MatchResult, evaluate, report_key
from .section5 import DECKS, PAPER_GAMES, SUSPICIOUS, WAR, errors_apart, paper_error, score_of

SEEDS, APPROXIMATE, ITERATIVE, NAIVE, REAL = (
    "seeds", "approximate-coevolution", "iterative", "naive", "real-coevolution",
)  # fmt: skip
# The methods of Table II, in its order; its "Coevol" is approximate coevolution.
METHODS = (SEEDS, APPROXIMATE, ITERATIVE, NAIVE, REAL)
CROSSED = (NAIVE, ITERATIVE, APPROXIMATE, REAL)  # the methods of Table III, in its order
EVEN = 0.5  # score of a method against itself
TABLE_2 = """
batawaf                0.627~0.004  0.626912~0.005    0.626671~0.004 0.628467~0.004       0.443975~0.003
batawaf4               0.606~0.004  0.626~0.005       0.626~0.004    0.620~0.004          0.544~0.003
war                    0.632~0.003  0.517~0.00666     0.653~0.012    0.632~0.018          0.487~0.005
war4                   0.623~0.017  0.623288~0.016    0.669~0.05     0.605~0.018          0.553~0.010
guesswho128            -            0.785714~0.113804 -              0.613484~0.000513042 0.597514~0.00160714
guesswho128-stochastic -            0.679~0.130       0.771~0.0876   1.0~0.0              0.615~0.00158
morra                  0.519~0.0013 0.526~0.0012      0.527~0.0016   0.523~0.001          0.518~0.001
nim                    0.74~0.0003  0.500~0.0007      0.589~0.002    -                    0.669~0.002
permutation-four       0.69~0.003   0.549~0.00096     0.657~0.004    -                    0.598~0.003
permutation-ttt        0.75~0.0012  0.445~0.000497    0.595~0.00138  0.445~0.000497       0.696~0.0011
pig                    0.505~0.003  0.507889~0.0012   0.522151~0.002 0.512262~0.0016      0.508092~0.0016
cheat                  0.845~0.003  0.783318~0.006    0.817416~0.029 0.802905~0.011       0.810882~0.007
cheat-special          0.6405~0.02  0.64~0.016        0.58~0.01      0.65~0.027           0.62~0.027
flip                   0.554~0.04   0.597727~0.017    0.588~0.022    0.593143~0.017       0.591314~0.016
four-in-a-row          0.63~0.03    -                 1.0~0.0        0.75~0.19            0.442308~0.10
battleship             0.77         -                 -              -                    -
"""  # for each of our games the scores of METHODS, each with the deviation that is printed after it
TABLE_3 = """
Batawaf             | 0.49   0.501  0.701  | 0.51   0.497  0.698  | 0.499  0.503  0.693  | 0.299  0.302  0.307
Batawaf4            | 0.311  0.301  0.385  | 0.689  0.507  0.562  | 0.699  0.493  0.573  | 0.615  0.438  0.427
War                 | 0.453  0.495  0.508  | 0.547  0.563  0.708  | 0.505  0.437  0.492  | 0.492  0.292  0.508
War4                | 0.489  0.495  0.493  | 0.511  0.424  0.47   | 0.505  0.576  0.576  | 0.507  0.53   0.424
Guess who-deter     | 0.8    0.489  0.498  | 0.2    0.208  0.14   | 0.511  0.792  0.502  | 0.502  0.86   0.498
Guess who           | 0.276  0.159  0.34   | 0.724  0.424  0.583  | 0.841  0.576  0.563  | 0.66   0.417  0.437
Morra               | 0.472  0.472  0.477  | 0.528  0.475  0.483  | 0.528  0.525  0.482  | 0.523  0.517  0.518
Nim                 | 0.5    0.0    0.5    | 0.5    0.0    0.0    | 1.0    1.0    0.0    | 0.5    1.0    1.0
Phantom-4-in-a-row  | 0.5    1.0    0.75   | 0.5    1.0    0.0    | 0.0    0.0    0.5    | 0.25   1.0    0.5
Phantom-tic-tac-toe | 0.75   0.5    0.5    | 0.25   0.0    0.5    | 0.5    1.0    0.0    | 0.5    0.5    1.0
Pig                 | 0.496  0.502  0.505  | 0.504  0.506  0.498  | 0.498  0.494  0.502  | 0.495  0.502  0.498
Cheat               | 0.0269 0.017  0.977  | 0.973  0.5    0.502  | 0.983  0.5    0.671  | 0.0235 0.498  0.329
Cheat-Special       | 0.497  0.499  0.5    | 0.503  0.658  0.5    | 0.501  0.342  0.5    | 0.5    0.5    0.5
Flip                | 0.428  0.439  0.439  | 0.572  0.437  0.432  | 0.561  0.563  0.437  | 0.561  0.568  0.563
4-in-a-row          | 0.427  0.494  0.503  | 0.573  0.494  0.57   | 0.506  0.506  0.604  | 0.497  0.43   0.396
Battleship
"""  # in the same order the title and for each of CROSSED its scores against the others; Battleship has none
# Games whose features or rules are our reconstruction: the facts that would make the figures comparable. Elsewhere our
# strategy is the paper's.
RECONSTRUCTED = {
    "pig": "needs the meaning of the one parameter and the target of the game, which the paper does not print",
    "cheat": "needs the 28 features of the quadratic value function and its random perturbation",
    "cheat-special": "needs the 28 features, and the generator that the 29th parameter feeds",
    "flip": "needs the 420 features and the deck; the speed game of footnote 3 needs its rule for simultaneous moves",
    "four-in-a-row": "needs the 14 parameters of the Monte-Carlo player and its number of simulations",
    "battleship": "needs the 33 parameters, the number of simulations, and more than the paper's 54 games",
}

Rows = tuple[tuple[float, ...], ...]


class PrintedScore(NamedTuple):
    """A score of Table II and the deviation printed after it, which is that of the evaluation alone."""

    score: float
    deviation: float | None


@dataclass(frozen=True)
class Line:
    title: str
    game: str
    scores: dict[str, PrintedScore]
    crossed: Rows | None = None
    comparable: bool = False  # true if our strategy is the paper's


def _printed_line(scores: str, crossed: str) -> Line:
    game, *cells = scores.split()
    title, *parts = crossed.split("|")
    against = [[float(score) for score in part.split()] for part in parts]
    rows = tuple((*row[:place], EVEN, *row[place:]) for place, row in enumerate(against))
    printed = {}
    for method, cell in zip(METHODS, cells, strict=True):
        score, _, deviation = cell.partition("~")
        if score != "-":
            printed[method] = PrintedScore(float(score), float(deviation) if deviation else None)
    return Line(title.strip(), game, printed, rows or None, game not in RECONSTRUCTED)


LINES = tuple(map(_printed_line, TABLE_2.strip().splitlines(), TABLE_3.strip().splitlines()))


# Opponents that fit the paper's figures: War and Batawaf against named card orders, and games without luck.
#
# Tables II and III of Cauwet & Teytaud (2018) do not say what their baseline was, nor which deck War has. Orders that
# have names play fresh games, and a figure of the paper that is theirs says who met whom.

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
    """Pair every order with redrawn vectors, or every two orders with each other, then with another deck too.

    A selection of games has these jobs only if both decks are in it.
    """
    if not set(EVIDENCE_DECKS) <= set(request.names("only") or EVIDENCE_DECKS):
        return []
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
    if not orders:
        return
    yield "## What the paper's opponent was"
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
    if not orders:
        return
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
    yield Table("orders", "War and Batawaf: figures of Table III beside orders of cards", READ, lines, note)
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
