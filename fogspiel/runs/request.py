"""Requests of runs: one frozen model per kind, the source of its options, form, labels, rows, API schema and command.

A field has a type, bounds, a default, a title (its label) and a description (its help); `Asked` holds the rest.
Nothing here imports Numba, so that `--help` is fast.
"""

import re
import shlex
import time
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypedDict, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic.fields import FieldInfo
from pydantic_core import core_schema

from .. import __version__
from ..core import BadInput
from ..core.untrusted_input import shorten

# Checks shared by requests; commands run them before any other import.

DEFAULT_SECONDS = 60.0  # default budget
MAX_SEED = 2**63 - 1
FEWEST, MAX = 2, 100  # players of a round robin
RUN_NAME = re.compile(r"(?P<game>[a-z0-9-]+)-\d+")
# Names of runs, games, reports and their parts, safe in file names and URLs.
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")


def check_name(name: object, what: str) -> str:
    """Return a name that matches `FILE_NAME`; raise ValueError, starting with `what`, for any other."""
    if not isinstance(name, str) or not FILE_NAME.fullmatch(name):
        raise ValueError(
            f"{what} {shorten(name)} cannot be part of a file's name: use at most 200 letters, digits, hyphens and dots"
        )
    return name


def check_seed(seed: int) -> None:
    if not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"the seed is {seed}: it must be a whole number from 0 to {MAX_SEED}")


def check_option(option: str, value: float, what: str = "a positive number") -> None:
    if not 0 < value < float("inf"):
        raise ValueError(f"--{option} is {value}: it must be {what}")


def check_budget(what: str, value: float | None) -> None:
    if value is not None and not 0 < value < float("inf"):
        raise ValueError(f"the budget of {what} is {value}: it must be a positive number")


def check_players(names: Sequence[str], event: str, what: str) -> None:
    """Reject too few, too many or duplicate players."""
    if not FEWEST <= len(names) <= MAX:
        raise ValueError(f"{event} has {FEWEST} to {MAX} {what}, not {len(names)}")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is there {names.count(name)} times: the {what} must be different")


def seconds_for(games: int | None, minutes: float | None, seconds: float | None) -> float | None:
    """Return the seconds of a budget in games, minutes or seconds; 60 if none is given."""
    if minutes is not None and seconds is not None:
        raise ValueError("the time is given twice: give --minutes or --seconds, not both")
    if minutes is not None:
        return 60 * minutes
    return DEFAULT_SECONDS if games is None and seconds is None else seconds


if TYPE_CHECKING:
    from ..core.agents import Agent, PolicyJson
    from ..core.game import Game
    from .store import Json, Run

MAX_LETTERS = 4000  # of a text in a request

MAX_INTEGER = 2**63  # of a number in a stored row


class AgentJson(TypedDict):
    """One of several agents in row 0, with its parameters if it has any; a missing key is None."""

    name: str
    theta: list[float] | None
    thetas: list[list[float]] | None
    weights: list[float] | None
    digest: str | None


