"""The requests of Kriegspiel: matches and round robins of engines, problems, analyses."""

import hashlib
import shlex
from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field

from ..runs.request import Asked, Request, Seed, Text, versions
from ..runs.requests import Games

if TYPE_CHECKING:
    from pathlib import Path

    from ..runs.store import Json
    from .engine import SearchLimit
    from .match import EngineMatch, EngineSpec

ENGINE = (
    "NAME, as `fogspiel kriegspiel engines` lists them; NAME@0.4s, NAME@20000n for an effort of its own; fog:level=1 "
    "to fog:level=8 for a level; C:none, "
    "C:generic, C:FILE.npz for an opponent's model (A, B and C); C:run=NAME, C:run=FILE.json for the constants of a "
    "tuning run or of its export; fog:FILE.npz for other weights; hs:uci=COMMAND for a chess engine (los, aosp and "
    "hs); program:COMMAND for a program that speaks the engine protocol."
)
ROW_KEYS = ("games", "seed", "longest", "stop", "fogspiel")  # keys that rows share with requests
HIDDEN = Asked(on_page=False)  # an option of the command line alone
DEFAULT_SECONDS = 0.1  # default limit of a move
Seconds = Annotated[
    float | None,
    Field(gt=0, title="Seconds for each move", description="Seconds for each move, all attempts of it (0.1)."),
    Asked(option="move-seconds", subject="the time of an engine", wanted="positive", page_most=3600),
]
Nodes = Annotated[
    int | None,
    Field(
        gt=0,
        title="Nodes for each attempt",
        description="Nodes for each attempt instead: the same games on every machine.",
    ),
    Asked(subject="the number of nodes of an engine", wanted="positive", page_most=1e9),
]


class EngineOptions(Request):
    """The conditions of games of engines."""

    once, shown = True, ("games", "seed")
    kind: Literal["kriegspiel"] = "kriegspiel"
    games: Annotated[
        Games,
        Field(description="At most so many games of two engines, in pairs with the colours swapped."),
        Asked(page=20, page_most=1e12),
    ] = 400
    seed: Seed = 1
    seconds: Seconds = None
    nodes: Nodes = None
    threads: Annotated[
        int,
        Field(ge=1, title="Threads", description="Threads that an engine thinks with."),
        Asked(wanted="at least 1", on_page=False),
    ] = 1
    clock: Annotated[
        Text | None,
        Field(description="A clock instead: minutes for a game + seconds for each move (3+0, 0.5+1)."),
        HIDDEN,
    ] = None
    longest: Annotated[
        int | None,
        Field(gt=0, title="Longest game", description="After so many plies a game counts as drawn (never)."),
        Asked(option="max-plies", wanted="a positive number of plies", page_most=1e6),
    ] = None
    stop: Annotated[
        bool,
        Field(title="Stop early", description="Stop as soon as it is proved who is better."),
        Asked(option="stop-early"),
    ] = False
    rules: Annotated[
        Text,
        Field(title="Rules", description="The rule set: icc, berkeley, berkeley-any, cincinnati, rand or english."),
        Asked("rule set"),
    ] = "icc"
    promotion_tries: Annotated[
        Text, Field(description="A capture that promotes is one try (once) or four (per_piece)."), HIDDEN
    ] = "once"
    passant_square: Annotated[
        Text | None,
        Field(description="Captures en passant are announced at the victim or at arrival (as usual)."),
        HIDDEN,
    ] = None
    fifty: Annotated[
        bool | None, Field(description="Fifty moves without a capture or a pawn move are a draw (as usual)."), HIDDEN
    ] = None
    repetition: Annotated[
        bool | None, Field(description="The third occurrence of a position is a draw (as usual)."), HIDDEN
    ] = None
    material: Annotated[bool | None, Field(description="Men that cannot mate are a draw."), HIDDEN] = None

    @abstractmethod
    def efforts(self) -> "list[tuple[str, SearchLimit]]":
        """Return the engines as typed, each with its search limit (its own, or the common one)."""

    def match(self, store: "Path | None" = None) -> "EngineMatch":
        """Return the match; a program is tried first, and stored by its digest, a tuning run with its constants."""
        from .engine import TimeControl, find_engine, parse_engine
        from .engines.program import name_engine
        from .game import HouseRules
        from .match import EngineMatch, EngineSpec
        from .training import with_constants

        chosen = {"promotion_tries": self.promotion_tries, "passant_square": self.passant_square}
        flags = {"fifty": self.fifty, "repetition": self.repetition, "material": self.material}
        switches = HouseRules.usual(self.rules, chosen | flags)
        if self.clock is None:
            named = [parse_engine(text, effort) for text, effort in self.efforts()]
            seats = tuple(EngineSpec(name_engine(with_constants(engine, store)), effort) for engine, effort in named)
        else:
            clock = TimeControl.parse(self.clock)
            engines = [with_constants(without_effort(text), store) for text, _ in self.efforts()]
            seats = tuple(EngineSpec.with_clock(name_engine(engine), clock, self.threads) for engine in engines)
        for seat in seats:
            find_engine(seat.engine)
        return EngineMatch(seats, self.games, self.seed, self.longest, self.stop, switches)

    def to_json(self) -> "Json":
        return self.match().to_json()


