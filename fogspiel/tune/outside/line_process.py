"""A program in a process of its own that is asked a line and answers a line.

It has a session (a process group) of its own, so that Ctrl-C reaches the parent alone and its children die with it.
What it writes to stderr is kept, for the last line usually says what is wrong. Whatever goes wrong is a `Fault`.
"""

import contextlib
import os
import select
import shlex
import subprocess
import threading
from collections.abc import Sequence

from ...core.process_guard import ProcessGuard, kill_group

CHUNK = 65_536
MOST_LINE = 1_000_000  # bytes of an answer
KEPT_ERRORS = 8_192  # the last bytes of stderr that are kept
END_SECONDS = 0.5  # how long a program that has closed its output may take to end, before it is killed
SHOWN_LETTERS = 120


class WorkerFault(Exception):
    """Fault of a worker, as the rest of a sentence that begins with the worker."""


class LineProcess:
    """A running program: one thread asks it and lets go of it, any thread may kill it."""

    def __init__(self, words: Sequence[str], watch: ProcessGuard) -> None:
        self._watch, self._rest, self._dead, self._turn = watch, b"", False, threading.Lock()
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise start_error(words, error) from None
        watch.tell("+", self.process.pid)
        self._errors = bytearray()
        self._listener = threading.Thread(target=self._keep_errors, daemon=True)
        self._listener.start()

    def ask(self, line: bytes) -> bytes:
        """The line that answers this one."""
        try:
            self._write(line)
            while b"\n" not in self._rest:
                if len(self._rest) > MOST_LINE:
                    raise WorkerFault(f"has written {len(self._rest):,} bytes without the end of a line")
                chunk = self._read()
                if not chunk:
                    raise WorkerFault(self._death())
                self._rest = (self._rest + chunk).lstrip()  # empty lines are no answers
        except OSError:  # its pipes are closed
            raise WorkerFault(self._death()) from None
        answer, _, self._rest = self._rest.partition(b"\n")
        return answer

    def demand_silence(self) -> None:
        """Refuse what was written after an answer: it could be taken for the next one."""
        with contextlib.suppress(OSError):  # of a pipe that is closed, or of a system that cannot tell
            assert self.process.stdout is not None
            if not self._rest.strip() and select.select([self.process.stdout], [], [], 0)[0]:
                self._rest = self._read()
        if self._rest.strip():
            raise WorkerFault(f"has written more than a line for a game, then {excerpt(self._rest)}")

    def kill(self) -> None:
        """Kill it with its children."""
        with self._turn:
            if not self._dead:
                kill_group(self.process.pid)
                self.process.wait()
                self._watch.tell("-", self.process.pid)
                self._dead = True

    def end(self) -> None:
        """Kill it and let go of it; for the thread that asks it, which thus cannot be reading from its pipes."""
        self.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()

    @property
    def last_words(self) -> str:
        """The last line of the stderr of a process that has ended."""
        self._listener.join(END_SECONDS)
        lines = bytes(self._errors).decode(errors="replace").split("\n")
        found = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return "".join(letter if letter.isprintable() else "?" for letter in found[:SHOWN_LETTERS])

    def _write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        left = memoryview(line)
        while left:
            left = left[os.write(self.process.stdin.fileno(), left) :]

    def _read(self) -> bytes:
        assert self.process.stdout is not None
        return os.read(self.process.stdout.fileno(), CHUNK)

    def _death(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS)
        code = self.process.returncode
        if code is None:
            return "has closed its output"
        return f"was killed by signal {-code}" if code < 0 else f"has ended with exit code {code}"

    def _keep_errors(self) -> None:
        assert self.process.stderr is not None
        with contextlib.suppress(OSError, ValueError), self.process.stderr as pipe:
            while chunk := pipe.read(CHUNK):
                self._errors += chunk
                del self._errors[:-KEPT_ERRORS]


def excerpt(line: bytes) -> str:
    """A line, fit for a sentence: its beginning, and its end."""
    text, half = line.decode(errors="replace").strip(), SHOWN_LETTERS // 2
    return repr(text if len(text) <= SHOWN_LETTERS else f"{text[:half]} .. {text[-half:]}")


def start_error(words: Sequence[str], error: Exception) -> ValueError:
    """The end of a run whose program cannot be started."""
    reason = getattr(error, "strerror", None) or error
    return ValueError(f"the program {shlex.join(words)} cannot be started ({reason}): give the command of a program")
