"""External programs in separate processes that communicate in lines.

A `ProgramProcess` prints any number of lines and has a time limit for each answer. A `LineProcess` answers a line with
a line; the waiting thread kills it when it is late. Both lead a session (a process group), so that Ctrl-C reaches the
parent alone and their children are killed with them, on Linux also those that have begun a session of their own. A
guard kills them also when the parent was killed. Time for which a program waits for a processor is not its own.
"""

import argparse
import hashlib
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
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NoReturn

from .guard import MARK, ProcessGuard, kill_group, new_mark, own_guard
from .heartbeat import beat, waiting_seconds

ADVICE = "give the command of a program"
LINES_KEPT = 1_000  # that wait to be read; a program that prints more is blocked
LONGEST_LINE = 1 << 16  # characters of a program's line; a longer one counts as several
CHUNK = 65_536
MAX_LINE = 1_000_000  # bytes of an answer to a line
KEPT_ERRORS = 8_192  # the last bytes of stderr
SHOWN_LETTERS = 120
END_SECONDS = 1.0  # in which a program that has closed its output must end
ROOM: int = getattr(select, "PIPE_BUF", 0)  # bytes that a ready pipe takes at once; 0 if unknown
ROOM_SECONDS = 0.2  # between two checks of a listener for a reader of its lines
BEAT_SECONDS = 1.0  # between two heartbeats of a thread that waits for an answer


class WorkerFault(Exception):
    """Fault of a worker; the message continues a sentence that starts with the worker."""


class ProgramFault(ValueError):
    """A running program that has ended, does not answer or prints invalid output: a restart may help."""


class ProgramTimeout(ProgramFault):
    """A program that has not answered in time."""


DEBIAN_GAMES = "/usr/games"  # where Debian has chess engines, which the PATH of services lacks


def split_command(command: str | Sequence[str], advice: str = ADVICE) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise ValueError(f"{command!r} is not a command ({error}): {advice}") from None


def demand_program(words: Sequence[str], what: str = "program", advice: str = ADVICE) -> list[str]:
    """Return the arguments of a command, or raise a ValueError if its program does not exist."""
    if not words or not words[0]:
        raise ValueError(f"the command is empty, but a {what} needs a command: {advice}")
    if shutil.which(words[0]) is None:
        if (debian := shutil.which(words[0], path=DEBIAN_GAMES)) is not None:
            return [debian, *words[1:]]
        found = Path(words[0])
        reason = "it may not be executed" if found.exists() else "there is no such program"
        raise _start_error(words, "it is a folder" if found.is_dir() else reason, what, advice)
    return list(words)


def _start_error(words: Sequence[str], reason: object, what: str, advice: str) -> ValueError:
    return ValueError(f"the {what} {shlex.join(words)} cannot be started ({reason}): {advice}")


def excerpt(line: bytes) -> str:
    text, half = line.decode(errors="replace").strip(), SHOWN_LETTERS // 2
    return repr(text if len(text) <= SHOWN_LETTERS else f"{text[:half]} .. {text[-half:]}")


class ChildProcess:
    """A running program with pipes, which any thread may kill."""

    what, advice = "program", ADVICE

    def __init__(self, words: Sequence[str], guard: ProcessGuard | None, **pipes: Any) -> None:
        self.mark, self.waited = new_mark(), 0.0
        try:
            self.process: subprocess.Popen[Any] = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                env={**os.environ, MARK: self.mark},
                **pipes,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise _start_error(words, reason, self.what, self.advice) from None
        if guard is not None:
            guard.tell("+", self.process.pid, self.mark)
        self.killed = threading.Event()
        self.kill = weakref.finalize(self, _kill, self.process, self.mark, guard, self.killed)

    @property
    def stdin(self) -> IO[Any]:
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def stdout(self) -> IO[Any]:
        assert self.process.stdout is not None
        return self.process.stdout

    def close(self) -> None:
        """Kill the program and close its pipes, which no other thread may be using."""
        self.kill()
        for pipe in (self.stdin, self.stdout):
            with suppress(OSError, ValueError):
                pipe.close()

    def write(self, content: bytes, seconds: float | None = None) -> bool:
        """Write all of the content; False if the pipe was full for that many seconds."""
        left, end = memoryview(content), time.monotonic() + (seconds or 0)
        while left:
            patience = None if seconds is None else max(end - time.monotonic(), 0)
            if ROOM and not select.select([], [self.stdin], [], patience)[1]:
                return False
            left = left[os.write(self.stdin.fileno(), left[: ROOM or None]) :]
        return True

    def exit_code(self) -> int | None:
        """Return the exit code of a program that has closed its output; None if it is still running."""
        if self.process.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(END_SECONDS)
                kill_group(self.process.pid, self.mark)  # its remaining children
        return self.process.returncode

    def own_clock(self) -> float:
        """Return a clock of the program: that of the wall, less the time for which it waited for a processor."""
        self.waited = max(self.waited, waiting_seconds(self.process.pid))  # of an ended process nobody says so
        return time.monotonic() - self.waited


def _kill(process: subprocess.Popen[Any], mark: str, guard: ProcessGuard | None, killed: threading.Event) -> None:
    """Kill a process and its children, unless it was waited for: its id may then belong to another process."""
    killed.set()
    if process.returncode is None:
        kill_group(process.pid, mark)
    process.wait()
    if guard is not None:
        guard.tell("-", process.pid)


