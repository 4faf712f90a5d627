"""Work on runs, in processes of their own: `fogspiel resume RUN`, as one would type it.

The server writes nothing but the request of a new run, in one short transaction; everything else is written by the
process that works on it. Such a process has a session of its own, so it outlives the page and the server that started
it: a run ends when it is finished or stopped, not when a window is closed. It is stopped by SIGTERM, which the command
line takes like Ctrl-C (and hears also where Ctrl-C is ignored): what was done is kept, and it can be resumed. Files of
rules that the user has named to the server are named to the process as well.
"""

import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from fastapi import HTTPException

from ..core.find import spec_of
from ..runs.execute import earlier_runs
from ..runs.store import Run, Store, StoreError
from .opponents import demand_page_run
from .run_reader import RunReader

MAX_AT_WORK = 2  # how many runs may be at work at the same time in one store
MAX_QUEUED = 16  # how many more may wait for room
QUEUE_SECONDS = 0.5  # how often it is looked whether there is room for a run that waits
STOP_SECONDS = 5.0  # how long an answer waits for a run to stop; most need much less
POLL_SECONDS = 0.05
# Exit codes of a process that was asked to stop: by the command line, before it was there, or during an import.
STOPPED = (128 + signal.SIGINT, -signal.SIGTERM, -signal.SIGINT)
COMMAND = (sys.executable, "-m", "fogspiel.cli")


