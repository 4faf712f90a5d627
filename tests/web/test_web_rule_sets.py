"""The rule sets of Kriegspiel on the page: games, runs, and what is said of a wrong name."""

import random

import pytest
from support.levels import default_cases
from support.web_client import act, begin, open_client

from fogspiel.kriegspiel.game import RULE_SETS
from fogspiel.kriegspiel.pgn import read_pgn

pytestmark = pytest.mark.thorough


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path) as client:
        yield client


@pytest.mark.parametrize("rules", default_cases(["cincinnati"], RULE_SETS))
def test_a_game_by_every_rule_set_is_played_replayed_and_written(client, rules):
    draws = random.Random(4)
    session = begin(client, game="kriegspiel", against="greedy", side=1, rules=rules)
    while not session["over"]:
        session = act(client, session, draws.choice(session["choices"])["action"])
    key, house = session["key"], RULE_SETS[rules]
    assert rules == "icc" or house.title in session["title"]
    whole = client.get(f"/api/play/{key}/replay").json()
    assert whole["moments"][-1]["views"][1] == session["seen"]
    text = client.get(f"/api/play/{key}/pgn").text
    assert f'[Rules "{house.title}"]' in text and not read_pgn(text)[0].dropped
    assert client.get(f"/play/{key}").status_code == client.get(f"/play/{key}/replay").status_code == 200


def test_a_game_is_taken_up_again_by_its_rules(tmp_path):
    with open_client(tmp_path) as client:
        session = begin(client, game="kriegspiel", against="minimax@20n", side=0, rules="english")
        question = next(choice for choice in session["choices"] if choice["label"] == "any")
        session = act(client, session, question["action"])
        assert session["told"][-1] == {"who": "you", "words": "any: no"} and session["picture"][0]["answer"] == "no"
        assert "No pawn of yours can take." in [words.capitalize() for words in session["picture"][0]["words"]]
        session = act(client, session, session["choices"][0]["action"])
    with open_client(tmp_path) as client:
        again = client.get(f"/api/play/{session['key']}").json()
    assert again == session and again["title"] == "Kriegspiel (English rules)"
    assert ("the other's pawns and pieces", 15) in [tuple(count) for count in again["picture"][0]["counts"]]


def test_a_wrong_name_is_one_sentence(client):
    wrong = client.post("/api/play", json={"game": "kriegspiel", "against": "random", "rules": "berkly"})
    assert wrong.status_code == 422 and "did you mean berkeley" in wrong.json()["error"]
    wrong = client.post("/api/play", json={"game": "kuhn", "against": "uniform", "rules": "rand"})
    assert wrong.status_code == 422 and "kuhn has one set of rules" in wrong.json()["error"]
    asked = {"kind": "kriegspiel", "players": ["nobody", "random"], "rules": "berkly"}
    wrong = client.post("/api/runs", json=asked)
    assert wrong.status_code == 422 and set(wrong.json()["fields"]) == {"rules", "players"}


def test_the_forms_offer_all_rules(client):
    for page in ("/play?rules=rand", "/runs/new?kind=kriegspiel&rules=rand"):
        text = client.get(page).text
        assert all(f'value="{name}"' in text for name in RULE_SETS)
        assert "selected>RAND<" in text
