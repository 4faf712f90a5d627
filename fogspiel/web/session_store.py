"""The parlour: games between people and players, kept in a file so that they can be taken up again.

A game is found by its key, 144 random bits that only its person knows. The opponent is kept as numbers where it comes
from a run that may still change. The file is apart from the store of runs, which is only read here.
"""

import json
import secrets
import sqlite3
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ..core.agents import Agent, Frozen, freeze, thaw
from ..core.game import Game, find_game
from ..core.person_session import PersonSession
from ..runs.agent_texts import agent_from_text
from .page_agents import demand_page_player

LIVE = 128
"""How many games stay in memory; the others are made again from their records when they are asked for."""
KEY_BYTES = 18
TABLE = """CREATE TABLE IF NOT EXISTS sittings (
    key TEXT PRIMARY KEY, game TEXT, rules INTEGER, side INTEGER, seed TEXT, opponent TEXT, record TEXT,
    created REAL, touched REAL) WITHOUT ROWID"""


class Unknown(ValueError):
    """There is no such game."""


@dataclass
class StoredSession:
    """A game of the parlour; whoever touches the sitting holds the lock."""

    key: str
    against: str
    created: float
    sitting: PersonSession
    lock: threading.RLock = field(default_factory=threading.RLock)
    thinking: threading.Event = field(default_factory=threading.Event)
    """Set while the opponent thinks: the sitting is then its own."""
    scene: dict[str, Any] | None = None
    """What was last shown to the person."""
    told: Any = None
    """What was done and said so far, as the person knows it; made again when it is missing."""


def freeze_opponent(game: Game, words: str, store: Path, seed: int) -> dict[str, Any]:
    """The opponent that words stand for, as something that will not change."""
    demand_page_player(game, words)
    return {"words": words, **freeze(game, agent_from_text(game, words, store, seed))}


def thaw_opponent(game: Game, opponent: dict[str, Any], store: Path, seed: int) -> Agent:
    """The opponent that was frozen."""
    words = opponent["words"]
    demand_page_player(game, words)
    if opponent.get("weights") == []:  # games that were begun earlier keep a vector as a mixture without weights
        opponent = {"theta": opponent["thetas"][0]}
    found = thaw(game, cast(Frozen, opponent), words) or agent_from_text(game, words, store, seed)
    return found


class SessionStore:
    """The games that are kept in a file; safe to use from several threads."""

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

    def open_game(self, game: Game, against: str, side: int) -> StoredSession:
        """Begin a game."""
        seed = secrets.randbits(63)
        opponent = freeze_opponent(game, against, self.store, seed)
        sitting = PersonSession(game, thaw_opponent(game, opponent, self.store, seed), side, seed)
        kept = StoredSession(secrets.token_urlsafe(KEY_BYTES), against, time.time(), sitting)
        row = (
            kept.key,
            game.name,
            game.version,
            side,
            str(seed),
            json.dumps(opponent),
            "[]",
            kept.created,
            kept.created,
        )
        with self._lock:
            self._connection.execute("INSERT INTO sittings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            self._remember(kept)
        return kept

    def live(self, key: str) -> StoredSession | None:
        """The game with this key if it is in memory."""
        with self._lock:
            if key in self._live:
                self._live.move_to_end(key)
            return self._live.get(key)

    def find(self, key: str) -> StoredSession:
        """The game with this key, or Unknown."""
        if kept := self.live(key):
            return kept
        with self._lock:
            row = self._connection.execute(
                "SELECT game, rules, side, seed, opponent, record, created FROM sittings WHERE key = ?", (key,)
            ).fetchone()
        if row is None:
            raise Unknown("there is no such game")
        name, version, side, seed, opponent, record, created = row
        game = find_game(name)
        if version != game.version:
            raise Unknown(f"this game was played by version {version} of the rules of {name}, which have changed since")
        words, number = json.loads(opponent), int(seed)
        sitting = PersonSession(game, thaw_opponent(game, words, self.store, number), side, number, json.loads(record))
        with self._lock:
            return self._remember(StoredSession(key, words["words"], created, sitting))

    def keep(self, kept: StoredSession) -> None:
        """Write down how far a game has come."""
        with self._lock:
            self._connection.execute(
                "UPDATE sittings SET record = ?, touched = ? WHERE key = ?",
                (json.dumps(kept.sitting.record), time.time(), kept.key),
            )

    def _remember(self, kept: StoredSession) -> StoredSession:
        """Keep a game in memory, and forget those that were not asked for longest."""
        kept = self._live.setdefault(kept.key, kept)
        for key in list(self._live)[: max(len(self._live) - LIVE, 0)]:
            if not self._live[key].thinking.is_set():
                del self._live[key]
        return kept

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
