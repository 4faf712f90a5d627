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
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from fastapi import HTTPException

from ..core.own_games import words_of
from ..runs.jobs import earlier_runs
from ..runs.store import Run, Store
from .page_agents import demand_page_run
from .run_reader import RunReader

MOST_AT_WORK = 2
"""How many runs may be at work at the same time in one store."""
STOP_SECONDS = 5.0
"""How long an answer waits for a run to stop; most need much less."""
POLL_SECONDS = 0.05
STOPPED = (128 + signal.SIGINT, -signal.SIGTERM, -signal.SIGINT)
"""Exit codes of a process that was asked to stop: by the command line, before it was there, or during an import."""
COMMAND = (sys.executable, "-m", "fogspiel.cli")


@dataclass
class Worker:
    """A process that this server has started for a run."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    """Its standard error; read when it has ended."""

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def trouble(self) -> str | None:
        """Why it could not go on, if it could not."""
        code = self.process.poll()
        if code is None or code in (0, *STOPPED):
            return None
        if code < 0:
            return f"the process that worked on it was killed by signal {-code}; nothing that was stored is lost"
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        if lines:
            return lines[-1].removeprefix("fogspiel: ")
        return f"the process that worked on it ended with code {code}"


class RunProcesses:
    """Starts, stops and resumes the runs of a store."""

    def __init__(self, reader: RunReader):
        self.reader = reader
        self._workers: dict[str, Worker] = {}
        self._lock = threading.Lock()

    def begin(self, ask: Mapping[str, Any], *, once: bool) -> str:
        """Start a new run, or resume the one that has the same request where one is enough; returns its name."""
        with self._lock:
            found = self._same(ask) if once else None
            if found is not None and self.state(found.name, found.state) != "interrupted":
                return found.name
            self._demand_room()
            if found is None:
                with Store.open(self.reader.path, write=True) as store:
                    found = store.create(ask)
            self._start(found.name, ask)
            return found.name

    def _same(self, ask: Mapping[str, Any]) -> Run | None:
        """The run that has this request already."""
        with Store.open(self.reader.path, write=False) as store:
            return next((run for run in earlier_runs(store, ask["method"]) if run.ask == ask), None)

    def resume(self, name: str) -> None:
        """Go on with a run that was interrupted."""
        with self._lock:
            state = self.current_state(name)
            if state != "interrupted":
                raise HTTPException(409, f"run {name} is {state}: only an interrupted run can be resumed")
            self._demand_room()
            self._start(name, self.reader.follow(name).ask)

    def stop(self, name: str) -> str:
        """Stop the work on a run; returns its state after that."""
        found = self.reader.follow(name, at_once=True)
        if self.state(name, found.state) not in ("running", "starting"):
            raise HTTPException(409, f"run {name} is {found.state}: nobody works on it")
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
            raise HTTPException(409, f"nobody works on run {name} any more")
        if session.host != socket.gethostname():
            raise HTTPException(409, f"run {name} is worked on at {session.host}: stop it there")
        try:
            os.kill(session.pid, signal.SIGTERM)
        except ProcessLookupError:
            raise HTTPException(409, f"nobody works on run {name} any more") from None
        except PermissionError:
            raise HTTPException(409, f"run {name} is worked on by another user: stop it there") from None

    def current_state(self, name: str) -> str:
        """The state of a run, read now."""
        return self.state(name, self.reader.follow(name, at_once=True).state)

    def state(self, name: str, stored: str) -> str:
        """The state of a run, which is starting while its process has not yet taken it up."""
        worker = self._workers.get(name)
        return "starting" if stored == "interrupted" and worker is not None and worker.alive else stored

    def trouble(self, name: str, state: str) -> str | None:
        """Why the work on an interrupted run could not go on, if this server knows."""
        worker = self._workers.get(name)
        return worker.trouble if worker is not None and state == "interrupted" else None

    def _demand_room(self) -> None:
        busy = {found.name for found in self.reader.summaries(at_once=True) if found.state == "running"}
        busy |= {name for name, worker in self._workers.items() if worker.alive}
        if len(busy) >= MOST_AT_WORK:
            raise HTTPException(
                409, f"{len(busy)} runs are at work already ({', '.join(sorted(busy))}): wait for one, or stop it"
            )

    def _start(self, name: str, ask: Mapping[str, Any]) -> None:
        """Start the process that works on a run; a core is left to the pages where there are several."""
        demand_page_run(name, ask)
        folder = self.reader.path.parent / "reports"
        folder.mkdir(parents=True, exist_ok=True)
        threads = max(1, (os.cpu_count() or 1) - 1)
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the worker)
        words = words_of(ask["game"])
        rules = [] if words is None else ["--game", words.absolute]
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
