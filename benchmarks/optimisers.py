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
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from landscapes import Landscape, landscape

from fogspiel.runs.workers import beat
from fogspiel.stats.race import Race
from fogspiel.tune.arena import Arena, Budget, BudgetSpent
from fogspiel.tune.methods import find_method
from fogspiel.tune.step import MOST_SIGMA

GAMES = {4: 20_000, 30: 200_000, 420: 1_000_000}
OURS = ("iterative", "elitist", "duel", "spsa", "cma")
PEERS = ("TBPSA", "OptimisticNoisyOnePlusOne")
PAIRS_A_POINT = 16


def own(name: str) -> Callable[[Arena], Iterator[np.ndarray]]:
    """A method of the package as a walk of vectors."""
    return lambda arena: (step.theta for step in find_method(name)(arena))


Opponents = Callable[[Arena, int], np.ndarray]
"""The vectors that so many points of a peer meet, a row for each pair of games."""


def at_the_start(arena: Arena, points: int) -> np.ndarray:
    """The start, as often as points are judged."""
    return np.repeat(arena.start[None], points * PAIRS_A_POINT, axis=0)


def redrawn(arena: Arena, points: int) -> np.ndarray:
    """Gaussian vectors, new for every pair of games."""
    return arena.gaussians(points * PAIRS_A_POINT)


def losses(arena: Arena, points: np.ndarray, opponents: Opponents) -> np.ndarray:
    """What a peer minimises: the mean scores of points in some pairs of games each, upside down."""
    beat()
    met = arena.play_pairs(np.repeat(within(points), PAIRS_A_POINT, axis=0), opponents(arena, len(points)))
    return -met.reshape(len(points), -1).mean(axis=1)


def within(points: np.ndarray) -> np.ndarray:
    """Points with numbers that can be computed with: on plateaus the steps of some peers grow beyond all limits."""
    return np.clip(np.nan_to_num(points), -MOST_SIGMA, MOST_SIGMA)


def peer(name: str, opponents: Opponents = at_the_start) -> Callable[[Arena], Iterator[np.ndarray]]:
    """An optimiser of nevergrad as a walk to the vector that it recommends in the end."""

    def walk(arena: Arena) -> Iterator[np.ndarray]:
        import nevergrad

        games = arena.budget.games or 0
        space = nevergrad.p.Array(init=arena.start).set_mutation(sigma=1.0)
        space.random_state.seed(arena.seed)
        search = nevergrad.optimizers.registry[name](space, budget=games // (2 * PAIRS_A_POINT))
        with suppress(BudgetSpent):
            while True:
                point = search.ask()
                search.tell(point, float(losses(arena, point.value[None], opponents)[0]))
        yield within(search.provide_recommendation().value)  # once, because it costs more than the games of a point

    return walk


def cma_alone(arena: Arena, opponents: Opponents = redrawn) -> Iterator[np.ndarray]:
    """CMA-ES as the package `cma` has it, on noisy scores; the walk of its means."""
    import cma

    size = len(arena.start)
    start = arena.start if size > 1 else np.append(arena.start, 0.0)  # it wants two parameters at least
    options = {"verbose": -9, "seed": arena.seed + 1, "CMA_diagonal": size > 60, "maxstd": MOST_SIGMA}
    search = cma.CMAEvolutionStrategy(start, 1.0, options)
    while True:
        points = search.ask()
        search.tell(points, losses(arena, np.array(points)[:, :size], opponents).tolist())
        yield within(search.mean[:size])


def methods(names: list[str]) -> dict[str, Callable[[Arena], Iterator[np.ndarray]]]:
    """The walks of those names, or all there are."""
    found = {name: own(name) for name in OURS}
    if find_spec("nevergrad"):
        found |= {name: peer(name) for name in PEERS}
    return {name: found[name] for name in names or found}


def last(arena: Arena, walk: Callable[[Arena], Iterator[np.ndarray]]) -> np.ndarray:
    """Where a walk has come to when its budget is spent."""
    theta = arena.start
    with suppress(BudgetSpent):
        for answer in walk(arena):
            theta = answer
    return theta


def closed(task: Landscape, walk: Callable[[Arena], Iterator[np.ndarray]], seed: int, games: int) -> float:
    """The share of the gap that one run closes."""
    arena = Arena(task.game, seed, Race("paper"), budget=Budget(games))
    return task.gap_closed(last(arena, walk), arena.start)


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
