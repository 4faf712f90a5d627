"""Exploitability against CPU time of sampling, ours and OpenSpiel's: `python benchmarks/sampling.py [--peers PYTHON]`.

PYTHON is the interpreter of an environment that has OpenSpiel. Both sides run one process per game and seed, on one
thread, after their kernels are compiled; evaluations of the exploitability are not timed. Exploitability is the mean
over both players. Writes the figure `sampling-exploitability.svg` (with matplotlib) and prints the points.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import _results

GAMES = {"leduc": "leduc_poker(suit_isomorphism=true)", "liars-dice-6": "liars_dice(numdice=1,dice_sides=6)"}
METHODS = ("external-sampling", "outcome-sampling")
PEER = "OpenSpiel external sampling"
FIRST = {"leduc": 1000, "liars-dice-6": 200}
"""Iterations before the first evaluation; then twice as many each time."""
COLOURS = {METHODS[0]: "#0072b2", METHODS[1]: "#56b4e9", PEER: "#d55e00"}
FIGURE = Path(__file__).resolve().parents[1] / "docs" / "results" / "sampling-exploitability.svg"
Point = tuple[float, int, float]
"""CPU seconds, iterations, exploitability."""


def ours(game: str, method: str, seconds: float, seed: int) -> list[Point]:
    from fogspiel.core.game import known_game
    from fogspiel.solving.methods.mccfr import SampledBounds, Sampling

    sampling = Sampling(known_game(game), method, seed, 2.0)
    sampling.advance(1, 2**60)
    spent, points = 0.0, []
    while spent < seconds:
        began, until = time.process_time(), max(FIRST[game], 2 * sampling.iterations)
        sampling.advance(until, 2**60)
        spent += time.process_time() - began
        sampling.bounds = SampledBounds()
        for _ in sampling.look():
            pass
        points.append((spent, sampling.iterations, sampling.bounds.gap / 2))
    return points


def ask(words: list[str]) -> Any:
    one = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    ran = subprocess.run(words, capture_output=True, text=True, env=os.environ | one)
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout.splitlines()[-1])


def draw(curves: dict[str, dict[str, list[list[Point]]]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 4.4), layout="constrained")
    for place, (game, methods) in enumerate(curves.items(), 1):
        panel = figure.add_subplot(1, len(curves), place)
        for method, runs in methods.items():
            for number, points in enumerate(runs):
                label = None if number else method
                panel.loglog([p[0] for p in points], [p[2] for p in points], color=COLOURS[method], label=label)
        panel.set(title=game, xlabel="CPU seconds of sampling", ylabel="exploitability (mean over both players)")
        panel.grid(True, color="#e3e6ea")
        panel.legend(frameon=False)
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--peers", help="the Python of an environment with open_spiel")
    options.add_argument("--seconds", type=float, default=20.0, help="CPU seconds of sampling per run, at least")
    options.add_argument("--seeds", type=int, default=2)
    options.add_argument("--output", type=Path, metavar="FILE", help="keep the points as JSON, with the commit")
    options.add_argument("--figure", type=Path, default=FIGURE)
    options.add_argument("--measure", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.measure:
        print(json.dumps(ours(**json.loads(chosen.measure))))
        return
    here, curves = Path(__file__).resolve(), {}
    for game, theirs in GAMES.items():
        curves[game] = {method: [] for method in (*METHODS, *([PEER] if chosen.peers else []))}
        for seed in range(1, chosen.seeds + 1):
            for method, runs in curves[game].items():
                about = {"seconds": chosen.seconds, "seed": seed}
                if method == PEER:
                    job = {"job": "sampling", "game": theirs, "first": FIRST[game], **about}
                    runs.append(ask([chosen.peers, str(here.with_name("_peer_solvers.py")), json.dumps(job)])["points"])
                else:
                    job = {"game": game, "method": method, **about}
                    runs.append(ask([sys.executable, str(here), "--measure", json.dumps(job)]))
                print(game, method, f"seed {seed}", *(f"{p[0]:.2f}s:{p[2]:.4f}" for p in runs[-1]), flush=True)
    draw(curves, chosen.figure)
    if chosen.output:
        _results.write(chosen.output, curves)


if __name__ == "__main__":
    main()
