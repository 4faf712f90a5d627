"""Distance of optimisers from a known optimum in games that are mostly luck, at equal numbers of games.

    python benchmarks/optimisers.py [--seeds 10] [--seed 1] [--methods auto,duel] [--tasks cone:5] [--output PAGE]

Everything is at its defaults; methods get no information about the task. Peers are used in the ordinary manner: every
point that they propose plays 32 games against the initial parameters, and in the end they recommend one. Slow peers
have fewer seeds, and none above 30 parameters; nevergrad and optuna with cmaes must be installed for them. A cell is
the median over the seeds of the true score against the optimum, 0.500 at best, and the lowest; on the discs the true
score of the best response, 0.500 at best, and the highest.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _results import commit
from landscapes import TASKS, UNITS

from fogspiel.core import plugins
from fogspiel.process.jobs import beat
from fogspiel.stats.race import Race
from fogspiel.tuning.arena import MAX_SIGMA, Arena, Budget, BudgetSpent, Step
from fogspiel.tuning.methods import find_tune_method

plugins.use(Path(__file__).with_name("plugins"))  # methods outside the package

GAMES = {2: 20_000, 5: 20_000, 6: 20_000, 30: 100_000, 420: 300_000}
ROWS = (
    ("sphere", 5), ("rotated", 5), ("wider", 5), ("cone", 5), ("draws", 5), ("plateaus", 5), ("disc", 2), ("disc", 6),
    ("sphere", 30), ("wider", 30), ("sphere", 420),
)  # fmt: skip
TITLES = {
    "sphere": "sphere",
    "rotated": "rotated, condition 1000",
    "wider": "units 30 times wider",
    "cone": "cone, units 30 times finer",
    "draws": "80 % draws",
    "plateaus": "ties (plateaus)",
    "disc": "disc: best reply",
}
OURS = ("auto", "duel", "cma", "reply", "spsa", "iterative", "psro")
PEERS = ("TBPSA", "OptimisticNoisyOnePlusOne")
SAMPLERS = ("TPE", "CmaEs")
FEW_SEEDS = 3
"""Seeds of samplers, whose own time exceeds that of the games, and of everything with 420 parameters."""
SMALL, MIDDLE = 6, 30
"""Largest numbers of parameters for samplers and for the other slow peers."""
PAIRS_A_POINT = 16

PREAMBLE = """\
A cell is the true score of the answer against the optimum, which no game estimates: 0.500 is perfect. It is the
median over the seeds {first} to {last}, with the lowest in brackets. Optuna's samplers, and all in
dimension 420, have {few} seeds; an empty cell was not run because it takes too long. On the discs, where
players beat each other in circles, a cell is the true score of the best reply to the answer, again 0.500 at best,
with the highest in brackets; of 80 % draws it is the score in the other games.

The tasks are in `benchmarks/landscapes.py`; everything is at its defaults and nobody is told the task, but for
Optuna's samplers, whose ranges hold the optimum. Methods that need a baseline train against the redrawn one. `spsa`
has fishtest's settings; peers (nevergrad's `TBPSA` and `OptimisticNoisyOnePlusOne`, Optuna's `TPE` and `CmaEs`)
play 32 games per point against the start, as people use them, and recommend a point in the end."""

Walk = Callable[[Arena], Iterator[np.ndarray]]
Opponents = Callable[[Arena, int], np.ndarray]
"""Opponent vectors of this many points of a peer, a row for each game pair."""


def at_the_start(arena: Arena, points: int) -> np.ndarray:
    return np.repeat(arena.start[None], points * PAIRS_A_POINT, axis=0)


def losses(arena: Arena, points: np.ndarray, opponents: Opponents) -> np.ndarray:
    """Return what a peer minimises: the negated mean score of each point in some game pairs."""
    beat()
    met = arena.play_pairs(np.repeat(within(points), PAIRS_A_POINT, axis=0), opponents(arena, len(points)))
    return -met.reshape(len(points), -1).mean(axis=1)


def within(points: np.ndarray) -> np.ndarray:
    """Clip points to finite numbers: on plateaus the steps of some peers grow without bound."""
    return np.clip(np.nan_to_num(points), -MAX_SIGMA, MAX_SIGMA)


def peer(name: str, opponents: Opponents = at_the_start) -> Walk:
    """Return a nevergrad optimiser as a trajectory to its final recommendation."""

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


def sampler(name: str) -> Walk:
    """Return an Optuna sampler as a trajectory to its best trial, in ranges of six task units on both sides."""

    def walk(arena: Arena) -> Iterator[np.ndarray]:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        study = optuna.create_study(sampler=getattr(optuna.samplers, f"{name}Sampler")(seed=arena.seed))
        names, reach = (
            [f"x{i}" for i in range(len(arena.start))],
            6 * (UNITS if arena.game.name.startswith("wider") else 1),
        )
        study.enqueue_trial(dict(zip(names, arena.start.tolist(), strict=True)))
        with suppress(BudgetSpent):
            while True:
                trial = study.ask()
                point = np.array([trial.suggest_float(name, -reach, reach) for name in names])
                study.tell(trial, float(losses(arena, point[None], at_the_start)[0]))
        yield np.array([study.best_params[name] for name in names])

    return walk


def last(arena: Arena, walk: Walk) -> np.ndarray:
    theta = arena.start
    with suppress(BudgetSpent):
        for answer in walk(arena):
            theta = answer
    return theta


def walk_to_the_end(walk: Walk, arena: Arena) -> Step:
    return Step(last(arena, walk), True)


def tune(name: str, arena: Arena) -> Step:
    answer = Step(arena.start, True)
    with suppress(BudgetSpent):
        for step in find_tune_method(name)(arena):
            answer = step
    return answer


def methods(names: list[str]) -> dict[str, Callable[[Arena], Step]]:
    found: dict[str, Callable[[Arena], Step]] = {name: partial(tune, name) for name in OURS}
    if find_spec("nevergrad"):
        found |= {name: partial(walk_to_the_end, peer(name)) for name in PEERS}
    if find_spec("optuna"):
        found |= {
            name: partial(walk_to_the_end, sampler(name)) for name in SAMPLERS if name == "TPE" or find_spec("cmaes")
        }
    return {name: found[name] for name in names or found}


class Cell(NamedTuple):
    """Scores of an optimiser's seeds in a task, and the CPU seconds of a run."""

    scores: list[float]
    seconds: float
    cyclic: bool

    def __str__(self) -> str:
        worst = max(self.scores) if self.cyclic else min(self.scores)
        return f"{statistics.median(self.scores):.3f} ({worst:.3f})"


