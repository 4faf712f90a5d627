"""Faults of a store as plain sentences, and locks that die with their process.

Locks and marks are in a file FILE-lock beside the store. The marks say how many rows of each run were committed. SQLite
answers a flipped bit in its log by quietly forgetting all that follows; the marks are how we notice. They are never
ahead of the store, so a lost mark is a check the less.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ... import core
from ...core.byte_locks import lock_bytes, unlock_bytes

APPLICATION = 0x466F6753  # "FogS"
VERSION = 1
PAGE = 4096
PATIENCE = 60.0  # seconds to wait for another process to finish its transaction
REPAIR = "`fogspiel doctor --repair` keeps all up to the last good row, and `fogspiel resume` recomputes the rest"


def beside(path: Path, ending: str) -> Path:
    """The companion of a file whose name ends in `ending`."""
    return path.with_name(path.name + ending)


def seal(*values: object) -> bytes:
    """The checksum of a record that stands by itself."""
    return hashlib.blake2b(repr(values).encode(), digest_size=16).digest()


class StoreError(core.FogspielError):
    """The store cannot do what was asked: one sentence that says what is wrong and what would be right."""


class StoreBusy(StoreError):
    """Another process, or another part of this one, is at work there."""


class Damaged(StoreError, core.Damaged):
    """Something in the store is not what was written: names the run and the row where they are known."""

    hint = REPAIR

    def __init__(self, what: str, run: str | None = None, row: int | None = None) -> None:
        self.what, self.run, self.row = what, run, row
        place = "" if run is None else f"run {run}: " if row is None else f"run {run}, row {row}: "
        self.sentence = place + what
        super().__init__(f"{self.sentence}; {self.hint}")


class SetAside(Damaged):
    """A run that bears good checksums but that no fogspiel has written; the other runs are not affected."""

    hint = "it is set aside; `fogspiel doctor --repair` removes it from the store, after copying the file"


class StoreMoved(StoreError):
    """The store was moved, deleted or replaced under a command; names the copy of what it held, if one was made."""

    def __init__(self, path: Path, copy: Path | None) -> None:
        self.copy = copy
        where = "put it back where it was" if copy is None else f"all that it held is in {copy}: go on with that store"
        super().__init__(f"{path} was moved, deleted or replaced while this command worked in it; {where}")


def plain(path: Path, error: Exception) -> StoreError:
    """Return the message of SQLite or the system as one clear sentence."""
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
    """True if SQLite complains about what is in the file, not about disk, locks or permissions."""
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


# ---- locks and marks -------------------------------------------------------------------------------------------------


LOCKS_AT = 1 << 40  # far behind the marks, because Windows forbids reading a locked byte
ALL = 1 << 30
MARK = 24
MAX_RUNS = 1_000_000  # a run's number is its place in the lock file, which is read whole


class Presence:
    """This process's hold on one store: its users, the one descriptor of the lock file, the locks it holds.

    Closing any descriptor of a file drops all locks that the process has on that file. So the lock file is opened once
    for all users, and the database is read behind SQLite's back only while there is no other user.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.users = 0
        self.held: set[int] = set()
        self.descriptor: int | None = None

    def reach(self, *, create: bool) -> None:
        """Open the lock file if there is one, or if there shall be one."""
        if self.descriptor is None:
            with suppress(FileNotFoundError):
                file = beside(self.path, "-lock")
                access = os.O_RDWR | os.O_CREAT if create else os.O_RDWR if os.access(file, os.W_OK) else os.O_RDONLY
                self.descriptor = os.open(file, access | getattr(os, "O_BINARY", 0), 0o666)

    def take(self, lock: int, length: int = 1, patience: float = 0.2) -> bool:
        """Take a lock; the patience is for viewers, who touch a lock for an instant to see whether it is held."""
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
        """Give a lock back."""
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
        """The marks as they stand in the lock file."""
        with mutex:
            if self.descriptor is None:
                return b""
            size = os.lseek(self.descriptor, 0, os.SEEK_END)
            os.lseek(self.descriptor, 0, os.SEEK_SET)
            return os.read(self.descriptor, min(size, MARK * MAX_RUNS))

    def mark(self, store: bytes, run: int, length: int) -> None:
        """Note how many rows of a run are committed; a note that fails is only a check the less."""
        with mutex, suppress(OSError):
            assert self.descriptor is not None
            os.lseek(self.descriptor, (run - 1) * MARK, os.SEEK_SET)
            os.write(self.descriptor, length.to_bytes(8, "big") + seal(store, run, length))

    def forget_marks(self) -> None:
        """Start again without marks: the rows of the store are new, or were given up on purpose."""
        with mutex:
            assert self.descriptor is not None
            os.ftruncate(self.descriptor, 0)


def read_marks(marks: bytes, store: bytes) -> dict[int, int]:
    """Rows known to be committed, by run number; marks that are damaged or of another store do not count."""
    lengths = {}
    for start in range(0, len(marks) - MARK + 1, MARK):
        run, length = start // MARK + 1, int.from_bytes(marks[start : start + 8], "big")
        if marks[start + 8 : start + MARK] == seal(store, run, length):
            lengths[run] = length
    return lengths


mutex = threading.RLock()
_presences: dict[str, Presence] = {}


def _be_a_child() -> None:
    """A forked process has none of its parent's locks."""
    _presences.clear()
    mutex.release()


if sys.platform != "win32":
    os.register_at_fork(before=mutex.acquire, after_in_parent=mutex.release, after_in_child=_be_a_child)


@contextmanager
def presence(path: Path, examine: Callable[[Path], None], *, create: bool) -> Iterator[Presence]:
    """Be a user of the store: the first in this process may examine the file, the last closes the lock file."""
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
