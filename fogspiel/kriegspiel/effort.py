"""An engine in words, and the effort that it may spend: `C`, `C@0.4s`, `stray-C:none@20000n`."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..core.listed_names import check_listed

# Where engines are found: a file of this folder, or of the same one in a plug-in folder, is one or several engines.
ROOM = "kriegspiel.engines"
ENGINE = "Kriegspiel engine"
PROGRAM = "program"  # what stands before the command of an engine that is a program
STRAY = "stray-"  # what stands before the name of an engine that strays from its way early in the game
# While a person plays before kernels are compiled, they run some hundred times slower: there are so many more looks at
# the clock, and so many times the seconds.
INTERPRETED_SHARE, INTERPRETED_TIMES = 64, 5


@dataclass(frozen=True)
class Effort:
    """Limit of an engine's search per attempt: seconds, or nodes of its search (then it is deterministic).

    Seconds are those of the processor, so that other work on the machine takes nothing away; where several threads or
    an outside program think, they are those of the clock.
    """

    seconds: float | None = None
    nodes: int | None = None
    threads: int = 1
    outside: bool = False  # true if an outside program does the thinking

    def __post_init__(self) -> None:
        if (self.seconds is None) == (self.nodes is None):
            raise ValueError("an engine needs a time for each move or a number of nodes, and only one of them")
        for name, value in (
            ("time", self.seconds),
            ("number of nodes", self.nodes),
            ("number of threads", self.threads),
        ):
            if value is not None and not value > 0:
                raise ValueError(f"the {name} of an engine is {value}: it must be positive")

    def slices(self, size: int) -> Iterator[int]:
        """Numbers of nodes to search, one slice after the other, until the effort is spent."""
        from ..core.kernel import interprets

        if self.nodes is not None:
            for done in range(0, self.nodes, size):
                yield min(size, self.nodes - done)
            return
        seconds = self.seconds or 0.0
        if interprets():
            size, seconds = max(size // INTERPRETED_SHARE, 1), seconds * INTERPRETED_TIMES
        end = self.clock() + seconds
        yield size
        while self.clock() < end:
            yield size

    def clock(self) -> float:
        """The time now, in seconds of the kind that is counted."""
        return time.thread_time() if self.threads == 1 and not self.outside else time.perf_counter()

    def left(self, began: float) -> "Effort":
        """Return the remainder since a time of `clock`: only the search uses up nodes."""
        if self.seconds is None:
            return self
        return replace(self, seconds=max(self.seconds - (self.clock() - began), 1e-4))


def plain_name(words: str) -> str:
    """The name of an engine alone: `C` of `stray-C:none`."""
    return words.removeprefix(STRAY).partition(":")[0]


EFFORT = re.compile(r"(?P<seconds>\d+(\.\d*)?|\.\d+)s|(?P<nodes>\d+)n")
USUAL = Effort(seconds=0.1)


def asks_program(engine: str) -> bool:
    """True if an engine in words asks a chess engine (`hs:uci=COMMAND`), which is a program of the user's."""
    return ":uci=" in engine


def parse_engine(words: str, usual: Effort = USUAL) -> tuple[str, Effort]:
    """An engine in words, and its effort, if it has one of its own: `C`, `C@0.4s`, `C:none@20000n`."""
    name, _, own = words.rpartition("@")
    found = EFFORT.fullmatch(own) if name else None
    if found is None:
        if "@" in words.partition(":")[0]:
            raise ValueError(
                f"{words[:40]!r} is not an engine with an effort: write NAME@0.4s for seconds, NAME@20000n for nodes"
            )
        return words, usual
    if found["nodes"]:
        return name, Effort(nodes=int(found["nodes"]), threads=usual.threads)
    return name, Effort(seconds=float(found["seconds"]), threads=usual.threads)


def check_engine(words: str) -> None:
    """Refuse words that surely name no engine, before any is imported."""
    name, _ = parse_engine(words)
    if ":" not in name and name != PROGRAM:
        check_listed(ROOM, ENGINE, plain_name(name))
