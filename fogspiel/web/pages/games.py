"""The catalogue over the API: every game, its opponents, and a picture of it."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from ...core.game import find_game, games
from .. import JsonObject
from ..catalogue import game_json, sample_picture
from ..opponents import opponents
from ..site import Site


def add_to(site: Site) -> None:
    """The part of the API that lists games."""
    router = APIRouter(prefix="/api/games", tags=["games"])

    @router.get("")
    def catalogue() -> JsonObject:
        """Every game."""
        return {"games": [game_json(game) for game in games().values()]}

    @router.get("/{name}")
    def one_game(name: str) -> JsonObject:
        """One game."""
        return game_json(find_game(name))

    @router.get("/{name}/opponents")
    def list_opponents(name: str) -> JsonObject:
        """Whom a person can play against in this game."""
        return {"game": name, "opponents": opponents(find_game(name), site.store)}

    @router.get("/{name}/picture")
    def picture(name: str) -> JSONResponse:
        """A picture of the game: what a player sees after a few moves at random."""
        return JSONResponse({"game": name, "picture": sample_picture(find_game(name).name)})

    site.routes.include_router(router)
