"""No page action runs a program or looks at a file, whatever is given as a player or stands in a store."""

import json
import secrets
import sqlite3
import time
from urllib.parse import quote

import pytest
from support.web_client import open_client

from fogspiel.core.game import known_game
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.match import EngineMatch, EngineSpec
from fogspiel.runs.requests import RoundRobinRequest, TuneRequest
from fogspiel.runs.store import Store

SHORT = {"kind": "kriegspiel", "games": 2, "nodes": 1, "longest": 2}
SECONDS = 20
"""Within this time a process would have come to run its program."""


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path) as client:
        yield client


def requests(words):
    """Requests of every kind with these words as a player."""
    yield SHORT | {"players": [words, "random"]}
    yield SHORT | {"players": ["greedy", "random", words]}
    for game, other in (("kriegspiel", "random"), ("pig", "hold20")):
        yield {"kind": "match", "game": game, "first": words, "second": other, "games": 2}
        yield {"kind": "match", "game": game, "first": other, "second": words, "games": 2}
        yield {"kind": "tournament", "game": game, "players": [other, words], "games": 2}
    yield {"kind": "tune", "game": "pig", "baseline": words, "games": 10}


def refusals(client, words):
    """What all page actions that take a player say to these words."""
    answers = [client.post("/api/runs", json=asked) for asked in requests(words)]
    for game in ("kriegspiel", "pig"):
        answers.append(client.post("/api/play", json={"game": game, "against": words}))
        answers += [
            client.get(f"{place}/{game}", params={"player": words}) for place in ("/api/strategies", "/strategies")
        ]
    assert all(answer.status_code == 422 for answer in answers), [answer.text[:200] for answer in answers]
    return [answer.text for answer in answers]


