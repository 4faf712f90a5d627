"""Games per second of uniform players at phantom games, compared with OpenSpiel: `python benchmarks/phantom_speed.py`.

OpenSpiel comes with `pip install -e '.[peers]'`. All times are CPU seconds of this process on one core, measured in
turn: our fused kernel, our six rules in the generic loop, OpenSpiel's rollouts inside C++, OpenSpiel from Python.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import _results
from speed import openspiel_cpp, openspiel_python, rate

from fogspiel.core.agents import find_policy
from fogspiel.core.game import known_game
from fogspiel.core.simulate import PolicyMatch

PEERS = {
    "phantom-ttt": "phantom_ttt(obstype=reveal-nothing)",
    "phantom-ttt-abrupt": "phantom_ttt(obstype=reveal-nothing,gameversion=abrupt)",
    "phantom-ttt-numturns": "phantom_ttt(obstype=reveal-numturns)",
    "dark-hex-3x3": "dark_hex(board_size=3,gameversion=cdh)",
}
TARGET = 5.0
"""Target multiple of the rate of OpenSpiel's C++ rollouts."""


def ours(name: str, fused: bool) -> Callable[[int], int]:
    game = known_game(name)
    player = find_policy(game, "uniform")
    match = PolicyMatch(game, player, player, fused=fused)
    return lambda count: match.scores(5, 0, -(-count // 2)).size


def measured(name: str, seconds: float) -> dict[str, float | str]:
    found: dict[str, float | str] = {
        "game": name,
        "fused": rate(ours(name, True), seconds),
        "rules": rate(ours(name, False), seconds),
        "cpp": rate(openspiel_cpp(PEERS[name]), seconds),
        "python": rate(openspiel_python(PEERS[name]), seconds),
    }
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=1.5, help="CPU seconds for each measurement")
    options.add_argument("--json", action="store_true")
    options.add_argument("--output", type=Path, metavar="FILE", help="keep the results as JSON, with the commit")
    options.add_argument("games", nargs="*", default=[], help="only these games")
    chosen = options.parse_args()
    lines = [measured(name, chosen.seconds) for name in chosen.games or PEERS]
    if chosen.output:
        _results.write(chosen.output, lines)
    if chosen.json:
        print(json.dumps(lines))
        return
    print(f"{'games/s':<22}{'fused':>12}{'six rules':>12}{'C++ rollouts':>14}{'Python loop':>13}  ratio to C++")
    for line in lines:
        ratio = float(line["fused"]) / float(line["cpp"])
        print(
            f"{line['game']:<22}{line['fused']:>12,.0f}{line['rules']:>12,.0f}{line['cpp']:>14,.0f}"
            f"{line['python']:>13,.0f}  {ratio:.1f} ({'reaches' if ratio >= TARGET else 'misses'} {TARGET:g})"
        )


if __name__ == "__main__":
    main()
