"""Locks on bytes of a file, on every platform; they are released when their process exits."""

import os
import sys

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


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
