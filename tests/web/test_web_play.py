"""Playing over the API: what is served follows from what the person knows."""

import random
import time

import pytest
from fastapi.testclient import TestClient

from fogspiel.web.app import application, guard

HOST = "127.0.0.1:8000"


@pytest.fixture
def served(tmp_path):
    app = application(tmp_path / "runs.db", tmp_path / "games.db")
    with TestClient(guard(app, frozenset({HOST})), base_url=f"http://{HOST}") as client:
        yield client


def begun(client, **asked):
    answer = client.post("/api/play", json=asked)
    assert answer.status_code == 201, answer.text
    return settled(client, answer.json())


def settled(client, scene):
    """The scene when the opponent has answered."""
    while scene["thinking"]:
        time.sleep(0.02)
        scene = client.get(f"/api/play/{scene['key']}").json()
    return scene


def acted(client, scene, action):
    answer = client.post(f"/api/play/{scene['key']}", json={"action": action, "moment": scene["moment"]})
    assert answer.status_code == 200, answer.text
    return settled(client, answer.json())


@pytest.mark.parametrize("game", ["kuhn", "phantom-ttt", "morra", "kriegspiel", "resistance5"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_game_can_be_played_to_its_end_and_seen_whole_afterwards(served, game, side):
    draws = random.Random(1)
    scene = begun(served, game=game, against="uniform", side=side)
    while not scene["over"]:
        assert served.get(f"/api/play/{scene['key']}/replay").status_code == 409
        scene = acted(served, scene, draws.choice(scene["choices"])["action"])
    assert scene["choices"] == [] and scene["score"] is not None
    whole = served.get(f"/api/play/{scene['key']}/replay").json()
    assert whole["moments"][-1]["mover"] == "over" and whole["moments"][-1]["views"][side] == scene["seen"]


def test_a_click_that_comes_twice_counts_once(served):
    scene = begun(served, game="pig", against="uniform", side=0)
    choice = {"action": scene["choices"][0]["action"], "moment": scene["moment"]}
    assert served.post(f"/api/play/{scene['key']}", json=choice).status_code == 200
    assert served.post(f"/api/play/{scene['key']}", json=choice).status_code == 409


def test_what_cannot_be_done_is_said_in_a_sentence(served):
    scene = begun(served, game="kuhn", against="uniform", side=0)
    wrong = served.post(f"/api/play/{scene['key']}", json={"action": 77, "moment": scene["moment"]})
    assert wrong.status_code == 422 and "77 cannot be tried" in wrong.json()["error"]
    assert served.get(f"/api/play/{scene['key']}").json() == scene
    assert "no game" in served.post("/api/play", json={"game": "chess"}).json()["error"]
    assert "not a player" in served.post("/api/play", json={"game": "kuhn", "against": "nobody"}).json()["error"]
    assert served.post("/api/play", json={"game": "kuhn", "side": 2}).status_code == 422
    assert served.get(f"/api/play/{'A' * 24}").status_code == 404
    assert served.get("/api/play/short").status_code == 422


def test_a_game_survives_the_server(tmp_path):
    scenes = []
    for visit in range(2):
        app = application(tmp_path / "runs.db", tmp_path / "games.db")
        with TestClient(guard(app, frozenset({HOST})), base_url=f"http://{HOST}") as client:
            if visit == 0:
                scene = begun(client, game="phantom-ttt", against="uniform", side=0)
                scene = acted(client, scene, scene["choices"][4]["action"])
                scenes.append(scene)
            else:
                scenes.append(settled(client, client.get(f"/api/play/{scenes[0]['key']}").json()))
    assert scenes[0] == scenes[1]


def test_the_count_of_moments_does_not_tell_how_often_the_other_side_was_refused(served):
    """Black's random tries are refused all the time; White's count goes up by two for every own action."""
    scene = begun(served, game="kriegspiel", against="random", side=0)
    for _ in range(12):
        before = scene["moment"]
        scene = acted(served, scene, scene["choices"][0]["action"])
        assert scene["moment"] == before + 2


def test_keys_cannot_be_guessed(served):
    keys = {begun(served, game="rps", against="uniform", side=0)["key"] for _ in range(20)}
    assert len(keys) == 20 and all(len(key) == 24 for key in keys)
