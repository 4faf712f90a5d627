"""Form requests for new runs, validated by the same code as the command line, all fields at once."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Union

from fastapi.exceptions import RequestValidationError
from pydantic import Field, TypeAdapter, ValidationError

from ..core.agents import Agent, named_policy
from ..core.find import spec_of
from ..core.game import Game, game_or_none, known_game, list_games, parameters_of
from ..core.page_contract import play_supports
from ..core.plugins import extras
from ..runs.agent_parser import parse_agent
from ..runs.kind import kinds
from ..runs.kinds.tune import KIND as TUNE
from ..runs.kinds.tune import tuned_game
from ..runs.request import Request, WrongField, choices_of, plain_type
from ..runs.requests import NAMED, DiagnoseRequest, ExploitRequest
from ..runs.store import Json, StoreError
from ..solving.methods import solve_methods
from ..stats.race import RACES
from ..tuning.methods import tune_methods
from .job_queue import Question
from .opponents import demand_opponent, demand_page_agent, demand_page_run
from .run_reader import RunReader

# Messages about malformed requests, in place of those of pydantic.

WORDS = {
    "missing": "is missing",
    "json_invalid": "is not JSON",
    "extra_forbidden": "is not known here",
    "string_pattern_mismatch": "does not have the right form",
    "greater_than_equal": "must be {ge} or more",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be {le} or less",
    "string_too_long": "may have at most {max_length} letters",
    "too_long": "may have at most {max_length} entries",
    "literal_error": "must be {expected}",
    "union_tag_invalid": "must be one of {expected_tags}",
    "union_tag_not_found": "is missing",
    "finite_number": "must be a finite number",
}  # by pydantic's type of error; the numbers are in its context
KINDS = {
    "int": "must be a whole number",
    "float": "must be a number",
    "string": "must be a text",
    "bool": "must be true or false",
    "list": "must be a list",
    "model": "must be a JSON object",
    "dict": "must be a JSON object",
}  # by the expected type, the first part of the remaining types of error
BODY = "the request"


def fault_words(fault: Mapping[str, Any]) -> str:
    """Return the message about a faulty field, to follow its name."""
    kind = str(fault["type"])
    if kind in WORDS:
        return WORDS[kind].format(**fault.get("ctx", {}))
    return KINDS.get(kind.partition("_")[0], "has a wrong value")


def fault_place(fault: Mapping[str, Any]) -> str:
    """Return the field of a fault: the innermost name of its location, or the whole request."""
    if fault["type"] == "json_invalid":
        return BODY
    names = [step for step in fault["loc"][1:] if isinstance(step, str)]
    return names[-1] if names else BODY


MAX_TUNED = 8  # runs of one diagnosis
QUESTIONS = ("exploit", "diagnose")  # forms that start no run: their result has a separate page
FIRST = ("tune", "match", "tournament", "solve", "bounds", *QUESTIONS)  # order of forms; those of slices come last


class InvalidRequest(Exception):
    """Request that cannot be met, with an error message for each faulty field."""

    def __init__(self, fields: Mapping[str, str]):
        super().__init__("; ".join(f"{field}: {sentence}" for field, sentence in fields.items()))
        self.fields = dict(fields)


def page_requests() -> dict[str, type[Request]]:
    """Return the requests that a page may make, by kind: those of kinds that have a form."""
    models = [kind.request for kind in kinds().values() if kind.request is not None and kind.request.tab]
    found = {str(model.model_fields["kind"].default): model for model in models}
    return {name: found[name] for name in dict.fromkeys([*FIRST, *found])}


if TYPE_CHECKING:
    AnyRequest = Request
else:
    AnyRequest = Annotated[
        Union[tuple(model for name, model in page_requests().items() if name not in QUESTIONS)],  # noqa: UP007
        Field(discriminator="kind"),
    ]
_requests: TypeAdapter[Request] = TypeAdapter(AnyRequest)


def row_of(order: Request, reader: RunReader) -> Json:
    """Return the first row of the requested run, or raise InvalidRequest with all faults."""
    demand_page(order, reader)
    try:
        ready = order.resolved(reader.path)
        ready.check()
        return ready.to_json()
    except StoreError:
        raise
    except ValueError as error:
        name = error.name if isinstance(error, WrongField) else next(iter(order.page_fields()))
        raise InvalidRequest({name: str(error).removeprefix("--")}) from error


def demand_page(order: Request, reader: RunReader) -> None:
    """Raise InvalidRequest for all fields that a page may not set, or not to this value."""
    page = order.page_fields()
    faults = {name: _fault(partial(_demand_field, order, name, reader)) for name in page}
    if wrong := {name: sentence for name, sentence in faults.items() if sentence}:
        raise InvalidRequest(wrong)
    for name, info, _ in order.asked_fields():
        if name not in page and getattr(order, name) != info.default:
            raise InvalidRequest({name: "is for the command line only"})


def _demand_field(order: Request, name: str, reader: RunReader) -> None:
    """Reject values that the command line accepts, but not a page: files, programs, very large numbers."""
    value, (_, more) = getattr(order, name), order.page_fields()[name]
    if more.page_most is not None and value is not None and value > more.page_most:
        raise ValueError(f"{name} is {value}: it must be at most {more.page_most:,.0f} on a page")
    if more.names.endswith("game"):
        known_game(value)
    elif more.names == "engine":
        games = [known_game(name) for name, support in play_supports().items() if support.option_help()]
        demand_each(partial(demand_page_agent, game, text, options=True) for game in games for text in value)
    elif more.names == "rule set":
        for support in play_supports().values():
            if support.rule_sets:
                support.find_rules(value)
    elif more.names == "tuned runs":
        _demand_tuned(value, reader)
    elif check := (NAMED | extras("runs.kinds", "NAMED")).get(more.names):
        check(value)
    elif more.names == "baseline" and (game := game_or_none(getattr(order, "game", ""))):
        named_policy(game, value, getattr(order, "seed", 1))
        demand_page_agent(game, value)
    elif more.names == "agent":
        texts = [one.spec for one in (value if isinstance(value, tuple) else (value,)) if one is not None]
        game = game_or_none(getattr(order, "game", ""))
        demand_each(partial(_agent, game, reader, getattr(order, "seed", 1), text) for text in texts if game)


def _demand_tuned(names: Sequence[str], reader: RunReader) -> None:
    known = {line.name for line in reader.summaries()}
    if len(names) > MAX_TUNED:
        raise ValueError(f"at most {MAX_TUNED} runs can be diagnosed at once, not {len(names)}")
    for name in names:
        if name not in known:
            raise ValueError(f"there is no run named {name[:60]!r} in this store")
        run = reader.run(name)
        tuned_game(run, "only tuning runs can be diagnosed")
        demand_page_run(name, run.request)


def all_faults(error: RequestValidationError, reader: RunReader) -> InvalidRequest:
    """Return the faults in a request's form, and in the meaning of its well-formed fields."""
    fields, asked = {}, error.body if isinstance(error.body, dict) else {}
    for fault in error.errors():
        place = [str(step) for step in fault["loc"][2:3]]
        wrong = fault.get("ctx", {}).get("error") if fault["type"] == "value_error" else None
        fields[place[0] if place else "kind"] = str(wrong or fault_words(fault)).removeprefix("--")
    try:
        row_of(_requests.validate_python({key: value for key, value in asked.items() if key not in fields}), reader)
    except InvalidRequest as invalid:
        fields = invalid.fields | fields
    except ValidationError:
        pass
    return InvalidRequest(fields)


