"""Opponents share their threads fairly: quick ones do not wait for engines, nor clients for one that asks for much."""

import threading

import pytest
from fastapi import HTTPException
from support.web_client import open_client

from fogspiel.kriegspiel.engines.minimax import Minimax
from fogspiel.web.session_runner import MAX_OF_A_CLIENT, FairThreadPool

SLOW_GAMES = 5
"""More than there are threads for engines."""


@pytest.fixture
def stop():
    """What slow work waits for."""
    event = threading.Event()
    yield event
    event.set()


def test_a_client_with_much_work_does_not_hold_up_the_others(stop):
    thinkers, order = FairThreadPool("test", 1), []
    thinkers.submit("greedy", stop.wait)
    for number in range(4):
        last = thinkers.submit("greedy", lambda number=number: order.append(f"greedy {number}"))
    thinkers.submit("modest", lambda: order.append("modest"))
    stop.set()
    last.result(10)
    assert order == ["greedy 0", "modest", "greedy 1", "greedy 2", "greedy 3"]
    thinkers.close()


def test_a_client_that_asks_for_too_much_is_refused_and_others_are_not(stop):
    thinkers = FairThreadPool("test", 1)
    thinkers.submit("first", stop.wait)
    with pytest.raises(HTTPException, match="too many opponents are thinking") as refusal:
        for _ in range(MAX_OF_A_CLIENT + 2):
            thinkers.submit("greedy", stop.wait)
    assert refusal.value.status_code == 429
    done = thinkers.submit("modest", lambda: None)
    stop.set()
    done.result(10)
    thinkers.close()


def test_a_server_that_stops_does_not_wait_for_an_opponent_that_thinks(stop):
    thinkers, began = FairThreadPool("test", 1), threading.Event()
    done = thinkers.submit("person", lambda: (began.set(), stop.wait(60)))
    assert began.wait(10)
    thinkers.close()
    assert not done.done()


@pytest.mark.thorough
def test_a_quick_reply_does_not_wait_for_engines(tmp_path, monkeypatch, stop):
    def think(engine, seen, actions):
        stop.wait(30)
        return int(actions[0])

    monkeypatch.setattr(Minimax, "attempt", think)
    monkeypatch.setattr("fogspiel.web.session_runner.WAIT_SECONDS", 0.0)
    with open_client(tmp_path) as client:
        for _ in range(SLOW_GAMES):
            slow = client.post("/api/play", json={"game": "kriegspiel", "against": "minimax", "side": 1}).json()
            assert slow["thinking"]
        monkeypatch.setattr("fogspiel.web.session_runner.WAIT_SECONDS", 20.0)
        quick = client.post("/api/play", json={"game": "nim", "against": "perfect", "side": 1}).json()
        assert not quick["thinking"] and client.get(f"/api/play/{slow['key']}").json()["thinking"]
        stop.set()
