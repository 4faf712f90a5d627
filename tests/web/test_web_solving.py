"""A game without a perfect opponent is solved on request, and the solution is its first opponent then."""

import time

import pytest
from support.own_game import OWN_RPS
from support.web_client import begin, open_client

from fogspiel.core.own_games import bring_game

SECONDS = 120


@pytest.fixture
def client(tmp_path):
    """A client of a site to which the user has brought a small game."""
    (tmp_path / "mine.py").write_text(OWN_RPS, encoding="utf-8")
    bring_game(f"{tmp_path / 'mine.py'}:own-rps-half")
    with open_client(tmp_path) as client:
        yield client


def test_a_small_game_is_solved_on_request_and_played_against_its_solution(client):
    place = "/api/games/own-rps-half/solving"
    offered = client.get(place).json()
    assert offered["offered"] and not offered["solved"] and "about 13 histories" in offered["words"]
    assert 'id="solving"' in client.get("/games/own-rps-half").text
    answer = client.post(place)
    assert answer.status_code == 201 and answer.json()["run"] == "own-rps-half-1"
    assert client.post(place).json()["run"] == "own-rps-half-1"
    give_up = time.monotonic() + SECONDS
    while not (now := client.get(place).json())["solved"]:
        assert time.monotonic() < give_up and now["run"] == "own-rps-half-1" and not now["offered"], now
        time.sleep(0.3)
    first = client.get("/api/games/own-rps-half/opponents").json()["opponents"][0]
    assert (first["words"], first["kind"], first["level"]) == ("own-rps-half-1", "solution", "perfect")
    assert first["title"] == "exact solution (own-rps-half-1)"
    assert 'id="solving"' not in client.get("/games/own-rps-half").text
    assert client.post(place).status_code == 422
    assert begin(client, game="own-rps-half", against=first["words"], side=1)["choices"]


@pytest.mark.parametrize("game", ["war4", "permutation-four", "kriegspiel"])
def test_a_game_that_is_too_large_is_refused_in_a_sentence(client, game):
    place = f"/api/games/{game}/solving"
    found = client.get(place).json()
    assert not found["offered"] and "too many" in found["words"] and found["run"] is None
    assert client.post(place).status_code == 422 and client.get("/api/runs").json() == {"runs": []}


def test_a_game_with_a_perfect_opponent_is_solved_already(client):
    assert client.get("/api/games/kuhn/solving").json()["solved"]
    assert 'id="solving"' not in client.get("/games/kuhn").text
    assert client.get("/api/games/nosuch/solving").status_code in (404, 422)
    assert client.post("/api/games/own.py/solving").status_code in (404, 422)
