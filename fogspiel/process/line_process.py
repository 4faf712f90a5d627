"""Programs in processes of their own that converse in lines.

A `ProgramProcess` says any number of lines and has a time limit for each answer. A `LineProcess` answers a line with a
line; whoever waits for it kills it when it is late. Both lead a session (a process group), so that Ctrl-C reaches the
parent alone and their children die with them; a guard kills them also when the parent was killed.
"""

import argparse
import contextlib
import json
import os
import queue
import select
import shlex
import shutil
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NoReturn

from .guard import ProcessGuard, kill_group
from .heartbeat import beat

ADVICE = "give the command of a program"
LINES_KEPT = 1_000  # that wait to be read; a program that says more has to wait itself
LONGEST_LINE = 1 << 16  # characters of a program's line; a longer one counts as several
CHUNK = 65_536
MAX_LINE = 1_000_000  # bytes of an answer to a line
KEPT_ERRORS = 8_192  # the last bytes of stderr
SHOWN_LETTERS = 120
END_SECONDS = 1.0  # in which a program that has closed its output must end
ROOM: int = getattr(select, "PIPE_BUF", 0)  # bytes that a ready pipe takes at once; 0 on a system that cannot say so
ROOM_SECONDS = 0.2  # between two looks of a listener whether anybody still reads what it has heard
BEAT_SECONDS = 1.0  # between two signs of life of whoever waits for an answer


class WorkerFault(Exception):
    """Fault of a worker, as the rest of a sentence that begins with the worker."""


class ProgramFault(ValueError):
    """A running program has ended, does not answer or talks nonsense: another process may do better."""


class ProgramTimeout(ProgramFault):
    """It has not answered in time."""


def split_command(command: str | Sequence[str], advice: str = ADVICE) -> list[str]:
    """Split a command into words."""
    try:
        return shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise ValueError(f"{command!r} is not a command ({error}): {advice}") from None


def demand_program(words: Sequence[str], what: str = "program", advice: str = ADVICE) -> list[str]:
    """Return the words of a command whose program is there, else raise a ValueError."""
    if not words or not words[0]:
        raise ValueError(f"the command is empty, but a {what} needs a command: {advice}")
    if shutil.which(words[0]) is None:
        found = Path(words[0])
        reason = "it may not be executed" if found.exists() else "there is no such program"
        raise _start_error(words, "it is a folder" if found.is_dir() else reason, what, advice)
    return list(words)


def _start_error(words: Sequence[str], reason: object, what: str, advice: str) -> ValueError:
    return ValueError(f"the {what} {shlex.join(words)} cannot be started ({reason}): {advice}")


def excerpt(line: bytes) -> str:
    """Return the beginning and the end of a line, fit for a sentence."""
    text, half = line.decode(errors="replace").strip(), SHOWN_LETTERS // 2
    return repr(text if len(text) <= SHOWN_LETTERS else f"{text[:half]} .. {text[-half:]}")


class ChildProcess:
    """A running program with pipes, which any thread may kill."""

    what, advice = "program", ADVICE

    def __init__(self, words: Sequence[str], guard: ProcessGuard | None, **pipes: Any) -> None:
        try:
            self.process: subprocess.Popen[Any] = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, **pipes
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise _start_error(words, reason, self.what, self.advice) from None
        if guard is not None:
            guard.tell("+", self.process.pid)
        self.killed = threading.Event()
        self.kill = weakref.finalize(self, _kill, self.process, guard, self.killed)

    @property
    def stdin(self) -> IO[Any]:
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def stdout(self) -> IO[Any]:
        assert self.process.stdout is not None
        return self.process.stdout

    def close(self) -> None:
        """Kill the program and let go of its pipes, which no other thread may be using."""
        self.kill()
        for pipe in (self.stdin, self.stdout):
            with contextlib.suppress(OSError, ValueError):
                pipe.close()

    def write(self, content: bytes, seconds: float | None = None) -> bool:
        """Write all of it; False if there was no room within that time."""
        left, end = memoryview(content), time.monotonic() + (seconds or 0)
        while left:
            patience = None if seconds is None else max(end - time.monotonic(), 0)
            if ROOM and not select.select([], [self.stdin], [], patience)[1]:
                return False
            left = left[os.write(self.stdin.fileno(), left[: ROOM or None]) :]
        return True

    def exit_code(self) -> int | None:
        """Return the exit code of a program that says nothing more, None if it runs on."""
        if self.process.returncode is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(END_SECONDS)
                kill_group(self.process.pid)  # the children that it has left
        return self.process.returncode


