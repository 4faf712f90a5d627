"""What can be wrong with a store, each as one plain sentence, and files that are refused before they are touched."""

import errno
import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .locks import beside

APPLICATION = 0x466F6753  # "FogS"
VERSION = 1
PAGE = 4096
PATIENCE = 60.0  # seconds to wait for another process to finish its transaction
REPAIR = "`fogspiel doctor --repair` keeps all up to the last good row, and `fogspiel resume` recomputes the rest"


class StoreError(Exception):
    """The store cannot do what was asked: one sentence that says what is wrong and what would be right."""


class StoreBusy(StoreError):
    """Another process, or another part of this one, is at work there."""


class Damaged(StoreError):
    """Something in the store is not what was written: names the run and the row where they are known."""

    hint = REPAIR

    def __init__(self, what: str, run: str | None = None, row: int | None = None) -> None:
        self.what, self.run, self.row = what, run, row
        super().__init__(f"{place(run, row)}{what}; {self.hint}")


class SetAside(Damaged):
    """A run that bears good checksums but that no fogspiel has written; the other runs are not affected."""

    hint = "it is set aside; `fogspiel doctor --repair` removes it from the store, after copying the file"


class StoreMoved(StoreError):
    """The store was moved, deleted or replaced under a command; names the copy of what it held, if one was made."""

    def __init__(self, path: Path, copy: Path | None) -> None:
        self.copy = copy
        where = "put it back where it was" if copy is None else f"all that it held is in {copy}: go on with that store"
        super().__init__(f"{path} was moved, deleted or replaced while this command worked in it; {where}")


def place(run: str | None, row: int | None) -> str:
    """Where something is, as the beginning of a sentence."""
    return "" if run is None else f"run {run}: " if row is None else f"run {run}, row {row}: "


def plain(path: Path, error: Exception) -> StoreError:
    """What SQLite or the system complains about, as one clear sentence."""
    code, number = getattr(error, "sqlite_errorcode", 0) & 0xFF, getattr(error, "errno", None)
    failed = code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
    if code == sqlite3.SQLITE_FULL or number in (errno.ENOSPC, errno.EDQUOT) or (failed and _room(path) < 1 << 16):
        return StoreError(f"the disk of {path} is full: nothing committed is lost; free some space and resume the run")
    if code == sqlite3.SQLITE_PERM or number in (errno.EACCES, errno.EPERM):
        return StoreError(f"{path} may not be opened: ask its owner for permission, or choose another store")
    if code == sqlite3.SQLITE_READONLY or number == errno.EROFS:
        return read_only(path, path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return StoreBusy(
            f"{path} has been kept locked by another program for {PATIENCE:.0f} seconds: close that program"
        )
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


def read_only(path: Path, culprit: Path) -> StoreError:
    return StoreError(f"{path} cannot be written: {culprit} is read-only; allow writing, or choose another store")


def demand_writable(path: Path) -> None:
    """Refuse a file or folder without permission to write, even to root, whom the system would let through."""
    folder = next(folder for folder in path.parents if folder.exists())
    for culprit in (path, folder) if path.exists() else (folder,):
        if not (culprit.stat().st_mode & 0o222 and os.access(culprit, os.W_OK)):
            raise read_only(path, culprit)


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
    if not has_content(beside(path, "-wal")) and (size := path.stat().st_size) < whole:
        raise StoreError(f"{path} is truncated: {size} of {whole} bytes are left; restore it from a copy")


def has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0
