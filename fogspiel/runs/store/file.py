"""The SQLite file of a store, read from snapshots and changed by transactions.

A writer has one connection in WAL mode, where a commit outlives its process. A reader opens the file for each query
without writing, so that it neither delays a run nor leaves files behind.
"""

import errno
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TypeVar

from . import faults
from .faults import PATIENCE, Damaged, StoreBusy, StoreError, StoreMoved, beside, has_content, plainly, seal

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
DRAFT = "-draft"  # suffix of a store under construction
REPAIR_FOLDER = "-repair"
COMPANIONS = ("", "-wal", "-shm", "-journal")
ATTEMPTS = 20
SYNC_SECONDS = 1.0
MAKING = 0  # the lock for creating the file; runs are numbered from 1
FOLDING = faults.ALL - 1  # the lock for checkpointing: folding the log into the file
LOG_LIMIT = 4 << 20  # bytes of a log that is folded into the file unless a reader blocks it
WAITING_LIMIT = 3  # times LOG_LIMIT: beyond it folding waits for readers, so the log stays below 4 LOG_LIMIT
READERS_PATIENCE = 5.0  # seconds: short for a hanging reader, and many times the length of a query
WRITERS_PATIENCE = 0.05  # seconds, for a current transaction: SQLite would fold concurrently, without its lock

T = TypeVar("T")
Committed = Mapping[int, int]  # numbers of committed rows by run
Query = Callable[[sqlite3.Connection, Committed], T]


