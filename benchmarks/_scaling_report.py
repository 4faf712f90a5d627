"""Tables and figures of `docs/results/scaling.md`, generated between two marks from the results.

The section `trees` lies between `<!-- trees -->` and `<!-- /trees -->`; the rest of the file is written by hand.
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fogspiel.runs.report.html_page import COLOURS, LOOK

Row = dict[str, Any]
Results = dict[str, list[Row]]
Points = list[tuple[float, float]]

MARKS = "osD^vPX"
LAST = 3
"""Number of points in a fit."""
LARGEST_PROOF = 1_000_000
"""Nodes above which a solution has no certificate, so that it is less work."""
MIN_SECONDS, MIN_MEGABYTES = 0.01, 5.0
"""Thresholds below which measurements are noise and do not count in fits."""


def exponent(points: Points) -> float | None:
    """Return the log-log slope of the last three points; smaller sizes are dominated by fixed costs."""
    if len(points) < LAST:
        return None
    x, y = np.log(np.array(points[-LAST:])).T
    return float(np.polyfit(x, y, 1)[0])


def shown_exponent(points: Points) -> str:
    found = exponent(points)
    return "–" if found is None else f"{found:.2f}"


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def number(value: float, digits: int = 2) -> str:
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}".replace(",", " ")


def draw(path: Path, panels: Sequence[tuple[str, str, str, dict[str, Points]]]) -> None:
    """Draw panels with logarithmic axes, each a title, two axis names, and points by name."""
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(["default", LOOK]):
        figure = Figure(figsize=(4.6 * len(panels), 4.0), layout="constrained")
        for place, (title, x, y, series) in enumerate(panels):
            panel = figure.add_subplot(1, len(panels), place + 1)
            for k, (name, points) in enumerate(series.items()):
                if points:
                    colour, mark = COLOURS[k % len(COLOURS)], MARKS[k % len(MARKS)]
                    panel.plot(*zip(*points, strict=True), marker=mark, markersize=5, color=colour, label=name)
            panel.set(xscale="log", yscale="log", title=title, xlabel=x, ylabel=y)
            panel.legend(fontsize=8)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def points_of(rows: Sequence[Row], x: str, y: str, least: float = 0.0) -> Points:
    return sorted((float(row[x]), float(row[y])) for row in rows if float(row[y]) > least)


# Sections


def at_a_billion(points: Points) -> str:
    """Extrapolate the fitted power from the largest measured tree to a billion nodes."""
    found = exponent(points)
    if found is None:
        return "–"
    nodes, cost = points[-1]
    return number(cost * (1e9 / nodes) ** found, 1)


def trees(rows: list[Row], folder: Path) -> str:
    lines, panels = [], []
    for family, words in (("kuhn", "Kuhn poker, n cards"), ("liars-dice", "liar's dice, n faces")):
        of_family = [row for row in rows if row["family"] == family]
        methods = list(dict.fromkeys(row["method"] for row in of_family))
        series = {m: points_of([r for r in of_family if r["method"] == m], "nodes", "cpu_seconds") for m in methods}
        panels.append((words, "nodes of the tree", "CPU s", series))
        for method in methods:
            mine = [row for row in of_family if row["method"] == method]
            mine = [row for row in mine if method != "exact" or row["nodes"] <= LARGEST_PROOF]
            times = points_of(mine, "nodes", "cpu_seconds", MIN_SECONDS)
            room = points_of(mine, "nodes", "megabytes", MIN_MEGABYTES)
            nodes = f"{mine[0]['nodes']:,} .. {mine[-1]['nodes']:,}".replace(",", " ")
            memory = number(mine[-1]["megabytes"]) if room else "–"
            lines.append(
                (
                    *(
                        words,
                        method,
                        nodes,
                        number(mine[-1]["cpu_seconds"]),
                        shown_exponent(times),
                        at_a_billion(times),
                    ),
                    *(memory, shown_exponent(room), at_a_billion(room)),
                )
            )
    draw(folder / "scaling-trees.svg", panels)
    columns = ("family", "work", "nodes", "CPU s at the largest", "exponent", "CPU s at 10^9", "MB more", "exponent")
    return f"![CPU seconds by the size of the tree](scaling-trees.svg)\n\n{table((*columns, 'MB at 10^9'), lines)}"


def resistance(rows: list[Row], folder: Path) -> str:
    panels = [
        ("The Resistance", "players", "CPU s", {"CPU s": points_of(rows, "players", "cpu_seconds")}),
        ("The Resistance", "spy sets", "CPU s", {"CPU s": points_of(rows, "spy_sets", "cpu_seconds")}),
    ]
    draw(folder / "scaling-resistance.svg", panels)
    lines = [
        (row["players"], row["spy_sets"], row["plans"], number(row["cpu_seconds"]), number(row["megabytes"]))
        for row in rows
    ]
    fits = shown_exponent(points_of(rows, "spy_sets", "cpu_seconds"))
    shown = table(("players", "spy sets", "plans", "CPU s", "MB more"), lines)
    grows = f"CPU time grows like the number of spy sets to the power {fits}."
    return f"![The Resistance](scaling-resistance.svg)\n\n{shown}\n\n{grows}"


def boards(rows: list[Row], folder: Path) -> str:
    search, playouts, dark = ([row for row in rows if row["kind"] == kind] for kind in ("search", "playouts", "hex"))
    tries, games = (points_of(playouts, "cells", y) for y in ("first_try_seconds", "uniform_games_per_second"))
    panels = [
        ("Ponnuki by playouts", "cells", "CPU s", {"first try": tries}),
        ("Uniform games", "cells", "per CPU s", {"ponnuki": games}),
    ]
    draw(folder / "scaling-boards.svg", panels)
    found = [
        table(
            ("ponnuki", "positions with open eyes", "CPU s", "CPU s for sure wins of the phantom game"),
            [(r["game"], r["positions"], number(r["perfect_seconds"]), number(r["belief_seconds"])) for r in search],
        ),
        table(
            ("ponnuki", "tries per uniform game", "uniform games per CPU s", "playouts for the first try", "CPU s"),
            [
                (r["game"], number(r["tries_per_game"]), number(r["uniform_games_per_second"]), r["playouts"],
                 number(r["first_try_seconds"])) for r in playouts
            ],
        ),
        table(
            ("dark hex", "sequences", "CPU s to build", "CPU s to a gap of 0.0001", "MB at the peak"),
            [
                (r["game"], " and ".join(map(str, r["sequences"])), number(r["build_seconds"]),
                 number(r["solve_seconds"]), number(r["megabytes"])) for r in dark
            ],
        ),
    ]  # fmt: skip
    return "\n\n".join(["![Boards](scaling-boards.svg)", *found])


def belief(rows: list[Row], folder: Path) -> str:
    series = {"log-loss per square": points_of(rows, "boards", "loss")}
    times = {"ms per turn": points_of(rows, "boards", "ms")}
    draw(
        folder / "scaling-belief.svg",
        [("Belief of fog", "boards", "log-loss", series), ("Its cost", "boards", "CPU ms", times)],
    )
    lines = [
        (
            row["asked"],
            number(row["boards"], 3),
            f"{row['loss']:.4f}",
            f"{row['king']:.3f}",
            f"{row['there']:.3f}",
            number(row["ms"]),
        )
        for row in rows
    ]
    shown = table(
        (
            "boards asked for",
            "boards kept",
            "log-loss per square",
            "chance of the king's square",
            "truth among them",
            "CPU ms per turn",
        ),
        lines,
    )
    return f"![Belief](scaling-belief.svg)\n\n{shown}"


def store(rows: list[Row], folder: Path) -> str:
    series = {name: points_of(rows, "rows", f"{name}_seconds") for name in ("append", "read")}
    draw(
        folder / "scaling-store.svg",
        [
            ("Rows of a run", "rows", "CPU s", series),
            ("The file", "rows", "bytes", {"bytes": points_of(rows, "rows", "bytes")}),
        ],
    )
    lines = [
        (
            row["rows"],
            number(row["append_seconds"]),
            number(1e6 * row["append_seconds"] / row["rows"]),
            number(row["append_wall_seconds"]),
            number(row["read_seconds"]),
            number(row["bytes"] / row["rows"], 3),
        )
        for row in rows
    ]
    shown = table(
        ("rows", "CPU s to append", "CPU µs per row", "s on the wall", "CPU s to read and check", "bytes per row"),
        lines,
    )
    fits = ", ".join(f"{name} {shown_exponent(points)}" for name, points in series.items())
    return f"![Store](scaling-store.svg)\n\n{shown}\n\nExponents: {fits}."


def throughput(rows: list[Row], folder: Path) -> str:
    lines = [(row["kind"], row["workers"], number(row["games_per_second"], 3), f"{row['load']:.1f}") for row in rows]
    return table(("kind", "workers", "games per second", "load of the machine"), lines)


SECTIONS = {part.__name__: part for part in (trees, resistance, boards, belief, store, throughput)}


def write(results: Results, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name, rows in results.items():
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        made = f"{begin}\n{SECTIONS[name](rows, page.parent)}\n{end}"
        text = re.sub(f"{begin}.*?{end}", made.replace("\\", r"\\"), text, flags=re.DOTALL)
    page.write_text(text, encoding="utf-8")
