"""A guard that kills worker processes with their children, even when their parent has been killed.

Run as a program, it reads a line for each process group that starts (+number) or has ended (-number). When its input
ends, which the system ensures however the parent exits, it kills the remaining groups. It uses only the standard
library and is started by its path, so that it takes no time and little memory.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache


def kill_group(number: int) -> None:
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(number, signal.SIGKILL)
        return
    subprocess.run(["taskkill", "/F", "/T", "/PID", str(number)], capture_output=True, check=False)


class ProcessGuard:
    """A process that kills remaining process groups when this one ends, in whatever way."""

    def __init__(self) -> None:
        command, pipe, none = [sys.executable, "-I", "-S", __file__], subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=none, stderr=none, bufsize=0, start_new_session=True
        )

    def tell(self, sign: str, number: int) -> None:
        assert self.process.stdin is not None
        with suppress(OSError, ValueError):  # the guard may have exited, and then nothing can be done
            self.process.stdin.write(f"{sign}{number}\n".encode())


@cache
def own_guard() -> ProcessGuard:
    """Return the guard of the processes that this process starts; it lives as long as this process."""
    return ProcessGuard()


def keep_watch() -> None:
    """Track process groups until the input ends, then kill the remaining ones."""
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line.startswith("+") else groups.discard)(int(line[1:]))
    for number in groups:
        kill_group(number)


if __name__ == "__main__":
    keep_watch()
