"""Locks that die with their process, and marks of what was committed, in a file FILE-lock beside the store.

The marks say how many rows of each run were committed. SQLite answers a flipped bit in its log by quietly forgetting
all that follows; the marks are how we notice. They are never ahead of the store, so a lost mark is a check the less.
"""

import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..core.byte_locks import lock_bytes, unlock_bytes

LOCKS_AT = 1 << 40  # far behind the marks, because Windows forbids reading a locked byte
ALL = 1 << 30
MARK = 24


def seal(*values: object) -> bytes:
    """The checksum of a record that stands by itself."""
    return hashlib.blake2b(repr(values).encode(), digest_size=16).digest()


def beside(path: Path, ending: str) -> Path:
    """The companion of a file whose name ends in `ending`."""
    return path.with_name(path.name + ending)


class Presence:
    """What this process has of one store: its users, the one descriptor of the lock file, the locks it holds.

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
        """Whether any process holds the lock."""
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
            return os.read(self.descriptor, size)

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
