"""What a form asks for: requests of new runs, checked by the same code as the command line, all fields at once."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar, Literal

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..core.agents import Agent
from ..core.find import spec_of
from ..core.game import Game, known_game, list_games
from ..kriegspiel.engine import SearchLimit, find_engine, parse_engine
from ..kriegspiel.game.rule_sets import ICC, find_rule_set
from ..kriegspiel.house_rules import HouseRules
from ..kriegspiel.match import EngineMatch, EngineSpec
from ..runs.agent_texts import KRIEGSPIEL, parse_agent
from ..runs.checks import seconds_for
from ..runs.kinds import bounds, experiment, match, round_robin, solve, tune
from ..runs.store import Json, StoreError
from ..solving.methods import AUTO, choose_solve_method
from ..solving.sources import find_source
from .opponents import demand_opponent
from .page_agents import demand_page_agent
from .run_reader import RunReader
from .validation_words import fault_words

Text = Annotated[str, Field(max_length=4000)]
Texts = Annotated[list[Text], Field(max_length=100)]
Count = Annotated[int, Field(ge=1, le=10**12)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
Gibibytes = Annotated[float, Field(gt=0, le=64)]
USUAL_SECONDS = 0.1
"""What Kriegspiel engines get for each attempt if the form does not say."""


class InvalidRequest(Exception):
    """A request that cannot be met: a sentence for each field that is wrong."""

    def __init__(self, fields: Mapping[str, str]):
        super().__init__("; ".join(f"{field}: {sentence}" for field, sentence in fields.items()))
        self.fields = dict(fields)


class RunRequest(BaseModel, ABC):
    """What all requests have in common."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    once: ClassVar[bool] = False
    """Whether a run of the same request will do, finished or not."""

    @abstractmethod
    def ask(self, reader: RunReader) -> Json:
        """The first row of the run, or InvalidRequest."""


class Tune(RunRequest):
    """Tune the strategy of a game."""

    kind: Literal["tune"]
    game: Text = "batawaf"
    method: Text = "auto"
    race: Text = "count-mixture"
    games: Count | None = None
    seconds: Annotated[float, Field(gt=0, le=10**9)] | None = None
    seed: Seed = 1
    baseline: Text = "redrawn"
    report_games: Count = 20_000

    def ask(self, reader: RunReader) -> Json:
        """Checked by the tuning request itself, a field at a time."""
        asked = self.model_dump(exclude={"kind"})
        asked["seconds"] = seconds_for(self.games, None, self.seconds)
        known = list_games().get(self.game)
        valid: Json = {"game": self.game if known and known.strategy else "batawaf", "games": 1}
        checks = {
            field: partial(tune.Request, **valid | {field: value})
            for field, value in asked.items()
            if value is not None
        }
        demand_all({field: check for field, check in checks.items() if known or field != "baseline"})
        demand_all({"baseline": lambda: demand_page_agent(known_game(self.game), self.baseline)})
        return tune.Request(**asked).to_json()


class Match(RunRequest):
    """Play two players against each other."""

    kind: Literal["match"]
    game: Text = "batawaf"
    first: Text
    second: Text
    games: Count = 20_000
    seed: Seed = 1
    seats: Text = "swapped"

    def ask(self, reader: RunReader) -> Json:
        """Checked as `fogspiel match` does."""
        game = find_page_game(self.game)
        agent = partial(_agent, game, reader, self.seed)

        def request(*texts: str) -> match.Request:
            return match.Request.of(game, texts, reader.path, self.seed, self.games, self.seats)

        demand_all(
            {
                "first": lambda: agent(self.first),
                "second": lambda: agent(self.second),
                "seats": lambda: request("uniform", "uniform"),
            }
        )
        return request(self.first, self.second).to_json()


class Tournament(RunRequest):
    """Let players meet each other."""

    kind: Literal["tournament"]
    game: Text = "batawaf"
    players: Texts
    games: Count = 20_000
    seed: Seed = 1
    once: ClassVar[bool] = True

    def ask(self, reader: RunReader) -> Json:
        """Checked as `fogspiel tournament` does; every player that is wrong is named."""
        game = find_page_game(self.game)
        request = partial(round_robin.Request.of, game, self.players, self.games, self.seed, reader.path)
        _demand_players(self.players, partial(_agent, game, reader, self.seed), request)
        return request().to_json()


class Kriegspiel(RunRequest):
    """Let Kriegspiel engines meet each other; two of them are a match."""

    kind: Literal["kriegspiel"]
    players: Texts
    games: Count = 40
    seconds: Annotated[float, Field(gt=0, le=3600)] | None = None
    nodes: Annotated[int, Field(ge=1, le=10**9)] | None = None
    seed: Seed = 1
    longest: Annotated[int, Field(ge=1, le=10**6)] | None = None
    stop: bool = False
    rules: Text = ICC
    once: ClassVar[bool] = True

    def ask(self, reader: RunReader) -> Json:
        """Checked as `fogspiel kriegspiel` does."""
        if self.seconds is not None and self.nodes is not None:
            raise InvalidRequest({"nodes": "seconds and nodes exclude each other: give the engines one of them"})
        usual = SearchLimit(USUAL_SECONDS if self.nodes is None and self.seconds is None else self.seconds, self.nodes)

        def engine(text: str) -> EngineSpec:
            demand_page_agent(known_game(KRIEGSPIEL), text, options=True)
            name, effort = parse_engine(text, usual)
            find_engine(name)
            return EngineSpec(name, effort)

        def request() -> EngineMatch:
            seats, house = tuple(map(engine, self.players)), HouseRules.usual(self.rules)
            return EngineMatch(seats, self.games, self.seed, self.longest, self.stop, house)

        _demand_players(self.players, engine, request, {"rules": lambda: find_rule_set(self.rules)})
        return request().to_json()


