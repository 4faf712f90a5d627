"""Sessions in play: people act, and their opponents search in a few threads.

A reply is shown when its slot ends, and its thread is occupied until then. Neither the reply nor the queue for the
thread reveals how long the opponent has searched.
"""

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache

from fastapi import HTTPException
from pydantic import BaseModel

from ..core.agents import policy_names
from ..core.find import spec_of
from ..core.game import CHANCE, Game, known_game
from ..core.page_contract import Preparation, play_support, play_supports
from ..core.session import play_trial
from ..process.preparation import Trial
from ..solving.policies.coach import find_coach
from . import JsonObject
from .opponents import demand_opponent
from .session_json import session_json, with_notice
from .session_store import SessionFileError, SessionStore, StoredSession, game_by_rules

LOG = logging.getLogger(__name__)
# For strategies, which need their threads for a moment and wait in them for the end of the slot, and for engines.
QUICK_THREADS, ENGINE_THREADS = 8, 3
WAIT_SECONDS = 0.6  # how long a request waits for a quick opponent, or for an engine with its default time
LOADING_SECONDS = 2.0  # how long an engine waits for its kernels; those compiled before are loaded by then


# Threads for opponents, shared fairly: quick ones have separate threads, and clients take turns.

Work = Callable[[], None]
# Opponents that may wait for a thread; later requests must be repeated.
MAX_WAITING, MAX_OF_A_CLIENT = 64, 32


class FairThreadPool:
    """Thread pool that takes work from each client in turn."""

    def __init__(self, name: str, threads: int):
        self._pool = ThreadPoolExecutor(threads, name)
        self._waiting: OrderedDict[str, deque[tuple[Work, Future[None]]]] = OrderedDict()
        self._lock = threading.Lock()

    def submit(self, client: str, work: Work) -> Future[None]:
        done: Future[None] = Future()
        with self._lock:
            own = self._waiting.get(client, deque())
            if len(own) >= MAX_OF_A_CLIENT or sum(map(len, self._waiting.values())) >= MAX_WAITING:
                raise HTTPException(429, "too many opponents are thinking: try again in a moment")
            own.append((work, done))
            self._waiting[client] = own
        self._pool.submit(self._work_on_next)
        return done

    def _work_on_next(self) -> None:
        """Run the oldest work of the client whose turn it is."""
        with self._lock:
            client, own = self._waiting.popitem(last=False)
            work, done = own.popleft()
            if own:
                self._waiting[client] = own
        try:
            work()
        finally:
            done.set_result(None)

    def close(self) -> None:
        """Start no more work; do not wait for a running search or compilation."""
        self._pool.shutdown(wait=False, cancel_futures=True)


# Preparation of games whose kernels were never compiled here.

ABOUT_SECONDS = 20.0  # that compiling a game takes on an idle machine
COMPILING_SECONDS = 600.0  # limit on the time for which a game waits to be compiled


@cache
def _trial_of(name: str, version: int | str) -> Trial:
    game = known_game(name)

    def play() -> None:
        with suppress(ValueError):  # the person's own game reports it
            play_trial(game)

    return Trial(name, play, outside=spec_of(name) is None)


def preparation_of(game: Game, against: str) -> Preparation:
    """Start to load or compile an opponent, or else the rules of a game, once per process."""
    return play_support(game).prepare(against) or _trial_of(game.name, game.version)


def is_simple(game: Game, against: str) -> bool:
    """True if a game against this opponent can begin while its kernels are compiled: Python runs them until then."""
    return against in policy_names(game) or play_support(game).names_engine(against, options=False)


class PreparationStatus(BaseModel):
    """State of the preparation of a game: ready, or for how long it has been compiled and about how long that takes."""

    game: str
    ready: bool
    seconds: float = 0.0
    about: float = ABOUT_SECONDS


def prepare(name: str, against: str) -> PreparationStatus:
    """Start to prepare a game against an opponent; a game that can begin meanwhile is ready."""
    game = known_game(name)
    demand_opponent(game, against)
    found = preparation_of(game, against)
    waits = found.is_compiling(LOADING_SECONDS) and not is_simple(game, against)
    return PreparationStatus(game=name, ready=not waits, seconds=time.monotonic() - found.began)


