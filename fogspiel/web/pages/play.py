"""Play a game against a strategy, an engine or a run, and see the whole truth afterwards."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, Field

from ...core.game import known_game, list_games, nothing_hidden
from ...core.page_contract import KEY, Key, play_supports
from ...runs.agent_parser import engines_of
from .. import JsonObject
from ..app import Site
from ..knowledge import decision_of, knowledge_json
from ..opponents import level_name, ratings_of
from ..session_json import (
    MAX_KEYS,
    History,
    belief_json,
    history_of,
    moment_pictures,
    replay_json,
    scene_of,
    seat_of,
    since,
    with_notice,
)
from .home import games_by_kind

PATH, TITLE = "/play", "New game"
CLOTHS = ("felt", "dice", "cards", "faces", "room")  # scenes that are tables
MAX_LETTERS = 16_000  # length limit of an opponent's text, which may be a long vector


class NewGameRequest(BaseModel):
    """Request for a new game."""

    game: Annotated[str, Field(max_length=60)]
    against: Annotated[str, Field(max_length=MAX_LETTERS)] = "uniform"
    side: Annotated[int, Field(ge=0, le=1)] = 0
    rules: Annotated[str, Field(max_length=60)] = ""
    """Rule set, for games that have several."""


Heard = Annotated[int, Field(ge=0, le=2**31)]


class ActionRequest(BaseModel):
    """Action of a person, and its moment in the game: a click that arrives twice counts once."""

    action: Annotated[int, Field(ge=-(2**62), le=2**62)]
    moment: Annotated[int, Field(ge=0, le=2**31)]
    draw: bool = False
    """True if a draw is offered with it."""
    heard: Heard = 0
    """Lines of the log that the page has: the answer leaves them out."""


class Keys(BaseModel):
    """Session keys of a browser, and the game to report on; empty for all games."""

    keys: Annotated[list[Annotated[str, Field(pattern=KEY)]], Field(max_length=MAX_KEYS)]
    game: Annotated[str, Field(max_length=60)] = ""


class Resignation(BaseModel):
    """Moment of the game at which the person resigns."""

    moment: Annotated[int, Field(ge=0, le=2**31)]


def client_of(request: Request) -> str:
    return request.client.host if request.client else ""


def register(site: Site) -> None:
    _add_api(site)
    _add_pages(site)


def _add_api(site: Site) -> None:
    router, sessions = APIRouter(prefix="/api/play", tags=["play"]), site.sessions

    @router.post("", status_code=201)
    def begin(request: Request, asked: NewGameRequest) -> JSONResponse:
        """Start a game against a named strategy, numbers, a run or an engine."""
        begun = sessions.begin(asked.game, asked.against, asked.side, client_of(request), asked.rules)
        return JSONResponse(begun, 201)

    @router.post("/history")
    def history(asked: Keys) -> History:
        """List the games with these keys, newest first, with players, times, results, and the score per game."""
        return history_of(asked.keys, asked.game, sessions.store)

    @router.get("/{key}")
    async def look(request: Request, key: Key, heard: Annotated[int, Query(ge=0, le=2**31)] = 0) -> JSONResponse:
        """Return the person's knowledge of a game, without the first `heard` lines of the log."""
        stored = sessions.store.live(key)
        answer = with_notice(stored) if stored else None
        if answer is None:
            answer = await run_in_threadpool(sessions.look, key, client_of(request))
        return JSONResponse(since(answer, heard))

    @router.post("/{key}")
    def act(request: Request, key: Key, asked: ActionRequest) -> JSONResponse:
        """Perform an action in a game."""
        found = sessions.act(key, asked.action, asked.moment, client_of(request), asked.draw)
        return JSONResponse(since(found, asked.heard))

    @router.post("/{key}/resign")
    def resign(request: Request, key: Key, asked: Resignation) -> JSONResponse:
        """Resign a game: it is over, and its full state can be seen."""
        return JSONResponse(sessions.resign(key, asked.moment, client_of(request)))

    @router.get("/{key}/coach")
    def coach(key: Key) -> JSONResponse:
        """Return the cost of the person's moves so far against the certified solution, or against this opponent."""
        return JSONResponse(sessions.coach(key))

    @router.get("/{key}/knowledge")
    def knowledge(request: Request, key: Key) -> JsonObject:
        """Return what the person can know at its turn: what may be hidden, and the cost of each choice."""
        stored = sessions.at_turn(key, client_of(request))
        with stored.lock:
            decision = decision_of(stored.session)
        moment = 2 * len(decision.earlier) + 1
        ask = partial(knowledge_json, decision)
        return {"moment": moment, **site.jobs.compute(("knowledge", key, moment), ask)}

    @router.get("/{key}/replay")
    def replay(key: Key) -> JSONResponse:
        """Return the full record of a finished game."""
        return JSONResponse(replay_json(sessions.find_finished(key)))

    @router.get("/{key}/replay/{moment}")
    def replay_moment(key: Key, moment: Annotated[int, Path(ge=0, le=2**31)]) -> JSONResponse:
        """Return one moment of a finished game, as pictures of the full state and of both views."""
        return JSONResponse(moment_pictures(sessions.find_finished(key), moment))

    @router.get("/{key}/belief/{moment}")
    def belief(key: Key, moment: Annotated[int, Path(ge=0, le=2**31)]) -> JsonObject:
        """Return what the person could know at a decision of a finished game: the states that fit its views."""
        stored = sessions.find_finished(key)
        return site.jobs.compute(("belief", key, moment), lambda: belief_json(stored, moment))

    site.routes.include_router(router)


