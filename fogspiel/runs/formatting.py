"""Numbers the way people read them."""

import time
from collections.abc import Sequence


def with_interval(score: float, interval: Sequence[float]) -> str:
    """A score and its 95 % interval."""
    return f"{score:.4f} [{interval[0]:.4f}, {interval[1]:.4f}]"


def ago(moment: float | None) -> str:
    """Describe a past time in the largest unit that fits."""
    if moment is None:
        return "?"
    seconds = max(0.0, time.time() - moment)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
