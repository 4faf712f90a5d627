"""Kernels are compiled by one process at a time: the next one finds them in the cache.

Numba's cache is not made for two writers: it numbers the files of a function's signatures, and two processes that take
the same number at the same time leave a file that is not what the index says.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...core.heartbeat import compiling

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

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
            _lock(descriptor)
            _depth += 1
            try:
                yield
            finally:
                _depth -= 1
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Wait for the lock, which lasts until the file is closed."""
    if sys.platform == "win32":
        while True:
            try:
                return msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except OSError:
                time.sleep(0.1)
    else:
        fcntl.lockf(descriptor, fcntl.LOCK_EX)


def compile_in_turn() -> None:
    """From now on, let this process compile kernels only while no other such process does."""
    global _in_turn
    from ...core.kernel import CACHE, COMPILED, kernel

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
