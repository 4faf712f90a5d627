"""Preparation of kernels while a person already plays: a trial loads them, another process compiles what is missing.

Until the trial has ended, Python itself runs the kernels of the person's game. This process never compiles what another
one can, so that the preparation of one game does not wait for that of another.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from ..core.compile.kernel import CACHE, interpreted_until, watch_compilation
from .guard import own_guard


def start_compiling(name: str) -> subprocess.Popen[bytes]:
    """Start a process that compiles a game or an engine into the cache; it does not outlive this one."""
    command, nothing = [sys.executable, "-m", "fogspiel.cli", "compile", name], subprocess.DEVNULL
    started = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
    own_guard().tell("+", started.pid)
    return started


def finish_compiling(started: subprocess.Popen[bytes]) -> None:
    started.wait()
    own_guard().tell("-", started.pid)


class _NotInCache(Exception):
    """A kernel would have to be compiled."""


class Trial:
    """A trial of kernels in a separate thread; `name` is compiled by another process if they are not in the cache."""

    def __init__(self, name: str, play: Callable[[], None], *, outside: bool = True):
        self.name, self._play, self._outside = name, play, outside
        self.done = threading.Event()
        self.compiles = False  # true if a kernel was not found in the cache
        self.began = time.monotonic()
        self._known = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"prepare {name}", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            with watch_compilation(self._note):
                self._play()
        except _NotInCache:
            if CACHE is not None and self._outside:
                finish_compiling(start_compiling(self.name))
            self._play()
        finally:
            self.done.set()
            self._known.set()

    def _note(self) -> None:
        if threading.current_thread() is self._thread:
            self.compiles = True
            self._known.set()
            raise _NotInCache

    def is_compiling(self, patience: float) -> bool:
        """True if kernels are being compiled; wait so long to find out."""
        self._known.wait(patience)
        return self.compiles and not self.done.is_set()

    def notice(self, patience: float) -> str | None:
        """Return the line for a person who waits; here nobody does."""
        return None

    def is_ready(self, patience: float) -> bool:
        """True if all is compiled and loaded; wait so long for it."""
        return self.done.wait(patience)

    def meanwhile(self) -> AbstractContextManager[None]:
        return interpreted_until(self.done)
