"""Checks of every request: known host, own origin, limited body size, and the token if there is one.

Written against ASGI itself, because a chunked body must be counted before it is read.
"""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from hmac import compare_digest
from html import escape
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, urlencode

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BYTES = 64_000
# Addresses that accept larger bodies: the certificates in the package have at most 0.2 MB.
LARGE = {"/api/certificates": 4_000_000}
EVENTS = "/api/events"  # address of the streams of events
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
# Pages load only our own content and send nothing elsewhere.
POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", POLICY.encode()),
]  # default headers of every response
COOKIE = "fogspiel"
# Addresses read by programs and scripts, with errors as JSON; all others are pages for people.
FOR_PROGRAMS = ("/api/", "/static/", "/openapi.json")
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>fogspiel</title></head>
<body><main><h1>This page cannot be shown</h1><p>{}.</p></main></body></html>
"""


class Refusal(Exception):
    """Rejected request, with its status and error message."""

    def __init__(self, status: int, sentence: str) -> None:
        self.status, self.sentence = status, sentence


class RequestGuard:
    """ASGI middleware that checks requests before the application sees them."""

    def __init__(self, inner: App, hosts: frozenset[str], token: str | None = None):
        self.inner, self.hosts, self.token = inner, hosts, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.inner(scope, receive, send)
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        new_visitor = False

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [pair for pair in message.get("headers", []) if pair[0].lower() != b"server"]
                names = {name.lower() for name, _ in own}
                usual = [pair for pair in HEADERS if pair[0] not in names]
                message["headers"] = [*own, *usual, *(self._cookie() if new_visitor else [])]
            await send(message)

        try:
            self._demand_known_host(headers)
            self._demand_own_origin(scope["method"], scope["path"], headers)
            new_visitor = self._demand_token(scope, headers)
            body = await _whole_body(headers, receive, LARGE.get(scope["path"], MAX_BYTES))
        except Refusal as refusal:
            kind, body = b"application/json", json.dumps({"error": refusal.sentence}).encode()
            if not is_for_programs(scope["path"]):
                sentence = refusal.sentence[:1].upper() + refusal.sentence[1:]
                kind, body = b"text/html; charset=utf-8", PAGE.format(escape(sentence)).encode()
            return await _answer(send_with_headers, refusal.status, [(b"content-type", kind)], body)
        if new_visitor and scope["method"] in SAFE_METHODS and not is_for_programs(scope["path"]):
            location = (b"location", address_without_token(scope).encode("latin-1"))
            return await _answer(send_with_headers, 303, [location])
        await self.inner(scope, _once(body, receive), send_with_headers)

    def _demand_known_host(self, headers: dict[bytes, str]) -> None:
        """Reject requests under another site's name that was made to resolve to this server (DNS rebinding)."""
        host = headers.get(b"host", "")
        if host not in self.hosts:
            raise Refusal(400, "unknown Host header: use the address printed by `fogspiel web`")

    def _demand_own_origin(self, method: str, path: str, headers: dict[bytes, str]) -> None:
        """Reject requests from pages of other sites, except links to pages: they must change and read nothing."""
        origin = headers.get(b"origin")
        if origin is not None and origin.partition("://")[2] not in self.hosts:
            raise Refusal(403, "requests from other sites are refused")
        foreign = headers.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none")
        follows_link = method in SAFE_METHODS and headers.get(b"sec-fetch-mode") == "navigate"
        if foreign and (not follows_link or is_for_programs(path)):
            raise Refusal(403, "requests from other sites are refused")

    def _demand_token(self, scope: Scope, headers: dict[bytes, str]) -> bool:
        """Demand the token, in the address of the first page and later in a cookie; True if it came in the address."""
        if self.token is None:
            return False
        shown = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if shown and compare_digest(shown.encode(), self.token.encode()):
            return True
        bearer = headers.get(b"authorization", "").removeprefix("Bearer ")
        # other servers at this address may have set more cookies
        pairs = [piece.strip().partition("=") for piece in headers.get(b"cookie", "").split(";")]
        for known in (*(value for name, _, value in pairs if name == COOKIE), bearer):
            if known and compare_digest(known.encode(), self.token.encode()):
                return False
        raise Refusal(401, "open the address with the token that `fogspiel web` printed")

    def _cookie(self) -> list[tuple[bytes, bytes]]:
        """Return the cookie with the token.

        It is Lax, because a strict cookie is not sent where the printed address is followed from another site.
        Requests of other sites are rejected by their origin.
        """
        return [(b"set-cookie", f"{COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Lax".encode())]


