"""Nothing leaks: states that a person cannot tell apart are served alike, byte for byte."""

import json
import random
import re

import numpy as np
import pytest
from support.levels import one_of_each_family
from support.web_client import open_client

from fogspiel.core.game import CHANCE, OVER, known_game, list_games, new_cells, nothing_hidden
from fogspiel.web.session_store import SessionStore

pytestmark = pytest.mark.thorough

MAX_STEPS = 120
LOOKS = 100
"""How many other actions are tried for one that the person cannot tell from the true one."""


class Line:
    """A game as it goes, with what a person on a side has seen."""

    def __init__(self, game, side):
        self.game, self.side = game, side
        self.state, self.record = new_cells(game.sizes.state), []
        game.rules.start(self.state)

    @property
    def mover(self):
        return int(self.game.rules.mover(self.state))

    def actions(self):
        out = new_cells(self.game.sizes.actions)
        return out[: self.game.rules.legal(self.state, out)].tolist()

    def seen(self, state=None):
        view = new_cells(self.game.sizes.view)
        self.game.rules.view(self.state if state is None else state, self.side, view)
        return view

    def after(self, action):
        state = self.state.copy()
        self.game.rules.apply(state, action)
        return state

    def move(self, action):
        self.game.rules.apply(self.state, action)
        self.record.append(action)


def twins(game, side, draws):
    """Pairs of records of one game with different states, after which the person has seen exactly the same."""
    true, other = Line(game, side), Line(game, side)
    for _ in range(MAX_STEPS):
        if true.mover == OVER or other.mover != true.mover:
            return
        if true.mover == side and not np.array_equal(true.state, other.state):
            yield list(true.record), list(other.record)
        action = draws.choice(true.actions())
        seen, mover = true.seen(true.after(action)), game.rules.mover(true.after(action))
        choices = [action] if true.mover == side else draws.sample(other.actions(), len(other.actions()))[:LOOKS]
        if action in choices and draws.random() < 0.8:  # few differences last longer
            choices.insert(0, action)
        for choice in choices:
            state = other.after(choice)
            if np.array_equal(other.seen(state), seen) and game.rules.mover(state) == mover:
                break
        else:
            return
        true.move(action)
        other.move(choice)


def found_pairs(game, number, draws):
    """So many pairs of both sides, or as many as random games bring to light."""
    pairs = []
    for attempt in range(20 * number):
        side = attempt % 2
        here = list(twins(game, side, draws))
        pairs += [(side, *pair) for pair in draws.sample(here, min(len(here), 4))]
        if len(pairs) >= number:
            break
    return pairs[:number]


@pytest.fixture
def site(tmp_path):
    """A client of the application, and the store in which it keeps its sessions."""
    store = SessionStore(tmp_path / "games.db", tmp_path / "runs.db")
    with open_client(tmp_path) as client:
        yield client, store
    store.close()


def store_session(store, game, side, record):
    """The key of a session that has come so far."""
    stored = store.create(game, "uniform", side)
    stored.session.record = record
    store.save(stored)
    return stored.key


def answers_about(client, key):
    """Everything that is sent about a game that is going on, without its key and the date."""
    session = client.get(f"/api/play/{key}")
    moment = session.json()["moment"]
    knowledge = client.get(f"/api/play/{key}/knowledge")
    while knowledge.status_code == 429:  # still being computed
        knowledge = client.get(f"/api/play/{key}/knowledge")
    answers = [
        session,
        client.get(f"/play/{key}"),
        knowledge,
        client.get(f"/api/play/{key}/replay"),
        client.get(f"/api/play/{key}/replay/0"),
        client.get(f"/api/play/{key}/pgn"),
        client.get(f"/play/{key}/replay"),
        client.post(f"/api/play/{key}", json={"action": 2**61, "moment": moment}),
        client.post(f"/api/play/{key}", json={"action": 0, "moment": moment + 2}),
    ]
    for answer in answers[3:]:
        assert 400 <= answer.status_code < 500, answer.text
    sent = [
        (
            answer.status_code,
            sorted((name, value) for name, value in answer.headers.items() if name != "date"),
            answer.text.replace(key, "KEY"),
        )
        for answer in answers
    ]
    assert not re.search(r"[\"']seed[\"']", json.dumps(sent))
    return sent


def demand_no_leak(site, name, number):
    client, store = site
    game, draws = known_game(name), random.Random(name)
    pairs = found_pairs(game, number, draws)
    for side, true, other in pairs:
        first, second = (answers_about(client, store_session(store, game, side, record)) for record in (true, other))
        assert first == second, f"{name}: {true} and {other} look different to side {side}"
    return pairs


@pytest.mark.parametrize("name", one_of_each_family(sorted(list_games()), others="slow"))
def test_states_that_look_alike_are_served_alike(site, name):
    assert demand_no_leak(site, name, 4) or known_game(name).resample is nothing_hidden


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(list_games()))
def test_thousands_of_states_that_look_alike_are_served_alike(site, name):
    demand_no_leak(site, name, 100)


def test_the_search_for_twins_finds_states_that_differ_and_look_alike():
    game, draws = known_game("kriegspiel"), random.Random(1)
    deepest = 0
    for side, true, other in found_pairs(game, 20, draws):
        lines = Line(game, side), Line(game, side)
        for line, record in zip(lines, (true, other), strict=True):
            for action in record:
                line.move(action)
        assert not np.array_equal(lines[0].state, lines[1].state)
        assert np.array_equal(lines[0].seen(), lines[1].seen()) and CHANCE != lines[0].mover == side
        deepest = max(deepest, len(true))
    assert deepest > 8
