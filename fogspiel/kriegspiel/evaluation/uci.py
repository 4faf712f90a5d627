"""Any chess engine that speaks UCI as an evaluator: a process of its own that is asked and, in the end, killed.

An engine that cannot be started, does not answer in time, ends or answers nonsense is a ValueError of one sentence.
"""

import contextlib
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Sequence

import numpy as np

from ...core.heartbeat import beat
from ...games.chess.fen import fen_of, move_name
from ...games.chess.limits import CHECKERS, LIMITS, restrict
from ...games.chess.men import WHITE
from ...games.chess.moves import can_move, is_legal
from ...games.chess.position import MOVER, make
from ...games.chess.search import MATE, material_score
from .board_evaluator import ILLEGAL, MOST

SCORE = re.compile(r"\bscore (cp|mate) (-?\d+)\b")
FIRST_MOVE = re.compile(r"\bpv ([a-h][1-8][a-h][1-8][nbrq]?)\b")
LINES_KEPT = 10_000


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
        for line in process.stdout or ():
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
            f"the chess engine {shlex.join(words)!r} cannot be started (there is no such program): "
            "give the command of a program that speaks UCI"
        )


class Uci:
    """A chess engine in a process of its own."""

    def __init__(self, command: str | Sequence[str], patience: float = 10.0):
        words = words_of(command)
        self.name, self.patience = shlex.join(words), patience
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
                bufsize=1,
                start_new_session=True,
            )
        except OSError as error:
            raise ValueError(
                f"the chess engine {self.name!r} cannot be started ({error.strerror}): "
                "give the command of a program that speaks UCI"
            ) from None
        self.close = weakref.finalize(self, _kill, self.process)
        self.lines: queue.Queue[str | None] = queue.Queue(LINES_KEPT)
        threading.Thread(target=_listen, args=(self.process, self.lines), daemon=True).start()
        self.say("uci")
        options = self.answer("uci", "uciok")
        self.ranks_all = any(line.startswith("option name MultiPV ") for line in options)
        if self.ranks_all:
            self.say("setoption name MultiPV value 256")
        self.ready()

    def say(self, line: str) -> None:
        """Send a line."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # an engine that has ended is noticed when it does not answer
            self.process.stdin.write(line + "\n")

    def answer(self, asked: str, last: str) -> list[str]:
        """The lines up to the one that begins with the word `last`."""
        end, found = time.monotonic() + self.patience, list[str]()
        while True:
            try:
                line = self.lines.get(timeout=max(end - time.monotonic(), 0.001))
            except queue.Empty:
                line = ""
            if line is None:
                raise self.failure(f"ended (exit code {self.process.wait()}) when it was asked {asked!r}")
            if line:
                found.append(line)
                if line.split()[0] == last:
                    return found
            if time.monotonic() > end:
                heard = f", only {found[-1][:60]!r}" if found else ""
                raise self.failure(f"has not said {last!r} within {self.patience:g} s of {asked!r}{heard}")

    def failure(self, what: str) -> ValueError:
        """Kill the engine: what it did, as an error to raise."""
        self.close()
        return ValueError(f"the chess engine {self.name!r} {what}: give the command of a program that speaks UCI")

    def ready(self) -> None:
        """Wait until the engine has done what it was told."""
        self.say("isready")
        self.answer("isready", "readyok")

    def search(self, position: str, depth: int) -> dict[str, int]:
        """The values, for the mover, that a search of a position found by first moves; the last one also as ''."""
        self.say(f"position {position}")
        self.say(f"go depth {depth}")
        values: dict[str, int] = {}
        lines = self.answer(f"go depth {depth}", "bestmove")
        for line in lines:
            score, first = SCORE.search(line), FIRST_MOVE.search(line)
            if score:
                number = int(score[2])
                value = number if score[1] == "cp" else MATE - number if number > 0 else -MATE - number
                values[""] = value
                if first:
                    values[first[1]] = value
        if not values:
            raise self.failure(f"has answered {lines[-1][:60]!r} without any score")
        return values

    def move_values(self, fen: str, moves: Sequence[str], depth: int) -> list[int]:
        """What legal moves are worth for the mover: by one search that ranks all of them, or by one after each."""
        ranked = self.search(f"fen {fen}", depth + 1) if self.ranks_all and moves else {}
        return [
            ranked[move] if move in ranked else -self.search(f"fen {fen} moves {move}", depth)[""] for move in moves
        ]


class UciEvaluator:
    """Evaluates attempts by a chess engine."""

    boards = 1

    def __init__(self, command: str | Sequence[str], depth: int = 1, patience: float = 10.0):
        self.engine, self.depth = Uci(command, patience), depth

    def begin(self) -> None:
        """Tell the engine that a new game begins."""
        self.engine.say("ucinewgame")
        self.engine.ready()

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        """Fill the table board by board; moves that end the game are not asked about, as engines differ on them."""
        limits = np.empty(LIMITS, np.int64)
        for board, row in zip(boards, gains, strict=True):
            beat()
            before = int(material_score(board)) * (1 if board[MOVER] == WHITE else -1)
            values: dict[int, int] = {}
            asked = []
            for place, attempt in enumerate(attempts):
                restrict(board, limits)
                if is_legal(board, limits, attempt):
                    after = board.copy()
                    make(after, attempt)
                    restrict(after, limits)
                    if can_move(after, limits):
                        asked.append(place)
                    else:
                        values[place] = MATE if limits[CHECKERS] else 0
            names = [move_name(int(attempts[place])) for place in asked]
            values |= zip(asked, self.engine.move_values(fen_of(board), names, self.depth), strict=True)
            row[:] = ILLEGAL
            for place, value in values.items():
                row[place] = min(max(value - before, -MOST), MOST)