def _add_pages(site: Site) -> None:
    router = APIRouter(prefix=PATH, include_in_schema=False)

    @router.get("")
    def new_game(request: Request, game: str = "", against: str = "", side: str = "0", rules: str = "") -> HTMLResponse:
        supports = play_supports()
        known = known_game(game or next(iter([*supports, *list_games()])))
        chosen = {"game": known.name, "against": against[:MAX_LETTERS], "side": "1" if side == "1" else "0"}
        sets = [(name, house) for name, support in supports.items() for house in support.rule_sets]
        picked = [support.find_rules(rules).name for support in supports.values() if support.rule_sets]
        seats = {name: support.seats for name, support in supports.items() if support.seats}
        return site.page(
            request, "new_game.html", kinds=games_by_kind(), rule_sets=sets, picked=picked, seats=seats, chosen=chosen
        )

    @router.get("/{key}")
    async def play(request: Request, key: Key) -> HTMLResponse:
        stored = site.sessions.store.live(key)
        if stored is None:
            stored = await run_in_threadpool(site.sessions.store.find, key)
        game, side = stored.session.game, stored.session.side
        seat, against = seat_of(game, stored.support, side), stored.against
        level = await run_in_threadpool(level_name, game, site.store, against)
        scene = scene_of(game)
        return site.page(
            request,
            "play.html",
            key=key,
            game=game,
            against=against,
            seat=seat,
            support=stored.support,
            scene=scene,
            cloth=scene if scene in CLOTHS else "",
            level=level,
            rating=ratings_of(game).get(against),
        )

    @router.get("/{key}/replay")
    def replay(request: Request, key: Key) -> HTMLResponse:
        stored = site.sessions.find_finished(key)
        game, names = stored.session.game, ["You", stored.against][:: -1 if stored.session.side else 1]
        who = [", ".join(filter(None, (names[side], seat_of(game, stored.support, side)))) for side in (0, 1)]
        against, support = stored.against, stored.support
        return site.page(
            request,
            "replay.html",
            key=key,
            game=game,
            against=against,
            who=who,
            base=f"/api/play/{key}",
            back=(f"/play/{key}", "Back to the game"),
            support=support,
            side=stored.session.side,
            level=level_name(game, site.store, against),
            believes=game.resample is not nothing_hidden and not engines_of(game),
        )

    site.routes.include_router(router)
