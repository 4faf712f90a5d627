"""Base of engines: a search limit, and a belief that follows the referee's messages.

An engine receives views only. Between two calls of `choose`, its last attempt was refused, or accepted with a message;
if it was accepted, the opponent then moved, with a message too. `Engine` distinguishes these events and calls the hooks
of its subclass.
"""

import re
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, Self

import numpy as np

from ..core.agents import Player, PlayerAgent, replay_choice
from ..core.find import unknown
from ..core.plugins import collect, extras, modules
from ..core.rng import random_below, random_unit, split
from ..core.untrusted_input import JsonRecord
from ..games.chess.bitboards import FORWARD, UPSIDE_DOWN
from ..games.chess.position import end_of, start_of
from .game import rules
from .game.attempts import PASSANT_TAKEN, PAWN_TAKEN, SQUARE, TAKEN, TRIES, known_tries, move_own

# Text form of an engine with its search limit: `C`, `C@0.4s`, `stray-C:none@20000n`.

# Package of the engines: a file of this folder, or of the same one in a plug-in folder, has one or several engines.
ROOM = "kriegspiel.engines"
ENGINE = "Kriegspiel engine"
PROGRAM = "program"  # prefix of the command of an external engine
STRAY = "stray-"  # prefix of an engine that plays random moves early in the game
RUN = ":run="  # before the tuning run whose constants an engine has; they follow it: `C:run=NAME;pin=0.3;hope=0.5`
# While a person plays before kernels are compiled, they run about a hundred times slower: the clock is read this many
# times as often, and the time limit is this many times as long.
INTERPRETED_SHARE, INTERPRETED_TIMES = 64, 5
# An attempt may use this share of the time that its move has left; a tree that is reused needs an eighth afterwards.
ATTEMPT_SHARE = 7 / 8
LEAST_SHARE = 1 / 100  # share of a move's time that every attempt has, after however many illegal ones
MOVES_LEFT = 30  # an engine with a clock plays as if the game had this many moves left
CLOCK = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)\+(\d{1,4}(?:\.\d{1,3})?)")


@dataclass(frozen=True)
class TimeControl:
    """Time of each side for a whole game: minutes at its start, and seconds added after each of its moves."""

    minutes: float
    increment: float

    @classmethod
    def parse(cls, text: str) -> Self:
        found = CLOCK.fullmatch(text)
        if found is None or not float(found[1]):
            raise ValueError(
                f"{text[:40]!r} is not a clock: write MINUTES+SECONDS, as 3+0 for three minutes a game, 0.5+1 for half "
                "a minute and a second more for each move"
            )
        return cls(float(found[1]), float(found[2]))

    def __str__(self) -> str:
        return f"{self.minutes:g}+{self.increment:g}"

    @property
    def seconds(self) -> float:
        """Seconds at the start of a game."""
        return 60 * self.minutes


def allotted_seconds(left: float, increment: float) -> float:
    """Return the seconds of a move of an engine with this much left on its clock: never more than half of it."""
    return min(left / MOVES_LEFT + increment, left / 2)


