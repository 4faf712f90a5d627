"""What there is to tell about the runs of a store: a line for each, and everything that is wrong."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

from ..core.untrusted_input import JsonRecord
from . import hash_chain
from .hash_chain import CatalogueEntry, Row
from .sqlite_file import Committed
from .store_faults import Damaged, SetAside, place
from .store_layout import disorder

STATES = ("finished", "running", "interrupted", "damaged")
"""What a run can be in the list of runs."""


@dataclass(frozen=True, slots=True)
class StoreFault:
    """Something wrong in the store: what, where if that is known, and how to put it right."""

    what: str
    run: str | None
    row: int | None
    hint: str

    @classmethod
    def of(cls, fault: Damaged) -> Self:
        """What a fault says, with the hint that belongs to it."""
        return cls(fault.what, fault.run, fault.row, fault.hint)

    def __str__(self) -> str:
        return place(self.run, self.row) + self.what


@dataclass(frozen=True, slots=True)
class Summary(JsonRecord):
    """One line of the list of runs; what is None is not known."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "name", "game", "method", "state", "steps", "games", "score", "interval", "created", "seen", "seconds",
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


def entries_of(connection: sqlite3.Connection, committed: Committed) -> list[CatalogueEntry]:
    """Return the runs that are not set aside, if the catalogue is undamaged."""
    entries, faults = hash_chain.catalogue(connection, committed)
    for fault in faults:
        if not isinstance(fault, SetAside):
            raise fault
    return entries


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


def summary_of(
    connection: sqlite3.Connection, committed: Committed, entry: CatalogueEntry, running: Callable[[int], bool]
) -> Summary:
    """One line of the list of runs; a run whose last row is not good is listed as damaged."""
    ask = json.loads(entry.ask)
    try:
        last = hash_chain.last_row(connection, committed, entry)
        unfinished = "running" if running(entry.id) else "interrupted"
        state = "finished" if last.kind == "result" else unfinished
    except Damaged:
        last, state = Row(0, "ask", {}), "damaged"
    found = {} if last.kind == "ask" else last.body  # what was asked for is not yet found
    sessions = hash_chain.sessions_of(connection, entry.id)
    whole = len(sessions) == entry.sessions > 0
    return Summary(
        name=entry.name,
        game=ask["game"],
        method=ask.get("method"),
        state=state,
        steps=entry.length - 1 - (last.kind == "result"),
        games=games if type(games := found.get("games")) is int else None,
        score=score if _is_number(score := found.get("score")) else None,
        interval=interval if _is_pair(interval := found.get("interval")) else None,
        created=entry.created,
        seen=max(session.seen for session in sessions) if whole else None,
        seconds=sum(session.seconds for session in sessions) if whole else None,
    )


def faults_of(connection: sqlite3.Connection, committed: Committed) -> list[StoreFault]:
    """What is wrong with the pages, the catalogue, and each run."""
    try:
        what = disorder(connection)
        faults = [Damaged(what)] if what else []
    except sqlite3.DatabaseError as error:
        faults = [hash_chain.locate(error)]
    entries, catalogued = hash_chain.catalogue(connection, committed)
    faults += catalogued
    for entry in entries:
        try:
            hash_chain.rows_of(connection, committed, entry)
        except Damaged as fault:
            faults.append(fault)
        if len(hash_chain.sessions_of(connection, entry.id)) != entry.sessions:
            faults.append(Damaged("the times of its sessions are damaged", entry.name))
    return [StoreFault.of(fault) for fault in faults]
