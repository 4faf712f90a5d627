"""The tables and figures of Bossle (2018), "Finding Optimal Strategies for Group Deception Games", ours beside them."""

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import log10
from pathlib import Path

from ...resistance.certificate import solve
from ...resistance.game import SETUPS
from ...resistance.variants import ballot, opening, voting
from ...runs.report import Chart, Report, Series, Table
from ...runs.store import Json
from ...solving.proofs import write_certificate
from ..claims import verdict
from ..kinds import Computation, Computed, Options, Say
from .full_sequence_form import (
    TEAMS,
    full_sizes,
    labelled_sizes,
    measured,
    normal_forms,
    peak_megabytes,
    reduced_rounds,
)

# The figures of Bossle (2018) as charts, and a comparison of its two orientations.

LOGARITHM = "decimal logarithm of the number"


def one_solve_lines(programs: list[Json]) -> list[str]:
    """Section 5.2: the dual of one solve is the opposing team's strategy, so the second solve is saved."""
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
    """Return the tables with figures 4.1, 5.1, 5.2 and 6.1."""
    largest = min(8, max(row["players"] for row in sizes))
    here = next(row for row in sizes if row["players"] == largest)
    told = Series.of("labelled players", enumerate(map(log10, here["labelled_by_round"]), 1))
    apart = Series.of("up to relabelling", enumerate(map(log10, here["reduced_by_round"]), 1))
    totals = [Series.of(told.name, ((row["players"], log10(row["labelled"])) for row in sizes))]
    totals.append(Series.of(apart.name, ((row["players"], log10(sum(row["up_to_relabelling"]))) for row in sizes)))
    totals.append(Series.of("left to solve", ((row["players"], log10(sum(row["left"]))) for row in sizes)))
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
    found = []
    for team in dict.fromkeys(row["first"] for row in programs):
        rows = [row for row in programs if row["first"] == team]
        for name, key in (
            ("CPLEX", "paper_iterations"),
            ("interior-point", "iterations"),
            ("simplex", "simplex_iterations"),
        ):
            points = [(row["players"], log10(row[key])) for row in rows if row[key]]
            found.append(Series.of(f"{name}, {team} first", points))
    return found


PAPER_PAYOFF = {5: "-0.4", 6: "-0.333", 7: "-0.486", 8: "-0.679"}  # table 6.1
PAPER_SECONDS = {
    "resistance": {5: 2.820, 6: 13.620, 7: 441.2, 8: 35_252.0},
    "spies": {5: 1.910, 6: 10.080, 7: 178.65, 8: 4_074.0},
}  # tables 6.2 and 6.3: wall-clock time of CPLEX on 8 cores, by the team that the first player controls
PAPER_MEGABYTES = {"resistance": {5: 311, 6: 1057, 7: 7491, 8: 31_720}, "spies": {5: 214, 6: 691, 7: 5352, 8: 31_748}}
PAPER_ITERATIONS = {
    "resistance": {5: 31_114, 6: 118_370, 7: 1_019_223, 8: 7_216_077},
    "spies": {5: 3_156, 6: 8_156, 7: 265_379, 8: 1_864_616},
}  # figure 6.1 too
# Percent of a core.
PAPER_CPU = {"resistance": {5: 220, 6: 217, 7: 249, 8: 200}, "spies": {5: 229, 6: 226, 7: 365, 8: 462}}
# With more players the simplex method on the paper's own program takes too long to count its iterations.
MAX_SIMPLEX = 6
MAX_MERLIN = 9  # with ten players there are too many claims of the spies to search
LABELLED_IN_THE_PAPER = {8: 8.5e11}  # knowledge nodes without symmetry reduction, from the abstract


def payoffs(most: int, say: Say, certificates: Path | None = None) -> Iterator[Json]:
    """Compute table 6.1 with the cases that the paper omits: exact values by lazy plans on knowledge trees."""
    for players in range(5, most + 1):
        began = time.process_time()
        certificate = solve(SETUPS[players])
        value = Fraction(certificate["value"])
        facts = {"players": players, "payoff": str(value), "wins": str((value + 1) / 2)}
        seconds = round(time.process_time() - began, 3)
        say(f"payoffs, {players} players")
        if certificates is not None:
            write_certificate(certificate, certificates / f"resistance{players}.json")
        yield facts | {"paper": PAPER_PAYOFF.get(players), "cpu_seconds": seconds}


def resources(most: int, say: Say) -> Iterator[Json]:
    """Compute tables 6.2 and 6.3: the paper's own linear program in full, by an interior-point method.

    Each is solved in a separate process, whose memory is reported. The iterations of figure 6.1 are those of the
    simplex method where that is quick enough.
    """
    for players in range(5, most + 1):
        for team in TEAMS:
            found = measured(players, team, "ipm")
            simplex = measured(players, team, "simplex") if players <= MAX_SIMPLEX else None
            say(f"resources, {players} players, the {team} first")
            yield {
                "players": players,
                "first": team,
                **found,
                "simplex_iterations": simplex and simplex["iterations"],
                "simplex_seconds": simplex and simplex["cpu_seconds"],
                "paper_iterations": PAPER_ITERATIONS[team][players],
                "paper_cpu_percent": PAPER_CPU[team][players],
                "paper_seconds": PAPER_SECONDS[team][players],
                "paper_megabytes": PAPER_MEGABYTES[team][players],
            }


