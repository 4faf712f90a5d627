"""Answers that are the same for every visitor, remembered: requests at the same time share one answer.

Starlette has no cache of answers, so there are two memories, one behind the other. `AnswerCache` stands in front of the
application and uses the clock alone. `VersionCache` serves pages of runs, which know whether a run has changed: an
answer is made once for each change.
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

FRESH_SECONDS, STALE_SECONDS = 0.2, 1.0  # how old an answer may be, and how old while a new one is being made
SHARED = re.compile(
    r"/|/play|/runs|/results|/strategies|/api/(games|runs|results)|(/api)?/(runs|results)/(?!new$|compare$)[^/]+"
)  # addresses whose answers are for everybody
SPARING = 10.0  # an answer about a run under way serves for so many times as long as it took to make
MAX_ANSWERS, MAX_BYTES = 256, 16_000_000  # limits of a memory of answers
Key = TypeVar("Key")
Value = TypeVar("Value")


class Memory(OrderedDict[Key, Value]):
    """The latest values by key, for callers that hold a lock; the oldest are forgotten, except those to keep."""

    def __init__(
        self,
        most: int | None = None,
        size: Callable[[Value], int] = lambda value: 0,
        keep: Callable[[Value], bool] = lambda value: False,
    ):
        super().__init__()
        self._most, self._size, self._keep = most, size, keep

    def remember(self, key: Key, value: Value) -> None:
        """Make a value the latest."""
        self[key] = value
        self.move_to_end(key)
        self.trim()

    def trim(self) -> None:
        """Forget as many values as the limits of number and size demand."""
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
    """An answer, message by message, when it was made, and the lock of who makes a new one."""

    messages: list[Message] = field(default_factory=list)
    made: float = -STALE_SECONDS
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def size(self) -> int:
        return sum(len(message.get("body", b"")) for message in self.messages)


class AnswerCache:
    """The cache in front of an application; a POST makes all answers old at once."""

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
        """Return the answer of a moment ago, or a new one; who comes while it is made may get the old one."""
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
                self._answers.trim()  # a POST meanwhile has forgotten this one: it does not come back
            return answer.messages


class VersionedAnswer(NamedTuple):
    """An answer, the version of the run that it was made of, and until when it will do although the run goes on."""

    version: Hashable
    state: Hashable
    until: float
    response: Response


class VersionCache:
    """The latest answer of each address that is made from a run, as long as the run has not changed.

    Long runs take long to read, and those under way change all the time: an answer about one serves for some time.
    """

    def __init__(self) -> None:
        self._answers: Memory[Hashable, VersionedAnswer] = Memory(size=lambda known: len(known.response.body))
        self._lock = threading.Lock()

    def respond(
        self, key: Hashable, version: Hashable, make: Callable[[], Response], state: Hashable = None
    ) -> Response:
        """Return the answer that was made of this version, or lately in this state of a run under way, or a new one."""
        began = time.monotonic()
        with self._lock:
            known = self._answers.get(key)
            if known is not None and (known.version == version or (began < known.until and known.state == state)):
                self._answers.move_to_end(key)
                return known.response
        made = make()
        now = time.monotonic()
        answer = Response(made.body, made.status_code, dict(made.headers))  # without what a template was filled in with
        until = now if state is None else now + SPARING * (now - began)
        with self._lock:
            self._answers.remember(key, VersionedAnswer(version, state, until, answer))
        return answer
