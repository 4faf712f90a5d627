"""The pages to play at, and what the API gives them: pictures, opponents, what was told, the whole game."""

import random
import re
import time
from itertools import pairwise

import pytest
from fastapi.testclient import TestClient

from fogspiel.core.game import games
from fogspiel.web.app import application, guard
from fogspiel.web.catalogue import by_kind
from fogspiel.web.pages import PLACES, STATIC

HOST = "127.0.0.1:8000"


def client_of(folder):
    app = application(folder / "runs.db", folder / "games.db")
    return TestClient(guard(app, frozenset({HOST})), base_url=f"http://{HOST}")


@pytest.fixture
def served(tmp_path):
    with client_of(tmp_path) as client:
        yield client


def settled(client, scene):
    while scene["thinking"]:
        time.sleep(0.02)
        scene = client.get(f"/api/play/{scene['key']}").json()
    return scene


def begun(client, **asked):
    answer = client.post("/api/play", json=asked)
    assert answer.status_code == 201, answer.text
    return settled(client, answer.json())


def acted(client, scene, action):
    answer = client.post(f"/api/play/{scene['key']}", json={"action": action, "moment": scene["moment"]})
    assert answer.status_code == 200, answer.text
    return settled(client, answer.json())


def played(client, seed=1, **asked):
    """A game played to its end at random."""
    draws, scene = random.Random(seed), begun(client, **asked)
    while not scene["over"]:
        scene = acted(client, scene, draws.choice(scene["choices"])["action"])
    return scene


def test_the_first_page_lists_every_game_once(served):
    answer = served.get("/")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    assert sorted(re.findall(r'data-sample="([^"]+)"', answer.text)) == sorted(games())
    assert sum(len(listed) for listed in by_kind().values()) == len(games())


def test_every_page_links_to_the_others_and_to_nothing_foreign(served):
    for path in ("/", "/play", "/play?game=pig&against=hold20&side=1", "/nowhere"):
        page = served.get(path).text
        assert all(f'href="{place}"' in page for place, _ in PLACES) and "Nothing leaves this machine" in page
        assert not re.search(r'(href|src|action)="(https?:)?//', page)
        assert not re.search(r"<script(?![^>]*src=)|\sstyle=|\son\w+=", page), "the policy would refuse it"


def test_every_file_that_a_page_or_a_script_names_is_there(served):
    named = {
        f"/static/{found}" for file in STATIC.glob("*.js") for found in re.findall(r'"\./([\w.]+)"', file.read_text())
    }
    for path in ("/", "/play"):
        named |= set(re.findall(r'"(/static/[^"]+)"', served.get(path).text))
    assert len(named) > 5
    for path in named:
        assert served.get(path).status_code == 200, path


def test_what_is_not_there_is_said_to_people_as_a_page_and_to_programs_as_json(served):
    page = served.get("/nowhere")
    assert page.status_code == 404 and "There is no such page" in page.text
    assert served.get("/api/nowhere").json() == {"error": "there is nothing at this address"}
    assert served.get(f"/play/{'A' * 24}").status_code == 404
    assert "no game" in served.get("/play?game=chess").text
    assert served.get("/static/../app.py").status_code == 404 and served.get("/static/%2e%2e/app.py").status_code == 404
    wrong = served.post("/api/play", json={"game": "kuhn", "side": 7})
    assert wrong.status_code == 422 and wrong.json()["error"].startswith("side: ")


def test_every_game_has_a_picture_that_is_always_the_same(served):
    for name in games():
        first = served.get(f"/api/games/{name}/picture")
        assert first.status_code == 200 and first.json()["picture"], name
        assert {part["kind"] for part in first.json()["picture"]} <= {
            "board",
            "cards",
            "facts",
            "words",
            "text",
            "chess",
        }
    assert served.get("/api/games/nim/picture").content == served.get("/api/games/nim/picture").content


def test_opponents_are_named_and_can_be_played(served):
    known = served.get("/api/games/kriegspiel/opponents").json()["opponents"]
    assert {"words", "kind", "about"} == set(known[0]) and known[0]["kind"] == "engine"
    for opponent in served.get("/api/games/pig/opponents").json()["opponents"]:
        assert begun(served, game="pig", against=opponent["words"])["against"] == opponent["words"]
    assert begun(served, game="pig", against="17.5")["choices"]


def test_runs_and_solutions_are_opponents(tmp_path, fogspiel):
    store = tmp_path / "runs.db"
    assert fogspiel("tune", "pig", "--games", 200, "--report-games", 200, "--store", store).returncode == 0
    assert fogspiel("solve", "kuhn", "--store", store).returncode == 0
    with client_of(tmp_path) as client:
        for game, run, kind in (("pig", "pig-1", "run"), ("kuhn", "kuhn-1", "solution")):
            known = client.get(f"/api/games/{game}/opponents").json()["opponents"]
            assert (run, kind) in {(opponent["words"], opponent["kind"]) for opponent in known}
            assert played(client, game=game, against=run)["over"]
        wrong = client.post("/api/play", json={"game": "kuhn", "against": "pig-1"})
        assert wrong.status_code == 422 and wrong.json() == {"error": "run pig-1 tuned pig, not kuhn"}


