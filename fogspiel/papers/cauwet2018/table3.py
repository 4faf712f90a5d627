"""Table III of Cauwet & Teytaud (2018): what four of the methods find, played against each other."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from ...core.agents import decode_policy, policy_json_in
from ...core.game import known_game
from ...runs.kind import Job, Row, rows_by
from ...runs.report import Report, Table
from ...runs.requests import PaperRequest
from ...stats.evaluate import evaluate, report_key
from ...stats.race import mean
from ..claims import Claim, Clause, claim_table, exact, fact, mean_of, median_of, missing, share_of
from ..kinds import Batches, PaperPart
from . import table2
from .figure1 import CAUWET
from .printed_tables import (
    APPROXIMATE,
    CROSSED,
    EVEN,
    ITERATIVE,
    LINES,
    NAIVE,
    REAL,
    RECONSTRUCTED,
    Line,
)

PLAYED = "crossed"  # label of the games of a pair in rows
EVERY_PAIR = tuple(combinations(CROSSED, 2))
# Two tuned players hardly ever vary: many of their games reach the draw at a million moves.
FAMILY_OF_WAR, FEWER = ("batawaf", "batawaf4", "war", "war4"), 0.25


def play_pair(
    game: str, first: str, second: str, seed: int, games: int, race: str, training: int, found: Sequence[Row]
) -> Row:
    rules = known_game(game)
    names = zip(found, (first, second), strict=True)
    one, other = (decode_policy(rules, policy_json_in(row), name) for row, name in names)
    score = evaluate(rules, one, other, report_key(seed), games)
    return {"outcomes": list(score.outcomes), "observed": list(score.observed)}


def games_of(game: str, request: PaperRequest) -> int:
    usual = table2.scoring_games(game, request)
    if request.score_games is not None:
        return usual
    return max(2, round(usual * FEWER)) if game in FAMILY_OF_WAR else usual


def batches(request: PaperRequest) -> Batches:
    """Yield the training runs (those of Table II are recalled), and every pair of methods."""
    methods = table2.methods_of(request, CROSSED)
    found = yield table2.training_jobs(request, methods)
    runs, idle = {(row["game"], row["method"], row["seed"]): row for row in found}, table2.idle_cells(found)
    games = [line.game for line in table2.lines_of(request)]
    yield [
        Job(
            PLAYED,
            play_pair,
            {"game": game, "first": first, "second": second, "seed": seed, "games": games_of(game, request)}
            | {"race": request.race, "training": table2.training_games(game, first, request)},
            {"found": [runs[game, method, seed] for method in (first, second)]},
        )
        for game in games
        for first, second in combinations(methods, 2)
        if all((game, method, request.seed) in runs and (game, method) not in idle for method in (first, second))
        for seed in table2.seeds_of(request, game)
    ]


Matrix = dict[tuple[str, str], table2.CellScore]


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    scores: dict[str, Matrix] = {}
    played = rows_by([row for row in rows if row["job"] == PLAYED], "game", "first", "second")
    for (game, first, second), found in played.items():
        scores.setdefault(game, {})[first, second] = table2.score_of(found)
    lines = [line for line in table2.lines_of(request) if line.game in scores]
    pairs = [
        (line.title, first, second, _paper(line, first, second), *score.shown, score.mean, *score.interval)
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
        if all(pair in scores[line.game] for pair in EVERY_PAIR)
    ]
    return Report(
        name=request.name,
        title="Table III: four methods against each other",
        command=request.command,
        paragraphs=(*_preamble(request), *table2.idle_note(rows)),
        parts=(
            Table("best", "The best method, as the paper defines it", BEST, winners, note=BEST_NOTE),
            claim_table(claims(request, rows), "Claims of Table III and section VI"),
            Table("pairs", "All pairs", PAIRS, pairs, note=PAIRS_NOTE),
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
        f"The same training runs as in Table II, from {len(table2.seeds_of(request, ''))} seeds (slow games from at "
        f"most {table2.SLOW_SEEDS}; the paper: one); the results of "
        "two methods from the same seed play fresh games, each deal twice with seats swapped. In War and Batawaf they "
        "are fewer, because games between two tuned players often go on to the draw of a million moves."
    )
    if request.quick:
        yield "This is the quick version: fewer seeds and games, and without Battleship, which is in the full one."


def _paper(line: Line, first: str, second: str) -> float | None:
    return (
        None
        if line.crossed is None or not {first, second} <= set(CROSSED)
        else line.crossed[CROSSED.index(first)][CROSSED.index(second)]
    )


def _mean(scores: Matrix, first: str, second: str) -> float | None:
    """Return the first method's mean score against the second, in either order; None if they were not played."""
    if first == second:
        return EVEN
    if (first, second) in scores:
        return scores[first, second].mean
    return 1 - scores[second, first].mean if (second, first) in scores else None


