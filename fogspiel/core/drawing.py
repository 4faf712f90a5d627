"""Pictures of games: each module of this folder lists its own in PICTURES; a game without one is drawn in letters.

They are apart from the rules, so that a change of looks compiles nothing anew.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from .game import Game
from .picture import Parts, Text


@dataclass(frozen=True)
class Picture:
    """How a game is drawn."""

    view: Callable[[np.ndarray], Parts]
    """What the player who sees this view knows."""
    truth: Callable[[np.ndarray], Parts] | None = None
    """A state, for the umpire and for replays; in letters if there is nothing better."""


@cache
def _pictures() -> dict[str, Picture]:
    games = importlib.import_module(f"{__package__.removesuffix('core')}games")

    found: dict[str, Picture] = {}
    for module in pkgutil.walk_packages(games.__path__, f"{games.__name__}."):
        if module.name.rsplit(".", 1)[-1].startswith("draw"):
            found.update(importlib.import_module(module.name).PICTURES)
    return found


def draw_view(game: Game, view: np.ndarray) -> Parts:
    """The picture of a view."""
    picture = _pictures().get(game.name)
    return picture.view(view) if picture else (Text(game.show(view)),)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The picture of a state."""
    picture = _pictures().get(game.name)
    return picture.truth(state) if picture and picture.truth else (Text(game.reveal(state)),)
