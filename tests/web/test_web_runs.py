"""Runs over the API and as pages: looked at without touching the store, started, stopped and resumed."""

import hashlib
import json
import time

import pytest
from support.web_client import open_client, wait_for_work

from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.match import EngineMatch, EngineSpec
from fogspiel.papers.kinds import experiments
from fogspiel.runs.kind import execute
from fogspiel.runs.requests import TuneRequest
from fogspiel.runs.store import Store
from fogspiel.web.app import Site
from fogspiel.web.pages import runs as runs_page
from fogspiel.web.pages.runs import MAX_SKETCHED, Feed

GAMES = 60_000


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path) as client:
        yield client


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a store that has two tuned runs."""
    folder = tmp_path_factory.mktemp("runs")
    with Store.open(folder / "runs.db", write=True) as store:
        for seed in (1, 2):
            execute(store.create(tuning(seed).to_json()))
    return folder


@pytest.fixture
def reader(folder):
    with open_client(folder) as client:
        yield client


def tuning(seed=1, games=GAMES):
    return TuneRequest("batawaf", "iterative", baseline="fixed", seed=seed, games=games, report_games=200)


def print_of(folder):
    """What the files of a store are, apart from the games of people."""
    files = [path for path in sorted(folder.iterdir()) if not path.name.startswith("games.db")]
    return {path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}


def wait_until(client, name, wanted, seconds=60):
    """The progress of a run when it is as wanted."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        progress = client.get(f"/api/runs/{name}/steps").json()
        if wanted(progress):
            return progress
        time.sleep(0.1)
    raise AssertionError(f"{name} has waited in vain: {progress}")


def test_a_store_that_is_not_there_has_no_runs_and_is_not_made(client, tmp_path):
    assert client.get("/api/runs").json() == {"runs": []}
    assert "No runs of your own yet" in client.get("/runs").text
    assert client.get("/api/results").json() == {"results": []} and client.get("/strategies").status_code == 200
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("runs.db")]


@pytest.mark.thorough
def test_the_list_shows_the_newest_first_with_score_interval_games_and_age(reader):
    newest, oldest = reader.get("/api/runs").json()["runs"]
    assert (newest["name"], oldest["name"]) == ("batawaf-2", "batawaf-1")
    assert newest["state"] == "finished" and newest["kind"] == "tuning" and newest["games"] <= GAMES
    assert (
        newest["interval"][0] < newest["score"] < newest["interval"][1] and newest["worth"] in reader.get("/runs").text
    )
    assert newest["resume"] is None and newest["age"].endswith(("s", "min"))


def test_a_run_says_what_was_asked_what_was_found_and_can_be_played_against(reader):
    run = reader.get("/api/runs/batawaf-1").json()
    assert run["ask"]["games"] == GAMES and run["result"]["games"] <= GAMES and run["playable"]
    assert any("held-out games" in sentence for sentence in run["found"])
    page = reader.get("/runs/batawaf-1").text
    assert "/play?game=batawaf&amp;against=batawaf-1" in page and "Batawaf, 6 values x 6" in page


def test_steps_come_piece_by_piece_with_their_intervals(reader):
    whole = reader.get("/api/runs/batawaf-1/steps").json()
    assert whole["next"] == whole["steps"] == len(whole["points"]) > 2
    rest = reader.get("/api/runs/batawaf-1/steps", params={"after": 2}).json()
    assert rest["points"] == whole["points"][2:]
    assert sum("value" in point for point in whole["points"]) >= len(whole["points"]) - 1  # the start needs no race
    for point in whole["points"]:
        assert "value" not in point or point["low"] <= point["value"] <= point["high"]
    assert reader.get("/api/runs/batawaf-1/steps", params={"after": 10**6}).json()["points"] == []
    assert reader.get("/api/runs/batawaf-1/steps", params={"after": -1}).status_code == 422


def test_a_sketch_has_the_accepted_points_of_the_curve_in_their_order(reader):
    whole = reader.get("/api/runs/batawaf-1/steps").json()
    drawn = reader.get("/api/runs/batawaf-1/sketch").json()
    kept = [point for point in whole["points"] if "value" in point and point["accepted"]]
    assert len(whole["points"]) <= MAX_SKETCHED and drawn["points"] == kept
    assert (drawn["done"], drawn["total"], drawn["chart"]) == (whole["done"], whole["total"], whole["chart"])
    assert reader.get("/api/runs/nothing-1/sketch").status_code == 404


def test_the_list_counts_the_states_of_the_runs_that_pass_the_other_filters(reader):
    assert "Finished 2</a>" in reader.get("/runs?state=running").text
    assert "All 1</a>" in reader.get("/runs?q=batawaf-1").text