class Solve(RunRequest):
    """Solve a game."""

    kind: Literal["solve"]
    game: Text
    solver: Text = AUTO
    exact: bool = False
    gap: Annotated[float, Field(gt=0, le=10**6)] = 1e-6
    memory: Gibibytes = 2.0

    def ask(self, reader: RunReader) -> Json:
        """Checked as `fogspiel solve` does, but for the size of the game, which is seen when it is worked on."""
        game = find_page_game(self.game)
        words = spec_of(game.name)

        def request(solver: str) -> Json:
            problem = find_source(game.name if words is None else words.absolute)
            asked = solve.Request(self.game, solver, self.exact, self.gap, self.memory)
            choose_solve_method(solver, problem)
            return asked.to_json(problem)

        demand_all({"solver": lambda: request(self.solver)})
        return request(self.solver)


class Bounds(RunRequest):
    """Prove bounds on the value of a game that is too large to be solved."""

    kind: Literal["bounds"]
    game: Text
    seconds: Annotated[float, Field(gt=0, le=10**6)] = 60.0
    memory: Gibibytes = 1.0

    def ask(self, reader: RunReader) -> Json:
        """Checked as `fogspiel bounds` does."""
        request = partial(bounds.Request, self.game, self.seconds, self.memory)
        demand_all({"game": request})
        return request().to_json()


class Paper(RunRequest):
    """Do the experiment of a paper again."""

    kind: Literal["paper"]
    name: Text
    quick: bool = False
    seeds: Annotated[int, Field(ge=1, le=10**4)] | None = None
    scale: Annotated[float, Field(gt=0, le=10**4)] = 1.0
    seed: Seed = 1
    once: ClassVar[bool] = True

    def ask(self, reader: RunReader) -> Json:
        """Checked as `fogspiel paper` does."""
        demand_all({"name": lambda: experiment.find_experiment(self.name)})
        request = experiment.Request(self.name, self.quick, self.seeds, scale=self.scale, seed=self.seed)
        return request.to_json()


AnyRequest = Annotated[Tune | Match | Tournament | Kriegspiel | Solve | Bounds | Paper, Field(discriminator="kind")]
_requests: TypeAdapter[RunRequest] = TypeAdapter(AnyRequest)


def refusal(invalid: InvalidRequest) -> JSONResponse:
    """What is answered to a request that cannot be met."""
    return JSONResponse({"error": str(invalid), "fields": invalid.fields}, 422)


def all_faults(error: RequestValidationError, reader: RunReader) -> InvalidRequest:
    """What is wrong with the form of a request, and with the meaning of its other fields."""
    fields, asked = {}, error.body if isinstance(error.body, dict) else {}
    for fault in error.errors():
        place = [str(step) for step in fault["loc"][2:3]]
        fields[place[0] if place else "kind"] = fault_words(fault)
    try:
        _requests.validate_python({key: value for key, value in asked.items() if key not in fields}).ask(reader)
    except InvalidRequest as invalid:
        fields = invalid.fields | fields
    except ValidationError:
        pass
    return InvalidRequest(fields)


def _agent(game: Game, reader: RunReader, seed: int, text: str) -> Agent:
    """The agent that a text stands for: a name, numbers, an engine or a run; files are for the command line only."""
    demand_opponent(game, text)
    return parse_agent(game, text, reader.path, seed)


def find_page_game(name: str) -> Game:
    """The game of that name, or InvalidRequest."""
    demand_all({"game": lambda: known_game(name)})
    return known_game(name)


def demand_all(checks: Mapping[str, Callable[[], object]]) -> None:
    """Refuse a request with everything that is wrong with it."""
    if wrong := {field: sentence for field, check in checks.items() if (sentence := _fault(check))}:
        raise InvalidRequest(wrong)


def _demand_players(
    texts: Sequence[str],
    check: Callable[[str], object],
    together: Callable[[], object],
    others: Mapping[str, Callable[[], object]] | None = None,
) -> None:
    """Refuse other fields, and players with everything that is wrong with each of them or with all of them together."""
    wrong = {field: sentence for field, demand in (others or {}).items() if (sentence := _fault(demand))}
    faults = [sentence for text in texts if (sentence := _fault(partial(check, text)))]
    if faults:
        wrong["players"] = "; ".join(faults)
    if wrong:
        raise InvalidRequest(wrong)
    demand_all({"players": together})


def _fault(check: Callable[[], object]) -> str | None:
    """What is wrong, in a sentence without the dashes of the command line."""
    try:
        check()
    except (ValueError, StoreError) as error:
        return str(error).removeprefix("--")
    return None
