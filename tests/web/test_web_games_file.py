"""The file of games: only its owner may read it, its damage is said in a sentence, and memory has a limit."""

import sqlite3
import stat
import sys
import threading

import pytest
from support.web_client import act, at_once, begin, open_client

from fogspiel.core.game import known_game
from fogspiel.web.session_store import MAX_LIVE, MAX_LIVE_ENGINES, SessionStore

DAMAGE = {
    "record": ["", "[", "{}", "7", "[1e99]", '["a"]', "[null]", "[77]", "[" * 5000, "[99999999999999999999]"],
    "opponent": ["", "[", "[]", "{}", '{"words": 7}', "null", '{"words": "uniform", "thetas": 7, "weights": []}'],
    "seed": ["", "x", "1.5"],
    "side": [7, "x", None],
    "rules": ["x", None],
    "resigned": ["x", None, 7],
    "agreed": ["x", None, 7],
    "game": [None],
}


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
@pytest.mark.parametrize("before", [None, 0o644])
def test_only_the_owner_may_read_the_games(tmp_path, before):
    path = tmp_path / "games.db"
    if before is not None:
        path.touch(before)
    with open_client(tmp_path) as client:
        begin(client, game="rps", against="uniform", side=0)
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.glob("games.db*")}
    assert modes == {"games.db": 0o600, "games.db-wal": 0o600, "games.db-shm": 0o600}


def test_a_damaged_game_is_a_sentence_and_no_other_game_is_touched(tmp_path):
    damage = [(column, value) for column in DAMAGE for value in DAMAGE[column]]
    with open_client(tmp_path) as client:
        keys = [begin(client, game="phantom-ttt", against="uniform", side=0)["key"] for _ in (*damage, None)]
    with sqlite3.connect(tmp_path / "games.db") as file:
        for key, (column, value) in zip(keys, damage, strict=False):
            file.execute(f"UPDATE sittings SET {column} = ? WHERE key = ?", (value, key))
    with open_client(tmp_path) as client:
        for key, fault in zip(keys, damage, strict=False):
            for place in ("/api/play/{}", "/api/play/{}/replay", "/play/{}", "/play/{}/replay"):
                answer = client.get(place.format(key))
                assert answer.status_code == 409 and "damaged in games.db" in answer.text, (fault, answer.text)
        assert client.get(f"/api/play/{keys[-1]}").status_code == 200


def test_a_file_of_an_earlier_version_is_taken_up(tmp_path):
    with open_client(tmp_path) as client:
        key = begin(client, game="phantom-ttt", against="uniform", side=0)["key"]
    with sqlite3.connect(tmp_path / "games.db") as file:
        file.execute("ALTER TABLE sittings DROP COLUMN resigned")
    with open_client(tmp_path) as client:
        session = client.get(f"/api/play/{key}").json()
        assert session["choices"] and not session["over"]
        assert begin(client, game="rps", against="uniform", side=0)["choices"]


def test_a_file_that_is_torn_under_the_server_is_a_sentence(tmp_path):
    with open_client(tmp_path) as client:
        session = begin(client, game="phantom-ttt", against="uniform", side=0)
        with sqlite3.connect(tmp_path / "games.db") as file:
            file.execute("DROP TABLE sittings")
        choice = {"action": 0, "moment": session["moment"]}
        for answer in (
            client.post("/api/play", json={"game": "rps"}),
            client.get(f"/api/play/{'A' * 24}"),
            client.post(f"/api/play/{session['key']}", json=choice),
        ):
            assert answer.status_code == 409 and "games.db" in answer.json()["error"], answer.text


def test_an_action_that_cannot_be_written_was_not_done_and_can_be_done_again(tmp_path):
    with open_client(tmp_path) as client, sqlite3.connect(tmp_path / "games.db") as file:
        session = begin(client, game="phantom-ttt", against="uniform", side=0)
        file.execute("CREATE TRIGGER full BEFORE UPDATE ON sittings BEGIN SELECT RAISE(ABORT, 'disk full'); END")
        file.commit()
        choice = {"action": 4, "moment": session["moment"]}
        refused = client.post(f"/api/play/{session['key']}", json=choice)
        assert refused.status_code == 409 and "disk full" in refused.json()["error"]
        file.execute("DROP TRIGGER full")
        file.commit()
        assert client.get(f"/api/play/{session['key']}").json() == session
        assert client.post(f"/api/play/{session['key']}", json=choice).status_code == 200


def test_a_game_in_which_somebody_acts_stays_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("fogspiel.web.session_store.MAX_LIVE", 1)
    store = SessionStore(tmp_path / "games.db", tmp_path / "runs.db", at_once)
    first = store.create(known_game("pig"), "uniform", 0)
    held, free = threading.Event(), threading.Event()

    def act_slowly():
        with first.lock:
            held.set()
            free.wait(30)

    person = threading.Thread(target=act_slowly)
    person.start()
    held.wait(30)
    store.create(known_game("pig"), "uniform", 0)
    assert store.live(first.key) is first
    free.set()
    person.join()
    store.create(known_game("pig"), "uniform", 0)
    store.create(known_game("pig"), "uniform", 0)
    assert store.live(first.key) is None
    store.close()


def test_few_engines_stay_in_memory_and_the_others_are_taken_up_again(tmp_path):
    store = SessionStore(tmp_path / "games.db", tmp_path / "runs.db", at_once)
    game, pig = known_game("kriegspiel"), known_game("pig")
    first = store.create(game, "minimax", 0)
    strategy = store.create(pig, "uniform", 0)
    for _ in range(MAX_LIVE_ENGINES):
        store.create(game, "minimax", 0)
    assert store.live(first.key) is None and store.live(strategy.key) is strategy
    assert sum(stored.has_thinker for stored in store._live.values()) == MAX_LIVE_ENGINES
    assert store.find(first.key).session.record == first.session.record
    for _ in range(MAX_LIVE + 5):
        store.create(pig, "uniform", 0)
    assert len(store._live) == MAX_LIVE
    store.close()


def test_a_game_that_was_put_out_of_memory_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("fogspiel.web.session_store.MAX_LIVE", 1)
    with open_client(tmp_path) as client:
        session = begin(client, game="phantom-ttt", against="uniform", side=0)
        session = act(client, session, 4)
        begin(client, game="rps", against="uniform", side=0)
        assert client.get(f"/api/play/{session['key']}").json() == session
