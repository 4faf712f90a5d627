"""Tables of a store, verified by checksums.

The digest of a row covers its body and the previous row's digest. The catalogue holds the length and the last digest
of every chain, so changed and lost rows are both detected. All other records have a checksum each.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from ...core import NotFound
from ...core.untrusted_input import JsonRecord, parse_json, refuse_number, shorten
from ..request import check_name, fits
from .faults import MAX_RUNS, Damaged, SetAside, StoreError, is_damage, seal
from .file import Committed, disorder, identity

Json = dict[str, Any]  # body of a row; the kinds of run define its keys
STATES = ("finished", "running", "interrupted", "damaged")  # of a run in the list of runs
MAX_NUMBERS = 100_000  # limit of repair's search for the number in the name of a run that lost its catalogue entry
LATEST = 2.0**40  # seconds; larger values are not valid times


class UnknownRun(StoreError, NotFound):
    """No run has this name."""


class Row(NamedTuple):
    """One row of a run: its number, its kind (ask, step or result) and its body."""

    number: int
    kind: str
    body: Json


class CatalogueEntry(NamedTuple):
    id: int
    name: str
    request: str
    created: float
    length: int
    head: bytes
    sessions: int


class WorkPeriod(NamedTuple):
    run: int
    number: int
    pid: int
    host: str
    started: float
    seen: float
    seconds: float


def canonical(body: Mapping[str, Any]) -> str:
    """Return canonical JSON, byte-identical for equal bodies; NaN and infinity raise ValueError."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)


def link(before: bytes, name: str, number: int, kind: str, body: str) -> bytes:
    """Return the digest of a row, chained to that of the previous row."""
    text = f"{name}\n{number}\n{kind}\n{body}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(before + text, digest_size=16).digest()


# ---- reading ---------------------------------------------------------------------------------------------------------


def locate(error: sqlite3.DatabaseError, run: str | None = None, row: int | None = None) -> Damaged:
    """Turn SQLite's report of damage into `Damaged`, with its location; raise other errors unchanged."""
    if not is_damage(error):
        raise error
    return Damaged(f"the file is damaged ({error})", run, row)