def test_a_table_can_be_downloaded_as_lines_and_as_json(reader):
    lines = reader.get("/api/runs/batawaf-1/table.csv")
    steps = reader.get("/api/runs/batawaf-1").json()["steps"]
    assert lines.text.startswith("step,games,value,low,high,accepted,sigma,population,")
    assert len(lines.text.splitlines()) == steps + 1 and "attachment" in lines.headers["content-disposition"]
    whole = reader.get("/api/runs/batawaf-1/table.json").json()
    assert len(whole["steps"]) == steps and whole["theta"] == whole["result"]["theta"]


def test_answers_on_the_way_are_measured_against_the_baseline(reader):
    way = wait_for_work(reader, "/api/runs/batawaf-1/way").json()
    assert way["points"][0]["at"] == 0 and way["points"][0]["low"] <= 0.5 <= way["points"][0]["high"]
    result = reader.get("/api/runs/batawaf-1").json()["result"]
    assert way["points"][-1]["value"] == result["score"]


@pytest.mark.thorough
def test_looking_at_everything_leaves_every_file_of_the_store_as_it_was(folder):
    before = print_of(folder)
    with open_client(folder) as client:
        for path in ("/runs", "/runs/batawaf-1", "/runs/compare?run=batawaf-1&run=batawaf-2", "/runs/new", "/results"):
            assert client.get(path).status_code == 200
        for path in ("", "/batawaf-1", "/batawaf-1/steps", "/batawaf-1/way", "/batawaf-1/table.csv"):
            assert wait_for_work(client, f"/api/runs{path}").status_code == 200
        assert wait_for_work(client, "/strategies/batawaf?player=batawaf-1").status_code == 200
    assert print_of(folder) == before


def test_a_run_can_be_watched_while_it_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr("fogspiel.web.run_reader.FRESH_SECONDS", 0.0)
    with open_client(tmp_path) as client, Store.open(tmp_path / "runs.db", write=True) as store:
        run = store.create(tuning().to_json())
        body = {"accepted": False, "games": 10, "population": 1, "sigma": 1.0}
        body |= {"events": [{"counts": [1, 0, 3, 0, 1], "decision": -1, "games": 10}]}
        for number in range(3):
            assert client.get(f"/api/runs/{run.name}/steps").json()["steps"] == number
            run.append("step", body)
        run.save_partial({"event": 3, "counts": [0, 0, 2, 0, 0], "games": 4})
        progress = client.get(f"/api/runs/{run.name}/steps").json()
        assert progress["state"] == "running" and progress["now"]["at"] == 14 and progress["now"]["value"] == 0.5


@pytest.mark.thorough
def test_runs_are_compared_side_by_side(reader):
    page = reader.get("/runs/compare?run=batawaf-1&run=batawaf-2").text
    assert page.count("finished") == 2 and 'data-runs="batawaf-1 batawaf-2"' in page
    assert "two runs or more" in reader.get("/runs/compare?run=batawaf-1").text
    assert reader.get("/runs/compare?run=batawaf-1&run=nobody-7").status_code == 404


@pytest.mark.parametrize("name", ["%2e%2e%2fruns.db", "-x", "a b", "a/b", "a" * 200, "%00", "*"])
def test_a_name_that_cannot_be_a_run_is_refused(client, name):
    for path in (f"/api/runs/{name}/steps", f"/runs/{name}", f"/api/results/{name}"):
        assert client.get(path).status_code in (404, 422)


def test_a_run_that_is_not_there_is_said_to_be_missing(client):
    for path in ("", "/steps", "/table.csv", "/table.json", "/way"):
        answer = client.get(f"/api/runs/pig-1{path}")
        assert answer.status_code == 404 and answer.json()["error"] == "there is no run named pig-1"
    for verb in ("stop", "resume"):
        assert client.post(f"/api/runs/pig-1/{verb}").status_code == 404


def test_a_damaged_row_is_reported_in_a_sentence(folder, tmp_path):
    content = (folder / "runs.db").read_bytes()
    place = content.index(b'"decision":-1', content.index(b'"decision":-1') + 1)
    (tmp_path / "runs.db").write_bytes(content[:place] + b'"decision":-2' + content[place + 13 :])
    with open_client(tmp_path) as client:
        answers = [client.get(f"/api/runs/batawaf-{number}/steps") for number in (1, 2)]
    damaged = [answer for answer in answers if answer.status_code == 409]
    assert len(damaged) == 1 and "not what was written" in damaged[0].json()["error"]


