"""Sessions of people against agents, saved in a file so that they can be resumed.

A session is found by its key, 144 random bits that only its person has. An opponent from a run that may still change
is saved as numbers. The file is separate from the store of runs, which is only read here. Only its owner may read it,
because it contains seeds.
"""

import json
import math
import os
import secrets
import sqlite3
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..core.agents import Agent, PolicyJson, decode_policy_or_none, encode_policy
from ..core.game import Game, known_game, nothing_hidden
from ..core.page_contract import PlaySupport, Preparation, play_support, play_supports
from ..core.session import PersonSession
from ..runs.agent_parser import engines_of, is_general, parse_agent
from . import JsonObject
from .opponents import demand_page_agent
from .session_json import Transcript

# Sessions in memory, and those of engines among them, whose trees and boards may take some megabytes each.
#
# The others are restored from their records on request.
MAX_LIVE, MAX_LIVE_ENGINES = 128, 16
KEY_BYTES = 18
OWNER_ONLY = 0o600
TABLE = """CREATE TABLE IF NOT EXISTS sittings (
    key TEXT PRIMARY KEY, game TEXT, rules INTEGER, side INTEGER, seed TEXT, opponent TEXT, record TEXT,
    created REAL, touched REAL, resigned INTEGER DEFAULT 0, mark INTEGER, agreed INTEGER DEFAULT 0) WITHOUT ROWID"""
COLUMNS = "key, game, rules, side, seed, opponent, record, created, touched"
OUTLINE = "game, rules, side, opponent, created, mark, resigned"
# Columns missing in files of earlier versions; a mark is the index of the person's payoff, once it is known.
LATER = {"resigned": "INTEGER DEFAULT 0", "mark": "INTEGER", "agreed": "INTEGER DEFAULT 0"}


# Schedule of replies: response times reveal nothing about how a reply was found.
#
# An opponent whose attempts were illegal searches longer, so the time of its reply would reveal hidden information.
# Every reply is therefore delayed to the end of a slot, fixed by the opponent and counted since its turn began.
# A longer turn is delayed to twice the slot, four times, eight times, and so on. Where the slot alone does not hold a
# turn with its attempts, each of which takes as long as the first, every turn counts as one of ATTEMPTS attempts: those
# of an opponent without a time for its whole turn, and all on a machine so busy that turns have left their slots.

Slots = Callable[[Game, str], float]  # slot in seconds, by the game and the text of the opponent
QUICK_SECONDS = 0.1  # slot of a strategy, whose turn takes some milliseconds with all its attempts
# Slot of an engine: the time for beliefs and the last attempt, plus the time for its turn with a margin.
ENGINE_SECONDS, ENGINE_SHARE = 0.4, 1.25
# From LONG slots on the delay grows by the factor LONGER only: compiling a kernel takes long enough as it is.
LONG, LONGER = 8, 1.25
# Latest turns that determine a slot, and first turns that do not, when kernels may be compiled.
LATEST, FIRST = 16, 2
ATTEMPTS = 3


def is_thinker(game: Game, words: str) -> bool:
    """True if an opponent is an engine that searches, which takes time and memory."""
    name = words.partition("@")[0]
    return is_general(game, words) or (name in engines_of(game) and name not in play_support(game).simple)


def fitting_seconds(game: Game, words: str) -> float:
    """Return the seconds of a first attempt up to which an opponent's slot holds its turn with all attempts.

    An engine with a time for its turn leaves its slot on a busy machine only. One without such a time thinks anew after
    each refusal.
    """
    if not is_thinker(game, words):
        return math.inf
    seconds = None if is_general(game, words) else play_support(game).effort_of(words).seconds
    return 0.0 if seconds is None else slot_seconds(game, words)


def slot_seconds(game: Game, words: str) -> float:
    """Return the slot of an opponent; 0 where both sides see everything."""
    if game.resample is nothing_hidden:
        return 0.0
    if not is_thinker(game, words):
        return QUICK_SECONDS
    return ENGINE_SECONDS + ENGINE_SHARE * (play_support(game).effort_of(words).seconds or 0)