class LineProcess(ChildProcess):
    """A program that serves one thread; the last line of its stderr often describes the error."""

    def __init__(self, words: Sequence[str], guard: ProcessGuard) -> None:
        super().__init__(words, guard, stderr=subprocess.PIPE, bufsize=0)
        self._rest, self._errors = b"", bytearray()
        self._listener = threading.Thread(target=self._keep_errors, daemon=True)
        self._listener.start()

    def ask(self, line: bytes) -> bytes:
        """Return the line that answers this one; any failure is a WorkerFault."""
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
        """Reject output after an answer: it could be read as the next one."""
        with suppress(OSError):  # the pipe is closed, or the system does not support it
            if not self._rest.strip() and select.select([self.stdout], [], [], 0)[0]:
                self._rest = self._read()
        if self._rest.strip():
            raise WorkerFault(f"has written more than a line for a game, then {excerpt(self._rest)}")

    @property
    def last_words(self) -> str:
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
        with suppress(OSError, ValueError), self.process.stderr as pipe:
            while chunk := pipe.read(CHUNK):
                self._errors += chunk
                del self._errors[:-KEPT_ERRORS]


def _listen(pipe: IO[str], lines: "queue.Queue[str | None]", killed: threading.Event) -> None:
    """Put a program's lines into a queue, and None when it has ended."""

    def put(line: str | None) -> None:
        while True:
            try:
                return lines.put(line, timeout=ROOM_SECONDS)
            except queue.Full:
                if killed.is_set():  # there may be no reader any more
                    return None

    with suppress(OSError, ValueError):
        while line := pipe.readline(LONGEST_LINE):
            put(line.strip())
    put(None)


class ProgramProcess(ChildProcess):
    """A program that communicates in lines; any failure kills it and raises a ValueError."""

    language, advice = "lines", f"{ADVICE} that speaks lines"  # its protocol, and the remedy in messages

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
        return demand_program(split_command(command, cls.advice), cls.what, cls.advice)

    def say(self, *lines: str) -> None:
        """Send lines; a program that does not read them is killed."""
        with suppress(OSError, ValueError):  # a program that has ended is noticed when it does not answer
            if not self.write("".join(f"{line}\n" for line in lines).encode(), self.patience):
                self.close()

    def answer(self, asked: str, last: str, patience: float | None = None, advice: str = "") -> Iterator[str]:
        """Yield the lines up to the one that starts with the word `last`; `advice` is the remedy after a timeout."""
        patience = self.patience if patience is None else patience
        end, heard = self.own_clock() + patience, ""
        while True:
            try:
                line = self.lines.get(timeout=min(max(end - self.own_clock(), 0.001), BEAT_SECONDS))
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
            if self.own_clock() > end:
                raise self.failure(
                    f"has not said {last!r} within {patience:g} s of {asked!r}{heard}", advice, ProgramTimeout
                )

    def failure(self, what: str, advice: str = "", fault: type[ProgramFault] = ProgramFault) -> ProgramFault:
        self.close()
        return fault(f"the {self.what} {self.name!r} {what}: {advice or self.advice}")

    def dismiss(self, *lines: str) -> None:
        """Send last lines, and kill the program if it does not exit."""
        self.say(*lines)
        self.exit_code()
        self.close()


READ_SECONDS = 10.0  # time limit for reading its input
DIGITS = 16  # of the digest that identifies a program in runs
SHOWN_ANSWER = 200  # characters of a wrong reply in a message


class ProtocolProgram(ProgramProcess):
    """A program that has confirmed a protocol by a reply to its first line that differs from an echo."""

    def __init__(self, words: Sequence[str], hello: str, ready: str, seconds: float):
        super().__init__(words, READ_SECONDS, own_guard())
        self.say(hello)
        last = self.last_line(hello, ready.split()[0], seconds)
        if last.split() != ready.split():
            raise self.failure(f"has answered {last[:SHOWN_ANSWER]!r}, and the referee speaks {hello!r}")

    def last_line(self, asked: str, word: str, patience: float) -> str:
        """Return the line that starts with a word; earlier lines are dropped, since a program may print without end."""
        return deque(self.answer(asked, word, patience), maxlen=1).pop()


def digest_of_command(words: Sequence[str]) -> str:
    """Return a digest of a command and of the files among its arguments: another build is another program."""
    whole = hashlib.sha256("\0".join(words).encode())
    for path in (Path(shutil.which(words[0]) or words[0]), *map(Path, words[1:])):
        if path.is_file():
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:DIGITS]


# Common parts of workers that play requested games: a JSON object per line, answered by a line.

Answer = dict[str, Any]  # the `score` of a game, and any further keys


class WordParser(argparse.ArgumentParser):
    """Argument parser that reports an error in one sentence."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def game_of(request: object) -> tuple[Mapping[str, Any], int, bool]:
    """Return a request with its seed and whether the seats are swapped; by default they are for odd seeds."""
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
    own = request.get(key)
    if not isinstance(own, Mapping):
        raise ValueError(f"a request has {own!r} as {key}: it must be an object of names and values")
    return own


def answers(answer: Callable[[object], Answer], lines: Iterable[str]) -> Iterator[str]:
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
    """Answer the lines of standard input until it ends, or standard output is closed."""
    with suppress(BrokenPipeError, KeyboardInterrupt):
        for line in answers(answer, sys.stdin):
            print(line, flush=True)
