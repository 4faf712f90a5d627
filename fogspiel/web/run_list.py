"""List of runs, filtered and sorted, and the scores of a tuning run's checkpoints.

A tuning run measures only its final result. Earlier checkpoints are measured on request, because that takes work.
"""

import json
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from ..core.agents import ParametricPolicy, decode_policy, named_policy
from ..core.game import Game
from ..core.untrusted_input import parse_json, read_bytes
from ..runs.kind import kind_of_method, title_of
from ..runs.kinds.tune import tuned_game
from ..runs.report import CurvePoint
from ..runs.request import ago, with_interval
from ..runs.store import Json, Run, Summary
from ..runs.tuning_run import recommendations_of, thin_evenly
from ..stats.evaluate import MatchResult, evaluate, report_key
from .run_processes import resume_command

if TYPE_CHECKING:
    from .app import Site

PAGE = 100  # runs on one page of the list
CHECKPOINTS = 20  # checkpoints measured at most, including the first and the last
GAMES = 2000
SECONDS = 0.4  # time limit per checkpoint


@dataclass(frozen=True)
class RunLine(Summary):
    KEYS = (*Summary.KEYS, "kind", "title", "worth", "age", "last_seen", "trouble", "resume", "note")

    kind: str
    title: str
    worth: str
    age: str
    last_seen: str
    trouble: str | None
    resume: str | None
    note: str


def run_lines(site: "Site") -> list[RunLine]:
    notes, lines = site.notes.all(), []
    for summary in site.reader.summaries():
        state, score, interval = site.processes.state(summary.name, summary.state), summary.score, summary.interval
        exact = interval is not None and interval[0] == interval[1]
        worth = "" if score is None or interval is None else f"{score:.4f}" if exact else with_interval(score, interval)
        page = {
            "state": state,
            "kind": kind_of_method(summary.method).title,
            "title": title_of(summary.game),
            "worth": worth,
            "age": ago(summary.created),
            "last_seen": ago(summary.seen),
            "trouble": site.processes.trouble(summary.name, state),
            "resume": resume_command(summary.name, site.store) if state in ("interrupted", "running") else None,
            "note": notes.get((summary.name, summary.created), ""),
        }
        lines.append(RunLine.from_json({"search": None} | summary.to_json() | page))
    return lines


ORDERS: dict[str, tuple[str, Callable[[RunLine], Any]]] = {
    "newest": ("newest first", lambda line: -line.created),
    "oldest": ("oldest first", lambda line: line.created),
    "seen": ("worked on last", lambda line: -(line.seen or line.created)),
    "name": ("by name", lambda line: line.name),
    "score": ("best score first", lambda line: (line.score is None, -(line.score or 0.0))),
    "games": ("most games first", lambda line: -(line.games or 0)),
    "steps": ("most steps first", lambda line: -line.steps),
}


@dataclass(frozen=True)
class Filter:
    """Filter and order of the list of runs; an empty field accepts everything."""

    game: str = ""
    kind: str = ""
    state: str = ""
    words: str = ""
    order: str = "newest"

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise ValueError(f"there is no order {self.order[:40]!r}: it must be {', '.join(ORDERS)}")

    def passes(self, line: RunLine) -> bool:
        """True if a run matches: every term must occur in its name, game, method, kind, state or note."""
        for wanted, found in ((self.game, line.game), (self.kind, line.kind), (self.state, line.state)):
            if wanted and wanted != found:
                return False
        text = " ".join((line.name, line.title, line.method or "", line.kind, line.state, line.note)).casefold()
        return all(word in text for word in self.words.casefold().split())

    def address(self, **changed: str | int) -> str:
        asked = {"game": self.game, "kind": self.kind, "state": self.state, "q": self.words, "sort": self.order}
        rest = {key: value for key, value in (asked | changed).items() if value not in ("", "newest", 1)}
        return f"/runs?{urlencode(rest)}" if rest else "/runs"


class RunPage(NamedTuple):
    """Page of the list: its runs, the totals, and the available filter values."""

    lines: Sequence[RunLine]
    found: int
    total: int
    number: int
    pages: int
    games: dict[str, str]
    kinds: list[str]
    states: dict[str, int]  # numbers of runs that pass the other filters


