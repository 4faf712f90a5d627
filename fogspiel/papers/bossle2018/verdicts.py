"""Claims of Bossle (2018), section by section, judged by the rows of its tables and by computations in fractions."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import comb, inf

import numpy as np

from ...resistance.game import SETUPS, Setup
from ...resistance.orbits import counts, everyone, missions, ones, split, spy_rule, spy_sets, team_rule
from ...resistance.variants import voting
from ...runs.store import Json
from ...solving.methods.lp import program_of
from ..claims import Claim, Clause, Evidence, exact, fact, missing
from .full_sequence_form import TEAMS, full_form, full_sizes, labelled_sizes, reduced_rounds
from .small_games import claims_of_chapters_2_and_3, count

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
PAPER_MISSIONS = {5: "2 3 2 3 3", 6: "2 3 4 3 4", 7: "2 3 3 4* 4", 8: "3 4 4 5* 5"}  # table 4.1
PAPER_NODES = 8.5e11  # knowledge nodes with 8 players without symmetry reduction, from the abstract
SIZES = tuple(PAPER_PAYOFF)
TOLERANCE = 1e-6  # distance of two bounds from floats that counts as none
HEAVILY = 0.1  # chapter 7, "heavily reduces the game tree sizes": to a tenth
MACHINE = "needs CPLEX on the paper's machine"
# The example game of section 4.1: spies, then each mission with its outcome, players from 1.
EXAMPLE = ({2, 4}, [({1, 2}, True), ({1, 2, 3}, False), ({1, 2}, False), ({1, 3, 4}, False)])


def judge(
    payoffs: list[Json], programs: list[Json], regrets: list[Json], orbits: list[Json], grown: list[Json]
) -> list[Claim]:
    """Return all claims; the rows are those of the tables, as many as were computed."""
    return [
        *claims_of_chapters_2_and_3(),
        *_rules(),
        *_sizes(),
        *_dual(programs),
        *_symmetry(orbits),
        *_values(payoffs, regrets),
        *_resources(programs),
        *_conclusion(regrets, grown),
    ]


def between(lower: float, upper: float) -> Evidence:
    """Return a quantity between two bounds that best responses prove up to rounding."""
    low, high = min(lower, upper) - TOLERANCE, max(lower, upper) + TOLERANCE
    return Evidence(lambda error: (low, high), f"from {lower:.9f} to {upper:.9f}", False)


# Chapter 4


def _rules() -> Iterator[Claim]:
    yield Claim(
        "4.1, table 4.1",
        "mission sizes",
        "resistance5 to resistance8",
        tuple(
            fact(f"{n} players", _printed(SETUPS[n]) == row, _printed(SETUPS[n])) for n, row in PAPER_MISSIONS.items()
        ),
    )
    yield Claim(
        "4.1",
        "one third of the players are spies",
        "official set-ups of 5 to 10 players",
        (
            fact(
                "rounded up",
                all(SETUPS[n].spies == -(-n // 3) for n in range(5, 11)),
                " ".join(str(SETUPS[n].spies) for n in range(5, 11)),
            ),
        ),
        note="a third rounded up: 5 players have 2",
    )
    score, legal, (spies, played) = Counter[bool](), True, EXAMPLE
    for number, (mission, won) in enumerate(played):
        legal &= len(mission) == SETUPS[5].sizes[number] and max(score.values(), default=0) < 3
        legal &= won or len(mission & spies) >= SETUPS[5].needed[number]
        score[won] += 1
    yield Claim(
        "4.1",
        "the example game is legal and ends 1:3",
        "resistance5",
        (fact("legal", legal, f"{len(played)} missions"), count("points of the spies", score[False], 3)),
        "1:3",
    )
    votes = {n: voting(SETUPS[n]) for n in SIZES}
    yield Claim(
        "4.2",
        "votes are irrelevant: the resistance decides the missions",
        "all votes and all leaders, 5 to 8 players",
        tuple(fact(f"{n} players", vote.irrelevant, f"{vote.rejections} rejections") for n, vote in votes.items()),
    )
    rules = {n: (spy_rule(SETUPS[n]).wins, team_rule(SETUPS[n]).wins) for n in SIZES}
    yield Claim(
        "4.2",
        "spies who mix must synchronise their sabotages; none of them has to mix",
        "the spies' rule of one sentence",
        tuple(
            Clause(f"{n} players", exact(spies, f"concedes {spies}, optimal: {spies == teams}"))
            for n, (spies, teams) in rules.items()
        ),
        note="the thesis leaves this open; a rule without dice is optimal, so nothing is left to synchronise",
        ours=True,
    )


def _printed(setup: Setup) -> str:
    stars = zip(setup.sizes, setup.needed, strict=True)
    return " ".join(f"{size}{'*' * (needed - 1)}" for size, needed in stars)


READINGS = {"a seen mission and the decision are two nodes": "apart", "definition 5": "states"}


def _sizes() -> Iterator[Claim]:
    eight = labelled_sizes(SETUPS[8])
    for reading, key in READINGS.items():
        nodes = sum(getattr(part, key) for part in eight)
        clause = Clause("nodes", exact(nodes, f"{nodes:.4g}"), 8.45e11, 8.55e11)
        subject = f"labelled players, {reading}"
        yield Claim("abstract, 7", "8 players have 8.5e11 knowledge nodes", subject, (clause,), f"{PAPER_NODES:.2g}")
    factors = [later.states / earlier.states for earlier, later in pairwise(eight)]
    ended = Fraction(eight[3].spy_ends, eight[3].spy_moves)
    yield Claim(
        "4.3, figure 4.1 (a)",
        "sizes grow exponentially by round; many histories end after the 4th",
        "8 players, definition 5",
        (
            Clause("least factor", exact(min(factors), f"{min(factors):.3g}"), least=1, strict=True),
            Clause("share that ends with round 4", exact(ended, f"{float(ended):.3f}"), least=0, strict=True),
        ),
    )
    for reading, key in READINGS.items():
        totals = [sum(getattr(part, key) for part in labelled_sizes(SETUPS[n])) for n in (*SIZES, 9)]
        factors = [later / earlier for earlier, later in pairwise(totals)]
        yield Claim(
            "4.3, figure 4.1 (b)",
            "sizes grow super-exponentially with the players: each multiplies them by more than the last one",
            f"5 to 8 players, {reading}",
            tuple(
                Clause(f"player {n}", exact(later - earlier, f"{later:.4g} after {earlier:.4g}"), 0, strict=True)
                for n, (earlier, later) in enumerate(pairwise(factors[:-1]), 7)
            ),
            note=f"the ninth player, without another spy: {factors[-1]:.3g}",
        )
    yield Claim(
        "4.3",
        "more than 8 players do not fit into 32 GB",
        "CPLEX",
        (Clause("memory", missing(MACHINE)),),
        note=f"9 players have {full_sizes(SETUPS[9]).spy_sequences / full_sizes(SETUPS[8]).spy_sequences:.1f} times "
        "the sequences of 8, which took 31.7 GB",
    )


# Chapter 5


def _dual(programs: list[Json]) -> Iterator[Claim]:
    gaps = tuple(
        Clause(
            f"{row['players']} players, {row['first']} first", exact(row["gap"], f"{row['gap']:.0e}"), most=TOLERANCE
        )
        for row in programs
    )
    yield Claim(
        "5.2",
        "one solve gives the strategies of both teams, one of them from the dual",
        "interior-point method",
        gaps or (Clause("gap", missing()),),
        note="gap between best responses to both strategies",
    )
    yield Claim(
        "5.2",
        "this is more than twice as fast as two solves",
        "interior-point method",
        (Clause("CPU time", missing("depends on the machine's load")),),
    )


def _symmetry(orbits: list[Json]) -> Iterator[Claim]:
    setup = SETUPS[5]
    mission = missions(everyone(setup), setup.sizes[0])[0]
    sent = Counter(ones(spy_sets(setup) & mission).tolist())
    total = comb(setup.players, setup.spies)
    printed = {0: Fraction(3, 10), 1: Fraction(6, 10), 2: Fraction(1, 10)}
    yield Claim(
        "5.3",
        "the first mission of 5 players has no spy with 30 %, one with 60 %, both with 10 %",
        "all pairs of spies",
        tuple(
            Clause(f"{spies} spies", exact(Fraction(sent[spies], total)), share, share)
            for spies, share in printed.items()
        ),
        "30, 60, 10 %",
    )
    groups = counts(split(everyone(setup), mission), (1 << setup.players) - 1)
    yield Claim(
        "5.3",
        "it breaks the players into groups of 2 and 3; of 10 pairs 1, 6 and 3 are in the parts",
        "all pairs of spies",
        (
            fact("groups", groups == (2, 3), " and ".join(map(str, groups))),
            fact("pairs", (sent[2], sent[1], sent[0]) == (1, 6, 3), f"{sent[2]}, {sent[1]} and {sent[0]}"),
        ),
        "1, 6, 3",
    )
    solved = next((row for row in orbits if "lower" in row), None)
    value = missing() if solved is None else between(solved["lower"], solved["upper"])
    yield Claim(
        "5.3, 7",
        "some optimal strategy gives equivalent choices the same probability",
        "resistance5, labelled players",
        (Clause("payoff of such strategies", value, -0.4 - 2 * TOLERANCE, -0.4 + 2 * TOLERANCE),),
        "-0.4",
        note="strategies that are constant on the orbits of colour refinement, against all labelled replies",
    )
    sizes = [
        f"{row['players']} players, {row['start']}: {row['program'][0]:,} x {row['program'][1]:,} to "
        f"{row['orbits'][0]:,} x {row['orbits'][1]:,}"
        for row in orbits
    ]
    yield Claim(
        "5.3, future work",
        "equivalences of any game are found automatically",
        "colour refinement of the program",
        tuple(Clause("", exact(0, size)) for size in sizes) or (Clause("", missing()),),
        ours=True,
    )
    labelled, reduced = [part.states for part in labelled_sizes(SETUPS[8])], [*map(sum, reduced_rounds(SETUPS[8]))]
    yield Claim(
        "5.3, figure 5.1",
        "symmetry reduction makes the trees of 8 players smaller in every round",
        "infosets",
        tuple(
            Clause(f"round {n}", exact(few / many, f"{many:.3g} to {few:,}"), most=1, strict=True)
            for n, (many, few) in enumerate(zip(labelled, reduced, strict=True), 1)
        ),
    )
    clauses = []
    for n in SIZES:
        many, size = sum(part.states for part in labelled_sizes(SETUPS[n])), full_sizes(SETUPS[n])
        few = size.resistance_infosets + size.spy_infosets
        clauses.append(Clause(f"{n} players", exact(few / many, f"{many:.3g} to {few:,}"), most=1, strict=True))
    yield Claim(
        "5.3, figure 5.2", "symmetry reduction makes all trees smaller", "infosets, 5 to 8 players", tuple(clauses)
    )


# Chapters 6 and 7


def _values(payoffs: list[Json], regrets: list[Json]) -> Iterator[Claim]:
    exactly = {row["players"]: Fraction(row["payoff"]) for row in payoffs}
    own = {row["players"]: between(row["lower"], row["upper"]) for row in regrets}
    for subject, found in (
        ("certified values, exact", {n: exact(value) for n, value in exactly.items()}),
        ("PCFR+ on the paper's own form", own),
    ):
        clauses = tuple(
            Clause(f"{n} players", found.get(n, missing()), *_rounded(text)) for n, text in PAPER_PAYOFF.items()
        )
        yield Claim("6, table 6.1", "payoffs of 5 to 8 players", subject, clauses, ", ".join(PAPER_PAYOFF.values()))
    yield Claim(
        "6",
        "the spies have an advantage",
        "certified values, exact",
        tuple(Clause(f"{n} players", exact(value), most=0, strict=True) for n, value in exactly.items() if n in SIZES),
    )


def _rounded(text: str) -> tuple[Fraction, Fraction]:
    """Return the limits of the numbers that are printed like this."""
    digits = max(len(text.partition(".")[2]), 3)
    return Fraction(text) - Fraction(1, 2 * 10**digits), Fraction(text) + Fraction(1, 2 * 10**digits)


def _resources(programs: list[Json]) -> Iterator[Claim]:
    for table, team in zip(("6.2", "6.3"), TEAMS, strict=True):
        rows = {row["players"]: row for row in programs if row["first"] == team}
        ours = (
            "; ".join(
                f"{n} players: {row['iterations']} interior-point, {row['simplex_iterations'] or 'no'} simplex "
                f"iterations, {row['megabytes']} MB"
                for n, row in rows.items()
            )
            or "not run"
        )
        yield Claim(
            f"6, table {table}",
            f"time, CPU, memory and iterations, the {team} first",
            "CPLEX",
            tuple(Clause(what, missing(MACHINE)) for what in ("time", "CPU", "memory", "iterations")),
            ", ".join(f"{PAPER_SECONDS[team][n]:,.0f} s" for n in SIZES),
            note=f"ours: {ours}",
        )
    ratios = {n: PAPER_SECONDS["resistance"][n] / PAPER_SECONDS["spies"][n] for n in SIZES}
    yield Claim(
        "6",
        "the program with the spies first is up to 9 times faster",
        "CPLEX; one solver for both orders of 8 players",
        (
            Clause(
                "by the printed times",
                exact(max(ratios.values()), f"{max(ratios.values()):.2f} at 8 players"),
                8.5,
                9.5,
            ),
            Clause("by one solver here", missing("not run: no linear program of 8 players was solved here")),
        ),
        "9",
        note="printed ratios: " + ", ".join(f"{ratio:.2f}" for ratio in ratios.values()),
    )
    clauses = []
    for n in SIZES:
        counted = {row["first"]: row["simplex_iterations"] for row in programs if row["players"] == n}
        first, second = (counted.get(team) for team in TEAMS)
        evidence = missing() if not first or not second else exact(second / first, f"{second:,} of {first:,}")
        clauses.append(Clause(f"{n} players", evidence, most=1, strict=True))
    yield Claim(
        "6, figure 6.1",
        "the spies first need fewer iterations",
        "dual simplex method of HiGHS",
        tuple(clauses),
        note="interior-point iterations: " + (", ".join(str(row["iterations"]) for row in programs) or "not run"),
    )
    program = program_of(full_form(SETUPS[5]), 0)
    bounds = np.concatenate((program.row_lower, program.row_upper, program.column_lower, program.column_upper))
    constants = int(((program.row_lower != 0) & np.isfinite(program.row_lower)).sum())
    yield Claim(
        "6",
        "the programs are degenerate: only the root's constraint has a constant that is not 0",
        "program of resistance5",
        (
            count("constraints with a constant", constants, 1),
            fact(
                "limits", (limits := set(bounds.tolist())) <= {0.0, 1.0, inf, -inf}, " ".join(map(str, sorted(limits)))
            ),
        ),
        "1",
    )
    yield Claim("6", "CPLEX is much faster than GLPK", "CPLEX and GLPK", (Clause("time", missing(MACHINE)),))


def _conclusion(regrets: list[Json], grown: list[Json]) -> Iterator[Claim]:
    widest = max((row["players"] for row in regrets), default=0)
    for row in regrets:
        if row["players"] == widest:
            yield Claim(
                "3.3",
                "regret minimisation, which the thesis judges not very efficient, on its own form",
                f"PCFR+, {widest} players",
                (
                    Clause(
                        "",
                        exact(
                            row["gap"],
                            f"gap {row['gap']:.0e} after {row['iterations']} iterations, {row['megabytes']:,} MB",
                        ),
                    ),
                ),
                ours=True,
            )
    clauses = []
    for row in grown:
        used = [f"{few} of {all_:,}" for few, all_ in zip(row["generated"], row["sequences"], strict=True)]
        words = f"{row['rounds']} rounds, {' and '.join(used)} sequences, gap {row['gap']:.0e}"
        share = max(Fraction(few, all_) for few, all_ in zip(row["generated"], row["sequences"], strict=True))
        clauses.append(Clause(f"{row['players']} players, gap", exact(row["gap"], words), most=TOLERANCE))
        clauses.append(Clause("share of sequences", exact(share, f"{float(share):.2%}"), most=HEAVILY))
    yield Claim(
        "7",
        "the double oracle is promising, as it needs a small part of the tree",
        "the paper's own form",
        tuple(clauses) or (Clause("rounds", missing()),),
        "no results",
        note="both bounds meet: the game is solved",
    )
