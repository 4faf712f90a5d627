"""Preparation of an engine while a person plays: its kernels are compiled or loaded.

It plays a trial game of a few plies with the least search limit, which works for every engine. The trial does not
affect the person's game: its players are separate, with their own streams. Another process compiles what is not in the
cache. Until the trial has ended, Python itself runs the kernels of the person's game, so that an engine replies at
once, with a shallower search.
"""

from functools import cache

from ..core.rng import stream_of
from ..process.preparation import Trial
from .engine import Engine, EngineFactory, SearchLimit, asks_program, engines, find_engine, plain_name
from .engines.sampling import SIMPLE
from .referee import Referee, play_game

# Length of a trial game: by then both sides have answered moves, and `fog` has rejuvenated its belief once.
TRIAL_PLIES = 12
UMPIRE_ONLY = "random"  # the engine that needs the fewest kernels besides those of the umpire
# Seconds after which a kernel is evidently being compiled; cached kernels load faster.
PATIENCE = 5.0


def play_trial(maker: EngineFactory) -> None:
    """Play a few plies, so that no clock runs while kernels are compiled."""
    one, other = (maker(SearchLimit(nodes=1), stream_of(1, side)) for side in (0, 1))
    play_game((one, other), Referee(), TRIAL_PLIES)


class Preparation(Trial):
    """A trial game of an engine in a separate thread."""

    def __init__(self, name: str, effort: SearchLimit):
        engine = find_engine(name)(effort, stream_of(1, 0))
        self.thinks = name not in SIMPLE
        # True if its replies would take long with interpreted kernels.
        self.is_slow = effort.seconds is None or (isinstance(engine, Engine) and not engine.interpretable)
        super().__init__(plain_name(name), lambda: play_trial(find_engine(name)))

    def notice(self, patience: float = PATIENCE) -> str | None:
        """Return the notice that an engine is being compiled; None if it is ready, only loads, or does not search."""
        if not self.is_compiling(patience if self.thinks else 0) or not self.thinks:
            return None
        return f"{self.name} is being compiled for this machine while you play, once: " + (
            "its first reply may take a while." if self.is_slow else "until then it does not look as far ahead."
        )

    def is_ready(self, patience: float) -> bool:
        """True if all is compiled and loaded; an engine that is slow when interpreted waits for that."""
        self._known.wait(patience)
        if self.is_slow:
            self.done.wait()
        return self.done.is_set()


_prepare_once = cache(Preparation)


def prepare(name: str, effort: SearchLimit) -> Preparation:
    """Start to prepare an engine, once per process.

    For programs, engines that use one, and strategies, only the umpire is prepared, by an engine without a search.
    """
    if asks_program(name) or plain_name(name) not in engines():
        name = UMPIRE_ONLY
    return _prepare_once(name, effort)
