"""Runs and their store: request, steps and result, saved so that any run can be resumed.

Row 0 of a run is the request, followed by the steps and one result. Rows depend only on the request, so two runs of
the same request are byte-identical. Times, processes and machines are stored separately, in the sessions. Every row is
committed before work continues, and damage is detected.

`rows` has the tables with their checksums, `file` the SQLite file, and `faults` the errors and locks. None of them
depends on the meaning of a run's rows.
"""

import json
import os
import socket
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from platformdirs import user_data_path

from ...core.plugins import former_names
from ..request import check_name
from . import rows as chain
from .faults import Damaged, SetAside, StoreBusy, StoreError, StoreMoved
from .file import Committed, Query, StoreFile
from .rows import STATES, CatalogueEntry, Json, Row, Summary, UnknownRun, WorkPeriod, canonical

__all__ = [
    "KEEP_SECONDS", "MAX_ROWS", "STATES", "Damaged", "DeferredRun", "Json", "Row", "Run", "SetAside", "Store",
    "StoreBusy", "StoreError", "StoreMoved", "Summary", "UnknownRun", "UnstoredRun", "canonical", "default_path",
]  # fmt: skip

MAX_ROWS = 1000  # of a run in memory; longer ones are read again when all rows are needed
KEEP_SECONDS = 2.0  # interval of saved partial states: the most work an interruption other than Ctrl-C can cost


def default_path() -> Path:
    """Return the default path of the store: FOGSPIEL_STORE, else in the user's data folder."""
    if chosen := os.environ.get("FOGSPIEL_STORE"):
        return Path(os.path.expanduser(chosen))
    return user_data_path("fogspiel", appauthor=False) / "runs.db"