@pytest.mark.parametrize("form", ["hs:uci=touch {}", "stray-los:uci=touch {}", "aosp:uci=touch {}@1n"])
def test_no_request_runs_a_program(client, tmp_path, form):
    trace = tmp_path / "trace"
    refusals(client, form.format(trace))
    assert client.get("/api/runs").json() == {"runs": []}
    assert not trace.exists()


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["C:{}", "{}", "stray-C:{}", "C:{}@1n", "pig-{}"])
def test_a_file_that_is_there_and_one_that_is_not_get_the_same_answer(client, tmp_path, form, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("there.json", str(tmp_path / "there.json"), "there"):
        before = refusals(client, form.format(name))
        (tmp_path / name).write_text("[20]")
        (tmp_path / form.format(name)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / form.format(name)).write_text("[20]")
        assert refusals(client, form.format(name)) == before
        (tmp_path / name).unlink()


def test_a_file_does_not_take_the_place_of_a_run(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = {"kind": "match", "game": "pig", "first": "pig-1", "second": "hold20"}
    before = client.post("/api/runs", json=asked)
    (tmp_path / "pig-1").write_text("[20]")
    after = client.post("/api/runs", json=asked)
    assert (before.status_code, before.text) == (after.status_code, after.text) and before.status_code == 422


def test_the_form_is_filled_in_with_anything_and_runs_nothing(client, tmp_path):
    trace = tmp_path / "trace"
    players = f"hs:uci=touch {trace}"
    assert client.get("/runs/new", params={"kind": "kriegspiel", "players": players}).status_code == 200
    assert client.post("/api/runs", data={"kind": "kriegspiel", "players": players}).status_code == 422
    assert not trace.exists()


def asks(folder):
    """Requests of runs that name a program or a file, as the command line makes them or a changed store has them."""
    seats = tuple(EngineSpec(engine, SearchLimit(nodes=1)) for engine in (f"hs:uci=touch {folder / 'trace'}", "random"))
    yield EngineMatch(seats, 2, longest=2).to_json()
    modelled = EngineMatch((EngineSpec("C:none", SearchLimit(nodes=1)), seats[1]), 2, longest=2).to_json()
    modelled["players"][0]["engine"] = f"C:{folder / 'model.npz'}"
    yield modelled
    vector = folder / "vector.json"
    vector.write_text("[20]")
    yield RoundRobinRequest("pig", ("hold20", "hold25"), 2).to_json() | {
        "players": [{"name": "hold20"}, {"name": str(vector)}]
    }
    yield TuneRequest("pig", games=10).to_json() | {"baseline": str(vector)}
    rules = folder / "own.py"
    rules.write_text(f"open({str(folder / 'trace')!r}, 'w')")
    solve = {"game": "own", "source": str(rules), "solver": "auto", "exact": False, "gap": 1e-6, "memory": 1.0}
    yield solve | {"method": "solve", "rules": "sha256 0", "fogspiel": "1"}


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(5))
def test_a_stored_run_that_names_a_program_or_a_file_is_resumed_on_the_command_line_only(client, tmp_path, number):
    with Store.open(tmp_path / "runs.db", write=True) as store:
        name = store.create(list(asks(tmp_path))[number]).name
    answer = client.post(f"/api/runs/{name}/resume")
    assert answer.status_code == 422, answer.text
    assert f"`fogspiel resume {name}`" in answer.json()["error"] and "command line" in answer.json()["error"]
    assert client.get(f"/api/runs/{name}").json()["state"] == "interrupted"
    assert not (tmp_path / "trace").exists()


def test_asking_again_for_a_stored_run_that_names_a_program_does_not_start_it(client, tmp_path):
    with Store.open(tmp_path / "runs.db", write=True) as store:
        store.create(next(asks(tmp_path)))
    asked = SHORT | {"players": [f"hs:uci=touch {tmp_path / 'trace'}", "random"]}
    answer, end = client.post("/api/runs", json=asked), time.monotonic() + SECONDS
    while answer.status_code == 201 and time.monotonic() < end and not (tmp_path / "trace").exists():
        time.sleep(0.1)
    assert not (tmp_path / "trace").exists() and answer.status_code == 422


@pytest.mark.parametrize("thetas", [{}, {"thetas": [[20.0]], "weights": []}])
def test_a_kept_game_whose_opponent_is_a_program_or_a_file_is_not_taken_up(client, tmp_path, thetas):
    trace, vector = tmp_path / "trace", tmp_path / "vector.json"
    vector.write_text("[20]")
    for game, words in (("kriegspiel", f"hs:uci=touch {trace}"), ("pig", str(vector))):
        key = secrets.token_urlsafe(18)
        opponent = json.dumps({"words": words} | thetas)
        row = (key, game, known_game(game).version, 0, "1", opponent, "[]", time.time(), time.time())
        with sqlite3.connect(tmp_path / "games.db") as games:
            games.execute("INSERT INTO sittings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, 0)", row)
        for place in (f"/api/play/{key}", f"/api/play/{key}/replay", f"/play/{key}"):
            answer = client.get(place)
            assert answer.status_code == 422 and "is not a player of" in answer.text, (place, answer.text[:300])
    assert not trace.exists()


@pytest.mark.parametrize("name", ["openspiel:kuhn_poker", "own.py", "./own.py:GAME", "kuhn.efg", "/etc/passwd", "../x"])
def test_no_page_takes_a_file_or_a_game_from_outside_for_a_game(client, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("open('trace', 'w')")
    place = quote(name, safe="")
    answers = [
        client.post("/api/play", json={"game": name}),
        client.get("/play", params={"game": name}),
        client.get(f"/api/games/{place}"),
        client.get(f"/api/games/{place}/picture"),
        client.get(f"/api/strategies/{place}", params={"player": "uniform"}),
        client.post("/api/runs", json={"kind": "match", "game": name, "first": "uniform", "second": "uniform"}),
        client.post("/api/runs", json={"kind": "tune", "game": name, "games": 10}),
        client.get(f"/api/runs/{place}"),
    ]
    assert all(answer.status_code in (404, 422) for answer in answers), [answer.text[:200] for answer in answers]
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize(
    "path", ["..%2fapp.py", "%2e%2e/app.py", "..%5capp.py", "%2fetc/passwd", "%00", "x/../../app.py"]
)
def test_no_address_leads_out_of_the_folder_of_scripts(client, path):
    answer = client.get(f"http://127.0.0.1:8000/static/{path}")
    assert answer.status_code == 404 and "import" not in answer.text
