"""Analyses on the page: turn by turn when a game is over, of the own view alone while it goes on."""

import json
import random
import time

import numpy as np
import pytest
from support.web_client import begin, open_client, play

from fogspiel.core.game import known_game
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.pages import play as page
from fogspiel.kriegspiel.referee import HouseRules, Referee
from fogspiel.web.job_queue import JobQueue
from fogspiel.web.session_store import SessionStore, game_by_rules

pytestmark = pytest.mark.thorough

LIGHT = SearchLimit(nodes=200)


@pytest.fixture
def client(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "DEFAULT", LIGHT)
    with open_client(tmp_path) as client:
        yield client


def finished(client, path):
    """The answer when the analysis is finished, with all its positions."""
    give_up = time.monotonic() + 240
    while time.monotonic() < give_up:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        if answer.json()["finished"]:
            return answer
        time.sleep(0.1)
    pytest.fail("the analysis does not end")


def short_game():
    """The record of fool's mate, with a refused attempt of Black's."""
    umpire = Referee()
    for move in ("f2f3", "e7e5", "g2g4", "d7d6", "a2a3", "c8h3", "d8h4"):
        umpire.attempt(move)
    assert umpire.over
    return umpire.record


def store_session(folder, record, side, game=None, against="random"):
    """The key of a session that has come so far."""
    store = SessionStore(folder / "games.db", folder / "runs.db")
    stored = store.create(game or known_game("kriegspiel"), against, side)
    stored.session.record = record
    store.save(stored)
    store.close()
    return stored.key


@pytest.mark.parametrize("side", (0, 1))
def test_a_finished_game_is_analysed_turn_by_turn(client, tmp_path, side):
    key = store_session(tmp_path, short_game(), 0)
    whole = client.get(f"/api/play/{key}/replay").json()
    found = finished(client, f"/api/play/{key}/analysis?side={side}").json()
    own = [moment["action"] for moment in whole["moments"] if moment["mover"] == side]
    assert [position["tried"] for position in found["positions"]] == own
    assert found["done"] == found["total"] == len(own) and found["trouble"] is None
    first = found["positions"][0]
    assert len(first["belief"]) == 3 and first["attempts"][0]["legal"] <= 1 and first["implied"]
    later = client.get(f"/api/play/{key}/analysis?side={side}&after=2").json()
    assert later["positions"] == found["positions"][2:]


@pytest.mark.parametrize("name", ("berkeley", "english"))
def test_a_game_by_other_rules_is_analysed_and_advised_by_these(client, tmp_path, name):
    umpire = Referee(switches=HouseRules.usual(name))
    asked = ("any",) if name == "english" else ()
    for move in ("f2f3", "e7e5", *asked, "g2g4", "d7d6", "a2a3", "c8h3", "d8h4"):
        umpire.attempt(move)
    assert umpire.over
    game = game_by_rules("kriegspiel", name)
    key = store_session(tmp_path, umpire.record, 0, game, "fog@200n")
    found = finished(client, f"/api/play/{key}/analysis").json()
    assert found["trouble"] is None and found["done"] == found["total"] == 3 + len(asked)
    assert [one["tried"] for one in found["positions"]] == ["f2f3", *asked, "g2g4", "a2a3"]
    believed = [moment["belief"] for moment in client.get(f"/api/play/{key}/replay").json()["moments"]]
    assert believed[0] is None and sum(believed[-1][0]) == pytest.approx(1, abs=0.05)
    going_on = store_session(tmp_path, umpire.record[:2], 0, game)
    advised = finished(client, f"/api/play/{going_on}/advice").json()
    assert advised["trouble"] is None and advised["engine"] == "fog" and advised["positions"][0]["attempts"]


def test_other_games_and_games_under_way_are_not_analysed(client, tmp_path):
    session = begin(client, game="kriegspiel", against="random", side=0)
    assert client.get(f"/api/play/{session['key']}/analysis").status_code == 409
    other = play(client, game="pig", against="uniform", side=0)
    for path in ("analysis", "advice"):
        answer = client.get(f"/api/play/{other['key']}/{path}")
        assert answer.status_code == 404 and "only games of Kriegspiel" in answer.json()["error"]
    over = store_session(tmp_path, short_game(), 0)
    assert client.get(f"/api/play/{over}/advice").status_code == 409


def twins(side, seed, plies=14):
    """Two records with different true boards and equal views of one side, at that side's turn."""
    draws = random.Random(seed)
    while True:
        records = ([], [])
        for _ in range(plies):
            umpires = [replayed(record) for record in records]
            if umpires[0].over or umpires[0].mover != umpires[1].mover:
                break
            if umpires[0].mover == side:
                action = draws.choice(umpires[0].actions)
                choices = [(action, action)]
            else:
                choices = [(draws.choice(umpires[0].actions), draws.choice(umpires[1].actions)) for _ in range(40)]
            for pair in choices:
                after = [replayed([*record, action]) for record, action in zip(records, pair, strict=True)]
                if after[0].mover == after[1].mover and np.array_equal(after[0].view(side), after[1].view(side)):
                    for record, action in zip(records, pair, strict=True):
                        record.append(action)
                    break
        first, second = map(replayed, records)
        if first.mover == second.mover == side and first.fen != second.fen and len(records[0]) > 6:
            return records


def replayed(record):
    umpire = Referee()
    for action in record:
        umpire.attempt(action)
    return umpire


@pytest.mark.parametrize("side", (0, 1))
def test_advice_is_byte_equal_for_equal_views_whatever_the_true_board(client, tmp_path, side):
    answers = []
    for record in twins(side, 3):
        key = store_session(tmp_path, record, side)
        answers.append(finished(client, f"/api/play/{key}/advice"))
    assert answers[0].content == answers[1].content
    (position,) = answers[0].json()["positions"]
    assert position["tried"] is None and position["attempts"]
    own = str.isupper if side == 0 else str.islower
    assert all(own(letter) for letter in position["men"] if letter.isalpha())
    assert "seed" not in json.dumps(answers[0].json())


def test_an_analysis_that_nobody_asks_for_stops_and_goes_on_when_it_is_asked_for_again():
    steps, jobs = [], JobQueue()

    def positions():
        for number in range(40):
            steps.append(number)
            time.sleep(0.01)
            yield number

    jobs.watch(("key", 0), positions)
    jobs.stop(lambda key: key[0] == "key")
    time.sleep(0.3)
    assert len(steps) < 30
    while not (found := jobs.watch(("key", 0), positions)).ended:
        time.sleep(0.02)
    assert steps == list(range(40)) == found.found
    jobs.close()


def test_what_goes_wrong_is_said_in_a_sentence():
    def positions():
        yield from ()
        raise RuntimeError("a fault of ours")

    jobs = JobQueue()
    while not (found := jobs.watch("key", positions)).ended:
        time.sleep(0.02)
    assert found.sentence == "this game cannot be analysed any further" and jobs.watch("key", positions) is found
    jobs.close()


def test_the_pages_have_a_place_for_it(client, tmp_path):
    key = store_session(tmp_path, short_game(), 1)
    assert "Analyse this game" in client.get(f"/play/{key}/replay").text
    session = begin(client, game="kriegspiel", against="random", side=0)
    assert "an engine's tries, from your view" in client.get(f"/play/{session['key']}").text
    assert client.post(f"/api/play/{key}/analysis/stop").status_code == 204
