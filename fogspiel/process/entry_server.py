"""Server of a Python function that plays by the game protocol: `python entry_server.py FILE.py`.

The file defines `play(turn)`, which returns one of `turn.actions`. Output of the file goes to stderr, and its stdin is
empty: both belong to the protocol. An error in it is written to stderr and ends the program.

This file uses only the standard library and is run by its path, so that an entry starts in some hundredths of a second.
"""

import os
import random
import runpy
import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

READY, NAME = "fogspielok", "play"


@dataclass
class Turn:
    """All that a player knows at its turn."""

    game: str
    side: int  # 0 or 1
    seed: int
    random: random.Random  # of this game, by the seed
    clock: float  # seconds left in this game
    views: list[list[int]] = field(default_factory=list)  # every view of this game so far, the present one last
    text: str = ""  # the view in words
    actions: list[int] = field(default_factory=list)  # that can be taken now
    labels: list[str] = field(default_factory=list)  # their names

    @property
    def view(self) -> list[int]:
        return self.views[-1]


def serve(play: Callable[[Turn], Any], lines: Iterable[str], say: Callable[[str], None]) -> None:
    """Answer a referee until `quit` or the end of the input."""
    turn: Turn | None = None
    for line in lines:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "quit":
            return
        if word == "new":
            told = dict(zip(rest.split()[::2], rest.split()[1::2], strict=True))
            seed = int(told["seed"])
            turn = Turn(told["game"], int(told["side"]), seed, random.Random(seed), int(told["clock"]) / 1000)
        elif turn is None:
            continue
        elif word == "view":
            turn.views.append([int(cell) for cell in rest.split()])
            turn.actions, turn.labels = [], []
        elif word == "see":
            turn.text = rest
        elif word == "action":
            number, _, label = rest.partition(" ")
            turn.actions.append(int(number))
            turn.labels.append(label)
        elif word == "go":
            turn.clock = int(rest.split()[1]) / 1000
            say(f"play {play(turn)}")
            turn.actions, turn.labels = [], []


def main() -> None:
    """Keep stdin and stdout for the protocol, run the file, and answer until the input ends."""
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)

    def say(line: str) -> None:
        os.write(answers, f"{line}\n".encode())

    version = requests.readline().split()[-1]
    try:
        sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[1])))
        found = runpy.run_path(sys.argv[1])
        if not callable(found.get(NAME)):
            raise ValueError(f"it has no function {NAME}(turn)")
    except (Exception, SystemExit) as error:  # any failure of a user's file becomes one line
        say(" ".join(f"{READY} {type(error).__name__}: {error}".split()))
        raise SystemExit(2) from None
    say(f"{READY} {version}")
    try:
        serve(found[NAME], requests, say)
    except Exception:
        traceback.print_exc()
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
