"""Sessions of people against agents, kept in a file so that they can be taken up again.

A session is found by its key, 144 random bits that only its person knows. The opponent is kept as numbers where it
comes from a run that may still change. The file is apart from the store of runs, which is only read here.
"""

import json
import secrets
import sqlite3
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.agents import Agent, Frozen, freeze, thaw
from ..core.game import Game, find_game
from ..core.person_session import PersonSession
from ..runs.agent_texts import agent_from_text
from .page_agents import demand_page_agent
from .transcript import Transcript

if TYPE_CHECKING:
    from .session_json import SessionJson

MOST_LIVE = 128
"""How many sessions stay in memory; the others are made again from their records when they are asked for."""
KEY_BYTES = 18
TABLE = """CREATE TABLE IF NOT EXISTS sittings (
    key TEXT PRIMARY KEY, game TEXT, rules INTEGER, side INTEGER, seed TEXT, opponent TEXT, record TEXT,
    created REAL, touched REAL) WITHOUT ROWID"""


class UnknownSession(ValueError):
    """There is no session with this key, or none that can be taken up."""


@dataclass
class StoredSession:
    """A session with its key and opponent; whoever changes it holds the lock."""

    key: str
    against: str
    session: PersonSession
    lock: threading.RLock = field(default_factory=threading.RLock)
    thinking: threading.Event = field(default_factory=threading.Event)
    """Set while the opponent thinks: the session then belongs to its thread."""
    answer: "SessionJson | None" = None
    """What was last shown to the person."""
    transcript: Transcript = field(default_factory=Transcript)


class Opponent(Frozen):
    """An opponent as the file keeps it: its text, and its numbers where the text alone may come to mean another."""

    words: str


def freeze_opponent(game: Game, text: str, store: Path, seed: int) -> Opponent:
    """The opponent that a text stands for, as something that will not change."""
    demand_page_agent(game, text)
    return {"words": text, **freeze(game, agent_from_text(game, text, store, seed))}


def thaw_opponent(game: Game, opponent: Opponent, store: Path, seed: int) -> Agent:
    """The opponent that was frozen."""
    text, numbers = opponent["words"], opponent
    demand_page_agent(game, text)
    if opponent.get("weights") == []:  # files of earlier versions keep a vector as a mixture without weights
        numbers = {"words": text, "theta": opponent["thetas"][0]}
    return thaw(game, numbers, text) or agent_from_text(game, text, store, seed)


class SessionStore:
    """The sessions of a file; safe to use from several threads."""

    def __init__(self, path: Path, store: Path):
        self.path, self.store = path, store
        self._live: OrderedDict[str, StoredSession] = OrderedDict()
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute(TABLE)
        except (OSError, sqlite3.Error) as error:
            raise ValueError(f"games cannot be kept in {path}: {error}") from None

    def create(self, game: Game, against: str, side: int) -> StoredSession:
        """Begin a session."""
        seed, key, now = secrets.randbits(63), secrets.token_urlsafe(KEY_BYTES), time.time()
        opponent = freeze_opponent(game, against, self.store, seed)
        session = PersonSession(game, thaw_opponent(game, opponent, self.store, seed), side, seed)
        row = (key, game.name, game.version, side, str(seed), json.dumps(opponent), "[]", now, now)
        with self._lock:
            self._connection.execute("INSERT INTO sittings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            return self._remember(StoredSession(key, against, session))

    def live(self, key: str) -> StoredSession | None:
        """The session with this key if it is in memory."""
        with self._lock:
            if key in self._live:
                self._live.move_to_end(key)
            return self._live.get(key)

    def find(self, key: str) -> StoredSession:
        """The session with this key, or UnknownSession."""
        if stored := self.live(key):
            return stored
        with self._lock:
            row = self._connection.execute(
                "SELECT game, rules, side, seed, opponent, record FROM sittings WHERE key = ?", (key,)
            ).fetchone()
        if row is None:
            raise UnknownSession("there is no such game")
        name, version, side, seed, frozen, record = row
        game = find_game(name)
        if version != game.version:
            raise UnknownSession(
                f"this game was played by version {version} of the rules of {name}, which have changed since"
            )
        opponent: Opponent = json.loads(frozen)
        agent = thaw_opponent(game, opponent, self.store, int(seed))
        session = PersonSession(game, agent, side, int(seed), json.loads(record))
        with self._lock:
            return self._remember(StoredSession(key, opponent["words"], session))

    def save(self, stored: StoredSession) -> None:
        """Write down how far a session has come."""
        row = (json.dumps(stored.session.record), time.time(), stored.key)
        with self._lock:
            self._connection.execute("UPDATE sittings SET record = ?, touched = ? WHERE key = ?", row)

    def _remember(self, stored: StoredSession) -> StoredSession:
        """Keep a session in memory, and forget those that were not asked for longest."""
        stored = self._live.setdefault(stored.key, stored)
        for key in list(self._live)[: max(len(self._live) - MOST_LIVE, 0)]:
            if not self._live[key].thinking.is_set():
                del self._live[key]
        return stored

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
