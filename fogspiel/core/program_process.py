"""A program in a process of its own that converses in lines, any number of them at a time, and in the end is killed.

A program that cannot be started, does not answer in time, ends or answers nonsense is a ValueError of one sentence.
"""

import contextlib
import os
import queue
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Iterator, Sequence

from .heartbeat import beat
from .process_guard import ProcessGuard

LINES_KEPT = 1_000
"""Lines that wait to be read; a program that says more has to wait itself."""
LONGEST_LINE = 1 << 16
"""Characters of a line; a longer one counts as several."""
END_SECONDS = 1.0
"""How long a program that has closed its output may take to end."""
ROOM: int = getattr(select, "PIPE_BUF", 0)
"""Bytes that a pipe takes at once when it is said to be ready; 0 on a system that cannot say so."""
ROOM_SECONDS = 0.2
"""How often whoever waits for room looks whether it still matters."""
BEAT_SECONDS = 1.0
"""How often whoever waits for an answer gives a sign of life."""


class ProgramFault(ValueError):
    """A running program has ended, does not answer or talks nonsense: another process may do better."""


class ProgramTimeout(ProgramFault):
    """It has not answered in time."""


def _kill(process: subprocess.Popen[str], guard: ProcessGuard | None, killed: threading.Event) -> None:
    """End a process and those that it started, if it is still there."""
    killed.set()
    if process.poll() is None:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    process.wait()
    if guard is not None:
        guard.tell("-", process.pid)
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError, ValueError):
            if pipe is not None:
                pipe.close()


def _listen(process: subprocess.Popen[str], lines: "queue.Queue[str | None]", killed: threading.Event) -> None:
    """Put what a process says into a queue, and None when it has ended."""
    with contextlib.suppress(OSError, ValueError):
        while process.stdout is not None and (line := process.stdout.readline(LONGEST_LINE)):
            _put(line.strip(), lines, killed)
    _put(None, lines, killed)


def _put(line: str | None, lines: "queue.Queue[str | None]", killed: threading.Event) -> None:
    """Put a line into a queue as soon as there is room; of a process that was killed nobody may want to read more."""
    while True:
        try:
            return lines.put(line, timeout=ROOM_SECONDS)
        except queue.Full:
            if killed.is_set():
                return None


class ProgramProcess:
    """A running program; a guard, if there is one, ends it also when this process is killed."""

    what, language = "program", "lines"
    """What sentences call it, and what it must speak."""

    def __init__(self, command: str | Sequence[str], patience: float = 10.0, guard: ProcessGuard | None = None):
        words = self.words_of(command)
        self.name, self.patience = shlex.join(words), patience
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ValueError(f"the {self.what} {self.name!r} cannot be started ({reason}): {self.advice()}") from None
        if guard is not None:
            guard.tell("+", self.process.pid)
        killed = threading.Event()
        self.close = weakref.finalize(self, _kill, self.process, guard, killed)
        self.lines: queue.Queue[str | None] = queue.Queue(LINES_KEPT)
        self.listener = threading.Thread(target=_listen, args=(self.process, self.lines, killed), daemon=True)
        self.listener.start()

    @classmethod
    def advice(cls) -> str:
        """What would be right."""
        return f"give the command of a program that speaks {cls.language}"

    @classmethod
    def words_of(cls, command: str | Sequence[str]) -> list[str]:
        """A command as a list of words."""
        advice = f"give that of a program that speaks {cls.language}"
        try:
            words = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise ValueError(f"{command!r} is not a command ({error}): {advice}") from None
        if not words:
            raise ValueError(f"a {cls.what} needs a command: {advice}")
        return words

    @classmethod
    def demand_program(cls, command: str) -> list[str]:
        """The words of a command, or a ValueError if its program is not there."""
        words = cls.words_of(command)
        if shutil.which(words[0]) is None:
            raise ValueError(
                f"the {cls.what} {shlex.join(words)!r} cannot be started (there is no such program): {cls.advice()}"
            )
        return words

    def say(self, *lines: str) -> None:
        """Send lines; a program that does not read them is killed."""
        assert self.process.stdin is not None
        left, end = memoryview("".join(f"{line}\n" for line in lines).encode()), time.monotonic() + self.patience
        with contextlib.suppress(OSError, ValueError):  # a program that has ended is noticed when it does not answer
            pipe = self.process.stdin.fileno()
            while left:
                if ROOM and not select.select([], [pipe], [], max(end - time.monotonic(), 0))[1]:
                    self.close()
                    return
                left = left[os.write(pipe, left[: ROOM or None]) :]

    def answer(self, asked: str, last: str, patience: float | None = None, advice: str = "") -> Iterator[str]:
        """The lines up to the one that begins with the word `last`, as they come; advice is for who waits in vain."""
        patience = self.patience if patience is None else patience
        end, heard = time.monotonic() + patience, ""
        while True:
            try:
                line = self.lines.get(timeout=min(max(end - time.monotonic(), 0.001), BEAT_SECONDS))
            except queue.Empty:
                line = ""
            beat()
            if line is None:
                raise self.failure(f"{self._end()} when it was asked {asked!r}")
            if line:
                yield line
                if line.split()[0] == last:
                    return
                heard = f", only {line[:60]!r}"
            if time.monotonic() > end:
                raise self.failure(
                    f"has not said {last!r} within {patience:g} s of {asked!r}{heard}", advice, ProgramTimeout
                )

    def _end(self) -> str:
        """How a program that says nothing more has ended."""
        try:
            return f"ended (exit code {self.process.wait(END_SECONDS)})"
        except subprocess.TimeoutExpired:
            return "closed its output"

    def failure(self, what: str, advice: str = "", fault: type[ProgramFault] = ProgramFault) -> ProgramFault:
        """Kill the program: what it did, as an error to raise."""
        self.close()
        return fault(f"the {self.what} {self.name!r} {what}: {advice or self.advice()}")

    def dismiss(self, *lines: str) -> None:
        """Send last lines, and kill the program if it does not end by itself."""
        self.say(*lines)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS)
        self.close()
