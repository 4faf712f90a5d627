"""Playing over the API: what is client follows from what the person knows."""

import random

import pytest
from support.web_client import act, begin, open_client, wait_for_turn, wait_for_work


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path) as client:
        yield client


@pytest.mark.parametrize(
    "game", ["kuhn", "phantom-ttt", "morra", pytest.param("kriegspiel", marks=pytest.mark.thorough), "resistance5"]
)
@pytest.mark.parametrize("side", [0, 1])
def test_a_game_can_be_played_to_its_end_and_seen_whole_afterwards(client, game, side):
    draws = random.Random(1)
    session = begin(client, game=game, against="uniform", side=side)
    while not session["over"]:
        assert client.get(f"/api/play/{session['key']}/replay").status_code == 409
        session = act(client, session, draws.choice(session["choices"])["action"])
    assert session["choices"] == [] and session["score"] is not None
    whole = client.get(f"/api/play/{session['key']}/replay").json()
    assert whole["moments"][-1]["mover"] == "over" and whole["moments"][-1]["views"][side] == session["seen"]


def test_a_finished_game_tells_what_the_person_could_know_from_its_own_views(client):
    """At Kuhn poker two cards are possible behind the other's back; nobody is told while the game goes on."""
    session = begin(client, game="kuhn", against="uniform", side=0)
    place = f"/api/play/{session['key']}"
    assert client.get(f"{place}/belief/2").status_code == 409
    while not session["over"]:
        session = act(client, session, session["choices"][0]["action"])
    whole = client.get(f"{place}/replay").json()
    mine = next(number for number, moment in enumerate(whole["moments"]) if moment["mover"] == 0)
    found = wait_for_work(client, f"{place}/belief/{mine}").json()
    assert (found["count"], found["exact"], found["lost"]) == (2, True, False)
    assert [state["probability"] for state in found["states"]] == [0.5, 0.5]
    truth = client.get(f"{place}/replay/{mine}").json()["truth"]
    assert truth in [state["picture"] for state in found["states"]]
    for wrong in (0, mine + 1, 99):
        assert client.get(f"{place}/belief/{wrong}").status_code == 422
    assert "What you could know here" in client.get(f"/play/{session['key']}/replay").text


def test_the_player_by_playouts_answers_on_the_largest_board(client):
    session = begin(client, game="phantom-ponnuki-9x9", against="monte-carlo", side=0)
    assert len(session["choices"]) == 81
    session = act(client, session, 40)
    assert not session["over"] and len(session["choices"]) == 80


def test_a_click_that_comes_twice_counts_once(client):
    session = begin(client, game="pig", against="uniform", side=0)
    choice = {"action": session["choices"][0]["action"], "moment": session["moment"]}
    assert client.post(f"/api/play/{session['key']}", json=choice).status_code == 200
    assert client.post(f"/api/play/{session['key']}", json=choice).status_code == 409


def test_what_cannot_be_done_is_said_in_a_sentence(client):
    session = begin(client, game="kuhn", against="uniform", side=0)
    wrong = client.post(f"/api/play/{session['key']}", json={"action": 77, "moment": session["moment"]})
    assert wrong.status_code == 422 and "77 cannot be tried" in wrong.json()["error"]
    assert client.get(f"/api/play/{session['key']}").json() == session
    assert "no game" in client.post("/api/play", json={"game": "chess"}).json()["error"]
    assert "not a player" in client.post("/api/play", json={"game": "kuhn", "against": "nobody"}).json()["error"]
    assert client.post("/api/play", json={"game": "kuhn", "side": 2}).status_code == 422
    assert client.get(f"/api/play/{'A' * 24}").status_code == 404
    assert client.get("/api/play/short").status_code == 422


WRONG = {
    b"{": "the request is not JSON",
    b"[]": "the request must be a JSON object",
    b"": "the request is missing",
    b'{"action": "x"}': "action must be a whole number; moment is missing",
    b'{"action": 1, "moment": -1}': "moment must be 0 or more",
    b'{"action": 1e99, "moment": 1.5}': "action must be a whole number; moment must be a whole number",
    b'{"action": null, "moment": []}': "action must be a whole number; moment must be a whole number",
}


