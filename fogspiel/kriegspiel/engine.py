"""What engines have in common: an effort to spend, and a belief that follows what the referee says.

An engine sees views only. Between two calls of `choose` everything that it may know has happened in this order: its
last attempt was refused, or it was accepted with a message; then, if it was accepted, the other side moved, of which
there is a message too. `Engine` tells these apart and calls the hooks of its subclass.
"""

import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

import numpy as np

from ..chess.messages import MESSAGE
from ..games import _kriegspiel_rules as rules
from ..players import Entrant, Player


@dataclass(frozen=True)
class Effort:
    """How long an engine may think about an attempt: seconds, or nodes of its search (then it is deterministic)."""

    seconds: float | None = None
    nodes: int | None = None
    threads: int = 1

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
        if self.nodes is not None:
            for done in range(0, self.nodes, size):
                yield min(size, self.nodes - done)
            return
        end = time.perf_counter() + (self.seconds or 0)
        yield size
        while time.perf_counter() < end:
            yield size


class Engine:
    """A player that keeps a belief."""

    def __init__(self, effort: Effort, stream: np.ndarray):
        self.effort, self.stream = effort, stream

    def begin(self, side: int) -> None:
        self.side = side
        self.last: int | None = None
        self.ply = -1

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        self._hear(seen)
        self.last = self.attempt(seen, np.array(actions, np.int64))
        return self.last

    def follow(self, seen: np.ndarray, action: int) -> None:
        """Remember a choice that was made earlier."""
        self._hear(seen)
        self.last = action

    def _hear(self, seen: np.ndarray) -> None:
        """Bring the belief up to date."""
        ply = int(seen[rules.SEEN_PLY])
        if self.ply < 0:
            self.reset(seen)
            if ply == 1:
                self.answered(seen[rules.SEEN_OTHER : rules.SEEN_OTHER + MESSAGE], seen)
        elif self.last is not None and ply == self.ply:
            self.refused(self.last, seen)
        elif self.last is not None:
            self.accepted(self.last, seen[rules.SEEN_OWN : rules.SEEN_OWN + MESSAGE], seen)
            self.answered(seen[rules.SEEN_OTHER : rules.SEEN_OTHER + MESSAGE], seen)
        self.ply = ply

    def reset(self, seen: np.ndarray) -> None:
        """A game begins: with all men at home, or as `seen` if it begins in the middle."""

    def accepted(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        """The own move was made, with this message; `seen` is later by the other's move."""

    def refused(self, move: int, seen: np.ndarray) -> None:
        """The own attempt was refused."""

    def answered(self, message: np.ndarray, seen: np.ndarray) -> None:
        """The other side has moved, with this message."""

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        """What to try now, one of the actions."""
        raise NotImplementedError


Maker = Callable[[Effort, np.ndarray], Player]
"""What makes a player that spends this effort and draws from this stream."""


@cache
def engines() -> dict[str, Maker]:
    """Every engine by name: each module of `fogspiel.kriegspiel.engines` lists its own in ENGINES."""
    from . import engines as folder

    found: dict[str, Maker] = {}
    for module in pkgutil.iter_modules(folder.__path__):
        found |= importlib.import_module(f"{folder.__name__}.{module.name}").ENGINES
    return found


def engine_named(name: str) -> Maker:
    """The engine of that name, or a ValueError with names that look like it."""
    try:
        return engines()[name]
    except KeyError:
        near = get_close_matches(name, engines(), n=3, cutoff=0.4)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise ValueError(f"there is no Kriegspiel engine {name!r}: {meant}there are {', '.join(engines())}") from None


EFFORT = re.compile(r"(?P<seconds>\d+(\.\d*)?|\.\d+)s|(?P<nodes>\d+)n")
USUAL = Effort(seconds=0.1)


def engine_in(words: str, usual: Effort = USUAL) -> tuple[str, Effort]:
    """An engine in words, with an effort of its own if they say so: `C`, `C@0.4s`, `C@20000n`."""
    name, mark, own = words.partition("@")
    if not mark:
        return name, usual
    found = EFFORT.fullmatch(own)
    if found is None:
        raise ValueError(
            f"{words[:40]!r} is not an engine with an effort: write NAME@0.4s for seconds, NAME@20000n for nodes"
        )
    if found["nodes"]:
        return name, Effort(nodes=int(found["nodes"]), threads=usual.threads)
    return name, Effort(seconds=float(found["seconds"]), threads=usual.threads)


def entrant_of(name: str, effort: Effort) -> Entrant:
    """An engine as somebody who sends players."""
    maker = engine_named(name)
    return Entrant(name, lambda stream: maker(effort, stream))