def fits(value: object, annotation: Any) -> bool:
    """True if a JSON value has the type of a field; the request model checks the bounds."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return fits(value, inner[0])
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in inner)
    if origin in (list, tuple):
        return isinstance(value, list) and all(fits(member, inner[0]) for member in value)
    if typing.is_typeddict(annotation) or is_dataclass(annotation):
        types = {key: one for key, one in typing.get_type_hints(annotation).items() if get_origin(one) is not ClassVar}
        required: frozenset[str] = getattr(annotation, "__required_keys__", frozenset())  # a record has defaults
        return isinstance(value, dict) and value.keys() <= types.keys() and all(
            fits(value.get(key), types[key]) for key in required | value.keys()
        )  # fmt: skip
    expected = str if origin is Literal else origin or annotation
    if isinstance(value, bool):
        return expected is bool
    if isinstance(value, int):
        return expected in (int, float) and abs(value) < MAX_INTEGER
    return isinstance(value, expected)


@dataclass(frozen=True)
class Asked:
    """Presentation of a field in commands and forms, and its error message."""

    names: str = ""  # type of name (game, agent, method, ..): for completion, choices and checks
    option: str = ""  # option name, if it differs from the field's
    argument: bool = False  # true for a positional argument
    subject: str = ""  # subject of the error message, if it is not the option
    wanted: str = "a positive number"
    page: Any = None  # initial value in the web form, if it is not the default
    page_most: float | None = None  # largest value that the web form accepts
    hint: str | None = None  # hint in the form, if it is not the option's help
    stored_only: bool = False  # true if the field is only stored and has no option
    on_page: bool = True


def asked_of(info: FieldInfo) -> Asked:
    return next((more for more in reversed(info.metadata) if isinstance(more, Asked)), Asked())


@dataclass(frozen=True)
class StoredAgent:
    """An agent in a request: its text, and its parameters if it has any, because a file or a run may change."""

    spec: str
    numbers: "PolicyJson" = field(default_factory=lambda: cast("PolicyJson", {}))
    # True if the user typed the text in this command, so that a function it names may be executed.
    named: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, game: "Game", words: str, store: Path, seed: int) -> Self:
        """Return the agent of a text; raise NotFound, which lists the alternatives."""
        from ..core.agents import encode_policy
        from .agent_parser import parse_agent

        _functions.add(words)
        return cls(words, encode_policy(game, parse_agent(game, words, store, seed)), True)

    @classmethod
    def from_json(cls, words: str, numbers: Mapping[str, Any]) -> Self:
        """Return the agent of this text whose parameters are among the keys of a request."""
        from ..core.agents import policy_json_in

        return cls(words, policy_json_in(numbers), words in _functions)

    def agent(self, game: "Game", store: Path, seed: int) -> "Agent":
        """Build the agent; solved runs and names have no stored parameters and are resolved again."""
        from ..core.agents import decode_policy_or_none, encode_policy, names_function
        from .agent_parser import parse_agent

        if names_function(self.spec) and not self.named:
            raise ValueError(
                f"{self.spec} is a function of a Python file, which is run only where you name it: begin anew with it"
            )
        agent = decode_policy_or_none(game, self.numbers, self.spec) or parse_agent(game, self.spec, store, seed)
        if self.numbers.get("digest") != encode_policy(game, agent).get("digest"):
            raise ValueError(f"{self.spec} has changed since the run began: put the old file back, or begin a new run")
        return agent

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> core_schema.CoreSchema:
        """Accept a text as an agent whose parameters are not yet resolved."""
        return core_schema.no_info_plain_validator_function(_agent)


_functions: set[str] = set()  # functions of Python files that the user has named in this process


def _agent(given: Any) -> StoredAgent:
    if isinstance(given, str) and len(given) <= MAX_LETTERS:
        return StoredAgent(given)
    if not isinstance(given, StoredAgent):
        raise ValueError(f"a player is a text of at most {MAX_LETTERS} letters")
    return given


# Types shared by several requests

Text = Annotated[str, Field(max_length=MAX_LETTERS)]
Player = Annotated[StoredAgent, WithJsonSchema({"type": "string", "maxLength": MAX_LETTERS})]
Seed = Annotated[
    int,
    Field(ge=0, le=MAX_SEED, title="Seed", description="Same seed, same games."),
    Asked(subject="the seed", wanted=f"a whole number from 0 to {MAX_SEED}"),
]
GAMES = (
    "A game's name, a Python file with the six rules (FILE.py, FILE.py:NAME), FILE.efg/.nfg/.game/.txt, openspiel:NAME."
)
GameName = Annotated[Text, Field(title="Game", description=GAMES), Asked("game", argument=True)]


class WrongField(BadInput):
    """Error in a field that conflicts with the others."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(sentence)
        self.name = name