def test_everything_that_is_wrong_with_a_request_is_said_at_once(client):
    asked = {"kind": "tune", "game": "pig", "method": "magic", "race": "snail", "baseline": "nobody", "seed": -1}
    answer = client.post("/api/runs", json=asked)
    assert answer.status_code == 422 and set(answer.json()["fields"]) == {"method", "race", "baseline", "seed"}
    asked = {"kind": "match", "game": "pig", "first": "hold20", "second": "/etc/passwd", "seats": "none"}
    answer = client.post("/api/runs", json=asked)
    assert set(answer.json()["fields"]) == {"second", "seats"} and "not a player" in answer.json()["fields"]["second"]
    asked = {"kind": "tournament", "game": "pig", "players": ["hold20", "nobody", "x.json"]}
    assert client.post("/api/runs", json=asked).json()["fields"]["players"].count("is not a player of pig") == 2
    assert set(client.post("/api/runs", json={"kind": "tune", "game": "chess"}).json()["fields"]) == {"game"}
    assert "engine" in client.post("/api/runs", json={"kind": "kriegspiel", "players": ["Q", "C"]}).json()["error"]
    for body in ({}, {"kind": "solve"}, {"kind": "tune", "colour": "red"}, [], "tune"):
        assert client.post("/api/runs", json=body).status_code == 422
    assert client.get("/api/runs").json() == {"runs": []}


@pytest.mark.thorough
def test_a_run_is_started_stopped_and_resumed_and_outlives_the_server(tmp_path):
    asked = {"kind": "tune", "game": "batawaf", "method": "iterative", "games": 10**9}
    with open_client(tmp_path) as client:
        answer = client.post("/api/runs", json=asked)
        assert answer.status_code == 201 and answer.json()["state"] in ("starting", "running")
        name = answer.json()["run"]
        wait_until(client, name, lambda progress: progress["state"] == "running" and progress["steps"] > 3)
        assert client.post(f"/api/runs/{name}/resume").status_code == 409
        stopped = client.post(f"/api/runs/{name}/stop").json()["state"]
        assert stopped in ("interrupted", "stopping")
        done = wait_until(client, name, lambda progress: progress["state"] == "interrupted")["steps"]
        assert client.post(f"/api/runs/{name}/stop").status_code == 409
        assert f"fogspiel resume {name}" in client.get(f"/api/runs/{name}").json()["resume"]
        assert client.post(f"/api/runs/{name}/resume").status_code == 200
        wait_until(client, name, lambda progress: progress["state"] == "running" and progress["steps"] > done)
    with open_client(tmp_path) as client:
        assert client.get(f"/api/runs/{name}/steps").json()["state"] == "running"
        client.post(f"/api/runs/{name}/stop")
        progress = wait_until(client, name, lambda progress: progress["state"] == "interrupted")
        assert progress["trouble"] is None


def test_a_third_run_waits_while_two_are_at_work_elsewhere(tmp_path):
    asked = {"kind": "match", "game": "pig", "first": "hold20", "second": "hold25"}
    with open_client(tmp_path) as client, Store.open(tmp_path / "runs.db", write=True) as store:
        for seed in (1, 2):
            store.create(tuning(seed).to_json())
        answer = client.post("/api/runs", json=asked)
        assert answer.status_code == 201 and answer.json() == {"run": "pig-1", "state": "queued"}
        assert client.post("/api/runs/pig-1/stop").json()["state"] == "interrupted"


def test_a_match_is_kept_as_a_run_and_a_tournament_is_played_once(tmp_path):
    with open_client(tmp_path) as client:
        asked = {"kind": "match", "game": "pig", "first": "hold20", "second": "hold25", "games": 500}
        name = client.post("/api/runs", json=asked).json()["run"]
        progress = wait_until(client, name, lambda progress: progress["state"] == "finished")
        assert progress["done"] == 500 and progress["now"]["low"] < progress["now"]["value"] < progress["now"]["high"]
        asked = {"kind": "tournament", "game": "pig", "players": ["hold20", "hold25", "uniform"], "games": 100}
        name = client.post("/api/runs", json=asked).json()["run"]
        wait_until(client, name, lambda progress: progress["state"] == "finished")
        assert client.post("/api/runs", json=asked).json() == {"run": name, "state": "finished"}
        assert "hold20" in client.get(f"/results/{name}").text


