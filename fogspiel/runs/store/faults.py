"""Errors of a store as plain messages, and locks that are released when their process exits.

Locks and marks are in a file FILE-lock next to the store. The marks count the committed rows of each run. After a
flipped bit in its log, SQLite silently drops everything that follows; the marks detect this. They are never ahead of
the store, so a lost mark only omits a check.
"""

import errno
import hashlib
import os
import shutil
import sqlite3
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ... import core

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

APPLICATION = 0x466F6753  # "FogS"
VERSION = 1
PAGE = 4096
PATIENCE = 60.0  # seconds to wait for another process to finish its transaction
REPAIR = "`fogspiel doctor --repair` keeps all up to the last good row, and `fogspiel resume` recomputes the rest"


def beside(path: Path, ending: str) -> Path:
    """Return the path of a companion file: the name followed by `ending`."""
    return path.with_name(path.name + ending)


def seal(*values: object) -> bytes:
    """Return the checksum of an independent record."""
    return hashlib.blake2b(repr(values).encode(), digest_size=16).digest()


def lock_bytes(descriptor: int, place: int, length: int = 1, *, shared: bool = False) -> bool:
    """Lock bytes of a file for this process; False if another process has them."""
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, place, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, length)
        else:
            kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
            fcntl.lockf(descriptor, kind | fcntl.LOCK_NB, length, place)
    except (BlockingIOError, PermissionError):
        return False
    return True


def unlock_bytes(descriptor: int, place: int, length: int = 1) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, place, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, length)
    else:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, length, place)


class StoreError(core.FogspielError):
    """Failure of a store operation: a message with problem and remedy."""


class StoreBusy(StoreError):
    """The store or run is in use by another process, or by another part of this one."""


class Damaged(StoreError, core.Damaged):
    """Content that differs from what was written; names the run and the row if they are known."""

    hint = REPAIR

    def __init__(self, what: str, run: str | None = None, row: int | None = None) -> None:
        self.what, self.run, self.row = what, run, row
        place = "" if run is None else f"run {run}: " if row is None else f"run {run}, row {row}: "
        self.sentence = place + what
        super().__init__(f"{self.sentence}; {self.hint}")


class SetAside(Damaged):
    """A run with valid checksums that no version of fogspiel writes; other runs are not affected."""

    hint = "it is set aside; `fogspiel doctor --repair` removes it from the store, after copying the file"


class StoreMoved(StoreError):
    """The store was moved, deleted or replaced during a command; names the copy of its content, if one was made."""

    def __init__(self, path: Path, copy: Path | None) -> None:
        self.copy = copy
        where = "put it back where it was" if copy is None else f"all that it held is in {copy}: go on with that store"
        super().__init__(f"{path} was moved, deleted or replaced while this command worked in it; {where}")


def plain(path: Path, error: Exception) -> StoreError:
    """Translate an error of SQLite or the system into a plain message."""
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
    """True if SQLite reports invalid content, rather than a fault of disk, locks or permissions."""
    return isinstance(plain(Path(), error), Damaged)


@contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Translate every error of SQLite or the system inside the block into a plain message."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # a bug in fogspiel, not a fault of the file
    except (sqlite3.Error, OSError) as error:
        raise plain(path, error) from error