@dataclass
class ReplySchedule:
    """Slots of an opponent at a game; they stay long where turns are repeatedly long, as with many nodes."""

    slot: float
    fits: float = math.inf  # seconds of a first attempt up to which the slot holds the whole turn
    # Slots that the latest turns needed.
    _latest: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))
    _turns: int = 0

    def wait_seconds(self, seconds: float, usual: bool = True, first: float = 0.0) -> float:
        """Return the delay of a reply that took this many seconds, its first attempt `first`, and record the turn.

        A turn during which kernels are compiled (not `usual`) has a long slot and is not recorded.
        """
        if self.slot == 0:
            return 0.0
        # The second longest, so that one slow turn on a busy machine does not delay the others
        before = sorted(self._latest)[-2] if len(self._latest) > 1 else self.slot
        self._turns += 1
        if self._turns > FIRST and usual:
            self._latest.append(self._end_of(seconds, self.slot))
        fits = first <= self.fits and before == self.slot
        shown = self._end_of(
            seconds if fits else max(seconds, ATTEMPTS * first), self.slot if usual else LONG * self.slot
        )
        return max(shown, before) - seconds

    def _end_of(self, seconds: float, end: float) -> float:
        """Return the end of the slot in which a turn of this many seconds ends, `end` or later."""
        while end < seconds:
            end *= 2 if end < LONG * self.slot else LONGER
        return end


class UnknownSession(ValueError):
    """Unknown session key, or a session that cannot be resumed."""


class SessionFileError(Exception):
    """Session file that cannot be read or written, or a damaged session in it."""


@dataclass
class StoredSession:
    """Session with its key and opponent; changes require the lock."""

    key: str
    against: str
    session: PersonSession
    release: ReplySchedule  # when the opponent's replies may be shown
    lock: threading.RLock = field(default_factory=threading.RLock)
    # Set while the opponent moves: the session then belongs to its thread.
    thinking: threading.Event = field(default_factory=threading.Event)
    answer: JsonObject | None = None  # the state last shown to the person
    transcript: Transcript = field(default_factory=Transcript)
    preparation: Preparation | None = None  # the engine's, while its kernels may have to be compiled
    support: PlaySupport = field(init=False)
    has_thinker: bool = field(init=False)  # true if the opponent is an engine that searches

    def __post_init__(self) -> None:
        self.support = play_support(self.session.game)
        self.has_thinker = is_thinker(self.session.game, self.against)

    def meanwhile(self) -> AbstractContextManager[None]:
        """Return a context in which the session does not wait for kernels that are being compiled."""
        return self.preparation.meanwhile() if self.preparation else nullcontext()


def game_by_rules(name: str, rules: str) -> Game:
    """Return a game under one of its rule sets, or raise a ValueError.

    A game with one rule set also accepts the name of another game's default.
    """
    game = known_game(name)
    if not rules:
        return game
    if play_support(game).rule_sets:
        return play_support(game).by_rules(rules)
    for other, support in play_supports().items():
        if support.rule_sets and (chosen := support.find_rules(rules).name) != support.rule_sets[0].name:
            raise ValueError(f"{game.name} has one set of rules: {chosen} is for {other}")
    return game


def find_kept_game(text: str) -> Game:
    name, _, rules = text.partition(" ")
    return game_by_rules(name, rules)


class Opponent(PolicyJson):
    """Opponent as saved: its text, and its numbers where the meaning of the text may change."""

    words: str


def freeze_opponent(game: Game, text: str, store: Path, seed: int) -> Opponent:
    """Return the opponent of a text in a form that will not change."""
    demand_page_agent(game, text)
    return {"words": text, **encode_policy(game, parse_agent(game, text, store, seed))}


def thaw_opponent(game: Game, opponent: Opponent, store: Path, seed: int) -> Agent:
    text, numbers = opponent["words"], opponent
    demand_page_agent(game, text)
    if opponent.get("weights") == []:  # files of earlier versions store a vector as a mixture without weights
        numbers = {"words": text, "theta": opponent["thetas"][0]}
    return decode_policy_or_none(game, numbers, text) or play_support(game).in_wall_time(
        text, parse_agent(game, text, store, seed)
    )


