"""Notes of people on runs, in a small file beside the store: the rows of a run are chained, and stay as they are."""

import json
import os
import threading
from pathlib import Path

from ..core.untrusted_input import parse_json, read_bytes

MOST_LETTERS, MOST_BYTES = 2000, 1 << 26
Run = tuple[str, float]  # a run by its name and when it was created: the name of a deleted run may be given again


class RunNotes:
    """A note for each run that has one; the file is for its owner alone."""

    def __init__(self, store: Path):
        self.path = store.with_suffix(".notes.json")
        self._lock = threading.Lock()
        self._known: dict[Run, str] = {}
        self._stamp: tuple[int, int, int] | None = None

    def all(self) -> dict[Run, str]:
        """Every note; those in a file that is damaged are not shown."""
        with self._lock:
            return self._read()

    def of(self, run: Run) -> str:
        """The note on a run, which may be empty."""
        return self.all().get(run, "")

    def write(self, run: Run, words: str) -> None:
        """Put a note on a run, or take it away if it is empty."""
        with self._lock:
            notes = self._read() | {run: words.strip()[:MOST_LETTERS]}
            body = [{"run": name, "created": created, "note": note} for (name, created), note in notes.items() if note]
            draft = self.path.with_name(f"{self.path.name}.{os.getpid()}")
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(body, file, ensure_ascii=False, indent=1)
            draft.replace(self.path)

    def _read(self) -> dict[Run, str]:
        """Return the content of the file; it is read when it has changed."""
        try:
            facts = self.path.stat()
            stamp = facts.st_ino, facts.st_mtime_ns, facts.st_size
            if stamp != self._stamp:
                found = parse_json(read_bytes(self.path, "the notes", MOST_BYTES, "shorten them"))
                self._known = {(one["run"], one["created"]): str(one["note"])[:MOST_LETTERS] for one in found}
                self._stamp = stamp
        except (OSError, ValueError, TypeError, KeyError):
            self._known, self._stamp = {}, None
        return self._known
