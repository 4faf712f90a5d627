"""Ends worker processes with their children, also when whoever started them has been killed.

Run as a program, it reads a line for each process group that begins (+number) or has ended (-number). When its input
ends, which the system sees to however the parent has died, it kills the groups that are left. It uses the standard
library alone and is started by its path, so that it takes no time and little memory.
"""

import contextlib
import os
import signal
import subprocess
import sys
from functools import cache


def kill_group(number: int) -> None:
    """Kill a process that leads a group, and those that it has started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(number, signal.SIGKILL)
        return
    subprocess.run(["taskkill", "/F", "/T", "/PID", str(number)], capture_output=True, check=False)


class ProcessGuard:
    """A process that kills what is left of others when this one ends, in whatever way."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )

    def tell(self, sign: str, number: int) -> None:
        """Say that a process group begins (+) or has ended (-)."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # it may be gone, and then it is of no use
            self.process.stdin.write(f"{sign}{number}\n".encode())

    def close(self) -> None:
        """Let it end."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait()


@cache
def own_guard() -> ProcessGuard:
    """The guard of whatever this process starts, which lives as long as this process does."""
    return ProcessGuard()


def keep_watch() -> None:
    """Follow what begins and ends, and kill what is left at the end of the input."""
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line.startswith("+") else groups.discard)(int(line[1:]))
    for number in groups:
        kill_group(number)


if __name__ == "__main__":
    keep_watch()
