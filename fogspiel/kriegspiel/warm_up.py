"""An engine made ready beside a person who plays: its kernels are compiled or loaded.

A trial game of a few plies with the least effort does it, so that it serves every engine. Nothing of the trial reaches
the game that is played: the players of the trial are others, with their own streams. What is not in the cache is
compiled by another process, and until the trial has ended Python itself runs the kernels of the person's game, so that
an engine replies at once, though it does not look as far ahead.
"""

import subprocess
import sys
import threading
from contextlib import AbstractContextManager
from functools import cache

from ..core.compile.kernel import CACHE, interpreted_until, watch_compilation
from ..core.rng import stream_of
from ..process.guard import own_guard
from .engine import Engine, EngineFactory, SearchLimit, asks_program, engines, find_engine, plain_name
from .engines.simple import ENGINES as SIMPLE
from .referee import Referee, play_game

# The length of a trial game: until then both sides have answered moves, and `fog` has repaired its belief once.
TRIAL_PLIES = 12
UMPIRE_ONLY = "random"  # the engine that needs the fewest kernels besides those of the umpire
# Seconds after which it is clear that something is compiled; kernels that were compiled before load faster.
PATIENCE = 5.0


def play_trial(maker: EngineFactory) -> None:
    """Play a few plies, so that no clock runs while kernels are compiled."""
    one, other = (maker(SearchLimit(nodes=1), stream_of(1, side)) for side in (0, 1))
    play_game((one, other), Referee(), TRIAL_PLIES)


def start_compiling(engine: str) -> subprocess.Popen[bytes]:
    """Return a process that compiles an engine into the cache; it does not outlive this one."""
    command = [sys.executable, "-m", "fogspiel.cli", "compile", plain_name(engine)]
    started = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    own_guard().tell("+", started.pid)
    return started


def finish_compiling(started: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process that compiles."""
    started.wait()
    own_guard().tell("-", started.pid)


class _NotInCache(Exception):
    """A kernel would have to be compiled."""


class Preparation:
    """A trial game of an engine in a separate thread."""

    def __init__(self, name: str, effort: SearchLimit):
        self.name = name
        engine = find_engine(name)(effort, stream_of(1, 0))
        self.thinks = name not in SIMPLE
        # True if its replies would take long where Python itself runs the kernels.
        self.is_slow = effort.seconds is None or (isinstance(engine, Engine) and not engine.interpretable)
        self.done = threading.Event()
        self.compiles = False  # true if a kernel was not found in the cache
        self._known = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"prepare {name}", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            with watch_compilation(self._note):
                play_trial(find_engine(self.name))
        except _NotInCache:
            if CACHE is not None:
                finish_compiling(start_compiling(self.name))
            play_trial(find_engine(self.name))
        finally:
            self.done.set()
            self._known.set()

    def _note(self) -> None:
        if threading.current_thread() is self._thread:
            self.compiles = True
            self._known.set()
            raise _NotInCache

    def notice(self, patience: float = PATIENCE) -> str | None:
        """Return the line for a person whose engine is being compiled; None if it is ready, only has to be loaded, or
        does not search.
        """
        self._known.wait(patience if self.thinks else 0)
        if self.done.is_set() or not self.compiles or not self.thinks:
            return None
        return f"{self.name} is being compiled for this machine while you play, once: " + (
            "its first reply may take a while." if self.is_slow else "until then it does not look as far ahead."
        )

    def is_ready(self, patience: float) -> bool:
        """True if all is compiled and loaded; to load it may take some seconds, and who is slow else waits for all."""
        self._known.wait(patience)
        if self.is_slow:
            self.done.wait()
        return self.done.is_set()

    def meanwhile(self) -> AbstractContextManager[None]:
        """As long as this lasts, a game does not wait for kernels."""
        return interpreted_until(self.done)


@cache
def _prepare_once(name: str, effort: SearchLimit) -> Preparation:
    return Preparation(name, effort)


def prepare(name: str, effort: SearchLimit) -> Preparation:
    """Start to make an engine ready, once per process; of a program, of one that asks a program and of a strategy the
    umpire alone, by an engine that does not search.
    """
    if asks_program(name) or plain_name(name) not in engines():
        name = UMPIRE_ONLY
    return _prepare_once(name, effort)