def best_of(score: Callable[[str, str], float | None]) -> list[str]:
    """Return the methods that win with probability at least one half against each of the others."""
    return [one for one in CROSSED if all((score(one, other) or 0.0) >= EVEN for other in CROSSED)]


def _winners(score: Callable[[str, str], float | None]) -> str:
    return ", ".join(best_of(score)) or "none"


def _cross_table(line: Line, scores: Matrix) -> Table:
    def cell(first: str, second: str) -> str:
        paper, ours = _paper(line, first, second), _mean(scores, first, second)
        return ("" if ours is None else f"{ours:.4f}") + ("" if paper is None else f" ({paper:g})")

    methods = list(dict.fromkeys(method for pair in scores for method in pair))
    rows = [(first, *(cell(first, second) for second in methods)) for first in methods]
    note = "Mean over seeds, the paper's in brackets." + ("" if line.comparable else " Not comparable.")
    return Table(f"cross-{line.game}", line.title, ("method", *(f"v {name}" for name in methods)), rows, note=note)


# The claims

COEVOLUTION, SINGLE = {APPROXIMATE, REAL}, {NAIVE, ITERATIVE}
DOMINATED, GAMES = 8, 13  # games of the caption
CYCLIC = "permutation-ttt"


class SeedTable(NamedTuple):
    """Our Table III of one game from one training seed, as the paper trained once."""

    game: str
    scores: dict[tuple[str, str], float]

    def score(self, first: str, second: str) -> float | None:
        if first == second:
            return EVEN
        found = self.scores.get((first, second))
        return found if found is not None else 1 - self.scores[second, first]

    @property
    def best(self) -> set[str]:
        return set(best_of(self.score))


def seed_tables(request: PaperRequest, rows: Sequence[Row]) -> list[SeedTable]:
    """Return the tables in which all four methods play each other."""
    games, found = (
        {line.game for line in table2.lines_of(request)},
        rows_by([r for r in rows if r["job"] == PLAYED], "game", "seed"),
    )
    tables = [
        SeedTable(game, {(row["first"], row["second"]): mean(np.array(row["observed"])) for row in played})
        for (game, _), played in found.items()
        if game in games
    ]
    return [table for table in tables if table.scores.keys() >= set(EVERY_PAIR)]


def claims(request: PaperRequest, rows: Sequence[Row]) -> list[Claim]:
    tables = seed_tables(request, rows)
    return [*_best(tables), *_coevolution(tables), *_order(tables)]


