"""Texts that several games share."""

from collections.abc import Callable

import numpy as np


def actions_text(history: np.ndarray, label: Callable[[int], str], nothing: str = "nobody has moved") -> str:
    """List the actions so far, by both in turn; cells below 0 are still empty."""
    return ", ".join(label(int(action)) for action in history if action >= 0) or nothing
