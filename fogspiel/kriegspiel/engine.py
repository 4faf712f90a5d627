"""Common part of engines: a search limit, and a belief that follows the referee's messages.

An engine sees views only. Between two calls of `choose` everything that it may know has happened in this order: its
last attempt was refused, or it was accepted with a message; then, if it was accepted, the opponent moved, of which
there is a message too. `Engine` tells these apart and calls the hooks of its subclass.
"""

import re
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from ..core.agents import Player, PlayerAgent, replay_choice
from ..core.game_names import unknown
from ..core.plugins import collect, modules
from ..core.rng import random_below, random_unit, split
from ..core.untrusted_input import JsonRecord
from ..games.chess.bitboards import FORWARD, UPSIDE_DOWN
from ..games.chess.position import end_of, start_of
from .game import rules
from .game.attempts import PASSANT_TAKEN, PAWN_TAKEN, SQUARE, TAKEN, TRIES, move_own
from .game.rule_sets import known_tries

# An engine as text, and the effort that it may spend: `C`, `C@0.4s`, `stray-C:none@20000n`.

# Where engines are found: a file of this folder, or of the same one in a plug-in folder, is one or several engines.
ROOM = "kriegspiel.engines"
ENGINE = "Kriegspiel engine"
PROGRAM = "program"  # what stands before the command of an engine that is a program
STRAY = "stray-"  # what stands before the name of an engine that strays from its way early in the game
# While a person plays before kernels are compiled, they run some hundred times slower: there are this many more
# inspects the clock, and this many times the seconds.
INTERPRETED_SHARE, INTERPRETED_TIMES = 64, 5


