"""Work in the background, for answers that take a while: one at a time, remembered, and no request waits for long."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from typing import Any, TypeVar

from fastapi import HTTPException

Result = TypeVar("Result")
MOST_RESULTS = 64
MOST_WAITING = 8
WAIT_SECONDS = 6.0
"""How long a request waits for its result."""


class StillWorking(HTTPException):
    """The result is not there yet; the same request may come again."""

    def __init__(self) -> None:
        super().__init__(429, "this is being worked out: ask again in a few seconds", {"retry-after": "3"})


class Background:
    """One thread that works, and its latest results by key."""

    def __init__(self) -> None:
        self._futures: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._pool = ThreadPoolExecutor(1, "background")
        self._lock = threading.Lock()

    def compute(self, key: Hashable, work: Callable[[], Result]) -> Result:
        """What `work` returns, or StillWorking; errors are raised and not remembered."""
        future = self._submit(key, work)
        try:
            return future.result(WAIT_SECONDS)
        except TooLong:
            if not future.done():
                raise StillWorking from None
            raise
        finally:
            if future.done() and future.exception() is not None:
                with self._lock:
                    self._futures.pop(key, None)

    def _submit(self, key: Hashable, work: Callable[[], Result]) -> Future[Result]:
        """The work with this key, begun now if it was not before."""
        with self._lock:
            future = self._futures.get(key)
            if future is None:
                if sum(not known.done() for known in self._futures.values()) >= MOST_WAITING:
                    raise HTTPException(429, "too much is being worked out: try again in a moment")
                future = self._futures[key] = self._pool.submit(work)
            self._futures.move_to_end(key)
            for old in list(self._futures)[: max(len(self._futures) - MOST_RESULTS, 0)]:
                if self._futures[old].done():
                    del self._futures[old]
            return future

    def close(self) -> None:
        """Begin no more work."""
        self._pool.shutdown(wait=False, cancel_futures=True)
