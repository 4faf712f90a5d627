"""Answers that are the same for everybody, kept for a moment: however many ask at the same time, they are made once."""

import asyncio
import time
from dataclasses import dataclass

from .security import App, Message, Receive, Scope, Send

FRESH_SECONDS = 0.2
SHARED = frozenset(("/", "/play", "/runs", "/results", "/strategies", "/api/games", "/api/runs", "/api/results"))


@dataclass(frozen=True)
class Made:
    """An answer, message by message, and when it is too old."""

    messages: list[Message]
    until: float


class Recent:
    """Stands in front of an application; whatever is not only read makes everything old at once."""

    def __init__(self, app: App):
        self.app = app
        self._made: dict[str, Made] = {}
        self._turns = {path: asyncio.Lock() for path in SHARED}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in SHARED or scope["query_string"] or scope["method"] != "GET":
            try:
                await self.app(scope, receive, send)
            finally:
                if scope.get("method") == "POST":
                    self._made.clear()
            return
        for message in (await self._answer(scope, receive)).messages:
            await send(dict(message))

    async def _answer(self, scope: Scope, receive: Receive) -> Made:
        """What was answered a moment ago, or a new answer."""
        path = scope["path"]
        async with self._turns[path]:
            made = self._made.get(path)
            if made is None or made.until < time.monotonic():
                messages: list[Message] = []

                async def keep(message: Message) -> None:
                    messages.append(message)

                await self.app(scope, receive, keep)
                made = self._made[path] = Made(messages, time.monotonic() + FRESH_SECONDS)
            return made
