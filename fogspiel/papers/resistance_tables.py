"""Tables 6.1 to 6.3 and the tree sizes of Bossle (2018), "Finding Optimal Strategies for Group Deception Games"."""

import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from ..games.resistance.setups import SETUPS
from ..runs.report import Table
from ..runs.store import Json
from ..solve.certificates import write_certificate
from ..solve.lp import equilibrium
from ..solve.resistance.full_sequence_form import full_form
from ..solve.resistance.opening import opening
from ..solve.resistance.row_generation import solve
from ..solve.resistance.sizes import full_sizes, labelled_sizes
from .catalogue import Computation, Computed, Options, Say

PAPER_PAYOFF = {5: "-0.4", 6: "-0.333", 7: "-0.486", 8: "-0.679"}
"""Table 6.1."""
PAPER_SECONDS = {
    "resistance": {5: 2.820, 6: 13.620, 7: 441.2, 8: 35_252.0},
    "spies": {5: 1.910, 6: 10.080, 7: 178.65, 8: 4_074.0},
}
"""Tables 6.2 and 6.3: wall-clock time of CPLEX on 8 cores, by the team that the first player controls."""
PAPER_MEGABYTES = {
    "resistance": {5: 311, 6: 1057, 7: 7491, 8: 31_720},
    "spies": {5: 214, 6: 691, 7: 5352, 8: 31_748},
}
TEAMS = ("resistance", "spies")
LABELLED_IN_THE_PAPER = {8: 8.5e11}
"""Knowledge nodes without symmetry reduction, from the abstract."""


def payoffs(most: int, say: Say, certificates: Path | None = None) -> Iterator[Json]:
    """Table 6.1 with the cases that the paper leaves out: exact values by lazy plans on knowledge trees."""
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
    """Tables 6.2 and 6.3: the paper's own linear program, all rounds and all decisions, by an interior-point method.

    With 7 players only the better orientation is solved.
    """
    for players in range(5, most + 1):
        began = time.process_time()
        form = full_form(SETUPS[players])
        built = time.process_time() - began
        for planner, team in enumerate(TEAMS):
            if players >= 7 and team == "resistance":
                continue
            began = time.process_time()
            found = equilibrium(form, planner, "ipm")
            say(f"resources, {players} players")
            yield {
                "players": players,
                "first": team,
                "value": found.value,
                "gap": found.gap,
                "cpu_seconds": round(built + time.process_time() - began, 2),
                "paper_seconds": PAPER_SECONDS[team][players],
                "paper_megabytes": PAPER_MEGABYTES[team][players],
            }


def tree_sizes(most: int, say: Say) -> Iterator[Json]:
    """Figures 4.1, 5.1 and 5.2: knowledge nodes with labelled players, up to relabelling, and what is left to solve."""
    for players in range(5, most + 1):
        setup = SETUPS[players]
        rounds = [sum(part) for part in labelled_sizes(setup)]
        reduced, left = full_sizes(setup), opening(setup)
        say(f"sizes, {players} players")
        yield {
            "players": players,
            "labelled_by_round": rounds,
            "labelled": sum(rounds),
            "paper": LABELLED_IN_THE_PAPER.get(players),
            "up_to_relabelling": [reduced.resistance_infosets, reduced.spy_infosets],
            "left": [len(left.infosets) + len(left.tails), len(left.spy_parent)],
        }


# The tables


def compute(options: Options, say: Say) -> Computed:
    """All tables, the paper's numbers beside ours."""
    solve(SETUPS[5])  # so that kernels are compiled before anything is timed
    values = list(payoffs(options.players, say, options.certificates))
    megabytes = _peak_megabytes()
    sizes, programs = list(tree_sizes(options.players, say)), list(resources(options.full, say))
    seconds = round(sum(row["cpu_seconds"] for row in values), 2)
    facts = {"paper": "resistance", "payoffs": values, "cpu_seconds": seconds, "peak_megabytes": megabytes}
    spent = f"all of them: {seconds} CPU s on one core, {megabytes} MB of memory at most\n"
    lines: list[str | Table] = [_payoff_table(values), spent, _resource_table(programs), _size_table(sizes)]
    return Computed(facts | {"sizes": sizes, "resources": programs}, lines)


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
        "Tables 6.2 and 6.3: the paper's own program (all rounds, all decisions)",
        ("players", "first player", "value", "certified gap", "CPU s, one core", "paper: s, 8 cores", "paper: MB"),
        [
            (
                r["players"], r["first"], f"{r['value']:.6f}", f"{r['gap']:.0e}", f"{r['cpu_seconds']:.1f}",
                f"{r['paper_seconds']:,.1f}", f"{r['paper_megabytes']:,}",
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


def _peak_megabytes() -> int | None:
    """The most memory that this process has had so far, where the system tells."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / 1024 if sys.platform.startswith("linux") else peak / 2**20)


EXPERIMENTS = (Computation("resistance", "Bossle 2018", compute, place=7),)
