"""Answers that are the same for every visitor, remembered for a moment: requests at the same time share one answer."""

import asyncio
import time
from typing import NamedTuple

from .security import App, Message, Receive, Scope, Send

FRESH_SECONDS = 0.2
SHARED = frozenset(("/", "/play", "/runs", "/results", "/strategies", "/api/games", "/api/runs", "/api/results"))


class CachedAnswer(NamedTuple):
    """An answer, message by message, and when it is too old."""

    messages: list[Message]
    until: float


class AnswerCache:
    """Stands in front of an application; a POST makes all answers old at once."""

    def __init__(self, app: App):
        self.app = app
        self._answers: dict[str, CachedAnswer] = {}
        self._locks = {path: asyncio.Lock() for path in SHARED}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in SHARED or scope["query_string"] or scope["method"] != "GET":
            try:
                await self.app(scope, receive, send)
            finally:
                if scope.get("method") == "POST":
                    self._answers.clear()
            return
        for message in (await self._answer(scope, receive)).messages:
            await send(dict(message))

    async def _answer(self, scope: Scope, receive: Receive) -> CachedAnswer:
        """The answer of a moment ago, or a new one."""
        path = scope["path"]
        async with self._locks[path]:
            answer = self._answers.get(path)
            if answer is None or answer.until < time.monotonic():
                messages: list[Message] = []

                async def record(message: Message) -> None:
                    messages.append(message)

                await self.app(scope, receive, record)
                answer = self._answers[path] = CachedAnswer(messages, time.monotonic() + FRESH_SECONDS)
            return answer
