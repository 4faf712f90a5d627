"""Waiting time of a person on a new machine: `python benchmarks/first_reply.py [C fog ..] [--turns 3]`.

The web interface is started with an empty kernel cache for each engine, and a simulated person plays at random over
HTTP, as White and as Black. Times are wall-clock seconds from the click to the reply, including its slot.
"""

import argparse
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from web_load import answer, started

ENGINES = ["C", "fog", "minimax", "hs", "greedy"]
POLL_SECONDS = 0.02
SOONEST = 0.1
"""Replies appear only when their slot ends: a faster response means that the person's attempt was illegal."""


def replies(address: str, against: str, side: int, turns: int) -> Iterator[float]:
    """Yield seconds until the person may make the first move, then until the reply to each of the next ones."""
    draws, began = random.Random(1), time.perf_counter()
    session = answer(f"{address}/api/play", {"game": "kriegspiel", "against": against, "side": side})
    place, shown = f"{address}/api/play/{session['key']}", 0
    while shown <= turns and not session["over"]:
        while session["thinking"]:
            time.sleep(POLL_SECONDS)
            session = answer(place)
        seconds = time.perf_counter() - began
        if not shown or seconds >= SOONEST:
            yield seconds
            shown += 1
        began = time.perf_counter()
        choice = {"action": draws.choice(session["choices"])["action"], "moment": session["moment"]}
        session = answer(place, choice)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", default=ENGINES)
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    for engine in given.engines:
        for side, colour in enumerate(("white", "black")):
            folder = Path(tempfile.mkdtemp())
            os.environ["FOGSPIEL_CACHE"] = str(folder / "cache")
            server, address = started(folder)
            try:
                seconds = [f"{reply:.1f}" for reply in replies(address, engine, side, given.turns)]
                print(
                    f"{engine}, person {colour}: {seconds[0]} s to the first choice, replies {', '.join(seconds[1:])} s"
                )
            finally:
                server.send_signal(signal.SIGINT)
                server.wait()
                shutil.rmtree(folder)


if __name__ == "__main__":
    main()