def _readable(connection: sqlite3.Connection, question: str, *values: object) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query up to the place where the file is damaged."""
    try:
        yield from connection.execute(question, values)
    except sqlite3.DatabaseError as error:
        locate(error)


def _checked(entry: CatalogueEntry) -> CatalogueEntry:
    """Return a valid catalogue entry; raise SetAside for one that no version of fogspiel writes.

    Checksums show damage, not intent: the maker of a store can seal anything. The name becomes part of paths.
    """
    try:
        name = check_name(entry.name, "its name")
    except ValueError as error:
        raise SetAside(f"run number {entry.id}: {error}") from None
    counts = [(entry.id, 1, MAX_RUNS), (entry.length, 1, None), (entry.sessions, 0, None)]
    if not all(type(count) is int and least <= count <= (most or count) for count, least, most in counts) or not (
        isinstance(entry.request, str) and is_time(entry.created) and isinstance(entry.head, bytes)
    ):
        raise SetAside("its catalogue entry has values of the wrong type", name)
    if wrong := fault_of_request(entry.request):
        raise SetAside(f"its first row is not a request: {wrong}", name)
    return entry


@lru_cache(4096)
def fault_of_request(text: str) -> str:
    """Return the reason why a text cannot be row 0 of a run; empty if it can."""
    try:
        ask = parse_json(text)
        if not isinstance(ask, dict):
            return "it is not a JSON object"
        check_name(ask.get("game"), "its game")
    except ValueError as error:
        return str(error)
    method = ask.get("method")
    return "" if isinstance(method, str) and method.isprintable() else f"its method is {shorten(method)}, not a name"


def _body(text: object, kind: object, number: int, name: str) -> Json:
    """Parse the body of a row; raise Damaged for an invalid kind at this place or anything but a JSON object."""
    if kind not in (("step", "result") if number else ("ask",)) or not isinstance(text, str):
        raise Damaged("the row is none that fogspiel writes there", name, number)
    try:
        body = _decode(text)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise Damaged("the row is not a JSON object", name, number)
    return body


_decode = json.JSONDecoder(parse_constant=refuse_number).decode


def is_time(value: object) -> bool:
    return isinstance(value, float) and 0 <= value < LATEST


def catalogue(connection: sqlite3.Connection, committed: Committed) -> tuple[list[CatalogueEntry], list[Damaged]]:
    """Return the valid entries of the catalogue, and the faults: runs set aside, and damage."""
    entries: list[CatalogueEntry] = []
    odd: list[Damaged] = []
    faults: list[Damaged] = []
    sealed = set()
    try:
        for *columns, check in connection.execute("SELECT * FROM runs ORDER BY id"):
            if check != seal("runs", *columns):
                faults.append(Damaged(f"the catalogue entry of run number {columns[0]} is damaged"))
                continue
            sealed.add(columns[0])
            try:
                entries.append(_checked(CatalogueEntry(*columns)))
            except SetAside as fault:
                odd.append(fault)
        seals = [check for (check,) in connection.execute("SELECT seal FROM meta")]
        if not faults and (committed.keys() - sealed or seals != [seal("meta", identity(connection), len(sealed))]):
            faults.append(Damaged(f"the catalogue has {len(sealed)} runs, which is not what was written"))
    except sqlite3.DatabaseError as error:
        faults.append(locate(error))
    return entries, odd + faults


def entry_of(connection: sqlite3.Connection, committed: Committed, name: str) -> CatalogueEntry:
    entries, faults = catalogue(connection, committed)
    for entry in entries:
        if entry.name == name:
            return entry
    for fault in faults:
        if fault.run == name or not isinstance(fault, SetAside):
            raise fault
    raise UnknownRun(f"there is no run named {name}: `fogspiel runs` lists the {len(entries)} runs of this store")


def rows_after(
    connection: sqlite3.Connection, entry: CatalogueEntry, length: int = 0, digest: bytes = b""
) -> Iterator[tuple[Row, bytes]]:
    """Yield the rows from `length` on with their digests, each link verified; `digest` is that of the row before."""
    question = "SELECT number, kind, body, digest FROM rows WHERE run = ? AND number >= ? ORDER BY number"
    for expected, (number, kind, body, check) in enumerate(connection.execute(question, (entry.id, length)), length):
        digest = link(digest, entry.name, expected, kind, body)
        if number != expected or check != digest or number >= entry.length:
            raise Damaged("the row is not what was written", entry.name, expected)
        if number == 0 and body != entry.request:
            raise Damaged("the request is not the one in the catalogue", entry.name, 0)
        yield Row(number, kind, _body(body, kind, number, entry.name)), digest


def rows_of(connection: sqlite3.Connection, committed: Committed, entry: CatalogueEntry) -> list[Row]:
    """Return all rows of a run, every link of the chain verified."""
    rows: list[Row] = []
    digest = b""
    try:
        for row, digest in rows_after(connection, entry):  # noqa: B007 (the last one is compared below)
            rows.append(row)
    except sqlite3.DatabaseError as error:
        raise locate(error, entry.name, len(rows)) from error
    if len(rows) < (written := max(entry.length, committed.get(entry.id, 0))):
        raise Damaged(f"the row is missing ({written} were written)", entry.name, len(rows))
    if digest != entry.head:
        raise Damaged("the last row is not the one that was written last", entry.name, len(rows) - 1)
    return rows


def last_row(connection: sqlite3.Connection, committed: Committed, entry: CatalogueEntry) -> Row:
    """Return the last row of a run, verified by the catalogue without reading the others."""
    question = "SELECT number, kind, body, digest FROM rows WHERE run = ? ORDER BY number DESC LIMIT 2"
    try:
        lines = connection.execute(question, (entry.id,)).fetchall()
    except sqlite3.DatabaseError as error:
        raise locate(error, entry.name) from error
    before = lines[1][3] if len(lines) > 1 else b""
    if lines and isinstance(before, bytes):
        number, kind, body, _ = lines[0]
        written = max(entry.length, committed.get(entry.id, 0))
        if number == written - 1 and link(before, entry.name, number, kind, body) == entry.head:
            return Row(number, kind, _body(body, kind, number, entry.name))
    raise Damaged("the last row is not the one that was written last", entry.name, entry.length - 1)


def sessions_of(connection: sqlite3.Connection, run: int) -> list[WorkPeriod]:
    lines = _readable(connection, "SELECT * FROM sessions WHERE run = ? ORDER BY number", run)
    good = (WorkPeriod(*columns) for *columns, check in lines if check == seal("sessions", *columns))
    return [one for one in good if isinstance(one.host, str) and all(map(is_time, one[-3:]))]


def partial_of(connection: sqlite3.Connection, entry: CatalogueEntry) -> Json | None:
    """Return the partial state of the current step, unless it is damaged or of an earlier step."""
    for body, check in _readable(connection, "SELECT body, seal FROM partials WHERE run = ?", entry.id):
        if check == seal("partials", entry.name, entry.length, body):
            with suppress(Damaged):
                return _body(body, "step", entry.length, entry.name)
    return None


def unused_id(connection: sqlite3.Connection) -> int:
    """Return a number that no run has, not even one that is set aside."""
    question = "SELECT max(id) FROM runs WHERE id BETWEEN 0 AND ?"
    run: int = (connection.execute(question, (MAX_RUNS,)).fetchone()[0] or 0) + 1
    if run > MAX_RUNS:
        raise StoreError(f"the store has a run number {MAX_RUNS}: choose another store")
    return run


# ---- writing ---------------------------------------------------------------------------------------------------------


def write(connection: sqlite3.Connection, record: CatalogueEntry | WorkPeriod) -> None:
    """Insert or update a catalogue entry or a session."""
    table = "runs" if isinstance(record, CatalogueEntry) else "sessions"
    connection.execute(f"REPLACE INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*record, seal(table, *record)))


def write_row(connection: sqlite3.Connection, run: int, number: int, kind: str, body: str, digest: bytes) -> None:
    connection.execute("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", (run, number, kind, body, digest))


def write_partial(connection: sqlite3.Connection, entry: CatalogueEntry, body: str) -> None:
    values = (entry.id, body, seal("partials", entry.name, entry.length, body))
    connection.execute("REPLACE INTO partials VALUES (?, ?, ?)", values)


def write_count(connection: sqlite3.Connection) -> None:
    (runs,) = connection.execute("SELECT count(*) FROM runs").fetchone()
    connection.execute("UPDATE meta SET runs = ?, seal = ?", (runs, seal("meta", identity(connection), runs)))


def remove_runs(connection: sqlite3.Connection, runs: Iterable[int]) -> None:
    """Delete runs from all tables.

    The same transaction changes the store's identity. Marks of the deleted runs then become invalid, and any cached run
    is read again.
    """
    gone = [(run,) for run in runs]
    for table, column in (("runs", "id"), ("rows", "run"), ("sessions", "run"), ("partials", "run")):
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", gone)
    connection.execute("UPDATE meta SET store = ?", (os.urandom(16),))
    write_count(connection)


# ---- repair ----------------------------------------------------------------------------------------------------------


def _rediscover(connection: sqlite3.Connection, run: int) -> CatalogueEntry | None:
    """Rebuild the catalogue entry of a run from row 0, whose digest proves the name."""
    question = "SELECT body, digest FROM rows WHERE run = ? AND number = 0 AND kind = 'ask'"
    for body, digest in connection.execute(question, (run,)):
        if fault_of_request(body):
            return None
        game = json.loads(body)["game"]
        for number in range(1, MAX_NUMBERS):
            if link(b"", f"{game}-{number}", 0, "ask", body) == digest:
                return CatalogueEntry(run, f"{game}-{number}", body, 0.0, 0, b"", 0)
    return None


def _cut(connection: sqlite3.Connection, entry: CatalogueEntry) -> CatalogueEntry:
    """Truncate a run after its last valid row: one confirmed by its own digest or that of a later row."""
    head = digest = link(b"", entry.name, 0, "ask", entry.request)
    connection.execute("DELETE FROM rows WHERE run = ? AND number = 0", (entry.id,))
    write_row(connection, entry.id, 0, "ask", entry.request, digest)
    length = 1
    question = "SELECT number, kind, body, digest FROM rows WHERE run = ? AND number > 0 ORDER BY number"
    digests = []
    for count, (number, kind, body, check) in enumerate(connection.execute(question, (entry.id,)), start=1):
        try:
            _body(body, kind, number, entry.name)
        except Damaged:
            break
        digest = link(digest, entry.name, number, kind, body)
        digests.append((digest, entry.id, number))
        if number == count and digest in (check, entry.head):
            length, head = number + 1, digest
    connection.executemany("UPDATE rows SET digest = ? WHERE run = ? AND number = ?", digests)
    connection.execute("DELETE FROM rows WHERE run = ? AND number >= ?", (entry.id, length))
    return entry._replace(length=length, head=head)


def _is_text(*values: object) -> bool:
    return all(isinstance(value, str) and value.isascii() for value in values)


def salvage(old: sqlite3.Connection, new: sqlite3.Connection) -> list[str]:
    """Transfer the valid rows of every run; return messages about truncated and lost runs."""
    new.execute("BEGIN")
    for order in ("", " ORDER BY run DESC, number DESC"):  # from both ends towards the unreadable place
        lines = (line for line in _readable(old, f"SELECT * FROM rows{order}") if _is_text(*line[2:4]))
        new.executemany("INSERT OR IGNORE INTO rows VALUES (?, ?, ?, ?, ?)", lines)
    known = {entry.id: entry for entry in catalogue(old, {})[0]}
    found = {run for (run,) in new.execute("SELECT DISTINCT run FROM rows") if isinstance(run, int)}
    said = []
    for run in sorted(known.keys() | found):
        entry = known.get(run) or _rediscover(new, run)
        if entry is None:
            said.append(f"run number {run} is lost: it cannot be read as a run of fogspiel")
            new.execute("DELETE FROM rows WHERE run = ?", (run,))
            continue
        kept = _cut(new, entry)
        if run not in known:
            said.append(f"run {kept.name} is back in the catalogue with {kept.length} rows")
        elif kept.length < entry.length:
            said.append(f"run {kept.name} is cut back from {entry.length} rows to {kept.length}")
        sessions = sessions_of(old, run)
        for number, session in enumerate(sessions):
            write(new, session._replace(number=number))
        created = kept.created or min((session.started for session in sessions), default=0.0)
        write(new, kept._replace(sessions=len(sessions), created=created))
        if body := partial_of(old, kept):
            write_partial(new, kept, canonical(body))
    write_count(new)
    new.execute("DELETE FROM rows WHERE run NOT IN (SELECT id FROM runs)")
    new.execute("COMMIT")
    return said


# ---- summaries -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Summary(JsonRecord):
    """One line of the list of runs; None is unknown."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "name", "game", "method", "state", "steps", "games", "score", "interval", "created", "seen", "seconds",
        "search",
    )  # fmt: skip

    name: str
    game: str
    method: str | None
    state: str
    steps: int
    games: int | None
    score: float | None
    interval: list[float] | None
    created: float
    seen: float | None
    seconds: float | None
    search: str | None  # the method, where `method` is the kind of the run


