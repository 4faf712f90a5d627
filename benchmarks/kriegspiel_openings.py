"""Opening table of Kriegspiel: scores of the first four moves of each side, from games of fog against itself.

Both sides play random early moves now and then (`stray-fog`), so that openings vary. The games are a stored match:
after an interruption the same command goes on, and more games continue it. A player sees the own moves alone, so an
opening is a sequence of own moves, tried until accepted; its score is that of its side.

    python benchmarks/kriegspiel_openings.py --games 10000 --nodes 1000
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fogspiel.cli.execute import RunOptions, start_run
from fogspiel.games.chess.fen import SIDES
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.match import EngineMatch, EngineSpec
from fogspiel.kriegspiel.pgn import turns_of
from fogspiel.kriegspiel.referee import Referee
from fogspiel.stats import race

MOVES = 4  # own moves of an opening
ENGINE = "stray-fog"


def openings_in(games: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, tuple[str, ...], int]]:
    """Yield side, first own moves, and its score (0 loss, 1 draw, 2 win), for each length of each game."""
    for game in games:
        white = 2 - game["result"] if game["white"] else game["result"]
        turns, _ = turns_of(game["record"], Referee())
        for side in (0, 1):
            own = tuple(turn.short.rstrip("+#") for turn in turns if turn.colour == side)[:MOVES]
            for length in range(1, len(own) + 1):
                yield side, own[:length], 2 - white if side else white


def table(games: Iterable[Mapping[str, Any]], least: int) -> list[dict[str, Any]]:
    """Return the openings with at least so many games, by side and length, the most frequent first."""
    counts: dict[tuple[int, tuple[str, ...]], np.ndarray] = defaultdict(lambda: np.zeros(3, np.int64))
    for side, moves, score in openings_in(games):
        counts[side, moves][score] += 1
    kept = [(side, moves, seen) for (side, moves), seen in counts.items() if seen.sum() >= least]
    kept.sort(key=lambda one: (one[0], len(one[1]), -one[2].sum(), one[1]))
    return [
        {
            "side": SIDES[side].lower(),
            "moves": list(moves),
            "games": int(seen.sum()),
            "score": round(race.mean(seen), 3),
            "interval": [round(limit, 3) for limit in race.interval(seen)],
        }
        for side, moves, seen in kept
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=1000, help="for each attempt")
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--least", type=int, default=10, help="games of an opening that is listed")
    parser.add_argument("--processes", type=int)
    parser.add_argument("--output", type=Path, default=Path("kriegspiel_openings.json"))
    parser.add_argument("--store", type=Path, default=Path("kriegspiel_openings.db"))
    asked = parser.parse_args()
    seat = EngineSpec(ENGINE, SearchLimit(nodes=asked.nodes))
    match = EngineMatch((seat, seat), asked.games, asked.seed)
    run = start_run(
        match.to_json(), RunOptions(asked.store, threads=asked.processes, again="the same command"), once=True
    )
    games = [game for rows in match.rows(run) for row in rows for game in row["games"]]
    found = table(games, asked.least)
    about = {"games": len(games), "engine": seat.name, "seed": asked.seed, "least": asked.least}
    asked.output.write_text(json.dumps(about | {"openings": found}, indent=1) + "\n")
    print("| side | moves | games | score | 95 % interval, valid at any time |\n|---|---|---|---|---|")
    for one in found:
        low, high = one["interval"]
        cells = one["side"], " ".join(one["moves"]), one["games"], f"{one['score']:.2f}", f"{low:.2f} to {high:.2f}"
        print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
