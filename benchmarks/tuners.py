"""Our methods and other people's optimisers on the games of the benchmark, with the same number of games.

    python benchmarks/tuners.py [--games batawaf,flip] [--seeds 3] [--scale 0.1] [--methods halving,TBPSA]

A cell is the mean score against Gaussian vectors, redrawn for every pair of fresh games, with its interval. The peers
(nevergrad's TBPSA and noisy (1+1), and `cma` alone) minimise just that: 32 such games for every point that they ask
about. Ours never see it. The budgets are those of `fogspiel paper table2` times the scale.
"""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from optimisers import PEERS, cma_alone, last, peer, redrawn

from fogspiel import contender
from fogspiel.arena import Arena, Budget, report_key
from fogspiel.experiments.published import LINES
from fogspiel.experiments.stored import Request
from fogspiel.experiments.table2 import scoring_games, training_games
from fogspiel.game import Game, game_named
from fogspiel.measure import measured
from fogspiel.optimise.step import Answer
from fogspiel.race import interval, mean
from fogspiel.tuning import Request as Tuning
from fogspiel.tuning import player_of, tuned

OURS = ("duel", "halving", "psro", "portfolio")
RACE = "count-mixture"


def found(game: Game, method: str, seed: int, games: int) -> Answer:
    """What a method or a peer finds."""
    if method in OURS:
        return tuned(Tuning(game.name, method, RACE, seed=seed, games=games)).answer
    walk = cma_alone if method == "cma alone" else peer(method, redrawn)
    return Answer(last(Arena(game, seed, budget=Budget(games)), walk))


def peers() -> tuple[str, ...]:
    """The peers that are installed."""
    nevergrad = PEERS if find_spec("nevergrad") else ()
    return (*nevergrad, *(("cma alone",) if find_spec("cma") else ()))


def main() -> None:
    """Print a line for each game and method."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", default=",".join(line.game for line in LINES))
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--scale", type=float, default=0.1)
    options.add_argument("--methods", default=",".join((*OURS, *peers())))
    asked = options.parse_args()
    for name in asked.games.split(","):
        game, request = game_named(name), Request("table2", scale=asked.scale)
        training, scoring = training_games(name, "duel", request), scoring_games(name, request)
        print(f"{name}, {training:,} games, {asked.seeds} seeds", flush=True)
        for method in asked.methods.split(","):
            scores = [
                measured(
                    game,
                    player_of(game, found(game, method, seed, training)),
                    contender.redrawn(game),
                    report_key(seed),
                    scoring,
                )
                for seed in range(1, asked.seeds + 1)
            ]
            counts = np.sum([score.observed for score in scores], axis=0)
            low, high = interval(counts)
            each = " ".join(f"{score.mean:.4f}" for score in scores)
            print(f"  {method:26} {mean(counts):.4f} [{low:.4f}, {high:.4f}]   seeds: {each}", flush=True)


if __name__ == "__main__":
    main()
