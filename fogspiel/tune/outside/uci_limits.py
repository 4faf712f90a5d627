"""Limit of a chess engine per move: nodes, a depth, a time, or a clock for the whole game."""

import re
from dataclasses import dataclass

CLOCK = re.compile(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")
MOST = 1_000_000_000


@dataclass(frozen=True)
class Limit:
    """A limit per move, or a clock: milliseconds for the game, and more for each move."""

    kind: str = "nodes"
    amount: int = 10_000
    increment: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.amount <= MOST or not 0 <= self.increment <= MOST:
            raise ValueError(f"the limit of a chess engine is {self.amount}: it must be 1 to {MOST:,}")

    @classmethod
    def clock(cls, text: str) -> "Limit":
        """A clock in words: seconds for the game, and for each move, as 8+0.08."""
        found = CLOCK.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text[:20]!r} is not a clock: write seconds for the game and for each move, as 8+0.08")
        return cls("clock", round(1000 * float(found[1])), round(1000 * float(found[2] or 0)))

    @property
    def seconds(self) -> float:
        """Return the duration of a move without grace; 0 if unknown."""
        return self.amount / 1000 if self.kind == "movetime" else 0.0

    def go(self, left: tuple[float, float]) -> str:
        """The words by which an engine is asked to think, with the seconds that White and Black have left."""
        if self.kind != "clock":
            return f"go {self.kind} {self.amount}"
        white, black = (max(round(1000 * seconds), 1) for seconds in left)
        return f"go wtime {white} btime {black} winc {self.increment} binc {self.increment}"
