"""A run that comes into the store only when there is something to lose."""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .store import Json, Row, Run, Store, StoreError
from .work import KEEP_SECONDS


class DeferredRun(Run):
    """A run that is stored once it has lasted for two seconds, or if it is interrupted before."""

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
        """Store a step, and the result of a run that has lasted; note any other result."""
        if kind == "step":
            self._enter()
        elif time.monotonic() - self._began > KEEP_SECONDS:
            self._enter_if_possible()
        if self._store is None:
            self._add(Row(len(self._rows), kind, dict(body)))
        else:
            super().append(kind, body)

    def keep_partial(self, body: Mapping[str, Any]) -> None:
        """Store the run with the state of its step."""
        self._enter_if_possible()
        if self._store is not None:
            super().keep_partial(body)

    def partial(self) -> Json | None:
        """What was kept, if anything was."""
        return None if self._store is None else super().partial()

    @property
    def seconds_worked(self) -> float:
        """No session has worked on it before."""
        return 0.0

    def close(self) -> None:
        """Close the store, if the run has come into it."""
        super().close()
        if self._store is not None:
            self._store.close()

    def _enter(self) -> None:
        """Become a run of the store."""
        if self._store is None:
            with ExitStack() as undo:
                store = undo.enter_context(Store.open(self._path, write=True))
                run = store.create(self.ask)
                undo.pop_all()
            self._store = store
            super().__init__(run._file, run._entry, run._rows, run._session, running=True)

    def _enter_if_possible(self) -> None:
        """Become a run of the store, or say once why that cannot be: the work itself needs no store."""
        if not self._refused:
            try:
                self._enter()
            except StoreError as error:
                self._refused = True
                self._tell(f"{error}; until then nothing of this is stored")