def connect(path: Path, how: str) -> sqlite3.Connection:
    """Open a database; invalid UTF-8 is passed through for the checksums to reject."""
    address = f"{path.as_uri()}?{how}"
    connection = sqlite3.connect(address, PATIENCE, isolation_level=None, check_same_thread=False, uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    connection.execute("PRAGMA cell_size_check=ON")
    return connection


def lay_out(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN")
    connection.execute(f"PRAGMA application_id={faults.APPLICATION}")
    connection.execute(f"PRAGMA user_version={faults.VERSION}")
    for table in TABLES:
        connection.execute(table)
    store = os.urandom(16)
    connection.execute("INSERT INTO meta VALUES (1, ?, 0, ?)", (store, seal("meta", store, 0)))
    connection.execute("COMMIT")


def identity(connection: sqlite3.Connection) -> bytes:
    """Return the random identity of this store, which differs from any other file at its path."""
    found = connection.execute("SELECT store FROM meta").fetchone()
    return found[0] if found else b""


def definitions(connection: sqlite3.Connection) -> list[str]:
    """Return the table definitions; empty if these are damaged."""
    try:
        return [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master ORDER BY rootpage")]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # SQLite may quote damaged text in its message
        if not faults.is_damage(error):
            raise
        return []


def renew_definitions(path: Path, pattern: Path) -> None:
    """Replace a damaged first page: it defines the tables, which are on the same pages in every store."""
    with closing(connect(path, "mode=rw")) as connection:
        if definitions(connection) == TABLES:
            return
    content = bytearray(path.read_bytes())
    content[: faults.PAGE] = pattern.read_bytes()[: faults.PAGE]
    content[28:32] = (len(content) // faults.PAGE).to_bytes(4, "big")
    path.write_bytes(content)


def build(path: Path) -> None:
    """Create an empty store under another name and move it into place: the final name is always a complete store."""
    for left in ("-wal", "-shm"):  # a log without its database would be replayed into the new one
        beside(path, left).unlink(missing_ok=True)
    with draft_of(path) as draft, closing(connect(draft, "mode=rwc")) as connection:
        connection.execute(f"PRAGMA page_size={faults.PAGE}")
        connection.execute("PRAGMA auto_vacuum=NONE")
        if connection.execute("PRAGMA journal_mode=WAL").fetchone() != ("wal",):
            raise StoreError(f"{path} lies on a file system that cannot share memory: choose a local disk")
        lay_out(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Yield a temporary path for a new database; rename it to `path` at the end, once all of it is on the disk."""
    draft = beside(path, DRAFT)
    discard(draft)
    try:
        yield draft
        if has_content(beside(draft, "-wal")):  # SQLite reports nothing if it cannot fold the log on closing
            raise StoreError(f"{path} could not be written whole: check the disk and its free space, then try again")
        sync(draft)
        sync_folder(path)
        os.replace(draft, path)
        sync_folder(path)
    except BaseException:
        with suppress(OSError):
            discard(draft)
        raise


def discard(draft: Path) -> None:
    for ending in COMPANIONS:
        beside(draft, ending).unlink(missing_ok=True)


def sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Flush a file's directory entry to the disk; Windows has no such call."""
    if sys.platform != "win32":
        sync(path.parent)


def copy_files(path: Path, copy: Path) -> None:
    for ending in ("", "-wal"):
        if beside(path, ending).exists():
            shutil.copyfile(beside(path, ending), beside(copy, ending))


def disorder(connection: sqlite3.Connection) -> str | None:
    """Return the first error of SQLite's page check, if any."""
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    code = re.search(r"error code=(\d+)", found)
    if code and int(code[1]) & 0xFF == sqlite3.SQLITE_IOERR:
        raise OSError(errno.EIO, os.strerror(errno.EIO))  # the disk is at fault, not its content
    return None if found == "ok" else f"the pages of the store are in disorder ({found.splitlines()[-1]})"


# ---- an open file ----------------------------------------------------------------------------------------------------


def _stamp(path: Path) -> tuple[object, ...]:
    facts = path.stat()
    return facts.st_ino, facts.st_size, facts.st_mtime_ns, has_content(beside(path, "-wal"))


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def _unused(path: Path, ending: str) -> Path:
    return next(name for number in count(1) if not (name := beside(path, f"{ending}-{number}")).exists())


@contextmanager
def _reader(path: Path) -> Iterator[tuple[sqlite3.Connection, Callable[[], bool]]]:
    """Yield a connection that writes nothing, and a test that the file did not change meanwhile, if that matters."""
    with ExitStack() as stack:
        if not path.exists():
            connection, steady = sqlite3.connect(":memory:", isolation_level=None), lambda: True
            lay_out(connection)
        elif beside(path, "-wal").exists() and beside(path, "-shm").exists():
            connection, steady = connect(path, "mode=ro"), lambda: True
        elif not has_content(beside(path, "-wal")):  # no process writes: SQLite needs no companion files to read
            before = _stamp(path)
            connection, steady = connect(path, "mode=ro&immutable=1"), lambda: _stamp(path) == before
        else:  # a store copied with its log: SQLite would write companion files to read it
            copy = Path(stack.enter_context(tempfile.TemporaryDirectory())) / path.name
            copy_files(path, copy)
            connection, steady = connect(copy, "mode=rw"), lambda: True
        yield stack.enter_context(closing(connection)), steady


def _answer(connection: sqlite3.Connection, marks: bytes, question: Query[T]) -> T:
    connection.execute("BEGIN")
    try:
        if definitions(connection) != TABLES:
            raise Damaged("the definitions of the tables are damaged")
        return question(connection, faults.read_marks(marks, identity(connection)))
    finally:
        if connection.in_transaction:
            connection.rollback()


class StoreFile:
    """An open store file: queries see one snapshot, changes are one transaction."""

    def __init__(self, path: Path, *, write: bool) -> None:
        self._guard = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._orderly = False
        self._synced = 0.0
        self._waits: bool | None = None  # last setting passed to SQLite
        self._longest_log = LOG_LIMIT
        self._displaced: StoreMoved | None = None
        with plainly(path), ExitStack() as stack:
            self.path = Path(os.path.realpath(path))
            if write:
                faults.demand_writable(self.path)
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self.here = stack.enter_context(faults.presence(self.path, create=write))
            if write:
                self._make_if_missing()
                self._sweep()
                self._open()
            self._stack = stack.pop_all()
            if not write:
                self._stack.close()

    def _make_if_missing(self) -> None:
        if not self.path.exists():
            if not self.here.take(MAKING, patience=PATIENCE):
                raise StoreBusy(f"{self.path} is being made by another process: try again")
            try:
                if not self.path.exists():
                    self.here.forget_marks()
                    build(self.path)
            finally:
                self.here.release(MAKING)

    def _sweep(self) -> None:
        """Remove files left by a process killed while it created or repaired the store."""
        folder, draft = beside(self.path, REPAIR_FOLDER), beside(self.path, DRAFT)
        if (folder.exists() or draft.exists()) and self.here.take(MAKING, patience=0.0):
            try:
                shutil.rmtree(folder, ignore_errors=True)
                discard(draft)
            finally:
                self.here.release(MAKING)

    def _open(self) -> None:
        self._connection = connect(self.path, "mode=rw")
        self._connection.execute("PRAGMA wal_autocheckpoint=0")  # the log is folded under the store's own lock
        self._waits = None
        self._inode = _inode(self.path)

    def read(self, question: Query[T]) -> T:
        """Run a query on one snapshot of the store, which contains at least the rows that the marks count."""
        if self._connection is not None:
            with self._guard, plainly(self.path):
                return _answer(self._connection, self.here.marks(), question)
        for _ in range(ATTEMPTS):
            user = faults.presence(self.path, create=False)
            with plainly(self.path), user as here, _reader(self.path) as (reader, steady):
                try:
                    answer = _answer(reader, here.marks(), question)
                except (StoreError, sqlite3.Error):
                    if steady():
                        raise
                else:
                    if steady():
                        return answer
        raise StoreBusy(f"{self.path} changes too fast to be read: try again")

    @contextmanager
    def change(self, *, wait: bool = False) -> Iterator[sqlite3.Connection]:
        """Run a transaction, atomic whatever happens to this process.

        Flushing to the disk takes milliseconds, so without `wait` it happens once a second: a power failure can cost
        the last second.
        """
        with self._guard, plainly(self.path):
            connection = self._writer()
            self._shorten_log()  # before the transaction: an interruption while it waits leaves nothing half done
            wait = wait or time.monotonic() >= self._synced + SYNC_SECONDS
            if wait is not self._waits:
                connection.execute(f"PRAGMA synchronous={'FULL' if wait else 'NORMAL'}")
                connection.execute("PRAGMA fullfsync=ON")
                self._waits = wait
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
                if wait:
                    self._synced = time.monotonic()
            finally:
                if connection.in_transaction:
                    connection.rollback()
            self._demand_place()

    def _demand_place(self) -> None:
        """Reject further work in a file that lost its name, after saving its content, which would be lost."""
        if self._displaced is None and _inode(self.path) != self._inode:
            rescue = _unused(self.path, ".rescued")
            try:
                with draft_of(rescue) as draft, closing(connect(draft, "mode=rwc")) as copy:
                    self._writer().backup(copy)
                self._displaced = StoreMoved(self.path, rescue)
            except (sqlite3.Error, OSError, StoreError):  # its folder may be gone as well
                self.fold()
                self._displaced = StoreMoved(self.path, None)
        if self._displaced is not None:
            raise self._displaced

    def _writer(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError(f"{self.path} is open for reading only: open it for writing")
        return self._connection

    def demand_order(self) -> None:
        """Reject writing into a file with damaged pages, which would spread the damage."""
        self._writer()
        if not self._orderly and (what := self.read(lambda connection, committed: disorder(connection))):
            raise Damaged(what)
        self._orderly = True

    def mark(self, run: int, length: int) -> None:
        """Record outside the database how many rows of a run are committed."""
        with self._guard, plainly(self.path):
            self.here.mark(identity(self._writer()), run, length)

    def fold(self, patience: float = WRITERS_PATIENCE) -> None:
        """Checkpoint: move commits from the log into the file, where a damaged log cannot lose them.

        Only one process does so at a time: SQLite below 3.51.3 may lose pages if two do it concurrently.
        """
        with self._guard, suppress(sqlite3.DatabaseError):  # on failure the log alone suffices
            writer = self._writer()
            if not self.here.take(FOLDING, patience=0.0):
                return
            try:
                writer.execute(f"PRAGMA busy_timeout={1000 * patience:.0f}")
                writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                self.here.release(FOLDING)
                writer.execute(f"PRAGMA busy_timeout={1000 * PATIENCE:.0f}")

    def _shorten_log(self) -> None:
        """Fold a long log; if a reader blocks it, retry when the log has grown by a quarter of the limit."""
        log = beside(self.path, "-wal")
        with suppress(FileNotFoundError):
            if (size := log.stat().st_size) > self._longest_log:
                self.fold(READERS_PATIENCE if size > WAITING_LIMIT * LOG_LIMIT else WRITERS_PATIENCE)
                self._longest_log = max(LOG_LIMIT, log.stat().st_size + LOG_LIMIT // 4)

    def running(self, run: int) -> bool:
        with plainly(self.path), faults.presence(self.path, create=False) as here:
            return here.taken(run)

    def backup(self, copy: Path, check: Callable[[Path], T]) -> T:
        """Copy a store that may be in use; the copy gets its name once `check` accepts it."""

        def question(connection: sqlite3.Connection, committed: Committed) -> T:
            with plainly(copy), draft_of(copy) as draft:
                with closing(connect(draft, "mode=rwc")) as target:
                    connection.backup(target)
                return check(draft)

        return self.read(question)

    def rebuild(self, salvage: Callable[[sqlite3.Connection, sqlite3.Connection], T]) -> tuple[Path, T]:
        """Copy the file aside, let `salvage` transfer the valid rows, and replace the content in one transaction."""
        with self._guard, faults.mutex, plainly(self.path), ExitStack() as stack:
            writer = self._writer()
            if self.here.users > 1 or not self.here.take(MAKING, faults.ALL):
                raise StoreBusy(f"{self.path} is in use: stop every run in it, then repair it")
            stack.callback(self.here.release, MAKING, faults.ALL)
            writer.close()
            stack.callback(self._open)
            folder = beside(self.path, REPAIR_FOLDER)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            backup = _unused(self.path, ".backup")
            copy_files(self.path, folder / "backup")
            copy_files(self.path, folder / "old")
            for ending in ("-wal", ""):  # a file with the name of a backup is complete
                if (copy := beside(folder / "backup", ending)).exists():
                    sync(copy)
                    os.replace(copy, beside(backup, ending))
            sync_folder(backup)
            build(folder / "new")
            renew_definitions(folder / "old", folder / "new")
            with (
                closing(connect(folder / "old", "mode=rw")) as old,
                closing(connect(folder / "new", "mode=rw")) as new,
                closing(connect(self.path, "mode=rw")) as target,
            ):
                answer = salvage(old, new)
                new.backup(target)
            self.here.forget_marks()
            return backup, answer

    def close(self) -> None:
        with self._guard, plainly(self.path):
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            self._stack.close()
