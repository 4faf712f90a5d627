"""A pool of external programs that play requested games: a JSON object per line in, one per line out.

Each worker has one game at a time; answers are returned in the order of the games, for any number of workers. A worker
that exits, does not answer in time or returns invalid output is replaced and its game repeated. A game that fails three
times stops the run, which can be resumed.

Every request has a number under `id`. An answer that repeats it is never assigned to another game. Without it, a late
worker has been killed already. If a worker has written more than a line for a game, all its answers of the same batch
are discarded, and a third time stops the run.
"""

import json
import math
import shlex
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

from .guard import own_guard
from .heartbeat import beat
from .jobs import ATTEMPTS, RetryRule
from .line_process import Answer, LineProcess, WorkerFault, demand_program, excerpt

LOOK_SECONDS = 0.05  # between two checks of the time limits
START_SECONDS = 10.0  # extra time for the first answer of a new worker
LEAVE_SECONDS = 2.0  # to wait for the threads of killed workers
IDLE_SECONDS = 60.0  # after which a kept pool that is not used ends its program


@dataclass(eq=False)
class Batch:
    lines: Sequence[bytes]
    judge: Callable[[int, Answer], None]
    left: deque[int]
    retries: RetryRule
    answers: dict[int, Answer] = field(default_factory=dict)
    failure: Exception | None = None


@dataclass(eq=False)
class WorkerSlot:
    """One worker of the pool during a batch."""

    process: LineProcess | None = None
    game: int | None = None
    deadline: float = math.inf
    answered: list[int] = field(default_factory=list)  # the games of the batch that the process has answered
    lost: bool = False  # true if the worker was given up: later output is ignored
    done: bool = False  # true if its thread has finished
    thread: threading.Thread | None = None


