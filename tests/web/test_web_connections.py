"""Requests that are sent by halves: they are closed in time, and others are served beside thousands of them."""

import contextlib
import socket
import threading
import time

import httpx
import pytest
from support.web_site import running

from fogspiel.web import security
from fogspiel.web.security import AT_ONCE, MAX, PageServer

HALVES = (
    b"",
    b"GET / HTTP/1.1\r\nHost: x\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha",
)


async def echo(scope, receive, send):
    """An application that reads the whole body."""
    if scope["type"] == "http":
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


@contextlib.contextmanager
def serving(app=echo):
    """A server in a thread, and its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = PageServer(app)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield server, listener.getsockname()
    finally:
        server.should_exit = True
        thread.join(30)


def send_halves(stack, address, number):
    """So many connections that send a part of a request and no more."""
    found = []
    for half in range(number):
        connection = stack.enter_context(contextlib.closing(socket.create_connection(address, 30)))
        with contextlib.suppress(ConnectionError):
            connection.sendall(HALVES[half % len(HALVES)])
        found.append(connection)
    return found


def is_closed(connection):
    """Whether the other side has closed a connection, perhaps after an answer."""
    with contextlib.suppress(ConnectionError):
        while connection.recv(1000):
            pass
    return True


@pytest.mark.thorough
def test_who_sends_a_whole_request_is_served_beside_many_who_do_not():
    with serving() as (server, address), contextlib.ExitStack() as stack:
        send_halves(stack, address, 3 * MAX)
        for _ in range(3):
            assert httpx.post("http://{}:{}/".format(*address), content=b"whole", timeout=30).text == "ok"
        assert len(server.server_state.connections) <= MAX + AT_ONCE


def test_half_a_request_is_closed_in_time_however_slowly_it_goes_on(monkeypatch):
    monkeypatch.setattr(security, "REQUEST_SECONDS", 0.3)
    with serving() as (_, address), contextlib.ExitStack() as stack:
        halves = send_halves(stack, address, len(HALVES))
        with contextlib.suppress(ConnectionError):
            for _ in range(40):
                time.sleep(0.05)
                halves[1].sendall(b"X: y\r\n")
            pytest.fail("the connection was kept open by headers without end")
        assert all(is_closed(connection) for connection in halves)


def test_a_connection_is_kept_for_several_whole_requests(monkeypatch):
    monkeypatch.setattr(security, "REQUEST_SECONDS", 5.0)
    with serving() as (server, address), httpx.Client(base_url="http://{}:{}".format(*address)) as client:
        for _ in range(5):
            assert client.post("/", content=b"whole").text == "ok"
        assert len(server.server_state.connections) == 1


def test_a_client_that_does_not_read_is_not_waited_for(monkeypatch):
    async def much(scope, receive, send):
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": bytes(30_000_000)})

    monkeypatch.setattr(security, "READING_SECONDS", 0.2)
    with serving(much) as (server, address), contextlib.closing(socket.create_connection(address)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        end = time.monotonic() + 30
        while not server.server_state.total_requests and time.monotonic() < end:
            time.sleep(0.01)
        while server.server_state.connections and time.monotonic() < end:
            time.sleep(0.01)
        assert not server.server_state.connections


@pytest.mark.slow
def test_two_thousand_half_sent_requests_do_not_stop_a_server_with_a_token(tmp_path):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with running(tmp_path, "--token", limit=1024) as (process, address), contextlib.ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
        place, worst = httpx.URL(address), 0.0
        for _ in range(20):
            send_halves(stack, (place.host, place.port), 100)
            began = time.monotonic()
            assert httpx.get(address, follow_redirects=True, timeout=30).status_code == 200
            worst = max(worst, time.monotonic() - began)
        process.kill()
        assert len(process.stderr.read()) < 10_000 and worst < 10
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
