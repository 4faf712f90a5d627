"""The pages to play at, and what the API gives them: pictures, opponents, what was told, the whole game."""

import random
import re
from itertools import pairwise

import pytest
from support.levels import one_of_each_family
from support.web_client import act, begin, open_client, play, wait_for_turn

from fogspiel.core.game import list_games
from fogspiel.solving.known_values import shipped_solution
from fogspiel.web.app import FIRST_LINKS, PACKAGE
from fogspiel.web.opponents import LEVELS


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path) as client:
        yield client


def test_the_first_page_links_to_every_game_and_the_catalogue_draws_each(client):
    answer = client.get("/")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    assert set(re.findall(r'/games/([^"]+)"', answer.text)) == set(list_games())
    drawn = re.findall(r'data-sample="([^"]+)"', client.get("/games").text)
    assert sorted(drawn) == sorted(list_games())


def test_every_page_links_to_the_others_and_to_nothing_foreign(client):
    for path in ("/", "/play", "/play?game=pig&against=hold20&side=1", "/nowhere"):
        page = client.get(path).text
        assert all(f'href="{place}"' in page for place in FIRST_LINKS) and "Nothing leaves this machine" in page
        assert not re.search(r'(href|src|action)="(https?:)?//', page)
        assert not re.search(r"<script(?![^>]*src=)|\sstyle=|\son\w+=", page), "the policy would refuse it"


def test_every_file_that_a_page_or_a_script_names_is_there(client):
    named = {
        f"/static/{found}"
        for file in PACKAGE.rglob("static/*.js")
        for found in re.findall(r'"\./([\w.]+)"', file.read_text())
    }
    for path in ("/", "/play"):
        named |= set(re.findall(r'"(/static/[^"]+)"', client.get(path).text))
    assert len(named) > 5
    for path in named:
        assert client.get(path).status_code == 200, path


def test_what_is_not_there_is_said_to_people_as_a_page_and_to_programs_as_json(client):
    page = client.get("/nowhere")
    assert page.status_code == 404 and "There is no such page" in page.text
    assert client.get("/api/nowhere").json() == {"error": "there is nothing at this address"}
    assert client.get(f"/play/{'A' * 24}").status_code == 404
    assert "no game" in client.get("/play?game=chess").text
    assert client.get("/static/../app.py").status_code == 404 and client.get("/static/%2e%2e/app.py").status_code == 404
    wrong = client.post("/api/play", json={"game": "kuhn", "side": 7})
    assert wrong.status_code == 422 and wrong.json()["error"] == "side must be 1 or less"


@pytest.mark.thorough
def test_every_game_has_a_picture_that_is_always_the_same(client):
    for name in list_games():
        first = client.get(f"/api/games/{name}/picture")
        assert first.status_code == 200 and first.json()["picture"], name
        assert {part["kind"] for part in first.json()["picture"]} <= {
            "board",
            "race",
            "stakes",
            "cards",
            "facts",
            "words",
            "text",
            "chess",
        }
    assert client.get("/api/games/nim/picture").content == client.get("/api/games/nim/picture").content


def test_opponents_are_named_and_can_be_play(client):
    known = client.get("/api/games/kriegspiel/opponents").json()["opponents"]
    assert {"words", "title", "kind", "about", "level"} == set(known[0]) and known[0]["words"] == "fog"
    for opponent in client.get("/api/games/pig/opponents").json()["opponents"]:
        assert begin(client, game="pig", against=opponent["words"])["against"] == opponent["words"]
    assert begin(client, game="pig", against="17.5")["choices"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", one_of_each_family(sorted(list_games())))
def test_every_game_has_a_page_with_rules_and_its_strongest_opponent_first(client, name):
    page = client.get(f"/games/{name}")
    assert page.status_code == 200 and page.text.count("<li>") >= 4
    levels = [opponent["level"] for opponent in client.get(f"/api/games/{name}/opponents").json()["opponents"]]
    assert levels == sorted(levels, key=LEVELS.index)
    if shipped_solution(name):
        assert levels[0] == LEVELS[0]


def test_the_running_score_of_a_series_has_an_interval(client):
    found = client.get("/api/games/kuhn/standing?marks=0,4,3,3").json()
    assert found["games"] == 4 and found["mean"] == pytest.approx((-2 + 2 + 1 + 1) / 4)
    low, high = found["interval"]
    assert -2 <= low < found["mean"] < high <= 2
    for wrong in ("5", "x", "", "1,,2", "-1"):
        assert client.get(f"/api/games/kuhn/standing?marks={wrong}").status_code == 422


def test_runs_and_solutions_are_opponents(tmp_path, fogspiel):
    store = tmp_path / "runs.db"
    assert fogspiel("tune", "pig", "--games", 200, "--report-games", 200, "--store", store).returncode == 0
    assert fogspiel("solve", "kuhn", "--store", store).returncode == 0
    with open_client(tmp_path) as client:
        for game, run, kind in (("pig", "pig-1", "run"), ("kuhn", "kuhn-1", "solution")):
            known = client.get(f"/api/games/{game}/opponents").json()["opponents"]
            assert (run, kind) in {(opponent["words"], opponent["kind"]) for opponent in known}
            assert play(client, game=game, against=run)["over"]
        wrong = client.post("/api/play", json={"game": "kuhn", "against": "pig-1"})
        assert wrong.status_code == 422 and wrong.json() == {"error": "run pig-1 tuned pig, not kuhn"}


def test_a_store_that_cannot_be_read_hides_no_other_opponent(tmp_path):
    (tmp_path / "runs.db").write_text("this is no store of runs, but a text that somebody left here")
    with open_client(tmp_path) as client:
        assert len(client.get("/api/games/pig/opponents").json()["opponents"]) >= 3


def test_files_and_endless_engines_are_no_opponents(client, tmp_path):
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
        answer = client.post("/api/play", json={"game": game, "against": words})
        assert answer.status_code == 422 and "parameter file" not in answer.json()["error"], words


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["phantom-ttt", "battleship", "kuhn", "kriegspiel", "resistance5", "war"])
def test_a_scene_shows_a_picture_and_tells_the_own_actions(client, game):
    draws, labels = random.Random(3), []
    session = begin(client, game=game, against="uniform", side=0)
    for _ in range(12):
        if session["over"]:
            break
        assert session["picture"]
        choice = draws.choice(session["choices"])
        labels.append(choice["label"])
        session = act(client, session, choice["action"])
    own = [line["words"] for line in session["told"] if line["who"] == "you"]
    assert len(own) == len(labels) and all(map(str.startswith, own, labels))