def _agent(game: Game, reader: RunReader, seed: int, text: str) -> Agent:
    """Return the agent of a text: a name, numbers, an engine or a run; files are for the command line only."""
    demand_opponent(game, text)
    return parse_agent(game, text, reader.path, seed)


def demand_each(checks: Iterable[Callable[[], object]]) -> None:
    if faults := list(filter(None, map(_fault, checks))):
        raise ValueError("; ".join(faults))


def _fault(check: Callable[[], object]) -> str | None:
    """Return the error message of a failed check, without the dashes of the command line."""
    try:
        check()
    except (ValueError, StoreError) as error:
        return str(error).removeprefix("--")
    return None


# The plan of a run before it starts: its command, and how long earlier runs of its kind took.


def plan_of(order: Request, reader: RunReader) -> dict[str, Any]:
    """Return what a valid request will do; times are those of finished runs of this store, never guessed."""
    row_of(order, reader)
    arguments, options = order.typed()
    words = ["fogspiel", *order.command_name.split(), *arguments, *options]
    game = game_or_none(str(getattr(order, "game", "")))
    facts = []
    budget = getattr(order, "seconds", None)
    if budget:
        facts.append(("at most", _time_words(budget)))
    games = getattr(order, "games", None)
    if games:
        facts.append(("games at most", f"{games:,}"))
    same = [
        line.seconds
        for line in reader.summaries()
        if line.state == "finished"
        and line.seconds
        and game
        and (line.game, line.method) == (game.name, order_method(order))
    ]
    if same:
        low, high = _time_words(min(same)), _time_words(max(same))
        many = "1 run like it" if len(same) == 1 else f"{len(same)} runs like it"
        facts.append((f"took {many} here", low if low == high else f"{low} to {high}"))
    else:
        facts.append(("no run like it has finished here", "time unknown"))
    title = type(order).tab if game is None else f"{type(order).tab}: {game.title}"
    return {"title": title, "command": shlex.join(words), "facts": facts}


