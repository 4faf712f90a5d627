"""A chess engine that speaks UCI in a process of its own, which is asked and, in the end, killed.

An engine that cannot be started, does not answer in time, ends or answers nonsense is a ValueError of one sentence.
"""

import contextlib
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Iterator, Sequence

LINES_KEPT = 10_000
"""Lines that wait to be read; an engine that says more has to wait itself."""
LONGEST_LINE = 1 << 16
"""Characters of a line; a longer one counts as several."""
END_SECONDS = 1.0
"""How long an engine that has closed its output may take to end."""
ADVICE = "give the command of a program that speaks UCI"


class EngineFault(ValueError):
    """A running engine has ended, does not answer or talks nonsense: another process may do better."""


def _kill(process: subprocess.Popen[str]) -> None:
    """End a process and those that it started, if it is still there."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError, ValueError):
            if pipe is not None:
                pipe.close()


def _listen(process: subprocess.Popen[str], lines: "queue.Queue[str | None]") -> None:
    """Put what a process says into a queue, and None when it has ended."""
    with contextlib.suppress(OSError, ValueError):
        while process.stdout is not None and (line := process.stdout.readline(LONGEST_LINE)):
            lines.put(line.strip())
    lines.put(None)


def words_of(command: str | Sequence[str]) -> list[str]:
    """A command as a list of words."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise ValueError(f"{command!r} is not a command ({error}): give that of a program that speaks UCI") from None
    if not words:
        raise ValueError("a chess engine needs a command: give that of a program that speaks UCI")
    return words


def demand_program(command: str) -> None:
    """Refuse the command of a program that is not there."""
    words = words_of(command)
    if shutil.which(words[0]) is None:
        raise ValueError(
            f"the chess engine {shlex.join(words)!r} cannot be started (there is no such program): {ADVICE}"
        )


class UciEngine:
    """A chess engine in a process of its own, which has said who it is and what options it has."""

    def __init__(self, command: str | Sequence[str], patience: float = 10.0):
        words = words_of(command)
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
        except OSError as error:
            raise ValueError(f"the chess engine {self.name!r} cannot be started ({error.strerror}): {ADVICE}") from None
        self.close = weakref.finalize(self, _kill, self.process)
        self.lines: queue.Queue[str | None] = queue.Queue(LINES_KEPT)
        threading.Thread(target=_listen, args=(self.process, self.lines), daemon=True).start()
        self.say("uci")
        self.handshake = [line for line in self.answer("uci", "uciok") if line.startswith(("id ", "option "))]
        """The lines in which it says who it is and what options it has."""

    def say(self, *lines: str) -> None:
        """Send lines."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # an engine that has ended is noticed when it does not answer
            self.process.stdin.write("".join(f"{line}\n" for line in lines))
            self.process.stdin.flush()

    def answer(self, asked: str, last: str, patience: float | None = None, advice: str = ADVICE) -> Iterator[str]:
        """The lines up to the one that begins with the word `last`, as they come; advice is for who waits in vain."""
        patience = self.patience if patience is None else patience
        end, heard = time.monotonic() + patience, ""
        while True:
            try:
                line = self.lines.get(timeout=max(end - time.monotonic(), 0.001))
            except queue.Empty:
                line = ""
            if line is None:
                raise self.failure(f"{self._end()} when it was asked {asked!r}")
            if line:
                yield line
                if line.split()[0] == last:
                    return
                heard = f", only {line[:60]!r}"
            if time.monotonic() > end:
                raise self.failure(f"has not said {last!r} within {patience:g} s of {asked!r}{heard}", advice)

    def _end(self) -> str:
        """How an engine that says nothing more has ended."""
        try:
            return f"ended (exit code {self.process.wait(END_SECONDS)})"
        except subprocess.TimeoutExpired:
            return "closed its output"

    def failure(self, what: str, advice: str = ADVICE) -> EngineFault:
        """Kill the engine: what it did, as an error to raise."""
        self.close()
        return EngineFault(f"the chess engine {self.name!r} {what}: {advice}")

    def ready(self) -> None:
        """Wait until the engine has done what it was told."""
        self.say("isready")
        for _ in self.answer("isready", "readyok"):
            pass
