"""The file that holds the runs: one SQLite database, and its faults as plain sentences.

A writer keeps one connection in WAL mode, where a commit is on the disk before it returns. A reader opens the file anew
for every question, in whatever way writes nothing, so that it can neither hold up a run nor leave anything behind.
"""

import errno
import os
import shutil
import sqlite3
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TypeVar

from .locks import ALL, beside, mutex, presence, read_marks, seal

APPLICATION = 0x466F6753  # "FogS"
VERSION = 1
PAGE = 4096
PATIENCE = 60.0  # seconds to wait for another process to finish its transaction
ATTEMPTS = 20
SYNC_SECONDS = 1.0
MAKING = 0  # the lock for making the file; runs are numbered from 1
TABLES = [
    "CREATE TABLE meta (one INTEGER PRIMARY KEY, store BLOB, runs INTEGER, seal BLOB)",
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, name TEXT, ask TEXT, created REAL, length INTEGER, head BLOB,"
    " sessions INTEGER, seal BLOB)",
    "CREATE TABLE rows (run INTEGER, number INTEGER, kind TEXT, body TEXT, digest BLOB,"
    " PRIMARY KEY (run, number)) WITHOUT ROWID",
    "CREATE TABLE sessions (run INTEGER, number INTEGER, pid INTEGER, host TEXT, started REAL, seen REAL, seconds REAL,"
    " seal BLOB, PRIMARY KEY (run, number)) WITHOUT ROWID",
    "CREATE TABLE partials (run INTEGER PRIMARY KEY, body TEXT, seal BLOB)",
]
REPAIR = "`fogspiel doctor --repair` keeps all up to the last good row, and `fogspiel resume` recomputes the rest"

T = TypeVar("T")
Committed = Mapping[int, int]  # how many rows of each run are known to be committed
Question = Callable[[sqlite3.Connection, Committed], T]


class StoreError(Exception):
    """The store cannot do what was asked: one sentence that says what is wrong and what would be right."""


class Busy(StoreError):
    """Another process, or another part of this one, is at work there."""


class Damaged(StoreError):
    """Something in the store is not what was written: names the run and the row where they are known."""

    def __init__(self, what: str, run: str | None = None, row: int | None = None) -> None:
        self.what, self.run, self.row = what, run, row
        super().__init__(f"{place(run, row)}{what}; {REPAIR}")


def place(run: str | None, row: int | None) -> str:
    """Where something is, as the beginning of a sentence."""
    return "" if run is None else f"run {run}: " if row is None else f"run {run}, row {row}: "


# ---- faults ----------------------------------------------------------------------------------------------------------


