"""The catalogue over the API: every game, who plays it, and a picture of it."""

import random
import threading
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from ..core.agents import find_policy, policy_names
from ..core.drawing import draw_view
from ..core.game import Game, find_game, games, parameters_of
from ..core.person_session import PersonSession
from ..core.picture import as_data
from ..runs.agent_texts import engines_of
from .opponents import opponents

KINDS = (
    ("Boards", ("kriegspiel", "phantom", "dark-hex", "permutation", "battleship", "four-in-a-row")),
    ("Cards", ("kuhn", "leduc", "binary-poker", "goofspiel", "cheat", "flip", "war", "batawaf")),
    ("Dice and heaps", ("liars-dice", "pig", "nim")),
    ("Guessing", ("guesswho", "morra", "rps")),
    ("Hidden roles", ("resistance",)),
)
"""Kinds of games by how their names begin."""
OTHERS = "Others"
SAMPLE_SEED = 7
SAMPLE_ACTIONS = 12
"""How many own actions lie before the picture in the catalogue, if the game is so long."""
_samples: dict[str, list[dict[str, Any]]] = {}
_drawing = threading.Lock()


def words_of(game: Game) -> dict[str, Any]:
    """A game of the catalogue."""
    return {
        "name": game.name,
        "title": game.title,
        "kind": kind_of(game),
        "rules": game.version,
        "parameters": len(parameters_of(game)),
        "players": [*policy_names(game), *engines_of(game)],
        "symmetric": game.symmetric,
        "payoffs": [str(payoff) for payoff in game.payoffs],
        "source": game.source,
    }


def kind_of(game: Game) -> str:
    """What kind of game it is."""
    return next((kind for kind, beginnings in KINDS if game.name.startswith(beginnings)), OTHERS)


def by_kind() -> dict[str, list[Game]]:
    """All games, kind by kind, each kind in its own order."""
    found = {kind: [game for game in games().values() if kind_of(game) == kind] for kind, _ in (*KINDS, (OTHERS, ()))}
    order = [beginning for _, beginnings in KINDS for beginning in beginnings]
    for listed in found.values():
        listed.sort(key=lambda game: next((i for i, start in enumerate(order) if game.name.startswith(start)), 0))
    return {kind: listed for kind, listed in found.items() if listed}


def sample(name: str) -> list[dict[str, Any]]:
    """What a player of the game sees after a few moves at random, always the same; drawn once, one at a time."""
    if name not in _samples:
        with _drawing:
            if name not in _samples:
                _samples[name] = _sample(name)
    return _samples[name]


def _sample(name: str) -> list[dict[str, Any]]:
    game, draws = find_game(name), random.Random(SAMPLE_SEED)
    sitting = PersonSession(game, find_policy(game, "uniform"), 0, SAMPLE_SEED)
    view = sitting.seen()
    for _ in range(SAMPLE_ACTIONS):
        while sitting.go_on():
            pass
        if sitting.over:
            break
        view = sitting.seen()
        sitting.act(draws.choice(sitting.choices()))
    return as_data(draw_view(game, view))


def routes(store: Path) -> APIRouter:
    """The part of the API that lists games."""
    router = APIRouter(prefix="/api/games", tags=["games"])

    @router.get("")
    def catalogue() -> dict[str, Any]:
        """Every game."""
        return {"games": [words_of(game) for game in games().values()]}

    @router.get("/{name}")
    def one_game(name: str) -> dict[str, Any]:
        """One game."""
        return words_of(find_game(name))

    @router.get("/{name}/opponents")
    def against_whom(name: str) -> dict[str, Any]:
        """Whom a person can play against in this game."""
        return {"game": name, "opponents": opponents(find_game(name), store)}

    @router.get("/{name}/picture")
    def picture(name: str) -> JSONResponse:
        """A picture of the game: what a player sees after a few moves at random."""
        return JSONResponse({"game": name, "picture": sample(find_game(name).name)})

    return router