class SessionRow(NamedTuple):
    game: str
    version: int
    side: int
    seed: int
    opponent: Opponent
    record: list[int]
    resigned: bool
    agreed: bool


class SessionSummary(NamedTuple):
    """Summary of a game in a list, without hidden information or the game's length."""

    game: Game
    side: int
    against: str
    began: float  # Unix time in seconds
    mark: int | None  # index of the person's payoff, once the game is over and its end may be shown
    resigned: bool


def parse_outline(
    name: str, version: object, side: object, opponent: str, began: object, mark: object, resigned: object
) -> SessionSummary:
    """Decode the summary of a session; any error means that it is damaged or of other rules."""
    game, words = find_kept_game(name), json.loads(opponent)["words"]
    if version != game.version or side not in (0, 1) or not isinstance(words, str) or not isinstance(began, float):
        raise ValueError("a field is not what it should be")
    if mark is not None and not (isinstance(mark, int) and 0 <= mark <= game.max_score):
        raise ValueError("the result is no payoff of the game")
    return SessionSummary(game, int(side == 1), words, began, mark, resigned == 1)


def parse_row(
    game: object, version: object, side: object, seed: str, opponent: str, record: str, resigned: object, agreed: object
) -> SessionRow:
    """Decode a session; any error means that it is damaged."""
    found, actions = json.loads(opponent), json.loads(record)
    if not (isinstance(game, str) and isinstance(version, int) and side in (0, 1) and isinstance(found["words"], str)):
        raise ValueError("a field has a wrong type")
    if not isinstance(actions, list) or not all(type(action) is int and abs(action) < 2**63 for action in actions):
        raise ValueError("an action is not a number")
    if resigned not in (0, 1) or agreed not in (0, 1):
        raise ValueError("how the game ended is not known")
    return SessionRow(game, version, int(side == 1), int(seed), found, actions, resigned == 1, agreed == 1)


