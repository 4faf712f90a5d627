"""fogspiel: a workbench for games in which players cannot see everything."""

from importlib import import_module
from typing import Any

from .core import plugins as _plugins  # noqa: F401  (from now on plug-in files can be imported by name)

__version__ = "0.1.0"

_HOME = {
    "find_game": "core.game",
    "fixed_baseline": "core.agents",
    "mixture_policy": "core.agents",
    "find_policy": "core.agents",
    "redrawn_baseline": "core.agents",
    "vector_policy": "core.agents",
    "Match": "core.simulate",
    "replay": "core.session",
    "record_game": "core.session",
    "view_of": "core.session",
    "evaluate": "stats.evaluate",
    "exact_score": "core.exact",
    "Race": "stats.race",
    "Arena": "tune.arena",
    "Budget": "tune.arena",
    "Request": "runs.kinds.tune",
    "work_on": "runs.kind",
    "solution": "runs.kinds.solve",
    "Store": "runs.store",
}
"""Where the names that a script needs live; they are imported when they are first used."""

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"fogspiel has no {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
