"""The tables and figures of Bossle (2018), "Finding Optimal Strategies for Group Deception Games", ours beside them."""

import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import log10
from pathlib import Path

from ...resistance.certificate import solve
from ...resistance.game import SETUPS
from ...resistance.variants import opening, voting
from ...runs.report import Cell, Chart, Report, Series, Table
from ...runs.store import Json
from ...solving.proofs import write_certificate
from ..claims import Claim, verdict
from ..kinds import Computation, Computed, Options, Say
from . import full_sequence_form as full
from . import verdicts

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


def eight_line(regrets: list[Json]) -> str:
    """Compare eight players in the paper's own form with the paper's two linear programs."""
    size, seven = full.full_sizes(SETUPS[8]), full.full_sizes(SETUPS[7])
    columns, rows = size.resistance_infosets + size.spy_sequences, size.resistance_sequences + size.spy_infosets
    words = (
        f"8 players in the paper's own form: {columns / 1e6:.1f} and {rows / 1e6:.1f} million rows and columns (which "
        f"are which depends on the first player), {size.spy_sequences / seven.spy_sequences:.0f} times those of 7"
    )
    found = next((row for row in regrets if row["players"] == 8), None)
    if found is None:
        return f"{words}: not solved in this run, `--full 7` adds PCFR+ with 8 players"
    hours = [verdicts.PAPER_SECONDS[team][8] / 3600 for team in full.TEAMS]
    return (
        f"{words}: PCFR+ puts the payoff between {found['lower']:.9f} and {found['upper']:.9f} after "
        f"{found['iterations']} iterations, {found['cpu_seconds']:.0f} CPU s and {found['megabytes']:,} MB; CPLEX took "
        f"{hours[0]:.1f} and {hours[1]:.1f} hours, {verdicts.PAPER_MEGABYTES['spies'][8]:,} MB and up to 4.6 cores"
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


# With more players the simplex method on the paper's own program takes too long to count its iterations.
MAX_SIMPLEX = 6
MAX_VOTES = 9  # players of the largest table of votes


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
        yield facts | {"paper": verdicts.PAPER_PAYOFF.get(players), "cpu_seconds": seconds}


def resources(most: int, say: Say) -> Iterator[Json]:
    """Compute tables 6.2 and 6.3: the paper's own linear program in full, by an interior-point method.

    Each is solved in a separate process, whose memory is reported. The iterations of figure 6.1 are those of the
    simplex method where that is quick enough.
    """
    for players in range(5, most + 1):
        for team in full.TEAMS:
            found = full.measured(full.solve_program, players, team, "ipm")
            simplex = full.measured(full.solve_program, players, team, "simplex") if players <= MAX_SIMPLEX else None
            say(f"resources, {players} players, the {team} first")
            yield {
                "players": players,
                "first": team,
                **found,
                "simplex_iterations": simplex and simplex["iterations"],
                "simplex_seconds": simplex and simplex["cpu_seconds"],
                "paper_iterations": verdicts.PAPER_ITERATIONS[team][players],
                "paper_cpu_percent": verdicts.PAPER_CPU[team][players],
                "paper_seconds": verdicts.PAPER_SECONDS[team][players],
                "paper_megabytes": verdicts.PAPER_MEGABYTES[team][players],
            }


def without_program(solver: Callable[[int], Json], most: int, say: Say) -> Iterator[Json]:
    """Solve the paper's own form by a method that needs no linear program of it, up to one player more."""
    for players in range(5, most + 2) if most >= 5 else ():
        say(f"{players} players in the paper's own form: {solver.__name__.replace('_', ' ')}")
        yield full.measured(solver, players)


def symmetry(most: int, say: Say) -> Iterator[Json]:
    """Find the orbits of the game of labelled players and of the paper's form by colour refinement."""
    if most >= 5:
        for presolved in (False, True):
            say("orbits of 5 labelled players" + ", presolved" * presolved)
            yield full.measured(full.orbits_by_machine, "resistance5", presolved)
    for players in range(5, most + 1):
        say(f"orbits in the paper's own form, {players} players")
        yield full.measured(full.orbits_by_hand, players)


def own_form(most: int, say: Say) -> tuple[list[Json], list[Json], list[Json], list[Json]]:
    """Solve the paper's own form: by linear programs, by PCFR+, by the double oracle; and find its orbits."""
    programs = list(resources(most, say))
    regrets, grown = (
        list(without_program(solver, most, say)) for solver in (full.solve_by_regrets, full.solve_by_growth)
    )
    return programs, regrets, grown, list(symmetry(most, say))


def tree_sizes(most: int, say: Say) -> Iterator[Json]:
    """Compute figures 4.1, 5.1 and 5.2: knowledge nodes labelled, up to relabelling, and after reduction."""
    for players in range(5, most + 1):
        setup = SETUPS[players]
        labelled = full.labelled_sizes(setup)
        rounds = [part.apart for part in labelled]
        reduced, left = full.full_sizes(setup), opening(setup)
        by_round = [sum(both) for both in full.reduced_rounds(setup)]
        say(f"sizes, {players} players")
        yield {
            "players": players,
            "labelled_by_round": rounds,
            "labelled": sum(rounds),
            "knowledge_states": sum(part.states for part in labelled),
            "paper": verdicts.PAPER_NODES if players == 8 else None,
            "reduced_by_round": by_round,
            "up_to_relabelling": [reduced.resistance_infosets, reduced.spy_infosets],
            "left": [len(left.infosets) + len(left.tails), len(left.spy_parent)],
        }


def votes(most: int, say: Say) -> Iterator[Json]:
    """Decide whether votes, which the thesis leaves out, matter (section 4.2)."""
    for players in range(5, min(most, MAX_VOTES) + 1):
        say(f"votes, {players} players")
        found = voting(SETUPS[players])
        yield {"players": players, "voting_irrelevant": found.irrelevant, "rejections": found.rejections}


# The tables


def compute(options: Options, say: Say) -> Computed:
    solve(SETUPS[5])  # compile kernels before anything is timed
    values = list(payoffs(options.players, say, options.certificates))
    megabytes = full.peak_megabytes()
    sizes = list(tree_sizes(options.players, say))
    programs, regrets, grown, orbits = own_form(options.full, say)
    tables, more = list(full.normal_forms()), list(votes(options.players, say))
    seconds = round(sum(row["cpu_seconds"] for row in values), 2)
    facts = {"paper": "resistance", "payoffs": values, "cpu_seconds": seconds, "peak_megabytes": megabytes}
    facts |= {"sizes": sizes, "resources": programs, "first_order": regrets, "double_oracle": grown}
    facts |= {"symmetry": orbits, "normal_forms": tables, "beyond": more}
    spent = f"all of them: {seconds} CPU s on one core, {megabytes} MB of memory at most\n"
    lines: list[str | Table] = [_payoff_table(values), spent, _resource_table(programs, regrets, grown)]
    lines += [*one_solve_lines(programs), eight_line(regrets), "", _size_table(sizes), READING, ""]
    lines += [_symmetry_table(orbits)] * bool(orbits)
    lines += [_normal_form_table(tables), _votes_table(more)]
    return Computed(facts, lines, report_of(lines, sizes, programs))


def _payoff_table(values: list[Json]) -> Table:
    return Table(
        "payoffs",
        "Table 6.1: payoff of the resistance (wins minus losses)",
        ("players", "paper", "exact", "wins", "CPU s"),
        [(p["players"], p["paper"] or "-", p["payoff"], p["wins"], f"{p['cpu_seconds']:.2f}") for p in values],
    )


def _resource_table(programs: list[Json], regrets: list[Json], grown: list[Json]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            r["players"], r["first"], f"{r['value']:.6f}", f"{r['gap']:.0e}", f"{r['cpu_seconds']:.1f}",
            f"{r['paper_seconds']:,.1f}", r["paper_cpu_percent"], r["megabytes"], r["paper_megabytes"],
            r["iterations"], r["simplex_iterations"], None, None, r["paper_iterations"],
        )
        for r in programs
    ]  # fmt: skip
    for r in (*regrets, *grown):
        middle, spent = f"{(r['lower'] + r['upper']) / 2:.6f}", f"{r['cpu_seconds']:.1f}"
        costs = spent, None, None, r["megabytes"], None, None, None
        counts = r.get("iterations"), r.get("rounds"), None
        rows.append((r["players"], "both", middle, f"{r['gap']:.0e}", *costs, *counts))
    return Table(
        "resources",
        "Tables 6.2 and 6.3: the paper's own form (all rounds, all decisions), by the method with a count",
        (
            "players", "first player", "value", "certified gap", "CPU s", "paper: s", "paper: CPU %", "MB", "paper: MB",
            "interior-point iterations", "simplex iterations", "PCFR+ iterations", "double-oracle rounds",
            "paper: CPLEX iterations",
        ),
        rows,
    )  # fmt: skip


