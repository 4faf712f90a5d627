"""The application behind its guard, without a server, and a person who plays games over its API."""

import random
import time

from fastapi.testclient import TestClient

from fogspiel.web.app import application, guard

HOST = "127.0.0.1:8000"


def at_once(game, words):
    """Replies are not held back, which would take the time of every test that plays."""
    return 0.0


def open_client(folder, slots=at_once):
    """A client of the application whose store and games are kept in a folder."""
    app = application(folder / "runs.db", folder / "games.db", slots)
    return TestClient(guard(app, frozenset({HOST})), base_url=f"http://{HOST}")


def wait_for_turn(client, session):
    """The session when the opponent has moved."""
    while session["thinking"]:
        time.sleep(0.02)
        session = client.get(f"/api/play/{session['key']}").json()
    return session


def begin(client, **asked):
    """A new session, at the person's first turn."""
    answer = client.post("/api/play", json=asked)
    assert answer.status_code == 201, answer.text
    return wait_for_turn(client, answer.json())


def act(client, session, action):
    """The session after an action, at the person's next turn."""
    answer = client.post(f"/api/play/{session['key']}", json={"action": action, "moment": session["moment"]})
    assert answer.status_code == 200, answer.text
    return wait_for_turn(client, answer.json())


def play(client, seed=1, **asked):
    """A session played to its end at random."""
    draws, session = random.Random(seed), begin(client, **asked)
    while not session["over"]:
        session = act(client, session, draws.choice(session["choices"])["action"])
    return session


def wait_for_work(client, path):
    """The answer when what it takes is worked out."""
    give_up = time.monotonic() + 240
    while (answer := client.get(path)).status_code in (202, 429) and time.monotonic() < give_up:
        time.sleep(0.2)
    return answer


def checked(client, answer):
    """What comes of a check that was begun."""
    assert answer.status_code == 202, answer.text
    give_up = time.monotonic() + 240
    while (found := client.get(f"/api/certificates/{answer.json()['check']}").json())["valid"] is None:
        assert time.monotonic() < give_up
        time.sleep(0.1)
    return found
