"""The games: the catalogue over the API, and a page per game with its rules, its value and its opponents."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse

from ...core.drawing import how_to_play
from ...core.game import known_game, list_games
from ...solving.known_values import KnownValue, known_values, short
from .. import JsonObject
from ..catalogue import RESISTANCE, first_picture, game_json, games_by_kind, sample_picture
from ..history import Standing, standing
from ..opponents import LEVELS, opponents
from ..site import Site
from ..solving import SolveStatus, begin_solving, solving_of
from .runs import RunState

MOST_MARKS = 4000
"""Letters of a list of results."""


def value_json(known: KnownValue) -> JsonObject:
    """What is known of the value of a game, short enough for a page, and in full."""
    bounds = [known.lower, known.upper]
    return {
        "value": None if known.value is None else short(known.value),
        "lower": short(known.lower),
        "upper": short(known.upper),
        "full": [str(bound) for bound in bounds],
        "payoffs": known.payoffs,
        "published": known.published,
        "ours": known.ours,
        "certificate": known.shipped is not None,
    }


def add_to(site: Site) -> None:
    """The part of the API that lists games, and the page of each of them."""
    router = APIRouter(prefix="/api/games", tags=["games"])

    @router.get("")
    def catalogue() -> JsonObject:
        """Every game."""
        return {"games": [game_json(game) for game in list_games().values()]}

    @router.get("/{name}")
    def one_game(name: str) -> JsonObject:
        """One game, with its rules in words."""
        return game_json(known_game(name))

    @router.get("/{name}/opponents")
    def list_opponents(name: str) -> JsonObject:
        """Whom a person can play against in this game, the strongest first."""
        return {"game": name, "opponents": opponents(known_game(name), site.store)}

    @router.get("/{name}/picture")
    def picture(name: str, first: bool = False) -> JSONResponse:
        """A picture of the game: what a player sees after a few moves at random, or at the start."""
        game = known_game(name)
        return JSONResponse({"game": name, "picture": first_picture(game) if first else sample_picture(game.name)})

    @router.get("/{name}/standing")
    def running_score(
        name: str, marks: Annotated[str, Query(max_length=MOST_MARKS, pattern=r"^\d{1,3}(,\d{1,3})*$")]
    ) -> Standing:
        """The running score of a series of games with these results, as indices of the game's payoffs."""
        game, numbers = known_game(name), [int(mark) for mark in marks.split(",")]
        if max(numbers) > game.top:
            raise HTTPException(422, f"give the results of some games as numbers from 0 to {game.top}")
        return standing(game, numbers)

    @router.get("/{name}/solving")
    def solving(name: str) -> SolveStatus:
        """Whether the game is solved, can be solved here, or is being solved."""
        return solving_of(known_game(name), site)

    @router.post("/{name}/solving", status_code=201)
    def solve(name: str) -> RunState:
        """Solve the game, if its tree is small; the solution is an opponent then."""
        run = begin_solving(known_game(name), site)
        return RunState(run=run, state=site.processes.current_state(run))

    site.routes.include_router(router)

    @site.routes.get("/games/{name}", include_in_schema=False)
    def game_page(request: Request, name: str) -> HTMLResponse:
        game = known_game(name)
        known = known_values().get(game.name)
        ranked = opponents(game, site.store)
        sizes = [other for other in games_by_kind()[game.kind] if other.family == game.family == RESISTANCE]
        return site.page(
            request,
            "game.html",
            game=game,
            lines=how_to_play(game),
            known=value_json(known) if known else None,
            opponents=ranked,
            perfect=ranked[0]["level"] == LEVELS[0],
            sizes=sizes,
        )
