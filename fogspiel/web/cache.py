"""Caches of responses that are the same for every visitor; concurrent requests share one response.

Starlette has no response cache. `AnswerCache`, in front of the application, expires by time alone. `VersionCache`
serves pages of runs and makes a response once per change of the run.
"""

import asyncio
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from fastapi.responses import Response

from .security import App, Message, Receive, Scope, Send

FRESH_SECONDS, STALE_SECONDS = 0.2, 1.0  # maximum age of a response, and while a new one is being made
SHARED = re.compile(
    r"/|/play|(/api)?/(runs|results|strategies|problems)|/api/games(/[^/]+(/opponents)?)?"
    r"|(/api)?/(runs|results)/(?!new$|compare$)[^/]+|/problems/[0-9]+"
)  # addresses whose responses are the same for everybody
SPARING = 10.0  # a response about a running run is reused for this multiple of the time it took to make
MAX_ANSWERS, MAX_BYTES = 256, 16_000_000  # limits of a cache of responses
Key = TypeVar("Key")
Value = TypeVar("Value")


class Memory(OrderedDict[Key, Value]):
    """Latest values by key, for callers that hold a lock; the oldest are evicted, except those that `keep` accepts."""

    def __init__(
        self,
        most: int | None = None,
        size: Callable[[Value], int] = lambda value: 0,
        keep: Callable[[Value], bool] = lambda value: False,
    ):
        super().__init__()
        self._most, self._size, self._keep = most, size, keep

    def remember(self, key: Key, value: Value) -> None:
        self[key] = value
        self.move_to_end(key)
        self.trim()

    def trim(self) -> None:
        most, total = self._most or MAX_ANSWERS, sum(map(self._size, self.values()))
        beyond = len(self) - most
        for place, (old, known) in enumerate(list(self.items())):
            if place >= beyond and total <= MAX_BYTES:
                return
            if not self._keep(known):
                total -= self._size(known)
                del self[old]


@dataclass
class CachedAnswer:
    """Response as ASGI messages, the time it was made, and the lock held while a new one is made."""

    messages: list[Message] = field(default_factory=list)
    made: float = -STALE_SECONDS
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def size(self) -> int:
        return sum(len(message.get("body", b"")) for message in self.messages)


class AnswerCache:
    """Response cache in front of an application; a POST invalidates all entries."""

    def __init__(self, app: App):
        self.app = app
        self._answers: Memory[str, CachedAnswer] = Memory(size=lambda answer: answer.size)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        shared = scope["type"] == "http" and scope["method"] == "GET" and not scope["query_string"]
        if not shared or not SHARED.fullmatch(scope["path"]):
            try:
                await self.app(scope, receive, send)
            finally:
                if scope.get("method") == "POST":
                    self._answers.clear()
            return
        for message in await self._messages(scope, receive):
            await send(dict(message))

    async def _messages(self, scope: Scope, receive: Receive) -> list[Message]:
        """Return the cached response or a new one; while that is being made, others may get the stale one."""
        answer = self._answers.setdefault(scope["path"], CachedAnswer())
        self._answers.move_to_end(scope["path"])
        age = time.monotonic() - answer.made
        if age < FRESH_SECONDS or (age < STALE_SECONDS and answer.lock.locked()):
            return answer.messages
        async with answer.lock:
            if time.monotonic() - answer.made >= FRESH_SECONDS:
                messages: list[Message] = []

                async def record(message: Message) -> None:
                    messages.append(message)

                await self.app(scope, receive, record)
                answer.messages, answer.made = messages, time.monotonic()
                self._answers.trim()  # a POST meanwhile has removed this entry: it is not restored
            return answer.messages


class VersionedAnswer(NamedTuple):
    """Response, the run version it was made from, and the time until which it serves while the run continues."""

    version: Hashable
    state: Hashable
    until: float
    response: Response


class VersionCache:
    """Latest response per address that is made from a run, valid while the run's version is unchanged.

    Long runs take long to read and change constantly while running, so responses about them are reused for some time.
    """

    def __init__(self) -> None:
        self._answers: Memory[Hashable, VersionedAnswer] = Memory(size=lambda known: len(known.response.body))
        self._lock = threading.Lock()

    def respond(
        self, key: Hashable, version: Hashable, make: Callable[[], Response], state: Hashable = None
    ) -> Response:
        """Return the response made from this version, or recently in this state of a running run, or a new one."""
        began = time.monotonic()
        with self._lock:
            known = self._answers.get(key)
            if known is not None and (known.version == version or (began < known.until and known.state == state)):
                self._answers.move_to_end(key)
                return known.response
        made = make()
        now = time.monotonic()
        answer = Response(made.body, made.status_code, dict(made.headers))  # without the template context
        until = now if state is None else now + SPARING * (now - began)
        with self._lock:
            self._answers.remember(key, VersionedAnswer(version, state, until, answer))
        return answer