@pytest.mark.parametrize("body", WRONG)
def test_a_request_of_a_wrong_form_is_refused_in_plain_words(client, body):
    answer = client.post(f"/api/play/{'A' * 24}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422 and answer.json()["error"] == WRONG[body]


def test_addresses_of_a_wrong_form_are_refused_in_plain_words(client):
    assert client.get("/api/play/short").json()["error"] == "key does not have the right form"
    assert client.get("/api/runs/some-1/steps?after=x").json()["error"] == "after must be a whole number"
    begun = client.post("/api/play", json={"game": "x" * 100, "side": 7}).json()["error"]
    assert begun == "game may have at most 60 letters; side must be 1 or less"


@pytest.mark.parametrize("path", ["/redoc", "/docs"])
def test_there_are_no_pages_with_foreign_scripts(client, path):
    assert client.get(path).status_code == 404


def test_a_game_survives_the_server(tmp_path):
    sessions = []
    for visit in range(2):
        with open_client(tmp_path) as client:
            if visit == 0:
                session = begin(client, game="phantom-ttt", against="uniform", side=0)
                session = act(client, session, session["choices"][4]["action"])
                sessions.append(session)
            else:
                sessions.append(wait_for_turn(client, client.get(f"/api/play/{sessions[0]['key']}").json()))
    assert sessions[0] == sessions[1]


def test_the_count_of_moments_does_not_tell_how_often_the_other_side_was_refused(client):
    """Black's random tries are refused all the time; White's count goes up by two for every own action."""
    session = begin(client, game="kriegspiel", against="random", side=0)
    for _ in range(12):
        before = session["moment"]
        session = act(client, session, session["choices"][0]["action"])
        assert session["moment"] == before + 2


@pytest.mark.parametrize("side", [0, 1])
def test_who_resigns_loses_sees_the_truth_and_finds_it_so_later(tmp_path, side):
    with open_client(tmp_path) as client:
        session = begin(client, game="phantom-ttt", against="uniform", side=side)
        assert session["truth"] is None
        place, wrong = f"/api/play/{session['key']}", session["moment"] + 2
        assert client.post(f"{place}/resign", json={"moment": wrong}).status_code == 409
        ended = client.post(f"{place}/resign", json={"moment": session["moment"]}).json()
        assert ended["over"] and ended["score"] == 0 and ended["truth"] and not ended["choices"]
        for more in ({"action": 0, "moment": ended["moment"]}, {"moment": ended["moment"]}):
            answer = client.post(place if "action" in more else f"{place}/resign", json=more)
            assert answer.status_code == 422 and "over" in answer.json()["error"]
    with open_client(tmp_path) as client:
        assert client.get(place).json() == ended
        whole = client.get(f"{place}/replay").json()
        assert whole["resigned"] and whole["moments"][-1]["action"] is None


def test_public_moves_of_the_other_are_told_as_its_own(client):
    """In open games all moves are, chance included; in poker the bets."""
    session = act(client, begin(client, game="four-in-a-row-4x4", against="uniform", side=0), 0)
    assert session["told"] == session["transcript"]
    assert [line["who"] for line in session["told"]] == ["you", "other"] and len(session["latest"]) == 2
    session = begin(client, game="leduc", against="uniform", side=0)
    while not session["over"] and not any(line["who"] == "other" for line in session["told"]):
        session = act(client, session, session["choices"][0]["action"])
    assert [line for line in session["told"] if line["who"] == "other"]
    session = begin(client, game="pig", against="hold20", side=0)
    assert "shows" in session["told"][0]["words"]


def test_keys_cannot_be_guessed(client):
    keys = {begin(client, game="rps", against="uniform", side=0)["key"] for _ in range(20)}
    assert len(keys) == 20 and all(len(key) == 24 for key in keys)
