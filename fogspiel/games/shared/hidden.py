"""Sampling of states in a player's information set."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ...core.game import Resample, blank
from ...core.rng import below, shuffle

Option = TypeVar("Option")


def pick(options: Sequence[Option], stream: np.ndarray) -> Option:
    """One of the options, all equally likely."""
    return options[int(below(stream, len(options)))]


def permute(state: np.ndarray, cells: Sequence[int], stream: np.ndarray) -> None:
    """Shuffle what stands in these cells of a state."""
    order = blank(len(cells))
    shuffle(stream, order)
    state[cells] = state[np.array(cells, np.int64)[order]]


# hidden(state, player): the cell that the player cannot see and what may stand in it, or None.
Hidden = Callable[[np.ndarray, int], tuple[int, Sequence[int]] | None]


def resample_one(hidden: Hidden) -> Resample:
    """The resampling of a game that hides one cell at most."""

    def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
        other, found = state.copy(), hidden(state, player)
        if found is not None:
            cell, options = found
            other[cell] = pick(options, stream)
        return other

    return resample