@pytest.mark.thorough
def test_the_experiment_of_a_paper_is_done_again_once_and_its_report_is_read(tmp_path):
    with open_client(tmp_path) as client:
        page = client.get("/runs/new?kind=paper").text
        assert all(f'<option value="{name}"' in page for name in experiments())
        asked = {"kind": "paper", "name": "table3", "quick": "true", "seeds": "1", "scale": "0.0001", "seed": "1"}
        answer = client.post("/api/runs", json=asked)
        assert answer.status_code == 201 and answer.json()["state"] in ("starting", "running")
        name = answer.json()["run"]
        progress = wait_until(client, name, lambda progress: progress["state"] == "finished", seconds=300)
        assert progress["trouble"] is None and progress["unit"] == "jobs" and progress["done"] == progress["steps"] > 0
        run = client.get(f"/api/runs/{name}").json()
        assert f"All {progress['done']} jobs are done." in run["found"] and ["experiment", "table3"] in run["asked"]
        assert f'href="/results/{name}"' in client.get(f"/runs/{name}").text
        report = wait_for_work(client, f"/api/results/{name}").json()
        assert report["command"] == "fogspiel paper table3 --quick --seeds 1 --scale 0.0001"
        assert "Table III" in wait_for_work(client, f"/results/{name}").text
        assert client.post("/api/runs", json=asked).json() == {"run": name, "state": "finished"}


def test_what_is_wrong_with_a_wish_for_a_paper_is_said_beside_its_fields(client):
    asked = {"kind": "paper", "name": "table9", "seeds": "0", "scale": "-1"}
    wrong = client.post("/api/runs", json=asked).json()["fields"]
    assert set(wrong) == {"name", "seeds", "scale"} and "table2" in wrong["name"]
    assert client.get("/api/runs").json() == {"runs": []}


def events_in(text):
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]


def test_a_stream_of_events_has_what_is_new_and_ends_with_its_run(reader):
    name = reader.get("/api/runs").json()["runs"][0]["name"]
    answer = reader.get(f"/api/events?run={name}&after=3")
    assert answer.headers["content-type"].startswith("text/event-stream")
    (found,) = events_in(answer.text)
    steps = reader.get(f"/api/runs/{name}/steps?after=3").json()
    assert found["state"] == "finished" and found["points"] == steps["points"] and found["next"] == steps["steps"]
    assert reader.get("/api/events?run=nobody-1").status_code == 404


def test_the_stream_of_the_list_tells_a_change_once_and_streams_are_limited(folder, reader, monkeypatch):
    site = Site(folder / "runs.db", folder / "other.games.db", lambda game, words: 0.0)
    feed, lines = Feed(site, "", 0), site.reader.summaries()
    assert len(feed.read()["runs"]) == len(lines) and feed.read() is None
    site.notes.write((lines[0].name, lines[0].created), "watched")
    assert [line["name"] for line in feed.read()["runs"]] == [lines[0].name] and feed.read() is None
    site.notes.write((lines[0].name, lines[0].created), "")
    site.close()
    monkeypatch.setattr(runs_page, "MAX_STREAMS", 0)
    assert reader.get("/api/events").status_code == 429


def test_words_of_a_note_that_begin_with_a_cross_are_tags(folder, reader):
    name = reader.get("/api/runs").json()["runs"][0]["name"]
    reader.post(f"/api/runs/{name}/note", json={"note": "#blue tonight #2-cores"})
    page = reader.get("/runs").text
    assert 'class="tag-chip" href="/runs?q=%23blue">blue 1</a>' in page and ">2-cores</span>" in page
    assert "1 of" in reader.get("/runs?q=%23blue").text
    reader.post(f"/api/runs/{name}/note", json={"note": ""})


def test_the_games_of_a_match_of_engines_are_listed_seen_whole_and_written_as_pgn(tmp_path):
    with Store.open(tmp_path / "runs.db", write=True) as store:
        seats = tuple(EngineSpec(name, SearchLimit(nodes=1)) for name in ("random", "greedy"))
        run = store.create(EngineMatch(seats, 2, longest=8).to_json())
        execute(run)
        name = run.name
    with open_client(tmp_path) as client:
        games = client.get(f"/api/runs/{name}/games").json()["games"]
        assert len(games) == 2 and games[0]["names"] == games[1]["names"][::-1]
        whole = client.get(f"/api/runs/{name}/games/1/replay").json()
        assert whole["moments"][-1]["mover"] == "over"
        pictures = client.get(f"/api/runs/{name}/games/1/replay/2").json()
        assert pictures["truth"][0]["kind"] == "chess" and len(pictures["views"]) == 2
        assert client.get(f"/api/runs/{name}/games.pgn").text.count("[White ") == 2
        page = client.get(f"/runs/{name}").text
        assert (
            f'href="/runs/{name}/games/2"' in page and "games.pgn" in page and f'data-report="/results/{name}"' in page
        )
        assert client.get(f"/runs/{name}/games/2").status_code == 200
        assert client.get(f"/api/runs/{name}/games/3/replay").status_code == 404
        assert client.get(f"/api/runs/{name}/games/1/replay/9999").status_code == 404
