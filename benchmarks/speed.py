"""Games per second of every game, one core, compared with the peers that have the game: `python benchmarks/speed.py`.

Peers (nevergrad, OpenSpiel) come with `pip install -e '.[peers]'`; without them their columns stay empty. All times are
CPU seconds of this process; peers and fogspiel are measured in turn within one run.
"""

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import _results
import numpy as np

from fogspiel.core.agents import find_policy, fixed_baseline
from fogspiel.core.game import Game, list_games
from fogspiel.core.simulate import PolicyMatch

TARGETS = {
    "war": 100_000, "batawaf": 300_000, "guesswho24": 1_500_000, "guesswho96": 1_000_000, "morra": 5_000_000,
    "pig": 500_000, "nim": 500_000, "flip": 50_000, "battleship": 100,
    "permutation-ttt": 5_000_000, "permutation-four": 500_000, "cheat": 50_000, "four-in-a-row": 500,
}  # fmt: skip
PAIRS = {
    "war": ("random", "random"),
    "batawaf": ("random", "random"),
    "guesswho24": ("OL", "OL"),
    "guesswho96": ("OL", "OL"),
}
NEVERGRAD = {"war": "war", "batawaf": "batawaf", "guesswho24": "guesswho", "guesswho96": "bigguesswho", "flip": "flip"}
OPENSPIEL = {"pig": "pig", "nim": "nim(pile_sizes=1;3;5;7)"}


def rate(play: Callable[[int], int], seconds: float) -> float:
    """Return games per CPU second, the best of three repeats, each long enough to measure."""
    count, best = 1, 0.0
    while True:
        began = time.process_time()
        played = play(count)
        spent = time.process_time() - began
        if spent > seconds / 10:
            break
        count *= 4
    count = max(1, int(count * seconds / 3 / spent))
    for _ in range(3):
        began = time.process_time()
        played = play(count)
        best = max(best, played / (time.process_time() - began))
    return best


def ours(game: Game) -> Callable[[int], int]:
    """Return our loop for the target's pair of players, else for two Gaussian vectors or uniform players."""
    if game.name in PAIRS:
        first, second = (find_policy(game, name) for name in PAIRS[game.name])
    elif game.strategy:
        first, second = fixed_baseline(game, 1), fixed_baseline(game, 2)
    else:
        first = second = find_policy(game, "uniform")
    match = PolicyMatch(game, first, second)
    return lambda count: match.scores(5, 0, -(-count // 2)).size


def nevergrad_games(name: str) -> Callable[[int], int]:
    from nevergrad.functions.games import game as module

    player, rng = module._Game(), np.random.default_rng(1)
    length = player.play_game(name)
    one, other = (list(rng.normal(size=length)) for _ in range(2))

    def play(count: int) -> int:
        for _ in range(count):
            player.play_game(name, one, other)
        return count

    return play


def openspiel_python(name: str) -> Callable[[int], int]:
    import pyspiel

    game, rng = pyspiel.load_game(name), random.Random(1)

    def play(count: int) -> int:
        for _ in range(count):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(actions, weights)[0])
                else:
                    state.apply_action(rng.choice(state.legal_actions()))
        return count

    return play


def openspiel_cpp(name: str) -> Callable[[int], int]:
    """Return uniform playouts inside OpenSpiel's C++: a search of two simulations with 200 rollouts each."""
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(200, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, 2, 100, False, 7, False)

    def play(count: int) -> int:
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        rounds = -(-count // 400)
        for _ in range(rounds):
            bot.step(state)
        return 400 * rounds

    return play


def peers(game: Game) -> dict[str, Callable[[], Callable[[int], int]]]:
    found: dict[str, Callable[[], Callable[[int], int]]] = {}
    if game.name in NEVERGRAD:
        found["nevergrad"] = lambda: nevergrad_games(NEVERGRAD[game.name])
    if game.name in OPENSPIEL:
        found["OpenSpiel, Python loop"] = lambda: openspiel_python(OPENSPIEL[game.name])
        found["OpenSpiel, C++ playouts"] = lambda: openspiel_cpp(OPENSPIEL[game.name])
    return found


def uniform(game: Game) -> Callable[[int], int]:
    """Return our generic loop with uniform players: the same work as a peer's uniform playouts."""
    player = find_policy(game, "uniform")
    match = PolicyMatch(game, player, player)
    return lambda count: match.scores(5, 0, -(-count // 2)).size


def measured(game: Game, seconds: float) -> dict[str, Any]:
    line: dict[str, Any] = {"game": game.name, "games_per_second": rate(ours(game), seconds)}
    if game.name in OPENSPIEL:
        line["uniform_per_second"] = rate(uniform(game), seconds)
    for name, make in peers(game).items():
        try:
            line[name] = rate(make(), seconds)
        except ImportError:
            line[name] = None
    if game.name in TARGETS:
        line["target"] = TARGETS[game.name]
    return line


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=1.5, help="CPU seconds for each measurement")
    options.add_argument("--json", action="store_true")
    options.add_argument("--output", type=Path, metavar="FILE", help="keep the results as JSON, with the commit")
    options.add_argument("games", nargs="*", help="only these games")
    chosen = options.parse_args()
    lines = []
    if not chosen.json:
        print(f"{'game':<24}{'games/s':>12}{'target':>11}  peers (games/s, ratio)")
    for game in list_games().values():
        if chosen.games and game.name not in chosen.games:
            continue
        line = measured(game, chosen.seconds)
        lines.append(line)
        if chosen.json:
            continue
        target = line.get("target")
        verdict = "" if target is None else f"{target:>10,}{'+' if line['games_per_second'] >= target else '-'}"
        print(f"{game.name:<24}{line['games_per_second']:>12,.0f}{verdict:>11}", end="  ")
        if "uniform_per_second" in line:
            print(f"[uniform players: {line['uniform_per_second']:,.0f}]", end="  ")
        for name in peers(game):
            speed = line[name]
            own = line.get("uniform_per_second", line["games_per_second"])
            print(
                f"{name}: not installed" if speed is None else f"{name}: {speed:,.1f} (x{own / speed:,.0f})", end="  "
            )
        print(flush=True)
    if chosen.json:
        print(json.dumps(lines))
    if chosen.output:
        _results.write(chosen.output, lines)


if __name__ == "__main__":
    main()
