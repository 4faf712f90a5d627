"""Methods that tune a vector: each is a generator over an arena that yields its steps until the budget ends it.

A file of this folder, or of `tuning/methods` in a plug-in folder, lists its methods by name in METHODS; the docstring
of a method is its help text.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ...core.find import unknown
from ...core.plugins import collect

if TYPE_CHECKING:
    from ..arena import Arena, Step

Method = Callable[["Arena"], Iterator["Step"]]
ROOM = "tuning.methods"

FIRST = (
    "auto",
    "naive", "iterative", "real-coevolution", "approximate-coevolution", "seeds",
    "duel", "spsa", "halving", "reply", "psro", "portfolio",
)  # fmt: skip
"""The order of listings: the usual one, the five methods of the paper, then ours; any other method comes last."""

# Methods of earlier versions, for stored runs; the plug-in folder of the benchmarks has them.
REMOVED = ("elitist", "cma", "rectangular", "bandit", "seed-nash")


def tune_methods() -> dict[str, Method]:
    found = collect(ROOM, "METHODS")
    return {name: found[name] for name in dict.fromkeys([*FIRST, *found])}


def find_tune_method(name: str) -> Method:
    known = tune_methods()
    if name in REMOVED and name not in known:
        raise ValueError(
            f"the method {name} left the package: use auto, or the plug-in folder benchmarks/plugins of its repository"
        )
    if name not in known:
        raise unknown("method", name, known)
    return known[name]