def _kill(process: subprocess.Popen[Any], guard: ProcessGuard | None, killed: threading.Event) -> None:
    """Kill a process and those that it started; once it was waited for, its number may be another's."""
    killed.set()
    if process.returncode is None:
        kill_group(process.pid)
    process.wait()
    if guard is not None:
        guard.tell("-", process.pid)


class LineProcess(ChildProcess):
    """A program that is asked by one thread; the last line of its stderr usually says what is wrong."""

    def __init__(self, words: Sequence[str], guard: ProcessGuard) -> None:
        super().__init__(words, guard, stderr=subprocess.PIPE, bufsize=0)
        self._rest, self._errors = b"", bytearray()
        self._listener = threading.Thread(target=self._keep_errors, daemon=True)
        self._listener.start()

    def ask(self, line: bytes) -> bytes:
        """Return the line that answers this one; whatever goes wrong is a Fault."""
        try:
            self.write(line)
            while b"\n" not in self._rest:
                if len(self._rest) > MAX_LINE:
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
            if not self._rest.strip() and select.select([self.stdout], [], [], 0)[0]:
                self._rest = self._read()
        if self._rest.strip():
            raise WorkerFault(f"has written more than a line for a game, then {excerpt(self._rest)}")

    @property
    def last_words(self) -> str:
        """The last line of the stderr of a process that has ended."""
        self._listener.join(END_SECONDS)
        lines = bytes(self._errors).decode(errors="replace").split("\n")
        found = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return "".join(letter if letter.isprintable() else "?" for letter in found[:SHOWN_LETTERS])

    def _read(self) -> bytes:
        return os.read(self.stdout.fileno(), CHUNK)

    def _death(self) -> str:
        code = self.exit_code()
        if code is None:
            return "has closed its output"
        return f"was killed by signal {-code}" if code < 0 else f"has ended with exit code {code}"

    def _keep_errors(self) -> None:
        assert self.process.stderr is not None
        with contextlib.suppress(OSError, ValueError), self.process.stderr as pipe:
            while chunk := pipe.read(CHUNK):
                self._errors += chunk
                del self._errors[:-KEPT_ERRORS]


def _listen(pipe: IO[str], lines: "queue.Queue[str | None]", killed: threading.Event) -> None:
    """Put what a program says into a queue, and None when it has ended."""

    def put(line: str | None) -> None:
        while True:
            try:
                return lines.put(line, timeout=ROOM_SECONDS)
            except queue.Full:
                if killed.is_set():  # nobody may want to read more
                    return None

    with contextlib.suppress(OSError, ValueError):
        while line := pipe.readline(LONGEST_LINE):
            put(line.strip())
    put(None)