class WorkerPool:
    """A number of workers, started as they are needed, and killed at the end."""

    def __init__(
        self,
        words: Sequence[str],
        workers: int = 1,
        seconds: float = 60.0,
        title: str | None = None,
        on_fault: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.words, self.workers, self.seconds, self.on_fault = demand_program(words), workers, seconds, on_fault
        self.title = title or f"the program {shlex.join(self.words)}"
        self._changed = threading.Condition()
        self._seats: list[WorkerSlot] = []
        self._idle: list[LineProcess] = []
        self._number, self._strays = 0, RetryRule()

    def ask(self, requests: Sequence[str], judge: Callable[[int, Answer], None]) -> list[Answer]:
        """Return the answers to requests (JSON objects without an `id`), in their order.

        The judge rejects the answer to a request by a WorkerFault, or stops everything by a ValueError.
        """
        first, self._number = self._number, self._number + len(requests)
        lines = [f'{request[:-1]}, "id": {number}}}\n'.encode() for number, request in enumerate(requests, first)]

        def judge_with_id(game: int, answer: Answer) -> None:
            if answer.get("id", first + game) != first + game:
                raise WorkerFault(f"has answered for game {answer['id']!r} when it was asked for {first + game}")
            judge(game, answer)

        batch = Batch(lines, judge_with_id, deque(range(len(lines))), RetryRule(self.on_fault, "game"))
        try:
            own_guard()  # before the threads, each of which would start one
            for _ in range(min(self.workers, len(lines))):
                self._seat(batch)
            while not self._wait(batch):
                beat()
                self._look_at_clock(batch)
            if batch.failure is not None:
                raise batch.failure
        except BaseException:
            self.close()
            raise
        self._seats.clear()
        return [batch.answers[game] for game in range(len(lines))]

    def close(self) -> None:
        with self._changed:
            for seat in self._seats:
                seat.lost = True
            busy = [seat.process for seat in self._seats if seat.process is not None]
        for process in busy:
            process.kill()
        for seat in self._seats:
            if seat.thread is not None:
                seat.thread.join(LEAVE_SECONDS)
        self._seats.clear()
        while self._idle:
            self._idle.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # In the waiting thread

    def _wait(self, batch: Batch) -> bool:
        """Wait a moment for the batch; True if it is complete or has failed."""

        def over() -> bool:
            answered = len(batch.answers) == len(batch.lines)
            return batch.failure is not None or (answered and all(seat.done or seat.lost for seat in self._seats))

        with self._changed:
            return self._changed.wait_for(over, LOOK_SECONDS)

    def _seat(self, batch: Batch) -> None:
        seat = WorkerSlot()
        seat.thread = threading.Thread(target=self._serve, args=(batch, seat), daemon=True)
        self._seats.append(seat)
        seat.thread.start()

    def _look_at_clock(self, batch: Batch) -> None:
        """Give up the workers whose time is over, and replace them."""
        with self._changed:
            late = [
                seat
                for seat in self._seats
                if seat.process is not None and seat.deadline <= seat.process.own_clock() and not seat.lost
            ]
            for seat in late:
                seat.lost = True
        for seat in late:
            assert seat.process is not None and seat.game is not None
            seat.process.kill()
            self._blame(batch, seat.game, f"has not answered within {self.seconds:g} s", seat.process)
            self._seat(batch)

    # In the thread of a worker

    def _serve(self, batch: Batch, seat: WorkerSlot) -> None:
        """Request games from one worker, and its replacements, until there are none left."""
        try:
            while self._next_game(batch, seat):
                self._play(batch, seat)
        except Exception as error:  # raised by the waiting thread
            self._fail(batch, error)
        if seat.process is not None:
            seat.process.close()
        with self._changed:
            seat.done = True
            self._changed.notify_all()

    def _next_game(self, batch: Batch, seat: WorkerSlot) -> bool:
        """Take the next game, or leave the worker to the next batch."""
        if seat.process is not None:
            self._check_silence(batch, seat)
        with self._changed:
            if seat.lost:
                return False
            if batch.failure is None and batch.left:
                seat.game = batch.left.popleft()
                return True
            if seat.process is not None:
                self._idle.append(seat.process)
                seat.process = None
            return False

    def _play(self, batch: Batch, seat: WorkerSlot) -> None:
        game, patience = seat.game, self.seconds
        assert game is not None
        with self._changed:
            if seat.process is None and self._idle:
                seat.process = self._idle.pop()
        if seat.process is None:
            process, patience = LineProcess(self.words, own_guard()), patience + START_SECONDS
            with self._changed:
                seat.process = process
                if seat.lost:
                    return
        if not seat.answered and not self._check_silence(batch, seat):
            with self._changed:
                batch.left.appendleft(game)
            return
        try:
            with self._changed:
                seat.deadline = seat.process.own_clock() + patience
            answer = parse(seat.process.ask(batch.lines[game]))
            batch.judge(game, answer)
        except WorkerFault as fault:
            dropped = self._drop(seat)
            if dropped is not None:
                self._blame(batch, game, str(fault), dropped)
            return
        with self._changed:
            seat.deadline = math.inf
            if not seat.lost:
                batch.answers[game] = answer
                seat.answered.append(game)

    def _check_silence(self, batch: Batch, seat: WorkerSlot) -> bool:
        """True if a worker has printed one line per request; otherwise its answers in this batch are discarded."""
        assert seat.process is not None
        try:
            seat.process.demand_silence()
            return True
        except WorkerFault as fault:
            answered, process = seat.answered, self._drop(seat)
            if process is not None:
                with self._changed:
                    for game in answered:
                        del batch.answers[game]
                    batch.left.extendleft(answered)
                    again = self._strays.repeats("line")
                self.on_fault(f"{self.title} {fault}: what it has said is forgotten, and its games are repeated")
                if not again:
                    self._fail(batch, ValueError(f"{self.title} {fault}, {ATTEMPTS} times: it must write one line"))
            return False

    def _drop(self, seat: WorkerSlot) -> LineProcess | None:
        """End the process of a worker; None if the worker was given up before."""
        with self._changed:
            if seat.lost:
                return None
            process, seat.process, seat.deadline, seat.answered = seat.process, None, math.inf, []
        assert process is not None
        process.close()
        return process

    # In both

    def _blame(self, batch: Batch, game: int, what: str, process: LineProcess) -> None:
        """Count a fault of a game; the game is repeated next, unless there have been too many."""
        words = process.last_words
        fault = f"{self.title} {what}" + (f", and the last line of its stderr is {words!r}" if words else "")
        if batch.retries.repeats(game, fault):
            with self._changed:
                batch.left.appendleft(game)
            return
        times = f"this game has gone wrong {ATTEMPTS} times"
        self._fail(batch, ValueError(f"{fault}; {times}: {excerpt(batch.lines[game])}"))

    def _fail(self, batch: Batch, error: Exception) -> None:
        with self._changed:
            batch.failure = batch.failure or error
            self._changed.notify_all()


# Pools that stay open between the jobs of a cluster's worker, since a program may take seconds to start

_kept: dict[str, list[tuple[WorkerPool, threading.Timer]]] = {}  # those that nobody uses, by user
_keeping = threading.Lock()


@contextmanager
def kept_pool(user: str, words: Sequence[str], seconds: float, title: str) -> Iterator[WorkerPool]:
    """Use a pool with one worker that this user has used before; after an error it is closed."""
    with _keeping:
        waiting = _kept.get(user, ())
        pool, timer = waiting.pop() if waiting else (WorkerPool(words, 1, seconds, title), None)
    if timer is not None:
        timer.cancel()
    try:
        yield pool
    except BaseException:
        pool.close()
        raise
    timer = threading.Timer(IDLE_SECONDS, end_pools, (user,))
    timer.daemon = True
    with _keeping:
        _kept.setdefault(user, []).append((pool, timer))
    timer.start()


def end_pools(user: str) -> None:
    """End the programs that a user does not use at this moment."""
    with _keeping:
        ended = _kept.pop(user, [])
    for pool, timer in ended:
        timer.cancel()
        pool.close()


def parse(line: bytes) -> Answer:
    """Return the answer in a line: an object with a score, or the score alone."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise WorkerFault(f"has answered {excerpt(line)}, which is not JSON") from None
    answer = found if isinstance(found, dict) else {"score": found}
    if isinstance(answer.get("error"), str):
        raise ValueError(answer["error"])
    score = answer.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float) or not abs(score) < math.inf:
        raise WorkerFault(f"has answered {excerpt(line)}, which has no score: it must be a number")
    return answer