def tree_sizes(most: int, say: Say) -> Iterator[Json]:
    """Compute figures 4.1, 5.1 and 5.2: knowledge nodes labelled, up to relabelling, and after reduction."""
    for players in range(5, most + 1):
        setup = SETUPS[players]
        rounds = [sum(part) for part in labelled_sizes(setup)]
        reduced, left = full_sizes(setup), opening(setup)
        by_round = [sum(both) for both in reduced_rounds(setup)]
        say(f"sizes, {players} players")
        yield {
            "players": players,
            "labelled_by_round": rounds,
            "labelled": sum(rounds),
            "paper": LABELLED_IN_THE_PAPER.get(players),
            "reduced_by_round": by_round,
            "up_to_relabelling": [reduced.resistance_infosets, reduced.spy_infosets],
            "left": [len(left.infosets) + len(left.tails), len(left.spy_parent)],
        }


def beyond(most: int, say: Say) -> Iterator[Json]:
    """Report results beyond the thesis: votes, and Merlin of Avalon with a secret ballot."""
    for players in range(5, min(most, MAX_MERLIN) + 1):
        setup = SETUPS[players]
        votes, papers = voting(setup), ballot(setup)
        say(f"votes and Merlin, {players} players")
        yield {
            "players": players,
            "voting_irrelevant": votes.irrelevant,
            "rejections": votes.rejections,
            "merlin_at_most": str(papers.most),
            "claims": papers.claims,
            "claims_not_sure": papers.lost,
            "merlin": None if papers.lost else str(papers.most),
        }


# The tables


def compute(options: Options, say: Say) -> Computed:
    solve(SETUPS[5])  # compile kernels before anything is timed
    values = list(payoffs(options.players, say, options.certificates))
    megabytes = peak_megabytes()
    sizes, programs = list(tree_sizes(options.players, say)), list(resources(options.full, say))
    tables, more = list(normal_forms()), list(beyond(options.players, say))
    seconds = round(sum(row["cpu_seconds"] for row in values), 2)
    facts = {"paper": "resistance", "payoffs": values, "cpu_seconds": seconds, "peak_megabytes": megabytes}
    facts |= {"sizes": sizes, "resources": programs, "normal_forms": tables, "beyond": more}
    spent = f"all of them: {seconds} CPU s on one core, {megabytes} MB of memory at most\n"
    lines: list[str | Table] = [_payoff_table(values), spent, _resource_table(programs)]
    lines += [*one_solve_lines(programs), eight_line(), "", _size_table(sizes)]
    lines += [_normal_form_table(tables), _beyond_table(more)]
    return Computed(facts, lines, report_of(lines, sizes, programs))


def _payoff_table(values: list[Json]) -> Table:
    return Table(
        "payoffs",
        "Table 6.1: payoff of the resistance (wins minus losses)",
        ("players", "paper", "exact", "wins", "CPU s"),
        [(p["players"], p["paper"] or "-", p["payoff"], p["wins"], f"{p['cpu_seconds']:.2f}") for p in values],
    )


def _resource_table(programs: list[Json]) -> Table:
    return Table(
        "resources",
        "Tables 6.2 and 6.3: the paper's own program (all rounds, all decisions), interior-point method on one thread",
        (
            "players", "first player", "value", "certified gap", "CPU s", "paper: s", "paper: CPU %", "MB", "paper: MB",
            "iterations", "simplex iterations", "paper: iterations",
        ),
        [
            (
                r["players"], r["first"], f"{r['value']:.6f}", f"{r['gap']:.0e}", f"{r['cpu_seconds']:.1f}",
                f"{r['paper_seconds']:,.1f}", r["paper_cpu_percent"], r["megabytes"], r["paper_megabytes"],
                r["iterations"], r["simplex_iterations"], r["paper_iterations"],
            )
            for r in programs
        ],
    )  # fmt: skip


def _size_table(sizes: list[Json]) -> Table:
    return Table(
        "sizes",
        "Figures 4.1, 5.1, 5.2: sizes (resistance and spies where there are two numbers)",
        ("players", "knowledge nodes, labelled", "paper", "infosets up to relabelling", "infosets left to solve"),
        [
            (
                s["players"],
                f"{s['labelled']:.3g}",
                f"{s['paper']:.2g}" if s["paper"] else "",
                *(f"{first:,} and {second:,}" for first, second in (s["up_to_relabelling"], s["left"])),
            )
            for s in sizes
        ],
    )


def _normal_form_table(tables: list[Json]) -> Table:
    return Table(
        "normal-forms",
        "Section 3.5: Lemke and Howson's algorithm on small normal forms, exactly",
        ("game", "size", "first player mixes", "second player mixes", "pivots", "equilibrium"),
        [(t["game"], t["size"], t["first"], t["second"], t["pivots"], verdict(t["equilibrium"])) for t in tables],
    )


def _beyond_table(more: list[Json]) -> Table:
    return Table(
        "beyond",
        "Voting (section 4.2), and Merlin of Avalon with a secret ballot",
        ("players", "votes matter", "rejections", "Merlin: wins at most", "kinds of claims", "not sure", "wins"),
        [
            (
                b["players"], "no" if b["voting_irrelevant"] else "yes", b["rejections"], b["merlin_at_most"],
                b["claims"], b["claims_not_sure"], b["merlin"] or f"at most {b['merlin_at_most']}",
            )
            for b in more
        ],
    )  # fmt: skip


EXPERIMENTS = (Computation("resistance", "Bossle 2018", compute, place=7),)
