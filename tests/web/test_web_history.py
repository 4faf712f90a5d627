"""A person's own games: a key shows its own game, its result when it may be seen, and nothing of others."""

import sqlite3

import pytest
from support.web_client import act, begin, open_client, play, wait_for_turn

TOLD = {"key", "game", "title", "against", "seat", "began", "over", "result"}


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path) as client:
        yield client


def history(client, *keys, **more):
    answer = client.post("/api/play/history", json={"keys": list(keys), **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_games_are_listed_with_their_results_newest_first_and_scored_per_game(client):
    ended = [play(client, seed, game="kuhn", against="uniform", side=seed % 2) for seed in range(3)]
    going = begin(client, game="phantom-ttt", against="solved", side=1)
    found = history(client, *(session["key"] for session in ended), going["key"])
    assert [game["key"] for game in found["games"]] == [going["key"], *(one["key"] for one in reversed(ended))]
    assert all(set(game) == TOLD for game in found["games"])
    assert [game["over"] for game in found["games"]] == [False, True, True, True]
    assert [game["result"] for game in found["games"][1:]] == [one["result"] for one in reversed(ended)]
    (standing,) = found["standings"]
    assert (standing["game"], standing["games"]) == ("kuhn", 3)
    assert standing["mean"] == pytest.approx(sum(one["score"] for one in ended) / 3)
    assert len(history(client, *(one["key"] for one in ended), going["key"], game="phantom-ttt")["games"]) == 1


def test_a_key_shows_its_own_game_only(client):
    mine = play(client, 1, game="kuhn", against="uniform", side=0)
    begin(client, game="kuhn", against="uniform", side=0)
    assert [game["key"] for game in history(client, mine["key"])["games"]] == [mine["key"]]
    assert history(client, "A" * 24) == history(client) == {"games": [], "standings": []}
    for keys in (["short"], ["A" * 24] * 201, ["' OR 1=1 --            x"], [7], "x"):
        assert client.post("/api/play/history", json={"keys": keys}).status_code == 422


def test_what_is_told_of_a_game_that_goes_on_never_changes(client):
    session = begin(client, game="phantom-ttt", against="uniform", side=0)
    before = history(client, session["key"])
    for choice in (4, 0):
        if not session["over"] and choice in [one["action"] for one in session["choices"]]:
            session = act(client, session, choice)
            assert session["over"] or history(client, session["key"]) == before
    resigned = client.post(f"/api/play/{session['key']}/resign", json={"moment": session["moment"]})
    assert resigned.json()["over"]
    (game,) = history(client, session["key"])["games"]
    assert game["over"] and game["result"] == "You resigned."


@pytest.mark.thorough
def test_an_end_that_is_held_back_is_not_in_the_list(tmp_path):
    with open_client(tmp_path, lambda game, words: 2.0) as client:
        session = begin(client, game="rps", against="uniform", side=0)
        answer = client.post(f"/api/play/{session['key']}", json={"action": 0, "moment": session["moment"]}).json()
        assert answer["thinking"]
        (game,) = history(client, session["key"])["games"]
        assert not game["over"] and game["result"] is None
        assert wait_for_turn(client, answer)["over"]
        assert history(client, session["key"])["games"][0]["over"]


def test_a_damaged_game_is_left_out_of_the_list(client, tmp_path):
    keys = [play(client, seed, game="kuhn", against="uniform", side=0)["key"] for seed in range(4)]
    damage = {"mark": 99, "opponent": "[", "game": "nosuch"}
    with sqlite3.connect(tmp_path / "games.db") as file:
        for key, column in zip(keys, damage, strict=False):
            file.execute(f"UPDATE sittings SET {column} = ? WHERE key = ?", (damage[column], key))
    assert [game["key"] for game in history(client, *keys)["games"]] == keys[3:]