class EngineRequest(EngineOptions):
    """Run a round robin of Kriegspiel engines; two of them play a match."""

    command_name, tab = "kriegspiel round-robin", "Kriegspiel engines"
    players: Annotated[
        tuple[Text, ...],
        Field(max_length=100, title="Engines", description=f"At least two. {ENGINE}"),
        Asked(
            "engine",
            argument=True,
            page="fog C",
            hint="Two or more with blanks between them, with an effort of their own if you like: fog@0.4s, C@20000n.",
        ),
    ]

    def efforts(self) -> "list[tuple[str, SearchLimit]]":
        effort = effort_of(self.seconds, self.nodes, self.threads, self.clock)
        return [(player, effort) for player in self.players]

    @classmethod
    def of(cls, match: "EngineMatch") -> Self:
        chosen: dict[str, Any] = match.switches.chosen
        threads, clock = match.seats[0].effort.threads, match.seats[0].clock
        chosen |= {} if clock is None else {"clock": str(clock)}
        rest: dict[str, Any] = {"games": match.games, "seed": match.seed, "longest": match.longest, "stop": match.stop}
        return cls(
            players=tuple(map(_typed, match.seats)), threads=threads, rules=match.switches.rules, **rest, **chosen
        )

    @classmethod
    def row_types(cls) -> dict[str, Any]:
        """Return the types of the keys of first rows, which hold engines with their efforts and digests of code."""
        from .match import EngineJson
        from .referee import HouseRules

        types = {key: it for key, it in super().row_types().items() if key in ROW_KEYS}
        own = {"players": list[EngineJson], "codes": list[str] | None, "switches": HouseRules}
        return types | own | {"rules": int | str}  # the version of the rules, not the rule set

    @classmethod
    def from_json(cls, ask: "Json") -> Self:
        from .match import EngineMatch

        return cls.of(EngineMatch.from_json(ask))

    @property
    def command(self) -> str:
        arguments, options = self.typed()
        event = "match" if len(self.players) == 2 else "round-robin"
        return shlex.join(["fogspiel", "kriegspiel", event, *arguments, *options])


class EngineMatchRequest(EngineOptions):
    """Play two Kriegspiel engines against each other."""

    command_name = "kriegspiel match"
    first: Annotated[Text, Field(title="First engine", description=ENGINE), Asked("engine", argument=True)]
    second: Annotated[Text, Field(title="Second engine", description=ENGINE), Asked("engine", argument=True)]
    time_2: Annotated[
        Seconds, Field(description="Seconds for the second engine (as the first)."), Asked(option="move-seconds-2")
    ] = None
    nodes_2: Annotated[Nodes, Field(description="Nodes for the second engine (as the first)."), Asked()] = None

    def efforts(self) -> "list[tuple[str, SearchLimit]]":
        first = effort_of(self.seconds, self.nodes, self.threads, self.clock)
        as_first = self.time_2 is None and self.nodes_2 is None
        second = first if as_first else effort_of(self.time_2, self.nodes_2, self.threads, self.clock)
        return [(self.first, first), (self.second, second)]


class ProblemsRequest(Request):
    """Search for problems of Kriegspiel among random positions."""

    command_name, once = "kriegspiel make-problems", True
    shown = ("candidates", "seed")
    kind: Literal["problems"] = "problems"
    candidates: Annotated[
        int, Field(gt=0, title="Candidates", description="Look through so many random positions.")
    ] = 2000
    seed: Seed = 1

    def to_json(self) -> "Json":
        from .kinds import code
        from .match import GAME

        return {"game": GAME, "method": self.kind, **self.fields_json(), "code": code(), **versions(GAME)}


class AnalysisRequest(Request):
    """Analyse the decisions of a player in a game of Kriegspiel, which the request does not keep."""

    command_name, once = "kriegspiel analyse", True
    kind: Literal["analysis"] = "analysis"
    decisions: Annotated[tuple[Any, ...], Asked(stored_only=True)]
    side: Annotated[int, Asked(stored_only=True)]
    names: Annotated[tuple[Text, Text], Asked(stored_only=True)]
    engine: Annotated[Text, Asked(stored_only=True)]
    effort: Annotated[Any, Asked(stored_only=True)]
    seed: Seed

    @property
    def digest(self) -> str:
        whole = hashlib.sha256()
        for decision in self.decisions:
            whole.update(f"{decision.action} ".encode() + decision.seen.tobytes())
        return whole.hexdigest()

    @classmethod
    def row_types(cls) -> dict[str, Any]:
        """Return the types of the keys of first rows, which hold a digest of the decisions."""
        from .engine import SearchLimit

        own = {"decisions": str | None, "names": list[str], "code": str | None, "effort": SearchLimit}
        return super().row_types() | own

    def to_json(self) -> "Json":
        from .match import GAME, code_of

        asked: Json = {"game": GAME, "method": self.kind, "decisions": self.digest, "side": self.side}
        asked |= {"names": list(self.names), "engine": self.engine, "code": code_of(self.engine)}
        return asked | {"effort": self.effort.to_json(), "seed": self.seed} | versions(GAME)


def _typed(seat: "EngineSpec") -> str:
    from .engine import find_level

    effort = seat.effort
    if seat.clock is not None or find_level(seat.engine):
        return seat.engine
    return f"{seat.engine}@{effort.nodes}n" if effort.nodes is not None else f"{seat.engine}@{effort.seconds:g}s"


def without_effort(text: str) -> str:
    """Return an engine of a game with clocks; raise if it has its own search limit."""
    from .engine import find_level, parse_engine

    if parse_engine(text)[0] != text or find_level(text):
        raise ValueError(f"{text[:40]} has its own effort, and --clock gives all engines the same time: remove one")
    return text


def effort_of(time: float | None, nodes: int | None, threads: int, clock: str | None = None) -> "SearchLimit":
    from .engine import SearchLimit

    if time is not None and nodes is not None:
        raise ValueError("--move-seconds and --nodes exclude each other: give an engine one of them")
    if clock is not None and (time is not None or nodes is not None):
        raise ValueError("--clock excludes --move-seconds and --nodes: give one of them")
    return SearchLimit(DEFAULT_SECONDS if time is None and nodes is None else time, nodes, threads)
