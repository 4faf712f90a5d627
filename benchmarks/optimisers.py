"""How much of the gap the optimisers close on landscapes with a known optimum, at equal numbers of games.

    python benchmarks/optimisers.py [--seeds 10] [--dimensions 4,30,420] [--methods duel,cma] [--spread 1]

A cell is printed as: median (least) share over the seeds, CPU seconds a run. Everything is at its defaults: no method
is told the task. The peers from nevergrad, where it is installed, play 32 games a point against the start.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from landscapes import Landscape, landscape

from fogspiel.arena import Arena, Budget, BudgetSpent
from fogspiel.optimise import METHODS
from fogspiel.race import Race

GAMES = {4: 20_000, 30: 200_000, 420: 1_000_000}
OURS = ("iterative", "elitist", "duel", "spsa", "cma")
PEERS = ("TBPSA", "OptimisticNoisyOnePlusOne")
PAIRS_A_POINT = 16


def own(name: str) -> Callable[[Arena], Iterator[np.ndarray]]:
    """A method of the package as a walk of vectors."""
    return lambda arena: (step.theta for step in METHODS[name](arena))


def peer(name: str) -> Callable[[Arena], Iterator[np.ndarray]]:
    """An optimiser of nevergrad as a walk of the vectors that it recommends."""

    def walk(arena: Arena) -> Iterator[np.ndarray]:
        import nevergrad

        start, games = arena.start, arena.budget.games or 0
        space = nevergrad.p.Array(init=start).set_mutation(sigma=1.0)
        space.random_state.seed(arena.seed)
        search = nevergrad.optimizers.registry[name](space, budget=games // (2 * PAIRS_A_POINT))
        while True:
            point = search.ask()
            scores = arena.meetings(point.value[None], start[None], PAIRS_A_POINT)
            search.tell(point, -float(scores.mean()))
            yield search.provide_recommendation().value

    return walk


def methods(names: list[str]) -> dict[str, Callable[[Arena], Iterator[np.ndarray]]]:
    """The walks of those names, or all there are."""
    found = {name: own(name) for name in OURS}
    try:
        import nevergrad  # noqa: F401

        found |= {name: peer(name) for name in PEERS}
    except ImportError:
        pass
    return {name: found[name] for name in names or found}


def closed(task: Landscape, walk: Callable[[Arena], Iterator[np.ndarray]], seed: int, games: int) -> float:
    """The share of the gap that one run closes."""
    arena = Arena(task.game, seed, Race("paper"), budget=Budget(games))
    theta = arena.start
    try:
        for answer in walk(arena):
            theta = answer
    except BudgetSpent:
        pass
    return task.gap_closed(theta, arena.start)


def main() -> None:
    """Print a line for each dimension and method."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--dimensions", default=",".join(map(str, GAMES)))
    options.add_argument("--methods", default="")
    options.add_argument("--spread", type=float, default=1.0)
    asked = options.parse_args()
    for dimension in map(int, asked.dimensions.split(",")):
        games = GAMES[dimension]
        print(f"dimension {dimension}, {games:,} games, {asked.seeds} seeds", flush=True)
        for name, walk in methods([name for name in asked.methods.split(",") if name]).items():
            began, shares = time.process_time(), []
            for seed in range(1, asked.seeds + 1):
                shares.append(closed(landscape(dimension, seed, asked.spread), walk, seed, games))
            seconds = (time.process_time() - began) / asked.seeds
            print(f"  {name:26} {statistics.median(shares):6.3f} ({min(shares):6.3f}) {seconds:7.1f} s", flush=True)


if __name__ == "__main__":
    main()
