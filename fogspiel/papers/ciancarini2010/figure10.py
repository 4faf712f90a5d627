"""Section 6.1 of Ciancarini & Favini (2010): approaches A, B and C against the minimax program, and figure 10.

The paper gives 1, 2, 4 and 8 seconds per move on a machine of 2010; ours are twenty times shorter, and eighty times in
a quick run, whose shortest is about what 10,000 metapositions a move take the minimax program. Figure 10's numbers are
not in the text of the paper, its relations are; beside them stand those of the earlier sampling programs (section 4.2).
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from ...kriegspiel.engine import SearchLimit
from ...kriegspiel.match import EngineMatch, EngineSpec, elo_of_pairs, statistics_of
from ...runs.execute import Row, rows_by
from ...runs.report import Cell, Chart, Report, Series, Table
from ...runs.requests import PaperRequest
from ...stats.elo import Strength
from ..catalogue import verdict
from ..kinds import Batches, PaperPart

TIMES = {0.05: 1, 0.1: 2, 0.2: 4, 0.4: 8}  # our seconds per move, and the paper's
QUICK_TIMES = {0.0125: 1, 0.05: 4}
DEFAULT_TIME = 0.1
TREES = ("B1", "B3", "B7", "B10", "C")
MINIMAX = EngineSpec("minimax", SearchLimit(nodes=10_000))
GAMES, QUICK_GAMES = 400, 24
# The most that A wins, as a share of its games, and the chance probability below which more wins refute that.
SELDOM, CHANCE = 0.02, 0.025
LONGEST = 600  # plies after which a game against a player that cannot finish counts as drawn


def engine_with_time(engine: str, seconds: float) -> EngineSpec:
    return EngineSpec(engine, SearchLimit(seconds=seconds))


def times_of(request: PaperRequest) -> Mapping[float, int]:
    return QUICK_TIMES if request.quick else TIMES


def matches(request: PaperRequest) -> list[EngineMatch]:
    def match(first: EngineSpec, second: EngineSpec, games: int, longest: int | None = None) -> EngineMatch:
        return EngineMatch((first, second), games, request.seed, longest)

    many = max(2, round(request.scale * (QUICK_GAMES if request.quick else GAMES)))
    times = tuple(times_of(request))
    usual, half = times[-1] if request.quick else DEFAULT_TIME, max(2, many // 2)
    found = [match(engine_with_time("A", time), MINIMAX, many) for time in (times[0], times[-1])]
    found += [match(engine_with_time(engine, time), MINIMAX, many) for time in times for engine in TREES]
    for better, worse in (("C", "random"), ("los", "random"), ("aosp", "los"), ("hs", "aosp")):
        found.append(match(engine_with_time(better, usual), engine_with_time(worse, usual), half, LONGEST))
    return [*found, match(engine_with_time("hs", usual), MINIMAX, half, LONGEST)]


def batches(request: PaperRequest) -> Batches:
    yield [job for match in matches(request) for job in match.jobs((0, 1))]


Played = Sequence[tuple[EngineSpec, EngineSpec, Sequence[Row]]]  # two engines, and the rows of their match


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    found = rows_by(rows, "first", "second")
    asked = {match.seats: found.get(tuple(match.names)) for match in matches(request)}
    played = [(first, second, part) for (first, second), part in asked.items() if part is not None]
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
            Table("relations", "The paper's relations, and ours", RELATIONS, list(relations(played))),
            Table("points", "All matches", POINTS, [_line(*match) for match in played]),
            _figure(played),
        ),
    )


POINTS = (
    "engine", "against", "Elo", "from", "to", "games", "wins", "draws", "losses", "score", "wins a loss",
    "nodes a move", "refused a move", "plies a game",
)  # fmt: skip


def _line(first: EngineSpec, second: EngineSpec, rows: Sequence[Row]) -> tuple[Cell, ...]:
    strength, statistics = elo_of_pairs(rows), statistics_of(rows)
    return (
        first.name, second.name, *map(_finite, (strength.elo, *strength.elo_interval())), strength.games,
        strength.wins, strength.draws, strength.losses, strength.score, _finite(strength.ratio),
        statistics.nodes_per_move[0], statistics.refused_per_move[0], statistics.plies,
    )  # fmt: skip


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _figure(played: Played) -> Chart:
    shown: dict[str, list[tuple[float, ...]]] = {engine: [] for engine in TREES}
    for first, second, rows in played:
        strength = elo_of_pairs(rows)
        numbers = strength.elo, *strength.elo_interval()
        if first.engine in TREES and second == MINIMAX and all(map(math.isfinite, numbers)):
            shown[first.engine].append((first.effort.seconds or 0.0, *numbers))
    series = [Series.of(engine, points) for engine, points in shown.items() if points]
    return Chart("figure10", "Elo above the minimax program", "seconds a move", "Elo", series)


# The paper's relations

RELATIONS = ("the paper says", "measured", "verdict")


def relations(played: Played) -> Iterator[tuple[str, str, str]]:
    by = {(one.engine, one.effort.seconds): elo_of_pairs(rows) for one, two, rows in played if two == MINIMAX}
    times = sorted({time for engine, time in by if engine == "C" and time is not None})
    for (engine, time), strength in by.items():
        if engine == "A":
            yield (
                f"A wins below 2 % against minimax ({time:g} s)",
                f"{strength.wins} wins in {strength.games} games",
                _seldom(strength),
            )
    if times:
        yield from _of_trees(by, times)
    others = {(one.engine, two.engine): elo_of_pairs(rows) for one, two, rows in played if two != MINIMAX}
    for (better, worse), strength in others.items():
        if better != "C":
            yield (f"{better} is better than {worse}", _words(strength), _sign(strength))
    for time in (time for engine, time in by if engine == "hs"):
        yield ("hs is weaker than minimax", _words(by["hs", time]), _sign(by["hs", time], -1))
    if ("C", "random") in others:
        strength = others["C", "random"]
        yield (
            f"(ours) C wins 90 % against random within {LONGEST} plies",
            f"{strength.wins} wins in {strength.games} games",
            verdict(strength.wins >= 0.9 * strength.games),
        )


Results = Mapping[tuple[str, float | None], Strength]


def _of_trees(by: Results, times: Sequence[float]) -> Iterator[tuple[str, str, str]]:
    trees = [engine for engine in TREES if (engine, times[0]) in by]
    first = {engine: by[engine, times[0]] for engine in trees if engine != "C"}
    yield (
        "B with k = 1 is the best B at the shortest time",
        _in_words(first),
        verdict(max(first, key=lambda engine: first[engine].score) == "B1"),
    )
    last = {engine: by[engine, times[-1]] for engine in trees if engine != "C"}
    best = max(last, key=lambda engine: last[engine].score)
    yield (
        "B with k = 7 or 10 is the best B at the longest time, and slightly above minimax",
        _in_words(last),
        verdict(best in ("B7", "B10") and last[best].elo > 0),
    )
    for time in times:
        rest = {engine: by[engine, time] for engine in trees}
        yield (
            f"C is above every B ({time:g} s)",
            _in_words(rest),
            verdict(max(rest, key=lambda engine: rest[engine].score) == "C"),
        )
        strength = by["C", time]
        yield (
            f"C is over 100 Elo above minimax ({time:g} s), and wins three times as often as it loses",
            f"{_words(strength)}, {strength.ratio:.1f} wins a loss",
            verdict(strength.elo >= 100 and strength.elo_interval()[0] >= 60),
        )


def _words(strength: Strength) -> str:
    low, high = strength.elo_interval()
    return f"{strength.elo:+.0f} [{low:+.0f}, {high:+.0f}]"


def _in_words(strengths: Mapping[str, Strength]) -> str:
    return "; ".join(f"{engine} {_words(strength)}" for engine, strength in strengths.items())


def _seldom(strength: Strength) -> str:
    """Report whether games are won as seldom as the paper states of A; open where the excess may be chance."""
    if strength.wins < SELDOM * strength.games:
        return "holds"
    games, fewer = strength.games, range(strength.wins)
    by_chance = 1 - sum(math.comb(games, wins) * SELDOM**wins * (1 - SELDOM) ** (games - wins) for wins in fewer)
    return "does not hold" if by_chance < CHANCE else "open"


def _sign(strength: Strength, sign: int = 1) -> str:
    """Report whether the Elo interval lies on this side of 0; open where only the estimate does."""
    low, high = strength.elo_interval()
    return "holds" if sign * (low if sign > 0 else high) > 0 else "does not hold" if sign * strength.elo < 0 else "open"


EXPERIMENTS = (PaperPart("kriegspiel", "Ciancarini & Favini 2010", batches, report, place=5),)