def _best(tables: Sequence[SeedTable]) -> Iterator[Claim]:
    """Yield for every block of the table that its best method wins half of the games or more against the others."""
    for line in LINES:
        if line.crossed is None:
            continue
        best = best_of(partial(_paper, line))
        ours = [table for table in tables if table.game == line.game]

        def clause(one: str, other: str, line: Line = line, ours: Sequence[SeedTable] = ours) -> Clause:
            scores = [table.score(one, other) for table in ours]
            found = median_of([score for score in scores if score is not None])
            return Clause(f"{one} v {other}", found if line.comparable else missing("not comparable"), least=EVEN)

        words = " and ".join(best) or "none"
        sentence = f"{line.title}: {words} wins with probability at least 50 % against all others"
        if not best:
            sentence = f"{line.title}: no method wins with probability at least 50 % against all others"
        clauses = tuple(clause(one, other) for one in best for other in CROSSED if other != one)
        share = share_of(bool(table.best) for table in ours) if line.comparable else missing("not comparable")
        without = Clause("share with a best method", share, most=EVEN)
        note = RECONSTRUCTED.get(line.game, "")
        yield Claim("IV, table III", sentence, line.game, clauses or (without,), words, note)


def _coevolution(tables: Sequence[SeedTable]) -> Iterator[Claim]:
    sentence, printed = "The coevolution methods dominate in most games", f"{DOMINATED} of {GAMES} games"
    blocks = [set(best_of(partial(_paper, line))) for line in LINES if line.crossed is not None]
    count = sum(bool(best & COEVOLUTION) for best in blocks)
    rivals = sum(bool(best & SINGLE) for best in blocks)
    yield Claim(
        "IV, table III", sentence, "the paper's own numbers",
        (Clause("games with a coevolution method best", exact(count, f"{count} of {len(blocks)}"),
                least=Fraction(len(blocks), 2), strict=True),
         Clause("more than with naive or iterative", exact(count - rivals, f"{count} against {rivals}"), least=1)),
        printed, f"the table has {len(blocks)} blocks, not {GAMES}",
    )  # fmt: skip
    yield Claim(
        "IV, table III", f"They do in {DOMINATED} of {GAMES} games", "the paper's own numbers",
        (Clause("games", exact(count), least=DOMINATED, most=DOMINATED),
         Clause("blocks", exact(len(blocks)), least=GAMES, most=GAMES)),
        printed, "by the caption's definition of best; 8 is the number of blocks with a coevolution method in bold",
    )  # fmt: skip
    both = [(bool(table.best & COEVOLUTION), bool(table.best & SINGLE)) for table in tables]
    leads = Counter(one - other for one, other in both)
    yield Claim(
        "IV, table III", sentence, "one table per game and training seed",
        (Clause("share with a coevolution method best", share_of(one for one, _ in both), least=EVEN, strict=True),
         Clause("more than with naive or iterative", mean_of([leads[-1], leads[0], leads[1]], -1.0, 1.0), least=0,
                strict=True)),
        printed, "two of the four methods are coevolution, so chance gives half",
    )  # fmt: skip


def _order(tables: Sequence[SeedTable]) -> Iterator[Claim]:
    """Yield that superiority is not transitive: by Elo, one beats by most the method that its victim beats."""
    sentence = "The Elo model does not apply: the four strategies at phantom tic-tac-toe are not ordered"
    line = next(line for line in LINES if line.game == CYCLIC)
    ours = [table.score for table in tables if table.game == CYCLIC]
    for subject, scores in (
        ("the paper's own numbers", [partial(_paper, line)]),
        (f"{CYCLIC}, one table per seed", ours),
    ):
        broken = sum(map(breaks_elo, scores))
        clause = fact("tables without an order", broken > 0, f"{broken} of {len(scores)}")
        yield Claim("VI-A", sentence, subject, (clause if scores else Clause("", missing()),),
                    note="scores of this game are exact: it has no luck")  # fmt: skip


def breaks_elo(score: Callable[[str, str], float | None]) -> bool:
    """True if a beats b and b beats c, but a does not score as much against c as in both of these games.

    Elo's model implies this strong transitivity.
    """

    def at(one: str, other: str) -> float:
        return score(one, other) or 0.0

    return any(
        at(a, b) >= EVEN and at(b, c) >= EVEN and at(a, c) < max(at(a, b), at(b, c))
        for a, b, c in permutations(CROSSED, 3)
    )


EXPERIMENTS = (PaperPart("table3", CAUWET, batches, report, place=3, claims=claims, selects=table2.SELECTS),)