def _room(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return sys.maxsize


def read_only(path: Path, culprit: Path) -> StoreError:
    return StoreError(f"{path} cannot be written: {culprit} is read-only; allow writing, or choose another store")


def demand_writable(path: Path) -> None:
    """Reject a file or folder without write permission, even for root, whom the system would let through."""
    folder = next(folder for folder in path.parents if folder.exists())
    for culprit in (path, folder) if path.exists() else (folder,):
        if not (culprit.stat().st_mode & 0o222 and os.access(culprit, os.W_OK)):
            raise read_only(path, culprit)


def examine(path: Path) -> None:
    """Reject, without modifying it, any existing path that is not a complete store of a supported version."""
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
    # The log is checked before the size: a closing writer completes the file first, then removes the log.
    if not has_content(beside(path, "-wal")) and (size := path.stat().st_size) < whole:
        raise StoreError(f"{path} is truncated: {size} of {whole} bytes are left; restore it from a copy")


def has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


# ---- locks and marks -------------------------------------------------------------------------------------------------


LOCKS_AT = 1 << 40  # far beyond the marks, because Windows forbids reading a locked byte
ALL = 1 << 30
MARK = 24
MAX_RUNS = 1_000_000  # a run's number is its place in the lock file, which is read whole


class Presence:
    """This process's state on one store: its users, the single descriptor of the lock file, the locks it holds.

    Closing any descriptor of a file drops all locks of the process on that file. So the lock file is opened once for
    all users, and the database is read without SQLite only while there is no other user.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.users = 0
        self.held: set[int] = set()
        self.descriptor: int | None = None

    def reach(self, *, create: bool) -> None:
        if self.descriptor is None:
            with suppress(FileNotFoundError):
                file = beside(self.path, "-lock")
                access = os.O_RDWR | os.O_CREAT if create else os.O_RDWR if os.access(file, os.W_OK) else os.O_RDONLY
                self.descriptor = os.open(file, access | getattr(os, "O_BINARY", 0), 0o666)

    def take(self, lock: int, length: int = 1, patience: float = 0.2) -> bool:
        """Acquire a lock; `patience` covers viewers, who hold a lock for an instant to test it."""
        give_up = time.monotonic() + patience
        while True:
            with mutex:
                assert self.descriptor is not None
                free = not self.held if length > 1 else lock not in self.held
                if free and lock_bytes(self.descriptor, LOCKS_AT + lock, length):
                    self.held.add(lock)
                    return True
            if time.monotonic() > give_up:
                return False
            time.sleep(0.02)

    def release(self, lock: int, length: int = 1) -> None:
        with mutex:
            if lock in self.held and self.descriptor is not None:
                self.held.remove(lock)
                unlock_bytes(self.descriptor, LOCKS_AT + lock, length)

    def taken(self, lock: int) -> bool:
        """True if any process holds the lock."""
        with mutex:
            if lock in self.held or self.descriptor is None:
                return lock in self.held
            free = lock_bytes(self.descriptor, LOCKS_AT + lock, shared=True)
            if free:
                unlock_bytes(self.descriptor, LOCKS_AT + lock)
            return not free

    def marks(self) -> bytes:
        with mutex:
            if self.descriptor is None:
                return b""
            size = os.lseek(self.descriptor, 0, os.SEEK_END)
            os.lseek(self.descriptor, 0, os.SEEK_SET)
            return os.read(self.descriptor, min(size, MARK * MAX_RUNS))

    def mark(self, store: bytes, run: int, length: int) -> None:
        """Record how many rows of a run are committed; a failure only omits a check."""
        with mutex, suppress(OSError):
            assert self.descriptor is not None
            os.lseek(self.descriptor, (run - 1) * MARK, os.SEEK_SET)
            os.write(self.descriptor, length.to_bytes(8, "big") + seal(store, run, length))

    def forget_marks(self) -> None:
        """Remove all marks: the rows of the store are new, or were discarded on purpose."""
        with mutex:
            assert self.descriptor is not None
            os.ftruncate(self.descriptor, 0)


def read_marks(marks: bytes, store: bytes) -> dict[int, int]:
    """Return the numbers of committed rows by run; marks that are damaged or of another store are ignored."""
    lengths = {}
    for start in range(0, len(marks) - MARK + 1, MARK):
        run, length = start // MARK + 1, int.from_bytes(marks[start : start + 8], "big")
        if marks[start + 8 : start + MARK] == seal(store, run, length):
            lengths[run] = length
    return lengths


mutex = threading.RLock()
_presences: dict[str, Presence] = {}


def _be_a_child() -> None:
    """Reset the state in a forked process, which inherits no locks."""
    _presences.clear()
    mutex.release()


if sys.platform != "win32":
    os.register_at_fork(before=mutex.acquire, after_in_parent=mutex.release, after_in_child=_be_a_child)


@contextmanager
def presence(path: Path, *, create: bool) -> Iterator[Presence]:
    """Register a user of the store: the first in this process examines the file, the last closes the lock file."""
    with mutex:
        here = _presences.get(str(path)) or Presence(path)
        if here.users == 0:
            examine(path)
        here.reach(create=create)
        here.users += 1
        _presences[str(path)] = here
    try:
        yield here
    finally:
        with mutex:
            here.users -= 1
            if here.users == 0:
                _presences.pop(str(path), None)
                if here.descriptor is not None:
                    os.close(here.descriptor)
