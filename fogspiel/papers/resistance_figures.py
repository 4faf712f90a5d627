"""The figures of Bossle (2018) as charts, and what its two orientations say when they are put side by side."""

from collections.abc import Sequence
from math import log10

from ..games.resistance.setups import SETUPS
from ..runs.report import Chart, Report, Series, Table
from ..runs.store import Json
from ..solve.resistance.sizes import full_sizes

LOGARITHM = "decimal logarithm of the number"


def one_solve_lines(programs: list[Json]) -> list[str]:
    """Section 5.2: the dual of one solve is the other team's strategy, so the second solve is saved."""
    lines = []
    for players in sorted({row["players"] for row in programs}):
        both = [row for row in programs if row["players"] == players]
        quick, spent = min(both, key=lambda row: row["cpu_seconds"]), sum(row["cpu_seconds"] for row in both)
        lines.append(
            f"one solve gives both strategies (section 5.2): with {players} players the {quick['first']} first took "
            f"{quick['cpu_seconds']:.1f} CPU s, and the strategies of both teams, of which one is its dual, are "
            f"{quick['gap']:.0e} apart; both orientations took {spent:.1f}"
        )
    return lines


def eight_line() -> str:
    """Explain why eight players are not solved in the paper's own form."""
    size, seven = full_sizes(SETUPS[8]), full_sizes(SETUPS[7])
    columns, rows = size.resistance_infosets + size.spy_sequences, size.resistance_sequences + size.spy_infosets
    return (
        f"8 players in the paper's own form: {columns / 1e6:.1f} and {rows / 1e6:.1f} million rows and columns (which "
        f"are which depends on the first player), {size.spy_sequences / seven.spy_sequences:.0f} times those of 7: "
        "not solved here in either orientation"
    )


def report_of(lines: Sequence[str | Table], sizes: list[Json], programs: list[Json]) -> Report:
    """The tables with figures 4.1, 5.1, 5.2 and 6.1."""
    largest = min(8, max(row["players"] for row in sizes))
    here = next(row for row in sizes if row["players"] == largest)
    told = Series.of("labelled players", enumerate(map(_logarithm, here["labelled_by_round"]), 1))
    apart = Series.of("up to relabelling", enumerate(map(_logarithm, here["reduced_by_round"]), 1))
    totals = [Series.of(told.name, ((row["players"], _logarithm(row["labelled"])) for row in sizes))]
    totals.append(Series.of(apart.name, ((row["players"], _logarithm(sum(row["up_to_relabelling"]))) for row in sizes)))
    totals.append(Series.of("left to solve", ((row["players"], _logarithm(sum(row["left"]))) for row in sizes)))
    rounds = f"knowledge nodes with {largest} players"
    charts = [
        Chart("figure-4-1a", f"Figure 4.1 (a): {rounds}", "round", LOGARITHM, [told]),
        Chart("figure-4-1b", "Figure 4.1 (b): all knowledge nodes", "players", LOGARITHM, totals[:1]),
        Chart("figure-5-1", f"Figure 5.1: {rounds}, up to relabelling infosets", "round", LOGARITHM, [told, apart]),
        Chart("figure-5-2", "Figure 5.2: sizes in all", "players", LOGARITHM, totals),
    ]
    if programs:
        charts.append(Chart("figure-6-1", "Figure 6.1: iterations", "players", LOGARITHM, _iterations(programs)))
    tables = [line for line in lines if isinstance(line, Table)]
    words = [line for line in lines if isinstance(line, str) and line]
    return Report("resistance", "Bossle 2018 beside ours", "fogspiel paper resistance", words, [*tables, *charts])


def _iterations(programs: list[Json]) -> list[Series]:
    """The iterations of both orientations, the paper's and ours."""
    found = []
    for team in dict.fromkeys(row["first"] for row in programs):
        rows = [row for row in programs if row["first"] == team]
        for name, key in (
            ("CPLEX", "paper_iterations"),
            ("interior-point", "iterations"),
            ("simplex", "simplex_iterations"),
        ):
            points = [(row["players"], _logarithm(row[key])) for row in rows if row[key]]
            found.append(Series.of(f"{name}, {team} first", points))
    return found


def _logarithm(number: float) -> float:
    return log10(number)
