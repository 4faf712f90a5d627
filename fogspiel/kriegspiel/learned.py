"""What the engine `fog` has learned from games, as a file of weights.

`fogspiel kriegspiel train` makes such a file; docs/kriegspiel.md says how the one that comes with the package was made.
"""

import zlib
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np

from ..games.chess.men import KINDS
from .beliefs.reply_policy import ROWS
from .training.value_fit import MEN_IN_PHASE

SHIPPED = Path(__file__).with_name("fog.npz")
SUFFIX = ".npz"
MOST_BYTES = 1_000_000
"""Of a file of weights."""


class Learned(NamedTuple):
    """How opponents reply, and what men are worth."""

    replies: np.ndarray
    """The logarithms of a policy as in `beliefs.reply_policy`."""
    worths: np.ndarray
    """The worth of a man by phase and kind, as in `training.value_fit`."""


SHAPES = {"replies": (ROWS, 64), "worths": (len(MEN_IN_PHASE), KINDS)}


def save_learned(learned: Learned, path: Path) -> None:
    """Write a file of weights."""
    arrays = {name: value.astype(np.float32) for name, value in learned._asdict().items()}
    try:
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)
    except OSError as error:
        raise ValueError(f"the weights cannot be written to {path}: {error.strerror or error}") from None


@cache
def load_learned(path: Path = SHIPPED) -> Learned:
    """Read a file of weights."""
    if not path.is_file():
        raise ValueError(f"there is no file {path}: weights are a file that `fogspiel kriegspiel train` has written")
    wrong = f"{path} has no weights of the engine fog: name a file that `fogspiel kriegspiel train` has written"
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(wrong)
    try:
        with np.load(path, allow_pickle=False) as kept:
            arrays = {name: np.asarray(kept[name]) for name in SHAPES}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error):
        raise ValueError(wrong) from None
    for name, array in arrays.items():
        if array.shape != SHAPES[name] or array.dtype != np.float32 or not np.isfinite(array).all():
            raise ValueError(wrong)
    return Learned(*(array.astype(np.float64) for array in arrays.values()))