class ProgramProcess(ChildProcess):
    """A program that converses in lines; what goes wrong is a ValueError of one sentence, and the program is killed."""

    language, advice = "lines", f"{ADVICE} that speaks lines"  # what it must speak, and what would be right

    def __init_subclass__(cls) -> None:
        cls.advice = f"{ADVICE} that speaks {cls.language}"

    def __init__(self, command: str | Sequence[str], patience: float = 10.0, guard: ProcessGuard | None = None):
        words = self.demand_program(command)
        self.name, self.patience = shlex.join(words), patience
        super().__init__(words, guard, stderr=subprocess.DEVNULL, encoding="utf-8", errors="replace", bufsize=1)
        self.lines: queue.Queue[str | None] = queue.Queue(LINES_KEPT)
        self.listener = threading.Thread(target=_listen, args=(self.stdout, self.lines, self.killed), daemon=True)
        self.listener.start()

    @classmethod
    def demand_program(cls, command: str | Sequence[str]) -> list[str]:
        """Return the words of a command, or raise a ValueError if its program is not there."""
        return demand_program(split_command(command, cls.advice), cls.what, cls.advice)

    def say(self, *lines: str) -> None:
        """Send lines; a program that does not read them is killed."""
        with contextlib.suppress(OSError, ValueError):  # a program that has ended is noticed when it does not answer
            if not self.write("".join(f"{line}\n" for line in lines).encode(), self.patience):
                self.close()

    def answer(self, asked: str, last: str, patience: float | None = None, advice: str = "") -> Iterator[str]:
        """Yield the lines up to the one that begins with the word `last`; advice is for who waits in vain."""
        patience = self.patience if patience is None else patience
        end, heard = time.monotonic() + patience, ""
        while True:
            try:
                line = self.lines.get(timeout=min(max(end - time.monotonic(), 0.001), BEAT_SECONDS))
            except queue.Empty:
                line = ""
            beat()
            if line is None:
                code = self.exit_code()
                fate = "closed its output" if code is None else f"ended (exit code {code})"
                raise self.failure(f"{fate} when it was asked {asked!r}")
            if line:
                yield line
                if line.split()[0] == last:
                    return
                heard = f", only {line[:60]!r}"
            if time.monotonic() > end:
                raise self.failure(
                    f"has not said {last!r} within {patience:g} s of {asked!r}{heard}", advice, ProgramTimeout
                )

    def failure(self, what: str, advice: str = "", fault: type[ProgramFault] = ProgramFault) -> ProgramFault:
        """Kill the program, and return the error to raise."""
        self.close()
        return fault(f"the {self.what} {self.name!r} {what}: {advice or self.advice}")

    def dismiss(self, *lines: str) -> None:
        """Send last lines, and kill the program if it does not end by itself."""
        self.say(*lines)
        self.exit_code()
        self.close()


# Programs that are asked for games, a JSON object per line, and answer a line: what such workers have in common.

Answer = dict[str, Any]


class WordParser(argparse.ArgumentParser):
    """Refuses words of a command line that it cannot read by one sentence."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def game_of(request: object) -> tuple[Mapping[str, Any], int, bool]:
    """A request with its seed and whether the seats are swapped; where it does not say so, they are for odd seeds."""
    if not isinstance(request, Mapping):
        raise ValueError("a request is a JSON object with a, b, seed and swap")
    seed = request.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ValueError(f"the seed of a request is {seed!r}: it must be a whole number")
    swap = request.get("swap", seed % 2 == 1)
    if not isinstance(swap, bool):
        raise ValueError(f"swap is {swap!r} in a request: it must be true or false")
    return request, seed, swap


def values_in(request: Mapping[str, Any], key: str) -> Mapping[str, object]:
    """The values of one side of a game."""
    own = request.get(key)
    if not isinstance(own, Mapping):
        raise ValueError(f"a request has {own!r} as {key}: it must be an object of names and values")
    return own


def answers(answer: Callable[[object], Answer], lines: Iterable[str]) -> Iterator[str]:
    """A line of JSON for each line that is read: an answer, or an error of one sentence."""
    for line in lines:
        try:
            request = json.loads(line)
            found = answer(request)
            if isinstance(request, dict) and "id" in request:
                found["id"] = request["id"]
        except json.JSONDecodeError as error:
            found = {"error": f"a request is not JSON: {error}"}
        except ValueError as error:
            found = {"error": str(error)}
        yield json.dumps(found)


def serve(answer: Callable[[object], Answer]) -> None:
    """Answer what is read from standard input until it ends, or nobody listens any more."""
    with suppress(BrokenPipeError, KeyboardInterrupt):
        for line in answers(answer, sys.stdin):
            print(line, flush=True)