class SessionStore:
    """Sessions of a file; thread-safe."""

    def __init__(self, path: Path, store: Path, slots: Slots = slot_seconds):
        self.path, self.store, self._slots = path, store, slots
        self._schedules: dict[tuple[str, str], ReplySchedule] = {}
        self._live: OrderedDict[str, StoredSession] = OrderedDict()
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, OWNER_ONLY))
            path.chmod(OWNER_ONLY)  # files of earlier versions could be read by all; SQLite's log gets the same mode
            self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute(TABLE)
            columns = [row[1] for row in self._connection.execute("PRAGMA table_info(sittings)")]
            for column in LATER.keys() - columns:
                self._connection.execute(f"ALTER TABLE sittings ADD COLUMN {column} {LATER[column]}")
        except (OSError, sqlite3.Error) as error:
            raise ValueError(f"games cannot be kept in {path}: {error}") from None

    @contextmanager
    def _file(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection for one statement; errors of SQLite become a SessionFileError."""
        try:
            with self._lock:
                yield self._connection
        except sqlite3.Error as error:
            raise SessionFileError(
                f"the file of games, {self.path.name}, cannot be used ({error}): move it away and start the page anew"
            ) from None

    def create(self, game: Game, against: str, side: int, record: Sequence[int] = ()) -> StoredSession:
        """Begin a game, from its start or after the actions of a record."""
        seed, key, now = secrets.randbits(63), secrets.token_urlsafe(KEY_BYTES), time.time()
        opponent = freeze_opponent(game, against, self.store, seed)
        session = PersonSession(game, thaw_opponent(game, opponent, self.store, seed), side, seed, record)
        rules = play_support(game).rules_of(session)  # empty for the default
        name = f"{game.name} {rules}" if rules else game.name
        row = (key, name, game.version, side, str(seed), json.dumps(opponent), json.dumps(session.record), now, now)
        with self._file() as file:
            file.execute(f"INSERT INTO sittings ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return self._remember(StoredSession(key, against, session, self._schedule(game, against)))

    def _schedule(self, game: Game, words: str) -> ReplySchedule:
        """Return the schedule of an opponent, which all its games share: in a short game too few turns are known."""
        if len(self._schedules) >= MAX_LIVE:
            self._schedules.clear()
        found = ReplySchedule(self._slots(game, words), fitting_seconds(game, words))
        return self._schedules.setdefault((game.name, words), found)

    def live(self, key: str) -> StoredSession | None:
        with self._lock:
            if key in self._live:
                self._live.move_to_end(key)
            return self._live.get(key)

    def find(self, key: str) -> StoredSession:
        """Return the session with this key, or raise UnknownSession."""
        if stored := self.live(key):
            return stored
        began = time.monotonic()
        row = self._read(key)
        game, words = find_kept_game(row.game), row.opponent["words"]
        if row.version != game.version:
            raise UnknownSession(
                f"this game was played by version {row.version} of the rules of {row.game}, which have changed since"
            )
        slot, session = self._slots(game, words), self._take_up(game, row)
        # the record's length reveals illegal attempts, so the time of its replay must not show
        time.sleep(ReplySchedule(min(slot, ENGINE_SECONDS)).wait_seconds(time.monotonic() - began))
        return self._remember(StoredSession(key, words, session, self._schedule(game, words)))

    def _read(self, key: str) -> SessionRow:
        with self._file() as file:
            row = file.execute(
                "SELECT game, rules, side, seed, opponent, record, resigned, agreed FROM sittings WHERE key = ?", (key,)
            ).fetchone()
        if row is None:
            raise UnknownSession("there is no such game")
        try:
            return parse_row(*row)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise self._damage() from None

    def outline(self, key: str) -> SessionSummary | None:
        """Return the summary of a session without loading it; None where there is none."""
        with self._file() as file:
            row = file.execute(f"SELECT {OUTLINE} FROM sittings WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        stored = self.live(key)
        try:
            found = parse_outline(*row)
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        thinking = stored is not None and stored.thinking.is_set()
        return found._replace(mark=None) if thinking else found  # its end is shown when the slot ends

    def _take_up(self, game: Game, row: SessionRow) -> PersonSession:
        """Restore a session; an opponent that may not be played here is a ValueError."""
        try:
            agent = thaw_opponent(game, row.opponent, self.store, row.seed)
        except (TypeError, KeyError, IndexError, AttributeError):
            raise self._damage() from None
        try:
            return PersonSession(game, agent, row.side, row.seed, row.record, row.resigned, row.agreed)
        except (ValueError, IndexError, OverflowError):
            raise self._damage() from None

    def _damage(self) -> SessionFileError:
        return SessionFileError(f"this game is damaged in {self.path.name} and cannot be taken up: begin another")

    def save(self, stored: StoredSession) -> None:
        session = stored.session
        ends = int(session.resigned), int(session.agreed), session.mark
        row = (json.dumps(session.record), time.time(), *ends, stored.key)
        with self._file() as file:
            file.execute(
                "UPDATE sittings SET record = ?, touched = ?, resigned = ?, agreed = ?, mark = ? WHERE key = ?", row
            )

    def _remember(self, stored: StoredSession) -> StoredSession:
        """Keep a session in memory, and evict those requested longest ago."""
        with self._lock:
            stored = self._live.setdefault(stored.key, stored)
            engines = [key for key, known in self._live.items() if known.has_thinker]
            spare = {*engines[: max(len(engines) - MAX_LIVE_ENGINES, 0)]}
            spare |= {*list(self._live)[: max(len(self._live) - MAX_LIVE, 0)]}
            for key in spare:
                known = self._live[key]
                if not known.thinking.is_set() and known.lock.acquire(blocking=False):  # nobody acts in it
                    del self._live[key]
                    known.lock.release()
            return stored

    def forget(self, key: str) -> None:
        """Remove a session from memory, so that it is read from the file again."""
        with self._lock:
            self._live.pop(key, None)

    def close(self) -> None:
        with self._lock:
            self._connection.close()
