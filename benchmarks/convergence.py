"""NashConv of CFR+, DCFR and PCFR+ after 1, 2, 4, .. iterations on Kuhn and Leduc, with OpenSpiel's CFR+.

python benchmarks/convergence.py --output docs/results/convergence.md

The figure is written beside the page. Everything is deterministic; `--iterations` bounds the iterations of each method.
"""

import argparse
from pathlib import Path

from fogspiel.core.game import known_game
from fogspiel.solving.methods import NO_STATE
from fogspiel.solving.methods.cfr import METHODS
from fogspiel.solving.methods.tree import by_iterations
from fogspiel.solving.reduce import ReducedGame
from fogspiel.solving.tree import build_tree, sequence_form

GAMES = {"kuhn": "kuhn_poker", "leduc": "leduc_poker(suit_isomorphism=true)"}
PEER = "OpenSpiel CFR+"
PEER_MOST = {"kuhn": 4096, "leduc": 512}  # iterations of OpenSpiel's Python solver, some seconds each on Leduc

Curve = dict[int, float]


def own_curve(game: str, method: str, most: int) -> Curve:
    form = sequence_form(build_tree(known_game(game)))
    rows = by_iterations(method, most)(ReducedGame(form, lambda *behaviours: behaviours), NO_STATE)
    return {row.row["iterations"]: row.row["upper"] - row.row["lower"] for row in rows if row.row}


def peer_curve(game: str, most: int) -> Curve:
    import pyspiel
    from open_spiel.python.algorithms import cfr, exploitability

    loaded = pyspiel.load_game(GAMES[game])
    solver, done, found = cfr.CFRPlusSolver(loaded), 0, {}
    for count in (1 << power for power in range(min(most, PEER_MOST[game]).bit_length())):
        for _ in range(count - done):
            solver.evaluate_and_update_policy()
        done = count
        found[count] = float(exploitability.nash_conv(loaded, solver.average_policy()))
    return found


def table(curves: dict[str, Curve]) -> list[str]:
    lines = ["| iterations | " + " | ".join(curves) + " |", "|---" * (1 + len(curves)) + "|"]
    for count in sorted({count for curve in curves.values() for count in curve}):
        cells = (f"{curve[count]:.6g}" if count in curve else "" for curve in curves.values())
        lines.append(f"| {count:,} | " + " | ".join(cells) + " |")
    return lines


def draw(found: dict[str, dict[str, Curve]], file: Path) -> None:
    from matplotlib import pyplot

    pyplot.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "convergence"}
    figure, panels = pyplot.subplots(1, len(found), figsize=(9, 3.6), sharey=True)
    for panel, (game, curves) in zip(panels, found.items(), strict=True):
        for name, curve in curves.items():
            panel.loglog(list(curve), list(curve.values()), "--" if name == PEER else "-", marker=".", label=name)
        panel.set(title=game, xlabel="iterations")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("NashConv of the averages")
    panels[-1].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


PAGE = """# Convergence of regret minimisation

NashConv (both players' gains together) of the average strategies after so many iterations, on the whole tree without
presolve. Payoffs are chips; the ante is 1. A course notebook that differs by a factor has another convention: NashConv
is twice the exploitability.

```text
fogspiel solve leduc --method cfr+ --iterations 4096
fogspiel export leduc-1 --format csv
python benchmarks/convergence.py --output docs/results/convergence.md
```

![NashConv against iterations on Kuhn and Leduc, on logarithmic axes](convergence.svg)

The averages of fogspiel begin with the strategies after the first update, those of OpenSpiel 2.0.2 with the uniform
strategies before it. CFR+ has linear averages and alternating updates (Tammelin
2014), DCFR the exponents 1.5, 0 and 2 (Brown and Sandholm 2019), PCFR+ quadratic averages and predictions (Farina,
Kroer and Sandholm 2021).
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=4096)
    parser.add_argument("--output", type=Path, required=True, metavar="FILE.md")
    asked = parser.parse_args()
    found = {}
    for game in GAMES:
        found[game] = {method: own_curve(game, method, asked.iterations) for method in METHODS}
        found[game][PEER] = peer_curve(game, asked.iterations)
    draw(found, asked.output.with_suffix(".svg"))
    parts = [PAGE, *("\n".join([f"## {game}", "", *table(curves), ""]) for game, curves in found.items())]
    asked.output.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
