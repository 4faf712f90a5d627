"""Section 6.1 of Ciancarini & Favini (2010): approaches A, B and C against the minimax program, and figure 10.

The paper gives 1, 2, 4 and 8 seconds per move on a machine of 2010; ours are twenty times shorter, and eighty times in
a quick run, whose shortest is about what 10,000 metapositions a move take the minimax program. Figure 10's numbers are
not in the text of the paper, its relations are; beside them stand those of the earlier sampling programs (section 4.2).
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from ...core.find import unknown
from ...kriegspiel.engine import SearchLimit
from ...kriegspiel.match import EngineMatch, EngineSpec, elo_of_pairs, results_of, statistics_of
from ...runs.kind import Row, rows_by
from ...runs.report import Cell, Chart, Report, Series, Table
from ...runs.requests import PaperRequest
from ...stats.evaluate import HALF_POINTS, strength_of
from ..claims import Claim, Clause, Evidence, claim_table, contrast, elo, mean_of, missing, share_of, wins_per_loss
from ..kinds import Batches, PaperPart, any_number

TIMES = {0.05: 1, 0.1: 2, 0.2: 4, 0.4: 8}  # our seconds per move, and the paper's
QUICK_TIMES = {0.0125: 1, 0.05: 4}
DEFAULT_TIME = 0.1
SOME_B = ("B1:paper", "B3:paper", "B7:paper", "B10:paper")
C, A = "C:paper", "A:paper"
TREES = (*SOME_B, C)
IMPROVED = ("A", "B1", "C")  # ours, beside the paper's programs at the usual time
SAMPLING = ("los", "aosp", "hs")  # of section 4.2
MINIMAX = EngineSpec("minimax", SearchLimit(nodes=10_000))
GAMES, QUICK_GAMES = 400, 24
SELDOM_WINS = "A seldom wins against the minimax program"
SELDOM = 0.02  # share of its games that A wins, at most
LONGEST = 600  # plies after which a game against a player that cannot finish counts as drawn


def engine_with_time(engine: str, seconds: float) -> EngineSpec:
    return EngineSpec(engine, SearchLimit(seconds=seconds))


def times_of(request: PaperRequest) -> Mapping[float, int]:
    return QUICK_TIMES if request.quick else TIMES


def games_of(request: PaperRequest, games: int, quick_games: int) -> int:
    """Return the number of games of a match: as requested, or the default of the part by its scale."""
    return request.games or max(2, round(request.scale * (quick_games if request.quick else games)))


def is_chosen(request: PaperRequest, engine: str) -> bool:
    names = request.names("only")
    return names is None or engine in names


def check_engine(engine: str, engines: Iterable[str] = (*TREES, A, *IMPROVED, *SAMPLING)) -> None:
    if engine not in (known := list(engines)):
        raise unknown("engine of this part", engine, known)


def matches(request: PaperRequest) -> list[EngineMatch]:
    def match(first: EngineSpec, second: EngineSpec, games: int, longest: int | None = None) -> EngineMatch:
        return EngineMatch((first, second), games, request.seed, longest)

    many = games_of(request, GAMES, QUICK_GAMES)
    times = tuple(times_of(request))
    usual, half = times[-1] if request.quick else DEFAULT_TIME, max(2, many // 2)
    found = [match(engine_with_time(A, time), MINIMAX, many) for time in (times[0], times[-1])]
    found += [match(engine_with_time(engine, time), MINIMAX, many) for time in times for engine in TREES]
    found += [match(engine_with_time(engine, usual), MINIMAX, half) for engine in IMPROVED]
    for better, worse in ((C, "random"), (A, "random"), ("los", "random"), ("aosp", "los"), ("hs", "aosp")):
        found.append(match(engine_with_time(better, usual), engine_with_time(worse, usual), half, LONGEST))
    found.append(match(engine_with_time("hs", usual), MINIMAX, half, LONGEST))
    return [one for one in found if is_chosen(request, one.seats[0].engine)]


def batches(request: PaperRequest) -> Batches:
    yield [job for match in matches(request) for job in match.jobs((0, 1))]


Played = Sequence[tuple[EngineSpec, EngineSpec, Sequence[Row]]]  # two engines, and the rows of their match


def played_matches(request: PaperRequest, rows: Sequence[Row]) -> Played:
    found = rows_by(rows, "first", "second")
    asked = {match.seats: found.get(tuple(match.names)) for match in matches(request)}
    return [(first, second, part) for (first, second), part in asked.items() if part is not None]


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    played = played_matches(request, rows)
    return Report(
        name=request.name,
        title="Monte Carlo tree search in Kriegspiel: approaches A, B and C against the minimax program",
        command=request.command,
        paragraphs=(
            "Colours are swapped in every pair of games; intervals are 95 %, from the spread of pairs. One thread an "
            f"engine. The minimax program has {MINIMAX.effort.nodes:,} metapositions a move, as in the paper; the "
            f"others have {', '.join(f'{time:g}' for time in times_of(request))} s for the paper's "
            f"{', '.join(map(str, times_of(request).values()))} s, so how strong they come out depends on the machine.",
        ),
        parts=(
            claim_table(claims(request, rows), "The paper's claims"),
            Table("points", "All matches", POINTS, [match_line(*match) for match in played]),
            _figure(played),
        ),
    )


POINTS = (
    "engine", "against", "Elo", "from", "to", "games", "wins", "draws", "losses", "score", "wins a loss",
    "nodes a move", "refused a move", "plies a game", "seconds a move",
)  # fmt: skip


def match_line(first: EngineSpec, second: EngineSpec, rows: Sequence[Row]) -> tuple[Cell, ...]:
    strength, statistics = elo_of_pairs(rows), statistics_of(rows)
    return (
        first.name, second.name, *map(_finite, (strength.elo, *strength.elo_interval())), strength.games,
        strength.wins, strength.draws, strength.losses, strength.score, _finite(strength.ratio),
        statistics.nodes_per_move[0], statistics.refused_per_move[0], statistics.plies, seconds_per_move(rows),
    )  # fmt: skip


def seconds_per_move(rows: Sequence[Row]) -> float | None:
    """Return the measured CPU seconds per move of the first engine."""
    measured = statistics_of(rows).seconds_per_move
    return None if measured is None else measured[0]


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _figure(played: Played) -> Chart:
    shown: dict[str, list[tuple[float, ...]]] = {engine: [] for engine in TREES}
    for first, second, rows in played:
        strength = elo_of_pairs(rows)
        numbers = strength.elo, *strength.elo_interval()
        if first.engine in TREES and second == MINIMAX and all(map(math.isfinite, numbers)):
            seconds = seconds_per_move(rows)
            shown[first.engine].append((first.effort.seconds or 0.0 if seconds is None else seconds, *numbers))
    series = [Series.of(engine, points) for engine, points in shown.items() if points]
    return Chart("figure10", "Elo above the minimax program", "seconds per move", "Elo", series)


# The paper's claims

# "About three times more games than they lose": what rounds to three.
THREE_WINS = Fraction(5, 2)
OVER = 100  # Elo of C above the minimax program, at least
FIGURE = "6.1, figure 10"
SPEEDUP = 10, 20  # of C over B with k = 1, "on average"


class Results:
    """Results of the game pairs of every match, by engine, seconds and opponent."""

    def __init__(self, played: Played, times: Iterable[float]) -> None:
        self.times = sorted(times)
        self.pairs = {(one.engine, one.effort.seconds, two.engine): results_of(rows) for one, two, rows in played}
        self.speeds = {
            (one.engine, one.effort.seconds): [statistics_of([row]).nodes_per_move[0] for row in rows]
            for one, two, rows in played
            if two == MINIMAX
        }

    def speedup(self, time: float) -> Evidence:
        """Return the share of game pairs in which C visits 10 to 20 times as many nodes a move as B with k = 1."""
        both = zip(*(self.speeds.get((engine, time), []) for engine in (C, SOME_B[0])), strict=False)
        return share_of(SPEEDUP[0] <= many / few <= SPEEDUP[1] for many, few in both if many and few)

    def of(self, engine: str, time: float, opponent: str = "minimax") -> list[list[int]]:
        return self.pairs.get((engine, time, opponent), [])

    def elo(self, engine: str, time: float, opponent: str = "minimax") -> Evidence:
        return elo(strength_of(self.of(engine, time, opponent)).pairs)

    def above(self, better: str, worse: str, time: float) -> Clause:
        """Return the clause that one engine scores more against the minimax program than another."""
        scores = [list(map(sum, self.of(engine, time))) for engine in (better, worse)]
        found = contrast([(1, scores[0]), (-1, scores[1])], HALF_POINTS, "score difference")
        return Clause(f"{better} above {worse} at {time:g} s", found, least=0, strict=True)


def claims(request: PaperRequest, rows: Sequence[Row]) -> list[Claim]:
    results = Results(played_matches(request, rows), times_of(request))
    return [*_of_a(results), *_of_b(results), *_of_c(results), *_of_others(results)]


def _of_a(results: Results) -> Iterator[Claim]:
    for time in (results.times[0], results.times[-1]):
        pairs = results.of(A, time)
        wins = [sum(result == 2 for result in pair) for pair in pairs]
        share = mean_of([wins.count(number) for number in range(3)])
        clause = Clause("share of games won", share, most=SELDOM)
        yield Claim(
            "5.1, figure 5", "A seldom wins against the minimax program", f"{A}, {time:g} s", (clause,), "below 2 %"
        )


def _of_b(results: Results) -> Iterator[Claim]:
    short, *_, last = [*results.times, results.times[-1]]
    late = results.times[-2:]
    yield Claim(
        FIGURE, "B with k = 1 has a large advantage over the other B at the shortest time", f"B:paper, {short:g} s",
        tuple(results.above(SOME_B[0], other, short) for other in SOME_B[1:]),
        note="the clauses test an advantage, not its size",
    )  # fmt: skip
    yield Claim(
        FIGURE, "B with k = 7 and 10 has an edge over k = 1 at the two longest times", f"B:paper, {_seconds(late)}",
        tuple(results.above(longer, SOME_B[0], time) for time in late for longer in SOME_B[2:]),
    )  # fmt: skip
    yield Claim(
        FIGURE, "B with k = 7 and 10 outperforms the minimax program at the two longest times",
        f"B:paper, {_seconds(late)}",
        tuple(Clause(f"{longer} above minimax at {time:g} s", results.elo(longer, time), least=0, strict=True)
              for time in late for longer in SOME_B[2:]),
        "a slight margin",
    )  # fmt: skip
    yield Claim(
        FIGURE, "B with k = 3 is not the best B at any time", f"B:paper, {short:g} and {last:g} s",
        (results.above(SOME_B[0], SOME_B[1], short), results.above(SOME_B[3], SOME_B[1], last)),
        note="tested at both ends, against the B that the paper names best there",
    )  # fmt: skip


def _of_c(results: Results) -> Iterator[Claim]:
    short, last = results.times[0], results.times[-1]
    yield Claim(
        "6.1", "C visits 10 to 20 times as many nodes as B with k = 1", f"{C} and {SOME_B[0]}, {short:g} s",
        (Clause("pairs of games", results.speedup(short), least=Fraction(1, 2), strict=True),), "10 to 20",
        note="in most pairs of games; a node of C is an attempt that it weighs, one of B a simulation",
    )  # fmt: skip
    for time in results.times:
        above = tuple(results.above(C, other, time) for other in SOME_B)
        yield Claim(FIGURE, "C is above every B", f"{C} and B:paper, {time:g} s", above)
        yield Claim(
            FIGURE, "C is over 100 Elo above the minimax program and wins about three times as often as it loses",
            f"{C}, {time:g} s",
            (Clause("Elo", results.elo(C, time), least=OVER),
             Clause("wins per loss", wins_per_loss(THREE_WINS, results.of(C, time)), least=0)),
            "100 Elo, 3 wins per loss", note=f"about three: at least {THREE_WINS}",
        )  # fmt: skip
    scores = [list(map(sum, results.of(engine, time))) for time in (short, last) for engine in (C, SOME_B[3])]
    terms = list(zip((1, -1, -1, 1), scores, strict=True))
    yield Claim(
        "7", "The difference between C and B decreases with time and does not disappear",
        f"{C} and {SOME_B[3]}, {short:g} and {last:g} s",
        (Clause("decrease", contrast(terms, HALF_POINTS, "change of the difference"), least=0, strict=True),
         results.above(C, SOME_B[3], last)),
    )  # fmt: skip


def _of_others(results: Results) -> Iterator[Claim]:
    """Yield the relations of the earlier sampling programs, and what only people can test."""
    by = {(engine, opponent): time for engine, time, opponent in results.pairs if time is not None}
    little = results.elo(A, by.get((A, "random"), 0.0), "random")
    yield Claim(
        "5.1", "A performs little better than a random player", f"{A} against random",
        (Clause("better", little, least=0, strict=True), Clause("by little", little, most=OVER)),
        note=f"little: at most {OVER} Elo, a limit of ours",
    )  # fmt: skip
    for better, worse in (("los", "random"), ("aosp", "los"), ("hs", "aosp"), ("minimax", "hs")):
        low = better == "minimax"
        engine, opponent = (worse, better) if low else (better, worse)
        found = results.elo(engine, by.get((engine, opponent), 0.0), opponent)
        clause = Clause("Elo", found, most=0, strict=True) if low else Clause("Elo", found, least=0, strict=True)
        yield Claim("4.2", f"{better} is better than {worse}", f"{engine} against {opponent}", (clause,))
    for engine in IMPROVED:
        time = by.get((engine, "minimax"), 0.0)
        found = results.elo(engine, time)
        yield Claim("6.1", f"our improved {engine} against the minimax program", f"{engine}, {time:g} s",
                    (Clause("Elo", found),), ours=True)  # fmt: skip
    people = Clause("score", missing("needs people on a chess server"))
    yield Claim("6.2", "C reaches 1750 Elo on the ICC in 7,121 games of three minutes", C, (people,), "1750")
    yield Claim("6.2", "C scores 0.26 against 20 strong players, the minimax program 0.17", C, (people,), "0.26")


def _seconds(times: Sequence[float]) -> str:
    return " and ".join(f"{time:g}" for time in times) + " s"


EXPERIMENTS = (
    PaperPart(
        "kriegspiel", "Ciancarini & Favini 2010", batches, report, place=5, claims=claims,
        selects={"only": check_engine, "games": any_number},
    ),
)  # fmt: skip
