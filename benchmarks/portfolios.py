"""Best arm, Nash portfolio and bandit against an opponent who learns, on the same random players of a game.

    python benchmarks/portfolios.py [--games 1000] [--series 8] [--players 32] [--names morra,permutation-ttt,batawaf]

The players are Gaussian, of three widths, and measured against each other; from the table come the best one alone
(BestArm: the best mean), the Nash mixture, and UCB over all of them. Each plays series of games against a UCB opponent
with as many random players of its own, and against one fixed random player. Printed: mean score and 1.96 standard
errors over the series; the second half of a series counts, when the opponent has learnt. (St-Pierre et al. 2016.)
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fogspiel.core.game import find_game
from fogspiel.tune.archive import Archive
from fogspiel.tune.arena import Arena, Budget
from fogspiel.tune.mixture_response import fresh
from fogspiel.tune.series import Mixed, Side, Ucb, half_width, series
from fogspiel.tune.step import mixture_answer

PAIRS_A_CELL = 64


def measured(arena: Arena, players: int) -> Archive:
    """A table of random players, all cells measured."""
    archive = Archive(arena)
    archive.add(fresh(arena, players))
    rows, columns = np.tril_indices(players)
    archive.meet(rows, columns, PAIRS_A_CELL)
    return archive


def sides(archive: Archive) -> dict[str, Side]:
    """The three uses of the same players."""
    means = archive.means
    best = int((means.mean(axis=1) - means.mean(axis=0)).argmax())
    nash = mixture_answer(archive.thetas, archive.nash().weights)
    thetas, weights = (nash.theta[None], np.ones(1)) if nash.thetas is None else (nash.thetas, nash.weights)
    return {
        "best arm": Mixed(archive.thetas[best : best + 1], np.ones(1)),
        "nash": Mixed(thetas, np.array(weights)),
        "bandit": Ucb(archive.thetas),
    }


def main() -> None:
    """Print a line for each game and side."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", type=int, default=1000)
    options.add_argument("--series", type=int, default=8)
    options.add_argument("--players", type=int, default=32)
    options.add_argument("--names", default="morra,permutation-ttt,batawaf")
    asked = options.parse_args()
    for name in asked.names.split(","):
        game, began = find_game(name), time.process_time()
        found: dict[tuple[str, str], list[float]] = {}
        for seed in range(1, asked.series + 1):
            arena = Arena(game, seed, budget=Budget())
            archive = measured(arena, asked.players)
            rivals = fresh(arena, asked.players)
            for opponent, who in (("UCB", Ucb(rivals)), ("fixed", Mixed(rivals[:1], np.ones(1)))):
                for label, side in sides(archive).items():
                    rival = Ucb(rivals) if opponent == "UCB" else who
                    scores = series(game, side, rival, asked.games, seed)
                    found.setdefault((opponent, label), []).append(float(scores[asked.games // 2 :].mean()))
        print(f"{name}: {asked.players} players, {asked.series} series of {asked.games} games", flush=True)
        for (opponent, label), means in found.items():
            print(f"  {label:9} v {opponent:6} {np.mean(means):.3f} +- {half_width(np.array(means)):.3f}", flush=True)
        print(f"  {time.process_time() - began:.1f} CPU s", flush=True)


if __name__ == "__main__":
    main()