@former_names(ask="request", keep_partial="save_partial", telling_rows="summary_rows")
class Run:
    """A run in the store: read-only, or appendable while this process holds its lock."""

    def __init__(
        self,
        file: StoreFile,
        entry: CatalogueEntry,
        rows: list[Row],
        session: WorkPeriod | None,
        *,
        running: bool,
        telling: list[Row] | None = None,
    ) -> None:
        self.name = entry.name
        self._rows, self._first, self._last = rows, rows[0], rows[-1]
        self._telling = telling
        self._file = file
        self._entry = entry
        self._session = session  # of this process, if it holds the lock
        self._running = running
        self._clock = time.monotonic()

    @property
    def rows(self) -> list[Row]:
        if len(self._rows) > self._last.number:
            return self._rows
        rows = [*self._file.read(_verified(self.name))[1][: self._last.number], self._last]
        if self.finished:
            self._rows = rows
        return rows

    @property
    def summary_rows(self) -> list[Row]:
        """Rows that determine the findings so far: those collected by an observer of the run, else all."""
        return self.rows if self._telling is None else self._telling

    @property
    def created(self) -> float:
        """Time of creation; it distinguishes a run from a deleted one of the same name."""
        return self._entry.created

    @property
    def step_count(self) -> int:
        return self._last.number - self.finished

    @property
    def request(self) -> Json:
        """The request: game, rules version, method, options, seed, budget, package version."""
        return self._first.body

    @property
    def steps(self) -> list[Json]:
        return [row.body for row in self.rows if row.kind == "step"]

    @property
    def result(self) -> Json | None:
        return self._last.body if self.finished else None

    @property
    def finished(self) -> bool:
        return self._last.kind == "result"

    @property
    def state(self) -> str:
        """Finished, running (a process works on it) or interrupted."""
        return "finished" if self.finished else "running" if self._running else "interrupted"

    def append(self, kind: str, body: Mapping[str, Any]) -> None:
        """Commit the next row; once this returns, killing the process cannot lose it."""
        if kind not in ("step", "result"):
            raise ValueError(f"a row is a step or the result, not {kind!r}")
        if self.finished:
            raise StoreError(f"run {self.name} is finished: start a new one with another seed or budget")
        text, number = canonical(body), self._last.number + 1
        digest = chain.link(self._entry.head, self.name, number, kind, text)
        entry = self._entry._replace(length=number + 1, head=digest)
        with self._file.change(wait=kind == "result") as connection:
            self._note_time(connection)
            chain.write_row(connection, entry.id, number, kind, text, digest)
            chain.write(connection, entry)
            connection.execute("DELETE FROM partials WHERE run = ?", (entry.id,))
        self._entry = entry
        self._add(Row(number, kind, json.loads(json.dumps(body))))  # original key order, as in certificates
        self._file.mark(entry.id, entry.length)

    def _add(self, row: Row) -> None:
        """Cache a row, or drop the cache beyond MAX_ROWS."""
        if len(self._rows) == row.number < MAX_ROWS:
            self._rows.append(row)
        else:
            self._rows = []
        self._last = row

    @property
    def seconds_worked(self) -> float:
        """Time that all sessions have spent on the run, as recorded with their rows."""
        found = self._file.read(lambda connection, marks: chain.sessions_of(connection, self._entry.id))
        return sum(session.seconds for session in found)

    def save_partial(self, body: Mapping[str, Any]) -> None:
        """Save the partial state of the current step, replacing earlier ones."""
        text = canonical(body)
        with self._file.change() as connection:
            self._note_time(connection)
            chain.write_partial(connection, self._entry, text)

    def partial(self) -> Json | None:
        """Return the saved partial state, if it is intact and belongs to the step after the last row."""
        return self._file.read(lambda connection, committed: chain.partial_of(connection, self._entry))

    def _note_time(self, connection: sqlite3.Connection) -> None:
        if self._session is None:
            raise StoreError(f"run {self.name} is open for reading only: open it with work_on")
        worked = time.monotonic() - self._clock
        self._session = self._session._replace(seen=time.time(), seconds=worked)
        chain.write(connection, self._session)

    def close(self) -> None:
        """Release the lock; any process can then resume the run."""
        if self._session is not None:
            self._session, self._running = None, False
            self._file.here.release(self._entry.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@former_names(work_on="acquire", back_up="backup", problems="faults")
class Store:
    def __init__(self, file: StoreFile) -> None:
        self._file = file
        self._working: list[Run] = []

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, write: bool) -> Self:
        """Open a store; if it is missing, create it for writing, or read it as an empty store."""
        return cls(StoreFile(Path(path), write=write))

    def create(self, ask: Mapping[str, Any]) -> Run:
        """Create a run, locked for this process and named after its game."""
        text, game = canonical(ask), ask["game"]
        if wrong := chain.fault_of_request(text):
            raise ValueError(f"no run can be created: {wrong}")
        self._file.demand_order()
        self._file.read(chain.entries_of)
        with ExitStack() as undo:
            with self._file.change() as connection:
                entries = chain.entries_of(connection, {})
                siblings = [entry.name.removeprefix(f"{game}-") for entry in entries]
                number = max((int(number) for number in siblings if number.isdecimal()), default=0) + 1
                name = check_name(f"{game}-{number}", "the run")
                run = chain.unused_id(connection)
                if not self._file.here.take(run):
                    raise StoreBusy(f"run number {run} is locked although it does not exist yet: try again")
                undo.callback(self._file.here.release, run)
                head = chain.link(b"", name, 0, "ask", text)
                entry, session = CatalogueEntry(run, name, text, time.time(), 1, head, 1), _session(run, 0)
                chain.write(connection, entry)
                chain.write_row(connection, run, 0, "ask", text, head)
                chain.write(connection, session)
                chain.write_count(connection)
            self._file.mark(run, 1)
            self._file.fold()
            undo.pop_all()
        return self._remember(Run(self._file, entry, [Row(0, "ask", json.loads(text))], session, running=True))

    def acquire(self, name: str) -> Run:
        """Lock a run for this process and verify it; a finished run is returned read-only."""
        self._file.demand_order()
        entry = self._lock(name)
        with ExitStack() as undo:
            undo.callback(self._file.here.release, entry.id)
            entry, rows = self._file.read(_verified(name))
            if rows[-1].kind == "result":
                return Run(self._file, entry, rows, None, running=False)
            session = _session(entry.id, entry.sessions)
            entry = entry._replace(sessions=entry.sessions + 1)
            with self._file.change() as connection:
                chain.write(connection, session)
                chain.write(connection, entry)
            undo.pop_all()
        return self._remember(Run(self._file, entry, rows, session, running=True))

    def read(self, name: str) -> Run:
        """Return a read-only run, verified from the first row to the last."""
        entry, rows = self._file.read(_verified(name))
        return Run(self._file, entry, rows, None, running=self._file.running(entry.id))

    def names(self) -> list[str]:
        return [entry.name for entry in self._file.read(chain.entries_of)]

    def summaries(self) -> list[Summary]:
        def question(connection: sqlite3.Connection, committed: Committed) -> list[Summary]:
            entries, running = chain.entries_of(connection, committed), self._file.running
            return [chain.summary_of(connection, committed, entry, running) for entry in entries]

        return self._file.read(question)

    def set_aside(self) -> list[str]:
        """Return a message for each unlisted run, one that no version of fogspiel writes."""
        _, faults = self._file.read(chain.catalogue)
        return [str(fault) for fault in faults if isinstance(fault, SetAside)]

    def faults(self) -> list[Damaged]:
        try:
            return self._file.read(chain.problems_of)
        except Damaged as fault:
            return [fault]

    def delete(self, names: Collection[str]) -> None:
        """Delete runs atomically; raise StoreBusy if a process works on one of them."""
        self._file.demand_order()
        with ExitStack() as locks:
            for name in set(names):
                locks.callback(self._file.here.release, self._lock(name).id)
            with self._file.change(wait=True) as connection:
                entries = chain.entries_of(connection, {})
                left = [entry for entry in entries if entry.name not in names]
                chain.remove_runs(connection, {entry.id for entry in entries} - {entry.id for entry in left})
            for entry in left:
                self._file.mark(entry.id, entry.length)
            self._file.fold()

    def backup(self, copy: Path) -> int:
        """Copy the store, in use or not, to a new file, verified before it gets its name; return the number of runs."""
        copy = Path(os.path.realpath(copy))
        if copy.exists():
            raise StoreError(f"{copy} exists: a backup replaces nothing; name another file")

        def check(draft: Path) -> int:
            with Store.open(draft, write=False) as found:
                if problems := found.faults():
                    raise StoreError(f"the store is damaged, so it was not backed up: {problems[0]}")
                return len(found.names())

        return self._file.backup(copy, check)

    def repair(self) -> list[str]:
        """Truncate every damaged run after its last valid row, after copying the file; return messages."""
        if not (found := self.faults()):
            return []
        backup, done = self._file.rebuild(chain.salvage)
        return [f"the damaged store was copied to {backup}", *(f"found: {one.sentence}" for one in found), *done]

    def close(self) -> None:
        for run in self._working:
            run.close()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _remember(self, run: Run) -> Run:
        self._working.append(run)
        return run

    def _lock(self, name: str) -> CatalogueEntry:
        entry = self._file.read(lambda connection, committed: chain.entry_of(connection, committed, name))
        if not self._file.here.take(entry.id):
            raise StoreBusy(f"run {name} is being worked on by {self._worker(entry)}: wait for it, or stop it")
        return entry

    def _worker(self, entry: CatalogueEntry) -> str:
        sessions = self._file.read(lambda connection, committed: chain.sessions_of(connection, entry.id))
        if not sessions:
            return "another process"
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(sessions[-1].started))
        return f"process {sessions[-1].pid} on {sessions[-1].host} since {since}"


