"""Orders: what a form asks for, checked by the same code as the command line, all fields at once."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..core.game import Game, find_game, games
from ..kriegspiel.engine import Effort, find_engine, parse_engine
from ..kriegspiel.matches import EngineSpec
from ..runs.agent_texts import KRIEGSPIEL, agent_from_text
from ..runs.engine_match import EngineMatch
from ..runs.kinds import match, round_robin
from ..runs.kinds.tune import Request, usual_games
from ..runs.sqlite_file import StoreError
from .opponents import demand_opponent
from .page_agents import demand_page_player
from .run_reader import Shelf

Words = Annotated[str, Field(max_length=4000)]
Count = Annotated[int, Field(ge=1, le=10**12)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]


class Wrong(Exception):
    """An order that cannot be met: a sentence for each field that is wrong."""

    def __init__(self, fields: Mapping[str, str]):
        super().__init__("; ".join(f"{field}: {sentence}" for field, sentence in fields.items()))
        self.fields = dict(fields)


class Order(BaseModel, ABC):
    """What all orders have in common."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    once: ClassVar[bool] = False
    """Whether a run of the same request will do, finished or not."""

    @abstractmethod
    def ask(self, shelf: Shelf) -> dict[str, Any]:
        """The first row of the run, or Wrong."""


class Tune(Order):
    """Tune the strategy of a game."""

    kind: Literal["tune"]
    game: Words = "batawaf"
    method: Words = "iterative"
    race: Words = "count-mixture"
    games: Count | None = None
    seconds: Annotated[float, Field(gt=0, le=10**9)] | None = None
    seed: Seed = 1
    baseline: Words = "fixed"
    report_games: Count = 20_000

    def ask(self, shelf: Shelf) -> dict[str, Any]:
        """Checked by the tuning request itself, a field at a time."""
        asked = self.model_dump(exclude={"kind"})
        if self.games is None and self.seconds is None:
            asked["games"] = usual_games(self.race)
        known = games().get(self.game)
        good: dict[str, Any] = {"game": self.game if known and known.strategy else "batawaf", "games": 1}
        checks = {
            field: partial(Request, **good | {field: value}) for field, value in asked.items() if value is not None
        }
        _demand({field: check for field, check in checks.items() if known or field != "baseline"})
        _demand({"baseline": lambda: demand_page_player(find_game(self.game), self.baseline)})
        return Request(**asked).to_json()


class Match(Order):
    """Play two players against each other."""

    kind: Literal["match"]
    game: Words = "batawaf"
    first: Words
    second: Words
    games: Count = 20_000
    seed: Seed = 1
    seats: Words = "swapped"

    def ask(self, shelf: Shelf) -> dict[str, Any]:
        """Checked as `fogspiel match` does."""
        game = _known(self.game)
        uniform = ("uniform", "uniform")
        _demand(
            {
                "first": lambda: player(game, self.first, shelf, self.seed),
                "second": lambda: player(game, self.second, shelf, self.seed),
                "seats": lambda: match.Request.of(game, uniform, shelf.path, self.seed, self.games, self.seats),
            }
        )
        words = (self.first, self.second)
        return match.Request.of(game, words, shelf.path, self.seed, self.games, self.seats).to_json()


class Tournament(Order):
    """Let players meet each other."""

    kind: Literal["tournament"]
    game: Words = "batawaf"
    players: Annotated[list[Words], Field(max_length=100)]
    games: Count = 20_000
    seed: Seed = 1
    once: ClassVar[bool] = True

    def ask(self, shelf: Shelf) -> dict[str, Any]:
        """Checked as `fogspiel tournament` does; every player that is wrong is named."""
        game = _known(self.game)

        def everybody() -> None:
            checks = [partial(player, game, words, shelf, self.seed) for words in self.players]
            wrong = [sentence for check in checks if (sentence := _fault(check))]
            if wrong:
                raise ValueError("; ".join(wrong))
            round_robin.Request.of(game, self.players, self.games, self.seed, shelf.path)

        _demand({"players": everybody})
        return round_robin.Request.of(game, self.players, self.games, self.seed, shelf.path).to_json()


class Kriegspiel(Order):
    """Let Kriegspiel engines meet each other; two of them are a match."""

    kind: Literal["kriegspiel"]
    players: Annotated[list[Words], Field(max_length=100)]
    games: Count = 40
    seconds: Annotated[float, Field(gt=0, le=3600)] | None = None
    nodes: Annotated[int, Field(ge=1, le=10**9)] | None = None
    seed: Seed = 1
    longest: Annotated[int, Field(ge=1, le=10**6)] | None = None
    stop: bool = False
    once: ClassVar[bool] = True

    def ask(self, shelf: Shelf) -> dict[str, Any]:
        """Checked as `fogspiel kriegspiel` does."""
        both = self.seconds is not None and self.nodes is not None
        if both:
            raise Wrong({"nodes": "seconds and nodes exclude each other: give the engines one of them"})
        effort = Effort(0.1 if self.nodes is None and self.seconds is None else self.seconds, self.nodes)

        def seated(words: str) -> EngineSpec:
            demand_page_player(find_game(KRIEGSPIEL), words, options=True)
            name, own = parse_engine(words, effort)
            find_engine(name)
            return EngineSpec(name, own)

        def everybody() -> EngineMatch:
            wrong = [sentence for words in self.players if (sentence := _fault(partial(seated, words)))]
            if wrong:
                raise ValueError("; ".join(wrong))
            return EngineMatch(tuple(map(seated, self.players)), self.games, self.seed, self.longest, self.stop)

        _demand({"players": everybody})
        return everybody().to_json()


AnyOrder = Annotated[Tune | Match | Tournament | Kriegspiel, Field(discriminator="kind")]
_orders: TypeAdapter[Order] = TypeAdapter(AnyOrder)


def all_faults(error: RequestValidationError, shelf: Shelf) -> Wrong:
    """What is wrong with the form of an order, and with the meaning of its other fields."""
    fields, asked = {}, error.body if isinstance(error.body, dict) else {}
    for fault in error.errors():
        place, words = [str(step) for step in fault["loc"][2:3]], fault["msg"]
        fields[place[0] if place else "kind"] = words if words[1:2].isupper() else words[:1].lower() + words[1:]
    try:
        _orders.validate_python({key: value for key, value in asked.items() if key not in fields}).ask(shelf)
    except Wrong as wrong:
        fields = wrong.fields | fields
    except ValidationError:
        pass
    return Wrong(fields)


def player(game: Game, words: str, shelf: Shelf, seed: int) -> Any:
    """The player that words stand for: a name, numbers, an engine or a run; files are for the command line only."""
    demand_opponent(game, words)
    return agent_from_text(game, words, shelf.path, seed)


def _known(name: str) -> Game:
    """The game of that name, or Wrong."""
    _demand({"game": lambda: find_game(name)})
    return find_game(name)


def _fault(check: Callable[[], Any]) -> str | None:
    """What is wrong, in a sentence without the dashes of the command line."""
    try:
        check()
    except (ValueError, StoreError) as error:
        return str(error).removeprefix("--")
    return None


def _demand(checks: Mapping[str, Callable[[], Any]]) -> None:
    """Refuse an order with everything that is wrong with it."""
    if wrong := {field: sentence for field, check in checks.items() if (sentence := _fault(check))}:
        raise Wrong(wrong)