def entries_of(connection: sqlite3.Connection, committed: Committed) -> list[CatalogueEntry]:
    """Return the runs that are not set aside, if the catalogue is undamaged."""
    entries, faults = catalogue(connection, committed)
    for fault in faults:
        if not isinstance(fault, SetAside):
            raise fault
    return entries


def summary_of(
    connection: sqlite3.Connection, committed: Committed, entry: CatalogueEntry, running: Callable[[int], bool]
) -> Summary:
    """Return a run's line of the list; a run with an invalid last row is listed as damaged."""
    ask = json.loads(entry.request)
    try:
        last = last_row(connection, committed, entry)
        unfinished = "running" if running(entry.id) else "interrupted"
        state = "finished" if last.kind == "result" else unfinished
    except Damaged:
        last, state = Row(0, "ask", {}), "damaged"
    found = {} if last.kind == "ask" else last.body  # a request holds no findings
    sessions = sessions_of(connection, entry.id)
    whole = len(sessions) == entry.sessions > 0
    return Summary(
        name=entry.name,
        game=ask["game"],
        method=ask.get("method"),
        state=state,
        steps=entry.length - 1 - (last.kind == "result"),
        games=games if fits(games := found.get("games"), int) else None,
        score=score if fits(score := found.get("score"), float) else None,
        interval=interval if fits(interval := found.get("interval", ()), list[float]) and len(interval) == 2 else None,
        created=entry.created,
        seen=max(session.seen for session in sessions) if whole else None,
        seconds=sum(session.seconds for session in sessions) if whole else None,
        search=search if fits(search := ask.get("search"), str) and search.isprintable() else None,
    )


def problems_of(connection: sqlite3.Connection, committed: Committed) -> list[Damaged]:
    try:
        what = disorder(connection)
        faults = [Damaged(what)] if what else []
    except sqlite3.DatabaseError as error:
        faults = [locate(error)]
    entries, catalogued = catalogue(connection, committed)
    faults += catalogued
    for entry in entries:
        try:
            rows_of(connection, committed, entry)
        except Damaged as fault:
            faults.append(fault)
        if len(sessions_of(connection, entry.id)) != entry.sessions:
            faults.append(Damaged("the times of its sessions are damaged", entry.name))
    return faults
