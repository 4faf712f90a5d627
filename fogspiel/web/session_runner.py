"""The sessions that are being played: people act, and their opponents think in a pool of a few threads."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor, wait

from fastapi import HTTPException

from ..core.game import find_game
from ..solve.coach import find_coach
from . import JsonObject
from .opponents import demand_opponent
from .session_json import SessionJson, session_json
from .session_store import SessionStore, StoredSession

LOG = logging.getLogger(__name__)
THREADS = 2
MOST_WAITING = 64
"""How many opponents may wait for a thread; who comes later is asked to try again."""
WAIT_SECONDS = 0.3
"""How long a request waits for a quick opponent."""


class SessionRunner:
    """Begins, shows and continues the sessions of a store."""

    def __init__(self, store: SessionStore):
        self.store = store
        self._pool = ThreadPoolExecutor(THREADS, "opponent")
        self._free = threading.Semaphore(THREADS + MOST_WAITING)

    def begin(self, name: str, against: str, side: int) -> SessionJson:
        """A new session."""
        game = find_game(name)
        demand_opponent(game, against)
        stored = self.store.create(game, against, side)
        with stored.lock:
            return self._reply(stored)

    def look(self, key: str) -> SessionJson:
        """A session as it stands; one that was found again after a restart goes on."""
        stored = self.store.find(key)
        if stored.answer and stored.thinking.is_set():
            return stored.answer
        with stored.lock:
            return stored.answer or self._reply(stored)

    def act(self, key: str, action: int, moment: int) -> SessionJson:
        """The person's action and, if it is quick, the opponent's reply."""
        stored = self.store.find(key)
        with stored.lock:
            now = self.look(key)
            if now["thinking"]:
                raise HTTPException(409, "the opponent is still thinking")
            if moment != now["moment"]:
                raise HTTPException(409, "the game has moved on: look at it again")
            stored.session.act(action)
            return self._reply(stored)

    def coach(self, key: str) -> JsonObject:
        """What the person's moves so far cost; it follows from what the person knew, and is told at any time."""
        stored = self.store.find(key)
        session = stored.session
        decisions = session.decisions.copy()
        found = find_coach(session.game, session.side, session.opponent)
        return {"against": found.against, "moves": [advice.as_json() for advice in found.advise(decisions)]}

    def find_finished(self, key: str) -> StoredSession:
        """The session with this key if its game is over, or 409."""
        stored = self.store.find(key)
        if stored.thinking.is_set() or not stored.session.over:
            raise HTTPException(409, "the whole game can be seen when it is over")
        return stored

    def _reply(self, stored: StoredSession) -> SessionJson:
        """Let the opponent move; the answer after that, or one that says that it is thinking."""
        self.store.save(stored)
        if stored.session.waits_for_person:
            stored.answer = session_json(stored, thinking=False)
            return stored.answer
        stored.answer = None  # where all threads are taken the next look tries again
        if not self._free.acquire(blocking=False):
            raise HTTPException(429, "too many opponents are thinking: try again in a moment")
        answer = stored.answer = session_json(stored, thinking=True)
        stored.thinking.set()
        wait([self._pool.submit(self._think, stored, answer)], WAIT_SECONDS)
        return stored.answer

    def _think(self, stored: StoredSession, answer: SessionJson) -> None:
        try:
            while stored.session.go_on():
                pass
            self.store.save(stored)
            stored.answer = session_json(stored, thinking=False)
        except Exception:  # whatever an opponent does, its person hears that much and no more, and the server goes on
            LOG.exception("an opponent cannot go on")
            stored.answer = {**answer, "thinking": False, "trouble": "the opponent cannot go on"}
        finally:
            stored.thinking.clear()
            self._free.release()

    def close(self) -> None:
        """Let no opponent think any more."""
        self._pool.shutdown(cancel_futures=True)
