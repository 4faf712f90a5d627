"""Games between a person and a player over the API; opponents think in a pool of a few threads."""

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel, Field

from ..game import game_named
from ..parlour import Kept, Parlour, Unknown
from .scenes import replay, scene

THINKERS = 2
WAITING = 64
"""How many opponents may wait for a thinker; who comes later is asked to try again."""
PATIENCE = 0.3
"""Seconds that an answer waits for a quick opponent."""
Key = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{24}$", description="The secret key of a game.")]


class Beginning(BaseModel):
    """What a person asks for."""

    game: Annotated[str, Field(max_length=60)]
    against: Annotated[str, Field(max_length=4000)] = "uniform"
    side: Annotated[int, Field(ge=0, le=1)] = 0


class Act(BaseModel):
    """What a person does, and at which moment of the game: a click that comes twice counts once."""

    action: Annotated[int, Field(ge=-(2**62), le=2**62)]
    moment: Annotated[int, Field(ge=0, le=2**31)]


class Table:
    """The games at which somebody sits now, and the threads in which opponents think."""

    def __init__(self, parlour: Parlour):
        self.parlour = parlour
        self._pool = ThreadPoolExecutor(THINKERS, "opponent")
        self._waiting = threading.Semaphore(THINKERS + WAITING)

    def begin(self, asked: Beginning) -> dict[str, Any]:
        """A new game."""
        kept = self.parlour.open_game(game_named(asked.game), asked.against, asked.side)
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
        now = self.look(key)
        if now["thinking"]:
            raise HTTPException(409, "the opponent is still thinking")
        with kept.lock:
            if asked.moment != now["moment"]:
                raise HTTPException(409, "the game has moved on: look at it again")
            kept.sitting.act(asked.action)
            return self._answered(kept)

    def _answered(self, kept: Kept) -> dict[str, Any]:
        """Let the opponent answer; the scene after that, or one that says that it is thinking."""
        if kept.sitting.waits_for_person:
            kept.scene = scene(kept, thinking=False)
            self.parlour.keep(kept)
            return kept.scene
        if not self._waiting.acquire(blocking=False):
            raise HTTPException(503, "too many opponents are thinking: try again in a moment")
        kept.scene = scene(kept, thinking=True)
        kept.thinking.set()
        wait([self._pool.submit(self._think, kept)], PATIENCE)
        return kept.scene

    def _think(self, kept: Kept) -> None:
        try:
            while kept.sitting.go_on():
                pass
            self.parlour.keep(kept)
            kept.scene = scene(kept, thinking=False)
        except Exception as error:  # whatever an opponent does, its person is told and the server goes on
            kept.scene = (kept.scene or {}) | {"thinking": False, "trouble": f"the opponent cannot go on: {error}"}
        finally:
            kept.thinking.clear()
            self._waiting.release()

    def close(self) -> None:
        """Let nobody think any more."""
        self._pool.shutdown(cancel_futures=True)


def routes(table: Table) -> APIRouter:
    """The part of the API that plays."""
    router = APIRouter(prefix="/api/play", tags=["play"])

    def found(key: str) -> Kept:
        try:
            return table.parlour.find(key)
        except Unknown as unknown:
            raise HTTPException(404, str(unknown)) from None

    @router.post("", status_code=201)
    def begin(asked: Beginning) -> dict[str, Any]:
        """Begin a game against a named strategy, numbers, a run or an engine."""
        return table.begin(asked)

    @router.get("/{key}")
    def look(key: Key) -> dict[str, Any]:
        """What the person knows of a game."""
        found(key)
        return table.look(key)

    @router.post("/{key}")
    def act(key: Key, asked: Act) -> dict[str, Any]:
        """Do something in a game."""
        found(key)
        return table.act(key, asked)

    @router.get("/{key}/replay")
    def truth(key: Key) -> dict[str, Any]:
        """The whole truth about a game that is over."""
        kept = found(key)
        if not kept.sitting.over or kept.thinking.is_set():
            raise HTTPException(409, "the whole game can be seen when it is over")
        return replay(kept)

    return router
