"""Games between a person and a player over the API; opponents think in a pool of a few threads."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field

from ..core.game import find_game
from ..kriegspiel.pgn import write_pgn
from ..runs.agent_texts import KRIEGSPIEL
from .opponents import demand_opponent
from .session_json import pictures, replay, scene
from .session_store import SessionStore, StoredSession, Unknown

LOG = logging.getLogger(__name__)
THINKERS = 2
WAITING = 64
"""How many opponents may wait for a thinker; who comes later is asked to try again."""
PATIENCE = 0.3
"""Seconds that an answer waits for a quick opponent."""
Key = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{24}$", description="The secret key of a game.")]


class Beginning(BaseModel):
    """What a person asks for."""

    game: Annotated[str, Field(max_length=60)]
    against: Annotated[str, Field(max_length=16_000)] = "uniform"
    side: Annotated[int, Field(ge=0, le=1)] = 0


class Act(BaseModel):
    """What a person does, and at which moment of the game: a click that comes twice counts once."""

    action: Annotated[int, Field(ge=-(2**62), le=2**62)]
    moment: Annotated[int, Field(ge=0, le=2**31)]


class Table:
    """The games at which somebody sits now, and the threads in which opponents think."""

    def __init__(self, parlour: SessionStore):
        self.parlour = parlour
        self._pool = ThreadPoolExecutor(THINKERS, "opponent")
        self._waiting = threading.Semaphore(THINKERS + WAITING)

    def begin(self, asked: Beginning) -> dict[str, Any]:
        """A new game."""
        game = find_game(asked.game)
        demand_opponent(game, asked.against)
        kept = self.parlour.open_game(game, asked.against, asked.side)
        with kept.lock:
            return self._answered(kept)

    def look(self, key: str) -> dict[str, Any]:
        """A game as it stands; a game that was found again after a restart goes on."""
        kept = self.parlour.find(key)
        if kept.scene and kept.thinking.is_set():
            return kept.scene
        with kept.lock:
            return kept.scene or self._answered(kept)

    def act(self, key: str, asked: Act) -> dict[str, Any]:
        """The person's action and, if it is quick, the opponent's answer."""
        kept = self.parlour.find(key)
        with kept.lock:
            now = self.look(key)
            if now["thinking"]:
                raise HTTPException(409, "the opponent is still thinking")
            if asked.moment != now["moment"]:
                raise HTTPException(409, "the game has moved on: look at it again")
            kept.sitting.act(asked.action)
            return self._answered(kept)

    def _answered(self, kept: StoredSession) -> dict[str, Any]:
        """Let the opponent answer; the scene after that, or one that says that it is thinking."""
        if kept.sitting.waits_for_person:
            kept.scene = scene(kept, thinking=False)
            self.parlour.keep(kept)
            return kept.scene
        self.parlour.keep(kept)
        kept.scene = None  # whoever finds all thinkers taken looks again
        if not self._waiting.acquire(blocking=False):
            raise HTTPException(429, "too many opponents are thinking: try again in a moment")
        kept.scene = scene(kept, thinking=True)
        kept.thinking.set()
        wait([self._pool.submit(self._think, kept)], PATIENCE)
        return kept.scene

    def _think(self, kept: StoredSession) -> None:
        try:
            while kept.sitting.go_on():
                pass
            self.parlour.keep(kept)
            kept.scene = scene(kept, thinking=False)
        except Exception:  # whatever an opponent does, its person is told that much and no more, and the server goes on
            LOG.exception("an opponent cannot go on")
            kept.scene = (kept.scene or {}) | {"thinking": False, "trouble": "the opponent cannot go on"}
        finally:
            kept.thinking.clear()
            self._waiting.release()

    def close(self) -> None:
        """Let nobody think any more."""
        self._pool.shutdown(cancel_futures=True)


def found(table: Table, key: str) -> StoredSession:
    """The game with this key, or 404."""
    try:
        return table.parlour.find(key)
    except Unknown as unknown:
        raise HTTPException(404, str(unknown)) from None


def finished(table: Table, key: str) -> StoredSession:
    """The game with this key if it is over, or 409."""
    kept = found(table, key)
    if kept.thinking.is_set() or not kept.sitting.over:
        raise HTTPException(409, "the whole game can be seen when it is over")
    return kept


def routes(table: Table) -> APIRouter:
    """The part of the API that plays."""
    router = APIRouter(prefix="/api/play", tags=["play"])

    @router.post("", status_code=201)
    def begin(asked: Beginning) -> JSONResponse:
        """Begin a game against a named strategy, numbers, a run or an engine."""
        return JSONResponse(table.begin(asked), 201)

    @router.get("/{key}")
    async def look(key: Key) -> JSONResponse:
        """What the person knows of a game."""
        kept = table.parlour.live(key)
        if kept and kept.scene:
            return JSONResponse(kept.scene)
        await run_in_threadpool(found, table, key)
        return JSONResponse(await run_in_threadpool(table.look, key))

    @router.post("/{key}")
    def act(key: Key, asked: Act) -> JSONResponse:
        """Do something in a game."""
        found(table, key)
        return JSONResponse(table.act(key, asked))

    @router.get("/{key}/replay")
    def truth(key: Key) -> JSONResponse:
        """The whole truth about a game that is over."""
        return JSONResponse(replay(finished(table, key)))

    @router.get("/{key}/replay/{moment}")
    def drawn(key: Key, moment: Annotated[int, Path(ge=0, le=2**31)]) -> JSONResponse:
        """One moment of a game that is over, as pictures of the truth and of both views."""
        return JSONResponse(pictures(finished(table, key), moment))

    @router.get("/{key}/pgn", response_class=PlainTextResponse)
    def pgn(key: Key) -> PlainTextResponse:
        """A game of Kriegspiel that is over, as PGN with refused attempts and the umpire's words in comments."""
        kept = finished(table, key)
        if kept.sitting.game.name != KRIEGSPIEL:
            raise HTTPException(404, "only games of Kriegspiel are written as PGN")
        sides = {"White": "a person", "Black": kept.against}
        if kept.sitting.side == 1:
            sides = {"White": kept.against, "Black": "a person"}
        named = {"content-disposition": 'attachment; filename="kriegspiel.pgn"'}
        return PlainTextResponse(write_pgn(kept.sitting.record, sides), headers=named)

    return router
