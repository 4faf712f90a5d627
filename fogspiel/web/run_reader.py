"""Read-only access to the store for pages, in short queries, so that readers never block a run.

A page that watches a run polls it. Rows that were read and verified are cached, and only rows added since are read and
linked to them.
"""

import json
import sqlite3
import threading
import time
from array import array
from dataclasses import dataclass, field
from math import isnan, nan
from pathlib import Path as FilePath
from typing import Annotated

from fastapi import HTTPException, Path

from ..runs.kind import Kind, kind_of_request
from ..runs.report import Curve, CurvePoint
from ..runs.request import FILE_NAME
from ..runs.store import MAX_ROWS, Damaged, Json, Row, Run, Store, Summary
from ..runs.store.file import Committed, StoreFile, identity
from ..runs.store.rows import (
    CatalogueEntry,
    UnknownRun,
    WorkPeriod,
    entry_of,
    link,
    partial_of,
    rows_after,
    sessions_of,
)
from .cache import Memory

FRESH_SECONDS = 0.2  # data read this recently is not read again, however many pages request it
FOLLOWED = 32  # runs whose rows are cached as far as they were read
NOTHING = -1  # stands for None among non-negative integers; among floats it is NaN
NUMBERS = ("value", "low", "high")
WHOLE = ("accepted", "population")
Name = Annotated[str, Path(pattern=f"^{FILE_NAME.pattern}$", description="The name of a run, as in the list of runs.")]


class PointColumns:
    """Points of a long run in columns: about 40 bytes per point instead of hundreds."""

    def __init__(self) -> None:
        self._at = array("q")
        self._numbers = {name: array("d") for name in NUMBERS}
        self._whole = {name: array("q") for name in WHOLE}
        self._words: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._at)

    def append(self, point: CurvePoint) -> None:
        if point.text is not None:
            self._words[len(self)] = point.text
        self._at.append(point.at)
        for name, numbers in self._numbers.items():
            value = getattr(point, name)
            numbers.append(nan if value is None else value)
        for name, whole in self._whole.items():
            value = getattr(point, name)
            whole.append(NOTHING if value is None else value)

    def part(self, first: int, end: int) -> list[CurvePoint]:
        """Return the points from `first` to before `end`, as far as they exist."""
        return [self._point(number) for number in range(first, min(end, len(self)))]

    def _point(self, number: int) -> CurvePoint:
        value, low, high = (None if isnan(one[number]) else one[number] for one in self._numbers.values())
        accepted, population = (None if one[number] == NOTHING else one[number] for one in self._whole.values())
        flag = None if accepted is None else bool(accepted)
        return CurvePoint(self._at[number], value, low, high, flag, population, self._words.get(number))


@dataclass
class FollowedRun:
    """Cached state of a run, as far as it was read."""

    store: bytes  # identity of the store, which may have been replaced by another one
    entry: CatalogueEntry
    request: Json
    kind: Kind
    curve: Curve
    last: Row
    # Rows that describe the result so far, where the kind selects them.
    telling: list[Row] = field(default_factory=list)
    length: int = 1
    digest: bytes = b""
    points: PointColumns = field(default_factory=PointColumns)
    result: Json | None = None
    now: CurvePoint | None = None  # progress of the current step
    running: bool = False
    read: float = 0.0  # time of the last read

    @property
    def state(self) -> str:
        return "finished" if self.result is not None else "running" if self.running else "interrupted"

    def run(self, file: StoreFile) -> Run:
        """Return the run for display, without most of its rows."""
        rows = [Row(0, "ask", self.request), self.last]
        return Run(file, self.entry, rows, None, running=self.running, telling=[*self.telling])

    @property
    def version(self) -> tuple[object, ...]:
        """Version that changes with every change of the run."""
        return self.store, self.entry.id, self.length, self.digest, self.now, self.state


@dataclass(frozen=True)
class SummaryList:
    """Summary of each run, the time of reading, and the state of the files."""

    lines: list[Summary] = field(default_factory=list)
    stamp: list[tuple[int, int, int] | None] | None = None
    read: float = 0.0


