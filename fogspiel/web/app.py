"""The application: the API, the pages on top of it, and the guard in front of both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from .. import __version__
from ..contender import names
from ..entrants import engines_of
from ..game import Game, game_named, games, parameters_of
from ..parlour import Parlour
from ..store import StoreError
from . import play
from .guard import App, Guard

DESCRIPTION = "Play games with hidden information, watch runs, look at results. Nothing leaves this machine."


def words_of(game: Game) -> dict[str, Any]:
    """A game of the catalogue."""
    return {
        "name": game.name,
        "title": game.title,
        "rules": game.version,
        "parameters": len(parameters_of(game)),
        "players": [*names(game), *engines_of(game)],
        "symmetric": game.symmetric,
        "payoffs": [str(payoff) for payoff in game.payoffs],
        "source": game.source,
    }


def application(store: Path, parlour: Path) -> FastAPI:
    """The application without its guard; runs are read from the store, games are kept in the parlour."""
    table = play.Table(Parlour(parlour, store))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        table.close()

    app = FastAPI(title="fogspiel", version=__version__, description=DESCRIPTION, lifespan=lifespan, docs_url=None)

    @app.exception_handler(ValueError)
    def refused(request: Request, error: ValueError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, 422)

    @app.exception_handler(StoreError)
    def broken(request: Request, error: StoreError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, 409)

    @app.get("/api/games", tags=["games"])
    def catalogue() -> dict[str, Any]:
        """Every game."""
        return {"games": [words_of(game) for game in games().values()]}

    @app.get("/api/games/{name}", tags=["games"])
    def one_game(name: str) -> dict[str, Any]:
        """One game."""
        return words_of(game_named(name))

    app.include_router(play.routes(table))
    return app


def guarded(app: FastAPI, hosts: frozenset[str], token: str | None = None) -> App:
    """The application as it is served."""
    return Guard(app, hosts, token)
