"""Numbers formatted for people."""

import time
from collections.abc import Mapping, Sequence
from typing import Any


def with_interval(score: float, interval: Sequence[float]) -> str:
    return f"{score:.4f} [{interval[0]:.4f}, {interval[1]:.4f}]"


def ago(moment: float | None) -> str:
    """Format the time since `moment` in the largest unit that fits."""
    if moment is None:
        return "?"
    seconds = max(0.0, time.time() - moment)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def score_sentence(first: str, second: str, counted: Mapping[str, Any]) -> str:
    return f"{first} against {second} scores {with_interval(counted['score'], counted['interval'])}"


def signed(elo: float | None, infinite: str) -> str:
    """Format an Elo difference with its sign; None is infinite, with the given sign."""
    return f"{infinite}inf" if elo is None else f"{elo:+.0f}"