class RunReader:
    """Runs of a store, for reading; thread-safe."""

    def __init__(self, path: FilePath):
        self.path = path
        self._followed: Memory[str, FollowedRun] = Memory(FOLLOWED)
        self._lock = threading.Lock()
        self._summaries = SummaryList()

    def summaries(self, *, at_once: bool = False) -> list[Summary]:
        """Return a summary of each run, newest first, read now or a moment ago."""
        known, stamp = self._summaries, self._stamp()
        if not at_once and known.stamp == stamp and time.monotonic() < known.read + FRESH_SECONDS:
            return known.lines
        with Store.open(self.path, write=False) as store:
            found = store.summaries()[::-1]
        self._summaries = SummaryList(found, stamp, time.monotonic())
        return found

    def _stamp(self) -> list[tuple[int, int, int] | None]:
        """Return a stamp of the store's file and log that changes with every write."""
        return [_facts(self.path), _facts(self.path.with_name(f"{self.path.name}-wal"))]

    def run(self, name: str) -> Run:
        """Return a verified run; of one with very many rows only those added since the last read are read."""
        followed = self.follow(name, at_once=True)
        if followed.length > MAX_ROWS and followed.kind.compact_rows is not None:
            return followed.run(StoreFile(self.path, write=False))
        with Store.open(self.path, write=False) as store:
            if name not in store.names():
                raise _unknown(name)
            return store.read(name)

    def worker(self, name: str) -> WorkPeriod | None:
        def question(connection: sqlite3.Connection, committed: Committed) -> WorkPeriod | None:
            sessions = sessions_of(connection, _entry(connection, committed, name).id)
            return sessions[-1] if sessions else None

        return StoreFile(self.path, write=False).read(question)

    def follow(self, name: str, *, at_once: bool = False) -> FollowedRun:
        """Return the state of a run, read now or a moment ago; only new rows are read."""
        with self._lock:
            known = self._followed.get(name)
            if known is not None and not at_once and time.monotonic() < known.read + FRESH_SECONDS:
                return known
            file = StoreFile(self.path, write=False)
            found = file.read(lambda connection, committed: self._catch_up(connection, committed, name))
            found.running = found.result is None and file.running(found.entry.id)
            found.read = time.monotonic()
            self._followed.remember(name, found)
            return found

    def _catch_up(self, connection: sqlite3.Connection, committed: Committed, name: str) -> FollowedRun:
        """Return the cached state of a run, extended by the rows added since."""
        entry, store = _entry(connection, committed, name), identity(connection)
        found = self._followed.pop(name, None)
        if found is not None and (found.store, found.entry.id, found.entry.created) != (store, entry.id, entry.created):
            found = None  # another run, with the name of a deleted one
        if found is None or found.length > entry.length:
            ask = json.loads(entry.request)
            kind = kind_of_request(name, ask)
            found = FollowedRun(store, entry, ask, kind, kind.curve(ask), Row(0, "ask", ask))
            found.digest = link(b"", name, 0, "ask", entry.request)
        for row, digest in rows_after(connection, entry, found.length, found.digest):
            found.digest, found.length, found.last = digest, row.number + 1, row
            if found.kind.compact_rows is not None:
                found.kind.compact_rows(found.telling, row)
            if row.kind == "result":
                found.result = row.body
            else:
                found.points.append(found.curve.step(row.body))
        if found.digest != entry.head:
            raise Damaged("the last row is not the one that was written last", name, found.length - 1)
        found.entry = entry
        partial = partial_of(connection, entry)
        if found.result is not None:
            found.now = found.curve.end(found.result)
        else:
            found.now = None if partial is None else found.curve.under_way(partial)
        return found


def _facts(path: FilePath) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _entry(connection: sqlite3.Connection, committed: Committed, name: str) -> CatalogueEntry:
    try:
        return entry_of(connection, committed, name)
    except UnknownRun:
        raise _unknown(name) from None


def _unknown(name: str) -> HTTPException:
    return HTTPException(404, f"there is no run named {name}")