@dataclass(frozen=True)
class SearchLimit(JsonRecord):
    """Limit of an engine's search per attempt: seconds, or nodes of its search (then it is deterministic).

    Seconds are those of the processor, so that other work on the machine takes nothing away; where several threads or
    an external program think, they are those of the clock.
    """

    KEYS = ("seconds", "nodes", "threads", "outside")

    seconds: float | None = None
    nodes: int | None = None
    threads: int = 1
    outside: bool = False  # true if an external program does the thinking

    def __post_init__(self) -> None:
        if (self.seconds is None) == (self.nodes is None):
            raise ValueError("an engine needs a time for each move or a number of nodes, and only one of them")
        for name, value in (
            ("time", self.seconds),
            ("number of nodes", self.nodes),
            ("number of threads", self.threads),
        ):
            if value is not None and not value > 0:
                raise ValueError(f"the {name} of an engine is {value}: it must be positive")

    def slices(self, size: int) -> Iterator[int]:
        """Yield numbers of nodes to search, one slice after the other, until the effort is spent."""
        from ..core.compile.kernel import interprets

        if self.nodes is not None:
            for done in range(0, self.nodes, size):
                yield min(size, self.nodes - done)
            return
        seconds = self.seconds or 0.0
        if interprets():
            size, seconds = max(size // INTERPRETED_SHARE, 1), seconds * INTERPRETED_TIMES
        end = self.clock() + seconds
        yield size
        while self.clock() < end:
            yield size

    def clock(self) -> float:
        """Return the time now, in seconds of the kind that is counted."""
        return time.thread_time() if self.threads == 1 and not self.outside else time.perf_counter()

    def left(self, began: float) -> "SearchLimit":
        """Return the remainder since a time of `clock`: only the search uses up nodes."""
        if self.seconds is None:
            return self
        return replace(self, seconds=max(self.seconds - (self.clock() - began), 1e-4))


def plain_name(words: str) -> str:
    """Return the name of an engine alone: `C` of `stray-C:none`."""
    return words.removeprefix(STRAY).partition(":")[0]


EFFORT = re.compile(r"(?P<seconds>\d+(\.\d*)?|\.\d+)s|(?P<nodes>\d+)n")
DEFAULT = SearchLimit(seconds=0.1)


def asks_program(engine: str) -> bool:
    """True if an engine as text asks a chess engine (`hs:uci=COMMAND`), which is a program of the user's."""
    return ":uci=" in engine


def parse_engine(words: str, usual: SearchLimit = DEFAULT) -> tuple[str, SearchLimit]:
    """Return an engine as text, and its effort, if it has one of its own: `C`, `C@0.4s`, `C:none@20000n`."""
    name, _, own = words.rpartition("@")
    found = EFFORT.fullmatch(own) if name else None
    if found is None:
        if "@" in words.partition(":")[0]:
            raise ValueError(
                f"{words[:40]!r} is not an engine with an effort: write NAME@0.4s for seconds, NAME@20000n for nodes"
            )
        return words, usual
    if found["nodes"]:
        return name, SearchLimit(nodes=int(found["nodes"]), threads=usual.threads)
    return name, SearchLimit(seconds=float(found["seconds"]), threads=usual.threads)


def check_engine(words: str) -> None:
    """Reject a name that no engine has."""
    name, _ = parse_engine(words)
    if ":" not in name and name != PROGRAM:
        find_engine(plain_name(name))


# ruff: noqa: B027 (the hooks are empty on purpose: a subclass takes those it needs)


def plain_message(message: np.ndarray, colour: int, seen: np.ndarray) -> np.ndarray:
    """Return a message about a move of this colour as beliefs take it that do not know the rule sets.

    Instead of tries that are not counted there is UNKNOWN or SOME, and a capture en passant is one of a pawn where that
    stood; a man of which it is not said whether it was a pawn remains one.
    """
    told = message.copy()
    told[TRIES] = known_tries(message, seen[rules.SEEN_SWITCHES])
    if message[TAKEN] == PASSANT_TAKEN:
        told[TAKEN], told[SQUARE] = PAWN_TAKEN, message[SQUARE] - FORWARD[colour]
    return told


def placement_after(men: np.ndarray, colour: int, move: int) -> bytes:
    """Return the own men after a move as a key, by which repetitions are counted."""
    after = men.copy()
    move_own(after, colour, move)
    return after.tobytes()


def takes_by_pawn(pawns: int, move: int) -> bool:
    """True if a move is that of one of these pawns from one file to another."""
    return bool(int(pawns) >> start_of(move) & 1) and (end_of(move) - start_of(move)) % 8 != 0


def turn_move(move: int, side: int) -> int:
    """Return a move of a side as White would see it, or back."""
    return move ^ (UPSIDE_DOWN | UPSIDE_DOWN << 6) if side else move


def turn_men(seen: np.ndarray, side: int) -> np.ndarray:
    """Return the own men of a view as White would see them."""
    men = seen[rules.OWN_MEN]
    return men.byteswap() if side else men.copy()


class Engine(ABC):
    """A player that keeps a belief."""

    asks = False  # true if the engine is offered the question whether any pawn can take; those that are not never ask
    interpretable = True  # true if a reply takes a few seconds where Python itself runs the kernels

    def __init__(self, effort: SearchLimit, stream: np.ndarray):
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
                self.on_answer(seen[rules.OTHER_MESSAGE], seen)
        elif self.last is not None and ply == self.ply:
            if self.last != rules.ANY:
                self.on_refusal(self.last, seen)
        elif self.last is not None:
            self.on_acceptance(self.last, seen[rules.OWN_MESSAGE], seen)
            self.on_answer(seen[rules.OTHER_MESSAGE], seen)
        self.ply = ply

    def reset(self, seen: np.ndarray) -> None:
        """A game starts: with all men at home, or as `seen` if it starts in the middle."""

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        """The own move was made, with this message; `seen` is later by the opponent's move."""

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        """The own attempt was refused."""

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        """The opponent has moved, with this message."""

    @abstractmethod
    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        """Return the action to attempt next."""


EngineFactory = Callable[
    [SearchLimit, np.ndarray], Player
]  # what makes a player that spends this effort and draws from this stream
Choice = Callable[
    [str], EngineFactory
]  # what makes a maker of the words behind an engine's colon; of no words the default one


def engines() -> dict[str, EngineFactory]:
    """Return every engine by name: each module of the room lists its own in ENGINES."""
    return collect(ROOM, "ENGINES")


def engine_variants() -> dict[str, Choice]:
    """Return the engines that can be had in several ways: a module lists them in CHOICES, if it has any."""
    return {name: choice for module in modules(ROOM) for name, choice in getattr(module, "CHOICES", {}).items()}


def about_engine(name: str) -> str:
    """Return the first paragraph of an engine's docstring."""
    maker = engines()[name]
    described = getattr(maker, "func", maker)  # a class or function, perhaps with some of its arguments given
    return " ".join((described.__doc__ or "").strip().split("\n\n")[0].split())


def find_engine(words: str) -> EngineFactory:
    """Return the engine in these words, without an effort (`C`, `C:none`, `stray-C`), or a ValueError with similar
    names.
    """
    name, mark, choice = words.removeprefix(STRAY).partition(":")
    if name not in engines() and name not in engine_variants():
        raise unknown(ENGINE, name, engines())
    if mark and name not in engine_variants():
        raise ValueError(f"{name} can be had in one way only: write {name} without a colon")
    if mark and not choice and name in engines():
        raise ValueError(f"{words[:40]!r} has nothing behind its colon: write {name} for what is usual")
    maker = engine_variants()[name](choice) if name in engine_variants() else engines()[name]
    return partial(Straying, maker) if words.startswith(STRAY) else maker


def engine_file(words: str) -> Path:
    """Return the file of an engine."""
    name = plain_name(words)
    for module in modules(ROOM):
        if name in module.ENGINES or name in getattr(module, "CHOICES", {}):
            return Path(str(module.__file__))
    maker = engines()[name]  # of an installed package
    return Path(str(sys.modules[getattr(maker, "func", maker).__module__].__file__))


STRAYING, EARLY = 0.2, 8  # how often it does, and in how many of its moves
OWN_STREAM = 1 << 20  # the child of the engine's stream that decides when it strays: no engine splits so far


class Straying:
    """An engine some of whose first moves are any, so that a population does not play the same openings only."""

    def __init__(self, maker: EngineFactory, effort: SearchLimit, stream: np.ndarray):
        self.stream = np.array([split(stream[0], OWN_STREAM)], np.uint64)
        self.engine = maker(effort, stream)

    def begin(self, side: int) -> None:
        self.turn, self.strays = -1, False
        self.engine.begin(side)

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        """Return any action in a move in which the engine strays, else its own choice."""
        ply = int(seen[rules.SEEN_PLY])
        if ply != self.turn:
            self.turn, self.strays = ply, ply < 2 * EARLY and random_unit(self.stream) < STRAYING
        if not self.strays:
            return self.engine.choose(seen, actions)
        action = int(actions[random_below(self.stream, len(actions))])
        replay_choice(self.engine, seen, actions, action)
        return action

    @property
    def nodes(self) -> int | None:
        """The nodes that the engine has searched, if it counts them."""
        return getattr(self.engine, "nodes", None)


def engine_agent(name: str, effort: SearchLimit) -> PlayerAgent:
    """Return an engine as an agent."""
    maker = find_engine(name)
    return PlayerAgent(name, lambda stream: maker(effort, stream))