READING = (
    "The paper's 8.5e11 with 8 players counts a mission that the spies have seen and the decision on it as two nodes. "
    "Its definition 5 has one node for each knowledge state: 6.46e11."
)


def _symmetry_table(orbits: list[Json]) -> Table:
    return Table(
        "symmetry",
        "Section 5.3 and its future work: the resistance's program, and its orbits by colour refinement",
        ("players", "program of", "rows", "columns", "orbits of rows", "orbits of columns", "MB"),
        [(o["players"], o["start"], *o["program"], *o["orbits"], o["megabytes"]) for o in orbits],
    )


def _size_table(sizes: list[Json]) -> Table:
    return Table(
        "sizes",
        "Figures 4.1, 5.1, 5.2: sizes (resistance and spies where there are two numbers)",
        (
            "players", "knowledge nodes, labelled", "by definition 5", "paper", "infosets up to relabelling",
            "infosets left to solve",
        ),
        [
            (
                s["players"],
                f"{s['labelled']:.3g}",
                f"{s['knowledge_states']:.3g}",
                f"{s['paper']:.2g}" if s["paper"] else "",
                *(f"{first:,} and {second:,}" for first, second in (s["up_to_relabelling"], s["left"])),
            )
            for s in sizes
        ],
    )  # fmt: skip


def _normal_form_table(tables: list[Json]) -> Table:
    return Table(
        "normal-forms",
        "Section 3.5: Lemke and Howson's algorithm on small normal forms, exactly",
        ("game", "size", "first player mixes", "second player mixes", "pivots", "equilibrium"),
        [(t["game"], t["size"], t["first"], t["second"], t["pivots"], verdict(t["equilibrium"])) for t in tables],
    )


def _votes_table(more: list[Json]) -> Table:
    rows = [(b["players"], "no" if b["voting_irrelevant"] else "yes", b["rejections"]) for b in more]
    return Table("beyond", "Voting (section 4.2)", ("players", "votes matter", "rejections"), rows)


def claims(options: Options, say: Say) -> list[Claim]:
    """Judge the claims of the thesis by the tables, as far as `options` has them computed."""
    solve(SETUPS[5])  # compile kernels before anything is timed
    values = list(payoffs(min(options.players, max(verdicts.SIZES)), say))
    programs, regrets, grown, orbits = own_form(options.full, say)
    say("theorems on small games, sizes")
    return verdicts.judge(values, programs, regrets, orbits, grown)


EXPERIMENTS = (Computation("resistance", "Bossle 2018", compute, place=7, claims=claims),)
