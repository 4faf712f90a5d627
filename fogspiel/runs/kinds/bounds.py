"""Bounds on games that are too large to be solved: narrowed as long as the budget lasts, stored, and resumed."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from ... import __version__
from ...core.game import find_game
from ...phantom.bounds import bounds_of
from ...solve.checkers.phantom_bounds import GAMES
from ..store import Run

METHOD = "bounds"
"""What stands for the method in the request of bounds."""
KEEP_SECONDS = 2.0

Watch = Callable[[str, float, float], None]


@dataclass(frozen=True)
class Request:
    """What a user asks: which game, for how many seconds, within how many GiB."""

    game: str
    seconds: float = 300.0
    memory: float = 1.0

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        if self.game not in GAMES:
            find_game(self.game)
            raise ValueError(f"there are no bounds for {self.game}: the games are {', '.join(GAMES)}")
        for name, value in (("time", self.seconds), ("memory", self.memory)):
            if not (isfinite(value) and value > 0):
                raise ValueError(f"--{name} is {value}: it must be a positive number")

    def as_ask(self) -> dict[str, Any]:
        """The first row of the run."""
        return asdict(self) | {"method": METHOD, "rules": find_game(self.game).version, "fogspiel": __version__}


def carry_on(run: Run, watch: Watch = lambda remark, lower, upper: None) -> dict[str, Any]:
    """Narrow the bounds until they meet or the budget is spent; returns the result, which is stored as the last row."""
    ask, partial = run.ask, run.partial()
    left = ask["seconds"] - run.seconds_worked
    stages = bounds_of(ask["game"], max(left, 0.0), ask["memory"], partial["saved"] if partial else None)
    latest, kept = None, time.monotonic()
    try:
        while True:
            latest = next(stages)
            watch(latest.remark, float(latest.lower), float(latest.upper))
            if time.monotonic() - kept > KEEP_SECONDS:
                run.keep_partial({"saved": latest.saved})
                kept = time.monotonic()
    except StopIteration as end:
        found = end.value
    except KeyboardInterrupt:
        if latest is not None:
            run.keep_partial({"saved": latest.saved})
        raise
    lower, upper = Fraction(found["lower"]), Fraction(found["upper"])
    result = {
        "lower": str(lower),
        "upper": str(upper),
        "exact": lower == upper,
        "certificate": found["certificate"],
        "score": float((lower + upper) / 2),
        "interval": [float(lower), float(upper)],
    }
    run.append("result", result)
    return result
