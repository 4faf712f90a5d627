"""Trained weights of the engine `fog`, as a file.

`fogspiel kriegspiel train` makes such a file; docs/kriegspiel.md says how the one that comes with the package was made.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import numpy as np

from ..games.chess.men import KINDS
from .beliefs.reply_policy import ROWS
from .training.value_fit import MEN_IN_PHASE

SHIPPED = Path(__file__).with_name("fog.npz")
SUFFIX = ".npz"
MOST_BYTES = 1_000_000  # of a file of weights, and of an array in it


class Learned(NamedTuple):
    """Reply policy of opponents, and values of men."""

    replies: np.ndarray  # the logarithms of a policy as in `beliefs.reply_policy`
    worths: np.ndarray  # the worth of a man by phase and kind, as in `training.value_fit`


SHAPES = {"replies": (ROWS, 64), "worths": (len(MEN_IN_PHASE), KINDS)}
# The greatest numbers, of either sign: chances of replies do not overflow, nor do sums of men.
MOST = {"replies": 100.0, "worths": 10_000.0}


def save_learned(learned: Learned, path: Path) -> None:
    """Write a file of weights."""
    arrays = {name: value.astype(np.float32) for name, value in learned._asdict().items()}
    try:
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)
    except OSError as error:
        raise ValueError(f"the weights cannot be written to {path}: {error.strerror or error}") from None


@cache
def load_learned(path: Path = SHIPPED) -> Learned:
    """Read a file of weights."""
    if not path.is_file():
        raise ValueError(f"there is no file {path}: weights are a file that `fogspiel kriegspiel train` has written")
    wrong = f"{path} has no weights of the engine fog: name a file that `fogspiel kriegspiel train` has written"
    try:
        with ZipFile(path) as parts:  # looked at before it is unpacked, for a small file may hold a huge array
            sizes = [path.stat().st_size, *(parts.getinfo(f"{name}.npy").file_size for name in SHAPES)]
        if max(sizes) > MOST_BYTES:
            raise ValueError(wrong)
        with np.load(path, allow_pickle=False) as kept:
            arrays = {name: np.asarray(kept[name]) for name in SHAPES}
    except Exception:  # of ZipFile, NumPy or Python's tokenizer: a broken file is told in a dozen ways
        raise ValueError(wrong) from None
    for name, array in arrays.items():
        if array.shape != SHAPES[name] or array.dtype != np.float32 or not (np.abs(array) <= MOST[name]).all():
            raise ValueError(wrong)
    return Learned(*(array.astype(np.float64) for array in arrays.values()))
