"""fogspiel: a workbench for games in which players cannot see everything."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "game_named": "game",
    "fixed": "contender",
    "mixture": "contender",
    "named": "contender",
    "redrawn": "contender",
    "with_parameters": "contender",
    "Match": "simulate",
    "positions": "simulate",
    "recorded": "simulate",
    "view_of": "simulate",
    "measured": "measure",
    "exact_score": "truth",
    "Race": "race",
    "Arena": "arena",
    "Budget": "arena",
    "Request": "tuning",
    "carry_on": "tuning",
    "solution": "solving",
    "Store": "runs",
}
"""Where the names that a script needs live; they are imported when they are first used."""

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"fogspiel has no {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