def plain(path: Path, error: Exception) -> StoreError:
    """What SQLite or the system complains about, as one clear sentence."""
    code, number = getattr(error, "sqlite_errorcode", 0) & 0xFF, getattr(error, "errno", None)
    failed = code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
    if code == sqlite3.SQLITE_FULL or number in (errno.ENOSPC, errno.EDQUOT) or (failed and _room(path) < 1 << 16):
        return StoreError(f"the disk of {path} is full: nothing committed is lost; free some space and resume the run")
    if code == sqlite3.SQLITE_PERM or number in (errno.EACCES, errno.EPERM):
        return StoreError(f"{path} may not be opened: ask its owner for permission, or choose another store")
    if code == sqlite3.SQLITE_READONLY or number == errno.EROFS:
        return _read_only(path, path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return Busy(f"{path} has been kept locked by another program for {PATIENCE:.0f} seconds: close that program")
    if failed or number is not None:
        return StoreError(f"{path} could not be read or written ({error}): check the disk; nothing committed is lost")
    return Damaged(f"{path} is damaged ({error})")


def is_damage(error: Exception) -> bool:
    """Whether SQLite complains about what is in the file, not about disk, locks or permissions."""
    return isinstance(plain(Path(), error), Damaged)


@contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Turn every complaint of SQLite or the system inside the block into one clear sentence."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # a fault of ours, not of the file
    except (sqlite3.Error, OSError) as error:
        raise plain(path, error) from error


def _room(path: Path) -> int:
    """How many bytes are free on the disk of `path`."""
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return sys.maxsize


def _read_only(path: Path, culprit: Path) -> StoreError:
    return StoreError(f"{path} cannot be written: {culprit} is read-only; allow writing, or choose another store")


def _demand_writable(path: Path) -> None:
    """Refuse a file or folder without permission to write, even to root, whom the system would let through."""
    folder = next(folder for folder in path.parents if folder.exists())
    for culprit in (path, folder) if path.exists() else (folder,):
        if not (culprit.stat().st_mode & 0o222 and os.access(culprit, os.W_OK)):
            raise _read_only(path, culprit)


def examine(path: Path) -> None:
    """Refuse, without touching it, whatever exists and is not a whole store that this version can read."""
    if not path.exists():
        return
    kind = path.stat().st_mode
    if stat.S_ISDIR(kind):
        raise StoreError(f"{path} is a directory: name a file in it, for example {path / 'runs.db'}")
    if not stat.S_ISREG(kind):
        raise StoreError(f"{path} is not an ordinary file: choose another store")
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        raise StoreError(f"{path} is empty, not a fogspiel store: delete it, or choose another store")
    if not header.startswith(b"SQLite format 3\0"[: len(header)]):
        raise StoreError(f"{path} is not a fogspiel store: choose another store")
    if len(header) < 100:
        raise StoreError(f"{path} is truncated after {len(header)} bytes: restore it from a copy")
    version, application = int.from_bytes(header[60:64], "big"), int.from_bytes(header[68:72], "big")
    if application != APPLICATION:
        raise StoreError(f"{path} is an SQLite file of another program, not a fogspiel store: choose another store")
    if version > VERSION:
        raise StoreError(f"{path} was written by a newer fogspiel (format {version}, known up to {VERSION}): upgrade")
    page, layout, encoding = int.from_bytes(header[16:18], "big"), header[18:24], int.from_bytes(header[56:60], "big")
    if (version, page, layout, encoding) != (VERSION, PAGE, b"\2\2\0\x40\x20\x20", 1):
        raise StoreError(f"{path} has a damaged header: restore it from a copy")
    whole = int.from_bytes(header[28:32], "big") * PAGE
    # The log is looked for before the size is: a writer who closes completes the file first, then removes the log.
    if not _has_content(beside(path, "-wal")) and (size := path.stat().st_size) < whole:
        raise StoreError(f"{path} is truncated: {size} of {whole} bytes are left; restore it from a copy")


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


# ---- the file --------------------------------------------------------------------------------------------------------


def connect(path: Path, how: str) -> sqlite3.Connection:
    """Open a database; text that is no longer text comes through as well, for the checksums to refuse."""
    address = f"{path.as_uri()}?{how}"
    connection = sqlite3.connect(address, PATIENCE, isolation_level=None, check_same_thread=False, uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    connection.execute("PRAGMA cell_size_check=ON")
    return connection


def _lay_out(connection: sqlite3.Connection) -> None:
    """Make the tables of a store without runs."""
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    for table in TABLES:
        connection.execute(table)
    store = os.urandom(16)
    connection.execute("INSERT INTO meta VALUES (1, ?, 0, ?)", (store, seal("meta", store, 0)))


def _definitions(connection: sqlite3.Connection) -> list[str]:
    try:
        return [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master ORDER BY rootpage")]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # SQLite may quote damaged text in its complaint
        if not is_damage(error):
            raise
        return []


def _build(path: Path) -> None:
    """Make an empty store under another name and move it into place: what has the final name is always whole."""
    draft = beside(path, "-new")
    for left in (draft, beside(draft, "-wal"), beside(draft, "-shm"), beside(path, "-wal"), beside(path, "-shm")):
        left.unlink(missing_ok=True)  # a log without its database would be replayed into the new one
    with closing(connect(draft, "mode=rwc")) as connection:
        connection.execute(f"PRAGMA page_size={PAGE}")
        connection.execute("PRAGMA auto_vacuum=NONE")
        if connection.execute("PRAGMA journal_mode=WAL").fetchone() != ("wal",):
            raise StoreError(f"{path} lies on a file system that cannot share memory: choose a local disk")
        _lay_out(connection)
    os.replace(draft, path)
    if sys.platform != "win32":
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def _copy(path: Path, copy: Path) -> None:
    """Copy a database with its log."""
    for ending in ("", "-wal"):
        if beside(path, ending).exists():
            shutil.copyfile(beside(path, ending), beside(copy, ending))


def _stamp(path: Path) -> tuple[object, ...]:
    facts = path.stat()
    return facts.st_ino, facts.st_size, facts.st_mtime_ns, _has_content(beside(path, "-wal"))


@contextmanager
def _reader(path: Path) -> Iterator[tuple[sqlite3.Connection, Callable[[], bool]]]:
    """A connection that writes nothing, and a test whether the file stood still meanwhile, where that matters."""
    with ExitStack() as stack:
        if not path.exists():
            connection, steady = sqlite3.connect(":memory:", isolation_level=None), lambda: True
            _lay_out(connection)
        elif not _has_content(beside(path, "-wal")):  # no process writes: SQLite needs no companion files to read
            before = _stamp(path)
            connection, steady = connect(path, "mode=ro&immutable=1"), lambda: _stamp(path) == before
        elif beside(path, "-shm").exists():
            connection, steady = connect(path, "mode=ro"), lambda: True
        else:  # a store copied with its log: SQLite would write beside it to read it
            copy = Path(stack.enter_context(tempfile.TemporaryDirectory())) / path.name
            _copy(path, copy)
            connection, steady = connect(copy, "mode=rw"), lambda: True
        yield stack.enter_context(closing(connection)), steady


def identity(connection: sqlite3.Connection) -> bytes:
    """The number that tells this store from any other that may have lain in its place."""
    found = connection.execute("SELECT store FROM meta").fetchone()
    return found[0] if found else b""


def _answer(connection: sqlite3.Connection, marks: bytes, question: Question[T]) -> T:
    """The answer to a question from one snapshot."""
    connection.execute("BEGIN")
    try:
        if _definitions(connection) != TABLES:
            raise Damaged("the definitions of the tables are damaged")
        return question(connection, read_marks(marks, identity(connection)))
    finally:
        if connection.in_transaction:
            connection.rollback()


def disorder(connection: sqlite3.Connection) -> str | None:
    """What SQLite finds wrong with the pages of its file."""
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return None if found == "ok" else f"the pages of the store are in disorder ({found.splitlines()[-1]})"


class File:
    """An open store file: answers a question from one snapshot, makes a change in one transaction."""

    def __init__(self, path: Path, *, write: bool) -> None:
        self._guard = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._orderly = False
        self._synced = 0.0
        with plainly(path), ExitStack() as stack:
            self.path = Path(os.path.realpath(path))
            if write:
                _demand_writable(self.path)
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self.here = stack.enter_context(presence(self.path, examine, create=write))
            if write:
                self._make_if_missing()
                self._connection = connect(self.path, "mode=rw")
            self._stack = stack.pop_all()
            if not write:
                self._stack.close()

    def _make_if_missing(self) -> None:
        if not self.path.exists():
            if not self.here.take(MAKING, patience=PATIENCE):
                raise Busy(f"{self.path} is being made by another process: try again")
            try:
                if not self.path.exists():
                    self.here.forget_marks()
                    _build(self.path)
            finally:
                self.here.release(MAKING)

    def ask(self, question: Question[T]) -> T:
        """Put a question to one snapshot of the store; its rows are at least those that the marks speak of."""
        if self._connection is not None:
            with self._guard, plainly(self.path):
                return _answer(self._connection, self.here.marks(), question)
        for _ in range(ATTEMPTS):
            user = presence(self.path, examine, create=False)
            with plainly(self.path), user as here, _reader(self.path) as (reader, steady):
                try:
                    answer = _answer(reader, here.marks(), question)
                except (StoreError, sqlite3.Error):
                    if steady():
                        raise
                else:
                    if steady():
                        return answer
        raise Busy(f"{self.path} changes too fast to be read: try again")

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """One transaction: when the block ends it is done or undone, whatever happens to this process.

        Waiting for the disk takes milliseconds, so that happens once a second: a power cut can cost the last second.
        """
        with self._guard, plainly(self.path):
            connection = self._writer()
            wait = time.monotonic() >= self._synced + SYNC_SECONDS
            connection.execute(f"PRAGMA synchronous={'FULL' if wait else 'NORMAL'}")
            connection.execute("PRAGMA fullfsync=ON")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
                if wait:
                    self._synced = time.monotonic()
            finally:
                if connection.in_transaction:
                    connection.rollback()

    def _writer(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError(f"{self.path} is open for reading only: open it for writing")
        return self._connection

    def demand_order(self) -> None:
        """Refuse to write into a file whose pages are in disorder, which would spread the damage."""
        self._writer()
        if not self._orderly and (what := self.ask(lambda connection, committed: disorder(connection))):
            raise Damaged(what)
        self._orderly = True

    def mark(self, run: int, length: int) -> None:
        """Note outside the database how many rows of a run are committed."""
        with self._guard, plainly(self.path):
            self.here.mark(identity(self._writer()), run, length)

    def fold(self) -> None:
        """Move what is committed from the log into the file itself, where a damaged log cannot take it away."""
        with self._guard, suppress(sqlite3.OperationalError):  # the log alone will do as well
            self._writer().execute("PRAGMA wal_checkpoint(PASSIVE)")

    def running(self, run: int) -> bool:
        """Whether some process is working on the run."""
        with plainly(self.path), presence(self.path, examine, create=False) as here:
            return here.taken(run)

    def rebuild(self, salvage: Callable[[sqlite3.Connection, sqlite3.Connection], T]) -> tuple[Path, T]:
        """Copy the file aside, let `salvage` carry over what is good, and put that in place in one transaction."""
        with self._guard, mutex, plainly(self.path), ExitStack() as stack:
            writer = self._writer()
            if self.here.users > 1 or not self.here.take(MAKING, ALL):
                raise Busy(f"{self.path} is in use: stop every run in it, then repair it")
            stack.callback(self.here.release, MAKING, ALL)
            writer.close()
            stack.callback(self._reopen)
            backups = (beside(self.path, f".backup-{number}") for number in count(1))
            backup = next(path for path in backups if not path.exists())
            _copy(self.path, backup)
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=self.path.parent)))
            _copy(self.path, folder / "old")
            _build(folder / "new")
            _renew_definitions(folder / "old", folder / "new")
            with (
                closing(connect(folder / "old", "mode=rw")) as old,
                closing(connect(folder / "new", "mode=rw")) as new,
                closing(connect(self.path, "mode=rw")) as target,
            ):
                answer = salvage(old, new)
                new.backup(target)
            self.here.forget_marks()
            return backup, answer

    def _reopen(self) -> None:
        self._connection = connect(self.path, "mode=rw")

    def close(self) -> None:
        """Close the file and give back every lock."""
        with self._guard, plainly(self.path):
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            self._stack.close()


def _renew_definitions(path: Path, pattern: Path) -> None:
    """Replace a damaged first page: it defines the tables, which lie on the same pages in every store."""
    with closing(connect(path, "mode=rw")) as connection:
        if _definitions(connection) == TABLES:
            return
    content = bytearray(path.read_bytes())
    content[:PAGE] = pattern.read_bytes()[:PAGE]
    content[28:32] = (len(content) // PAGE).to_bytes(4, "big")
    path.write_bytes(content)