def _session(run: int, number: int) -> WorkPeriod:
    now = time.time()
    return WorkPeriod(run, number, os.getpid(), socket.gethostname(), now, now, 0.0)


def _verified(name: str) -> Query[tuple[CatalogueEntry, list[Row]]]:
    """Return the query for a run with all its rows, every link verified."""

    def question(connection: sqlite3.Connection, committed: Committed) -> tuple[CatalogueEntry, list[Row]]:
        entry = chain.entry_of(connection, committed, name)
        return entry, chain.rows_of(connection, committed, entry)

    return question


class DeferredRun(Run):
    """A run that is stored once it has lasted two seconds, or if it is interrupted before."""

    def __init__(self, path: Path, ask: Json, tell: Callable[[str], None]) -> None:
        self.name = ""
        self._rows = [Row(0, "ask", ask)]
        self._first = self._last = self._rows[0]
        self._telling = None
        self._path, self._tell = path, tell
        self._session, self._running = None, False
        self._store: Store | None = None
        self._refused = False
        self._began = time.monotonic()

    def append(self, kind: str, body: Mapping[str, Any]) -> None:
        """Store a step, and the result of a long run; hold any other result in memory."""
        if kind == "step":
            self._enter()
        elif time.monotonic() - self._began > KEEP_SECONDS:
            self._enter_if_possible()
        if self._store is None:
            self._add(Row(len(self._rows), kind, dict(body)))
        else:
            super().append(kind, body)

    def save_partial(self, body: Mapping[str, Any]) -> None:
        self._enter_if_possible()
        if self._store is not None:
            super().save_partial(body)

    def partial(self) -> Json | None:
        return None if self._store is None else super().partial()

    @property
    def seconds_worked(self) -> float:
        """Zero: no earlier session exists."""
        return 0.0

    def close(self) -> None:
        super().close()
        if self._store is not None:
            self._store.close()

    def _enter(self) -> None:
        if self._store is None:
            with ExitStack() as undo:
                store = undo.enter_context(Store.open(self._path, write=True))
                run = store.create(self.request)
                undo.pop_all()
            self._store = store
            super().__init__(run._file, run._entry, run._rows, run._session, running=True)

    def _enter_if_possible(self) -> None:
        """Move the run into the store, or report once why that fails: the work itself needs no store."""
        if not self._refused:
            try:
                self._enter()
            except StoreError as error:
                self._refused = True
                self._tell(f"{error}; until then nothing of this is stored")


class UnstoredRun(DeferredRun):
    """A run in memory only, for callers without a store."""

    def __init__(self, ask: Json) -> None:
        super().__init__(Path(), ask, lambda sentence: None)

    def append(self, kind: str, body: Mapping[str, Any]) -> None:
        self._last = Row(len(self._rows), kind, dict(body))
        self._rows.append(self._last)

    def save_partial(self, body: Mapping[str, Any]) -> None:
        """Discard the partial state, which cannot be resumed."""
