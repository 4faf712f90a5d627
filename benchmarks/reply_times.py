"""Information leaked by an opponent's response times: `python benchmarks/reply_times.py [--turns 500] [--keep FILE]`.

A simulated person plays at random over HTTP and records the time of each reply. The area under the ROC curve measures
how well these times separate turns with an illegal attempt from the rest: 0.5 is a coin, 1 is certainty. Illegal
attempts are read from the file of games, which a visitor cannot. Turns are compared with those of the same number only,
since everybody sees how far a game is. With --keep turns are saved, and a later call resumes.
An opponent may tell where the 95 % interval reaches beyond 0.45 to 0.55; for hs and fog the plan is 2,000 turns each:

    benchmarks/reply_times.py --turns 2000 --keep turns.jsonl --against "kriegspiel hs" "kriegspiel fog"
"""

import argparse
import json
import math
import random
import signal
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from web_load import answer, started

OPPONENTS = (
    "kriegspiel C",
    "kriegspiel hs",
    "kriegspiel fog",
    "kriegspiel minimax",
    "phantom-ttt solved",
    "phantom-ttt uniform",
)
POLL_SECONDS = 0.01
LIMIT = 0.55


Turn = tuple[float, bool, int]  # seconds until the reply, whether an illegal attempt preceded it, the turn's number


def turns(address: str, games: Path, opponent: str, seed: int) -> Iterator[Turn]:
    """Yield the turns of one game."""
    game, against = opponent.split()
    draws = random.Random(seed)
    session = answer(f"{address}/api/play", {"game": game, "against": against, "side": 0})
    place = f"{address}/api/play/{session['key']}"
    number = 0
    while not session["over"]:
        attempts, began = attempts_of(games, session["key"]), time.perf_counter()
        choice = {"action": draws.choice(session["choices"])["action"], "moment": session["moment"]}
        session = answer(place, choice)
        while session["thinking"]:
            time.sleep(POLL_SECONDS)
            session = answer(place)
        seconds, made = time.perf_counter() - began, attempts_of(games, session["key"]) - attempts - 1
        if made > 0:  # else the own attempt was illegal, or ended the game
            number += 1
            yield seconds, made > 1, number


def attempts_of(games: Path, key: str) -> int:
    with sqlite3.connect(games) as file:
        return len(json.loads(file.execute("SELECT record FROM sittings WHERE key = ?", (key,)).fetchone()[0]))


def area(times: list[float], refused: list[bool]) -> tuple[float, float]:
    """Return the area under the curve with its standard error (Hanley and McNeil 1982)."""
    seconds, marks = np.array(times), np.array(refused)
    slow, quick = seconds[marks], seconds[~marks]
    if not len(slow) or not len(quick):
        return math.nan, math.nan
    found = float(np.mean(slow[:, None] > quick) + np.mean(slow[:, None] == quick) / 2)
    one, two = found / (2 - found), 2 * found**2 / (1 + found)
    spread = found * (1 - found) + (len(slow) - 1) * (one - found**2) + (len(quick) - 1) * (two - found**2)
    return found, math.sqrt(spread / (len(slow) * len(quick)))


def report(opponent: str, known: list[Turn]) -> None:
    times, refused = [turn[0] for turn in known], [turn[1] for turn in known]
    parts = []
    for number in {turn[2] for turn in known}:
        same = [turn for turn in known if turn[2] == number]
        marks = [turn[1] for turn in same]
        if len(same) > 1 and 0 < sum(marks) < len(marks):
            pairs = sum(marks) * (len(marks) - sum(marks))
            parts.append((pairs, *area([turn[0] for turn in same], marks)))
    whole = sum(part[0] for part in parts)
    found = sum(pairs * one for pairs, one, _ in parts) / whole
    error = math.sqrt(sum((pairs * spread) ** 2 for pairs, _, spread in parts)) / whole
    middle, late = np.quantile(times, (0.5, 0.99))
    print(
        f"{opponent:22} {len(known):4} turns, refused in {sum(refused):4}: area {found:.3f} +- {1.96 * error:.3f}, "
        f"replies after {middle:.3f} s (99 %: {late:.3f} s)"
        f"{'' if abs(found - 0.5) + 1.96 * error <= LIMIT - 0.5 else '  may tell'}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--against", nargs="+", default=OPPONENTS, metavar="'GAME PLAYER'")
    asked = parser.parse_args()
    rows = (
        [json.loads(line) for line in asked.keep.read_text().splitlines()] if asked.keep and asked.keep.exists() else []
    )
    with tempfile.TemporaryDirectory() as name:
        server, address = started(Path(name))
        try:
            for opponent in asked.against:
                known: list[Turn] = [(turn[0], turn[1], turn[2]) for who, *turn in rows if who == opponent]
                while len(known) < asked.turns:
                    for turn in turns(address, Path(name) / "runs.games.db", opponent, len(known)):
                        known.append(turn)
                        if asked.keep:
                            with asked.keep.open("a") as file:
                                file.write(json.dumps([opponent, *turn]) + "\n")
                        if len(known) >= asked.turns:
                            break
                report(opponent, known)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


if __name__ == "__main__":
    main()
