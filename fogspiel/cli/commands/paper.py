"""fogspiel paper: the tables of a paper beside ours."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ..app import AsJson, Cluster, Seed, StorePath, announce_compilation, app, print_json
from ..report_tables import regenerate, show_report

STORED = ("table2", "table3", "section5", "beyond", "kriegspiel")
PAPERS = (*STORED, "figure1", "resistance", "phantom")
NAMES = (
    "table2, table3, figure1, section5 or beyond (Cauwet & Teytaud 2018), phantom (Teytaud & Teytaud 2011), "
    "kriegspiel (Ciancarini & Favini 2010) or resistance (Bossle 2018)."
)


@app.command()
def paper(
    name: Annotated[str, typer.Argument(help=NAMES)],
    quick: Annotated[bool, typer.Option("--quick", help="Ten minutes on two cores (kriegspiel: thirty).")] = False,
    seeds: Annotated[int | None, typer.Option(help="Tables: training seeds for every cell (10; 3 if quick).")] = None,
    race: Annotated[str, typer.Option(help="Tables: the race that the methods decide by.")] = "count-mixture",
    scale: Annotated[float, typer.Option(help="Stored ones: multiply all numbers of games by this.")] = 1.0,
    seed: Seed = 1,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Processes; results do not depend on it (all cores).")
    ] = None,
    cluster: Cluster = None,
    output: Annotated[Path | None, typer.Option(help="The folder for the report (fogspiel-NAME, here).")] = None,
    players: Annotated[int, typer.Option(min=5, max=13, help="The Resistance: solve up to this many players.")] = 10,
    full: Annotated[int, typer.Option(min=4, max=7, help="The Resistance: Bossle's own program up to this many.")] = 7,
    certificates: Annotated[
        Path | None, typer.Option(help="The Resistance: write certificates to this folder.")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Reproduce the tables and figures of a paper, its numbers beside ours."""
    if name not in PAPERS:
        raise ValueError(f"there is no paper {name!r}: it is {', '.join(PAPERS[:-1])} or {PAPERS[-1]}")
    if name in STORED:
        options = {"name": name, "quick": quick, "seeds": seeds, "race": race, "scale": scale, "seed": seed}
        return regenerate(options, processes, output, store, as_json, cluster)
    announce_compilation()
    if name == "figure1":
        from ...papers.figure1 import figure1

        return show_report(figure1(), None, output, as_json)
    if name == "phantom":
        return _phantom(as_json)
    return _resistance(players, full, certificates, as_json)


def _phantom(as_json: bool) -> None:
    from ...papers import phantom_claims
    from .. import console

    found = []
    with console.status("paper phantom") as say:
        for claim in phantom_claims.claims():
            say(claim.claim)
            found.append(claim._asdict())
    if as_json:
        return print_json({"paper": "phantom", "variant": "classical", "claims": found})
    title = "Teytaud & Teytaud 2011, checked (classical phantom games; scores of Black, a draw counts 1/2)"
    return console.table(title, ("claim", "paper", "ours", "verdict"), [tuple(claim.values()) for claim in found])


def _resistance(players: int, full: int, certificates: Path | None, as_json: bool) -> None:
    from ...papers import resistance_tables
    from ...solve import certificates as proofs
    from .. import console

    with console.status("paper resistance") as say:

        def rows(table: Any) -> list[dict[str, Any]]:
            found = []
            for row in table:
                say(f"{row.table}, {row.players} players")
                found.append({"players": row.players, **row.facts})
                if certificates is not None and row.certificate is not None:
                    proofs.write_certificate(row.certificate, certificates / f"resistance{row.players}.json")
            return found

        next(resistance_tables.payoffs(5))  # so that kernels are compiled before anything is timed
        payoffs = rows(resistance_tables.payoffs(players))
        megabytes = _peak_megabytes()
        sizes, resources = rows(resistance_tables.tree_sizes(players)), rows(resistance_tables.resources(full))
    seconds = round(sum(row["cpu_seconds"] for row in payoffs), 2)
    if as_json:
        spent = {"cpu_seconds": seconds, "peak_megabytes": megabytes}
        return print_json({"paper": "resistance", "payoffs": payoffs, **spent, "sizes": sizes, "resources": resources})
    console.table(
        "Table 6.1: payoff of the resistance (wins minus losses)",
        ("players", "paper", "exact", "wins", "CPU s"),
        [(p["players"], p["paper"] or "open", p["payoff"], p["wins"], f"{p['cpu_seconds']:.2f}") for p in payoffs],
    )
    console.out.print(f"all of them: {seconds} CPU s on one core, {megabytes} MB of memory at most\n")
    console.table(
        "Tables 6.2 and 6.3: the paper's own program (all rounds, all decisions)",
        ("players", "first player", "value", "certified gap", "CPU s, one core", "paper: s, 8 cores", "paper: MB"),
        [
            (
                r["players"], r["first"], f"{r['value']:.6f}", f"{r['gap']:.0e}", f"{r['cpu_seconds']:.1f}",
                f"{r['paper_seconds']:,.1f}", f"{r['paper_megabytes']:,}",
            )
            for r in resources
        ],
    )  # fmt: skip
    console.table(
        "Figures 4.1, 5.1, 5.2: sizes (resistance and spies where there are two numbers)",
        ("players", "knowledge nodes, labelled", "paper", "infosets up to relabelling", "infosets left to solve"),
        [
            (
                s["players"],
                f"{s['labelled']:.3g}",
                f"{s['paper']:.2g}" if s["paper"] else "",
                *map(_pair, (s["up_to_relabelling"], s["left"])),
            )
            for s in sizes
        ],
    )
    return None


def _pair(numbers: list[int]) -> str:
    return f"{numbers[0]:,} and {numbers[1]:,}"


def _peak_megabytes() -> int | None:
    """The most memory that this process has had so far, where the system tells."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / 1024 if sys.platform.startswith("linux") else peak / 2**20)