def order_method(order: Request) -> str:
    return str(order.to_json().get("method", getattr(order, "kind", "")))


def _time_words(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 1 else "under 1 s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


# Requests of forms that are answered by a command in a separate process: exploit and diagnose.

AnyQuestion = Annotated[ExploitRequest | DiagnoseRequest, Field(discriminator="kind")]


def question_of(order: ExploitRequest | DiagnoseRequest, reader: RunReader) -> Question:
    """Return the command that answers, or raise InvalidRequest; agents are names, runs or numbers, never files."""
    page = order.page_fields()
    left_out = {name: more.page for name, (_, more) in page.items() if name not in order.model_fields_set}
    order = order.model_copy(update={name: value for name, value in left_out.items() if value is not None})
    demand_page(order, reader)
    arguments, options = order.typed()
    if isinstance(order, ExploitRequest):
        words = spec_of(order.game)
        arguments[0] = order.game if words is None else words.absolute
    else:
        options += ("--processes", "1")
        found = (spec_of(reader.run(name).request["game"]) for name in order.runs)
        options += next((("--source", words.absolute) for words in found if words), ())
    return Question((order.command_name, "--json", *options, "--", *arguments), store=reader.path.resolve())


# Forms that start runs and submit questions: the choices of their fields.

ASKED = ("agent", "baseline", "rule set")  # what fields name that are never folded
BUDGETS = ("games", "seconds", "pairs")
MAX_LETTERS = 4000  # length limit of values that an address fills into a form


def drawn_fields(model: type[Request], choices: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of a request as the template draws them; choices are by what a field names."""
    drawn = []
    for name, (info, more) in sorted(model.page_fields().items(), key=lambda field: not field[1][1].argument):
        kind = plain_type(info.annotation)
        options = choices_of(info.annotation) or choices.get(more.names, ())
        value = "" if info.is_required() or info.default is None else info.default
        value = value if more.page is None else more.page
        drawn.append(
            {
                "name": name,
                "label": info.title or name,
                "hint": info.description or "" if more.hint is None else more.hint,
                "control": "choice" if options else "check" if kind is bool else "field",
                "type": "number" if kind in (int, float, int | None, float | None) else "text",
                "options": options,
                "value": next(iter(options)) if options and value == "" else value,
                "names": "names" if more.names == "agent" else "",
                # a default serves for all but what the run is about and how much it may cost
                "advanced": not (more.argument or info.is_required() or more.names in ASKED or name in BUDGETS),
            }
        )
    return drawn


def form_fields(kind: str, given: Mapping[str, str], reader: RunReader) -> dict[str, Any]:
    known, models = list(list_games().values()), page_requests()
    kind = kind if kind in models else "tune"
    model = models[kind]
    choices = {
        "game": {game.name: game.title for game in known},
        "tunable game": {game.name: game.title for game in known if parameters_of(game)},
        "method": list(tune_methods()),
        "route": [route.name for route in solve_methods()] if kind == "solve" else [],
        "race": list(RACES),
        "rule set": {house.name: house.title for one in play_supports().values() for house in one.rule_sets},
    }
    named = {more.names for _, more in model.page_fields().values()}
    choices |= {name: find() for name, find in extras("runs.kinds", "CHOICES").items() if name in named}
    drawn = drawn_fields(model, choices)
    if kind == "diagnose":
        tuned = [line.name for line in reader.summaries() if TUNE.handles(line.method)]
        drawn[0]["value"] = next(iter(tuned), "")
        drawn[0]["hint"] += f" There are {', '.join(tuned[:8])}." if tuned else " There are none yet."
    return {
        "kinds": {name: model.tab for name, model in models.items()},
        "kind": kind,
        "question": kind in QUESTIONS,
        "about": model.__doc__,
        "drawn": drawn,
        "given": {key: value[:MAX_LETTERS] for key, value in given.items()},
        "purposes": {name: (model.__doc__ or "").partition(",")[0].partition(";")[0] for name, model in models.items()},
        "busy": [line.name for line in reader.summaries() if line.state == "running"][:3],
    }
