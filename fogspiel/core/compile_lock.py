"""Kernels are compiled by one process at a time: the next one finds them in the cache.

Numba's cache is not made for two writers: it numbers the files of a function's signatures, and two processes that take
the same number at the same time leave a file that is not what the index says.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .byte_locks import lock_bytes
from .heartbeat import compiling

LOOK_SECONDS = 0.02
"""How often it is looked whether another process has done compiling, which takes seconds."""
_mutex = threading.RLock()
_depth = 0
_in_turn = False


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Be the only thread of the only process that has locked the file; a process that dies unlocks it."""
    global _depth
    with _mutex:
        if _depth:  # a kernel that is compiled for the sake of another one
            yield
            return
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            while not lock_bytes(descriptor, 0):
                time.sleep(LOOK_SECONDS)
            _depth += 1
            try:
                yield
            finally:
                _depth -= 1
        finally:
            os.close(descriptor)


def compile_in_turn() -> None:
    """From now on, let this process compile kernels only while no other such process does."""
    global _in_turn
    from .kernel import CACHE, COMPILED, kernel

    if _in_turn or not COMPILED or CACHE is None:
        return
    _in_turn = True
    family: Any = type(kernel(_nothing))
    compile_now: Callable[..., Any] = family.compile

    def compile_alone(dispatcher: Any, signature: Any) -> Any:
        with compiling(), alone(CACHE / "compiling.lock"):
            return compile_now(dispatcher, signature)

    family.compile = compile_alone


def _nothing() -> None:
    """A function to ask what a kernel is."""
