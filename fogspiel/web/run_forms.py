"""The forms that start runs and ask questions: what there is to choose from in each of them."""

from collections.abc import Mapping
from typing import Any

from pydantic.fields import FieldInfo

from ..core.agents import policy_names
from ..core.game import list_games, parameters_of
from ..core.page_contract import play_supports
from ..runs.agent_parser import engines_of
from ..runs.kinds.tune import KIND as TUNE
from ..runs.request import Asked, Request, choices_of, plain_type
from ..solving.methods import solve_methods
from ..solving.proofs.checkers.phantom_bounds import GAMES as BOUNDED
from ..stats.race import RACES
from ..tuning.methods import tune_methods
from .requests import QUESTIONS, page_requests
from .run_reader import RunReader

MOST_LETTERS = 4000  # of what an address fills into a form


def drawn_fields(model: type[Request], choices: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of a request as the template draws them; choices are by what a field names."""
    fields = sorted(model.page_fields().items(), key=lambda field: not field[1][1].argument)
    return [_drawn(name, info, more, choices) for name, (info, more) in fields]


def _drawn(name: str, info: FieldInfo, more: Asked, choices: Mapping[str, Any]) -> dict[str, Any]:
    kind = plain_type(info.annotation)
    options = choices_of(info.annotation) or choices.get(more.names, ())
    value = more.page if more.page is not None else "" if info.is_required() or info.default is None else info.default
    return {
        "name": name,
        "label": info.title or name,
        "hint": info.description or "" if more.hint is None else more.hint,
        "control": "choice" if options else "check" if kind is bool else "field",
        "type": "number" if kind in (int, float, int | None, float | None) else "text",
        "options": options,
        "value": next(iter(options)) if options and value == "" else value,
        "names": "names" if more.names == "agent" else "",
    }


def form_fields(kind: str, given: Mapping[str, str], reader: RunReader) -> dict[str, Any]:
    """Return the values of a form's template."""
    known, models = list(list_games().values()), page_requests()
    kind = kind if kind in models else "tune"
    model = models[kind]
    choices = {
        "game": {game.name: game.title for game in known},
        "tunable game": {game.name: game.title for game in known if parameters_of(game)},
        "bounded game": {game.name: game.title for game in known if game.name in BOUNDED},
        "paper": _papers() if kind == "paper" else {},
        "method": list(tune_methods()),
        "route": [route.name for route in solve_methods()] if kind == "solve" else [],
        "race": list(RACES),
        "rule set": {house.name: house.title for one in play_supports().values() for house in one.rule_sets},
    }
    drawn = drawn_fields(model, choices)
    if kind == "diagnose":
        tuned = [line.name for line in reader.summaries() if TUNE.made(line.method)]
        drawn[0]["value"] = next(iter(tuned), "")
        drawn[0]["hint"] += f" There are {', '.join(tuned[:8])}." if tuned else " There are none yet."
    return {
        "kinds": {name: model.tab for name, model in models.items()},
        "kind": kind,
        "question": kind in QUESTIONS,
        "about": model.__doc__,
        "drawn": drawn,
        "given": {key: value[:MOST_LETTERS] for key, value in given.items()},
        "players": {game.name: [*policy_names(game), *engines_of(game)] for game in known},
    }


def _papers() -> dict[str, str]:
    """Return the stored parts of papers, where the package has any."""
    from ..papers.kinds.paper import experiments

    return {name: f"{name}: {found.paper}" for name, found in experiments().items()}