class SessionRunner:
    """Service that starts, shows and continues the sessions of a store."""

    def __init__(self, store: SessionStore):
        self.store = store
        self._quick, self._engines = FairThreadPool("strategy", QUICK_THREADS), FairThreadPool("engine", ENGINE_THREADS)
        self._closed = threading.Event()

    def begin(
        self, name: str, against: str, side: int, client: str, rules: str = "", record: Sequence[int] = ()
    ) -> JsonObject:
        game = game_by_rules(name, rules)
        demand_opponent(game, against)
        preparation = preparation_of(game, against)
        if not is_simple(game, against):
            preparation.is_ready(COMPILING_SECONDS)
        with preparation.meanwhile():
            stored = self.store.create(game, against, side, record)
            stored.preparation = preparation
            with stored.lock:
                return self._reply(stored, client)

    def look(self, key: str, client: str) -> JsonObject:
        """Return the current state of a session; one that was restored after a restart continues."""
        stored = self.store.find(key)
        if not (stored.answer and stored.thinking.is_set()):
            with stored.lock, stored.meanwhile():
                stored.answer = stored.answer or self._reply(stored, client)
        return with_notice(stored)

    def act(self, key: str, action: int, moment: int, client: str, draw: bool = False) -> JsonObject:
        """Apply the person's action, perhaps with a draw offer; a quick opponent's reply is included."""
        stored = self.store.find(key)
        game = stored.session.game
        accepts_draw = stored.support.accepts_draw
        if draw and accepts_draw is None:
            offering = [name for name, support in play_supports().items() if support.accepts_draw]
            raise HTTPException(
                422, f"a draw is offered in {', '.join(offering) or 'other games'} only, not in {game.name}"
            )
        with stored.lock, stored.meanwhile():
            self._demand_turn(stored, moment, client)
            stored.session.act(action)
            stored.session.offer_draw(accepts_draw if draw else None)
            return self._reply(stored, client)

    def resign(self, key: str, moment: int, client: str) -> JsonObject:
        stored = self.store.find(key)
        with stored.lock, stored.meanwhile():
            self._demand_turn(stored, moment, client)
            stored.session.resign()
            return self._reply(stored, client)

    def _demand_turn(self, stored: StoredSession, moment: int, client: str) -> None:
        """Raise 409 unless the person is to act at this moment."""
        now = self.look(stored.key, client)
        if now["thinking"]:
            raise HTTPException(409, "the opponent is still thinking")
        if moment != now["moment"]:
            raise HTTPException(409, "the game has moved on: look at it again")

    def coach(self, key: str) -> JsonObject:
        """Return the cost of the person's moves so far; it depends only on the person's knowledge."""
        stored = self.store.find(key)
        session = stored.session
        decisions = session.decisions.copy()
        found = find_coach(session.game, session.side, session.opponent)
        least, most = (float(session.game.payoffs[place]) for place in (0, -1))
        moves = [advice.to_json() for advice in found.advise(decisions)]
        return {"against": found.against, "range": most - least, "moves": moves}

    def find(self, key: str) -> StoredSession:
        return self.store.find(key)

    def at_turn(self, key: str, client: str) -> StoredSession:
        """Return a session in which the person is to act, or raise 409."""
        now, stored = self.look(key, client), self.store.find(key)
        if now["thinking"] or now["over"]:
            raise HTTPException(409, "it is not your turn: ask again when it is")
        return stored

    def find_finished(self, key: str) -> StoredSession:
        """Return the session with this key if its game is over, or raise 409."""
        stored = self.store.find(key)
        if stored.thinking.is_set() or not stored.session.over:
            raise HTTPException(409, "the whole game can be seen when it is over")
        return stored

    def _reply(self, stored: StoredSession, client: str) -> JsonObject:
        """Let the opponent move; return the state after that, or one with `thinking` set."""
        try:
            self.store.save(stored)
        except SessionFileError:
            self.store.forget(stored.key)  # an action that could not be saved did not happen
            raise
        if stored.session.waits_for_person:
            stored.answer = session_json(stored, thinking=False)
            return stored.answer
        thinkers = self._engines if stored.has_thinker else self._quick
        answer = stored.answer = session_json(stored, thinking=True)
        stored.thinking.set()
        try:
            done = thinkers.submit(client, lambda: self._think(stored, answer))
        except HTTPException:
            stored.answer = None  # the next request tries again
            stored.thinking.clear()
            raise
        wait([done], WAIT_SECONDS)
        return stored.answer

    def _think(self, stored: StoredSession, answer: JsonObject) -> None:
        """Play the opponent's whole turn, which is shown when its slot ends."""
        began, first = time.monotonic(), 0.0
        patience = LOADING_SECONDS if stored.has_thinker else 0.0
        ready = stored.preparation is None or stored.preparation.is_ready(patience)
        try:
            with stored.meanwhile():
                chooses = stored.session.mover != CHANCE
                while stored.session.go_on():
                    if chooses and not first:
                        first = time.monotonic() - began
                    chooses = stored.session.mover != CHANCE
                self.store.save(stored)
                reply = session_json(stored, thinking=False)
        except Exception:  # any failure is reported to the person without details, and the server continues
            LOG.exception("an opponent cannot go on")
            reply = {**answer, "thinking": False, "trouble": "the opponent cannot go on"}
        self._closed.wait(stored.release.wait_seconds(time.monotonic() - began, usual=ready, first=first))
        stored.answer = reply
        stored.thinking.clear()

    def close(self) -> None:
        self._closed.set()
        self._quick.close()
        self._engines.close()
