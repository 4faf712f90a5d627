"""How the database of a store is laid out, how one is made, and how a whole one comes to its final name."""

import errno
import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from .locks import beside, seal
from .store_faults import APPLICATION, PAGE, PATIENCE, VERSION, StoreError, has_content, is_damage

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
DRAFT = "-draft"
"""What the name of a store ends in until it is whole."""
COMPANIONS = ("", "-wal", "-shm", "-journal")


def connect(path: Path, how: str) -> sqlite3.Connection:
    """Open a database; text that is no longer text comes through as well, for the checksums to refuse."""
    address = f"{path.as_uri()}?{how}"
    connection = sqlite3.connect(address, PATIENCE, isolation_level=None, check_same_thread=False, uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    connection.execute("PRAGMA cell_size_check=ON")
    return connection


def lay_out(connection: sqlite3.Connection) -> None:
    """Make the tables of a store without runs."""
    connection.execute("BEGIN")
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    for table in TABLES:
        connection.execute(table)
    store = new_identity()
    connection.execute("INSERT INTO meta VALUES (1, ?, 0, ?)", (store, seal("meta", store, 0)))
    connection.execute("COMMIT")


def new_identity() -> bytes:
    """A number that no store has had before."""
    return os.urandom(16)


def identity(connection: sqlite3.Connection) -> bytes:
    """The number that tells this store from any other that may have lain in its place."""
    found = connection.execute("SELECT store FROM meta").fetchone()
    return found[0] if found else b""


def definitions(connection: sqlite3.Connection) -> list[str]:
    """How the tables are defined; nothing where that is damaged."""
    try:
        return [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master ORDER BY rootpage")]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # SQLite may quote damaged text in its complaint
        if not is_damage(error):
            raise
        return []


def renew_definitions(path: Path, pattern: Path) -> None:
    """Replace a damaged first page: it defines the tables, which lie on the same pages in every store."""
    with closing(connect(path, "mode=rw")) as connection:
        if definitions(connection) == TABLES:
            return
    content = bytearray(path.read_bytes())
    content[:PAGE] = pattern.read_bytes()[:PAGE]
    content[28:32] = (len(content) // PAGE).to_bytes(4, "big")
    path.write_bytes(content)


def build(path: Path) -> None:
    """Make an empty store under another name and move it into place: what has the final name is always whole."""
    for left in ("-wal", "-shm"):  # a log without its database would be replayed into the new one
        beside(path, left).unlink(missing_ok=True)
    with draft_of(path) as draft, closing(connect(draft, "mode=rwc")) as connection:
        connection.execute(f"PRAGMA page_size={PAGE}")
        connection.execute("PRAGMA auto_vacuum=NONE")
        if connection.execute("PRAGMA journal_mode=WAL").fetchone() != ("wal",):
            raise StoreError(f"{path} lies on a file system that cannot share memory: choose a local disk")
        lay_out(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Another name for a database to be made: it gets the final one at the end, if all of it is on the disk."""
    draft = beside(path, DRAFT)
    discard(draft)
    try:
        yield draft
        if has_content(beside(draft, "-wal")):  # SQLite says nothing if it cannot fold the log on closing
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
    """Remove a database that is not wanted, with its companions."""
    for ending in COMPANIONS:
        beside(draft, ending).unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Wait until what was written to a file is on the disk."""
    descriptor = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Wait until the name of a file is on the disk; Windows has no such request."""
    if sys.platform != "win32":
        sync(path.parent)


def copy_files(path: Path, copy: Path) -> None:
    """Copy a database with its log."""
    for ending in ("", "-wal"):
        if beside(path, ending).exists():
            shutil.copyfile(beside(path, ending), beside(copy, ending))


def disorder(connection: sqlite3.Connection) -> str | None:
    """What SQLite finds wrong with the pages of its file."""
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    code = re.search(r"error code=(\d+)", found)
    if code and int(code[1]) & 0xFF == sqlite3.SQLITE_IOERR:
        raise OSError(errno.EIO, os.strerror(errno.EIO))  # the disk is at fault, not what is on it
    return None if found == "ok" else f"the pages of the store are in disorder ({found.splitlines()[-1]})"