def test_a_refused_attempt_is_told(client):
    """Random attempts run into somebody sooner or later."""
    draws = random.Random(4)
    session = begin(client, game="kriegspiel", against="random", side=0)
    while not session["over"] and not any(line["words"].endswith(": refused") for line in session["told"]):
        session = act(client, session, draws.choice(session["choices"])["action"])
    line = next(line["words"] for line in session["told"] if line["words"].endswith(": refused"))
    assert line.removesuffix(": refused") in next(p for p in session["picture"] if p["kind"] == "chess")["refused"]


def test_what_was_told_survives_the_server(tmp_path):
    draws, sessions = random.Random(5), []
    for visit in range(2):
        with open_client(tmp_path) as client:
            if visit == 0:
                session = begin(client, game="kriegspiel", against="greedy", side=1)
                for _ in range(10):
                    session = act(client, session, draws.choice(session["choices"])["action"])
            else:
                session = wait_for_turn(client, client.get(f"/api/play/{sessions[0]['key']}").json())
            sessions.append(session)
    assert sessions[0] == sessions[1] and len(sessions[0]["told"]) > 10


def test_the_whole_game_is_shown_when_it_is_over_and_not_before(client):
    session = begin(client, game="phantom-ttt", against="uniform", side=1)
    for path in (
        f"/play/{session['key']}/replay",
        f"/api/play/{session['key']}/replay/0",
        f"/api/play/{session['key']}/pgn",
    ):
        assert client.get(path).status_code == 409
    assert client.get(f"/play/{session['key']}").status_code == 200
    over = play(client, game="phantom-ttt", against="uniform", side=1)
    assert over["result"] in ("You won.", "You lost.", "A draw.")
    page = client.get(f"/play/{over['key']}/replay").text
    assert "You, the second player" in page and "uniform, the first player" in page
    whole = client.get(f"/api/play/{over['key']}/replay").json()
    last = len(whole["moments"]) - 1
    drawn = client.get(f"/api/play/{over['key']}/replay/{last}").json()
    assert drawn["views"][1] == over["picture"] and drawn["truth"]
    assert client.get(f"/api/play/{over['key']}/replay/{last + 1}").status_code == 422


def test_refused_attempts_of_both_sides_are_marked_in_the_whole_game(client):
    over = play(client, game="phantom-ttt", against="uniform", side=0)
    for moment in (moments := client.get(f"/api/play/{over['key']}/replay").json()["moments"]):
        assert moment["mover"] in (0, 1, "over")
    for moment, after in pairwise(moments):
        assert moment["refused"] == (moment["mover"] == after["mover"])


@pytest.mark.thorough
def test_a_game_of_kriegspiel_can_be_taken_away_as_pgn(client):
    over = play(client, game="kriegspiel", against="random", side=1)
    answer = client.get(f"/api/play/{over['key']}/pgn")
    assert answer.status_code == 200 and '[White "random"]' in answer.text and '[Game "Kriegspiel"]' in answer.text
    other = play(client, game="rps", against="uniform")
    assert client.get(f"/api/play/{other['key']}/pgn").status_code == 404


def test_payoffs_other_than_wins_are_told_in_numbers(client):
    over = play(client, game="kuhn", against="uniform", side=0)
    assert re.fullmatch(r"You (won|lost): you got [+-][12], where -2 is the least and \+2 the most\.", over["result"])