class Request(BaseModel):
    """Everything that the result of a run depends on."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    once: ClassVar[bool] = False  # true if a stored run of the same request, finished or not, is reused
    command_name: ClassVar[str] = ""
    tab: ClassVar[str] = ""  # title of its form; empty for a request without one
    shown: ClassVar[tuple[str, ...]] = ()  # options that its command always shows, even with default values
    lacking: ClassVar[tuple[str, ...]] = ()  # keys missing in row 0 of earlier versions or of some methods
    optional: ClassVar[tuple[str, ...]] = ()  # keys that row 0 has only if they are given

    def __init__(self, *values: Any, **named: Any) -> None:
        """Take fields in order or by name; any error is a single message."""
        names = [name for name in type(self).model_fields if name != "kind"]
        try:
            super().__init__(**dict(zip(names, values, strict=False)), **named)
        except ValidationError as error:
            raise BadInput(fault_sentence(type(self), error.errors()[0])) from error
        self.check()

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # the schema itself still reports all faults

    def check(self) -> None:
        """Raise ValueError for incompatible fields, before anything is stored."""

    @classmethod
    def asked_fields(cls) -> "Iterator[tuple[str, FieldInfo, Asked]]":
        for name, info in cls.model_fields.items():
            more = asked_of(info)
            if name != "kind" and not more.stored_only:
                yield name, info, more

    @classmethod
    def labels(cls) -> dict[str, str]:
        """Return the labels of the fields other than the game."""
        return {name: info.title or name for name, info, _ in cls.asked_fields() if name != "game"}

    def form(self) -> dict[str, str]:
        """Return the fields of the web form that repeats this request."""
        fields = {name: " ".join(_words("", value)) for name, value in self if value is not None}
        return {name: fields[name] for name in ("kind", *self.page_fields()) if name in fields}

    @classmethod
    def page_fields(cls) -> "dict[str, tuple[FieldInfo, Asked]]":
        return {name: (info, more) for name, info, more in cls.asked_fields() if more.on_page}

    def resolved(self, store: Path) -> Self:
        """Return the request with the parameters of its agents, read from files or runs of the store."""
        held = [name for name, info in type(self).model_fields.items() if _holds_agents(info.annotation)]
        if not held:
            return self
        from ..core.game import known_game

        game, seed = known_game(getattr(self, "game")), getattr(self, "seed", 1)  # noqa: B009

        def resolve(value: Any) -> Any:
            if isinstance(value, StoredAgent):
                return StoredAgent.of(game, value.spec, store, seed)
            return tuple(map(resolve, value)) if isinstance(value, tuple) else value

        return self.model_copy(update={name: resolve(getattr(self, name)) for name in held})

    def to_json(self) -> "Json":
        """Return row 0 of the run."""
        body = {"game": getattr(self, "game"), "method": getattr(self, "kind")}  # noqa: B009
        return body | self.fields_json() | versions(body["game"])

    def fields_json(self) -> "Json":
        """Return the fields other than kind and game, as stored in rows."""
        body: Json = {}
        for name, value in self:
            if name not in ("kind", "game") and not (value is None and name in self.optional):
                body |= _stored(name, value)
        return body

    @classmethod
    def row_types(cls) -> dict[str, Any]:
        """Return the types of the keys of row 0, by which forged rows are rejected."""
        types: dict[str, Any] = {"rules": int | str, "fogspiel": str}
        for name, info in cls.model_fields.items():
            if not _holds_agents(info.annotation):
                types[name] = info.annotation
            elif get_origin(info.annotation) is tuple:
                types[name] = list[AgentJson]
            else:
                types[name] = str if info.is_required() else str | None
                types |= {f"{name}_{key}": it for key, it in typing.get_type_hints(AgentJson).items() if key != "name"}
        del types["kind"]
        return {name: it | None if name in (*cls.lacking, *cls.optional) else it for name, it in types.items()}

    @classmethod
    def from_json(cls, ask: "Json") -> Self:
        return cls(**{name: _kept(name, info, ask) for name, info in cls.model_fields.items() if name in ask})

    def typed(self) -> tuple[list[str], list[str]]:
        """Return the arguments and options of the command that repeats this request."""
        arguments, options = list[str](), list[str]()
        for name, info, more in self.asked_fields():
            value = getattr(self, name)
            if more.argument:
                arguments += _words(name, value) if value is not None else []
            elif value is not None and (value != info.default or name in self.shown):
                option = f"--{more.option or name.replace('_', '-')}"
                if isinstance(value, bool):
                    options.append(option if value else f"--no-{option[2:]}")
                elif isinstance(value, tuple):
                    options += [text for word in _words(name, value) for text in (option, word)]
                else:
                    options += [option, *_words(name, value)]
        return arguments, options

    @property
    def command(self) -> str:
        arguments, options = self.typed()
        return " ".join(["fogspiel", self.command_name, *map(shlex.quote, (*arguments, *options))])


def _stored(name: str, value: Any) -> "Json":
    """Return the row keys of a field; `theta` is null for an agent fully described by its text."""
    if isinstance(value, StoredAgent):
        return {name: value.spec, f"{name}_theta": None} | {f"{name}_{key}": it for key, it in value.numbers.items()}
    if isinstance(value, tuple):
        return {name: [{"name": one.spec, **one.numbers} if isinstance(one, StoredAgent) else one for one in value]}
    return {name: value}


def _kept(name: str, info: FieldInfo, ask: "Json") -> Any:
    value = ask[name]
    if value is None or not _holds_agents(info.annotation):
        return value
    if isinstance(value, list):
        return tuple(StoredAgent.from_json(one["name"], one) for one in value)
    numbers = {key.removeprefix(f"{name}_"): it for key, it in ask.items() if key.startswith(f"{name}_")}
    return StoredAgent.from_json(value, numbers)


def _holds_agents(annotation: Any) -> bool:
    return annotation is StoredAgent or any(map(_holds_agents, get_args(annotation)))


def _words(name: str, value: Any) -> list[str]:
    if name == "game":
        from ..core.find import command_spec

        return [command_spec(value)]
    values = value if isinstance(value, tuple) else (value,)
    return [one.spec if isinstance(one, StoredAgent) else str(one) for one in values]


def plain_type(annotation: Any) -> Any:
    """Return the type of a field on the command line: agents and choices are strings."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return plain_type(inner[0])
    if annotation is StoredAgent or origin is Literal:
        return str
    if origin is tuple:
        return list[plain_type(inner[0])]  # type: ignore[misc]
    if origin in (Union, UnionType):
        return plain_type(next(one for one in inner if one is not NoneType)) | None
    return annotation


