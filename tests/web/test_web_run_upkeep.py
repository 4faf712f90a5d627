"""The list of runs filtered, sorted and searched; notes and deletion; a queue; forms of all kinds; static files."""

import time

import pytest
from support.web_client import open_client

from fogspiel.runs.kind import execute
from fogspiel.runs.requests import MatchRequest
from fogspiel.runs.requests import TuneRequest as TuneRequest
from fogspiel.runs.store import Store
from fogspiel.web.requests import page_requests
from fogspiel.web.run_list import ORDERS


@pytest.fixture
def folder(tmp_path):
    """A folder with a store that has two finished matches and a tuning run that nobody has begun."""
    with Store.open(tmp_path / "runs.db", write=True) as store:
        for name in ("kuhn", "morra"):
            request = MatchRequest(name, "uniform", "uniform", games=20)
            execute(store.create(request.to_json()))
        store.create(TuneRequest("batawaf", "iterative", games=1000).to_json())
    return tmp_path


@pytest.fixture
def client(folder):
    with open_client(folder) as client:
        yield client


def shown(client, **asked):
    """The names of the runs on the page."""
    page = client.get("/runs", params=asked).text
    return [line.split('"')[1] for line in page.splitlines() if line.strip().startswith("<tr data-run=")]


def test_runs_are_filtered_by_game_kind_state_and_words(client):
    assert set(shown(client)) == {"kuhn-1", "morra-1", "batawaf-1"}
    assert shown(client, game="kuhn") == ["kuhn-1"]
    assert shown(client, kind="tuning") == shown(client, state="interrupted") == ["batawaf-1"]
    assert shown(client, q="MATCH morra") == ["morra-1"] and shown(client, q="nothing like it") == []
    assert shown(client, sort="name") == ["batawaf-1", "kuhn-1", "morra-1"]
    for order in ORDERS:
        assert len(shown(client, sort=order)) == 3
    assert client.get("/runs", params={"sort": "colour"}).status_code == 422


def test_a_note_is_kept_beside_the_store_and_goes_with_its_run(client, folder):
    before = (folder / "runs.db").read_bytes()
    assert client.post("/api/runs/kuhn-1/note", json={"note": " <b>blue</b> "}).json() == {"note": "<b>blue</b>"}
    assert shown(client, q="blue") == ["kuhn-1"] and "&lt;b&gt;blue" in client.get("/runs/kuhn-1").text
    assert (folder / "runs.db").read_bytes() == before
    assert (folder / "runs.notes.json").stat().st_mode & 0o077 == 0
    assert client.post("/api/runs/none-1/note", json={"note": "x"}).status_code == 404
    assert client.post("/api/runs/kuhn-1/note", json={"note": "x" * 5000}).status_code == 422
    assert client.post("/api/runs/kuhn-1/delete").json() == {"run": "kuhn-1", "state": "deleted"}
    assert client.get("/api/runs/kuhn-1").status_code == 404 and "blue" not in (folder / "runs.notes.json").read_text(
        encoding="utf-8"
    )
    assert client.post("/api/runs/kuhn-1/delete").status_code == 404


def test_a_note_file_that_is_damaged_shows_no_notes(client, folder):
    (folder / "runs.notes.json").write_text("[1, {", encoding="utf-8")
    assert len(shown(client)) == 3
    (folder / "runs.notes.json").write_text('{"kuhn-1": 7, "morra-1": "green"}', encoding="utf-8")
    assert len(shown(client)) == 3 and shown(client, q="green") == []


def test_a_run_that_gets_the_name_of_a_deleted_one_is_another_run(client, folder):
    client.post("/api/runs/kuhn-1/note", json={"note": "blue"})
    steps = client.get("/api/runs/kuhn-1/steps").json()
    with Store.open(folder / "runs.db", write=True) as store:  # as `fogspiel runs delete` does
        store.delete(["kuhn-1"])
        request = MatchRequest("kuhn", "uniform", "uniform", 2, 400)
        execute(store.create(request.to_json()))
    assert client.get("/api/runs/kuhn-1").json()["note"] == "" and shown(client, q="blue") == []
    assert client.get("/api/runs/kuhn-1/steps").json()["done"] == 400 != steps["done"]


