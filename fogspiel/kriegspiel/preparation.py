"""An engine made ready beside a person who looks at the first position: its kernels are compiled or loaded.

A trial game of a few plies with the least effort does it, so that it serves every engine. Nothing of the trial reaches
the game that is played: the players of the trial are others, with streams of their own.
"""

import threading
from functools import cache

from ..core.kernel import watch_compilation
from ..core.rng import stream_of
from .engine import Effort, Maker, asks_program, engines, find_engine, plain_name
from .referee import Referee, play_game

TRIAL_PLIES = 12
"""The length of a trial game: until then both sides have answered moves, and `fog` has mended its belief once."""
PATIENCE = 5.0
"""Seconds after which it is clear that something is compiled; kernels that were compiled before load faster."""


def play_trial(maker: Maker) -> None:
    """Play a few plies, so that no clock runs while kernels are compiled."""
    one, other = (maker(Effort(nodes=1), stream_of(1, side)) for side in (0, 1))
    play_game((one, other), Referee(), TRIAL_PLIES)


class Preparation:
    """A trial game of an engine in a thread of its own."""

    def __init__(self, name: str):
        self.name = name
        self.done = threading.Event()
        self.compiles = False
        """Whether a kernel was not found in the cache."""
        self._known = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"prepare {name}", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            with watch_compilation(self._note):
                play_trial(find_engine(self.name))
        finally:
            self.done.set()
            self._known.set()

    def _note(self) -> None:
        if threading.current_thread() is self._thread:
            self.compiles = True
            self._known.set()

    def notice(self, patience: float = PATIENCE) -> str | None:
        """The line for a person whose engine is being compiled; None if it is ready or only has to be loaded."""
        self._known.wait(patience)
        if self.done.is_set() or not self.compiles:
            return None
        return (
            f"{self.name} is being compiled for this machine while you look at the position, once: "
            "its first reply may take a while."
        )


@cache
def _prepare_once(name: str) -> Preparation:
    return Preparation(name)


def prepare(words: str) -> Preparation | None:
    """Begin to make an engine ready, once per process; None for an engine that is a program, or asks one."""
    if asks_program(words) or plain_name(words) not in engines():
        return None
    return _prepare_once(words)
