"""Speed of chess and Kriegspiel on one core, compared with peers: `python benchmarks/kriegspiel_speed.py`.

python-chess and the `kriegspiel` package come with `pip install -e '.[test]'`; OpenSpiel is run by this interpreter, or
by that of another environment with `--openspiel PYTHON`. Times are CPU seconds. Rates of rules are the best of five
repeats, for ours before and after the peers. Random Kriegspiel contains every message of the referee.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import _results
from _peer_kriegspiel import rate
from perft import perft

from fogspiel.core.agents import find_policy
from fogspiel.core.game import known_game
from fogspiel.core.rng import random_below, stream_of
from fogspiel.core.session import record_game
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games.chess.fen import START, position_of
from fogspiel.kriegspiel.engine import SearchLimit, engines, find_engine
from fogspiel.kriegspiel.referee import Referee

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
GAMES = 100
"""Random games whose attempts are counted once and which are then replayed repeatedly."""
NODES, WARMING, LONGEST = 20_000, 3, 60
"""An engine's search nodes per move, its warm-up searches (they compile), and the ply limit of its games."""
TARGETS = {
    "perft, start": ("python-chess, perft", 10e6, 0.0),
    "perft, kiwipete": ("python-chess, perft", 10e6, 0.0),
    "random Kriegspiel, fused": ("OpenSpiel, C++ loop", 4e6, 25.0),
    "random Kriegspiel, six rules": ("OpenSpiel, C++ loop", 0.0, 0.0),
    "random Kriegspiel, umpire in Python": ("kriegspiel, wild 16", 0.0, 0.0),
    "C, places": ("", 120e3, 0.0),
    "minimax, metapositions": ("", 150e3, 0.0),
}
"""By measurement: the peer to compare with, the target rate, and the target multiple of the peer."""


def moves(fen: str, depth: int) -> Callable[[int], int]:
    position = position_of(fen)
    return lambda _: int(perft(position, depth))


def random_games(fused: bool) -> Callable[[int], int]:
    """Return a compiled loop of uniform players that counts attempts."""
    game = known_game("kriegspiel")
    player = find_policy(game, "uniform")
    attempts = sum(len(record_game(game, player, player, 5, number)[0]) for number in range(GAMES))
    match = PolicyMatch(game, player, player, fused=fused)

    def played(_: int) -> int:
        match.scores(5, 0, GAMES, "coin")
        return attempts

    return played


def umpired(seed: int) -> int:
    umpire, stream = Referee(), stream_of(seed)
    while not umpire.over:
        actions = umpire.actions
        umpire.attempt(actions[random_below(stream, len(actions))])
    return len(umpire.record)


def visited(player: Any) -> dict[str, int]:
    """Return an engine's search counters so far.

    A place is a moment at which C is to move, with its matrices advanced, all squares surveyed and all attempts valued;
    each attempt is a node.
    """
    if hasattr(player, "searcher"):
        return {"metapositions": player.searcher.spent}
    return {unit: getattr(player, unit) for unit in ("nodes", "places") if hasattr(player, unit)}


def thinking(name: str, seconds: float) -> dict[str, float]:
    """Return an engine's search rates per CPU second in games with the random player; empty if it has no counters."""
    engine: Any = find_engine(name)(SearchLimit(nodes=NODES), stream_of(1, 1))
    other, umpire = find_engine("random")(SearchLimit(nodes=1), stream_of(1, 2)), Referee()
    searches, spent, found = 0, 0.0, dict.fromkeys(visited(engine), 0)
    while found and spent < seconds:
        if umpire.over or umpire.plies in (0, LONGEST):
            umpire = Referee()
            engine.begin(0)
            other.begin(1)
        player = other if umpire.mover else engine
        seen, actions, before = umpire.view(umpire.mover), umpire.actions, visited(engine)
        began = time.process_time()
        action = player.choose(seen, actions)
        took, after = time.process_time() - began, visited(engine)
        if after != before:
            searches += 1
            if searches > WARMING:
                spent += took
                found = {unit: found[unit] + after[unit] - before[unit] for unit in found}
        umpire.attempt(action)
    return {f"{name}, {unit}": number / spent for unit, number in found.items()}


def ours(seconds: float) -> dict[str, float]:
    return {
        "perft, start": rate(moves(START, 5), seconds),
        "perft, kiwipete": rate(moves(KIWIPETE, 4), seconds),
        "random Kriegspiel, fused": rate(random_games(True), seconds),
        "random Kriegspiel, six rules": rate(random_games(False), seconds),
        "random Kriegspiel, umpire in Python": rate(umpired, seconds),
    }


def peer(python: str, job: str, seconds: float) -> dict[str, float]:
    """Return the rates of a peer in its environment; empty if it is not installed."""
    script = Path(__file__).with_name("_peer_kriegspiel.py")
    outcome = subprocess.run([python, str(script), job, str(seconds)], capture_output=True, text=True)
    if outcome.returncode:
        print(f"{job} could not be measured: {(outcome.stderr.strip().splitlines() or ['?'])[-1]}", file=sys.stderr)
        return {}
    rates: dict[str, float] = json.loads(outcome.stdout.splitlines()[-1])
    return rates


def verdict(name: str, found: dict[str, float]) -> str:
    beside, target, times = TARGETS.get(name, ("", 0.0, 0.0))
    words = []
    if beside in found:
        ratio = found[name] / found[beside]
        wanted = f" ({'reaches' if ratio >= times else 'misses'} {times:g})" if times else ""
        words.append(f"{ratio:,.1f} times {beside}{wanted}")
    if target:
        words.append(f"{'reaches' if found[name] >= target else 'misses'} {target:,.0f}")
    return "; ".join(words)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=3.0, help="CPU seconds for each measurement")
    options.add_argument("--openspiel", default=sys.executable, metavar="PYTHON", help="an interpreter with OpenSpiel")
    options.add_argument("--engines", nargs="*", default=["C", "minimax"], help="engines to measure")
    options.add_argument("--json", action="store_true")
    options.add_argument("--output", type=Path, metavar="FILE", help="keep the results as JSON, with the commit")
    chosen = options.parse_args()
    found = ours(chosen.seconds)
    for python, job in ((sys.executable, "chess"), (sys.executable, "kriegspiel"), (chosen.openspiel, "openspiel")):
        found |= peer(python, job, chosen.seconds)
    for name, again in ours(chosen.seconds).items():
        found[name] = max(found[name], again)
    for name in chosen.engines:
        if name in engines():
            found |= thinking(name, chosen.seconds)
    if chosen.output:
        _results.write(chosen.output, found)
    if chosen.json:
        print(json.dumps(found))
        return
    print(f"{'per CPU second':<38}{'rate':>14}")
    for name, speed in found.items():
        print(f"{name:<38}{speed:>14,.0f}  {verdict(name, found)}".rstrip())


if __name__ == "__main__":
    main()