@pytest.mark.thorough
def test_a_third_run_waits_until_there_is_room(client):
    order = {"kind": "tune", "game": "batawaf", "method": "iterative", "games": 10**9}
    names = [client.post("/api/runs", json=order | {"seed": seed}).json()["run"] for seed in (11, 12)]
    waiting = client.post("/api/runs", json=order | {"seed": 13, "games": 1000, "report_games": 100}).json()
    assert waiting["state"] == "queued" and client.get(f"/api/runs/{waiting['run']}/steps").json()["state"] == "queued"
    assert client.post(f"/api/runs/{waiting['run']}/delete").status_code == 409
    other = client.post("/api/runs", json=order | {"seed": 14}).json()["run"]
    assert client.post(f"/api/runs/{other}/stop").json()["state"] == "interrupted"
    client.post(f"/api/runs/{names[0]}/stop")
    give_up = time.monotonic() + 90
    while client.get(f"/api/runs/{waiting['run']}").json()["state"] != "finished":
        assert time.monotonic() < give_up
        time.sleep(0.2)
    client.post(f"/api/runs/{names[1]}/stop")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", page_requests())
def test_every_form_is_drawn(client, kind):
    page = client.get("/runs/new", params={"kind": kind})
    assert page.status_code == 200 and f'data-kind="{kind}"' in page.text


@pytest.mark.parametrize(
    ("path", "order"),
    [
        ("runs", {"kind": "solve", "game": "/etc/passwd"}),
        ("runs", {"kind": "solve", "game": "rules.py:GAME"}),
        ("runs", {"kind": "solve", "game": "game.efg"}),
        ("runs", {"kind": "solve", "game": "kuhn", "source": "rules.py"}),
        ("runs", {"kind": "solve", "game": "kuhn", "solver": "nosuch"}),
        ("runs", {"kind": "bounds", "game": "rules.py:GAME"}),
        ("runs", {"kind": "paper", "name": "../table2"}),
        ("questions", {"kind": "exploit", "game": "kuhn", "policy": "policy.py:act"}),
        ("questions", {"kind": "exploit", "game": "kuhn", "policy": "/tmp/table.json"}),
        ("questions", {"kind": "exploit", "game": "kuhn", "policy": "uniform", "second": "program:sh"}),
        ("questions", {"kind": "exploit", "game": "kuhn", "policy": "--store"}),
        ("questions", {"kind": "exploit", "game": "kuhn"}),
        ("questions", {"kind": "diagnose", "runs": ["kuhn-1"]}),
        ("questions", {"kind": "diagnose", "runs": ["--output=/tmp/x"]}),
    ],
)
def test_forms_name_neither_files_nor_programs(client, path, order):
    answer = client.post(f"/api/{path}", json=order)
    assert answer.status_code == 422 and answer.json()["error"], answer.text
    assert answer.json()["fields"]


def test_a_question_is_answered_and_does_not_stand_among_the_runs(client):
    order = {"kind": "exploit", "game": "kuhn", "policy": "uniform"}
    before = [run["name"] for run in client.get("/api/runs").json()["runs"]]
    question = client.post("/api/questions", json=order).json()
    give_up = time.monotonic() + 120
    while question["state"] in ("waiting", "working"):
        assert time.monotonic() < give_up
        time.sleep(0.2)
        question = client.get(f"/api/questions/{question['question']}").json()
    assert question["state"] == "answered" and question["facts"]["exploitability"] > 0, question
    assert [run["name"] for run in client.get("/api/runs").json()["runs"]] == before


def test_static_files_are_compressed_and_kept_by_their_digest(client):
    page = client.get("/runs").text
    address = next(piece.split('"')[0] for piece in page.split('src="')[1:] if "/runs.js" in piece)
    answer = client.get(address)
    assert "immutable" in answer.headers["cache-control"] and answer.headers["content-encoding"] == "gzip"
    assert client.get("/static/runs.js").headers["cache-control"] == "private, no-cache"
    assert client.get("/static/runs.js").text == answer.text
    plain = client.get(address, headers={"accept-encoding": "identity"})
    assert plain.text == answer.text and "content-encoding" not in plain.headers
    same = client.get("/static/runs.js", headers={"if-none-match": answer.headers["etag"]})
    assert same.status_code == 304 and same.content == b""
    assert client.get("/static/000000000000/runs.js").status_code == 404
    assert client.get("/static/").status_code == 404 and client.get("/static/widgetbundle.js").status_code == 404


@pytest.mark.parametrize("path", ["/", "/runs", "/play", "/api/games"])
def test_the_length_of_a_page_is_not_changed_by_compression(client, path):
    answer = client.get(path, headers={"accept-encoding": "gzip"})
    assert answer.status_code == 200 and "content-encoding" not in answer.headers
