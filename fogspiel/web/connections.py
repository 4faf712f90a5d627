"""Connections that cannot take the server from others: a few per client, and each request sent whole in time.

uvicorn waits for the rest of a request as long as it takes, and accepts connections until there are no more files to
open. Here a connection without a whole request gives way to a new one when there are too many, the oldest first, so
that whoever sends a whole request is served, even beside thousands who do not. All this is before the token is asked.
"""

import asyncio
import socket

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .security import App

# Connections at the same time; a browser opens six, and some systems let a process have 256 files open.
MOST_OF_A_CLIENT, MOST = 128, 160
AT_ONCE, PENDING = 64, 1024  # new connections that are accepted before old ones are closed, and that may wait for it
REQUEST_SECONDS = 10.0  # from a connection, or its last answer, to the end of its next request
READING_SECONDS = 30.0  # how long an answer waits for a client that does not read on


class LimitedProtocol(H11Protocol):
    """One connection; `connections` are those of the server."""

    _request_limit: asyncio.TimerHandle | None = None
    _reading_limit: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """True if the client has not sent a whole request, or the connection is at its end."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY) or self.transport.is_closing()

    @property
    def host(self) -> str:
        """The machine at the other end."""
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.began = self.loop.time()
        self._make_room()
        self._limit_request()

    def _make_room(self) -> None:
        """Close another connection if there are too many, or this one where all others are served."""
        others = [other for other in self.connections if isinstance(other, LimitedProtocol) and other is not self]
        own = [other for other in others if other.host == self.host]
        crowd = own if len(own) >= MOST_OF_A_CLIENT else others if len(others) >= MOST else []
        if crowd:
            waiting = [other for other in crowd if other.waits]
            min(waiting, key=lambda other: other.began, default=self).drop()

    def drop(self) -> None:
        """Close the connection at once; it counts no more."""
        self.connections.discard(self)
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._limit_request()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._limit_request()

    def _limit_request(self) -> None:
        """Set a time for the end of a request while it has not come; pieces that come slowly do not move it."""
        if self.waits and self._request_limit is None:
            self._request_limit = self.loop.call_later(REQUEST_SECONDS, self.drop)
        elif not self.waits and self._request_limit is not None:
            self._request_limit.cancel()
            self._request_limit = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_limit = self._reading_limit or self.loop.call_later(READING_SECONDS, self.drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reading_limit is not None:
            self._reading_limit.cancel()
            self._reading_limit = None

    def connection_lost(self, exc: Exception | None) -> None:
        for limit in (self._request_limit, self._reading_limit):
            if limit is not None:
                limit.cancel()
        super().connection_lost(exc)


class PageServer(uvicorn.Server):
    """Serves an application by such connections."""

    def __init__(self, app: App):
        super().__init__(
            uvicorn.Config(
                app,
                http=LimitedProtocol,
                ws="none",
                backlog=AT_ONCE,
                log_level="error",  # a request that is no HTTP is answered and not logged: nobody fills a disk
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=2,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; more connections may wait than asyncio accepts at once, which is one number there."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(PENDING)
