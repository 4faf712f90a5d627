"""A guard that kills worker processes with their children, even when their parent has been killed.

Run as a program, it reads a line for each process group that starts (+number mark) or has ended (-number). When its
input ends, which the system ensures however the parent exits, it kills the remaining groups. It uses only the standard
library and is started by its path, so that it takes no time and little memory.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache

MARK = "FOGSPIEL_PROGRAM"  # environment variable of a program, which all that it starts inherits
ROUNDS = 20  # searches for marked processes, which may start others in the meantime


def kill_group(number: int, mark: str = "") -> None:
    """Kill a process group, and on Linux the processes with that mark, which may have left the group."""
    if not hasattr(os, "killpg"):
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(number)], capture_output=True, check=False)
        return
    with suppress(OSError):
        os.killpg(number, signal.SIGKILL)
    for _ in range(ROUNDS if mark else 0):
        left = marked_processes(mark)
        if not left:
            return
        for process in left:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE)


PAUSE = 0.01  # seconds in which what was killed ends


def marked_processes(mark: str) -> list[int]:
    """Return the living processes with that mark in their environment, where the system shows it."""
    found: list[int] = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                own = next((part for part in file.read().split(b"\0") if part.startswith(f"{MARK}=".encode())), b"")
                if mark.encode() in own:
                    found.append(int(name))
    return found


def new_mark() -> str:
    """Return the value of MARK for a new program: it also has the marks of the programs that started this one."""
    return f"{os.environ.get(MARK, '')}:{os.urandom(8).hex()}"


class ProcessGuard:
    """A process that kills remaining process groups when this one ends, in whatever way."""

    def __init__(self) -> None:
        command, pipe, none = [sys.executable, "-I", "-S", __file__], subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=none, stderr=none, bufsize=0, start_new_session=True
        )

    def tell(self, sign: str, number: int, mark: str = "") -> None:
        assert self.process.stdin is not None
        with suppress(OSError, ValueError):  # the guard may have exited, and then nothing can be done
            self.process.stdin.write(f"{sign}{number} {mark}\n".encode())


@cache
def own_guard() -> ProcessGuard:
    """Return the guard of the processes that this process starts; it lives as long as this process."""
    return ProcessGuard()


def keep_watch() -> None:
    """Track process groups until the input ends, then kill the remaining ones."""
    groups: dict[int, str] = {}
    for line in sys.stdin:
        number, mark = line[1:].split(" ", 1)
        groups[int(number)] = mark.strip()
        if line.startswith("-"):
            del groups[int(number)]
    for group, mark in groups.items():
        kill_group(group, mark)


if __name__ == "__main__":
    keep_watch()