def choices_of(annotation: Any) -> tuple[str, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return next((found for one in get_args(annotation) if (found := choices_of(one))), ())


def fault_sentence(model: type[Request], fault: Mapping[str, Any]) -> str:
    """Return the error message of an invalid request: problem and remedy."""
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    name = str(next(iter(fault["loc"]), ""))
    info = model.model_fields.get(name)
    if info is None:
        return f"{name} is not known here: the fields are {', '.join(each for each, _, _ in model.asked_fields())}"
    more, choices = asked_of(info), choices_of(info.annotation)
    subject = more.subject or f"--{more.option or name.replace('_', '-')}"
    if fault["type"] == "missing":
        return f"{subject} is missing: give it"
    wanted = f"{', '.join(choices[:-1])} or {choices[-1]}" if len(choices) > 1 else more.wanted
    given = fault["input"]
    return f"{subject} is {given!r}: it must be {wanted}" if choices else f"{subject} is {given}: it must be {wanted}"


def check_field(model: type[Request], name: str, value: Any) -> None:
    """Raise ValueError for a value that is invalid whatever the other fields hold."""
    try:
        model.model_validate({name: value})
    except ValidationError as error:
        for fault in error.errors():
            if fault["loc"][:1] == (name,):
                raise ValueError(fault_sentence(model, fault)) from None


def versions(game: str) -> "Json":
    """Return the versions that the rows of a run depend on."""
    from ..core.game import known_game

    return {"rules": known_game(game).version, "fogspiel": __version__}


def game_of_run(run: "Run") -> "Game":
    """Return the game of a stored run; raise ValueError if its rules are in a file that the user must name."""
    from ..core.game import known_game

    try:
        return known_game(run.request["game"])
    except ValueError:
        if isinstance(run.request.get("rules"), int):
            raise
        raise ValueError(
            f"the rules of run {run.name} ({run.request['game']}) are in a file, which is used only if you name it: "
            "add --source FILE"
        ) from None


# Numbers for people


def with_interval(score: float, interval: Sequence[float]) -> str:
    return f"{score:.4f} [{interval[0]:.4f}, {interval[1]:.4f}]"


def ago(moment: float | None) -> str:
    """Format the time since `moment` in the largest unit that fits."""
    if moment is None:
        return "?"
    seconds = max(0.0, time.time() - moment)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def score_sentence(first: str, second: str, counted: Mapping[str, Any]) -> str:
    return f"{first} against {second} scores {with_interval(counted['score'], counted['interval'])}"


def signed(elo: float | None, infinite: str) -> str:
    """Format an Elo difference with its sign; None is infinite, with the given sign."""
    return f"{infinite}inf" if elo is None else f"{elo:+.0f}"
