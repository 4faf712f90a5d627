"""What a person can know at its turn: beliefs from the own views alone, and the exact cost of each choice."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from support.web_client import open_client

from fogspiel.core.agents import find_policy
from fogspiel.core.game import known_game
from fogspiel.core.session import PersonSession, Session
from fogspiel.games.guess_who import exact as guess_who
from fogspiel.games.pig import exact as pig
from fogspiel.runs.agent_parser import find_agent
from fogspiel.solving.policies.solved_tree import SolvedTree
from fogspiel.web.knowledge import decision_of, in_unit, knowledge_json


def known(game, side, record, against="uniform"):
    """What a person on a side can know after these actions, chance included."""
    found = known_game(game)
    session = PersonSession(found, find_agent(found, against), side, 1, record)
    assert session.mover == side
    return knowledge_json(decision_of(session))


def test_in_leduc_a_queen_leaves_one_queen_two_jacks_and_two_kings():
    game = known_game("leduc")
    deal = next(action for action in Session(game).actions if action // 6 // 2 == 1)
    body = known("leduc", 0, [deal])
    (place,) = body["hidden"]
    shares = {chance["text"]: chance["fraction"] for chance in place["chances"]}
    assert shares == {"J": [2, 5], "Q": [1, 5], "K": [2, 5]}
    assert body["count"] == 3 and body["exact"] and body["proved"]


def test_costs_are_those_of_the_certified_solution():
    game = known_game("leduc")
    body = known("leduc", 0, [Session(game).actions[0]], "solved")
    session = Session(game)
    session.apply(session.actions[0])
    tree = SolvedTree(game, 0, find_agent(game, "solved"))  # another way: from the tree
    worths = tree.worths(tree.place((), session.view(0)))
    assert [one["worth"] for one in body["costs"]] == pytest.approx([one.worth for one in worths])
    assert min(one["cost"] for one in body["costs"]) == 0
    assert sum(Fraction(one["exact"]) for one in body["plays"]) == 1


def test_what_the_state_hides_changes_no_byte():
    """Every deal with the same own card has the same answer, against an opponent whose probabilities are known."""
    deals = [action for action in Session(known_game("leduc")).actions if action // 6 // 2 == 2]
    assert len(deals) == 10 and len({repr(known("leduc", 0, [deal], "solved")) for deal in deals}) == 1


def test_chances_on_a_board_add_up_to_the_stones_of_the_opponent():
    body = known("phantom-ttt", 0, [4, 0, 8, 1])
    assert sum(place["chances"][0]["share"] for place in body["hidden"]) == pytest.approx(2)
    assert 1 < len(body["boards"]) <= 6 and body["count"] > 6


def test_after_two_illegal_attempts_both_stones_are_known():
    body = known("phantom-ttt", 0, [4, 0, 8, 1, 0, 1])
    assert body["count"] == 1 and body["hidden"] == []


def test_ships_lie_where_the_shots_allow():
    game = known_game("battleship")
    session = Session(game)
    while session.view(0)[0] < 4 or session.mover != 0:
        session.apply(session.actions[0])
    body = known("battleship", 0, session.record)
    squares = {(place["row"], place["column"]) for place in body["hidden"]}
    assert sum(place["chances"][0]["share"] for place in body["hidden"]) == pytest.approx(14) and len(squares) > 60
    assert body["boards"] == [] and not body["exact"]


def test_spies_are_counted_in_the_groups_that_fit():
    body = known("resistance5", 0, [Session(known_game("resistance5")).actions[0]])
    assert body["count"] == 10 and [place["chances"][0]["fraction"] for place in body["hidden"]] == [[2, 5]] * 5


def test_pig_and_guess_who_count_games_won_with_best_play():
    game = known_game("pig")
    optimum = pig.optimum()
    for own, other, turn in ((0, 0, 5), (61, 74, 18), (90, 30, 9), (30, 99, 40)):
        values = pig.action_values(game, np.array([own, other, turn, 1, 1]))
        assert (values[1] > values[0]) == optimum.rolls[own, other, turn]
    wins, questions = guess_who.optimum(24)
    for own, other in ((24, 24), (12, 7), (3, 20), (2, 2)):
        values = guess_who.action_values(known_game("guesswho24"), np.array([own, other, 24, 1, 0]))
        assert max(values.values()) == pytest.approx(float(wins[own, other]))
        assert values[int(questions[own, other])] == max(values.values())


@pytest.mark.parametrize("side", [0, 1])
def test_a_certain_win_is_worth_1_and_a_certain_loss_0(side):
    game = SimpleNamespace(payoffs=(Fraction(0), Fraction(1, 2), Fraction(1)), look=SimpleNamespace(scene=""))
    own = (0.0, 0.5, 1.0) if side == 0 else (-1.0, -0.5, 0.0)  # the second player's payoffs mirror the first's
    assert [in_unit(game, side, worth) for worth in own] == [0, 0.5, 1]


def test_it_is_told_at_the_own_turn_only(tmp_path):
    with open_client(tmp_path) as client:
        begun = client.post("/api/play", json={"game": "kuhn", "against": "solved", "side": 0}).json()
        key = begun["key"]
        body = client.get(f"/api/play/{key}/knowledge").json()
        assert body["moment"] == begun["moment"] and len(body["hidden"][0]["chances"]) == 2
        client.post(f"/api/play/{key}/resign", json={"moment": begun["moment"]})
        answer = client.get(f"/api/play/{key}/knowledge")
        assert answer.status_code == 409 and "not your turn" in answer.json()["error"]


def test_a_strategy_is_not_asked_at_every_history():
    game = known_game("leduc")
    session = PersonSession(game, find_policy(game, "uniform"), 0, 3, [Session(game).actions[0]])
    assert knowledge_json(decision_of(session))["assumes"] == "every move of the opponent is equally likely"


def test_the_log_is_sent_once(tmp_path):
    with open_client(tmp_path) as client:
        session = client.post("/api/play", json={"game": "batawaf", "against": "descending", "side": 0}).json()
        key, lines = session["key"], session["transcript"]
        for _ in range(12):
            if session["over"]:
                break
            heard = max(len(lines) - 1, 0)
            order = {"action": session["choices"][0]["action"], "moment": session["moment"], "heard": heard}
            session = client.post(f"/api/play/{key}", json=order).json()
            while session["thinking"]:
                session = client.get(f"/api/play/{key}?heard={heard}").json()
            assert session.get("heard", 0) == heard and (heard == 0 or "told" not in session)
            lines = [*lines[:heard], *session["transcript"]]
        assert lines == client.get(f"/api/play/{key}").json()["transcript"] and len(lines) > 12