def true_score(task: str, dimension: int, seed: int, optimise: Callable[[Arena], Step]) -> float:
    """Return a result's true score against the optimum; on discs the best response's score against it."""
    made = TASKS[task](dimension, seed)
    arena = Arena(made.game, seed, Race("count-mixture"), "redrawn", Budget(GAMES[dimension]))
    answer = optimise(arena).recommendation
    thetas, weights = answer.get("thetas", [answer["theta"]]), answer.get("weights", [1.0])
    reply = made.reply_score(np.array(thetas), np.array(weights))
    return reply if made.cyclic else 1 - reply


def seeds_for(name: str, dimension: int, seeds: int) -> int:
    slow = name in (*SAMPLERS, "iterative", "psro")
    if dimension > (SMALL if name in SAMPLERS else MIDDLE if slow or name in (*PEERS, "reply") else max(GAMES)):
        return 0
    return min(seeds, FEW_SEEDS) if name in SAMPLERS or dimension > MIDDLE else seeds


def measure(task: str, dimension: int, optimise: Callable[[Arena], Step], seeds: range) -> Cell:
    began = time.process_time()
    scores = [true_score(task, dimension, seed, optimise) for seed in seeds]
    return Cell(scores, (time.process_time() - began) / len(seeds), task == "disc")


def document(
    command: str, version: str, names: list[str], cells: dict[tuple[str, int, str], Cell], seeds: range
) -> str:
    lines = [
        "# Optimisers on landscapes with a known optimum",
        "",
        f"Made by `{command}` at commit {version}.",
        "",
        PREAMBLE.format(first=seeds.start, last=seeds.stop - 1, few=FEW_SEEDS),
        "",
        "| task | parameters | games | " + " | ".join(f"`{name}`" for name in names) + " |",
        "|---|---:|---:|" + "---|" * len(names),
    ]
    for task, dimension in dict.fromkeys((task, dimension) for task, dimension, _ in cells):
        row = [str(cells.get((task, dimension, name), "")) for name in names]
        lines.append(f"| {TITLES[task]} | {dimension} | {GAMES[dimension]:,} | " + " | ".join(row) + " |")
    lines += ["", "CPU seconds per run:", "", "| parameters | " + " | ".join(f"`{name}`" for name in names) + " |"]
    lines.append("|---:|" + "---:|" * len(names))
    for size in sorted({dimension for _, dimension, _ in cells}):
        spent = {
            name: [cell.seconds for (_, dimension, who), cell in cells.items() if (dimension, who) == (size, name)]
            for name in names
        }
        row = [f"{statistics.median(spent[name]):.1f}" if spent[name] else "" for name in names]
        lines.append(f"| {size} | " + " | ".join(row) + " |")
    lines += ["", "How the methods do on games is in [beyond](beyond.md) and [tuners](tuners.md).", ""]
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--seed", type=int, default=1, help="the first seed")
    options.add_argument("--methods", default="")
    options.add_argument("--tasks", default=",".join(f"{task}:{dimension}" for task, dimension in ROWS))
    options.add_argument("--output", type=Path)
    asked = options.parse_args()
    optimisers, cells = methods([name for name in asked.methods.split(",") if name]), {}
    version = commit()  # before the run, during which the checkout may change
    for row in asked.tasks.split(","):
        task, dimension = row.split(":")[0], int(row.split(":")[1])
        for name, optimise in optimisers.items():
            count = seeds_for(name, dimension, asked.seeds)
            if count:
                seeds = range(asked.seed, asked.seed + count)
                cell = cells[task, dimension, name] = measure(task, dimension, optimise, seeds)
                print(f"{task:9} {dimension:3} {name:26} {cell}, {cell.seconds:.1f} s, {count} seeds", flush=True)
    if asked.output:
        command = " ".join(["python benchmarks/optimisers.py", *sys.argv[1:]])
        seeds = range(asked.seed, asked.seed + asked.seeds)
        asked.output.write_text(document(command, version, list(optimisers), cells, seeds))


if __name__ == "__main__":
    main()
