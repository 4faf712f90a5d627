"""The forms that start runs and ask questions: what there is to choose from in each of them."""

from collections.abc import Mapping
from typing import Any

from ..core.agents import policy_names
from ..core.game import list_games, parameters_of
from ..core.simulate import SEATS
from ..kriegspiel.engine import engines
from ..kriegspiel.game.rule_sets import RULE_SETS
from ..runs.agent_texts import engines_of
from ..runs.kinds.experiment import experiments
from ..runs.kinds.tune import KIND as TUNE
from ..solving.methods import solve_methods
from ..solving.proofs.checkers.phantom_bounds import GAMES as BOUNDED
from ..stats.race import RACES
from ..tuning.methods import tune_methods
from .run_reader import RunReader

FORMS = {
    "tune": "Tune",
    "match": "Match",
    "tournament": "Tournament",
    "kriegspiel": "Kriegspiel engines",
    "solve": "Solve",
    "bounds": "Bounds",
    "exploit": "Exploit",
    "diagnose": "Diagnose",
    "paper": "Paper",
}
QUESTIONS = ("exploit", "diagnose")
"""The forms that start no run: their answer is a page of its own."""
MOST_LETTERS = 4000
"""Of what an address fills into a form."""


def form_fields(kind: str, given: Mapping[str, str], reader: RunReader) -> dict[str, Any]:
    """What the template of a form is filled in with."""
    known, kind = list(list_games().values()), kind if kind in FORMS else "tune"
    return {
        "kinds": FORMS,
        "kind": kind,
        "question": kind in QUESTIONS,
        "given": {key: value[:MOST_LETTERS] for key, value in given.items()},
        "games": {game.name: game.title for game in known},
        "tunable": {game.name: game.title for game in known if parameters_of(game)},
        "bounded": {game.name: game.title for game in known if game.name in BOUNDED},
        "papers": {name: f"{name}: {found.paper}" for name, found in experiments().items()} if kind == "paper" else {},
        "tuned": [line.name for line in reader.summaries() if TUNE.made(line.method)] if kind == "diagnose" else [],
        "methods": list(tune_methods()),
        "routes": [route.name for route in solve_methods()] if kind == "solve" else [],
        "races": list(RACES),
        "seats": list(SEATS),
        "engines": list(engines()),
        "rule_sets": {house.name: house.title for house in RULE_SETS.values()},
        "players": {game.name: [*policy_names(game), *engines_of(game)] for game in known},
    }
