"""The explorer of solved games: grids, decisions with exact numbers, training spots, and games from any decision."""

from fractions import Fraction

import numpy as np
import pytest
from support.web_client import open_client

from fogspiel.core.game import known_game
from fogspiel.core.session import Session
from fogspiel.runs.agent_parser import find_agent
from fogspiel.web.pages.explore import Solution


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with open_client(tmp_path_factory.mktemp("explore")) as found:
        yield found


@pytest.fixture(scope="module")
def leduc():
    game = known_game("leduc")
    agent = find_agent(game, "solved")
    return [Solution(game, side, agent) for side in (0, 1)]


def read(client, path):
    answer = client.get(f"/api/explore/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_second_round_of_leduc_is_nine_hands_by_five_histories(client):
    outline = read(client, "leduc")
    assert outline["groups"][0] == "Round 1: check, bet" and "Round 2: check, bet" in outline["groups"]
    grid = read(client, f"leduc/grids/{outline['groups'].index('Round 2: check, bet')}")
    assert [[cell["text"] for cell in row["own"] + row["shared"]] for row in grid["rows"]][:3] == [
        *map(list, ("KK", "KQ", "KJ"))
    ]
    assert len(grid["rows"]) == 9 and len(grid["columns"]) == 5 and grid["hidden_columns"] == 0
    for cell in (cell for row in grid["cells"] for cell in row):
        assert sum(cell["shares"]) == pytest.approx(1)


@pytest.mark.parametrize("side", [0, 1])
def test_the_worth_of_all_first_decisions_is_the_value_of_the_game(leduc, side):
    solution = leduc[side]
    first = [place for place in solution.places if not solution.tree.path(place)]
    ways = [
        max(one.worth for one in solution.tree.worths(place)) * float(solution.tree.likely[place]) for place in first
    ]
    # The second player may be met at a decision only after the first has acted: nothing ends before.
    assert sum(ways) == pytest.approx(-0.0856064240780 * (1 if side == 0 else -1), abs=1e-9)


def test_a_decision_adds_up_and_its_probabilities_are_exact(leduc):
    solution = leduc[0]
    for place in solution.places[:60]:
        body = solution.state_json(place)
        if body["possible"]:
            assert sum(Fraction(one["exact"]) for one in body["choices"]) == 1
            assert min(one["cost"] for one in body["choices"]) == 0
            assert all(
                one["cost"] == 0 for one in body["choices"] if one["share"]
            )  # an optimal strategy wastes nothing
        for choice in body["choices"]:
            assert sum(one["share"] for one in choice["next"]) <= 1 + 1e-9
        assert sum(chance["share"] for chance in body["hidden"][0]["chances"]) == pytest.approx(1)


def test_spots_are_decisions_that_are_met(leduc):
    for solution in leduc:
        for _ in range(50):
            place = solution.spot()
            assert solution.tree.likely[place] > 0 and len(solution.tree.states[place].actions) > 1


def test_a_game_begins_at_the_decision_that_is_looked_at(client, leduc):
    place = next(place for place in leduc[1].places if len(leduc[1].tree.path(place)) == 1)
    begun = client.post("/api/explore/leduc/play", json={"place": place, "side": 1})
    assert begun.status_code == 201
    body = begun.json()
    state = leduc[1].tree.states[place]
    assert body["seen"] == state.text and [one["action"] for one in body["choices"]] == list(state.actions)
    after = client.post(f"/api/play/{body['key']}", json={"action": state.actions[0], "moment": body["moment"]})
    assert after.status_code == 200 and after.json()["moment"] > body["moment"]


def test_records_lead_to_the_view_of_their_decision(leduc):
    solution = leduc[0]
    for place in solution.places[::17]:
        session = Session(solution.game)
        for action in solution.record_to(place):
            session.apply(action)
        assert session.mover == 0 and np.array_equal(session.view(0), solution.tree.states[place].view)


def test_what_cannot_be_explored_says_why(client):
    for path, status, words in (
        ("leduc?player=uniform", 422, "no solution"),
        ("war", 422, "no solution of war"),
        ("nothing", 422, "no game"),
        ("leduc/decisions/99999", 404, "no decision"),
        ("leduc/grids/99", 404, "groups"),
        ("tic-tac-toe", 422, "no solution"),
        ("phantom-ttt", 422, "no solution"),
    ):
        answer = client.get(f"/api/explore/{path}")
        assert answer.status_code == status and words in answer.json()["error"], answer.text


def test_pages_link_to_the_explorer_where_there_is_one(client):
    assert "/explore/leduc" in client.get("/games/leduc").text
    assert "/explore/" not in client.get("/games/war").text
    gallery = client.get("/certificates").text
    assert "/explore/kuhn" in gallery and "/explore/phantom-ttt" not in gallery
    page = client.get("/explore/leduc")
    assert page.status_code == 200 and "Leduc poker, solved" in page.text
