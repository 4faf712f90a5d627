"""Compilation of kernels by Numba, its cache, and the decision whether to compile."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext


class Hooks:
    """Functions that packages above this one set."""

    around: Callable[[], AbstractContextManager[None]] = nullcontext  # entered while a kernel is compiled