@dataclass(frozen=True)
class SearchLimit(JsonRecord):
    """Limit of an engine's search: seconds per move, or nodes per attempt (then it is deterministic).

    Seconds are CPU time, so that other load on the machine does not matter; with several threads or an external program
    they are wall-clock time.
    """

    KEYS = ("seconds", "nodes", "threads", "outside")

    seconds: float | None = None
    nodes: int | None = None
    threads: int = 1
    outside: bool = False  # true if an external program searches

    def __post_init__(self) -> None:
        if (self.seconds is None) == (self.nodes is None):
            raise ValueError("an engine needs a time for each move or a number of nodes, and only one of them")
        named = {"time": self.seconds, "number of nodes": self.nodes, "number of threads": self.threads}
        for name, value in named.items():
            if value is not None and not value > 0:
                raise ValueError(f"the {name} of an engine is {value}: it must be positive")

    def slices(self, size: int) -> Iterator[int]:
        """Yield the sizes of search slices, in nodes, until the limit is reached."""
        from ..core.compile.kernel import interprets

        if self.nodes is not None:
            for done in range(0, self.nodes, size):
                yield min(size, self.nodes - done)
            return
        seconds = self.seconds or 0.0
        if interprets():
            size, seconds = max(size // INTERPRETED_SHARE, 1), seconds * INTERPRETED_TIMES
        end = self.now() + seconds
        yield size
        while self.now() < end:
            yield size

    def now(self) -> float:
        """Return the current time, in seconds of the counted kind."""
        return time.thread_time() if self.threads == 1 and not self.outside else time.perf_counter()

    def attempt_seconds(self, spent: float) -> float:
        """Return the seconds of the next attempt in a move whose earlier attempts have spent this many."""
        whole = self.seconds or 0.0
        return max(ATTEMPT_SHARE * (whole - spent), LEAST_SHARE * whole)

    def until(self, end: float) -> "SearchLimit":
        """Return the limit of a search that ends at a time of `now`; nodes are counted by the search only."""
        return self if self.seconds is None else replace(self, seconds=max(end - self.now(), 1e-4))


class MoveBudget:
    """Base of players with a search limit: all attempts of one move share its time.

    With a clock, a move has the time that `allotted_seconds` gives it.
    """

    def __init__(self, effort: SearchLimit):
        self.effort = effort
        self.clock: tuple[float, float] | None = None  # seconds left before this attempt, and the increment
        self.renew()

    def renew(self) -> None:
        """Begin with the time of a new move, as in a new game."""
        self.turn, self.spent, self.began = -1, 0.0, self.effort.now()
        self.end = self.began + (self.effort.seconds or 0.0)  # time at which the attempt should be chosen

    def hear_clock(self, left: float, increment: float) -> None:
        """Receive the seconds left on the own clock, before each attempt, and the increment."""
        self.clock = left, increment

    def start_attempt(self, ply: int) -> None:
        if ply != self.turn:
            self.turn, self.spent = ply, 0.0
            if self.clock is not None:
                self.effort = replace(self.effort, seconds=allotted_seconds(*self.clock))
        self.began = self.effort.now()
        self.end = self.began + self.effort.attempt_seconds(self.spent)

    def end_attempt(self) -> None:
        self.spent += self.effort.now() - self.began

    @property
    def limit(self) -> SearchLimit:
        """Limit of the attempt from now on."""
        return self.effort.until(self.end)

    @property
    def leisure(self) -> float:
        """Share of the move's time that earlier attempts have left, if there is a clock; otherwise 1."""
        return 1.0 if self.clock is None else max(0.0, 1 - self.spent / (self.effort.seconds or 1.0))


def tell_clock(player: object, left: float, increment: float) -> None:
    """Report the clock to a player that uses it."""
    if hear := getattr(player, "hear_clock", None):
        hear(left, increment)


def plain_name(words: str) -> str:
    """Return the name of an engine alone: `C` of `stray-C:none`."""
    return words.removeprefix(STRAY).partition(":")[0]


def short_name(words: str) -> str:
    """Return the text of an engine without the constants of its tuning run."""
    return words.partition(";")[0] if RUN in words else words


EFFORT = re.compile(r"(?P<seconds>\d+(\.\d*)?|\.\d+)s|(?P<nodes>\d+)n")
DEFAULT = SearchLimit(seconds=0.1)


def asks_program(engine: str) -> bool:
    """True if an engine uses a chess engine (`hs:uci=COMMAND`), which is a program of the user."""
    return ":uci=" in engine


def parse_engine(words: str, usual: SearchLimit = DEFAULT) -> tuple[str, SearchLimit]:
    """Parse an engine with an optional search limit: `C`, `C@0.4s`, `C:none@20000n`; a level has its own."""
    if level := find_level(words):
        return words, SearchLimit(nodes=level.nodes, threads=usual.threads)
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
    name, _ = parse_engine(words)
    if ":" not in name and name != PROGRAM:
        find_engine(plain_name(name))


def plain_message(message: np.ndarray, colour: int, seen: np.ndarray) -> np.ndarray:
    """Translate a message about a move of this colour for beliefs that ignore the rule sets.

    Uncounted tries become UNKNOWN or SOME, and an en passant capture becomes that of a pawn on its own square; a man
    not announced as pawn or piece stays one.
    """
    told = message.copy()
    told[TRIES] = known_tries(message, seen[rules.SEEN_SWITCHES])
    if message[TAKEN] == PASSANT_TAKEN:
        told[TAKEN], told[SQUARE] = PAWN_TAKEN, message[SQUARE] - FORWARD[colour]
    return told


def placement_after(men: np.ndarray, colour: int, move: int) -> bytes:
    after = men.copy()
    move_own(after, colour, move)
    return after.tobytes()


def takes_by_pawn(pawns: int, move: int) -> bool:
    """True if a move takes one of these pawns to another file."""
    return bool(int(pawns) >> start_of(move) & 1) and (end_of(move) - start_of(move)) % 8 != 0


def turn_move(move: int, side: int) -> int:
    return move ^ (UPSIDE_DOWN | UPSIDE_DOWN << 6) if side else move


def turn_men(seen: np.ndarray, side: int) -> np.ndarray:
    men = seen[rules.OWN_MEN]
    return men.byteswap() if side else men.copy()


class Engine(MoveBudget, ABC):
    """A player that keeps a belief."""

    asks = False  # true if the engine may ask whether any pawn can capture; others never do
    interpretable = True  # true if a reply takes at most a few seconds with interpreted kernels

    def __init__(self, effort: SearchLimit, stream: np.ndarray):
        super().__init__(effort)
        self.stream = stream

    def begin(self, side: int) -> None:
        self.renew()
        self.side = side
        self.listener: Engine = self  # the engine that hears the messages: another one in its endgames
        self.last: int | None = None
        self.ply = -1

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        self.start_attempt(int(seen[rules.SEEN_PLY]))
        self._hear(seen)
        offered = [action for action in actions if self.asks or action != rules.ANY]
        self.last = self.attempt(seen, np.array(offered, np.int64))
        self.end_attempt()
        return self.last

    def follow(self, seen: np.ndarray, action: int) -> None:
        """Record a choice that was made earlier."""
        self._hear(seen)
        self.last = action

    def _hear(self, seen: np.ndarray) -> None:
        ply = int(seen[rules.SEEN_PLY])
        if self.ply < 0:
            self.reset(seen)
            if ply == 1:
                self.on_answer(seen[rules.OTHER_MESSAGE], seen)
        elif self.last is not None and ply == self.ply:
            if self.last != rules.ANY:
                self.listener.on_refusal(self.last, seen)
        elif self.last is not None:
            self.listener.on_acceptance(self.last, seen[rules.OWN_MESSAGE], seen)
            self.listener.on_answer(seen[rules.OTHER_MESSAGE], seen)
        self.ply = ply

    def reset(self, seen: np.ndarray) -> None:
        """Start a game: with all men at home, or as `seen` if it starts in the middle."""

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        """Update by an accepted own move and its message; `seen` is after the opponent's move."""

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        """Update by a refused own attempt."""

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        """Update by the opponent's move and its message."""

    @abstractmethod
    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        """Return the action to attempt next."""


EngineFactory = Callable[[SearchLimit, np.ndarray], Player]  # maker of a player with this limit and stream
Choice = Callable[[str], EngineFactory]  # maker from the text behind the colon: of the default engine if it is empty


class Tunable(NamedTuple):
    """An engine whose constants can be tuned, and its maker, which takes other ones as `parameters`."""

    constants: JsonRecord
    make: Callable[..., Player]


def tunable_engines() -> dict[str, Tunable]:
    return collect(ROOM, "TUNABLE")


def engines() -> dict[str, EngineFactory]:
    """Return every engine by name: each module of the package lists its own in ENGINES."""
    return collect(ROOM, "ENGINES")


def engine_variants() -> dict[str, Choice]:
    """Return the engines with variants, which modules list in CHOICES."""
    return extras(ROOM, "CHOICES")


def about_engine(name: str) -> str:
    maker = engines()[name]
    described = getattr(maker, "func", maker)  # a class or function, perhaps with bound arguments
    return " ".join((described.__doc__ or "").strip().split("\n\n")[0].split())


def family_member(text: str) -> tuple[ModuleType, EngineFactory] | None:
    """Return the engine of a numbered family, such as `B5`, and its module: FAMILIES maps patterns to makers."""
    for module in modules(ROOM):
        for pattern, maker in getattr(module, "FAMILIES", {}).items():
            if found := re.fullmatch(pattern, text):
                return module, partial(maker, int(found[1]))
    return None


def find_engine(words: str) -> EngineFactory:
    """Return the engine of this text without a limit (`C`, `C:none`, `B5:paper`); suggest names in a ValueError."""
    if level := find_level(words):
        return level.maker()
    text = words.removeprefix(STRAY)
    maker = _listed_engine(text)
    return partial(Straying, maker) if words.startswith(STRAY) else maker


def _listed_engine(text: str) -> EngineFactory:
    if RUN in text:
        from .training import tuned_engine  # which plays games, and so imports this module

        return tuned_engine(text)
    if text in engines() and text not in engine_variants():
        return engines()[text]
    if member := family_member(text):
        return member[1]
    name, mark, choice = text.partition(":")
    if name not in engines() and name not in engine_variants():
        raise unknown(ENGINE, name, engines())
    if mark and name not in engine_variants():
        raise ValueError(f"{name} can be had in one way only: write {name} without a colon")
    if mark and not choice and name in engines():
        raise ValueError(f"{text[:40]!r} has nothing behind its colon: write {name} for what is usual")
    return engine_variants()[name](choice) if name in engine_variants() else engines()[name]


def engine_file(words: str) -> Path:
    text, name = words.removeprefix(STRAY).partition(RUN)[0], plain_name(words)
    member = family_member(text)
    for key in (text, name):
        for module in modules(ROOM):
            if key in module.ENGINES or key in getattr(module, "CHOICES", {}):
                return Path(str(module.__file__))
        if member is not None:
            return Path(str(member[0].__file__))
    maker = engines()[name]  # of an installed package
    return Path(str(sys.modules[getattr(maker, "func", maker).__module__].__file__))


STRAYING, EARLY = 0.2, 8  # probability of straying, and the number of own moves in which it may
OWN_STREAM = 1 << 20  # child of the engine's stream that decides when it strays: no engine splits so far


class Straying:
    """An engine with some random moves: early ones, so that a population varies its openings, or as a level."""

    def __init__(
        self,
        maker: EngineFactory,
        effort: SearchLimit,
        stream: np.ndarray,
        share: float = STRAYING,
        until: int | None = 2 * EARLY,
    ):
        self.stream = np.array([split(stream[0], OWN_STREAM)], np.uint64)
        self.engine, self.share, self.until = maker(effort, stream), share, until

    def begin(self, side: int) -> None:
        self.turn, self.strays = -1, False
        self.engine.begin(side)

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        self._begin_turn(seen)
        if not self.strays:
            return self.engine.choose(seen, actions)
        action = int(actions[random_below(self.stream, len(actions))])
        replay_choice(self.engine, seen, actions, action)
        return action

    def follow(self, seen: np.ndarray, action: int) -> None:
        """Record a choice that was made earlier; random moves after it go on from the same stream."""
        self._begin_turn(seen)
        if self.strays:
            random_below(self.stream, 1)
        replay_choice(self.engine, seen, (), action)

    def _begin_turn(self, seen: np.ndarray) -> None:
        ply = int(seen[rules.SEEN_PLY])
        if ply != self.turn:
            may = self.until is None or ply < self.until
            self.turn, self.strays = ply, may and random_unit(self.stream) < self.share

    @property
    def nodes(self) -> int | None:
        return getattr(self.engine, "nodes", None)

    @property
    def effort(self) -> SearchLimit | None:
        return getattr(self.engine, "effort", None)

    def hear_clock(self, left: float, increment: float) -> None:
        tell_clock(self.engine, left, increment)


class Level(NamedTuple):
    """A strength of the engine `fog` for people."""

    nodes: int  # for each attempt
    boards: int | None  # in its belief; None for those of `fog`
    random: float  # share of moves that are made at random

    @property
    def about(self) -> str:
        if self.boards is None:
            return f"fog itself with {self.nodes:,} nodes for each attempt"
        some = f"{round(100 * self.random)} % of its moves at random"
        return f"{self.nodes:,} nodes for each attempt, up to {self.boards:,} boards in mind, {some}"

    def maker(self) -> EngineFactory:
        from .parameters import FogParameters

        fog: Callable[..., Player] = find_engine("fog")
        if self.boards is None:
            return fog
        usual = FogParameters()
        floor, variants = min(usual.floor, self.boards // 8), min(usual.variants, self.boards)
        limited = replace(usual, boards=5 * self.boards, floor=floor, variants=variants)  # a fifth with few nodes
        return partial(Straying, partial(fog, parameters=limited), share=self.random, until=None)


# From level 1, which `random` can beat, to the engine `fog` itself.
LEVELS = (
    Level(100, 40, 0.85),
    Level(200, 80, 0.65),
    Level(400, 160, 0.45),
    Level(800, 300, 0.3),
    Level(1_600, 600, 0.18),
    Level(3_200, 1_200, 0.1),
    Level(4_000, 1_200, 0.04),
    Level(20_000, None, 0.0),
)
LEVEL = re.compile(r"fog:level=([^@]*)")


def find_level(words: str) -> Level | None:
    """Return the level of `fog:level=3`, None for other engines; raise a ValueError for an unknown level."""
    found = LEVEL.match(words)
    if found is None:
        return None
    number = found[1]
    if found.end() != len(words) or number not in map(str, range(1, len(LEVELS) + 1)):
        raise ValueError(
            f"{words[:40]!r} is not a level: write fog:level=1 to fog:level={len(LEVELS)}, without an effort"
        )
    return LEVELS[int(number) - 1]


def engine_agent(name: str, effort: SearchLimit) -> PlayerAgent:
    maker = find_engine(name)
    return PlayerAgent(name, lambda stream: maker(effort, stream))
