"""The games as pages list them: by kind, with their players and a picture."""

import random
import threading

from ..core.agents import find_policy, policy_names
from ..core.drawing import draw_view
from ..core.game import Game, find_game, games, parameters_of
from ..core.person_session import PersonSession
from ..core.picture import as_data
from ..runs.agent_texts import engines_of
from . import JsonObject
from .session_json import PictureJson

SAMPLE_SEED = 7
SAMPLE_ACTIONS = 12
"""How many own actions lie before the picture in the catalogue, if the game is so long."""
_samples: dict[str, PictureJson] = {}
_drawing = threading.Lock()


def game_json(game: Game) -> JsonObject:
    """A game of the catalogue."""
    return {
        "name": game.name,
        "title": game.title,
        "kind": game.kind,
        "rules": game.version,
        "parameters": len(parameters_of(game)),
        "players": [*policy_names(game), *engines_of(game)],
        "symmetric": game.symmetric,
        "payoffs": [str(payoff) for payoff in game.payoffs],
        "source": game.source,
    }


def games_by_kind() -> dict[str, list[Game]]:
    """All games, kind by kind."""
    found: dict[str, list[Game]] = {kind: [] for kind in sorted({game.kind for game in games().values()})}
    for game in games().values():
        found[game.kind].append(game)
    return found


def sample_picture(name: str) -> PictureJson:
    """What a player of the game sees after a few moves at random, always the same; drawn once, one at a time."""
    if name not in _samples:
        with _drawing:
            if name not in _samples:
                _samples[name] = _draw_sample(find_game(name))
    return _samples[name]


def _draw_sample(game: Game) -> PictureJson:
    draws = random.Random(SAMPLE_SEED)
    session = PersonSession(game, find_policy(game, "uniform"), 0, SAMPLE_SEED)
    view = session.seen()
    for _ in range(SAMPLE_ACTIONS):
        while session.go_on():
            pass
        if session.over:
            break
        view = session.seen()
        session.act(draws.choice(session.choices()))
    return as_data(draw_view(game, view))
