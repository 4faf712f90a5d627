"""Work on runs in separate processes, each running `fogspiel resume RUN`.

The server writes only the request of a new run, in one short transaction; the process that executes the run writes
everything else. Each process has a separate session, so it outlives the browser and the server that started it: a run
ends when it is finished or stopped, not when a window is closed. SIGTERM stops it; the command line handles it like
Ctrl-C, even where Ctrl-C is ignored. Its progress is saved, and it can be resumed. Rules files that the user has named
to the server are passed to the process.
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
from ..runs.kind import earlier_runs
from ..runs.store import Store, StoreError
from .opponents import demand_page_run
from .run_reader import RunReader

MAX_AT_WORK = 2  # runs that execute at the same time in one store
MAX_QUEUED = 16  # runs that may wait in the queue
QUEUE_SECONDS = 0.5  # polling interval of the queue
STOP_SECONDS = 5.0  # how long a response waits for a run to stop; most need much less
POLL_SECONDS = 0.05
# Exit codes of a process that was stopped: by the command line, before that was loaded, or during an import.
STOPPED = (128 + signal.SIGINT, -signal.SIGTERM, -signal.SIGINT)
COMMAND = (sys.executable, "-m", "fogspiel.cli")


@dataclass
class Worker:
    """Process that this server has started for a run."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]  # standard error, read when the process has ended

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def trouble(self) -> str | None:
        code = self.process.poll()
        return None if code is None or code in (0, *STOPPED) else end_words(code, self.errors)


def end_words(code: int, errors: IO[bytes]) -> str:
    """Explain why a process ended unexpectedly, by its last error line if it printed any."""
    if code < 0:
        return f"the process that worked on it was killed by signal {-code}; nothing that was stored is lost"
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("fogspiel: ") if lines else f"the process that worked on it ended with code {code}"


class RunProcesses:
    """Process manager that starts, stops, queues and resumes the runs of a store."""

    def __init__(self, reader: RunReader):
        self.reader = reader
        self._workers: dict[str, Worker] = {}
        # Queued runs with their requests, first come first.
        self._queue: dict[str, Mapping[str, Any]] = {}
        self._refused: dict[str, str] = {}  # why queued runs could not be started
        self._lock = threading.RLock()
        self._waiter: threading.Thread | None = None
        self._closed = threading.Event()

    def begin(self, ask: Mapping[str, Any], *, once: bool) -> str:
        """Start a new run or, with `once`, resume the one that has the same request; return its name."""
        with self._lock:
            found = None
            if once:
                with Store.open(self.reader.path, write=False) as store:
                    found = next((run for run in earlier_runs(store, ask["method"]) if run.request == ask), None)
            if found is not None and self.state(found.name, found.state) != "interrupted":
                return found.name
            self._demand_place()
            if found is None:
                with Store.open(self.reader.path, write=True) as store:
                    found = store.create(ask)
            self._start_or_queue(found.name, ask)
            return found.name

    def resume(self, name: str) -> None:
        with self._lock:
            state = self.current_state(name)
            if state != "interrupted":
                raise HTTPException(409, f"run {name} is {state}: only an interrupted run can be resumed")
            self._demand_place()
            self._start_or_queue(name, self.reader.follow(name).request)

    def stop(self, name: str) -> str:
        """Stop the work on a run; return its new state."""
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
        return self.state(name, self.reader.follow(name, at_once=True).state)

    def state(self, name: str, stored: str) -> str:
        """Return the state of a run: queued until a place is free, starting until its process has acquired it."""
        if stored == "interrupted" and name in self._queue:
            return "queued"
        worker = self._workers.get(name)
        return "starting" if stored == "interrupted" and worker is not None and worker.alive else stored

    def trouble(self, name: str, state: str) -> str | None:
        if state != "interrupted":
            return None
        worker = self._workers.get(name)
        return self._refused.get(name) or (worker.trouble if worker is not None else None)

    def delete(self, name: str) -> None:
        """Delete a run permanently; a running or queued run is rejected."""
        with self._lock:
            state = self.current_state(name)
            if state in ("running", "starting", "queued"):
                raise HTTPException(409, f"run {name} is {state}: stop it before it is deleted")
            with Store.open(self.reader.path, write=True) as store:
                store.delete([name])
            self._workers.pop(name, None)
            self._refused.pop(name, None)

    def close(self) -> None:
        """Start no more runs; queued runs become interrupted and can be resumed."""
        self._closed.set()

    def _demand_place(self) -> None:
        if len(self._queue) >= MAX_QUEUED:
            raise HTTPException(409, f"{MAX_QUEUED} runs wait already: let some of them end, or stop some")

    def _has_room(self) -> bool:
        busy = {found.name for found in self.reader.summaries(at_once=True) if found.state == "running"}
        busy |= {name for name, worker in self._workers.items() if worker.alive}
        return len(busy) < MAX_AT_WORK

    def _start_or_queue(self, name: str, ask: Mapping[str, Any]) -> None:
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
        """Start queued runs as places become free."""
        while not self._closed.wait(QUEUE_SECONDS):
            with self._lock:
                if not self._queue:
                    self._waiter = None
                    return
                with suppress(StoreError):  # the store may be readable again in a moment
                    if self._has_room():
                        self._start_first()

    def _start_first(self) -> None:
        """Start the run that has waited longest, if it still exists and no other process has acquired it."""
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
        """Start the process of a run; one core is left to the server where there are several."""
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
    return f"fogspiel resume {name} --store {shlex.quote(str(store))}"
