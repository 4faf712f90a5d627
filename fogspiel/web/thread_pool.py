"""Threads for opponents that think, shared fairly: quick ones have their own, and every client has its turn."""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from fastapi import HTTPException

Work = Callable[[], None]
# How many opponents may wait for a thread; who comes later is asked to try again.
MOST_WAITING, MOST_OF_A_CLIENT = 64, 32


class FairThreadPool:
    """A few threads that take work from each client in turn."""

    def __init__(self, name: str, threads: int):
        self._pool = ThreadPoolExecutor(threads, name)
        self._waiting: OrderedDict[str, deque[tuple[Work, Future[None]]]] = OrderedDict()
        self._lock = threading.Lock()

    def submit(self, client: str, work: Work) -> Future[None]:
        """Work for a client, which may have to wait, or 429."""
        done: Future[None] = Future()
        with self._lock:
            own = self._waiting.get(client, deque())
            if len(own) >= MOST_OF_A_CLIENT or sum(map(len, self._waiting.values())) >= MOST_WAITING:
                raise HTTPException(429, "too many opponents are thinking: try again in a moment")
            own.append((work, done))
            self._waiting[client] = own
        self._pool.submit(self._work_on_next)
        return done

    def _work_on_next(self) -> None:
        """Do what has waited longest of the client whose turn it is."""
        with self._lock:
            client, own = self._waiting.popitem(last=False)
            work, done = own.popleft()
            if own:
                self._waiting[client] = own
        try:
            work()
        finally:
            done.set_result(None)

    def close(self) -> None:
        """Begin no more work, and wait for what has begun."""
        self._pool.shutdown(cancel_futures=True)
