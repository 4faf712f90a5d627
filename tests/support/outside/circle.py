"""Games of two sets of two values that beat each other in a circle around the start, which draws with all."""

import math


def play(a, b, seed):
    """A win for whoever is less than half a turn ahead."""
    if min(math.hypot(v["x"], v["y"]) for v in (a, b)) < 0.5:
        return 0.5
    return int(math.sin(math.atan2(a["y"], a["x"]) - math.atan2(b["y"], b["x"])) > 0)
