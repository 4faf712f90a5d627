"""Common part of engines: a search limit, and a belief that follows the referee's messages.

An engine sees views only. Between two calls of `choose` everything that it may know has happened in this order: its
last attempt was refused, or it was accepted with a message; then, if it was accepted, the other side moved, of which
there is a message too. `Engine` tells these apart and calls the hooks of its subclass.
"""

# ruff: noqa: B027 (the hooks are empty on purpose: a subclass takes those it needs)

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ..core.agents import Player, PlayerAgent, remind
from ..core.listed_names import unknown
from ..core.plugins import collect, modules
from ..core.rng import below, split, unit
from ..games.chess.men import FORWARD
from ..games.chess.messages import MESSAGE, PASSANT_TAKEN, PAWN_TAKEN, SQUARE, TAKEN, TRIES
from ..games.kriegspiel import rules
from ..games.kriegspiel.announcements import known_tries
from .effort import ENGINE
from .effort import ROOM as ROOM
from .effort import STRAY as STRAY
from .effort import USUAL as USUAL
from .effort import Effort as Effort
from .effort import asks_program as asks_program
from .effort import parse_engine as parse_engine
from .effort import plain_name as plain_name


def plain_message(message: np.ndarray, colour: int, seen: np.ndarray) -> np.ndarray:
    """A message about a move of this colour as beliefs take it that do not know the rule sets.

    Instead of tries that are not counted there is UNKNOWN or SOME, and a capture en passant is one of a pawn where that
    stood; a man of which it is not said whether it was a pawn remains one.
    """
    told = message.copy()
    told[TRIES] = known_tries(message, seen[rules.SEEN_SWITCHES])
    if message[TAKEN] == PASSANT_TAKEN:
        told[TAKEN], told[SQUARE] = PAWN_TAKEN, message[SQUARE] - FORWARD[colour]
    return told


class Engine(ABC):
    """A player that keeps a belief."""

    asks = False  # true if the engine is offered the question whether any pawn can take; those that are not never ask
    interpretable = True  # true if a reply takes a few seconds where Python itself runs the kernels

    def __init__(self, effort: Effort, stream: np.ndarray):
        self.effort, self.stream = effort, stream

    def begin(self, side: int) -> None:
        self.side = side
        self.last: int | None = None
        self.ply = -1

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        self.began = self.effort.clock()
        self._hear(seen)
        offered = [action for action in actions if self.asks or action != rules.ANY]
        self.last = self.attempt(seen, np.array(offered, np.int64))
        return self.last

    def follow(self, seen: np.ndarray, action: int) -> None:
        """Remember a choice that was made earlier."""
        self._hear(seen)
        self.last = action

    def _hear(self, seen: np.ndarray) -> None:
        """Bring the belief up to date."""
        ply = int(seen[rules.SEEN_PLY])
        if self.ply < 0:
            self.reset(seen)
            if ply == 1:
                self.on_answer(seen[rules.SEEN_OTHER : rules.SEEN_OTHER + MESSAGE], seen)
        elif self.last is not None and ply == self.ply:
            if self.last != rules.ANY:
                self.on_refusal(self.last, seen)
        elif self.last is not None:
            self.on_acceptance(self.last, seen[rules.SEEN_OWN : rules.SEEN_OWN + MESSAGE], seen)
            self.on_answer(seen[rules.SEEN_OTHER : rules.SEEN_OTHER + MESSAGE], seen)
        self.ply = ply

    def reset(self, seen: np.ndarray) -> None:
        """A game begins: with all men at home, or as `seen` if it begins in the middle."""

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        """The own move was made, with this message; `seen` is later by the other's move."""

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        """The own attempt was refused."""

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        """The other side has moved, with this message."""

    @abstractmethod
    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        """Return the action to attempt next."""


Maker = Callable[[Effort, np.ndarray], Player]  # what makes a player that spends this effort and draws from this stream
Choice = Callable[[str], Maker]  # what makes a maker of the words behind an engine's colon; of no words the usual one


def engines() -> dict[str, Maker]:
    """Every engine by name: each module of the room lists its own in ENGINES."""
    return collect(ROOM, "ENGINES")


def choices() -> dict[str, Choice]:
    """The engines that can be had in several ways: a module lists them in CHOICES, if it has any."""
    return {name: choice for module in modules(ROOM) for name, choice in getattr(module, "CHOICES", {}).items()}


def about_engine(name: str) -> str:
    """Return the first paragraph of an engine's docstring."""
    maker = engines()[name]
    described = getattr(maker, "func", maker)  # a class or function, perhaps with some of its arguments given
    return " ".join((described.__doc__ or "").strip().split("\n\n")[0].split())


def find_engine(words: str) -> Maker:
    """The engine in these words, without an effort (`C`, `C:none`, `stray-C`), or a ValueError with similar names."""
    name, mark, choice = words.removeprefix(STRAY).partition(":")
    if name not in engines() and name not in choices():
        raise unknown(ENGINE, name, engines())
    if mark and name not in choices():
        raise ValueError(f"{name} can be had in one way only: write {name} without a colon")
    if mark and not choice and name in engines():
        raise ValueError(f"{words[:40]!r} has nothing behind its colon: write {name} for what is usual")
    maker = choices()[name](choice) if name in choices() else engines()[name]
    return partial(Straying, maker) if words.startswith(STRAY) else maker


def home_of(words: str) -> Path:
    """The file of an engine."""
    name = plain_name(words)
    for module in modules(ROOM):
        if name in module.ENGINES or name in getattr(module, "CHOICES", {}):
            return Path(str(module.__file__))
    maker = engines()[name]  # of an installed package
    return Path(str(sys.modules[getattr(maker, "func", maker).__module__].__file__))


STRAYING, EARLY = 0.2, 8  # how often it does, and in how many of its moves
OWN_STREAM = 1 << 20


class Straying:
    """An engine some of whose first moves are any, so that a population does not play the same openings only."""

    def __init__(self, maker: Maker, effort: Effort, stream: np.ndarray):
        self.stream = np.array([split(stream[0], OWN_STREAM)], np.uint64)
        self.engine = maker(effort, stream)

    def begin(self, side: int) -> None:
        self.turn, self.strays = -1, False
        self.engine.begin(side)

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        """Any action in a move in which the engine strays, else its own choice."""
        ply = int(seen[rules.SEEN_PLY])
        if ply != self.turn:
            self.turn, self.strays = ply, ply < 2 * EARLY and unit(self.stream) < STRAYING
        if not self.strays:
            return self.engine.choose(seen, actions)
        action = int(actions[below(self.stream, len(actions))])
        remind(self.engine, seen, actions, action)
        return action

    @property
    def nodes(self) -> int | None:
        """The nodes that the engine has searched, if it counts them."""
        return getattr(self.engine, "nodes", None)


def engine_agent(name: str, effort: Effort) -> PlayerAgent:
    """An engine as an agent."""
    maker = find_engine(name)
    return PlayerAgent(name, lambda stream: maker(effort, stream))