def page_of(lines: Sequence[RunLine], wanted: Filter, number: int) -> RunPage:
    found = sorted(filter(wanted.passes, lines), key=ORDERS[wanted.order][1])
    pages = max(1, -(-len(found) // PAGE))
    number = min(number, pages)
    return RunPage(
        found[(number - 1) * PAGE : number * PAGE],
        len(found),
        len(lines),
        number,
        pages,
        {line.game: line.title for line in sorted(lines, key=lambda line: line.title)},
        sorted({line.kind for line in lines}),
        dict(sorted(Counter(line.state for line in filter(replace(wanted, state="").passes, lines)).items())),
    )


class Enough(Exception):
    """End of the time for a measurement."""


def checkpoint_scores(run: Run) -> Json:
    """Score a tuning run's checkpoints against the baseline, on the same deals for each."""
    game, ask = tuned_game(run, "only runs of `fogspiel tune` are measured on the way"), run.request
    other, points = named_policy(game, ask["baseline"], ask["seed"]), list[CurvePoint]()
    for _, (at, answer) in thin_evenly(list(recommendations_of(run)), CHECKPOINTS):
        score = _measure(game, decode_policy(game, answer), other, ask["seed"])
        points.append(CurvePoint(at, score.mean, *score.interval))
    if run.result is not None:
        points.append(CurvePoint(run.result["games"], run.result["score"], *run.result["interval"]))
    chart = {"title": f"Score against the baseline ({ask['baseline']}) on the way", "x": "games", "y": "score"}
    return {"run": run.name, "chart": chart, "points": [point.to_json() for point in points], "now": None}


def _measure(game: Game, player: ParametricPolicy, other: ParametricPolicy, seed: int) -> MatchResult:
    """Return the score in GAMES fresh games, or in as many as the time allows."""
    end, latest = time.monotonic() + SECONDS, list[MatchResult]()

    def watch(so_far: MatchResult) -> None:
        latest[:] = [so_far]
        if time.monotonic() > end:
            raise Enough

    try:
        return evaluate(game, player, other, report_key(seed), GAMES, watch=watch)
    except Enough:
        return latest[0]


# People's notes on runs, in a small file alongside the store: the rows of a run are hash-chained and never change.

MAX_LETTERS, MAX_BYTES = 2000, 1 << 26
NotedRun = tuple[str, float]  # name and creation time of a run: the name of a deleted run may be reused


TAG = re.compile(r"(?<!\S)#([\w-]{1,30})")


def tags_in(note: str) -> list[str]:
    """Return the tags of a note: its words that begin with #."""
    return list(dict.fromkeys(TAG.findall(note)))


def without_tags(note: str) -> str:
    return " ".join(TAG.sub("", note).split())


class RunNotes:
    """Notes by run; only the owner may read the file."""

    def __init__(self, store: Path):
        self.path = store.with_suffix(".notes.json")
        self._lock = threading.Lock()
        self._known: dict[NotedRun, str] = {}
        self._stamp: tuple[int, int, int] | None = None

    def all(self) -> dict[NotedRun, str]:
        """Return every note; those in a damaged file are not shown."""
        with self._lock:
            return self._read()

    def of(self, run: NotedRun) -> str:
        return self.all().get(run, "")

    def write(self, run: NotedRun, words: str) -> None:
        with self._lock:
            notes = self._read() | {run: words.strip()[:MAX_LETTERS]}
            body = [{"run": name, "created": created, "note": note} for (name, created), note in notes.items() if note]
            draft = self.path.with_name(f"{self.path.name}.{os.getpid()}")
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(body, file, ensure_ascii=False, indent=1)
            draft.replace(self.path)

    def _read(self) -> dict[NotedRun, str]:
        """Return the content of the file, which is read again when it has changed."""
        try:
            facts = self.path.stat()
            stamp = facts.st_ino, facts.st_mtime_ns, facts.st_size
            if stamp != self._stamp:
                found = parse_json(read_bytes(self.path, "the notes", MAX_BYTES, "shorten them"))
                self._known = {(one["run"], one["created"]): str(one["note"])[:MAX_LETTERS] for one in found}
                self._stamp = stamp
        except (OSError, ValueError, TypeError, KeyError):
            self._known, self._stamp = {}, None
        return self._known
