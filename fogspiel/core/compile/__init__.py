"""Compilation of kernels by Numba, its cache, and the decision whether to compile."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from platformdirs import user_cache_path


class Hooks:
    """Functions that packages above this one set."""

    around: Callable[[], AbstractContextManager[None]] = nullcontext  # entered while a kernel is compiled


def cache_root() -> Path:
    """Return the cache folder, which has a folder for every kernel in every version."""
    return Path(os.environ.get("FOGSPIEL_CACHE") or user_cache_path("fogspiel", appauthor=False))
