"""Kernels of one room or game are compiled by one process at a time: the next one finds them in the cache.

This only saves work: files of the cache are right whoever writes them. So what is in the cache is loaded without
waiting, and where the lock cannot be had because of the disk, everybody compiles.
"""

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from ..byte_locks import lock_bytes
from .cache import warn
from .key import PACKAGE

LOOK_SECONDS = 0.02
"""How often it is looked whether another process has done compiling, which takes seconds."""
SILENT_SECONDS = 3.0
"""Who waits for longer says for whom."""
LOCKED_BYTE = 1 << 20
"""Far behind what the file says, which must stay readable where locks forbid reading."""
_mutex = threading.Lock()
_in_turn = False


class _Here(threading.local):
    """Whether this thread is compiling: kernels that are compiled for the sake of another one need no lock."""

    busy = False


_here = _Here()


def _place_of(kernels: Path) -> int:
    """The byte that stands for the room or the game whose kernels are in a file: others are compiled meanwhile."""
    if PACKAGE not in kernels.parents:
        return LOCKED_BYTE
    room, *rest = kernels.relative_to(PACKAGE).parts
    return LOCKED_BYTE + 1 + crc32("/".join([room, *rest[:1]] if room == "games" else [room]).encode()) % 4096


def _wait_for_lock(file: Path, descriptor: int, place: int, command: int) -> None:
    """Lock the file, and say for whom this process waits, unless both work for the same command."""
    patience = time.monotonic() + SILENT_SECONDS
    while not lock_bytes(descriptor, place):
        if time.monotonic() > patience:
            patience = math.inf
            holder, _, its_command = file.read_text(encoding="utf-8", errors="replace").partition(" ")
            if its_command != str(command):
                whom = f"process {holder}" if holder.isdigit() else "another fogspiel process"
                warn(f"waiting for {whom}, which is compiling kernels")
        time.sleep(LOOK_SECONDS)
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()} {command}".encode())


@contextmanager
def alone(file: Path, command: int, place: int = LOCKED_BYTE) -> Iterator[None]:
    """Be the only thread of the only process that has locked a place of the file; a process that dies unlocks it."""
    with _mutex, ExitStack() as opened:
        with suppress(OSError):  # a full disk, or one without locks
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
            opened.callback(os.close, descriptor)
            _wait_for_lock(file, descriptor, place, command)
        yield


def compile_in_turn(
    command: int | None = None,
    tell: Callable[[], None] = lambda: None,
    around: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> None:
    """From now on, let this process compile kernels only while no other such process compiles those of the same room.

    A worker names the process of the command that it works for. `tell` is called once, when a kernel is about to be
    compiled that is not in the cache. Every compilation is done inside `around()`.
    """
    global _in_turn
    from .kernel import CACHE, COMPILED, KernelCache, kernel

    if _in_turn or not COMPILED or CACHE is None:
        return
    _in_turn = True
    family: Any = type(kernel(_nothing))
    compile_now: Callable[..., Any] = family.compile
    tell_once = cache(tell)

    def compile_alone(dispatcher: Any, signature: Any) -> Any:
        if _here.busy:
            return compile_now(dispatcher, signature)
        files = dispatcher._cache
        wait = isinstance(files, KernelCache) and not files.holds(signature, dispatcher.targetctx)
        if wait:
            tell_once()
        _here.busy = True
        try:
            place = _place_of(Path(dispatcher.py_func.__code__.co_filename))
            lock = alone(CACHE / "compiling.lock", command or os.getpid(), place) if wait else nullcontext()
            with around(), lock:
                return compile_now(dispatcher, signature)
        finally:
            _here.busy = False

    family.compile = compile_alone


def _nothing() -> None:
    """A function to ask what a kernel is."""