async def _whole_body(headers: dict[bytes, str], receive: Receive, most: int) -> bytes:
    length = headers.get(b"content-length", "0")
    if not length.isdecimal() or int(length) > most:
        raise Refusal(413, f"a request may have at most {most} bytes")
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "the request was broken off")
        body += message.get("body", b"")
        if len(body) > most:
            raise Refusal(413, f"a request may have at most {most} bytes")
        if not message.get("more_body"):
            return bytes(body)


def _once(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that delivers the body, which has been read already, once."""
    bodies = [body]

    async def receive_body() -> Message:
        if not bodies:
            return await receive()
        return {"type": "http.request", "body": bodies.pop(), "more_body": False}

    return receive_body


def is_for_programs(path: str) -> bool:
    """True if programs read this address, so that errors are JSON."""
    return path.startswith(FOR_PROGRAMS)


def address_without_token(scope: Scope) -> str:
    """Return the address of a request as it may appear in the history of a browser."""
    asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    rest = urlencode([(name, value) for name, value in asked if name != "token"])
    path = "/" + quote(scope["path"].lstrip("/\\"))  # two slashes would name another host
    return f"{path}?{rest}" if rest else path


async def _answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes = b"") -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})


# Connection limits that keep the server available: a few connections per client, and a deadline for each request.
#
# uvicorn waits indefinitely for the rest of a request, and accepts connections until file descriptors run out. Here,
# when there are too many connections, the oldest one without a complete request is closed. Clients that send complete
# requests are therefore served, even among thousands that do not. All this happens before the token is checked.

# Concurrent connections; a browser opens six, and some systems limit a process to 256 open files.
MAX_OF_A_CLIENT, MAX = 128, 160
AT_ONCE, PENDING = 64, 1024  # new connections that are accepted before old ones are closed, and that may wait for it
REQUEST_SECONDS = 10.0  # from a connection, or its last response, to the end of its next request
READING_SECONDS = 30.0  # how long a response waits for a client that stops reading


class LimitedProtocol(H11Protocol):
    """Protocol of one connection; `connections` are those of the server."""

    @property
    def waits(self) -> bool:
        """True if no complete request has arrived, or the connection is closing."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY) or self.transport.is_closing()

    @property
    def streams(self) -> bool:
        """True if its response is a stream of events."""
        return self.cycle is not None and self.cycle.scope["path"] == EVENTS

    @property
    def host(self) -> str:
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.began = self.loop.time()
        self._limits: dict[str, asyncio.TimerHandle] = {}
        self._make_room()
        self._limit_request()

    def _make_room(self) -> None:
        """Close a waiting connection if there are too many, or this one if all others are being served."""
        others = [other for other in self.connections if isinstance(other, LimitedProtocol) and other is not self]
        own = [other for other in others if other.host == self.host]
        crowd = own if len(own) >= MAX_OF_A_CLIENT else others if len(others) >= MAX else []
        if crowd:
            waiting = [other for other in crowd if other.waits]
            min(waiting, key=lambda other: other.began, default=self).drop()

    def drop(self) -> None:
        self.connections.discard(self)
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._limit_request()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._limit_request()

    def _limit_request(self) -> None:
        """Set a deadline while a request is incomplete; slow pieces do not extend it."""
        self._limit("request", REQUEST_SECONDS, self.waits)

    def _limit(self, name: str, seconds: float, wanted: bool) -> None:
        """Set a deadline, unless it is set already, or cancel it."""
        if wanted and name not in self._limits:
            self._limits[name] = self.loop.call_later(seconds, self.drop)
        elif not wanted and name in self._limits:
            self._limits.pop(name).cancel()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._limit("reading", READING_SECONDS, True)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._limit("reading", READING_SECONDS, False)

    def connection_lost(self, exc: Exception | None) -> None:
        for limit in self._limits.values():
            limit.cancel()
        super().connection_lost(exc)


class PageServer(uvicorn.Server):
    """uvicorn server with limited connections."""

    def __init__(self, app: App):
        super().__init__(
            uvicorn.Config(
                app,
                http=LimitedProtocol,
                ws="none",
                backlog=AT_ONCE,
                log_level="error",  # malformed HTTP is answered and not logged: nobody fills a disk
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=2,
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the streams of events, which never end by themselves, before waiting for the other responses."""
        for connection in list(self.server_state.connections):
            if isinstance(connection, LimitedProtocol) and connection.streams:
                connection.drop()
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen with a longer backlog than asyncio accepts at once; asyncio has one number for both."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(PENDING)
