"""A bench for what takes a while to work out: one thing at a time, remembered, and nobody waits for long."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from typing import Any

from fastapi import HTTPException, Request
from fastapi.responses import HTMLResponse

from .pages import page

KEPT = 64
WAITING = 8
PATIENCE = 6.0
"""Seconds that an answer waits."""


class StillWorking(HTTPException):
    """It is not worked out yet; whoever asked may ask again."""

    def __init__(self) -> None:
        super().__init__(429, "this is being worked out: ask again in a few seconds", {"retry-after": "3"})


class Bench:
    """Remembers what was worked out, by key."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._pool = ThreadPoolExecutor(1, "bench")
        self._lock = threading.Lock()

    def worked(self, key: Hashable, work: Callable[[], Any]) -> Any:
        """What `work` returns, or StillWorking; what went wrong is not remembered."""
        with self._lock:
            future = self._found.get(key)
            if future is None:
                if sum(not found.done() for found in self._found.values()) >= WAITING:
                    raise HTTPException(429, "too much is being worked out: try again in a moment")
                future = self._found[key] = self._pool.submit(work)
            self._found.move_to_end(key)
            for old in list(self._found)[: max(len(self._found) - KEPT, 0)]:
                if self._found[old].done():
                    del self._found[old]
        try:
            return future.result(PATIENCE)
        except TooLong:
            if not future.done():
                raise StillWorking from None
            raise
        finally:
            if future.done() and future.exception() is not None:
                with self._lock:
                    self._found.pop(key, None)

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def in_time(request: Request, make: Callable[[], HTMLResponse]) -> HTMLResponse:
    """The page, or one that looks again by itself until it is worked out."""
    try:
        return make()
    except StillWorking:
        return page(request, "working.html", 202)
