"""A draw is offered with a move; an engine accepts it where it believes to be worse, and says no more."""

import pytest
from support.web_client import act, begin, open_client, wait_for_turn

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import QUEEN
from fogspiel.games.chess.fen import parse_move
from fogspiel.games.chess.position import MEN
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.engines.fog import Fog
from fogspiel.kriegspiel.engines.sampling import Random
from fogspiel.kriegspiel.parameters import FogParameters
from fogspiel.kriegspiel.referee import Referee, accepts_draw, material_advantage


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path) as client:
        yield client


def offer(client, session, action):
    """The session after a move with the offer of a draw."""
    asked = {"action": action, "moment": session["moment"], "draw": True}
    answer = client.post(f"/api/play/{session['key']}", json=asked)
    assert answer.status_code == 200, answer.text
    return wait_for_turn(client, answer.json())


def test_an_engine_without_an_estimate_declines_and_the_game_goes_on(client):
    session = begin(client, game="kriegspiel", against="random", side=0)
    assert session["draw"] is None
    after = offer(client, session, session["choices"][0]["action"])
    assert after["draw"] == "declined" and not after["over"] and after["choices"]
    assert act(client, after, after["choices"][0]["action"])["draw"] in (None, "declined")


def test_an_agreed_draw_ends_the_game_and_stays_when_it_is_opened_again(tmp_path, monkeypatch):
    monkeypatch.setattr("fogspiel.kriegspiel.referee.material_advantage", lambda player: -30.0)
    with open_client(tmp_path) as client:
        session = begin(client, game="kriegspiel", against="random", side=0)
        after = offer(client, session, session["choices"][0]["action"])
        assert after["over"] and after["draw"] == "accepted" and after["score"] == 0.5
        assert after["result"] == "A draw by agreement." and after["truth"] and not after["choices"]
    with open_client(tmp_path) as client:
        key = session["key"]
        again = client.get(f"/api/play/{key}").json()
        assert again["over"] and again["result"] == "A draw by agreement."
        replay = client.get(f"/api/play/{key}/replay").json()
        assert replay["agreed"] and not replay["resigned"] and replay["moments"][-1]["action"] is None
        assert '[Result "1/2-1/2"]' in client.get(f"/api/play/{key}/pgn").text
        (game,) = client.post("/api/play/history", json={"keys": [key]}).json()["games"]
        assert game["over"] and game["result"] == "A draw."


def test_a_draw_is_offered_in_kriegspiel_only(client):
    session = begin(client, game="nim", against="uniform", side=0)
    asked = {"action": session["choices"][0]["action"], "moment": session["moment"], "draw": True}
    assert client.post(f"/api/play/{session['key']}", json=asked).status_code == 422


@pytest.mark.parametrize(("missing", "accepts"), [(None, False), (0, False), (1, True)])
def test_fog_accepts_where_it_believes_to_be_worse(missing, accepts):
    referee = Referee()
    referee.apply(parse_move("e2e4"))
    engine = Fog(SearchLimit(nodes=100), stream_of(3), parameters=FogParameters(boards=300, variants=40))
    engine.begin(1)
    engine.choose(referee.view(1), referee.actions)
    if missing is not None:
        engine.belief.boards[:, QUEEN] &= ~engine.belief.boards[:, MEN + missing]  # it believes a queen to be lost
    advantage = material_advantage(engine)
    assert advantage == 0 if missing is None else abs(advantage) > 300
    assert accepts_draw(engine) is accepts


def test_an_engine_that_weighs_nothing_has_no_estimate():
    engine = Random(SearchLimit(nodes=1), stream_of(1))
    assert material_advantage(engine) is None and not accepts_draw(engine)
