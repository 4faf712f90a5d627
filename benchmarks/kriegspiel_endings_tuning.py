"""Tune the weights of an ending against a lone king: `python benchmarks/kriegspiel_endings_tuning.py KBN`.

CMA-ES (the package `cma`) from the weights that are shipped: in each generation all candidates play the same random
positions against the best defence, in the next one others. Printed are the mates of the mean of the candidates on
positions of their own every few generations, and at the end its weights.
"""

import argparse

import cma
import numpy as np

from fogspiel.games.chess.bitboards import BISHOP, KNIGHT, PAWN, QUEEN, ROOK
from fogspiel.kriegspiel.endings.tablebase import endgame_table
from fogspiel.kriegspiel.endings.values import WEIGHTS, EndingWeights
from fogspiel.kriegspiel.training.lone_king_games import ENDS, MATE, play_endings

ENDINGS = {"KQ": (QUEEN,), "KR": (ROOK,), "KP": (PAWN,), "KBB": (BISHOP, BISHOP), "KBN": (BISHOP, KNIGHT)}
LEAST_STEP = 0.2
"""The unit of a weight is half of it, this at least."""
WORST, AHEAD = EndingWeights._fields.index("worst"), EndingWeights._fields.index("ahead")
"""The weights that are shares, from 0 to 1."""
HELD_OUT = 1_000_000
"""The seed of the positions on which the mean is measured."""
SHOW = 5


def play(kinds: tuple[int, ...], weights: np.ndarray, seed: int, games: int) -> tuple[float, np.ndarray]:
    """The score of some weights on random positions, and how these ended."""
    endings = np.zeros(ENDS, np.int64)
    table = endgame_table(*kinds).to_mate
    score = play_endings(np.array(kinds, np.int64), table, EndingWeights(*weights.tolist()), seed, games, endings)
    return float(score), endings


def main() -> None:
    """Tune the weights of one ending."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("men", choices=ENDINGS)
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--candidates", type=int, default=16)
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--sigma", type=float, default=0.4)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    kinds = ENDINGS[asked.men]
    start = np.array(WEIGHTS[kinds])
    unit = np.maximum(np.abs(start) / 2, LEAST_STEP)
    if start[AHEAD] == 0:  # looking ahead takes some ten times as long: it is not begun here
        unit[AHEAD] = 0

    def weights_at(point: np.ndarray) -> np.ndarray:
        weights = start + unit * point
        weights[[WORST, AHEAD]] = np.clip(weights[[WORST, AHEAD]], 0.0, 1.0)
        return weights

    options = {"popsize": asked.candidates, "seed": asked.seed, "verbose": -9}
    strategy = cma.CMAEvolutionStrategy(np.zeros(len(start)), asked.sigma, options)
    for generation in range(asked.generations):
        points = strategy.ask()
        seed = HELD_OUT * (asked.seed + 1) + generation
        strategy.tell(points, [-play(kinds, weights_at(point), seed, asked.positions)[0] for point in points])
        if (generation + 1) % SHOW == 0:
            endings = play(kinds, weights_at(strategy.result.xfavorite), HELD_OUT, 1000)[1]
            print(f"generation {generation + 1}: {endings[MATE]} mates in 1000", flush=True)
    print(", ".join(f"{weight:.3f}" for weight in weights_at(strategy.result.xfavorite)))


if __name__ == "__main__":
    main()