def test_a_store_that_cannot_be_read_hides_no_other_opponent(tmp_path):
    (tmp_path / "runs.db").write_text("this is no store of runs, but a text that somebody left here")
    with client_of(tmp_path) as client:
        assert len(client.get("/api/games/pig/opponents").json()["opponents"]) >= 3


def test_files_and_endless_engines_are_no_opponents(served, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("[20]")
    for game, words in (
        ("pig", str(secret)),
        ("pig", "/etc/passwd"),
        ("kriegspiel", "C@1000s"),
        ("kriegspiel", "C@999999999n"),
        ("kriegspiel", "los:uci=/bin/true"),
        ("kriegspiel", "C@fast"),
    ):
        answer = served.post("/api/play", json={"game": game, "against": words})
        assert answer.status_code == 422 and "parameter file" not in answer.json()["error"], words


@pytest.mark.parametrize("game", ["phantom-ttt", "battleship", "kuhn", "kriegspiel", "resistance5", "war"])
def test_a_scene_shows_a_picture_and_tells_the_own_actions(served, game):
    draws, labels = random.Random(3), []
    scene = begun(served, game=game, against="uniform", side=0)
    for _ in range(12):
        if scene["over"]:
            break
        assert scene["picture"]
        choice = draws.choice(scene["choices"])
        labels.append(choice["label"])
        scene = acted(served, scene, choice["action"])
    own = [line["words"] for line in scene["told"] if line["who"] == "you"]
    assert len(own) == len(labels) and all(map(str.startswith, own, labels))


def test_a_refused_attempt_is_told(served):
    """Random attempts run into somebody sooner or later."""
    draws = random.Random(4)
    scene = begun(served, game="kriegspiel", against="random", side=0)
    while not scene["over"] and not any(line["words"].endswith(": refused") for line in scene["told"]):
        scene = acted(served, scene, draws.choice(scene["choices"])["action"])
    line = next(line["words"] for line in scene["told"] if line["words"].endswith(": refused"))
    assert line.removesuffix(": refused") in next(p for p in scene["picture"] if p["kind"] == "chess")["refused"]


def test_what_was_told_survives_the_server(tmp_path):
    draws, scenes = random.Random(5), []
    for visit in range(2):
        with client_of(tmp_path) as client:
            if visit == 0:
                scene = begun(client, game="kriegspiel", against="greedy", side=1)
                for _ in range(10):
                    scene = acted(client, scene, draws.choice(scene["choices"])["action"])
            else:
                scene = settled(client, client.get(f"/api/play/{scenes[0]['key']}").json())
            scenes.append(scene)
    assert scenes[0] == scenes[1] and len(scenes[0]["told"]) > 10


def test_the_whole_game_is_shown_when_it_is_over_and_not_before(served):
    scene = begun(served, game="phantom-ttt", against="uniform", side=1)
    for path in (f"/play/{scene['key']}/replay", f"/api/play/{scene['key']}/replay/0", f"/api/play/{scene['key']}/pgn"):
        assert served.get(path).status_code == 409
    assert served.get(f"/play/{scene['key']}").status_code == 200
    over = played(served, game="phantom-ttt", against="uniform", side=1)
    assert over["result"] in ("You won.", "You lost.", "A draw.")
    page = served.get(f"/play/{over['key']}/replay").text
    assert "You, the second player" in page and "uniform, the first player" in page
    whole = served.get(f"/api/play/{over['key']}/replay").json()
    last = len(whole["moments"]) - 1
    drawn = served.get(f"/api/play/{over['key']}/replay/{last}").json()
    assert drawn["views"][1] == over["picture"] and drawn["truth"]
    assert served.get(f"/api/play/{over['key']}/replay/{last + 1}").status_code == 422


def test_refused_attempts_of_both_sides_are_marked_in_the_whole_game(served):
    over = played(served, game="phantom-ttt", against="uniform", side=0)
    for moment in (moments := served.get(f"/api/play/{over['key']}/replay").json()["moments"]):
        assert moment["mover"] in (0, 1, "over")
    for moment, after in pairwise(moments):
        assert moment["refused"] == (moment["mover"] == after["mover"])


def test_a_game_of_kriegspiel_can_be_taken_away_as_pgn(served):
    over = played(served, game="kriegspiel", against="random", side=1)
    answer = served.get(f"/api/play/{over['key']}/pgn")
    assert answer.status_code == 200 and '[White "random"]' in answer.text and '[Variant "Kriegspiel"]' in answer.text
    other = played(served, game="rps", against="uniform")
    assert served.get(f"/api/play/{other['key']}/pgn").status_code == 404


def test_payoffs_other_than_wins_are_told_in_numbers(served):
    over = played(served, game="kuhn", against="uniform", side=0)
    assert re.fullmatch(r"You (won|lost): you got [+-][12], where -2 is the least and \+2 the most\.", over["result"])
