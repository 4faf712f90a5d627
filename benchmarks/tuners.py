"""Tuning of programs whose parameters have limits: ours and other people's methods, with equal numbers of games.

    python benchmarks/tuners.py [--seeds 10] [--games 10000,100000] [--methods auto,TBPSA] [--output PAGE]

The tasks are those of `bounded.py` that no method was developed on. A cell is the true gain over the start in Elo,
which no game estimates; in the cyclic task the true score against the unbeatable point, 0.5 at best. Everything is at
its defaults. Peers get the box, propose points that play 32 games each against the start, and recommend one in the end;
choices are numbers to them, as to us. SPSA is fishtest's: one pair for each pair of points, c a twentieth of the range
and r 0.002 in the end. nevergrad, optuna, cmaes and cma must be installed for their rows. With --keep CELLS.jsonl a
run that was stopped goes on with the cells it has.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _results import commit
from bounded import CYCLIC, GAINS, Task, reported

from fogspiel.stats.race import Race
from fogspiel.tuning.arena import TRAINING, Arena, Budget, BudgetSpent
from fogspiel.tuning.methods import find_tune_method

PAIRS = 16  # of a point of a peer
ALPHA, GAMMA, STABILITY, C_END, R_END = 0.602, 0.101, 0.1, 1 / 20, 0.002  # fishtest's, in units of the range

Search = Callable[[Arena], np.ndarray]
PREAMBLE = """\
Medians of the true gain over the start in Elo over the seeds 1 to {seeds}, the worst in brackets; in the cyclic task
the true score against the unbeatable point. `possible` is the gain of the optimum. Half of the games are drawn.
The methods were developed on other tasks (`tuned` of `benchmarks/bounded.py`: separable parabolas and kinks, other
seeds) than these (`reported`: interacting parameters, flat far away, each side of the optimum with its own
curvature). All games of a budget go to the search here: none is kept for a proof."""


def ours(name: str, arena: Arena) -> np.ndarray:
    theta = arena.start
    with suppress(BudgetSpent):
        for step in find_tune_method(name)(arena):
            theta = step.theta
    return theta


class Points:
    """Points of the unit box, scored in games against the start."""

    def __init__(self, arena: Arena) -> None:
        self.arena, (self.low, high) = arena, arena.contest.box
        self.width = high - self.low
        self.start, self.most = self.shares(arena.start), (arena.budget.games or 0) // (2 * PAIRS)

    def shares(self, theta: np.ndarray) -> np.ndarray:
        return (theta - self.low) / self.width

    def theta(self, shares: np.ndarray) -> np.ndarray:
        return self.low + np.clip(shares, 0, 1) * self.width

    def losses(self, points: np.ndarray) -> np.ndarray:
        many = np.repeat([self.theta(point) for point in points], PAIRS, axis=0)
        found = self.arena.play_pairs(many, np.repeat(self.arena.start[None], len(many), axis=0))
        return np.asarray(-found.reshape(len(points), -1).mean(axis=1))


def spsa(arena: Arena) -> np.ndarray:
    box, most = Points(arena), (arena.budget.games or 0) // 2
    a, c = R_END * C_END**2 * ((STABILITY + 1) * most) ** ALPHA, C_END * most**GAMMA
    x, numbers = box.start, np.array([not one.choices for one in arena.strategy.members])
    for first in range(1, most - 15, 16):  # results come in batches, as from fishtest's workers
        k = np.arange(first, first + 16)
        a_k, c_k = a / (STABILITY * most + k) ** ALPHA, c / k**GAMMA
        moves = c_k[:, None] * np.where(arena.gaussians(16) < 0, -1.0, 1.0) * numbers
        sides = (np.array([box.theta(x + sign * move) for move in moves]) for sign in (1, -1))
        leads = arena.play_pairs(*sides).sum(axis=(1, 2)) - 2.0
        x = np.clip(x + ((a_k / c_k**2 * leads)[:, None] * moves).sum(axis=0), 0, 1)
    return box.theta(x)


def nevergrad(name: str, arena: Arena) -> np.ndarray:
    import nevergrad

    box = Points(arena)
    space = nevergrad.p.Array(init=box.start, lower=0, upper=1)
    space.random_state.seed(arena.seed)
    search = nevergrad.optimizers.registry[name](space, budget=box.most)
    for _ in range(box.most):
        point = search.ask()
        search.tell(point, float(box.losses(point.value[None])[0]))
    return box.theta(search.provide_recommendation().value)


def optuna_cma(arena: Arena) -> np.ndarray:
    """Return the mean of the last half of the trials: the best trial is the luckiest."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    box = Points(arena)
    study = optuna.create_study(sampler=optuna.samplers.CmaEsSampler(seed=arena.seed, x0=named(box.start)))
    points = []
    for _ in range(box.most):
        trial = study.ask()
        points.append(np.array([trial.suggest_float(name, 0, 1) for name in named(box.start)]))
        study.tell(trial, float(box.losses(points[-1][None])[0]))
    return box.theta(np.mean(points[len(points) // 2 :], axis=0))


def named(shares: np.ndarray) -> dict[str, float]:
    return {f"x{number}": float(share) for number, share in enumerate(shares)}


def pycma(arena: Arena) -> np.ndarray:
    """Return the mean of CMA-ES with its handler of noise, which evaluates some points again."""
    import cma

    box = Points(arena)
    options = {"verbose": -9, "seed": arena.seed, "bounds": [0, 1], "maxfevals": box.most}
    search = cma.CMAEvolutionStrategy(box.start, 0.2, options)
    noise = cma.NoiseHandler(len(box.start), maxevals=1)

    def loss(point: np.ndarray) -> float:
        return float(box.losses(np.asarray(point)[None])[0])

    with suppress(BudgetSpent):
        while True:
            points, losses = search.ask_and_eval(loss)
            search.tell(points, losses)
            search.sigma *= noise(points, losses, loss, search.ask)
    return box.theta(search.mean)


def methods() -> dict[str, Search]:
    found: dict[str, Search] = {"auto": partial(ours, "auto"), "duel": partial(ours, "duel"), "SPSA (fishtest)": spsa}
    if find_spec("optuna") and find_spec("cmaes"):
        found["CMA-ES (Optuna)"] = optuna_cma
    if find_spec("nevergrad"):
        found["TBPSA (nevergrad)"] = partial(nevergrad, "TBPSA")
    if find_spec("cma"):
        found["pycma, noise handled"] = pycma
    return found


def gain(task: Task, search: Search, seed: int, games: int) -> float:
    arena = Arena(task, seed, Race("count-mixture"), budget=Budget(games), purpose=TRAINING)
    return task.gain(task.clip(search(arena)))


class Cells:
    """Gains by games, task, method and seed; those of an earlier run of the same commands are in a file."""

    def __init__(self, kept: Path | None) -> None:
        self.kept, self.found = kept, dict[tuple[object, ...], float]()
        for line in kept.read_text().splitlines() if kept and kept.exists() else ():
            *cell, found = json.loads(line)
            self.found[tuple(cell)] = found

    def gain(self, games: int, size: int, name: str, seed: int) -> float:
        cell = (games, size, name, seed)
        if cell not in self.found:
            self.found[cell] = gain(reported(size, seed), methods()[name], seed, games)
            if self.kept:
                with self.kept.open("a") as file:
                    file.write(json.dumps([*cell, self.found[cell]]) + "\n")
        return self.found[cell]


def document(command: str, version: str, names: list[str], rows: list[list[str]], seeds: int) -> str:
    head = ["games", "parameters", "possible", *names]
    lines = ["# Tuning programs with limits on their parameters", "", f"Made by `{command}` at commit {version}.", ""]
    lines += [PREAMBLE.format(seeds=seeds), "", "| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    lines += ["", "Tasks without limits are in [optimisers](optimisers.md), games in [beyond](beyond.md).", ""]
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--games", default="10000,100000")
    options.add_argument("--sizes", default=",".join(map(str, GAINS)))
    options.add_argument("--methods", default="")
    options.add_argument("--output", type=Path)
    options.add_argument("--keep", type=Path, help="a file of finished cells, which are not repeated")
    asked = options.parse_args()
    wanted = asked.methods.split(",") if asked.methods else None
    chosen = [name for name in methods() if wanted is None or name.replace(",", "").split()[0] in wanted]
    version, rows, cells = commit(), [], Cells(asked.keep)
    for games in map(int, asked.games.split(",")):
        for size in map(int, asked.sizes.split(",")):
            possible = "0.5" if size == CYCLIC else f"{GAINS[size]:.0f}"
            rows.append([f"{games:,}", f"{size}, cyclic" if size == CYCLIC else str(size), possible])
            for name in chosen:
                found = [cells.gain(games, size, name, seed) for seed in range(1, asked.seeds + 1)]
                places = 3 if size == CYCLIC else 0
                rows[-1].append(f"{statistics.median(found):.{places}f} ({min(found):.{places}f})")
                print(games, size, name, rows[-1][-1], flush=True)
    if asked.output:
        command = " ".join(["python benchmarks/tuners.py", *sys.argv[1:]])
        asked.output.write_text(document(command, version, chosen, rows, asked.seeds))


if __name__ == "__main__":
    main()