@dataclass
class Worker:
    """A process that this server has started for a run."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]  # its standard error; read when it has ended

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def trouble(self) -> str | None:
        """Reason why it could not resume, if any."""
        code = self.process.poll()
        return None if code is None or code in (0, *STOPPED) else end_words(code, self.errors)


def end_words(code: int, errors: IO[bytes]) -> str:
    """Explain why a process ended unasked: its last words, if it had any."""
    if code < 0:
        return f"the process that worked on it was killed by signal {-code}; nothing that was stored is lost"
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("fogspiel: ") if lines else f"the process that worked on it ended with code {code}"


class RunProcesses:
    """Starts, stops, queues and resumes the runs of a store."""

    def __init__(self, reader: RunReader):
        self.reader = reader
        self._workers: dict[str, Worker] = {}
        # The runs that wait for room, the first first, with what was asked.
        self._queue: dict[str, Mapping[str, Any]] = {}
        self._refused: dict[str, str] = {}  # why runs that had waited could not be started
        self._lock = threading.RLock()
        self._waiter: threading.Thread | None = None
        self._closed = threading.Event()

    def begin(self, ask: Mapping[str, Any], *, once: bool) -> str:
        """Start a new run, or resume the one that has the same request where one is enough; returns its name."""
        with self._lock:
            found = self._same(ask) if once else None
            if found is not None and self.state(found.name, found.state) != "interrupted":
                return found.name
            self._demand_place()
            if found is None:
                with Store.open(self.reader.path, write=True) as store:
                    found = store.create(ask)
            self._start_or_queue(found.name, ask)
            return found.name

    def _same(self, ask: Mapping[str, Any]) -> Run | None:
        """The run that has this request already."""
        with Store.open(self.reader.path, write=False) as store:
            return next((run for run in earlier_runs(store, ask["method"]) if run.request == ask), None)

    def resume(self, name: str) -> None:
        """Go on with a run that was interrupted."""
        with self._lock:
            state = self.current_state(name)
            if state != "interrupted":
                raise HTTPException(409, f"run {name} is {state}: only an interrupted run can be resumed")
            self._demand_place()
            self._start_or_queue(name, self.reader.follow(name).request)

    def stop(self, name: str) -> str:
        """Stop the work on a run; returns its state after that."""
        with self._lock:
            if self._queue.pop(name, None) is not None:
                return self.current_state(name)
        found = self.reader.follow(name, at_once=True)
        if self.state(name, found.state) not in ("running", "starting"):
            raise HTTPException(409, f"run {name} is {found.state}: no process works on it")
        self._signal(name, running=found.running)
        give_up = time.monotonic() + STOP_SECONDS
        while time.monotonic() < give_up:
            state = self.current_state(name)
            if state not in ("running", "starting"):
                return state
            time.sleep(POLL_SECONDS)
        return "stopping"

    def _signal(self, name: str, *, running: bool) -> None:
        """Send SIGTERM to the process that works on a run, whoever started it."""
        worker = self._workers.get(name)
        if worker is not None and worker.alive:
            return worker.process.terminate()
        session = self.reader.worker(name)
        if session is None or not running:
            raise HTTPException(409, f"no process works on run {name} any more")
        if session.host != socket.gethostname():
            raise HTTPException(409, f"run {name} is worked on at {session.host}: stop it there")
        try:
            os.kill(session.pid, signal.SIGTERM)
        except ProcessLookupError:
            raise HTTPException(409, f"no process works on run {name} any more") from None
        except PermissionError:
            raise HTTPException(409, f"run {name} is worked on by another user: stop it there") from None

    def current_state(self, name: str) -> str:
        """The state of a run, read now."""
        return self.state(name, self.reader.follow(name, at_once=True).state)

    def state(self, name: str, stored: str) -> str:
        """The state of a run, which is queued until there is room, and starting until its process has taken it up."""
        if stored == "interrupted" and name in self._queue:
            return "queued"
        worker = self._workers.get(name)
        return "starting" if stored == "interrupted" and worker is not None and worker.alive else stored

    def trouble(self, name: str, state: str) -> str | None:
        """Return the reason why the work on an interrupted run could not resume, if known."""
        if state != "interrupted":
            return None
        worker = self._workers.get(name)
        return self._refused.get(name) or (worker.trouble if worker is not None else None)

    def delete(self, name: str) -> None:
        """Take a run out of the store for good; one that is at work or waits for room is refused."""
        with self._lock:
            state = self.current_state(name)
            if state in ("running", "starting", "queued"):
                raise HTTPException(409, f"run {name} is {state}: stop it before it is deleted")
            with Store.open(self.reader.path, write=True) as store:
                store.delete([name])
            self._workers.pop(name, None)
            self._refused.pop(name, None)

    def close(self) -> None:
        """Start no more runs; those that wait are interrupted, and can be resumed."""
        self._closed.set()

    def _demand_place(self) -> None:
        """Refuse a run when too many wait already."""
        if len(self._queue) >= MAX_QUEUED:
            raise HTTPException(409, f"{MAX_QUEUED} runs wait already: let some of them end, or stop some")

    def _has_room(self) -> bool:
        """True if one more run may be at work."""
        busy = {found.name for found in self.reader.summaries(at_once=True) if found.state == "running"}
        busy |= {name for name, worker in self._workers.items() if worker.alive}
        return len(busy) < MAX_AT_WORK

    def _start_or_queue(self, name: str, ask: Mapping[str, Any]) -> None:
        """Start a run, or let it wait behind others until there is room."""
        demand_page_run(name, ask)
        self._refused.pop(name, None)
        if not self._queue and self._has_room():
            return self._start(name, ask)
        self._queue[name] = ask
        if self._waiter is None or not self._waiter.is_alive():
            self._waiter = threading.Thread(target=self._start_in_turn, name="queue", daemon=True)
            self._waiter.start()
        return None

    def _start_in_turn(self) -> None:
        """Start the runs that wait, one whenever there is room."""
        while not self._closed.wait(QUEUE_SECONDS):
            with self._lock:
                if not self._queue:
                    self._waiter = None
                    return
                with suppress(StoreError):  # the store may be read again in a moment
                    if self._has_room():
                        self._start_first()

    def _start_first(self) -> None:
        """Start the run that has waited longest, if it is still there and nobody else has taken it up."""
        name, ask = next(iter(self._queue.items()))
        del self._queue[name]
        try:
            if self.reader.follow(name, at_once=True).state == "interrupted":
                self._start(name, ask)
        except HTTPException:
            return
        except OSError as error:
            self._refused[name] = f"its process could not be started: {error.strerror or error}"

    def _start(self, name: str, ask: Mapping[str, Any]) -> None:
        """Start the process that works on a run; a core is left to the pages where there are several."""
        folder = self.reader.path.parent / "reports"
        folder.mkdir(parents=True, exist_ok=True)
        threads = max(1, (os.cpu_count() or 1) - 1)
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the worker)
        words = spec_of(ask["game"])
        rules = [] if words is None else ["--source", words.absolute]
        store = str(self.reader.path.resolve())
        process = subprocess.Popen(
            [*COMMAND, "resume", "--store", store, "--threads", str(threads), *rules, "--", name],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        self._workers[name] = Worker(process, errors)


def resume_command(name: str, store: Path) -> str:
    """The command that goes on with a run."""
    return f"fogspiel resume {name} --store {shlex.quote(str(store))}"
